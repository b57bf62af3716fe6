#include <algorithm>
#include <array>

#include "estimate/counted/products.hpp"
#include "gpusel/base/message.hpp"

namespace gpusel::estimate {

namespace {

using workload::Engine;
using workload::Offload;
using workload::Precision;

constexpr double kTrainingPasses = 3;       // forward, and backward for values and for weights
constexpr double kDenseTrainingBytes = 16;  // fp32 weights, gradients and two moments
constexpr double kWide = 4;                 // bytes of a table's value in training

class Recommender {
 public:
  Recommender(const workload::RecommenderJob& job, const CountedAsk& ask)
      : job_(job),
        ask_(ask),
        m_(*ask.work.model),
        c_(ask.c.recommender),
        engine_(ask.training() ? std::string_view("training") : to_text(ask.counted.engine)) {}

  CountedFigures figures() {
    CountedFigures out;
    out.rate_ratio = {c_.rate_low.of(engine_), c_.rate_high.of(engine_)};
    out.memory_ratio = {c_.memory_low.of(engine_), c_.memory_high.of(engine_)};
    out.memory = memory();
    out.more.push_back({"table_gib", in_gib(bytes(tables() * stored()))});
    out.more.push_back({"largest_table_gib", in_gib(bytes(largest() * stored()))});
    out.more.push_back({"largest_table_share", bytes(largest() * row_state()) / ask_.machine.device.usable});
    if (in_host_memory() && host_short()) out.lacks = "host memory for the embedding tables";
    const bool fused = ask_.counted.engine == Engine::tensorrt && !ask_.training();
    const auto rate = product_rate(ask_, ask_.plan.precision, fused);
    if (!rate) {
      out.unknown = "peak rate in that arithmetic";
      return out;
    }
    rate_ = *rate;
    speed(out);
    return out;
  }

 private:
  bool half() const { return value_bytes(ask_.plan.precision) <= 2; }
  bool in_host_memory() const { return ask_.plan.offload != Offload::none; }
  double gpus() const { return ask_.machine.gpus(); }

  double published() const { return m_.embedding_params_b.value_or(0) * 1e9; }
  double tables() const { return job_.table_gib ? gib(*job_.table_gib).raw() / kWide : published(); }
  double largest() const {
    return m_.largest_table_params_b.value_or(0) * 1e9 * (published() > 0 ? tables() / published() : 1);
  }
  double dense() const { return std::max(0.0, m_.params_b.value_or(0) * 1e9 - published()); }
  double row_values() const { return m_.lookups_per_sample.value_or(0) * m_.embedding_dim.value_or(0); }
  double pooled_values() const { return m_.embedding_tables.value_or(0) * m_.embedding_dim.value_or(0); }

  double stored() const { return ask_.training() ? kWide : value_bytes(ask_.plan.precision); }
  /// Bytes for a value of a table with what the optimizer keeps of it.
  double row_state() const { return ask_.training() ? kWide * (1 + job_.state_values) : stored(); }
  Bytes all_tables() const { return bytes(tables() * row_state()); }

  bool host_short() const {
    const Bytes has = ask_.machine.host.memory;
    return has.raw() > 0 && has * static_cast<double>(ask_.machine.nodes) < all_tables();
  }
  /// Small tables are copied to every GPU, as the dense layers are; large ones are divided.
  bool divided() const {
    return gpus() > 1 && !in_host_memory() && all_tables() > ask_.machine.device.usable * c_.replicated.of(engine_);
  }
  Bytes tables_here() const {
    if (in_host_memory()) return all_tables() * c_.cached_share.value;
    return divided() ? all_tables() * (c_.imbalance.value / gpus()) : all_tables();
  }

  MemoryBreakdown memory() {
    MemoryBreakdown memory;
    const double share = ask_.training() ? 1 / (1 + job_.state_values) : 1;
    memory.weights = tables_here() * share + bytes(dense() * (ask_.training() ? 4 : stored()));
    if (ask_.training()) {
      memory.gradients = bytes(dense() * 4);
      memory.optimizer = tables_here() * (1 - share) + bytes(dense() * (kDenseTrainingBytes - 8));
    }
    const double width = half() ? 2 : 4;
    memory.activations = bytes(ask_.batch() * m_.activation_elements.value_or(0) * width *
                               c_.kept_copies.of(ask_.training() ? "training" : "inference"));
    memory.workspace = gib(c_.workspace_gib.of(ask_.training() ? "training" : "inference")) +
                       (divided() ? bytes(ask_.batch() * pooled_values() * kWide * 2) : Bytes{});
    memory.framework =
        gib(ask_.general.context_gib.value +
            (divided() || (ask_.training() && gpus() > 1) ? ask_.general.collectives_gib.of("training") : 0));
    trace("memory.weights",
          divided() ? say("tables × bytes × recommender.imbalance / GPUs + dense weights")
                    : say("tables × bytes + dense weights"),
          say("{:.4g} values × {:g} bytes", tables(), stored()), gibibytes(memory.weights));
    if (ask_.training())
      trace("memory.optimizer", say("tables × {:g} values of state × 4 bytes + dense moments", job_.state_values), {},
            gibibytes(memory.optimizer));
    return memory;
  }
  static std::string gibibytes(Bytes value) { return format("{:.2f} GiB", in_gib(value)); }

