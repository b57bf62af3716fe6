#include "show/gate/lock_diff.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::show {

namespace {

std::string name_of(const Json& row) {
  return row["provider"].get<std::string>() + "/" + row["sku"].get<std::string>();
}

const Json* find_row(const Json& ranking, const std::string& name) {
  const auto found =
      std::find_if(ranking.begin(), ranking.end(), [&](const Json& row) { return name_of(row) == name; });
  return found == ranking.end() ? nullptr : &*found;
}

/// Equal but for what rounding in a file may do.
bool same(const Json& a, const Json& b) {
  if (!a.is_number() || !b.is_number()) return a == b;
  constexpr double kRounding = 1e-9;
  const double left = a.get<double>();
  const double right = b.get<double>();
  return std::abs(left - right) <= kRounding * std::max(std::abs(left), std::abs(right));
}

/// Figures of a row that a fact may move.
constexpr const char* kMoving[] = {"hourly", "total", "unit_cost", "rate", "memory_gib"};

/// Of a unit of work where that is known; else of the whole job, or of a month of service.
double cost_of(const Json& row) {
  const Json& unit = row["unit_cost"];
  return (unit.is_number() ? unit : row["total"]).get<double>();
}

bool same_figures(const Json& a, const Json& b) {
  static constexpr const char* kFigures[] = {"region", "term",      "nodes", "hourly",
                                             "total",  "unit_cost", "rate",  "memory_gib"};
  return std::ranges::all_of(kFigures, [&](const char* key) { return same(a[key], b[key]); }) &&
         same(a["price"]["as_of"], b["price"]["as_of"]);
}

std::string rule_of(const Json& lock, const std::string& name) {
  const Json& rejected = lock["rejected"];
  return rejected.contains(name) && rejected[name].is_string() ? rejected[name].get<std::string>() : std::string();
}

/// Why a row is in one ranking alone.
std::string why_vanished(const Json& after, const std::string& name) {
  const std::string rule = rule_of(after, name);
  return rule.empty() ? say("it is no longer in the catalog") : say("now rejected: {}", rule);
}
std::string why_appeared(const Json& before, const std::string& name) {
  const std::string rule = rule_of(before, name);
  return rule.empty() ? say("the locked catalog did not have it") : say("was rejected: {}", rule);
}

/// Rows that are among the first of either side, as many as were locked.
std::vector<RowDifference> row_differences(const Json& before, const Json& after) {
  const std::size_t shown = before["answer"]["recommendations"].size();
  std::vector<RowDifference> rows;
  std::set<std::string> seen;
  for (const Json* side : {&before["ranking"], &after["ranking"]}) {
    for (std::size_t i = 0; i < std::min(shown, side->size()); ++i) {
      const std::string name = name_of((*side)[i]);
      if (!seen.insert(name).second) continue;
      const Json* then = find_row(before["ranking"], name);
      const Json* now = find_row(after["ranking"], name);
      RowDifference row{RowChange::changed, then != nullptr ? *then : Json(), now != nullptr ? *now : Json(), {}, true};
      row.facts_kept = keeps_facts(before, now != nullptr ? *now : *then);
      if (then == nullptr) {
        row.change = RowChange::appeared;
        row.why = why_appeared(before, name);
      } else if (now == nullptr) {
        row.change = RowChange::vanished;
        row.why = why_vanished(after, name);
      } else if ((*then)["rank"] != (*now)["rank"]) {
        row.change = RowChange::moved;
      } else if (same_figures(*then, *now)) {
        continue;
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// Flags that say what the facts are, not what is asked.
constexpr std::string_view kOfFacts[] = {"--overlay", "--catalog", "--rules", "--price", "--discount"};

/// Flags with their values, in whatever order and spelling they stood: "--cloud aws".
std::multiset<std::string> question_of(const Json& lock) {
  std::multiset<std::string> flags;
  std::string flag;
  const auto end = [&] {
    const std::string name = flag.substr(0, flag.find(' '));
    if (!flag.empty() && std::ranges::find(kOfFacts, name) == std::end(kOfFacts)) flags.insert(flag);
  };
  for (const Json& each : lock["question"]["words"]) {
    const std::string word = each.get<std::string>();
    if (word.size() < 2 || word[0] != '-' || plain_number(word)) {
      flag += (flag.empty() ? "" : " ") + word;
      continue;
    }
    end();
    flag = word;
    if (const auto equals = flag.find('='); flag.starts_with("--") && equals != std::string::npos) flag[equals] = ' ';
  }
  end();
  return flags;
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::vector<VersionDifference> version_differences(const Json& before, const Json& after) {
  std::vector<VersionDifference> versions;
  const auto compare = [&](std::string what, const Json& then, const Json& now) {
    if (then != now) versions.push_back({std::move(what), text_of(then), text_of(now)});
  };
  compare("gpusel", before["gpusel"], after["gpusel"]);
  compare("today", before["today"], after["today"]);
  for (const char* part : {"catalog", "calibration", "rules"}) {
    const Json::json_pointer hash{std::string("/versions/") + part + "/hash"};
    compare(part, before.value(hash, Json()), after.value(hash, Json()));
  }
  const auto hashes = [](const Json& lock) {
    std::map<std::string, Json> files;
    for (const Json& file : lock["versions"]["files"]) files[file.value("path", "")] = file.value("hash", Json());
    return files;
  };
  const auto then = hashes(before);
  const auto now = hashes(after);
  for (const auto& [path, hash] : then)
    if (!now.contains(path)) versions.push_back({"file " + path, text_of(hash), {}});
  for (const auto& [path, hash] : now) {
    const auto old = then.find(path);
    if (old == then.end())
      versions.push_back({"file " + path, {}, text_of(hash)});
    else
      compare("file " + path, old->second, hash);
  }
  return versions;
}

}  // namespace

QuestionDifference question_difference(const Json& before, const Json& after) {
  const auto then = question_of(before);
  const auto now = question_of(after);
  QuestionDifference out;
  std::ranges::set_difference(then, now, std::back_inserter(out.only_before));
  std::ranges::set_difference(now, then, std::back_inserter(out.only_after));
  return out;
}

void add_facts(Json& lock, const Json& then) {
  for (const char* section : {"gpus", "models", "instances", "prices"})
    for (const auto& [subject, record] : then["facts"][section].items())
      if (!lock["facts"][section].contains(subject)) lock["facts"][section][subject] = record;
}

bool keeps_facts(const Json& lock, const Json& row) { return lock["facts"]["instances"].contains(name_of(row)); }

bool same_best(const Json& a, const Json& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  return name_of(a.front()) == name_of(b.front());
}

bool LockDifference::best_changed() const { return !same_best(before["ranking"], after["ranking"]); }

std::optional<double> LockDifference::cost_change() const {
  if (before["ranking"].empty() || after["ranking"].empty() || !same_unit()) return std::nullopt;
  const double then = cost_of(before["ranking"].front());
  if (then <= 0) return std::nullopt;
  const double change = cost_of(after["ranking"].front()) / then - 1;
  constexpr double kRounding = 1e-9;
  return std::abs(change) < kRounding ? 0 : change;
}

FactEffect effect_of(const Json& today, const Json& with) {
  if (!same_best(today, with)) return FactEffect::best;
  if (!today.empty() && !same(cost_of(today.front()), cost_of(with.front()))) return FactEffect::cost;
  const auto same_row = [](const Json& a, const Json& b) {
    return name_of(a) == name_of(b) &&
           std::ranges::all_of(kMoving, [&](const char* key) { return same(a[key], b[key]); });
  };
  const bool nothing = std::equal(today.begin(), today.end(), with.begin(), with.end(), same_row);
  return nothing ? FactEffect::nothing : FactEffect::ranking;
}

Json known_facts(const Json& lock) {
  Json facts = lock["facts"];
  for (const Json& row : lock["ranking"]) {
    const Json& price = row["price"];
    const std::string key = gpusel::format("{} {} {} {}", name_of(row), text_of(row["region"]), text_of(row["term"]),
                                           price.contains("currency") ? text_of(price["currency"]) : "");
    if (facts["prices"].contains(key)) continue;
    Json& fact = facts["prices"][key] = price;
    for (const char* told : kToldByRow) fact[told] = row[told];
  }
  return facts;
}

LockDifference compare_locks(Json before, Json after) {
  LockDifference out;
  out.rows = row_differences(before, after);
  out.question = question_difference(before, after);
  out.versions = version_differences(before, after);
  for (FactChange& change : changed_facts(known_facts(before), known_facts(after)))
    out.facts.push_back({std::move(change), std::nullopt, nullptr});
  out.before = std::move(before);
  out.after = std::move(after);
  return out;
}

Json lock_diff_json(const LockDifference& difference, int status) {
  const auto side = [](const Json& lock) {
    return Json{{"gpusel", lock["gpusel"]},
                {"today", lock["today"]},
                {"catalog", lock["versions"]["catalog"]},
                {"currency", lock["currency"]},
                {"cost_unit", lock["cost_unit"]},
                {"best", lock["ranking"].empty() ? Json(nullptr) : lock["ranking"].front()}};
  };
  Json rows = list_json(difference.rows, [](const RowDifference& row) -> Json {
    return {{"instance", name_of(row.after.is_null() ? row.before : row.after)},
            {"change", to_text(row.change)},
            {"before", row.before},
            {"after", row.after},
            {"why", text_or_null(row.why)},
            {"facts_kept", row.facts_kept}};
  });
  Json facts = list_json(difference.facts, [](const FactDifference& one) -> Json {
    return {{"section", one.fact.section},
            {"subject", one.fact.subject},
            {"field", text_or_null(one.fact.field)},
            {"before", one.fact.before},
            {"after", one.fact.after},
            {"moves", one.effect ? Json(to_text(*one.effect)) : Json(nullptr)},
            {"without", one.without}};
  });
  Json versions = list_json(difference.versions, [](const VersionDifference& one) -> Json {
    return {{"what", one.what}, {"before", text_or_null(one.before)}, {"after", text_or_null(one.after)}};
  });
  const auto cost = difference.cost_change();
  return {{"schema", "gpusel.diff/1"},
          {"asked_again", difference.asked_again},
          {"question", difference.before["question"]["words"]},
          {"question_differs",
           {{"only_before", difference.question.only_before}, {"only_after", difference.question.only_after}}},
          {"before", side(difference.before)},
          {"after", side(difference.after)},
          {"changed", !difference.empty()},
          {"best_changed", difference.best_changed()},
          {"cost_change", cost ? number(*cost) : Json(nullptr)},
          {"rows", std::move(rows)},
          {"facts", std::move(facts)},
          {"versions", std::move(versions)},
          {"explained", difference.explained ? Json(*difference.explained) : Json(nullptr)},
          {"status", status}};
}

}  // namespace gpusel::show
