#include "catalog/update/fetch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/io/document.hpp"
#include "base/io/file.hpp"
#include "base/io/process.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/update/price_lists.hpp"

namespace gpusel::catalog {

namespace {

namespace fs = std::filesystem;

constexpr int kTries = 3;
constexpr double kFirstPause = 0.5;   // s; three times as long before the third try
constexpr double kLongestPause = 30;  // s; a server that asks for more is asked another day
constexpr double kPatience = 60;      // s without a byte
constexpr std::size_t kMostHead = std::size_t{64} << 10U;
constexpr std::string_view kResume = ".resume";

/// A value of curl's configuration.
std::string quoted_for_curl(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// What curl's exit status means; the numbers are those of its manual.
std::string reason_of_curl(int status) {
  switch (status) {
    case 1: return say("it redirects to an address that is not https");
    case 5:
    case 6: return say("host not found");
    case 7: return say("cannot connect");
    case 16:
    case 92: return say("the response is not valid HTTP");
    case 18: return say("it is cut off");
    case 28: return say("it takes too long");
    case 35:
    case 51:
    case 53:
    case 58:
    case 59:
    case 60:
    case 66:
    case 77: return say("the TLS connection failed (curl: {})", status);
    case 47: return say("too many redirects");
    case 52: return say("the response is empty");
    case 55:
    case 56: return say("the connection was lost");
    default: return say("curl ends with status {}", status);
  }
}

bool may_pass(int curl_status) {
  return curl_status == 7 || curl_status == 18 || curl_status == 52 || curl_status == 55 || curl_status == 56;
}

/// The lines before a page.
struct Head {
  int status = 0;
  std::string etag, modified, location, range;
  std::optional<double> length, retry_after;
};

Head read_head(std::string_view text) {
  Head head;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (line.starts_with("HTTP/")) {
      const auto words = split(line, ' ');
      if (words.size() > 1) head.status = static_cast<int>(plain_number(words[1]).value_or(0));
      continue;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string name = lower(line.substr(0, colon));
    const std::string value(trim(line.substr(colon + 1)));
    if (name == "etag") head.etag = value;
    if (name == "last-modified") head.modified = value;
    if (name == "location") head.location = value;
    if (name == "content-range") head.range = value;
    if (name == "content-length") head.length = plain_number(value);
    if (name == "retry-after") head.retry_after = plain_number(value);
  }
  return head;
}

/// Open for writing, closed when it goes.
class Sink {
 public:
  Sink(const std::string& path, bool append)
      : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (append ? O_APPEND : O_TRUNC), 0600)) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() {
    if (file_ >= 0) close(file_);
  }
  bool write(std::string_view bytes) const { return file_ >= 0 && write_all(file_, bytes); }
  bool is_open() const { return file_ >= 0; }

 private:
  int file_;
};

/// One request and what comes of it.
class Transfer {
 public:
  explicit Transfer(const PageOrder& order) : order_(order) {}

  /// Error: why there is no page. `again`: that may pass.
  Result<FetchedPage> run(bool& again, double& pause) {
    again = false;
    if (order_.resumable) find_rest();
    const auto status = run_program_for({.words = {"curl", "--config", "-"},
                                         .input = configuration(),
                                         .limit = order_.limit + seconds(5),
                                         .patience = std::min(order_.limit + seconds(5), seconds(kPatience)),
                                         .take = [&](std::string_view piece) { return take(piece); }});
    sink_.reset();
    if (!status) return drop(status.error(), !refused_);
    if (*status != 0) {
      again = may_pass(*status);
      return drop(io_error(reason_of_curl(*status)), true);
    }
    return result(again, pause);
  }

 private:
  std::string resume_file() const { return order_.to + std::string(kResume); }

  /// What an earlier run has of this page, and what the server calls it.
  void find_rest() {
    std::error_code failed;
    const auto note = read_text_file(resume_file());
    const auto size = fs::file_size(order_.to, failed);
    if (!note || failed || size == 0) return;
    const auto lines = split(*note, '\n');
    if (lines.size() < 2 || lines[0] != order_.address || lines[1].empty()) return;
    from_ = size;
    rest_of_ = lines[1];
  }

  void keep_rest(const Head& head) const {
    // A weak tag does not say that the bytes are the same.
    const std::string& state = head.etag.empty() || head.etag.starts_with("W/") ? head.modified : head.etag;
    std::error_code failed;
    fs::remove(resume_file(), failed);
    if (!state.empty()) write_whole(resume_file(), order_.address + "\n" + state + "\n");
  }

  std::string configuration() const {
    std::string text = "silent\nno-buffer\ninclude\ngloboff\nsuppress-connect-headers\n";
    const bool here = is_of_this_machine(order_.address);
    text += here ? "proto = \"=http\"\n" : "proto = \"=https\"\n";
    text += "proto-redir = \"=https\"\nmax-redirs = 5\nconnect-timeout = 20\n";
    text += format("max-time = {}\n", order_.limit.raw());
    if (order_.key_header.empty()) text += "location\n";
    const auto header = [&](const std::string& line) { text += "header = " + quoted_for_curl(line) + "\n"; };
    if (!order_.key_header.empty()) header(order_.key_header);
    if (!order_.body.empty()) {
      header("Content-Type: application/json");
      text += "data-raw = " + quoted_for_curl(order_.body) + "\n";
    }
    if (from_ > 0) {
      header(format("Range: bytes={}-", from_));
      header("If-Range: " + rest_of_);
    } else {
      if (!order_.had.etag.empty()) header("If-None-Match: " + order_.had.etag);
      if (!order_.had.modified.empty()) header("If-Modified-Since: " + order_.had.modified);
    }
    return text + "url = " + quoted_for_curl(order_.address) + "\n";
  }

