// What items are compared by: each figure with how it is computed, once.
#include <algorithm>
#include <cmath>

#include "answer/lists/compare_figures.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using catalog::Gpu;
using catalog::Number;

Number of(const Compared& item, Number Gpu::* member) { return item.gpu != nullptr ? item.gpu->*member : std::nullopt; }
Number of(const Compared& item, Number catalog::Instance::* member) {
  return item.instance != nullptr ? item.instance->*member : std::nullopt;
}

Number times(const Number& a, const Number& b) { return a && b ? Number(*a * *b) : std::nullopt; }
/// Infinite per nothing: such a figure does not apply.
Number per(const Number& amount, const Number& of) { return amount && of ? Number(*amount / *of) : std::nullopt; }

/// The 16-bit matrix rate: of FP16 or BF16, whichever is faster; they are the same on most parts.
Number rate16(const Compared& item) {
  const Number fp16 = of(item, &Gpu::fp16_dense_tflops);
  const Number bf16 = of(item, &Gpu::bf16_dense_tflops);
  return fp16 && bf16 ? Number(std::max(*fp16, *bf16)) : fp16 ? fp16 : bf16;
}
Number rate8(const Compared& item) {
  return item.gpu != nullptr && item.gpu->has_fp8 ? item.gpu->fp8_dense_tflops : std::nullopt;
}

Number price(const Compared& item) { return item.offer != nullptr ? Number(item.hourly * item.count) : std::nullopt; }
/// Of one GPU; a slice is priced as the whole GPU it is a part of.
Number gpu_price(const Compared& item) { return per(price(item), item.gpus()); }
Number memory(const Compared& item) {
  return item.instance != nullptr ? item.gpu_memory_total_gb : times(item.gpus(), of(item, &Gpu::memory_gb));
}

Number blender(const Compared& item) { return item.blender != nullptr ? item.blender->score : std::nullopt; }

/// A figure of the job where it can be done.
template <class Read>
Number if_usable(const Compared& item, Read read) {
  return item.usable() ? Number(read()) : std::nullopt;
}
bool is_of_tokens(const Compared& item) {
  return !item.usable() || item.planned->plan.training || item.planned->plan.serving;
}
const physics::InferenceSpeed* serving(const Compared& item) {
  return item.usable() && item.planned->plan.serving ? &item.planned->plan.serving->speed : nullptr;
}

#define GPUSEL_OF_GPU(member) [](const Compared& i) { return of(i, &Gpu::member); }
#define GPUSEL_OF_HOST(member) [](const Compared& i) { return of(i, &catalog::Instance::member); }
#define GPUSEL_IS(...) [](const Compared& i) -> Number { return __VA_ARGS__; }

