// Where requests come from: exactly one source.
#include "answer/load/load.hpp"

#include <algorithm>
#include <cmath>

#include "answer/facts/traffic.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "job/job.hpp"

namespace gpusel::answer {

namespace {

using serve::Length;

constexpr std::int64_t kUsualTurns = 5;

class LoadReader {
 public:
  LoadReader(const LoadQuestion& question, const job::Request& request, std::uint64_t seed,
             const catalog::Catalog& catalog)
      : question_(question), request_(request), seed_(seed), catalog_(catalog) {}

  Result<AskedLoad> read() {
    if (Status one = one_source(); !one) return std::unexpected(one.error());
    const Status done = from_traffic();
    if (!done) return std::unexpected(done.error());
    if (Status set = arrivals(); !set) return std::unexpected(set.error());
    if (Status set = shared_prefix(); !set) return std::unexpected(set.error());
    users();
    rate();
    return std::move(out_);
  }

 private:
  bool waits() const { return question_.waits(); }

  static std::unexpected<Error> no_meaning(std::string_view flag, std::string why) {
    return usage_error(std::move(why), std::string(flag));
  }

  Status one_source() {
    if (question_.users && question_.sessions)
      return no_meaning("--sessions", say("users and sessions are both given: give one of them"));
    const std::string waiting = question_.sessions ? "--sessions" : "--users";
    if (waits() && request_.request_rate)
      return no_meaning(waiting, say("users and a request rate are two loads: give one of them"));
    if (waits() && request_.concurrency)
      return no_meaning(waiting, say("users and a concurrency are two loads: give one of them"));
    if (waits() && !question_.arrivals.empty())
      return no_meaning("--arrivals", say("users ask again after their answer: arrivals do not apply"));
    if (!waits() && question_.think_s) return no_meaning("--think", say("--think needs --users or --sessions"));
    if (!question_.sessions && question_.turns) return no_meaning("--turns", say("--turns needs --sessions"));
    return {};
  }

  Status from_traffic() {
    if (question_.traffic.empty()) return of_one_length();
    if (request_.input_tokens || request_.output_tokens)
      return usage_error(say("lengths are those of --traffic"),
                         request_.input_tokens ? "--input-tokens" : "--output-tokens", say("use one of them"));
    const auto known = traffic_catalog(catalog_);
    if (!known) return std::unexpected(known.error());
    if (const auto* profile = named(known->profiles, question_.traffic)) return of_profile(*profile);
    if (question_.traffic != "-" && !is_file(question_.traffic))
      return unknown_traffic("--traffic", question_.traffic, known->profiles);
    return of_file();
  }

  Status shared_prefix() {
    if (!question_.shared_prefix) return {};
    const std::string flag = "--shared-prefix";
    if (out_.demand.replays()) return no_meaning(flag, say("a log has its own prefixes"));
    if (out_.demand.shared_prefix > 0 || out_.demand.session_share > 0)
      return no_meaning(flag, say("{} has its own prefixes", out_.traffic.name));
    if (request_.prefix_cache_hit)
      return no_meaning(flag, say("--prefix-cache-hit and --shared-prefix both say what is cached: give one of them"));
    const auto tokens = static_cast<double>(*question_.shared_prefix);
    if (out_.demand.input.one_length() && tokens >= out_.demand.input.mean())
      return usage_error(say("prompts are only {:g} tokens long", out_.demand.input.mean()), flag,
                         say("fewer than that, or a longer --input-tokens"));
    out_.demand.shared_prefix = tokens;
    return {};
  }

  Status no_file_flags() const {
    if (question_.time_unit) return no_meaning("--time-unit", say("it needs a log with times"));
    if (question_.hash_block) return no_meaning("--hash-block", say("it needs a log with hash_ids"));
    return {};
  }

