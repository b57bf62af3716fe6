#include "answer/here/fit_here.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace gpusel::answer {

namespace {

using job::Request;

/// A model with room for this long a context fits comfortably: eight users of the usual length, or a long document.
constexpr double kRoomy = 16384;

/// As one person asks it at home or on a workstation.
Request for_one_user(const Request& asked) {
  Request request = asked;
  request.task = job::Task::inference;
  if (!request.concurrency && !request.batch && !request.mode) request.mode = job::Mode::single_stream;
  return request;
}

bool is_as_wide(double a, double b) {
  constexpr double kSameWidth = 0.03;  // scales take a little
  return std::abs(a - b) <= kSameWidth * b;
}

/// Formats that the GPU has kernels for, from wide to narrow; of those of one width what checkpoints mostly come in:
/// fp8 where it is in hardware, else what stands first.
std::vector<const physics::WeightFormat*> formats_for(const EstimateAnswer& answer) {
  std::vector<const physics::WeightFormat*> formats;
  const physics::Device& device = answer.machine.device;
  const auto in_hardware = [&](const physics::WeightFormat& format) {
    const auto rate = physics::compute_rate(format, device);
    return format.arithmetic == physics::Arithmetic::fp8 && rate && rate->native;
  };
  for (const std::string_view name : physics::served_formats(answer.work.inference.engine)) {
    const auto found = physics::weight_format(name);
    if (!found || !physics::has_kernels(**found, device, answer.work.inference.engine)) continue;
    const physics::WeightFormat* const format = *found;
    if (format->bits >= answer.plan.layout.weights->bits || is_as_wide(format->bits, answer.plan.layout.weights->bits))
      continue;
    const auto same =
        std::ranges::find_if(formats, [&](const auto* one) { return is_as_wide(one->bits, format->bits); });
    if (same == formats.end())
      formats.push_back(format);
    else if (in_hardware(*format) && !in_hardware(**same))
      *same = format;
  }
  std::ranges::stable_sort(formats, std::greater(), [](const auto* format) { return format->bits; });
  return formats;
}

FitHere fit_of(const EstimateAnswer& answer, const physics::Coefficients& c) {
  FitHere fit;
  fit.model = answer.work.model;
  fit.need = answer.plan.need;
  if (answer.plan.layout.weights != nullptr) fit.format = answer.plan.layout.weights->name;
  const double longest = answer.work.model->max_context.value_or(std::numeric_limits<double>::infinity());
  if (answer.plan.serving) fit.context = std::min(longest, answer.plan.serving->room.longest_context);
  if (answer.plan.rate > 0) {
    const physics::SpokenRate rate = physics::spoken_rate(answer.work, answer.plan, answer.intervals);
    fit.tokens_per_s = rate.value;
    fit.tokens_interval = rate.interval;
  }
  const bool sure = answer.plan.fits && answer.plan.need.likely(physics::least_chance(answer.work, c));
  fit.room = !answer.plan.fits                          ? Room::no
             : !sure                                    ? Room::tight
             : fit.context >= std::min(kRoomy, longest) ? Room::comfortable
                                                        : Room::fits;
  return fit;
}

/// One model in every format, widest first, until one fits surely; `stop`: there.
std::vector<std::pair<FitHere, EstimateAnswer>> tried(const Request& request, bool stop,
                                                      const catalog::Catalog& catalog, const physics::Coefficients& c,
                                                      std::span<const rules::Rule> rules) {
  std::vector<std::pair<FitHere, EstimateAnswer>> all;
  auto first = answer_estimate(request, catalog, c, false, rules);
  if (!first || !first->plan.serving || first->plan.layout.weights == nullptr) return all;
  const auto formats = request.weights_precision.empty() && request.allow_precisions.empty()
                           ? formats_for(*first)
                           : std::vector<const physics::WeightFormat*>();
  const auto add = [&](EstimateAnswer&& answer) {
    FitHere fit = fit_of(answer, c);
    const bool enough = fit.room == Room::comfortable || fit.room == Room::fits;
    all.emplace_back(std::move(fit), std::move(answer));
    return enough && stop;
  };
  if (add(std::move(*first))) return all;
  for (const physics::WeightFormat* format : formats) {
    Request other = request;
    other.weights_precision = format->name;
    auto answer = answer_estimate(other, catalog, c, false, rules);
    if (!answer || !answer->plan.serving) continue;
    if (add(std::move(*answer))) break;
  }
  return all;
}

/// The widest that fits surely; else the likeliest.
std::size_t best_of(const std::vector<std::pair<FitHere, EstimateAnswer>>& all) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].first.room < all[best].first.room &&
        (all[best].first.room == Room::no || all[best].first.room == Room::tight))
      best = i;
  return best;
}

