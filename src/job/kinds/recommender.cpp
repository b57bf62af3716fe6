#include "job/kinds/filling.hpp"

namespace gpusel::job {

namespace {

constexpr double kTrainingSamples = 4e9;  // the size of Criteo's terabyte of clicks, read once
constexpr double kTrainingEpochs = 1;
constexpr double kRowValues = 2;  // Adam's moments

/// What the optimizer keeps for each value of a table; the published recipe's, unless another is named.
double state_values(const Filling& f) {
  if (!f.request.optimizer) return f.model->embedding_optimizer_elements.value_or(kRowValues);
  switch (*f.request.optimizer) {
    case Optimizer::sgd:
    case Optimizer::adafactor: return 0;
    case Optimizer::lion:
    case Optimizer::muon: return 1;
    default: return kRowValues;
  }
}

std::string_view usual_optimizer(double values) { return values >= 2 ? "adam" : values >= 1 ? "adagrad" : "sgd"; }

}  // namespace

std::span<const std::string_view> keys_of(const RecommenderJob&) {
  static constexpr std::string_view kKeys[] = {"table_gib", "offload"};
  return kKeys;
}

Status fill(RecommenderJob& job, Filling& f) {
  const catalog::Model& model = *f.model;
  if (!model.embedding_params_b || !model.lookups_per_sample || !model.embedding_dim)
    return usage_error(
        say("the embedding tables of '{}' are not known", model.id), "model",
        say("an overlay can add recommender.embedding_params_b, .embedding_dim and .lookups_per_sample"));
  job.table_gib = f.request.table_gib;
  f.counted.unit = kSamples;
  f.counted.on_cpu = !f.training() && f.counted.engine != Engine::tensorrt;
  if (!f.training()) return {};
  if (f.work.training.method != Method::full)
    return usage_error(say("recommendation models are trained with all weights"), "method", say("remove --method"));
  job.state_values = state_values(f);
  if (!f.request.optimizer) f.defaults.assume("optimizer", usual_optimizer(job.state_values));
  f.training_amount(kTrainingSamples, kTrainingEpochs);
  return {};
}

}  // namespace gpusel::job
