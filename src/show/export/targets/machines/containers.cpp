#include "show/export/targets/machines/containers.hpp"

#include "base/words/message.hpp"

namespace gpusel::show {

namespace {

// With compilers, which packages with kernels of their own need: https://hub.docker.com/r/pytorch/pytorch,
// https://hub.docker.com/r/rocm/pytorch
struct TorchImage {
  std::string_view image;
  std::string_view cuda;
};
constexpr TorchImage kTorch{"pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel", "12.8"};
// For cards before Turing, whose code later wheels leave out: https://github.com/pytorch/pytorch/releases/tag/v2.8.0
constexpr TorchImage kOlderTorch{"pytorch/pytorch:2.7.1-cuda12.6-cudnn9-devel", "12.6"};
constexpr std::string_view kPython = "python:3.12";  // on processors
constexpr std::string_view kTorchForAmd = "rocm/pytorch:rocm7.2.4_ubuntu24.04_py3.12_pytorch_release_2.10.0";

/// Whether the card is one that CUDA 13 leaves out.
bool needs_older_toolkit(const ExportView& view) {
  return answer::plan_values(view.advice, view.chosen, view.coefficients).contains("toolkit");
}

/// The server takes the shell's place: only process 1 gets SIGTERM, and a shell does not pass it on.
std::string handed_over(const answer::Launch& launch) {
  std::string script = script_of(launch);
  if (!launch.serves() || script.empty()) return script;
  const auto before = script.rfind('\n', script.size() - 2);
  const auto last = before == std::string::npos ? 0 : before + 1;
  if (!script.substr(last).starts_with("wait ")) script.insert(last, "exec ");
  return script;
}

}  // namespace

Result<Container> container_of(const ExportView& view, const answer::Launch& launch) {
  const std::string vendor = vendor_of(view.chosen);
  if (!vendor.empty() && vendor != "nvidia" && vendor != "amd")
    return cannot(say("it is not known how a container gets to {}", view.chosen.gpu->id));
  if (!launch.image.empty()) return Container{launch.image, handed_over(launch), launch.cuda};
  if (launch.setup.empty()) return cannot(say("no published container image is known for this work"));
  if (!vendor.empty() && view.chosen.instance->cpu_arch == catalog::CpuArch::arm64)
    return cannot(say("no container image with PyTorch is known for Arm hosts"));
  const TorchImage& torch = needs_older_toolkit(view) ? kOlderTorch : kTorch;
  Container out{std::string(vendor == "amd" ? kTorchForAmd : vendor.empty() ? kPython : torch.image), {}};
  if (vendor == "nvidia") out.cuda = torch.cuda;
  out.script = launch.setup + " || exit 1\n" + handed_over(launch);
  return out;
}

std::string needed_image(const ExportView& view, const answer::Launch& launch) {
  if (launch.setup.empty()) return launch.image;
  return launch.image.empty() && vendor_of(view.chosen) == "amd" ? std::string(kTorchForAmd) : std::string();
}

std::vector<std::string> container_notes(const ExportView& view, const answer::Launch& launch,
                                         const Container& container) {
  std::vector<std::string> notes = launch_notes(launch);
  const std::string vendor = vendor_of(view.chosen);
  if (vendor == "nvidia")
    notes.push_back(say("the host needs the NVIDIA driver, Docker and the NVIDIA Container Toolkit"));
  if (vendor == "nvidia" && !container.cuda.empty())
    notes.push_back(say("the host's driver must support CUDA {}", container.cuda));
  if (vendor == "amd") notes.push_back(say("the host needs the amdgpu driver and Docker"));
  if (container.image.ends_with(":latest") || container.image.find(":latest-") != std::string::npos)
    notes.push_back(say("pin the image's version: {} changes under the same name", container.image));
  const int together = instances_at_once(view, launch);
  if (reads_rank(launch) && together > 1)
    notes.push_back(
        say("run it on each of {} instances: RANK is 0 on the first, MASTER is the address of the first", together));
  else if (view.chosen.machine().nodes > 1)
    notes.push_back(say("run it on each of {} instances", view.chosen.machine().nodes));
  return notes;
}

int instances_at_once(const ExportView& view, const answer::Launch& launch) {
  return launch.nodes > 1 ? launch.nodes : view.chosen.machine().nodes;
}

}  // namespace gpusel::show
