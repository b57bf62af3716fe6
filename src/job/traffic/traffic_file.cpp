// Files of real requests, read piece by piece.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>

#include "base/io/csv.hpp"
#include "base/io/file.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/values/units.hpp"
#include "base/words/message.hpp"
#include "job/traffic/traffic.hpp"

namespace gpusel::job {

namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10U;
constexpr std::size_t kLongestRecord = std::size_t{4} << 20U;
constexpr double kMostTokens = 1e8;
/// Five minutes: what a service's day is looked at in. More of them than this are not one service's requests.
constexpr double kWindow = 300;
constexpr std::size_t kMostWindows = 250000;
/// A number of seconds that large counts something smaller.
constexpr double kLatestSecond = 1e11;

enum class Wanted : std::uint8_t { input, output, time, milliseconds };
struct ColumnName {
  std::string_view folded;
  Wanted wanted;
};
/// What the field calls them, in lower case without separators: OpenAI's usage records, vLLM's and AIPerf's lengths,
/// the Azure traces, BurstGPT, Mooncake, Vidur.
constexpr ColumnName kColumnNames[] = {{"inputtokens", Wanted::input},
                                       {"prompttokens", Wanted::input},
                                       {"isl", Wanted::input},
                                       {"contexttokens", Wanted::input},
                                       {"requesttokens", Wanted::input},
                                       {"inputlength", Wanted::input},
                                       {"inputlen", Wanted::input},
                                       {"promptlen", Wanted::input},
                                       {"promptlength", Wanted::input},
                                       {"numprefilltokens", Wanted::input},
                                       {"outputtokens", Wanted::output},
                                       {"completiontokens", Wanted::output},
                                       {"osl", Wanted::output},
                                       {"generatedtokens", Wanted::output},
                                       {"responsetokens", Wanted::output},
                                       {"outputlength", Wanted::output},
                                       {"outputlen", Wanted::output},
                                       {"responselength", Wanted::output},
                                       {"numdecodetokens", Wanted::output},
                                       {"timestamp", Wanted::time},
                                       {"arrivedat", Wanted::time},
                                       {"arrivaltime", Wanted::time},
                                       {"time", Wanted::time},
                                       {"createdat", Wanted::time},
                                       {"timestampms", Wanted::milliseconds}};

std::optional<Wanted> wanted(std::string_view name) {
  std::string folded = lower(name);
  std::erase_if(folded, [](char c) { return c == '_' || c == '-' || c == ' ' || c == '.'; });
  for (const ColumnName& known : kColumnNames)
    if (known.folded == folded) return known.wanted;
  return std::nullopt;
}

/// What a record holds of interest.
struct Found {
  const Node* input = nullptr;
  const Node* output = nullptr;
  const Node* time = nullptr;
  bool milliseconds = false;
  const Node* twice = nullptr;  // a second of one kind

  void take(const Node& node, Wanted kind) {
    const Node*& place = kind == Wanted::input ? input : kind == Wanted::output ? output : time;
    if (place != nullptr) twice = &node;
    place = &node;
    if (kind == Wanted::milliseconds) milliseconds = true;
  }
};

class Reader {
 public:
  Reader(const std::string& path, bool generates) : path_(path), generates_(generates) {}

  Result<Traffic> read() {
    const auto file = InputFile::open(path_);
    if (!file) return cannot_read(file.error());
    std::string block(kPiece, '\0');
    ssize_t got = 0;
    do {
      got = file->read(block);
      if (got < 0) return cannot_read(system_reason(errno));
      pending_.append(block, 0, static_cast<std::size_t>(got));
      if (Status done = use_pending(got == 0); !done) return std::unexpected(done.error());
    } while (got > 0);
    return finish();
  }

 private:
  std::unexpected<Error> cannot_read(const std::string& why) const {
    return usage_error(say("cannot read '{}': {}", printable(path_), why), "--traffic");
  }

