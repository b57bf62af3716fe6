#include "base/io/csv.hpp"

#include <algorithm>

#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

class Reader {
 public:
  Reader(std::string_view text, std::string name) : text_(text), csv_{std::move(name), {}, {}} {}
  Reader(std::string_view text, const Csv& head, std::uint32_t line)
      : text_(text), csv_{head.name, head.header, {}}, line_(line) {}

  Result<Csv> read() {
    if (csv_.header.empty() && text_.starts_with("\xEF\xBB\xBF")) skip(3);
    column_ = 1;
    std::vector<Node> cells;
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        skip(std::min(text_.find('\n', at_), text_.size() - 1) - at_ + 1);
        next_line();
        continue;
      }
      cells.clear();
      if (Status line = read_line(cells); !line) return std::unexpected(line.error());
      if (std::ranges::all_of(cells, [](const Node& cell) { return cell.text.empty(); })) continue;
      if (Status taken = csv_.header.empty() ? take_header(cells) : take_row(cells); !taken)
        return std::unexpected(taken.error());
    }
    if (csv_.header.empty()) return refuse(Node{}, say("there is no header line with column names"));
    return std::move(csv_);
  }

 private:
  void skip(std::size_t bytes) {
    at_ += bytes;
    column_ += static_cast<std::uint32_t>(bytes);
  }
  void next_line() {
    ++line_;
    column_ = 1;
  }
  std::unexpected<Error> refuse(const Node& at, std::string message, std::string hint = {}) const {
    return usage_error(std::move(message), position(csv_.name, at), std::move(hint));
  }

  Status read_line(std::vector<Node>& cells) {
    while (true) {
      Node& cell = cells.emplace_back();
      cell.kind = Node::Kind::scalar;
      cell.line = line_;
      cell.column = column_;
      if (cells.size() > kMaxColumns) return refuse(cell, too_many_columns());
      if (++values_ > kMaxValues) return refuse(cell, too_many_values());
      if (Status done = at_ < text_.size() && text_[at_] == '"' ? quoted(cell) : plain(cell); !done) return done;
      if (at_ == text_.size()) return {};
      const bool more = text_[at_] == ',';
      skip(1);
      if (more) continue;
      next_line();
      return {};
    }
  }

  Status plain(Node& cell) {
    const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    cell.text = trim(text_.substr(at_, end - at_));
    skip(end - at_);
    return {};
  }

  Status quoted(Node& cell) {
    skip(1);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      skip(1);
      if (c == '\n') next_line();
      if (c != '"') {
        cell.text += c;
      } else if (at_ < text_.size() && text_[at_] == '"') {
        cell.text += c;
        skip(1);
      } else {
        if (at_ < text_.size() && text_[at_] == '\r') skip(1);
        if (at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n') return {};
        return refuse(cell, say("there is text behind the closing quote"));
      }
    }
    return refuse(cell, say("the quote is not closed"));
  }

  Status take_header(std::vector<Node>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].text.empty()) return refuse(cells[i], say("the column has no name"));
      const auto same = [&](const Node& other) { return other.text == cells[i].text; };
      if (std::any_of(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(i), same))
        return refuse(cells[i], say("there are two columns '{}'", shorten(cells[i].text, 40)));
    }
    csv_.header = std::move(cells);
    return {};
  }

  Status take_row(std::vector<Node>& cells) {
    const std::size_t columns = csv_.header.size();
    if (cells.size() > columns)
      return refuse(cells[columns], say("the row has {} cells, there are {} columns", cells.size(), columns),
                    say("put a text with a comma in quotes"));
    Node row;
    row.kind = Node::Kind::map;
    row.line = cells.front().line;
    row.column = 1;
    const auto filled = std::ranges::count_if(cells, [](const Node& cell) { return !cell.text.empty(); });
    row.children.reserve(static_cast<std::size_t>(filled));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].text.empty()) continue;
      cells[i].key = csv_.header[i].text;
      cells[i].key_line = cells[i].line;
      cells[i].key_column = cells[i].column;
      row.children.push_back(std::move(cells[i]));
    }
    csv_.rows.push_back(std::move(row));
    return {};
  }

  std::string_view text_;
  Csv csv_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

}  // namespace

Result<Csv> parse_csv(std::string_view text, std::string name) { return Reader(text, std::move(name)).read(); }

Result<std::vector<Node>> parse_csv_rows(std::string_view text, const Csv& head, std::uint32_t line) {
  auto csv = Reader(text, head, line).read();
  if (!csv) return std::unexpected(csv.error());
  return std::move(csv->rows);
}

}  // namespace gpusel
