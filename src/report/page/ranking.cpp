// Every answer in one table, which the page's script sorts and filters and which stands without it.
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

/// Columns that a phone has no room for; "extra": nor paper.
constexpr std::string_view kSpare = "spare";

std::string gpu_id(const Recommendation& r) { return r.gpu != nullptr ? std::string(r.gpu->id) : say("CPU"); }

std::string options_html(const std::set<std::string>& values) {
  std::string out = format("<option value=\"\">{}</option>", html_text(say("all")));
  for (const std::string& value : values) out += format("<option value=\"{0}\">{0}</option>", html_text(value));
  return out;
}

/// Hidden until a script is there to obey it.
std::string controls_html(const advise::Advice& advice) {
  std::set<std::string> providers, gpus, terms;
  for (const Recommendation& r : advice.recommendations) {
    providers.emplace(r.instance->provider);
    gpus.insert(gpu_id(r));
    terms.emplace(to_text(r.offer->term));
  }
  const auto select = [](std::string_view key, const std::string& label, const std::set<std::string>& values) {
    return format("<label>{}<select name=\"{}\">{}</select></label>\n", html_text(label), key, options_html(values));
  };
  return format("<form class=\"controls\" hidden>\n<label>{}<input type=\"search\" name=\"text\"></label>\n",
                html_text(say("Filter, as in {}", "h100 us-east"))) +
         select("provider", say("Provider"), providers) + select("gpu", say("GPU"), gpus) +
         select("term", say("Term"), terms) +
         format("<output aria-live=\"polite\" data-text=\"{}\"></output>\n</form>\n",
                html_text(say_text("{} of {} shown")));
}

std::string head_html(const advise::Advice& advice) {
  const std::string currency(advice.currency.code());
  const auto& counted = advice.work.counted;
  const std::string each = counted ? format("{}/{}", currency, counted->unit.column) : say("{}/M tok", currency);
  struct Head {
    std::string name;
    std::string_view kind;  // classes
  };
  const Head heads[] = {{"#", "num"},
                        {say("Instance"), ""},
                        {say("GPUs and plan"), kSpare},
                        {ends(advice.work) ? say("{} total", currency) : each, "num"},
                        {currency + "/h", "num"},
                        {ends(advice.work) ? say("Time") : say("Speed"), "num"},
                        {say("GiB/GPU"), "num spare extra"},
                        {say("Score"), "num extra"},
                        {say("Price of"), kSpare},
                        {say("Frontier"), "extra"},
                        {say("Warnings"), "num spare"}};
  std::string out;
  for (const auto& [name, kind] : heads)
    out += format("<th scope=\"col\"{}>{}</th>", kind.empty() ? "" : format(" class=\"{}\"", kind), html_text(name));
  return "<thead><tr>" + out + "</tr></thead>\n";
}

std::string two_lines(std::string_view first, std::string_view second, std::string_view kind) {
  return format("<td class=\"{}\">{}<span class=\"where\">{}</span></td>", kind, html_text(first), html_text(second));
}

/// Where there is no room for the GPUs' own column, they stand here.
std::string instance_cell(const Recommendation& r) {
  return format("<td class=\"instance\">{}<span class=\"where\">{}</span><span class=\"where narrow\">{}</span></td>",
                html_text(instance_name(r)), html_text(format("{} · {}", r.region->id, to_text(r.offer->term))),
                html_text(gpus_text(r)));
}

std::string warnings_cell(const Recommendation& r) {
  std::string rules;
  int count = 0;
  for (const auto& remark : r.remarks) {
    if (remark.severity != rules::Effect::warn) continue;
    ++count;
    rules += (rules.empty() ? "" : ", ") + remark.rule;
  }
  const std::string shown =
      count > 0 ? format("<a href=\"#warnings\" title=\"{}\">{}</a>", html_text(rules), count) : "";
  return format("<td class=\"num spare\" data-value=\"{}\">{}</td>", count, shown);
}

std::string row_html(const advise::Advice& advice, const Recommendation& r) {
  const bool whole = ends(advice.work);
  const std::optional<double> each = advice.work.counted ? r.cost.per_unit : r.cost.per_million_tokens;
  const std::optional<double> paid = whole ? std::optional(r.cost.total) : each;
  const double need = in_gib(r.memory().total()), have = in_gib(r.machine().memory());
  std::string out = format("<tr{} data-rank=\"{}\" data-provider=\"{}\" data-gpu=\"{}\" data-term=\"{}\">",
                           r.rank == 1 ? " class=\"best\"" : "", r.rank, html_text(r.instance->provider),
                           html_text(gpu_id(r)), html_text(to_text(r.offer->term)));
  out += number_cell(r.rank, format("{}", r.rank));
  out += instance_cell(r);
  out += two_lines(gpus_text(r), plan_text(advice.work, r), "plan spare");
  out += number_cell(paid, paid ? human_price(*paid) : std::string("–"));
  out += number_cell(r.cost.hourly, human_price(r.cost.hourly));
  out += number_cell(whole ? r.cost.hours : plan::rate_of(r.choice()), speed_text(advice.work, r));
  out += number_cell(need, format("{:.0f} / {:.0f}", need, have), "spare extra");
  out += number_cell(r.score, format("{:.1f}", r.score), "extra");
  out += format("<td class=\"date spare\">{}</td>", html_text(price_date(r)));
  out += format("<td class=\"extra\">{}</td>", r.pareto ? html_text(say("yes")) : "");
  return out + warnings_cell(r) + "</tr>\n";
}

}  // namespace

std::string ranking_html(const ReportView& view) {
  const advise::Advice& advice = view.advice;
  if (advice.recommendations.empty()) return {};
  std::string rows;
  for (const Recommendation& r : advice.recommendations) rows += row_html(advice, r);
  const std::string heading = say("Ranking");
  const std::string caption =
      say("{} instances meet this, each at its best price. On the frontier is what nothing beats in both cost and {}.",
          advice.recommendations.size(),
          ends(advice.work)                                            ? say("time")
          : advice.work.inference.request_rate && !advice.work.counted ? say("latency")
                                                                       : say("throughput"));
  const advise::TermCost* best = priced_term(view);
  const bool more = best != nullptr && (!best->lines.empty() || priced_item(view)->duty.is_given());
  const std::string alone =
      more ? html_paragraph(
                 say("Prices in the table are of the instances alone, in use round the clock; the sums of the "
                     "best, at the top, have the duty cycle and what comes beside."))
           : std::string();
  return html_section(
      heading,
      html_paragraph(caption) + alone + controls_html(advice) +
          format("<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table class=\"sortable "
                 "full\">\n{}"
                 "<tbody>\n{}</tbody>\n</table>\n</div>\n<button type=\"button\" class=\"more\" hidden data-all=\"{}\" "
                 "data-fewer=\"{}\"></button>\n",
                 html_text(heading), head_html(advice), rows, html_text(say_text("all {}")),
                 html_text(say("the first ten"))),
      "ranking");
}

}  // namespace gpusel::report
