#include "cli/question/ask.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include "answer/stages/launch.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "job/limits/limits.hpp"
#include "job/request/task_words.hpp"

namespace gpusel::cli {

namespace {

using job::Task;

struct TaskInWords {
  Task task;
  std::string_view words;
};
constexpr std::array kTasks{TaskInWords{Task::inference, to_say("serve or run a model")},
                            TaskInWords{Task::finetune, to_say("fine-tune a model")},
                            TaskInWords{Task::pretrain, to_say("train a model from scratch")},
                            TaskInWords{Task::render, to_say("render frames, or stream graphics")},
                            TaskInWords{Task::transcode, to_say("transcode video")},
                            TaskInWords{Task::simulate, to_say("simulate")},
                            TaskInWords{Task::preprocess, to_say("prepare data")}};

/// One question about one option of a request or limit; an empty answer leaves it to the default.
struct Asked {
  std::string_view key;
  std::string_view question;
  bool (*applies)(const job::Request& request, const catalog::Model* model) = nullptr;
};

bool generates(const catalog::Model* model) { return model != nullptr && model->is_generator(); }

constexpr Asked kAsked[] = {
    {"method", to_say("all weights or adapters: full, lora or qlora (full)"),
     [](const auto& r, const auto*) { return r.task == Task::finetune; }},
    {"request_rate", to_say("requests per second, if they arrive as users send them (default: as many as possible)"),
     [](const auto& r, const auto*) { return r.task == Task::inference; }},
    {"ttft", to_say("maximum milliseconds to the first token (default: any)"),
     [](const auto& r, const auto* m) { return r.task == Task::inference && generates(m) && r.request_rate; }},
    {"latency_ms", to_say("maximum milliseconds for one answer (default: any)"),
     [](const auto& r, const auto* m) { return r.task == Task::inference && !generates(m) && r.request_rate; }},
    {"render", to_say("offline, realtime or cad (offline)"),
     [](const auto& r, const auto*) { return r.task == Task::render; }},
    {"scene_vram_gib", to_say("memory of the scene or of one session, GiB (a usual one)"),
     [](const auto& r, const auto*) { return r.task == Task::render; }},
    {"sessions", to_say("users at once (as many as possible)"),
     [](const auto& r, const auto*) {
       return r.task == Task::render && r.render.value_or(job::Render::offline) != job::Render::offline;
     }},
    {"codec", to_say("h264, hevc or av1 (h264)"), [](const auto& r, const auto*) { return r.task == Task::transcode; }},
    {"streams", to_say("streams at once (as many as possible)"),
     [](const auto& r, const auto*) { return r.task == Task::transcode; }},
    {"solver", to_say("lbm, fdtd, fvm, sph, dem, md or fea (lbm)"),
     [](const auto& r, const auto*) { return r.task == Task::simulate; }},
    {"cells", to_say("cells, particles or atoms (a usual case)"),
     [](const auto& r, const auto*) { return r.task == Task::simulate; }},
    {"preprocess", to_say("etl, tokenize, images, video, features or trees (etl)"),
     [](const auto& r, const auto*) { return r.task == Task::preprocess; }},
    {"data_gb", to_say("amount of data, GB (default: a continuous service)"),
     [](const auto& r, const auto*) { return r.task == Task::preprocess; }},
};

std::string flag_of(std::string_view key) {
  std::string flag = "--" + std::string(key);
  for (char& c : flag)
    if (c == '_') c = '-';
  return flag;
}

class Asker {
 public:
  Asker(const Prompt& prompt, const Tell& tell, const catalog::Catalog& catalog, job::Request& request,
        job::Constraints& limits)
      : prompt_(prompt), tell_(tell), catalog_(catalog), request_(request), limits_(limits) {}

  std::optional<std::vector<std::string>> run() {
    if (!task() || !model()) return std::nullopt;
    for (const Asked& asked : kAsked)
      if (!is_given(asked.key) && asked.applies(request_, model_) && !ask(asked, job::request_options(), request_))
        return std::nullopt;
    // From the last on: money before places and hardware.
    for (const job::Limit& limit : job::limits() | std::views::reverse) {
      if (limit.also.question.empty() || (limit.also.of_ending && !ends())) continue;
      if (!ask({limit.option.key, limit.also.question}, job::constraint_options(), limits_)) return std::nullopt;
    }
    return std::move(words_);
  }

