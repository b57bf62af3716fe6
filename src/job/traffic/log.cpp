// Logs of requests, read piece by piece.
#include "job/traffic/log.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>

#include "base/io/csv.hpp"
#include "base/io/document.hpp"
#include "base/io/file.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "job/traffic/log_columns.hpp"

namespace gpusel::job {

namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10U;
constexpr std::size_t kLongestRecord = std::size_t{4} << 20U;
constexpr double kMostTokens = 1e8;
constexpr std::size_t kMostRequests = 20'000'000;
/// Five minutes of a service, 250,000 times: more than two years are not one service's requests.
constexpr double kLongestSeconds = 300.0 * 250000;

class LogReader {
 public:
  LogReader(const std::string& path, const LogOptions& options)
      : path_(path), name_(path == "-" ? say("standard input") : path), options_(options) {}

  Result<RequestLog> read() {
    if (path_ == "-") return read_from(InputFile::standard_input());
    const auto file = InputFile::open(path_);
    if (!file) return cannot_read(file.error());
    return read_from(*file);
  }

 private:
  Result<RequestLog> read_from(const InputFile& file) {
    std::string block(kPiece, '\0');
    ssize_t got = 0;
    do {
      got = file.read(block);
      if (got < 0) return cannot_read(system_reason(errno));
      pending_.append(block, 0, static_cast<std::size_t>(got));
      if (Status done = use_pending(got == 0); !done) return std::unexpected(done.error());
    } while (got > 0);
    return finish();
  }

  std::unexpected<Error> cannot_read(const std::string& why) const {
    return usage_error(say("cannot read '{}': {}", printable(path_), why), "--traffic");
  }

  /// Whole records of what has been read so far; at the end all of it.
  Status use_pending(bool last) {
    if (line_ == 1 && pending_.starts_with("\xEF\xBB\xBF")) pending_.erase(0, 3);
    if (!begun_) {
      const auto first = pending_.find_first_not_of(" \t\r\n");
      if (first == std::string::npos) {
        if (last) return usage_error(say("it has no request"), name_);
        line_ += static_cast<std::uint32_t>(std::ranges::count(pending_, '\n'));
        pending_.clear();
        return {};
      }
      begun_ = true;
      is_json_ = pending_[first] == '{';
      if (pending_[first] == '[')
        return usage_error(say("it is a list; one object per line is read"), name_, say("jq -c '.[]' makes them"));
    }
    if (is_json_ && !lines_known_ && !know_lines(last)) return {};
    if (whole_document_) return last ? use_document() : too_long(kMaxDocumentBytes);
    const std::size_t end = last ? pending_.size() : last_record();
    if (end == 0) return too_long(kLongestRecord);
    const std::string_view records = std::string_view(pending_).substr(0, end);
    if (Status used = is_json_ ? use_json(records) : use_csv(records); !used) return used;
    line_ += static_cast<std::uint32_t>(std::count(records.begin(), records.end(), '\n'));
    pending_.erase(0, end);
    scanned_ = whole_ = 0;
    odd_quotes_ = false;
    return {};
  }

  Status too_long(std::size_t most) const {
    if (pending_.size() <= most) return {};
    return usage_error(say("a record of more than {} MiB", most >> 20U), format("{}:{}", name_, line_),
                       is_json_ ? say("one object per line") : say("is a quote not closed?"));
  }

  /// A benchmark's result is one object; whether it is one shows at the end of its first line.
  bool know_lines(bool last) {
    const auto end = pending_.find('\n');
    if (end == std::string::npos && !last && pending_.size() <= kLongestRecord) return false;
    const std::string_view first = std::string_view(pending_).substr(0, std::min(end, pending_.size()));
    lines_known_ = true;
    const auto document = parse_json(trim(first), name_);
    const auto names = [&](std::string_view key) { return first.find(key) != std::string_view::npos; };
    whole_document_ =
        document ? is_result(document->root) : trim(first) == "{" || names("\"input_lens\"") || names("\"benchmarks\"");
    return true;
  }

