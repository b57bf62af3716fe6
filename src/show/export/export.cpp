#include "show/export/export.hpp"

#include <algorithm>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/common.hpp"
#include "show/export/names.hpp"
#include "show/export/targets.hpp"

namespace gpusel::show {

namespace {

constexpr std::string_view kSchema = "gpusel.export/1";

constexpr bool kStarts = true;
constexpr ExportTarget kTargets[] = {
    {"skypilot", to_say("SkyPilot task: the ranked offers as candidates, and the command"), export_skypilot},
    {"dstack", to_say("dstack fleet with its service or task"), export_dstack, {}, {}, {}, kStarts},
    {"terraform", to_say("the instances in Terraform, which start the job: AWS, Azure, Google Cloud, OCI, Nebius …"),
     export_terraform},
    {"kubernetes",
     to_say("Deployment and Service, or Job, on nodes of the chosen instance"),
     export_kubernetes,
     {},
     {},
     {},
     kStarts},
    {"lws", to_say("LeaderWorkerSet and Service: replicas that span several nodes"), export_lws, {}, {}, {}, kStarts},
    {"kuberay", to_say("RayService of KubeRay: Ray Serve LLM with the plan's settings"), export_kuberay,
     job::Engine::vllm},
    {"jobset", to_say("JobSet: training on several nodes"), export_jobset, {}, {}, {}, kStarts},
    {"helm-vllm", to_say("values of the Helm chart of vLLM's production stack"), export_helm_vllm, job::Engine::vllm},
    {"llm-d", to_say("values of llm-d's Helm chart of a model service"), export_llm_d, job::Engine::vllm},
    {"kserve", to_say("KServe InferenceService"), export_kserve, {}, {}, {}, kStarts},
    {"karpenter", to_say("Karpenter NodePool that starts the chosen instances: AWS, Azure"), export_karpenter},
    {"keda", to_say("KEDA ScaledObject: replicas follow requests in flight"), export_keda, {}, {}, {}, kStarts},
    {"hpa", to_say("HorizontalPodAutoscaler: the same without KEDA"), export_hpa, {}, {}, {}, kStarts},
    {"sagemaker",
     to_say("CloudFormation of a SageMaker endpoint: vLLM"),
     export_sagemaker,
     job::Engine::vllm,
     {},
     "aws",
     kStarts},
    {"batch",
     to_say("CloudFormation of AWS Batch: queue and definition of a job that ends"),
     export_batch,
     {},
     {},
     "aws",
     kStarts},
    {"vertex", to_say("Vertex AI: an endpoint by gcloud, or a custom job"), export_vertex, {}, {}, "gcp", kStarts},
    {"azureml",
     to_say("Azure Machine Learning: an online endpoint, or a command job"),
     export_azureml,
     {},
     {},
     "azure",
     kStarts},
    {"runpod", to_say("pods of RunPod, by its API"), export_runpod, {}, {}, "runpod", kStarts},
    {"vast", to_say("instances of Vast, by its command vastai"), export_vast, {}, {}, "vast", kStarts},
    {"slurm", to_say("Slurm batch script: the plan on a cluster of your own"), export_slurm, {}, {}, {}, kStarts},
    {"docker", to_say("docker run line, on each instance"), export_docker, {}, {}, {}, kStarts},
    {"compose", to_say("the same as a file for Docker Compose"), export_compose, {}, {}, {}, kStarts},
    {"vllm", to_say("command that starts vLLM with the plan's flags"), export_vllm, job::Engine::vllm},
    {"sglang", to_say("command that starts SGLang with the plan's flags"), export_sglang, job::Engine::sglang},
    {"trtllm", to_say("command that starts TensorRT-LLM (trtllm-serve) with the plan's flags"), export_trtllm,
     job::Engine::trt_llm},
    {"llama-server", to_say("command that starts llama.cpp's server with the plan's flags"), export_llama_server,
     job::Engine::llama_cpp},
    {"ollama", to_say("commands that start Ollama with the plan's settings"), export_ollama, job::Engine::llama_cpp},
    {"tei", to_say("command that starts Text Embeddings Inference"), export_tei},
    {"torchrun", to_say("command that starts the training on each instance"), export_torchrun},
    {"accelerate", to_say("Accelerate configuration of the training plan"), export_accelerate},
    {"deepspeed", to_say("DeepSpeed configuration of the training plan"), export_deepspeed},
    {"torchtune", to_say("command that starts torchtune with the training plan"), export_torchtune, {}, "torchtune"},
    {"axolotl", to_say("Axolotl configuration of the training plan, and its start"), export_axolotl, {}, "axolotl"},
    {"llama-factory",
     to_say("LLaMA-Factory configuration of the training plan, and its start"),
     export_llama_factory,
     {},
     "llama-factory"},
};

}  // namespace

std::expected<ExportFacts, Errors> read_export_facts(const catalog::Catalog& catalog) {
  auto launches = answer::read_proofs(catalog.documents("launches"), "launches");
  if (!launches) return std::unexpected(launches.error());
  auto orders = read_orders(catalog.documents("targets"));
  if (!orders) return std::unexpected(orders.error());
  return ExportFacts{std::move(*launches), std::move(*orders)};
}

std::span<const ExportTarget> export_targets() { return kTargets; }

Result<const ExportTarget*> find_export_target(std::string_view name) {
  const auto* found = std::ranges::find(kTargets, lower(name), &ExportTarget::name);
  if (found != std::end(kTargets)) return found;
  std::vector<std::string_view> known;
  for (const ExportTarget& target : kTargets) known.push_back(target.name);
  // What people call them.
  static constexpr std::pair<std::string_view, std::string_view> kCalled[] = {
      {"k8s", "kubernetes"}, {"kube", "kubernetes"},           {"tf", "terraform"},   {"docker-compose", "compose"},
      {"sky", "skypilot"},   {"tensorrt-llm", "trtllm"},       {"trt-llm", "trtllm"}, {"llama.cpp", "llama-server"},
      {"ds", "deepspeed"},   {"llamafactory", "llama-factory"}};
  for (const auto& [called, meant] : kCalled)
    if (lower(name) == called) return find_export_target(meant);
  const Hint hint = did_you_mean(name, known);
  return usage_error(say("unknown target '{}'", shorten(printable(name), 40)), {},
                     hint.or_else(say("all targets: gpusel export")));
}

bool has_command(const ExportView& view) { return !launch_of(view).tool.empty(); }

Result<Exported> ExportTarget::make(const ExportView& view) const {
  if (starts && !has_command(view))
    return cannot(view.advice.work.counted
                      ? say("{}; SkyPilot, Terraform and Karpenter order the machines alone", why_no_command(view))
                      : why_no_command(view));
  return write(view);
}

const answer::Recommendation* first_exportable(const ExportView& view, const ExportTarget& target) {
  bool any_has_command = false;
  const answer::Recommendation* without = nullptr;
  for (const answer::Recommendation& other : view.advice.recommendations) {
    const ExportView there = of_rank(view, other);
    const bool with_command = has_command(there);
    any_has_command = any_has_command || with_command;
    if ((!with_command && (any_has_command || without != nullptr)) || !target.make(there)) continue;
    if (with_command) return &other;
    without = &other;
  }
  return any_has_command ? nullptr : without;
}

std::string_view next_target(const ExportView& view) {
  const answer::Advice& advice = view.advice;
  if (!advice.target.empty()) return advice.target;
  const bool serves = !advice.work.counted && !job::is_training(advice.work.task);
  const auto targets = export_targets();
  const auto says_it = [&](const ExportTarget& target) {
    return has_command(view) ? target.make(view).has_value() : first_exportable(view, target) == &view.chosen;
  };
  const auto runs = [&](const ExportTarget& one) { return serves && one.engine == advice.work.inference.engine; };
  const auto bears_its_name = [&](const ExportTarget& one) { return runs(one) && one.name == to_text(*one.engine); };
  const auto first = [&](const auto& wanted) -> std::string_view {
    for (const ExportTarget& one : targets)
      if (wanted(one) && says_it(one)) return one.name;
    return {};
  };
  const auto named = [](std::string_view name) { return [name](const ExportTarget& one) { return one.name == name; }; };
  std::string_view name = first(bears_its_name);
  if (name.empty()) name = first(runs);
  // SkyPilot orders most machines that can be ordered; a script starts the job on the others.
  if (name.empty()) name = first(named("skypilot"));
  return name.empty() && advice.work.ends() ? first(named("slurm")) : name;
}

std::string passed_over_line(const ExportView& view, const ExportTarget& target, int taken) {
  const auto refused = target.make(view);
  const answer::Recommendation& r = view.chosen;
  return say("rank {}; rank {} ({} {}) is left out: {}", taken, r.rank, r.instance->provider, r.instance->sku,
             refused ? say("no standard command is known for it") : refused.error().message);
}

std::vector<std::string> able_targets(const ExportView& view, const ExportTarget& like) {
  std::vector<const ExportTarget*> able;
  for (const ExportTarget& other : kTargets)
    if (&other != &like && other.make(view)) able.push_back(&other);
  std::ranges::stable_partition(able, [&](const ExportTarget* one) {
    return (like.engine && one->engine == like.engine) || (!like.seller.empty() && !one->seller.empty());
  });
  std::vector<std::string> names;
  for (const ExportTarget* one : able) names.emplace_back(one->name);
  return names;
}

Result<Exported> export_plan(const ExportView& view, const ExportTarget& target) {
  auto exported = target.make(view);
  if (exported) {
    auto notes = plan_notes(view);
    exported->notes.insert(exported->notes.begin(), notes.begin(), notes.end());
    return exported;
  }
  const std::vector<std::string> able = able_targets(view, target);
  Error error = exported.error();
  error.hint = able.empty() ? say("no target can express this plan") : say("targets that can: {}", first_few(able));
  if (const auto* able_rank = first_exportable(view, target); able_rank != nullptr)
    error.hint += say("; --rank {} is the first that {} can", able_rank->rank, target.name);
  return std::unexpected(std::move(error));
}

std::vector<ExportedFile> Exported::files() const {
  std::vector<ExportedFile> all{*this};
  all.insert(all.end(), further.begin(), further.end());
  return all;
}

Json export_json(const ExportView& view, const ExportTarget& target, const Exported& exported) {
  const answer::Recommendation& r = view.chosen;
  Json files = list_json(exported.files(), [](const ExportedFile& file) -> Json {
    return {{"name", file.name}, {"content", file.content}};
  });
  Json out{{"schema", kSchema},
           {"target", target.name},
           {"replay", view.replay},
           {"files", std::move(files)},
           {"notes", exported.notes},
           {"assumed", assumptions(view.advice.assumed)},
           {"plan",
            {{"rank", r.rank},
             {"provider", r.instance->provider},
             {"sku", r.instance->sku},
             {"region", r.region->id},
             {"term", to_text(r.offer->term)},
             {"nodes", r.machine().nodes},
             {"gpu", r.gpu != nullptr ? Json(r.gpu->id) : Json(nullptr)},
             {"gpus_per_node", r.gpu != nullptr ? Json(r.machine().gpus_per_node) : Json(0)},
             {"layout", layout_of(view, r)}}}};
  if (const auto weights = answer::weights_of(view.advice.work); !weights.name.empty())
    out["plan"]["repository"] = weights.name;
  return out;
}

Document export_page(const ExportTarget& target, const Exported& exported) {
  Document page;
  for (const ExportedFile& file : exported.files()) {
    if (!page.empty()) page.line("---", 2, Where::terminal);
    page.page_title(format("{}: {}", target.name, file.name));
    if (file.name == exported.name)
      for (const std::string& note : exported.notes) page.line("  " + note, 4, Where::page);
    page.add(Code{file.content});
  }
  return page;
}

Table export_table(const Exported& exported) {
  Table table({{"name"}, {"content"}});
  for (const ExportedFile& file : exported.files()) table.add({file.name, file.content});
  return table;
}

Json targets_json() {
  Json targets = list_json(kTargets, [](const ExportTarget& target) -> Json {
    return {{"target", target.name}, {"purpose", say_text(target.purpose)}};
  });
  return {{"schema", kSchema}, {"targets", std::move(targets)}};
}

Document targets_page() {
  Table table({left(say("Target"), 0, 0, "target"), left(say("What it writes"), 0, 20, "purpose")});
  for (const ExportTarget& target : kTargets) table.add({std::string(target.name), say_text(target.purpose)});
  return Document().page_title(say("What gpusel export writes")).add(std::move(table));
}

}  // namespace gpusel::show
