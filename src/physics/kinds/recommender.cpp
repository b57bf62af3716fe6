#include <algorithm>
#include <cmath>

#include "physics/kinds/networks/cpu.hpp"
#include "physics/kinds/networks/products.hpp"

namespace gpusel::physics {

namespace {

using job::Engine;
using job::Offload;
using job::Precision;

constexpr double kRecommenderPasses = 3;    // forward, and backward for values and for weights
constexpr double kDenseTrainingBytes = 16;  // fp32 weights, gradients and two moments
constexpr double kFilled = 0.9;             // of a GPU's memory, with a cache of rows
constexpr double kWide = 4;                 // bytes of a table's value in training

class Recommender {
 public:
  Recommender(const job::RecommenderJob& job, const CountedAsk& ask)
      : job_(job),
        ask_(ask),
        m_(*ask.work.model),
        c_(ask.c.recommender),
        engine_(ask.training() ? std::string_view("training") : to_text(ask.counted.engine)) {}

  Figures figures() {
    if (ask_.machine.on_cpu()) return on_cpu();
    Figures out;
    place_tables();
    out.rate_ratio = {c_.rate_low.of(engine_), c_.rate_high.of(engine_)};
    out.memory_ratio = {c_.memory_low.of(engine_), c_.memory_high.of(engine_)};
    out.memory = memory();
    out.more.push_back({"table_gib", in_gib(bytes(tables() * stored()))});
    out.more.push_back({"largest_table_gib", in_gib(bytes(largest() * stored()))});
    out.more.push_back({"largest_table_share", bytes(largest() * row_state()) / ask_.machine.device.usable});
    if (cached() && host_short()) out.lacks = "host memory for the embedding tables";
    const bool fused = ask_.counted.engine == Engine::tensorrt && !ask_.training();
    const auto rate = product_rate(ask_, ask_.layout.precision, fused);
    if (!rate) {
      out.unknown = "peak rate in that arithmetic";
      return out;
    }
    rate_ = *rate;
    speed(out);
    return out;
  }

 private:
  /// Tables in host memory, rows read from there, dense layers at the processor's peak.
  Figures on_cpu() const {
    Figures out;
    const double width = value_bytes(ask_.layout.precision);
    const double rows = m_.lookups_per_sample.value_or(0) * m_.embedding_dim.value_or(0) * ask_.batch();
    out.memory.weights = bytes(tables() * stored() + dense() * width);
    out.memory.framework = gib(ask_.general.context_gib.value);
    out.memory_ratio = {c_.memory_low.of(engine_), c_.memory_high.of(engine_)};
    const NetworkPass pass{flop(m_.gflops_per_sample.value_or(0) * 1e9 * ask_.batch()),
                           bytes(rows * stored() + dense() * width)};
    const auto found =
        cpu_pass(ask_.machine.host, ask_.layout.precision, ask_.counted.engine, pass, ask_.c.cpu, ask_.trace);
    if (!found) {
      out.unknown = "processor";
      return out;
    }
    out.latency = found->time;
    out.rate = record(ask_.trace, {"throughput", "{:.4g}", "samples/s"}, [&](auto told) {
      return told("batch", ask_.batch()) / told("latency", found->time.raw(), "s") * told("nodes", ask_.machine.nodes);
    });
    out.bound_by = found->bound_by;
    out.rate_ratio = {ask_.c.cpu.interval_low.value, ask_.c.cpu.interval_high.value};
    return out;
  }

  bool half() const { return value_bytes(ask_.layout.precision) < 4; }
  double gpus() const { return ask_.machine.gpus(); }

  double published() const { return m_.embedding_params_b.value_or(0) * 1e9; }
  double tables() const { return job_.table_gib ? gib(*job_.table_gib).raw() / stored() : published(); }
  double largest() const {
    return m_.largest_table_params_b.value_or(0) * 1e9 * (published() != 0 ? tables() / published() : 1);
  }
  double dense() const { return std::max(0.0, *m_.params_b * 1e9 - published()); }
  double row_values() const { return m_.lookups_per_sample.value_or(0) * m_.embedding_dim.value_or(0); }
  double pooled_values() const { return m_.embedding_tables.value_or(0) * m_.embedding_dim.value_or(0); }

  double stored() const { return ask_.training() ? kWide : value_bytes(ask_.layout.precision); }
  /// Bytes for a value of a table with what the optimizer keeps of it.
  double row_state() const { return ask_.training() ? kWide * (1 + job_.state_values) : stored(); }
  Bytes all_tables() const { return bytes(tables() * row_state()); }

