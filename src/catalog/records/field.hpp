// How a fact is called and measured. Each record type lists its fields once (visit_fields); the
// YAML reader, the snapshot, JSON, cards, filters and lint all walk that list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "base/values/number.hpp"

namespace gpusel::catalog {

/// A figure that may be unknown. Zero is a figure: "has no such hardware path". Like an optional of
/// double, at half its size: NaN, which no reader lets in, stands for the unknown.
class Number {
 public:
  constexpr Number() = default;
  constexpr Number(std::nullopt_t) {}
  constexpr Number(double value) : value_(value) {}
  constexpr Number(const std::optional<double>& value) : value_(value.value_or(kUnknown)) {}

  constexpr bool has_value() const { return value_ == value_; }
  constexpr explicit operator bool() const { return has_value(); }
  constexpr double operator*() const { return value_; }
  constexpr double value_or(double other) const { return has_value() ? value_ : other; }
  constexpr operator std::optional<double>() const { return has_value() ? std::optional(value_) : std::nullopt; }

  friend constexpr bool operator==(const Number& a, const Number& b) {
    return a.value_ == b.value_ || (!a.has_value() && !b.has_value());
  }
  friend constexpr bool operator==(const Number& a, double b) { return a.value_ == b; }

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double value_ = kUnknown;
};

struct Field {
  std::string_view path;       // in YAML: "memory.bandwidth_gbs"
  std::string_view json;       // in JSON and in filters: "memory_bandwidth_gbs"
  std::string_view unit = "";  // as printed behind the figure
  Range range = {.low = 0};    // of numbers
  bool required = false;
  bool shown = true;                             // in the JSON item
  std::span<const std::string_view> words = {};  // that a list may have; none: any
};

/// A list of short texts in one contiguous string, separated by line feeds: it costs no allocation.
class TextList {
 public:
  class Iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    explicit Iterator(std::string_view rest) : rest_(rest), done_(rest.empty()) {}
    std::string_view operator*() const { return rest_.substr(0, rest_.find('\n')); }
    Iterator& operator++() {
      const auto end = rest_.find('\n');
      done_ = end == std::string_view::npos;
      if (!done_) rest_.remove_prefix(end + 1);
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const {
      return done_ == other.done_ && (done_ || rest_.data() == other.rest_.data());
    }

   private:
    std::string_view rest_;
    bool done_ = true;
  };

  TextList() = default;
  explicit TextList(std::string_view joined) : joined_(joined) {}
  Iterator begin() const { return Iterator(joined_); }
  Iterator end() const { return {}; }
  bool empty() const { return joined_.empty(); }
  std::string_view joined() const { return joined_; }
  friend bool operator==(const TextList& a, const TextList& b) { return a.joined_ == b.joined_; }

 private:
  std::string_view joined_;
};

/// Whether a list that names nothing when it means everything has that name.
bool none_or_has(const auto& list, std::string_view name) {
  return list.empty() || std::ranges::find(list, name) != list.end();
}

}  // namespace gpusel::catalog
