// The whole question as `recommend` asks it, for every command with a recommendation inside.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "answer/search/recommend.hpp"
#include "cli/command.hpp"
#include "cli/question/loaded_facts.hpp"
#include "cli/question/named.hpp"

namespace gpusel::cli {

struct JobOptions {
  answer::Question question;
  std::vector<std::string> rule_files;
  std::vector<std::string> words;  // without a flag in front: a model, a task, a GPU, a provider …
  bool sorted = false;             // by what the command line names
};

/// Whether an option's key is among these.
inline bool is_one_of(std::string_view key, std::span<const std::string_view> keys) {
  return std::ranges::find(keys, key) != keys.end();
}

/// What may be said of the job itself; the machine is what is looked for.
std::vector<job::Option<job::Request>> job_options();
/// The same without the other names of sessions: users wait for answers, think and ask again, and where sessions are
/// counted they are those (answer::recommend).
std::span<const job::Option<job::Request>> options_of_jobs();
/// Of a service's requests.
std::span<const job::Option<answer::LoadQuestion>> options_of_loads();
/// How much of the time it is used, and what is paid beside the instances.
void add_use_flags(std::vector<Flag>& flags, answer::Question& question);
/// Job, limits, use, ranking, currency and own rules; `job` must outlive the flags.
void add_job_flags(std::vector<Flag>& flags, JobOptions& job);
/// The error of a command that serves language models alone: of a missing model with some that it can do.
Error of_language_model(Error error);
/// Which instances are asked about at all, by the columns of their list.
Flag filter_flag(std::string& filter, std::string group);
/// --rules alone.
/// A switch for what an answer leaves out of its first screen.
Flag why_flag(bool& place, std::string names, std::string help);
Flag rules_flag(std::vector<std::string>& files, std::string group);

/// Sets what the words of the question say, and what they leave to be told: ask() does so first. The error is the exit
/// status.
std::expected<void, int> settle(JobOptions& job, const catalog::Catalog& catalog, Context& context);
/// Whether a word is the name of a saved answer: standard input, a file, or what is called like one.
bool names_saved(std::string_view word);

/// Says what is wrong with the question; the error is the exit status. The answer points into `ground`.
std::expected<answer::Advice, int> ask(JobOptions& job, const LoadedFacts& ground, Context& context);
/// Where in the ranking the one is that --rank asks for, else the first. Where there is none, says so with `hint`; the
/// error is the exit status.
std::expected<std::size_t, int> chosen(const JobOptions& job, const answer::Advice& advice,
                                       std::optional<std::int64_t> rank, std::string hint, Context& context);

/// The exit status where nothing meets the question: whether its prices are too old, or nothing is there at all.
int status_of_nothing(const answer::Advice& advice);

}  // namespace gpusel::cli
