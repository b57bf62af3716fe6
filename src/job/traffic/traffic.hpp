// Requests that arrive: how long they are, how many come per second, and how the day goes. Out of a file of real
// requests, read once from front to back in bounded memory, or by a name out of data/traffic.yaml.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "base/values/error.hpp"
#include "job/traffic/length.hpp"
#include "job/traffic/log.hpp"

namespace gpusel::job {

/// Requests of about one length.
struct Bucket {
  double input_up_to = 0;   // tokens of a prompt here, at most
  double output_up_to = 0;  // of an answer
  double input = 0;         // on average
  double output = 0;
  double share = 0;  // of all requests
};

/// Requests per hour of the day over those of the mean hour, from midnight.
using Day = std::array<double, 24>;

struct Traffic {
  std::string name;    // of a profile, or the file
  std::string source;  // of a profile's lengths: a key of the catalogue
  std::vector<Bucket> buckets;
  double mean_input = 0;
  double mean_output = 0;
  std::optional<double> requests_per_s;  // on average, where a file has times
  std::optional<Day> day;                // where a file covers every hour of the day
  std::optional<double> busiest;         // rate of the busiest five minutes over the mean
  double hours = 0;                      // that a file covers; 0 without times
  double requests = 0;                   // of a file
  double unanswered = 0;                 // of a file: answers of no token, left out
  bool at_once = false;                  // of a file: it has times, and they are all the same
};

/// Counts requests by length: classes half an octave wide, merged at the end.
class Histogram {
 public:
  void add(double input, double output, double weight = 1);
  /// Buckets of geometric classes, at most eight by eight, by prompt and then by answer.
  std::vector<Bucket> buckets() const;
  double weight() const { return weight_; }
  double mean_input() const { return weight_ > 0 ? input_ / weight_ : 0; }
  double mean_output() const { return weight_ > 0 ? output_ / weight_ : 0; }

 private:
  struct Cell {
    double weight = 0;
    double input = 0;  // sums
    double output = 0;
  };
  std::map<std::pair<int, int>, Cell> cells_;
  double weight_ = 0;
  double input_ = 0;
  double output_ = 0;
};

/// What a log comes down to.
Traffic traffic_of(const RequestLog& log);
/// The same of a file, with the errors of read_log().
Result<Traffic> read_traffic(const std::string& path, const LogOptions& options = {});

/// Every request of one length.
Traffic fixed_traffic(double input, double output);

/// What data/traffic.yaml and overlays hold.
struct TrafficProfile {
  std::string id;
  std::string meaning;
  std::string source;
  Length input;
  Length output;
  double correlation = 0;       // of the normal variables behind the two
  double gap_cv = 1;            // standard deviation of the gaps between arrivals over their mean, within a minute
  double minute_cv = 0;         // the same of the minutes' rates, beyond chance
  double shared_prefix = 0;     // tokens at the start of every prompt
  double session_share = 0;     // of requests, those that go on with an earlier one
  bool arrivals_known = false;  // published: without, arrivals at random are assumed
};
struct DailyProfile {
  std::string id;
  std::string meaning;
  std::string source;
  Day multipliers{};
};
struct TrafficCatalog {
  std::vector<TrafficProfile> profiles;
  std::vector<DailyProfile> days;
};
/// Later documents over earlier ones, by id.
std::expected<TrafficCatalog, Errors> read_traffic_catalog(std::span<const Document> documents);

Traffic traffic_of(const TrafficProfile& profile);

/// A file of 24 multipliers from midnight, separated by white space or commas. Errors: not 24, or one is no number.
Result<Day> read_day(const std::string& path);

}  // namespace gpusel::job
