// What is fed with arbitrary bytes: every reader of files, lines and words from outside, each by the functions that a
// command calls, with what was read put to use. libFuzzer feeds them (./dev fuzz), and so does a test with every seed
// and finding.
#pragma once

#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/error.hpp"
#include "show/document/document.hpp"

namespace gpusel::fuzz {

/// Words that belong into an input, for libFuzzer to put there.
using Words = std::set<std::string, std::less<>>;

struct Target {
  std::string_view name;
  /// Throws Broken where an answer is wrong; any other exception is one that a reader let escape.
  void (*run)(std::string_view bytes);
  /// Files and folders below the source's root that are good to begin with, beside tests/fuzz/seeds/NAME.
  std::vector<std::string_view> seeds = {};
  /// From the program's own tables.
  void (*words)(Words& words) = nullptr;
  /// Seeds that only the program can write.
  std::vector<std::string> (*made)() = nullptr;
};

std::span<const Target> targets();

/// What a target finds wrong.
struct Broken : std::logic_error {
  using std::logic_error::logic_error;
};
/// Throws if `holds` is false.
void must(bool holds, const std::string& what);

/// An error is one sentence that a terminal can show.
void check(const Error& error);
/// There is at least one, and each is; `placed`: each says where.
void check(const Errors& errors, bool placed = false);
/// Text for a person: valid UTF-8 and no control character but line feeds.
void check_shown(std::string_view text);
/// In every format.
void check_shown(const show::Document& document);

}  // namespace gpusel::fuzz
