#include "answer/lists/like.hpp"

#include <algorithm>
#include <cmath>

#include "answer/facts/candidates.hpp"
#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using catalog::Catalog;
using catalog::Instance;
using rules::Fact;
using rules::FactType;

/// Figures that people tell apart at all.
constexpr double kNoticed = 0.05;
/// Points of alikeness that a missing price costs: among like machines the priced ones come first.
constexpr double kUnpriced = 3;

SimilarityFigure read_figure(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  SimilarityFigure figure;
  for (const std::string_view key : {"fact", "weight"}) fields.require(key);
  if (const Node* name = fields.find("fact")) {
    std::vector<std::string_view> names;
    for (const rules::FactInfo& known : rules::fact_table())
      if (known.stage == rules::Stage::instance) names.push_back(known.name);
    const auto fact = rules::find_fact(name->text);
    if (!fact || info(*fact).stage != rules::Stage::instance)
      problems.add(*name, say("unknown fact of an instance {}", name->describe()), did_you_mean(name->text, names));
    figure.fact = fact.value_or(Fact::gpu);
  }
  figure.weight = fields.number("weight", {0, 1000}).value_or(0);
  figure.label = fields.has("label") ? fields.text("label") : std::string(info(figure.fact).name);
  fields.finish();
  return figure;
}

class LikeComparer {
 public:
  LikeComparer(const SimilarityScale& scale, const Catalog& catalog, const physics::Coefficients& coefficients)
      : scale_(scale), catalog_(catalog), coefficients_(coefficients) {
    for (const SimilarityFigure& figure : scale.figures) wanted_.set(figure.fact);
    for (const Fact fact : {Fact::gpu_memory_gb, Fact::gpu_bandwidth_gbs, Fact::dense16_tflops, Fact::gpus_per_node,
                            Fact::gpu_share, Fact::total_gpu_memory_gb})
      wanted_.set(fact);
  }

  rules::Facts facts_of(const Instance& instance) const {
    rules::Facts facts;
    instance_facts(facts, {instance, nullptr, catalog_, coefficients_}, wanted_);
    return facts;
  }

  Alike compare(const Listed& base, const rules::Facts& base_facts, const Listed& other) const {
    const rules::Facts facts = facts_of(*other.instance);
    Alike out{other, 100, {}, {}};
    double sum = 0;
    double weights = 0;
    constexpr double kFirst = std::numeric_limits<double>::infinity();
    std::vector<std::pair<double, Difference>> differences;
    for (const SimilarityFigure& figure : scale_.figures) {
      if (!base_facts.known(figure.fact) && !facts.known(figure.fact)) continue;
      const bool is_text = info(figure.fact).type == FactType::text;
      const auto [distance, difference] = distance_of(figure, base_facts, facts);
      sum += figure.weight * distance;
      weights += figure.weight;
      if (distance > std::log1p(kNoticed))
        differences.emplace_back(is_text ? kFirst : figure.weight * distance, difference);
    }
    if (weights > 0) out.similarity = 100 * std::exp(-sum / weights);
    if (other.instance != base.instance && (base.offer == nullptr || other.offer == nullptr))
      out.similarity = std::max(0.0, out.similarity - kUnpriced);
    std::stable_sort(differences.begin(), differences.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [weight, difference] : differences) out.differences.push_back(std::move(difference));
    if (base.offer != nullptr && other.offer != nullptr && base.hourly > 0)
      out.ratios.price = other.hourly / base.hourly;
    out.ratios.gpu_memory =
        ratio(base_facts, facts, [](const rules::Facts& f) { return total(f, Fact::gpu_memory_gb); });
    out.ratios.bandwidth =
        ratio(base_facts, facts, [](const rules::Facts& f) { return total(f, Fact::gpu_bandwidth_gbs); });
    // Peaks are of a whole GPU, memory and bandwidth of the slice that an instance has.
    out.ratios.dense16 = ratio(base_facts, facts, [](const rules::Facts& f) -> std::optional<double> {
      const auto all = total(f, Fact::dense16_tflops);
      return all && f.known(Fact::gpu_share) ? std::optional(*all * f.number(Fact::gpu_share)) : std::nullopt;
    });
    return out;
  }

 private:
  static std::optional<double> total(const rules::Facts& facts, Fact fact) {
    if (!facts.known(fact) || !facts.known(Fact::gpus_per_node)) return std::nullopt;
    return facts.number(fact) * facts.number(Fact::gpus_per_node);
  }

  template <class Figure>
  static std::optional<double> ratio(const rules::Facts& base, const rules::Facts& other, Figure figure) {
    const std::optional<double> from = figure(base);
    const std::optional<double> to = figure(other);
    return from && to && *from > 0 ? std::optional(*to / *from) : std::nullopt;
  }

