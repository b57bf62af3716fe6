// What an engineer checks: every figure with its formula, every fact with its source and day.
#include <algorithm>

#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/page/parts.hpp"

namespace gpusel::show {

namespace {

using answer::Recommendation;
using physics::Trace;

void add_trace(Document& page, const std::string& title, const Trace& trace) {
  if (!trace.empty()) page.add(Fold{"trace", title, trace.size(), {}, {{derivation_of(trace)}}});
}

Fold scores_fold(const answer::Advice& advice) {
  Table table({right("#"), left(say("Instance")), right(say("Score")), left(say("Points (weight × value)"), 0, 20)});
  for (const Recommendation& r : advice.recommendations) {
    if (static_cast<std::size_t>(r.rank) > kRanksDrawn) break;
    std::string parts;
    for (const auto& part : r.parts)
      parts += (parts.empty() ? "" : " + ") +
               format("{} {:.1f} ({:.2f} × {:.3f})", part.name, part.points, part.weight, part.value);
    table.add({format("{}", r.rank), instance_name(r), format("{:.1f}", r.score), parts});
  }
  return {"trace", say("Scores"), table.rows.size(), {}, {{std::move(table)}}};
}

/// What rests on each source, in the order in which it was met.
class Uses {
 public:
  void add(std::string_view key, const std::string& what) {
    if (key.empty()) return;
    auto found = std::find_if(all_.begin(), all_.end(), [&](const Use& use) { return use.key == key; });
    if (found == all_.end()) found = all_.insert(all_.end(), Use{std::string(key), {}});
    if (std::find(found->of.begin(), found->of.end(), what) == found->of.end()) found->of.push_back(what);
  }
  void add(const catalog::TextList& keys, const std::string& what) {
    for (const std::string_view key : keys) add(key, what);
  }

  Table table(const catalog::Catalog& catalog) const {
    Table table({left(say("Source, and the facts based on it"), 0, 20), left(say("What")), left(say("Document"), 0, 20),
                 left(say("place")), left(say("Day")), left(say("confidence"))});
    for (const std::size_t i : {0, 2, 4}) table.columns[i + 1].below = i;
    for (const Use& use : all_) {
      std::string of, document, address, day, confidence;
      for (const std::string& what : use.of) of += (of.empty() ? "" : "; ") + what;
      if (const catalog::Source* source = catalog.source(use.key)) {
        document = format("{}, {}", source->publisher, source->document);
        address = source->url;
        day = source->date.known() ? source->date.text() : say("undated");
        confidence = to_text(source->confidence);
      }
      table.add({use.key, of, document, address, day, confidence}).facts = {{"source", use.key}};
    }
    return table;
  }

 private:
  struct Use {
    std::string key;
    std::vector<std::string> of;
  };

  std::vector<Use> all_;
};

/// Prices by sheet: how many ranks rest on it, and of which days.
void add_prices(const ReportView& view, Uses& uses) {
  struct Sheet {
    std::string_view key;
    std::vector<int> ranks;
    Date first, last;
  };
  std::vector<Sheet> sheets;
  for (const Recommendation& r : view.advice.recommendations) {
    const std::string_view key = view.catalog.origin_of(*r.offer).source;
    auto found = std::find_if(sheets.begin(), sheets.end(), [&](const Sheet& sheet) { return sheet.key == key; });
    if (found == sheets.end()) found = sheets.insert(sheets.end(), Sheet{key, {}, {}, {}});
    found->ranks.push_back(r.rank);
    const Date date = Date::from_packed(r.offer->as_of);
    if (!date.known()) continue;
    if (!found->first.known() || date < found->first) found->first = date;
    if (!found->last.known() || found->last < date) found->last = date;
  }
  for (const Sheet& sheet : sheets) {
    const std::string ranks = ranks_text(sheet.ranks);
    uses.add(sheet.key, !sheet.first.known() ? say("prices of ranks {}, undated", ranks)
                        : sheet.first == sheet.last
                            ? say("prices of {}, ranks {}", sheet.first.text(), ranks)
                            : say("prices of {} to {}, ranks {}", sheet.first.text(), sheet.last.text(), ranks));
  }
}

void add_facts(const ReportView& view, Uses& uses) {
  if (view.advice.work.model != nullptr) {
    uses.add(view.advice.work.model->sources, say("model {}", view.advice.work.model->id));
    uses.add(view.advice.work.model->params_sources, say("parameters of {}", view.advice.work.model->id));
  }
  for (const Recommendation& r : view.advice.recommendations) {
    if (static_cast<std::size_t>(r.rank) > kRanksDrawn) break;
    if (r.gpu == nullptr) continue;
    uses.add(r.gpu->sources, say("GPU {}", r.gpu->id));
    for (const std::string_view line : r.gpu->figure_sources)
      uses.add(line.substr(line.find('=') + 1), say("GPU {}", r.gpu->id));
  }
  for (const Recommendation& r : view.advice.recommendations)
    if (r.cost.exchange)
      for (const catalog::ExchangeRate& rate : view.catalog.exchange_rates())
        if (rate.currency == r.cost.published.currency || rate.currency == view.advice.currency)
          uses.add(rate.source, say("{} per USD of {}", rate.currency.code(), rate.as_of.text()));
}

void add_payments(const ReportView& view, Uses& uses) {
  if (view.use == nullptr) return;
  for (const answer::CostItem& item : view.use->costs.items)
    for (const answer::TermCost& term : item.terms) {
      const Date date = Date::from_packed(term.offer->as_of);
      uses.add(
          view.catalog.origin_of(*term.offer).source,
          say("{} of #{}, {}", said(term.offer->term), item.subject.rank, date.known() ? date.text() : say("undated")));
    }
  if (view.use->break_evens.spot && view.use->break_evens.spot->market != nullptr)
    uses.add(view.use->break_evens.spot->market->source, say("interruptions of spot instances"));
  for (const answer::Ownership& own : view.use->break_evens.ownership)
    if (own.record != nullptr) uses.add(own.record->source, say("purchase of {}", own.record->id));
}

}  // namespace

void add_explanation(Document& page, const ReportView& view) {
  if (view.advice.recommendations.empty()) return;
  const auto is_memory = [](const physics::TraceLine& line) {
    return line.quantity.starts_with("memory.") || line.quantity.starts_with("workspace.");
  };
  Trace memory, speed;
  for (const physics::TraceLine& line : view.trace) (is_memory(line) ? memory : speed).push_back(line);
  page.add(Heading{say("Explanation"), 2, "explanation"});
  page.line(say("How the figures of the best answer were computed."));
  add_trace(page, say("Memory"), memory);
  add_trace(page, say("Speed"), speed);
  if (view.use != nullptr) {
    add_trace(page, say("Cost of {}", instance_name(view.advice.recommendations.front())),
              view.use->costs.items.front().trace);
    add_trace(page, say("Break-even points of #{}", view.use->item().subject.rank), view.use->break_evens.trace);
  }
  page.add(scores_fold(view.advice));
}

void add_sources(Document& page, const ReportView& view) {
  Uses uses;
  add_prices(view, uses);
  add_facts(view, uses);
  add_payments(view, uses);
  Table table = uses.table(view.catalog);
  if (table.empty()) return;
  page.add(Heading{say("Sources"), 2, "sources"});
  page.line(say("For every price in the ranking, and for the model and GPUs of the first {} ranks.", kRanksDrawn));
  page.add(std::move(table));
}

}  // namespace gpusel::show