  Status take(std::string_view piece) {
    if (in_body_) return take_body(piece);
    head_text_ += piece;
    while (!in_body_) {
      const auto windows = head_text_.find("\r\n\r\n");
      const auto unix_end = head_text_.find("\n\n");
      const auto end = std::min(windows == std::string::npos ? windows : windows + 4,
                                unix_end == std::string::npos ? unix_end : unix_end + 2);
      if (end == std::string::npos) {
        if (head_text_.size() <= kMostHead) return {};
        refused_ = true;
        return std::unexpected(io_error(say("the response is not valid HTTP")));
      }
      head_ = read_head(std::string_view(head_text_).substr(0, end));
      head_text_.erase(0, end);
      const bool led_on = head_.status >= 300 && head_.status < 400 && head_.status != 304 && !head_.location.empty();
      in_body_ = head_.status >= 200 && !led_on;
    }
    if (Status begun = begin_body(); !begun) return begun;
    return take_body(std::exchange(head_text_, {}));
  }

  Status begin_body() {
    if (head_.status != 200 && head_.status != 206) return {};
    const bool goes_on = head_.status == 206 && from_ > 0 && head_.range.starts_with(format("bytes {}-", from_)) &&
                         (head_.etag.empty() || head_.etag == rest_of_ || head_.modified == rest_of_);
    if (head_.status == 206 && !goes_on) return refuse(say("it sends a different part than requested"));
    got_ = goes_on ? static_cast<double>(from_) : 0;
    if (got_ + head_.length.value_or(0) > order_.most_bytes) return too_large();
    if (order_.resumable && !goes_on) keep_rest(head_);
    sink_ = std::make_unique<Sink>(order_.to, goes_on);
    return sink_->is_open() ? Status{} : cannot_write();
  }

  Status take_body(std::string_view piece) {
    if (!sink_ || piece.empty()) return {};  // of an answer that is no page
    got_ += static_cast<double>(piece.size());
    if (got_ > order_.most_bytes) return too_large();
    if (!sink_->write(piece)) return cannot_write();
    if (order_.progress)
      order_.progress(static_cast<std::uint64_t>(got_), static_cast<std::uint64_t>(head_.length.value_or(0)));
    return {};
  }

  Status refuse(std::string why) {
    refused_ = true;
    return std::unexpected(io_error(std::move(why)));
  }
  Status too_large() { return refuse(say("it is larger than {:g} MB", order_.most_bytes / 1e6)); }
  Status cannot_write() { return refuse(say("cannot write '{}': {}", printable(order_.to), system_reason(errno))); }

  Result<FetchedPage> result(bool& again, double& pause) {
    if (head_.status == 304 && order_.had.known() && from_ == 0) return FetchedPage{true, order_.had, 0};
    if (head_.status == 200 || head_.status == 206) {
      std::error_code failed;
      fs::remove(resume_file(), failed);
      if (!fs::exists(order_.to, failed)) Sink(order_.to, false);
      return FetchedPage{false, {head_.etag, head_.modified}, static_cast<std::uint64_t>(got_)};
    }
    const bool busy = head_.status == 429 || head_.status >= 500;
    again = busy || head_.status == 416;
    if (busy && head_.retry_after) {
      pause = *head_.retry_after;
      again = pause <= kLongestPause;
      if (!again) return drop(io_error(say("HTTP status {}, retry after {:g} s", head_.status, pause)), true);
    }
    if (head_.status == 0) return drop(io_error(say("the response is empty")), true);
    return drop(io_error(say("HTTP status {}", head_.status)), busy);
  }

  /// Where there is no page, only what can be gone on with stays.
  std::unexpected<Error> drop(Error error, bool may_go_on) const {
    std::error_code failed;
    if (may_go_on && order_.resumable && fs::exists(resume_file(), failed)) return std::unexpected(std::move(error));
    fs::remove(resume_file(), failed);
    fs::remove(order_.to, failed);
    return std::unexpected(std::move(error));
  }

  const PageOrder& order_;
  std::unique_ptr<Sink> sink_;
  std::uint64_t from_ = 0;  // what of it is there already
  std::string rest_of_;
  std::string head_text_;
  Head head_;
  bool in_body_ = false;
  bool refused_ = false;
  double got_ = 0;
};

}  // namespace

Result<FetchedPage> fetch_page(const PageOrder& order) {
  double pause = kFirstPause;
  for (int tries = 1;; ++tries) {
    bool again = false;
    double wait = pause;
    auto page = Transfer(order).run(again, wait);
    if (page || !again || tries == kTries) return page;
    std::this_thread::sleep_for(std::chrono::duration<double>(wait));
    pause *= 3;
  }
}

}  // namespace gpusel::catalog
