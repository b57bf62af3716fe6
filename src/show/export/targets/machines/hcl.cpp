#include "show/export/targets/machines/hcl.hpp"

#include <algorithm>
#include <cstdint>

#include "base/text/unicode.hpp"
#include "base/words/message.hpp"

namespace gpusel::show {

namespace {

std::string escape(char32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  const auto value = static_cast<std::uint32_t>(c);
  return value < 0x10000 ? format("\\u{:04X}", value) : format("\\U{:08X}", value);
}

}  // namespace

std::string hcl_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const CodePoint c = decode(text);
    const std::string_view shown = text.substr(0, c.length);
    text.remove_prefix(c.length);
    if (shown == "\"" || shown == "\\") out += '\\';
    if (!c.valid)
      out += "\xEF\xBF\xBD";  // as JSON writes what is no text
    else
      out += is_unseen(c.value) ? escape(c.value) : std::string(shown);
    // "${" and "%{" begin templates; doubled, the first character is itself.
    if ((shown == "$" || shown == "%") && text.starts_with('{')) out += shown;
  }
  return out + "\"";
}

HclBlock& HclBlock::text(std::string name, std::string_view value) {
  attributes_.emplace_back(std::move(name), hcl_quoted(value));
  return *this;
}

HclBlock& HclBlock::number(std::string name, double value) {
  attributes_.emplace_back(std::move(name), format("{:.10g}", value));
  return *this;
}

HclBlock& HclBlock::flag(std::string name, bool value) {
  attributes_.emplace_back(std::move(name), value ? "true" : "false");
  return *this;
}

HclBlock& HclBlock::expression(std::string name, std::string_view value) {
  attributes_.emplace_back(std::move(name), value);
  return *this;
}

HclBlock& HclBlock::lines(std::string name, std::string_view text) {
  std::string mark = "EOT";
  while (text.find(mark) != std::string_view::npos) mark += 'X';  // no line of the text ends it
  std::string out = "<<" + mark + "\n";
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const bool opens = (text[i] == '$' || text[i] == '%') && i + 1 < text.size() && text[i + 1] == '{';
    if (opens) out += text[i];  // doubled, it is itself
  }
  if (!out.ends_with('\n')) out += '\n';
  attributes_.emplace_back(std::move(name), out + mark);
  return *this;
}

HclBlock& HclBlock::block(std::string type, std::vector<std::string> labels) {
  return blocks_.emplace_back(std::move(type), std::move(labels));
}

HclBlock& HclBlock::map(std::string name, std::vector<std::pair<std::string, std::string>> members) {
  std::string out = "{";
  for (const auto& [key, value] : members) out += (out.size() > 1 ? ", " : " ") + key + " = " + hcl_quoted(value);
  attributes_.emplace_back(std::move(name), out + " }");
  return *this;
}

std::string HclBlock::written(std::size_t indent) const {
  const std::string margin(indent, ' ');
  std::string out = margin + type_;
  for (const std::string& label : labels_) out += " " + hcl_quoted(label);
  out += " {\n";
  std::size_t width = 0;
  for (const auto& [name, value] : attributes_) width = std::max(width, name.size());
  for (const auto& [name, value] : attributes_)
    out += margin + "  " + name + std::string(width - name.size(), ' ') + " = " + value + "\n";
  for (const HclBlock& inner : blocks_) {
    if (&inner != &blocks_.front() || !attributes_.empty()) out += "\n";
    out += inner.written(indent + 2);
  }
  return out + margin + "}\n";
}

}  // namespace gpusel::show
