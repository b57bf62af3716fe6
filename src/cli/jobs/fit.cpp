// gpusel fit: what runs on the GPUs one has.
#include <algorithm>
#include <memory>

#include "answer/here/fit_here.hpp"
#include "answer/here/gpus_here.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/records/mig.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/job.hpp"
#include "cli/question/named.hpp"
#include "cli/question/usual_gpu.hpp"
#include "physics/serving/abilities.hpp"
#include "show/here/fit.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::cli {

namespace {

struct FitOptions {
  job::Request request;
  job::Constraints limits;  // none: what prepare() asks
  Currency currency = Currency::usd();
  std::optional<std::int64_t> limit;
  bool all = false;
  bool why = false;
  std::vector<std::string> words;
};

constexpr std::int64_t kModelsShown = 20;

class Fit {
 public:
  Fit(FitOptions& options, Context& context) : options_(options), context_(context) {}

  int run() {
    const auto ground = prepare({options_.limits, &no_rules_}, context_);
    if (!ground) return ground.error();
    job::Request& request = options_.request;
    const Spoken spoken{request, nullptr, Takes::machine};
    if (const auto settled = settle_question(options_.words, spoken, &options_.currency, ground->catalog, context_);
        !settled)
      return settled.error();
    if (const std::string taken = take_usual_gpu(request.gpu, ground->catalog); !taken.empty()) context_.note(taken);
    if (request.gpu.empty())
      if (Status found = look(ground->catalog); !found) return context_.fail(found.error());
    take_engine(*ground);
    const show::HereView view{here_ ? &*here_ : nullptr, rows(ground->format)};
    if (request.model.empty() && !request.inline_model) return list(*ground, view);
    return one(*ground, view);
  }

 private:
  /// The GPUs of this machine, as --gpu and --gpus would name them.
  Status look(const catalog::Catalog& catalog) {
    here_ = answer::gpus_here(catalog);
    const auto group = here_->group();
    if (group.empty()) {
      std::string why = say("no GPU was found on this machine");
      for (const std::string& note : here_->notes) why += "; " + note;
      return std::unexpected(Error{ErrorKind::unsatisfied, why, {}, say("set --gpu, for example --gpu l4")});
    }
    if (group.front().gpu == nullptr) return std::unexpected(unknown(group.front(), catalog));
    const answer::GpuHere& one = group.front();
    options_.request.gpu = one.gpu->id;
    if (one.parts > 0) options_.request.gpu_parts = one.parts;
    if (!options_.request.gpus) options_.request.gpus = static_cast<std::int64_t>(group.size());
    for (const answer::GpuHere& gpu : group)
      options_.request.used_gib = std::max(options_.request.used_gib, gpu.used_gib);
    options_.request.used_gib += one.lacking_gib;
    return {};
  }

  /// GPUs that vLLM has no kernels for still run what llama.cpp has.
  void take_engine(const LoadedFacts& ground) {
    job::Request& request = options_.request;
    if (request.engine || (request.task && *request.task != job::Task::inference)) return;
    const auto gpu = ground.catalog.gpu(job::counted_gpu(request.gpu).name);
    const auto* engines = ground.coefficients.engines.get();
    const auto computes = [&](job::Engine engine) {
      const physics::EngineAbility* known = engines->find(engine);
      return known != nullptr && known->computes_on(**gpu);
    };
    if (!gpu || engines == nullptr || computes(job::Engine::vllm) || !computes(job::Engine::llama_cpp)) return;
    request.engine = job::Engine::llama_cpp;
    context_.note(say("vLLM has no kernels for {}; assuming --engine llama.cpp", (*gpu)->id));
  }

  /// What the driver names and the catalog lacks, with what is most like it.
  static Error unknown(const answer::GpuHere& one, const catalog::Catalog& catalog) {
    const auto whole = catalog.gpu(one.name);
    const auto like =
        whole && !one.slice.empty() ? catalog::mig_profile_like(one.slice, **whole, catalog) : std::nullopt;
    if (like)
      return {ErrorKind::unsatisfied,
              say("'{}' is not a known MIG profile of {}", printable(shorten(one.slice, 20)), (*whole)->id),
              {},
              say("use one like it: gpusel fit --gpu {}:1/{}", (*whole)->id, like->most)};
    const catalog::Gpu* gpu = gpu_like(one.name, one.memory_gib, catalog);
    return {ErrorKind::unsatisfied,
            say("the catalog does not know this machine's '{}' ({:.0f} GiB): its bandwidth and speed are missing",
                printable(shorten(one.name, 60)), one.memory_gib),
            {},
            say("use one like it: gpusel fit --gpu {}", gpu == nullptr ? "l4" : gpu->id)};
  }

  std::size_t rows(const std::string& format) const {
    const bool list = show::is_data(format) || format == "csv" || is_document(format);
    return static_cast<std::size_t>(options_.limit.value_or(list ? 0 : kModelsShown));
  }

  int list(const LoadedFacts& ground, const show::HereView& view) {
    const auto list =
        answer::models_that_fit(options_.request, options_.all, ground.catalog, ground.coefficients, ground.rules);
    if (!list) return context_.fail(as_flag(list.error()));
    print({.data = [&](show::JsonOut& out) { show::tell_fit_list(out, *list, view); },
           .document = [&](bool) { return show::fit_list_page(*list, view); },
           .csv = [&] { return show::fit_list_table(*list, view.limit); }},
          ground.format, context_);
    return list->models.empty() ? kNothing : kOk;
  }

  int one(const LoadedFacts& ground, const show::HereView& view) {
    const auto answer = answer::model_that_fits(options_.request, ground.catalog, ground.coefficients, ground.rules,
                                                ground.today, options_.currency);
    if (!answer) return context_.fail(as_flag(answer.error()));
    print({.data = [&](show::JsonOut& out) { show::tell_fit_answer(out, *answer, view); },
           .document = [&](bool all) { return show::fit_answer_page(*answer, view, all || options_.why); },
           .csv = [&] { return show::fit_answer_table(*answer); }},
          ground.format, context_);
    return answer->best.plan.fits ? kOk : kNothing;
  }

  FitOptions& options_;
  Context& context_;
  std::vector<std::string> no_rules_;
  std::optional<answer::GpusHere> here_;
};

}  // namespace

Parsed make_fit() {
  auto options = std::make_shared<FitOptions>();
  Parsed parsed;
  add_words(parsed, options->words, Takes::machine);
  add_options(parsed.flags, job::request_options(), options->request);
  const std::string group = say("Output and data");
  parsed.flags.push_back(
      {"-n,--limit", "N", say("models to show (default 20; JSON: all)"), group, sets(options->limit, job::kCount)});
  parsed.flags.push_back({"--all", "", say("also models that fit in no format"), group, turns_on(options->all)});
  parsed.flags.push_back(currency_flag(options->currency));
  parsed.flags.push_back(why_flag(options->why, "--why", say("every part, assumption and note")));
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return Fit(*options, context).run(); };
  return parsed;
}

}  // namespace gpusel::cli
