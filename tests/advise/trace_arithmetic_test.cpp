// What an explanation prints is arithmetic that anybody can do again: every line of numbers is evaluated as it is
// printed and compared with its result, as far as rounding in print leaves it open.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "gpusel/advise/explain.hpp"
#include "gpusel/base/number.hpp"
#include "support/market.hpp"

using namespace gpusel;
using test::Market;

namespace {

/// Where a printed number lies.
struct Range {
  double low = 0;
  double high = 0;
};

struct Scale {
  std::string_view unit;
  double factor;
};
constexpr Scale kScales[] = {{"B", 1},        {"MiB", 1048576}, {"GiB", 1073741824}, {"GB", 1e9},  {"MB", 1e6},
                             {"M", 1e6},      {"G", 1e9},       {"GB/s", 1e9},       {"G/s", 1e9}, {"GFLOP", 1e9},
                             {"TFLOP", 1e12}, {"TFLOPS", 1e12}, {"ms", 1e-3},        {"µs", 1e-6}, {"s", 1}};

/// Sums, products, powers, max and min of numbers with units: nothing where a text is anything else.
class Sum {
 public:
  explicit Sum(std::string_view text) : rest_(text) {}

  std::optional<Range> value() {
    const Range out = sum();
    skip();
    if (!rest_.empty() || failed_ || count_ == 0) return std::nullopt;
    return out;
  }
  /// Whether its numbers had units that it was brought to the base of.
  bool scaled() const { return scaled_; }

 private:
  void skip() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  bool take(std::string_view sign) {
    skip();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  static Range of(std::initializer_list<double> ends) { return {std::min(ends), std::max(ends)}; }

  Range sum() {
    Range out = product();
    while (!failed_) {
      if (take("+")) {
        const Range more = product();
        out = {out.low + more.low, out.high + more.high};
      } else if (take("−")) {
        const Range less = product();
        out = {out.low - less.high, out.high - less.low};
      } else {
        return out;
      }
    }
    return out;
  }
  Range product() {
    Range out = power();
    while (!failed_) {
      const bool times = take("×");
      if (!times && !take("÷") && !take("/")) return out;
      const Range by = power();
      out = times ? of({out.low * by.low, out.low * by.high, out.high * by.low, out.high * by.high})
                  : of({out.low / by.low, out.low / by.high, out.high / by.low, out.high / by.high});
    }
    return out;
  }
  Range power() {
    const Range base = factor();
    if (!take("^")) return base;
    const Range to = factor();
    return of({std::pow(base.low, to.low), std::pow(base.high, to.high)});
  }
  Range factor() {
    if (take("max(")) return most(true);
    if (take("min(")) return most(false);
    if (!take("(")) return number();
    const Range out = sum();
    if (!take(")")) failed_ = true;
    return out;
  }
  Range most(bool largest) {
    Range out = sum();
    while (take(",")) {
      const Range other = sum();
      out = largest ? Range{std::max(out.low, other.low), std::max(out.high, other.high)}
                    : Range{std::min(out.low, other.low), std::min(out.high, other.high)};
    }
    if (!take(")")) failed_ = true;
    return out;
  }

  Range number() {
    skip();
    const bool negative = rest_.starts_with('-');
    if (negative) rest_.remove_prefix(1);
    std::size_t end = 0;
    while (end < rest_.size() && (std::isdigit(static_cast<unsigned char>(rest_[end])) || rest_[end] == '.')) ++end;
    std::size_t mantissa = end;
    if (end > 0 && end + 1 < rest_.size() && rest_[end] == 'e')
      for (end += 2; end < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[end]));) ++end;
    const std::string digits(rest_.substr(0, end));
    const auto value = plain_number(digits);
    if (end == 0 || !value) {
      failed_ = true;
      return {};
    }
    const std::size_t point = digits.substr(0, mantissa).find('.');
    rest_.remove_prefix(end);
    const double scale = unit();
    double half = 0;  // of the last digit; whole numbers without a unit are counts
    if (point != std::string::npos || scale != 1) {
      half = 0.5 * std::pow(10, -static_cast<double>(point == std::string::npos ? 0 : mantissa - point - 1));
      if (mantissa < end) half *= *value / *plain_number(digits.substr(0, mantissa));
      half = std::min(half, kMostRounded * std::abs(*value) + (*value == 0 ? half : 0));
    }
    ++count_;
    const double sign = negative ? -1 : 1;
    return of({sign * (*value - half) * scale, sign * (*value + half) * scale});
  }
  /// Behind a number: its factor, where it is one that arithmetic depends on; other words of measure count as 1.
  double unit() {
    std::string_view after = rest_;
    if (!after.starts_with(' ')) return 1;
    after.remove_prefix(1);
    const std::size_t end = std::min(after.find_first_of(" ,)"), after.size());
    const std::string_view word = after.substr(0, end);
    const auto* scale = std::ranges::find(kScales, word, &Scale::unit);
    const bool other = word == "requests/s" || word == "h" || word.starts_with("USD");
    if (scale == std::end(kScales) && !other) return 1;
    rest_ = after.substr(end);
    if (other) return 1;
    scaled_ = true;
    return scale->factor;
  }

