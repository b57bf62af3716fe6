#include "cli/answer.hpp"

#include "gpusel/base/unseen.hpp"
#include "report/markdown.hpp"
#include "report/markdown_page.hpp"
#include "report/write_json.hpp"
#include "report/yaml.hpp"

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
  if (format == "html" && answer.page) return context.out.write(answer.page());
  if (is_document(format)) {
    const std::string markdown =
        visible(report::tidy_markdown(answer.text("markdown", {report::Width::markdown()})), false);
    return context.out.write(format == "html" ? report::markdown_page(markdown) : markdown);
  }
  report::Terminal terminal = context.terminal();
  if (format == "csv") terminal.color = false;
  if (format != "table") terminal.width = 0;
  // Whatever a table may have left in: nothing of a catalogue acts on the terminal.
  context.out.write(visible(answer.text(format, terminal), terminal.color));
}

}  // namespace gpusel::cli
