// JSON as text. nlohmann's dump() decodes every text byte by byte, which is most of what an answer of a
// batch costs; texts without anything to escape are copied whole here, and the bytes are the same.
#include "report/write_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "gpusel/base/unseen.hpp"

namespace gpusel::report {

namespace {

/// Whether one of eight bytes has to be escaped, or is part of a letter beyond ASCII that has to be valid and seen.
bool any_special(std::uint64_t bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  const auto any_zero = [](std::uint64_t word) { return (word - kOnes) & ~word & kHigh; };
  const std::uint64_t controls = (bytes - 0x20 * kOnes) & ~bytes & kHigh;
  constexpr std::uint64_t kDelete = 0x7F * kOnes;
  return ((bytes & kHigh) | controls | any_zero(bytes ^ '"' * kOnes) | any_zero(bytes ^ '\\' * kOnes) |
          any_zero(bytes ^ kDelete)) != 0;
}

bool is_plain(std::string_view text) {
  const auto special_at = [&](const char* at) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    return any_special(bytes);
  };
  if (text.size() < sizeof(std::uint64_t)) {
    std::array<char, sizeof(std::uint64_t)> all{'.', '.', '.', '.', '.', '.', '.', '.'};
    std::copy(text.begin(), text.end(), all.begin());
    return !special_at(all.data());
  }
  const char* const last = text.data() + text.size() - sizeof(std::uint64_t);
  for (const char* at = text.data(); at < last; at += sizeof(std::uint64_t))
    if (special_at(at)) return false;
  return !special_at(last);  // the last eight, some of them for the second time
}

}  // namespace

void JsonText::grow(std::size_t bytes) {
  constexpr std::size_t kUsual = 4096;  // more than an estimate
  text_.resize(std::max({kUsual, 2 * text_.size(), used_ + bytes}));
}

void JsonText::put_blanks(std::size_t count) {
  std::memset(room(count), ' ', count);
  used_ += count;
}

void JsonText::put_raw(std::string_view text) {
  std::memcpy(room(text.size()), text.data(), text.size());
  used_ += text.size();
}

void JsonText::put_quoted(std::string_view text) {
  if (!is_plain(text)) return put_raw(with_escapes(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)));
  char* const to = room(text.size() + 2);
  to[0] = '"';
  std::memcpy(to + 1, text.data(), text.size());
  to[text.size() + 1] = '"';
  used_ += text.size() + 2;
}

void JsonText::put_number(double value) {
  if (!std::isfinite(value)) return put_raw("null");
  constexpr std::size_t kMost = 64;
  char* const to = room(kMost);
  // nlohmann's own digits, which are not always those of std::to_chars.
  used_ += static_cast<std::size_t>(nlohmann::detail::to_chars(to, to + kMost, value) - to);
}

namespace {

constexpr std::size_t kMostDigits = 24;  // of a whole number, with its sign

}  // namespace

void JsonText::put_number(std::int64_t value) {
  char* const to = room(kMostDigits);
  used_ += static_cast<std::size_t>(std::to_chars(to, to + kMostDigits, value).ptr - to);
}

void JsonText::put_number(std::uint64_t value) {
  char* const to = room(kMostDigits);
  used_ += static_cast<std::size_t>(std::to_chars(to, to + kMostDigits, value).ptr - to);
}

void JsonLine::clear() {
  out_.clear();
  out_.put('{');
  closing_ = "}";
  is_first_ = true;
}

std::string_view JsonLine::finish() {
  while (!closing_.empty()) end();
  out_.put('\n');
  return out_.text();
}

void JsonLine::member(std::string_view key) {
  if (!is_first_) out_.put(',');
  is_first_ = false;
  if (key.data() == nullptr) return;
  out_.put_quoted(key);
  out_.put(':');
}

void JsonLine::begin(std::string_view key, char bracket, char closing) {
  member(key);
  out_.put(bracket);
  closing_ += closing;
  is_first_ = true;
}

void JsonLine::begin_object(std::string_view key) { begin(key, '{', '}'); }
void JsonLine::begin_list(std::string_view key) { begin(key, '[', ']'); }

void JsonLine::end() {
  out_.put(closing_.back());
  closing_.pop_back();
  is_first_ = false;
}

void JsonLine::null(std::string_view key) {
  member(key);
  out_.put_raw("null");
}

void JsonLine::truth(std::string_view key, bool value) {
  member(key);
  out_.put_raw(value ? "true" : "false");
}

void JsonLine::whole(std::string_view key, std::int64_t value) {
  member(key);
  out_.put_number(value);
}

void JsonLine::fraction(std::string_view key, double value) {
  member(key);
  out_.put_number(value);
}

void JsonLine::text(std::string_view key, std::string_view value) {
  member(key);
  out_.put_quoted(value);
}

namespace {

/// A tree, walked.
class Writer {
 public:
  /// Below 0: all on one line.
  explicit Writer(int indent) : indent_(indent) {}

  void write(const Json& json, std::size_t depth = 0) {
    switch (json.type()) {
      case Json::value_t::object: return write_object(json.get_ref<const Json::object_t&>(), depth);
      case Json::value_t::array: return write_array(json.get_ref<const Json::array_t&>(), depth);
      case Json::value_t::string: return out_.put_quoted(json.get_ref<const std::string&>());
      case Json::value_t::number_float: return out_.put_number(json.get_ref<const double&>());
      case Json::value_t::number_integer: return out_.put_number(json.get_ref<const std::int64_t&>());
      case Json::value_t::number_unsigned: return out_.put_number(json.get_ref<const std::uint64_t&>());
      case Json::value_t::boolean: return out_.put_raw(json.get_ref<const bool&>() ? "true" : "false");
      default: out_.put_raw("null");
    }
  }

  std::string finish() {
    out_.put('\n');
    return std::string(out_.text());
  }

 private:
  void write_object(const Json::object_t& members, std::size_t depth) {
    out_.put('{');
    for (const auto& [key, value] : members) {
      if (&key != &members.front().first) out_.put(',');
      break_line(depth + 1);
      out_.put_quoted(key);
      out_.put_raw(indent_ < 0 ? ":" : ": ");
      write(value, depth + 1);
    }
    if (!members.empty()) break_line(depth);
    out_.put('}');
  }

  void write_array(const Json::array_t& items, std::size_t depth) {
    out_.put('[');
    for (const Json& item : items) {
      if (&item != &items.front()) out_.put(',');
      break_line(depth + 1);
      write(item, depth + 1);
    }
    if (!items.empty()) break_line(depth);
    out_.put(']');
  }

  void break_line(std::size_t depth) {
    if (indent_ < 0) return;
    out_.put('\n');
    out_.put_blanks(depth * static_cast<std::size_t>(indent_));
  }

  int indent_;
  JsonText out_;
};

}  // namespace

std::string dump(const Json& json, int indent) {
  Writer writer(indent);
  writer.write(json);
  return writer.finish();
}

}  // namespace gpusel::report
