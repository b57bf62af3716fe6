// Money over time: what an instance, several of them or the plan for a job cost under every published term, per hour,
// day, month and year at a duty cycle, and for the whole job, with what comes beside: licences, storage, traffic.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpusel/advise/data_path.hpp"
#include "gpusel/cost/autoscale.hpp"
#include "gpusel/cost/terms.hpp"

namespace gpusel::advise {

/// What is paid beside the instances, as it was asked for.
struct CostExtras {
  bool workstation = false;  // a graphics driver with a workstation licence
  std::optional<double> storage_gb;
  catalog::StorageKind storage_kind = catalog::StorageKind::block;
  std::optional<double> egress_gb;  // to the internet, a month
};
std::span<const workload::Option<CostExtras>> cost_extra_options();

/// The job that a subject does.
struct CostJob {
  catalog::Number hours;  // of work at full speed; nothing for a service that runs on
  // At full speed, all nodes; nothing where it has no meaning.
  catalog::Number tokens_per_s;
  std::string_view tokens = "all";  // that this counts: all, written, read
  catalog::Number units_per_hour;   // of what a price of counted work is for
  std::string unit;                 // "million images"; empty: the work is counted in tokens
  bool needs_workstation = false;
  double egress_mbps = 0;  // to the internet at full speed, all nodes
};

/// The job of a saved answer, as far as the answer tells it.
struct SavedWork {
  workload::Workload work;
  workload::Precision precision = workload::Precision::fp32;  // of a plan for training
  estimate::Interval rate;                                    // that 80 of 100 measurements lie in; 0: not known
};

/// The price that a saved answer was made with.
struct SavedPrice {
  Money per_hour;  // of one instance, as offered
  std::string term, region;
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
  std::optional<SavedPrice> saved_price;          // where it comes from a saved answer
  std::optional<Currency> currency;               // of that answer
};

/// A line beside the instances. Its amounts are unknown where its price is.
struct CostLine {
  std::string_view key;   // licence, storage, egress
  cost::Amounts amounts;  // in the answer's currency
  bool known = false;
  std::string figures;  // of a month, as they are multiplied and added
  std::string words;    // how much at which price, or why nothing is known
  std::string_view source;
  Date as_of;
};

/// One term at its cheapest place.
struct TermCost {
  const catalog::Offer* offer = nullptr;
  const catalog::Region* region = nullptr;
  std::vector<const catalog::Offer*> elsewhere;  // on the same term in other places, cheapest first
  Money published;                               // of one instance and hour
  double rate = 0;                               // of all nodes and one hour, in the answer's currency
  std::optional<cost::Exchange> exchange;        // where it was converted
  cost::Commitment commitment;
  cost::Paid paid;       // hours
  double on_demand = 0;  // of all nodes and one hour, where that is what bounds them
  cost::Paid on_demand_hours;
  cost::Amounts own;        // the instances alone, in the offer's currency
  cost::Amounts instances;  // the same in the answer's currency
  std::vector<CostLine> lines;
  cost::Amounts total;                    // in the answer's currency: instances and every line that is known
  std::vector<std::string_view> lacking;  // keys of lines whose price is not known: not in the total
  // Of a job that ends, its total ÷ its work; else the total of a month ÷ the work in it.
  catalog::Number per_used_hour;
  catalog::Number per_million_tokens;
  catalog::Number per_unit;
};

struct CostItem {
  CostSubject subject;
  cost::Duty duty;                                     // the answer's, with the time of a start where it is known
  std::optional<ColdStart> cold_start;                 // where that time was worked out
  std::optional<cost::Autoscale> scaling;              // that the duty cycle of a service assumes
  std::vector<TermCost> terms;                         // in the order of catalog::Term
  std::vector<const catalog::ServiceLevel*> promises;  // of the provider, for this instance
  std::vector<std::string> notes;
  estimate::Trace trace;  // where it was asked for
};

struct CostAnswer {
  std::shared_ptr<const catalog::ConfigModel> own_model;
  std::optional<workload::Workload> work;
  cost::Converter converter;  // into the answer's currency
  cost::Duty duty;
  CostExtras extras;
  std::vector<CostItem> items;
};

struct CostQuestion {
  Question question;  // job, limits on places and terms, currency, today
  /// Found already, or by name alone: a SKU, or several of one as "2x p4d.24xlarge".
  std::vector<CostSubject> subjects;
  cost::Duty duty;
  CostExtras extras;
  bool explained = false;
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
                         const estimate::Coefficients& coefficients);

}  // namespace gpusel::advise
