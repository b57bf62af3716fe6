// "KEY=VALUES" as a person writes it, to the values that a sweep asks about.
#include <algorithm>
#include <cmath>

#include "answer/whatif/whatif_input.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

/// Ranges that span more than this are walked in equal ratios.
constexpr double kWide = 8;
/// So many points of equal ratios lie so far apart that two digits tell them from each other.
constexpr std::size_t kFew = 30;
/// Most points of a range of doublings.
constexpr double kMostDoublings = 16;

/// "-30%", "+30 %".
std::optional<double> per_cent(std::string_view text) {
  text = trim(text);
  if (!text.ends_with('%')) return std::nullopt;
  text = trim(text.substr(0, text.size() - 1));
  return plain_number(text.starts_with('+') ? text.substr(1) : text);
}

/// A few digits say where a point lies; more would only be longer to read.
double rounded_value(double value, int digits) {
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - (digits - 1));
  return std::round(value / unit) * unit;
}

class VaryReader {
 public:
  VaryReader(Varied& out, std::string_view values, std::size_t default_points)
      : out_(out), values_(trim(values)), points_(default_points) {}

  Status read(const ValueOf& value_of) {
    if (values_.empty()) return usage_error(say("no values"), {}, example());
    const auto dots = values_.find("..");
    if (dots == std::string_view::npos) return read_list(value_of);
    std::string_view high = trim(values_.substr(dots + 2));
    if (Status set = take_points(high); !set) return set;
    return read_range(trim(values_.substr(0, dots)), high, value_of);
  }

 private:
  std::string example() const {
    if (out_.input.is_price()) return say("write {}=-30%..+30%", out_.input.key);
    return out_.input.takes_numbers() ? say("write {0}=a..b, {0}=a..b/9 for nine points, or {0}=a,b,c", out_.input.key)
                                      : say("write {}=a,b,c", out_.input.key);
  }

  /// Cuts "/9" off the high end.
  Status take_points(std::string_view& high) {
    const auto slash = high.rfind('/');
    if (slash == std::string_view::npos) return {};
    const auto count = plain_number(trim(high.substr(slash + 1)));
    if (!count || *count != std::floor(*count) || *count < 2 || *count > static_cast<double>(kMostAnswers))
      return usage_error(say("'{}' is not a number of points", shorten(trim(high.substr(slash + 1)), 20)), {},
                         say("from 2 to {}", human_number(static_cast<double>(kMostAnswers))));
    points_ = static_cast<std::size_t>(*count);
    chosen_ = true;
    high = trim(high.substr(0, slash));
    return {};
  }

  /// What a change in per cent is of.
  Status take_base(const ValueOf& value_of) {
    out_.axis.relative = true;
    out_.axis.unit = "%";
    if (out_.input.is_price()) return {};
    const auto value = value_of(out_.input);
    if (!value)
      return usage_error(say("{} has no value to change by percent", out_.input.key), {},
                         say("set one, or write {}=a..b", out_.input.key));
    auto reading = Reading::of(out_.input, *value);
    if (!reading) return std::unexpected(reading.error());
    out_.reading = *reading;
    out_.base = *out_.reading.number(*value);
    return {};
  }

  bool is_relative(std::string_view text) const {
    return per_cent(text) && (out_.input.is_price() || !out_.input.accepts(text));
  }

  Status read_range(std::string_view low_text, std::string_view high_text, const ValueOf& value_of) {
    if (low_text.empty() || high_text.empty()) return usage_error(say("a range needs both ends"), {}, example());
    double low = 0, high = 0;
    if (is_relative(low_text) || is_relative(high_text)) {
      if (!per_cent(low_text) || !per_cent(high_text))
        return usage_error(say("one end of '{}' is a percentage", shorten(values_, 40)), {}, say("write both so"));
      if (Status set = take_base(value_of); !set) return set;
      low = *per_cent(low_text);
      high = *per_cent(high_text);
      if (low <= -100) return usage_error(say("nothing is left at {}", shorten(low_text, 20)), {}, say("above -100%"));
    } else {
      if (Status set = absolute_ends(low_text, high_text, low, high); !set) return set;
    }
    if (low > high)
      return usage_error(say("the range '{}' is empty", shorten(values_, 40)), {}, say("write the smaller end first"));
    if (low == high) return usage_error(say("the range '{}' is one value", shorten(values_, 40)), {}, example());
    lay_out(low, high);
    // The ends are taken; what lies between is, for ranges have no holes.
    for (const double end : {low, high})
      if (Status taken = take(end); !taken) return taken;
    return {};
  }

  Status take(double number) const {
    if (out_.input.is_price()) return {};
    return out_.input.accepts(out_.at(number).text);
  }

  Status absolute_ends(std::string_view low_text, std::string_view high_text, double& low, double& high) {
    const Input& input = out_.input;
    if (!input.takes_numbers()) {
      const Status words = input.accepts(low_text);
      return usage_error(say("{} takes words, not a range", input.key), {},
                         words || words.error().hint.empty() ? example() : say("list them; {}", words.error().hint));
    }
    for (const auto& [text, number] : {std::pair(low_text, &low), std::pair(high_text, &high)}) {
      if (Status taken = input.accepts(text); !taken) return taken;
      if (text.data() == low_text.data()) {
        auto reading = Reading::of(input, text);
        if (!reading) return std::unexpected(reading.error());
        out_.reading = *reading;
      }
      const auto value = out_.reading.number(text);
      if (!value)
        return usage_error(say("'{}' and '{}' are not in the same unit", shorten(low_text, 20), shorten(high_text, 20)),
                           {}, say("write a unit at both ends"));
      *number = *value;
    }
    out_.axis.unit = out_.reading.unit;
    return {};
  }

