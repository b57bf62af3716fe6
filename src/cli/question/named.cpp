#include "cli/question/named.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include "answer/estimate/estimate.hpp"
#include "answer/estimate/named_processor.hpp"
#include "answer/lists/list.hpp"
#include "answer/stages/launch.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/places/places.hpp"
#include "catalog/read/chinese_names.hpp"
#include "cli/commands.hpp"
#include "cli/question/amounts.hpp"
#include "cli/question/unknown_words.hpp"
#include "cli/question/usual_gpu.hpp"
#include "job/limits/limits.hpp"
#include "job/request/request_option.hpp"
#include "job/request/task_words.hpp"
#include "money/exchange.hpp"
#include "physics/formats.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::cli {

bool names_gpus(std::string_view word, const catalog::Catalog& catalog) {
  const auto spec = job::parse_gpu_spec(word);
  if (!spec || (spec->names.empty() && spec->vendor.empty())) return false;
  if (spec->names.empty() && catalog.provider(word)) return false;  // "aws" sells more than it makes
  return std::ranges::any_of(catalog.gpus(), [&](const catalog::Gpu& gpu) { return spec->names_gpu(gpu); });
}

bool is_gpu_first(std::string_view word, const catalog::Catalog& catalog) {
  return names_gpus(word, catalog) && (catalog.has_gpu(word) || !catalog.has_instance(word));
}

