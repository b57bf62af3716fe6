#include "cli/answer.hpp"

#include "gpusel/base/unseen.hpp"
#include "report/markdown.hpp"
#include "report/markdown_page.hpp"
#include "report/yaml.hpp"

namespace gpusel::cli {

void print(const Answer& answer, const std::string& format, Context& context) {
  if (report::is_data(format)) return context.out.write(report::dump_as(format, answer.data()));
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
