#include "show/here/preflight.hpp"

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/estimate.hpp"
#include "show/job/question.hpp"
#include "show/job/ways_json.hpp"
#include "show/json/tell.hpp"

namespace gpusel::show {

namespace {

using answer::LineOutcome;
using answer::Preflight;
using answer::Refused;

std::string outcome_words(LineOutcome outcome) {
  switch (outcome) {
    case LineOutcome::starts: return say("STARTS");
    case LineOutcome::risky: return say("RISKY");
    case LineOutcome::out_of_memory: return say("OUT OF MEMORY");
    case LineOutcome::refused: return say("REFUSED");
  }
  return {};
}

/// "YES: 16.2 of 22.0 GiB per GPU …" less its first word, which the outcome has said.
std::string memory_words(const answer::EstimateAnswer& answer) {
  const physics::MemoryNeed& need = answer.plan.need;
  if (!answer.plan.fits) return answer.plan.problem.text();
  if (!need.is_known()) return {};
  return say("needs {:.1f} of {:.1f} GiB per GPU (fits {})", in_gib(need.needed), in_gib(need.available),
             answer::chance_words(need.chance()));
}

std::string url_of(const std::string& source, const catalog::Catalog& catalog) {
  for (const catalog::Source& known : catalog.sources())
    if (known.key == source) return std::string(known.url);
  return {};
}

void add_refusals(Document& page, const Preflight& answer, const catalog::Catalog& catalog) {
  for (const Refused& refused : answer.refusals) {
    page.line(Text(say("  refused: {}", printable(refused.says)), Meaning::warn), 4);
    if (!refused.would.empty()) page.line(say("  would start: {}", printable(refused.would)), 4);
    if (const std::string url = url_of(refused.source, catalog); !url.empty())
      page.line(secondary(say("  source: {}", url)), 4);
  }
}

void add_room(Document& page, const Preflight& answer) {
  if (answer.outcome == LineOutcome::refused || !answer.answer || !answer.answer->plan.fits) return;
  const answer::EstimateAnswer& estimate = *answer.answer;
  if (answer.requests && estimate.work.model->is_generator()) {
    const auto& job = estimate.work.inference;
    page.line(say("room: {} requests of {} + {} tokens at once; one request may have {} tokens",
                  human_number(*answer.requests), job.input_tokens, job.output_tokens,
                  human_number(answer.longest.value_or(0))));
  }
  if (answer.largest_batch && *answer.largest_batch > 0)
    page.line(say("room: batches of up to {} per GPU at this length, sequences of up to {} tokens at this batch",
                  *answer.largest_batch, answer.longest_sequence.value_or(0)));
}

void add_speed_line(Document& page, const answer::EstimateAnswer& answer) {
  if (answer.plan.rate <= 0) return;
  const physics::SpokenRate rate = physics::spoken_rate(answer.work, answer.plan, answer.intervals);
  page.line(say("speed: {} {} (80 % interval {} to {})", human_number(rate.value), say_name(rate.unit),
                human_number(rate.interval.low), human_number(rate.interval.high)));
}

void add_ways(Document& page, const Preflight& answer) {
  for (const answer::Way& way : answer.ways)
    page.line(say("  would fit: {} ({:.1f} of {:.1f} GiB, {})", way.flags, in_gib(way.need.needed),
                  in_gib(way.need.available), answer::chance_words(way.need.chance())),
              4);
}

std::string tool_words(const Preflight& answer) {
  std::string words;
  for (const answer::LineTool* tool : answer.line.tools) words += (words.empty() ? "" : " · ") + tool->tool;
  return answer.release.empty() ? words : words + " " + answer.release;
}

}  // namespace

Document preflight_page(const Preflight& answer, const catalog::Catalog& catalog, bool all) {
  Document page;
  std::string title = tool_words(answer);
  if (answer.answer)
    title += say(": {} on {}", printable(answer.answer->work.model->id), spoken_machine(answer.answer->machine));
  page.title(title);
  std::string first = outcome_words(answer.outcome);
  if (answer.answer && answer.outcome != LineOutcome::refused)
    if (const std::string memory = memory_words(*answer.answer); !memory.empty()) first = say("{}: {}", first, memory);
  page.line(Text(first, answer.outcome == LineOutcome::starts ? Meaning::strong : Meaning::warn));
  add_refusals(page, answer, catalog);
  add_ways(page, answer);
  add_room(page, answer);
  if (answer.answer && answer.answer->plan.fits && answer.outcome != LineOutcome::refused)
    add_speed_line(page, *answer.answer);
  if (!answer.line.before.empty()) page.line(say("not read: {}", printable(join_texts(answer.line.before, " "))));
  if (!answer.line.left_out.empty())
    page.line(say("unknown, not checked: {}", printable(join_texts(answer.line.left_out, say_name(", ")))));
  for (const std::string& note : answer.notes) page.line(say("Note: {}", printable(note)));
  if (!all) return page;
  page.gap();
  for (const answer::Understood& one : answer.line.understood)
    page.line(say("  {} {}: {} {}", printable(one.flag), printable(one.value), one.key, printable(one.meaning)), 4);
  if (!answer.line.idle.empty())
    page.line(say("no effect on the answer: {}", printable(join_texts(answer.line.idle, say_name(", ")))));
  if (answer.answer) page.append(estimate_details(*answer.answer));
  return page;
}

Table preflight_table(const Preflight& answer) {
  Table table({left(say("outcome"), 0, 0, "outcome"), left(say("model"), 1, 0, "model"), left(say("GPU"), 1, 0, "gpu"),
               right(say("fits"), 2, 0, "fit_probability"), right(say("requests"), 2, 0, "requests"),
               left(say("refused"), 3, 0, "refused")});
  const bool known = answer.answer && answer.answer->plan.need.is_known();
  const catalog::Number chance = known ? catalog::Number(answer.answer->plan.need.chance()) : std::nullopt;
  table.add({std::string(to_text(answer.outcome)), answer.answer ? std::string(answer.answer->work.model->id) : "",
             answer.answer ? std::string(answer.answer->machine.device.gpu->id) : "",
             figure_cell(chance ? answer::chance_words(*chance) : "?", chance),
             figure_cell(answer.requests ? human_number(*answer.requests) : "?",
                         answer.requests ? catalog::Number(*answer.requests) : std::nullopt),
             printable(join_texts(answer.refusals, "; ", &Refused::says))});
  return table;
}

void tell_preflight(JsonOut& out, const Preflight& answer, const catalog::Catalog& catalog) {
  out.text("schema", "gpusel.preflight/1");
  out.text("outcome", to_text(answer.outcome));
  out.list("tools", answer.line.tools, [&](const answer::LineTool* tool) {
    out.object(JsonOut::kItem, [&] {
      out.text("id", tool->id);
      out.text("tool", tool->tool);
      out.text("release", tool->release);
    });
  });
  out.text_or_null("engine_release", answer.release);
  out.list("refused", answer.refusals, [&](const Refused& refused) {
    out.object(JsonOut::kItem, [&] {
      out.text("check", refused.check);
      out.text("says", refused.says);
      out.text_or_null("would", refused.would);
      out.text_or_null("source", refused.source);
      out.text_or_null("url", url_of(refused.source, catalog));
      out.truth("certain", refused.for_sure);
    });
  });
  out.figure_or_null("requests", answer.requests);
  out.figure_or_null("longest_request_tokens", answer.longest);
  const auto whole = [&](std::string_view key, const std::optional<std::int64_t>& value) {
    value ? out.whole(key, *value) : out.null(key);
  };
  whole("largest_batch", answer.largest_batch);
  whole("longest_sequence", answer.longest_sequence);
  out.list("understood", answer.line.understood, [&](const answer::Understood& one) {
    out.object(JsonOut::kItem, [&] {
      out.text_or_null("flag", one.flag);
      out.text("value", one.value);
      out.text("key", one.key);
      out.text("meaning", one.meaning);
    });
  });
  out.texts("without_effect", answer.line.idle);
  out.texts("left_out", answer.line.left_out);
  out.texts("not_read", answer.line.before);
  out.texts("notes", answer.notes);
  tell_ways(out, answer.ways);
  if (!answer.answer) return out.null("answer");
  out.object("answer", [&] { tell_estimate(out, *answer.answer); });
}

}  // namespace gpusel::show
