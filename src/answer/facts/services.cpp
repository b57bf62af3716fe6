#include "answer/facts/services.hpp"

#include <algorithm>

#include "answer/cost/cost_parts.hpp"

namespace gpusel::answer {

namespace {

/// Training jobs are of training services, images that are rendered in a queue of rendering services, models that
/// answer of endpoints; platforms do both.
bool serves(catalog::ServiceKind kind, const job::Job& work) {
  switch (kind) {
    case catalog::ServiceKind::platform: return job::runs_model(work.task);
    case catalog::ServiceKind::training: return job::is_training(work.task);
    case catalog::ServiceKind::endpoint: return work.task == job::Task::inference;
    case catalog::ServiceKind::rendering:
      return work.counted && std::holds_alternative<job::OfflineRender>(work.counted->job);
  }
  return false;
}

bool names(const catalog::TextList& list, std::string_view name) { return std::ranges::find(list, name) != list.end(); }

}  // namespace

Services services_of(const catalog::Instance& instance, catalog::Term term, const job::Job& work,
                     const catalog::Catalog& catalog) {
  Services out;
  out.promises = promises_of(instance, std::span(&term, 1), catalog);
  std::vector<const catalog::Service*> general;
  std::vector<std::string_view> of_others;
  for (const catalog::Service& service : catalog.services()) {
    if (service.provider != instance.provider || !serves(*service.kind, work)) continue;
    if (names(service.skus, instance.sku))
      out.managed.push_back(&service);
    else if (!service.families.empty() && !names(service.families, instance.family))
      of_others.push_back(service.name);
    else if (service.skus.empty())
      general.push_back(&service);
  }
  const auto is_told = [&](std::string_view name) {
    return std::ranges::any_of(out.managed, [&](const auto* service) { return service->name == name; });
  };
  for (const catalog::Service* service : general)
    if (!is_told(service->name)) out.managed.push_back(service);
  for (const std::string_view name : of_others)
    if (!is_told(name) && std::ranges::find(out.unrecorded, name) == out.unrecorded.end())
      out.unrecorded.push_back(name);
  return out;
}

}  // namespace gpusel::answer
