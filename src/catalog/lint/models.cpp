// Models: whether the parts of a shape agree with each other and with the stated size.
#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "catalog/lint/checks.hpp"
#include "catalog/records/parameters.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

namespace {

constexpr double kSizeTolerance = 0.06;  // biases and small norms are not counted; labels are rounded

Subject about(const Model& model, std::string_view path) {
  return {.kind = "model", .id = std::string(model.id), .path = path};
}

void size(Lint& lint) {
  for (const Model& model : lint.catalog().models()) {
    const Number expected = size_from_shape(model);
    if (!expected || !model.params_b || std::abs(*model.params_b - *expected) <= kSizeTolerance * *expected) continue;
    lint.found(about(model, "params_b"), size_words(model, *expected));
  }
}

void active(Lint& lint) {
  for (const Model& model : lint.catalog().models())
    if (model.active_params_b && model.params_b && *model.active_params_b > *model.params_b)
      lint.found(about(model, "active_params_b"),
                 say("{} B active of {} B total", shown(*model.active_params_b), shown(*model.params_b)));
}

void parts(Lint& lint) {
  for (const Model& model : lint.catalog().models())
    if (model.params_b && parts_billions(model) > *model.params_b)
      lint.found(about(model, "params_b"),
                 say("its parts are {} B, but its total is {} B", shown(parts_billions(model)), shown(*model.params_b)));
}

void heads(Lint& lint) {
  for (const Model& model : lint.catalog().models()) {
    const double n = model.heads.value_or(0), kv = model.kv_heads.value_or(0);
    if (n > 0 && kv > 0 && !model.is_mla() && std::fmod(n, kv) != 0)
      lint.found(about(model, "attention.kv_heads"), say("{} heads cannot share {} K/V heads", shown(n), shown(kv)));
    if (n > 0 && !model.head_dim && model.hidden_size && std::fmod(*model.hidden_size, n) != 0)
      lint.found(about(model, "attention.heads"),
                 say("{} heads do not divide a width of {}", shown(n), shown(*model.hidden_size)),
                 say("state head_dim"));
  }
}

/// What the word for the attention says of its heads.
void attention(Lint& lint) {
  for (const Model& model : lint.catalog().models()) {
    const std::string_view kind = model.attention.substr(0, model.attention.find('+'));
    const double n = model.heads.value_or(0), kv = model.kv_heads.value_or(0);
    const bool counted = n > 0 && kv > 0;
    const bool wrong = kind == "mla"   ? !model.is_mla()
                       : !counted      ? false
                       : kind == "mha" ? n != kv
                       : kind == "mqa" ? kv != 1
                       : kind == "gqa" ? kv >= n
                                       : false;
    if (wrong)
      lint.found(about(model, "attention.kind"),
                 kind == "mla" ? say("'mla' without mla.kv_lora_rank")
                               : say("'{}' with {} heads and {} K/V heads", kind, shown(n), shown(kv)));
  }
}

void cache(Lint& lint) {
  for (const Model& model : lint.catalog().models()) {
    if (!model.is_generator() || !model.layers) continue;
    const double cached = model.kv_full_layers.value_or(0) + model.kv_window_layers.value_or(0);
    const double layers = *model.layers + model.decoder_layers.value_or(0);
    if (cached > layers)
      lint.found(about(model, "kv_cache.full_layers"),
                 say("{} layers keep a cache, and there are {}", shown(cached), shown(layers)));
    if (model.kv_window_layers.value_or(0) > 0 && !model.window_tokens)
      lint.found(about(model, "kv_cache.window_layers"),
                 say("{} layers have a window of unknown length", shown(*model.kv_window_layers)));
  }
}

void experts(Lint& lint) {
  for (const Model& model : lint.catalog().models()) {
    if (!model.is_moe()) continue;
    if (model.experts_per_token.value_or(0) > *model.experts)
      lint.found(about(model, "moe.experts_per_token"),
                 say("{} experts per token of {}", shown(*model.experts_per_token), shown(*model.experts)));
    if (!model.experts_per_token && !model.active_params_b)
      lint.found(about(model, "moe.experts"), say("neither experts per token nor active parameters are known"));
  }
}

void model_names(Lint& lint) {
  const Tables& tables = lint.catalog().tables();
  const auto& all = tables.model_names;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].folded == all[i - 1].folded)
      lint.found(
          {.kind = "model",
           .id = std::string(tables.models[all[i].index].id),
           .path = "aliases",
           .others = {"model " + std::string(tables.models[all[i - 1].index].id)}},
          say("'{}' also means '{}': neither is found by it", all[i].folded, tables.models[all[i - 1].index].id));
}

void model_repositories(Lint& lint) {
  for (const Model& model : lint.catalog().models())
    for (const auto& [path, name] : {std::pair("instruct", model.instruct), std::pair("base", model.base)})
      if (!name.empty() && std::ranges::find(model.aliases, name) == model.aliases.end())
        lint.found(about(model, path), say("'{}' is not one of its aliases", name));
  for (const Model& model : lint.catalog().models())
    for (const std::string_view name : model.context_repositories)
      if (std::ranges::find(model.aliases, name) == model.aliases.end())
        lint.found(about(model, "repository_context.repositories"), say("'{}' is not one of its aliases", name));
}

constexpr Check kModelChecks[] = {
    {"model.size", Severity::warning, to_say("a size that the shape does not have"), size},
    {"model.active", Severity::error, to_say("more parameters active than there are"), active},
    {"model.parts", Severity::error, to_say("parts that are more than the whole"), parts},
    {"model.heads", Severity::error, to_say("heads that do not divide"), heads},
    {"model.attention", Severity::error, to_say("a kind of attention that its heads contradict"), attention},
    {"model.cache", Severity::error, to_say("more layers with a cache than layers, a window of no length"), cache},
    {"model.experts", Severity::error, to_say("more experts per token than experts"), experts},
    {"model.repositories", Severity::error, to_say("a repository that is not among the aliases"), model_repositories},
    {"model.names", Severity::warning, to_say("a name that two models have"), model_names},
};

}  // namespace

std::span<const Check> model_checks() { return kModelChecks; }

}  // namespace gpusel::catalog
