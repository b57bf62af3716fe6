#include "answer/simulate/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "answer/estimate/named_processor.hpp"
#include "answer/facts/limits.hpp"
#include "answer/search/market.hpp"
#include "answer/simulate/parts.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "job/processor.hpp"

namespace gpusel::answer {

namespace {

using job::Request;

class Simulating {
 public:
  Simulating(const SimulateQuestion& question, const catalog::Catalog& catalog, std::span<const rules::Rule> rules,
             const physics::Coefficients& coefficients)
      : question_(question), catalog_(catalog), rules_(rules), c_(coefficients), asked_(question.base.request) {
    answer_.seed = static_cast<std::uint64_t>(question.seed.value_or(1));
    answer_.currency = question.base.currency;
    answer_.engine_version = question.base.request.engine_version;
    // Of an instance that is named, --nodes are as many of it.
    if (!question_.replicas && !question_.offer.empty()) question_.replicas = question.base.request.nodes;
  }

  Result<Simulated> run() {
    const bool caches = question_.prefix_caching.value_or(true);
    if (!caches && question_.base.request.prefix_cache_hit.value_or(0) > 0)
      return usage_error(say("the prefix cache is off, so nothing can be found in it"), "--prefix-cache-hit",
                         say("use only one of the two"));
    if (question_.load.waits() && question_.warm_up_s)
      return usage_error(say("does not apply to users: a fifth of their requests is excluded"), "--warm-up");
    auto load = asked_load(question_.load, question_.base.request, answer_.seed, catalog_);
    if (!load) return std::unexpected(load.error());
    mean_input_ = load->mean_input();
    mean_output_ = load->mean_output();
    answer_.demand = std::move(load->demand);
    answer_.traffic = std::move(load->traffic);
    answer_.notes = std::move(load->notes);
    if (!question_.load.waits() && !answer_.demand.replays() && !question_.base.request.request_rate)
      answer_.notes.push_back(say("no load is given: {:g} request per second is assumed", job::kAssumedRate));
    for (const auto step :
         {&Simulating::resolve, &Simulating::find_machine, &Simulating::lay_out, &Simulating::set_goal})
      if (Status done = (this->*step)(); !done) return std::unexpected(done.error());
    simulate();
    if (answer_.simulation.outcome.requests == 0)
      return usage_error(say("no request is counted: all of them arrive in the first {:.0f} s, which are excluded",
                             question_.warm_up_s.value_or(0)),
                         "--warm-up");
    add_money();
    add_notes();
    return std::move(answer_);
  }

 private:
  /// The question as the planner asks it: lengths on average, and the load.
  Request planned_request() const {
    Request request = asked_;
    request.task = job::Task::inference;
    if (!request.mode) request.mode = job::Mode::online;
    const serve::Demand& demand = answer_.demand;
    request.input_tokens = std::max<std::int64_t>(1, std::llround(mean_input_));
    request.output_tokens = std::max<std::int64_t>(1, std::llround(mean_output_));
    request.request_rate.reset();
    if (demand.users.count > 0) {
      request.concurrency = static_cast<std::int64_t>(std::ceil(demand.users.count / machines()));
      request.slo_percentile.reset();  // the planner has it for rates alone
      request.strict_slo.reset();
    } else {
      request.request_rate = demand.rate / machines();
    }
    return request;
  }
  double machines() const { return static_cast<double>(question_.replicas.value_or(1)); }

  Status resolve() {
    const Request& asked = question_.base.request;
    if (asked.task && *asked.task != job::Task::inference)
      return usage_error(say("only inference is simulated"), "--task", say("--task inference, or none"));
    Request request = planned_request();
    auto found = find_model(request, catalog_);
    if (!found) return std::unexpected(found.error());
    job::Assumptions by_processor;
    if (is_on_cpu()) job::assume_processor(request, found->model, by_processor);
    answer_.own_model = found->own;
    if (job::is_counted(request, found->model) || !found->model->is_generator() || found->model->is_encoder_decoder())
      return usage_error(say("{} does not generate token by token", found->model->id), "--model",
                         say("estimate says how fast it is"));
    auto work = resolve_work(request, *found, catalog_);
    if (!work) return std::unexpected(work.error());
    answer_.work = std::move(*work);
    return {};
  }

