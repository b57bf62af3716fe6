#include "answer/preflight/preflight.hpp"

#include <algorithm>
#include <cmath>

#include "answer/preflight/engine_checks.hpp"
#include "answer/preflight/line_request.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "physics/planner/legal.hpp"

namespace gpusel::answer {

namespace {

using job::Count;
using job::Request;

constexpr std::int64_t kMostBatch = 4096;
constexpr std::int64_t kMostTokens = 1 << 20;
constexpr std::int64_t kTokenStep = 256;

class PreflightJudge {
 public:
  PreflightJudge(const ReadLine& line, LineRequest asked, Count gpus, const Ground& ground)
      : line_(line), asked_(std::move(asked)), request_(asked_.request), gpus_(gpus), ground_(ground) {}

  Result<Preflight> judge() {
    out_.line = line_;
    out_.notes = asked_.notes;
    if (Status settled = settle(request_, ground_.catalog); !settled) return std::unexpected(settled.error());
    const auto gpu = ground_.catalog.gpu(request_.gpu);
    if (!gpu) return std::unexpected(gpu.error());
    const auto found = find_model(request_, ground_.catalog);
    if (!found) return std::unexpected(found.error());
    spread_experts(*found->model);
    count_gpus();
    const bool serves = request_.task == job::Task::inference && found->model->is_generator();
    if (serves) {
      longest_ = found->model->max_context;
      const EngineChecks checks(asked_, request_, *found->model, **gpu, ground_.coefficients.engines.get());
      out_.release = checks.release();
      for (Refused& refused : checks.run()) out_.refusals.push_back(std::move(refused));
      serve(checks);
    } else {
      check_arguments(*found->model, **gpu);
      if (std::ranges::find(out_.refusals, "argument", &Refused::check) == out_.refusals.end()) train();
    }
    conclude();
    return std::move(out_);
  }

 private:
  /// vLLM's switch spreads experts over all tensor and data-parallel ranks.
  void spread_experts(const catalog::Model& model) {
    const std::int64_t ranks = request_.tp.value_or(1) * request_.dp.value_or(1);
    const bool spread = asked_.spreads_experts && model.is_moe() && !request_.ep;
    if (spread && physics::divides(ranks, *model.experts)) request_.ep = ranks;
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
                               in_words_of_line(format("--{} {}", request_.tp ? "tp" : "gpus-per-node", *have)),
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

  void refuse(const Error& error) { out_.refusals.push_back({"plan", error.message, {}, error.hint, true}); }

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

  void serve(const EngineChecks& checks) {
    if (std::ranges::any_of(out_.refusals, [](const Refused& one) {
          return one.check == "gpus" || one.check == "heads" || one.check == "blocks";
        }))
      return;
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
    if (answer->plan.fits) starts_with(checks);
    if (!answer->plan.fits || answer->fit.short_verdict() == Verdict::risky)
      out_.ways = what_would_work(load, *answer, ground_.catalog, ground_.coefficients, ground_.rules);
    out_.answer = std::move(*answer);
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
    Request whole = request_;
    whole.context = longest_ ? std::min(*most, static_cast<std::int64_t>(*longest_)) : *most;
    whole.input_tokens.reset();
    whole.output_tokens.reset();
    whole.request_rate.reset();
    whole.batch.reset();
    whole.concurrency = 1;
    whole.mode = job::Mode::online;
    const auto answer = ask(whole);
    if (!answer || !answer->plan.serving) return;
    if (!answer->plan.fits) {
      if (auto refused =
              checks.no_room(*whole.context, std::min(room_, std::floor(answer->plan.serving->room.longest_context))))
        out_.refusals.push_back(std::move(*refused));
      return;
    }
    whole_is_risky_ = answer->fit.short_verdict() == Verdict::risky;
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
    out_.ways = what_would_work(request_, *answer, ground_.catalog, ground_.coefficients, ground_.rules);
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

  void conclude() {
    const bool sure = std::ranges::any_of(out_.refusals, &Refused::for_sure);
    const bool fits = out_.answer && out_.answer->plan.fits;
    if (sure)
      out_.outcome = LineOutcome::refused;
    else if (!fits)
      out_.outcome = LineOutcome::out_of_memory;
    else if (!out_.refusals.empty() || whole_is_risky_ || out_.answer->fit.short_verdict() == Verdict::risky)
      out_.outcome = LineOutcome::risky;
    for (Way& way : out_.ways) way.flags = in_words_of_line(way.flags);
  }

  /// "--micro-batch 2" is "--per_device_train_batch_size 2" there; what it has no word for stays as it is.
  std::string in_words_of_line(const std::string& flags) const {
    std::string out;
    const auto words = split(flags, ' ');
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
      const auto* option = job::find_option(job::request_options(), words[i].substr(2));
      std::string flag(words[i]);
      std::string value(words[i + 1]);
      if (option != nullptr && option->key != "gpu" && option->key != "gpus") translate(option->key, flag, value);
      out += format("{}{} {}", out.empty() ? "" : " ", flag, value);
    }
    return out;
  }

  void translate(std::string_view key, std::string& flag, std::string& value) const {
    for (const LineTool* tool : line_.tools)
      for (const LineFlag& known : tool->flags) {
        if (known.key != key) continue;
        const auto theirs = std::ranges::find(known.values, value, &std::pair<std::string, std::string>::second);
        const bool as_it_is = known.takes_any && !known.leaves_other && !known.is_switch;
        if (theirs == known.values.end() && !as_it_is) continue;
        flag = known.names.front();
        if (theirs != known.values.end()) value = theirs->first;
        return;
      }
  }

  const ReadLine& line_;
  LineRequest asked_;
  Request& request_;
  Count gpus_;
  const Ground& ground_;
  catalog::Number longest_;  // of the model
  double room_ = 0;          // tokens that the memory has room for, of one request
  bool whole_is_risky_ = false;
  Preflight out_;
};

}  // namespace

Result<Preflight> preflight(const ReadLine& line, const job::Request& own, job::Count gpus, const Ground& ground) {
  auto asked = request_of(line, own, ground.catalog, ground.coefficients.engines.get());
  if (!asked) return std::unexpected(asked.error());
  return PreflightJudge(line, std::move(*asked), gpus, ground).judge();
}

}  // namespace gpusel::answer
