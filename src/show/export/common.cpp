#include "show/export/common.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "answer/stages/data_path.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/places/places.hpp"
#include "show/export/names.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/json/yaml.hpp"
#include "show/render/terminal/terminal.hpp"

namespace gpusel::show {

namespace {

constexpr std::size_t kWidth = 100;

/// Each on lines of its own; a control character in a name is shown, not obeyed.
void add_wrapped(std::vector<std::string>& lines, const std::string& text) {
  const std::string wrapped = wrap(printable(text), kWidth, 0);
  bool first = true;
  for (const std::string_view line : split(wrapped, '\n')) {
    if (!line.empty()) lines.push_back((first ? "" : "  ") + std::string(line));
    first = false;
  }
}

// Of price lists that hold in several regions; no API knows them.
constexpr std::string_view kWholeAreas[] = {"eu", "cn-mainland"};

// A place under the name that a reseller has for it.
constexpr std::string_view kResellersName = "(Shadeform name)";

std::string price_day(const answer::Recommendation& r) {
  const std::string day = Date::from_packed(r.offer->as_of).text();
  return day.empty() ? say("published at an unknown date") : say("published {}", day);
}

std::string chosen_line(const ExportView& view) {
  const answer::Recommendation& r = view.chosen;
  const Currency currency = view.catalog.currency_of(*r.offer);
  return say("rank {} of {}: {} × {} {}, {}, {}, {} {} per instance and hour, {}", r.rank,
             view.advice.recommendations.size(), r.machine().nodes, r.instance->provider, r.instance->sku, r.region->id,
             said(r.offer->term), human_price(r.offer->per_hour()), currency.code(), price_day(r));
}

}  // namespace

std::string layout_of(const ExportView& view, const answer::Recommendation& r) {
  return physics::layout_text(view.advice.work, r.plan().layout);
}

std::vector<std::string> heading_lines(const ExportView& view, const std::vector<std::string>& notes) {
  std::vector<std::string> lines;
  add_wrapped(lines, job_line(view.advice.work));
  add_wrapped(lines, chosen_line(view));
  if (has_plan(view.advice.work)) add_wrapped(lines, say("plan: {}", layout_of(view, view.chosen)));
  if (const std::string odds = odds_text(view.chosen); !odds.empty()) add_wrapped(lines, say("probability: {}", odds));
  if (!view.advice.assumed.empty()) add_wrapped(lines, say("assumed: {}", assumed_line(view.advice.assumed)));
  for (const auto& list : {plan_notes(view), notes})
    for (const std::string& note : list) add_wrapped(lines, "- " + note);
  add_wrapped(lines, say("regenerate with:"));
  lines.push_back("  " + printable(view.replay));  // in one piece, to be copied
  return lines;
}

std::vector<std::string> plan_notes(const ExportView& view) {
  const answer::Recommendation& r = view.chosen;
  std::vector<std::string> notes;
  if (!view.passed_over.empty()) notes.push_back(view.passed_over);
  if (std::string weights = answer::weights_note(view.advice.work); !weights.empty())
    notes.push_back(std::move(weights));
  for (const answer::Remark& remark : r.remarks)
    notes.push_back(remark.severity == rules::Effect::warn ? say("warning: {}", remark.message) : remark.message);
  const answer::Launch launch = launch_of(view);
  const auto fabric = r.instance->rdma;
  if (works_together(view, launch) && fabric && *fabric != catalog::Rdma::none)
    notes.push_back(
        say("the planned speed assumes {} between the instances: the image needs its libraries, and the instances its "
            "interfaces; plain TCP is slower and costs more",
            to_text(*fabric)));
  if (is_spot(r) && view.advice.work.ends())
    notes.push_back(
        say("a spot instance can be reclaimed at any time: keep results on storage that outlives it, and resume from "
            "there"));
  return notes;
}

std::string heading(const ExportView& view, const std::vector<std::string>& notes, std::string_view mark) {
  std::string out;
  for (const std::string& line : heading_lines(view, notes)) out += std::string(mark) + line + "\n";
  return out;
}

std::string yaml_file(const ExportView& view, const std::vector<std::string>& notes,
                      const std::vector<Json>& documents) {
  std::string out = heading(view, notes);
  for (std::size_t i = 0; i < documents.size(); ++i) out += (i == 0 ? "" : "---\n") + yaml(documents[i]);
  return out;
}

std::string job_name(const ExportView& view) {
  constexpr std::size_t kMost = 44;  // KubeRay takes 47 for a RayService; JobSet adds "-worker-0-0-abcde" to 63
  const auto& work = view.advice.work;
  std::string subject(work.model != nullptr ? work.model->id : to_text(work.task));
  if (const catalog::Repository weights = answer::weights_of(work); weights.choice == catalog::RepositoryChoice::asked)
    subject = weights.name.substr(weights.name.rfind('/') + 1);
  std::string name = "gpusel-";
  for (const char c : lower(subject)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain || name.back() != '-') name += plain ? c : '-';
    if (name.size() >= kMost) break;
  }
  while (name.back() == '-') name.pop_back();
  return name;
}

ExportView of_rank(const ExportView& view, const answer::Recommendation& other) {
  return {view.advice,  other,        view.facts,  view.catalog,     view.coefficients,
          view.scaling, view.disk_gb, view.replay, view.pins_region, {}};
}

answer::Launch launch_of(const ExportView& view) {
  auto launch = answer::launch_of(view.advice, view.chosen, view.facts.launches, view.catalog, view.coefficients);
  if (launch) return std::move(*launch);
  answer::Launch none;
  none.copies = view.chosen.machine().nodes;
  return none;
}

std::string why_no_command(const ExportView& view) {
  return answer::why_no_launch(view.advice, view.chosen, view.facts.launches, view.coefficients);
}