namespace {

/// What a word may be, as bits.
enum Kind : std::uint8_t {
  kJob = 1,  // models, tasks, formats, engines
  kGpus = 2,
  kInstances = 4,
  kSellers = 8,  // providers and places
  kTerms = 16,
  kLimits = 32,  // amounts and words that are limits
};
/// In the order of Takes.
constexpr unsigned kKinds[] = {
    kJob,         kJob | kSellers | kTerms,  kJob | kGpus | kInstances,
    kJob | kGpus, kGpus | kSellers | kTerms, kJob | kGpus | kInstances | kSellers | kTerms | kLimits};
bool may_be(Takes takes, unsigned kinds) { return (kKinds[static_cast<std::size_t>(takes)] & kinds) == kinds; }
/// Of a catalog's names a command keeps those of its subjects.
bool is_subject(std::string_view word, Takes takes, const catalog::Catalog& catalog) {
  return takes == Takes::sold && (catalog.has_gpu(word) || catalog.has_instance(word));
}

/// "p4d.24xlarge" as a regular expression for that SKU alone, of every provider that has it.
std::string only_these(const std::vector<const catalog::Instance*>& instances) {
  std::string pattern;
  for (const catalog::Instance* instance : instances) {
    pattern += pattern.empty() ? "^" : "$|^";
    for (const char c : format("{}/{}", instance->provider, instance->sku)) {
      if (std::string_view(".+*?()[]{}|^$\\").contains(c)) pattern += '\\';
      pattern += c;
    }
  }
  return pattern + "$";
}

/// Words for limits that no other table has.
struct LimitWord {
  std::string_view said, key, value;
};
constexpr LimitWord kLimitWords[] = {
    {"cpu", "gpu", "none"},
    {"cpu only", "gpu", "none"},
    {"cpu-only", "gpu", "none"},
    {"only cpu", "gpu", "none"},
    {"no gpu", "gpu", "none"},
    {"without gpu", "gpu", "none"},
    {"market", "market", "true"},
    {"marketplace", "market", "true"},
    {"no market", "market", "false"},
    {"no marketplace", "market", "false"},
    {"无gpu", "gpu", "none"},
    {"英伟达", "vendor", "nvidia"},
    {"昇腾", "vendor", "huawei"},
    {"国产", "vendor", "huawei,alibaba"},
    {"国产卡", "vendor", "huawei,alibaba"},
    {"fastest", "objective", "speed"},
    {"最快", "objective", "speed"},
};

std::optional<Meant> limit_meant(std::string_view text, Takes takes) {
  for (const LimitWord& one : kLimitWords) {
    const bool of_market = one.key == "vendor" || one.key == "gpu";
    if (one.said == lower(text) && may_be(takes, of_market ? kGpus | kSellers : kLimits))
      return Meant{one.key, std::string(one.value)};
  }
  return std::nullopt;
}

/// Lists of a kind of name: "aws,gcp".
template <class IsOne>
bool are_all(std::string_view word, IsOne is_one) {
  return std::ranges::all_of(split(word, ','), [&](std::string_view part) { return is_one(trim(part)); });
}

std::optional<Meant> machine_of(std::string_view word, Takes takes, const catalog::Catalog& catalog) {
  const bool keeps_instances = !may_be(takes, kInstances);
  if (keeps_instances ? is_gpu_first(word, catalog) : names_gpus(word, catalog)) return Meant{"gpu", std::string(word)};
  if (takes == Takes::machine && answer::find_processor(word, catalog) != nullptr)
    return Meant{"gpu", std::string(word)};
  const std::string_view sku = job::count_in_front(word) ? job::count_in_front(word)->second : word;
  if (keeps_instances || !catalog.has_instance(sku)) return std::nullopt;
  if (takes == Takes::machine) return Meant{"gpu", std::string(word)};
  return Meant{"allow_list", only_these(catalog.instances_called(sku))};
}

/// What a flag has said already stands: "a100:2 --gpus 4" are four.
Status set_gpu_word(const job::Option<job::Request>& option, std::string_view value, job::Request& request) {
  const auto typed = [&](std::string_view key) { return std::ranges::find(request.given, key) != request.given.end(); };
  if (typed(option.key)) return {};
  const job::Request before = request;
  if (Status set = option.set(request, value); !set) return set;
  if (typed("gpus")) request.gpus = before.gpus;
  if (typed("gpus_per_node")) request.gpus_per_node = before.gpus_per_node;
  if (typed("nodes")) request.nodes = before.nodes;
  return {};
}

/// Whether the question asks for its machine by the limit of that key.
bool is_limit(const job::Option<job::Request>& option, const Spoken& spoken) {
  return spoken.constraints != nullptr && spoken.takes != Takes::device &&
         job::find_option(job::constraint_options(), option.key) != nullptr;
}

/// A number of users is of the load, where the command has one, or of the sessions of a job.
std::string_view key_of(const Meant& meant, const Spoken& spoken) {
  return meant.key == "users" && spoken.load == nullptr ? "sessions" : meant.key;
}

/// What the line has said before its words are taken.
struct Flagged {
  std::vector<std::string_view> given;  // of the request
  bool counts_gpus = false;             // and does not say of which kind: "--gpus 8"
};
Flagged flagged(const Spoken& spoken) {
  const auto names_none = [](const job::GpuSpec& spec) {
    return spec.names.empty() && spec.vendor.empty() && !spec.none;
  };
  const bool counts = spoken.constraints != nullptr && std::ranges::all_of(spoken.constraints->gpus, names_none);
  return {spoken.request.given, counts};
}

/// Whether the word adds to the flag that it follows: "--cloud aws gcp" means both. A word before the flag does not:
/// flags win over words.
bool widens(const Meant& meant, std::string_view word, const Spoken& spoken) {
  const job::Limit* limit = job::find_limit(meant.key);
  const auto flag = spoken.follows.find(word);
  return limit != nullptr && limit->option.repeats && flag != spoken.follows.end() && flag->second == limit->flag();
}

/// The flag of the line that already says what the word would; empty: none. Models exclude each other, words for the
/// task say more than it, and a number of GPUs goes with their kind.
std::string flag_over(const Meant& meant, const Spoken& spoken, const Flagged& flags) {
  if (meant.key == "model" || meant.key == "task" || (meant.key == "gpu" && flags.counts_gpus)) return {};
  std::string flag = "--" + std::string(key_of(meant, spoken));
  for (char& c : flag)
    if (c == '_') c = '-';
  const auto said = [&](std::string_view one) { return std::ranges::find(spoken.said, one) != spoken.said.end(); };
  if (said(flag) || std::ranges::find(flags.given, meant.key) != flags.given.end()) return flag;
  return meant.key == "term" && said("--use-spot") ? "--spot" : "";
}

/// "amd h100": a maker that does not make it.
Status check_maker(std::string_view named, const catalog::Catalog& catalog) {
  auto spec = job::parse_gpu_spec(named);
  if (!spec || spec->vendor.empty() || spec->names.empty()) return {};
  const auto is_meant = [&](const catalog::Gpu& gpu) { return spec->names_gpu(gpu); };
  if (std::ranges::any_of(catalog.gpus(), is_meant)) return {};
  const std::string maker = std::exchange(spec->vendor, {});
  const auto other = std::ranges::find_if(catalog.gpus(), is_meant);
  if (other == catalog.gpus().end()) return {};
  return usage_error(
      say("'{}': {} is from {}, not {}", printable(shorten(named, 40)), other->id, other->vendor, maker));
}

Status apply(const Meant& meant, const Spoken& spoken) {
  const std::string_view key = key_of(meant, spoken);
  if (key == "objective") {
    std::optional<job::ObjectiveKind> kind;
    const Status set = job::assign(meant.value, kind);
    if (kind) spoken.objective->kind = *kind;
    return set;
  }
  if (key == "users") return job::find_option(answer::load_options(), key)->set(*spoken.load, meant.value);
  if (const auto* option = job::find_option(job::request_options(), key);
      option != nullptr && !is_limit(*option, spoken)) {
    if (key == "model" && spoken.request.names_model())
      return usage_error(say("two models: '{}' and '{}'", shorten(spoken.request.model, 40), shorten(meant.value, 40)),
                         {}, say("ask for one at a time"));
    if (key == "gpu") return set_gpu_word(*option, meant.value, spoken.request);
    if (key == "task" && spoken.request.task) return job::add_task(meant.value, spoken.request);
    job::note_given(spoken.request, option->key, meant.value);
    return option->set(spoken.request, meant.value);
  }
  const auto* option = job::find_option(job::constraint_options(), key);
  const std::string& before = spoken.constraints->allow_list;
  if (key == "allow_list" && !before.empty()) return option->set(*spoken.constraints, before + "|" + meant.value);
  return option->set(*spoken.constraints, meant.value);
}

/// "33b" as the size of a model.
std::optional<double> billions_of(std::string_view text) {
  text = trim(text);
  if (text.size() < 2 || (text.back() != 'b' && text.back() != 'B')) return std::nullopt;
  return plain_number(text.substr(0, text.size() - 1));
}

/// "qwen" of "千问"; empty where no family is called so.
std::string family_called(std::string_view word, const catalog::Catalog& catalog) {
  const auto letters = catalog::in_letters(word);
  std::string name = letters.empty() ? lower(word) : letters.front();
  const bool known = std::ranges::find(catalog.models(), name, &catalog::Model::family) != catalog.models().end();
  return known ? name : std::string();
}

/// How likely one of a family is meant by its size alone: the names that a model goes by tell how well it is known.
double how_likely(const catalog::Model& model) {
  constexpr double kNamesOfAYear = 3;  // that a year newer is worth
  return static_cast<double>(std::ranges::distance(model.aliases)) + kNamesOfAYear * model.release_year.value_or(0) +
         (model.kind == catalog::ModelKind::decoder_llm ? 1 : 0);
}

/// The best known of about that size where no model is called so, "33b", or of a family, "qwen 72b".
const catalog::Model* model_of_size(std::string_view text, const catalog::Catalog& catalog) {
  constexpr double kAlike = 0.1;
  const std::size_t space = text.find(' ');
  const bool of_family = space != std::string_view::npos;
  const std::string_view amount = of_family ? text.substr(space + 1) : text;
  const auto size = billions_of(amount);
  if (!size || (!of_family && catalog.model(text))) return nullptr;
  const std::string family = of_family ? family_called(text.substr(0, space), catalog) : std::string();
  if (of_family && family.empty()) return nullptr;
  const auto rank = [&](const catalog::Model& model) {
    const auto names = static_cast<double>(std::ranges::distance(model.aliases));
    return std::tuple(of_family && model.id.contains(lower(amount)), of_family ? how_likely(model) : names, model.id);
  };
  const catalog::Model* best = nullptr;
  for (const catalog::Model& model : catalog.models()) {
    if (!model.is_generator() || !model.params_b || std::abs(*model.params_b / *size - 1) > kAlike) continue;
    if (of_family && (model.family != family || !model.id.starts_with(family))) continue;
    if (best == nullptr || rank(model) > rank(*best)) best = &model;
  }
  return best;
}

/// An amount, where the command has its option.
std::optional<Meant> amount_meant(std::string_view text, Takes takes, const catalog::Catalog& catalog) {
  auto amount = amount_of(text);
  if (amount && amount->key == "term" && may_be(takes, kTerms)) return Meant{amount->key, std::move(amount->value)};
  if (!amount || !may_be(takes, kJob)) return std::nullopt;
  if (amount->currency && !money::Converter::into(*amount->currency, catalog)) return std::nullopt;
  const bool of_job = amount->key == "users" || amount->key == kHours ||
                      job::find_option(job::request_options(), amount->key) != nullptr;
  if (!of_job && !may_be(takes, kLimits)) return std::nullopt;
  return Meant{amount->key, std::move(amount->value)};
}

/// Whether the option takes the value, and not just any text.
template <class Target>
bool takes_value(const job::Option<Target>& option, std::string_view value) {
  Target scratch;
  return !option.is_switch && !option.set(scratch, "?") && option.set(scratch, value);
}

/// "budget 500", "500ms ttft", "lora rank 16": the name of an option beside its value, where the command has it.
std::optional<Meant> named_value(std::string_view text, Takes takes) {
  const auto meant = [&](std::string_view name, std::string_view value) -> std::optional<Meant> {
    std::string spelled(name);
    std::ranges::replace(spelled, ' ', '-');
    const auto* option = job::request_option(spelled);
    const bool has =
        option != nullptr && may_be(takes, kJob) && (option->group != "Machine" || takes == Takes::machine);
    if (has && takes_value(*option, value)) return Meant{option->key, std::string(value)};
    const auto* limit = may_be(takes, kLimits) ? job::find_option(job::constraint_options(), spelled) : nullptr;
    if (limit != nullptr && takes_value(*limit, value)) return Meant{limit->key, std::string(value)};
    return std::nullopt;
  };
  const auto first = text.find(' '), last = text.rfind(' ');
  if (first == std::string_view::npos) return std::nullopt;
  if (auto in_front = meant(text.substr(0, last), text.substr(last + 1))) return in_front;
  return meant(text.substr(first + 1), text.substr(0, first));
}

/// "g6", "p5": instances of a provider that are called so; a name without a number is a word.
bool is_family(std::string_view word, const catalog::Catalog& catalog) {
  if (word.find_first_of("0123456789") == std::string_view::npos) return false;
  const std::string folded = fold_name(word);
  return std::ranges::any_of(catalog.instances(),
                             [&](const catalog::Instance& one) { return fold_name(one.family) == folded; });
}

/// "1080p", "1024x1024": pixels, not a count.
bool is_resolution(std::string_view word) {
  constexpr double kLeastPixels = 64.0 * 64;
  std::optional<job::Resolution> size;
  return !plain_number(word) && job::assign(word, size) && size->pixels() >= kLeastPixels;
}

/// "4bit" of "4-bit" and "4 bit".
std::string without_gap(std::string_view text) {
  constexpr std::string_view kBit = "bit";
  const auto gap = text.size() > kBit.size() ? text.size() - kBit.size() - 1 : 0;
  if (gap == 0 || !text.ends_with(kBit) || (text[gap] != '-' && text[gap] != ' ')) return std::string(text);
  return std::string(text.substr(0, gap)) + std::string(kBit);
}

/// What several words may say together, too: "cloud gaming", "stable diffusion xl", "100 qps", "4 a100".
std::optional<Meant> meaning_of_phrase(std::string_view text, Takes takes, const catalog::Catalog& catalog) {
  if (may_be(takes, kJob)) {
    if (job::is_task_word(text)) return Meant{"task", std::string(text)};
    // "qwen 72b" is of the family, though the first of it was called just so.
    if (const catalog::Model* model = model_of_size(text, catalog)) return Meant{"model", std::string(model->id)};
    if (catalog.model(text)) return Meant{"model", std::string(text)};
  }
  // Of one machine an amount of memory says which GPU it has.
  if (takes == Takes::machine)
    if (const auto amount = amount_of(text);
        amount && amount->key == "min_vram" && !gpus_of_size(text, catalog).empty())
      return Meant{"gpu", std::string(text)};
  if (may_be(takes, kGpus)) {
    const std::string counted = names_gpus(text, catalog) ? std::string(text) : with_count(text);
    const bool is_phrase = text.contains(' ') || counted != text;
    const bool is_sold = may_be(takes, kSellers) && catalog.provider(text.substr(0, text.find(' ')));
    if (is_phrase && !is_sold && (names_gpus(counted, catalog) || !check_maker(counted, catalog)))
      return Meant{"gpu", counted};
  }
  if (may_be(takes, kInstances) && job::count_in_front(text))
    if (auto machine = machine_of(text, takes, catalog)) return machine;
  if (auto amount = amount_meant(text, takes, catalog)) return amount;
  if (!text.contains(' ')) return std::nullopt;
  if (const std::string bits = without_gap(text); may_be(takes, kJob) && bits != text && physics::weight_format(bits))
    return Meant{"weights_precision", bits};
  if (auto limit = limit_meant(text, takes)) return limit;
  return named_value(text, takes);
}

/// "qwen3-32b on h100 in frankfurt": words that only join the others, or say what is so anyway.
bool is_filler(std::string_view word) {
  static constexpr std::string_view kJoining[] = {
      "on",  "in",    "at",    "with",   "using", "for",  "and",      "to",    "vs", "vs.", "versus", "or",   "of",
      "the", "under", "below", "within", "only",  "just", "cheapest", "cheap", "a",  "和",  "与",     "跟",   "或",
      "在",  "用",    "上",    "里",     "的",    "便宜", "最便宜",   "请",    "我", "要",  "想",     "我要", "我想"};
  return std::ranges::find(kJoining, lower(word)) != std::end(kJoining);
}

/// "no vast": providers to leave out.
bool excludes(std::string_view word) {
  static constexpr std::string_view kExcluding[] = {"no", "not", "without", "except", "不要", "除了", "排除"};
  return std::ranges::find(kExcluding, lower(word)) != std::end(kExcluding);
}

/// Whether the letters of `part` come in `whole` in their order: "sdxl" in "stable-diffusion-xl".
bool abbreviates(std::string_view part, std::string_view whole) {
  for (const char c : whole)
    if (!part.empty() && part.front() == c) part.remove_prefix(1);
  return part.empty();
}

/// "deepseek-r1 is taken as deepseek-v3": an alias that nobody would guess; empty for the others.
std::string taken_model(std::string_view name, const catalog::Catalog& catalog) {
  if (name.empty() || name.contains('/') || catalog::looks_like_path(name)) return {};
  const auto model = catalog.model(name);
  const bool latin = std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!model || !latin || (!billions_of(name) && abbreviates(fold_name(name), (*model)->id))) return {};
  return say("{} is taken as {}", printable(name), (*model)->id);
}

