#include "cli/gate/last_answer.hpp"

#include <utility>

#include "cli/gate/lock.hpp"
#include "cli/question/ask.hpp"
#include "cli/question/last.hpp"

namespace gpusel::cli {

namespace {

std::vector<std::string> words_of(const LastQuestion& question) {
  std::vector<std::string> words;
  for (const auto& [name, value] : question)
    if (name == kWordsName)
      words.push_back(value);
    else
      words.push_back(value == "true" ? name : name + "=" + value);
  return words;
}

show::Json best_of(const show::Json& lock) {
  return lock["ranking"].empty() ? show::Json() : show::Json(lock["ranking"].front());
}

}  // namespace

LastAnswer::LastAnswer(Context& context) : context_(context) {
  const auto question = last_question();
  if (!question) return;
  words_ = words_of(*question);
  if (auto lock = lock_again(words_, {}, nullptr, true, context_)) before_ = std::move(*lock);
}

std::optional<show::AnswerChange> LastAnswer::again(std::vector<Document> documents) const {
  if (!is_there()) return std::nullopt;
  const auto after = lock_again(words_, {{}, std::move(documents), nullptr}, nullptr, true, context_);
  if (!after) return std::nullopt;
  std::vector<std::string> line{"recommend"};
  line.insert(line.end(), words_.begin(), words_.end());
  return show::AnswerChange{command_line(line), (*after)["currency"].get<std::string>(), best_of(before_),
                            best_of(*after), show::effect_of(before_["ranking"], (*after)["ranking"])};
}

}  // namespace gpusel::cli
