// Containers on rented cards. RunPod: https://docs.runpod.io/api-reference/pods/POST/pods, names of cards:
// https://docs.runpod.io/references/gpu-types, secrets: https://docs.runpod.io/pods/templates/secrets; Vast:
// https://docs.vast.ai/cli/commands (search offers, create instance)
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/machines/containers.hpp"

namespace gpusel::show {

namespace {

struct CardName {
  std::string_view gpu;
  std::string_view name;
};
constexpr CardName kRunpodCards[] = {
    {"a100-pcie-80gb", "NVIDIA A100 80GB PCIe"},
    {"a100-sxm-80gb", "NVIDIA A100-SXM4-80GB"},
    {"a40", "NVIDIA A40"},
    {"b200-180gb", "NVIDIA B200"},
    {"h100-nvl-94gb", "NVIDIA H100 NVL"},
    {"h100-pcie-80gb", "NVIDIA H100 PCIe"},
    {"h100-sxm-80gb", "NVIDIA H100 80GB HBM3"},
    {"h200-sxm-141gb", "NVIDIA H200"},
    {"l4", "NVIDIA L4"},
    {"l40", "NVIDIA L40"},
    {"l40s", "NVIDIA L40S"},
    {"mi300x-192gb", "AMD Instinct MI300X OAM"},
    {"rtx-2000-ada-16gb", "NVIDIA RTX 2000 Ada Generation"},
    {"rtx-3070", "NVIDIA GeForce RTX 3070"},
    {"rtx-3080", "NVIDIA GeForce RTX 3080"},
    {"rtx-3080-ti", "NVIDIA GeForce RTX 3080 Ti"},
    {"rtx-3090", "NVIDIA GeForce RTX 3090"},
    {"rtx-3090-ti", "NVIDIA GeForce RTX 3090 Ti"},
    {"rtx-4000-ada-20gb", "NVIDIA RTX 4000 Ada Generation"},
    {"rtx-4070-ti", "NVIDIA GeForce RTX 4070 Ti"},
    {"rtx-4080", "NVIDIA GeForce RTX 4080"},
    {"rtx-4080-super", "NVIDIA GeForce RTX 4080 SUPER"},
    {"rtx-4090", "NVIDIA GeForce RTX 4090"},
    {"rtx-5080", "NVIDIA GeForce RTX 5080"},
    {"rtx-5090", "NVIDIA GeForce RTX 5090"},
    {"rtx-6000-ada-48gb", "NVIDIA RTX 6000 Ada Generation"},
    {"rtx-a4000-16gb", "NVIDIA RTX A4000"},
    {"rtx-a4500-20gb", "NVIDIA RTX A4500"},
    {"rtx-a5000-24gb", "NVIDIA RTX A5000"},
    {"rtx-a6000-48gb", "NVIDIA RTX A6000"},
    {"rtx-pro-6000-server-96gb", "NVIDIA RTX PRO 6000 Blackwell Server Edition"},
    {"rtx-pro-6000-ws-96gb", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition"},
};
constexpr std::string_view kNetworkVolume = "NETWORK_VOLUME_ID";
constexpr std::string_view kCommunity = "_COMMUNITY";  // end of the names of what third parties rent out

/// Error: it is not that provider's, or its containers would have to find each other.
Result<Container> hosted(const ExportView& view, const answer::Launch& launch, std::string_view provider) {
  const answer::Recommendation& r = view.chosen;
  if (r.instance->provider != provider)
    return cannot(say("only instances of {} can be ordered this way, not of {}", provider, r.instance->provider));
  if (!is_by_the_hour(r))
    return cannot(say("{} starts instances on demand or spot, and {} is neither", provider, to_text(r.offer->term)));
  if (reads_rank(launch) && instances_at_once(view, launch) > 1)
    return cannot(say("containers of {} have no network of their own, and the plan needs one", provider));
  return container_of(view, launch);
}

/// What a variable of the reader's is called where it is kept.
Json runpod_environment(const answer::Launch& launch) {
  Json out{{"HF_HOME", kCacheFolder}};
  for (const auto& [name, meaning] : launch.env)
    out[name] = name == kOutputVariable ? std::string(kResultFolder) : "{{ RUNPOD_SECRET_" + name + " }}";
  return out;
}

// allowedCudaVersions of https://docs.runpod.io/api-reference/pods/POST/pods; no image asks for an earlier one.
constexpr std::string_view kRunpodCuda[] = {"12.8", "12.9", "13.0"};

Json drivers_for(std::string_view cuda) {
  Json out = Json::array();
  for (const std::string_view version : kRunpodCuda)
    if (version >= cuda) out.push_back(version);
  return out;
}

/// The job keeps what it says beside its results, and the pod ends with it: RunPod starts a container again whenever it
/// ends (https://docs.runpod.io/pods/manage-pods). A pod with a network volume can be removed alone.
std::string ended_pod(std::string_view script, bool network_volume) {
  return format("set +e\n(\nset -e\n{}) > \"$OUTPUT/job.log\" 2>&1\nrunpodctl {} pod \"$RUNPOD_POD_ID\"\nsleep 600\n",
                script, network_volume ? "remove" : "stop");
}

std::string once_for_each(int copies) {
  std::string list;
  for (int i = 1; i <= copies; ++i) list += format(" {}", i);
  return list;
}

}  // namespace

Result<Exported> export_runpod(const ExportView& view) {
  const answer::Recommendation& r = view.chosen;
  const answer::Launch launch = launch_of(view);
  const auto container = hosted(view, launch, "runpod");
  if (!container) return std::unexpected(container.error());
  const auto* card = std::ranges::find(kRunpodCards, r.gpu == nullptr ? "" : r.gpu->id, &CardName::gpu);
  if (card == std::end(kRunpodCards)) return cannot(say("no RunPod name is known for {}", r.instance->sku));
  const bool community = r.instance->sku.ends_with(kCommunity);
  const bool keeps = !launch.serves() && has_output(launch);
  Json pod{{"name", job_name(view)},
           {"imageName", container->image},
           {"cloudType", community ? "COMMUNITY" : "SECURE"},
           {"computeType", "GPU"},
           {"gpuTypeIds", Json::array({card->name})},
           {"gpuCount", devices_of(r)},
           {"interruptible", is_spot(r)},
           {"containerDiskInGb", disk_gb(view)},
           {"volumeInGb", 0},
           {"env", runpod_environment(launch)},
           {"dockerEntrypoint", Json::array({"/bin/sh", "-euc"})},
           {"dockerStartCmd", Json::array({keeps ? ended_pod(container->script, !community) : container->script})}};
  if (!container->cuda.empty()) pod["allowedCudaVersions"] = drivers_for(container->cuda);
  if (keeps) pod["volumeMountPath"] = kResultFolder;
  if (keeps && community) pod["volumeInGb"] = disk_gb(view);
  if (keeps && !community) pod["networkVolumeId"] = kNetworkVolume;
  if (launch.serves()) pod["ports"] = Json::array({launch.port + "/http"});
  if (has_region(r) && view.pins_region) pod["dataCenterIds"] = Json::array({r.region->id});
  const answer::Launch asked = without_output(launch);
  Exported out{"create.sh", {}, container_notes(view, asked, *container)};
  std::erase_if(out.notes, [](const std::string& note) { return note.find("Docker") != std::string::npos; });
  if (keeps)
    out.notes.push_back(
        community
            ? say("the pod stops when the job ends: its volume keeps results and job.log until you remove it")
            : say("set {}: a network volume, which keeps results and job.log; the pod is removed when the job ends",
                  kNetworkVolume));
  if (!asked.env.empty())
    out.notes.push_back(say("variables are RunPod's secrets of the same names, made in its console"));
  out.notes.push_back(disk_note(view));
  out.content = "#!/bin/sh\n" + heading(view, out.notes) + "set -eu\n: \"${RUNPOD_API_KEY:?}\"\n";
  const bool volume = keeps && !community;
  if (volume) out.content += format(": \"${{{}:?}}\"\n", kNetworkVolume);
  out.content += volume ? format("pod=$(sed \"s/{0}/${0}/\" <<'END_OF_POD'\n", kNetworkVolume)
                        : std::string("pod=$(cat <<'END_OF_POD'\n");
  out.content += dump(pod) + "END_OF_POD\n)\n";
  out.content += format("for copy in{}; do\n", once_for_each(r.machine().nodes));
  out.content +=
      "  curl --fail-with-body --silent --show-error https://rest.runpod.io/v1/pods \\\n"
      "    --header \"Authorization: Bearer $RUNPOD_API_KEY\" --header 'Content-Type: application/json' \\\n"
      "    --data \"$pod\"\n"
      "done\n";
  return out;
}

Result<Exported> export_vast(const ExportView& view) {
  const answer::Recommendation& r = view.chosen;
  const answer::Launch launch = launch_of(view);
  const auto container = hosted(view, launch, "vast");
  if (!container) return std::unexpected(container.error());
  // "2x-RTX_4090-64-131072": the card by Vast's own name.
  const auto parts = split(r.instance->sku, '-');
  if (parts.size() < 2 || r.gpu == nullptr) return cannot(say("no Vast name is known for {}", r.instance->sku));
  Exported out{"create.sh", {}, container_notes(view, without_output(launch), *container)};
  std::erase_if(out.notes, [](const std::string& note) { return note.find("Docker") != std::string::npos; });
  out.notes.push_back(say("needs the command vastai with your key: pip install vastai; vastai set api-key …"));
  if (has_output(launch))
    out.notes.push_back(
        say("results stay on the instance until you destroy it: vastai copy INSTANCE:{} results", kResultFolder));
  out.notes.push_back(say("the cheapest host of that card that asks no more than a tenth above the ranked price"));
  out.notes.push_back(disk_note(view));
  std::string environment = format("-e HF_HOME={}", kCacheFolder);
  if (launch.serves()) environment += format(" -p {}:{}", launch.port, launch.port);
  for (const auto& [name, meaning] : launch.env)
    environment += name == kOutputVariable  ? format(" -e OUTPUT={}", kResultFolder)
                   : name == kTokenVariable ? std::string(" -e HF_TOKEN=${HF_TOKEN:-}")
                                            : format(" -e {}=${}", name, name);
  const std::string wanted =
      format("gpu_name={} num_gpus={} rentable=true verified=true disk_space>={} inet_down>=100 dph_total<={:.3f}{}",
             parts[1], devices_of(r), disk_gb(view), r.offer->per_hour() * 1.1,
             container->cuda.empty() ? std::string() : " cuda_vers>=" + container->cuda);
  out.content = "#!/bin/sh\n" + heading(view, out.notes) + "set -eu\n";
  for (const auto& [name, meaning] : open_variables(launch))
    if (name != kOutputVariable) out.content += ": \"${" + name + ":?}\"\n";
  out.content += format("for copy in{}; do\n", once_for_each(r.machine().nodes));
  out.content += format("  host=$(vastai search offers {}{} --order dph_total --raw |\n", answer::shell_word(wanted),
                        is_spot(r) ? " --interruptible" : "");
  out.content +=
      "    python3 -c 'import json, sys; found = json.load(sys.stdin); print(found[0][\"id\"] if found else \"\")')\n"
      "  [ -n \"$host\" ] || { echo 'no host offers that card at that price' >&2; exit 1; }\n";
  out.content += format("  vastai create instance \"$host\" --image {} --disk {} --env \"{}\"{} \\\n", container->image,
                        disk_gb(view), environment,
                        is_spot(r) ? format(" --bid_price {:.3f}", r.offer->per_hour()) : std::string());
  out.content += "    --entrypoint /bin/sh --args -euc " + answer::shell_word(container->script) + "\ndone\n";
  return out;
}

}  // namespace gpusel::show
