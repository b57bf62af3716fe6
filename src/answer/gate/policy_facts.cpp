#include "answer/gate/policy_facts.hpp"

#include <algorithm>
#include <set>

#include "answer/facts/candidates.hpp"
#include "answer/gate/policy_kinds.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/places/countries.hpp"

namespace gpusel::answer {

namespace {

using rules::Fact;

constexpr Fact kMoney[] = {Fact::price_per_hour, Fact::cost, Fact::cost_per_million_tokens, Fact::cost_per_unit};

/// Facts whose values are words of the program.
struct Closed {
  Fact fact;
  std::span<const std::string_view> values;
};
constexpr Closed kClosed[] = {
    {Fact::task, enum_names<job::Task>},
    {Fact::profile, enum_names<job::Profile>},
    {Fact::method, enum_names<job::Method>},
    {Fact::engine, enum_names<job::Engine>},
    {Fact::render, enum_names<job::Render>},
    {Fact::guest, enum_names<job::Guest>},
    {Fact::renderer, enum_names<job::Renderer>},
    {Fact::codec, enum_names<job::Codec>},
    {Fact::solver, enum_names<job::Solver>},
    {Fact::preprocess, enum_names<job::Preprocessing>},
    {Fact::mode, enum_names<job::Mode>},
    {Fact::precision, enum_names<job::Precision>},
    {Fact::model_kind, enum_names<catalog::ModelKind>},
    {Fact::provider_kind, enum_names<catalog::ProviderKind>},
    {Fact::seller, enum_names<catalog::ProviderKind>},
    {Fact::status, enum_names<catalog::Availability>},
    {Fact::offer_status, enum_names<catalog::Availability>},
    {Fact::vgpu, enum_names<catalog::VgpuSupport>},
    {Fact::peer_link, enum_names<catalog::GpuLink>},
    {Fact::gpu_link, enum_names<catalog::NodeLink>},
    {Fact::rdma, enum_names<catalog::Rdma>},
    {Fact::cpu_arch, enum_names<catalog::CpuArch>},
    {Fact::graphics, enum_names<catalog::Graphics>},
    {Fact::workstation_licence, enum_names<catalog::Licence>},
    {Fact::term, enum_names<catalog::Term>},
    {Fact::price_confidence, enum_names<catalog::Confidence>},
};

/// A text of each record.
template <class Record>
void collect(std::span<const Record> records, std::string_view Record::* text, std::set<std::string_view>& into) {
  for (const Record& record : records)
    if (!(record.*text).empty()) into.insert(record.*text);
}

/// All values of a fact; none where they are open, as names of what limits the speed.
std::set<std::string_view> values_of(Fact fact, const catalog::Catalog& catalog) {
  for (const Closed& closed : kClosed)
    if (closed.fact == fact) return {closed.values.begin(), closed.values.end()};
  std::set<std::string_view> values;
  switch (fact) {
    case Fact::model: collect(catalog.models(), &catalog::Model::id, values); break;
    case Fact::model_family: collect(catalog.models(), &catalog::Model::family, values); break;
    case Fact::model_licence: collect(catalog.models(), &catalog::Model::licence, values); break;
    case Fact::provider: collect(catalog.providers(), &catalog::Provider::id, values); break;
    case Fact::sku: collect(catalog.instances(), &catalog::Instance::sku, values); break;
    case Fact::family: collect(catalog.instances(), &catalog::Instance::family, values); break;
    case Fact::gpu: collect(catalog.gpus(), &catalog::Gpu::id, values); break;
    case Fact::gpu_vendor: collect(catalog.gpus(), &catalog::Gpu::vendor, values); break;
    case Fact::gpu_architecture: collect(catalog.gpus(), &catalog::Gpu::architecture, values); break;
    case Fact::form_factor: collect(catalog.gpus(), &catalog::Gpu::form_factor, values); break;
    case Fact::cpu: collect(catalog.cpus(), &catalog::Cpu::id, values); break;
    case Fact::region: collect(catalog.regions(), &catalog::Region::id, values); break;
    default: break;
  }
  return values;
}

/// The value that people who write `text` mean: of a fact with names of its own, what goes by that name.
std::string meant_by(Fact fact, std::string_view text, const std::set<std::string_view>& known,
                     const catalog::Catalog& catalog) {
  for (const std::string_view value : known)
    if (fold_name(value) == fold_name(text)) return say("did you mean '{}'?", value);
  if (const auto provider = catalog.provider(text); fact == Fact::provider && provider)
    return say("did you mean '{}'?", (*provider)->id);
  if (const auto gpu = catalog.gpu(text); fact == Fact::gpu && gpu) return say("did you mean '{}'?", (*gpu)->id);
  const Hint near = did_you_mean(text, std::vector<std::string_view>(known.begin(), known.end()));
  return near.or_else(say("facts and their values are listed in docs/rules.md"));
}

void check_value(const Node& value, Fact fact, const catalog::Catalog& catalog, Problems& problems) {
  if (!value.is_scalar()) return;  // reported where rules are read
  const auto wrong = [&](std::string hint) {
    problems.add(value, say("no {} is called '{}'", rules::info(fact).name, shorten(printable(value.text), 40)),
                 std::move(hint));
  };
  if (fact == Fact::country || fact == Fact::provider_country) {
    const std::string code = upper(value.text);
    if (!catalog::is_country(code)) return wrong(catalog::country_hint(code));
    if (code != value.text) wrong(say("did you mean '{}'?", code));
    return;
  }
  if (fact == Fact::currency) {
    if (!Currency::parse(value.text)) wrong(say("write an ISO 4217 code such as USD or CNY"));
    return;
  }
  const auto known = values_of(fact, catalog);
  if (!known.empty() && !known.contains(value.text)) wrong(meant_by(fact, value.text, known, catalog));
}

void check_condition(const Node& node, const catalog::Catalog& catalog, Problems& problems) {
  const Node* named = node.is_map() ? node.find("fact") : nullptr;
  const auto fact = named != nullptr ? rules::find_fact(named->text) : std::nullopt;
  if (!fact) {
    for (const Node& child : node.children) check_condition(child, catalog, problems);
    return;
  }
  if (rules::info(*fact).type != rules::FactType::text) return;
  for (const rules::Operator op :
       {rules::Operator::is, rules::Operator::is_not, rules::Operator::in, rules::Operator::not_in})
    if (const Node* operand = node.find(to_text(op)); operand != nullptr) {
      check_value(*operand, *fact, catalog, problems);
      for (const Node& item : operand->children) check_value(item, *fact, catalog, problems);
    }
}

}  // namespace

void check_values(const Node& rule, const catalog::Catalog& catalog, Problems& problems) {
  if (const Node* when = rule.find("when")) check_condition(*when, catalog, problems);
}

bool compares_money(const rules::Condition& condition) {
  const rules::FactSet facts = rules::facts_in(condition);
  return std::ranges::any_of(kMoney, [&](Fact fact) { return facts.test(fact); });
}

rules::Facts in_currency(const PolicySubject& subject, Currency currency, const catalog::Catalog& catalog) {
  rules::Facts facts = subject.facts;
  for (const Fact fact : kMoney)
    if (facts.known(fact)) facts.set(fact, converted({facts.number(fact), subject.currency}, currency, catalog));
  return facts;
}

}  // namespace gpusel::answer
