#include "report/compare.hpp"

#include <algorithm>
#include <functional>

#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "report/catalog.hpp"
#include "report/estimate.hpp"

namespace gpusel::report {

namespace {

using advise::Compared;
using advise::Comparison;

constexpr std::string_view kUnknown = "?";
constexpr std::string_view kNone = "-";

std::string figure(const catalog::Number& value, std::string_view unit) {
  if (!value) return std::string(kUnknown);
  if (*value == 0) return say("none");
  return unit.empty() ? human_number(*value) : format("{} {}", human_number(*value), unit);
}

/// A figure of the GPU, "-" for items without one.
using GpuFigure = catalog::Number catalog::Gpu::*;
std::string of_gpu(const Compared& item, GpuFigure member, std::string_view unit) {
  return item.gpu == nullptr ? std::string(kNone) : figure(item.gpu->*member, unit);
}

using InstanceFigure = catalog::Number catalog::Instance::*;
std::string of_instance(const Compared& item, InstanceFigure member, std::string_view unit) {
  return item.instance == nullptr ? std::string(kNone) : figure(item.instance->*member, unit);
}

class Rows {
 public:
  Rows(const Comparison& comparison, Table& table) : comparison_(comparison), table_(table) {}

  void add(const std::string& title, const std::function<std::string(const Compared&)>& cell) {
    std::vector<Cell> cells{title};
    for (const Compared& item : comparison_.items) cells.push_back(cell(item));
    const bool empty = std::all_of(cells.begin() + 1, cells.end(), [](const Cell& c) { return c.text == kNone; });
    if (empty) return;
    table_.add(std::move(cells));
  }