  Status of_one_length() {
    if (Status none = no_file_flags(); !none) return none;
    if (auto note = assumed_lengths(request_)) out_.notes.push_back(std::move(*note));
    out_.demand.input =
        Length::fixed(static_cast<double>(std::max<std::int64_t>(1, request_.input_tokens.value_or(job::kUsualInput))));
    out_.demand.output = Length::fixed(
        static_cast<double>(std::max<std::int64_t>(1, request_.output_tokens.value_or(job::kUsualOutput))));
    out_.traffic.source = waits() ? (question_.sessions ? "sessions" : "users") : kOneLength;
    out_.traffic.name = kOneLength;
    return {};
  }

  void take_arrivals(const job::TrafficProfile& profile) {
    out_.demand.process = {profile.gap_cv, profile.minute_cv};
    if (!profile.arrivals_known)
      out_.notes.push_back(say("{} has published lengths only: random arrivals are assumed", profile.id));
  }

  Status of_profile(const job::TrafficProfile& profile) {
    if (Status none = no_file_flags(); !none) return none;
    out_.demand.input = profile.input;
    out_.demand.output = profile.output;
    out_.demand.correlation = profile.correlation;
    out_.demand.shared_prefix = profile.shared_prefix;
    if (!waits()) {
      out_.demand.session_share = profile.session_share;
      take_arrivals(profile);
    }
    out_.traffic.source = waits() ? (question_.sessions ? "sessions" : "users") : "profile";
    out_.traffic.name = profile.id;
    out_.traffic.arrivals = "profile";
    return {};
  }

  Status of_file() {
    job::LogOptions options;
    options.time_unit = question_.time_unit;
    if (question_.hash_block) options.hash_block = static_cast<std::uint32_t>(*question_.hash_block);
    auto log = job::read_log(question_.traffic, options);
    if (!log) return std::unexpected(log.error());
    out_.traffic.name = log->name;
    out_.traffic.left_out = static_cast<double>(log->unanswered);
    if (waits())
      return usage_error(say("a log has its own arrivals: users and sessions do not apply"),
                         question_.sessions ? "--sessions" : "--users", say("use one of them"));
    if (!question_.arrivals.empty() && log->timed)
      return usage_error(say("requests of a log arrive at their logged times"), "--arrivals");
    tell_unit(*log);
    if (log->unsorted > 0)
      out_.notes.push_back(say("{} requests of the log are out of order and were sorted", log->unsorted));
    if (log->unanswered > 0)
      out_.notes.push_back(say("{} requests of the log have no output tokens and are excluded", log->unanswered));
    out_.traffic.source = "file";
    out_.traffic.arrivals = "trace";
    auto requests = std::make_shared<job::Requests>(std::move(log->requests));
    const double span = requests->all.back().arrival;
    if (!log->timed || span <= 0) return without_times(std::move(requests), log->timed);
    measure(*requests, out_.traffic);
    out_.demand.rate = out_.demand.log_rate = out_.traffic.requests_per_s;
    if (request_.request_rate) {
      out_.demand.rate = *request_.request_rate;
      out_.notes.push_back(say("the log's times are scaled by {:.3g}, from {:.3g} to {:.3g} requests per second",
                               out_.demand.log_rate / out_.demand.rate, out_.demand.log_rate, out_.demand.rate));
    }
    constexpr double kNotable = 1.3;
    if (out_.traffic.peak_minute_over_mean > kNotable)
      out_.notes.push_back(
          say("the busiest minute has {:.1f}× the mean rate, and requests per minute vary {:.0f}× as much as random "
              "arrivals: a mean would hide that",
              out_.traffic.peak_minute_over_mean, out_.traffic.dispersion_60s));
    out_.demand.log = std::move(requests);
    return {};
  }

  void tell_unit(const job::RequestLog& log) {
    out_.traffic.time_unit_from = log.unit_from;
    if (!log.timed) return;
    out_.traffic.time_unit = log.unit;
    const std::string_view unit = to_text(log.unit);
    switch (log.unit_from) {
      case job::TimeUnitFrom::dates: out_.notes.push_back(say("the log's times are dates")); break;
      case job::TimeUnitFrom::column:
        out_.notes.push_back(say("the log's times are in {}, as its column says", unit));
        break;
      case job::TimeUnitFrom::format:
        out_.notes.push_back(say("the log's times are in {}, as in logs of its kind", unit));
        break;
      case job::TimeUnitFrom::option: out_.notes.push_back(say("the log's times are in {}, as stated", unit)); break;
      default:
        out_.notes.push_back(
            say("the log's times are assumed to be in {}: no other unit gives a plausible rate", unit));
    }
  }

