// Words without a flag in front: a model, a task, GPUs, an instance, a provider, a place, a term.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/search/recommend.hpp"
#include "cli/command.hpp"
#include "cli/context.hpp"

namespace gpusel::cli {

/// What a word says, as the flag of that key would.
struct Meant {
  std::string_view key;  // of a request option or a limit
  std::string value;
};

/// Which words a command takes so.
enum class Takes : std::uint8_t {
  job,      // models and tasks: machines are subjects of its own
  sold,     // and providers, places and terms: machines are its own
  machine,  // GPUs and instances too
  device,   // GPUs too: instances are its own
  market,   // GPUs, providers, places and terms, and no job
  all       // everything
};

/// Whether a word says which GPUs: "h100", "h100:8", "nvidia:80GB".
bool names_gpus(std::string_view word, const catalog::Catalog& catalog);
/// Whether a word means GPUs, even where somebody sells an instance of that name: "h100".
bool is_gpu_first(std::string_view word, const catalog::Catalog& catalog);
/// Nothing where a word names none of these.
std::optional<Meant> meaning_of(std::string_view word, Takes takes, const catalog::Catalog& catalog);

/// The question that words speak of.
struct Spoken {
  job::Request& request;
  job::Constraints* constraints = nullptr;  // where there are limits
  Takes takes = Takes::all;
  /// Also told of each, where a command keeps the words of its question.
  std::function<void(const Meant&)> heard = nullptr;
  answer::LoadQuestion* load = nullptr;  // where the command has one
  job::Objective* objective = nullptr;   // the same
  std::span<const std::string> said{};   // flags of the line, by their first long names: they win over words
  /// The flag that a word of the line follows, by its first long name.
  std::map<std::string, std::string, std::less<>> follows = {};
  std::string_view command = "recommend";
  /// Told of a model that was guessed from its size: "72b".
  std::function<void(std::string_view said, std::string_view model)> guessed = nullptr;
  /// Told of a word that is not taken, since a flag of the line says something else.
  std::function<void(std::string_view word, std::string_view flag)> overruled = nullptr;
};

/// Sets what `words` say and takes them out; what is left is for the command, or, where `takes` is all or machine, an
/// error. Error: a word that says nothing, or says again what was said.
Status take_words(std::vector<std::string>& words, const Spoken& spoken, const catalog::Catalog& catalog);

/// take_words(), and then all that other words tell: the task, an instance's GPUs, the currency of amounts. The error
/// is the exit status.
std::expected<void, int> settle_question(std::vector<std::string>& words, const Spoken& spoken, Currency* currency,
                                         const catalog::Catalog& catalog, Context& context);

/// Sets what words say of who makes a GPU, and takes them out: "英伟达".
void take_makers(std::vector<std::string>& words, job::Constraints& limits);

/// Whether nobody said the currency of an answer that is read in Chinese.
bool is_currency_open(const Context& context);
/// Such an answer about Chinese providers or places in China alone is in CNY; otherwise `currency` stays.
void settle_currency(Currency& currency, const job::Constraints& limits, const catalog::Catalog& catalog,
                     const Context& context);
void settle_currency(Currency& currency, std::span<const std::string> providers, const catalog::Catalog& catalog,
                     const Context& context);

/// Collects words for settle_question(), as what is called `name` in help.
void add_words(Parsed& parsed, std::vector<std::string>& words, Takes takes);

}  // namespace gpusel::cli
