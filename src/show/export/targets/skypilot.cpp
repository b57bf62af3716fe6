// SkyPilot task, https://docs.skypilot.co/en/latest/reference/yaml-spec.html: `infra` is cloud/region, `any_of` lists
// candidates among which SkyPilot takes the cheapest by its own prices, `ordered` tries them in order. Replicas are a
// service, https://docs.skypilot.co/en/latest/serving/service-yaml-spec.html; a container is an image,
// https://docs.skypilot.co/en/latest/examples/docker-containers.html
#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/common.hpp"
#include "show/export/names.hpp"
#include "show/export/targets.hpp"

namespace gpusel::show {

namespace {

constexpr std::size_t kMostCandidates = 20;
constexpr double kLeastDelay = 1200;  // seconds that SkyPilot waits for the first answer unasked

bool is_left_out(const answer::Recommendation& r) {
  const CloudNames* names = cloud_names(r.instance->provider);
  return names != nullptr && !names->not_in_skypilot.empty() && r.instance->sku.ends_with(names->not_in_skypilot);
}

/// SkyPilot's name of the part there; empty where its types say which they are.
std::string_view part_of(const answer::Recommendation& r) {
  const CloudNames* names = cloud_names(r.instance->provider);
  if (r.gpu == nullptr || names == nullptr) return {};
  if (!names->types_in_skypilot) return skypilot_runpod_accelerator(r.gpu->id);
  return names->names_accelerators ? skypilot_accelerator(r.gpu->id) : std::string_view();
}

bool known(const answer::Recommendation& r) {
  const CloudNames* names = cloud_names(r.instance->provider);
  return names != nullptr && !names->skypilot.empty() && is_by_the_hour(r) && !is_left_out(r) &&
         (names->types_in_skypilot || !part_of(r).empty());
}

Json candidate(const answer::Recommendation& r) {
  const CloudNames& names = *cloud_names(r.instance->provider);
  const bool placed = has_region(r) && names.own_regions;
  Json out{{"infra", placed ? format("{}/{}", names.skypilot, r.region->id) : std::string(names.skypilot)}};
  if (names.types_in_skypilot) out["instance_type"] = host_type(*r.instance);
  const int devices = devices_of(r);
  const bool whole = r.instance->gpu_count.value_or(0) >= 1;
  if (const std::string_view part = part_of(r); devices > 0 && whole && !part.empty())
    out["accelerators"] = format("{}:{}", part, devices);
  out["use_spot"] = is_spot(r);
  return out;
}

/// With as many replicas as the plan has, or by traffic where that is known.
Json service_of(const ExportView& view, const answer::Launch& launch) {
  Json probe{{"path", launch.health}};
  Json out{{"readiness_probe", std::move(probe)}};
  const int nodes = view.chosen.machine().nodes;
  const auto& rate = view.advice.work.inference.request_rate;
  if (!view.scaling || !rate) {
    out["replicas"] = nodes;
    return out;
  }
  out["readiness_probe"]["initial_delay_seconds"] =
      static_cast<int>(std::ceil(std::max(kLeastDelay, 2 * view.scaling->cold_start.raw())));
  const double working = std::max(1.0, nodes - static_cast<double>(view.advice.work.inference.redundancy));
  out["replica_policy"] = {{"min_replicas", number(view.scaling->min_replicas)},
                           {"max_replicas", number(view.scaling->max_replicas)},
                           {"target_qps_per_replica", number(std::round(1000 * *rate / working) / 1000)}};
  return out;
}

std::string run_of(const answer::Launch& launch) {
  std::string run;
  if (reads_rank(launch)) run = "RANK=\"$SKYPILOT_NODE_RANK\"\nMASTER=$(echo \"$SKYPILOT_NODE_IPS\" | head -n 1)\n";
  return run + script_of(launch);
}

}  // namespace

Result<Exported> export_skypilot(const ExportView& view) {
  const answer::Recommendation& chosen = view.chosen;
  if (is_left_out(chosen))
    return cannot(say("SkyPilot starts only what {} runs itself, and {} is of third parties", chosen.instance->provider,
                      chosen.instance->sku));
  if (!known(chosen))
    return is_by_the_hour(chosen) ? cannot(say("SkyPilot has no cloud for {}", chosen.instance->provider))
                                  : cannot(say("SkyPilot starts instances on demand or spot, and {} is neither",
                                               to_text(chosen.offer->term)));
  const answer::Launch launch = launch_or_own(view);
  const auto same = interchangeable(view);
  Json any = Json::array();
  std::size_t left_out = 0;
  for (const answer::Recommendation* r : same) {
    if (known(*r) && any.size() < kMostCandidates)
      any.push_back(candidate(*r));
    else
      ++left_out;
  }
  left_out += view.advice.recommendations.size() - same.size();

  Exported out{"task.yaml", {}, launch_notes(launch)};
  out.notes.push_back(disk_note(view));
  out.notes.push_back(
      say("candidates are in ranking order; SkyPilot takes the cheapest by its own prices, unless any_of "
          "is renamed to ordered"));
  if (left_out > 0)
    out.notes.push_back(
        say("ranks excluded: {}; they need another plan, or a cloud or term that SkyPilot does not have", left_out));
  Json resources{{"disk_size", disk_gb(view)}};
  if (launch.serves()) resources["ports"] = std::stoi(launch.port);
  resources["any_of"] = std::move(any);
  // A tool that nothing installs comes in its container.
  if (launch.setup.empty() && !launch.image.empty()) resources["image_id"] = "docker:" + launch.image;
  Json task{{"name", job_name(view)}, {"resources", std::move(resources)}};
  const bool replicas = launch.serves() && launch.nodes == 1 && chosen.machine().nodes > 1;
  if (replicas) {
    task["service"] = service_of(view, launch);
    out.notes.push_back(say("a service of several replicas: sky serve up task.yaml"));
  } else {
    task["num_nodes"] = launch.nodes > 1 ? launch.nodes : chosen.machine().nodes;
  }
  if (!launch.serves() && is_spot(chosen))
    out.notes.push_back(say("sky jobs launch task.yaml restarts it elsewhere when an instance is reclaimed"));
  for (const auto& [name, meaning] : launch.env)
    // Null asks for the value when it is launched.
    task[name == kTokenVariable ? "secrets" : "envs"][name] = nullptr;
  if (!launch.setup.empty()) task["setup"] = launch.setup + "\n";
  task["run"] = run_of(launch);
  out.content = yaml_file(view, out.notes, {task});
  return out;
}

}  // namespace gpusel::show
