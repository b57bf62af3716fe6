#include "job/limits/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/catalog.hpp"
#include "catalog/read/priced_name.hpp"
#include "catalog/records/mig.hpp"
#include "job/limits/limit_values.hpp"

namespace gpusel::job {

namespace {

constexpr std::string_view kWeights[] = {"cost", "speed", "headroom"};

}  // namespace

std::vector<std::string> Constraints::named_clouds() const {
  std::vector<std::string> named = clouds;
  for (const Infra& one : infra) named.push_back(one.cloud);
  return named;
}

std::vector<std::string> Constraints::named_regions() const {
  std::vector<std::string> named = regions;
  for (const Infra& one : infra)
    if (!one.region.empty()) named.push_back(one.region);
  return named;
}

Status set_list(std::string_view text, std::vector<std::string>& list) {
  for (const std::string_view part : split(text, ','))
    if (!part.empty()) list.emplace_back(part);
  return list.empty() ? Status(usage_error(say("an empty list says nothing"))) : Status{};
}

Status set_regions(std::string_view text, Constraints& c) {
  const std::string name = lower(trim(text));
  if (name != "any" && name != "all" && name != "不限") return set_list(text, c.regions);
  c.regions.clear();
  return {};
}

Status set_named(std::string_view text, std::vector<std::string>& list, std::span<const std::string_view> allowed) {
  for (const std::string_view part : split(text, ',')) {
    const std::string name = lower(part);
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) return not_one_of(name, allowed);
    list.push_back(name);
  }
  return {};
}

Status set_least_memory(std::string_view text, std::optional<MemorySize>& place) {
  text = trim(text);
  return set_memory(text.ends_with('+') ? text.substr(0, text.size() - 1) : text, place, false);
}

Status set_memory(std::string_view text, std::optional<MemorySize>& place, bool binary_if_no_unit) {
  const auto size = parse_memory(text, binary_if_no_unit);
  if (!size) return std::unexpected(size.error());
  place = *size;
  return {};
}

namespace {

/// "4+", "a..b" or one value; what one value bounds is for the option to say.
Status set_bounds(std::string_view text, Bounds& bounds, ReadNumber read) {
  const BoundTexts ends = split_bounds(text);
  if (ends.low.empty() && ends.high.empty()) return usage_error(say("an empty range says nothing"));
  for (const auto& [end, place] : {std::pair(ends.low, &bounds.low), std::pair(ends.high, &bounds.high)}) {
    if (end.empty()) continue;
    const Result<double> value = read(end);
    if (!value) return std::unexpected(value.error());
    *place = *value;
  }
  if (bounds.low && bounds.high && *bounds.low > *bounds.high)
    return usage_error(say("the range '{}' is empty", shorten(text, 40)), {}, say("write the smaller end first"));
  return {};
}

}  // namespace

Result<double> read_count(std::string_view text) { return parse_fraction(text, {0.01, 1e6}); }
Result<double> read_gb(std::string_view text) {
  const auto size = parse_memory(text, false);
  if (!size) return std::unexpected(size.error());
  if (size->binary) return usage_error(say("GPUs are named by their marketed GB"), {}, say("--min-vram takes GiB"));
  return size->value;
}
Result<double> read_host_gib(std::string_view text) {
  const auto size = parse_memory(text, true);
  if (!size) return std::unexpected(size.error());
  return in_gib(size->amount());
}

Status set_least(std::string_view text, Bounds& bounds, ReadNumber read) {
  Bounds given;
  if (Status set = set_bounds(text, given, read); !set) return set;
  bounds.low = given.low;
  if (text.find("..") != std::string_view::npos) bounds.high = given.high;
  return {};
}

Status set_most(std::string_view text, Bounds& bounds, ReadNumber read) {
  const Result<double> value = read(text);
  if (!value) return std::unexpected(value.error());
  bounds.high = *value;
  return {};
}

Status set_duration_hours(std::string_view text, std::optional<double>& hours) {
  const auto duration = parse_duration(text, seconds(3600));
  if (!duration) return std::unexpected(duration.error());
  if (duration->raw() <= 0) return usage_error(say("must be more than 0 hours"));
  hours = in_hours(*duration);
  return {};
}

Status set_days(std::string_view text, std::optional<double>& days) {
  const auto duration = parse_duration(text, seconds(86400));
  if (!duration) return std::unexpected(duration.error());
  days = duration->raw() / 86400;
  return {};
}

Status set_vendors(std::string_view text, Constraints& c) {
  if (text != "any") return set_named(text, c.vendors, kVendors);
  c.vendors.insert(c.vendors.end(), std::begin(kVendors), std::end(kVendors));
  return {};
}

