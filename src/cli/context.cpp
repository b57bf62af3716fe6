#include "cli/context.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include "base/io/document.hpp"
#include "base/io/process.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/text/unicode.hpp"
#include "base/words/message.hpp"
#include "catalog/read/priced_name.hpp"
#include "catalog/records/layers.hpp"
#include "catalog/update/kept_lists.hpp"
#include "cli/pager.hpp"
#include "job/request/option.hpp"
#include "job/request/request.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::cli {

namespace {

/// How many prices of those that a name means are the user's.
std::size_t discounted(const catalog::PricedName& name, const catalog::Catalog& catalog) {
  const auto offers = catalog.offers();
  const auto changed = std::count_if(offers.begin(), offers.end(), [&](const catalog::Offer& offer) {
    return name.has(offer.instance) && (!name.term || *name.term == offer.term) &&
           catalog.origin_of(offer).source == catalog::kOwnDiscount;
  });
  return static_cast<std::size_t>(changed);
}

/// Whether a later one is of the same subject: that one holds.
template <class Own>
bool is_replaced(const Own& one, const std::vector<Own>& all) {
  return std::any_of(&one + 1, all.data() + all.size(),
                     [&](const Own& later) { return job::same_spelling(later.subject, one.subject); });
}

/// Those of which another holds: "aws 50 %".
std::string replaced_in_words(const catalog::OwnPrices& own) {
  std::string list;
  const auto add = [&](const std::string& one) { list += (list.empty() ? "" : ", ") + one; };
  for (const auto& price : own.prices)
    if (is_replaced(price, own.prices))
      add(format("{} {:.6g} {}", printable(price.subject), price.per_hour.amount, price.per_hour.currency.code()));
  for (const auto& discount : own.discounts)
    if (is_replaced(discount, own.discounts))
      add(format("{} {:.6g} %", printable(discount.subject), discount.share * 100));
  return list;
}

/// "p4d.24xlarge 4.2 USD per hour, aws 32 % off (…)".
std::string in_words(const catalog::OwnPrices& own, const catalog::Catalog& catalog) {
  std::string list;
  const auto add = [&](const std::string& one) { add_name(list, one); };
  for (const auto& price : own.prices) {
    if (is_replaced(price, own.prices)) continue;
    add(say("{} {:.6g} {} per hour", printable(price.subject), price.per_hour.amount, price.per_hour.currency.code()));
  }
  for (const auto& discount : own.discounts) {
    if (is_replaced(discount, own.discounts)) continue;
    if (const auto name = catalog::priced_name(discount.subject, catalog))
      add(say("{} {:.6g} % off ({})", printable(discount.subject), discount.share * 100,
              printable(in_words(*name, discounted(*name, catalog)))));
  }
  return list;
}

/// Of a flag that a setting has given, the setting's.
std::string place_of(const std::string& where, const Settings& settings) {
  if (!where.starts_with("--")) return where;
  const auto set = std::ranges::find_if(settings.applied, [&](const Setting* one) {
    return job::same_spelling(one->name, std::string_view(where).substr(2));
  });
  return set == settings.applied.end() ? where : (*set)->where();
}

/// Of a stream: what COLUMNS says, else its terminal; 0: no limit.
std::size_t columns_of(int stream) {
  constexpr double kWidest = 1e9;  // no line is as long
  if (const auto columns = plain_number(environment("COLUMNS")); columns && *columns >= 1)
    return static_cast<std::size_t>(std::min(*columns, kWidest));
  winsize size{};
  return isatty(stream) == 1 && ioctl(stream, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return kUsage;
    case ErrorKind::unsatisfied: return kNothing;
    case ErrorKind::bad_catalogue: return kBadCatalogue;
    case ErrorKind::io: return kRuntime;
  }
  return kRuntime;
}

}  // namespace

