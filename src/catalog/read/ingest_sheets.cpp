// Sheets of facts about records that exist already: renderer scores of GPUs, and what is known of
// selling an instance besides its prices.
#include <algorithm>

#include "catalog/read/ingest.hpp"

namespace gpusel::catalog {

namespace {

bool same_score(const RenderScore& a, const RenderScore& b) {
  return a.gpu == b.gpu && a.benchmark == b.benchmark && a.version == b.version && a.backend == b.backend;
}

bool same_state(const OfferState& a, const OfferState& b) {
  return a.provider == b.provider && a.sku == b.sku && a.region == b.region && a.term == b.term;
}

}  // namespace

bool Ingest::known_gpu(std::string_view name, const Node& at, Fields& fields) {
  if (look_up(tables_.gpu_names, fold_gpu_name(name)).outcome == Lookup::Outcome::found) return true;
  fields.fail(at, say("unknown GPU '{}'", shorten(name, 60)), suggest(name, gpu_ids_));
  return false;
}

/// Adds a fact or, in an overlay, puts it in the place of the one it is about.
template <class Record, class Same>
void Ingest::state_once(std::vector<Record>& records, std::size_t old_count, const Record& record, Same same,
                        const Node& at, Fields& fields, const std::string& what) {
  const auto known = std::find_if(records.begin(), records.end(), [&](const Record& r) { return same(r, record); });
  if (known == records.end()) {
    records.push_back(record);
  } else if (overlay_ && static_cast<std::size_t>(known - records.begin()) < old_count) {
    *known = record;
  } else {
    fields.fail(at, what);
  }
}

void Ingest::render_scores(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  RenderScore shared;
  visit_fields(shared, MemberReader(tables_, fields, false));
  check_sources(shared, fields);
  for (const std::string_view key : {"benchmark", "version", "source", "scores"}) fields.require(key);
  const auto source = source_ids_.find(std::string(shared.source));
  if (source != source_ids_.end() && !fields.has("confidence"))
    shared.confidence = tables_.sources[source->second].confidence;
  const Node* scores = fields.find("scores");
  if (scores != nullptr && !scores->is_list()) fields.fail(*scores, say("'scores' must be a list"));
  fields.finish();
  if (scores == nullptr) return;
  for (const Node& entry : scores->children) {
    Fields own(entry, problems);
    RenderScore score = shared;
    visit_fields(score, MemberReader(tables_, own, false));
    for (const std::string_view key : {"gpu", "score"}) own.require(key);
    own.finish();
    const Node* gpu = own.find("gpu");
    if (gpu == nullptr || !score.score || !known_gpu(score.gpu, *gpu, own)) continue;
    score.gpu = tables_.gpus[look_up(tables_.gpu_names, fold_gpu_name(score.gpu)).index].id;
    state_once(tables_.render_scores, old_scores_, score, same_score, entry, own,
               say("'{}' has two scores of one benchmark, version and back end", score.gpu));
  }
}

void Ingest::availability(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  OfferState shared;
  for (const std::string_view key : {"provider", "state", "source", "skus"}) fields.require(key);
  const std::string provider = fields.text("provider");
  std::vector<std::string> regions = fields.texts(fields.has("regions") ? "regions" : "region");
  const std::vector<std::string> skus = fields.texts("skus");
  shared.provider = tables_.keep(provider);
  if (const auto state = fields.one_of<Availability>("state")) shared.state = *state;
  shared.term = fields.one_of<Term>("term");
  shared.as_of = fields.date("as_of").value_or(Date{});
  shared.source = tables_.keep(fields.text("source"));
  shared.note = tables_.keep(fields.text("note"));
  if (fields.has("source")) known_source(shared.source, *fields.find("source"), fields);
  const bool known = known_provider(fields, provider);
  fields.finish();
  if (!known) return;
  for (const std::string& region : regions)
    if (!region_ids_.contains(pair_key(provider, region)))
      fields.fail(*fields.find(fields.has("regions") ? "regions" : "region"),
                  say("'{}' has no region '{}'", provider, shorten(region, 60)));
  if (regions.empty()) regions.emplace_back();
  for (const std::string& sku : skus) {
    const auto place = sku_ids_.find(pair_key(provider, sku));
    if (place == sku_ids_.end()) {
      fields.fail(*fields.find("skus"), say("'{}' has no SKU '{}'", provider, shorten(sku, 60)),
                  suggest_name(provider, sku, &Instance::sku));
      continue;
    }
    for (const std::string& region : regions) {
      OfferState state = shared;
      state.sku = tables_.instances[place->second].sku;
      state.region = tables_.keep(region);
      state_once(tables_.states, old_states_, state, same_state, node, fields,
                 say("'{}' has two states for one region and term", shorten(sku, 60)));
    }
  }
}

}  // namespace gpusel::catalog
