// What limits do to the candidates whatever the job: every option of the catalogue of constraints, with values of
// what is for rent, so that each keeps something and takes something away.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "base/words/message.hpp"
#include "support/drawn.hpp"
#include "support/market.hpp"

namespace limits_property_test {

using namespace gpusel;
using answer::Advice;
using answer::Recommendation;
using test::holds;
using test::Limit;
using test::Market;
using test::must;
namespace any = test::any;

namespace {

constexpr int kCases = 30;     // each ranks the whole catalogue
constexpr int kOfOneKey = 20;  // each ranks a small one
constexpr Date kToday{2026, 11, 20};

std::string text_of(catalog::Number number, std::string_view unit = "") {
  return number && *number > 0 ? format("{}{}", *number, unit) : std::string();
}

std::string linked(const catalog::Instance& instance) {
  using catalog::NodeLink;
  if (!instance.link || *instance.link == NodeLink::none) return {};
  const bool pairs = *instance.link == NodeLink::nvlink_pairs || *instance.link == NodeLink::nvlink_mesh;
  return pairs ? "nvlink" : std::string(to_text(*instance.link));
}

bool has_nvlink(const catalog::Instance& instance) {
  using catalog::NodeLink;
  return instance.link == NodeLink::nvlink_mesh || instance.link == NodeLink::nvswitch;
}

std::string truth(bool is) { return is ? "true" : "false"; }

struct Candidate {
  const Recommendation& r;
  const catalog::Catalog& catalog;