/// "aws,!vast": those with a mark in front are left out.
Status set_clouds(std::string_view text, Constraints& c) {
  std::vector<std::string> names;
  if (Status set = set_list(text, names); !set) return set;
  for (std::string& name : names) {
    const bool out = name.starts_with('!');
    if (name.size() <= (out ? 1U : 0U))
      return usage_error(say("'{}' names no provider", shorten(name, 40)), {}, say("write aws,gcp or !vast"));
    (out ? c.not_clouds : c.clouds).push_back(out ? name.substr(1) : std::move(name));
  }
  return {};
}

Status add_infra(std::string_view text, Constraints& c) {
  const auto parts = split(text, '/');
  if (parts[0].empty())
    return usage_error(say("'{}' names no provider", shorten(text, 40)), {}, say("write aws/us-east-1"));
  const bool one_region = parts.size() > 1 && parts[1] != "*";
  c.infra.push_back({std::string(parts[0]), one_region ? std::string(parts[1]) : std::string()});
  return {};
}

namespace {

/// "1y" of "1yr" and "1-year".
std::string short_term(std::string_view text) {
  std::string name = lower(trim(text));
  for (const std::string_view year : {"-years", "-year", "years", "year", "yr"}) {
    if (!name.ends_with(year) || name.size() == year.size()) continue;
    if (name[name.size() - year.size() - 1] < '0' || name[name.size() - year.size() - 1] > '9') continue;
    return name.replace(name.size() - year.size(), year.size(), "y");
  }
  return name;
}

/// Those of every length: "reserved-1y" and its like of "reserved".
std::vector<std::string_view> terms_of_kind(std::string_view kind) {
  std::vector<std::string_view> terms;
  for (const std::string_view term : enum_names<catalog::Term>)
    if (term.size() > kind.size() && term.starts_with(kind) && term[kind.size()] == '-') terms.push_back(term);
  return terms;
}

}  // namespace

Status add_terms(std::string_view text, Constraints& c) {
  for (const std::string_view part : split(text, ',')) {
    const std::string name = short_term(part);
    const auto term = spelled<catalog::Term>(fold_name(name));
    if (const auto every = terms_of_kind(name); !every.empty()) {
      c.terms.insert(c.terms.end(), every.begin(), every.end());
    } else if (term) {
      c.terms.emplace_back(to_text(*term));
    } else if (name == "any" || name == "all") {
      c.terms.emplace_back("any");
    } else {
      std::vector<std::string_view> known(enum_names<catalog::Term>.begin(), enum_names<catalog::Term>.end());
      known.emplace_back("any");
      return not_one_of(name, known);
    }
  }
  return {};
}

namespace {

bool is_open(const Bounds& bounds) { return !bounds.low && !bounds.high; }

/// "8": how many, of whatever kind.
bool is_count_alone(const GpuSpec& spec) {
  return !is_open(spec.count) && spec.names.empty() && spec.vendor.empty() && is_open(spec.memory_gb) && !spec.none;
}

}  // namespace

Status add_gpu(std::string_view text, Constraints& c) {
  auto spec = parse_gpu_spec(text);
  if (!spec) return std::unexpected(spec.error());
  if (!c.nodes) c.nodes = spec->nodes;  // another number beside it is a contradiction
  // A kind in one flag and a count in another are one wish.
  for (GpuSpec& other : c.gpus) {
    const bool count_here = is_count_alone(*spec) && is_open(other.count) && !other.none;
    const bool count_there = is_count_alone(other) && is_open(spec->count) && !spec->none;
    if (!count_here && !count_there) continue;
    const Bounds count = count_here ? spec->count : other.count;
    if (count_there) std::swap(other, *spec);
    other.text += ":" + spec->text;
    other.count = count;
    return {};
  }
  c.gpus.push_back(std::move(*spec));
  return {};
}

namespace {

/// Keeps the currency it was typed in, too.
void keep_money(const TypedMoney& money, double amount, std::string_view key, std::optional<double>& place,
                Constraints& c) {
  place = amount;
  std::erase_if(c.money_in, [&](const auto& one) { return one.first == key; });
  if (money.currency) c.money_in.emplace_back(key, *money.currency);
}

}  // namespace

Status set_hourly(std::string_view text, Constraints& c) {
  const auto money = parse_money(text);
  if (!money) return std::unexpected(money.error());
  keep_money(*money, money->per_hour(), "max_price", c.max_price, c);
  return {};
}

Status set_budget(std::string_view text, Constraints& c) {
  const auto money = parse_money(text);
  if (!money) return std::unexpected(money.error());
  if (money->every_hours > 0) return set_hourly(text, c);
  keep_money(*money, money->amount, "budget", c.budget, c);
  return {};
}

