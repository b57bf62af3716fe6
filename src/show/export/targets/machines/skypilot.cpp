// SkyPilot task, https://docs.skypilot.co/en/latest/reference/yaml-spec.html: `infra` is cloud/region, `any_of` lists
// candidates among which SkyPilot takes the cheapest by its own prices, `ordered` tries them in order. Replicas are a
// service, https://docs.skypilot.co/en/latest/serving/service-yaml-spec.html; a container is an image,
// https://docs.skypilot.co/en/latest/examples/docker-containers.html
#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "show/export/common.hpp"
#include "show/export/names.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/machines/containers.hpp"

namespace gpusel::show {

namespace {

constexpr std::string_view kTarget = "skypilot";
constexpr std::size_t kMostCandidates = 20;
constexpr double kLeastDelay = 1200;  // seconds that SkyPilot waits for the first answer unasked

/// What SkyPilot calls the card there, where the type does not say it.
std::string_view part_of(const answer::Recommendation& r) {
  const CloudNames* names = cloud_names(r.instance->provider);
  if (r.gpu == nullptr || names == nullptr) return {};
  if (names->skypilot == "vast") return skypilot_vast_accelerator(r.gpu->id);
  return names->types_in_skypilot ? skypilot_accelerator(r.gpu->id) : skypilot_runpod_accelerator(r.gpu->id);
}

/// How many instances one task starts together, whether in the tool's container, and whether to be reached from
/// outside.
struct Wants {
  int nodes = 1;
  bool in_container = false;
  bool ports = false;
};

/// Replicas of one instance each are a service, which starts them one by one.
bool is_service(const ExportView& view, const answer::Launch& launch) {
  return launch.serves() && launch.nodes == 1 && view.chosen.machine().nodes > 1;
}

/// Where nothing is known of SkyPilot's sources, its cloud alone decides.
const CloudOrders* cloud_of(const ExportView& view, const CloudNames& names) {
  static const CloudOrders kOpen;
  const ToolOrders* tool = find_orders(view.facts.orders, kTarget);
  return tool == nullptr ? &kOpen : tool->find(names.skypilot);
}

/// A server alone is of use where no port can be opened; replicas of a service are found by theirs.
Wants wants_of(const ExportView& view, const answer::Launch& launch) {
  const int nodes = launch.nodes > 1 ? launch.nodes : view.chosen.machine().nodes;
  const bool service = is_service(view, launch);
  const CloudNames* names = cloud_names(view.chosen.instance->provider);
  const CloudOrders* cloud = names == nullptr ? nullptr : cloud_of(view, *names);
  const bool opens = cloud == nullptr || cloud->ports;
  return {service ? 1 : nodes, !needed_image(view, launch).empty(), launch.serves() && (service || opens)};
}

bool sees_cards(const ExportView& view, const answer::Recommendation& r) {
  const ToolOrders* tool = find_orders(view.facts.orders, kTarget);
  return r.gpu == nullptr || tool == nullptr || tool->takes_vendor(vendor_of(r));
}

bool is_known_region(const CloudOrders& cloud, const answer::Recommendation& r) {
  return cloud.takes_region(r.region->id) && r.region->account.empty();
}

/// Why SkyPilot cannot start a rank.
Status check_candidate(const ExportView& view, const answer::Recommendation& r, const Wants& wants) {
  const std::string_view provider = r.instance->provider;
  const CloudNames* names = cloud_names(provider);
  const CloudOrders* cloud = names == nullptr || names->skypilot.empty() ? nullptr : cloud_of(view, *names);
  if (cloud == nullptr) return cannot(say("SkyPilot has no cloud for {}", provider));
  if (!names->not_in_skypilot.empty() && r.instance->sku.ends_with(names->not_in_skypilot))
    return cannot(
        say("SkyPilot starts only what {} runs itself, and {} is of third parties", provider, r.instance->sku));
  if (!is_by_the_hour(r))
    return cannot(say("SkyPilot starts instances on demand or spot, and {} is neither", to_text(r.offer->term)));
  if (is_spot(r) && !cloud->spot) return cannot(say("SkyPilot cannot start spot instances of {}", provider));
  if (wants.nodes > 1 && !cloud->several_nodes)
    return cannot(
        say("SkyPilot cannot start several instances together on {}, and the plan has {}", provider, wants.nodes));
  if (wants.ports && !cloud->ports) return cannot(say("SkyPilot cannot open ports on {}", provider));
  if (wants.in_container && !cloud->containers) return cannot(say("SkyPilot cannot start containers on {}", provider));
  if (has_region(r) && !is_known_region(*cloud, r)) return cannot(say("{} has no region {}", "SkyPilot", r.region->id));
  if (r.gpu == nullptr) return {};
  if (names->types_in_skypilot)
    if (Status typed = check_type(r); !typed) return typed;
  const bool named = !cloud->gpus.empty() || !names->types_in_skypilot;
  if (!cloud->takes_type(host_type(*r.instance)) || (named && (part_of(r).empty() || !cloud->takes_gpu(part_of(r)))))
    return cannot(say("SkyPilot does not know the GPU of {} {}", provider, r.instance->sku));
  if (wants.in_container && !names->containers && !sees_cards(view, r))
    return cannot(say("containers that SkyPilot starts on machines of {} do not see {}", provider, r.gpu->id));
  return {};
}

/// A type says its card itself, unless the card is put into it.
Json candidate(const ExportView& view, const answer::Recommendation& r) {
  const CloudNames& names = *cloud_names(r.instance->provider);
  const bool placed = view.pins_region && has_region(r) && names.own_regions;
  Json out{{"infra", placed ? format("{}/{}", names.skypilot, r.region->id) : std::string(names.skypilot)}};
  if (names.types_in_skypilot) out["instance_type"] = host_type(*r.instance);
  if (const int devices = devices_of(r);
      devices > 0 && (!names.types_in_skypilot || !attached_card(*r.instance).empty()))
    out["accelerators"] = format("{}:{}", part_of(r), devices);
  out["use_spot"] = is_spot(r);
  return out;
}

/// With as many replicas as the plan has: it is made for the whole rate.
Json service_of(const ExportView& view, const answer::Launch& launch) {
  Json probe{{"path", launch.health}};
  if (view.scaling)
    probe["initial_delay_seconds"] =
        static_cast<int>(std::ceil(std::max(kLeastDelay, 2 * view.scaling->cold_start.raw())));
  return {{"readiness_probe", std::move(probe)}, {"replicas", view.chosen.machine().nodes}};
}

std::string run_of(const answer::Launch& launch) {
  std::string run;
  if (reads_rank(launch)) run = "RANK=\"$SKYPILOT_NODE_RANK\"\nMASTER=$(echo \"$SKYPILOT_NODE_IPS\" | head -n 1)\n";
  return run + script_of(launch);
}

}  // namespace

Result<Exported> export_skypilot(const ExportView& view) {
  const answer::Recommendation& chosen = view.chosen;
  const answer::Launch launch = launch_of(view);
  const Wants wants = wants_of(view, launch);
  if (Status possible = check_candidate(view, chosen, wants); !possible) return std::unexpected(possible.error());
  const auto same = interchangeable(view);
  Json any = Json::array();
  std::size_t left_out = 0;
  for (const answer::Recommendation* r : same) {
    Json one = check_candidate(view, *r, wants) && any.size() < kMostCandidates ? candidate(view, *r) : Json();
    if (!one.is_null() && std::ranges::find(any, one) == any.end())
      any.push_back(std::move(one));
    else
      ++left_out;
  }
  left_out += view.advice.recommendations.size() - same.size();

  Exported out{"task.yaml", {}, launch_notes(launch)};
  if (launch.lines.empty()) out.notes.push_back(machines_alone(view));
  out.notes.push_back(disk_note(view));
  out.notes.push_back(
      say("candidates are in ranking order; SkyPilot takes the cheapest by its own prices, unless any_of "
          "is renamed to ordered"));
  if (!view.pins_region)
    out.notes.push_back(
        say("regions are left to SkyPilot, which goes where there is room: the price is that of {}; --region pins one",
            chosen.region->id));
  if (left_out > 0)
    out.notes.push_back(
        say("ranks excluded: {}; they need another plan, or a cloud or term that SkyPilot does not have", left_out));
  Json resources{{"disk_size", disk_gb(view)}};
  if (wants.ports) resources["ports"] = std::stoi(launch.port);
  if (launch.serves() && !wants.ports)
    out.notes.push_back(say("SkyPilot cannot open ports on {}: ssh -L {}:localhost:{} CLUSTER reaches the server",
                            chosen.instance->provider, launch.port, launch.port));
  resources["any_of"] = std::move(any);
  if (const std::string image = needed_image(view, launch); !image.empty()) resources["image_id"] = "docker:" + image;
  Json task{{"name", job_name(view)}, {"resources", std::move(resources)}};
  if (is_service(view, launch)) {
    task["service"] = service_of(view, launch);
    out.notes.push_back(say("a service of several replicas: sky serve up task.yaml"));
  } else {
    task["num_nodes"] = wants.nodes;
  }
  if (!launch.serves() && is_spot(chosen))
    out.notes.push_back(say("sky jobs launch task.yaml restarts it elsewhere when an instance is reclaimed"));
  for (const auto& [name, meaning] : launch.env)
    // Null asks for the value when it is launched.
    task[name == kTokenVariable ? "secrets" : "envs"][name] = nullptr;
  if (!launch.setup.empty()) task["setup"] = launch.setup + "\n";
  if (!launch.lines.empty()) task["run"] = run_of(launch);
  out.content = yaml_file(view, out.notes, {task});
  return out;
}

}  // namespace gpusel::show