  Status find_machine() {
    const Request& request = question_.base.request;
    if (!question_.offer.empty() && !request.gpu.empty())
      return usage_error(say("the machine is named twice"), "--gpu", say("name an instance or a GPU"));
    if (!question_.offer.empty()) return named_offer();
    return request.gpu.empty() ? best_offer() : named_gpu();
  }

  /// Whether the machine that is named has no GPU.
  bool is_on_cpu() const {
    if (question_.offer.empty()) return names_processor(question_.base.request, catalog_);
    const auto instance = catalog_.instance(question_.offer);
    return instance && (*instance)->gpu.empty();
  }

  Status take_machine(Result<physics::Machine> machine) {
    if (!machine) return std::unexpected(machine.error());
    answer_.machine = std::move(*machine);
    return plan_machine();
  }

  Status named_gpu() {
    const Request& request = question_.base.request;
    job::Assumptions assumed;
    if (is_on_cpu()) return take_machine(named_processor(request, answer_.work, catalog_, c_, assumed));
    const auto gpu = catalog_.gpu(request.gpu);
    if (!gpu) {
      Error error = gpu.error();
      error.where = "--gpu";
      return std::unexpected(std::move(error));
    }
    return take_machine(requested_machine(request, **gpu, catalog_, c_, assumed));
  }

  Status named_offer() {
    const auto instance = catalog_.instance(question_.offer);
    if (!instance) return std::unexpected(instance.error());
    answer_.instance = *instance;
    auto machine = machine_for(answer_.work, **instance, 1, catalog_, c_);
    if (!machine) return std::unexpected(machine.error());
    answer_.machine = std::move(*machine);
    if (Status planned = plan_as_ranked(**instance); !planned) return planned;
    return plan_machine();
  }

  /// The question as recommend() is asked it. A log that comes on standard input cannot be read again: its means stand
  /// for it.
  Question ranking() const {
    Question question = question_.base;
    question.request.task = job::Task::inference;
    question.load = question_.load;
    if (question.load.traffic == "-") {
      question.load = {};
      question.request = planned_request();
    }
    question.detailed = 1;
    question.alternatives = false;
    return question;
  }

  /// Format and layout of a named instance are those it would be recommended with, wherever it is sold.
  Status plan_as_ranked(const catalog::Instance& instance) {
    if (is_on_cpu()) return {};  // one process over the cores of a socket
    Question question = ranking();
    question.only = &instance;
    question.constraints.max_nodes = static_cast<int>(machines());
    question.constraints.market = true;
    question.constraints.include_unavailable = true;
    question.constraints.terms = {"any"};
    question.filter.clear();
    const auto advice = recommend(question, catalog_, rules_, c_);
    if (advice && !advice->recommendations.empty()) {
      const Recommendation& best = advice->recommendations.front();
      const physics::Layout& layout = best.plan().layout;
      // A replica over several nodes takes so many of the machines that were named.
      const int group = best.machine().nodes / best.planned->groups;
      if (layout.tp * layout.pp > answer_.machine.gpus()) {
        if (!question_.replicas || *question_.replicas % group != 0) return {};
        answer_.machine.nodes = group;
        question_.replicas = *question_.replicas / group;
      }
      asked_.tp = layout.tp;
      asked_.pp = layout.pp;
      asked_.ep = layout.ep > 1 ? job::Count(layout.ep) : asked_.ep;
      if (layout.weights != nullptr) asked_.weights_precision = std::string(layout.weights->name);
      asked_.allow_precisions.clear();
    } else {
      job::Assumptions assumed;
      asked_.task = job::Task::inference;
      job::assume_precision(asked_, answer_.work.model, assumed);
    }
    return resolve();
  }

  Status best_offer() {
    const auto advice = recommend(ranking(), catalog_, rules_, c_);
    if (!advice) return std::unexpected(advice.error());
    if (advice->recommendations.empty())
      return std::unexpected(Error{ErrorKind::unsatisfied,
                                   say("no machine that recommend finds serves this load"),
                                   {},
                                   say("name one with --gpu or as PROVIDER/SKU")});
    const Recommendation& best = advice->recommendations.front();
    answer_.instance = best.instance;
    answer_.offer = best.offer;
    answer_.region = best.region;
    answer_.quote = best.cost;
    answer_.machine = best.machine();
    answer_.plan = best.plan();
    answer_.notes.push_back(say("the machine is the first that recommend finds: {} × {} {}", best.machine().nodes,
                                best.instance->provider, printable(best.instance->sku)));
    return check_fit();
  }

