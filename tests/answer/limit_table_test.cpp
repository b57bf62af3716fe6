// Every row of the table of limits: its flag, its key and its default are there, and it acts. Whoever adds a row adds
// nothing here, unless no value of it can be read off a candidate.
#include "job/limits/limits.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

#include "answer/facts/facts_of.hpp"
#include "answer/facts/limits.hpp"
#include "answer/search/market.hpp"
#include "answer/whatif/whatif_input.hpp"
#include "base/text/text.hpp"
#include "cli/command.hpp"
#include "cli/settings/settings.hpp"
#include "support/market.hpp"
#include "support/program.hpp"

namespace limit_table_test {

using namespace gpusel;
using answer::Advice;
using answer::Recommendation;
using job::Constraints;
using job::Limit;
using test::Market;

namespace {

/// Values of limits that say nothing of a candidate but yes or no.
constexpr std::pair<std::string_view, std::string_view> kSamples[] = {
    {"nvlink", "true"}, {"interconnect", "nvswitch"}, {"formats", "fp8"},
    {"rdma", "true"},   {"allow_list", "^n\\."},      {"deny_list", "t4|p4"},
    {"country", "us"},  {"not_cloud", "bazaar"},      {"market", "false"}};

void set(Constraints& limits, std::string_view key, std::string_view value) {
  const auto* option = job::find_option(job::constraint_options(), key);
  REQUIRE(option != nullptr);
  CAPTURE(key, value);
  REQUIRE(option->set(limits, value).has_value());
}

/// What lets everything pass, on one node, so that no limit brings other plans in.
Constraints open() {
  Constraints limits = job::open_limits();
  limits.max_nodes.reset();
  limits.nodes = 1;
  limits.include_unavailable = true;
  return limits;
}

answer::Question question(const Constraints& limits,
                          const std::string& job = R"({"model": "llama-7b", "task": "finetune", "method": "lora"})") {
  answer::Question asked;
  asked.request = *job::read_request(parse_json(job, "job")->root);
  asked.constraints = limits;
  asked.today = Date(2026, 11, 20);
  asked.every_rejection = true;
  asked.alternatives = false;
  return asked;
}

Advice ask(const Market& market, const answer::Question& asked) {
  auto advice = answer::recommend(asked, market.catalog(), market.rules, market.coefficients());
  REQUIRE(advice.has_value());
  return std::move(*advice);
}

const Recommendation* ranked(const Advice& advice, const catalog::Instance* instance) {
  const auto found = std::ranges::find(advice.recommendations, instance, &Recommendation::instance);
  return found == advice.recommendations.end() ? nullptr : &*found;
}

job::Needed needed(const Limit& limit, const Constraints& asked, const Recommendation& one, const Advice& advice,
                   const Market& market) {
  const auto facts = answer::facts_to_pass(one, advice.work, question(asked), market.catalog(), market.coefficients());
  return limit.form.relax({limit, asked, facts});
}

/// Values that some candidate meets.
std::vector<std::string> values(const Limit& limit, const Advice& free, const Market& market) {
  const auto* sample =
      std::ranges::find(kSamples, limit.option.key, &std::pair<std::string_view, std::string_view>::first);
  if (sample != std::end(kSamples)) return {std::string(sample->second)};
  std::vector<std::string> all;
  for (const Recommendation& one : free.recommendations)
    if (auto value = needed(limit, {}, one, free, market).value; !value.empty() && !std::ranges::count(all, value))
      all.push_back(std::move(value));
  return all;
}

/// The limits with what lets one candidate pass.
Constraints relaxed(const Limit& limit, Constraints limits, const job::Needed& needed) {
  if (needed.value.empty() || limit.also.replaces) limit.form.copy(limits, open());
  if (!needed.value.empty()) set(limits, needed.flag.substr(2), needed.value);
  return limits;
}

/// Whether some value of the limit rejects by the limit's own id, and what its relaxation says admits what it rejected.
bool acts(const Limit& limit, const Market& market) {
  const Advice free = ask(market, question(open()));
  for (const std::string& value : values(limit, free, market)) {
    CAPTURE(value);
    Constraints limits = open();
    limit.form.copy(limits, {});
    set(limits, limit.option.key, value);
    const Advice limited = ask(market, question(limits));
    const auto fallen = std::ranges::find_if(limited.rejected, [&](const answer::Rejection& one) {
      return one.rule == limit.id() && ranked(free, one.instance) != nullptr;
    });
    if (fallen == limited.rejected.end()) continue;
    CAPTURE(fallen->instance->sku, fallen->message);
    CHECK_FALSE(fallen->message.empty());
    const auto change = needed(limit, limits, *ranked(free, fallen->instance), free, market);
    CAPTURE(change.flag, change.value);
    const Advice admitted = ask(market, question(relaxed(limit, limits, change)));
    CHECK(ranked(admitted, fallen->instance) != nullptr);
    return true;
  }
  return false;
}

bool takes(std::string_view command, const Limit& limit) {
  cli::Context context;
  const auto parsed = cli::set_up(*cli::find_command(command), context);
  return std::ranges::any_of(parsed.flags, [&](const cli::Flag& flag) { return flag.is_called(limit.flag()); });
}

}  // namespace

TEST_CASE("every limit that rejects does so by its own id, and its relaxation admits what it rejected") {
  for (const Limit* limit : job::judged_limits()) {
    CAPTURE(limit->option.key);
    CHECK((acts(*limit, Market::small()) || acts(*limit, Market::shipped())));
  }
}

TEST_CASE("every limit is a flag with help, a key of what-if, and a flag of the commands that look at its subject") {
  const std::string help = test::ask({"recommend", "--help-all"}).out;
  for (const Limit& limit : job::limits()) {
    CAPTURE(limit.option.key);
    CHECK(help.find(limit.flag()) != std::string::npos);
    CHECK(job::find_limit(limit.id()) == &limit);
    CHECK(job::find_limit(limit.option.key) == &limit);
    const auto input = answer::find_input(limit.option.key, Market::small().catalog());
    REQUIRE(input.has_value());
    CHECK((input->limit != nullptr && input->limit->key == limit.option.key));
    const bool prices_gpus = limit.option.key == "cloud";  // whose prices are shown
    CHECK(takes("gpus", limit) == (limit.on.subject == job::Subject::gpu || prices_gpus));
    CHECK(takes("instances", limit) == (limit.on.subject <= job::Subject::price));
    CHECK((limit.on.subject != job::Subject::offer || takes("compare", limit)));
    CHECK(takes("doctor", limit) == limit.also.of_age);
    CHECK(takes("cost", limit));
  }
}

TEST_CASE("every default is a value of its flag, shown among what was assumed and by 'config show'") {
  const std::string pretraining = R"({"model": "qwen2.5-0.5b", "task": "pretrain", "tokens": 1e9})";
  int defaults = 0;
  for (const Limit& limit : job::limits()) {
    if (limit.also.usual.empty()) continue;
    ++defaults;
    CAPTURE(limit.option.key);
    Constraints said;
    set(said, limit.option.key, limit.also.usual);
    const bool of_all = limit.also.usual_for == job::Usual::job;
    CHECK(cli::built_in(limit.flag()) == (of_all ? limit.also.usual : std::string_view()));
    const auto key = limit.also.assumed_as.empty() ? limit.option.key : limit.also.assumed_as;
    const auto assumed = [&](const Constraints& limits) {
      const Advice advice = ask(Market::small(), question(limits, pretraining));
      return std::ranges::count(advice.assumed, key, &job::Assumed::key);
    };
    CHECK(assumed({}) == 1);
    CHECK(assumed(said) == 0);
    if (limit.option.help.find("default: nvidia") != std::string_view::npos)
      CHECK(limit.option.help.find(limit.also.usual) != std::string_view::npos);
  }
  CHECK(defaults >= 3);
}

TEST_CASE("a default holds exactly where it is shown: a memory alone names no maker") {
  Constraints limits;
  set(limits, "gpu", "80GB+");
  job::assume_usual(limits, job::Usual::job);
  CHECK(limits.vendors == std::vector<std::string>{"nvidia", "amd"});
  Constraints named;
  set(named, "gpu", "H100");
  job::assume_usual(named, job::Usual::job);
  CHECK(named.vendors.empty());
  CHECK(named.assumed == std::vector<std::string_view>{"term", "market"});
}

TEST_CASE("every limit that may not be above another is named with it where it is") {
  for (const Limit& low : job::limits())
    for (const std::string_view key : split(low.also.not_above, ' ')) {
      if (key.empty()) continue;
      CAPTURE(low.option.key, key);
      const Limit* high = job::find_limit(key);
      REQUIRE(high != nullptr);
      Constraints limits;
      set(limits, low.option.key, "80");
      set(limits, key, "20");
      const std::string clash = job::contradiction(limits, Market::small().catalog());
      CHECK(clash.find(low.flag()) != std::string::npos);
      CHECK(clash.find(high->flag()) != std::string::npos);
    }
}

TEST_CASE("each end of a range rejects by its own limit") {
  Constraints limits = open();
  set(limits, "gpus_min", "2");
  set(limits, "gpus_max", "4");
  const Advice advice = ask(Market::small(), question(limits));
  const auto rule_of = [&](std::string_view sku) {
    for (const answer::Rejection& one : advice.rejected)
      if (one.instance->sku == sku) return one.rule;
    return std::string();
  };
  CHECK(rule_of("n.t4.1") == "gpus-min");
  CHECK(rule_of("n.h100.8") == "gpus-max");
}

TEST_CASE("limits on prices judge an offer by place, term, price and age") {
  const auto& catalog = Market::small().catalog();
  const auto verdicts = [&](std::string_view key, std::string_view value) {
    Constraints limits;
    set(limits, key, value);
    const auto set_of = answer::LimitSet::of(limits, catalog);
    REQUIRE(set_of.has_value());
    const auto converter = money::Converter::into(Currency::usd(), catalog);
    const money::Quoter quoter(catalog, Market::small().coefficients(), *converter, Date(2026, 11, 20));
    const answer::Market market(catalog, quoter, set_of->rules(), {}, Date(2026, 11, 20));
    std::array<int, 3> counts{};  // allowed, too old, refused
    for (const catalog::Offer& offer : catalog.offers()) {
      rules::Facts facts;
      const rules::Rule* against = market.against(offer, *quoter.quote(offer), facts);
      ++counts[against == nullptr ? 0 : answer::is_of_age(*against) ? 1 : 2];
    }
    return counts;
  };
  for (const auto& [key, value] : {std::pair("region", "eu-1"), std::pair("residency", "eu"), std::pair("term", "spot"),
                                   std::pair("max_price", "1")}) {
    CAPTURE(key);
    const auto [allowed, old, refused] = verdicts(key, value);
    CHECK((allowed > 0 && old == 0 && refused > 0));
  }
  const auto [allowed, old, refused] = verdicts("max_price_age", "60d");
  CHECK((allowed > 0 && old > 0 && refused == 0));
  CHECK(verdicts("max_price_age", "3650d")[1] == 0);
}

}  // namespace limit_table_test