  Bytes row_traffic() const {
    if (!ask_.training()) return bytes(row_values() * stored());
    return bytes(row_values() * kWide * (c_.row_accesses.value + 2 * job_.state_values));
  }
  Bytes dense_traffic() const {
    const std::string_view width = half() ? "" : "wide";
    return bytes(m_.activation_elements.value_or(0) * c_.value_bytes.of(engine_, width));
  }

  /// Rows that lie in host memory cross PCIe, in training there and back.
  Seconds host_rows() const {
    if (!in_host_memory()) return {};
    const BytesPerSecond pcie = pcie_bandwidth(*ask_.machine.device.gpu) * ask_.general.link_efficiency.of("pcie");
    const double there_and_back = ask_.training() ? 2 : 1;
    return ask_.batch() * bytes(row_values() * stored() * there_and_back) / pcie;
  }

  /// Each GPU sends the rows of its tables for the samples of all others, and in training their gradients come back.
  Seconds exchange() const {
    if (!divided()) return {};
    const double width = half() ? 2 : 4;
    const double times = ask_.training() ? 2 : 1;
    const Bytes sent = bytes(ask_.batch() * pooled_values() * width * times * (gpus() - 1) / gpus());
    return sent / exchange_rate(ask_) + times * group_latency(ask_.machine, ask_.machine.nodes > 1, ask_.general);
  }

  void speed(CountedFigures& out) {
    const double passes = ask_.training() ? kTrainingPasses : 1;
    const Seconds products = ask_.batch() * passes * flop(m_.gflops_per_sample.value_or(0) * 1e9) / rate_;
    const Seconds rows = in_host_memory() ? host_rows() : ask_.batch() * row_traffic() / memory_rate(ask_);
    const Seconds values = ask_.batch() * dense_traffic() / memory_rate(ask_);
    const Seconds sent = exchange() + (ask_.training() ? shared_gradients() : Seconds{});
    const Seconds step = seconds(c_.step_ms.of(engine_) * 1e-3);
    const Seconds pass = products + rows + values + sent + step;
    out.rate = ask_.batch() * gpus() / pass.raw();
    out.latency = pass;
    const std::array<std::pair<Seconds, std::string_view>, 4> all{
        {{products, "compute"},
         {rows + values, in_host_memory() ? "host-memory" : "memory-bandwidth"},
         {sent, "link"},
         {step, "launch"}}};
    out.bound_by = std::ranges::max_element(all, {}, [](const auto& part) { return part.first; })->second;
    if (in_host_memory()) {
      const Seconds resident = products + ask_.batch() * row_traffic() / memory_rate(ask_) + values + step;
      out.more.push_back({"slowdown", pass / resident});
    }
    trace_speed(products, rows, values, sent, pass, out.rate);
  }

  /// Of dense layers, and of tables that every GPU has a copy of; a step waits for them.
  Seconds shared_gradients() const {
    const double copied = divided() || in_host_memory() ? 0 : tables();
    return reduce_time(ask_, bytes((dense() + copied) * 4), Seconds{});
  }

  void trace(std::string_view quantity, std::string formula, std::string with, std::string value) const {
    if (ask_.trace != nullptr)
      ask_.trace->push_back(
          {std::string(quantity), std::move(formula), std::move(with), std::move(value), "docs/method.md"});
  }
  void trace_speed(Seconds products, Seconds rows, Seconds values, Seconds sent, Seconds pass, double rate) const {
    if (ask_.trace == nullptr) return;
    const auto line = [&](std::string_view quantity, std::string formula, Seconds value) {
      trace(quantity, std::move(formula), say("{} samples per GPU", ask_.plan.batch),
            format("{:.4g} ms", in_ms(value)));
    };
    line("time.products", say("dense work / ({:.3g} TFLOPS)", rate_.raw() / 1e12), products);
    line("time.rows", in_host_memory() ? say("rows over PCIe") : say("rows read and written / bandwidth"), rows);
    line("time.values", say("values of the dense layers / bandwidth"), values);
    if (sent.raw() > 0)
      line("time.link", divided() ? say("pooled rows to all other GPUs, and gradients") : say("gradients"), sent);
    trace("throughput", say("GPUs × samples / time"),
          format("{} × {} / {:.4g} ms", ask_.machine.gpus(), ask_.plan.batch, in_ms(pass)),
          format("{:.4g} samples/s", rate));
  }

  const workload::RecommenderJob& job_;
  const CountedAsk& ask_;
  const catalog::Model& m_;
  const RecommenderCoefficients& c_;
  std::string_view engine_;
  FlopPerSecond rate_;
};

}  // namespace

CountedFigures figures_of(const workload::RecommenderJob& job, const CountedAsk& ask) {
  return Recommender(job, ask).figures();
}

}  // namespace gpusel::estimate