  static bool is_result(const Node& root) {
    return root.is_map() && (root.find("input_lens") != nullptr || root.find("benchmarks") != nullptr);
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
      auto csv = parse_csv(records, name_);
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
      LogRecord record;
      for (const Node& cell : row.children)
        if (const auto name = column(cell.key)) record.take(cell, *name);
      if (Status taken = take(row, record); !taken) return taken;
    }
    return {};
  }

  /// Names are looked up once a file.
  std::optional<LogName> column(const std::string& name) const {
    for (const auto& [known, means] : columns_)
      if (known == name) return means;
    return std::nullopt;
  }

  Status check_columns() {
    LogRecord found;
    std::string list;
    for (const Node& cell : head_.header) {
      list += (list.empty() ? "" : ", ") + printable(shorten(cell.text, 30));
      if (const auto name = log_name(cell.text)) {
        found.take(cell, *name);
        columns_.emplace_back(cell.text, *name);
      }
    }
    if (found.twice != nullptr)
      return usage_error(say("'{}' is a second column of the same", printable(shorten(found.twice->text, 40))),
                         position(name_, *found.twice));
    return check_found(head_.header.front(), found, say("got {}", list));
  }

  Status check_found(const Node& at, const LogRecord& found, const std::string& hint) const {
    if (found.input == nullptr)
      return usage_error(say("no length of prompts: input_tokens, prompt_tokens, isl or ContextTokens"),
                         position(name_, at), hint);
    if (found.output == nullptr && options_.generates)
      return usage_error(say("no length of answers: output_tokens, completion_tokens, osl or GeneratedTokens"),
                         position(name_, at), hint);
    return {};
  }

  Status use_json(std::string_view records) {
    std::uint32_t line = line_;
    while (!records.empty()) {
      const auto end = std::min(records.find('\n'), records.size() - 1) + 1;
      const std::string_view text = trim(records.substr(0, end));
      records.remove_prefix(end);
      if (!text.empty())
        if (Status taken = take_line(text, line); !taken) return taken;
      ++line;
    }
    return {};
  }

  Status take_line(std::string_view text, std::uint32_t line) {
    const std::string at = format("{}:{}", name_, line);
    auto document = parse_json(text, at);
    if (!document) return std::unexpected(document.error());
    Node& root = document->root;
    put_on_line(root, line);
    if (!root.is_map()) return usage_error(say("{} is not a request", root.describe()), at, say("one object per line"));
    return take_object(root, at);
  }

  Status take_object(const Node& object, const std::string& at) {
    LogRecord record;
    const auto look = [&](const Node& map) {
      for (const Node& member : map.children) {
        const auto name = log_name(member.key);
        if (name && (name->column == LogColumn::blocks ? member.is_list() : member.is_scalar()))
          record.take(member, *name);
      }
    };
    look(object);
    if (const Node* usage = object.find("usage"); usage != nullptr && usage->is_map()) look(*usage);
    if (record.twice != nullptr)
      return usage_error(say("'{}' is a second key of the same", printable(shorten(record.twice->key, 40))), at);
    return take(object, record);
  }

  static void put_on_line(Node& node, std::uint32_t line) {
    node.line = line;
    for (Node& child : node.children) put_on_line(child, line);
  }

  /// The result file of a benchmark.
  Status use_document() {
    auto document = parse_json(pending_, name_, JsonDialect::python);
    if (!document) return std::unexpected(document.error());
    const Node& root = document->root;
    if (root.find("input_lens") != nullptr) return use_lists(root);
    const Node* benchmarks = root.find("benchmarks");
    if (benchmarks == nullptr)
      return usage_error(say("it is neither a request log nor a known benchmark result"), name_,
                         say("one object per line, or what vLLM or GuideLLM have written"));
    if (!benchmarks->is_list() || benchmarks->children.size() != 1)
      return usage_error(say("the file has {} benchmarks, and one can be replayed", benchmarks->children.size()), name_,
                         say("jq '.benchmarks |= [.[0]]' keeps the first"));
    const Node* requests = benchmarks->children.front().find("requests");
    for (const char* part : {"successful", "completed"})
      if (requests != nullptr && requests->is_map() && requests->find(part) != nullptr) requests = requests->find(part);
    if (requests == nullptr || !requests->is_list())
      return usage_error(say("its benchmark has no list of requests"), name_);
    for (const Node& request : requests->children)
      if (Status taken = take_object(request, position(name_, request)); !taken) return taken;
    return {};
  }

