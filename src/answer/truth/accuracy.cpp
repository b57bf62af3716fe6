#include "answer/truth/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

constexpr double kNear = 0.2;

double error_of(const Comparison& comparison) { return std::abs(comparison.ratio() - 1); }

bool is_memory(Figure figure) {
  return figure == Figure::training_memory || figure == Figure::serving_memory ||
         figure == Figure::item_training_memory || figure == Figure::item_memory;
}

/// Empty: the comparison is no part of that division.
std::string group_name(const Comparison& comparison, GroupBy by) {
  const auto& facts = comparison.row->facts;
  switch (by) {
    case GroupBy::source: return std::string(source_of(*comparison.row, comparison.file));
    case GroupBy::gpu: return std::string(comparison.row->gpu->id);
    case GroupBy::architecture: return std::string(comparison.row->gpu->architecture);
    case GroupBy::model: return std::string(comparison.row->model != nullptr ? comparison.row->model->id : facts.model);
    case GroupBy::method: return std::string(facts.method);
    case GroupBy::engine: return std::string(facts.engine);
    case GroupBy::precision:
      return std::string(facts.weights_precision.empty() ? facts.precision : facts.weights_precision);
    case GroupBy::counter:
      return is_memory(comparison.figure) ? std::string(to_text(counter_of(facts))) : std::string();
  }
  return {};
}

/// Places from 0, ties sharing the middle of theirs.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<double> out;
  out.reserve(values.size());
  for (const double value : values) {
    const auto below = std::ranges::count_if(values, [&](double other) { return other < value; });
    const auto equal = std::ranges::count(values, value);
    out.push_back(static_cast<double>(below) + static_cast<double>(equal - 1) / 2);
  }
  return out;
}

/// What makes two rows the same work: all that was asked but the machine and what fits it.
std::string work_of(const Comparison& comparison) {
  static constexpr std::string_view kOfTheMachine[] = {"gpu",         "gpus_per_node", "interconnect", "internode_gbps",
                                                       "micro_batch", "grad_accum",    "batch"};
  std::string key(source_of(*comparison.row, comparison.file));
  key += format("\n{}", to_text(comparison.figure));
  for (const Node& cell : comparison.row->cells.children) {
    const auto* option = job::find_option(job::request_options(), cell.key);
    if (option != nullptr && std::ranges::find(kOfTheMachine, option->key) == std::end(kOfTheMachine))
      key += format("\n{}={}", cell.key, cell.text);
  }
  return key;
}

bool is_speed(Figure figure) {
  static constexpr Figure kSpeeds[] = {
      Figure::training_speed, Figure::throughput_speed,    Figure::online_speed, Figure::single_stream_speed,
      Figure::prompt_speed,   Figure::item_training_speed, Figure::item_speed};
  return std::ranges::find(kSpeeds, figure) != std::end(kSpeeds);
}

/// The best that each GPU reached at one work.
struct Best {
  double measured = 0;
  double predicted = 0;
};
struct Work {
  Figure figure = Figure::training_speed;
  std::string_view source;
  std::map<std::string_view, Best> by_gpu;

  std::optional<double> correlation() const {
    std::vector<double> measured;
    std::vector<double> predicted;
    for (const auto& [gpu, best] : by_gpu) {
      measured.push_back(best.measured);
      predicted.push_back(best.predicted);
    }
    return rank_correlation(measured, predicted);
  }
};

std::map<std::string, Work> works_of(const Verification& verification) {
  std::map<std::string, Work> works;
  for (const Comparison& each : verification.comparisons) {
    if (!is_speed(each.figure)) continue;
    Work& work = works[work_of(each)];
    work.figure = each.figure;
    work.source = source_of(*each.row, each.file);
    Best& best = work.by_gpu[each.row->gpu->id];
    best.measured = std::max(best.measured, each.measured);
    best.predicted = std::max(best.predicted, each.predicted);
  }
  return works;
}