  /// As the planner would have it at that rate, or where that is too much, at the most that it serves.
  Status plan_machine() {
    auto plan = physics::plan_inference(answer_.work, answer_.machine, c_);
    if (!plan) return std::unexpected(plan.error());
    const bool too_many = answer_.demand.users.count > 0 && !plan->fits;  // who finds no room waits
    if (too_many || (plan->rate <= 0 && answer_.work.inference.request_rate)) {
      job::Job open = answer_.work;
      open.inference.request_rate.reset();
      open.inference.concurrency.reset();
      auto most = physics::plan_inference(open, answer_.machine, c_);
      if (most) plan = std::move(most);
    }
    answer_.plan = std::move(*plan);
    return check_fit();
  }

  Status check_fit() const {
    if (answer_.plan.fits) return {};
    return std::unexpected(
        Error{ErrorKind::unsatisfied, answer_.plan.problem.text(), {}, say("gpusel estimate says what would fit")});
  }

  Status lay_out() {
    auto setup = serve::setup_of(answer_.work, answer_.machine, answer_.plan.layout, answer_.plan.serving->room, c_);
    if (!setup)
      return std::unexpected(Error{ErrorKind::unsatisfied,
                                   say("the compute rate of {} is not published", answer_.machine.device.gpu->id),
                                   {},
                                   {}});
    answer_.setup = std::move(*setup);
    if (Status set = apply_wishes(question_, answer_); !set) return set;
    const double context = static_cast<double>(question_.base.request.context.value_or(0));
    answer_.setup.scheduling.longest =
        static_cast<std::uint32_t>(context > 0 ? context : answer_.work.model->max_context.value_or(0));
    serve::Demand& demand = answer_.demand;
    if (demand.users.turns > 0) demand.longest = answer_.setup.scheduling.longest;
    return {};
  }

  Status set_goal() {
    answer_.goal = goal_of(answer_.work);
    answer_.goal.share = job::slo_percentile(question_.base.request) / 100;
    serve::Fleet& fleet = answer_.setup.fleet;
    // Autoscaling keeps replicas at most of what they carry without waiting.
    constexpr double kKept = 0.7;
    if (fleet.most_replicas > 0) fleet.wanted_requests = std::max(1.0, kKept * carried());
    return {};
  }

  /// Requests in flight on one replica at the highest rate that keeps the goal, or at saturation.
  double carried() const {
    serve::Setup one = answer_.setup;
    one.fleet = {};
    serve::Effort effort{.requests = 3000, .warm_up = {}, .seed = answer_.seed, .draws = 0, .drawn_requests = 3000};
    serve::Demand demand = answer_.demand;
    const auto found = serve::simulate(one, demand, answer_.goal, {}, effort);
    demand.rate = found.most_requests_per_s;
    effort.knee = false;
    return serve::simulate(one, demand, answer_.goal, {}, effort).outcome.batch.mean;
  }

  void simulate() {
    serve::Effort effort;
    if (question_.requests) effort.requests = static_cast<std::size_t>(*question_.requests);
    effort.warm_up = question_.warm_up_s;
    effort.seed = answer_.seed;
    effort.knee = question_.knee;
    effort.keep = true;
    answer_.simulation = serve::simulate(answer_.setup, answer_.demand, answer_.goal,
                                         doubt_of(answer_.work, answer_.machine, answer_.plan, c_), effort);
    if (!answer_.demand.replays()) measure(answer_.simulation.asked, answer_.traffic);
    const std::uint32_t context = answer_.setup.scheduling.longest;
    if (context == 0) return;
    for (const auto& request : answer_.simulation.asked.all)
      if (request.input + request.output > context) answer_.traffic.too_long += 1;
  }

  void add_money() {
    if (answer_.instance == nullptr) return;
    const auto converter = money::Converter::into(answer_.currency, catalog_);
    if (!converter) return;
    const money::Quoter quoter(catalog_, c_, *converter, question_.base.today);
    if (answer_.offer == nullptr) cheapest(quoter);
    if (answer_.offer == nullptr) return;
    const double nodes = answer_.machine.nodes;
    const auto quote = quoter.quote(*answer_.offer);
    if (!quote) return;
    const double fleet = answer_.setup.fleet.most_replicas > 0
                             ? answer_.simulation.outcome.replicas / answer_.plan.layout.dp
                             : answer_.machines;
    answer_.hourly = quote->hourly * nodes * fleet;
    const double good = answer_.simulation.outcome.good_output_tokens_per_s;
    if (good > 0) answer_.per_million = *answer_.hourly / 3600 / good * 1e6;
  }

