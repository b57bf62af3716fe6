// The way of data to the GPUs: how much there is, how fast it must come, which storage of the provider brings it, and
// how long a fresh instance takes until it answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answer/search/recommend.hpp"
#include "money/storage.hpp"
#include "physics/record.hpp"

namespace gpusel::answer {

using money::Place;

// Where its figures come from.
inline constexpr std::string_view kDataPage = "docs/data-path.md";
inline constexpr std::string_view kEconomyData = "data/calibration/economy.yaml";

/// From a fresh instance to the first answer: weights are loaded, then the engine starts. What a provider takes to hand
/// over the instance and to fetch the container comes before it and is not in it.
struct ColdStart {
  Bytes weights;                              // that one node reads
  std::optional<catalog::StorageKind> kind;   // they are read from
  const catalog::Storage* storage = nullptr;  // null: none of that kind is known there
  bool usual = false;                         // its rate is not known, and that of its kind stands
  double storage_gbs = 0;                     // one node
  double loader_gbs = 0;                      // that the engine's loader takes, one node
  Seconds load;
  Seconds engine;

  double gbs() const { return storage_gbs < loader_gbs ? storage_gbs : loader_gbs; }
  std::string_view bound_by() const { return storage_gbs < loader_gbs ? "storage" : "loader"; }
  /// Getting the instance and its container comes before.
  template <class Tell>
  auto sum(const Tell& told) const {
    return told("loading", load) + told("start of the engine", engine);
  }
  Seconds total() const { return sum(physics::Untold{}); }
};

/// Nothing for work that loads no model. `from`: where the weights are kept; if not told a bucket of the provider, else
/// a file system, else a volume, as far as any is known there.
std::optional<ColdStart> cold_start(const job::Job& work, const physics::Machine& machine, const physics::Plan& plan,
                                    const Place& place, const catalog::Catalog& catalog,
                                    const physics::Coefficients& coefficients, physics::Trace* trace = nullptr,
                                    std::optional<catalog::StorageKind> from = std::nullopt);

/// What a person says of the data; everything else follows from the job.
struct DataWishes {
  std::optional<double> dataset_gb;
  std::optional<double> sample_kb;
  std::optional<double> checkpoint_minutes;
  std::optional<catalog::StorageKind> storage;  // where data and weights are kept
};
std::span<const job::Option<DataWishes>> data_options();

/// What a job reads and writes, all nodes together. What it does not do is absent.
struct DataNeed {
  std::string_view unit;                 // what the data set is counted in: "tokens", "images"
  std::optional<double> unit_bytes;      // of one, as stored
  std::optional<double> units_per_s;     // read while the GPUs are busy
  std::optional<double> dataset_gb;      // one pass over it
  std::optional<double> needed_gbs;      // for GPUs never to wait
  std::optional<double> weights_gb;      // of one copy of the model
  std::optional<double> checkpoint_gb;   // written each time
  std::optional<double> checkpoint_gbs;  // for it to be written in time
  std::optional<double> output_gb;       // that the job leaves
  std::optional<double> output_gbs;      // written while the GPUs are busy
  std::optional<double> egress_gbit_s;   // to the internet

  /// The data set, the model and one checkpoint.
  double stored_gb() const { return dataset_gb.value_or(0) + weights_gb.value_or(0) + checkpoint_gb.value_or(0); }
};

/// What one kind of storage there would do for the job.
struct StorageFit {
  catalog::StorageKind kind = catalog::StorageKind::object;
  const catalog::Storage* storage = nullptr;  // null: the instance's own disks, at the usual rate
  double sold_gb = 0;                         // of each volume or file system; 0: the disks of the instance
  bool too_small = false;
  std::optional<money::ReadRate> rate;
  std::optional<double> most_gbs;  // that it can bring, whatever a network that is not known carries
  double bought_gbs = 0;           // of each volume or file system, in the rate and in the price
  std::optional<double> pass_minutes;
  std::optional<double> waiting;       // share of the time that GPUs wait for data
  std::optional<double> checkpoint_s;  // to write one at the rate of reading
  std::optional<Money> per_month;      // as published; nothing where no price is known
  std::optional<double> converted;     // in the answer's currency
  std::optional<money::Exchange> exchange;
  std::optional<double> requests;  // for one pass, converted; nothing where they are free or not known

  std::string_view name() const { return storage != nullptr ? storage->name : std::string_view("local disks"); }
};

/// A sentence worth a warning, by the rule it falls under.
struct DataWarning {
  std::string_view rule;
  std::string message;
};

struct DataPath {
  DataNeed need;
  std::optional<Seconds> checkpoint_interval;
  std::vector<StorageFit> storages;  // by kind, as the catalogue lists them
  std::optional<ColdStart> cold;
  std::vector<DataWarning> warnings;
  physics::Trace trace;  // where it was asked for
};

/// Everything that is known of one recommendation's data.
DataPath data_path(const Recommendation& recommendation, const Advice& advice, const job::Request& request,
                   const DataWishes& wishes, const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                   const money::Converter& converter, bool explained);

/// Error: what is said of the data has no meaning for the job; `where` is the flag.
Status check_wishes(const DataWishes& wishes, const job::Job& work, const physics::Coefficients& coefficients);

/// Its warnings among the remarks of the recommendations that need them (the first `detailed`; 0: all).
void warn_of_data(Advice& advice, const Question& question, const DataWishes& wishes, const catalog::Catalog& catalog,
                  const physics::Coefficients& coefficients);

}  // namespace gpusel::answer
