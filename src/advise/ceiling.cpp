// Machines that are too dear whatever is planned on them: another way to do the job is asked for only where it is
// cheaper, and most of the market is not.
#include <algorithm>
#include <limits>

#include "advise/search.hpp"
#include "gpusel/estimate/inference_bound.hpp"

namespace gpusel::advise {

namespace {

/// By which a bound that is summed up in another order may be off.
constexpr double kMoreThanRounding = 1 + 1e-6;

}  // namespace

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
  if (like_ != nullptr) return like_->least_hourly(shape);
  least_hourly_.resize(shapes_.size());
  auto& known = least_hourly_[static_cast<std::size_t>(&shape - shapes_.data())];
  if (known) return *known;
  known = std::numeric_limits<double>::infinity();
  for (const std::uint32_t index : shape.instances)
    for (const catalog::Offer& offer : context_.catalog.offers_of(context_.catalog.instances()[index]))
      if (const auto* exchange = context_.converter.exchange(context_.catalog.currency_of(offer)))
        known = std::min(*known, offer.per_hour() * exchange->rate);
  return *known;
}

}  // namespace gpusel::advise
