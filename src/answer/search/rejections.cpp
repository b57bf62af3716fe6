#include "answer/search/rejections.hpp"

#include <algorithm>

namespace gpusel::answer {

void Rejections::add(const catalog::Instance& instance, const Reason& reason) {
  fallen_.push_back({&instance, reason.rule});
  if (!every_one_ && is_known({instance.provider, instance.family, reason.rule})) {
    ++list_[last_place_].count;
    return;
  }
  const bool silent = !every_reason_ && is_explained(reason.rule);
  list_.push_back({&instance, std::string(reason.rule), silent ? std::string() : reason.message(), 1});
}

bool Rejections::is_known(const Group& group) {
  if (!list_.empty() && group == last_) return true;
  const auto [entry, is_new] = place_of_.try_emplace(group, list_.size());
  last_ = group;
  last_place_ = entry->second;
  return !is_new;
}

bool Rejections::is_explained(std::string_view rule) {
  if (std::ranges::find(explained_, rule) != explained_.end()) return true;
  explained_.push_back(rule);
  return false;
}

}  // namespace gpusel::answer
