#include "answer/preflight/preflight.hpp"

#include <algorithm>
#include <cmath>

#include "answer/preflight/engine_checks.hpp"
#include "answer/preflight/line_request.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/quantised_name.hpp"
#include "physics/formats.hpp"
#include "physics/planner/legal.hpp"

namespace gpusel::answer {

namespace {

using job::Count;
using job::Request;

constexpr std::int64_t kMostBatch = 4096;
constexpr std::int64_t kMostTokens = 1 << 20;
constexpr std::int64_t kTokenStep = 256;
/// Below which llama.cpp does not shorten a context by itself: --fit-ctx.
constexpr std::int64_t kLeastContext = 4096;

/// The flag by which the tools of the line say the key; null: none.
const LineFlag* flag_of(const ReadLine& line, std::string_view key) {
  for (const LineTool* tool : line.tools)
    if (const auto found = std::ranges::find(tool->flags, key, &LineFlag::key); found != tool->flags.end())
      return &*found;
  return nullptr;
}

/// "--per_device_train_batch_size 2" of micro_batch, "--use_peft" of method and lora; empty: there are no words for it.
std::string in_words_of_line(const ReadLine& line, std::string_view key, const std::string& value) {
  for (const LineTool* tool : line.tools)
    for (const LineFlag& known : tool->flags) {
      if (known.key != key) continue;
      const auto theirs = std::ranges::find(known.values, value, &std::pair<std::string, std::string>::second);
      const bool is_said = theirs != known.values.end();
      if (known.is_switch && is_said && theirs->first == "true") return known.names.front();
      const bool as_it_is = known.takes_any && !known.leaves_other && !known.is_switch;
      if (is_said || as_it_is) return format("{} {}", known.names.front(), is_said ? theirs->first : value);
    }
  return {};
}

class PreflightJudge {
 public:
  PreflightJudge(const ReadLine& line, LineRequest asked, Count gpus, const Ground& ground, WayJudge judges_ways)
      : line_(line),
        asked_(std::move(asked)),
        request_(asked_.request),
        gpus_(gpus),
        ground_(ground),
        judges_ways_(std::move(judges_ways)) {}

  Result<Preflight> judge() {
    out_.line = line_;
    out_.notes = asked_.notes;
    if (Status settled = settle(request_, ground_.catalog); !settled) return std::unexpected(settled.error());
    const auto gpu = ground_.catalog.gpu(request_.gpu);
    if (!gpu) return std::unexpected(gpu.error());
    const auto found = find_model(request_, ground_.catalog);
    if (!found) return std::unexpected(found.error());
    const bool serves = request_.task == job::Task::inference && found->model->is_generator();
    removed_arguments();
    if (serves) lay_out(*found->model);
    count_gpus();
    if (serves) {
      longest_ = asked_.longest(*found->model);
      const EngineChecks checks(asked_, request_, *found->model, **gpu, ground_.coefficients.engines.get());
      out_.release = checks.release();
      for (Refused& refused : checks.run()) out_.refusals.push_back(std::move(refused));
      if (!asked_.undrafted.empty()) lacks_draft();
      serve(checks, *found->model);
    } else {
      check_arguments(*found->model, **gpu);
      if (std::ranges::find(out_.refusals, "argument", &Refused::check) == out_.refusals.end()) train();
    }
    if (unjudged_ && std::ranges::none_of(out_.refusals, &Refused::for_sure))
      return std::unexpected(std::move(*unjudged_));
    conclude();
    return std::move(out_);
  }

 private:
  /// Of a release that no longer has them; the one that is meant is the newest where none is.
  void removed_arguments() {
    for (const GoneFlag& gone : line_.gone) {
      if (!request_.engine_version.empty() && physics::compared_releases(request_.engine_version, gone.release) < 0) {
        out_.notes.push_back(say("{} is not judged: {} {} removed it", gone.flag, gone.tool->tool, gone.release));
        continue;
      }
      out_.refusals.push_back({"flag", say("{} was removed in {} {}", gone.flag, gone.tool->tool, gone.release),
                               gone.tool->source, gone.instead, true});
    }
  }

