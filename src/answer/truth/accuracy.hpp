// How good a set of estimates is. Every source of measurements weighs the same: its rows are of one
// hand, one machine and often one day, so that a hundred of them are hardly more than one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "answer/truth/verify.hpp"

namespace gpusel {

namespace answer {

/// Over comparisons of one figure. Each is worked out source by source, and then over the sources.
struct Accuracy {
  std::size_t rows = 0;
  std::size_t sources = 0;
  double error = 0;                // |predicted / measured - 1|: mean of the sources' medians
  double bias = 0;                 // predicted / measured - 1: median of the sources' medians
  double within_20 = 0;            // share with an error of at most 0.2: mean of the sources' shares
  std::optional<double> coverage;  // share inside the 80 % interval, where the answer has one: likewise
  std::optional<double> width;     // high / low: median of the sources' medians
};
Accuracy accuracy_of(std::span<const Comparison* const> comparisons);

/// The mean of the two in the middle where they are even in number; 0 of nothing.
double median(std::vector<double> values);

/// How the figures over all rows are made, source by source.
physics::Trace explain_accuracy(const Verification& verification);

/// Did it run, and was it said to.
struct FitAccuracy {
  std::size_t ran = 0;
  std::size_t ran_and_said = 0;
  std::size_t died = 0;
  std::size_t died_though_said = 0;

  /// Mean of the shares foretold of both kinds; nothing while one of them is missing.
  std::optional<double> balanced() const;
};
FitAccuracy fit_accuracy(const Verification& verification, bool training);

/// Of the jobs whose chance to fit was put within two bounds, how many ran.
struct ChanceBin {
  double from = 0;
  double to = 1;
  std::size_t jobs = 0;
  std::size_t ran = 0;
};
struct ChanceAccuracy {
  std::vector<ChanceBin> bins;  // a fifth each
  std::optional<double> brier;  // mean of (chance − 1)² of what ran and chance² of what did not; nothing of no jobs
};
ChanceAccuracy chance_accuracy(const Verification& verification, bool training);

enum class GroupBy : std::uint8_t { source, gpu, architecture, model, method, engine, precision, counter };

struct Group {
  std::string name;
  Figure figure = Figure::training_speed;
  Accuracy accuracy;
};
/// By figure and then by name.
std::vector<Group> figures(const Verification& verification);
std::vector<Group> groups(const Verification& verification, GroupBy by);

/// Spearman's rank correlation of speed over the GPUs on which one source ran the same work.
struct Ranking {
  Figure figure = Figure::training_speed;
  std::size_t works = 0;
  std::size_t sources = 0;
  double correlation = 0;  // mean over works of a source, then over sources
};
std::vector<Ranking> rankings(const Verification& verification);
/// What the cheapest GPU by estimate costs at work that one source ran on several, at the catalogue's lowest
/// on-demand prices, against the one that the measurements show to be cheapest.
struct CheapestPick {
  Figure figure = Figure::training_speed;
  std::size_t works = 0;
  std::size_t sources = 0;
  double regret = 0;  // cost of the pick over the least cost, less 1: mean over works of a source, then over sources
  double right = 0;   // share of works where the pick is the cheapest: likewise
};
std::vector<CheapestPick> cheapest_picks(const Verification& verification);

/// How far the factor between two GPUs at the same work of one source is from the measured one, the larger over the
/// smaller less 1, over all pairs.
struct GpuRatios {
  Figure figure = Figure::training_speed;
  std::size_t works = 0;
  std::size_t sources = 0;
  double error = 0;  // median over pairs of a source, then mean over sources
};
std::vector<GpuRatios> gpu_ratios(const Verification& verification);

/// Nothing where all of one side are equal.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

/// The comparisons with the largest factor between measured and predicted, worst first.
std::vector<const Comparison*> worst(const Verification& verification, std::size_t count);

}  // namespace answer

template <>
inline constexpr auto enum_names<answer::GroupBy> = std::to_array<std::string_view>(
    {"source", "gpu", "architecture", "model", "method", "engine", "precision", "counter"});

}  // namespace gpusel