/// What the pick costs over the least, less 1; nothing where fewer than two of the GPUs have a price.
std::optional<double> regret_of(const Work& work, const std::map<std::string_view, double>& prices) {
  double least = 0;
  double least_said = 0;
  double picked = 0;
  int priced = 0;
  for (const auto& [gpu, best] : work.by_gpu) {
    const auto price = prices.find(gpu);
    if (price == prices.end()) continue;
    const double cost = price->second / best.measured;
    const double said = price->second / best.predicted;
    if (priced == 0 || cost < least) least = cost;
    if (priced == 0 || said < least_said) {
      least_said = said;
      picked = cost;
    }
    ++priced;
  }
  return priced > 1 ? std::optional(picked / least - 1) : std::nullopt;
}

struct Mean {
  double sum = 0;
  std::size_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

bool of_training(const FitCheck& check) { return check.row->facts.task != to_text(job::Task::inference); }

/// The comparisons of one source.
struct OneSource {
  std::vector<double> errors;
  std::vector<double> biases;
  std::vector<double> widths;
  Mean near;
  Mean inside;

  void add(const Comparison& comparison) {
    const double error = error_of(comparison);
    errors.push_back(error);
    biases.push_back(comparison.ratio() - 1);
    near.add(error <= kNear ? 1 : 0);
    const auto& interval = comparison.interval;
    if (!interval || interval->low <= 0) return;
    widths.push_back(interval->high / interval->low);
    inside.add(comparison.measured >= interval->low && comparison.measured <= interval->high ? 1 : 0);
  }
};

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Accuracy accuracy_of(std::span<const Comparison* const> comparisons) {
  std::map<std::string_view, OneSource> sources;
  for (const Comparison* each : comparisons) sources[source_of(*each->row, each->file)].add(*each);
  Mean error;
  Mean within;
  Mean coverage;
  std::vector<double> biases;
  std::vector<double> widths;
  for (const auto& [name, source] : sources) {
    error.add(median(source.errors));
    biases.push_back(median(source.biases));
    within.add(source.near.value());
    if (source.widths.empty()) continue;
    coverage.add(source.inside.value());
    widths.push_back(median(source.widths));
  }
  Accuracy out{comparisons.size(), sources.size(), error.value(), median(std::move(biases)), within.value(), {}, {}};
  if (!widths.empty()) {
    out.coverage = coverage.value();
    out.width = median(std::move(widths));
  }
  return out;
}

std::optional<double> FitAccuracy::balanced() const {
  if (ran == 0 || died == 0) return std::nullopt;
  return (static_cast<double>(ran_and_said) / static_cast<double>(ran) +
          static_cast<double>(died - died_though_said) / static_cast<double>(died)) /
         2;
}

FitAccuracy fit_accuracy(const Verification& verification, bool training) {
  FitAccuracy out;
  for (const FitCheck& check : verification.fits) {
    if (of_training(check) != training) continue;
    ++(check.ran ? out.ran : out.died);
    if (check.said) ++(check.ran ? out.ran_and_said : out.died_though_said);
  }
  return out;
}

ChanceAccuracy chance_accuracy(const Verification& verification, bool training) {
  constexpr std::size_t kBins = 5;
  ChanceAccuracy out;
  for (std::size_t i = 0; i < kBins; ++i)
    out.bins.push_back({static_cast<double>(i) / kBins, static_cast<double>(i + 1) / kBins, 0, 0});
  Mean brier;
  for (const FitCheck& check : verification.fits) {
    if (of_training(check) != training || std::isnan(check.chance)) continue;
    ChanceBin& bin = out.bins[std::min(kBins - 1, static_cast<std::size_t>(check.chance * kBins))];
    ++bin.jobs;
    if (check.ran) ++bin.ran;
    const double off = check.chance - (check.ran ? 1 : 0);
    brier.add(off * off);
  }
  if (brier.count > 0) out.brier = brier.value();
  return out;
}

std::vector<Group> figures(const Verification& verification) {
  std::map<Figure, std::vector<const Comparison*>> parts;
  for (const Comparison& each : verification.comparisons) parts[each.figure].push_back(&each);
  std::vector<Group> out;
  for (const auto& [figure, comparisons] : parts) out.push_back({{}, figure, accuracy_of(comparisons)});
  return out;
}

std::vector<Group> groups(const Verification& verification, GroupBy by) {
  std::map<std::pair<Figure, std::string>, std::vector<const Comparison*>> parts;
  for (const Comparison& each : verification.comparisons)
    if (std::string name = group_name(each, by); !name.empty()) parts[{each.figure, std::move(name)}].push_back(&each);
  std::vector<Group> out;
  for (const auto& [key, comparisons] : parts) out.push_back({key.second, key.first, accuracy_of(comparisons)});
  return out;
}

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  const auto x = ranks(a);
  const auto y = ranks(b);
  const double middle = (static_cast<double>(a.size()) - 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  if (xx <= 0 || yy <= 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

std::vector<Ranking> rankings(const Verification& verification) {
  const auto works = works_of(verification);
  std::map<Figure, std::map<std::string_view, Mean>> by_source;
  for (const auto& [key, work] : works)
    if (const auto correlation = work.correlation()) by_source[work.figure][work.source].add(*correlation);
  std::vector<Ranking> out;
  for (const auto& [figure, sources] : by_source) {
    Ranking ranking{figure, 0, sources.size(), 0};
    Mean mean;
    for (const auto& [source, of_source] : sources) {
      ranking.works += of_source.count;
      mean.add(of_source.value());
    }
    ranking.correlation = mean.value();
    out.push_back(ranking);
  }
  return out;
}

std::vector<CheapestPick> cheapest_picks(const Verification& verification) {
  struct OfSource {
    Mean regret;
    Mean right;
  };
  std::map<Figure, std::map<std::string_view, OfSource>> by_source;
  for (const auto& [key, work] : works_of(verification)) {
    const auto regret = regret_of(work, verification.prices);
    if (!regret) continue;
    OfSource& of_source = by_source[work.figure][work.source];
    of_source.regret.add(*regret);
    of_source.right.add(*regret <= 0 ? 1 : 0);
  }
  std::vector<CheapestPick> out;
  for (const auto& [figure, sources] : by_source) {
    CheapestPick pick{figure, 0, sources.size(), 0, 0};
    Mean regret;
    Mean right;
    for (const auto& [source, of_source] : sources) {
      pick.works += of_source.regret.count;
      regret.add(of_source.regret.value());
      right.add(of_source.right.value());
    }
    pick.regret = regret.value();
    pick.right = right.value();
    out.push_back(pick);
  }
  return out;
}

std::vector<GpuRatios> gpu_ratios(const Verification& verification) {
  std::map<Figure, std::map<std::string_view, std::vector<double>>> by_source;
  std::map<Figure, std::size_t> works;
  for (const auto& [key, work] : works_of(verification)) {
    if (work.by_gpu.size() < 2) continue;
    ++works[work.figure];
    auto& errors = by_source[work.figure][work.source];
    for (auto a = work.by_gpu.begin(); a != work.by_gpu.end(); ++a)
      for (auto b = std::next(a); b != work.by_gpu.end(); ++b) {
        const double said = a->second.predicted / b->second.predicted;
        const double was = a->second.measured / b->second.measured;
        errors.push_back(std::max(said / was, was / said) - 1);
      }
  }
  std::vector<GpuRatios> out;
  for (const auto& [figure, sources] : by_source) {
    GpuRatios ratios{figure, works[figure], sources.size(), 0};
    Mean mean;
    for (const auto& [source, errors] : sources) mean.add(median(errors));
    ratios.error = mean.value();
    out.push_back(ratios);
  }
  return out;
}

std::vector<const Comparison*> worst(const Verification& verification, std::size_t count) {
  std::vector<const Comparison*> out;
  out.reserve(verification.comparisons.size());
  for (const Comparison& each : verification.comparisons) out.push_back(&each);
  std::ranges::stable_sort(out, std::greater(),
                           [](const Comparison* each) { return std::abs(std::log(each->ratio())); });
  out.resize(std::min(count, out.size()));
  return out;
}

}  // namespace gpusel::answer
