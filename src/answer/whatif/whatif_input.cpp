#include "answer/whatif/whatif_input.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/read/priced_name.hpp"

namespace gpusel::answer {

namespace {

using job::Constraints;
using job::find_option;
using job::Request;

constexpr std::string_view kPrice = "price:";
constexpr std::string_view kGpus = "gpus";
constexpr std::string_view kMachineGroup = "Machine";

template <class Target>
Status try_option(const job::Option<Target>& option, std::string_view text) {
  Target scratch;
  return option.set(scratch, text);
}

/// Keys and aliases, but for the short ones.
std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names{kGpus};
  const auto add = [&](const auto& options) {
    for (const auto& option : options) {
      names.push_back(option.key);
      for (const std::string_view alias : split(option.aliases, ' '))
        if (alias.size() > 1) names.push_back(alias);
    }
  };
  add(job_options());
  add(job::constraint_options());
  add(money::duty_options());
  add(money::extra_options());
  return names;
}

/// Sessions are counted by the job, and place_users() has them of a service.
const job::Option<LoadQuestion>* find_load(std::string_view name) {
  const auto* option = job::find_option(load_options(), name);
  return option != nullptr && option->key != "sessions" ? option : nullptr;
}

/// "aws", "p5.48xlarge", "h100:spot", "spot".
Result<Input> find_price(std::string_view text, const catalog::Catalog& catalog) {
  Input input;
  input.key = std::string(kPrice) + std::string(text);
  const auto offers = catalog.offers();
  if (const auto term = job::spelled<catalog::Term>(lower(text))) {
    for (std::uint32_t i = 0; i < offers.size(); ++i)
      if (offers[i].term == *term) input.offers.push_back(i);
    if (input.offers.empty()) return usage_error(say("no {} price is known", to_text(*term)));
    input.about = say("{} prices", human_number(static_cast<double>(input.offers.size())));
    return input;
  }
  const auto name = catalog::priced_name(text, catalog);
  if (!name) return std::unexpected(name.error());
  for (std::uint32_t i = 0; i < offers.size(); ++i)
    if (name->has(offers[i].instance) && (!name->term || offers[i].term == *name->term)) input.offers.push_back(i);
  if (input.offers.empty())
    return usage_error(name->term ? say("no {} price of '{}' is known", to_text(*name->term), shorten(text, 40))
                                  : say("no price of '{}' is known", shorten(text, 40)));
  input.about = in_words(*name, input.offers.size());
  return input;
}

bool accepts_any(const Input& input, std::initializer_list<std::string_view> texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](std::string_view text) { return input.accepts(text).has_value(); });
}

}  // namespace

std::span<const job::Option<Request>> job_options() {
  static const std::vector<job::Option<Request>> options = [] {
    std::vector<job::Option<Request>> job;
    for (const auto& option : job::request_options())
      if (option.group != kMachineGroup) job.push_back(option);
    return job;
  }();
  return options;
}

std::string_view Input::value() const {
  return job != nullptr     ? job->value
         : limit != nullptr ? limit->value
         : duty != nullptr  ? duty->value
         : extra != nullptr ? extra->value
         : load != nullptr  ? load->value
                            : "N";
}

Status Input::accepts(std::string_view text) const {
  if (job != nullptr) return try_option(*job, text);
  if (limit != nullptr) return try_option(*limit, text);
  if (duty != nullptr) return try_option(*duty, text);
  if (extra != nullptr) return try_option(*extra, text);
  if (load != nullptr) return try_option(*load, text);
  if (is_price())
    return usage_error(say("a price is varied in percent: price:aws=-30%..+30%"), {}, say("write -30%..+30%"));
  job::Count count;
  return job::assign(text, count, job::kCount);
}

bool Input::takes_numbers() const {
  if (is_price()) return true;
  return !accepts("true") && !accepts("no-such-word") && accepts_any(*this, {"1", "0.5", "64", "1000", "12h", "40GB"});
}

Result<Input> find_input(std::string_view name, const catalog::Catalog& catalog) {
  if (name.starts_with(kPrice)) return find_price(name.substr(kPrice.size()), catalog);
  Input input;
  // First: among the limits of recommend "gpus" is another name of "gpu", and here it is a number of them.
  if (job::same_spelling(name, kGpus) || job::same_spelling(name, "num_gpus"))
    input.gpus = true;
  else if ((input.load = find_load(name)) != nullptr)  // users are of the load, though sessions are called so too
    input.key = input.load->key;
  else if ((input.job = find_option(job_options(), name)) != nullptr)
    input.key = input.job->key;
  else if ((input.limit = find_option(job::constraint_options(), name)) != nullptr)
    input.key = input.limit->key;
  else if ((input.duty = find_option(money::duty_options(), name)) != nullptr)
    input.key = input.duty->key;
  else if ((input.extra = find_option(money::extra_options(), name)) != nullptr)
    input.key = input.extra->key;
  else {
    const auto names = all_names();
    const Hint near = did_you_mean(name, names);
    return usage_error(say("unknown name '{}'", shorten(name, 40)), {},
                       near.or_else(say("name an option of recommend such as context, a limit, or price:NAME")));
  }
  if (input.gpus) input.key = kGpus;
  return input;
}

Result<Reading> Reading::of(const Input& input, std::string_view sample) {
  Reading reading;
  const auto end = sample.find_last_of("0123456789.");
  const std::string_view unit = end == std::string_view::npos ? std::string_view() : trim(sample.substr(end + 1));
  const std::string_view shown = input.value();
  if (unit == "%") {
    reading.kind = Kind::share;
    reading.unit = unit;
  } else if (!unit.empty() && shown == "TIME") {
    reading.kind = Kind::time;
    reading.unit = unit;
  } else if (!unit.empty() && (shown == "GB" || shown == "GIB") && parse_memory(sample, false)) {
    reading.kind = Kind::memory;
    reading.unit = unit;
  }
  // What "k" means to an option is for the option to say: 1025 is whole, 1000.98 is not.
  else if (input.accepts("1.0009765625k") && !input.accepts("1.001k"))
    reading.kilo = 1024;
  const auto number = reading.number(sample);
  if (!number) return std::unexpected(number.error());
  return reading;
}

Result<double> Reading::number(std::string_view given) const {
  const std::string_view text = trim(given);
  switch (kind) {
    case Kind::count: return parse_count(text, {}, kilo);
    case Kind::share: {
      const auto value = text.ends_with('%') ? plain_number(trim(text.substr(0, text.size() - 1))) : std::nullopt;
      if (!value) return usage_error(say("'{}' is not a percentage", shorten(text, 32)));
      return *value;
    }
    case Kind::time: {
      if (plain_number(text)) return usage_error(say("'{}' has no unit", shorten(text, 32)), {}, say("write 12h..7d"));
      const auto value = parse_duration(text, seconds(1));
      if (!value) return std::unexpected(value.error());
      return *value / *parse_duration("1" + unit, seconds(1));
    }
    case Kind::memory: {
      if (plain_number(text))
        return usage_error(say("'{}' has no unit", shorten(text, 32)), {}, say("write 16GB..80GB"));
      const auto value = parse_memory(text, false);
      if (!value) return std::unexpected(value.error());
      return value->amount() / parse_memory("1" + unit, false)->amount();
    }
  }
  return 0;
}

std::string Reading::text(double number) const {
  constexpr double kPlain = 1e15;  // below it whole numbers are written in full
  const std::string digits =
      number == std::floor(number) && std::abs(number) < kPlain ? format("{:.0f}", number) : format("{:.6g}", number);
  return kind == Kind::count ? digits : digits + unit;
}

}  // namespace gpusel::answer
