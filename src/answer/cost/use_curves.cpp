#include "answer/cost/use_curves.hpp"

#include <algorithm>
#include <set>

namespace gpusel::answer {

namespace {

/// Hours a day; what is billed by started units is not billed for nothing.
constexpr double kLeastHours = 0.25;
constexpr int kMostHours = 24;
/// Ranks that are looked through for one with more ways to pay.
constexpr std::size_t kLookedAt = 50;

std::size_t terms_sold(const Recommendation& r, const catalog::Catalog& catalog) {
  std::set<catalog::Term> terms;
  for (const catalog::Offer& offer : catalog.offers_of(*r.instance)) terms.insert(offer.term);
  return terms.size();
}

class Drawing {
 public:
  Drawing(CostQuestion question, const BreakEvenWishes& wishes, const catalog::Catalog& catalog,
          const physics::Coefficients& coefficients)
      : question_(std::move(question)), wishes_(wishes), catalog_(catalog), coefficients_(coefficients) {}

  Result<UseCurves> run(const Advice& advice) {
    question_.subjects = {subject_of(advice.recommendations.front(), advice, catalog_)};
    auto answer = costs(question_, catalog_, coefficients_);
    if (!answer) return std::unexpected(answer.error());
    BreakEvens found = break_evens_of(*answer, answer->items.back());
    if (answer->items.back().terms.size() < 2 && found.ownership.empty() && found.tokens.empty()) {
      if (const Recommendation* other = with_terms(advice)) {
        question_.subjects.push_back(subject_of(*other, advice, catalog_));
        answer = costs(question_, catalog_, coefficients_);
        if (!answer) return std::unexpected(answer.error());
        found = break_evens_of(*answer, answer->items.back());
      }
    }
    UseCurves out{std::move(*answer), {}, {}, {}, {}};
    out.break_evens = break_evens_of(out.costs, out.costs.items.back());
    out.of_best = out.costs.items.size() > 1 ? break_evens_of(out.costs, out.costs.items.front()) : out.break_evens;
    if (Status drawn = draw_terms(out); !drawn) return std::unexpected(drawn.error());
    if (Status drawn = draw_compared(out); !drawn) return std::unexpected(drawn.error());
    draw_others(out);
    mark_crossings(out);
    return out;
  }

 private:
  const Recommendation* with_terms(const Advice& advice) const {
    for (std::size_t i = 1; i < std::min(kLookedAt, advice.recommendations.size()); ++i)
      if (terms_sold(advice.recommendations[i], catalog_) > 1) return &advice.recommendations[i];
    return nullptr;
  }

  BreakEvens break_evens_of(const CostAnswer& answer, const CostItem& item) const {
    return break_evens(answer, item, wishes_, catalog_, coefficients_, question_.explained);
  }

  /// The curves of `question`'s offers, asked for every hour of the day: terms are billed in ways of their own.
  Status draw(CostQuestion question, UseCurves& out) const {
    question.explained = false;
    for (int hour = 0; hour <= kMostHours; ++hour) {
      question.question.duty = money::Duty{};
      question.question.duty.hours_per_day = std::max(kLeastHours, static_cast<double>(hour));
      const double hours = question.question.duty.used_per_month();
      const auto answer = costs(question, catalog_, coefficients_);
      if (!answer) return std::unexpected(answer.error());
      for (const CostItem& item : answer->items)
        for (const TermCost& term : item.terms) {
          const auto curve = find(out, item.subject.rank, term.offer);
          if (!curve || !term.sums().month) continue;
          auto& points = out.curves[*curve].points;
          if (points.empty() || points.back().first < hours) points.emplace_back(hours, *term.sums().month);
        }
    }
    return {};
  }

  /// Each term at its cheapest place.
  Status draw_terms(UseCurves& out) const {
    for (const CostItem& item : out.costs.items)
      for (const TermCost& term : item.terms)
        out.curves.push_back({Payment::term, term.offer->term, term.offer, term.region, item.subject.rank, {}});
    return draw(question_, out);
  }

  /// A commitment is compared where both are sold, which may be dearer than the cheapest place of either.
  Status draw_compared(UseCurves& out) const {
    const CostItem& item = out.item();
    for (const CommitmentBreakEven& one : out.break_evens.commitments)
      for (const ComparedTerm& side : {one.committed, one.on_demand}) {
        if (find(out, item.subject.rank, side.offer)) continue;
        const catalog::Region& place = catalog_.region_of(*side.offer);
        out.curves.push_back({Payment::term, side.offer->term, side.offer, &place, item.subject.rank, {}});
        CostQuestion there = question_;
        there.subjects = {item.subject};
        there.subjects.front().place = place.id;
        if (Status drawn = draw(std::move(there), out); !drawn) return drawn;
      }
    return {};
  }

