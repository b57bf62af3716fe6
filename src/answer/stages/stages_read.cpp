// A file of stages, read strictly: every key is known, every error has its place.
#include <algorithm>

#include "answer/stages/stages.hpp"
#include "base/io/document.hpp"
#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

constexpr std::size_t kMostStages = 100;  // each is a question of its own
constexpr Range kStageHours{1e-3, 1e6};
constexpr Range kMonths{0.01, 1200};
constexpr Range kStageGigabytes{0, 1e12};
constexpr std::string_view kOwnKeys[] = {"name", "hours", "objective", "output_gb"};

constexpr std::string_view kCurrency = "currency";
std::string currency_hint() { return say("all amounts are in one currency, which --currency names"); }

class StageReader {
 public:
  StageReader(const Node& node, Problems& problems, const Question& base) : node_(node), problems_(problems) {
    stage_.question = base;
    of_base_ = base.duty.given.size();
    stage_.where = position(problems.file, node);
  }

  Stage read() {
    if (!node_.is_map()) {
      problems_.add(node_, say("a stage is a map of its keys, found {}", node_.describe()));
      return stage_;
    }
    for (const Node& member : node_.children)
      if (!is_enough(problems_.errors)) read_member(member);
    join_limits();
    if (stage_.name.empty()) problems_.add(node_, say("a stage needs a name"), say("as in name: train"));
    if (!stage_.question.request.task && seen_all_)
      problems_.add(node_, say("'{}' has no task", shorten(stage_.name, 60)), say("as in task: finetune"));
    auto& given = stage_.question.duty.given;
    if (stage_.hours && given.size() > of_base_)
      problems_.add(node_, say("'hours' and a duty cycle ('{}') exclude each other", given[of_base_]));
    if (stage_.hours) stage_.question.duty = {};
    return std::move(stage_);
  }

 private:
  /// Limits of the file hold beside those of the command line.
  void join_limits() {
    job::Constraints& limits = stage_.question.constraints;
    stage_.line = limits;
    for (const job::Limit& limit : job::limits()) {
      if (!limit.is_given(own_)) continue;
      if (limit.is_given(stage_.line)) stage_.in_both.push_back(&limit);
      limit.form.copy(limits, own_);
    }
    // These size what is searched for: the tighter one is the limit.
    const auto tighter = [&](auto job::Constraints::* number) {
      const auto& line = stage_.line.*number;
      if (line && limits.*number && *line < *(limits.*number)) limits.*number = line;
    };
    tighter(&job::Constraints::deadline_hours);
    tighter(&job::Constraints::budget);
    tighter(&job::Constraints::max_price);
    tighter(&job::Constraints::max_nodes);
    tighter(&job::Constraints::max_price_age_days);
    if (own_.nodes && stage_.line.nodes && *own_.nodes != *stage_.line.nodes)
      problems_.errors.push_back(
          {ErrorKind::unsatisfied,
           say("{} nodes here and --nodes {} exclude each other", *own_.nodes, *stage_.line.nodes), place_of("nodes"),
           say("use only one of them")});
  }

  std::string place_of(std::string_view key) const {
    for (const auto& [name, place] : stage_.places)
      if (job::same_spelling(name, key)) return place;
    return stage_.where;
  }

  void read_member(const Node& member) {
    stage_.places.emplace_back(member.key, key_position(problems_.file, member));
    if (read_own(member)) return;
    const bool known = apply(job::constraint_options(), own_, member) ||
                       apply(money::duty_options(), stage_.question.duty, member) ||
                       apply(data_options(), stage_.data, member) || read_job(member);
    if (stage_.data.storage) stage_.question.extras.storage_kind = stage_.data.storage;
    if (!known) unknown(member);
  }

  bool read_own(const Node& member) {
    if (member.key == "name") {
      stage_.name = text_of(member);
    } else if (member.key == "hours") {
      stage_.hours = number_of(member, kStageHours);
    } else if (member.key == "output_gb") {
      stage_.output_gb = number_of(member, kStageGigabytes);
    } else if (member.key == "objective") {
      std::optional<job::ObjectiveKind> kind;
      if (Status set = job::assign(text_of(member), kind); !set)
        problems_.add(member, set.error(), member.key);
      else
        stage_.question.objective.kind = *kind;
    } else {
      return false;
    }
    return true;
  }

