#include "show/lists/compare.hpp"

#include <algorithm>
#include <functional>

#include "answer/facts/candidates.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/catalogue/catalog.hpp"
#include "show/job/estimate.hpp"
#include "show/job/question.hpp"
#include "show/lists/compare_brief.hpp"
#include "show/lists/words.hpp"

namespace gpusel::show {

std::string counted_gpus(const answer::Compared& item, const std::string& name) {
  const catalog::Number each = item.instance != nullptr ? item.instance->gpu_count : std::nullopt;
  if (!each || *each >= 1) return item.gpus() == 1.0 ? name : format("{} × {}", share_text(item.gpus()), name);
  const std::string part = format("{} {}", share_text(each), name);
  return item.count == 1 ? part : format("{} × {}", human_number(item.count), part);
}

namespace {

using answer::Better;
using answer::CompareAnswer;
using answer::Compared;
using answer::ComparedFigure;
using answer::FigureOf;
using answer::Value;

constexpr std::string_view kUnknownFigure = "?";
constexpr std::string_view kDoesNotApply = "-";

bool is_money(const ComparedFigure& figure) { return figure.title.find("{}") != std::string_view::npos; }

std::string title_of(const ComparedFigure& figure, const CompareAnswer& comparison) {
  std::string title = say_text(figure.title);
  if (const auto place = title.find("{}"); place != std::string::npos)
    title.replace(place, 2, comparison.currency.code());
  return title;
}

/// Three figures also of an amount far below one, as prices per unit are.
std::string money(double amount) { return amount < 0.995 ? format("{:#.3g}", amount) : human_price(amount); }

std::string shown(const ComparedFigure& figure, const Value& value) {
  if (!value.applies) return std::string(kDoesNotApply);
  if (!value.number) return std::string(kUnknownFigure);
  if (is_money(figure)) return money(*value.number);
  const bool of_hardware = figure.of == FigureOf::gpu || figure.of == FigureOf::host;
  if (*value.number == 0 && of_hardware) return say("none");
  if (figure.key == "gpus") return share_text(value.number);
  return *value.number < 0.01 ? format("{:.2g}", *value.number) : human_number(*value.number);
}

std::string ratio_text(double ratio) {
  if (ratio == 1) return "×1";
  if (ratio >= 100) return format("×{:.0f}", ratio);
  if (ratio >= 10) return format("×{:.1f}", ratio);
  return ratio < 0.1 ? format("×{:.2g}", ratio) : format("×{:.2f}", ratio);
}

/// Words about a part; nothing where the item has none, "?" where it is not known.
using Words = std::function<std::string(const Compared&)>;
Words of_gpu(const std::function<std::string(const catalog::Gpu&)>& words) {
  return [words](const Compared& item) {
    if (item.has_no_gpu()) return std::string(kDoesNotApply);
    const std::string text = item.gpu == nullptr ? std::string() : words(*item.gpu);
    return text.empty() ? std::string(kUnknownFigure) : printable(text);
  };
}
Words of_host(const std::function<std::string(const catalog::Instance&)>& words) {
  return [words](const Compared& item) {
    if (item.instance == nullptr) return std::string(kDoesNotApply);
    const std::string text = words(*item.instance);
    return text.empty() ? std::string(kUnknownFigure) : printable(text);
  };
}
Words of_offer(const std::function<std::string(const catalog::Offer&)>& words) {
  return
      [words](const Compared& item) { return item.offer == nullptr ? std::string(kDoesNotApply) : words(*item.offer); };
}

std::string gpu_words(const Compared& item) {
  if (item.has_no_gpu()) return say("none");
  const std::string name = item.gpu != nullptr ? std::string(item.gpu->id) : say("undisclosed");
  return counted_gpus(item, name);
}

class Rows {
 public:
  Rows(const CompareAnswer& comparison, bool all)
      : comparison_(comparison),
        all_(all),
        several_(std::any_of(comparison.items.begin(), comparison.items.end(),
                             [](const Compared& item) { return !item.has_no_gpu() && item.gpus() != 1.0; })) {}