/// The longest run of words from `at` on that means something, and how many they are.
std::optional<std::pair<Meant, std::size_t>> next_meaning(std::span<const std::string> words, Takes takes,
                                                          const catalog::Catalog& catalog) {
  constexpr std::size_t kMost = 4;
  if (words.size() > 1 && excludes(words[0]) && may_be(takes, kSellers) &&
      are_all(words[1], [&](std::string_view one) { return catalog.provider(one).has_value(); }))
    return std::pair(Meant{"not_cloud", words[1]}, std::size_t{2});
  for (std::size_t count = std::min(kMost, words.size()); count > 1; --count) {
    // "h100 8 users": the number is of what follows it.
    const bool is_followed = count < words.size() && plain_number(words[count - 1]);
    if (is_followed && amount_meant(words[count - 1] + " " + words[count], takes, catalog)) continue;
    if (auto meant = meaning_of_phrase(join_texts(words.first(count), " "), takes, catalog))
      return std::pair(std::move(*meant), count);
  }
  auto meant = meaning_of(words.front(), takes, catalog);
  return meant ? std::optional(std::pair(std::move(*meant), std::size_t{1})) : std::nullopt;
}

/// An amount typed with a currency is of that currency: where nobody says in which the answer is, the answer is too.
Status settle_money(job::Constraints& limits, Currency& currency, bool is_said, const catalog::Catalog& catalog) {
  if (limits.money_in.empty()) return {};
  const auto typed = std::exchange(limits.money_in, {});
  const Currency first = typed.front().second;
  if (!is_said && std::ranges::all_of(typed, [&](const auto& one) { return one.second == first; })) currency = first;
  const auto rates = money::Converter::into(currency, catalog);
  if (!rates) return std::unexpected(rates.error());
  for (const auto& [key, code] : typed) {
    auto& amount = key == "budget" ? limits.budget : limits.max_price;
    const catalog::Number converted = rates->convert(Money{*amount, code});
    if (!converted) return usage_error(say("no exchange rate from {}", code.code()), job::find_limit(key)->flag());
    amount = *converted;
  }
  return {};
}