  static bool is_crossed(const TokenBreakEven& own) {
    return own.answer.utilization && *own.answer.break_even_tokens > 0;
  }

  void draw_others(UseCurves& out) const {
    const int rank = out.item().subject.rank;
    for (const Ownership& own : out.break_evens.ownership) {
      if (own.term->offer->term != catalog::Term::on_demand) continue;
      UseCurve curve{Payment::buying, {}, nullptr, nullptr, rank, {}};
      for (const double hours : {0.0, kHoursPerMonth}) {
        money::OwnCase asked = own.asked;
        asked.hours_per_month = std::max(hours, 1e-6);
        curve.points.emplace_back(hours, money::compare_owning(asked).owned_per_month);
      }
      out.curves.push_back(std::move(curve));
    }
    if (out.break_evens.tokens.empty()) return;
    const TokenBreakEven& tokens = out.break_evens.tokens.front();
    const double per_hour = tokens.price_per_million * tokens.tokens_per_s * 3600 / 1e6;
    out.curves.push_back(
        {Payment::tokens, {}, nullptr, nullptr, rank, {{0, 0}, {kHoursPerMonth, per_hour * kHoursPerMonth}}});
    // What is paid by the hour is compared as a service that waits for its requests.
    for (const TokenBreakEven& own : out.break_evens.tokens)
      if (is_crossed(own) && own.term->commitment.is_as_used()) {
        const double fixed = own.price_per_million * *own.answer.break_even_tokens / 1e6;
        out.curves.push_back({Payment::kept_running,
                              own.term->offer->term,
                              own.term->offer,
                              own.term->region,
                              rank,
                              {{0, fixed}, {kHoursPerMonth, fixed}}});
      }
  }

  static std::optional<std::size_t> find(const UseCurves& out, int rank, const catalog::Offer* offer) {
    for (std::size_t i = 0; i < out.curves.size(); ++i)
      if (out.curves[i].payment == Payment::term && out.curves[i].offer == offer && out.curves[i].rank == rank)
        return i;
    return std::nullopt;
  }

  /// Of the item that is compared; of terms, at their cheapest place.
  static std::optional<std::size_t> find(const UseCurves& out, Payment payment, const TermCost* term) {
    const catalog::Offer* offer = term != nullptr ? term->offer : nullptr;
    for (std::size_t i = 0; i < out.curves.size(); ++i)
      if (out.curves[i].payment == payment && out.curves[i].offer == offer &&
          out.curves[i].rank == out.item().subject.rank)
        return i;
    return std::nullopt;
  }

  static void mark(UseCurves& out, std::optional<std::size_t> curve, std::optional<std::size_t> from, double hours) {
    if (!curve || !from || hours > kHoursPerMonth) return;
    out.crossings.push_back({*curve, *from, hours, out.curves[*curve].at(hours)});
  }

  static void mark_crossings(UseCurves& out) {
    const int rank = out.item().subject.rank;
    for (const CommitmentBreakEven& one : out.break_evens.commitments)
      if (one.hours_per_month)
        mark(out, find(out, rank, one.committed.offer), find(out, rank, one.on_demand.offer), *one.hours_per_month);
    for (const Ownership& own : out.break_evens.ownership)
      if (own.term->offer->term == catalog::Term::on_demand && own.answer.hours_per_month)
        mark(out, find(out, Payment::buying, nullptr), find(out, Payment::term, own.term), *own.answer.hours_per_month);
    for (const TokenBreakEven& own : out.break_evens.tokens) {
      const Payment rented = own.term->commitment.is_as_used() ? Payment::kept_running : Payment::term;
      if (is_crossed(own))
        mark(out, find(out, rented, own.term), find(out, Payment::tokens, nullptr),
             *own.answer.break_even_tokens / own.tokens_per_s / 3600);
    }
  }

  CostQuestion question_;
  const BreakEvenWishes& wishes_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& coefficients_;
};

}  // namespace

double UseCurve::at(double hours) const {
  if (points.empty()) return 0;
  const auto next = std::find_if(points.begin(), points.end(), [&](const auto& point) { return point.first >= hours; });
  if (next == points.end()) return points.back().second;
  if (next == points.begin()) return next->second;
  const auto before = next - 1;
  return before->second + (next->second - before->second) * (hours - before->first) / (next->first - before->first);
}

Result<UseCurves> use_curves(const Advice& advice, CostQuestion question, const BreakEvenWishes& wishes,
                             const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
  return Drawing(std::move(question), wishes, catalog, coefficients).run(advice);
}

}  // namespace gpusel::answer
