// What a job reads and writes, how fast storage brings it, and how long a fresh instance takes, worked by hand.
#include "answer/stages/data_path.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "answer/facts/services.hpp"
#include "physics/checkpoint.hpp"
#include "physics/economy.hpp"
#include "support/job.hpp"
#include "support/market.hpp"

namespace data_path_test {

using namespace gpusel;
using namespace gpusel::answer;
using catalog::StorageKind;
using test::Market;

namespace {

/// One provider with storage of round figures: a bucket of 10 GB/s for one instance, a slow volume, and one that nobody
/// publishes a thing of.
const Market& store() {
  static const Market market(R"(
sources: {list: {publisher: P, document: prices, date: 2026-11-01, confidence: documented}}
providers: [{id: p, name: P, country: US, kind: cloud, regions: {r: {country: US}, far: {country: US}}}]
families:
  - provider: p
    id: f
    interconnect: {kind: none}
    sources: [list]
    sizes:
      - {sku: one, gpu: l40s, gpus: 1, vcpu: 32, memory_gib: 256, local_ssd_gb: 100, network_gbps: 200}
      - {sku: bare, gpu: l40s, gpus: 1, vcpu: 32, memory_gib: 256}
  - provider: p
    id: g
    interconnect: {kind: none}
    sources: [list]
    sizes: [{sku: other, gpu: l4, gpus: 1, vcpu: 8, memory_gib: 32}]
prices:
  - {provider: p, region: r, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {one: 1, bare: 2}}
storage:
  - {id: bucket, provider: p, name: bucket, kind: object, currency: USD, per_gb_month: 0.02, read_gbs_per_node: 10,
     per_million_requests: 0.4, source: list}
  - {id: near-bucket, provider: p, name: bucket, kind: object, regions: [far], currency: USD, per_gb_month: 0.01,
     read_gbs_per_node: 1, source: list}
  - {id: slow, provider: p, name: slow volume, kind: block, currency: CNY, per_gb_month: 1, read_gbs: 0.01, source: list}
  - {id: dark, provider: p, name: dark files, kind: file, source: list}
  - {id: bought, provider: p, name: bought volume, kind: file, currency: USD, per_gb_month: 0.1, per_gbs_month: 100,
     read_gbs_included: 0, read_gbs: 50, source: list}
services:
  - {id: all, provider: p, name: Serve, kind: endpoint, scale_to_zero: true, sources: [list]}
  - {id: other, provider: p, name: Other family, kind: endpoint, families: [g], surcharge: 1.5, sources: [list]}
  - {id: train, provider: p, name: Train, kind: training, families: [f], surcharge: 1.25, sources: [list]}
  - {id: train-bare, provider: p, name: Train, kind: training, families: [f], skus: [bare], surcharge: 1.4,
     sources: [list]}
  - {id: queue, provider: p, name: Queue, kind: rendering, sources: [list]}
)");
  return market;
}

struct Asked {
  Advice advice;
  job::Request request;
};

Asked ask(const Market& market, const std::string& job) {
  const auto document = parse_json(job, "job");
  return {market.recommend(job), *job::read_request(document->root)};
}

DataPath path_of(const Asked& asked, const Market& market, const DataWishes& wishes = {}, bool explained = false,
                 std::string_view currency = "USD") {
  const auto converter = money::Converter::into(*Currency::parse(currency), market.catalog());
  REQUIRE(converter);
  REQUIRE_FALSE(asked.advice.recommendations.empty());
  return data_path(asked.advice.recommendations.front(), asked.advice, asked.request, wishes, market.catalog(),
                   market.coefficients(), *converter, explained);
}

const StorageFit& fit(const DataPath& path, std::string_view name) {
  const auto found = std::ranges::find_if(path.storages, [&](const StorageFit& one) { return one.name() == name; });
  REQUIRE(found != path.storages.end());
  return *found;
}

const std::string kServe = R"({"task": "inference", "model": "llama-3.1-8b"})";
const std::string kPictures = R"({"task": "pretrain", "model": "resnet-50", "dataset_size": 1e6, "epochs": 10})";
const std::string kTexts =
    R"({"task": "finetune", "model": "llama-3.1-8b", "method": "lora", "dataset_size": 10000, "epochs": 2, "seq_len": 1000})";

}  // namespace

TEST_CASE("pictures are read as fast as they are trained on") {
  const Asked asked = ask(store(), kPictures);
  const DataNeed need = path_of(asked, store()).need;
  CHECK(need.unit == "images");
  CHECK(*need.unit_bytes == Approx(224 * 224 * 2.285));
  CHECK(*need.dataset_gb == Approx(1e6 * 224 * 224 * 2.285 / 1e9));  // one pass, not ten
  const double images_per_s = asked.advice.recommendations.front().plan().rate;
  CHECK(*need.needed_gbs == Approx(images_per_s * *need.unit_bytes / 1e9));
  CHECK(*need.checkpoint_gb > *need.weights_gb);
}

TEST_CASE("a token of a large vocabulary takes four bytes, and a given sample is a sequence") {
  const Asked asked = ask(store(), kTexts);
  CHECK(*path_of(asked, store()).need.unit_bytes == 4);  // 128,256 entries
  CHECK(*path_of(asked, store()).need.dataset_gb == Approx(10000 * 1000 * 4 / 1e9));
  DataWishes wishes;
  wishes.sample_kb = 20;  // of 1000 tokens
  CHECK(*path_of(asked, store(), wishes).need.unit_bytes == Approx(20));
  wishes.dataset_gb = 7;
  CHECK(*path_of(asked, store(), wishes).need.dataset_gb == 7);
}

TEST_CASE("a checkpoint holds trained weights and the optimiser's states, and nothing that is frozen") {
  const auto full = test::job("task=finetune model=llama-3.1-8b recipe=mixed optimizer=adamw");
  CHECK(physics::checkpoint_size(full, job::Precision::bf16)->raw() ==
        Approx(full.parameters.total() * 14));  // 2 + fp32 copy 4 + two moments 8
  const auto lora = test::job("task=finetune model=llama-3.1-8b method=lora optimizer=adamw");
  CHECK(in_gb(*physics::checkpoint_size(lora, job::Precision::bf16)) < 1);
}

TEST_CASE("a pass takes its size over the rate, and GPUs wait for what does not come") {
  const DataPath path = path_of(ask(store(), kPictures), store());
  const StorageFit& slow = fit(path, "slow volume");
  CHECK(slow.rate->gbs == Approx(0.01));
  CHECK(*slow.pass_minutes == Approx(*path.need.dataset_gb / 0.01 / 60));
  CHECK(*slow.waiting == Approx(1 - 0.01 / *path.need.needed_gbs));
  CHECK(*fit(path, "bucket").waiting == 0);
  CHECK(*slow.checkpoint_s == Approx(*path.need.checkpoint_gb / 0.01));
}

TEST_CASE("a month costs what is stored, in the provider's currency and in the answer's") {
  const DataPath path = path_of(ask(store(), kPictures), store());
  const double stored = *path.need.dataset_gb + *path.need.weights_gb + *path.need.checkpoint_gb;
  const StorageFit& bucket = fit(path, "bucket");
  CHECK(bucket.per_month->amount == Approx(stored * 0.02));
  CHECK_FALSE(bucket.exchange);
  CHECK(*bucket.requests == Approx(1e6 / 1e6 * 0.4));  // a million pictures, one request each
  const StorageFit& slow = fit(path, "slow volume");
  REQUIRE(slow.exchange);
  CHECK(slow.per_month->currency.code() == "CNY");
  CHECK(*slow.converted == Approx(slow.per_month->amount * slow.exchange->rate));
}

TEST_CASE("throughput is bought for the larger of reading and checkpoints") {
  const DataPath plain = path_of(ask(store(), kTexts), store());
  const double gb = *plain.need.checkpoint_gb;
  CHECK(*plain.need.checkpoint_gbs == Approx(gb / 300));  // 5 minutes where no interval is given
  const double wanted = std::max(gb / 300, *plain.need.needed_gbs);
  CHECK(fit(plain, "bought volume").bought_gbs == Approx(wanted));
  CHECK(*fit(plain, "bought volume").checkpoint_s == Approx(gb / wanted));
  DataWishes often;
  often.checkpoint_minutes = 0.1;
  const DataPath path = path_of(ask(store(), kTexts), store(), often);
  CHECK(*path.need.checkpoint_gbs == Approx(gb / 0.6));  // within a tenth of 6 seconds
  CHECK(fit(path, "bought volume").bought_gbs == Approx(gb / 0.6));
  CHECK(fit(path, "bought volume").per_month->amount == Approx(path.need.stored_gb() * 0.1 + gb / 0.6 * 100));
}

TEST_CASE("a checkpoint that takes longer than the time to the next is warned of") {
  DataWishes wishes;
  wishes.storage = StorageKind::local;  // 0.1 TB of disks
  wishes.checkpoint_minutes = 0.1;
  const Asked asked =
      ask(store(), R"({"task": "finetune", "model": "llama-3.2-1b", "dataset_size": 1000, "seq_len": 1000})");
  const DataPath path = path_of(asked, store(), wishes);
  REQUIRE(*fit(path, "local disks").checkpoint_s > 6);
  REQUIRE(path.warnings.size() == 1);
  CHECK(path.warnings.front().rule == "checkpoint-too-slow");
  wishes.checkpoint_minutes = 10;
  CHECK(path_of(asked, store(), wishes).warnings.empty());
}

TEST_CASE("what nobody publishes is neither nothing nor free") {
  const StorageFit dark = fit(path_of(ask(store(), kPictures), store()), "dark files");
  CHECK_FALSE(dark.rate);
  CHECK_FALSE(dark.waiting);
  CHECK_FALSE(dark.per_month);
  CHECK_FALSE(dark.converted);
}

TEST_CASE("disks of the instance are listed where it has any, and judged by their size") {
  DataWishes wishes;
  wishes.dataset_gb = 500;
  const DataPath path = path_of(ask(store(), kPictures), store(), wishes);
  const StorageFit& disks = fit(path, "local disks");
  CHECK(disks.too_small);
  CHECK(disks.rate->gbs == Approx(0.1 * store().coefficients().economy->storage_local_gbs_per_tb.value));
  REQUIRE(path.warnings.size() == 1);
  CHECK(path.warnings.front().rule == "local-disk-too-small");
}

TEST_CASE("storage that was named is judged alone") {
  DataWishes wishes;
  wishes.storage = StorageKind::block;
  const DataPath path = path_of(ask(store(), kPictures), store(), wishes);
  REQUIRE(path.warnings.size() == 1);
  CHECK(path.warnings.front().rule == "storage-starves");
  wishes.storage = StorageKind::object;
  CHECK(path_of(ask(store(), kPictures), store(), wishes).warnings.empty());
}

TEST_CASE("a warning stands among the remarks of the answer") {
  Asked asked = ask(store(), kPictures);
  Question question;
  question.request = asked.request;
  DataWishes wishes;
  wishes.storage = StorageKind::block;
  warn_of_data(asked.advice, question, wishes, store().catalog(), store().coefficients());
  const auto& remarks = asked.advice.recommendations.front().remarks;
  REQUIRE_FALSE(remarks.empty());
  CHECK(remarks.front().rule == "storage-starves");
  CHECK(remarks.front().severity == rules::Effect::warn);
}

TEST_CASE("a cold start is the weights over the slower of storage and loader, and the engine's own start") {
  const Asked asked = ask(store(), kServe);
  const DataPath path = path_of(asked, store());
  const auto& c = *store().coefficients().economy;
  REQUIRE(path.cold);
  const ColdStart& cold = *path.cold;
  CHECK(cold.storage_gbs == Approx(10));
  CHECK(cold.loader_gbs == Approx(c.start_loader_gbs.of("object")));
  CHECK(cold.bound_by() == "loader");
  CHECK(in_gb(cold.weights) == Approx(*path.need.weights_gb));
  CHECK(cold.load.raw() == Approx(in_gb(cold.weights) / cold.loader_gbs));
  CHECK(cold.engine.raw() == Approx(c.start_engine_s.of("vllm")));
  CHECK(cold.total().raw() == Approx(cold.load.raw() + cold.engine.raw()));
}

TEST_CASE("processes of a node load side by side, and a region's own bucket is meant") {
  const auto work = test::job("task=inference model=llama-3.1-8b");
  const auto& instance = *store().catalog().instance("one").value();
  const auto seconds_at = [&](int tp, std::string_view region) {
    physics::Plan choice;
    choice.layout = test::serving("bf16", tp);
    return *cold_start(work, test::machine("l40s", tp), choice, {instance, region}, store().catalog(),
                       store().coefficients());
  };
  const auto& c = *store().coefficients().economy;
  CHECK(seconds_at(8, "r").loader_gbs ==
        Approx(c.start_loader_gbs.of("object") * std::pow(8, c.start_loader_growth.value)));
  CHECK(seconds_at(1, "far").storage_gbs == Approx(1));
  CHECK(seconds_at(1, "far").bound_by() == "storage");
  CHECK(seconds_at(1, "far").load.raw() == Approx(work.parameters.loaded() * 2 / 1e9));
}

TEST_CASE("where no storage is known the usual rate stands, and the answer says so") {
  const auto work = test::job("task=inference model=llama-3.1-8b");
  const auto& instance = *store().catalog().instance("bare").value();
  physics::Plan choice;
  choice.layout = test::serving("bf16");
  physics::Trace trace;
  const auto cold = cold_start(work, test::machine("l40s"), choice, {instance, "r"}, store().catalog(),
                               store().coefficients(), &trace, StorageKind::local);
  REQUIRE(cold);
  CHECK(cold->kind == StorageKind::object);  // it has no disks
  CHECK(trace.size() == 5);
  const auto on_parallel = cold_start(work, test::machine("l40s"), choice, {instance, "r"}, store().catalog(),
                                      store().coefficients(), nullptr, StorageKind::parallel_file);
  CHECK(on_parallel->storage == nullptr);
  CHECK(on_parallel->storage_gbs == Approx(store().coefficients().economy->storage_usual_gbs.of("parallel-file")));
}

TEST_CASE("a cold start reads what the provider is known to sell") {
  const Market market(R"(
sources: {list: {publisher: P, document: prices, date: 2026-11-01, confidence: documented}}
providers: [{id: p, name: P, country: US, kind: cloud, regions: {r: {country: US}}}]
families:
  - provider: p
    id: f
    interconnect: {kind: none}
    sources: [list]
    sizes:
      - {sku: wired, gpu: l40s, gpus: 1, vcpu: 32, memory_gib: 256, network_gbps: 200, local_ssd_gb: 1000}
      - {sku: unwired, gpu: l40s, gpus: 1, vcpu: 32, memory_gib: 256}
storage:
  - {id: net, provider: p, name: network volume, kind: file, read_gbs: 0.2, source: list}
  - {id: disks, provider: p, name: own disks, kind: local, read_gbs_per_tb: 3, source: list}
)");
  const auto work = test::job("task=inference model=llama-3.1-8b");
  physics::Plan choice;
  choice.layout = test::serving("bf16");
  const auto start = [&](std::string_view sku, std::optional<StorageKind> from) {
    return *cold_start(work, test::machine("l40s"), choice, {*market.catalog().instance(sku).value(), "r"},
                       market.catalog(), market.coefficients(), nullptr, from);
  };
  CHECK(start("wired", {}).storage->id == "net");
  CHECK(start("wired", {}).storage_gbs == Approx(0.2));
  CHECK_FALSE(start("wired", {}).usual);
  // The network is not known: the volume is, its rate there is not.
  CHECK(start("unwired", {}).storage->id == "net");
  CHECK(start("unwired", {}).usual);
  CHECK(start("unwired", {}).storage_gbs == Approx(market.coefficients().economy->storage_usual_gbs.of("file")));
  // No bucket is known: the kind that was asked for stands at its usual rate, and nothing is named.
  CHECK(start("wired", StorageKind::object).storage == nullptr);
  CHECK(start("wired", StorageKind::object).usual);
  CHECK(start("wired", StorageKind::local).storage->id == "disks");
  CHECK(start("wired", StorageKind::local).storage_gbs == Approx(3));
}

TEST_CASE("every figure of a data path can be asked for") {
  const DataPath path = path_of(ask(store(), kPictures), store(), {}, true);
  const auto has = [&](std::string_view quantity) {
    return std::ranges::any_of(path.trace, [&](const auto& line) { return line.quantity == quantity; });
  };
  for (const char* quantity :
       {"data.unit_bytes", "data.needed_gbs", "data.dataset_gb", "data.weights_gb", "data.checkpoint_gb",
        "data.checkpoint_gbs", "storage.bucket.read_gbs", "storage.bucket.pass_minutes", "storage.bucket.waiting",
        "storage.bucket.checkpoint_s", "storage.bucket.per_month"}) {
    CAPTURE(quantity);
    CHECK(has(quantity));
  }
  for (const auto& line : path.trace) CHECK_FALSE(line.source.empty());
}

TEST_CASE("services are those of the family, for work of that kind") {
  const auto& instance = *store().catalog().instance("one").value();
  const auto serving = services_of(instance, catalog::Term::on_demand, test::job("task=inference model=llama-3.1-8b"),
                                   store().catalog());
  REQUIRE(serving.managed.size() == 1);
  CHECK(serving.managed.front()->id == "all");
  CHECK_FALSE(serving.managed.front()->surcharge);
  CHECK(serving.unrecorded == std::vector<std::string_view>{"Other family"});
  const auto training =
      services_of(instance, catalog::Term::on_demand, test::job("task=finetune model=llama-3.1-8b"), store().catalog());
  REQUIRE(training.managed.size() == 1);
  CHECK(training.managed.front()->surcharge == 1.25);
  CHECK(training.unrecorded.empty());
}

TEST_CASE("a render queue is for images that are rendered, not for people who watch") {
  const auto& instance = *store().catalog().instance("one").value();
  const auto offline =
      services_of(instance, catalog::Term::on_demand, test::job("task=render render=offline"), store().catalog());
  REQUIRE(offline.managed.size() == 1);
  CHECK(offline.managed.front()->id == "queue");
  CHECK(services_of(instance, catalog::Term::on_demand, test::job("task=render render=realtime"), store().catalog())
            .managed.empty());
}

TEST_CASE("a record of a service that names the SKU stands for the general one") {
  const auto surcharge = [&](std::string_view sku) {
    const auto found = services_of(*store().catalog().instance(sku).value(), catalog::Term::on_demand,
                                   test::job("task=finetune model=llama-3.1-8b"), store().catalog());
    REQUIRE(found.managed.size() == 1);
    return *found.managed.front()->surcharge;
  };
  CHECK(surcharge("one") == 1.25);
  CHECK(surcharge("bare") == 1.4);
}

}  // namespace data_path_test