  void words(const std::string& title, const Words& of) {
    SideRow row{title, {}};
    for (const Compared& item : comparison_.items) row.cells.push_back({of(item), {}, false, false});
    add(std::move(row));
  }

  void figures(FigureOf of) {
    const auto all = answer::figures();
    for (std::size_t at = 0; at < all.size(); ++at) {
      const ComparedFigure& figure = all[at];
      if (figure.of != of || (!several_ && of == FigureOf::all_gpus)) continue;
      SideRow row{title_of(figure, comparison_), {}};
      bool complete = true;
      for (const Compared& item : comparison_.items) {
        const Value& value = item.values[at];
        complete = complete && (value.number.value_or(0) > 0 || (!value.applies && of == FigureOf::job));
        SideCell cell{shown(figure, value), {}, true, value.best};
        if (value.ratio && figure.better != Better::neither && &item != comparison_.items.data())
          cell.ratio = ratio_text(*value.ratio);
        row.cells.push_back(std::move(cell));
      }
      if (!complete && figure.only_if_all) continue;
      // Of one GPU each, what it costs and what its GPU costs are one row.
      const bool repeats = figure.key == "price_per_hour_per_gpu" && !rows_.empty() && same_cells(row, rows_.back());
      if (!repeats) add(std::move(row));
    }
  }

  /// An empty line, unless nothing came since the last one.
  void group() {
    if (!rows_.empty() && !rows_.back().cells.empty()) rows_.push_back({});
  }

  std::vector<SideRow> take() {
    while (!rows_.empty() && rows_.back().cells.empty()) rows_.pop_back();
    return std::move(rows_);
  }

  void fold(Document& page) const {
    if (!same_.empty()) page.line(secondary(say("same for all: {}", same_)));
    if (!unknown_.empty()) page.line(secondary(say("unknown for all: {}", unknown_)));
  }

 private:
  /// Rows that tell no item from another are kept for the end, if at all.
  void add(SideRow row) {
    const bool equal = row.all_equal();
    if (equal && row.cells.front().text == kDoesNotApply) return;
    if (!equal || all_) {
      rows_.push_back(std::move(row));
      return;
    }
    const bool unknown = row.cells.front().text == kUnknownFigure;
    std::string& list = unknown ? unknown_ : same_;
    list += (list.empty() ? "" : " · ") + (unknown ? row.title : in_one(row.title, row.cells.front().text));
  }

  static bool same_cells(const SideRow& a, const SideRow& b) {
    return std::ranges::equal(a.cells, b.cells, {}, &SideCell::text, &SideCell::text);
  }

  /// "bandwidth 600 GB/s" of "bandwidth, GB/s" and 600.
  static std::string in_one(const std::string& title, const std::string& value) {
    const auto comma = title.find(", ");
    if (comma == std::string::npos) return format("{} {}", title, value);
    const bool counted = value.find_first_of("0123456789") != std::string::npos;
    return format("{} {}{}", title.substr(0, comma), value, counted ? " " + title.substr(comma + 2) : std::string());
  }