  /// One list per column, as vLLM's benchmark saves them with --save-detailed.
  Status use_lists(const Node& root) {
    const auto list = [&](std::string_view key) {
      const Node* node = root.find(key);
      return node != nullptr && node->is_list() && !node->children.empty() ? node : nullptr;
    };
    const Node* inputs = list("input_lens");
    const Node* outputs = list("output_lens");
    const Node* starts = list("start_times");
    if (inputs == nullptr || outputs == nullptr)
      return usage_error(say("its lists of lengths are missing"), name_,
                         say("vllm bench serve --save-detailed has them"));
    const std::size_t count = inputs->children.size();
    if (outputs->children.size() != count || (starts != nullptr && starts->children.size() != count))
      return usage_error(say("its lists are not of one length"), name_);
    for (std::size_t i = 0; i < count; ++i) {
      LogRecord record;
      record.input = &inputs->children[i];
      record.output = &outputs->children[i];
      record.time = starts != nullptr ? &starts->children[i] : nullptr;
      record.format_unit = TimeUnit::s;
      if (Status taken = take(inputs->children[i], record); !taken) return taken;
    }
    return {};
  }

  Status take(const Node& at, const LogRecord& record) {
    if (Status complete = check_found(at, record, {}); !complete) return complete;
    const auto input = length(*record.input);
    if (!input) return std::unexpected(input.error());
    const auto output = options_.generates ? length(*record.output) : Result<double>(0.0);
    if (!output) return std::unexpected(output.error());
    LoggedRequest request;
    if (record.time != nullptr) {
      const auto time = take_time(*record.time, record);
      if (!time) return std::unexpected(time.error());
      request.arrival = *time;
    } else if (times_.count > 0) {
      return usage_error(say("no time, where earlier requests have one"), position(name_, at));
    }
    ++seen_;
    if (*output <= 0 && options_.generates) {
      ++log_.unanswered;
      return {};
    }
    if (*input <= 0)
      return usage_error(say("a prompt of 0 tokens has no answer"), position(name_, *record.input),
                         say("write the whole prompt's tokens, cached ones included"));
    request.input = static_cast<std::uint32_t>(*input);
    request.output = static_cast<std::uint32_t>(*output);
    if (record.blocks != nullptr) {
      if (Status taken = take_blocks(*record.blocks, request); !taken) return taken;
    } else if (record.session != nullptr && !record.session->text.empty()) {
      request.prefix = session_of(record.session->text);
    }
    if (log_.requests.all.size() >= kMostRequests)
      return usage_error(say("more than {} million requests", kMostRequests / 1'000'000), position(name_, at));
    log_.requests.all.push_back(request);
    return {};
  }

  Result<double> length(const Node& node) const {
    const auto value = plain_number(node.text);
    if (!value || *value < 0 || *value != std::floor(*value) || *value > kMostTokens)
      return usage_error(say("{} is not a number of tokens", printable(node.describe())), position(name_, node));
    return *value;
  }

