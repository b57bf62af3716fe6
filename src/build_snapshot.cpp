// The build's own tool: reads data/, reports every problem with file:line:column, and writes the
// snapshot that is linked into the program.
#include <cstdio>
#include <fstream>

#include "catalog/import/import.hpp"
#include "catalog/records/measurement.hpp"
#include "catalog/snapshot/load.hpp"
#include "catalog/update/price_lists.hpp"
#include "physics/coefficients.hpp"
#include "physics/serving/abilities.hpp"
#include "rules/fitness.hpp"
#include "rules/rule.hpp"

namespace {

int complain(const gpusel::Errors& errors) {
  for (const gpusel::Error& error : errors)
    std::fprintf(stderr, "%s: error: %s%s%s\n", error.where.c_str(), error.message.c_str(),
                 error.hint.empty() ? "" : "; ", error.hint.c_str());
  return 1;
}

gpusel::Errors fault(const std::string& message, const std::string& where) {
  return {{gpusel::ErrorKind::bad_catalogue, message, where, {}}};
}

/// Shipped files replace nothing of each other: one id, one rule.
gpusel::Errors check_rules(std::span<const gpusel::Document> documents, std::span<const gpusel::rules::Rule> rules) {
  std::size_t written = 0;
  for (const auto& document : documents) written += document.root.find("rules")->children.size();
  return written == rules.size() ? gpusel::Errors{} : fault("two files define a rule of one id", "rules");
}

/// Of the shipped measurements every row can be used, and every column is read.
gpusel::Errors check_measurements(const gpusel::catalog::Catalog& catalog) {
  const auto sheets = gpusel::catalog::shipped_measurements(catalog);
  if (!sheets) return sheets.error();
  gpusel::Errors errors;
  for (const auto& sheet : *sheets) {
    errors.insert(errors.end(), sheet.unusable.begin(), sheet.unusable.end());
    for (const auto& column : sheet.unread)
      errors.push_back({gpusel::ErrorKind::bad_catalogue, "no measurement has a '" + column + "'", sheet.name, {}});
  }
  return errors;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: build_snapshot DATA_DIRECTORY SNAPSHOT\n", stderr);
    return 2;
  }
  const auto catalog = gpusel::catalog::load_directory(argv[1]);
  if (!catalog) return complain(catalog.error());
  // Rules and coefficients travel as trees; a snapshot that the program would refuse is not written.
  const auto rule_files = catalog->documents("rules");
  const auto rules = gpusel::rules::read_rules(rule_files);
  if (!rules) return complain(rules.error());
  if (const auto errors = check_rules(rule_files, *rules); !errors.empty()) return complain(errors);
  const auto calibration = catalog->documents("calibration");
  if (const auto numbers = gpusel::physics::read_coefficients(calibration); !numbers) return complain(numbers.error());
  if (const auto engines = gpusel::physics::read_engines(catalog->documents("engines")); !engines)
    return complain(engines.error());
  if (const auto purposes = gpusel::rules::read_purposes(catalog->documents("verdicts")); !purposes)
    return complain(purposes.error());
  if (const auto errors = gpusel::catalog::check_dialects(*catalog); !errors.empty()) return complain(errors);
  if (const auto errors = gpusel::catalog::check_price_lists(*catalog); !errors.empty()) return complain(errors);
  if (const auto errors = check_measurements(*catalog); !errors.empty()) return complain(errors);
  std::ofstream out(argv[2], std::ios::binary | std::ios::trunc);
  out << gpusel::catalog::write_snapshot(*catalog);
  return out.flush() ? 0 : 1;
}