  const CompareAnswer& comparison_;
  bool all_;
  bool several_;  // some item is not one GPU, so that figures of one and of all differ
  std::vector<SideRow> rows_;
  std::string same_, unknown_;
};

void identity_rows(Rows& rows, const CompareAnswer& comparison) {
  rows.words(say("provider"), of_host([](const auto& i) { return std::string(i.provider); }));
  const bool bare = std::all_of(comparison.items.begin(), comparison.items.end(),
                                [](const Compared& i) { return i.instance == nullptr; });
  if (!bare) rows.words(say("GPU"), gpu_words);
  rows.words(say("status"), of_host([](const auto& i) { return said(i.status); }));
}

void job_rows(Rows& rows, const CompareAnswer& comparison) {
  if (!comparison.work) return;
  rows.group();
  rows.words(say("job fits"), [](const Compared& i) {
    if (i.usable() && i.fit.short_verdict() == answer::Verdict::risky)
      return say("risky, {}", answer::chance_words(i.planned->plan.need.chance()));
    return i.usable() ? say("yes") : say("no");
  });
  rows.words(say("GiB per GPU needed"), [](const Compared& i) {
    if (i.planned == nullptr) return std::string(kDoesNotApply);
    return say("{:.1f} of {:.1f}", in_gib(i.planned->plan.need.needed), in_gib(i.planned->machine.device.usable));
  });
  rows.figures(FigureOf::job);
  rows.figures(FigureOf::whole_job);
}

void gpu_rows(Rows& rows) {
  rows.group();
  rows.words(say("architecture"), of_gpu([](const auto& g) { return std::string(g.architecture); }));
  rows.words(say("form"), of_gpu([](const auto& g) { return std::string(g.form_factor); }));
  rows.words(say("capability"), of_gpu([](const auto& g) { return std::string(g.compute_capability); }));
  rows.words(say("memory type"), of_gpu([](const auto& g) { return std::string(g.memory_type); }));
  rows.figures(FigureOf::gpu);
  rows.words(say("AV1 encoding"), of_gpu([](const auto& g) { return in_words(g.av1_encode); }));
}

void host_rows(Rows& rows) {
  rows.group();
  rows.figures(FigureOf::all_gpus);
  rows.words(say("link in the node"),
             of_host([](const auto& i) { return i.gpu.empty() ? std::string(kDoesNotApply) : in_words(i.link); }));
  rows.figures(FigureOf::host);
  rows.words(say("RDMA"), of_host([](const auto& i) { return in_words(i.rdma); }));
  rows.words(say("CPU"), of_host([](const auto& i) { return std::string(to_text(i.cpu_arch)); }));
}

Rows all_rows(const CompareAnswer& comparison, const catalog::Catalog& catalog, bool all) {
  Rows rows(comparison, all);
  identity_rows(rows, comparison);
  rows.group();
  rows.figures(FigureOf::price);
  rows.words(say("term"), of_offer([](const auto& offer) { return said(offer.term); }));
  rows.words(say("price as of"), of_offer([](const auto& offer) {
               const Date date = Date::from_packed(offer.as_of);
               return date.known() ? date.text() : say("undated");
             }));
  if (all)
    rows.words(say("priced at"), [&](const Compared& item) {
      if (item.offer == nullptr) return std::string(kDoesNotApply);
      return format("{} {} {}", item.offered_by->provider, printable(item.offered_by->sku),
                    printable(catalog.region_of(*item.offer).id));
    });
  job_rows(rows, comparison);
  gpu_rows(rows);
  host_rows(rows);
  return rows;
}

/// Those that say something.
std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& one : words)
    if (!one.empty()) list += (list.empty() ? "" : ", ") + one;
  return list;
}

/// Why there is no price: what is known not to be sold, and which other terms have one.
std::string no_price(const Compared& item, const CompareAnswer& comparison, const catalog::Catalog& catalog) {
  std::string line = say("{}: no price on record for these terms", compared_name(item));
  if (item.instance == nullptr) return line;
  for (const catalog::OfferState& state : catalog.states_of(*item.instance)) {
    const std::string term(state.term ? to_text(*state.term) : std::string_view());
    if (!term.empty() && std::ranges::find(comparison.terms, term) == comparison.terms.end()) continue;
    add_clause(line, list_of({said(state.state), term, printable(state.region)}));
    if (!state.note.empty()) line += format(" ({})", printable(state.note));
  }
  const auto others = answer::priced_terms(*item.instance, catalog, comparison.today);
  return others.empty() ? line : say("{}; other terms or places: {}", line, list_of(others));
}