  /// Whole records of what has been read so far; at the end all of it.
  Status use_pending(bool last) {
    if (line_ == 1 && pending_.starts_with("\xEF\xBB\xBF")) pending_.erase(0, 3);
    if (!begun_) {
      const auto first = pending_.find_first_not_of(" \t\r\n");
      if (first == std::string::npos) {
        if (last) return usage_error(say("it holds no request"), path_);
        line_ += static_cast<std::uint32_t>(std::ranges::count(pending_, '\n'));
        pending_.clear();
        return {};
      }
      begun_ = true;
      is_json_ = pending_[first] == '{';
      if (pending_[first] == '[')
        return usage_error(say("it is a list; one object per line is read"), path_, say("jq -c '.[]' makes them"));
    }
    const std::size_t end = last ? pending_.size() : last_record();
    if (end == 0 && pending_.size() > kLongestRecord)
      return usage_error(say("a record of more than {} MiB", kLongestRecord >> 20U), format("{}:{}", path_, line_),
                         is_json_ ? say("one object stands on one line") : say("is a quote not closed?"));
    if (end == 0) return {};
    const std::string_view records = std::string_view(pending_).substr(0, end);
    if (Status used = is_json_ ? use_json(records) : use_csv(records); !used) return used;
    line_ += static_cast<std::uint32_t>(std::count(records.begin(), records.end(), '\n'));
    pending_.erase(0, end);
    scanned_ = whole_ = 0;
    odd_quotes_ = false;
    return {};
  }

  /// Where the last line ends that ends outside of quotes.
  std::size_t last_record() {
    for (; scanned_ < pending_.size(); ++scanned_) {
      if (pending_[scanned_] == '"' && !is_json_) odd_quotes_ = !odd_quotes_;
      if (pending_[scanned_] == '\n' && !odd_quotes_) whole_ = scanned_ + 1;
    }
    return whole_;
  }

  Status use_csv(std::string_view records) {
    std::vector<Node> rows;
    if (head_.header.empty()) {
      auto csv = parse_csv(records, path_);
      if (!csv) return std::unexpected(csv.error());
      rows = std::move(csv->rows);
      csv->rows.clear();
      head_ = std::move(*csv);
      if (Status known = check_columns(); !known) return known;
    } else {
      auto more = parse_csv_rows(records, head_, line_);
      if (!more) return std::unexpected(more.error());
      rows = std::move(*more);
    }
    for (const Node& row : rows) {
      Found found;
      for (const Node& cell : row.children)
        if (const auto kind = wanted(cell.key)) found.take(cell, *kind);
      if (Status taken = take(row, found); !taken) return taken;
    }
    return {};
  }

  Status check_columns() const {
    Found found;
    std::string list;
    for (const Node& column : head_.header) {
      list += (list.empty() ? "" : ", ") + printable(shorten(column.text, 30));
      if (const auto kind = wanted(column.text)) found.take(column, *kind);
    }
    if (found.twice != nullptr)
      return usage_error(say("'{}' is a second column of the same", printable(shorten(found.twice->text, 40))),
                         position(path_, *found.twice));
    return check_found(head_.header.front(), found, say("here are {}", list));
  }

  Status check_found(const Node& at, const Found& found, const std::string& hint) const {
    if (found.input == nullptr)
      return usage_error(say("no length of prompts: input_tokens, prompt_tokens, isl or ContextTokens"),
                         position(path_, at), hint);
    if (found.output == nullptr && generates_)
      return usage_error(say("no length of answers: output_tokens, completion_tokens, osl or GeneratedTokens"),
                         position(path_, at), hint);
    return {};
  }

  Status use_json(std::string_view records) {
    std::uint32_t line = line_;
    while (!records.empty()) {
      const auto end = std::min(records.find('\n'), records.size() - 1) + 1;
      const std::string_view text = trim(records.substr(0, end));
      records.remove_prefix(end);
      if (!text.empty())
        if (Status taken = take_json(text, line); !taken) return taken;
      ++line;
    }
    return {};
  }

