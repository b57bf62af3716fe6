// JSON as text. nlohmann's dump() decodes every text byte by byte, which is most of what an answer of a
// batch costs; texts without anything to escape are copied whole here, and the bytes are the same.
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "gpusel/base/unseen.hpp"
#include "report/write_json.hpp"

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
  std::uint64_t bytes = 0;
  for (; text.size() >= sizeof bytes; text.remove_prefix(sizeof bytes)) {
    std::memcpy(&bytes, text.data(), sizeof bytes);
    if (any_special(bytes)) return false;
  }
  std::array<char, sizeof bytes> rest{'.', '.', '.', '.', '.', '.', '.', '.'};
  std::copy(text.begin(), text.end(), rest.begin());
  std::memcpy(&bytes, rest.data(), sizeof bytes);
  return !any_special(bytes);
}

class Writer {
 public:
  /// Below 0: all on one line.
  explicit Writer(int indent) : indent_(indent) { out_.reserve(kUsual); }

  void write(const Json& json, std::size_t depth = 0) {
    switch (json.type()) {
      case Json::value_t::object: return write_object(json.get_ref<const Json::object_t&>(), depth);
      case Json::value_t::array: return write_array(json.get_ref<const Json::array_t&>(), depth);
      case Json::value_t::string: return write(json.get_ref<const std::string&>());
      case Json::value_t::number_float: return write(json.get_ref<const double&>());
      case Json::value_t::number_integer: return write(json.get_ref<const std::int64_t&>());
      case Json::value_t::number_unsigned: return write(json.get_ref<const std::uint64_t&>());
      case Json::value_t::boolean: out_ += json.get_ref<const bool&>() ? "true" : "false"; return;
      default: out_ += "null";
    }
  }

  std::string take() { return std::move(out_); }

 private:
  static constexpr std::size_t kUsual = 2048;  // bytes of an estimate

  void write_object(const Json::object_t& members, std::size_t depth) {
    out_ += '{';
    for (const auto& [key, value] : members) {
      if (&key != &members.front().first) out_ += ',';
      break_line(depth + 1);
      write(key);
      out_ += indent_ < 0 ? ":" : ": ";
      write(value, depth + 1);
    }
    if (!members.empty()) break_line(depth);
    out_ += '}';
  }

  void write_array(const Json::array_t& items, std::size_t depth) {
    out_ += '[';
    for (const Json& item : items) {
      if (&item != &items.front()) out_ += ',';
      break_line(depth + 1);
      write(item, depth + 1);
    }
    if (!items.empty()) break_line(depth);
    out_ += ']';
  }

  void break_line(std::size_t depth) {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(depth * static_cast<std::size_t>(indent_), ' ');
  }

  void write(const std::string& text) {
    if (!is_plain(text)) {
      out_ += with_escapes(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
      return;
    }
    out_ += '"';
    out_ += text;
    out_ += '"';
  }

  void write(double value) {
    if (!std::isfinite(value)) {
      out_ += "null";
      return;
    }
    // nlohmann's own digits, which are not always those of std::to_chars.
    std::array<char, 64> digits{};
    out_.append(digits.data(), nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value));
  }

  template <std::integral Whole>
  void write(Whole value) {
    std::array<char, 24> digits{};
    out_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }

  int indent_;
  std::string out_;
};

}  // namespace

std::string dump(const Json& json, int indent) {
  Writer writer(indent);
  writer.write(json);
  return writer.take() + "\n";
}

void take_apart(Json& json) {
  if (json.is_object()) {
    auto& members = json.get_ref<Json::object_t&>();
    for (auto& [key, value] : members) take_apart(value);
    members.clear();
  } else if (json.is_array()) {
    auto& items = json.get_ref<Json::array_t&>();
    for (Json& item : items) take_apart(item);
    items.clear();
  }
}

}  // namespace gpusel::report
