#include "cli/catalog/lists.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/job.hpp"
#include "show/catalogue/catalog.hpp"
#include "show/json/picked.hpp"
#include "show/json/records.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::cli {

int Lists::with_catalog(const std::function<int(const catalog::Catalog&)>& action) {
  const auto format = context_.format();
  if (!format) return context_.fail(format.error());
  format_ = options_.why && *format == "table" ? "wide" : *format;
  if (options_.shows_one() && options_.question.words.size() != 2)
    return context_.fail(
        Error{ErrorKind::usage,
              say("'show' takes one name"),
              {},
              say("as in gpusel {} show NAME", context_.words.empty() ? "gpus" : context_.words.front())});
  const auto today = context_.today();
  if (!today) return context_.fail(today.error());
  options_.question.today = *today;
  if (options_.reversed)
    for (std::string& key : options_.question.sort_by) key = key.starts_with('-') ? key.substr(1) : "-" + key;
  const auto catalog = context_.load_catalog();
  if (!catalog) return context_.fail(catalog.error());
  return action(*catalog);
}

bool Lists::is_data() const { return show::is_data(format_); }

int show_record(const Record& record, Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  cli::print({.data = [&] { return show::Json{{"schema", record.schema}, {"item", record.json()}}; },
              .document = [&](bool) { return show::Document().page_title(record.name).append(record.card()); },
              .csv = [&] { return show::records_table(show::Json::array({record.json()})); }},
             *format, context);
  return kOk;
}

void Lists::print_items(show::Json items, std::string_view schema) {
  context_.out.write(show::dump_as(format_, {{"schema", schema}, {"items", std::move(items)}}));
}

int Lists::print(const Listing& listing, std::size_t shown, std::size_t all) {
  if (is_data()) {
    print_items(listing.items(), listing.schema);
    return told(all, all);  // a program that asked for fewer rows counts them itself
  }
  if (!options_.columns.empty()) return print_picked(listing, shown, all);
  cli::print({.data = Answer::Tree(),
              .document =
                  [&](bool wide) {
                    show::Document page;
                    page.page_title(listing.title);
                    if (all == 0) return page.line(say("nothing matches"), 2, show::Where::page);
                    page.add(listing.table(wide));
                    return listing.below.empty() ? page : page.line(show::secondary(listing.below));
                  },
              .csv = [&] { return show::records_table(listing.rows()); }},
             format_, context_);
  return told(shown, all);
}

int Lists::print_picked(const Listing& listing, std::size_t shown, std::size_t all) {
  const auto table = show::picked_columns(show::records_table(listing.rows()), options_.columns, format_ != "csv");
  if (!table) return context_.fail(table.error());
  cli::print({.data = Answer::Tree(),
              .document = [&](bool) { return show::Document().page_title(listing.title).add(*table); },
              .csv = [&] { return *table; }},
             format_, context_);
  return told(shown, all);
}

int Lists::told(std::size_t shown, std::size_t all) {
  if (shown < all) context_.note(say("{} of {} shown", shown, all));
  if (all > 0) return kOk;
  const auto& words = options_.question.words;
  const std::string all_words = printable(shorten(join_texts(words, " "), 80));
  context_.note(words.empty()       ? say("nothing matches")
                : words.size() == 1 ? say("nothing matches '{}'", all_words)
                                    : say("nothing matches all of '{}'", all_words));
  return kNothing;
}

Parsed list_command(ListOptions& options) {
  answer::ListQuestion& question = options.question;
  const std::string group = say("List");
  Parsed parsed;
  parsed.positional = "WORDS";
  parsed.positional_help = say("'show NAME' for one with its sources, or words that must occur");
  // "list h100", as other tools say it.
  parsed.positional_set = [&question](std::string_view word) -> Status {
    static constexpr std::string_view kVerbs[] = {"list", "ls", "search"};
    if (!question.words.empty() || std::ranges::find(kVerbs, word) == std::end(kVerbs))
      question.words.emplace_back(word);
    return {};
  };
  parsed.flags.push_back(
      {"-n,--limit,--max-results,--top", "N", say("rows to show"), group, sets(options.limit, job::kCount)});
  parsed.flags.push_back({"--filter", "EXPRESSION", say("filter by keys of the JSON item: 'vram>=48 && price<3'"),
                          group, sets(question.filter)});
  parsed.flags.push_back(columns_flag(options.columns, group));
  parsed.flags.push_back(why_flag(options.why, "--why,--sources", say("every column; of one, its sources")));
  parsed.flags.push_back({"--sort-by,--sort,-s", "KEYS", say("keys of the JSON item or short names: price,-bandwidth"),
                          group, [&question](std::string_view text) -> Status {
                            for (const std::string_view key : split(text, ','))
                              if (!trim(key).empty()) question.sort_by.emplace_back(trim(key));
                            return {};
                          }});
  parsed.flags.push_back(
      {"--sort-direction", "WHICH", say("asc or desc"), group, [&options](std::string_view text) -> Status {
         static constexpr std::string_view kWays[] = {"asc", "ascending", "desc", "descending"};
         if (std::find(std::begin(kWays), std::end(kWays), text) == std::end(kWays))
           return job::not_one_of(text, kWays);
         options.reversed = text.starts_with("desc");
         return {};
       }});
  return parsed;
}

}  // namespace gpusel::cli
