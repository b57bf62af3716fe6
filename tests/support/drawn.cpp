#include "support/drawn.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::test {

namespace {

using job::Checkpointing;
using job::Sharding;

/// Ids of those records that `fit`, the same list every time.
template <class Record, class Fits>
std::vector<std::string> ids(std::span<const Record> records, Fits&& fit) {
  std::vector<std::string> out;
  for (const Record& record : records)
    if (fit(record)) out.emplace_back(record.id);
  return out;
}

bool has_parameters(const catalog::Model& model) { return catalog::parameters_of(model).has_value(); }

/// Any divisor of all of them up to `most`.
int divisor(std::string_view name, std::initializer_list<double> numbers, int most) {
  std::vector<std::string> found;
  for (int n = 1; n <= most; ++n)
    if (std::ranges::all_of(numbers, [&](double number) { return std::fmod(number, n) == 0; }))
      found.push_back(std::to_string(n));
  return std::stoi(any::one_of(name, found));
}

double kv_heads(const catalog::Model& model) {
  const double heads = model.heads.value_or(1);
  return model.is_mla() ? heads : model.kv_heads.value_or(heads);
}

template <class Enum>
Enum any_of(std::string_view name, const std::vector<Enum>& choices) {
  std::vector<std::string> names;
  for (const Enum choice : choices) names.emplace_back(to_text(choice));
  return *from_text<Enum>(any::one_of(name, names));
}

/// What no estimate can do without.
constexpr std::string_view kNeeded[] = {"params_b",       "image_tokens", "default_width",
                                        "default_height", "kv_lora_rank", "memory_bandwidth_gbs"};

/// What models of its kind are not read without: the shape of texts' and images', the work of a pass over an image.
bool is_of_kind(const catalog::Model& model, const catalog::Field& field) {
  const bool of_images = model.kind == catalog::ModelKind::diffusion;
  return (model.is_language_model() && field.json == "layers") ||
         ((model.is_language_model() || of_images) && field.json == "hidden_size") ||
         (of_images && field.json == "gflops_per_sample");
}
bool is_of_kind(const catalog::Gpu&, const catalog::Field&) { return false; }

/// Up to three figures taken out.
template <class Record>
void leave_gaps(Record& record) {
  std::vector<std::string> known{"nothing"};
  std::map<std::string, catalog::Number*> figures;
  visit_fields(record, [&](const catalog::Field& field, auto& member) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, catalog::Number>)
      if (member && std::ranges::find(kNeeded, field.json) == std::end(kNeeded) && !is_of_kind(record, field)) {
        known.emplace_back(field.json);
        figures[known.back()] = &member;
      }
  });
  for (int i = 0; i < 3; ++i)
    if (const auto out = figures.find(any::one_of("without", known)); out != figures.end()) *out->second = {};
}

}  // namespace

std::string words_of(const Asked& asked) {
  std::string words;
  for (const auto& [key, value] : asked) words += format("{}{}={}", words.empty() ? "" : " ", key, value);
  return words;
}

std::string json_of(const Asked& asked) {
  std::string members;
  for (const auto& [key, value] : asked) members += format("{}\"{}\": \"{}\"", members.empty() ? "" : ", ", key, value);
  return "{" + members + "}";
}

job::Job job_of(const Asked& asked) {
  auto work = try_job(words_of(asked));
  given(work.has_value());
  return std::move(*work);
}