void Output::write(std::string_view text) {
  wrote_ = wrote_ || !text.empty();
  if (kept_ != nullptr) kept_->append(text);
  if (kept_ != nullptr || failed() || closed_) return;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void Output::flush() {
  if (kept_ != nullptr || failed() || closed_) return;
  if (std::fflush(file_) != 0) fail();
}

void Output::fail() {
  if (errno == EPIPE)
    closed_ = true;
  else
    why_ = errno == 0 ? EIO : errno;
}

std::string Context::wanted_format() const {
  if (common.json) return "json";
  return common.output.empty() ? "table" : common.output;
}

Result<std::string> Context::format(std::span<const std::string_view> offered) const {
  const std::string wanted = wanted_format();
  if (common.json && !common.output.empty() && common.output != wanted)
    return usage_error(say("it says '{}', but --json says json", shorten(common.output, 20)), "--output",
                       say("use only one of them"));
  if (std::ranges::find(offered, wanted) != offered.end()) return wanted;
  Hint hint = did_you_mean(wanted, offered);
  if (hint.empty()) {
    std::string list = join_texts(offered, say_name(", "));
    hint = say("allowed: {}", list);
  }
  const auto set = std::ranges::find_if(settings.applied, [](const Setting* one) { return one->name == "output"; });
  if (std::filesystem::path(wanted).has_extension()) {
    // What they print is not what they write.
    const bool writes = std::ranges::any_of(
        words, [](const std::string& word) { return word == "lock" || word == "export" || word == "calibrate"; });
    hint = writes ? say("-o is a format; to write a file: --to {}", shorten(wanted, 40))
                  : say("-o is a format; to write a file: > {}", shorten(wanted, 40));
  }
  return usage_error(say("unknown output format '{}'", shorten(wanted, 20)),
                     set == settings.applied.end() ? "--output" : (*set)->where(), std::move(hint));
}

bool Context::can_ask() { return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1; }

std::optional<std::string> Context::ask(const std::string& question) {
  err.write(question);
  err.flush();
  std::string line;
  for (int c = std::getchar(); c != '\n'; c = std::getchar()) {
    if (c == EOF) return std::nullopt;
    line += static_cast<char>(c);
  }
  return line;
}

show::Terminal Context::terminal() const {
  show::Terminal terminal;
  if (out.kept()) return terminal;
  const bool tty = isatty(STDOUT_FILENO) == 1;
  terminal.width = columns_of(STDOUT_FILENO);
  const bool forced = !environment("CLICOLOR_FORCE").empty() && environment("CLICOLOR_FORCE") != "0";
  const bool plain = !environment("NO_COLOR").empty() || environment("TERM") == "dumb";
  terminal.color = common.color == "always" || (common.color != "never" && !plain && (tty || forced));
  return terminal;
}

void Context::show(std::string_view text) {
  winsize size{};
  const bool on_screen = !out.kept() && isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb" &&
                         ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (common.no_pager || !on_screen || lines < size.ws_row) return out.write(text);
  const std::string command = pager_command();
  out.flush();
  if (command.empty() || !show_in_pager(text, command)) out.write(text);
}

Result<Date> Context::today() const {
  if (replay.today.known()) return replay.today;
  if (const std::string_view given = environment("GPUSEL_TODAY"); !given.empty()) {
    const auto date = Date::parse(given);
    if (date && date->day() != 0) return *date;
    return usage_error(say("'{}' is not a day between 1990 and 2999", shorten(given, 20)), "GPUSEL_TODAY",
                       say("write it like 2026-11-21"));
  }
  const auto days = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day ymd(days);
  return Date{static_cast<int>(ymd.year()), static_cast<int>(static_cast<unsigned>(ymd.month())),
              static_cast<int>(static_cast<unsigned>(ymd.day()))};
}

std::string Context::user_folder() { return own_folder("XDG_DATA_HOME", ".local/share"); }

std::vector<std::string> Context::user_overlays() {
  std::vector<std::string> files;
  const std::string folder = user_folder();
  if (!folder.empty() && may_be_there(folder)) {
    auto below = catalog::overlays_below(folder, lists_folder());
    // Prices that are there and cannot be read are not to be done without: reading the folder says why.
    if (!below) return {folder};
    files = std::move(*below);
  }
  // Lists that were fetched lie below what the user says.
  const std::string lists = folder.empty() ? std::string() : catalog::kept_file(lists_folder());
  if (!lists.empty() && may_be_there(lists)) files.insert(files.begin(), lists);
  return files;
}

std::string Context::lists_folder() {
  const std::string folder = user_folder();
  return folder.empty() ? folder : (std::filesystem::path(folder) / "lists").string();
}

catalog::LoadOptions Context::layers() const {
  catalog::LoadOptions options;
  options.replacement = common.catalog;
  options.overlays = user_overlays();
  options.overlays.insert(options.overlays.end(), common.overlays.begin(), common.overlays.end());
  return options;
}

std::expected<catalog::Catalog, Errors> Context::load_catalog() {
  catalog::LoadOptions options = layers();
  options.own = common.own_prices;
  const bool has_tables = std::ranges::any_of(options.overlays, [](const auto& one) { return one.ends_with(".csv"); });
  if (has_tables && options.own.empty()) {
    const auto day = today();
    if (!day) return std::unexpected(Errors{day.error()});
    options.own.as_of = *day;
  }
  std::vector<Document> documents = replay.documents;
  if (!common.own_machines.empty()) {
    auto known = catalog::load(options, documents);
    if (!known) return known;
    const auto day = today();
    if (!day) return std::unexpected(Errors{day.error()});
    auto own = own_machines_document(common.own_machines, *known, *day);
    if (!own) return std::unexpected(Errors{own.error()});
    documents.push_back(std::move(*own));
  }
  if (options.own.empty()) return catalog::load(options, documents);
  const auto day = today();
  if (!day) return std::unexpected(Errors{day.error()});
  options.own.as_of = *day;
  auto catalog = catalog::load(options, documents);
  if (!catalog) return catalog;
  note(say("your own prices: {}", in_words(options.own, *catalog)));
  if (const std::string replaced = replaced_in_words(options.own); !replaced.empty())
    note(say("set again later, not used: {}", replaced));
  return catalog;
}

/// The flag as it was typed, where it was by another of its names.
std::string as_typed(const std::string& where, std::span<const std::string> words) {
  const auto* option =
      job::find_option(job::request_options(), std::string_view(where).substr(std::min<std::size_t>(2, where.size())));
  if (option == nullptr || std::ranges::find(words, where) != words.end()) return where;
  const auto typed = std::ranges::find_if(words, [&](std::string_view word) {
    return word.starts_with("--") && job::is_alias(option->aliases, word.substr(2, word.find('=') - 2));
  });
  return typed == words.end() ? where : typed->substr(0, typed->find('='));
}

void Context::say_sentence(const Error& error) {
  // What is kept for another program is one sentence.
  const std::string what = err.kept() ? with_hint(error) : error.message;
  complain(error.where.empty() ? what
                               : say("{}: {}", printable(as_typed(place_of(error.where, settings), words)), what));
  if (!err.kept() && !error.hint.empty()) write_remark(to_say("help: {}"), error.hint);
}

void Context::write_remark(std::string_view label, std::string_view text) {
  if (err.kept()) return err.write(visible(text, false) + "\n");
  const std::string form = say_text(label);
  const std::string begin = form.substr(0, form.find("{}"));
  const std::size_t width = isatty(STDERR_FILENO) == 1 ? columns_of(STDERR_FILENO) : 0;
  err.write(show::wrap(begin + visible(text, false), width, display_width(begin)));
}

void Context::complain(std::string_view text) { write_remark(to_say("error: {}"), text); }

std::string Context::data_format() const {
  std::string format = common.json ? "json" : common.output;
  for (std::size_t i = 0; i < words.size() && format.empty(); ++i) {
    const std::string_view word = words[i];
    for (const std::string_view flag : {"--output", "-o"}) {
      if (word == flag && i + 1 < words.size()) format = words[i + 1];
      if (word.starts_with(flag) && word.size() > flag.size())
        format = word.substr(flag.size() + (word[flag.size()] == '=' ? 1 : 0));
    }
    if (word == "--json") format = "json";
  }
  return show::is_data(format) ? format : std::string();
}

void Context::tell(std::span<const Error> errors, int status) {
  const std::string format = out.kept() || out.wrote() ? std::string() : data_format();
  if (!format.empty()) out.write(show::dump_as(format, show::errors_json(errors, status)));
}

int Context::fail(const Error& error) {
  say_sentence(error);
  tell(std::span(&error, 1), status_of(error.kind));
  return status_of(error.kind);
}

int Context::fail(const Errors& errors) {
  constexpr std::size_t kShown = 20;
  const int status = errors.empty() ? static_cast<int>(kRuntime) : status_of(errors.back().kind);
  for (std::size_t i = 0; i < errors.size() && i < kShown; ++i) say_sentence(errors[i]);
  if (is_enough(errors))
    complain(say("and {} more problems; reading stopped", errors.size() - kShown));
  else if (errors.size() > kShown)
    complain(say("and {} more problems", errors.size() - kShown));
  if (!errors.empty()) tell(errors, status);
  return status;
}

void Context::note(std::string_view text) {
  if (!common.quiet) write_remark(to_say("note: {}"), text);
}

void Context::note(std::string_view heading, const Errors& errors) {
  constexpr std::size_t kShown = 20;
  if (errors.empty()) return;
  note(heading);
  for (std::size_t i = 0; i < errors.size() && i < kShown; ++i)
    note(say("{}: {}", printable(errors[i].where), with_hint(errors[i])));
  if (errors.size() > kShown) note(say("and {} more; -o json names all", errors.size() - kShown));
}

std::expected<physics::Coefficients, Errors> load_coefficients(const catalog::Catalog& catalog) {
  return physics::read_coefficients(catalog);
}

}  // namespace gpusel::cli