bool says_currency(const Context& context) {
  const auto& said = context.settings.said;
  return std::ranges::find(said, "--currency") != said.end() ||
         std::ranges::any_of(context.settings.applied, [](const Setting* one) { return one->name == "currency"; });
}

}  // namespace

std::optional<Meant> meaning_of(std::string_view word, Takes takes, const catalog::Catalog& catalog) {
  if (auto several = meaning_of_phrase(word, takes, catalog)) return several;
  if (may_be(takes, kJob)) {
    if (trim(word).starts_with('{')) return Meant{"model", std::string(word)};
    const std::string bits = without_gap(word);
    if (!plain_number(word) && physics::weight_format(bits)) return Meant{"weights_precision", bits};
    if (job::spelled<job::Engine>(fold_name(word))) return Meant{"engine", std::string(word)};
    if (job::spelled<job::Codec>(lower(word))) return Meant{"codec", std::string(word)};
    if (is_resolution(word)) return Meant{"resolution", std::string(word)};
  }
  if (is_subject(word, takes, catalog)) return std::nullopt;
  if (may_be(takes, kGpus))
    if (auto machine = machine_of(word, takes, catalog)) return machine;
  if (may_be(takes, kSellers)) {
    const auto is_provider = [&](std::string_view one) { return catalog.provider(one).has_value(); };
    const auto is_place = [&](std::string_view one) { return catalog::locate(one, catalog).has_value(); };
    if (are_all(word, is_provider)) return Meant{"cloud", std::string(word)};
    if (is_place(word) || are_all(word, is_place)) return Meant{"region", std::string(word)};
  }
  const auto is_term = [](std::string_view one) { return job::spelled<catalog::Term>(fold_name(one)).has_value(); };
  if (may_be(takes, kTerms) && are_all(word, is_term)) return Meant{"term", std::string(word)};
  if (auto limit = limit_meant(word, takes)) return limit;
  if (may_be(takes, kLimits) && is_family(word, catalog)) return Meant{"family", std::string(word)};
  if (may_be(takes, kInstances) && catalog::looks_like_path(word)) return Meant{"model", std::string(word)};
  return std::nullopt;
}