  bool host_short() const {
    const Bytes has = ask_.machine.host.memory;
    return has > Bytes{} && has * static_cast<double>(ask_.machine.nodes) < all_tables();
  }

  /// Where the tables are: on every GPU, divided over all of them, or in host memory with the hot rows on each GPU.
  enum class Place : std::uint8_t { copied, divided, cached };

  Bytes dense_weights() const { return bytes(dense() * (ask_.training() ? 4 : stored())); }
  Bytes values() const {
    const double width = half() ? 2 : 4;
    return bytes(ask_.batch() * m_.activation_elements.value_or(0) * width * c_.kept_copies.of(engine_));
  }
  Bytes workspace() const { return gib(c_.workspace_gib.of(ask_.training() ? "training" : "inference")); }
  /// What is left for tables beside everything else.
  Bytes room() const {
    const Bytes beside = dense_weights() + values() + workspace() + gib(ask_.general.context_gib.value);
    return ask_.machine.device.usable * kFilled - beside;
  }

  void place_tables() {
    const Bytes all = all_tables();
    if (ask_.layout.offload != Offload::none) {
      place_ = Place::cached;
    } else if (ask_.training()) {
      // Copies must agree on every step, so only small tables are copied.
      const bool small = gpus() <= 1 || all <= ask_.machine.device.usable * c_.replicated.value;
      place_ = small ? Place::copied : Place::divided;
    } else if (all > room()) {
      const bool linked = link_case(ask_.machine.link) != "pcie";
      place_ = linked && all * (c_.imbalance.value / gpus()) <= room() ? Place::divided : Place::cached;
    }
    if (place_ != Place::cached) return;
    const double least = c_.cached_share.value;
    on_gpu_ = ask_.training() ? least : std::clamp(room() / all, least, 1.0);
    served_ = ask_.training() ? 0 : std::pow(on_gpu_, c_.skew.value);
  }
  bool divided() const { return place_ == Place::divided; }
  bool cached() const { return place_ == Place::cached; }

  template <class Tell>
  auto tables_here(const Tell& told) const {
    const auto all = told("tables", all_tables());
    if (divided()) return all * (told("imbalance", c_.imbalance.value) / told("GPUs", gpus()));
    return cached() ? all * told("share on the GPU", on_gpu_) : all;
  }

  MemoryBreakdown memory() {
    MemoryBreakdown memory;
    const double share = ask_.training() ? 1 / (1 + job_.state_values) : 1;
    memory.weights = record(ask_.trace, {"memory.weights", "{:.2f}", "GiB"}, [&](auto told) {
      return tables_here(told) * told("share of values without their state", share) +
             told("dense weights", dense_weights());
    });
    if (ask_.training()) {
      memory.gradients = bytes(dense() * 4);
      memory.optimizer = record(ask_.trace, {"memory.optimizer", "{:.2f}", "GiB"}, [&](auto told) {
        return tables_here(told) * (1 - told("share of values without their state", share)) +
               told("dense moments", bytes(dense() * (kDenseTrainingBytes - 8)));
      });
    }
    memory.activations = values();
    memory.workspace = workspace() + (divided() ? bytes(ask_.batch() * pooled_values() * kWide * 2) : Bytes{});
    const bool talks = divided() || (ask_.training() && gpus() > 1);
    memory.framework = gib(ask_.general.context_gib.value + (talks ? ask_.general.collectives_gib.of("training") : 0));
    return memory;
  }

  Bytes row_traffic() const {
    if (!ask_.training()) return bytes(row_values() * stored());
    return bytes(row_values() * kWide * (c_.row_accesses.value + 2 * job_.state_values));
  }
  Bytes dense_traffic() const {
    const std::string_view width = half() ? "" : "wide";
    return bytes(m_.activation_elements.value_or(0) * c_.value_bytes.of(engine_, width));
  }

  /// Rows that are not on the GPU cross PCIe, in training there and back.
  Seconds host_rows() const {
    if (!cached()) return {};
    const BytesPerSecond pcie = pcie_bandwidth(*ask_.machine.device.gpu) * ask_.general.link_efficiency.of("pcie");
    const double there_and_back = ask_.training() ? 2 : 1;
    return ask_.batch() * bytes(row_values() * stored() * there_and_back * (1 - served_)) / pcie;
  }

