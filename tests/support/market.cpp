#include "support/market.hpp"

#include <filesystem>
#include <stdexcept>

#include "base/words/message.hpp"
#include "support/program.hpp"

namespace gpusel::test {

namespace {

[[noreturn]] void fail(const Error& error) { throw std::runtime_error(error.where + ": " + error.message); }

catalog::Catalog loaded(const catalog::LoadOptions& options) {
  auto catalog = catalog::load(options);
  if (!catalog) fail(catalog.error().front());
  return std::move(*catalog);
}

physics::Coefficients coefficients_of(const catalog::Catalog& catalog) {
  auto coefficients = physics::read_coefficients(catalog);
  if (!coefficients) fail(coefficients.error().front());
  return std::move(*coefficients);
}

catalog::LoadOptions only(const std::string& directory) { return {.replacement = directory, .overlays = {}}; }

/// One of tests/data.
catalog::LoadOptions kept(const std::string& market) { return only(kSource + "/tests/data/" + market); }

}  // namespace

Market::Market(const catalog::LoadOptions& options)
    : catalog_(loaded(options)), coefficients_(coefficients_of(catalog_)) {
  auto shipped_rules = rules::read_rules(catalog_.documents("rules"));
  if (!shipped_rules) fail(shipped_rules.error().front());
  rules = std::move(*shipped_rules);
}

Market::Market(const std::string& yaml)
    : Market(only(std::filesystem::path(scratch_file("market.yaml", yaml)).parent_path().string())) {}

Market Market::own_shipped() { return Market(catalog::LoadOptions{}); }

const Market& Market::shipped() {
  static const Market market = own_shipped();
  return market;
}

Market Market::own_small() { return Market(kept("market")); }

const Market& Market::dated() {
  static const Market market(kept("market-2026-11"));
  return market;
}

const Market& Market::small() {
  static const Market market = own_small();
  return market;
}

void Market::reprice(const std::function<void(catalog::Offer&)>& change) {
  std::vector<catalog::Offer> offers(catalog_.offers().begin(), catalog_.offers().end());
  for (catalog::Offer& offer : offers) change(offer);
  catalog_.replace_offers(std::move(offers));
}

Result<answer::Advice> Market::try_recommend(const std::string& job, const std::vector<Limit>& limits,
                                             job::Objective objective) const {
  const auto document = parse_json(job, "job");
  if (!document) fail(document.error());
  answer::Question question;
  auto request = job::read_request(document->root);
  if (!request) return std::unexpected(request.error());
  question.request = std::move(*request);
  for (const auto& [key, value] : limits) {
    const auto* option = job::find_option(job::constraint_options(), key);
    if (option == nullptr) throw std::runtime_error("no constraint " + key);
    if (Status set = option->set(question.constraints, value); !set) return std::unexpected(set.error());
  }
  question.objective = std::move(objective);
  question.today = Date(2026, 11, 20);
  question.every_rejection = true;
  return answer::recommend(question, catalog_, rules, coefficients_);
}

answer::Advice Market::recommend(const std::string& job, const std::vector<Limit>& limits,
                                 job::Objective objective) const {
  auto advice = try_recommend(job, limits, std::move(objective));
  if (!advice) fail(advice.error());
  return std::move(*advice);
}

std::vector<std::string> ranking(const answer::Advice& advice) {
  std::vector<std::string> names;
  for (const auto& r : advice.recommendations) names.push_back(format("{}/{}", r.instance->provider, r.instance->sku));
  return names;
}

Market market_of(const std::vector<OnSale>& machines) {
  std::string sizes, prices;
  for (const OnSale& machine : machines) {
    sizes += format("      - {{sku: {}, gpu: {}, gpus: 1, vcpu: 16, memory_gib: 128}}\n", machine.sku, machine.gpu);
    for (const auto& [term, usd] : machine.usd_per_hour)
      prices += format(
          "  - {{provider: p, region: r, term: {}, currency: USD, as_of: 2026-11-20, source: list, "
          "per_hour: {{{}: {}}}}}\n",
          term, machine.sku, usd);
  }
  return Market(format(R"(
sources: {{list: {{publisher: P, document: prices, date: 2026-11-20, confidence: documented}}}}
providers: [{{id: p, name: P, country: US, kind: cloud, regions: {{r: {{country: US}}}}}}]
families:
  - provider: p
    id: f
    interconnect: {{kind: none}}
    sources: [list]
    sizes:
{}prices:
{})",
                       sizes, prices));
}

}  // namespace gpusel::test
