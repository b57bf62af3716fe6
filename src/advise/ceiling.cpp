// Machines that are too dear whatever is planned on them: another way to do the job is asked for only where it is
// cheaper, and most of the market is not.
#include <algorithm>
#include <limits>

#include "advise/search.hpp"
#include "gpusel/estimate/inference_bound.hpp"

namespace gpusel::advise {

/// Whether what the ceiling is of is the price of a million generated tokens, and nobody asks why others fell.
bool CandidateSearch::is_bounded() const {
  return context_.ceiling && !keep_rejections_ && work_.task == workload::Task::inference && !work_.counted &&
         !work_.inference.request_rate && work_.profile != workload::Profile::dev;
}

bool CandidateSearch::above_ceiling(const Shape& shape) const {
  if (!is_bounded()) return false;
  const double per_hour = 3600 * shape.machine.gpus_per_node * most_tokens_per_s(shape.machine);
  return least_hourly(shape) / per_hour * 1e6 > kMoreThanRounding * *context_.ceiling;
}

/// Of one GPU, in the best of the formats allowed; 0 where none of them is.
double CandidateSearch::most_tokens_per_s(const estimate::Machine& machine) const {
  most_tokens_.resize(context_.catalog.gpus().size());
  Most& known = most_tokens_[static_cast<std::size_t>(machine.device.gpu - context_.catalog.gpus().data())];
  if (known.share == machine.device.share) return known.tokens_per_s;
  known = {machine.device.share, 0};
  if (const auto formats = plan::allowed_formats(work_, machine.device))
    for (const estimate::WeightFormat* format : *formats)
      known.tokens_per_s =
          std::max(known.tokens_per_s, estimate::most_tokens_per_s(work_, machine, *format, context_.coefficients));
  return known.tokens_per_s;
}

/// Of any instance of the shape, on any terms.
double CandidateSearch::least_hourly(const Shape& shape) const {
  const std::span<const double> cheapest = cheapest_hours();
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t index : shape.instances) least = std::min(least, cheapest[index]);
  return least;
}

/// The lowest price of each instance on any terms, by its place; infinite where none can be compared.
std::span<const double> CandidateSearch::cheapest_hours() const {
  if (like_ != nullptr) return like_->cheapest_hours();
  if (!cheapest_hours_.empty()) return cheapest_hours_;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  cheapest_hours_.resize(context_.catalog.instances().size(), kNone);
  const Currency* currency = nullptr;  // nearly always that of the offer before
  const cost::Exchange* exchange = nullptr;
  for (const catalog::Offer& offer : context_.catalog.offers()) {
    if (const Currency* own = &context_.catalog.currency_of(offer); own != currency) {
      currency = own;
      exchange = context_.converter.exchange(*own);
    }
    double& cheapest = cheapest_hours_[offer.instance];
    if (exchange != nullptr) cheapest = std::min(cheapest, offer.per_hour() * exchange->rate);
  }
  return cheapest_hours_;
}

/// The price of an hour beyond which no offer is below the ceiling: what is paid whole, or on top, only makes it
/// dearer.
double CandidateSearch::dearest_hour(const Used& used) const {
  const auto of_one = cost::job_cost({1, context_.converter.currency()}, context_.converter, used.usage);
  const double each = of_one ? cost_measure(*of_one, work_) : 0;
  return each > 0 ? *context_.ceiling / each * kMoreThanRounding : std::numeric_limits<double>::infinity();
}

}  // namespace gpusel::advise
