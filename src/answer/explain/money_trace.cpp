#include "answer/explain/money_trace.hpp"

#include "answer/facts/candidates.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

void explain_money(const money::Quote& cost, const job::Job& work, double rate, std::string_view currency,
                   physics::Trace& trace) {
  using physics::shown;
  const std::string arithmetic = say("arithmetic");
  const auto each = [&](double amount, std::string_view per) {
    return shown("{:.6g}", amount, format("{}/{}", currency, per));
  };
  if (const auto duration = duration_of(work, rate)) {
    const double per_s = rate * (work.counted ? work.counted->unit.per_second : 1);
    trace.push_back(
        {"cost.hours", say("amount of work ÷ rate ÷ 3600 × what failures and restarts add"),
         format("{:.6g} ÷ {:.6g}/s ÷ 3600 × {:.6g}", duration->raw() * per_s, per_s, cost.hours / in_hours(*duration)),
         shown("{:.4g}", cost.hours, "h"), say("the job and its plan")});
  } else {
    trace.push_back({"cost.hours",
                     say("hours of a month, for a service that runs on"),
                     {},
                     shown("{:.6g}", cost.hours, "h"),
                     arithmetic});
  }
  const double paid = cost.paid.job.value_or(cost.paid.month);
  std::string sum = format("{:.6g} × {:.6g} h", cost.rate, paid);
  for (const money::Line& line : cost.lines)
    if (line.known) sum += format(" + {:.6g}", *(cost.paid.job ? line.amounts.job : line.amounts.month));
  trace.push_back({"cost.total",
                   cost.lines.empty() ? say("price of all nodes × hours paid, in the steps and periods of the term")
                                      : say("price of all nodes × hours paid, plus extras"),
                   std::move(sum), shown("{:.6g}", cost.total, std::string(currency)), arithmetic});
  if (cost.per_million_tokens && *cost.per_million_tokens > 0)
    trace.push_back({"cost.per_million_tokens", say("total ÷ tokens × 1e6"),
                     format("{:.6g} ÷ {:.6g} × 1e6", cost.total, cost.total / *cost.per_million_tokens * 1e6),
                     each(*cost.per_million_tokens, "million tokens"), arithmetic});
  const std::string unit = work.counted ? say_name(work.counted->unit.priced) : std::string();
  if (cost.per_unit && *cost.per_unit > 0)
    trace.push_back({"cost.per_unit", say("total ÷ what is done for it"),
                     format("{:.6g} ÷ {:.6g} {}", cost.total, cost.total / *cost.per_unit, unit),
                     each(*cost.per_unit, unit), arithmetic});
}

}  // namespace gpusel::answer