/// What is paid for what, where, since when, and who says so.
std::string price_line(const Compared& item, const CompareAnswer& comparison, const catalog::Catalog& catalog) {
  if (item.offer == nullptr) return no_price(item, comparison, catalog);
  const catalog::Origin& origin = catalog.origin_of(*item.offer);
  const Currency own = catalog.currency_of(*item.offer);
  const std::string price = format("{} {}", money(item.hourly), comparison.currency.code());
  const double gpus = item.offered_by->gpu_count.value_or(1);
  std::string line = item.instance != nullptr ? say("{}: {} per hour", printable(item.instance->sku), price)
                     : gpus == 1 ? say("{}: {} per hour of {}", item.gpu->id, price, printable(item.offered_by->sku))
                                 : say("{}: {} per GPU and hour, 1/{} of {}", item.gpu->id, price, human_number(gpus),
                                       printable(item.offered_by->sku));
  if (own != comparison.currency) {
    line += say(", {} {} at {:.4g} {} per {}", human_price(item.offer->per_hour()), own.code(), item.exchange.rate,
                comparison.currency.code(), own.code());
    if (item.exchange.as_of.known()) line += say(" of {}", item.exchange.as_of.text());
  }
  const Date date = Date::from_packed(item.offer->as_of);
  line += format(", {} {}, {}, {}", item.offered_by->provider, printable(catalog.region_of(*item.offer).id),
                 said(item.offer->term), date.known() ? date.text() : say("undated"));
  return line + format(" ({}, {})", origin.source.empty() ? say("no source") : printable(origin.source),
                       said(origin.confidence));
}

/// How the job runs, and what 80 of 100 measurements should show; or what is missing.
std::string compared_plan_text(const Compared& item, const job::Job& work) {
  if (!item.usable()) return say("{}: no: {}", compared_name(item), item.problem);
  const auto& counted = work.counted;
  const auto& range = item.intervals.rate;
  return say("{}: {}; 80 % of runs {} to {} {}", compared_name(item),
             physics::plan_text(work, item.planned->plan.layout), human_number(range.low), human_number(range.high),
             counted ? say_name(counted->unit.rate) : say("tokens/s"));
}

/// Which benchmark the Blender row is of, and how far each score can be trusted.
std::string blender_note(const CompareAnswer& comparison) {
  std::vector<std::string> scores;
  for (const Compared& item : comparison.items) {
    if (item.blender == nullptr) continue;
    const catalog::RenderScore& score = *item.blender;
    std::string runs;
    if (score.samples) runs = score.samples == 1.0 ? say("1 run") : say("{} runs", human_number(*score.samples));
    std::string line =
        format("{} ({})", item.gpu->id,
               list_of({printable(score.backend), runs, printable(score.source), said(score.confidence)}));
    if (std::find(scores.begin(), scores.end(), line) == scores.end()) scores.push_back(std::move(line));
  }
  const std::string list = clauses(scores);
  return list.empty() ? list
                      : say("Blender score: samples per minute of benchmark {}; {}.",
                            printable(comparison.blender_version), list);
}

