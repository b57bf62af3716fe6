// How an answer came about, in a few words: what ruled machines out, what bounds the best, what it was compared with
// and on which terms it is worth renting. Private to this room.
#pragma once

#include "answer/search/search.hpp"

namespace gpusel::answer {

/// The steps from the job to the best answer, in order; each follows from rules that fired, figures of the plan or a
/// comparison of candidates. Where nothing meets the question, what ruled all out.
std::vector<std::string> decision_path(const Advice& advice, std::span<const RejectedInstance> fallen,
                                       const SearchContext& context);

}  // namespace gpusel::answer