  Status take_json(std::string_view text, std::uint32_t line) {
    const std::string at = format("{}:{}", path_, line);
    auto document = parse_json(text, at);
    if (!document) return std::unexpected(document.error());
    Node& root = document->root;
    put_on_line(root, line);
    if (!root.is_map()) return usage_error(say("{} is no request", root.describe()), at, say("one object per line"));
    Found found;
    const auto look = [&](const Node& map) {
      for (const Node& member : map.children)
        if (const auto kind = wanted(member.key); kind && member.is_scalar()) found.take(member, *kind);
    };
    look(root);
    if (const Node* usage = root.find("usage"); usage != nullptr && usage->is_map()) look(*usage);
    if (found.twice != nullptr)
      return usage_error(say("'{}' is a second key of the same", printable(shorten(found.twice->key, 40))), at);
    return take(root, found);
  }

  static void put_on_line(Node& node, std::uint32_t line) {
    node.line = line;
    for (Node& child : node.children) put_on_line(child, line);
  }

  Status take(const Node& record, const Found& found) {
    if (Status complete = check_found(record, found, {}); !complete) return complete;
    const auto input = length(*found.input);
    if (!input) return std::unexpected(input.error());
    const auto output = generates_ ? length(*found.output) : Result<double>(0.0);
    if (!output) return std::unexpected(output.error());
    if (found.time != nullptr) {
      if (Status timed = take_time(*found.time, found.milliseconds); !timed) return timed;
    } else if (timed_ > 0) {
      return usage_error(say("no time, where earlier requests have one"), position(path_, record));
    }
    ++requests_;
    if (*output <= 0 && generates_) {
      ++unanswered_;
      return {};
    }
    histogram_.add(*input, *output);
    return {};
  }

  Result<double> length(const Node& node) const {
    const auto value = plain_number(node.text);
    if (!value || *value < 0 || *value != std::floor(*value) || *value > kMostTokens)
      return usage_error(say("{} is no number of tokens", printable(node.describe())), position(path_, node));
    return *value;
  }

  Status take_time(const Node& node, bool milliseconds) {
    const auto number = plain_number(node.text);
    const auto time = number ? std::optional(milliseconds ? *number / 1000 : *number) : parse_time(node.text);
    if (!time || *time < 0)
      return usage_error(say("{} is no time", printable(node.describe())), position(path_, node),
                         say("seconds, or 2024-05-10 08:30:00.5"));
    if (*time > kLatestSecond)
      return usage_error(say("{} is too late for seconds", printable(node.describe())), position(path_, node),
                         say("name milliseconds timestamp_ms"));
    first_ = timed_ == 0 ? *time : std::min(first_, *time);
    last_ = timed_ == 0 ? *time : std::max(last_, *time);
    if (timed_ == 0 && requests_ > 0)
      return usage_error(say("a time, where earlier requests have none"), position(path_, node));
    ++timed_;
    hours_[static_cast<std::size_t>(std::fmod(std::floor(*time / 3600), 24))] += 1;
    windows_[static_cast<std::int64_t>(*time / kWindow)] += 1;
    if (windows_.size() > kMostWindows)
      return usage_error(say("its times are spread over more than two years"), position(path_, node));
    return {};
  }

  Result<Traffic> finish() {
    if (histogram_.weight() <= 0)
      return usage_error(requests_ > 0 ? say("no request of it was answered") : say("it holds no request"), path_);
    Traffic traffic;
    traffic.name = path_;
    traffic.buckets = histogram_.buckets();
    traffic.mean_input = histogram_.mean_input();
    traffic.mean_output = histogram_.mean_output();
    traffic.requests = requests_;
    traffic.unanswered = unanswered_;
    if (timed_ > 1 && last_ > first_) add_times(traffic);
    return traffic;
  }