  void lacks_draft() {
    const Understood* said = line_.says_so("speculation");
    const std::string flag = said == nullptr ? std::string() : said->flag.substr(0, said->flag.find(' '));
    const std::string own = in_words_of_line(line_, "speculative", "MODEL");
    const bool has_word = !own.empty();
    out_.refusals.push_back({"speculation", say("speculation by '{}' needs a draft model", asked_.undrafted),
                             line_.tool().source, has_word ? own : say("a 'model' in {}", flag), true});
  }

  /// "--tensor-parallel-size 2"; what the tool has no word for, as the question has it.
  std::string line_word(std::string_view key, std::int64_t value) const {
    const std::string number = format("{}", value);
    const std::string theirs = in_words_of_line(line_, key, number);
    return theirs.empty() ? format("--{} {}", key == "gpus_per_node" ? "gpus-per-node" : key, number) : theirs;
  }

  bool is_own(std::string_view key) const { return std::ranges::find(request_.given, key) != request_.given.end(); }

  /// Degrees and parts as planners know them, where a tool counts otherwise.
  void lay_out(const catalog::Model& model) {
    job::LeftToHost& left = request_.left_to_host;
    // The output is one more layer.
    if (left.gpu_layers && static_cast<double>(*left.gpu_layers) > model.layers.value_or(0)) left.gpu_layers.reset();
    if (!model.is_moe()) left.expert_layers.reset();
    const std::int64_t tp = request_.tp.value_or(1);
    const std::int64_t dp = request_.dp.value_or(1);
    if (asked_.dp_attention && dp > 1) return split_attention(model, tp, dp);
    const bool spread = asked_.has_experts || (asked_.spreads_experts && dp > 1);
    if (model.is_moe() && spread && !is_own("ep")) spread_experts(model, tp * dp);
  }

  /// Replicas of attention inside the tensor ranks, which share the experts.
  void split_attention(const catalog::Model& model, std::int64_t tp, std::int64_t dp) {
    if (tp % dp != 0) {
      out_.refusals.push_back(
          {"heads", say("with attention in replicas, {} of them must divide the tensor parallelism of {}", dp, tp),
           line_.tool().source, line_word("dp", tp), true});
      return;
    }
    if (!model.is_moe()) {
      request_.dp = 1;
      out_.notes.push_back(
          say("attention in replicas is estimated as tensor parallelism: its weights take more memory"));
      return;
    }
    request_.tp = tp / dp;
    if (!is_own("ep")) spread_experts(model, tp);
  }

  /// Over as many of the ranks as share them evenly.
  void spread_experts(const catalog::Model& model, std::int64_t ranks) {
    const auto experts = static_cast<std::int64_t>(model.experts.value_or(1));
    std::int64_t ep = std::max<std::int64_t>(1, ranks);
    while (ep > 1 && (experts % ep != 0 || ranks % ep != 0)) --ep;
    request_.ep = ep;
  }

  /// GPUs that the line takes, against those that there are.
  void count_gpus() {
    Count have = gpus_;
    if (asked_.visible) have = have ? std::min(*have, *asked_.visible) : *asked_.visible;
    const std::int64_t nodes = request_.nodes.value_or(1);
    Count want = request_.gpus_per_node;
    if (!want && request_.gpus) want = std::max<std::int64_t>(1, *request_.gpus / nodes);
    if (request_.tp || request_.pp) {
      const std::int64_t ranks = request_.tp.value_or(1) * request_.pp.value_or(1) * request_.cp.value_or(1);
      const bool serves = request_.task == job::Task::inference;
      if (serves) want = std::max<std::int64_t>(1, ranks * request_.dp.value_or(1) / nodes);
    }
    if (asked_.all_gpus || !want) want = takes_all() && have ? *have : want.value_or(1);
    if (asked_.all_gpus && have) want = have;
    if (have && *want > *have)
      out_.refusals.push_back({"gpus",
                               say("the line needs {} GPUs per node, but there are {}", *want, *have),
                               {},
                               line_word(request_.tp ? "tp" : "gpus_per_node", *have),
                               true});
    request_.gpus_per_node = want;
    request_.nodes = nodes;
    request_.gpus = *want * nodes;
  }

