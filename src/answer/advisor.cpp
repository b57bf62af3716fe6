#include "gpusel/advisor.hpp"

#include "base/io/file.hpp"

namespace gpusel {

std::expected<std::vector<rules::Rule>, Errors> load_rules(const catalog::Catalog& catalog,
                                                           std::span<const std::string> files) {
  auto rules = rules::read_rules(catalog);
  if (!rules) return rules;
  for (const std::string& file : files) {
    const auto text = read_text_file(file);
    if (!text) return std::unexpected(Errors{text.error()});
    const auto document = parse_yaml(*text, file);
    if (!document) return std::unexpected(Errors{document.error()});
    if (Errors errors = rules::add_rule_file(*document, *rules); !errors.empty())
      return std::unexpected(std::move(errors));
  }
  return rules;
}

std::expected<Advisor, Errors> Advisor::open(const catalog::LoadOptions& files,
                                             std::span<const std::string> rule_files) {
  auto catalog = catalog::load(files);
  if (!catalog) return std::unexpected(std::move(catalog.error()));
  auto coefficients = physics::read_coefficients(*catalog);
  if (!coefficients) return std::unexpected(std::move(coefficients.error()));
  auto rules = load_rules(*catalog, rule_files);
  if (!rules) return std::unexpected(std::move(rules.error()));
  return Advisor(std::make_unique<const Facts>(std::move(*catalog), std::move(*coefficients), std::move(*rules)));
}

Result<answer::Advice> Advisor::recommend(answer::Question question) const {
  if (!question.today.known()) question.today = catalog().newest_price();
  return answer::recommend(question, catalog(), rules(), coefficients());
}

Result<answer::EstimateAnswer> Advisor::estimate(const job::Request& request, bool explained) const {
  return answer::answer_estimate(request, catalog(), coefficients(), explained, rules());
}

Result<answer::CompareAnswer> Advisor::compare(std::span<const std::string> names,
                                               const answer::Question& question) const {
  return answer::compare(names, question, catalog(), rules(), coefficients());
}

Result<answer::CostAnswer> Advisor::cost(answer::CostQuestion question) const {
  question.rules = rules();
  return answer::costs(question, catalog(), coefficients());
}

}  // namespace gpusel
