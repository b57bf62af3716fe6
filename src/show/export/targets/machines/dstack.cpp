// dstack fleet with the service or task that runs on it: https://dstack.ai/docs/reference/dstack.yml/fleet,
// https://dstack.ai/docs/reference/dstack.yml/service, https://dstack.ai/docs/reference/dstack.yml/task
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/common.hpp"
#include "show/export/names.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/machines/containers.hpp"

namespace gpusel::show {

namespace {

constexpr std::string_view kBackends = "dstack";  // in data/targets

class Dstack {
 public:
  Dstack(const ExportView& view, const CloudNames& names)
      : view_(view), names_(names), launch_(launch_of(view)), name_(job_name(view)) {}

  Result<Exported> run() {
    Exported out;
    out.notes = launch_notes(launch_);
    out.notes.push_back(disk_note(view_));
    if (names_.containers)
      out.notes.push_back(say("{} starts containers, for which dstack has no fleets: the run requests its own machine",
                              names_.provider));
    if (has_region(chosen()) && !names_.own_regions)
      out.notes.push_back(say("the region {} is omitted: dstack uses other names for regions of {}",
                              chosen().region->id, names_.provider));
    if (!names_.types_in_dstack && chosen().gpu != nullptr)
      out.notes.push_back(
          say("dstack cannot select the form factor of a GPU: check that its offer is {}", chosen().gpu->id));
    if (!names_.containers)
      out.notes.push_back(say("two configurations: dstack apply -f takes one file each, fleet first"));
    const ExportedFile work_file{name_ + ".dstack.yml", yaml_file(view_, out.notes, {work()})};
    if (names_.containers) {
      out.name = work_file.name;
      out.content = work_file.content;
      return out;
    }
    out.name = name_ + "-fleet.dstack.yml";
    out.content = yaml_file(view_, out.notes, {fleet()});
    out.further = {work_file};
    return out;
  }

 private:
  const answer::Recommendation& chosen() const { return view_.chosen; }

  void add_machine(Json& to) const {
    to["backends"] = Json::array({names_.dstack});
    if (view_.pins_region && has_region(chosen()) && names_.own_regions)
      to["regions"] = Json::array({chosen().region->id});
    if (names_.types_in_dstack) to["instance_types"] = Json::array({host_type(*chosen().instance)});
    to["spot_policy"] = is_spot(chosen()) ? "spot" : "on-demand";
    to["resources"] = resources();
  }

  /// As dstack has it, which compares to the gigabyte; else as it is marketed.
  double memory_known(double marketed) const {
    const ToolOrders* tool = find_orders(view_.facts.orders, kBackends);
    const std::string_view part = dstack_gpu(chosen().gpu->id);
    const auto known = tool == nullptr || part.empty() ? std::nullopt : tool->card_memory(part, marketed);
    return known.value_or(marketed);
  }

  Json resources() const {
    Json out = Json::object();
    const int devices = devices_of(chosen());
    if (devices > 0) {
      Json gpu{{"vendor", lower(chosen().gpu->vendor)}};
      // Where the type does not say it; several parts have as much memory.
      const std::string_view part = dstack_gpu(chosen().gpu->id);
      if (!names_.types_in_dstack && !part.empty()) gpu["name"] = part;
      if (const auto& memory = chosen().gpu->memory_gb)
        gpu["memory"] = format("{:g}GB", std::floor(memory_known(*memory) * chosen().machine().device.share));
      gpu["count"] = devices;
      out["gpu"] = std::move(gpu);
    }
    out["disk"] = format("{}GB..", disk_gb(view_));
    return out;
  }

  Json fleet() const {
    const int nodes = chosen().machine().nodes;
    Json out{{"type", "fleet"}, {"name", name_ + "-fleet"}, {"nodes", nodes}};
    if (works_together(view_, launch_)) out["placement"] = "cluster";
    add_machine(out);
    return out;
  }

  Json commands() const {
    Json out = Json::array();
    if (!launch_.setup.empty() && launch_.image.empty()) out.push_back(launch_.setup);
    if (reads_rank(launch_)) out.push_back("RANK=\"$DSTACK_NODE_RANK\" MASTER=\"$DSTACK_MASTER_NODE_IP\"");
    // dstack joins commands by "&&", which ends no text that is read to a mark.
    out.push_back("set -e\n" + script_of(launch_));
    return out;
  }

  /// Replicas that span instances are no service of dstack: it starts each replica on one.
  Json work() const {
    const bool service = launch_.serves() && launch_.nodes == 1;
    Json out{{"type", service ? "service" : "task"}, {"name", name_}};
    if (!service && chosen().machine().nodes > 1)
      out["nodes"] = launch_.nodes > 1 ? launch_.nodes : chosen().machine().nodes;
    const std::string image = launch_.image.empty() ? needed_image(view_, launch_) : launch_.image;
    if (!image.empty()) out["image"] = image;
    for (const auto& [name, meaning] : launch_.env) out["env"].push_back(name);
    out["commands"] = commands();
    if (service) {
      out["port"] = std::stoi(launch_.port);
      out["replicas"] = chosen().machine().nodes;
    } else if (launch_.serves()) {
      out["ports"] = Json::array({std::stoi(launch_.port)});
    }
    add_machine(out);
    return out;
  }

  const ExportView& view_;
  const CloudNames& names_;
  answer::Launch launch_;
  std::string name_;
};

}  // namespace

namespace {

/// Why dstack cannot start it.
Status check_backend(const ExportView& view) {
  const answer::Recommendation& r = view.chosen;
  const std::string_view provider = r.instance->provider;
  const CloudNames* names = cloud_names(provider);
  static const CloudOrders kOpen;
  const ToolOrders* tool = find_orders(view.facts.orders, kBackends);
  const CloudOrders* cloud = names == nullptr || names->dstack.empty() ? nullptr
                             : tool == nullptr                         ? &kOpen
                                                                       : tool->find(names->dstack);
  if (cloud == nullptr) return cannot(say("dstack has no backend for {}", provider));
  if (!is_by_the_hour(r))
    return cannot(say("dstack starts instances on demand or spot, and {} is neither", to_text(r.offer->term)));
  if (is_spot(r) && !cloud->spot) return cannot(say("dstack cannot start spot instances of {}", provider));
  if (r.machine().nodes > 1 && !cloud->several_nodes && reads_rank(launch_of(view)))
    return cannot(say("dstack cannot create clusters on {}", provider));
  if (!cloud->takes_region(r.region->id) || !r.region->account.empty())
    return cannot(say("{} has no region {}", "dstack", r.region->id));
  if (names->types_in_dstack)
    if (Status typed = check_type(r); !typed) return typed;
  const bool listed = names->types_in_dstack ? cloud->takes_type(host_type(*r.instance))
                                             : r.gpu == nullptr || !dstack_gpu(r.gpu->id).empty();
  if (!listed || (r.gpu != nullptr && !cloud->gpus.empty() && !cloud->takes_gpu(dstack_gpu(r.gpu->id))))
    return cannot(say("dstack offers no {} of {}", r.instance->sku, provider));
  return {};
}

}  // namespace

Result<Exported> export_dstack(const ExportView& view) {
  if (Status possible = check_backend(view); !possible) return std::unexpected(possible.error());
  return Dstack(view, *cloud_names(view.chosen.instance->provider)).run();
}

}  // namespace gpusel::show
