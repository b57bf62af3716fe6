#include "job/processor.hpp"

#include <algorithm>

namespace gpusel::job {

bool leaves_format_open(const Request& request, const catalog::Model& model) {
  return request.weights_precision.empty() && request.allow_precisions.empty() && model.file_layout != "gguf";
}

bool wants_no_gpu(const Constraints& limits) {
  return !limits.gpus.empty() && std::ranges::all_of(limits.gpus, &GpuSpec::none);
}

void assume_processor(Request& request, const catalog::Model* model, Assumptions& assumed) {
  if (request.task != Task::inference || model == nullptr || is_counted(request, model)) return;
  if (!request.engine) {
    request.engine = Engine::llama_cpp;
    assumed.push_back({"engine", std::string(to_text(Engine::llama_cpp))});
  }
  if (kernels_of(*request.engine) != Engine::llama_cpp || !leaves_format_open(request, *model)) return;
  request.weights_precision = kUsualGguf;
  assumed.push_back({"weights_precision", request.weights_precision});
}

}  // namespace gpusel::job