  static constexpr double kMostRounded = 0.02;  // points of a score have two digits
  std::string_view rest_;
  int count_ = 0;
  bool failed_ = false;
  bool scaled_ = false;
};

/// Half of the last digit of a result as it is printed.
double half_digit(std::string_view text) {
  const std::string_view digits = text.substr(0, text.find_first_not_of("-0123456789."));
  const std::size_t point = digits.find('.');
  return 0.5 * std::pow(10, point == std::string_view::npos ? 0 : -static_cast<double>(digits.size() - point - 1));
}

double scale_of(std::string_view unit) {
  const auto* scale = std::ranges::find(kScales, unit, &Scale::unit);
  return scale == std::end(kScales) ? 1 : scale->factor;
}

const char* const kJobs[] = {
    R"({"model": "llama-7b", "task": "finetune"})",
    R"({"model": "llama-7b", "task": "finetune", "method": "lora"})",
    R"({"model": "llama-7b", "task": "finetune", "method": "qlora"})",
    R"({"model": "llama-7b", "task": "finetune", "activation_checkpointing": "full"})",
    R"({"model": "llama-70b", "task": "pretrain", "tokens": "20B", "pp": 2})",
    R"({"model": "llama-7b", "task": "finetune", "sharding": "ddp", "recipe": "pure"})",
    R"({"model": "llama-7b", "task": "finetune", "sharding": "zero2"})",
    R"({"model": "llama-7b", "task": "finetune", "sharding": "zero3"})",
    R"({"model": "llama-7b", "task": "finetune", "framework": "megatron"})",
    R"({"model": "mixtral-8x7b", "task": "pretrain", "tokens": "1B"})",
    R"({"model": "mixtral-8x7b", "task": "finetune", "method": "lora"})",
    R"({"model": "qwen2.5-0.5b", "task": "inference"})",
    R"({"model": "llama-3.1-8b", "task": "inference"})",
    R"({"model": "llama-3.1-8b", "task": "inference", "concurrency": 1})",
    R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 2, "ttft": 2000})",
    R"({"model": "llama-3.1-8b", "task": "inference", "mode": "online", "concurrency": 16})",
    R"({"model": "llama-3.1-8b", "task": "inference", "engine": "hf"})",
    R"({"model": "llama-3.1-70b", "task": "inference", "weights_precision": "w4a16"})",
    R"({"model": "llama-3.1-70b", "task": "inference", "speculative": "llama-3.1-8b"})",
    R"({"model": "bert-base", "task": "inference"})",
    R"({"model": "whisper-large-v3", "task": "inference"})",
    R"({"model": "resnet-50", "task": "inference"})",
    R"({"model": "sdxl", "task": "inference", "images": 1000})",
    R"({"task": "render", "frames": 100})",
    R"({"task": "transcode", "codec": "h264", "streams": 4})",
};