namespace any {

Asked training() {
  static const auto models = ids(shipped().models(), [](const catalog::Model& m) {
    return m.is_language_model() && has_parameters(m) && *m.params_b < 150;
  });
  Asked asked{{"task", "finetune"}, {"model", one_of("model", models)}};
  asked["method"] = one_of("method", {"full", "lora", "qlora", "ptuning", "prefix"});
  asked["seq_len"] = std::to_string(size("seq_len", 32, 16384));
  asked["optimizer"] =
      one_of("optimizer", {"adamw", "adamw8bit", "paged-adamw", "adafactor", "sgd", "lamb", "lion", "muon"});
  asked["recipe"] = one_of("recipe", {"mixed", "pure"});
  asked["framework"] =
      one_of("framework", {"hf-trainer", "fsdp", "deepspeed", "megatron", "torchtune", "nemo", "unsloth"});
  asked["offload"] = one_of("offload", {"none", "none", "none", "optimizer", "params"});
  if (asked["method"] == "lora" || asked["method"] == "qlora")
    asked["lora_rank"] = std::to_string(size("lora_rank", 1, 256));
  return asked;
}

Asked serving() {
  static const auto models = ids(shipped().models(), [](const catalog::Model& m) {
    return m.is_language_model() && has_parameters(m) && *m.params_b < 700;
  });
  Asked asked{{"task", "inference"}, {"model", one_of("model", models)}};
  asked["engine"] = one_of("engine", {"vllm", "trt-llm", "sglang", "tgi", "lmdeploy", "hf", "llama.cpp"});
  asked["input_tokens"] = std::to_string(size("input_tokens", 1, 8192));
  asked["output_tokens"] = std::to_string(size("output_tokens", 1, 2048));
  if (coin("asks for a concurrency")) asked["concurrency"] = std::to_string(size("concurrency", 1, 512));
  return asked;
}

Asked counted() {
  static const std::vector<std::string> jobs{"task=inference model=resnet-50",
                                             "task=pretrain model=resnet-50",
                                             "task=inference model=vit-base-patch16-224",
                                             "task=inference model=sdxl",
                                             "task=finetune model=sdxl",
                                             "task=inference model=wan2.1-t2v-1.3b",
                                             "task=inference model=whisper-large-v3",
                                             "task=finetune model=whisper-small",
                                             "task=inference model=dlrm-dcnv2",
                                             "task=pretrain model=dlrm-dcnv2",
                                             "task=render frames=100",
                                             "task=render render=realtime sessions=4",
                                             "task=transcode codec=h264 streams=8",
                                             "task=transcode codec=hevc video_hours=100",
                                             "task=simulate solver=lbm cells=1e7 time_steps=1000",
                                             "task=simulate solver=md cells=1e6 time_steps=1000",
                                             "task=preprocess preprocess=trees data_gb=10",
                                             "task=preprocess preprocess=tokenize data_gb=100"};
  Asked asked;
  const std::string job = one_of("job", jobs);
  for (const std::string_view word : split(job, ' '))
    asked[std::string(word.substr(0, word.find('=')))] = word.substr(word.find('=') + 1);
  return asked;
}

physics::Layout plan_for(const job::Job& work) {
  const auto& m = *work.model;
  physics::Layout plan;
  plan.sharding = any_of("sharding", std::vector{Sharding::none, Sharding::ddp, Sharding::zero1, Sharding::zero2,
                                                 Sharding::zero3, Sharding::fsdp, Sharding::hsdp});
  plan.tp = divisor("tp", {m.heads.value_or(1), kv_heads(m)}, 8);
  plan.pp = divisor("pp", {work.parameters.layers}, 8);
  const auto cp = whole("cp", 0, 9);
  plan.cp = cp == 9 ? 2 : cp == 8 ? 4 : 1;
  plan.dp = 1 << whole("log2 dp", 0, 6);
  if (m.is_moe()) plan.ep = divisor("ep", {*m.experts, static_cast<double>(plan.dp * plan.cp)}, 8);
  plan.micro_batch = size("micro_batch", 1, 32);
  plan.grad_accum = size("grad_accum", 1, 64);
  plan.checkpointing =
      any_of("checkpointing", std::vector{Checkpointing::none, Checkpointing::selective, Checkpointing::full});
  plan.flash_attention = !coin("no flash attention");
  return plan;
}

physics::Layout serving_plan(const job::Job& work) {
  const std::vector<std::string> formats{"bf16", "fp16", "fp8", "int8", "w4a16", "nf4", "nvfp4", "mxfp4", "q4_k_m"};
  physics::Layout plan = test::serving(one_of("format", formats));
  plan.kv = coin("fp8 cache") ? job::KvPrecision::fp8 : job::KvPrecision::bf16;
  plan.tp = divisor("tp", {work.model->heads.value_or(1)}, 8);
  plan.pp = divisor("pp", {work.parameters.layers}, 4);
  plan.dp = 1 << whole("log2 dp", 0, 3);
  return plan;
}

std::string gpu() {
  static const auto published = ids(shipped().gpus(), [](const catalog::Gpu& g) {
    return physics::make_device(g, 1, std::nullopt, coefficients()).has_value() && g.fp16_dense_tflops.value_or(0) > 0;
  });
  return one_of("gpu", published);
}

physics::Machine machine(int gpus) {
  std::vector<std::string> sizes;
  for (int size = std::min(gpus, 8); size >= 1; --size)
    if (gpus % size == 0) sizes.push_back(std::to_string(size));
  const int per_node = std::stoi(one_of("GPUs per node", sizes));
  return test::machine(gpu(), gpus, per_node);
}

physics::Host host() {
  static const auto published = ids(shipped().cpus(), [](const catalog::Cpu& cpu) {
    return cpu.memory_channels && cpu.memory_mts && cpu.cores_per_socket && cpu.fp32_flops_per_cycle;
  });
  const std::string id = one_of("processor", published);
  physics::Host made;
  made.cpu = &*std::ranges::find(shipped().cpus(), id, &catalog::Cpu::id);
  made.vcpus = static_cast<double>(whole("vcpus", 1, 192));
  made.threads_per_core = static_cast<double>(whole("threads per core", 1, 2));
  made.ghz = number("GHz", 0.5, 5);
  if (!coin("host memory not known")) made.memory = gib(number("host GiB", 4, 2000));
  return made;
}

physics::Machine counting_machine() {
  if (coin("on a processor")) {
    physics::Machine made;
    made.host = host();
    made.nodes = static_cast<int>(whole("nodes", 1, 4));
    return made;
  }
  physics::Machine made = machine(static_cast<int>(whole("gpus", 1, 16)));
  if (coin("host known")) made.host = host();
  if (made.gpus_per_node > 1 && coin("bridges")) {
    made.link = catalog::NodeLink::nvlink_pairs;
    made.link_bandwidth = gb_per_s(300);
  }
  return made;
}

std::string job() {
  Asked asked = coin("serves") ? serving() : training();
  asked.erase("offload");
  asked.erase("framework");
  return json_of(asked);
}

void leave_gaps(job::Job& work) {
  static std::unique_ptr<catalog::Model> copy;
  if (work.model == nullptr || !coin("gaps in the model")) return;
  copy = std::make_unique<catalog::Model>(*work.model);
  test::leave_gaps(*copy);
  work.model = copy.get();
}

void leave_gaps(physics::Machine& machine) {
  static std::unique_ptr<catalog::Gpu> copy;
  if (machine.on_cpu() || !coin("gaps in the GPU")) return;
  copy = std::make_unique<catalog::Gpu>(*machine.device.gpu);
  test::leave_gaps(*copy);
  machine.device.gpu = copy.get();
}

}  // namespace any

Faster::Faster(const physics::Machine& slower, double factor) : gpu(*slower.device.gpu), machine(slower) {
  for (catalog::Number* rate :
       {&gpu.fp64_tflops, &gpu.fp32_tflops, &gpu.tf32_dense_tflops, &gpu.fp16_dense_tflops, &gpu.bf16_dense_tflops,
        &gpu.fp8_dense_tflops, &gpu.fp4_dense_tflops, &gpu.int8_dense_tops, &gpu.int4_dense_tops,
        &gpu.memory_bandwidth_gbs, &gpu.interconnect_gbs_bidir, &gpu.tdp_w, &gpu.clock_mhz, &gpu.pcie_lanes})
    if (*rate) *rate = **rate * factor;
  machine.device.gpu = &gpu;
  machine.device.bandwidth *= factor;
  machine.link_bandwidth *= factor;
  machine.network *= factor;
}

}  // namespace gpusel::test
