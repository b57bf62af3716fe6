#include "gpusel/advise/services.hpp"

#include "advise/cost_parts.hpp"

namespace gpusel::advise {

namespace {

/// Training jobs are of training services, the rest of endpoints; platforms do both.
bool serves(catalog::ServiceKind kind, workload::Task task) {
  switch (kind) {
    case catalog::ServiceKind::platform: return workload::runs_model(task);
    case catalog::ServiceKind::training: return workload::is_training(task);
    case catalog::ServiceKind::endpoint: return task == workload::Task::inference;
    case catalog::ServiceKind::rendering: return task == workload::Task::render;
  }
  return false;
}

}  // namespace

Services services_of(const catalog::Instance& instance, workload::Task task, const catalog::Catalog& catalog) {
  Services out;
  out.promises = promises_of(instance, catalog);
  for (const catalog::Service& service : catalog.services()) {
    if (service.provider != instance.provider || !serves(*service.kind, task)) continue;
    bool runs = service.families.empty();
    for (const std::string_view family : service.families) runs = runs || family == instance.family;
    if (runs) out.managed.push_back(&service);
  }
  return out;
}

}  // namespace gpusel::advise