/// Lines without numbers of their own, and why.
struct Words {
  std::string_view quantity;
  std::string_view because;
};
constexpr Words kWords[] = {
    {"rank", "a place in an order"},
    {"score.", "of a rule, whose message stands beside the points"},
    {"lead.decides", "the name of a part"},
    {"memory", "the branch; memory.total is the sum"},
    {"speed", "the branch; its figures are below it"},
    {"cost", "the branch; its figures are below it"},
    {"cost.offer", "a published price"},
    {"cost.hours", "hours of a month, or of a plan"},
    {"cost.egress_hourly", "beside the total, of the first tier"},
    {"decision", "words"},
    {"interval", "the branch"},
    {"rules", "conditions of rules"},
    {"memory.usable", "a property of the part"},
    {"memory.workspace", "of an engine: one coefficient"},
    {"memory.framework", "of diffusion, render and video: one coefficient"},
    {"memory.weights.stored", "of files as released: their size"},
    {"memory.activations", "of diffusion: positions and channels; of a scene: its size"},
    {"inference.requests_per_s", "at a request rate: what was asked"},
    {"inference.speculation", "printed with its model"},
    {"workspace.logits", "of a pipeline stage without a head: none"},
    {"time.", "of speech and tables: sums over layers, in the formula"},
    {"step.", "of diffusion: sums over layers, in the formula"},
    {"render.score", "a published score"},
    {"cost.per_unit", "its unit is words"},
    {"memory.recomputed_layers", "a share of the layers"},
    {"streams by", "of a block of silicon: clocks and blocks"},
    {"throughput", "of video and rendering: of the bound that is named"},
    {"latency", "of diffusion: to three digits"},
};

bool is_in_words(std::string_view quantity) {
  return std::ranges::any_of(kWords, [&](const Words& one) {
    const bool family = one.quantity.ends_with('.') || one.quantity == "rules" || one.quantity == "streams by";
    return family ? quantity.starts_with(one.quantity) : quantity == one.quantity;
  });
}

}  // namespace

TEST_CASE("the arithmetic that an explanation prints gives its results") {
  std::set<std::string> evaluated;
  for (const char* job : kJobs) {
    advise::Question question;
    question.today = Date(2026, 11, 20);
    const Market& market = Market::shipped();
    const advise::Advice advice = market.recommend(job);
    REQUIRE_FALSE(advice.recommendations.empty());
    const advise::Explained of{question, advice, market.catalog(), market.rules, market.coefficients()};
    const std::size_t count = advice.recommendations.size();
    for (const std::size_t rank : std::set<std::size_t>{0, count / 3, count / 2, count - 1}) {
      for (const auto& line : advise::lines_of(advise::explain_rank(of, rank))) {
        CAPTURE(job, rank, line.quantity, line.formula, line.substituted, line.value.text);
        Sum sum(line.substituted);
        const auto value = sum.value();
        // Whole streams of blocks and clocks are rounded down.
        if (!value || line.quantity.starts_with("streams by")) {
          CHECK(is_in_words(line.quantity));
          continue;
        }
        REQUIRE(line.value.number);
        const double scale = sum.scaled() ? scale_of(line.value.unit) : 1;
        const double result = *line.value.number * scale;
        const double slack = 1e-3 * std::abs(result) +
                             half_digit(line.value.text) * scale;  // of a result that is itself printed shorter
        CHECK(value->low - slack <= result);
        CHECK(result <= value->high + slack);
        evaluated.insert(line.quantity);
      }
    }
  }
  for (const char* often : {"inference.decode_step",
                            "inference.decode_step.device",
                            "inference.prefill",
                            "inference.requests_per_s",
                            "inference.output_tokens_per_s",
                            "training.compute",
                            "training.communication",
                            "training.step_time",
                            "workspace.logits",
                            "workspace.buffers",
                            "memory.weights",
                            "memory.gradients",
                            "memory.optimizer",
                            "memory.activations",
                            "memory.framework",
                            "memory.kv_cache",
                            "memory.total",
                            "samples.products",
                            "cost.total",
                            "cost.hourly",
                            "score"})
    CHECK(evaluated.contains(often));
}