  /// Of the instance that was named: what it costs on demand, or else under any term that is allowed.
  void cheapest(const money::Quoter& quoter) {
    rules::Facts known;
    known.set(rules::Fact::accepts_unavailable, question_.base.constraints.include_unavailable.value_or(false));
    const auto limits = LimitSet::of(question_.base.constraints, catalog_);
    std::vector<rules::Rule> all;
    if (limits) all = limits->rules();
    std::ranges::copy(rules_, std::back_inserter(all));
    const Market market(catalog_, quoter, all, known, question_.base.today);
    double least = 0;
    const auto use_of = [](const catalog::Offer&) { return money::Use{}; };
    for (Priced& priced : market.allowed(*answer_.instance, use_of, known)) {
      if (priced.offer->term != catalog::Term::on_demand && question_.base.constraints.terms.empty()) continue;
      if (answer_.offer != nullptr && priced.quote.rate >= least) continue;
      answer_.offer = priced.offer;
      answer_.region = &catalog_.region_of(*priced.offer);
      least = priced.quote.rate;
      answer_.quote = std::move(priced.quote);
    }
  }

  void add_notes() {
    const serve::Simulation& s = answer_.simulation;
    if (std::string text = physics::step_scale_text(answer_.work, answer_.machine.device, answer_.plan.layout, c_);
        !text.empty())
      answer_.notes.push_back(std::move(text));
    if (s.saturated)
      answer_.notes.push_back(
          say("more requests arrive than can be served: the queue grows without limit, and waiting times are only "
              "those of this run"));
    if (!s.known && !s.saturated)
      answer_.notes.push_back(say("{} requests are not enough to know every percentile within 5 %",
                                  human_number(static_cast<double>(s.requests))));
    if (answer_.traffic.too_long > 0)
      answer_.notes.push_back(
          say("requests longer than the context of {} tokens: {:.0f}; they are refused, and count as late",
              answer_.setup.scheduling.longest, answer_.traffic.too_long));
    if (static_cast<double>(s.outcome.unserved) > answer_.traffic.too_long) {
      const std::size_t never = s.outcome.unserved - static_cast<std::size_t>(answer_.traffic.too_long);
      const serve::Fleet& fleet = answer_.setup.fleet;
      answer_.notes.push_back(fleet.reclaims_per_hour > 0 || fleet.prompt_replicas > 0
                                  ? say("requests still unanswered a week after the last arrival: {}", never)
                                  : say("requests larger than a replica's cache: {}; they are never served", never));
    }
    if (s.outcome.preemptions > 0)
      answer_.notes.push_back(
          say("the cache was full: requests were preempted and recomputed, {} times", s.outcome.preemptions));
  }

  SimulateQuestion question_;
  const catalog::Catalog& catalog_;
  std::span<const rules::Rule> rules_;
  const physics::Coefficients& c_;
  Request asked_;  // with the format and layout of the machine, once that is known
  Simulated answer_;
  double mean_input_ = 0, mean_output_ = 0;  // tokens
};

}  // namespace

Result<Simulated> answer_simulate(const SimulateQuestion& question, const catalog::Catalog& catalog,
                                  std::span<const rules::Rule> rules, const physics::Coefficients& coefficients) {
  return Simulating(question, catalog, rules, coefficients).run();
}

std::string per_request_csv(const Simulated& simulated) {
  std::string out =
      "arrival_s,input_tokens,output_tokens,cached_tokens,replica,queued_ms,ttft_ms,tpot_ms,e2e_ms,preempted\n";
  const auto& all = simulated.simulation.asked.all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& request = all[i];
    const serve::Served& served = simulated.simulation.served[i];
    out += format("{:.6f},{},{},{},{},", request.arrival, request.input, request.output, served.cached, served.replica);
    if (!served.done()) {
      out += format(",,,,{}\n", served.preempted);
      continue;
    }
    out += format("{:.3f},{:.3f},", 1000 * served.queued, 1000 * served.ttft);
    if (request.output > 1) out += format("{:.4f}", 1000 * served.tpot(request.output));
    out += format(",{:.3f},{}\n", 1000 * served.e2e, served.preempted);
  }
  return out;
}

}  // namespace gpusel::answer
