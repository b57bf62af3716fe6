#include "job/request/task_words.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "job/request/request_option.hpp"

namespace gpusel::job {

namespace {

/// A word for a task, as fold_name() writes it, and an option that it says with it.
struct TaskWord {
  std::string_view word;
  Task task;
  std::string_view key = {};
  std::string_view value = {};
  std::string_view remark = {};
  std::string_view model = {};  // usual for it
  bool without_model = false;   // beside a model it says what that is of, and no task
};

constexpr std::string_view kTrainingRemark =
    to_say("\"training\" is read as fine-tuning; --task pretrain trains from scratch");

constexpr TaskWord kTaskWords[] = {
    {"serve", Task::inference},
    {"serving", Task::inference},
    {"infer", Task::inference},
    {"inferencing", Task::inference},
    {"predict", Task::inference},
    {"prediction", Task::inference},
    {"deploy", Task::inference},
    {"run", Task::inference},
    {"chat", Task::inference, {}, {}, {}, "llama-3.1-8b"},
    {"chatbot", Task::inference, {}, {}, {}, "llama-3.1-8b"},
    {"completion", Task::inference},
    {"generate", Task::inference},
    {"generation", Task::inference},
    {"rag", Task::inference, {}, {}, {}, "llama-3.1-8b"},
    {"batch", Task::inference, "mode", "throughput"},
    {"batch-inference", Task::inference, "mode", "throughput"},
    {"offline-inference", Task::inference, "mode", "throughput"},
    {"embed", Task::inference, {}, {}, {}, "bge-m3"},
    {"embedding", Task::inference, {}, {}, {}, "bge-m3"},
    {"embeddings", Task::inference, {}, {}, {}, "bge-m3"},
    {"rerank", Task::inference, {}, {}, {}, "bge-reranker-v2-m3"},
    {"reranking", Task::inference, {}, {}, {}, "bge-reranker-v2-m3"},
    {"transcribe", Task::inference, {}, {}, {}, "whisper-large-v3"},
    {"transcription", Task::inference, {}, {}, {}, "whisper-large-v3"},
    {"asr", Task::inference, {}, {}, {}, "whisper-large-v3"},
    {"speech-to-text", Task::inference, {}, {}, {}, "whisper-large-v3"},
    {"tts", Task::inference, {}, {}, {}, "xtts-v2"},
    {"text-to-speech", Task::inference, {}, {}, {}, "xtts-v2"},
    {"text-to-image", Task::inference, {}, {}, {}, "sdxl"},
    {"image-generation", Task::inference, {}, {}, {}, "sdxl"},
    {"text-to-video", Task::inference, {}, {}, {}, "wan2.1-t2v-14b"},
    {"video-generation", Task::inference, {}, {}, {}, "wan2.1-t2v-14b"},
    {"推理", Task::inference},
    {"部署", Task::inference},
    {"上线", Task::inference},
    {"在线推理", Task::inference},
    {"推理服务", Task::inference},
    {"离线推理", Task::inference, "mode", "throughput"},
    {"批量推理", Task::inference, "mode", "throughput"},
    {"跑批", Task::inference, "mode", "throughput"},
    {"向量化", Task::inference, {}, {}, {}, "bge-m3"},
    {"嵌入", Task::inference, {}, {}, {}, "bge-m3"},
    {"向量模型", Task::inference, {}, {}, {}, "bge-m3"},
    {"重排", Task::inference, {}, {}, {}, "bge-reranker-v2-m3"},
    {"重排序", Task::inference, {}, {}, {}, "bge-reranker-v2-m3"},
    {"对话", Task::inference, {}, {}, {}, "qwen3-8b"},
    {"聊天", Task::inference, {}, {}, {}, "qwen3-8b"},
    {"问答", Task::inference, {}, {}, {}, "qwen3-8b"},
    {"智能客服", Task::inference, {}, {}, {}, "qwen3-8b"},
    {"文本生成", Task::inference, {}, {}, {}, "qwen3-8b"},
    {"文生图", Task::inference, {}, {}, {}, "sdxl"},
    {"图像生成", Task::inference, {}, {}, {}, "sdxl"},
    {"图片生成", Task::inference, {}, {}, {}, "sdxl"},
    {"ai绘画", Task::inference, {}, {}, {}, "sdxl"},
    {"文生视频", Task::inference, {}, {}, {}, "wan2.1-t2v-14b"},
    {"视频生成", Task::inference, {}, {}, {}, "wan2.1-t2v-14b"},
    {"语音识别", Task::inference, {}, {}, {}, "whisper-large-v3"},
    {"转写", Task::inference, {}, {}, {}, "whisper-large-v3"},
    {"语音合成", Task::inference, {}, {}, {}, "xtts-v2"},

    {"train", Task::finetune, {}, {}, kTrainingRemark},
    {"training", Task::finetune, {}, {}, kTrainingRemark},
    {"fine-tune", Task::finetune},
    {"fine-tuning", Task::finetune},
    {"finetuning", Task::finetune},
    {"ft", Task::finetune},
    {"tune", Task::finetune},
    {"sft", Task::finetune},
    {"instruct", Task::finetune},
    {"full", Task::finetune, "method", "full"},
    {"full-finetune", Task::finetune, "method", "full"},
    {"lora", Task::finetune, "method", "lora"},
    {"peft", Task::finetune, "method", "lora"},
    {"qlora", Task::finetune, "method", "qlora"},
    {"dreambooth", Task::finetune, "method", "dreambooth"},
    {"训练", Task::finetune, {}, {}, kTrainingRemark},
    {"微调", Task::finetune},
    {"精调", Task::finetune},
    {"指令微调", Task::finetune},
    {"监督微调", Task::finetune},
    {"全参微调", Task::finetune, "method", "full"},
    {"全量微调", Task::finetune, "method", "full"},
    {"lora微调", Task::finetune, "method", "lora"},
    {"qlora微调", Task::finetune, "method", "qlora"},
    {"高效微调", Task::finetune, "method", "lora"},

    {"pretraining", Task::pretrain},
    {"pre-train", Task::pretrain},
    {"pre-training", Task::pretrain},
    {"from-scratch", Task::pretrain},
    {"cpt", Task::pretrain},
    {"预训练", Task::pretrain},
    {"从头训练", Task::pretrain},
    {"继续预训练", Task::pretrain},
    {"增量预训练", Task::pretrain},

    {"rendering", Task::render},
    {"blender", Task::render, "renderer", "cycles"},
    {"gaming", Task::render, "render", "realtime"},
    {"game", Task::render, "render", "realtime"},
    {"games", Task::render, "render", "realtime"},
    {"cloud-gaming", Task::render, "render", "realtime"},
    {"game-streaming", Task::render, "render", "realtime"},
    {"pixel-streaming", Task::render, "render", "realtime"},
    {"realtime", Task::render, "render", "realtime"},
    {"virtual-production", Task::render, "render", "realtime"},
    {"cloud-phone", Task::render, "guest", "android"},
    {"vdi", Task::render, "render", "cad"},
    {"workstation", Task::render, "render", "cad"},
    {"desktop", Task::render, "render", "cad"},
    {"cad", Task::render, "render", "cad"},
    {"渲染", Task::render},
    {"离线渲染", Task::render},
    {"影视渲染", Task::render},
    {"动画渲染", Task::render},
    {"效果图", Task::render},
    {"实时渲染", Task::render, "render", "realtime"},
    {"像素流送", Task::render, "render", "realtime"},
    {"云游戏", Task::render, "render", "realtime"},
    {"云手游", Task::render, "guest", "android"},
    {"云手机", Task::render, "guest", "android"},
    {"图形工作站", Task::render, "render", "cad"},
    {"云工作站", Task::render, "render", "cad"},
    {"云桌面", Task::render, "render", "cad"},
    {"虚拟桌面", Task::render, "render", "cad"},
    {"远程桌面", Task::render, "render", "cad"},

    {"gromacs", Task::simulate, "solver", "md"},
    {"namd", Task::simulate, "solver", "md"},
    {"lammps", Task::simulate, "solver", "md"},
    {"amber", Task::simulate, "solver", "md"},
    {"openmm", Task::simulate, "solver", "md"},
    {"openfoam", Task::simulate, "solver", "fvm"},
    {"fluent", Task::simulate, "solver", "fvm"},
    {"ansys", Task::simulate, "solver", "fea"},
    {"abaqus", Task::simulate, "solver", "fea"},
    {"octane", Task::render, "renderer", "octane"},
    {"redshift", Task::render, "renderer", "redshift"},
    {"vray", Task::render, "renderer", "vray"},
    {"v-ray", Task::render, "renderer", "vray"},
    {"arnold", Task::render, "renderer", "arnold"},
    {"cycles", Task::render, "renderer", "cycles"},
    {"transcoding", Task::transcode},
    {.word = "video", .task = Task::transcode, .without_model = true},
    {"video-transcoding", Task::transcode},
    {"encode", Task::transcode},
    {"encoding", Task::transcode},
    {"ffmpeg", Task::transcode},
    {"转码", Task::transcode},
    {"视频转码", Task::transcode},
    {"直播转码", Task::transcode, "live", "true"},

    {"simulation", Task::simulate},
    {"sim", Task::simulate},
    {"cae", Task::simulate},
    {"cfd", Task::simulate, "solver", "fvm"},
    {"hpc", Task::simulate},
    {"molecular-dynamics", Task::simulate, "solver", "md"},
    {"fem", Task::simulate, "solver", "fea"},
    {"仿真", Task::simulate},
    {"流体仿真", Task::simulate, "solver", "fvm"},
    {"分子动力学", Task::simulate, "solver", "md"},
    {"有限元", Task::simulate, "solver", "fea"},
    {"科学计算", Task::simulate},
    {"高性能计算", Task::simulate},

    {"preprocessing", Task::preprocess},
    {"etl", Task::preprocess, "preprocess", "etl"},
    {"data-prep", Task::preprocess},
    {"spark", Task::preprocess, "preprocess", "etl"},
    {"tokenize", Task::preprocess, "preprocess", "tokenize"},
    {"数据预处理", Task::preprocess},
    {"数据清洗", Task::preprocess, "preprocess", "etl"},
};

const TaskWord* find_word(std::string_view text) {
  const std::string folded = fold_name(text);
  const auto* found = std::ranges::find(kTaskWords, std::string_view(folded), &TaskWord::word);
  return found == std::end(kTaskWords) ? nullptr : found;
}

/// Options that tell the task by themselves, the most telling first.
struct TellingKey {
  std::string_view key;
  Task task;
};
constexpr TellingKey kOfModels[] = {
    {"method", Task::finetune},         {"lora_rank", Task::finetune}, {"lora_targets", Task::finetune},
    {"virtual_tokens", Task::finetune}, {"epochs", Task::finetune},    {"dataset_size", Task::finetune},
    {"optimizer", Task::finetune},      {"framework", Task::finetune}, {"global_batch", Task::finetune},
};
constexpr TellingKey kWithoutModel[] = {
    {"render", Task::render},
    {"renderer", Task::render},
    {"scene", Task::render},
    {"scene_vram_gib", Task::render},
    {"frames", Task::render},
    {"seconds_per_frame", Task::render},
    {"on", Task::render},
    {"sessions", Task::render},
    {"guest", Task::render},
    {"solver", Task::simulate},
    {"cells", Task::simulate},
    {"time_steps", Task::simulate},
    {"preprocess", Task::preprocess},
    {"data_gb", Task::preprocess},
    {"codec", Task::transcode},
    {"input_codec", Task::transcode},
    {"ladder", Task::transcode},
    {"bitrate_mbps", Task::transcode},
    {"streams", Task::transcode},
    {"video_hours", Task::transcode},
    {"live", Task::transcode},
};
/// Of the training group, but as true of serving.
constexpr std::string_view kOfEitherTask[] = {"precision", "offload", "batch"};

bool is_given(const Request& request, std::string_view key) {
  return std::ranges::find(request.given, key) != request.given.end();
}

std::optional<Task> told_by(std::span<const TellingKey> keys, const Request& request) {
  for (const TellingKey& one : keys)
    if (is_given(request, one.key)) return one.task;
  return std::nullopt;
}

bool gives_any_of(const Request& request, std::string_view group) {
  return std::ranges::any_of(request.given, [&](std::string_view key) {
    return request_option(key)->group == group && std::ranges::find(kOfEitherTask, key) == std::end(kOfEitherTask);
  });
}

}  // namespace

Assigned<std::optional<Task>> set_task(std::string_view text, Request& request) {
  if (auto named = assign(text, request.task); named || find_word(text) == nullptr) return named;
  const TaskWord& word = *find_word(text);
  request.task = word.task;
  request.usual_model = word.model;
  request.task_without_model = word.without_model;
  request.task_remark = word.remark;
  if (word.key.empty() || (is_given(request, word.key) && request.told_by_task != word.key)) return {};
  const Option<Request>& option = *request_option(word.key);
  note_given(request, option.key, word.value);
  request.told_by_task = option.key;
  if (Status set = option.set(request, word.value); !set) return std::unexpected(set.error());
  return {};
}

Status add_task(std::string_view text, Request& request) {
  Request other;
  if (Status set = set_task(text, other); !set) return set;
  const bool broad = other.task_remark == kTrainingRemark && is_training(*request.task);
  if (other.task_without_model && other.task != request.task) return {};
  const bool narrows =
      request.task_without_model || (request.task_remark == kTrainingRemark && is_training(*other.task));
  if (broad) return {};
  if (request.task != other.task && !narrows)
    return usage_error(say("two tasks: '{}' and '{}'", to_text(*request.task), shorten(text, 40)), {},
                       say("ask for one at a time"));
  const std::string_view usual = request.usual_model;
  if (Status set = set_task(text, request); !set) return set;
  if (request.usual_model.empty()) request.usual_model = usual;
  return {};
}

namespace {

/// Whether the option was given, which it is no longer.
bool take_given(Request& request, std::string_view key) {
  request.typed.erase(std::string(key));
  return std::erase(request.given, key) > 0;
}

}  // namespace

void rename_for_task(Request& request, bool has_load) {
  if (!request.task || request.of_data) return;
  const std::string_view quant = request_option("weights_precision")->key;
  if (*request.task == Task::inference && !is_given(request, quant) && take_given(request, "precision")) {
    request.weights_precision = to_text(*request.precision);
    request.precision.reset();
    note_given(request, quant, request.weights_precision);
  }
  if (*request.task == Task::inference && !has_load && !is_given(request, "concurrency") &&
      take_given(request, "sessions")) {
    request.concurrency = static_cast<std::int64_t>(*request.sessions);
    request.sessions.reset();
    note_given(request, request_option("concurrency")->key, format("{}", *request.concurrency));
    if (request.task_remark.empty())
      request.task_remark =
          to_say("users are taken as requests in flight at once; recommend and simulate let them think");
  }
  const bool four_bits = request.weights_precision == "w4a16" || request.weights_precision == "nf4";
  const bool is_lora = !request.method || *request.method == Method::lora || *request.method == Method::qlora;
  if (*request.task == Task::finetune && four_bits && is_lora && take_given(request, quant)) {
    request.weights_precision.clear();
    request.method = Method::qlora;
    note_given(request, request_option("method")->key, to_text(Method::qlora));
  }
}

bool is_task_word(std::string_view text) { return spelled<Task>(text) || find_word(text) != nullptr; }

std::optional<Task> task_of(const Request& request, bool names_model) {
  if (!names_model) return told_by(kWithoutModel, request);
  if (const auto told = told_by(kOfModels, request)) return told;
  const bool trains = gives_any_of(request, kTrainingGroup) && !gives_any_of(request, kInferenceGroup);
  return trains ? Task::finetune : Task::inference;
}

}  // namespace gpusel::job