constexpr ComparedFigure kFigures[] = {
    {"price_per_hour", to_say("{}/h"), Better::less, FigureOf::price, false, price},
    {"price_per_hour_per_gpu", to_say("{}/h per GPU"), Better::less, FigureOf::price, false, gpu_price},
    {"price_per_hour_per_gb", to_say("{}/h per GB of VRAM"), Better::less, FigureOf::price, false,
     GPUSEL_IS(per(price(i), memory(i)))},
    {"price_per_hour_per_gbs", to_say("{}/h per GB/s"), Better::less, FigureOf::price, false,
     GPUSEL_IS(per(gpu_price(i), of(i, &Gpu::memory_bandwidth_gbs)))},
    {"price_per_hour_per_fp16_tflops", to_say("{}/h per FP16 TFLOPS"), Better::less, FigureOf::price, false,
     GPUSEL_IS(per(gpu_price(i), rate16(i)))},
    {"price_per_hour_per_fp8_tflops", to_say("{}/h per FP8 TFLOPS"), Better::less, FigureOf::price, true,
     GPUSEL_IS(per(gpu_price(i), rate8(i)))},
    {"price_per_hour_per_1000_blender_points", to_say("{}/h per 1000 Blender"), Better::less, FigureOf::price, false,
     GPUSEL_IS(per(gpu_price(i), times(blender(i), 0.001)))},

    {"tokens_per_s", to_say("tokens/s"), Better::more, FigureOf::job, false,
     GPUSEL_IS(if_usable(i, [&] { return i.planned->plan.tokens_per_s(); }))},
    {"sequences_per_s", to_say("sequences/s"), Better::more, FigureOf::job, true,
     GPUSEL_IS(serving(i) != nullptr && !i.generates ? Number(serving(i)->requests_per_s) : std::nullopt)},
    {"ttft_ms", to_say("first token, ms"), Better::less, FigureOf::job, true,
     GPUSEL_IS(serving(i) != nullptr && i.generates ? Number(in_ms(serving(i)->ttft())) : std::nullopt)},
    {"itl_ms", to_say("between tokens, ms"), Better::less, FigureOf::job, true,
     GPUSEL_IS(serving(i) != nullptr && i.generates ? Number(in_ms(serving(i)->itl())) : std::nullopt)},
    {"job_hours", to_say("hours"), Better::less, FigureOf::whole_job, false,
     GPUSEL_IS(i.usable() ? i.job_hours : std::nullopt)},
    {"job_cost", to_say("cost, {}"), Better::less, FigureOf::whole_job, false,
     GPUSEL_IS(i.usable() && i.cost && i.job_hours ? Number(i.cost->total) : std::nullopt)},
    {"cost_per_million_tokens", to_say("{} per million tokens"), Better::less, FigureOf::job, false,
     GPUSEL_IS(i.usable() && i.cost ? i.cost->per_million_tokens : std::nullopt)},

    {"memory_gb", to_say("memory, GB"), Better::more, FigureOf::gpu, false, GPUSEL_OF_GPU(memory_gb)},
    {"memory_gib_usable", to_say("usable memory, GiB"), Better::more, FigureOf::gpu, false,
     GPUSEL_OF_GPU(memory_gib_usable)},
    {"memory_bandwidth_gbs", to_say("bandwidth, GB/s"), Better::more, FigureOf::gpu, false,
     GPUSEL_OF_GPU(memory_bandwidth_gbs)},
    {"fp64_tflops", to_say("FP64, TFLOPS"), Better::more, FigureOf::gpu, false, GPUSEL_OF_GPU(fp64_tflops)},
    {"fp32_tflops", to_say("FP32, TFLOPS"), Better::more, FigureOf::gpu, false, GPUSEL_OF_GPU(fp32_tflops)},
    {"tf32_dense_tflops", to_say("TF32 dense, TFLOPS"), Better::more, FigureOf::gpu, false,
     GPUSEL_OF_GPU(tf32_dense_tflops)},
    {"fp16_dense_tflops", to_say("FP16 dense, TFLOPS"), Better::more, FigureOf::gpu, false,
     GPUSEL_OF_GPU(fp16_dense_tflops)},
    {"bf16_dense_tflops", to_say("BF16 dense, TFLOPS"), Better::more, FigureOf::gpu, false,
     GPUSEL_OF_GPU(bf16_dense_tflops)},
    {"fp8_dense_tflops", to_say("FP8 dense, TFLOPS"), Better::more, FigureOf::gpu, false,
     GPUSEL_OF_GPU(fp8_dense_tflops)},
    {"fp4_dense_tflops", to_say("FP4 dense, TFLOPS"), Better::more, FigureOf::gpu, false,
     GPUSEL_OF_GPU(fp4_dense_tflops)},
    {"int8_dense_tops", to_say("INT8 dense, TOPS"), Better::more, FigureOf::gpu, false, GPUSEL_OF_GPU(int8_dense_tops)},
    {"interconnect_gbs_bidir", to_say("GPU link, GB/s"), Better::more, FigureOf::gpu, false,
     GPUSEL_OF_GPU(interconnect_gbs_bidir)},
    {"tdp_w", to_say("power, W"), Better::less, FigureOf::gpu, false, GPUSEL_OF_GPU(tdp_w)},
    {"fp16_tflops_per_w", to_say("FP16 TFLOPS per W"), Better::more, FigureOf::gpu, false,
     GPUSEL_IS(per(rate16(i), of(i, &Gpu::tdp_w)))},
    {"bandwidth_gbs_per_w", to_say("GB/s per W"), Better::more, FigureOf::gpu, false,
     GPUSEL_IS(per(of(i, &Gpu::memory_bandwidth_gbs), of(i, &Gpu::tdp_w)))},
    {"mig_max_instances", to_say("MIG parts"), Better::neither, FigureOf::gpu, false, GPUSEL_OF_GPU(mig_max_instances)},
    {"blender_score", to_say("Blender score"), Better::more, FigureOf::gpu, false, blender},
    {"rt_cores", to_say("RT cores"), Better::more, FigureOf::gpu, false, GPUSEL_OF_GPU(rt_cores)},
    {"nvenc_count", to_say("NVENC"), Better::more, FigureOf::gpu, false, GPUSEL_OF_GPU(nvenc_count)},

    {"gpus", to_say("GPUs"), Better::neither, FigureOf::all_gpus, false, GPUSEL_IS(i.gpus())},
    {"gpu_memory_total_gb", to_say("total GPU memory, GB"), Better::more, FigureOf::all_gpus, false, memory},
    {"bandwidth_total_gbs", to_say("total bandwidth, GB/s"), Better::more, FigureOf::all_gpus, false,
     GPUSEL_IS(times(i.gpus(), of(i, &Gpu::memory_bandwidth_gbs)))},
    {"fp16_total_tflops", to_say("total FP16, TFLOPS"), Better::more, FigureOf::all_gpus, false,
     GPUSEL_IS(times(i.gpus(), rate16(i)))},

    {"vcpu", to_say("vCPU"), Better::more, FigureOf::host, false, GPUSEL_OF_HOST(vcpu)},
    {"memory_gib", to_say("host memory, GiB"), Better::more, FigureOf::host, false, GPUSEL_OF_HOST(memory_gib)},
    {"local_ssd_gb", to_say("local SSD, GB"), Better::more, FigureOf::host, false, GPUSEL_OF_HOST(local_ssd_gb)},
    {"network_gbps", to_say("network, Gbit/s"), Better::more, FigureOf::host, false,
     GPUSEL_IS(i.instance != nullptr ? network_of(*i.instance) : std::nullopt)},
};

