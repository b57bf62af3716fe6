#include "answer/search/rejections.hpp"

#include <algorithm>

namespace gpusel::answer {

void Rejections::add(const catalog::Instance& instance, const Reason& reason) {
  fallen_.push_back({&instance, reason.rule});
  const bool known = !every_one_ && is_known({instance.provider, instance.family, reason.rule});
  if (known) ++list_[last_place_].count;
  if (!known)
    list_.push_back({&instance, std::string(reason.rule), every_reason_ ? reason.message() : std::string(), 1});
  if (!every_reason_) explain(instance, reason, known ? last_place_ : list_.size() - 1);
}

/// A message is written for the first of a rule, and for whoever comes nearer after it.
void Rejections::explain(const catalog::Instance& instance, const Reason& reason, std::size_t place) {
  auto known = std::ranges::find(explained_, reason.rule, &Explained::rule);
  if (known != explained_.end() && reason.nearness <= known->nearness) return;
  if (known == explained_.end()) known = explained_.insert(known, {reason.rule, place, 0});
  list_[known->place].message.clear();
  *known = {reason.rule, place, reason.nearness};
  list_[place].instance = &instance;
  list_[place].message = reason.message();
}

bool Rejections::is_known(const Group& group) {
  if (!list_.empty() && group == last_) return true;
  const auto [entry, is_new] = place_of_.try_emplace(group, list_.size());
  last_ = group;
  last_place_ = entry->second;
  return !is_new;
}

}  // namespace gpusel::answer
