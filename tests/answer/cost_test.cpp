// What instances and plans cost over time: an invented cloud with every term, worked by hand.
#include "answer/cost/cost.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "show/money/cost.hpp"
#include "support/market.hpp"

namespace cost_test {

using namespace gpusel;
using namespace gpusel::answer;
using catalog::Term;
using test::Market;

namespace {

/// Eight yuan are a dollar, half a pound is one.
const Market& market() {
  static const Market made(R"(
sources:
  lists: {publisher: test, document: price list, confidence: documented}
exchange_rates:
  - {currency: CNY, per_usd: 8, as_of: 2026-10-01, source: lists}
  - {currency: GBP, per_usd: 0.5, as_of: 2026-09-01, source: lists}
providers:
  - id: alpha
    name: Alpha
    billing: {granularity_s: 3600, minimum_s: 3600, source: lists}
    regions: {here: {country: US}, there: {country: DE}}
  - {id: beta, name: Beta, regions: {cn: {country: CN}}}
families:
  - provider: alpha
    id: a
    gpu: t4
    interconnect: {kind: pcie}
    sources: [lists]
    workstation: {licence: surcharge, per_gpu_hour: 0.25, currency: GBP, source: lists}
    sizes:
      - {sku: a.2, gpus: 2, vcpu: 8, memory_gib: 32}
      - {sku: a.4, gpus: 4, vcpu: 16, memory_gib: 64}
  - provider: alpha
    id: c
    gpu: t4
    interconnect: {kind: pcie}
    sources: [lists]
    sizes: [{sku: c.1, gpus: 1, vcpu: 4, memory_gib: 16}]
  - provider: beta
    id: b
    gpu: t4
    interconnect: {kind: pcie}
    sources: [lists]
    sizes: [{sku: b.1, gpus: 1, vcpu: 4, memory_gib: 16}]
egress:
  - {id: alpha, provider: alpha, currency: USD, source: lists, free_gb_per_month: 100, tiers: ["1000=0.1", "=0.05"]}
  - {id: beta, provider: beta, currency: CNY, source: lists, tiers: ["=0.8"]}
storage:
  - {id: alpha-disk, provider: alpha, name: disk, kind: block, currency: GBP, per_gb_month: 0.1, max_gb: 1000, source: lists}
  - {id: alpha-big, provider: alpha, name: big disk, kind: block, currency: USD, per_gb_month: 0.3, source: lists}
  - {id: alpha-bucket, provider: alpha, name: bucket, kind: object, currency: USD, per_gb_month: 0.02, source: lists}
billing:
  - {id: alpha-flex-start, provider: alpha, terms: [flex-start], longest_h: 168, source: lists}
  - {id: alpha-blocks, provider: alpha, terms: [capacity-block], longest_h: 4368, source: lists}
service_levels:
  - {id: alpha-one, provider: alpha, scope: one instance, percent: 99.5, source: lists}
  - {id: alpha-other, provider: alpha, scope: one instance, families: [c], percent: 99, source: lists}
prices:
  - {provider: alpha, region: here, term: on-demand, currency: USD, as_of: 2026-11-01, source: lists, per_hour: {a.2: 3, a.4: 6}}
  - {provider: alpha, region: there, term: on-demand, currency: GBP, as_of: 2026-11-01, source: lists, per_hour: {a.2: 1}}
  - {provider: alpha, region: here, term: spot, currency: USD, as_of: 2026-11-01, source: lists, per_hour: {a.2: 1.25}}
  - {provider: alpha, region: here, term: reserved-1y, currency: USD, as_of: 2026-11-01, source: lists, per_hour: {a.2: 1.75}}
  - {provider: alpha, region: here, term: reserved-3y, currency: USD, as_of: 2026-11-01, source: lists, per_hour: {a.2: 1.10}}
  - {provider: alpha, region: here, term: savings-1y, currency: USD, as_of: 2026-11-01, source: lists, per_hour: {a.2: 1.80}}
  - {provider: alpha, region: here, term: savings-3y, currency: USD, as_of: 2026-11-01, source: lists, per_hour: {a.2: 1.20}}
  - {provider: alpha, region: here, term: month, currency: USD, as_of: 2026-11-01, source: lists, per_month: {a.2: 1314.27}}
  - {provider: alpha, region: here, term: year, currency: USD, as_of: 2026-11-01, source: lists, per_year: {a.2: 13140.12}}
  - {provider: alpha, region: here, term: capacity-block, currency: USD, as_of: 2026-11-01, source: lists, per_hour: {a.2: 2.5}}
  - {provider: alpha, region: here, term: flex-start, currency: USD, as_of: 2026-11-01, source: lists, per_hour: {a.2: 2.25}}
  - {provider: alpha, region: here, term: sustained-use, currency: USD, as_of: 2026-11-01, source: lists, per_hour: {a.2: 2.4}}
  - {provider: alpha, region: here, term: ladder, currency: USD, as_of: 2026-11-01, source: lists, per_hour: {a.2: 2.1}}
  - {provider: beta, region: cn, term: on-demand, currency: CNY, as_of: 2026-11-01, source: lists, per_hour: {b.1: 4}}
)");
  return made;
}

CostQuestion question_of(const std::string& name) {
  CostQuestion question;
  question.question.today = Date{2026, 11, 20};
  CostSubject subject;
  subject.name = name;
  question.subjects.push_back(std::move(subject));
  return question;
}
CostAnswer answer_to(const CostQuestion& question) {
  auto answer = costs(question, market().catalog(), market().coefficients());
  if (!answer) throw std::runtime_error(answer.error().message);
  return std::move(*answer);
}
const TermCost& term_of(const CostAnswer& answer, Term term) {
  for (const TermCost& one : answer.items.at(0).terms)
    if (one.offer->term == term) return one;
  throw std::runtime_error("no such term");
}
const CostLine& line_of(const TermCost& term, std::string_view key) {
  return *std::ranges::find(term.lines, key, &CostLine::key);
}
CostQuestion with_job(double hours) {
  CostQuestion question = question_of("a.2");
  const catalog::Catalog& catalog = market().catalog();
  question.subjects[0].instance = *catalog.instance("a.2");
  question.subjects[0].provider = *catalog.provider("alpha");
  question.subjects[0].job = CostJob{};
  question.subjects[0].job->hours = hours;
  question.subjects[0].job->tokens_per_s = 1000;
  return question;
}
std::string error_of(const CostQuestion& question) {
  const auto answer = costs(question, market().catalog(), market().coefficients());
  REQUIRE_FALSE(answer);
  return answer.error().message;
}

}  // namespace

TEST_CASE("every published term of an instance, to the cent", "[advise][cost]") {
  const CostAnswer answer = answer_to(question_of("a.2"));
  struct Expected {
    Term term;
    double hour, day, month, year;
    catalog::Number commitment;
  };
  const Expected expected[] = {
      {Term::on_demand, 2, 48, 1460, 17520, {}},  // a pound there, not three dollars here
      {Term::spot, 1.25, 30, 912.50, 10950, {}},
      {Term::reserved_1y, 1.75, 42, 1277.50, 15330, 15330.0},
      {Term::reserved_3y, 1.10, 26.40, 803, 9636, 28908.0},
      {Term::month, 1.80037, 43.2088, 1314.27, 15771.24, 1314.27},
      {Term::year, 1.50001, 36.00033, 1095.01, 13140.12, 13140.12},
      {Term::savings_1y, 1.80, 43.20, 1314, 15768, 15768.0},
      {Term::savings_3y, 1.20, 28.80, 876, 10512, 31536.0},
      {Term::capacity_block, 2.5, 60, 1825, 21900, 60.0},
      {Term::flex_start, 2.25, 54, 1642.50, 19710, {}},
      {Term::sustained_use, 2.4, 57.60, 1752, 21024, {}},
      {Term::ladder, 2.1, 50.40, 1533, 18396, {}},
  };
  REQUIRE(answer.items.at(0).terms.size() == std::size(expected));
  for (const Expected& one : expected) {
    CAPTURE(to_text(one.term));
    const money::Amounts amounts = term_of(answer, one.term).instances();
    CHECK(*amounts.hour == Approx(one.hour).epsilon(1e-5));
    CHECK(*amounts.day == Approx(one.day).epsilon(1e-5));
    CHECK(*amounts.month == Approx(one.month).margin(0.005));
    CHECK(*amounts.year == Approx(one.year).margin(0.005));
    CHECK(amounts.commitment.has_value() == one.commitment.has_value());
    if (one.commitment) CHECK(*amounts.commitment == Approx(*one.commitment).margin(0.005));
  }
}

TEST_CASE("each term stands at its cheapest place, the others follow", "[advise][cost]") {
  const CostAnswer answer = answer_to(question_of("a.2"));
  const TermCost& term = term_of(answer, Term::on_demand);
  CHECK(term.region->id == "there");
  REQUIRE(term.elsewhere.size() == 1);
  CHECK(term.elsewhere[0].rate == 3);
  CostQuestion here = question_of("a.2");
  here.question.constraints.regions = {"here"};
  CHECK(term_of(answer_to(here), Term::on_demand).rate == 3);
}

TEST_CASE("the offer's own currency stands beside the answer's, with the rate", "[advise][cost]") {
  CostQuestion question = question_of("2x b.1");
  question.question.currency = *Currency::parse("GBP");
  const CostAnswer answer = answer_to(question);
  const TermCost& term = term_of(answer, Term::on_demand);
  CHECK(term.published.currency.code() == "CNY");
  CHECK(*term.own().month == Approx(5840));       // 2 × 4 × 730 yuan
  CHECK(*term.instances().month == Approx(365));  // 16 yuan are a pound
  REQUIRE(term.exchange);
  CHECK(term.exchange->rate == Approx(0.0625));
  CHECK(term.exchange->as_of.text() == "2026-09-01");  // the older of the two
}

TEST_CASE("no sum mixes currencies", "[advise][cost]") {
  // Instances in yuan, traffic in yuan; then pounds for instances, licence and disk, dollars for traffic.
  for (const char* name : {"b.1", "2x a.2"})
    for (const char* code : {"USD", "CNY", "GBP"}) {
      CAPTURE(name, code);
      CostQuestion question = question_of(name);
      question.question.currency = *Currency::parse(code);
      question.question.extras.workstation = name[0] == '2';
      question.question.extras.storage_gb = 200;
      question.question.extras.egress_gb = 2000;
      const CostAnswer answer = answer_to(question);
      const TermCost& term = term_of(answer, Term::on_demand);
      double sum = *term.own().month * term.exchange.value_or(money::Exchange{}).rate;
      for (const CostLine& line : term.lines) sum += line.known ? *line.amounts.month : 0;
      CHECK(*term.sums().month == Approx(sum));
      question.question.currency = Currency::usd();
      const double in_usd = *term_of(answer_to(question), Term::on_demand).sums().month;
      CHECK(*term.sums().month == Approx(in_usd * answer.converter.exchange(Currency::usd())->rate));
    }
}

TEST_CASE("licence, storage and traffic beside the instances, to the cent", "[advise][cost]") {
  CostQuestion question = question_of("2x a.2");
  question.question.extras.workstation = true;
  question.question.extras.storage_gb = 500;
  question.question.extras.egress_gb = 2500;
  const CostAnswer answer = answer_to(question);
  const TermCost& term = term_of(answer, Term::reserved_1y);
  CHECK(*term.instances().month == Approx(2555.00));                  // 2 × 1.75 × 730
  CHECK(*line_of(term, "licence").amounts.month == Approx(1460.00));  // 4 GPUs × 0.25 £ × 2 × 730
  CHECK(*line_of(term, "storage").amounts.month == Approx(200.00));   // 2 × 500 × 0.1 £ × 2
  CHECK(line_of(term, "storage").words.find("500 GB for each of 2") != std::string::npos);
  CHECK(*line_of(term, "egress").amounts.month == Approx(165.00));  // 900 × 0.1 + 1,500 × 0.05
  CHECK(line_of(term, "egress").figures == "900 GB × 0.1 USD + 1500 GB × 0.05 USD");
  CHECK(*term.sums().month == Approx(4380.00));
  CHECK(*term.sums().year == Approx(52560.00));
  CHECK(term.lacking().empty());
  CHECK_FALSE(term.sums().hour);  // a disk has no price per hour
}

TEST_CASE("a disk that holds so much, or another kind", "[advise][cost]") {
  CostQuestion question = question_of("2x a.2");
  question.question.extras.storage_gb = 2000;  // the cheaper one ends at 1,000: two of them, for each of two
  CHECK(*line_of(term_of(answer_to(question), Term::spot), "storage").amounts.month == Approx(800.00));
  CHECK(line_of(term_of(answer_to(question), Term::spot), "storage").words.find("in 2 of at most") !=
        std::string::npos);
  question.question.extras.storage_kind = catalog::StorageKind::object;  // one for all
  const TermCost bucket = term_of(answer_to(question), Term::spot);
  CHECK(*line_of(bucket, "storage").amounts.month == Approx(40.00));
  CHECK(line_of(bucket, "storage").words.find("at most") == std::string::npos);  // it has no end
  question.question.extras.storage_kind = catalog::StorageKind::local;
  CHECK_FALSE(line_of(term_of(answer_to(question), Term::spot), "storage").known);
}

TEST_CASE("what has no published price is left out of the sum and said so", "[advise][cost]") {
  CostQuestion question = question_of("b.1");
  question.question.extras.workstation = true;
  question.question.extras.storage_gb = 100;
  question.question.extras.egress_gb = 10;
  const CostAnswer answer = answer_to(question);
  const TermCost& term = term_of(answer, Term::on_demand);
  CHECK(term.lacking() == std::vector<std::string_view>{"licence", "storage"});
  CHECK_FALSE(line_of(term, "storage").amounts.month);
  CHECK(*term.sums().month == Approx(366.00));  // 4 ÷ 8 × 730 + 10 × 0.8 ÷ 8
  const auto json = show::cost_json(answer, {}, market().catalog());
  CHECK(json["items"][0]["terms"][0]["lines"][1]["amounts"].is_null());
  CHECK(json["items"][0]["terms"][0]["total_lacks"] == std::vector<std::string>{"licence", "storage"});
}

TEST_CASE("office hours halve on-demand and leave a commitment as it is", "[advise][cost]") {
  CostQuestion question = question_of("a.2");
  question.question.duty.hours_per_day = 8;
  question.question.duty.days_per_month = 20;
  question.question.duty.utilization = 0.5;
  const CostAnswer answer = answer_to(question);
  const TermCost& on_demand = term_of(answer, Term::on_demand);
  CHECK(*on_demand.instances().month == Approx(320.00));  // 160 × 2
  CHECK(*on_demand.per_used_hour == Approx(4.00));        // ÷ 80
  const TermCost& reserved = term_of(answer, Term::reserved_1y);
  CHECK(*reserved.instances().month == Approx(1277.50));
  CHECK(*reserved.per_used_hour == Approx(15.96875));
}

TEST_CASE("a discount that grows with use is bounded by the whole month and by on-demand there", "[advise][cost]") {
  const auto month = [](double hours_per_day) {
    CostQuestion question = question_of("a.2");
    question.question.duty.hours_per_day = hours_per_day;
    question.question.duty.days_per_month = 20;
    const CostAnswer answer = answer_to(question);
    const TermCost& term = term_of(answer, Term::sustained_use);
    CHECK(term.paid.at_most);
    return *term.instances().month;
  };
  CHECK(month(8) == Approx(480.00));    // 160 × 3, the price on demand of that place
  CHECK(month(24) == Approx(1440.00));  // 480 × 3
  CostQuestion always = question_of("a.2");
  CHECK_FALSE(term_of(answer_to(always), Term::sustained_use).paid.at_most);
}

TEST_CASE("a licence by the hour is paid for hours that run, also under a reservation", "[advise][cost]") {
  CostQuestion question = question_of("a.2");
  question.question.extras.workstation = true;
  question.question.duty.hours_per_day = 10;
  question.question.duty.days_per_month = 20;
  const CostAnswer answer = answer_to(question);
  const TermCost& term = term_of(answer, Term::reserved_1y);
  CHECK(*line_of(term, "licence").amounts.month == Approx(200.00));  // 2 × 0.25 £ × 2 × 200
}

TEST_CASE("the whole job under each term, by the provider's whole hours", "[advise][cost]") {
  const CostAnswer answer = answer_to(with_job(99.5));
  const auto job = [&](Term term) { return *term_of(answer, term).instances().job; };
  CHECK(job(Term::on_demand) == Approx(200.00));  // 100 hours begun
  CHECK(job(Term::spot) == Approx(125.00));
  CHECK(job(Term::capacity_block) == Approx(300.00));  // five days
  CHECK(job(Term::month) == Approx(1314.27));
  CHECK(job(Term::year) == Approx(13140.12));
  CHECK(job(Term::reserved_1y) == Approx(15330.00));
  CHECK(job(Term::reserved_3y) == Approx(28908.00));
  // What is paid in all ÷ 358.2 million tokens.
  CHECK(*term_of(answer, Term::on_demand).per_million_tokens == Approx(0.558347));
  CHECK(*term_of(answer, Term::reserved_1y).per_million_tokens == Approx(42.797320));
  CHECK(*term_of(answer, Term::capacity_block).per_million_tokens == Approx(0.837521));
  CHECK(*term_of(answer, Term::month).per_used_hour == Approx(13.208744));  // 1314.27 ÷ 99.5
}

TEST_CASE("a term that ends before the job has no price for it", "[advise][cost]") {
  const CostAnswer week = answer_to(with_job(169));  // flex-start ends after 7 days
  REQUIRE(term_of(week, Term::flex_start).commitment.longest_hours == 168);
  CHECK_FALSE(term_of(week, Term::flex_start).instances().job);
  CHECK_FALSE(term_of(week, Term::flex_start).per_million_tokens);
  CHECK(*term_of(week, Term::capacity_block).instances().job == Approx(480.00));  // eight days × 24 × 2.5
  CHECK(*term_of(answer_to(with_job(168)), Term::flex_start).instances().job == Approx(378.00));
  CHECK_FALSE(term_of(answer_to(with_job(182 * 24 + 1)), Term::capacity_block).instances().job);
}

TEST_CASE("what a commitment leaves unused is said", "[advise][cost]") {
  const CostAnswer answer = answer_to(with_job(100));
  const auto& notes = answer.items[0].notes;
  const auto says = [&](std::string_view text) {
    return std::ranges::any_of(notes, [&](const auto& note) { return note.find(text) != std::string::npos; });
  };
  CHECK(says("reserved-1y: 8760 h billed, 100 h needed; the other 15,155 USD"));
  CHECK(says("alpha bills in steps of 60 min, at least 60 min a start"));
}

TEST_CASE("what is switched off pays for loading its model at each start", "[advise][cost]") {
  CostQuestion question = question_of("a.2");
  question.question.request.model = "llama-3.2-1b";
  question.question.request.task = job::Task::inference;
  question.question.duty.scale_to_zero = true;
  question.question.duty.utilization = 0.5;
  question.question.duty.starts_per_day = 4;
  const CostAnswer answer = answer_to(question);
  const CostItem& item = answer.items.at(0);
  REQUIRE(item.cold_start);
  const double start_h = in_hours(item.cold_start->total());
  CHECK(start_h > 0);
  const double paid = term_of(answer, Term::on_demand).paid.day;
  CHECK(paid == Approx(16));  // 12 h of work in four starts of three hours and a little, by the hour
  CHECK(item.duty.run_per_day() == Approx(12 + 4 * start_h));
  // Said by hand, it is that; without a job nobody knows.
  question.question.duty.cold_start_s = 7200;
  CHECK(*answer_to(question).items.at(0).duty.cold_start_s == 7200);
  CostQuestion bare = question_of("a.2");
  bare.question.duty.scale_to_zero = true;
  const auto notes = answer_to(bare).items.at(0).notes;
  CHECK(std::ranges::any_of(notes, [](const auto& n) { return n.find("set --cold-start") != std::string::npos; }));
}

TEST_CASE("promises are those of the provider for the family", "[advise][cost]") {
  const CostAnswer answer = answer_to(question_of("a.2"));
  REQUIRE(answer.items[0].promises.size() == 1);
  CHECK(answer.items[0].promises[0]->id == "alpha-one");
  CHECK(answer_to(question_of("c.1")).items[0].promises.size() == 2);
}

TEST_CASE("every figure of the answer has a line that explains it", "[advise][cost]") {
  CostQuestion question = with_job(99.5);
  question.explained = true;
  question.question.extras.egress_gb = 500;
  const CostAnswer answer = answer_to(question);
  const physics::Trace& trace = answer.items[0].trace;
  const auto has = [&](const std::string& quantity) {
    return std::ranges::any_of(trace,
                               [&](const auto& line) { return line.quantity == quantity && !line.value.text.empty(); });
  };
  for (const TermCost& term : answer.items[0].terms) {
    const std::string name(to_text(term.offer->term));
    const money::Amounts instances = term.instances(), sums = term.sums();
    money::visit_amounts(instances, [&](std::string_view period, const catalog::Number& amount) {
      CAPTURE(name, period);
      if (amount) CHECK(has(name + "." + std::string(period)));
    });
    money::visit_amounts(sums, [&](std::string_view period, const catalog::Number& amount) {
      CAPTURE(name, period);
      if (amount) CHECK(has(name + ".total." + std::string(period)));
    });
    CHECK(has(name + ".egress.month"));
    CHECK(has(name + ".per_used_hour"));
    CHECK(has(name + ".per_million_tokens"));
  }
  CHECK(has("on-demand as offered.month"));
  for (const auto& line : trace) CHECK_FALSE(line.source.empty());
}

TEST_CASE("a plan for the job on the named instance gives its hours", "[advise][cost]") {
  CostQuestion question = question_of("a.4");
  question.question.request.model = "bert-base";
  question.question.request.task = job::Task::finetune;
  const CostItem item = answer_to(question).items.at(0);
  REQUIRE(item.subject.job);
  REQUIRE(item.subject.job->hours);
  CHECK(*item.terms.at(0).paid.job >= *item.subject.job->hours);
  question.question.request.model = "llama-3.1-70b";
  const CostItem misfit = answer_to(question).items.at(0);
  CHECK_FALSE(misfit.subject.job);
  CHECK_FALSE(misfit.subject.problem.empty());
  CHECK_FALSE(misfit.terms.empty());  // it costs what it costs
}

TEST_CASE("names that mean nothing are refused", "[advise][cost]") {
  CHECK(error_of(question_of("a.3")).find("unknown instance 'a.3'") == 0);
  CHECK(error_of(question_of("0x a.2")).find("must be from 1") != std::string::npos);
  CostQuestion many = question_of("a.2");
  for (int i = 0; i < 8; ++i) many.subjects.push_back(many.subjects[0]);
  CHECK(error_of(many) == "9 instances to price");
}

}  // namespace cost_test
