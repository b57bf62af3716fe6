#include "report/export/hcl.hpp"

#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::report {

std::string hcl_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t valid = valid_utf8_prefix(text);
    for (std::size_t i = 0; i < valid; ++i) {
      const char c = text[i];
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') out += '\\';
      if (c == '\n')
        out += "\\n";
      else if (c == '\r')
        out += "\\r";
      else if (c == '\t')
        out += "\\t";
      else if (byte < 0x20 || byte == 0x7F)
        out += format("\\u{:04X}", byte);
      else
        out += c;
      // "${" and "%{" begin templates; doubled, the first character is itself.
      if ((c == '$' || c == '%') && i + 1 < valid && text[i + 1] == '{') out += c;
    }
    text.remove_prefix(valid);
    if (text.empty()) break;
    out += "\xEF\xBF\xBD";  // as JSON writes what is no text
    text.remove_prefix(1);
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

}  // namespace gpusel::report
