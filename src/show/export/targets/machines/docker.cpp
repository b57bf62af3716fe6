// docker run, https://docs.docker.com/reference/cli/docker/container/run/, and Compose,
// https://docs.docker.com/reference/compose-file/services/; AMD's devices:
// https://rocm.docs.amd.com/projects/install-on-linux/en/latest/how-to/docker.html
#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/machines/containers.hpp"

namespace gpusel::show {

namespace {

constexpr int kLeastStartSeconds = 300;  // before a server that does not answer counts as ill

/// Containers that exchange data over the network have the host's, by its own devices.
bool is_on_host_network(const ExportView& view, const answer::Launch& launch) {
  return reads_rank(launch) && instances_at_once(view, launch) > 1;
}

/// Whether instances exchange data through verbs, which are devices of the host. Google's TCPX and TCPXO have none.
bool has_verbs(const ExportView& view, const answer::Launch& launch) {
  using catalog::Rdma;
  const Rdma fabric = view.chosen.instance->rdma.value_or(Rdma::none);
  constexpr Rdma kVerbs[] = {Rdma::efa, Rdma::infiniband, Rdma::roce, Rdma::erdma};
  return works_together(view, launch) && std::ranges::find(kVerbs, fabric) != std::end(kVerbs);
}

/// As words of a command line, one list for each line.
std::vector<std::string> run_flags(const ExportView& view, const answer::Launch& launch) {
  std::vector<std::string> lines;
  lines.push_back(
      format("--name {} {}", job_name(view), launch.serves() ? "--detach --restart unless-stopped" : "--rm"));
  const std::string vendor = vendor_of(view.chosen);
  if (vendor == "nvidia") lines.emplace_back("--gpus all");
  if (vendor == "amd")
    lines.emplace_back(
        "--device /dev/kfd --device /dev/dri --group-add video --cap-add SYS_PTRACE --security-opt seccomp=unconfined");
  lines.emplace_back("--ipc host --ulimit memlock=-1 --ulimit stack=67108864");
  if (is_on_host_network(view, launch))
    lines.emplace_back("--network host --env RANK --env MASTER");
  else if (launch.serves())
    lines.push_back(format("--publish {}:{}", launch.port, launch.port));
  if (has_verbs(view, launch)) lines.emplace_back("--device /dev/infiniband --cap-add IPC_LOCK");
  lines.push_back(
      format(R"(--volume "${{HF_HOME:-$HOME/.cache/huggingface}}:{}" --env HF_HOME={})", kCacheFolder, kCacheFolder));
  for (const auto& [name, meaning] : launch.env) {
    if (name == kOutputVariable)
      lines.push_back(format(R"(--volume "$(realpath "$OUTPUT"):{}" --env OUTPUT={})", kResultFolder, kResultFolder));
    else
      lines.push_back("--env " + name);
  }
  return lines;
}

/// Folders of the host that a variable names are seen inside under the same name.
std::string mounts(const answer::Launch& launch) {
  std::string out = "set --\n";
  for (const auto& [name, meaning] : open_variables(launch))
    if (name != kOutputVariable)
      out += format(R"(if [ -e "${0}" ]; then {0}=$(realpath "${0}"); set -- "$@" --volume "${0}:${0}:ro"; fi
export {0}
)",
                    name);
  return out;
}

// Compose reads $NAME as a variable of its own.
std::string escaped(std::string_view script) {
  std::string out;
  for (const char c : script) out += c == '$' ? "$$" : std::string(1, c);
  return out;
}

Json compose_environment(const ExportView& view, const answer::Launch& launch) {
  Json out{{"HF_HOME", kCacheFolder}};
  const auto needed = [&](const std::string& name) { return format("${{{0}:?{0}}}", name); };
  if (is_on_host_network(view, launch))
    for (const std::string name : {"RANK", "MASTER"}) out[name] = needed(name);
  for (const auto& [name, meaning] : launch.env)
    out[name] = name == kOutputVariable  ? Json(kResultFolder)
                : name == kTokenVariable ? Json(format("${{{}:-}}", name))
                                         : Json(needed(name));
  return out;
}

Json health_check(const ExportView& view, const answer::Launch& launch) {
  double start = kLeastStartSeconds;
  if (view.scaling) start = std::max(start, 2 * view.scaling->cold_start.raw());
  // Not every image has Python or curl; all have bash.
  const std::string ask = format(
      "exec 3<>/dev/tcp/127.0.0.1/{}; printf 'GET {} HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3; read -r _ status "
      "_ <&3; "
      "[ \"$status\" = 200 ]",
      launch.port, launch.health);
  return {{"test", Json::array({"CMD", "bash", "-c", escaped(ask)})},
          {"interval", "30s"},
          {"timeout", "10s"},
          {"retries", 3},
          {"start_period", format("{:.0f}s", std::ceil(start))}};
}

void add_devices(const ExportView& view, Json& service) {
  const std::string vendor = vendor_of(view.chosen);
  if (vendor == "nvidia")
    service["deploy"]["resources"]["reservations"]["devices"] = Json::array(
        {{{"driver", "nvidia"}, {"count", devices_of(view.chosen)}, {"capabilities", Json::array({"gpu"})}}});
  if (vendor != "amd") return;
  service["devices"] = Json::array({"/dev/kfd:/dev/kfd", "/dev/dri:/dev/dri"});
  service["group_add"] = Json::array({"video"});
  service["cap_add"] = Json::array({"SYS_PTRACE"});
  service["security_opt"] = Json::array({"seccomp:unconfined"});
}

Json compose_service(const ExportView& view, const answer::Launch& launch, const Container& container) {
  Json service{{"image", container.image},
               {"entrypoint", Json::array({"/bin/sh", "-euc"})},
               {"command", Json::array({escaped(container.script)})},
               {"restart", launch.serves() ? "unless-stopped" : "no"},
               {"ipc", "host"},
               {"ulimits", {{"memlock", -1}, {"stack", 67108864}}},
               {"environment", compose_environment(view, launch)}};
  if (is_on_host_network(view, launch))
    service["network_mode"] = "host";
  else if (launch.serves())
    service["ports"] = Json::array({format("{}:{}", launch.port, launch.port)});
  Json volumes = Json::array({format("cache:{}", kCacheFolder)});
  if (has_output(launch)) volumes.push_back(format("${{OUTPUT:?OUTPUT}}:{}", kResultFolder));
  if (!open_variables(launch).empty()) volumes.push_back("${MODELS:-./models}:/models:ro");
  service["volumes"] = std::move(volumes);
  add_devices(view, service);
  if (has_verbs(view, launch)) {
    service["devices"].push_back("/dev/infiniband:/dev/infiniband");
    service["cap_add"].push_back("IPC_LOCK");
  }
  if (launch.serves() && !launch.health.empty()) service["healthcheck"] = health_check(view, launch);
  return service;
}

}  // namespace

