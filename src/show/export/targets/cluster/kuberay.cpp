// KubeRay's RayService with Ray Serve LLM: https://docs.ray.io/en/latest/serve/llm/index.html and
// https://docs.ray.io/en/latest/cluster/kubernetes/examples/rayserve-llm-example.html
#include "base/words/message.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/cluster/pods.hpp"
#include "show/export/targets/commands/training.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::show {

namespace {

struct Ray {
  std::string_view version;
  std::string_view image;
};
// https://github.com/ray-project/kuberay/blob/master/ray-operator/config/samples/ray-service.high-throughput-gemma4.yaml
constexpr Ray kRay{"2.56.0", "rayproject/ray-llm:2.56.0-py312-cu130"};
constexpr Ray kOlderRay{"2.52.0", "rayproject/ray-llm:2.52.0-py311-cu128"};  // for cards that CUDA 13 leaves out

const Ray& ray_of(const PlanValues& values) { return values.has("toolkit") ? kOlderRay : kRay; }

Json llm_config(const answer::Launch& launch, const PlanValues& values) {
  Json engine{{"tensor_parallel_size", values.count("tp")},
              {"max_model_len", values.count("length")},
              {"gpu_memory_utilization", values.figure("share")},
              {"enable_chunked_prefill", true}};
  if (values.has("pp")) engine["pipeline_parallel_size"] = values.count("pp");
  if (values.has("at_once")) engine["max_num_seqs"] = values.count("at_once");
  if (values.has("dtype")) engine["dtype"] = values.of("dtype");
  if (values.has("kv")) engine["kv_cache_dtype"] = values.of("kv");
  if (values.has("ep")) engine["enable_expert_parallel"] = true;
  if (values.has("shared")) engine["enable_prefix_caching"] = true;
  const std::int64_t here = values.has("replicas") ? values.count("replicas") : 1;
  return {{"model_loading_config", {{"model_id", launch.called}, {"model_source", launch.served}}},
          {"engine_kwargs", std::move(engine)},
          {"deployment_config", {{"num_replicas", launch.copies * here}}}};
}

Json head_group(const Ray& ray) {
  Json ports = Json::array();
  for (const auto& [name, port] :
       {std::pair("serve", 8000), std::pair("gcs", 6379), std::pair("dashboard", 8265), std::pair("client", 10001)})
    ports.push_back({{"name", name}, {"containerPort", port}});
  const Json size{{"cpu", 2}, {"memory", "8Gi"}};
  const Json container{{"name", "ray-head"},
                       {"image", ray.image},
                       {"ports", std::move(ports)},
                       {"resources", {{"limits", size}, {"requests", size}}}};
  return {{"rayStartParams", {{"num-cpus", "0"}, {"num-gpus", "0"}}},
          {"template", {{"spec", {{"containers", Json::array({container})}}}}}};
}

/// The pods of the plan, whose container is Ray's and starts by itself.
Json worker_group(const ExportView& view, const answer::Launch& launch, const Ray& version) {
  Json pod = pod_spec(view, launch, {"ray-worker", {}});
  Json& container = pod["containers"][0];
  // Its probes are KubeRay's: no server of vLLM answers on the plan's port.
  for (const std::string key : {"command", "args", "ports", "startupProbe", "readinessProbe", "livenessProbe"})
    container.erase(key);
  container["image"] = version.image;
  const int nodes = view.chosen.machine().nodes;
  return {{"groupName", "gpu"},
          {"replicas", nodes},
          {"minReplicas", nodes},
          {"maxReplicas", nodes},
          {"numOfHosts", 1},
          {"rayStartParams", {{"num-gpus", format("{}", devices_of(view.chosen))}}},
          {"template", {{"spec", std::move(pod)}}}};
}

}  // namespace

Result<Exported> export_kuberay(const ExportView& view) {
  if (Status possible = check_cluster(view); !possible) return std::unexpected(possible.error());
  if (!view.chosen.plan().serving || !view.advice.work.model->is_generator() ||
      view.advice.work.inference.engine != job::Engine::vllm || vendor_of(view.chosen) != "nvidia")
    return cannot(say("Ray Serve LLM serves language models with vLLM on NVIDIA cards"));
  const auto launch =
      answer::launch_of(view.advice, view.chosen, view.facts.launches, view.catalog, view.coefficients, "vllm");
  if (!launch) return cannot(why_no_command(view));
  if (!serves_repository(*launch) || view.advice.work.inference.draft)
    return cannot(say("a RayService names published weights, and this plan needs a checkpoint of your own"));
  const PlanValues values(view);
  const Json application{{"name", "llm"},
                         {"import_path", "ray.serve.llm:build_openai_app"},
                         {"route_prefix", "/"},
                         {"args", {{"llm_configs", Json::array({llm_config(*launch, values)})}}}};
  answer::Launch ray = *launch;
  const Ray& version = ray_of(values);
  ray.image = version.image;
  Exported out{"rayservice.yaml", {}, pod_notes(view, ray)};
  out.notes.push_back(
      say("the controller of {} must run in the cluster: {}", "KubeRay",
          "https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/kuberay-operator-installation.html"));
  const Json service{{"apiVersion", "ray.io/v1"},
                     {"kind", "RayService"},
                     {"metadata", {{"name", job_name(view)}, {"labels", {{"app", job_name(view)}}}}},
                     {"spec",
                      {{"serveConfigV2", yaml({{"applications", Json::array({application})}})},
                       {"rayClusterConfig",
                        {{"rayVersion", version.version},
                         {"headGroupSpec", head_group(version)},
                         {"workerGroupSpecs", Json::array({worker_group(view, *launch, version)})}}}}}};
  out.content = yaml_file(view, out.notes, {service});
  return out;
}

}  // namespace gpusel::show
