#include "show/here/fit.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/estimate.hpp"
#include "show/job/question.hpp"
#include "show/job/ways_json.hpp"
#include "show/json/tell.hpp"

namespace gpusel::show {

namespace {

using answer::FitAnswer;
using answer::FitHere;
using answer::FitList;
using answer::Room;

std::string room_word(Room room) {
  switch (room) {
    case Room::comfortable: return say("comfortable");
    case Room::fits: return say("fits");
    case Room::tight: return say("tight");
    case Room::no: return say("no");
  }
  return {};
}

Meaning meaning_of_room(Room room) { return room == Room::tight || room == Room::no ? Meaning::warn : Meaning::plain; }

std::string gib_text(Bytes bytes) { return format("{:.1f}", in_gib(bytes)); }

std::vector<Cell> fit_cells(const FitHere& fit) {
  const bool known = fit.need.is_known(), runs = fit.room != Room::no;
  return {fit.format,
          room_word(fit.room),
          known ? answer::chance_words(fit.need.chance()) : std::string("?"),
          figure_cell(known ? gib_text(fit.need.needed) : "?",
                      known ? catalog::Number(in_gib(fit.need.needed)) : std::nullopt),
          figure_cell(!runs                  ? "-"
                      : fit.tokens_per_s > 0 ? human_number(fit.tokens_per_s)
                                             : "?",
                      fit.tokens_per_s > 0 ? catalog::Number(fit.tokens_per_s) : std::nullopt),
          figure_cell(!runs             ? "-"
                      : fit.context > 0 ? human_number(std::floor(fit.context))
                                        : "0",
                      std::floor(fit.context))};
}

std::vector<Column> fit_columns() {
  return {left(say("format"), 0, 0, "format"),
          left(say("room"), 0, 0, "room"),
          right(say("fits"), 2, 0, "fit_probability"),
          right(say("GiB per GPU"), 3, 0, "needed_gib"),
          right(say("tokens/s, 1 user"), 0, 0, "tokens_per_s"),
          right(say("context"), 1, 0, "context")};
}

/// "found by nvidia-smi; 3.1 of 24.0 GiB in use".
std::string found_words(const answer::GpusHere& here) {
  const auto group = here.group();
  double used = 0;
  for (const answer::GpuHere& gpu : group) used = std::max(used, gpu.used_gib);
  std::string words = say("found by {}", here.source);
  constexpr double kWorthSaying = 0.5;
  if (used > kWorthSaying)
    words += say("; other processes use {:.1f} of {:.1f} GiB, excluded here", used, group.front().memory_gib);
  constexpr double kCrowded = 0.5;
  if (used > kCrowded * group.front().memory_gib) words += say("; to free it: stop those that {} lists", here.source);
  if (!group.front().slice.empty()) words += say("; MIG slice {}", printable(group.front().slice));
  return words;
}

void add_here(Document& page, const HereView& view) {
  if (view.here == nullptr) return;
  page.line(secondary(found_words(*view.here)));
  const auto is_slice = [](const answer::GpuHere& gpu) { return !gpu.slice.empty(); };
  const auto group = view.here->group();
  const auto slices = std::ranges::count_if(view.here->gpus, is_slice) - std::ranges::count_if(group, is_slice);
  const auto others = std::ssize(view.here->gpus) - std::ssize(group) - slices;
  if (others > 0)
    page.line(others == 1 ? say("Note: not counting 1 other GPU; select it with --gpu")
                          : say("Note: not counting {} other GPUs; select them with --gpu", others),
              6);
  if (slices > 0)
    page.line(slices == 1 ? say("Note: 1 other MIG slice is excluded: a job uses one")
                          : say("Note: {} other MIG slices are excluded: a job uses one", slices),
              6);
  for (const std::string& note : view.here->notes) page.line(say("Note: {}", printable(note)), 6);
}

void tell_here(JsonOut& out, const physics::Machine& machine, const HereView& view) {
  out.object("machine", [&] {
    out.text("gpu", machine.device.gpu->id);
    out.whole("gpus", machine.gpus());
    out.figure("usable_gib", in_gib(machine.memory()));
    if (view.here == nullptr) {
      out.null("source");
      return;
    }
    out.text("source", view.here->source);
    out.list("found", view.here->gpus, [&](const answer::GpuHere& gpu) {
      out.object(JsonOut::kItem, [&] {
        out.text("name", gpu.name);
        if (gpu.gpu != nullptr)
          out.text("gpu", gpu.gpu->id);
        else
          out.null("gpu");
        out.figure("memory_gib", gpu.memory_gib);
        out.figure("used_gib", gpu.used_gib);
        if (gpu.slice.empty())
          out.null("slice");
        else
          out.text("slice", gpu.slice);
      });
    });
    out.texts("notes", view.here->notes);
  });
}

void tell_fit_here(JsonOut& out, const FitHere& fit) {
  out.text("model", fit.model->id);
  out.text("format", fit.format);
  out.text("room", to_text(fit.room));
  out.figure("needed_gib", in_gib(fit.need.needed));
  out.figure("usable_gib", in_gib(fit.need.available));
  out.figure("fit_probability", fit.need.chance());
  if (fit.tokens_per_s > 0) {
    out.figure("tokens_per_s", fit.tokens_per_s);
    tell_interval(out, "interval", fit.tokens_interval);
  } else {
    out.null("tokens_per_s");
    out.null("interval");
  }
  out.figure("context", std::floor(fit.context));
}

}  // namespace

Table fit_answer_table(const FitAnswer& answer) {
  Table table(fit_columns());
  for (const FitHere& fit : answer.formats) table.add(fit_cells(fit)).meaning = meaning_of_room(fit.room);
  return table;
}

Table fit_list_table(const FitList& list, std::size_t limit) {
  std::vector<Column> columns = {left(say("model"), 0, 0, "model"), right(say("params B"), 4, 0, "params_b")};
  std::ranges::move(fit_columns(), std::back_inserter(columns));
  Table table(std::move(columns));
  for (const FitHere& fit : list.models) {
    if (limit > 0 && table.rows.size() == limit) break;
    const auto params = fit.model->params_b;
    std::vector<Cell> cells = {std::string(fit.model->id), figure_cell(params ? human_number(*params) : "?", params)};
    std::ranges::move(fit_cells(fit), std::back_inserter(cells));
    table.add(std::move(cells)).meaning = meaning_of_room(fit.room);
  }
  return table;
}

Document fit_list_page(const FitList& list, const HereView& view) {
  Document page;
  page.title(say("Language models on {}, one user at a time", spoken_machine(list.machine)));
  add_here(page, view);
  page.gap();
  if (list.models.empty()) return page.line(Text(say("None fits in any format."), Meaning::warn));
  Table table = fit_list_table(list, view.limit);
  const std::size_t shown = table.rows.size();
  page.add(std::move(table));
  const std::size_t more = list.models.size() - shown;
  std::string rest;
  if (more > 0) rest = say("{} more fit (-n {})", more, list.models.size());
  if (list.too_large > 0)
    rest += (rest.empty() ? "" : " · ") + say("{} do not fit in any format (--all)", list.too_large);
  if (!rest.empty()) page.line(secondary(rest));
  // In the format that it was listed in: the model's own may not fit.
  const FitHere& first = list.models.front();
  const std::int64_t parts = view.here != nullptr ? view.here->group().front().parts : 0;
  const std::string gpus = parts > 0                 ? format(":1/{}", parts)
                           : list.machine.gpus() > 1 ? format(":{}", list.machine.gpus())
                                                     : std::string();
  page.gap().line(say("Next: gpusel fit MODEL (every format) · more users: gpusel estimate {} --quant {} --gpu {}{}",
                      first.model->id, first.format, list.machine.device.gpu->id, gpus));
  return page;
}

Document fit_answer_page(const FitAnswer& answer, const HereView& view, bool all) {
  Document page = estimate_page(answer.best, answer.ways, all);
  add_here(page, view);
  if (!answer.formats.empty()) page.gap().add(fit_answer_table(answer));
  const physics::Plan& plan = answer.best.plan;
  if (plan.fits && plan.serving && answer.formats.size() > 1 &&
      answer.formats.front().format != plan.layout.weights->name)
    page.gap().line(say("It fits with --quant {}.", plan.layout.weights->name));
  const auto rented = [](const answer::Advice& advice) {
    const answer::Recommendation& r = advice.recommendations.front();
    return say("{} {}, {}, {}/h", r.instance->provider, printable(r.instance->sku), spoken_machine(r.machine()),
               spoken_money(r.cost.hourly, advice.currency));
  };
  if (answer.cloud || answer.narrower) page.gap();
  if (answer.cloud) page.line(say("Cheapest cloud machine for it: {}", rented(*answer.cloud)));
  if (answer.narrower)
    page.line(say("Cheapest in {}: {}; check quality", answer.narrower->format, rented(answer.narrower->advice)));
  return page;
}

void tell_fit_list(JsonOut& out, const FitList& list, const HereView& view) {
  out.text("schema", "gpusel.fit/1");
  tell_here(out, list.machine, view);
  const std::size_t count = view.limit > 0 ? std::min(view.limit, list.models.size()) : list.models.size();
  out.list("models", std::span(list.models).first(count),
           [&](const FitHere& fit) { out.object(JsonOut::kItem, [&] { tell_fit_here(out, fit); }); });
  out.whole("too_large", static_cast<std::int64_t>(list.too_large));
}

void tell_fit_answer(JsonOut& out, const FitAnswer& answer, const HereView& view) {
  out.text("schema", "gpusel.fit/1");
  tell_here(out, answer.best.machine, view);
  out.truth("fits", answer.best.plan.fits);
  if (answer.best.plan.layout.weights != nullptr)
    out.text("format", answer.best.plan.layout.weights->name);
  else
    out.null("format");
  out.object("answer", [&] { tell_estimate(out, answer.best); });
  out.list("models", answer.formats,
           [&](const FitHere& fit) { out.object(JsonOut::kItem, [&] { tell_fit_here(out, fit); }); });
  tell_ways(out, answer.ways);
  const auto tell_rented = [&](std::string_view key, const answer::Advice* advice, std::string_view format) {
    if (advice == nullptr) return out.null(key);
    const answer::Recommendation& r = advice->recommendations.front();
    out.object(key, [&] {
      out.text("provider", r.instance->provider);
      out.text("sku", r.instance->sku);
      out.whole("nodes", r.machine().nodes);
      out.figure("hourly", r.cost.hourly);
      out.text("currency", advice->currency.code());
      if (!format.empty()) out.text("format", format);
    });
  };
  tell_rented("cloud", answer.cloud ? &*answer.cloud : nullptr, {});
  tell_rented("cloud_narrower", answer.narrower ? &answer.narrower->advice : nullptr,
              answer.narrower ? answer.narrower->format : std::string_view());
}

}  // namespace gpusel::show