namespace {

/// What to say of the word there, by its neighbors too.
Error unknown_at(std::span<const std::string> words, std::size_t at, const Spoken& spoken,
                 const catalog::Catalog& catalog) {
  if (auto known = advised(words.subspan(at))) return *known;
  if (auto length = advised_length(words[at], spoken, catalog)) return *length;
  Error error = unknown_word(words[at], spoken, catalog);
  if (at > 0)
    if (Hint longer = longer_name(words[at - 1], words[at], catalog); !longer.empty()) error.hint = std::move(longer);
  return error;
}

/// Two GPUs are for another command, whose line is told.
std::unexpected<Error> two_gpus(std::string_view one, std::string_view other, std::string line) {
  return std::unexpected(Error{ErrorKind::usage,
                               say("two GPUs: '{}' and '{}'", shorten(one, 40), shorten(other, 40)),
                               {},
                               say("to compare them: gpusel compare {}", line)});
}

/// The words without those that only join them, as a shell takes them.
std::string as_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words)
    if (!is_filler(word)) line += (line.empty() ? "" : " ") + answer::shell_word(shorten(word, 40));
  return line;
}

/// What words in a row mean that Chinese writes without spaces: "在阿里云上部署". Empty where some of it means nothing.
std::vector<std::string> apart(std::string_view text, Takes takes, const catalog::Catalog& catalog) {
  const auto is_latin = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  for (std::size_t end = text.size(); end > 0; --end) {
    const bool cuts_letter = end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80;
    if (cuts_letter || (end < text.size() && is_latin(text[end]) && is_latin(text[end - 1]))) continue;
    const std::string_view first = text.substr(0, end);
    const bool is_meant = !is_filler(first) && meaning_of(first, takes, catalog);
    if (!is_meant && !is_filler(first)) continue;
    std::vector<std::string> words;
    if (is_meant) words.emplace_back(first);
    if (end == text.size()) return words.empty() ? std::vector<std::string>{std::string(first)} : words;
    if (auto rest = apart(text.substr(end), takes, catalog); !rest.empty()) {
      words.insert(words.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
      return words;
    }
  }
  return {};
}

/// The words, those in a row each by itself.
std::vector<std::string> apart(std::span<const std::string> words, Takes takes, const catalog::Catalog& catalog) {
  constexpr std::size_t kMostBytes = 120;
  const auto is_other = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  std::vector<std::string> all;
  for (const std::string& word : words) {
    const bool may_be_several = word.size() <= kMostBytes && std::ranges::any_of(word, is_other) && !is_filler(word) &&
                                !meaning_of(word, takes, catalog);
    auto parts = may_be_several ? apart(word, takes, catalog) : std::vector<std::string>();
    if (parts.empty()) parts.push_back(word);
    all.insert(all.end(), std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
  }
  return all;
}

/// A command with a task of its own: another is for recommend.
std::unexpected<Error> for_recommend(Error error, std::span<const std::string> words) {
  error.hint = say("for another task: gpusel recommend {}", as_line(words));
  return std::unexpected(std::move(error));
}

/// Of what work hours are an amount; of the others they are the time that it may take.
std::string_view key_of_hours(const job::Request& request, const catalog::Catalog& catalog) {
  if (request.task == job::Task::transcode) return "video_hours";
  const auto model = catalog.model(request.model.empty() ? request.usual_model : std::string_view(request.model));
  const bool hears = model && (*model)->kind == catalog::ModelKind::speech;
  const bool trains = request.task && job::is_training(*request.task);
  return hears && !trains ? "audio_hours" : "deadline";
}

Status take_hours(const std::string& hours, const Spoken& spoken, const Flagged& flags,
                  const catalog::Catalog& catalog) {
  const Meant meant{key_of_hours(spoken.request, catalog), hours};
  if (meant.key == "deadline" && spoken.constraints == nullptr)
    return std::unexpected(unknown_word(hours, spoken, catalog));
  if (!flag_over(meant, spoken, flags).empty()) return {};
  if (Status set = apply(meant, spoken); !set) return set;
  if (spoken.heard) spoken.heard(meant);
  return {};
}

/// The 2 of "2x g6.xlarge".
std::optional<Meant> nodes_of(const Meant& meant, std::string_view text, const catalog::Catalog& catalog) {
  if (meant.key != "allow_list" || catalog.has_instance(text)) return std::nullopt;
  const auto counted = job::count_in_front(text);
  return counted ? std::optional(Meant{"nodes", format("{:g}", counted->first)}) : std::nullopt;
}

bool keeps_others(Takes takes) {
  return takes == Takes::job || takes == Takes::sold || takes == Takes::device || takes == Takes::market;
}

}  // namespace

Status take_words(std::vector<std::string>& words, const Spoken& spoken, const catalog::Catalog& catalog) {
  words = apart(words, spoken.takes, catalog);
  const std::vector<std::string> all = words;
  const Flagged flags = flagged(spoken);
  const bool own_task = spoken.request.task && std::ranges::find(flags.given, "task") == flags.given.end();
  spoken.request.told_by_task = {};  // what the flag for the task said stays
  std::vector<std::string> left;
  std::string gpu;    // that a word named
  std::string hours;  // of what, the whole line tells
  std::size_t taken = 1;
  for (std::size_t at = 0; at < words.size(); at += std::exchange(taken, 1)) {
    // In front of another word "in" is no country.
    if (is_filler(words[at]) && at + 1 < words.size()) continue;
    const auto meant = next_meaning(std::span(words).subspan(at), spoken.takes, catalog);
    if (!meant && is_filler(words[at])) continue;
    if (!meant && keeps_others(spoken.takes)) {
      left.push_back(std::move(words[at]));
      continue;
    }
    if (!meant || (meant->first.key == "objective" && spoken.objective == nullptr))
      return std::unexpected(unknown_at(words, at, spoken, catalog));
    taken = meant->second;
    if (meant->first.key == "gpu")
      if (Status made = check_maker(meant->first.value, catalog); !made) return made;
    if (meant->first.key == "resolution")
      if (auto length = advised_length(words[at], spoken, catalog)) return std::unexpected(std::move(*length));
    if (meant->first.key == kHours) hours = meant->first.value;
    if (meant->first.key == kHours) continue;
    if (const std::string flag = flag_over(meant->first, spoken, flags);
        !flag.empty() && !widens(meant->first, words[at], spoken)) {
      if (spoken.overruled) spoken.overruled(words[at], flag);
      continue;
    }
    const bool is_one_gpu =
        meant->first.key == "gpu" && (spoken.constraints == nullptr || spoken.takes == Takes::device);
    if (is_one_gpu && !gpu.empty()) return two_gpus(gpu, meant->first.value, as_line(all));
    if (is_one_gpu) gpu = meant->first.value;
    if (Status set = apply(meant->first, spoken); !set)
      return own_task && meant->first.key == "task" ? for_recommend(set.error(), all) : set;
    const std::string text = join_texts(std::span(words).subspan(at, taken), " ");
    if (spoken.guessed && meant->first.key == "model" && model_of_size(text, catalog) != nullptr)
      spoken.guessed(text, meant->first.value);
    if (const auto nodes = nodes_of(meant->first, text, catalog); nodes && flag_over(*nodes, spoken, flags).empty())
      if (Status set = apply(*nodes, spoken); !set) return set;
    if (spoken.heard) spoken.heard({key_of(meant->first, spoken), meant->first.value});
  }
  words = std::move(left);
  return hours.empty() ? Status{} : take_hours(hours, spoken, flags, catalog);
}

void take_makers(std::vector<std::string>& words, job::Constraints& limits) {
  std::erase_if(words, [&](const std::string& word) {
    const auto* one = std::ranges::find(kLimitWords, lower(word), &LimitWord::said);
    if (one == std::end(kLimitWords) || one->key != "vendor") return false;
    return job::find_option(job::constraint_options(), one->key)->set(limits, one->value).has_value();
  });
}

bool is_currency_open(const Context& context) {
  return spoken() == "zh" && !says_currency(context) && !show::is_data(context.wanted_format());
}

void settle_currency(Currency& currency, std::span<const std::string> providers, const catalog::Catalog& catalog,
                     const Context& context) {
  const auto is_chinese = [&](const std::string& name) {
    const auto provider = catalog.provider(name);
    return provider && (*provider)->country == "CN";
  };
  if (!providers.empty() && is_currency_open(context) && std::ranges::all_of(providers, is_chinese))
    currency = *Currency::parse("CNY");
}

void settle_currency(Currency& currency, const job::Constraints& limits, const catalog::Catalog& catalog,
                     const Context& context) {
  if (const std::vector<std::string> sellers = limits.named_clouds(); !sellers.empty())
    return settle_currency(currency, sellers, catalog, context);
  const auto is_in_china = [&](const std::string& name) {
    const auto place = catalog::locate(name, catalog);
    return place && !place->regions.empty() &&
           std::ranges::all_of(place->regions, [](const catalog::Region* one) { return one->country == "CN"; });
  };
  const std::vector<std::string> places = limits.named_regions();
  if (!places.empty() && is_currency_open(context) && std::ranges::all_of(places, is_in_china))
    currency = *Currency::parse("CNY");
}

std::expected<void, int> settle_question(std::vector<std::string>& words, const Spoken& spoken, Currency* currency,
                                         const catalog::Catalog& catalog, Context& context) {
  const auto fail = [&](const Error& error) { return std::unexpected(context.fail(as_flag(error))); };
  Spoken over = spoken;
  std::string of_size;  // said by its size
  over.guessed = [&](std::string_view said, std::string_view model) {
    of_size = say("{} is taken as {}", printable(said), model);
  };
  over.overruled = [&](std::string_view word, std::string_view flag) {
    const auto says_the_same = [&](const auto& one) {
      const auto values = split(one.second, ',');
      return one.first.starts_with('-') && std::ranges::find(values, word) != values.end();
    };
    if (std::ranges::none_of(context.typed, says_the_same))
      context.note(say("ignoring '{}': {} takes precedence", printable(word), flag));
  };
  over.said = context.settings.said;
  std::string flag;
  for (const auto& [name, value] : context.typed)
    if (name.starts_with('-'))
      flag = name;
    else if (!flag.empty())
      over.follows.try_emplace(value, flag);
  if (!context.words.empty() && find_command(context.words.front()) != nullptr) over.command = context.words.front();
  if (Status taken = take_words(words, over, catalog); !taken) return fail(taken.error());
  if (!of_size.empty()) context.note(of_size);
  if (const job::Request& asked = spoken.request; asked.gpu.contains(',')) {
    const auto gpus = split(asked.gpu, ',');
    std::vector<std::string> line(gpus.begin(), gpus.end());
    if (!asked.model.empty()) line.insert(line.begin(), asked.model);
    if (std::ranges::all_of(gpus, [&](std::string_view gpu) { return names_gpus(gpu, catalog); }))
      return fail(two_gpus(gpus[0], gpus[1], as_line(line)).error());
  }
  if (const std::string nodes = take_whole_nodes(spoken.request, spoken.constraints, catalog); !nodes.empty())
    context.note(nodes);
  const bool open = !spoken.request.task;
  if (Status settled = answer::settle(spoken.request, catalog, spoken.load != nullptr); !settled)
    return fail(settled.error());
  // Once: what is settled again has its task.
  if (const std::string other = open ? taken_model(spoken.request.model, catalog) : ""; !other.empty())
    context.note(other);
  if (open && spoken.request.task && spoken.heard) spoken.heard({"task", std::string(to_text(*spoken.request.task))});
  if (spoken.constraints != nullptr && currency != nullptr)
    settle_currency(*currency, *spoken.constraints, catalog, context);
  if (spoken.constraints != nullptr && currency != nullptr)
    if (Status money = settle_money(*spoken.constraints, *currency, says_currency(context), catalog); !money)
      return fail(money.error());
  return {};
}

void add_words(Parsed& parsed, std::vector<std::string>& words, Takes takes) {
  parsed.positional = "WORDS";
  parsed.positional_places = {{"", takes == Takes::all ? "MODEL|GPU|SKU|PROVIDER" : "MODEL|GPU|SKU"}};
  parsed.positional_help =
      takes == Takes::all ? say("model, task, GPU, instance, provider or region, in any order: llama-3.1-8b h100 aws")
                          : say("model, task, GPU or instance, in any order: qwen3-32b h100:2");
  parsed.positional_set = appends_to(words);
}

}  // namespace gpusel::cli
