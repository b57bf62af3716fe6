// gpusel verify: the estimates beside what others have measured, or the user has.
#include <memory>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "show/truth/verify.hpp"

namespace gpusel::cli {

namespace {

struct VerifyOptions {
  std::vector<std::string> files;
  answer::VerifyFilter filter;
  show::VerifyView view;
  bool leave_out = false;
  bool refit = false;
};

using Sheets = std::vector<catalog::MeasurementSheet>;

std::expected<Sheets, Errors> load_sheets(const VerifyOptions& options, const catalog::Catalog& catalog) {
  if (options.files.empty()) return catalog::shipped_measurements(catalog);
  Sheets sheets;
  Errors errors;
  for (const std::string& file : options.files) {
    auto sheet = catalog::read_measurement_file(file, catalog);
    if (sheet)
      sheets.push_back(std::move(*sheet));
    else
      errors.push_back(sheet.error());
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return sheets;
}

/// What of the tables is not in the answer; of the user's own, why.
void tell_left_out(const answer::Verification& verification, bool own, Context& context) {
  for (const auto& sheet : verification.sheets) {
    if (sheet.unread.empty()) continue;
    std::string names;
    for (const std::string& name : sheet.unread) names += (names.empty() ? "" : ", ") + printable(shorten(name, 40));
    context.note(say("{}: ignored columns: {}", printable(sheet.name), names));
  }
  const Errors& unusable = verification.unusable;
  if (unusable.empty()) return;
  if (!own) return context.note(say("rows beyond what can be estimated: {}; -o json names them", unusable.size()));
  context.note(say("rows that cannot be used: {}", unusable.size()), unusable);
}

int run_verify(const VerifyOptions& options, Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  const auto catalog = context.load_catalog();
  if (!catalog) return context.fail(catalog.error());
  const auto coefficients = load_coefficients(*catalog);
  if (!coefficients) return context.fail(coefficients.error());
  auto sheets = load_sheets(options, *catalog);
  if (!sheets) return context.fail(sheets.error());
  const auto verification = answer::verify(std::move(*sheets), options.filter, *catalog, *coefficients);
  if (!verification) return context.fail(as_flag(verification.error()));
  tell_left_out(*verification, !options.files.empty(), context);
  if (verification->rows == 0)
    return context.fail(Error{ErrorKind::unsatisfied, say("no measurements left to compare"), {}, {}});
  show::VerifyView view = options.view;
  const auto documents = catalog->documents("calibration");
  answer::LeaveOut left_out;
  answer::Refit refit;
  if (options.leave_out) {
    left_out = answer::leave_sources_out(*verification, documents, *catalog, *coefficients);
    view.left_out = &left_out;
  }
  if (options.refit) {
    refit = answer::refit(*verification, documents, *catalog, *coefficients);
    view.refit = &refit;
  }
  print({.data = [&] { return show::verify_json(*verification, view); },
         .document =
             [&](bool all) {
               view.all = all;
               return show::verify_page(*verification, view);
             },
         .csv = [&] { return show::verify_table(*verification, view); }},
        *format, context);
  return kOk;
}

Status add_parts(std::string_view text, std::vector<answer::GroupBy>& parts) {
  for (const std::string_view word : split(text, ',')) {
    const auto part = from_text<answer::GroupBy>(trim(word));
    if (!part) return job::not_one_of(trim(word), enum_names<answer::GroupBy>);
    parts.push_back(*part);
  }
  return {};
}

}  // namespace

Parsed make_verify() {
  auto options = std::make_shared<VerifyOptions>();
  Parsed parsed;
  parsed.positional = "FILES";
  parsed.positional_places = {{"", "FILE"}};
  parsed.positional_help = say("CSV of your own measurements, instead of the published ones that come with gpusel");
  parsed.positional_set = appends_to(options->files);
  const std::string group = say("Rows");
  const auto text = [&](std::string name, std::string value, std::string help, std::string& place) {
    parsed.flags.push_back({std::move(name), std::move(value), std::move(help), group, sets(place)});
  };
  text("-t,--task", "training|pretrain|finetune|inference", say("training, pretrain, finetune or inference"),
       options->filter.task);
  text("--gpu", "GPU", say("measured on that GPU"), options->filter.gpu);
  text("--source", "KEY", say("from that source only"), options->filter.source);
  Flag by{
      "--by", "PARTS",
      say("also by source, gpu, architecture, model, method, engine, precision or (memory) counter; several with ','"),
      group, [options](std::string_view given) { return add_parts(given, options->view.by); }};
  by.repeats = true;
  parsed.flags.push_back(by);
  parsed.flags.push_back({"--worst", "N", say("also the N figures that are furthest off"), group,
                          [options](std::string_view given) -> Status {
                            job::Count count;
                            if (Status done = job::assign(given, count, job::kCount); !done) return done;
                            options->view.worst = static_cast<std::size_t>(*count);
                            return {};
                          }});
  parsed.flags.push_back(
      {"--leave-out", "source",
       say("also the errors and intervals of each source with coefficients that were fitted without it"), group,
       [options](std::string_view given) -> Status {
         static constexpr std::string_view kParts[] = {"source"};
         if (given != kParts[0]) return job::not_one_of(given, kParts);
         options->leave_out = true;
         return {};
       }});
  parsed.flags.push_back({"--refit", "", say("also what the measurements make of the coefficients that rest on them"),
                          group, turns_on(options->refit)});
  parsed.flags.push_back({"--explain", "", say("how each figure of error is made, source by source"), group,
                          turns_on(options->view.explain)});
  parsed.run = [options](Context& context) { return run_verify(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
