#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/gate/lock_diff.hpp"

namespace gpusel::show {

namespace {

std::string json_text(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_number()) return format("{:.6g}", value.get<double>());
  if (value.is_string()) return printable(value.get<std::string>());
  return printable(shorten(value.dump(), 60));
}

/// "21.96 USD per hour of 2026-07-20".
std::string price_text(const Json& price) {
  if (!price.is_object() || !price.contains("amount") || !price["amount"].is_number()) return "-";
  const std::string amount = format("{} {}/{}", human_price(price["amount"].get<double>()),
                                    json_text(price["currency"]), json_text(price["period"]));
  return price["as_of"].is_null() ? amount : say("{} of {}", amount, json_text(price["as_of"]));
}

std::string fact_value(const FactChange& fact, const Json& value) {
  if (fact.section == "prices") return price_text(value);
  if (fact.section == "exchange_rates" && value.is_object())
    return say("{} per USD, of {}", json_text(value["per_usd"]), json_text(value["as_of"]));
  if (fact.section == "rules" && value.is_object())
    return say("{}: {} ({})", json_text(value["effect"]), json_text(value["message"]), json_text(value["hash"]));
  if (fact.section == "coefficients" && value.is_object() && value.size() == 1) return json_text(value["value"]);
  return json_text(value);
}

/// What a cost is for: "per million tokens".
std::string per_unit(const Json& lock) {
  const Json& unit = lock["cost_unit"];
  if (!unit.is_string()) return say("per unit");
  return unit == "million tokens" ? say("per million tokens") : say("per {}", json_text(unit));
}

/// "1.86 per hour, 31.52 in all and 0.103 per million tokens, in USD". `lock`: that the row is of.
std::string cost_text(const Json& row, const Json& lock) {
  const std::string hourly = human_price(row["hourly"].get<double>());
  const std::string total = human_price(row["total"].get<double>());
  const std::string currency = json_text(lock["currency"]);
  if (!row["unit_cost"].is_number()) return say("{0} {1} per hour, {0} {2} total", currency, hourly, total);
  return say("{0} {1} per hour, {0} {2} total, {0} {3:.3g} {4}", currency, hourly, total,
             row["unit_cost"].get<double>(), per_unit(lock));
}

/// "aws/g6e.xlarge at USD 1.86 per hour, …".
std::string brief(const Json& row, const Json& lock) {
  return say("{}/{} at {}", json_text(row["provider"]), json_text(row["sku"]), cost_text(row, lock));
}

std::string row_text(const Json& row, const Json& lock) {
  if (row.is_null()) return "-";
  return say("#{} in {}: {}", row["rank"].get<int>(), json_text(row["region"]), cost_text(row, lock));
}

std::string row_effect(const RowDifference& row) {
  switch (row.change) {
    case RowChange::appeared: return say("newly ranked; {}", row.why);
    case RowChange::vanished: return say("no longer ranked; {}", row.why);
    case RowChange::moved:
      return row.facts_kept ? say("another rank") : say("another rank; the lock kept no facts of this instance");
    case RowChange::changed:
      return row.facts_kept ? say("other figures") : say("other figures; the lock kept no facts of this instance");
  }
  return {};
}

std::string fact_effect(const FactDifference& one, const Json& lock) {
  if (!one.effect) return say("not replayed");
  const auto without = [&] { return one.without.is_null() ? say("none") : brief(one.without, lock); };
  switch (*one.effect) {
    case FactEffect::together: return say("one of the causes: without them, the best is {}", without());
    case FactEffect::best: return say("cause: without it, the best is {}", without());
    case FactEffect::cost: return say("cause: without it, the best is still {}", without());
    case FactEffect::ranking: return say("moves other rows");
    case FactEffect::nothing: return say("moves nothing");
  }
  return {};
}

std::string fact_name(const FactChange& fact) {
  const std::string name = fact.section == "prices" ? say("price") : fact.section;
  return fact.field.empty() ? name : name + " " + fact.field;
}

/// Before and now, where they differ.
std::string both(const Json& before, const Json& after, const char* key, std::string (*text)(const Json&)) {
  const std::string then = before.is_null() ? "-" : text(before[key]);
  const std::string now = after.is_null() ? "-" : text(after[key]);
  return then == now ? now : then + " → " + now;
}
std::string money_text(const Json& amount) { return amount.is_number() ? human_price(amount.get<double>()) : "-"; }
std::string unit_text(const Json& amount) { return amount.is_number() ? format("{:.3g}", amount.get<double>()) : "-"; }

/// The rows alone, for a terminal.
Table rows_table(const LockDifference& difference) {
  Table table({left(say("instance"), 0, 16), left("#"), left(say("region"), 2),
               left(say("{} per hour", json_text(difference.after["currency"]))),
               left(say("{} total", json_text(difference.after["currency"]))), left(per_unit(difference.after), 1),
               left(say("change"), 0, 16)});
  for (const RowDifference& row : difference.rows) {
    const Json& any = row.after.is_null() ? row.before : row.after;
    table.add({json_text(any["provider"]) + "/" + json_text(any["sku"]), both(row.before, row.after, "rank", json_text),
               both(row.before, row.after, "region", json_text), both(row.before, row.after, "hourly", money_text),
               both(row.before, row.after, "total", money_text), both(row.before, row.after, "unit_cost", unit_text),
               row_effect(row)});
  }
  return table;
}

/// Facts that move the answer, or may, each in a sentence; those that move nothing are counted.
void add_facts(Document& page, const LockDifference& difference) {
  std::size_t idle = 0;
  for (const FactDifference& one : difference.facts) {
    idle += one.effect == FactEffect::nothing ? 1 : 0;
    if (one.effect == FactEffect::nothing) continue;
    const std::string fact =
        printable(one.fact.subject.empty() ? fact_name(one.fact) : fact_name(one.fact) + " " + one.fact.subject);
    page.line(say("{}: {} → {}; {}", fact, fact_value(one.fact, one.fact.before), fact_value(one.fact, one.fact.after),
                  fact_effect(one, difference.after)));
  }
  if (idle > 0) page.line(say("changed facts without effect: {}; -o wide lists them", idle));
  for (const VersionDifference& one : difference.versions)
    page.line(say("version of {}: {} → {}", printable(one.what), one.before.empty() ? "-" : printable(one.before),
                  one.after.empty() ? "-" : printable(one.after)));
}

std::string best_text(const LockDifference& difference) {
  const auto best = [](const Json& lock) {
    if (lock["ranking"].empty()) return say("none");
    const Json& row = lock["ranking"].front();
    return format("{}/{}", json_text(row["provider"]), json_text(row["sku"]));
  };
  const auto change = difference.cost_change();
  const std::string cost = change                   ? format("{:+.1f} %", *change * 100)
                           : difference.same_unit() ? std::string("-")
                                                    : say("of another unit of work");
  if (difference.best_changed())
    return say("the best is now {}, before {}; cost: {}", best(difference.after), best(difference.before), cost);
  return say("the best is still {}; cost: {}", best(difference.after), cost);
}

std::string question_text(const LockDifference& difference) {
  if (difference.question.empty()) return {};
  const auto list = [](const std::vector<std::string>& flags) {
    std::string out = join_texts(flags, ", ", [&](const std::string& flag) { return printable(shorten(flag, 60)); });
    return out.empty() ? std::string("-") : out;
  };
  return say("the two locks ask different questions; only the old one says: {}; only the new one: {}",
             list(difference.question.only_before), list(difference.question.only_after));
}

std::string explained_text(const LockDifference& difference) {
  if (!difference.explained) return {};
  if (*difference.explained)
    return say("with these facts restored, the locked answer returns: they explain everything");
  std::string unkept;
  for (const RowDifference& row : difference.rows)
    if (!row.facts_kept && row.change != RowChange::vanished)
      unkept += (unkept.empty() ? "" : ", ") + json_text(row.after["provider"]) + "/" + json_text(row.after["sku"]);
  if (!unkept.empty())
    return say(
        "with these facts restored, the answer still differs; the lock kept no facts of {}, and the catalog it was "
        "made from is not available",
        unkept);
  return say(
      "with these facts restored, the answer still differs: another gpusel version or facts that the lock does not "
      "keep play a part");
}

}  // namespace