  /// Whether the input refuses fractions.
  bool refuses_fractions(double low, double high) const {
    if (out_.input.is_price() || low != std::floor(low) || high != std::floor(high)) return false;
    return !out_.input.accepts(out_.reading.text(std::floor((low + high) / 2) + 0.5));
  }

  void lay_out(double low, double high) {
    Axis& axis = out_.axis;
    axis.continuous = axis.numbers = true;
    if (axis.relative)
      out_.reading.whole = out_.base && refuses_fractions(*out_.base, *out_.base);
    else
      axis.whole = out_.reading.whole = refuses_fractions(low, high);
    const double ratio = low > 0 ? high / low : 0;
    axis.log = !axis.relative && ratio >= kWide;
    const double steps = std::log2(std::max(ratio, 1.0));
    axis.doublings = axis.log && !chosen_ && steps == std::floor(steps) && steps <= kMostDoublings;
    if (axis.doublings) points_ = static_cast<std::size_t>(steps) + 1;
    if (axis.whole && !axis.log && high - low + 1 <= static_cast<double>(points_))
      points_ = static_cast<std::size_t>(high - low) + 1;
    for (std::size_t i = 0; i < points_; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(points_ - 1);
      double number = axis.doublings ? low * std::exp2(static_cast<double>(i))
                      : axis.log     ? low * std::pow(ratio, part)
                                     : low + (high - low) * part;
      if (i == 0)
        number = low;
      else if (i + 1 == points_)
        number = high;
      else if (!axis.doublings && !axis.whole)
        number = rounded_value(number, axis.log && points_ <= kFew ? 2 : 3);
      AxisValue value = out_.at(number);
      if (axis.values.empty() || *axis.values.back().number < *value.number) axis.values.push_back(std::move(value));
    }
  }

  Status read_list(const ValueOf& value_of) {
    const auto texts = split(values_, ',');
    if (texts.size() < 2) return usage_error(say("'{}' is one value", shorten(values_, 40)), {}, example());
    if (std::all_of(texts.begin(), texts.end(), [&](std::string_view text) { return is_relative(text); }))
      if (Status set = take_base(value_of); !set) return set;
    Axis& axis = out_.axis;
    axis.numbers = axis.relative || out_.input.takes_numbers();
    for (const std::string_view text : texts)
      if (Status set = add(trim(text)); !set) return set;
    for (std::size_t i = 1; i < axis.values.size() && axis.numbers; ++i)
      axis.numbers = *axis.values[i - 1].number < *axis.values[i].number;
    if (axis.numbers && !axis.relative && *axis.values.front().number > 0)
      axis.log = *axis.values.back().number / *axis.values.front().number >= kWide;
    return {};
  }

  Status add(std::string_view text) {
    Axis& axis = out_.axis;
    AxisValue value{std::string(text), std::nullopt};
    if (axis.relative) {
      if (*per_cent(text) <= -100)
        return usage_error(say("nothing is left at {}", shorten(text, 20)), {}, say("above -100%"));
      value = out_.at(*per_cent(text));
      if (Status taken = take(*value.number); !taken) return taken;
    } else {
      if (Status taken = out_.input.accepts(text); !taken) return taken;
      if (axis.numbers) {
        if (axis.values.empty()) {
          auto reading = Reading::of(out_.input, text);
          if (!reading) return std::unexpected(reading.error());
          out_.reading = *reading;
          axis.unit = out_.reading.unit;
        }
        const auto number = out_.reading.number(text);
        if (!number) return std::unexpected(number.error());
        value.number = *number;
      }
    }
    const auto same = [&](const AxisValue& other) {
      return value.number ? other.number == value.number : other.text == value.text;
    };
    if (std::any_of(axis.values.begin(), axis.values.end(), same))
      return usage_error(say("'{}' appears twice there", shorten(text, 40)));
    axis.values.push_back(std::move(value));
    return {};
  }

  Varied& out_;
  std::string_view values_;
  std::size_t points_;
  bool chosen_ = false;  // by "/9"
};

}  // namespace

double Axis::place(double number) const {
  const double low = *values.front().number;
  const double high = *values.back().number;
  return log ? std::log(number / low) / std::log(high / low) : (number - low) / (high - low);
}

AxisValue Varied::at(double number) const {
  if (axis.relative) {
    const double value = base.value_or(1) * (1 + number / 100);
    return {input.is_price() ? std::string() : reading.text(reading.whole ? std::round(value) : value), number};
  }
  if (axis.whole) number = std::round(number);
  return {reading.text(number), number};
}

Result<Varied> read_vary(std::string_view text, const catalog::Catalog& catalog, const ValueOf& value_of,
                         std::size_t default_points) {
  const auto equals = text.find('=');
  const auto about = [&](Error error) {
    const std::string_view key = equals == std::string_view::npos ? std::string_view() : trim(text.substr(0, equals));
    error.where = key.empty() ? std::string("--vary") : format("--vary {}", shorten(key, 40));
    return std::unexpected(std::move(error));
  };
  if (equals == std::string_view::npos || trim(text.substr(0, equals)).empty())
    return about({ErrorKind::usage,
                  say("'{}' does not say what is varied", shorten(text, 40)),
                  {},
                  say("write context=4k..128k, weights_precision=bf16,fp8 or price:aws=-30%..+30%")});
  auto input = find_input(trim(text.substr(0, equals)), catalog);
  if (!input) return about(input.error());
  Varied varied;
  varied.input = std::move(*input);
  varied.axis.key = varied.input.key;
  varied.axis.about = varied.input.about;
  if (Status read = VaryReader(varied, text.substr(equals + 1), default_points).read(value_of); !read)
    return about(read.error());
  return varied;
}

}  // namespace gpusel::answer
