// gpusel catalog lint: the checks of the catalogue, over what is shipped or over a person's own files.
#include <filesystem>
#include <memory>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/lint/lint.hpp"
#include "catalog/read/own_table.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/loaded_facts.hpp"
#include "gpusel/advisor.hpp"
#include "show/catalogue/lint.hpp"

namespace gpusel::cli {

namespace {

struct LintWish {
  std::vector<std::string> paths;
  std::optional<int> max_age_days;
  bool all = false;
  bool list = false;
};

bool is_directory(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_directory(path, failed);
}

bool is_yaml(const std::string& path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

class CatalogLint {
 public:
  CatalogLint(const LintWish& wish, Context& context) : wish_(wish), context_(context) {}

  int run() {
    const auto format = context_.format();
    if (!format) return context_.fail(format.error());
    if (wish_.list) {
      print({.data = show::check_json,
             .document =
                 [](bool) {
                   show::Document page;
                   return page.page_title(say("What gpusel catalog lint looks for")).add(show::check_table());
                 }},
            *format, context_);
      return kOk;
    }
    const auto today = context_.today();
    if (!today) return context_.fail(today.error());
    if (const Status laid = lay_out(*today); !laid) return context_.fail(laid.error());
    if (const Errors errors = read_places(); !errors.empty()) return tell(errors, *format);
    const auto catalog = catalog::load(options_);
    if (!catalog) return tell(catalog.error(), *format);
    Errors errors = of_other_rooms(*catalog);
    const auto shipped = catalog::load({});
    if (!shipped) return tell(shipped.error(), *format);
    catalog::LintReport report = catalog::lint(*catalog, places_, {*today, wish_.max_age_days, &*shipped});
    catalog::add_problems(report, errors, places_);
    return answer(report, *format);
  }

 private:
  /// Which files are laid over the catalogue, and whether only they are looked at.
  Status lay_out(Date today) {
    options_ = context_.layers();
    options_.own.as_of = today;
    for (const std::string& path : wish_.paths) {
      if (!is_directory(path) && (is_yaml(path) || catalog::is_own_table(path))) {
        options_.overlays.push_back(path);
        continue;
      }
      if (!options_.replacement.empty())
        return usage_error(
            say("'{}' and '{}' are both a whole catalog", printable(options_.replacement), printable(path)), {},
            say("check one after the other"));
      options_.replacement = path;
    }
    looked_at_ = wish_.paths;
    if (looked_at_.empty()) {
      looked_at_ = options_.overlays;
      if (!options_.replacement.empty()) looked_at_.push_back(options_.replacement);
    }
    if (!wish_.paths.empty() || !options_.replacement.empty()) places_.limit();
    return {};
  }

  Errors read_places() {
    Errors all;
    for (const std::string& path : looked_at_) {
      if (catalog::is_own_table(path)) continue;  // its prices are judged as they are laid on top
      Errors errors;
      if (path == options_.replacement && !is_directory(path)) {
        const auto own = catalog::open_snapshot(path);
        own ? places_.add_snapshot(*own) : void(errors = own.error());
      } else {
        auto documents = catalog::read_documents(path);
        documents ? places_.add(std::move(*documents)) : void(errors = documents.error());
      }
      for (Error& error : errors) {
        if (error.where.empty() && error.kind == ErrorKind::bad_catalogue) error.where = path;
        all.push_back(std::move(error));
      }
    }
    return all;
  }

  /// Sections that the catalogue only keeps.
  static Errors of_other_rooms(const catalog::Catalog& catalog) {
    Errors errors;
    if (const auto rules = load_rules(catalog, {}); !rules) errors = rules.error();
    if (const auto coefficients = load_coefficients(catalog); !coefficients)
      errors.insert(errors.end(), coefficients.error().begin(), coefficients.error().end());
    return errors;
  }

  /// What keeps the files from being read at all: findings, or no answer where a file is not there.
  int tell(const Errors& errors, const std::string& format) {
    for (const Error& error : errors)
      if (error.kind != ErrorKind::bad_catalogue) return context_.fail(error);
    catalog::LintReport report;
    catalog::add_problems(report, errors, places_);
    return answer(report, format);
  }

  int answer(const catalog::LintReport& report, const std::string& format) {
    print({.data = [&] { return show::lint_json(report, wish_.all); },
           .document = [&](bool) { return show::lint_page(report, wish_.all, !context_.common.quiet); },
           .csv = [&] { return show::lint_table(report, wish_.all); }},
          format, context_);
    return report.silent() ? kOk : kBadCatalogue;
  }

  const LintWish& wish_;
  Context& context_;
  catalog::LoadOptions options_;
  std::vector<std::string> looked_at_;
  catalog::Places places_;
};

}  // namespace

Parsed make_catalog_lint() {
  auto wish = std::make_shared<LintWish>();
  Parsed parsed;
  parsed.positional = "PATH";
  parsed.positional_places = {{"", "PATH"}};
  parsed.positional_help = say("YAML files, and one directory or snapshot; none: the catalog as commands see it");
  parsed.positional_set = appends_to(wish->paths);
  const std::string group = say("Lint");
  parsed.flags.push_back(
      {"--all", "", say("show accepted findings too, with their reasons"), group, turns_on(wish->all)});
  parsed.flags.push_back({"--list", "", say("print the checks and what they find"), group, turns_on(wish->list)});
  parsed.flags.push_back({"--max-age", "DAYS", say("warn about older prices and rates: 270d, 8w"), group,
                          [wish](std::string_view text) -> Status {
                            const auto age = parse_duration(text, seconds(86400));
                            if (!age) return std::unexpected(age.error());
                            wish->max_age_days = static_cast<int>(std::min(age->raw() / 86400, 1e6));
                            return {};
                          }});
  parsed.run = [wish](Context& context) { return CatalogLint(*wish, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