/// Who is asked for newer first, and of one year those that go by more names.
bool better_known(const catalog::Model& a, const catalog::Model& b) {
  const double year_a = a.release_year.value_or(0);
  const double year_b = b.release_year.value_or(0);
  return year_a != year_b ? year_a > year_b : std::ranges::distance(a.aliases) > std::ranges::distance(b.aliases);
}

}  // namespace

Result<FitList> models_that_fit(const Request& asked, bool all, const catalog::Catalog& catalog,
                                const physics::Coefficients& c, std::span<const rules::Rule> rules) {
  FitList list;
  std::optional<Error> refused;
  for (const catalog::Model& model : catalog.models()) {
    if (!model.is_generator() || model.is_encoder_decoder()) continue;
    Request request = for_one_user(asked);
    request.model = model.id;
    if (refused || list.machine.device.gpu == nullptr) {
      const auto first = answer_estimate(request, catalog, c, false, rules);
      if (!first) {
        if (first.error().where != "model") return std::unexpected(first.error());  // no other model helps
        refused = first.error();
        continue;
      }
      refused.reset();
      list.machine = first->machine;
    }
    auto found = tried(request, true, catalog, c, rules);
    if (found.empty()) continue;
    FitHere& best = found[best_of(found)].first;
    if (best.room == Room::no && !all)
      ++list.too_large;
    else
      list.models.push_back(std::move(best));
  }
  if (list.machine.device.gpu == nullptr && refused) return std::unexpected(*refused);
  std::ranges::stable_sort(list.models,
                           [](const FitHere& a, const FitHere& b) { return better_known(*a.model, *b.model); });
  return list;
}

Result<FitAnswer> model_that_fits(const Request& asked, const catalog::Catalog& catalog, const physics::Coefficients& c,
                                  std::span<const rules::Rule> rules, Date today, Currency currency) {
  const bool serves = !asked.task || *asked.task == job::Task::inference;
  Request request = serves ? for_one_user(asked) : asked;
  auto first = answer_estimate(request, catalog, c, false, rules);
  if (!first) return std::unexpected(first.error());
  FitAnswer out{.best = std::move(*first), .formats = {}, .ways = {}, .cloud = {}, .narrower = {}};
  if (auto found = tried(request, false, catalog, c, rules); !found.empty()) {
    const std::size_t best = best_of(found);
    for (const auto& [fit, answer] : found) out.formats.push_back(fit);
    out.best = std::move(found[best].second);
    if (!out.formats[best].format.empty()) request.weights_precision = out.formats[best].format;
  }
  out.ways = what_would_work(request, out.best, catalog, c, rules);
  if (out.best.plan.fits && out.best.plan.need.likely(physics::least_chance(out.best.work, c))) return out;
  Question question;
  question.request = asked;
  question.request.task = out.best.work.task;
  question.request.gpu.clear();
  question.request.gpus = question.request.gpus_per_node = question.request.nodes = {};
  if (serves) question.request.profile = job::Profile::dev;  // the smallest that runs it
  question.currency = currency;
  question.today = today;
  question.detailed = 1;
  question.alternatives = false;
  const auto rented = [&]() -> std::optional<Advice> {
    auto advice = recommend(question, catalog, rules, c);
    return advice && !advice->recommendations.empty() ? std::optional(std::move(*advice)) : std::nullopt;
  };
  const auto hourly = [](const Advice& advice) { return advice.recommendations.front().cost.hourly; };
  out.cloud = rented();
  if (!serves || !asked.weights_precision.empty()) return out;
  for (const FitHere& fit : out.formats) {
    question.request.weights_precision = fit.format;
    auto advice = rented();
    const auto* cheapest = out.narrower ? &out.narrower->advice : out.cloud ? &*out.cloud : nullptr;
    if (advice && (cheapest == nullptr || hourly(*advice) < hourly(*cheapest)))
      out.narrower = FitAnswer::Narrower{fit.format, std::move(*advice)};
  }
  return out;
}

}  // namespace gpusel::answer