std::string machines_alone(const ExportView& view) {
  return say("this file orders the instances and starts nothing on them: {}", why_no_command(view));
}

std::string script_of(const answer::Launch& launch) {
  std::string out;
  for (const std::string& line : launch.lines) out += line + "\n";
  return out;
}

std::vector<std::string> launch_notes(const answer::Launch& launch) {
  std::vector<std::string> notes;
  for (const std::string& remark : launch.remarks) notes.push_back(remark);
  for (const auto& [name, meaning] : launch.env) notes.push_back(say("set {} ({})", name, meaning));
  if (launch.nodes > 1 && launch.copies > 1)
    notes.push_back(say("this is one copy, on {} instances; the plan has {} copies", launch.nodes, launch.copies));
  return notes;
}

bool reads(const answer::Launch& launch, std::string_view variable) {
  return std::ranges::any_of(launch.lines,
                             [&](const std::string& line) { return line.find(variable) != std::string::npos; });
}

bool serves_repository(const answer::Launch& launch) {
  return !launch.served.empty() && launch.served.find(':') == std::string::npos && !reads(launch, " --quantization ");
}

bool reads_rank(const answer::Launch& launch) { return reads(launch, "$RANK") || reads(launch, "$MASTER"); }

bool works_together(const ExportView& view, const answer::Launch& launch) {
  return launch.nodes > 1 || (view.chosen.machine().nodes > 1 && reads(launch, "$MASTER"));
}

int fabric_interfaces(const ExportView& view, const answer::Launch& launch) {
  const catalog::Instance& instance = *view.chosen.instance;
  if (!works_together(view, launch) || instance.rdma != catalog::Rdma::efa) return 0;
  return efa_interfaces(host_type(instance));
}

bool has_output(const answer::Launch& launch) {
  return std::ranges::find(launch.env, kOutputVariable, &std::pair<std::string, std::string>::first) !=
         launch.env.end();
}

answer::Launch without_output(answer::Launch launch) {
  std::erase_if(launch.env, [](const auto& variable) { return variable.first == kOutputVariable; });
  return launch;
}

std::vector<std::pair<std::string, std::string>> open_variables(const answer::Launch& launch) {
  auto open = launch.env;
  std::erase_if(open, [](const auto& variable) { return variable.first == kTokenVariable; });
  return open;
}

std::string vendor_of(const answer::Recommendation& r) { return r.gpu == nullptr ? "" : lower(r.gpu->vendor); }

std::vector<const answer::Recommendation*> interchangeable(const ExportView& view) {
  const answer::Launch launch = launch_of(view);
  std::vector<const answer::Recommendation*> out{&view.chosen};
  for (const answer::Recommendation& other : view.advice.recommendations) {
    if (&other == &view.chosen || other.machine().nodes != view.chosen.machine().nodes) continue;
    if (layout_of(view, other) != layout_of(view, view.chosen)) continue;
    if (vendor_of(other) != vendor_of(view.chosen)) continue;  // other wheels, other images
    const answer::Launch there = launch_of(of_rank(view, other));
    // An image may be of one generation of cards.
    if (there.lines == launch.lines && there.setup == launch.setup && there.image == launch.image)
      out.push_back(&other);
  }
  return out;
}

bool is_spot(const answer::Recommendation& r) { return r.offer->term == catalog::Term::spot; }

bool is_by_the_hour(const answer::Recommendation& r) { return r.offer->term == catalog::Term::on_demand || is_spot(r); }

bool has_region(const answer::Recommendation& r) {
  return !r.region->country.empty() && !r.region->name.ends_with(kResellersName) &&
         !catalog::is_everywhere(r.region->id) && std::ranges::find(kWholeAreas, r.region->id) == std::end(kWholeAreas);
}

int devices_of(const answer::Recommendation& r) { return r.gpu == nullptr ? 0 : r.machine().gpus_per_node; }

std::vector<std::string> term_notes(const answer::Recommendation& r) {
  if (is_by_the_hour(r)) return {};
  return {
      say("the price is that of {}, which must be bought from the provider first: this file starts hourly instances, "
          "billed hourly until then",
          said(r.offer->term))};
}

int start_seconds(const ExportView& view, int least) {
  constexpr double kDownloadGbs = 0.25;  // that an instance gets from Hugging Face when that is slow
  const answer::Recommendation& r = view.chosen;
  double start = least;
  if (view.scaling) start = std::max(start, 2 * view.scaling->cold_start.raw());
  if (const auto first = answer::cold_start(view.advice.work, r.machine(), r.plan(), {*r.instance, r.region->id},
                                            view.catalog, view.coefficients))
    start = std::max(start, launch_of(view).nodes * in_gb(first->weights) / kDownloadGbs + 2 * first->engine.raw());
  return static_cast<int>(std::ceil(start / 60) * 60);
}

int disk_gb(const ExportView& view) {
  constexpr double kStep = 50;
  return static_cast<int>(std::clamp(std::ceil(view.disk_gb / kStep) * kStep, 2 * kStep, 60000.0));
}

std::string disk_note(const ExportView& view) {
  return say(
      "disk of {} GB: data, model and one checkpoint as far as they are known, 100 GB for system and software, "
      "rounded up",
      disk_gb(view));
}

Status check_type(const answer::Recommendation& r) {
  if (r.gpu == nullptr || r.instance->sku != format("{}x-{}", r.machine().gpus_per_node, r.gpu->id)) return {};
  return cannot(say("the price list of {} names no instance type for {}", r.instance->provider, r.instance->sku));
}

std::unexpected<Error> cannot(std::string message) { return usage_error(std::move(message)); }

}  // namespace gpusel::show
