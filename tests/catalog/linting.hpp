// What the tests of gpusel catalog lint share: a clean catalogue, and what is found in one.
#pragma once

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "listing.hpp"
#include "support/program.hpp"

namespace gpusel::test {

using Json = nlohmann::json;

inline const std::string& clean() {
  static const std::string text = read_file(kSource + "/tests/data/lint/clean.yaml");
  return text;
}

struct Linted {
  int status = 0;
  Json json;
  /// "check subject" of each finding.
  Lines found() const {
    Lines lines;
    for (const Json& finding : json["findings"])
      lines.push_back(finding["id"].get<std::string>() + " " + finding["subject"].get<std::string>());
    return lines;
  }
};

inline Linted lint(std::vector<std::string> words) {
  words.insert(words.begin(), {"catalog", "lint", "--json"});
  const Run run = ask(words);
  CAPTURE(run.err);
  return {run.status, Json::parse(run.out)};
}

inline std::string catalogue(const std::string& yaml) { return folder({{"all.yaml", yaml}}); }

}  // namespace gpusel::test
