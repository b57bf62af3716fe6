#include "cli/answer.hpp"

#include "report/markdown_page.hpp"
#include "report/yaml.hpp"

namespace gpusel::cli {

void print(const Answer& answer, const std::string& format, Context& context) {
  if (report::is_data(format)) return context.out.write(report::dump_as(format, answer.data()));
  if (format == "html")
    return context.out.write(answer.page ? answer.page() : report::markdown_page(answer.text("markdown", {})));
  report::Terminal terminal = context.terminal();
  if (format != "table") terminal.width = 0;
  context.out.write(answer.text(format, terminal));
}

}  // namespace gpusel::cli