  void add_times(Traffic& traffic) const {
    const double span = last_ - first_;
    traffic.hours = span / 3600;
    traffic.requests_per_s = (timed_ - 1) / span * (histogram_.weight() / requests_);
    constexpr double kLongEnough = 6;  // windows, for one to stand out from
    if (span >= kLongEnough * kWindow) {
      double most = 0;
      for (const auto& [window, count] : windows_) most = std::max(most, count);
      traffic.busiest = std::max(1.0, most / kWindow / (timed_ / span));
    }
    Day day{};
    double sum = 0;
    for (std::size_t hour = 0; hour < day.size(); ++hour) {
      const double covered = seconds_of_hour(static_cast<double>(hour));
      if (covered < 1800) return;
      day[hour] = hours_[hour] / covered;
      sum += day[hour];
    }
    for (double& hour : day) hour *= 24 / sum;
    traffic.day = day;
  }

  /// Of the file's time, how much lies in that hour of the day.
  double seconds_of_hour(double hour) const {
    const auto until = [&](double time) {
      const double days = std::floor(time / 86400);
      return days * 3600 + std::clamp(time - days * 86400 - hour * 3600, 0.0, 3600.0);
    };
    return until(last_) - until(first_);
  }

  const std::string& path_;
  const bool generates_;
  std::string pending_;
  std::size_t scanned_ = 0;  // of pending_
  std::size_t whole_ = 0;    // ends the last whole record before that
  bool odd_quotes_ = false;
  bool begun_ = false;
  bool is_json_ = false;
  std::uint32_t line_ = 1;  // of the start of pending_
  Csv head_;
  Histogram histogram_;
  double requests_ = 0;
  double unanswered_ = 0;
  double timed_ = 0;
  double first_ = 0;
  double last_ = 0;
  std::array<double, 24> hours_{};
  std::map<std::int64_t, double> windows_;
};

/// The whole number in front of `text`, which it loses together with `behind`; nothing if it is not of `digits`.
std::optional<int> take_field(std::string_view& text, std::size_t digits, std::string_view behind) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  if (behind.empty()) return value;
  if (text.empty() || behind.find(text.front()) == std::string_view::npos) return std::nullopt;
  text.remove_prefix(1);
  return value;
}

}  // namespace

std::optional<double> parse_time(std::string_view text) {
  const auto year = take_field(text, 4, "-");
  const auto month = year ? take_field(text, 2, "-") : std::nullopt;
  const auto day = month ? take_field(text, 2, " T") : std::nullopt;
  const auto hour = day ? take_field(text, 2, ":") : std::nullopt;
  const auto minute = hour ? take_field(text, 2, ":") : std::nullopt;
  const auto second = minute ? take_field(text, 2, "") : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  double fraction = 0;
  if (text.starts_with('.')) {
    const auto end = std::min(text.find_first_not_of("0123456789", 1), text.size());
    const auto value = plain_number("0" + std::string(text.substr(0, end)));
    if (!value) return std::nullopt;
    fraction = *value;
    text.remove_prefix(end);
  }
  double offset = 0;
  if (text.starts_with('Z')) {
    text.remove_prefix(1);
  } else if (text.starts_with('+') || text.starts_with('-')) {
    const double sign = text.front() == '+' ? 1 : -1;
    text.remove_prefix(1);
    const auto hours = take_field(text, 2, text.size() > 4 ? ":" : "");
    const auto minutes = hours && !text.empty() ? take_field(text, 2, "") : hours ? std::optional(0) : std::nullopt;
    if (!minutes || *hours > 14 || *minutes > 59) return std::nullopt;
    offset = sign * (*hours * 3600 + *minutes * 60);
  }
  if (!text.empty()) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  return days * 86400 + *hour * 3600 + *minute * 60 + *second + fraction - offset;
}

Result<Traffic> read_traffic(const std::string& path, bool generates) { return Reader(path, generates).read(); }

}  // namespace gpusel::job
