// JSON as text. nlohmann's dump() decodes every text byte by byte, which is most of what an answer of a
// batch costs; texts without anything to escape are copied whole here. The bytes are the same, but that a fraction
// has the fewest digits that read back as the same number.
#include "show/json/write_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <new>

#include <fmt/compile.h>

#include "base/text/unseen.hpp"

namespace gpusel::show {

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
  const std::size_t wanted = std::max({kUsual, 2 * room_, used_ + bytes});
  char* const held = text_.release();
  // NOLINTNEXTLINE(*-no-malloc,*-owning-memory): see text_
  auto* const larger = static_cast<char*>(std::realloc(held, wanted));
  text_.reset(larger != nullptr ? larger : held);
  if (larger == nullptr) throw std::bad_alloc();
  room_ = wanted;
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
  constexpr double kFirstWithExponent = 1e15;
  // fmt's digits are the fewest that read back the same, nlohmann's nearly always; an exponent begins where his does
  char* const end = std::abs(value) < kFirstWithExponent ? fmt::format_to(to, FMT_COMPILE("{}"), value)
                                                         : nlohmann::detail::to_chars(to, to + kMost, value);
  used_ += static_cast<std::size_t>(end - to);
  if (std::trunc(value) == value && std::find(to, end, '.') == end && std::find(to, end, 'e') == end) put_raw(".0");
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

void JsonWriter::clear() {
  out_.clear();
  closing_.clear();
  is_first_ = true;
}

std::string_view JsonWriter::finish() {
  while (!closing_.empty()) end();
  out_.put('\n');
  return out_.text();
}

void JsonWriter::break_line() {
  if (indent_ < 0) return;
  out_.put('\n');
  out_.put_blanks(closing_.size() * static_cast<std::size_t>(indent_));
}

void JsonWriter::member(std::string_view key) {
  if (!is_first_) out_.put(',');
  is_first_ = false;
  if (!closing_.empty()) break_line();
  if (key.data() == nullptr) return;
  out_.put_quoted(key);
  out_.put(':');
  if (indent_ >= 0) out_.put(' ');
}

void JsonWriter::begin(std::string_view key, char bracket, char closing) {
  member(key);
  out_.put(bracket);
  closing_ += closing;
  is_first_ = true;
}

void JsonWriter::begin_object(std::string_view key) { begin(key, '{', '}'); }
void JsonWriter::begin_list(std::string_view key) { begin(key, '[', ']'); }

void JsonWriter::end() {
  const char closing = closing_.back();
  closing_.pop_back();
  if (!is_first_) break_line();
  out_.put(closing);
  is_first_ = false;
}

void JsonWriter::null(std::string_view key) {
  member(key);
  out_.put_raw("null");
}

void JsonWriter::truth(std::string_view key, bool value) {
  member(key);
  out_.put_raw(value ? "true" : "false");
}

void JsonWriter::whole(std::string_view key, std::int64_t value) {
  member(key);
  out_.put_number(value);
}

void JsonWriter::natural(std::string_view key, std::uint64_t value) {
  member(key);
  out_.put_number(value);
}

void JsonWriter::fraction(std::string_view key, double value) {
  member(key);
  out_.put_number(value);
}

void JsonWriter::text(std::string_view key, std::string_view value) {
  member(key);
  out_.put_quoted(value);
}

std::string dump(const Json& json, int indent) {
  JsonWriter out(indent);
  out.tree(JsonOut::kItem, json);
  return std::string(out.finish());
}

}  // namespace gpusel::show
