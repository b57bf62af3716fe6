// What is printed for people and what is printed for programs are the same figures.
#include <algorithm>
#include <catch2/catch.hpp>

#include "base/io/document.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "support/drawn.hpp"
#include "support/program.hpp"

namespace output_property_test {

using namespace gpusel;
using test::must;
namespace any = test::any;

namespace {

constexpr int kCases = 10;  // each runs the program

double number_of(const Node& object, std::string_view key, std::string_view of) {
  const Node* outer = object.find(key);
  const Node* inner = outer != nullptr ? outer->find(of) : nullptr;
  must(inner != nullptr, format("no {}.{}", key, of));
  return plain_number(inner->text).value_or(-1);
}

/// Whether one of the cells of a line of a table is that text.
bool has_cell(const std::string& line, const std::string& text) {
  const std::string padded = line + " ";
  return padded.find(" " + text + " ") != std::string::npos;
}

}  // namespace

TEST_CASE("a table has the figures of the JSON", "[property]") {
  test::holds(
      "table and JSON",
      [] {
        const std::string task = any::one_of("task", {"finetune", "inference"});
        std::vector<std::string> words{"recommend", "--task", task, "--all-sizes", "--limit", "20"};
        words.insert(words.end(),
                     {"--model", any::one_of("model", {"llama-7b", "qwen2.5-7b", "mixtral-8x7b", "bert-base"})});
        words.insert(words.end(), {"--currency", any::one_of("currency", {"USD", "CNY", "EUR"})});
        if (task == "finetune") words.insert(words.end(), {"--method", any::one_of("method", {"full", "lora"})});
        const auto printed_as = [&](const std::string& form) {
          std::vector<std::string> asked = words;
          asked.insert(asked.end(), {"-o", form});
          return test::ask(asked, {.environment = {{"COLUMNS", "400"}}});
        };
        const test::Run table = printed_as("wide"), json = printed_as("json");
        must(table.status == 0 && json.status == 0, table.err + json.err);
        const auto document = parse_json(json.out, "answer");
        must(document.has_value(), "no JSON");
        const auto lines = test::lines_of(table.out);
        const Node* rows = document->root.find("recommendations");
        must(rows != nullptr && !rows->children.empty(), "no rows");
        std::size_t compared = 0;
        for (const Node& row : rows->children) {
          const std::string rank = row.find("rank")->text, sku = row.find("sku")->text;
          const auto line = std::ranges::find_if(
              lines, [&](const std::string& one) { return one.starts_with(rank + "  ") && has_cell(one, sku); });
          if (line == lines.end()) continue;  // a long name is shortened
          ++compared;
          must(has_cell(*line, human_price(number_of(row, "cost", "hourly"))), format("price of {}: {}", sku, *line));
          if (task == "finetune")
            must(has_cell(*line, human_price(number_of(row, "cost", "total"))), format("total of {}: {}", sku, *line));
        }
        must(compared * 2 > rows->children.size(), "the table has other rows");
      },
      kCases);
}

}  // namespace output_property_test