  /// Whether the tool spreads over all GPUs unasked.
  bool takes_all() const {
    const bool launched = line_.tools.front()->launches;
    return launched || request_.engine == job::Engine::llama_cpp;
  }

  Result<EstimateAnswer> ask(const Request& request) const {
    return answer_estimate(request, ground_.catalog, ground_.coefficients, false, ground_.rules);
  }

  /// What cannot be estimated is not refused: the tool may well run it.
  void refuse(const Error& error) {
    if (error.where == "model" || error.where == "engine")
      unjudged_ = error;
    else
      out_.refusals.push_back({"plan", error.message, {}, error.hint, true});
  }

  /// The context that the tool must have room for at its start.
  Count context() const {
    if (!asked_.context_of_model) return request_.context;
    return longest_ ? Count(static_cast<std::int64_t>(*longest_)) : Count();
  }

  Request usual_load() const {
    Request load = request_;
    const Count most = context();
    if (!load.input_tokens && !load.output_tokens && most) {
      load.context.reset();
      load.output_tokens = std::min<std::int64_t>(job::kUsualOutput, std::max<std::int64_t>(1, *most / 4));
      load.input_tokens =
          std::min<std::int64_t>(job::kUsualInput, std::max<std::int64_t>(1, *most - *load.output_tokens));
    }
    return load;
  }

  Request one_request(std::int64_t tokens) const {
    Request whole = request_;
    whole.context = tokens;
    whole.input_tokens.reset();
    whole.output_tokens.reset();
    whole.request_rate.reset();
    whole.batch.reset();
    whole.concurrency = 1;
    whole.mode = job::Mode::online;
    whole.of_data = true;  // a context that is longer than the model's is noted: the line has been judged for it
    return whole;
  }

  /// Whether it shortens the context of the model until it fits: one that was said is kept.
  bool shortens() const { return asked_.fits_memory && asked_.context_of_model && line_.says_so("context") == nullptr; }

  /// What a tool that looks for its own fit leaves to the processor: experts of the first layers, then whole layers.
  void leave_to_host(const catalog::Model& model) {
    const auto said = [&](std::string_view key) {
      const Understood* one = line_.says_so(key);
      return one != nullptr && !one->meaning.empty();
    };
    if (!asked_.fits_memory || said("gpu_layers") || said("expert_layers") || !model.layers) return;
    const auto most = static_cast<std::int64_t>(longest_.value_or(kLeastContext));
    const Request whole = one_request(shortens() ? std::min(kLeastContext, most) : context().value_or(most));
    const auto fits = [&](const job::LeftToHost& left) {
      Request trial = whole;
      trial.left_to_host = left;
      const auto answer = ask(trial);
      return answer && answer->plan.fits &&
             answer->plan.need.likely(physics::least_chance(answer->work, ground_.coefficients));
    };
    const auto layers = static_cast<std::int64_t>(*model.layers);
    job::LeftToHost left;
    if (fits(left)) return;
    const auto without_experts = [&](std::int64_t n) {
      job::LeftToHost fewer;
      fewer.expert_layers = n;
      return fits(fewer);
    };
    if (model.is_moe()) left.expert_layers = without_experts(layers) ? least(1, layers, without_experts) : layers;
    if (!fits(left)) {
      // Of the layers those that do not fit are counted: the fewest will do.
      const auto without = [&](std::int64_t missing) {
        job::LeftToHost fewer = left;
        fewer.gpu_layers = layers + 1 - missing;
        return fits(fewer);
      };
      if (!without(layers + 1)) return;
      left.gpu_layers = layers + 1 - least(1, layers + 1, without);
    }
    request_.left_to_host = left;
  }