  std::pair<double, Difference> distance_of(const SimilarityFigure& figure, const rules::Facts& base,
                                            const rules::Facts& other) const {
    const Fact fact = figure.fact;
    Difference difference{fact, figure.label, base.shown(fact), other.shown(fact), std::nullopt};
    const double unlike = std::log(scale_.unlike_ratio);
    if (!base.known(fact) || !other.known(fact)) return {unlike, std::move(difference)};
    if (info(fact).type == FactType::text)
      return {base.text(fact) == other.text(fact) ? 0 : unlike, std::move(difference)};
    const double from = base.number(fact);
    const double to = other.number(fact);
    if (info(fact).type == FactType::boolean) return {from == to ? 0 : unlike, std::move(difference)};
    const double most = std::log(scale_.largest_ratio);
    if (from > 0) difference.ratio = to / from;
    if (from == to) return {0, std::move(difference)};
    if (from <= 0 || to <= 0) return {most, std::move(difference)};
    return {std::min(most, std::abs(std::log(to / from))), std::move(difference)};
  }

  const SimilarityScale& scale_;
  const Catalog& catalog_;
  const physics::Coefficients& coefficients_;
  rules::FactSet wanted_;
};

/// The base with its own cheapest offer, whatever the limits on the others are.
Result<Listed> base_of(const Instance& base, const ListQuestion& question, const Catalog& catalog,
                       const physics::Coefficients& coefficients) {
  ListQuestion own;
  own.words = {std::string(base.provider), std::string(base.sku)};
  own.constraints.terms = question.constraints.terms;
  own.currency = question.currency;
  own.today = question.today;
  const auto listed = list_instances(own, false, catalog, coefficients);
  if (!listed) return std::unexpected(listed.error());
  const auto found = std::find_if(listed->listed.begin(), listed->listed.end(),
                                  [&](const Listed& one) { return one.instance == &base; });
  return found == listed->listed.end() ? Listed{&base, nullptr, 0} : *found;
}

bool is_on_sale(const Instance& instance) {
  return instance.status != catalog::Availability::retired && instance.status != catalog::Availability::not_offered;
}

}  // namespace

Result<const Instance*> base_called(std::string_view name, const Catalog& catalog) {
  auto named = catalog.instance(name);
  if (named) return named;
  named.error().where = "--like";
  if (catalog.has_instance(name)) return named;
  const Instance* smallest = nullptr;
  const auto size = [](const Instance& i) {
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    return std::pair(i.gpu_count.value_or(kUnknown), i.vcpu.value_or(kUnknown));
  };
  for (const Instance& instance : catalog.instances()) {
    if (fold_name(instance.family) != fold_name(name) || !is_on_sale(instance)) continue;
    if (smallest == nullptr || size(instance) < size(*smallest)) smallest = &instance;
  }
  if (smallest != nullptr) return smallest;
  return named;
}

std::expected<SimilarityScale, Errors> read_similarity(std::span<const Document> documents) {
  SimilarityScale scale;
  Errors errors;
  for (const Document& document : documents) {
    const Node* section = document.root.find("similarity");
    if (section == nullptr) continue;
    Problems problems{document.name, ErrorKind::bad_catalogue, {}};
    Fields fields(*section, problems);
    scale = {};
    scale.unlike_ratio = fields.number("unlike_ratio", {1, 1e6}).value_or(scale.unlike_ratio);
    scale.largest_ratio = fields.number("largest_ratio", {1, 1e6}).value_or(scale.largest_ratio);
    fields.require("figures");
    for (const Node& node : fields.entries("figures")) scale.figures.push_back(read_figure(node, problems));
    fields.finish();
    errors.insert(errors.end(), problems.errors.begin(), problems.errors.end());
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return scale;
}

Result<AlikeList> instances_like(const Instance& base, const ListQuestion& question, const SimilarityScale& scale,
                                 const Catalog& catalog, const physics::Coefficients& coefficients) {
  const auto own = base_of(base, question, catalog, coefficients);
  if (!own) return std::unexpected(own.error());
  const auto others = list_instances(question, false, catalog, coefficients);
  if (!others) return std::unexpected(others.error());
  const LikeComparer comparer(scale, catalog, coefficients);
  const rules::Facts base_facts = comparer.facts_of(base);
  AlikeList list;
  list.on_other_terms = others->on_other_terms;
  std::vector<Alike>& out = list.alike;
  out.push_back(comparer.compare(*own, base_facts, *own));
  for (const Listed& other : others->listed) {
    const Instance& instance = *other.instance;
    if (&instance == &base || !is_on_sale(instance) || instance.gpu.empty() != base.gpu.empty()) continue;
    out.push_back(comparer.compare(*own, base_facts, other));
  }
  const auto vendor_of = [&](const Alike& one) {
    const catalog::Gpu* gpu = catalog.gpu_of(*one.listed.instance);
    return gpu != nullptr ? gpu->vendor : std::string_view{};
  };
  const std::string_view vendor = vendor_of(out.front());
  if (question.sort_by.empty())
    std::stable_sort(out.begin() + 1, out.end(), [&](const Alike& a, const Alike& b) {
      // Software written for one vendor's accelerators does not run on another's.
      const bool a_runs = vendor_of(a) == vendor;
      if (const bool b_runs = vendor_of(b) == vendor; a_runs != b_runs) return a_runs;
      const bool a_here = a.listed.instance->provider == base.provider;
      const bool b_here = b.listed.instance->provider == base.provider;
      return a_here != b_here ? b_here : a.similarity > b.similarity;
    });
  return list;
}

}  // namespace gpusel::answer
