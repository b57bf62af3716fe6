// One question with some inputs changed, to its best answer. Private to this room.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answer/whatif/whatif_input.hpp"

namespace gpusel::answer {

/// An input set to another value.
struct Alteration {
  const Input* input = nullptr;
  std::string text;   // of an option
  double factor = 1;  // of prices
};
/// A varied input at one of its values.
Alteration change_to(const Varied& varied, const AxisValue& value);

class Asker {
 public:
  Asker(const WhatIfQuestion& question, catalog::Catalog& catalog, std::span<const rules::Rule> rules,
        const physics::Coefficients& coefficients);
  ~Asker();  // puts the prices back
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  struct Answer {
    Outcome best;
    std::vector<Outcome> all;  // where every candidate was asked for, best first
  };
  /// Errors: as recommend().
  Result<Answer> ask(std::span<const Alteration> changes, bool every_candidate = false);
  /// The same, with what cannot be asked as an outcome without an answer.
  Outcome outcome(std::span<const Alteration> changes);

  /// What the settings say of an input, in its option's words.
  std::optional<std::string> said(const Input& input) const;
  struct Named {
    const Input* input;
    std::string_view value;
  };
  /// Every setting, in the order in which they were said.
  std::vector<Named> settings() const;
  std::size_t asked() const { return asked_; }
  const money::Duty& duty() const { return duty_; }

 private:
  /// A question with everything set.
  struct Scenario {
    Question question;
    std::optional<std::int64_t> gpus;
  };
  Result<Scenario> scenario(std::span<const Alteration> changes) const;
  static Status set(Scenario& scenario, const Input& input, std::string_view text);
  void price(std::span<const Alteration> changes);
  void forget(std::span<const Alteration> changes);
  Result<Advice> recommended(const Scenario& scenario);
  Result<Advice> of_all(const std::vector<Question>& questions);
  Outcome outcome_of(const Recommendation& candidate, const std::shared_ptr<const Advice>& advice,
                     const Scenario& scenario) const;

  const WhatIfQuestion& question_;
  catalog::Catalog& catalog_;
  std::span<const rules::Rule> rules_;
  const physics::Coefficients& coefficients_;
  struct Said {
    Input input;
    std::string value;
  };
  std::vector<Said> said_;  // the settings
  std::vector<catalog::Offer> offers_;
  bool repriced_ = false;
  std::shared_ptr<KnownMachines> known_;
  std::string but_prices_, but_rates_;  // what was changed when they were found, without prices; nor rates
  money::Duty duty_;
  std::size_t asked_ = 0;
};

}  // namespace gpusel::answer
