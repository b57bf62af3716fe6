// A request on its way to become counted work: what was asked, what it is about, and where the defaults go. Each class
// of work fills in its own job. Private to this room.
#pragma once

#include <span>

#include "base/words/message.hpp"
#include "catalog/catalog.hpp"
#include "job/request/defaults.hpp"

namespace gpusel::job {

struct Filling {
  const Request& request;
  const catalog::Model* model;  // null where no network is run
  const catalog::Catalog& catalog;
  Job& work;
  Counted& counted;
  Defaults defaults;

  bool training() const { return is_training(work.task); }
  template <class T, class Default>
  T or_assume(const std::optional<T>& given, std::string_view key, Default standard) {
    return defaults.or_assume(given, key, standard);
  }
  void note(std::string text) { work.notes.push_back(std::move(text)); }

  /// Who decodes what is stored: of training and of work on files. Requests of a service come as their senders send
  /// them.
  void decodes();

  /// Samples to train on: those asked for, or so many of a usual data set.
  void training_amount(double samples, double epochs);
};

/// Pixels of a model's default input: "224x224"; nothing where it is not of pixels.
std::optional<Resolution> default_resolution(const catalog::Model& model);

// Fill in the job, the unit, the usual engine and the amount of work; errors name the key.
Status fill(SampleJob& job, Filling& f);
Status fill(DiffusionJob& job, Filling& f);
Status fill(SpeechJob& job, Filling& f);
Status fill(RecommenderJob& job, Filling& f);
Status fill(OfflineRender& job, Filling& f);
Status fill(SessionJob& job, Filling& f);
Status fill(SimulationJob& job, Filling& f);
Status fill(TranscodeJob& job, Filling& f);
Status fill(AnalyticsJob& job, Filling& f);
Status fill(PreprocessJob& job, Filling& f);

// The keys that have an effect on the job besides those of the task, the model, the machine and the engine.
std::span<const std::string_view> keys_of(const SampleJob&);
std::span<const std::string_view> keys_of(const DiffusionJob&);
std::span<const std::string_view> keys_of(const SpeechJob&);
std::span<const std::string_view> keys_of(const RecommenderJob&);
std::span<const std::string_view> keys_of(const OfflineRender&);
std::span<const std::string_view> keys_of(const SessionJob&);
std::span<const std::string_view> keys_of(const SimulationJob&);
std::span<const std::string_view> keys_of(const TranscodeJob&);
std::span<const std::string_view> keys_of(const AnalyticsJob&);
std::span<const std::string_view> keys_of(const PreprocessJob&);

}  // namespace gpusel::job
