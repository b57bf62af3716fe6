// Slurm batch script: https://slurm.schedmd.com/sbatch.html, https://slurm.schedmd.com/srun.html,
// https://slurm.schedmd.com/gres.html; containers by https://github.com/NVIDIA/pyxis
#include "base/words/message.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/machines/containers.hpp"

namespace gpusel::show {

namespace {

/// As Pyxis reads names, [REGISTRY#]IMAGE[:TAG]: the first part with a dot is a registry.
std::string pyxis_image(std::string image) {
  const auto slash = image.find('/');
  if (slash != std::string::npos && image.find('.') < slash) image[slash] = '#';
  return image;
}

std::string directives(const ExportView& view, const answer::Launch& launch) {
  std::string out;
  const auto add = [&](const std::string& directive) { out += "#SBATCH " + directive + "\n"; };
  add("--job-name=" + job_name(view));
  add(format("--nodes={}", instances_at_once(view, launch)));
  add("--ntasks-per-node=1");
  if (const int devices = devices_of(view.chosen); devices > 0) add(format("--gpus-per-node={}", devices));
  add("--exclusive");
  add("--mem=0");
  if (launch.nodes > 1 && launch.copies > 1) add(format("--array=1-{}", launch.copies));
  add("--output=%x-%j.log");
  return out;
}

/// The tool in a folder that all nodes see, made by the first job; in a container, each node installs it there.
std::string environment_of(const ExportView& view, const answer::Launch& launch) {
  if (launch.setup.empty() || !needed_image(view, launch).empty()) return {};
  return format(R"(VENV="${{VENV:-$PWD/venv-$SLURM_JOB_NAME}}"
if [ ! -e "$VENV/ready" ]; then
  python3 -m venv "$VENV"
  . "$VENV/bin/activate"
  {} || exit 1
  touch "$VENV/ready"
fi
. "$VENV/bin/activate"
)",
                launch.setup);
}

std::string start(const ExportView& view, const answer::Launch& launch) {
  const bool together = reads_rank(launch) && instances_at_once(view, launch) > 1;
  std::string out;
  if (together) out += "export MASTER=\"$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\"\n";
  out += "work=$(cat <<'END_OF_WORK'\n";
  if (together) out += "export RANK=\"$SLURM_PROCID\"\n";
  const std::string image = needed_image(view, launch);
  if (!image.empty() && !launch.setup.empty()) out += launch.setup + "\n";
  out += script_of(launch) + "END_OF_WORK\n)\n";
  std::string flags = "--ntasks-per-node=1 --cpu-bind=none";
  if (together) flags += " --kill-on-bad-exit=1";
  if (!image.empty()) flags += " --container-image=" + pyxis_image(image) + " --container-mount-home";
  return out + "srun " + flags + " bash -euc \"$work\"\n";
}

}  // namespace

Result<Exported> export_slurm(const ExportView& view) {
  const answer::Launch launch = launch_of(view);
  Exported out{"job.sbatch", {}, launch_notes(launch)};
  const answer::Recommendation& r = view.chosen;
  out.notes.push_back(say("nodes like {} {}: add --partition, --account and --time as your cluster wants them",
                          r.instance->provider, r.instance->sku));
  const std::string image = needed_image(view, launch);
  if (!launch.setup.empty() && image.empty())
    out.notes.push_back(say("the tool is installed once into VENV, a folder shared by all nodes"));
  if (!image.empty())
    out.notes.push_back(say("the container {} is started by Slurm's plugin Pyxis, which the cluster must have", image));
  if (!open_variables(launch).empty())
    out.notes.push_back(say("variables come from the submitting shell: NAME=value sbatch job.sbatch"));
  out.content = "#!/bin/bash\n" + heading(view, out.notes) + directives(view, launch) + "set -euo pipefail\n";
  for (const auto& [name, meaning] : open_variables(launch))
    out.content += ": \"${" + name + ":?}\"\nexport " + name + "\n";
  out.content += environment_of(view, launch) + start(view, launch);
  return out;
}

}  // namespace gpusel::show
