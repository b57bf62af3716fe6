// Recommendation, as docs/method.md writes it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "properties/page_network.hpp"

namespace method_recommender_test {

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
namespace any = test::any;

namespace {

class Recommends : public Network {
 public:
  Recommends(const NetworkCase& of, const workload::RecommenderJob& with)
      : Network(of.work, of.plan, of.machine), job(with) {}

  bool half() const { return value() <= 2; }
  double published() const { return m.embedding_params_b.value_or(0) * 1e9; }
  double stored() const { return trains() ? 4 : value(); }
  double E() const { return job.table_gib ? *job.table_gib * kGiB / stored() : published(); }
  double o() const { return job.state_values; }
  double tables() const { return E() * stored() * (trains() ? 1 + o() : 1); }
  double dense() const { return std::max(0.0, P() - published()); }
  double rows() const { return m.lookups_per_sample.value_or(0) * m.embedding_dim.value_or(0); }
  double pooled() const { return m.embedding_tables.value_or(0) * m.embedding_dim.value_or(0); }
  double values() const {
    return b() * m.activation_elements.value_or(0) * (half() ? 2 : 4) * more.recommender.kept_copies.of(engine());
  }
  double workspace() const { return more.recommender.workspace_gib.of(trains() ? "training" : "inference") * kGiB; }
  double usable() const { return machine.device.usable.raw(); }
  double room() const {
    return 0.9 * usable() - dense() * (trains() ? 4 : stored()) - values() - workspace() - context_memory();
  }
  bool nvlink() const { return link_case(machine.link) != "pcie"; }
  double imbalance() const { return more.recommender.imbalance.value / n(); }

  bool in_host() const {
    if (plan.offload != Offload::none) return true;
    return !trains() && tables() > room() && !(n() > 1 && nvlink() && tables() * imbalance() <= room());
  }
  bool divided() const {
    if (in_host()) return false;
    return trains() ? n() > 1 && tables() > usable() * more.recommender.replicated.value : tables() > room();
  }
  double on_gpu() const {
    const double least = more.recommender.cached_share.value;
    return !in_host() ? 1 : trains() ? least : std::clamp(room() / tables(), least, 1.0);
  }
  double found() const { return !in_host() ? 1 : trains() ? 0 : std::pow(on_gpu(), more.recommender.skew.value); }

  MemoryBreakdown memory() const {
    MemoryBreakdown out;
    out.framework = bytes(context_memory());
    if (on_cpu()) {
      out.weights = bytes(E() * stored() + dense() * value());
      return out;
    }
    const double here = tables() * (divided() ? imbalance() : on_gpu());
    const double of_state = trains() ? o() / (1 + o()) : 0;
    out.weights = bytes(here * (1 - of_state) + dense() * (trains() ? 4 : stored()));
    if (trains()) out.gradients = bytes(4 * dense());
    if (trains()) out.optimizer = bytes(here * of_state + 8 * dense());
    out.activations = bytes(values());
    out.workspace = bytes(workspace() + (divided() ? 2 * 4 * b() * pooled() : 0));
    if (divided() || (trains() && n() > 1)) out.framework += gib(c.collectives_gib.of("training"));
    return out;
  }
  double exchange_rate() const {
    const bool pairs = machine.link == catalog::NodeLink::nvlink_pairs && machine.gpus_per_node > 2;
    const bool over_pcie = pairs || !nvlink();
    double rate = (pairs ? pcie(gpu()) : machine.link_bandwidth.raw()) *
                  c.link_efficiency.of(over_pcie ? "pcie staged" : link_case(machine.link));
    const double network =
        machine.network.raw() * c.network_efficiency.of(machine.rdma ? "rdma" : "tcp") / machine.gpus_per_node;
    if (machine.nodes > 1) rate = machine.gpus_per_node > 1 ? std::min(rate, network) : network;
    return rate;
  }
  double step() const {
    const auto& of = more.recommender;
    const double F = m.gflops_per_sample.value_or(0) * 1e9;
    if (on_cpu()) return on_processor(F * b(), rows() * b() * stored() + dense() * value());
    const double times = trains() ? 2 : 1;
    const double products =
        b() * (trains() ? 3 : 1) * F / product_rate(work.counted->engine == Engine::tensorrt && !trains());
    const double each = trains() ? rows() * 4 * (of.row_accesses.value + 2 * o()) : rows() * stored();
    const double here = b() * each / stream() * found();
    const double fetched =
        in_host() ? b() * rows() * stored() * times * (1 - found()) / (pcie(gpu()) * c.link_efficiency.of("pcie")) : 0;
    const double read = here + fetched;
    const double moved =
        b() * m.activation_elements.value_or(0) * of.value_bytes.of(engine(), half() ? "" : "wide") / stream();
    double sent = 0;
    if (divided())
      sent += times * (b() * pooled() * (half() ? 2 : 4) * ring(n()) / exchange_rate() +
                       link(machine, machine.gpus_per_node, machine.nodes > 1).latency);
    if (trains()) sent += reduced(4 * (dense() + (divided() || in_host() ? 0 : E())), 0);
    links = sent;
    const double fixed = of.step_ms.of(engine()) * 1e-3;
    const double most = std::max({products, read + moved, sent, fixed});
    const std::string_view memory = fetched > here + moved ? "host-memory" : "memory-bandwidth";
    bound = most == products ? "compute" : most == read + moved ? memory : most == sent ? "link" : "launch";
    slower = (products + read + moved + sent + fixed) / (products + b() * each / stream() + moved + sent + fixed);
    return products + read + moved + sent + fixed;
  }
  mutable std::string_view bound;  // of the step that was worked out last
  mutable double slower = 1;       // than with all tables on the GPU
  mutable double links = 0;        // of it, what they take