  /// Each GPU sends the rows of its tables for the samples of all others, and in training their gradients come back.
  Seconds exchange() const {
    if (!divided()) return {};
    const double width = half() ? 2 : 4;
    const double times = ask_.training() ? 2 : 1;
    const Bytes sent = bytes(ask_.batch() * pooled_values() * width * times * (gpus() - 1) / gpus());
    return sent / exchange_rate(ask_) + times * group_latency(ask_.machine, ask_.machine.nodes > 1, ask_.general);
  }

  void speed(Figures& out) {
    const double passes = ask_.training() ? kRecommenderPasses : 1;
    const Seconds products = part("time.products", [&](auto told) {
      return told("batch", ask_.batch()) * told("passes", passes) *
             told("dense work of a sample", flop(m_.gflops_per_sample.value_or(0) * 1e9)) / told("rate", rate_);
    });
    const Seconds all_rows = ask_.batch() * row_traffic() / memory_rate(ask_);
    const Seconds fetched = host_rows();
    const Seconds rows = part("time.rows", [&](auto told) {
      return told("all rows through memory", all_rows) * told("share found on the GPU", served_) +
             told.some("the other rows over PCIe", fetched);
    });
    const Seconds values = part("time.values", [&](auto told) {
      return told("batch", ask_.batch()) * told("values of the dense layers", dense_traffic()) /
             told("bandwidth", memory_rate(ask_));
    });
    const Seconds pooled = exchange();
    const Seconds agreed = ask_.training() ? shared_gradients() : Seconds{};
    const auto sum = [&](auto told) {
      return told.some("pooled rows to all other GPUs", pooled) + told.some("gradients", agreed);
    };
    const bool talks = sum(Untold{}) > Seconds{};
    const Seconds sent = talks ? part("time.link", sum) : Seconds{};
    const Seconds step = seconds(c_.step_ms.of(engine_) * 1e-3);
    const Seconds pass = part("latency", [&](auto told) {
      return told("products", products) + told("rows", rows) + told("values", values) + told.some("links", sent) +
             told("per step", step);
    });
    out.rate = record(ask_.trace, {"throughput", "{:.4g}", "samples/s"}, [&](auto told) {
      return told("batch", ask_.batch()) * told("GPUs", gpus()) / told("latency", pass.raw(), "s");
    });
    out.latency = pass;
    const std::pair<Seconds, std::string_view> all[] = {
        {products, "compute"},
        {rows + values, fetched > all_rows * served_ + values ? "host-memory" : "memory-bandwidth"},
        {sent, "link"},
        {step, "launch"}};
    out.bound_by = std::ranges::max_element(all, {}, [](const auto& part) { return part.first; })->second;
    if (cached()) {
      out.more.push_back({"tables_on_gpu", on_gpu_});
      out.more.push_back({"slowdown", pass / (products + all_rows + values + sent + step)});
    }
  }

  /// Of dense layers, and of tables that every GPU has a copy of; a step waits for them.
  Seconds shared_gradients() const {
    const double copied = place_ == Place::copied ? tables() : 0;
    return reduce_time(ask_, bytes((dense() + copied) * 4), Seconds{});
  }

  template <class Made>
  Seconds part(std::string_view quantity, const Made& made) const {
    return record(ask_.trace, {quantity, "{:.4g}", "ms"}, made);
  }

  const job::RecommenderJob& job_;
  const CountedAsk& ask_;
  const catalog::Model& m_;
  const RecommenderCoefficients& c_;
  std::string_view engine_;
  FlopPerSecond rate_;
  Place place_ = Place::copied;
  double on_gpu_ = 0;  // share of the tables
  double served_ = 1;  // share of the lookups that find their row there
};

class RecommenderPhysics final : public ItemPhysics {
 public:
  Figures figures(const CountedAsk& ask) const override {
    return Recommender(ask.job<job::RecommenderJob>(), ask).figures();
  }

  /// The tables are divided over the GPUs.
  Loaded loaded(const job::Job&, const Machine& machine, const Plan& plan) const override {
    return {plan.memory.weights * machine.gpus_per_node, 1};
  }

  Fed fed(const CountedAsk& ask) const override { return fed_bytes(ask, stored_bytes(ask)); }

  StoredUnit stored_unit(const job::Job&, const EconomyCoefficients& c, Trace* trace) const override {
    return {"samples", known_size(trace, to_say("bytes of a sample"), c.data_row_bytes.value)};
  }
};

}  // namespace

const WorkPhysics& recommendation() {
  static const RecommenderPhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