namespace {

/// "gpu_name=RTX_4090 num_gpus>=4", as vast.ai's search writes it.
Result<GpuSpec> parse_query(std::string_view text) {
  GpuSpec spec;
  for (const std::string_view term : split(text, ' ')) {
    if (term.empty()) continue;
    const auto at = term.find_first_of("<>=");
    const std::string_view key = term.substr(0, at);
    const std::string_view op =
        at == std::string_view::npos ? "" : term.substr(at, term.find_first_not_of("<>=", at) - at);
    const std::string_view value = at == std::string_view::npos ? "" : term.substr(at + op.size());
    if (key == "gpu_name" && op == "=") {
      spec.names.push_back(catalog::fold_gpu_name(value));
      continue;
    }
    Bounds* bounds = key == "num_gpus" ? &spec.count : key == "gpu_ram" ? &spec.memory_gb : nullptr;
    const auto number = key == "gpu_ram" ? read_gb(value) : read_count(value);
    if (bounds == nullptr || !number || (op != "=" && op != ">=" && op != "<="))
      return usage_error(say("cannot read '{}'", shorten(term, 40)), {},
                         say("known: gpu_name=NAME, num_gpus>=N, gpu_ram>=GB"));
    if (op != "<=") bounds->low = *number;
    if (op != ">=") bounds->high = *number;
  }
  return spec;
}

bool is_memory(std::string_view text) {
  const BoundTexts ends = split_bounds(text);
  const std::string_view end = ends.low.empty() ? ends.high : ends.low;
  return !plain_number(end) && read_gb(end).has_value();
}
bool is_count(std::string_view text) {
  const BoundTexts ends = split_bounds(text);
  return read_count(ends.low.empty() ? ends.high : ends.low).has_value();
}

}  // namespace

std::optional<std::pair<double, std::string_view>> count_in_front(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789");
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  const auto count = plain_number(text.substr(0, end));
  const std::string_view rest = trim(text.substr(end));
  constexpr std::string_view kTimes[] = {"x", "X", "×", "卡", "张", "块"};  // "8卡A100"
  const auto times = std::ranges::find_if(kTimes, [&](std::string_view sign) { return rest.starts_with(sign); });
  if (!count || times == std::end(kTimes) || rest.size() < times->size() + 2) return std::nullopt;
  return std::pair(*count, trim(rest.substr(times->size())));
}

namespace {

/// 7 of "1/7".
std::optional<std::int64_t> parts_of(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos || plain_number(trim(text.substr(0, slash))) != 1.0) return std::nullopt;
  const auto parts = plain_number(trim(text.substr(slash + 1)));
  constexpr double kMostParts = 64;
  if (!parts || *parts < 2 || *parts > kMostParts || *parts != std::floor(*parts)) return std::nullopt;
  return static_cast<std::int64_t>(*parts);
}

}  // namespace

namespace {

/// Where a count behind a name begins: "A100:4" and "A100*4"; an x may belong to the name, as in mi300x.
std::pair<std::size_t, std::size_t> before_count(std::string_view text) {
  if (const auto colon = text.rfind(':'); colon != std::string_view::npos) return {colon, 1};
  for (const std::string_view sign : {"*", "×"})
    if (const auto at = text.rfind(sign);
        at > 0 && at != std::string_view::npos && plain_number(trim(text.substr(at + sign.size()))))
      return {at, sign.size()};
  return {std::string_view::npos, 1};
}

}  // namespace

CountedGpu counted_gpu(std::string_view text) {
  CountedGpu out;
  std::string_view rest = trim(text);
  while (const auto counted = count_in_front(rest)) {
    if (out.nodes || counted->first < 1 || counted->first > 1e6) break;
    out.nodes = std::exchange(out.count, static_cast<std::int64_t>(counted->first));
    rest = counted->second;
  }
  const auto [colon, wide] = before_count(rest);
  if (const auto parts = colon == std::string_view::npos ? std::nullopt : parts_of(rest.substr(colon + wide))) {
    out.parts = parts;
    out.name = trim(rest.substr(0, colon));
    return out;
  }
  const auto behind = colon == std::string_view::npos ? std::nullopt : plain_number(trim(rest.substr(colon + wide)));
  if (behind && *behind >= 1 && *behind <= 1e6 && *behind == std::floor(*behind) && !out.nodes) {
    out.nodes = std::exchange(out.count, static_cast<std::int64_t>(*behind));
    rest = trim(rest.substr(0, colon));
  }
  out.name = rest;
  return out;
}

bool GpuSpec::names_gpu(const catalog::Gpu& gpu) const {
  if (!vendor.empty() && vendor != gpu.vendor) return false;
  if (names.empty()) return true;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return catalog::goes_by(gpu, name); });
}

