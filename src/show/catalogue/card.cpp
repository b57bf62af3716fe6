#include "show/catalogue/card.hpp"

#include <algorithm>
#include <set>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/records/mig.hpp"
#include "show/catalogue/catalog.hpp"
#include "show/lists/words.hpp"
#include "show/money/price_history.hpp"

namespace gpusel::show {

namespace {

using catalog::Catalog;
using catalog::Field;
using catalog::Instance;
using catalog::TextList;

/// "moe" of "moe.experts"; empty for a field of the record itself.
std::string_view group_of(std::string_view path) {
  const auto dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

/// A value with its unit; zero is a fact: there is no such path or link.
std::string with_unit(std::string words, std::string_view unit) {
  if (unit.empty()) return words;
  return words == "0" ? say("none") : format("{} {}", words, unit);
}

/// The documents of a record, numbered as its card cites them: those of the whole record first.
class Citations {
 public:
  template <class Record>
  explicit Citations(const Record& record) {
    visit_fields(record, [&](const Field& field, const auto& member) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, TextList>) {
        if (field.json == "sources") {
          for (const std::string_view key : member) number_of(key);
          general_ = keys_.size();
        } else if (field.json == "figure_sources") {
          for (const std::string_view line : member) {
            const auto equals = line.find('=');
            cite(line.substr(0, equals), line.substr(equals + 1));
          }
        } else if (field.json.ends_with("_sources")) {  // "params_sources": of params_b
          const std::string_view figure = field.json.substr(0, field.json.size() - std::string_view("_sources").size());
          for (const std::string_view key : member) cite(std::string(figure) + "_b", key);
        }
      }
    });
  }

  /// "[4]" or "[2] [5]" where a figure has documents of its own.
  std::string of(std::string_view path) const {
    const auto found =
        std::find_if(figures_.begin(), figures_.end(), [&](const auto& one) { return one.first == path; });
    return found == figures_.end() ? std::string() : found->second;
  }
  const std::vector<std::string>& keys() const { return keys_; }
  std::size_t general() const { return general_; }

 private:
  std::size_t number_of(std::string_view key) {
    const auto found = std::find(keys_.begin(), keys_.end(), key);
    if (found != keys_.end()) return static_cast<std::size_t>(found - keys_.begin()) + 1;
    keys_.emplace_back(key);
    return keys_.size();
  }
  void cite(std::string_view path, std::string_view key) {
    const std::string mark = format("[{}]", number_of(key));
    for (auto& [known, marks] : figures_)
      if (known == path) {
        marks += " " + mark;
        return;
      }
    figures_.emplace_back(path, mark);
  }

