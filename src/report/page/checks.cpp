// What an engineer checks: every figure with its formula, every fact with its source and day.
#include <algorithm>
#include <set>

#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "report/candidate.hpp"
#include "report/render/html.hpp"
#include "report/page/parts.hpp"

namespace gpusel::report {

namespace {

using advise::Recommendation;
using estimate::Trace;

std::string trace_html(const std::string& title, const Trace& trace) {
  if (trace.empty()) return {};
  std::string rows;
  for (const estimate::TraceLine& line : trace)
    rows += format(
        "<tr><td>{}</td><td class=\"num\">{}</td><td class=\"formula\">{}<span class=\"where\">{}</span></td><td "
        "class=\"text\">{}</td></tr>\n",
        html_text(line.quantity), html_text(line.value.text), html_text(line.formula),
        html_text(line.substituted.empty() ? "" : "= " + line.substituted), html_text(line.source));
  return format(
      "<details class=\"trace\"><summary><span class=\"count\">{}</span>{}</summary>\n<div class=\"wide\"><table "
      "class=\"full\"><thead><tr><th>{}</th><th "
      "class=\"num\">{}</th><th>{}</th><th>{}</th></tr></thead><tbody>\n{}</tbody>"
      "</table></div></details>\n",
      trace.size(), html_text(title), html_text(say("Figure")), html_text(say("Value")),
      html_text(say("Formula, with its figures")), html_text(say("Source")), rows);
}

std::string score_html(const advise::Advice& advice) {
  std::string rows;
  for (const Recommendation& r : advice.recommendations) {
    if (static_cast<std::size_t>(r.rank) > kRanksDrawn) break;
    std::string parts;
    for (const auto& part : r.parts)
      parts += (parts.empty() ? "" : " + ") +
               format("{} {:.1f} ({:.2f} × {:.3f})", part.name, part.points, part.weight, part.value);
    rows +=
        format("<tr><td class=\"num\">{}</td><td>{}</td><td class=\"num\">{:.1f}</td><td class=\"text\">{}</td></tr>\n",
               r.rank, html_text(instance_name(r)), r.score, html_text(parts));
  }
  return format(
      "<details class=\"trace\"><summary><span class=\"count\">{}</span>{}</summary>\n<div class=\"wide\"><table "
      "class=\"full\"><thead><tr><th class=\"num\">#</th><th>{}</th><th "
      "class=\"num\">{}</th><th>{}</th></tr></thead><tbody>\n{}"
      "</tbody></table></div></details>\n",
      std::min(kRanksDrawn, advice.recommendations.size()), html_text(say("Scores")), html_text(say("Instance")),
      html_text(say("Score")), html_text(say("Points (weight × value)")), rows);
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

  std::string html(const catalog::Catalog& catalog) const {
    std::string rows;
    for (const Use& use : all_) {
      std::string of;
      for (const std::string& what : use.of) of += (of.empty() ? "" : "; ") + what;
      rows += row(use.key, of, catalog.source(use.key));
    }
    return rows;
  }

 private:
  struct Use {
    std::string key;
    std::vector<std::string> of;
  };

  static std::string row(const std::string& key, const std::string& of, const catalog::Source* source) {
    std::string document, date, confidence;
    if (source != nullptr) {
      document = format("{}, {}<span class=\"where\">{}</span>", html_text(source->publisher),
                        html_text(source->document), html_text(source->url));
      date = source->date.known() ? source->date.text() : say("undated");
      confidence = to_text(source->confidence);
    }
    return format(
        "<tr data-source=\"{0}\"><td class=\"text\"><code>{0}</code><span class=\"where\">{1}</span></td><td "
        "class=\"text\">{2}</td><td>{3}<span class=\"where\">{4}</span></td></tr>\n",
        html_text(key), html_text(of), document, html_text(date), html_text(confidence));
  }

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
        if (rate.currency == r.cost.offer.currency || rate.currency == view.advice.currency)
          uses.add(rate.source, say("{} per USD of {}", rate.currency.code(), rate.as_of.text()));
}

void add_payments(const ReportView& view, Uses& uses) {
  if (view.use == nullptr) return;
  for (const advise::CostItem& item : view.use->costs.items)
    for (const advise::TermCost& term : item.terms) {
      const Date date = Date::from_packed(term.offer->as_of);
      uses.add(view.catalog.origin_of(*term.offer).source,
               say("{} of #{}, {}", to_text(term.offer->term), item.subject.rank,
                   date.known() ? date.text() : say("undated")));
    }
  if (view.use->break_evens.spot && view.use->break_evens.spot->market != nullptr)
    uses.add(view.use->break_evens.spot->market->source, say("interruptions of spot instances"));
  for (const advise::Ownership& own : view.use->break_evens.ownership)
    if (own.record != nullptr) uses.add(own.record->source, say("purchase of {}", own.record->id));
}

}  // namespace

std::string explanation_html(const ReportView& view) {
  if (view.advice.recommendations.empty()) return {};
  const auto is_memory = [](const estimate::TraceLine& line) {
    return line.quantity.starts_with("memory.") || line.quantity.starts_with("workspace.");
  };
  Trace memory, speed;
  for (const estimate::TraceLine& line : view.trace) (is_memory(line) ? memory : speed).push_back(line);
  std::string out = html_paragraph(say("The figures of the best answer, as they were worked out.")) +
                    trace_html(say("Memory"), memory) + trace_html(say("Speed"), speed);
  if (view.use != nullptr) {
    out += trace_html(say("Cost of {}", instance_name(view.advice.recommendations.front())),
                      view.use->costs.items.front().trace);
    out += trace_html(say("Break-even points of #{}", view.use->item().subject.rank), view.use->break_evens.trace);
  }
  return html_section(say("Explanation"), out + score_html(view.advice), "explanation");
}

std::string sources_html(const ReportView& view) {
  Uses uses;
  add_prices(view, uses);
  add_facts(view, uses);
  add_payments(view, uses);
  const std::string rows = uses.html(view.catalog);
  if (rows.empty()) return {};
  return html_section(
      say("Sources"),
      html_paragraph(
          say("Of every price in the ranking, and of the model and the GPUs of the first {} ranks.", kRanksDrawn)) +
          format("<div class=\"wide\"><table class=\"full\"><thead><tr><th>{}</th><th>{}</th><th>{}</th></tr></thead>"
                 "<tbody>\n{}</tbody></table></div>\n",
                 html_text(say("Source and what rests on it")), html_text(say("Document")), html_text(say("Day")),
                 rows),
      "sources");
}

}  // namespace gpusel::report
