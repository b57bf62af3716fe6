#include "job/request/frameworks.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::job {

namespace {

using catalog::Framework;
using catalog::TextList;

// The catalogue's words are what can be asked for.
constexpr bool is_start(std::span<const std::string_view> all, std::span<const std::string_view> words) {
  return words.size() <= all.size() && std::equal(words.begin(), words.end(), all.begin());
}
static_assert(is_start(enum_names<Method>, catalog::kMethodWords));
static_assert(is_start(enum_names<Precision>, catalog::kArithmeticWords));
static_assert(is_start(enum_names<Optimizer>, catalog::kOptimizerWords));
static_assert(is_start(enum_names<Checkpointing>, catalog::kCheckpointingWords));
static_assert(is_start(enum_names<Sharding>, catalog::kShardingWords));
static_assert(is_start(enum_names<Offload>, catalog::kOffloadWords));

/// One thing that was asked for.
struct Wish {
  std::string_view key;
  TextList Framework::* abilities;
  std::string_view word;
  std::string what;  // as the framework lacks it
};

std::vector<Wish> wishes_of(const Request& r) {
  std::vector<Wish> out;
  const auto split = [&](std::string_view key, const Count& degree, std::string_view word, std::string what) {
    if (degree.value_or(1) > 1) out.push_back({key, &Framework::parallel, word, std::move(what)});
  };
  split("tp", r.tp, "tensor", say("tensor parallelism"));
  split("pp", r.pp, "pipeline", say("pipeline parallelism"));
  split("cp", r.cp, "context", say("context parallelism"));
  split("ep", r.ep, "expert", say("expert parallelism"));
  const auto chosen = [&](std::string_view key, TextList Framework::* abilities, const auto& value, auto what) {
    if (value) out.push_back({key, abilities, to_text(*value), what(to_text(*value))});
  };
  chosen("method", &Framework::methods, r.method, [](auto word) { return say("training with {}", word); });
  chosen("precision", &Framework::precisions, r.precision, [](auto word) { return say("training in {}", word); });
  chosen("optimizer", &Framework::optimizers, r.optimizer, [](auto word) { return say("optimizer {}", word); });
  chosen("sharding", &Framework::sharding, r.sharding, [](auto word) { return say("sharding by {}", word); });
  chosen("activation_checkpointing", &Framework::checkpointing, r.activation_checkpointing,
         [](auto word) { return say("{} activation checkpointing", word); });
  chosen("offload", &Framework::offload, r.offload, [](auto word) { return say("offloading of {}", word); });
  return out;
}

/// Frameworks that are documented to do it, one for each kind of layers.
std::vector<std::string_view> others_with(const Wish& wish, const catalog::Catalog& catalog) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string_view> out;
  std::uint32_t seen = 0;
  for (const Framework& one : catalog.frameworks()) {
    const TextList& abilities = one.*wish.abilities;
    const std::uint32_t bit = 1U << static_cast<unsigned>(one.code);
    if (abilities.empty() || !may(abilities, wish.word) || (seen & bit) != 0 || out.size() == kMost) continue;
    seen |= bit;
    out.push_back(one.id);
  }
  return out;
}

}  // namespace

const Framework* find_framework(const catalog::Catalog& catalog, std::string_view folded_name) {
  const auto is_called = [&](const Framework& one) {
    return one.id == folded_name || (!one.aliases.empty() && may(one.aliases, folded_name));
  };
  const auto found = std::ranges::find_if(catalog.frameworks(), is_called);
  return found == catalog.frameworks().end() ? nullptr : &*found;
}

const Framework& any_framework() {
  static constexpr Framework kAny = [] {
    Framework any;
    any.splits_layers = true;
    any.shards_stages = true;
    return any;
  }();
  return kAny;
}

Status check_framework(const Request& request, const Training& training, const catalog::Catalog& catalog) {
  if (request.framework.empty()) return {};
  const Framework& framework = *training.framework_record;
  for (const Wish& wish : wishes_of(request)) {
    if (may(framework.*wish.abilities, wish.word)) continue;
    const auto others = others_with(wish, catalog);
    std::string message = say("{} has no {}", framework.name, wish.what);
    if (const auto* source = catalog.source(*framework.sources.begin()); source != nullptr && !source->url.empty())
      message += format(" ({})", source->url);
    return usage_error(std::move(message), std::string(wish.key),
                       others.empty() ? std::string() : say("use --framework {}", join_texts(others, say_name(", "))));
  }
  return {};
}

}  // namespace gpusel::job