 private:
  std::optional<std::string> line(std::string_view question) {
    auto answer = prompt_(std::string(question) + ": ");
    if (answer) answer = std::string(trim(*answer));
    return answer;
  }

  /// Whether the job comes to an end rather than serve for as long as it lasts.
  bool ends() const {
    const auto model = answer::find_model(request_, catalog_);
    const auto work = model ? answer::resolve_work(request_, *model, catalog_) : std::unexpected(model.error());
    return work && work->ends();
  }

  bool is_given(std::string_view key) const {
    return std::find(request_.given.begin(), request_.given.end(), key) != request_.given.end();
  }

  bool task() {
    tell_(say("Which task?"));
    for (std::size_t i = 0; i < kTasks.size(); ++i) tell_(format("  {}  {}", i + 1, say_text(kTasks[i].words)));
    while (true) {
      const auto answer = line(say("number or name (1)"));
      if (!answer) return false;
      for (std::size_t i = 0; i < kTasks.size(); ++i)
        if (*answer == format("{}", i + 1) || *answer == to_text(kTasks[i].task) || (answer->empty() && i == 0)) {
          request_.task = kTasks[i].task;
          add("task", to_text(kTasks[i].task));
          return true;
        }
      // "微调", "lora": words for it, which may say more.
      const auto* option = job::find_option(job::request_options(), "task");
      if (job::is_task_word(*answer) && option->set(request_, *answer)) {
        add("task", *answer);
        return true;
      }
      tell_(say("'{}' is not a number from 1 to {}", printable(shorten(*answer, 40)), kTasks.size()));
    }
  }

  bool model() {
    if (!job::runs_model(*request_.task)) return true;
    if (request_.inline_model) return true;
    if (!request_.model.empty()) {
      const auto named = catalog_.model(request_.model);
      model_ = named ? *named : nullptr;
      return true;
    }
    while (true) {
      const auto answer = line(say("which model, such as llama-3.1-8b, resnet-50 or sdxl"));
      if (!answer) return false;
      if (answer->empty()) continue;
      const auto found = catalog_.model(*answer);
      if (found) {
        model_ = *found;
        request_.model = *answer;
        add("model", *answer);
        return true;
      }
      tell_(with_hint(found.error()));
    }
  }

  template <class Target>
  bool ask(const Asked& asked, std::span<const job::Option<Target>> options, Target& target) {
    const auto* option = job::find_option(options, asked.key);
    while (option != nullptr) {
      const auto answer = line(say_text(asked.question));
      if (!answer) return false;
      if (answer->empty()) return true;
      const Status set = option->set(target, *answer);
      if (set) {
        add(asked.key, *answer);
        return true;
      }
      tell_(with_hint(set.error()));
    }
    return true;
  }

  void add(std::string_view key, std::string_view value) {
    if (const auto* option = job::find_option(job::request_options(), key); option != nullptr)
      request_.given.push_back(option->key);
    words_.push_back(flag_of(key));
    words_.emplace_back(value);
  }

  const Prompt& prompt_;
  const Tell& tell_;
  const catalog::Catalog& catalog_;
  job::Request& request_;
  job::Constraints& limits_;
  const catalog::Model* model_ = nullptr;
  std::vector<std::string> words_;
};

}  // namespace

std::optional<std::vector<std::string>> ask_job(const Prompt& prompt, const Tell& tell, const catalog::Catalog& catalog,
                                                job::Request& request, job::Constraints& limits) {
  return Asker(prompt, tell, catalog, request, limits).run();
}

std::vector<std::string> question_of(const std::vector<std::string>& words) {
  static constexpr std::string_view kWithValue[] = {"-o", "--output", "--to", "--color", "--lang"};
  static constexpr std::string_view kAlone[] = {"--json", "--dry-run", "--force", "-q", "--quiet", "--no-pager"};
  std::vector<std::string> question;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view name = std::string_view(words[i]).substr(0, words[i].find('='));
    if (std::ranges::find(kAlone, name) != std::end(kAlone)) continue;
    if (std::ranges::find(kWithValue, name) == std::end(kWithValue))
      question.push_back(words[i]);
    else if (name.size() == words[i].size())
      ++i;  // its value
  }
  return question;
}

std::string command_line(const std::vector<std::string>& words) {
  std::string line = "gpusel";
  for (const std::string& word : words) line += " " + answer::shell_word(word);
  return line;
}

}  // namespace gpusel::cli
