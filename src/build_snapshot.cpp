// The build's own tool: reads data/, reports every problem with file:line:column, and writes the
// snapshot that is linked into the program.
#include <cstdio>
#include <fstream>

#include "gpusel/catalog/import.hpp"
#include "gpusel/catalog/load.hpp"
#include "gpusel/catalog/measurement.hpp"
#include "gpusel/estimate/coefficients.hpp"
#include "gpusel/rules/fitness.hpp"
#include "gpusel/rules/rule.hpp"

namespace {

int complain(const gpusel::Errors& errors) {
  for (const gpusel::Error& error : errors)
    std::fprintf(stderr, "%s: error: %s%s%s\n", error.where.c_str(), error.message.c_str(),
                 error.hint.empty() ? "" : "; ", error.hint.c_str());
  return 1;
}

/// Shipped files replace nothing of each other: one id, one rule.
gpusel::Errors check_rules(const std::vector<gpusel::Document>& documents) {
  const auto rules = gpusel::rules::read_rules(documents);
  if (!rules) return rules.error();
  std::size_t written = 0;
  for (const auto& document : documents) written += document.root.find("rules")->children.size();
  if (written == rules->size()) return {};
  return {{gpusel::ErrorKind::bad_catalogue, "two files define a rule of one id", "rules", {}}};
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
  // Rules and coefficients travel as trees, coefficients as rows besides; a snapshot that the program would refuse is
  // not written.
  if (const auto errors = check_rules(catalog->documents("rules")); !errors.empty()) return complain(errors);
  const auto calibration = catalog->documents("calibration");
  if (const auto numbers = gpusel::estimate::read_coefficients(calibration); !numbers) return complain(numbers.error());
  const auto rows = gpusel::estimate::coefficient_rows(calibration);
  if (!gpusel::estimate::read_coefficients(rows))
    return complain(
        {{gpusel::ErrorKind::bad_catalogue, "the rows of the coefficients do not read", "calibration", {}}});
  if (const auto purposes = gpusel::rules::read_purposes(catalog->documents("verdicts")); !purposes)
    return complain(purposes.error());
  if (const auto errors = gpusel::catalog::check_dialects(*catalog); !errors.empty()) return complain(errors);
  if (const auto errors = check_measurements(*catalog); !errors.empty()) return complain(errors);
  std::ofstream out(argv[2], std::ios::binary | std::ios::trunc);
  out << gpusel::catalog::write_snapshot(*catalog, rows);
  return out.flush() ? 0 : 1;
}
