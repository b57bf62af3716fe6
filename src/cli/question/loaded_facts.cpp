#include "cli/question/loaded_facts.hpp"

#include <algorithm>

#include "cli/commands.hpp"
#include "gpusel/advisor.hpp"

namespace gpusel::cli {

std::expected<LoadedFacts, int> prepare(const FactsWanted& wishes, Context& context) {
  const auto fail = [&](const auto& error) { return std::unexpected(context.fail(error)); };
  std::vector<std::string_view> formats(std::begin(kEveryFormat), std::end(kEveryFormat));
  formats.insert(formats.end(), wishes.own_formats.begin(), wishes.own_formats.end());
  auto format = context.format(formats);
  if (!format) return fail(format.error());
  const auto today = context.today();
  if (!today) return fail(today.error());
  if (Status strict = check_strict(wishes.limits); !strict) return fail(strict.error());
  auto catalog = context.load_catalog();
  if (!catalog) return fail(catalog.error());
  auto coefficients = load_coefficients(*catalog);
  if (!coefficients) return fail(coefficients.error());
  LoadedFacts ground{std::move(*format), *today, std::move(*catalog), std::move(*coefficients), {}};
  if (wishes.rule_files == nullptr) return ground;
  auto rules = load_rules(ground.catalog, *wishes.rule_files);
  if (!rules) return fail(rules.error());
  ground.rules = std::move(*rules);
  return ground;
}

}  // namespace gpusel::cli
