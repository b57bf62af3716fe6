#include "cli/gate/price_age.hpp"

#include "base/words/message.hpp"
#include "cli/commands.hpp"

namespace gpusel::cli {

Status check_strict(const job::Constraints& limits) {
  if (!limits.strict.value_or(false) || limits.max_price_age_days) return {};
  return usage_error(say("--strict needs --max-price-age"), {}, say("as in --max-price-age 30d --strict"));
}

std::string too_old(const job::Constraints& limits, std::span<const Date> dates, Date today) {
  if (!limits.strict.value_or(false) || !limits.max_price_age_days) return {};
  std::size_t old = 0;
  std::size_t undated = 0;
  Date oldest;
  for (const Date date : dates) {
    const auto age = days_between(date, today);
    undated += age ? 0 : 1;
    if (!age || *age <= *limits.max_price_age_days) continue;
    ++old;
    if (!oldest.known() || date < oldest) oldest = date;
  }
  if (old + undated == 0) return {};
  std::string words = say("{} of {} prices are older than {:.4g} days", old, dates.size(), *limits.max_price_age_days);
  if (old > 0) words += ", " + say("the oldest from {}", oldest.text());
  if (undated > 0) words += ", " + say("{} have no date", undated);
  return words;
}

int gate_price_age(const job::Constraints& limits, std::span<const catalog::Offer* const> offers, Date today,
                   Context& context, int status) {
  if (status != kOk) return status;
  std::vector<Date> dates;
  for (const catalog::Offer* offer : offers)
    if (offer != nullptr) dates.push_back(Date::from_packed(offer->as_of));
  const std::string words = too_old(limits, dates, today);
  if (words.empty()) return status;
  context.complain(words);
  return kStale;
}

}  // namespace gpusel::cli
