// What runs on the GPUs one has, as a page and as JSON.
#pragma once

#include "answer/here/fit_here.hpp"
#include "answer/here/gpus_here.hpp"
#include "show/document/document.hpp"
#include "show/json/json_out.hpp"

namespace gpusel::show {

/// The machine, where it was looked for.
struct HereView {
  const answer::GpusHere* here = nullptr;  // null: the GPU was named
  std::size_t limit = 0;                   // rows; 0: all
};

Document fit_list_page(const answer::FitList& list, const HereView& view);
Table fit_list_table(const answer::FitList& list, std::size_t limit);
Document fit_answer_page(const answer::FitAnswer& answer, const HereView& view, bool all);
Table fit_answer_table(const answer::FitAnswer& answer);
/// schema gpusel.fit/1.
void tell_fit_list(JsonOut& out, const answer::FitList& list, const HereView& view);
void tell_fit_answer(JsonOut& out, const answer::FitAnswer& answer, const HereView& view);

}  // namespace gpusel::show