 private:
  const Comparison& comparison_;
  Table& table_;
};

void gpu_rows(Rows& rows) {
  rows.add(say("GPU"),
           [](const Compared& i) { return i.gpu == nullptr ? std::string(kNone) : std::string(i.gpu->id); });
  rows.add(say("architecture"),
           [](const Compared& i) { return i.gpu == nullptr ? std::string(kNone) : printable(i.gpu->architecture); });
  struct Row {
    std::string title;
    GpuFigure member;
    std::string_view unit;
  };
  for (const Row& row :
       {Row{say("memory"), &catalog::Gpu::memory_gb, "GB"},
        Row{say("usable memory"), &catalog::Gpu::memory_gib_usable, "GiB"},
        Row{say("bandwidth"), &catalog::Gpu::memory_bandwidth_gbs, "GB/s"},
        Row{say("FP64"), &catalog::Gpu::fp64_tflops, "TFLOPS"}, Row{say("FP32"), &catalog::Gpu::fp32_tflops, "TFLOPS"},
        Row{say("FP16 dense"), &catalog::Gpu::fp16_dense_tflops, "TFLOPS"},
        Row{say("BF16 dense"), &catalog::Gpu::bf16_dense_tflops, "TFLOPS"},
        Row{say("FP8 dense"), &catalog::Gpu::fp8_dense_tflops, "TFLOPS"},
        Row{say("INT8 dense"), &catalog::Gpu::int8_dense_tops, "TOPS"},
        Row{say("GPU link"), &catalog::Gpu::interconnect_gbs_bidir, "GB/s"},
        Row{say("power"), &catalog::Gpu::tdp_w, "W"}, Row{say("MIG parts"), &catalog::Gpu::mig_max_instances, ""},
        Row{say("RT cores"), &catalog::Gpu::rt_cores, ""}, Row{say("NVENC"), &catalog::Gpu::nvenc_count, ""}})
    rows.add(row.title, [&row](const Compared& i) { return of_gpu(i, row.member, row.unit); });
  rows.add(say("capability"), [](const Compared& i) {
    return i.gpu == nullptr                    ? std::string(kNone)
           : i.gpu->compute_capability.empty() ? std::string(kUnknown)
                                               : printable(i.gpu->compute_capability);
  });
}

void instance_rows(Rows& rows, const catalog::Catalog& catalog) {
  rows.add(say("provider"), [](const Compared& i) {
    return i.instance == nullptr ? std::string(kNone) : std::string(i.instance->provider);
  });
  rows.add(say("GPUs"), [](const Compared& i) { return of_instance(i, &catalog::Instance::gpu_count, ""); });
  rows.add(say("GPU memory in all"), [&](const Compared& i) {
    return i.instance == nullptr ? std::string(kNone) : figure(catalog.gpu_memory_total_gb(*i.instance), "GB");
  });
  rows.add(say("link in the node"), [](const Compared& i) {
    return i.instance == nullptr ? std::string(kNone)
           : i.instance->link    ? std::string(to_text(*i.instance->link))
                                 : std::string(kUnknown);
  });
  rows.add(say("vCPU"), [](const Compared& i) { return of_instance(i, &catalog::Instance::vcpu, ""); });
  rows.add(say("host memory"), [](const Compared& i) { return of_instance(i, &catalog::Instance::memory_gib, "GiB"); });
  rows.add(say("network"), [](const Compared& i) {
    if (i.instance == nullptr) return std::string(kNone);
    return figure(i.instance->fabric_gbps ? i.instance->fabric_gbps : i.instance->network_gbps, "Gbit/s");
  });
  rows.add(say("status"), [](const Compared& i) {
    return i.instance == nullptr ? std::string(kNone) : std::string(to_text(i.instance->status));
  });
}

void price_rows(Rows& rows, const Comparison& comparison, const catalog::Catalog& catalog) {
  const std::string currency(comparison.currency.code());
  rows.add(say("lowest price, {}/h", currency),
           [](const Compared& i) { return i.offer == nullptr ? std::string(kUnknown) : human_price(i.hourly); });
  rows.add(say("at"), [&](const Compared& i) {
    if (i.offer == nullptr) return std::string(kNone);
    return format("{} {}", i.offered_by->provider, printable(catalog.region_of(*i.offer).id));
  });
  rows.add(say("price of"), [&](const Compared& i) {
    if (i.offer == nullptr) return std::string(kNone);
    const Date date = Date::from_packed(i.offer->as_of);
    return date.known() ? format("{}, {}", date.text(), to_text(i.offer->term)) : say("undated");
  });
  const auto gpus = [](const Compared& i) { return i.instance == nullptr ? 1.0 : i.instance->gpu_count.value_or(0); };
  const auto per = [&](const std::string& title, GpuFigure member) {
    rows.add(title, [&, member](const Compared& i) {
      if (i.offer == nullptr || i.gpu == nullptr || !(i.gpu->*member) || *(i.gpu->*member) <= 0 || gpus(i) <= 0)
        return std::string(kNone);
      return human_price(i.hourly / gpus(i) / *(i.gpu->*member));
    });
  };
  per(say("{}/h per GB", currency), &catalog::Gpu::memory_gb);
  per(say("{}/h per FP16 TFLOPS", currency), &catalog::Gpu::fp16_dense_tflops);
  per(say("{}/h per GB/s", currency), &catalog::Gpu::memory_bandwidth_gbs);
}

void job_rows(Rows& rows, const Comparison& comparison) {
  if (!comparison.work) return;
  const bool training = workload::is_training(comparison.work->task);
  const std::string currency(comparison.currency.code());
  rows.add(say("job fits"), [](const Compared& i) {
    if (i.planned == nullptr) return i.problem;
    return plan::usable(i.planned->choice) ? say("yes") : say("no: {}", i.problem);
  });
  rows.add(say("needs per GPU"), [](const Compared& i) {
    if (i.planned == nullptr) return std::string(kNone);
    return say("{:.1f} of {:.1f} GiB", in_gib(plan::memory_of(i.planned->choice).total()),
               in_gib(i.planned->machine.device.usable));
  });
  rows.add(say("plan"), [](const Compared& i) {
    if (i.planned == nullptr) return std::string(kNone);
    return std::visit([](const auto& choice) { return plan_line(choice.plan); }, i.planned->choice);
  });
  const auto if_usable = [](const Compared& i, const std::function<std::string()>& text) {
    return i.planned != nullptr && plan::usable(i.planned->choice) ? text() : std::string(kNone);
  };
  rows.add(say("tokens/s"), [&](const Compared& i) {
    return if_usable(i, [&] { return human_number(plan::tokens_per_s(i.planned->choice)); });
  });
  if (training)
    rows.add(say("time"), [&](const Compared& i) {
      return if_usable(i,
                       [&] { return i.cost ? human_duration(seconds(i.cost->hours * 3600)) : std::string(kUnknown); });
    });
  rows.add(training ? say("cost, {}", currency) : say("{} per million tokens", currency), [&](const Compared& i) {
    return if_usable(i, [&] {
      if (!i.cost) return std::string(kUnknown);
      return human_price(training ? i.cost->total : i.cost->per_million_tokens.value_or(0));
    });
  });
}

Json job_json(const Compared& item) {
  Json job{{"fits", item.planned != nullptr && plan::usable(item.planned->choice)},
           {"problem", text_or_null(item.problem)}};
  if (item.planned == nullptr) return job;
  const auto& planned = *item.planned;
  job["plan"] = plan_json(planned.choice);
  job["memory"] = memory_json(plan::memory_of(planned.choice), planned.machine.device.usable);
  if (const auto* training = std::get_if<plan::TrainingChoice>(&planned.choice)) {
    job["training"] = training_json(training->speed);
  } else {
    const auto& inference = std::get<plan::InferenceChoice>(planned.choice);
    job["inference"] = inference_json(inference.memory, inference.speed);
  }
  if (item.cost)
    job["cost"] = {{"hourly", number(item.cost->hourly)},
                   {"hours", number(item.cost->hours)},
                   {"total", number(item.cost->total)},
                   {"per_million_tokens", number(item.cost->per_million_tokens)}};
  return job;
}

Table compare_table(const Comparison& comparison, const catalog::Catalog& catalog) {
  std::vector<Column> columns{{"", Align::left, 0}};
  for (const Compared& item : comparison.items)
    columns.push_back(
        {item.instance != nullptr ? printable(item.instance->sku) : std::string(item.gpu->id), Align::left, 0, 14});
  Table table(std::move(columns));
  Rows rows(comparison, table);
  instance_rows(rows, catalog);
  gpu_rows(rows);
  price_rows(rows, comparison, catalog);
  job_rows(rows, comparison);
  return table;
}

}  // namespace

std::string compare_text(const Comparison& comparison, const catalog::Catalog& catalog, std::string_view format,
                         const Terminal& terminal) {
  std::string table = compare_table(comparison, catalog).as(format, terminal);
  if (!comparison.work || format == "csv" || format == "markdown") return table;
  return bold(job_line(*comparison.work), terminal) + "\n" +
         wrap(say("assumed: {}", assumed_line(comparison.work->assumed)), terminal.width, 2) + "\n" + table;
}

Json compare_json(const Comparison& comparison, const catalog::Catalog& catalog) {
  Json out{{"schema", "gpusel.compare/1"}, {"currency", comparison.currency.code()}};
  if (comparison.work) {
    out["workload"] = workload_json(*comparison.work);
    out["assumed"] = assumptions(comparison.work->assumed);
  }
  Json items = Json::array();
  for (const Compared& item : comparison.items) {
    Json entry{{"name", item.name},
               {"instance", item.instance == nullptr ? Json(nullptr) : instance_json(*item.instance, catalog)},
               {"gpu", item.gpu == nullptr ? Json(nullptr) : gpu_json(*item.gpu)}};
    if (item.offer == nullptr) {
      entry["price"] = nullptr;
    } else {
      entry["price"] = {{"hourly", number(item.hourly)},
                        {"per", item.instance == nullptr ? "gpu" : "instance"},
                        {"provider", item.offered_by->provider},
                        {"sku", item.offered_by->sku},
                        {"region", catalog.region_of(*item.offer).id},
                        {"term", to_text(item.offer->term)},
                        {"as_of", text_or_null(Date::from_packed(item.offer->as_of).text())}};
    }
    if (comparison.work) entry["job"] = job_json(item);
    items.push_back(std::move(entry));
  }
  out["items"] = std::move(items);
  return out;
}

}  // namespace gpusel::report
