// Asks the installed library one question.
#include <gpusel/advise/estimate.hpp>
#include <gpusel/catalog/load.hpp>

#include <cstdio>

int main() {
  const auto catalog = gpusel::catalog::load({});
  if (!catalog) return 1;
  const auto coefficients = gpusel::estimate::read_coefficients(catalog->documents("calibration"));
  if (!coefficients) return 1;
  gpusel::workload::Request request;
  request.task = gpusel::workload::Task::inference;
  request.model = "llama-3.1-8b";
  request.gpu = "l4";
  const auto answer = gpusel::advise::answer_estimate(request, *catalog, *coefficients, false);
  if (!answer) return 1;
  std::printf("%.1f tokens/s\n", gpusel::plan::tokens_per_s(answer->choice));
  return gpusel::plan::fits(answer->choice) ? 0 : 1;
}
