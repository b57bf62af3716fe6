#include "catalog/import/csv.hpp"

#include <algorithm>

#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog::import {

namespace {

/// A longer record is refused, not read into memory piece by piece.
constexpr std::size_t kMaxRecord = std::size_t{1} << 20U;
/// A quote that stays open for so many lines was never meant to.
constexpr std::uint32_t kMaxQuotedLines = 100;
constexpr std::size_t kMaxPreamble = 20;

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto fold = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return fold(x) == fold(y);
  });
}

/// Whether a piece behind a comma belongs to the text before it: place names and printed dictionaries
/// go on with a space, Azure's generations are "V1,V2".
bool goes_on(std::string_view before, std::string_view piece) {
  const auto braces = std::count(before.begin(), before.end(), '{') - std::count(before.begin(), before.end(), '}');
  if (before.starts_with('{') && braces > 0) return true;
  if (piece.starts_with(' ')) return true;
  const auto generation = [](std::string_view word) {
    return word.size() == 2 && word[0] == 'V' && word[1] >= '0' && word[1] <= '9';
  };
  return generation(piece) && before.size() >= 2 && generation(before.substr(before.size() - 2));
}

}  // namespace

/// Reads a quoted field from behind its opening quote to behind its closing one.
CsvReader::Scan CsvReader::scan_quoted(std::string_view text, bool last, std::size_t& at) {
  Span span{at, at, false};
  for (; at < text.size(); ++at) {
    if (text[at] == '\n' && ++lines_in_it_ > kMaxQuotedLines) {
      reason_ = to_say("a quote is not closed");
      return Scan::broken;
    }
    if (text[at] != '"') continue;
    if (at + 1 == text.size() && !last) return Scan::need_more;
    if (at + 1 < text.size() && text[at + 1] == '"') {
      span.doubled = true;
      ++at;
      continue;
    }
    span.end = at++;
    spans_.push_back(span);
    if (at == text.size() || text[at] == ',' || text[at] == '\n' || text[at] == '\r') return Scan::complete;
    reason_ = to_say("text behind a closing quote");
    return Scan::broken;
  }
  reason_ = to_say("a quote is not closed");
  return last ? Scan::broken : Scan::need_more;
}

/// Finds the fields of the record that `text` begins with.
CsvReader::Scan CsvReader::scan(std::string_view text, bool last) {
  spans_.clear();
  lines_in_it_ = 0;
  std::size_t at = 0;
  while (true) {
    if (at < text.size() && text[at] == '"') {
      ++at;
      if (const Scan quoted = scan_quoted(text, last, at); quoted != Scan::complete) return quoted;
    } else {
      const std::size_t begin = at;
      at = std::min(text.find_first_of(",\n", at), text.size());
      if (at == text.size() && !last) return Scan::need_more;
      const bool carriage = (at == text.size() || text[at] == '\n') && at > begin && text[at - 1] == '\r';
      spans_.push_back({begin, carriage ? at - 1 : at, false});
    }
    if (at < text.size() && text[at] == '\r') {
      if (at + 1 == text.size() && !last) return Scan::need_more;
      if (at + 1 < text.size() && text[at + 1] != '\n') {
        reason_ = to_say("text behind a closing quote");
        return Scan::broken;
      }
      ++at;
    }
    if (at >= text.size() || text[at] == '\n') break;
    ++at;  // the comma
    if (at == text.size() && !last) return Scan::need_more;
  }
  if (at >= text.size() && !last) return Scan::need_more;
  cut_off_ = at >= text.size();
  length_ = std::min(at + 1, text.size());
  return Scan::complete;
}

void CsvReader::take_fields(std::string_view text) {
  fields_.clear();
  unescaped_.clear();
  unescaped_.reserve(length_);
  for (const Span& span : spans_) {
    const std::string_view raw = text.substr(span.begin, span.end - span.begin);
    if (!span.doubled) {
      fields_.push_back(raw);
      continue;
    }
    const std::size_t begin = unescaped_.size();
    for (std::size_t i = 0; i < raw.size(); ++i) {
      unescaped_ += raw[i];
      if (raw[i] == '"') ++i;
    }
    fields_.push_back(std::string_view(unescaped_).substr(begin));
  }
}

void CsvReader::skip_line() {
  while (true) {
    const auto end = file_.unread().find('\n');
    if (end != std::string_view::npos) return file_.use(end + 1);
    file_.use(file_.unread().size());
    if (!file_.more()) return;
  }
}

