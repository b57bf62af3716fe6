// What `verify` says of coefficients: sources left out, and what the measurements make of the shipped values. Private
// to this room.
#pragma once

#include "show/truth/verify.hpp"

namespace gpusel::show {

std::string percent_off(double share);
std::string signed_percent(double share);

Json accuracy_json(const answer::Group& group);
/// Of training and of serving: what was said to fit, and how sure.
Json fit_json(const answer::Verification& verification);
/// How many ran of the jobs that were given each chance; beside it, with each source left out.
Table chance_table(const answer::Verification& verification, const answer::LeaveOut* left_out);

/// Errors of each figure with the source left out, beside those with it.
Table left_out_table(const answer::LeaveOut& left_out, const answer::Verification& verification);
/// One source a row.
Table left_out_sources_table(const answer::LeaveOut& left_out);
Json left_out_json(const answer::LeaveOut& left_out);

/// `all`: those too that stay.
Table refit_table(const answer::Refit& refit, bool all);
Json refit_json(const answer::Refit& refit);

}  // namespace gpusel::show
