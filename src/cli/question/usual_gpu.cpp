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

/// Of the instances with such a GPU the largest whose GPUs divide `count`; 0 where one has as many, or none divides.
std::int64_t node_size(const std::function<bool(const catalog::Gpu&)>& is_meant, std::int64_t count,
                       const catalog::Catalog& catalog) {
  std::int64_t best = 0;
  for (const catalog::Instance& instance : catalog.instances()) {
    const catalog::Gpu* gpu = catalog.gpu_of(instance);
    if (gpu == nullptr || !is_meant(*gpu)) continue;
    const auto has = static_cast<std::int64_t>(instance.gpu_count.value_or(0));
    if (has >= count) return 0;
    if (has > best && count % has == 0) best = has;
  }
  return best > 1 ? best : 0;
}

std::string nodes_words(std::int64_t count, std::string_view gpu, std::int64_t each) {
  return say("no instance has {} {}: taken as {} nodes of {}", count, printable(gpu), count / each, each);
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

std::string take_whole_nodes(job::Request& request, job::Constraints* limits, const catalog::Catalog& catalog) {
  const auto typed = [&](std::string_view key) { return std::ranges::find(request.given, key) != request.given.end(); };
  if (request.gpus_per_node && request.gpus == request.gpus_per_node && !request.nodes && !typed("gpus_per_node") &&
      catalog.has_gpu(request.gpu)) {
    const auto called = answer::gpus_called(request.gpu, catalog);
    const std::int64_t count = *request.gpus;
    const auto is_meant = [&](const catalog::Gpu& gpu) { return std::ranges::find(called, &gpu) != called.end(); };
    const std::int64_t each = node_size(is_meant, count, catalog);
    if (each == 0) return {};
    request.gpus = request.gpus_per_node = each;
    request.nodes = count / each;
    return nodes_words(count, request.gpu, each);
  }
  if (limits == nullptr || limits->gpus.size() != 1 || limits->nodes) return {};
  job::GpuSpec& spec = limits->gpus.front();
  if (spec.names.empty() || !spec.count.low || spec.count.low != spec.count.high) return {};
  const auto count = static_cast<std::int64_t>(*spec.count.low);
  const std::int64_t each = node_size([&](const catalog::Gpu& gpu) { return spec.names_gpu(gpu); }, count, catalog);
  if (each == 0) return {};
  spec.count.low = spec.count.high = static_cast<double>(each);
  limits->nodes = spec.nodes = count / each;
  return nodes_words(count, spec.names.front(), each);
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