  /// Lengths alone: they are asked in their order, at the rate that is stated.
  Status without_times(std::shared_ptr<job::Requests> requests, bool timed) {
    if (!request_.request_rate)
      return usage_error(timed ? say("all requests of the log come at once") : say("the log has no times"),
                         question_.traffic, say("--request-rate says how many come per second"));
    serve::Demand spread = out_.demand;
    if (Status set = set_process(spread); !set) return set;
    spread.input = spread.output = Length::fixed(1);
    const auto times = serve::draw(spread, requests->all.size(), *request_.request_rate, seed_);
    for (std::size_t i = 0; i < requests->all.size(); ++i) requests->all[i].arrival = times.all[i].arrival;
    out_.traffic.arrivals = "poisson";
    out_.demand.rate = out_.demand.log_rate = *request_.request_rate;
    measure(*requests, out_.traffic);
    out_.demand.log = std::move(requests);
    return {};
  }

  Status arrivals() {
    if (out_.demand.replays()) return {};
    if (question_.arrivals.empty()) {
      if (out_.traffic.arrivals.empty()) out_.traffic.arrivals = waits() ? "closed-loop" : "poisson";
      return {};
    }
    return set_process(out_.demand);
  }

  Status set_process(serve::Demand& demand) {
    const std::string& text = question_.arrivals;
    if (text.empty() || text == "poisson") {
      demand.process = {};
      out_.traffic.arrivals = "poisson";
      return {};
    }
    if (text == "even") {
      demand.process = {0, 0};
      out_.traffic.arrivals = "even";
      return {};
    }
    if (text.starts_with("gamma:")) {
      const auto cv = plain_number(std::string_view(text).substr(6));
      if (!cv || !(*cv > 0) || *cv > 100)
        return usage_error(say("'{}' is not a coefficient of variation", printable(shorten(text.substr(6), 20))),
                           "--arrivals", say("gamma:3.5 has gaps with a coefficient of variation of 3.5"));
      demand.process = {*cv, 0};
      out_.traffic.arrivals = "gamma";
      return {};
    }
    const auto known = traffic_catalog(catalog_);
    if (!known) return std::unexpected(known.error());
    const auto* profile = named(known->profiles, text);
    if (profile == nullptr) {
      std::vector<std::string_view> names = {"poisson", "even", "gamma:CV"};
      for (const auto& one : known->profiles) names.push_back(one.id);
      return unknown_traffic("--arrivals", text, std::span<const std::string_view>(names));
    }
    take_arrivals(*profile);
    demand.process = {profile->gap_cv, profile->minute_cv};
    out_.traffic.arrivals = "profile";
    return {};
  }

  void users() {
    if (!waits()) return;
    serve::Users& users = out_.demand.users;
    users.count = static_cast<std::uint32_t>(question_.users ? *question_.users : *question_.sessions);
    users.think = question_.think_s.value_or(0);
    if (question_.sessions) users.turns = static_cast<std::uint32_t>(question_.turns.value_or(kUsualTurns));
  }

  void rate() {
    if (waits() || out_.demand.replays()) return;
    out_.demand.rate = request_.request_rate.value_or(job::kAssumedRate);
  }

  const LoadQuestion& question_;
  const job::Request& request_;
  std::uint64_t seed_;
  const catalog::Catalog& catalog_;
  AskedLoad out_;
};

AskedTraffic::Lengths lengths_of(std::vector<std::uint32_t> values) {
  AskedTraffic::Lengths out;
  if (values.empty()) return out;
  double sum = 0;
  for (const std::uint32_t value : values) sum += value;
  out.mean = sum / static_cast<double>(values.size());
  const auto at = [&](double share) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return static_cast<double>(*place);
  };
  out.p50 = at(0.5);
  out.p95 = at(0.95);
  out.most = at(1);
  return out;
}

}  // namespace