  std::vector<std::string> keys_;
  std::size_t general_ = 0;  // of them, the first so many are the record's own
  std::vector<std::pair<std::string, std::string>> figures_;
};

/// Words of keys that people write otherwise.
constexpr std::pair<std::string_view, std::string_view> kWritten[] = {
    {"gpu", "GPU"},   {"gpus", "GPUs"}, {"vgpu", "vGPU"},   {"cpu", "CPU"},         {"vcpu", "vCPU"},
    {"mig", "MIG"},   {"cuda", "CUDA"}, {"rt", "RT"},       {"tdp", "TDP"},         {"ecc", "ECC"},
    {"pcie", "PCIe"}, {"rdma", "RDMA"}, {"nvenc", "NVENC"}, {"nvdec", "NVDEC"},     {"av1", "AV1"},
    {"ssd", "SSD"},   {"sku", "SKU"},   {"l2", "L2"},       {"kv", "K/V"},          {"ffn", "FFN"},
    {"qk", "Q/K"},    {"mtp", "MTP"},   {"vae", "VAE"},     {"url", "URL"},         {"fp64", "FP64"},
    {"fp32", "FP32"}, {"tf32", "TF32"}, {"fp16", "FP16"},   {"bf16", "BF16"},       {"fp8", "FP8"},
    {"fp4", "FP4"},   {"int8", "INT8"}, {"int4", "INT4"},   {"bidir", "both ways"}, {"licence", "license"}};

/// How a key spells a unit, but for a plural's s: "gbps" is Gbit/s.
std::string unit_in_key(std::string_view unit) {
  std::string word = lower(unit);
  if (word == "gbit/s") return "gbps";
  std::erase(word, '/');
  return word;
}

/// "memory usable" of memory_gib_usable: its unit stands behind the figure.
std::string label_of(const Field& field) {
  if (std::string said = say_name(field.json); said != field.json) return said;
  if (field.json == "vgpu_supported") return "vGPU";  // its values say the rest
  if (field.json == "cpu_ghz") return say("CPU clock");
  const std::string unit = unit_in_key(field.unit);
  std::string label;
  for (const std::string_view word : split(field.json, '_')) {
    if (!unit.empty() && (word == unit || (word.ends_with('s') && word.substr(0, word.size() - 1) == unit))) continue;
    const auto* const written =
        std::find_if(std::begin(kWritten), std::end(kWritten), [&](const auto& known) { return known.first == word; });
    label += (label.empty() ? "" : " ") + std::string(written == std::end(kWritten) ? word : written->second);
  }
  return label;
}

/// Remarks, and figures that only departures from the usual have: without them a record lacks nothing.
constexpr std::string_view kSpecial[] = {"notes",
                                         "aliases",
                                         "instruct",
                                         "repository_context",
                                         "context_repositories",
                                         "model_type",
                                         "fp8_block",
                                         "base",
                                         "caution",
                                         "devices_per_board",
                                         "kv_full_layers",
                                         "kv_window_layers",
                                         "window_tokens",
                                         "shared_experts",
                                         "moe_ffn_size",
                                         "shared_ffn_size",
                                         "first_dense_layers",
                                         "moe_layer_step",
                                         "moe_layers",
                                         "moe_latent_size",
                                         "norms_per_layer",
                                         "qk_norm",
                                         "gated_ffn",
                                         "ffn_layers",
                                         "cross_attention_layers",
                                         "cross_attention_tokens",
                                         "linear_layers",
                                         "v_head_dim",
                                         "window_heads",
                                         "kv_full_heads",
                                         "kv_full_head_dim",
                                         "kv_window_heads",
                                         "kv_extra_elements_per_token",
                                         "q_lora_rank",
                                         "mla_v_head_dim",
                                         "mtp_params_b",
                                         "per_layer_embedding_params_b",
                                         "native_weights_gib",
                                         "cpu_threads_per_core",
                                         "cpu_ghz",
                                         "cpu_turbo_ghz",
                                         "nvenc_sessions",
                                         "nvenc_generation",
                                         "nvdec_generation",
                                         "default_frames",
                                         "frame_compression",
                                         "vae_chunk_frames"};

/// Whether a figure that is not known could be: a record that is no case of it lacks nothing.
template <class Record>
bool could_have(const Record&, const Field& field) {
  return std::find(std::begin(kSpecial), std::end(kSpecial), field.json) == std::end(kSpecial);
}

bool could_have(const catalog::Model& model, const Field& field) {
  using catalog::Model;
  using catalog::ModelKind;
  static constexpr auto kText = [](const Model& m) { return m.is_language_model(); };
  static constexpr auto kNoText = [](const Model& m) { return !m.is_language_model(); };
  static constexpr auto kBlocks = [](const Model& m) { return m.kind != ModelKind::cnn; };
  static constexpr std::pair<std::string_view, bool (*)(const Model&)> kCases[] = {
      {"vocab_size", kText},
      {"tied_embeddings", kText},
      {"max_context", kText},
      {"hidden_size", kBlocks},
      {"ffn_size", kBlocks},
      {"gflops_per_sample", kNoText},
      {"activations_m", [](const Model& m) { return m.kind == ModelKind::cnn || m.kind == ModelKind::vit; }},
      {"default_input", kNoText},
      {"active_params_b", [](const Model& m) { return m.is_moe(); }},
      {"vision_params_b", [](const Model& m) { return m.kind == ModelKind::vlm; }},
      {"decoder_layers", [](const Model& m) { return m.is_encoder_decoder() || m.kind == ModelKind::speech; }}};
  for (const auto& [key, applies] : kCases)
    if (field.json == key) return applies(model);
  return could_have<Model>(model, field);
}

bool could_have(const Instance& instance, const Field& field) {
  static constexpr std::string_view kOfGpus[] = {"gpu", "gpu_count", "gpu_memory_total_gb", "intra_node_interconnect",
                                                 "interconnect_gbs_per_gpu"};
  const bool of_gpus = std::find(std::begin(kOfGpus), std::end(kOfGpus), field.json) != std::end(kOfGpus);
  return (!of_gpus || !instance.gpu.empty()) && could_have<Instance>(instance, field);
}

/// Every field that is known, then the names of those that are not but could be. Of a group like moe.* or speech.* that
/// has no figure at all the record is no case.
template <class Record>
Facts facts_of(const Record& record, const Citations& citations) {
  std::set<std::string_view> groups;
  visit_fields(record, [&](const Field& field, const auto& member) {
    if (!in_words(member).empty()) groups.insert(group_of(field.path));
  });
  Facts known;
  std::string unknown;
  visit_fields(record, [&](const Field& field, const auto& member) {
    const std::string_view group = group_of(field.path);
    if (field.json.ends_with("sources") || (!group.empty() && !groups.contains(group))) return;
    std::string words = in_words(member);
    if (field.json == "caution" || field.json == "notes") words = say_text(words);
    if (!words.empty())
      known.facts.push_back({label_of(field), with_unit(std::move(words), field.unit), citations.of(field.path)});
    else if (could_have(record, field))
      add_name(unknown, label_of(field));
  });
  if (!unknown.empty()) known.facts.push_back({say("unknown"), std::move(unknown)});
  return known;
}

void add_sources(Document& page, const Citations& citations, const Catalog& catalog) {
  const std::size_t general = citations.general();
  if (citations.keys().empty()) return;
  std::string head = say("sources");
  if (general > 0 && general < citations.keys().size())
    head = general == 1 ? say("sources, [1] unless a figure cites another")
                        : say("sources, [1] to [{}] unless a figure cites another", general);
  page.heading(head);
  for (std::size_t i = 0; i < citations.keys().size(); ++i) {
    const std::string& key = citations.keys()[i];
    std::string text = format("  [{}] {}", i + 1, printable(key));
    if (const catalog::Source* source = catalog.source(key)) {
      text += format(": {}, {}", printable(source->publisher), printable(source->document));
      if (source->date.known()) text += ", " + source->date.text();
      text += format(" ({})", said(source->confidence));
      if (!source->url.empty()) text += " " + printable(source->url);
    }
    page.line(text, 4);
  }
}

template <class Record>
Document card(const Record& record, const Catalog& catalog) {
  const Citations citations(record);
  Document page;
  page.add(facts_of(record, citations));
  add_sources(page, citations, catalog);
  return page;
}

/// Scores in renderers' public benchmarks.
Table render_table(const catalog::Gpu& gpu, const Catalog& catalog) {
  Table table({left(say("renderer")), left(say("version")), right(say("score")), right(say("runs"), 3),
               left(say("as of"), 1), left(say("confidence"), 2), left(say("source"), 1, 12)});
  for (const catalog::RenderScore& score : catalog.render_scores_of(gpu)) {
    const std::string backend = score.backend.empty() ? std::string() : format(" ({})", printable(score.backend));
    table.add({std::string(to_text(score.benchmark)) + backend, printable(score.version), in_words(score.score),
               in_words(score.samples), score.as_of.known() ? score.as_of.text() : say("undated"),
               said(score.confidence), printable(score.source)});
  }
  return table;
}

std::string market_text(const answer::GpuMarket& market, Currency currency) {
  if (market.instances == 0) return say("no instance of the catalog has it");
  std::string text = market.providers == 1
                         ? say("{} instances of one provider have it", market.instances)
                         : say("{} instances of {} providers have it", market.instances, market.providers);
  if (market.instances == 1) text = say("one instance of the catalog has it");
  add_clause(text, market.offer == nullptr
                       ? say("no dated on-demand price")
                       : say("from {} {} per GPU and hour on demand: {} {}, {}", human_price(market.per_gpu_hour),
                             currency.code(), market.cheapest->provider, printable(market.cheapest->sku),
                             Date::from_packed(market.offer->as_of).text()));
  return text;
}

/// What is known of selling it besides the prices.
std::string state_line(const catalog::OfferState& state) {
  std::string line = say("{}, {}: {}", state.region.empty() ? say("every region") : printable(state.region),
                         state.term ? said(*state.term) : say("every term"), said(state.state));
  add_item(line, printable(state.note));
  if (state.as_of.known()) add_item(line, state.as_of.text());
  return format("{} ({})", line, state.source);
}

}  // namespace