  /// The least number that holds, where the largest does.
  template <class Holds>
  static std::int64_t least(std::int64_t low, std::int64_t high, Holds holds) {
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (holds(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return high;
  }

  void note_host(const EstimateAnswer& answer) {
    const job::LeftToHost& left = request_.left_to_host;
    if (!left.on_cpu() || answer.plan.layout.weights == nullptr) return;
    const double layers = answer.work.parameters.layers;
    const double gib = in_gib(physics::stored_weights(answer.work, *answer.plan.layout.weights)) *
                       physics::host_share(answer.work, answer.plan.layout);
    if (left.gpu_layers)
      out_.notes.push_back(
          say("{} of {:g} layers are on the GPU, the output counted as one", *left.gpu_layers, layers + 1));
    if (left.expert_layers)
      out_.notes.push_back(say("the experts of the first {:g} of {:g} layers stay on the CPU",
                               std::min(static_cast<double>(*left.expert_layers), layers), layers));
    out_.notes.push_back(say(
        "about {:.1f} GiB of weights stay in host memory, which must have room for them: the speed is not estimated",
        gib));
  }

  void serve(const EngineChecks& checks, const catalog::Model& model) {
    if (std::ranges::any_of(out_.refusals, [](const Refused& one) {
          return one.check == "gpus" || one.check == "heads" || one.check == "blocks";
        }))
      return;
    leave_to_host(model);
    Request load = usual_load();
    auto answer = ask(load);
    if (!answer) return refuse(answer.error());
    const bool open = !load.concurrency && !load.request_rate && !load.batch;
    if (open && asked_.at_once && answer->plan.serving &&
        answer->plan.serving->speed.in_flight > static_cast<double>(*asked_.at_once)) {
      load.concurrency = asked_.at_once;
      if (auto fewer = ask(load); fewer) answer = std::move(fewer);
    }
    if (answer->plan.serving) {
      room_ = std::floor(answer->plan.serving->room.longest_context);
      out_.requests = std::floor(answer->plan.serving->room.max_concurrency);
      out_.longest = room_;
      limit_room(answer->work.inference);
    }
    note_host(*answer);
    if (answer->plan.fits) starts_with(checks);
    find_ways(load, *answer);
    out_.answer = std::move(*answer);
  }

  void find_ways(const Request& request, const EstimateAnswer& answer) {
    if (judges_ways_)
      out_.ways = what_would_work(request, answer, ground_.catalog, ground_.coefficients, ground_.rules, judges_ways_);
  }

  /// No request is longer than the context, and no more are taken on than the line says; llama.cpp shares one context
  /// among all.
  void limit_room(const job::Inference& job) {
    const Count most = context();
    if (most) out_.longest = std::min(*out_.longest, static_cast<double>(*most));
    if (asked_.at_once) out_.requests = std::min(*out_.requests, static_cast<double>(*asked_.at_once));
    if (most && job::kernels_of(job.engine) == job::Engine::llama_cpp)
      out_.requests = std::min(*out_.requests, std::floor(static_cast<double>(*most) /
                                                          static_cast<double>(job.input_tokens + job.output_tokens)));
  }

  /// Whether one request of the whole context fits, where the engine looks at that before it starts.
  void starts_with(const EngineChecks& checks) {
    const Count most = context();
    if (!most || !checks.looks_at_context() || !out_.longest) return;
    const Request whole =
        one_request(longest_ && !asked_.longer_context ? std::min(*most, static_cast<std::int64_t>(*longest_)) : *most);
    const auto answer = ask(whole);
    if (!answer || !answer->plan.serving) return;
    const bool risky = answer->fit.short_verdict() == Verdict::risky;
    if (shortens() && (!answer->plan.fits || risky)) {
      const double shorter = std::min(room_, std::floor(answer->plan.serving->room.longest_context));
      out_.notes.push_back(say("no room for the whole context of {} tokens: {} shortens it to about {:.0f}",
                               *whole.context, line_.tool().tool, std::max(shorter, 0.0)));
      return;
    }
    if (!answer->plan.fits) {
      if (auto refused =
              checks.no_room(*whole.context, std::min(room_, std::floor(answer->plan.serving->room.longest_context))))
        out_.refusals.push_back(std::move(*refused));
      return;
    }
    whole_is_risky_ = risky;
    if (whole_is_risky_)
      out_.notes.push_back(say("one request of the whole context, {} tokens, fits with a chance of {}", *whole.context,
                               chance_words(answer->plan.need.chance())));
  }

  /// What a trainer says of its arguments before it loads anything.
  void check_arguments(const catalog::Model& model, const catalog::Gpu& gpu) {
    for (const LineNeed* need : line_.needs)
      if (gpu.capability && *gpu.capability < need->least)
        out_.refusals.push_back({"argument", need->says, need->source, need->would, true});
    for (const LineTool* tool : line_.tools)
      for (const LineAssertion& one : tool->asserts)
        if (std::ranges::none_of(one.unless, [&](const std::string& flag) { return line_.has(flag); }))
          check_assertion(one, *tool, model);
  }

  void check_assertion(const LineAssertion& one, const LineTool& tool, const catalog::Model& model) {
    const std::int64_t stages = request_.pp.value_or(1);
    const std::int64_t apart = request_.tp.value_or(1) * stages * request_.cp.value_or(1);
    const std::int64_t ranks = request_.gpus.value_or(1) / std::max<std::int64_t>(1, apart);
    const std::int64_t pass = request_.micro_batch.value_or(1) * std::max<std::int64_t>(1, ranks);
    std::int64_t near = 0;
    switch (one.check) {
      case LineCheck::positions:
        if (!request_.seq_len || !model.max_context || static_cast<double>(*request_.seq_len) <= *model.max_context)
          return;
        near = *request_.seq_len;
        break;
      case LineCheck::batch:
        if (!request_.global_batch || *request_.global_batch % pass == 0) return;
        near = (*request_.global_batch / pass + 1) * pass;
        break;
      case LineCheck::stages:
        if (!model.layers || physics::divides(stages, *model.layers)) return;
        for (std::int64_t fewer = 1; fewer < stages; ++fewer)
          if (stages % fewer == 0 && physics::divides(fewer, *model.layers)) near = fewer;
        break;
    }
    const auto filled = [&](std::string text) {
      for (const auto& [name, value] :
           {std::pair("{near}", near), std::pair("{batch}", request_.global_batch.value_or(0)),
            std::pair("{micro_batch}", request_.micro_batch.value_or(1)), std::pair("{ranks}", ranks)})
        if (const auto at = text.find(name); at != std::string::npos)
          text.replace(at, std::string_view(name).size(), format("{}", value));
      return text;
    };
    out_.refusals.push_back({"argument", filled(one.says), tool.source, filled(one.would), true});
  }

  void train() {
    auto answer = ask(request_);
    if (!answer) return refuse(answer.error());
    if (answer->plan.training) {
      out_.largest_batch = largest(&Request::micro_batch, 1, kMostBatch);
      Count longest = largest(&Request::seq_len, kTokenStep, kMostTokens);
      if (longest && answer->work.model->max_context)
        longest = std::min(*longest, static_cast<std::int64_t>(*answer->work.model->max_context));
      out_.longest_sequence = longest;
    }
    find_ways(request_, *answer);
    out_.answer = std::move(*answer);
  }

  /// The largest value, in steps, with which the job fits as surely as planners want it; 0: none.
  Count largest(Count Request::* place, std::int64_t step, std::int64_t most) const {
    const auto fits = [&](std::int64_t steps) {
      Request trial = request_;
      trial.*place = steps * step;
      trial.global_batch.reset();
      if (!trial.grad_accum) trial.grad_accum = 1;
      const auto answer = ask(trial);
      return answer && answer->plan.fits &&
             answer->plan.need.likely(physics::least_chance(answer->work, ground_.coefficients));
    };
    if (!fits(1)) return 0;
    std::int64_t good = 1;
    std::int64_t bad = 2;
    while (bad * step <= most && fits(bad)) {
      good = bad;
      bad *= 2;
    }
    while (bad - good > std::max<std::int64_t>(1, good / 16)) {
      const std::int64_t middle = (good + bad) / 2;
      (fits(middle) ? good : bad) = middle;
    }
    return good * step;
  }

  /// What the planner knows to be refused and no check of the line has said.
  void refused_plan() {
    const physics::Problem& problem = out_.answer->plan.problem;
    const bool said = std::ranges::find(out_.refusals, "format", &Refused::check) != out_.refusals.end();
    if (problem.kind == physics::Problem::Kind::refused && !said)
      out_.refusals.push_back({"format", problem.text(), {}, {}, true});
  }

  void conclude() {
    if (out_.answer) {
      refused_plan();
      for (const Exclusion& one : out_.answer->excluded)
        out_.refusals.push_back({"platform", one.message, one.source, {}, true});
    }
    const bool sure = std::ranges::any_of(out_.refusals, &Refused::for_sure);
    const bool fits = out_.answer && out_.answer->plan.fits;
    if (sure)
      out_.outcome = LineOutcome::refused;
    else if (!fits)
      out_.outcome = LineOutcome::out_of_memory;
    else if (!out_.refusals.empty() || whole_is_risky_ || out_.answer->fit.short_verdict() == Verdict::risky)
      out_.outcome = LineOutcome::risky;
  }

  const ReadLine& line_;
  LineRequest asked_;
  Request& request_;
  Count gpus_;
  const Ground& ground_;
  catalog::Number longest_;  // of the model
  double room_ = 0;          // tokens that the memory has room for, of one request
  bool whole_is_risky_ = false;
  std::optional<Error> unjudged_;
  WayJudge judges_ways_;  // null: ways are not looked for
  Preflight out_;
};

/// What stands in the tool's words for a key of ours, where theirs is another.
constexpr std::pair<std::string_view, std::string_view> kOtherKeys[] = {
    {"concurrency", "at_once"}, {"batch", "at_once"}, {"gpus", "gpus_per_node"}};

/// Judges ways as lines: each is what somebody types next.
class WayReader {
 public:
  WayReader(const ReadLine& line, const Request& own, Count gpus, const Ground& ground)
      : line_(line), own_(own), gpus_(gpus), ground_(ground) {}

  bool judge(std::span<const Typed> change, Way& way) const {
    Request own = own_;
    Count gpus = gpus_;
    std::string flags;
    for (const Typed& one : change) {
      const std::string words = words_of(one);
      if (words.empty() || !set(one.flag, one.value, own)) return false;
      flags += (flags.empty() ? "" : " ") + words;
    }
    take_count(own, gpus);
    auto answer = again(own, gpus);
    if (const double room = room_of(answer); room >= kLeastRoom) {
      const auto shorter = with_context(room, own, gpus);
      if (!shorter) return false;
      flags += " " + shorter->first;
      answer = shorter->second;
    }
    const bool runs = answer && (answer->outcome == LineOutcome::starts || answer->outcome == LineOutcome::risky);
    if (!runs || !answer->answer) return false;
    way.flags = std::move(flags);
    way.need = answer->answer->plan.need;
    return true;
  }

 private:
  static constexpr double kLeastRoom = 1024;  // tokens; a model that has less is of no use, and more comes in steps

  static bool set(std::string_view flag, const std::string& value, Request& own) {
    const auto* option = job::find_option(job::request_options(), flag);
    if (option == nullptr || !option->set(own, value)) return false;
    own.given.push_back(option->key);
    return true;
  }

  /// A GPU with a number says how many there are; a number alone is of the line, which takes them.
  static void take_count(Request& own, Count& gpus) {
    const auto is_given = [&](std::string_view key) { return std::ranges::find(own.given, key) != own.given.end(); };
    if (own.gpus) gpus = std::max<std::int64_t>(1, *own.gpus / own.nodes.value_or(1));
    own.gpus_per_node = is_given("gpus") ? gpus : Count();
    if (is_given("gpus")) own.given.push_back("gpus_per_node");
    own.gpus.reset();
    std::erase(own.given, "gpus");
  }

  Result<Preflight> again(const Request& own, Count gpus) const {
    auto asked = request_of(line_, own, ground_.catalog, ground_.coefficients.engines.get());
    if (!asked) return std::unexpected(asked.error());
    return PreflightJudge(line_, std::move(*asked), gpus, ground_, nullptr).judge();
  }

  /// With less than the model's whole context there is often room: a length that surely starts, else one that may.
  std::optional<std::pair<std::string, Result<Preflight>>> with_context(double room, const Request& own,
                                                                        Count gpus) const {
    constexpr double kShorter = 0.9;
    std::optional<std::pair<std::string, Result<Preflight>>> best;
    for (double tokens = room; tokens >= room / 2; tokens *= kShorter) {
      const std::string length = format("{:.0f}", std::floor(tokens / kLeastRoom) * kLeastRoom);
      std::string words = in_words_of_line(line_, "context", length);
      Request shorter = own;
      if (words.empty() || !set("context", length, shorter)) return std::nullopt;
      auto answer = again(shorter, gpus);
      if (!answer || answer->outcome == LineOutcome::refused || answer->outcome == LineOutcome::out_of_memory) continue;
      const bool starts = answer->outcome == LineOutcome::starts;
      if (starts || !best) best.emplace(std::move(words), std::move(answer));
      if (starts) break;
    }
    return best;
  }

  /// Of a line that is refused for its context alone; 0: none.
  static double room_of(const Result<Preflight>& answer) {
    if (!answer || answer->refusals.size() != 1) return 0;
    return answer->refusals.front().room;
  }

  /// Empty: the tool has no word for it.
  std::string words_of(const Typed& one) const {
    const auto* option = job::find_option(job::request_options(), one.flag);
    if (option == nullptr) return {};
    if (option->key == "gpu") return format("--{} {}", one.flag, one.value);  // in front of the line
    if (option->key == "weights_precision") return scheme_of(one.value);
    if (std::string words = in_words_of_line(line_, option->key, one.value); !words.empty()) return words;
    for (const auto& [ours, theirs] : kOtherKeys)
      if (ours == option->key) return in_words_of_line(line_, theirs, one.value);
    return {};
  }

  /// The scheme by which the engine makes weights of that format out of plain ones; empty: it makes none.
  std::string scheme_of(std::string_view format_name) const {
    const LineFlag* flag = flag_of(line_, "scheme");
    const auto& engines = ground_.coefficients.engines;
    const auto of_line = job::spelled<job::Engine>(line_.said("engine"));
    const auto* engine = engines == nullptr || !of_line ? nullptr : engines->find(*of_line);
    if (flag == nullptr || engine == nullptr || !is_plain()) return {};
    for (const std::string& made : flag->makes) {
      const auto known = std::ranges::find(flag->values, made, &std::pair<std::string, std::string>::first);
      const auto is_it = [&](const physics::Ability& row) {
        return known != flag->values.end() && row.scheme == known->second && row.format == format_name;
      };
      if (std::ranges::any_of(engine->formats, is_it)) return format("{} {}", flag->names.front(), made);
    }
    return {};
  }

  /// Whether the weights are stored in 16 bits or more, as far as is known.
  bool is_plain() const {
    const std::string name = own_.model.empty() ? line_.said("model") : own_.model;
    const auto known = ground_.catalog.model(name);
    const auto stored = known ? physics::weight_format((*known)->native_dtype) : physics::weight_format("");
    return line_.said("scheme").empty() && !catalog::quantised_name(name) && (!stored || (*stored)->bits >= 16);
  }

  const ReadLine& line_;
  const Request& own_;
  Count gpus_;
  const Ground& ground_;
};

}  // namespace

Result<Preflight> preflight(const ReadLine& line, const job::Request& own, job::Count gpus, const Ground& ground) {
  auto asked = request_of(line, own, ground.catalog, ground.coefficients.engines.get());
  if (!asked) return std::unexpected(asked.error());
  const WayReader ways(line, own, gpus, ground);
  const auto judges = [&](std::span<const Typed> change, Way& way) { return ways.judge(change, way); };
  return PreflightJudge(line, std::move(*asked), gpus, ground, judges).judge();
}

}  // namespace gpusel::answer