std::string docker_lines(const ExportView& view, const answer::Launch& launch, const Container& container) {
  std::string out;
  if (is_on_host_network(view, launch)) out += ": \"${RANK:?}\" \"${MASTER:?}\"\n";
  for (const auto& [name, meaning] : open_variables(launch)) out += ": \"${" + name + ":?}\"\n";
  if (has_output(launch)) out += "mkdir -p \"$OUTPUT\"\n";
  out += mounts(launch) + "exec docker run";
  for (const std::string& line : run_flags(view, launch)) out += " \\\n  " + line;
  return out + format(" \\\n  \"$@\" \\\n  --entrypoint /bin/sh {} -euc \\\n  {}\n", container.image,
                      answer::shell_word(container.script));
}

Result<Exported> export_docker(const ExportView& view) {
  const answer::Launch launch = launch_of(view);
  const auto container = container_of(view, launch);
  if (!container) return std::unexpected(container.error());
  Exported out{"run.sh", {}, container_notes(view, launch, *container)};
  out.content = "#!/bin/sh\n" + heading(view, out.notes) + "set -eu\n" + docker_lines(view, launch, *container);
  return out;
}

Result<Exported> export_compose(const ExportView& view) {
  const answer::Launch launch = launch_of(view);
  const auto container = container_of(view, launch);
  if (!container) return std::unexpected(container.error());
  Exported out{"docker-compose.yaml", {}, container_notes(view, launch, *container)};
  if (!open_variables(launch).empty())
    out.notes.push_back(
        say("variables come from the shell or a file .env; a local model or data set goes below ./models, and is "
            "/models/NAME inside"));
  out.notes.emplace_back(launch.serves() ? "docker compose up --detach" : "docker compose up");
  const Json document{{"name", job_name(view)},
                      {"services", {{job_name(view), compose_service(view, launch, *container)}}},
                      {"volumes", {{"cache", Json::object()}}}};
  out.content = yaml_file(view, out.notes, {document});
  return out;
}

}  // namespace gpusel::show