Table lock_diff_table(const LockDifference& difference) {
  Table table({left(say("what"), 0, 8, "what"), left(say("of"), 0, 14, "subject"), left(say("before"), 0, 10, "before"),
               left(say("now"), 0, 10, "after"), left(say("effect"), 0, 16, "effect")});
  for (const RowDifference& row : difference.rows) {
    const Json& any = row.after.is_null() ? row.before : row.after;
    table.add({say("row"), json_text(any["provider"]) + "/" + json_text(any["sku"]),
               row_text(row.before, difference.before), row_text(row.after, difference.after), row_effect(row)});
  }
  for (const FactDifference& one : difference.facts) {
    table.add({fact_name(one.fact), printable(one.fact.subject), fact_value(one.fact, one.fact.before),
               fact_value(one.fact, one.fact.after), fact_effect(one, difference.after)});
  }
  for (const VersionDifference& one : difference.versions)
    table.add({say("version"), printable(one.what), printable(one.before), printable(one.after), ""});
  return table;
}

Document lock_diff_page(const LockDifference& difference, bool all) {
  const std::string head =
      difference.empty() ? say("nothing changed in the rows of the lock of {}", json_text(difference.before["today"]))
                         : best_text(difference);
  Document page;
  page.page_title(say("What changed since the lock")).line(head, 2, Where::page);
  page.line(strong(head), 2, Where::terminal);
  if (const std::string asked = question_text(difference); !asked.empty()) page.line(asked);
  if (Table table = all ? lock_diff_table(difference) : rows_table(difference); !table.empty())
    page.add(std::move(table));
  if (!all) add_facts(page, difference);
  if (const std::string foot = explained_text(difference); !foot.empty()) page.line(foot);
  return page;
}

}  // namespace gpusel::show
