#include "show/job/question.hpp"

#include <array>
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/estimate.hpp"

namespace gpusel::show {

namespace {

using job::Job;

std::string served_words(const Job& work) {
  const job::Inference& job = work.inference;
  std::string words = say("Serve {}", work.model->id);
  if (job.request_rate) words += say(": {:g} req/s", *job.request_rate);
  words += work.model->is_generator() ? say(", {} in + {} out", job.input_tokens, job.output_tokens)
                                      : say(", {} tokens", job.input_tokens);
  const std::pair<std::optional<double>, std::string_view> targets[] = {
      {job.ttft_ms, "TTFT"}, {job.tpot_ms, "TPOT"}, {job.itl_ms, "ITL"}, {job.e2e_ms, "E2E"}};
  for (const auto& [ms, name] : targets)
    if (ms) words += say(", p{:g} {} <= {:g} ms", job.slo_percentile, name, *ms);
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

}  // namespace

std::string question_of(const Job& work) {
  if (work.counted) return job_line(work);
  return job::is_training(work.task) ? trained_words(work) : served_words(work);
}

std::string spoken_gpu(const catalog::Gpu& gpu) {
  std::string name = printable(gpu.name);
  for (const std::string_view maker : {"NVIDIA ", "AMD ", "Intel "})
    if (name.starts_with(maker)) name.erase(0, maker.size());
  return !gpu.memory_gb || name.contains("GB") ? name : format("{} {:g} GB", name, *gpu.memory_gb);
}

std::string spoken_machine(const physics::Machine& machine) {
  if (machine.on_cpu())
    return say("{:g} vCPU of {}", machine.host.vcpus * machine.nodes,
               machine.host.cpu != nullptr ? printable(machine.host.cpu->name) : say("a processor that is not known"));
  std::string words = format("{} × {}", machine.gpus(), spoken_gpu(*machine.device.gpu));
  if (machine.nodes > 1) words += say(", {} nodes", machine.nodes);
  return words;
}

std::string spoken_amount(double amount) {
  constexpr double kCents = 0.1;
  return std::abs(amount) >= kCents && std::abs(amount) < 1000 ? format("{:.2f}", amount) : human_price(amount);
}

std::string spoken_sum(double amount) {
  constexpr double kWhole = 10;
  if (std::abs(amount) < kWhole) return spoken_amount(amount);
  return std::abs(amount) < 1000 ? format("{:.0f}", amount) : human_price(std::round(amount));
}

std::string with_currency(const std::string& amount, Currency currency) {
  const std::string_view code = currency.code();
  const std::string_view sign = code == "USD" ? "$" : code == "EUR" ? "€" : code == "CNY" ? "¥" : std::string_view();
  return sign.empty() ? format("{} {}", amount, code) : format("{}{}", sign, amount);
}

std::string spoken_money(double amount, Currency currency) { return with_currency(spoken_amount(amount), currency); }

std::string difference_words(double ratio) {
  const double percent = std::round(100 * (ratio - 1));
  if (percent == 0) return say("the same");
  return percent < 0 ? say("{:.0f} % less", -percent) : say("{:.0f} % more", percent);
}

}  // namespace gpusel::show