CsvReader::Outcome CsvReader::broken(std::string_view reason) {
  reason_ = reason;
  line_ = next_line_++;
  skip_line();
  return Outcome::broken;
}

CsvReader::Outcome CsvReader::next() {
  bool last = false;
  while (true) {
    const std::string_view text = file_.unread();
    if (text.empty() && last) return Outcome::end;
    const Scan outcome = text.empty() ? Scan::need_more : scan(text, last);
    if (outcome == Scan::broken) return broken(reason_);
    if (outcome == Scan::need_more) {
      if (text.size() > kMaxRecord) return broken(to_say("a line of more than 1 MiB"));
      last = !file_.more();
      continue;
    }
    take_fields(text);
    file_.use(length_);  // the bytes stay where they are until more is read
    line_ = next_line_;
    next_line_ += lines_in_it_ + 1;
    if (length_ > kMaxRecord) {
      reason_ = to_say("a line of more than 1 MiB");
      return Outcome::broken;
    }
    if (fields_.size() > 1 || !trim(fields_.front()).empty()) return Outcome::record;
    last = false;
  }
}

Status CsvTable::open(std::span<const std::string_view> required, std::string_view first_column) {
  for (std::size_t tried = 0; tried < kMaxPreamble; ++tried) {
    const auto outcome = csv_.next();
    if (outcome == CsvReader::Outcome::end) break;
    header_.clear();
    if (outcome == CsvReader::Outcome::broken) continue;
    if (csv_.fields().size() > kMaxColumns) return usage_error(too_many_columns());
    for (const std::string_view name : csv_.fields()) header_.emplace_back(trim(name));
    if (first_column.empty() || column(first_column) >= 0) break;
    if (header_.size() == 2) preamble_.emplace_back(header_[0], header_[1]);
    header_.clear();
  }
  if (header_.empty()) return usage_error(say("it has no header line"));
  for (const std::string_view name : required) {
    if (column(name) >= 0) continue;
    for (const char separator : {';', '\t'})
      if (header_.size() == 1 && header_[0].find(separator) != std::string::npos)
        return usage_error(say("its columns are not separated by commas"));
    return usage_error(say("it has no column '{}'", name));
  }
  for (std::size_t i = 0; i < header_.size(); ++i)
    if (column(header_[i]) != static_cast<int>(i) && !header_[i].empty())
      return usage_error(say("it has two columns '{}'", printable(shorten(header_[i], 40))));
  return {};
}

std::string CsvTable::preamble(std::string_view name) const {
  for (const auto& [key, value] : preamble_)
    if (same_word(key, name)) return value;
  return {};
}

int CsvTable::column(std::string_view name) const {
  for (std::size_t i = 0; i < header_.size(); ++i)
    if (same_word(header_[i], name)) return static_cast<int>(i);
  return -1;
}

CsvReader::Outcome CsvTable::next() {
  const auto outcome = csv_.next();
  if (outcome == CsvReader::Outcome::broken) reason_ = say_text(csv_.reason());
  if (outcome != CsvReader::Outcome::record) return outcome;
  const auto& found = csv_.fields();
  if (found.size() == header_.size()) {
    fields_.resize(found.size());
    std::transform(found.begin(), found.end(), fields_.begin(), trim);
    for (const std::string_view field : fields_)
      if (valid_utf8_prefix(field) != field.size()) {
        reason_ = say("it is not UTF-8");
        return CsvReader::Outcome::broken;
      }
    return outcome;
  }
  if (found.size() > header_.size() && mend()) return outcome;
  reason_ = say("{} fields where the header has {}", found.size(), header_.size());
  return CsvReader::Outcome::broken;
}

/// Joins what a comma without quotes has torn apart.
bool CsvTable::mend() {
  mended_.clear();
  for (const std::string_view piece : csv_.fields()) {
    if (!mended_.empty() && goes_on(mended_.back(), piece))
      mended_.back() += "," + std::string(piece);
    else
      mended_.emplace_back(piece);
  }
  if (mended_.size() != header_.size()) return false;
  fields_.resize(mended_.size());
  std::transform(mended_.begin(), mended_.end(), fields_.begin(), [](const std::string& text) { return trim(text); });
  return std::all_of(fields_.begin(), fields_.end(),
                     [](std::string_view field) { return valid_utf8_prefix(field) == field.size(); });
}

}  // namespace gpusel::catalog::import
