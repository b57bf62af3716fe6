#include "cli/question/unknown_words.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/question/amounts.hpp"

namespace gpusel::cli {

namespace {

/// Why a word whose meaning is known sets nothing.
enum class Unset : std::uint8_t { method, slice, gpu, load };
struct UnsetWord {
  std::string_view said;  // without the number in front
  Unset why;
};
constexpr UnsetWord kUnsetWords[] = {
    {"dpo", Unset::method},
    {"orpo", Unset::method},
    {"kto", Unset::method},
    {"ppo", Unset::method},
    {"grpo", Unset::method},
    {"rl", Unset::method},
    {"rlhf", Unset::method},
    {"distill", Unset::method},
    {"distillation", Unset::method},
    {"mig", Unset::slice},
    {"m1", Unset::gpu},
    {"m2", Unset::gpu},
    {"m3", Unset::gpu},
    {"m4", Unset::gpu},
    {"m5", Unset::gpu},
    {"mac", Unset::gpu},
    {"macbook", Unset::gpu},
    {"apple", Unset::gpu},
    {"tokens/day", Unset::load},
    {"tokens/month", Unset::load},
    {"tokens/s", Unset::load},
    {"tok/s", Unset::load},
    {"tps", Unset::load},
};

Error unset_error(Unset why, const std::string& said) {
  switch (why) {
    case Unset::method:
      return {
          ErrorKind::usage, say("'{}' is not estimated", said), {}, say("the nearest is fine-tuning: --task finetune")};
    case Unset::slice:
      return {ErrorKind::usage,
              say("'{}' does not say which part of the GPU", said),
              {},
              say("write the part behind the GPU: --gpu h100:1/7")};
    case Unset::gpu:
      return {ErrorKind::usage,
              say("'{}' is not in the catalog: it has no Apple GPUs", said),
              {},
              say("all GPUs: gpusel gpus")};
    case Unset::load: break;
  }
  return {ErrorKind::usage,
          say("'{}' is not a load: it is given in requests", said),
          {},
          say("divide by the tokens of a request; 1M tokens/day at 1000 each: --rps 1000/day")};
}

}  // namespace

std::optional<Error> advised(std::span<const std::string> words) {
  const bool counted = words.size() > 1 && is_scaled_number(words[0]);
  const std::string said = lower(words[counted ? 1 : 0]);
  const auto* one = std::ranges::find(kUnsetWords, said, &UnsetWord::said);
  if (one == std::end(kUnsetWords)) return std::nullopt;
  return unset_error(one->why, printable(shorten(counted ? words[0] + " " + words[1] : words[0], 40)));
}

std::optional<Error> advised_length(std::string_view word, const Spoken& spoken, const catalog::Catalog& catalog) {
  const auto model = catalog.model(spoken.request.model);
  const bool is_length = is_scaled_number(word) && lower(word).ends_with('k');
  if (!is_length || !model || !(*model)->is_generator()) return std::nullopt;
  return Error{ErrorKind::usage,
               say("'{}' does not say of what", printable(shorten(word, 40))),
               {},
               one_of_these({"--context " + std::string(word), "--isl " + std::string(word)})};
}

Hint longer_name(std::string_view before, std::string_view word, const catalog::Catalog& catalog) {
  const std::string both = fold_name(format("{} {}", before, word)) + "-";
  std::vector<std::string> names;
  for (const catalog::Model& model : catalog.models())
    if (model.id.starts_with(both) && names.size() < 3) names.emplace_back(model.id);
  return names.empty() ? Hint() : one_of_these(std::move(names));
}

Error unknown_word(std::string_view word, const Spoken& spoken, const catalog::Catalog& catalog) {
  std::vector<std::string_view> known;
  for (const catalog::Model& model : catalog.models()) {
    known.push_back(model.id);
    for (const std::string_view alias : model.aliases) known.push_back(alias);
  }
  if (const auto amount = amount_of(word); amount && amount->key == "min_vram")
    return {ErrorKind::usage,
            say("'{}' is not a model or GPU", printable(shorten(word, 40))),
            {},
            say("GPUs with that much memory: gpusel gpus --min-vram {}", amount->value)};
  if (!spoken.request.names_model()) {
    const auto model = catalog.model(word);
    if (!model) return model.error();
  }
  for (const catalog::Gpu& gpu : catalog.gpus()) known.push_back(gpu.id);
  for (const catalog::Instance& instance : catalog.instances()) known.push_back(instance.sku);
  for (const catalog::Provider& provider : catalog.providers()) known.push_back(provider.id);
  return {ErrorKind::usage,
          say("'{}' is not a known model, task, GPU, instance, provider or region", printable(shorten(word, 40))),
          {},
          did_you_mean(word, known).or_else(say("all options: gpusel {} --help", spoken.command))};
}

}  // namespace gpusel::cli