  Result<double> take_time(const Node& node, const LogRecord& record) {
    const auto number = plain_number(node.text);
    const auto time = number ? number : parse_time(node.text);
    if (!time || *time < 0)
      return usage_error(say("{} is not a time", printable(node.describe())), position(name_, node),
                         say("seconds, or 2024-05-10 08:30:00.5"));
    const bool date = !number;
    if (times_.count == 0 && seen_ > 0)
      return usage_error(say("a time, where earlier requests have none"), position(name_, node));
    if (times_.count > 0 && date != times_.dates)
      return usage_error(say("{} is of a different kind than the times before it", printable(node.describe())),
                         position(name_, node), say("dates or numbers, not both"));
    times_.dates = date;
    times_.unit = record.unit;
    times_.format_unit = record.format_unit;
    times_.blocks = record.blocks != nullptr;
    times_.whole = times_.whole && *time == std::floor(*time);
    times_.first = times_.count == 0 ? *time : std::min(times_.first, *time);
    times_.last = times_.count == 0 ? *time : std::max(times_.last, *time);
    if (times_.count > 0 && *time < previous_) ++log_.unsorted;
    previous_ = *time;
    ++times_.count;
    return *time;
  }

  /// Ids that count on from one another are kept as one run.
  Status take_blocks(const Node& list, LoggedRequest& request) {
    auto& runs = log_.requests.runs;
    const std::size_t begin = runs.size();
    for (const Node& item : list.children) {
      const auto id = plain_number(item.text);
      if (!id || *id < 0 || *id != std::floor(*id) || *id > 0x1p53)
        return usage_error(say("{} is not the id of a block", printable(item.describe())), position(name_, item));
      const auto number = static_cast<std::uint64_t>(*id);
      if (runs.size() > begin && runs.back().first + runs.back().blocks == number)
        ++runs.back().blocks;
      else
        runs.push_back({number, 1, options_.hash_block, false});
    }
    if (runs.size() == begin) return {};
    runs.back().last = true;
    request.prefix = static_cast<std::uint32_t>(begin);
    return {};
  }

  std::uint32_t session_of(const std::string& name) {
    const auto [at, fresh] = sessions_.try_emplace(name, static_cast<std::uint32_t>(log_.requests.runs.size()));
    if (fresh) log_.requests.runs.push_back({sessions_.size(), 1, 0, true});
    return at->second;
  }

  Result<RequestLog> finish() {
    auto& all = log_.requests.all;
    if (all.empty())
      return usage_error(seen_ > 0 ? say("no request of it was answered") : say("it has no request"), name_);
    log_.name = name_;
    all.shrink_to_fit();
    log_.timed = times_.count > 0;
    if (!log_.timed) return std::move(log_);
    const auto unit = resolve_unit(times_, options_.time_unit, name_);
    if (!unit) return std::unexpected(unit.error());
    log_.unit = unit->unit;
    log_.unit_from = unit->from;
    const double seconds = seconds_in(unit->unit);
    if ((times_.last - times_.first) * seconds > kLongestSeconds)
      return usage_error(say("its times are spread over more than two years"), name_);
    if (log_.unsorted > 0) std::ranges::stable_sort(all, {}, &LoggedRequest::arrival);
    const double first = all.front().arrival;
    log_.begin = first * seconds;
    for (LoggedRequest& request : all) request.arrival = (request.arrival - first) * seconds;
    return std::move(log_);
  }

  const std::string& path_;
  const std::string name_;
  const LogOptions& options_;
  std::string pending_;
  std::size_t scanned_ = 0;  // of pending_
  std::size_t whole_ = 0;    // ends the last whole record before that
  bool odd_quotes_ = false;
  bool begun_ = false;
  bool is_json_ = false;
  bool lines_known_ = false;
  bool whole_document_ = false;
  std::uint32_t line_ = 1;  // of the start of pending_
  Csv head_;
  std::vector<std::pair<std::string, LogName>> columns_;
  RequestLog log_;
  RawTimes times_;
  double previous_ = 0;
  std::uint64_t seen_ = 0;
  std::map<std::string, std::uint32_t> sessions_;
};

}  // namespace

Result<RequestLog> read_log(const std::string& path, const LogOptions& options) {
  return LogReader(path, options).read();
}

}  // namespace gpusel::job
