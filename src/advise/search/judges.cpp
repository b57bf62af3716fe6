#include "advise/search/judges.hpp"

#include <bit>
#include <cstddef>
#include <span>

namespace gpusel::advise {

namespace {

constexpr std::size_t kPlaces = 256;  // about twice as many as GPUs and states of being sold that occur together

std::size_t place_of(std::span<const std::uint64_t> key) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : key) hash = std::rotl((hash ^ word) * 0x9e3779b97f4a7c15U, 29);
  return (hash ^ hash >> 32U) % kPlaces;
}

}  // namespace

void Judges::add(const rules::Rule& rule, const rules::Facts& job) {
  rules_.push_back(&rule);
  open_.push_back(rules::left_open(rule.when, job, rules::Stage::job));
  facts_ |= rules::facts_in(open_.back());
  all_facts_ |= rules::facts_in(rule.when);
  found_.clear();
}

const rules::Rule* Judges::first_to_fire(const rules::Facts& known) const {
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (rules::holds(open_[i], known) == true) return rules_[i];
  return nullptr;
}

const rules::Rule* Judges::remembered(const rules::Facts& known) {
  if (rules_.empty()) return nullptr;
  found_.resize(kPlaces);
  read_key(known);
  Found& found = found_[place_of(key_)];
  if (found.of != key_ || key_.empty()) found = {key_, first_to_fire(known)};
  return found.rule;
}

void Judges::read_key(const rules::Facts& known) {
  key_.clear();
  facts_.for_each([&](rules::Fact fact) {
    const auto bits = known.bits(fact, rules::info(fact).type);
    key_.insert(key_.end(), bits.begin(), bits.end());
  });
}

}  // namespace gpusel::advise
