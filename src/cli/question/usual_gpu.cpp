#include "cli/question/usual_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "answer/lists/list.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/question/amounts.hpp"

namespace gpusel::cli {

namespace {

/// Those that more machines have first.
void sort_by_machines(std::vector<const catalog::Gpu*>& gpus, const catalog::Catalog& catalog) {
  std::ranges::stable_sort(gpus, std::greater(), [&](const catalog::Gpu* gpu) {
    return std::ranges::count_if(catalog.instances(), [&](const auto& one) { return catalog.gpu_of(one) == gpu; });
  });
}

}  // namespace

std::vector<const catalog::Gpu*> gpus_of_size(std::string_view text, const catalog::Catalog& catalog) {
  constexpr double kSame = 0.5;  // GB
  const auto amount = amount_of(text);
  if (!amount || amount->key != "min_vram") return {};
  const auto size = parse_memory(amount->value, false);
  std::vector<const catalog::Gpu*> alike;
  for (const catalog::Gpu& gpu : catalog.gpus())
    if (size && gpu.memory_gb && std::abs(*gpu.memory_gb - size->value) < kSame) alike.push_back(&gpu);
  return alike;
}

const catalog::Gpu* usual_gpu(std::string_view name, const catalog::Catalog& catalog) {
  auto called = answer::gpus_called(name, catalog);
  const auto exact = std::ranges::find_if(called, [&](const catalog::Gpu* gpu) { return gpu->id == lower(name); });
  if (exact != called.end() || called.size() < 2) return nullptr;
  sort_by_machines(called, catalog);
  return called.front();
}

const catalog::Gpu* gpu_like(std::string_view name, double memory_gib, const catalog::Catalog& catalog) {
  const auto is_made_by = [&](const catalog::Gpu& gpu) { return lower(name).contains(lower(gpu.vendor)); };
  const bool by_vendor = std::ranges::any_of(catalog.gpus(), is_made_by);
  constexpr double kStillRuns = 7;  // CUDA capability; engines have dropped what is below
  std::vector<const catalog::Gpu*> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (const catalog::Gpu& gpu : catalog.gpus()) {
    if (!gpu.memory_gb || (by_vendor && !is_made_by(gpu)) || gpu.capability.value_or(kStillRuns) < kStillRuns) continue;
    const double apart = std::abs(*gpu.memory_gb - memory_gib);
    if (apart > least) continue;
    if (apart < least) nearest.clear();
    least = apart;
    nearest.push_back(&gpu);
  }
  sort_by_machines(nearest, catalog);
  return nearest.empty() ? nullptr : nearest.front();
}

std::string take_usual_gpu(std::string& name, const catalog::Catalog& catalog) {
  const bool is_named = catalog.has_gpu(name);
  auto alike = is_named ? answer::gpus_called(name, catalog) : gpus_of_size(name, catalog);
  sort_by_machines(alike, catalog);
  const catalog::Gpu* usual = is_named ? usual_gpu(name, catalog) : alike.empty() ? nullptr : alike.front();
  if (usual == nullptr) return {};
  std::vector<std::string> others;
  for (const catalog::Gpu* gpu : alike)
    if (gpu != usual) others.emplace_back(gpu->id);
  if (others.empty())
    return say("{} is taken as {}", printable(std::exchange(name, std::string(usual->id))), usual->id);
  const std::string typed = std::exchange(name, std::string(usual->id));
  return say("{} is taken as {}; also: {}", printable(typed), usual->id, first_few(others));
}

}  // namespace gpusel::cli
