// A recommendation as a document, and as JSON or CSV for programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "answer/search/recommend.hpp"
#include "show/document/document.hpp"
#include "show/json/json_out.hpp"

namespace gpusel::show {

struct RecommendView {
  std::size_t limit = 10;  // rows; 0: all
  bool wide = false;
  bool sortable = false;  // the ranking, by the reader of a page
  bool explain = false;   // scores and warnings in full
  bool show_rejected = false;
  bool all_sizes = false;  // a row for each size of a provider's machines, not for its best alone
  bool ranking = false;    // asked for: not what each load takes in its place
  bool evidence = false;   // how sure rank 1 is, in full
  bool why = false;        // reasons, assumptions, prices and the decision, below a brief answer
  job::ObjectiveKind objective = job::ObjectiveKind::cost;
  std::string next = {};  // export target for rank 1
  bool next_is_whole = false;  // it takes the question from this one

  /// Whether more than a screen was asked for.
  bool asks_more() const { return why || show_rejected || evidence; }
};

Table ranking_table(const answer::Advice& advice, const RecommendView& view);

/// Instances that one rule dropped.
struct RejectedGroup {
  std::string rule;
  int instances = 0;
  std::vector<const answer::Rejection*> rejections;
};
/// The most instances first.
std::vector<RejectedGroup> rejected_by_rule(const answer::Advice& advice);

Document recommend_page(const answer::Advice& advice, const catalog::Catalog& catalog, const RecommendView& view);
/// What was asked for beside a brief answer.
Document recommend_details(const answer::Advice& advice, const catalog::Catalog& catalog, const RecommendView& view);

struct RecommendTelling {
  std::size_t limit = 0;   // recommendations; 0: all
  std::string today = {};  // among what was assumed, where it is given
  /// Further members of each.
  std::function<void(JsonOut&, std::size_t index)> beside = nullptr;
};
void tell_recommend(JsonOut& out, const answer::Advice& advice, const catalog::Catalog& catalog,
                    const RecommendTelling& told);
Json recommend_json(const answer::Advice& advice, const catalog::Catalog& catalog, std::size_t limit);
/// The figures that a spreadsheet wants, in full; one row per recommendation.
Table recommend_table(const answer::Advice& advice, const catalog::Catalog& catalog, std::size_t limit);

}  // namespace gpusel::show
