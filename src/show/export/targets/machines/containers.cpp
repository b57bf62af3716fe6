#include "show/export/targets/machines/containers.hpp"

#include "base/words/message.hpp"

namespace gpusel::show {

namespace {

// With compilers, which packages with kernels of their own need: https://hub.docker.com/r/pytorch/pytorch,
// https://hub.docker.com/r/rocm/pytorch
constexpr std::string_view kTorch = "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel";
constexpr std::string_view kTorchCuda = "12.8";
constexpr std::string_view kPython = "python:3.12";  // on processors
constexpr std::string_view kTorchForAmd = "rocm/pytorch:rocm7.2.4_ubuntu24.04_py3.12_pytorch_release_2.10.0";

}  // namespace

Result<Container> container_of(const ExportView& view, const answer::Launch& launch) {
  const std::string vendor = vendor_of(view.chosen);
  if (!vendor.empty() && vendor != "nvidia" && vendor != "amd")
    return cannot(say("how a container reaches {} is not known", view.chosen.gpu->id));
  if (!launch.image.empty()) return Container{launch.image, script_of(launch), launch.cuda};
  const bool installs = view.chosen.plan().training || !launch.setup.empty();
  if (!installs) return cannot(say("no published container image is known for this work"));
  Container out{std::string(vendor == "amd" ? kTorchForAmd : vendor.empty() ? kPython : kTorch), {}};
  if (vendor == "nvidia") out.cuda = kTorchCuda;
  if (!launch.setup.empty()) out.script = launch.setup + " || exit 1\n";
  out.script += script_of(launch);
  return out;
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
