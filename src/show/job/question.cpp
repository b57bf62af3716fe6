#include "show/job/question.hpp"

#include <algorithm>
#include <cmath>
#include <set>

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
  else if (job.concurrency)
    words += say(": {} at once", *job.concurrency);
  if (job.askers && !job.askers->traffic.empty())
    words += say(" of {}", printable(job.askers->traffic.substr(job.askers->traffic.rfind('/') + 1)));
  words += work.model->is_generator() ? say(", {} in + {} out", job.input_tokens, job.output_tokens)
                                      : say(", {} tokens", job.input_tokens);
  if (job.tokens) words += say(", {} tokens total", spoken_count(*job.tokens));
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
  return say("{} {}: {} tokens, {} per sequence", what, work.model->id, spoken_count(job.tokens), job.seq_len);
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
    case simulate: break;  // in its own words
    case transcode: return say("Transcode");
    case preprocess: return say("Preprocess");
  }
  return std::string(to_text(work.task));
}

/// "3M images", and "1,000 GB".
std::string amount_words(const job::Counted& counted) {
  return counted.unit.things == "GB" ? human_number(*counted.things) : spoken_count(*counted.things);
}

std::string counted_words(const Job& work) {
  if (const auto* simulation = std::get_if<job::SimulationJob>(&work.counted->job))
    return say("Simulate {}, {} {}", printable(say_text(simulation->name)), spoken_count(simulation->cells),
               printable(say_text(simulation->cell)));
  std::string words = verb_of(work);
  if (work.model != nullptr) words += format(" {}", work.model->id);
  if (work.counted->things)
    words += say(": {} {}", amount_words(*work.counted), say_name(work.counted->unit.things));
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

std::string end_words(const Job& work, const job::Constraints& limits, Currency currency) {
  std::string words;
  if (limits.deadline_hours) words += say(", done in {}", human_duration(seconds(*limits.deadline_hours * 3600)));
  if (limits.budget) {
    const std::string budget = spoken_money(*limits.budget, currency);
    words += say(", for at most {}", work.ends() ? budget : say("{}/month", budget));
  }
  return words;
}

namespace {

/// In GB where that is the whole number, as somebody may have typed it.
std::string host_memory(double amount_gib) {
  const double gb = in_gb(gib(amount_gib));
  const bool is_gb = amount_gib != std::round(amount_gib) && std::abs(gb - std::round(gb)) < 1e-6;
  return is_gb ? format("{:.0f} GB", gb) : format("{} GiB", human_number(amount_gib));
}

template <class Spoken>
std::string bounds_in_words(const Bounds& bounds, Spoken spoken) {
  if (bounds.low && bounds.high && *bounds.low == *bounds.high) return spoken(*bounds.low);
  if (bounds.low && bounds.high) return say("{} to {}", spoken(*bounds.low), spoken(*bounds.high));
  return bounds.low ? "≥" + spoken(*bounds.low) : "≤" + spoken(*bounds.high);
}

/// "aws/p5.48xlarge" of a regular expression that only that matches; empty for any other.
std::string only_name(std::string_view pattern) {
  if (!pattern.starts_with('^') || !pattern.ends_with('$') || pattern.size() < 3) return {};
  std::string name;
  for (std::size_t i = 1; i + 1 < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 2 < pattern.size())
      ++i;
    else if (std::string_view(".+*?()[]{}|^$\\").contains(pattern[i]))
      return {};
    name += pattern[i];
  }
  return name;
}

/// "aws p5.48xlarge", or the SKU alone where the list has it of several providers; empty for any other list.
std::string only_machine(std::string_view list) {
  std::set<std::string> skus;
  std::vector<std::string> names;
  for (const std::string_view pattern : split(list, '|')) {
    std::string name = only_name(pattern);
    if (name.empty()) return {};
    skus.insert(name.substr(name.find('/') + 1));
    std::ranges::replace(name, '/', ' ');
    names.push_back(std::move(name));
  }
  // One name of several providers, or several instances.
  return skus.size() == 1 && names.size() > 1 ? *skus.begin() : join_texts(names, say(", "));
}

/// By the month where only that has an end: "$500/month".
std::string price_in_words(double hourly, Currency currency) {
  const double monthly = hourly * kHoursPerMonth;
  const auto is_whole = [](double amount) { return std::abs(amount - std::round(amount)) < 1e-6; };
  if (!is_whole(100 * hourly) && is_whole(monthly))
    return say("{}/month", with_currency(spoken_sum(monthly), currency));
  return say("{}/h", with_currency(human_number(hourly), currency));
}

}  // namespace

std::string limit_in_words(std::string_view key, const job::Constraints& limits, Currency currency) {
  if (key == "vcpus_min") return say("{} vCPUs", bounds_in_words(limits.vcpus, human_number));
  if (key == "memory_min") return say("{} host memory", bounds_in_words(limits.host_memory_gib, host_memory));
  if (key == "nodes") return *limits.nodes == 1 ? say("1 node") : say("{} nodes", *limits.nodes);
  if (key == "max_nodes") return say("≤{} nodes", *limits.max_nodes);
  if (key == "max_price") return "≤" + price_in_words(*limits.max_price, currency);
  if (key == "allow_list")
    if (const std::string name = only_machine(limits.allow_list); !name.empty()) return say("on {}", printable(name));
  return {};
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

std::string spoken_count(double count) {
  static constexpr std::pair<double, std::string_view> kByTenThousands[] = {{1e12, "万亿"}, {1e8, "亿"}, {1e4, "万"}};
  if (spoken() == "zh")
    for (const auto& [factor, name] : kByTenThousands)
      if (count >= factor) return format("{:.4g} {}", count / factor, name);
  return human_count(count);
}

std::string spoken_money(double amount, Currency currency) { return with_currency(human_price(amount), currency); }

std::string difference_words(double ratio) {
  const double percent = std::round(100 * (ratio - 1));
  constexpr double kFactor = 3;  // from here on "4.2×" says more than "320 %"
  if (percent == 0) return say("the same");
  if (ratio >= kFactor) return say("{}× as much", ratio < 99.5 ? format("{:.2g}", ratio) : format("{:.0f}", ratio));
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
