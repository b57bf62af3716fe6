#include "answer/estimate/largest.hpp"

#include <algorithm>

#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

constexpr std::int64_t kTokenStep = 16;  // of the pages that caches are made of
constexpr std::int64_t kFarthest = 1'000'000;  // the largest count that a question may have
constexpr std::string_view kMicroBatch = "micro_batch";
constexpr std::string_view kConcurrency = "concurrency";

/// As it is typed.
std::string_view flag_of(Size size, bool trains) {
  if (size == Size::seq_len) return trains ? "seq-len" : "context";
  return size == Size::batch ? "batch-size" : kConcurrency;
}

class LargestSearch {
 public:
  LargestSearch(const job::Request& request, const job::Option<job::Request>& option, bool with_trace,
                const catalog::Catalog& catalog, const physics::Coefficients& c, std::span<const rules::Rule> rules)
      : request_(request), option_(option), with_trace_(with_trace), catalog_(catalog), c_(c), rules_(rules) {}

  Result<EstimateAnswer> at(std::int64_t value) const {
    job::Request changed = request_;
    if (Status set = option_.set(changed, format("{}", value)); !set) return std::unexpected(set.error());
    changed.given.push_back(option_.key);
    return answer_estimate(changed, catalog_, c_, with_trace_, rules_);
  }
  bool fits(std::int64_t value) const {
    const auto answer = at(value);
    return answer && answer->plan.fits && answer->plan.need.likely(physics::least_chance(answer->work, c_));
  }
  /// The last multiple of `step` that fits, at most `limit`; 0: none.
  std::int64_t last(std::int64_t step, std::int64_t limit) const {
    std::int64_t good = 0;
    std::int64_t bad = limit / step + 1;
    for (std::int64_t next = 1; next < bad; next *= 2) {
      if (!fits(next * step)) {
        bad = next;
        break;
      }
      good = next;
    }
    while (bad - good > 1) {
      const std::int64_t middle = good + (bad - good) / 2;
      (fits(middle * step) ? good : bad) = middle;
    }
    return good * step;
  }

 private:
  const job::Request& request_;
  const job::Option<job::Request>& option_;
  bool with_trace_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& c_;
  std::span<const rules::Rule> rules_;
};

}  // namespace

Result<Largest> find_largest(const job::Request& request, Size size, const catalog::Catalog& catalog,
                             const physics::Coefficients& c, bool with_trace, std::span<const rules::Rule> rules) {
  const auto plain = answer_estimate(request, catalog, c, false, rules);
  if (!plain) return std::unexpected(plain.error());
  const bool trains = job::is_training(plain->work.task);
  if (size == Size::concurrency && trains)
    return usage_error(say("training has no requests in flight"), "--max", say("seq-len or batch"));
  if (size == Size::seq_len && plain->work.counted)
    return usage_error(say("this work has no sequence length"), "--max", say("batch"));
  const std::string_view flag = flag_of(size, trains);
  const auto& option = *job::find_option(job::request_options(), flag);
  for (const std::string_view other : {option.key, size == Size::batch ? (trains ? kMicroBatch : kConcurrency) : ""})
    if (std::ranges::find(request.given, other) != request.given.end())
      return usage_error(say("the size that is looked for is given too"), "--max", say("leave out --{}", flag));
  const LargestSearch search(request, option, with_trace, catalog, c, rules);
  const std::int64_t step = size == Size::seq_len ? kTokenStep : 1;
  const auto own = size == Size::seq_len ? plain->work.model->max_context : catalog::Number();
  std::int64_t limit = own ? static_cast<std::int64_t>(*own) : kFarthest;
  if (size != Size::seq_len)  // an engine lets further requests wait
    if (const auto all = search.at(limit); all && all->plan.serving)
      limit = std::min(limit, static_cast<std::int64_t>(all->plan.serving->room.sequences) * all->plan.layout.dp);
  const std::int64_t value = search.last(step, limit);
  auto answer = search.at(std::max(value, step));
  if (!answer) return std::unexpected(answer.error());
  return Largest{flag, value, own && value + step > limit, std::move(*answer)};
}

}  // namespace gpusel::answer