Document gpu_card(const answer::ListedGpu& gpu, const Verdicts& verdicts, const Catalog& catalog, Currency currency) {
  Document page = card(*gpu.gpu, catalog);
  if (Table scores = render_table(*gpu.gpu, catalog); !scores.empty()) page.gap().add(std::move(scores));
  Facts judged;
  for (const auto& [purpose, verdict] : verdicts)
    judged.facts.push_back({say("for {}", purpose), say("{}: {}", said(verdict.fitness), printable(verdict.reason))});
  if (!verdicts.empty()) page.gap().add(std::move(judged));
  Table slices({left(say("MIG profile")), right(say("memory")), right(say("SMs")), right(say("per GPU"))});
  for (const catalog::MigProfile& one : catalog::mig_profiles(*gpu.gpu, catalog))
    slices.add({printable(one.name), format("{:.0f} %", 100 * one.memory), format("{:.0f} %", 100 * one.compute),
                format("{}", one.most)});
  if (!slices.empty()) page.gap().add(std::move(slices));
  return page.gap().line(market_text(gpu.market, currency));
}

Document model_card(const catalog::Model& model, const Catalog& catalog) {
  const catalog::Number bytes = catalog::kv_bytes_per_token_fp16(model);
  return card(model, catalog)
      .gap()
      .line(bytes ? say("K/V cache: {} bytes per token at 16 bit", human_number(*bytes)) : say("K/V cache: unknown"));
}

