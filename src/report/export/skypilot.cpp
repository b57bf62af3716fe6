// SkyPilot task, https://docs.skypilot.co/en/latest/reference/yaml-spec.html: `infra` is cloud/region, `any_of` lists
// candidates among which SkyPilot takes the cheapest by its own prices, `ordered` tries them in order.
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "report/export/common.hpp"
#include "report/export/names.hpp"
#include "report/export/targets.hpp"

namespace gpusel::report {

namespace {

constexpr std::size_t kMostCandidates = 20;

bool known(const advise::Recommendation& r) {
  const CloudNames* names = cloud_names(r.instance->provider);
  return names != nullptr && !names->skypilot.empty() && is_by_the_hour(r);
}

Json candidate(const advise::Recommendation& r) {
  const CloudNames& names = *cloud_names(r.instance->provider);
  Json out{{"infra", has_region(r) ? format("{}/{}", names.skypilot, r.region->id) : std::string(names.skypilot)},
           {"instance_type", host_type(*r.instance)}};
  // Elsewhere parts go by other names; the type says which they are.
  const int devices = devices_of(r);
  const std::string_view part = r.gpu != nullptr ? skypilot_accelerator(r.gpu->id) : std::string_view();
  const bool whole = r.instance->gpu_count.value_or(0) >= 1;
  if (devices > 0 && whole && names.names_accelerators && !part.empty())
    out["accelerators"] = format("{}:{}", part, devices);
  out["use_spot"] = is_spot(r);
  return out;
}

std::string run_of(const advise::Launch& launch) {
  std::string run;
  if (reads_rank(launch)) run = "RANK=\"$SKYPILOT_NODE_RANK\"\nMASTER=$(echo \"$SKYPILOT_NODE_IPS\" | head -n 1)\n";
  return run + script_of(launch);
}

}  // namespace

Result<Exported> export_skypilot(const ExportView& view) {
  const advise::Recommendation& chosen = view.chosen;
  if (!known(chosen))
    return is_by_the_hour(chosen) ? cannot(say("SkyPilot has no cloud for {}", chosen.instance->provider))
                                  : cannot(say("SkyPilot starts instances on demand or spot, and {} is neither",
                                               to_text(chosen.offer->term)));
  const advise::Launch launch = launch_or_own(view);
  const auto same = interchangeable(view);
  Json any = Json::array();
  std::size_t left_out = 0;
  for (const advise::Recommendation* r : same) {
    if (known(*r) && any.size() < kMostCandidates)
      any.push_back(candidate(*r));
    else
      ++left_out;
  }
  left_out += view.advice.recommendations.size() - same.size();

  Exported out{"task.yaml", {}, launch_notes(launch)};
  out.notes.push_back(disk_note(view));
  out.notes.push_back(
      say("candidates stand in the order of the ranking; SkyPilot takes the cheapest by its own prices, unless any_of "
          "is renamed to ordered"));
  if (left_out > 0)
    out.notes.push_back(
        say("ranks left out: {}; they need another plan, or a cloud or term that SkyPilot does not have", left_out));
  Json resources{{"disk_size", disk_gb(view)}};
  if (launch.serves()) resources["ports"] = std::stoi(launch.port);
  resources["any_of"] = std::move(any);
  Json task{{"name", job_name(view)},
            {"num_nodes", launch.nodes > 1 ? launch.nodes : chosen.machine().nodes},
            {"resources", std::move(resources)}};
  for (const auto& [name, meaning] : launch.env)
    // Null asks for the value when it is launched.
    task[name == kTokenVariable ? "secrets" : "envs"][name] = nullptr;
  if (!launch.setup.empty()) task["setup"] = launch.setup + "\n";
  task["run"] = run_of(launch);
  out.content = yaml_file(view, out.notes, {task});
  return out;
}

}  // namespace gpusel::report
