#include "show/job/question.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "physics/planner/targets.hpp"
#include "show/job/estimate.hpp"

namespace gpusel::show {

namespace {

using job::Job;

std::string served_words(const Job& work) {
  const job::Inference& job = work.inference;
  std::string words = say("Serve {}", work.model->id);
  const bool users = job.askers && job.askers->users;
  if (users)
    words += job.askers->think_s > 0 ? say(": {} users who think {:g} s", *job.askers->users, job.askers->think_s)
                                     : say(": {} users", *job.askers->users);
  else if (job.request_rate)
    words += say(": {} req/s", human_number(*job.request_rate));
  if (job.askers && !job.askers->traffic.empty())
    words += say(" of {}", printable(job.askers->traffic.substr(job.askers->traffic.rfind('/') + 1)));
  words += work.model->is_generator() ? say(", {} in + {} out", job.input_tokens, job.output_tokens)
                                      : say(", {} tokens", job.input_tokens);
  if (job.tokens) words += say(", {} tokens total", human_count(*job.tokens));
  add_item(words, target_words(work));
  return words;
}

std::string trained_words(const Job& work) {
  const job::Training& job = work.training;
  const std::string method = job.method == job::Method::lora    ? "LoRA"
                             : job.method == job::Method::qlora ? "QLoRA"
                                                                : std::string(to_text(job.method));
  const std::string what = work.task == job::Task::pretrain  ? say("Pretrain")
                           : job.method == job::Method::full ? say("Fine-tune")
                                                             : say("{} fine-tune", method);
  return say("{} {}: {} tokens, {} per sequence", what, work.model->id, human_count(job.tokens), job.seq_len);
}

/// Networks that people train, and do not call that fine-tuning.
bool is_trained(const catalog::Model* model) {
  using enum catalog::ModelKind;
  static constexpr catalog::ModelKind kTrained[] = {cnn, vit, recommender, sequence};
  return model != nullptr && model->kind && std::ranges::find(kTrained, *model->kind) != std::end(kTrained);
}

std::string verb_of(const Job& work) {
  using enum job::Task;
  switch (work.task) {
    case pretrain: return say("Pretrain");
    case finetune: return is_trained(work.model) ? say("Train") : say("Fine-tune");
    case inference: return say("Run");
    case render: return say("Render");
    case simulate: return say("Simulate");
    case transcode: return say("Transcode");
    case preprocess: return say("Preprocess");
  }
  return std::string(to_text(work.task));
}

std::string counted_words(const Job& work) {
  std::string words = verb_of(work);
  if (work.model != nullptr) words += format(" {}", work.model->id);
  if (work.counted->things)
    words += say(": {} {}", human_count(*work.counted->things), say_name(work.counted->unit.things));
  else if (work.counted->requests_per_s)
    words += say(": {} req/s", human_number(*work.counted->requests_per_s));
  return words + counted_details(work);
}

}  // namespace

std::string latency_name(const physics::LatencyTarget& latency) { return upper(latency.key); }

std::string target_words(const Job& work) {
  std::string words;
  for (const physics::LatencyTarget& latency : physics::latency_targets())
    if (const auto& ms = work.inference.*latency.asked)
      add_item(words, format("{} ≤{:g} ms", latency_name(latency), *ms));
  return words.empty() ? words : format("p{:g} {}", work.inference.slo_percentile, words);
}

std::string spoken_question(const Job& work) {
  if (work.counted) return counted_words(work);
  return job::is_training(work.task) ? trained_words(work) : served_words(work);
}

std::string end_words(const job::Constraints& limits, Currency currency) {
  std::string words;
  if (limits.deadline_hours) words += say(", done in {}", human_duration(seconds(*limits.deadline_hours * 3600)));
  if (limits.budget) words += say(", for at most {}", spoken_money(*limits.budget, currency));
  return words;
}

std::string spoken_gpu(const catalog::Gpu& gpu) {
  std::string name = printable(gpu.name);
  const auto drop = [&name](std::string_view word) {
    if (const auto at = name.find(word); at != std::string::npos) name.erase(at, word.size());
  };
  for (const std::string_view maker : {"NVIDIA ", "AMD ", "Intel ", "Google Cloud ", "Huawei "})
    if (name.starts_with(maker)) name.erase(0, maker.size());
  // Of a generation there is one of each name; editions differ in their coolers.
  for (const std::string_view word : {"GeForce ", "Instinct ", "Tesla ", " Blackwell", " Server Edition",
                                      " Workstation Edition", " Generation", " (per GPU)", " (per chip)"})
    drop(word);
  if (gpu.memory_gb) {
    const std::string memory = format("{:g}", *gpu.memory_gb);
    drop(format(" {}GB", memory));
    name += format(" {} GB", memory);
  }
  return name;
}

std::string spoken_gpus(const physics::Machine& machine) {
  const catalog::Gpu& gpu = *machine.device.gpu;
  const double share = machine.device.share * gpu.devices();
  if (share >= 1) return format("{} × {}", machine.gpus(), spoken_gpu(gpu));
  const std::string part = format("1/{:.0f} {}", 1 / share, spoken_gpu(gpu));
  return machine.gpus() > 1 ? format("{} × {}", machine.gpus(), part) : part;
}

std::string spoken_machine(const physics::Machine& machine) {
  if (machine.on_cpu())
    return say("{:g} vCPU of {}", machine.host.vcpus * machine.nodes,
               machine.host.cpu != nullptr ? printable(machine.host.cpu->name) : say("an unknown processor"));
  std::string words = spoken_gpus(machine);
  if (machine.nodes > 1) words += say(", {} nodes", machine.nodes);
  return words;
}

std::string spoken_sum(double amount) {
  constexpr double kWhole = 10;
  if (std::abs(amount) < kWhole) return human_price(amount);
  return std::abs(amount) < 1000 ? format("{:.0f}", amount) : human_price(std::round(amount));
}

std::string with_currency(const std::string& amount, Currency currency) {
  const std::string_view code = currency.code();
  const std::string_view sign = code == "USD" ? "$" : code == "EUR" ? "€" : code == "CNY" ? "¥" : std::string_view();
  return sign.empty() ? format("{} {}", amount, code) : format("{}{}", sign, amount);
}

std::string spoken_money(double amount, Currency currency) { return with_currency(human_price(amount), currency); }

std::string difference_words(double ratio) {
  const double percent = std::round(100 * (ratio - 1));
  if (percent == 0) return say("the same");
  return percent < 0 ? say("{:.0f} % less", -percent) : say("{:.0f} % more", percent);
}

std::string in_time_words(const job::Job& work, double chance) {
  const std::string percent = answer::chance_words(chance);
  if (work.ends()) return say("Done in time: {}.", percent);
  if (physics::has_targets(work.inference) || (work.counted && work.counted->latency_ms))
    return say("Meets all targets: {}.", percent);
  return say("Keeps up with the load: {}.", percent);
}

void add_warnings(Document& page, std::span<const answer::Remark> remarks, std::size_t most, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::size_t warnings = 0, rest = 0;
  for (const answer::Remark& remark : remarks) {
    if (remark.severity != rules::Effect::warn) continue;
    if (warnings == most) {
      ++rest;
      continue;
    }
    ++warnings;
    const std::string words = printable(remark.message);
    const std::string line = margin + say("Warning: {} [{}]", words, remark.rule);
    page.line(Text(line, Meaning::warn), display_width(line.substr(0, line.find(words))));
  }
  if (rest > 0)
    page.line(secondary(margin + (rest == 1 ? say("1 more warning: --why") : say("{} more warnings: --why", rest))));
}

}  // namespace gpusel::show
