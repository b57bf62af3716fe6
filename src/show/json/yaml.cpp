#include "show/json/yaml.hpp"

#include <algorithm>
#include <cstdint>

#include "base/text/text.hpp"
#include "base/text/unicode.hpp"
#include "base/words/message.hpp"

namespace gpusel::show {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Words that some version of YAML, or a reader of it, takes for a value that is not text.
bool is_reserved(std::string_view text) {
  static constexpr std::string_view kWords[] = {"null", "true", "false", "yes",      "no",  "on",
                                                "off",  "y",    "n",     "infinity", "inf", "nan"};
  return std::find(std::begin(kWords), std::end(kWords), lower(text)) != std::end(kWords);
}

/// Text that needs no quotes whatever stands around it. Strict: a digit in front may begin a number or
/// a date, and most punctuation means something somewhere.
bool is_plain_scalar(std::string_view text) {
  static constexpr std::string_view kPunctuation = "_-./+()=,;%' :";
  if (text.empty() || (!is_letter(text.front()) && text.front() != '_' && text.front() != '/')) return false;
  if (text.back() == ' ' || text.back() == ':' || text.find(": ") != std::string_view::npos) return false;
  const bool all = std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || kPunctuation.find(c) != std::string_view::npos;
  });
  return all && !is_reserved(text);
}

/// What a line of YAML may not hold as it is.
bool needs_escape(char32_t c) { return is_unseen(c) || c == 0xFFFE || c == 0xFFFF; }

std::string yaml_escape(char32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  const auto value = static_cast<std::uint32_t>(c);
  return value < 0x10000 ? format("\\u{:04X}", value) : format("\\U{:08X}", value);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (; !text.empty(); text.remove_prefix(decode(text).length)) {
    const CodePoint c = decode(text);
    if (c.value == '"' || c.value == '\\') out += '\\';
    if (!c.valid)
      out += "\xEF\xBF\xBD";  // as JSON writes it: the replacement character
    else if (needs_escape(c.value))
      out += yaml_escape(c.value);
    else
      out += text.substr(0, c.length);
  }
  return out + "\"";
}

std::string scalar_text(std::string_view text) { return is_plain_scalar(text) ? std::string(text) : quoted(text); }

/// Readers of YAML 1.1 take 1e-06 for text and 1.0e-06 for a number.
std::string number_text(const Json& json) {
  std::string text(trim(dump(json, -1)));
  const auto exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

std::string scalar(const Json& json) {
  if (json.is_string()) return scalar_text(json.get_ref<const std::string&>());
  if (json.is_array()) return "[]";
  if (json.is_object()) return "{}";
  return json.is_number() ? number_text(json) : json.dump();
}

/// Lines that a person reads and edits, such as a script: as they are, below a bar. Only what reads back the same.
bool is_block(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.front() == ' ' || text.front() == '\n') return false;
  if (text.ends_with("\n\n")) return false;
  while (!text.empty()) {
    const CodePoint c = decode(text);
    if (!c.valid || (c.value != '\n' && needs_escape(c.value))) return false;
    text.remove_prefix(c.length);
  }
  return true;
}

std::string block(std::string_view text, std::size_t indent) {
  const bool ends = text.ends_with('\n');
  if (ends) text.remove_suffix(1);
  std::string out = ends ? "|" : "|-";
  for (std::size_t at = 0; at <= text.size();) {  // a line is more than its words: the spaces count
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += '\n';
    if (end > at) out += std::string(indent, ' ') + std::string(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// Members of a list or a map, each on a line of its own; behind a dash the first one goes on there.
void write(const Json& json, std::size_t indent, bool after_dash, std::string& out) {
  bool first = after_dash;
  const auto begin_line = [&] {
    if (!first) out += "\n" + std::string(indent, ' ');
    first = false;
  };
  const auto value = [&](const Json& item, std::size_t deeper, bool dash) {
    if (item.is_structured() && !item.empty()) {
      write(item, deeper, dash, out);
    } else if (item.is_string() && is_block(item.get_ref<const std::string&>())) {
      out += (dash ? "" : " ") + block(item.get_ref<const std::string&>(), deeper);
    } else {
      out += (dash ? "" : " ") + scalar(item);
    }
  };
  if (json.is_array()) {
    for (const Json& item : json) {
      begin_line();
      out += "- ";
      value(item, indent + 2, true);
    }
    return;
  }
  for (const auto& [key, item] : json.items()) {
    begin_line();
    out += scalar_text(key) + ":";
    value(item, indent + 2, false);
  }
}

}  // namespace

std::string yaml(const Json& json) {
  if (!json.is_structured() || json.empty()) return scalar(json) + "\n";
  std::string out;
  write(json, 0, true, out);
  return out + "\n";
}

bool is_data(std::string_view format) { return format == "json" || format == "yaml"; }

std::string dump_as(std::string_view format, const Json& json) { return format == "yaml" ? yaml(json) : dump(json); }

}  // namespace gpusel::show