  /// Keys of a job, but for those of a machine, which is what is looked for.
  bool read_job(const Node& member) {
    const auto* option = job::find_option(job::request_options(), member.key);
    if (option == nullptr || option->group == "Machine") return false;
    if (option->key != "model" || !member.is_map()) {
      const bool applied = apply(job::request_options(), stage_.question.request, member);
      if (option->key == "model")
        if (Status file = job::refuse_device(stage_.question.request); !file)
          problems_.add(member, file.error(), member.key);
      return applied;
    }
    stage_.question.request.given.push_back(option->key);
    stage_.question.request.inline_model = member;
    return true;
  }

  /// One value, or for options that repeat or take a list, several.
  template <class Target>
  bool apply(std::span<const job::Option<Target>> options, Target& target, const Node& member) {
    const auto* option = job::find_option(options, member.key);
    if (option == nullptr) return false;
    if constexpr (requires { target.given; }) target.given.push_back(option->key);
    std::vector<std::string> values;
    for (const Node& value : member.is_list() ? member.children : std::vector<Node>{member}) {
      if (!value.is_scalar()) {
        problems_.add(value, say("'{}' must be a single value, found {}", member.key, value.describe()));
        return true;
      }
      values.push_back(value.text);
    }
    if (member.is_list() && !option->repeats) values = {join_texts(values, ",")};
    for (const std::string& value : values)
      if (Status set = option->set(target, value); !set) problems_.add(member, set.error(), member.key);
    return true;
  }

  std::string text_of(const Node& member) {
    if (member.is_scalar()) return member.text;
    problems_.add(member, say("'{}' must be a single value, found {}", member.key, member.describe()));
    return {};
  }

  std::optional<double> number_of(const Node& member, Range allowed) {
    const auto value = parse_count(text_of(member), allowed);
    if (value) return *value;
    if (member.is_scalar()) problems_.add(member, value.error(), member.key);
    return std::nullopt;
  }

  void unknown(const Node& member) {
    std::vector<std::string_view> keys(std::begin(kOwnKeys), std::end(kOwnKeys));
    const auto add = [&](const auto& options) {
      for (const auto& option : options)
        if (option.group != "Machine") keys.push_back(option.key);
    };
    add(job::request_options());
    add(job::constraint_options());
    add(money::duty_options());
    add(data_options());
    problems_.add_at_key(member, say("unknown key '{}'", shorten(printable(member.key), 60)),
                         member.key == kCurrency ? currency_hint() : did_you_mean(member.key, keys));
    seen_all_ = false;
  }

  const Node& node_;
  Problems& problems_;
  Stage stage_;
  job::Constraints own_;     // limits that the file gives
  std::size_t of_base_ = 0;  // keys of the duty cycle that hold for every stage
  bool seen_all_ = true;     // a key that was misspelt may have been the one that lacks
};

void refuse_twins(const StagesPlan& plan, Problems& problems) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!plan.stages[i].name.empty() && plan.stages[i].name == plan.stages[j].name)
        problems.errors.push_back({problems.kind, say("a second stage is named '{}'", shorten(plan.stages[i].name, 60)),
                                   plan.stages[i].where, say("the first is at {}", plan.stages[j].where)});
}

}  // namespace

std::expected<StagesPlan, Errors> read_stages(const Document& document, const Question& base) {
  Problems problems{document.name, ErrorKind::usage, {}};
  StagesPlan plan;
  Fields fields(document.root, problems);
  plan.months = fields.number("months", kMonths);
  if (base.duty.months) plan.months = std::min(plan.months.value_or(*base.duty.months), *base.duty.months);
  if (const Node* currency = fields.find(kCurrency))
    problems.add_at_key(*currency, say("unknown key 'currency'"), currency_hint());
  fields.require("stages");
  const Node* list = fields.find("stages");
  if (list != nullptr && list->is_list() && list->children.empty())
    problems.add(*list, say("'stages' names no job"));
  else if (list != nullptr && !list->is_list())
    problems.add(*list, say("'stages' is a list of jobs, found {}", list->describe()));
  else if (list != nullptr && list->children.size() > kMostStages)
    problems.add(*list, say("'stages' has {} jobs, at most {} are read", list->children.size(), kMostStages));
  else if (list != nullptr)
    for (const Node& node : list->children)
      if (!is_enough(problems.errors)) plan.stages.push_back(StageReader(node, problems, base).read());
  if (document.root.is_map()) fields.finish();
  refuse_twins(plan, problems);
  if (!problems.errors.empty()) return std::unexpected(std::move(problems.errors));
  return plan;
}

}  // namespace gpusel::answer
