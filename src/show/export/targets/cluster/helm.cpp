// Values of vLLM's production stack, https://github.com/vllm-project/production-stack/blob/main/helm/values.yaml and
// helm/templates/deployment-vllm-multi.yaml; and of llm-d's model service,
// https://github.com/llm-d-incubation/llm-d-modelservice/blob/main/charts/llm-d-modelservice/values.yaml
#include <algorithm>

#include "base/words/message.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/cluster/pods.hpp"
#include "show/export/targets/commands/training.hpp"

namespace gpusel::show {

namespace {

constexpr int kProbeSeconds = 10;  // between two of the chart's startup probes
constexpr int kLeastStart = 1200;  // as long as the chart itself gives a start

Json engine_config(const PlanValues& values) {
  Json out{{"tensorParallelSize", values.count("tp")},
           {"maxModelLen", values.count("length")},
           {"gpuMemoryUtilization", values.figure("share")},
           {"enableChunkedPrefill", true},
           {"enablePrefixCaching", true}};  // as vLLM has it; the chart would switch it off
  if (values.has("at_once")) out["maxNumSeqs"] = values.count("at_once");
  if (values.has("dtype")) out["dtype"] = values.of("dtype");
  Json extra = Json::array();
  const auto add = [&](std::string_view flag, std::string_view name) {
    if (!values.has(name)) return;
    extra.push_back(flag);
    extra.push_back(values.of(name));
  };
  add("--pipeline-parallel-size", "pp");
  add("--data-parallel-size", "replicas");
  add("--kv-cache-dtype", "kv");
  if (values.has("ep")) extra.push_back("--enable-expert-parallel");
  if (!extra.empty()) out["extraArgs"] = std::move(extra);
  return out;
}

/// The labels of a pod's node selector as a term of an affinity.
Json selector_term(const Json& labels) {
  Json all = Json::array();
  for (const auto& [key, value] : labels.items())
    all.push_back({{"key", key}, {"operator", "In"}, {"values", Json::array({value})}});
  return {{"matchExpressions", std::move(all)}};
}

Json model_spec(const ExportView& view, const answer::Launch& launch, const PlanValues& values, const Json& pod) {
  const auto colon = launch.image.rfind(':');
  Json out{{"name", job_name(view)},
           {"repository", launch.image.substr(0, colon)},
           {"tag", launch.image.substr(colon + 1)},
           {"modelURL", launch.served},
           {"replicaCount", view.chosen.machine().nodes},
           {"resources", pod.at("containers").at(0).at("resources")},
           {"vllmConfig", engine_config(values)},
           {"hf_token", {{"secretName", job_name(view)}, {"secretKey", kTokenVariable}}},
           {"nodeSelectorTerms", Json::array({selector_term(pod.at("nodeSelector"))})}};
  if (view.chosen.machine().nodes == 1) out["pvcStorage"] = format("{}Gi", disk_gb(view));
  return out;
}

/// Those of a list that are called so.
Json named(const Json& list, std::string_view name) {
  Json out = Json::array();
  for (const Json& one : list)
    if (one.at("name") == name) out.push_back(one);
  return out;
}

/// Weights are kept in the pod, whose command is the plan's; what routes between pods reads labels and port alone.
Json model_service(const ExportView& view, const answer::Launch& launch, const Json& pod) {
  const Json& server = pod.at("containers").at(0);
  Json container{{"name", "vllm"},
                 {"image", launch.image},
                 {"modelCommand", "custom"},
                 {"command", server.at("command")},
                 {"args", server.at("args")},
                 {"ports", server.at("ports")},
                 {"resources", server.at("resources")},
                 {"mountModelVolume", true}};
  if (Json shared = named(server.at("volumeMounts"), kShared); !shared.empty())
    container["volumeMounts"] = std::move(shared);
  for (const std::string_view probe : {"startupProbe", "readinessProbe", "livenessProbe"})
    if (server.contains(std::string(probe))) container[std::string(probe)] = server.at(std::string(probe));
  Json decode{{"create", true},
              {"replicas", view.chosen.machine().nodes},
              {"parallelism", {{"tensor", devices_of(view.chosen)}}},
              {"nodeSelector", pod.at("nodeSelector")},
              {"containers", Json::array({std::move(container)})}};
  if (pod.contains("tolerations")) decode["tolerations"] = pod.at("tolerations");
  if (Json shared = named(pod.at("volumes"), kShared); !shared.empty()) decode["volumes"] = std::move(shared);
  return {{"multinode", false},
          {"modelArtifacts",
           {{"name", launch.called},
            {"uri", "hf://" + launch.served},
            {"size", format("{}Gi", disk_gb(view))},
            {"authSecretName", job_name(view)},
            {"labels", {{"llm-d.ai/inference-serving", "true"}, {"llm-d.ai/model", job_name(view)}}}}},
          {"routing", {{"servicePort", std::stoi(launch.port)}, {"proxy", {{"enabled", false}}}}},
          {"accelerator", {{"type", vendor_of(view.chosen)}}},
          {"decode", std::move(decode)},
          {"prefill", {{"create", false}}}};
}

/// The server that both charts start; error: not this plan's.
Result<answer::Launch> charted(const ExportView& view) {
  if (Status possible = check_cluster(view); !possible) return std::unexpected(possible.error());
  if (!view.chosen.plan().serving || !view.advice.work.model->is_generator() ||
      view.advice.work.inference.engine != job::Engine::vllm)
    return cannot(say("the chart serves language models with vLLM: --engine vllm plans for it"));
  auto launch =
      answer::launch_of(view.advice, view.chosen, view.facts.launches, view.catalog, view.coefficients, "vllm");
  if (!launch) return cannot(why_no_command(view));
  if (launch->nodes > 1)
    return cannot(say("one replica spans {} instances, which the chart's Deployment cannot start", launch->nodes));
  if (!serves_repository(*launch) || view.advice.work.inference.draft)
    return cannot(say("the chart names published weights, and this plan needs a checkpoint of your own"));
  return std::move(*launch);
}

}  // namespace

Result<Exported> export_llm_d(const ExportView& view) {
  const auto launch = charted(view);
  if (!launch) return std::unexpected(launch.error());
  Exported out{"values.yaml", {}, pod_notes(view, *launch)};
  out.notes.push_back(say("the chart always needs that secret; leave {} empty for open models", kTokenVariable));
  out.notes.emplace_back(
      "helm repo add llm-d-modelservice https://llm-d-incubation.github.io/llm-d-modelservice/; helm install model "
      "llm-d-modelservice/llm-d-modelservice --values values.yaml");
  out.notes.push_back(say("the gateway of llm-d finds its pods by the label {}: {}", "llm-d.ai/model", job_name(view)));
  out.content = yaml_file(view, out.notes, {model_service(view, *launch, pod_spec(view, *launch, {"vllm", {}}))});
  return out;
}

Result<Exported> export_helm_vllm(const ExportView& view) {
  const auto launch = charted(view);
  if (!launch) return std::unexpected(launch.error());
  if (vendor_of(view.chosen) != "nvidia") return cannot(say("the chart does not start this plan"));
  const PlanValues values(view);
  const Json pod = pod_spec(view, *launch, {"vllm", {}});
  Json engine{{"runtimeClassName", ""}, {"modelSpec", Json::array({model_spec(view, *launch, values, pod)})}};
  if (pod.contains("tolerations")) engine["tolerations"] = pod.at("tolerations");
  engine["startupProbe"] = {{"failureThreshold", start_seconds(view, kLeastStart) / kProbeSeconds}};
  Exported out{"values.yaml", {}, pod_notes(view, *launch)};
  out.notes.push_back(say("the chart always needs that secret; leave {} empty for open models", kTokenVariable));
  out.notes.emplace_back(
      "helm repo add vllm https://vllm-project.github.io/production-stack; helm install vllm vllm/vllm-stack "
      "--values values.yaml");
  out.content = yaml_file(view, out.notes, {{{"servingEngineSpec", std::move(engine)}}});
  return out;
}

}  // namespace gpusel::show