  const catalog::Instance& instance() const { return *r.instance; }
  catalog::Number of_gpu(catalog::Number catalog::Gpu::* figure) const {
    return r.gpu == nullptr ? catalog::Number() : r.gpu->*figure;
  }
};

/// A limit's value out of a candidate; empty where it has none.
struct Drawn {
  std::string_view key;
  std::string (*value)(const Candidate&);
  bool of_offer = false;  // of two such each may leave an instance another offer
};

constexpr Drawn kDrawn[] = {
    {"gpu", [](const Candidate& c) { return std::string(c.r.gpu == nullptr ? "" : c.r.gpu->id); }},
    {"gpus_min", [](const Candidate& c) { return text_of(c.instance().gpu_count); }},
    {"gpus_max", [](const Candidate& c) { return text_of(c.instance().gpu_count); }},
    {"min_vram", [](const Candidate& c) { return text_of(c.of_gpu(&catalog::Gpu::memory_gb), "GB"); }},
    {"max_vram", [](const Candidate& c) { return text_of(c.of_gpu(&catalog::Gpu::memory_gb), "GB"); }},
    {"min_total_vram", [](const Candidate& c) { return text_of(c.catalog.gpu_memory_total_gb(c.instance()), "GB"); }},
    {"max_total_vram", [](const Candidate& c) { return text_of(c.catalog.gpu_memory_total_gb(c.instance()), "GB"); }},
    {"min_bandwidth", [](const Candidate& c) { return text_of(c.of_gpu(&catalog::Gpu::memory_bandwidth_gbs)); }},
    {"nvlink", [](const Candidate& c) { return truth(has_nvlink(c.instance())); }},
    {"interconnect", [](const Candidate& c) { return linked(c.instance()); }},
    {"min_capability", [](const Candidate& c) { return text_of(c.of_gpu(&catalog::Gpu::capability)); }},
    {"formats",
     [](const Candidate& c) {
       return std::string(c.r.gpu == nullptr ? "" : c.r.gpu->has_fp8 ? "fp8" : "bf16");
     }},
    {"vcpus_min", [](const Candidate& c) { return text_of(c.instance().vcpu); }},
    {"memory_min", [](const Candidate& c) { return text_of(c.instance().memory_gib); }},
    {"min_network", [](const Candidate& c) { return text_of(c.instance().network_gbps); }},
    {"rdma",
     [](const Candidate& c) { return truth(c.instance().rdma.value_or(catalog::Rdma::none) != catalog::Rdma::none); }},
    {"vendor", [](const Candidate& c) { return std::string(c.r.gpu == nullptr ? "" : c.r.gpu->vendor); }},
    {"cloud", [](const Candidate& c) { return std::string(c.instance().provider); }},
    {"not_cloud", [](const Candidate& c) { return std::string(c.instance().provider); }},
    {"region", [](const Candidate& c) { return std::string(c.r.region->id); }, true},
    {"infra", [](const Candidate& c) { return format("{}/{}", c.instance().provider, c.r.region->id); }, true},
    {"residency", [](const Candidate& c) { return std::string(c.r.region->country); }, true},
    {"family", [](const Candidate& c) { return std::string(c.instance().family); }},
    {"allow_list", [](const Candidate& c) { return format("^{}", c.instance().sku.substr(0, 3)); }},
    {"deny_list", [](const Candidate& c) { return format("^{}", c.instance().sku.substr(0, 3)); }},
    {"include_unavailable", [](const Candidate&) { return truth(false); }},
    {"term", [](const Candidate& c) { return std::string(to_text(c.r.offer->term)); }, true},
    {"max_price", [](const Candidate& c) { return text_of(c.r.cost.hourly); }, true},
    {"budget", [](const Candidate& c) { return text_of(c.r.cost.total); }, true},
    {"deadline", [](const Candidate& c) { return text_of(c.r.cost.hours, "h"); }, true},
    {"max_price_age",
     [](const Candidate& c) {
       return format("{}d", days_between(Date::from_packed(c.r.offer->as_of), kToday).value_or(0));
     },
     true},
};

/// Options that are no limit by themselves, and why.
struct SetAside {
  std::string_view key;
  std::string_view why;
};
constexpr SetAside kSetAside[] = {
    {"nodes", "given in every question here: where it is not, a limit may bring plans of more nodes in"},
    {"max_nodes", "beside a number of nodes it says nothing or contradicts it"},
    {"own_clouds", "takes nothing away: whom it names is admitted, and the best of each is told"},
    {"market", "whom --cloud names is admitted all the same"},
    {"country", "whom --cloud names is admitted all the same"},
    {"strict", "says what becomes of --max-price-age, below"},
};

const Drawn& drawn(std::string_view key) { return *std::ranges::find(kDrawn, key, &Drawn::key); }

/// Where unsaid means less than all: everything that can be had.
// Sellers who serve their own country alone are admitted by places there, too: here all are.
const std::vector<Limit> kOpen{{"term", "any"}, {"vendor", "any"}, {"include_unavailable", "true"}, {"market", "true"}};

/// In place of what was said by that key.
std::vector<Limit> with(std::vector<Limit> limits, const Limit& limit) {
  std::erase_if(limits, [&](const Limit& other) { return other.key == limit.key; });
  limits.push_back(limit);
  return limits;
}

std::set<std::string> names_of(const Advice& advice) {
  const auto list = test::ranking(advice);
  return {list.begin(), list.end()};
}

/// With none left, too.
Advice under(const Market& market, const std::string& job, const std::vector<Limit>& limits) {
  auto advice = market.try_recommend(job, limits);
  test::given(advice.has_value());
  return std::move(*advice);
}

/// The same, none where two limits exclude each other.
std::set<std::string> left_by(const Market& market, const std::string& job, const std::vector<Limit>& limits) {
  const auto advice = market.try_recommend(job, limits);
  if (!advice) must(advice.error().kind == ErrorKind::unsatisfied, advice.error().message);
  return advice ? names_of(*advice) : std::set<std::string>();
}

Limit any_limit(std::string_view key, const Advice& advice, const Market& market) {
  const auto& rows = advice.recommendations;
  test::given(!rows.empty());
  const auto at = static_cast<std::size_t>(any::whole("out of", 0, static_cast<std::int64_t>(rows.size()) - 1));
  const std::string value = drawn(key).value({rows[at], market.catalog()});
  test::given(!value.empty());
  return {std::string(key), value};
}

std::string any_key() {
  std::vector<std::string> keys;
  for (const Drawn& one : kDrawn) keys.emplace_back(one.key);
  return any::one_of("key", keys);
}

/// A deadline is for work that ends: beside a service it is refused.
bool has_no_meaning(const Limit& limit, const Advice& advice) { return limit.key == "deadline" && !advice.work.ends(); }

/// One limit of that key, and another.
void must_only_take(std::string_view key, const Market& market) {
  const std::string job = any::job(), other = any_key();
  test::given(key != other);
  const auto open = with(kOpen, {"nodes", any::one_of("nodes", {"1", "2", "4"})});
  const Advice free = under(market, job, open);
  const Limit a = any_limit(key, free, market), b = any_limit(other, free, market);
  if (has_no_meaning(a, free) || has_no_meaning(b, free)) {
    const auto refused = market.try_recommend(job, with(with(open, a), b));
    return must(!refused && refused.error().kind == ErrorKind::usage, "a service has a deadline");
  }
  const auto all = names_of(free), with_a = left_by(market, job, with(open, a)),
             with_b = left_by(market, job, with(open, b)), with_both = left_by(market, job, with(with(open, a), b));
  const std::string limits = format("{} {} and {} {}", a.key, a.value, b.key, b.value);
  must(std::ranges::includes(all, with_a), limits + ": the first added a candidate");
  std::set<std::string> both;
  std::ranges::set_intersection(with_a, with_b, std::inserter(both, both.end()));
  must(std::ranges::includes(both, with_both), limits + ": both leave what one takes");
  const bool of_one_offer = drawn(key).of_offer && drawn(other).of_offer;
  must(of_one_offer || both == with_both, limits + ": both take what neither does");
}

std::int64_t fewest_nodes(const Advice& advice) {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (const Recommendation& r : advice.recommendations) fewest = std::min<std::int64_t>(fewest, r.machine().nodes);
  return fewest;
}

/// Whether some candidate's value leaves some of the candidates, and not all.
bool bites(const Drawn& limit, const Market& market) {
  const std::string job = R"({"task": "finetune", "model": "llama-7b", "method": "lora"})";
  const auto open = with(kOpen, {"nodes", "1"});
  const Advice free = market.recommend(job, open);
  std::set<std::string> values;
  for (const Recommendation& r : free.recommendations) values.insert(limit.value({r, market.catalog()}));
  return std::ranges::any_of(values, [&](const std::string& value) {
    if (value.empty()) return false;
    const auto left = market.recommend(job, with(open, {std::string(limit.key), value})).recommendations.size();
    return left > 0 && left < free.recommendations.size();
  });
}

}  // namespace

TEST_CASE("every constraint is drawn here, or set aside with a reason") {
  for (const auto& option : job::constraint_options()) {
    CAPTURE(option.key);
    CHECK(std::ranges::count(kDrawn, option.key, &Drawn::key) +
              std::ranges::count(kSetAside, option.key, &SetAside::key) ==
          1);
  }
  CHECK(std::size(kDrawn) + std::size(kSetAside) == job::constraint_options().size());
  for (const SetAside& one : kSetAside) CHECK_FALSE(one.why.empty());
}

TEST_CASE("every limit drawn here takes candidates away and leaves some") {
  for (const Drawn& limit : kDrawn) {
    CAPTURE(limit.key);
    CHECK((bites(limit, Market::small()) || bites(limit, Market::shipped())));
  }
}

// Where the number of nodes is not given, docs/method.md says what a limit may bring in: the test after these two.
TEST_CASE("on so many nodes every limit only takes candidates away, and two take what each does", "[property]") {
  for (const Drawn& limit : kDrawn)
    holds(format("limit {}", limit.key), [&] { must_only_take(limit.key, Market::small()); }, kOfOneKey);
}

TEST_CASE("on so many nodes limits only take candidates of the shipped catalogue away", "[property]") {
  holds("limits", [] { must_only_take(any_key(), Market::shipped()); }, kCases);
}

TEST_CASE("a limit that adds a candidate has left none that takes as few nodes", "[property]") {
  constexpr std::int64_t kSpread = 8;  // between the smallest plan and the largest
  holds(
      "limits and nodes",
      [] {
        const Market& market = any::coin("shipped") ? Market::shipped() : Market::small();
        const std::string job = any::job(), key = any_key();
        test::given(key != "deadline");  // one on money and time, which more nodes meet
        const Advice free = under(market, job, kOpen),
                     limited = under(market, job, with(kOpen, any_limit(key, free, market)));
        const auto all = names_of(free);
        const auto fewest = fewest_nodes(free);
        must(fewest_nodes(limited) >= fewest, "it takes fewer nodes");
        for (const Recommendation& r : limited.recommendations) {
          if (all.contains(format("{}/{}", r.instance->provider, r.instance->sku))) continue;
          must(fewest_nodes(limited) > fewest, "a limit added a candidate");
          must(fewest == 1 || r.machine().nodes > kSpread * fewest, format("{} came in", r.instance->sku));
        }
      },
      kCases);
}

TEST_CASE("prices too old for their limit come back with --strict, and no others", "[property]") {
  holds(
      "strict",
      [] {
        const Market& market = Market::small();
        const std::string job = any::job();
        const auto open = with(kOpen, {"nodes", any::one_of("nodes", {"1", "2", "4"})});
        const Advice free = under(market, job, open);
        const auto aged = with(open, any_limit("max_price_age", free, market));
        const auto all = names_of(free), young = left_by(market, job, aged),
                   strict = left_by(market, job, with(aged, {"strict", "true"}));
        must(std::ranges::includes(all, young) && strict == all, "strict is not all of them");
        must(left_by(market, job, with(aged, {"strict", "false"})) == young, "not strict is something else");
      },
      kCases);
}

}  // namespace limits_property_test
