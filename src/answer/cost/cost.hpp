// Money over time: what an instance, several of them or the plan for a job cost under every published term, per hour,
// day, month and year at a duty cycle, and for the whole job, with what comes beside: licences, storage, traffic.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer/facts/stops.hpp"
#include "answer/stages/data_path.hpp"
#include "money/over_time/autoscale.hpp"
#include "money/quote.hpp"

namespace gpusel::answer {

using CostExtras = money::Extras;
using CostJob = money::Work;
using CostLine = money::Line;

/// The job of a saved answer, as far as the answer tells it.
struct SavedWork {
  job::Job work;
  job::Precision precision = job::Precision::fp32;  // of a plan for training
  physics::Interval rate;                           // that 80 of 100 measurements lie in; 0: not known
};

/// The price that a saved answer was made with.
struct SavedPrice {
  Money per_hour;  // of one instance, as offered
  std::string term, region;
  bool is_own = false;  // the user's own
  Date as_of;
};

/// What is paid for: so many of one instance, for a job or for none.
struct CostSubject {
  std::string name;  // as it was asked for
  const catalog::Instance* instance = nullptr;
  int nodes = 1;
  const catalog::Provider* provider = nullptr;
  std::optional<CostJob> job;
  std::string problem;                            // why there is no plan for the job on it; empty where there is
  std::shared_ptr<const PlannedMachine> planned;  // null without a job, and where it comes from a saved answer
  std::shared_ptr<const SavedWork> saved;         // null where it was not saved, or of another model than known ones
  int rank = 0;                                   // of the recommendation that it is; 0: it was named
  catalog::Number in_time = {};                   // its chance of all targets
  std::string place = {};                         // region that its terms stand in, as far as they are sold there
  std::optional<SavedPrice> saved_price;          // where it comes from a saved answer
  std::optional<Currency> currency;               // of that answer
  money::Duty saved_duty = {};                    // that answer's
  CostExtras saved_extras = {};
  std::optional<double> saved_start_s = {};  // of its starts, where it worked them out
};

/// One term at its cheapest place.
struct TermCost : money::Quote {
  const catalog::Offer* offer = nullptr;
  const catalog::Region* region = nullptr;
  struct Other {
    const catalog::Offer* offer;
    double rate;  // of all nodes and one hour, in the answer's currency
  };
  std::vector<Other> elsewhere;                            // on the same term in other places, cheapest first
  std::shared_ptr<const Recommendation> judged = nullptr;  // null without a plan
};

struct CostItem {
  CostSubject subject;
  money::Duty duty;                                    // the answer's, with the time of a start where it is known
  std::optional<ColdStart> cold_start;                 // where that time was worked out
  std::optional<money::Autoscale> scaling;             // that the duty cycle of a service assumes
  std::vector<TermCost> terms;                         // in the order of catalog::Term
  std::vector<const catalog::ServiceLevel*> promises;  // of the provider, for this instance
  std::vector<std::string> notes;
  physics::Trace trace;               // where it was asked for
  std::vector<TermCost> beside = {};  // on demand, where spot is asked for and it is not: what spot is compared with
};

/// What any of its terms charges on top of the instances, in the order of the first that does.
std::vector<std::string_view> line_keys(const CostItem& item);
/// Which terms it is sold on, too, at prices that are not recorded; empty where there is none.
std::string unpriced_terms_note(const CostItem& item);

struct CostAnswer {
  std::shared_ptr<const catalog::ConfigModel> own_model;
  std::optional<job::Job> work;
  money::Converter converter;  // into the answer's currency
  money::Duty duty;
  CostExtras extras;
  std::vector<CostItem> items;
  Date today = {};              // for the age of prices
  job::Constraints asked = {};  // limits as they were given
};

struct CostQuestion {
  Question question;  // job, limits on places and terms, duty, what comes beside, currency, today
  /// Found already, or by name alone: a SKU, or several of one as "2x p4d.24xlarge".
  std::vector<CostSubject> subjects;
  std::span<const rules::Rule> rules;  // shipped and the user's: those on offers decide which may be taken
  bool explained = false;
  StopWishes stops = {};  // how often it is stopped, where that was said
};

/// What a saved answer of `recommend` says of one of its recommendations. Errors: no such answer or rank, a SKU that
/// the catalogue does not have.
Result<CostSubject> saved_subject(const std::string& text, const std::string& name, int rank,
                                  const catalog::Catalog& catalog);
/// The recommendation as something to be paid for.
CostSubject subject_of(const Recommendation& recommendation, const Advice& advice, const catalog::Catalog& catalog);

/// Prices of every subject, with a plan for the question's job where it has one and the subject has none. Errors: an
/// unknown name; a job, place or limit that does not exist.
Result<CostAnswer> costs(const CostQuestion& question, const catalog::Catalog& catalog,
                         const physics::Coefficients& coefficients);

}  // namespace gpusel::answer
