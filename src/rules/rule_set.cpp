#include "rules/rule_set.hpp"

#include <bit>
#include <cstddef>
#include <span>

namespace gpusel::rules {

namespace {

constexpr std::size_t kPlaces = 256;  // about twice as many as GPUs and states of being sold that occur together

std::size_t place_of(std::span<const std::uint64_t> key) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : key) hash = std::rotl((hash ^ word) * 0x9e3779b97f4a7c15U, 29);
  return (hash ^ hash >> 32U) % kPlaces;
}

}  // namespace

void RuleSet::add(const Rule& rule, const Facts& job) {
  rules_.push_back(&rule);
  open_.push_back(left_open(rule.when, job, Stage::job));
  facts_ |= facts_in(open_.back());
  all_facts_ |= facts_in(rule.when);
  found_.clear();
}

const Rule* RuleSet::first_to_fire(const Facts& known) const {
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (holds(open_[i], known) == true) return rules_[i];
  return nullptr;
}

const Rule* RuleSet::remembered(const Facts& known) {
  if (rules_.empty()) return nullptr;
  found_.resize(kPlaces);
  read_key(known);
  Found& found = found_[place_of(key_)];
  if (found.of != key_ || key_.empty()) found = {key_, first_to_fire(known)};
  return found.rule;
}

void RuleSet::read_key(const Facts& known) {
  key_.clear();
  facts_.for_each([&](Fact fact) {
    const auto bits = known.bits(fact, info(fact).type);
    key_.insert(key_.end(), bits.begin(), bits.end());
  });
}

}  // namespace gpusel::rules
