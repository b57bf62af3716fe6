#include "show/job/figures.hpp"

#include <algorithm>
#include <iterator>

#include "base/text/joined.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::show {

namespace {

struct FigureName {
  std::string_view key;
  std::string_view words;
  std::string_view unit = {};
};
constexpr FigureName kNames[] = {
    {"step_s", to_name("step time"), "s"},
    {"step_ms", to_name("step time"), "ms"},
    {"decode_s", to_name("decode time"), "s"},
    {"slowdown", to_name("slowdown"), "×"},
    {"score", to_name("score")},
    {"scaling", to_name("scaling efficiency")},
    {"offloaded_gib", to_name("offloaded"), "GiB"},
    {"table_gib", to_name("embedding tables"), "GiB"},
    {"largest_table_gib", to_name("largest table"), "GiB"},
    {"largest_table_share", to_name("largest table as a share of GPU memory")},
    {"tables_on_gpu", to_name("share of tables on the GPU")},
    {"loader_vcpus_per_gpu", to_name("vCPUs per GPU for loading")},
    {"loader_share", to_name("share of the loading that the CPUs can do")},
    {"gpu_throughput", to_name("GPU throughput")},
    {"sessions_per_gpu", to_name("sessions per GPU")},
    {"encoder_streams_per_gpu", to_name("encoder streams per GPU")},
    {"reachable_fps", to_name("reachable fps")},
    {"gpu_used", to_name("runs on the GPU")},
};

}  // namespace

std::string more_figures(const physics::Plan& plan) {
  std::string line;
  for (const physics::NamedFigure& figure : plan.more) {
    const auto* known = std::ranges::find(kNames, figure.key, &FigureName::key);
    const bool is_known = known != std::end(kNames);
    const std::string value = figure.value < 1e4 ? format("{:.4g}", figure.value) : human_number(figure.value);
    std::string words = format("{} {}", is_known ? say_name(known->words) : std::string(figure.key), value);
    if (is_known && !known->unit.empty()) words += format("{}{}", known->unit == "×" ? "" : " ", known->unit);
    add_item(line, words);
  }
  return line;
}

}  // namespace gpusel::show