std::string_view LoadQuestion::first_flag() const {
  const std::pair<bool, std::string_view> flags[] = {{!traffic.empty(), "--traffic"},
                                                     {!arrivals.empty(), "--arrivals"},
                                                     {users.has_value(), "--users"},
                                                     {sessions.has_value(), "--sessions"},
                                                     {think_s.has_value(), "--think"},
                                                     {turns.has_value(), "--turns"},
                                                     {shared_prefix.has_value(), "--shared-prefix"},
                                                     {time_unit.has_value(), "--time-unit"},
                                                     {hash_block.has_value(), "--hash-block"}};
  const auto* found = std::ranges::find(flags, true, &std::pair<bool, std::string_view>::first);
  return found == std::end(flags) ? std::string_view() : found->second;
}

double AskedLoad::mean_input() const {
  double input = demand.replays() ? traffic.input.mean : demand.input.mean();
  if (demand.users.turns > 1) input += (input + mean_output()) * (demand.users.turns - 1) / 2.0;
  return input;
}

double AskedLoad::mean_output() const { return demand.replays() ? traffic.output.mean : demand.output.mean(); }

std::optional<std::string> assumed_lengths(const job::Request& request) {
  if (request.input_tokens && request.output_tokens) return std::nullopt;
  return say("{} prompt and {} output tokens assumed (--isl, --osl)", request.input_tokens.value_or(job::kUsualInput),
             request.output_tokens.value_or(job::kUsualOutput));
}

Result<AskedLoad> asked_load(const LoadQuestion& question, const job::Request& request, std::uint64_t seed,
                             const catalog::Catalog& catalog) {
  return LoadReader(question, request, seed, catalog).read();
}

void measure(const job::Requests& requests, AskedTraffic& traffic) {
  const auto& all = requests.all;
  traffic.requests = static_cast<double>(all.size());
  if (all.empty()) return;
  std::vector<std::uint32_t> inputs(all.size());
  std::vector<std::uint32_t> outputs(all.size());
  std::ranges::transform(all, inputs.begin(), &job::LoggedRequest::input);
  std::ranges::transform(all, outputs.begin(), &job::LoggedRequest::output);
  traffic.input = lengths_of(std::move(inputs));
  traffic.output = lengths_of(std::move(outputs));
  std::vector<double> arrivals(all.size());  // those of users are not in order
  std::ranges::transform(all, arrivals.begin(), &job::LoggedRequest::arrival);
  std::ranges::sort(arrivals);
  const double span = arrivals.back() - arrivals.front();
  traffic.duration_s = span;
  if (span <= 0) return;
  traffic.requests_per_s = static_cast<double>(all.size() - 1) / span;
  const double mean = 1 / traffic.requests_per_s;
  double squares = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double gap = arrivals[i] - arrivals[i - 1];
    squares += (gap - mean) * (gap - mean);
  }
  traffic.gap_cv = std::sqrt(squares / static_cast<double>(all.size() - 1)) / mean;
  // Whole minutes alone; what begins in none is in none.
  constexpr double kMinute = 60;
  std::vector<double> minutes(static_cast<std::size_t>(span / kMinute));
  for (const double arrival : arrivals) {
    const auto minute = static_cast<std::size_t>((arrival - arrivals.front()) / kMinute);
    if (minute < minutes.size()) minutes[minute] += 1;
  }
  if (minutes.size() < 2) return;
  double sum = 0;
  for (const double count : minutes) sum += count;
  const double each = sum / static_cast<double>(minutes.size());
  double variance = 0;
  for (const double count : minutes) variance += (count - each) * (count - each) / static_cast<double>(minutes.size());
  traffic.dispersion_60s = each > 0 ? variance / each : 0;
  traffic.peak_minute_over_mean = each > 0 ? std::ranges::max(minutes) / each : 0;
}

}  // namespace gpusel::answer