#undef GPUSEL_OF_GPU
#undef GPUSEL_OF_HOST
#undef GPUSEL_IS

bool applies(const ComparedFigure& figure, const Compared& item) {
  const bool whole = item.instance != nullptr || item.counted;
  switch (figure.of) {
    case FigureOf::gpu: return !item.has_no_gpu();
    case FigureOf::host: return item.instance != nullptr;
    case FigureOf::all_gpus: return !item.has_no_gpu() && whole;
    // A GPU as such is priced per GPU: beside an instance of eight, "per hour" would compare unlike things.
    case FigureOf::price: return figure.value == price ? whole : !item.has_no_gpu();
    case FigureOf::job:
      return item.usable() && (is_of_tokens(item) || figure.key.find("token") == std::string_view::npos);
    case FigureOf::whole_job: return item.usable() && item.job_hours;
  }
  return true;
}

/// The best is only known where all are, and says something only where they differ.
void mark_best(std::span<Compared> items, std::size_t row, Better better) {
  if (better == Better::neither) return;
  std::vector<Value*> values;
  for (Compared& item : items)
    if (item.values[row].applies) values.push_back(&item.values[row]);
  const auto unknown = [](const Value* value) { return !value->number; };
  if (values.size() < 2 || std::any_of(values.begin(), values.end(), unknown)) return;
  const auto [least, most] = std::minmax_element(
      values.begin(), values.end(), [](const Value* a, const Value* b) { return *a->number < *b->number; });
  const double low = *(*least)->number;
  const double high = *(*most)->number;
  if (low == high) return;
  for (Value* value : values) value->best = *value->number == (better == Better::more ? high : low);
}

}  // namespace

std::span<const ComparedFigure> figures() { return kFigures; }

Number Compared::gpus() const {
  if (gpu == nullptr && instance == nullptr) return std::nullopt;
  return instance == nullptr ? Number(count) : times(instance->gpu_count, count);
}

void fill_values(std::span<Compared> items) {
  for (std::size_t row = 0; row < std::size(kFigures); ++row) {
    const ComparedFigure& figure = kFigures[row];
    for (Compared& item : items) {
      Value value{figure.value(item), applies(figure, item), {}, false};
      value.applies = value.applies && std::isfinite(value.number.value_or(0));
      if (!value.applies) value.number = {};
      const Number& first = &item == items.data() ? value.number : items.front().values[row].number;
      if (value.number && first && *value.number > 0 && *first > 0) value.ratio = *value.number / *first;
      item.values.push_back(value);
    }
    mark_best(items, row, figure.better);
  }
}

}  // namespace gpusel::answer
