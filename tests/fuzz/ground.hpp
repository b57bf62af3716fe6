// What targets stand on: facts, a job, a place for files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.hpp"
#include "gpusel/advise/recommend.hpp"
#include "gpusel/catalog/load.hpp"
#include "gpusel/estimate/coefficients.hpp"
#include "gpusel/rules/rule.hpp"

namespace gpusel::fuzz {

struct Ground {
  catalog::Catalog catalog;
  estimate::Coefficients coefficients;
  std::vector<rules::Rule> rules;
};

/// What the program ships.
const Ground& shipped();
/// The invented clouds of tests/data/market, which are soon searched.
const Ground& small();

/// A day on which prices are judged.
inline constexpr Date kToday{2026, 11, 20};

/// A file of those bytes and that name; the same name is the same file. All are removed at the end.
std::string file_of(std::string_view name, std::string_view bytes);

/// With that in place of the embedded instances and offers.
catalog::LoadOptions in_place(const std::string& replacement);

/// A job out of JSON.
advise::Question question_of(std::string_view job);

/// Lists and asks a catalogue that was read from outside. What it holds beside records (rules, coefficients,
/// traffic …) may still be refused, with a sentence.
void use(const catalog::Catalog& catalog);

}  // namespace gpusel::fuzz
