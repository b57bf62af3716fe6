#include "cli/question/answer.hpp"

#include "base/text/unicode.hpp"
#include "show/json/write_json.hpp"
#include "show/json/yaml.hpp"
#include "show/render/csv.hpp"
#include "show/render/html/html.hpp"
#include "show/render/markdown.hpp"

namespace gpusel::cli {

namespace {

void print_data(const Answer& answer, std::string_view format, Output& out) {
  const auto* tell = std::get_if<Answer::Told>(&answer.data);
  if (tell == nullptr) return out.write(show::dump_as(format, std::get<Answer::Tree>(answer.data)()));
  if (format != "json") return out.write(show::dump_as(format, show::tree_of(*tell)));
  show::JsonWriter json(2);
  json.object(show::JsonOut::kItem, [&] { (*tell)(json); });
  out.write(json.finish());
}

}  // namespace

void print(const Answer& answer, const std::string& format, Context& context) {
  if (show::is_data(format)) return print_data(answer, format, context.out);
  if (format == "csv" && answer.csv) return context.out.write(visible(show::csv_text(answer.csv()), false));
  const show::Document document = answer.document(format != "table");
  if (format == "html") return context.out.write(show::html_page(document));
  show::Terminal terminal = context.terminal();
  if (format != "table") terminal.width = 0;
  if (format == "csv" || is_document(format)) terminal.color = false;
  const std::string text = format == "csv"        ? show::csv_text(document)
                           : format == "markdown" ? show::markdown_text(document)
                                                  : show::terminal_text(document, terminal);
  // Whatever a table may have left in: nothing of a catalogue acts on the terminal.
  const std::string shown = visible(text, terminal.color);
  if (format == "table" || format == "wide")
    context.show(shown);
  else
    context.out.write(shown);
}

}  // namespace gpusel::cli