  const workload::RecommenderJob& job;
};

}  // namespace

TEST_CASE("recommendation takes what docs/method.md says", "[property]") {
  agrees("recommendation", [] {
    const bool trains = any::coin("trains");
    test::Asked asked{{"model", any_model({ModelKind::recommender})}, {"task", trains ? "pretrain" : "inference"}};
    if (trains)
      asked["optimizer"] = any::one_of("optimizer", {"adamw", "sgd"});
    else
      asked["engine"] = any_engine();
    if (any::coin("own tables")) asked["table_gib"] = format("{}", any::number("table_gib", 0.1, 2000));
    NetworkCase of = any_network(asked);
    of.plan.batch *= any::size("times", 1, 100);
    if (any::coin("tables in host memory")) of.plan.offload = Offload::params;
    const Recommends page(of, std::get<workload::RecommenderJob>(of.work.counted->job));
    Trace trace;
    const CountedFigures is = figures(of, &trace);
    must_have(is.memory, page.memory());
    if (!page.on_cpu()) {
      must_be_near(figure(is, "table_gib"), page.E() * page.stored() / kGiB, "tables");
      const double largest =
          page.m.largest_table_params_b.value_or(0) * 1e9 * (page.published() > 0 ? page.E() / page.published() : 1);
      must_be_near(figure(is, "largest_table_gib"), largest * page.stored() / kGiB, "largest table");
      must_be_near(figure(is, "largest_table_share"),
                   largest * page.stored() * (trains ? 1 + page.o() : 1) / page.usable(), "of a GPU");
      const double host = of.machine.host.memory.raw() * of.machine.nodes;
      must(is.lacks.empty() == !(page.in_host() && host > 0 && host < page.tables()), "host memory");
      if (page.peak(of.plan.precision) <= 0) return must(is.rate == 0, "a rate of nothing");
      if (page.in_host()) must_be_near(figure(is, "tables_on_gpu"), page.on_gpu(), "tables on the GPU");
    }
    must_be_near(is.latency.raw(), page.step(), "step");
    must_be_near(is.rate, page.n() * page.b() / page.step(), "rate");
    if (page.on_cpu()) return;
    must(is.bound_by == page.bound, "bound by another");
    if (page.in_host()) must_be_near(figure(is, "slowdown"), page.slower, "slowdown");
    if (page.links > 0) must_say(trace, "time.link", "");
    const double rate = page.product_rate(of.work.counted->engine == Engine::tensorrt && !trains);
    must_say(trace, "time.products", format("({:.3g} TFLOPS)", rate / 1e12));
  });
}

}  // namespace method_recommender_test