Document provider_card(const catalog::Provider& provider, const Catalog& catalog) {
  Table table({left(say("region")), left(say("country")), left(say("place"), 1, 12)});
  for (const catalog::Region& region : catalog.regions())
    if (region.provider == provider.id)
      table.add({printable(region.id), region.country.empty() ? say("several") : printable(region.country),
                 printable(region.name)});
  const auto instances =
      std::ranges::count_if(catalog.instances(), [&](const Instance& i) { return i.provider == provider.id; });
  Document page;
  page.add(facts_of(provider, Citations(provider))).gap().add(std::move(table)).gap();
  return page.line(say("{} instances: gpusel instances --cloud {}", instances, provider.id));
}

Document source_card(const catalog::Source& source, const Catalog& catalog) {
  const SourceUse use = use_of(source, catalog);
  Document page;
  page.add(facts_of(source, Citations(source))).gap();
  return page.line(say("based on it: {} GPUs, {} models, {} instances, {} prices, {} renderer scores", use.gpus,
                       use.models, use.instances, use.offers, use.scores));
}

Document instance_card(const Instance& instance, const Catalog& catalog, Date today) {
  Instance whole = instance;
  whole.gpu_memory_gb = catalog.gpu_memory_total_gb(instance);
  Document page = card(whole, catalog);
  Table table({left(say("region")), left(say("term")), right(say("per hour")), left(say("currency")),
               left(say("as of")), left(say("confidence"), 2), left(say("source"), 1, 12), left(say("note"), 3, 12)});
  for (const catalog::Offer& offer : catalog.offers_of(instance)) {
    const catalog::Origin& origin = catalog.origin_of(offer);
    const Date date = Date::from_packed(offer.as_of);
    table.add({printable(catalog.region_of(offer).id), term_cell(offer.term), listed_price(offer.per_hour()),
               std::string(catalog.currency_of(offer).code()), date.known() ? date.text() : say("undated"),
               said(origin.confidence), printable(origin.source), printable(origin.note)});
  }
  page.gap();
  if (table.empty())
    page.line(say("no published price is known"));
  else
    page.add(std::move(table));
  const auto providers = catalog.providers();
  const auto seller = std::ranges::find(providers, instance.provider, &catalog::Provider::id);
  std::string unpriced;
  if (seller != providers.end())
    for (const std::string_view term : seller->unpriced_terms) add_name(unpriced, say_name(term));
  if (!unpriced.empty()) page.line(say("other terms, without recorded prices: {}", unpriced));
  if (Table history = history_table(instance, catalog, today); !history.empty()) page.gap().add(std::move(history));
  if (const auto states = catalog.states_of(instance); !states.empty()) {
    page.gap();
    for (const catalog::OfferState& state : states) page.line(state_line(state), 4);
  }
  return page;
}

}  // namespace gpusel::show
