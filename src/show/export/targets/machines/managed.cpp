// What clouds run themselves. Vertex AI: https://cloud.google.com/vertex-ai/docs/reference/rest/v1/CustomJobSpec,
// https://cloud.google.com/sdk/gcloud/reference/ai; Azure Machine Learning:
// https://learn.microsoft.com/azure/machine-learning/reference-yaml-deployment-managed-online and
// …/reference-yaml-job-command
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/names.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/machines/containers.hpp"

namespace gpusel::show {

namespace {

constexpr int kBootDiskGb = 100;  // of both services, where none is said

struct VertexCard {
  std::string_view gpu;
  std::string_view name;  // https://cloud.google.com/vertex-ai/docs/reference/rest/v1/MachineSpec#AcceleratorType
};
constexpr VertexCard kVertexCards[] = {{"a100-sxm-40gb", "NVIDIA_TESLA_A100"},
                                       {"a100-sxm-80gb", "NVIDIA_A100_80GB"},
                                       {"b200-180gb", "NVIDIA_B200"},
                                       {"h100-sxm-80gb", "NVIDIA_H100_80GB"},
                                       {"h200-sxm-141gb", "NVIDIA_H200_141GB"},
                                       {"l4", "NVIDIA_L4"},
                                       {"p100-16gb", "NVIDIA_TESLA_P100"},
                                       {"p4", "NVIDIA_TESLA_P4"},
                                       {"t4", "NVIDIA_TESLA_T4"},
                                       {"v100-sxm2-16gb", "NVIDIA_TESLA_V100"}};
constexpr std::string_view kMega = "a3-megagpu-8g";

/// What its machines cost more is not in the catalogue: it is said, and not guessed.
std::string dearer_note(std::string_view service) {
  return say("the price is that of the instance alone: {} bills its own, which is higher", service);
}

Result<Container> managed(const ExportView& view, const answer::Launch& launch, std::string_view provider,
                          std::string_view service) {
  const answer::Recommendation& r = view.chosen;
  if (r.instance->provider != provider)
    return cannot(say("{} runs on instances of {}, not of {}", service, provider, r.instance->provider));
  if (!is_by_the_hour(r))
    return cannot(say("{} starts instances on demand or spot, and {} is neither", service, to_text(r.offer->term)));
  if (launch.serves() && launch.nodes > 1)
    return cannot(say("one replica spans {} instances, which an endpoint of {} cannot start", launch.nodes, service));
  if (launch.serves() && is_spot(r)) return cannot(say("endpoints of {} run on demand", service));
  return container_of(view, launch);
}

/// Buckets are folders below /gcs: https://cloud.google.com/vertex-ai/docs/training/cloud-storage-file-system
Json environment_list(const ExportView& view, const answer::Launch& launch) {
  Json out = Json::array();
  for (const auto& [name, meaning] : launch.env)
    out.push_back({{"name", name}, {"value", name == kOutputVariable ? "/gcs/$BUCKET/" + job_name(view) : "$" + name}});
  return out;
}

/// Which of the job's machines this is, and the first one's name:
/// https://cloud.google.com/vertex-ai/docs/training/distributed-training
constexpr std::string_view kVertexRank =
    "eval \"$(python3 -c 'import json, os; c = json.loads(os.environ[\"CLUSTER_SPEC\"]); t = c[\"task\"]; "
    "print(\"RANK=%d MASTER=%s\" % (t[\"index\"] + (t[\"type\"] != \"workerpool0\"), "
    "c[\"cluster\"][\"workerpool0\"][0].split(\":\")[0]))')\"\n";

Json vertex_machine(const ExportView& view) {
  const answer::Recommendation& r = view.chosen;
  Json out{{"machineType", host_type(*r.instance)}};
  if (r.gpu == nullptr) return out;
  const auto* card = std::ranges::find(kVertexCards, r.gpu->id, &VertexCard::gpu);
  if (card == std::end(kVertexCards)) return nullptr;
  out["acceleratorType"] = host_type(*r.instance) == kMega ? "NVIDIA_H100_MEGA_80GB" : card->name;
  out["acceleratorCount"] = devices_of(r);
  return out;
}

Exported vertex_job(const ExportView& view, const answer::Launch& launch, const Container& container,
                    const Json& machine) {
  const int nodes = view.chosen.machine().nodes;
  const std::string preamble = reads_rank(launch) && nodes > 1 ? std::string(kVertexRank) : std::string();
  const std::string_view only = google_boot_disk(host_type(*view.chosen.instance));
  const std::string_view disk = only.empty() ? "pd-ssd" : only;
  const auto pool = [&](int count) {
    return Json{{"machineSpec", machine},
                {"replicaCount", count},
                {"diskSpec", {{"bootDiskType", disk}, {"bootDiskSizeGb", std::max(kBootDiskGb, disk_gb(view))}}},
                {"containerSpec",
                 {{"imageUri", container.image},
                  {"command", Json::array({"/bin/sh", "-euc"})},
                  {"args", Json::array({preamble + container.script})},
                  {"env", environment_list(view, launch)}}}};
  };
  Json pools = Json::array({pool(1)});
  if (nodes > 1) pools.push_back(pool(nodes - 1));
  Json job{{"workerPoolSpecs", std::move(pools)}};
  if (is_spot(view.chosen)) job["scheduling"] = {{"strategy", "SPOT"}};
  Exported out{"job.yaml", {}, launch_notes(without_output(launch))};
  if (has_output(launch)) out.notes.push_back(say("set BUCKET: bucket of Cloud Storage for the results"));
  out.notes.push_back(dearer_note("Vertex AI"));
  // By name: the script has variables of its own, which are filled in there.
  const std::string names = join_texts(launch.env, " ", [](const auto& variable) {
    return "$" + (variable.first == kOutputVariable ? "BUCKET" : variable.first);
  });
  const std::string filled = names.empty() ? "" : format("envsubst '{}' < job.yaml > run.yaml; ", names);
  out.notes.push_back(format("{}gcloud ai custom-jobs create --region {} --display-name {} --config {}", filled,
                             has_region(view.chosen) ? view.chosen.region->id : "REGION", job_name(view),
                             names.empty() ? "job.yaml" : "run.yaml"));
  out.content = yaml_file(view, out.notes, {job});
  return out;
}

/// A mark between values of gcloud's lists that is in none of them:
/// https://cloud.google.com/sdk/gcloud/reference/topic/escaping
std::string list_mark(std::string_view values) {
  std::string mark = "|";
  while (values.find(mark) != std::string_view::npos) mark += '|';
  return "^" + mark + "^";
}

/// The shell takes the variables in; commas are text where a list has another mark.
Exported vertex_endpoint(const ExportView& view, const answer::Launch& launch, const Container& container,
                         const Json& machine) {
  Exported out{"deploy.sh", {}, launch_notes(launch)};
  out.notes.push_back(dearer_note("Vertex AI"));
  out.notes.push_back(
      say("IMAGE is a copy of {} in your Artifact Registry: Vertex AI pulls from no other", container.image));
  const std::string region = has_region(view.chosen) ? answer::shell_word(view.chosen.region->id) : "\"$REGION\"";
  const std::string name = job_name(view);
  std::string& text = out.content;
  text = "#!/bin/sh\n" + heading(view, out.notes) + "set -eu\n: \"${IMAGE:?}\"\n";
  if (!has_region(view.chosen)) text += ": \"${REGION:?}\"\n";
  std::string variables;
  for (const auto& [variable, meaning] : launch.env) {
    if (variable != kTokenVariable) text += ": \"${" + variable + ":?}\"\n";
    variables += format("{}{}=${{{}:-}}", variables.empty() ? "^|^" : "|", variable, variable);
  }
  text += format("gcloud ai models upload --region {} --model-id {} --display-name {} \\\n", region, name, name);
  text += "  --container-image-uri \"$IMAGE\" --container-command '^|^/bin/sh|-euc' \\\n";
  text += "  --container-args " + answer::shell_word(list_mark(container.script) + container.script) + " \\\n";
  if (!variables.empty()) text += "  --container-env-vars \"" + variables + "\" \\\n";
  // Cards exchange through it.
  const std::string_view shared = devices_of(view.chosen) > 1 ? " --container-shared-memory-size-mb 16384" : "";
  text +=
      format("  --container-ports {} --container-health-route {} --container-predict-route /v1/chat/completions{}\n",
             launch.port, launch.health, shared);
  text += format("gcloud ai endpoints create --region {} --endpoint-id {} --display-name {}\n", region, name, name);
  text += format("gcloud ai endpoints deploy-model {} --region {} --model {} --display-name {} \\\n", name, region,
                 name, name);
  text += format(
      "  --machine-type {} --accelerator type={},count={} \\\n",
      answer::shell_word(machine.at("machineType").get<std::string>()),
      [&] {
        std::string card = lower(machine.value("acceleratorType", std::string()));
        std::ranges::replace(card, '_', '-');
        return card;
      }(),
      machine.value("acceleratorCount", 0));
  text += format("  --min-replica-count {} --max-replica-count {}\n", view.chosen.machine().nodes,
                 view.chosen.machine().nodes);
  return out;
}

/// The tool fills in no variables of a file: their values come with the command, and are in no file.
Json azure_environment(const answer::Launch& launch) {
  Json out = Json::object();
  for (const auto& [name, meaning] : without_output(launch).env) out[name] = "";
  return out;
}

/// https://learn.microsoft.com/cli/azure/ml/job#az-ml-job-create
std::string azure_values(const answer::Launch& launch) {
  std::string out;
  for (const auto& [name, meaning] : without_output(launch).env)
    out += format(" --set environment_variables.{0}=\"${0}\"", name);
  return out;
}

constexpr std::string_view kAzureSchemas = "https://azuremlschemas.azureedge.net/latest/";

Exported azure_job(const ExportView& view, const answer::Launch& launch, const Container& container) {
  const answer::Recommendation& r = view.chosen;
  const bool together = reads_rank(launch) && r.machine().nodes > 1;
  const bool keeps = has_output(launch);
  std::string preamble = together ? "RANK=\"$NODE_RANK\"\nMASTER=\"$MASTER_ADDR\"\n" : "";
  if (keeps) preamble += "export OUTPUT=${{outputs.results}}\n";
  Json job{{"$schema", std::string(kAzureSchemas) + "commandJob.schema.json"},
           {"type", "command"},
           {"display_name", job_name(view)},
           {"command", preamble + container.script},
           {"environment", {{"image", container.image}}},
           {"resources",
            {{"instance_type", host_type(*r.instance)}, {"instance_count", r.machine().nodes}, {"shm_size", "64g"}}}};
  if (together) job["distribution"] = {{"type", "pytorch"}, {"process_count_per_instance", 1}};
  if (is_spot(r)) job["queue_settings"] = {{"job_tier", "spot"}};
  if (Json variables = azure_environment(launch); !variables.empty())
    job["environment_variables"] = std::move(variables);
  if (keeps) job["outputs"] = {{"results", {{"type", "uri_folder"}, {"mode", "rw_mount"}}}};
  Exported out{"job.yaml", {}, launch_notes(without_output(launch))};
  if (keeps)
    out.notes.push_back(say("results are the job's output: az ml job download --name … --output-name results"));
  out.notes.push_back(dearer_note("Azure Machine Learning"));
  out.notes.push_back(say("on serverless compute of the workspace"));
  out.notes.push_back("az ml job create --file job.yaml" + azure_values(launch));
  out.content = yaml_file(view, out.notes, {job});
  return out;
}

Exported azure_endpoint(const ExportView& view, const answer::Launch& launch, const Container& container) {
  const std::string name =
      job_name(view).substr(0, 32);  // https://learn.microsoft.com/azure/machine-learning/how-to-manage-quotas
  const auto route = [&](const std::string& path) { return Json{{"path", path}, {"port", std::stoi(launch.port)}}; };
  Json endpoint{{"$schema", std::string(kAzureSchemas) + "managedOnlineEndpoint.schema.json"},
                {"name", name},
                {"auth_mode", "key"}};
  Json deployment{{"$schema", std::string(kAzureSchemas) + "managedOnlineDeployment.schema.json"},
                  {"name", "plan"},
                  {"endpoint_name", name},
                  {"environment",
                   {{"name", name},
                    {"build", {{"path", "."}, {"dockerfile_path", "Dockerfile"}}},
                    {"inference_config",
                     {{"liveness_route", route(launch.health)},
                      {"readiness_route", route(launch.health)},
                      {"scoring_route", route("/")}}}}},
                  {"instance_type", host_type(*view.chosen.instance)},
                  {"instance_count", view.chosen.machine().nodes},
                  {"request_settings", {{"request_timeout_ms", 180000}, {"max_concurrent_requests_per_instance", 512}}},
                  {"liveness_probe", {{"initial_delay", 600}, {"period", 10}, {"failure_threshold", 30}}},
                  {"readiness_probe", {{"initial_delay", 120}, {"period", 10}, {"failure_threshold", 120}}}};
  if (!launch.env.empty()) deployment["environment_variables"] = azure_environment(launch);
  Exported out{"deployment.yaml", {}, launch_notes(launch)};
  out.notes.push_back(dearer_note("Azure Machine Learning"));
  out.notes.push_back(
      "az ml online-endpoint create --file endpoint.yaml; az ml online-deployment create --file deployment.yaml "
      "--all-traffic" +
      azure_values(launch));
  out.content = yaml_file(view, out.notes, {deployment});
  out.further = {{"endpoint.yaml", yaml_file(view, {}, {endpoint})},
                 {"Dockerfile", heading(view, {}) + "FROM " + container.image + "\nENTRYPOINT " +
                                    Json::array({"/bin/sh", "-euc", container.script}).dump() + "\n"}};
  return out;
}

}  // namespace

Result<Exported> export_vertex(const ExportView& view) {
  const answer::Launch launch = launch_of(view);
  const auto container = managed(view, launch, "gcp", "Vertex AI");
  if (!container) return std::unexpected(container.error());
  const Json machine = vertex_machine(view);
  if (machine.is_null()) return cannot(say("no Vertex AI name is known for {}", view.chosen.gpu->id));
  return launch.serves() ? vertex_endpoint(view, launch, *container, machine)
                         : vertex_job(view, launch, *container, machine);
}

Result<Exported> export_azureml(const ExportView& view) {
  const answer::Launch launch = launch_of(view);
  const auto container = managed(view, launch, "azure", "Azure Machine Learning");
  if (!container) return std::unexpected(container.error());
  return launch.serves() ? azure_endpoint(view, launch, *container) : azure_job(view, launch, *container);
}

}  // namespace gpusel::show
