// What an answer says, block by block, and not how it looks: each renderer makes its own of it.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "show/document/chart.hpp"
#include "show/document/side_by_side.hpp"
#include "show/document/table.hpp"
#include "show/document/text.hpp"

namespace gpusel::show {

/// Where a block is shown. A page (Markdown, HTML) is kept and stands alone; above a terminal's answer is its command.
enum class Where : std::uint8_t { everywhere, terminal, page };

/// `level` 1 is the title of the whole.
struct Heading {
  Text text;
  int level = 2;
  std::string id = {};  // what links call it
};

/// Blanks at its beginning are its margin on a terminal, and make it a point of a list on a page.
struct Paragraph {
  Text text;
  std::size_t hang = 2;  // columns of later lines
};

/// An empty line on a terminal; a page has its own.
struct Gap {};

/// Lines that are to be copied.
struct Code {
  std::string lines;
  std::size_t margin = 0;
  std::string label = {};  // a command of one line: what it is, for whoever cannot see it
};

struct List {
  enum class Kind : std::uint8_t { points, steps, chips };
  std::vector<Text> items;
  Kind kind = Kind::points;
};

struct Fact {
  std::string label;
  std::string value;
  std::string aside = {};  // its source, or what else there is to say
};

struct Facts {
  std::vector<Fact> facts;

  Table table() const;
};

/// A figure and what it was worked out of.
struct Step {
  std::size_t depth = 0;
  std::string quantity, value, number, unit, formula, substituted, source;
};

/// Figures with their formulas, as they come or as a tree of what each is made of.
struct Derivation {
  std::vector<Step> steps;
  bool tree = false;

  Table table() const;
};

struct Picture {
  std::variant<Chart, Bars, Stacks> of;
  std::string label;  // what it shows
};

/// The answer itself, before anything else.
struct Card {
  std::string id;
  std::string name;
  std::string sentence;
  std::vector<Text> cautions = {};
  Facts facts = {};
  std::string reasons = {};
};

struct Block;

/// What a page shows when it is asked to.
struct Fold {
  std::string kind;
  Text title;
  std::size_t count = 0;
  std::string key;  // of what it is about; empty: nothing has one
  std::vector<Block> blocks;
};

/// What holds for the whole page.
struct Footer {
  std::string words;
};

struct Block {
  std::variant<Heading, Paragraph, Gap, Code, List, Facts, Table, SideBySide, Derivation, Picture, Card, Fold, Footer>
      content;
  Where where = Where::everywhere;
};

class Document {
 public:
  template <class Content>
  Document& add(Content content, Where where = Where::everywhere) {
    blocks_.push_back({std::move(content), where});
    return *this;
  }
  /// `where`: of what else would be everywhere.
  Document& append(Document other, Where where = Where::everywhere) {
    for (Block& block : other.blocks_) {
      if (block.where == Where::everywhere) block.where = where;
      blocks_.push_back(std::move(block));
    }
    return *this;
  }

  Document& title(Text text, Where where = Where::everywhere) { return add(Heading{std::move(text), 1}, where); }
  Document& heading(Text text, int level = 2) { return add(Heading{std::move(text), level}); }
  /// What only a page needs: on a terminal, the command and the place say it.
  Document& page_title(Text text) { return title(std::move(text), Where::page); }
  Document& page_heading(Text text) { return add(Heading{std::move(text)}, Where::page); }
  Document& line(Text text, std::size_t hang = 2, Where where = Where::everywhere) {
    return add(Paragraph{std::move(text), hang}, where);
  }
  /// With a heading, if there are any; as points of a list.
  Document& section(std::string title, const std::vector<std::string>& lines, int level = 2);
  Document& gap() { return add(Gap{}); }
  /// Where each figure comes from, if it was asked for.
  Document& derivation(Derivation derivation);

  const std::vector<Block>& blocks() const { return blocks_; }
  bool empty() const { return blocks_.empty(); }

 private:
  std::vector<Block> blocks_;
};

}  // namespace gpusel::show