/// Each said once, in the order of the columns.
std::vector<std::string> notes_of(const CompareAnswer& comparison) {
  std::vector<std::string> notes;
  const auto add = [&](std::string note) {
    if (!note.empty() && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  };
  for (const Compared& item : comparison.items) {
    if (item.instance != nullptr) add(printable(say_text(item.instance->caution)));
    if (item.gpu != nullptr && !item.gpu->caution.empty())
      add(format("{}: {}", item.gpu->id, printable(say_text(item.gpu->caution))));
    if (item.gpu != nullptr && item.gpu->bf16_dense_tflops.value_or(0) > item.gpu->fp16_dense_tflops.value_or(0))
      add(say("{}: figures per FP16 TFLOPS are per TFLOPS of BF16, its faster 16-bit format.", item.gpu->id));
    const auto count = item.instance != nullptr ? item.instance->gpu_count : std::nullopt;
    if (item.gpu != nullptr && count && *count > 0 && *count < 1)
      add(say("{} has {} of one {}: its rows per GPU are those of the whole GPU.", printable(item.instance->sku),
              share_text(count), item.gpu->id));
  }
  for (const Compared& item : comparison.items)
    if (item.price_is_guess) add(format("{}: {}", compared_name(item), answer::guess_text()));
  for (const Compared& item : comparison.items)
    if (item.instance != nullptr && item.count > 1)
      add(say("{}: vCPU, host memory, SSD and network are those of one of them.", compared_name(item)));
  add(blender_note(comparison));
  return notes;
}

void add_sources(Document& page, const CompareAnswer& comparison, const catalog::Catalog& catalog) {
  std::vector<std::string> prices;
  std::vector<std::string> plans;
  for (const Compared& item : comparison.items) {
    prices.push_back(price_line(item, comparison, catalog));
    if (comparison.work) plans.push_back(compared_plan_text(item, *comparison.work));
  }
  if (comparison.work) page.gap().line(say("assumed: {}", assumed_line(comparison.work->assumed)));
  page.section(say("plans"), plans).section(say("prices: the lowest known, {}", list_of(comparison.terms)), prices);
}

/// Every figure, each with its ratio to the first item's.
void add_specs(Document& page, const CompareAnswer& comparison, const catalog::Catalog& catalog, bool all) {
  std::vector<std::string> names;
  for (const Compared& item : comparison.items) names.push_back(compared_name(item));
  SideBySide table(std::move(names));
  Rows rows = all_rows(comparison, catalog, all);
  for (SideRow& row : rows.take()) table.add(std::move(row));
  page.gap().add(std::move(table)).gap();
  rows.fold(page);
  page.line(secondary(
      say("×: to {}; *: best of its row; ?: unknown; -: does not apply", compared_name(comparison.items.front()))));
}

/// What the name of an instance is often mistaken for; among the notes of --specs as well.
std::vector<std::string> cautions_of(const CompareAnswer& comparison) {
  std::vector<std::string> lines;
  for (const Compared& item : comparison.items) {
    if (item.instance == nullptr || item.instance->caution.empty()) continue;
    std::string line = printable(say_text(item.instance->caution));
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

/// What nobody who acts on the figures may miss.
std::vector<std::string> warnings_of(const CompareAnswer& comparison, const catalog::Catalog& catalog) {
  std::vector<std::string> lines;
  for (const Compared& item : comparison.items) {
    if (item.price_is_guess) lines.push_back(format("{}: {}", compared_name(item), answer::guess_text()));
    if (item.offer == nullptr) lines.push_back(no_price(item, comparison, catalog));
  }
  return lines;
}

}  // namespace

std::string compared_name(const Compared& item) {
  const std::string name = item.instance != nullptr ? printable(item.instance->sku) : std::string(item.gpu->id);
  return item.counted ? format("{} × {}", human_number(item.count), name) : name;
}

Document compare_page(const CompareAnswer& comparison, const catalog::Catalog& catalog, const CompareView& view) {
  Document page;
  if (comparison.work) {
    page.title(say("{}, on each", spoken_question(*comparison.work) +
                                      end_words(*comparison.work, comparison.asked, comparison.currency)));
  } else {
    std::vector<std::string> names;
    for (const Compared& item : comparison.items) names.push_back(compared_name(item));
    page.page_title(list_of(names));
  }
  for (const Text& sentence : compare_sentences(comparison)) page.line(sentence);
  page.gap().add(compare_brief_table(comparison));
  const std::vector<std::string> warnings = warnings_of(comparison, catalog);
  if (!view.specs)
    for (const std::string& one : cautions_of(comparison)) page.line(Text(say("Note: {}", one), Meaning::warn), 6);
  if (!view.sources)
    for (const std::string& one : warnings) page.line(Text(say("Note: {}", one), Meaning::warn), 6);
  std::vector<std::string> terms;
  for (const std::string& term : comparison.terms) terms.push_back(say_name(term));
  if (!view.specs || !view.sources)
    page.gap().line(secondary(
        view.specs     ? say("--sources adds where prices come from, and the plans")
        : view.sources ? say("--specs adds the hardware")
                       : say("*: best. Prices: {}, cheapest seller, estimated for today. --specs adds the hardware, "
                             "--sources where prices come from",
                             list_of(terms))));
  if (view.specs) add_specs(page, comparison, catalog, view.all);
  if (view.sources) add_sources(page, comparison, catalog);
  if (view.specs) page.section(say("notes"), notes_of(comparison));
  // Formulas behind the job's figures, under the item they are of.
  for (const Compared& item : comparison.items)
    if (!item.trace.empty()) page.heading(compared_name(item)).derivation(derivation_of(item.trace));
  return page;
}

}  // namespace gpusel::show
