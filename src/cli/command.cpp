// What all commands share: how they are found, and the flags that every one has.
#include "cli/command.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::cli {

namespace {

void add_own_prices(std::vector<Flag>& flags, catalog::OwnPrices& own) {
  const auto into = [](auto read, auto& list) {
    return [read, &list](std::string_view text) -> Status {
      auto one = read(text);
      if (!one) return std::unexpected(one.error());
      list.push_back(std::move(*one));
      return {};
    };
  };
  const std::string group = say("Output and data");
  Flag price{"--price", "SKU=PRICE",
             say("your price per hour of the whole instance: p4d.24xlarge=4.2, =30CNY, p4d.24xlarge:spot=4"), group,
             into(catalog::parse_price, own.prices)};
  Flag discount{
      "--discount", "WHAT=SHARE",
      say("your discount on a provider, GPU, family or SKU: aws=0.32 (not spot), h100=10%, aws:reserved-1y=10%"), group,
      into(catalog::parse_discount, own.discounts)};
  price.repeats = discount.repeats = true;
  flags.push_back(std::move(price));
  flags.push_back(std::move(discount));
}

}  // namespace

Flag force_flag(bool& force, std::string group) {
  return {"--force", "", say("overwrite a file that gpusel did not write, or that was edited since"), std::move(group),
          turns_on(force)};
}

void add_common_flags(Parsed& parsed, CommonOptions& common) {
  const std::string group = say("Output and data");
  auto& flags = parsed.flags;
  // What prints no answer in any format has an -o of its own.
  if (parsed.find("-o") == nullptr)
    flags.push_back(
        {"-o,--output", "FORMAT",
         parsed.output_help.empty() ? say("table, wide, json, yaml, csv, markdown or html") : parsed.output_help, group,
         sets(common.output)});
  flags.push_back({"--json", "", say("short for -o json"), group, turns_on(common.json)});
  flags.push_back({"-q,--quiet", "", say("no remarks on standard error"), group, turns_on(common.quiet)});
  flags.push_back({"--no-pager", "", say("long answers straight to the terminal, not through $PAGER"), group,
                   turns_on(common.no_pager)});
  flags.push_back({"--color", "WHEN", say("auto, always or never"), group, [&common](std::string_view value) -> Status {
                     static constexpr std::string_view kWhen[] = {"auto", "always", "never"};
                     if (std::find(std::begin(kWhen), std::end(kWhen), value) == std::end(kWhen))
                       return job::not_one_of(value, kWhen);
                     common.color = value;
                     return {};
                   }});
  flags.push_back(
      {"--lang", "LANGUAGE", say("en or zh (default: from the locale)"), group,
       [](std::string_view value) -> Status { return speak(value) ? Status{} : job::not_one_of(value, languages()); }});
  flags.push_back({"--catalog", "PATH",
                   say("directory of YAML or snapshot that replaces the built-in instances and prices"), group,
                   sets(common.catalog)});
  Flag overlay{"--overlay", "FILE", say("overlay on the catalog: YAML, or a CSV of prices with instance,price"), group,
               appends_to(common.overlays)};
  overlay.repeats = true;
  flags.push_back(overlay);
  if (!parsed.shows_prices) return;
  add_own_prices(flags, common.own_prices);
  Flag own{"--own", "MACHINE@PRICE", say("adds a machine of your own: 8xH100@12/h"), group,
           [&common](std::string_view value) -> Status {
             auto machine = parse_own_machine(value);
             if (!machine) return std::unexpected(machine.error());
             common.own_machines.push_back(std::move(*machine));
             return {};
           }};
  own.repeats = true;
  flags.push_back(std::move(own));
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

std::string_view group_of(const Command& command) {
  const auto space = command.name.find(' ');
  return space == std::string_view::npos ? std::string_view{} : command.name.substr(0, space);
}
std::string_view last_word(const Command& command) {
  return group_of(command).empty() ? command.name : command.name.substr(group_of(command).size() + 1);
}

std::string Flag::name() const {
  for (const std::string_view one : split(names, ','))
    if (one.starts_with("--")) return std::string(one);
  return names;
}

bool Flag::is_called(std::string_view text) const {
  const std::string_view bare = text.substr(text.starts_with("--") ? 2 : 0);
  return std::ranges::any_of(split(names, ','), [&](std::string_view one) {
    return one.starts_with("--") && job::same_spelling(one.substr(2), bare);
  });
}

bool Flag::spelled_by(std::string_view word) const {
  if (!word.starts_with("-")) return false;
  const std::string_view spelling = word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
  std::string_view rest = names;
  while (true) {
    const auto comma = rest.find(',');
    if (rest.substr(0, comma) == spelling) return true;
    if (comma == std::string_view::npos) return false;
    rest.remove_prefix(comma + 1);
  }
}

const Flag* Parsed::find(std::string_view word) const {
  const auto flag = std::ranges::find_if(flags, [&](const Flag& one) { return one.spelled_by(word); });
  return flag == flags.end() ? nullptr : &*flag;
}

Parsed set_up(const Command& command, Context& context) {
  Parsed parsed = command.make();
  add_common_flags(parsed, context.common);
  return parsed;
}

}  // namespace gpusel::cli