namespace {

bool given_once(const Bounds& bounds) { return bounds.low || bounds.high; }

std::unexpected<Error> unreadable(std::string_view text) {
  return usage_error(say("cannot read the GPU specification '{}'", shorten(text, 60)), {},
                     catalog::mig_spelling(text).or_else(
                         say("write H100:8, 80GB+, nvidia:A100,H100:40GB..80GB:1..8 or \"2x RTX 4090\"")));
}

/// "amd" of "amd h100": folding drops it from the name, and it must not be lost.
std::string maker_in(std::string_view name) {
  const auto end = name.find_first_of(" -_");
  const std::string first = lower(name.substr(0, end));
  const bool is_maker = end != std::string_view::npos && std::ranges::find(kVendors, first) != std::end(kVendors);
  return is_maker ? first : std::string();
}

/// Vendor, names, memory and count between colons, each at most once.
Result<GpuSpec> parse_parts(std::string_view text) {
  GpuSpec spec;
  bool first = true;  // a number in front is a name, as in 4090
  for (const std::string_view part : split(text, ':')) {
    if (part.empty()) return unreadable(text);
    const bool vendor = std::find(std::begin(kVendors), std::end(kVendors), lower(part)) != std::end(kVendors);
    if (vendor && spec.vendor.empty() && spec.names.empty()) {
      spec.vendor = lower(part);
    } else if (is_memory(part)) {
      if (given_once(spec.memory_gb)) return unreadable(text);
      if (Status set = set_bounds(part, spec.memory_gb, read_gb); !set) return std::unexpected(set.error());
    } else if (!first && is_count(part)) {
      if (given_once(spec.count)) return unreadable(text);
      if (Status set = set_bounds(part, spec.count, read_count); !set) return std::unexpected(set.error());
    } else if (spec.names.empty()) {
      if (spec.vendor.empty() && !part.contains(',')) spec.vendor = maker_in(trim(part));
      for (const std::string_view name : split(part, ',')) spec.names.push_back(catalog::fold_gpu_name(name));
    } else {
      return unreadable(text);
    }
    first = false;
  }
  return spec;
}

}  // namespace

Result<GpuSpec> parse_gpu_spec(std::string_view given) {
  std::string_view text = trim(given);
  if (text.starts_with("gpu:")) text.remove_prefix(4);  // Slurm: --gres gpu:a100:4
  if (text.empty()) return unreadable(text);
  std::string spelled;
  if (const auto [at, wide] = before_count(text);
      at != std::string_view::npos && text[at] != ':' && text.find_first_of(":,=") == std::string_view::npos) {
    spelled = std::string(text.substr(0, at)) + ":" + std::string(trim(text.substr(at + wide)));
    text = spelled;
  }
  if (text.starts_with('!'))
    return usage_error(say("--gpu cannot exclude GPUs"), {},
                       say("write --filter 'gpu!={}'", shorten(text.substr(1), 40)));
  Result<GpuSpec> spec{GpuSpec{}};
  constexpr double kMostPerInstance = 512;  // above it a bare number is a name, as 4090
  const auto bare = plain_number(text);
  if (text.find('=') != std::string_view::npos) {
    spec = parse_query(text);
  } else if (lower(text) == "none" || lower(text) == "cpu" || text == "0" || text == "无") {
    spec->none = true;
  } else if (lower(text) == "any" || lower(text) == "all" || text == "不限") {
    spec->text = text;
    return spec;
  } else if (bare && *bare > 0 && *bare <= kMostPerInstance) {
    spec->count = {*bare, *bare};
  } else if (count_in_front(text)) {
    const CountedGpu counted = counted_gpu(text);
    spec->names.push_back(catalog::fold_gpu_name(counted.name));
    spec->vendor = maker_in(counted.name);
    const auto each = static_cast<double>(counted.count.value_or(1));
    spec->count = {each, each};
    spec->nodes = counted.nodes;
  } else {
    spec = parse_parts(text);
  }
  if (!spec) return spec;
  const auto nameless = [](const std::string& name) { return name.empty(); };
  if (std::any_of(spec->names.begin(), spec->names.end(), nameless)) return unreadable(text);
  for (const Bounds& bounds : {spec->memory_gb, spec->count})
    if (bounds.low && bounds.high && *bounds.low > *bounds.high) return unreadable(text);
  spec->text = text;
  return spec;
}

Status add_weights(std::string_view text, Objective& objective) {
  for (const std::string_view part : split(text, ',')) {
    const auto equals = part.find('=');
    const std::string name = lower(trim(part.substr(0, equals)));
    if (std::find(std::begin(kWeights), std::end(kWeights), name) == std::end(kWeights))
      return not_one_of(name, kWeights);
    const auto value = equals == std::string_view::npos ? std::nullopt : plain_number(trim(part.substr(equals + 1)));
    if (!value || *value < 0 || *value > 1e6)
      return usage_error(say("the weight of '{}' must be 0 or more", name), {}, say("write {}=0.5", name));
    objective.weights[name] = *value;
  }
  return {};
}

}  // namespace gpusel::job
