#include "cli/answer.hpp"

#include "gpusel/base/unseen.hpp"
#include "report/json/write_json.hpp"
#include "report/json/yaml.hpp"
#include "report/render/csv.hpp"
#include "report/render/html.hpp"
#include "report/render/markdown.hpp"

namespace gpusel::cli {

namespace {

void print_data(const Answer& answer, std::string_view format, Output& out) {
  const auto* tell = std::get_if<Answer::Told>(&answer.data);
  if (tell == nullptr) return out.write(report::dump_as(format, std::get<Answer::Tree>(answer.data)()));
  if (format != "json") return out.write(report::dump_as(format, report::tree_of(*tell)));
  report::JsonWriter json(2);
  json.object(report::JsonOut::kItem, [&] { (*tell)(json); });
  out.write(json.finish());
}

}  // namespace

void print(const Answer& answer, const std::string& format, Context& context) {
  if (report::is_data(format)) return print_data(answer, format, context.out);
  if (format == "csv" && answer.csv) return context.out.write(visible(report::csv_text(answer.csv()), false));
  const report::Document document = answer.document(format != "table");
  if (format == "html") return context.out.write(report::html_page(document));
  report::Terminal terminal = context.terminal();
  if (format != "table") terminal.width = 0;
  if (format == "csv" || is_document(format)) terminal.color = false;
  const std::string text = format == "csv"        ? report::csv_text(document)
                           : format == "markdown" ? report::markdown_text(document)
                                                  : report::terminal_text(document, terminal);
  // Whatever a table may have left in: nothing of a catalogue acts on the terminal.
  context.out.write(visible(text, terminal.color));
}

}  // namespace gpusel::cli
