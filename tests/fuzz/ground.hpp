// What targets stand on: facts, a job, a place for files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "answer/search/recommend.hpp"
#include "catalog/snapshot/load.hpp"
#include "fuzz/target.hpp"
#include "physics/coefficients.hpp"
#include "rules/rule.hpp"

namespace gpusel::fuzz {

struct LoadedFacts {
  catalog::Catalog catalog;
  physics::Coefficients coefficients;
  std::vector<rules::Rule> rules;
};

/// What the program ships.
const LoadedFacts& shipped();
/// The invented clouds of tests/data/market, which are soon searched.
const LoadedFacts& small();

/// A day on which prices are judged.
inline constexpr Date kToday{2026, 11, 20};

/// A file of those bytes and that name; the same name is the same file. All are removed at the end.
std::string file_of(std::string_view name, std::string_view bytes);

/// With that in place of the embedded instances and offers.
catalog::LoadOptions in_place(const std::string& replacement);

/// A job out of JSON.
answer::Question question_of(std::string_view job);

/// Lists and asks a catalogue that was read from outside. What it holds beside records (rules, coefficients,
/// traffic …) may still be refused, with a sentence.
void use(const catalog::Catalog& catalog);

}  // namespace gpusel::fuzz
