#include "job/traffic/traffic.hpp"

#include <algorithm>
#include <cmath>

#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/values/normal.hpp"
#include "base/words/message.hpp"

namespace gpusel::job {

namespace {

/// Classes of one length, of prompts or of answers, in the end.
constexpr int kMostClasses = 8;

/// The longest that class `index` holds: nothing, 1, 1.4, 2, 2.8, 4 … tokens.
double bound_of(int index) { return index == 0 ? 0 : std::floor(std::exp2((index - 1) / 2.0) + 1e-9); }

int class_of(double tokens) {
  int index = tokens < 1 ? 0 : static_cast<int>(std::floor(2 * std::log2(tokens)));
  while (bound_of(index) < tokens) ++index;
  return index;
}

/// How the classes of one length are merged: half octaves where they are few, else octaves of which the lowest holds
/// all that is shorter.
class Merging {
 public:
  void take(int index) {
    low_ = any_ ? std::min(low_, index) : index;
    high_ = any_ ? std::max(high_, index) : index;
    any_ = true;
  }
  int group(int index) const {
    if (high_ - low_ < kMostClasses || index == 0) return index;
    return std::max(octave(index), octave(high_) - 2 * (kMostClasses - (low_ == 0 ? 2 : 1)));
  }

 private:
  static int octave(int index) { return index + 1 - index % 2; }  // upwards, to a power of two
  int low_ = 0;
  int high_ = 0;
  bool any_ = false;
};

}  // namespace

void Histogram::add(double input, double output, double weight) {
  Cell& cell = cells_[{class_of(input), class_of(output)}];
  cell.weight += weight;
  cell.input += weight * input;
  cell.output += weight * output;
  weight_ += weight;
  input_ += weight * input;
  output_ += weight * output;
}

std::vector<Bucket> Histogram::buckets() const {
  Merging inputs;
  Merging outputs;
  for (const auto& [index, cell] : cells_) {
    inputs.take(index.first);
    outputs.take(index.second);
  }
  std::map<std::pair<int, int>, Cell> merged;
  for (const auto& [index, cell] : cells_) {
    Cell& into = merged[{inputs.group(index.first), outputs.group(index.second)}];
    into.weight += cell.weight;
    into.input += cell.input;
    into.output += cell.output;
  }
  std::vector<Bucket> out;
  for (const auto& [index, cell] : merged)
    out.push_back({bound_of(index.first), bound_of(index.second), cell.input / cell.weight, cell.output / cell.weight,
                   cell.weight / weight_});
  return out;
}

namespace {

constexpr int kQuantiles = 50;

std::vector<double> quantiles_of(const Length& length) {
  if (length.one_length()) return {length.median};
  std::vector<double> out;
  for (int i = 0; i < kQuantiles; ++i) out.push_back(std::max(1.0, std::round(length.at((i + 0.5) / kQuantiles))));
  return out;
}

Traffic finished(const Histogram& histogram) {
  Traffic traffic;
  traffic.buckets = histogram.buckets();
  traffic.mean_input = histogram.mean_input();
  traffic.mean_output = histogram.mean_output();
  return traffic;
}

/// Measured percentiles; median and 90th percentile; median and mean; or one length for all.
Length read_length(Fields& fields, const std::string& path) {
  constexpr Range kTokens{1, 1e8};
  Length length;
  const auto bad = [&](std::string why) {
    if (const Node* at = fields.find(path); at != nullptr) fields.fail(*at, std::move(why));
  };
  constexpr std::pair<std::string_view, double> kPercentiles[] = {{"p1", 0.01},  {"p5", 0.05},  {"p10", 0.1},
                                                                  {"p25", 0.25}, {"p50", 0.5},  {"p75", 0.75},
                                                                  {"p90", 0.9},  {"p95", 0.95}, {"p99", 0.99}};
  std::vector<std::pair<double, double>> measured;
  for (const auto& [key, share] : kPercentiles)
    if (const auto value = fields.number(path + "." + std::string(key), kTokens)) measured.emplace_back(share, *value);
  const auto median = fields.number(path + ".median", kTokens);
  const auto mean = fields.number(path + ".mean", kTokens);
  if (measured.size() > 1) {
    if (!std::ranges::is_sorted(measured, {}, &std::pair<double, double>::second) || median || mean)
      bad(say("percentiles must ascend, and replace median and mean"));
    length.quantiles = std::move(measured);
    return length;
  }
  const auto p90 = !measured.empty() && measured.front().first == 0.9 ? std::optional(measured.front().second)
                                                                      : std::optional<double>();
  length.median = median.value_or(mean.value_or(0));
  if (!median && !mean) bad(say("a length needs its mean, or its median with its p90 or mean"));
  if (median && p90 && *p90 > *median) length.sigma = std::log(*p90 / *median) / normal_quantile(0.9);
  if (median && !p90 && mean && *mean > *median) length.sigma = std::sqrt(2 * std::log(*mean / *median));
  if (median && ((p90 && *p90 <= *median) || (!p90 && mean && *mean < *median)))
    bad(say("p90 and mean must be above the median"));
  return length;
}

TrafficProfile read_profile(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  TrafficProfile profile;
  for (const char* key : {"id", "input", "output", "source"}) fields.require(key);
  profile.id = fields.text("id");
  profile.meaning = fields.text("meaning");
  profile.source = fields.text("source");
  profile.input = read_length(fields, "input");
  profile.output = read_length(fields, "output");
  profile.correlation = fields.number("correlation", Range{-1, 1}).value_or(0);
  const auto gap_cv = fields.number("arrivals.gap_cv", Range{0, 100});
  profile.arrivals_known = gap_cv.has_value();
  profile.gap_cv = gap_cv.value_or(1);
  profile.minute_cv = fields.number("arrivals.minute_cv", Range{0, 10}).value_or(0);
  profile.shared_prefix = fields.number("prefix.shared_tokens", Range{0, 1e7}).value_or(0);
  profile.session_share = fields.number("prefix.session_share", Range{0, 1}).value_or(0);
  fields.finish();
  return profile;
}

constexpr Range kMultiplier{0, 1e6};

std::string not_a_day(std::size_t count) { return say("a day has 24 multipliers from midnight, here are {}", count); }

DailyProfile read_daily(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  DailyProfile day;
  for (const char* key : {"id", "multipliers"}) fields.require(key);
  day.id = fields.text("id");
  day.meaning = fields.text("meaning");
  day.source = fields.text("source");
  const auto texts = fields.texts("multipliers");
  for (std::size_t i = 0; i < std::min(texts.size(), day.multipliers.size()); ++i) {
    const auto value = plain_number(texts[i]);
    if (!value || !kMultiplier.contains(*value))
      fields.fail(node, say("'{}' is not a multiplier", shorten(texts[i], 20)));
    day.multipliers[i] = value.value_or(0);
  }
  if (texts.size() != day.multipliers.size()) fields.fail(node, not_a_day(texts.size()));
  fields.finish();
  return day;
}

}  // namespace

std::expected<TrafficCatalog, Errors> read_traffic_catalog(std::span<const Document> documents) {
  TrafficCatalog out;
  Errors errors;
  for (const Document& document : documents) {
    read_section(document, "traffic", read_profile, &TrafficProfile::id, out.profiles, errors);
    read_section(document, "daily", read_daily, &DailyProfile::id, out.days, errors);
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return out;
}

Traffic traffic_of(const TrafficProfile& profile) {
  Histogram histogram;
  const auto inputs = quantiles_of(profile.input);
  const auto outputs = quantiles_of(profile.output);
  const double rest = std::sqrt(1 - profile.correlation * profile.correlation);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      // Given the prompt's normal variable, the answer's is around that share of it.
      double output = outputs[j];
      if (profile.correlation != 0) {
        const auto normal = [](std::size_t k, std::size_t of) {
          return normal_quantile((static_cast<double>(k) + 0.5) / static_cast<double>(of));
        };
        const double here = profile.correlation * normal(i, inputs.size()) + rest * normal(j, outputs.size());
        output = std::max(1.0, std::round(profile.output.at(normal_share(here))));
      }
      histogram.add(inputs[i], output);
    }
  Traffic traffic = finished(histogram);
  traffic.name = profile.id;
  traffic.source = profile.source;
  return traffic;
}

Traffic fixed_traffic(double input, double output) {
  Histogram histogram;
  histogram.add(input, output);
  return finished(histogram);
}

Result<Day> read_day(const std::string& path) {
  auto text = read_text_file(path, std::size_t{1} << 20U);
  if (!text) return std::unexpected(text.error());
  Day day{};
  std::size_t count = 0;
  std::size_t line = 0;
  for (const std::string_view whole : split(*text, '\n')) {
    ++line;
    std::string row(whole.substr(0, whole.find('#')));
    std::replace_if(row.begin(), row.end(), [](char c) { return c == ',' || c == '\t' || c == '\r'; }, ' ');
    for (const std::string_view word : split(row, ' ')) {
      if (word.empty()) continue;
      const auto value = plain_number(word);
      if (!value || !kMultiplier.contains(*value))
        return usage_error(say("'{}' is not a multiplier", printable(shorten(word, 20))), format("{}:{}", path, line));
      if (count < day.size()) day[count] = *value;
      ++count;
    }
  }
  if (count != day.size()) return usage_error(not_a_day(count), path);
  if (std::ranges::all_of(day, [](double m) { return m <= 0; })) return usage_error(say("no hour has traffic"), path);
  return day;
}

}  // namespace gpusel::job
