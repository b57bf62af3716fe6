#include "catalog/update/pages.hpp"

#include <chrono>
#include <filesystem>
#include <set>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/dialects/json_items.hpp"
#include "catalog/import/source_file.hpp"

namespace gpusel::catalog {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPages = 2'000;
constexpr double kMostDayBytes = 1e6;

std::unexpected<Error> page_error(std::string message) { return std::unexpected(io_error(std::move(message))); }

/// The first value in a page of JSON whose path ends so: "committer.date". Empty: it has none.
Result<std::string> value_in_page(const std::string& file, std::string_view key, std::size_t depth) {
  auto source = import::SourceFile::open(file, {});
  if (!source) return std::unexpected(source.error());
  const auto names = split(key, '.');
  std::string value;
  const auto broken = import::read_json_items(
      *source, {[&](import::JsonPath path) {
                  if (!value.empty() || path.size() < names.size() || (depth > 0 && path.size() != depth)) return false;
                  return std::equal(names.begin(), names.end(), path.end() - static_cast<std::ptrdiff_t>(names.size()));
                },
                [&](import::JsonPath, const Node& node, std::uint32_t) {
                  if (node.is_scalar()) value = node.text;
                }});
  if (broken) return page_error(say("the JSON breaks off here: {}", broken->reason));
  return value;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

class Chain {
 public:
  explicit Chain(const PagesOrder& order)
      : order_(order),
        list_(*order.part.list),
        end_(Clock::now() + std::chrono::seconds(static_cast<std::int64_t>(list_.most_s))) {}

  Result<Pages> run() {
    auto done = walk();
    std::error_code failed;
    // The only page of a list that was broken off can be gone on with.
    if (!done && is_chain())
      for (const std::string& file : pages_.files) fs::remove(file, failed);
    return done;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool is_chain() const { return !list_.next_link.empty() || !list_.next_token.empty(); }

  Result<Pages> walk() {
    std::set<std::string> asked;
    for (std::string next = order_.part.address(); !next.empty();) {
      if (!asked.insert(next).second || asked.size() > kMostPages) return page_error(say("its pages never end"));
      auto page = fetch(next);
      if (!page) return std::unexpected(page.error());
      if (page->unchanged) {
        pages_.unchanged = true;
        return pages_;
      }
      if (pages_.files.size() == 1) pages_.state = page->state;
      pages_.bytes += page->bytes;
      auto following = next_of(pages_.files.back());
      if (!following) return std::unexpected(following.error());
      next = std::move(*following);
    }
    // What a chain has is not told by the state of its first page.
    if (pages_.files.size() > 1) pages_.state = {};
    if (Status dated = find_day(); !dated) return std::unexpected(dated.error());
    return pages_;
  }

  Result<FetchedPage> fetch(const std::string& address) {
    std::string name = order_.part.id();
    std::ranges::replace(name, '/', '_');
    pages_.files.push_back((fs::path(order_.folder) / format("{}-{}", name, pages_.files.size() + 1)).string());
    const auto left = std::chrono::duration<double>(end_ - Clock::now()).count();
    if (left <= 0) return page_error(say("it takes too long"));
    return fetch_page({.address = mirrored(order_.mirror, address),
                       .key_header = key_header(),
                       .body = list_.body,
                       .had = pages_.files.size() == 1 ? order_.had : PageState{},
                       .to = pages_.files.back(),
                       .resumable = !is_chain() && list_.body.empty(),
                       .most_bytes = list_.most_mb * 1e6 - static_cast<double>(pages_.bytes),
                       .limit = seconds(std::max(left, 1.0)),
                       .progress = [&](std::uint64_t got, std::uint64_t size) {
                         if (order_.progress) order_.progress(pages_.bytes + got, is_chain() ? 0 : size);
                       }});
  }

  /// A key is the provider's, and no mirror's.
  std::string key_header() const {
    if (order_.key.empty() || !order_.mirror.empty()) return {};
    std::string header = list_.key_header;
    constexpr std::string_view kKey = "{key}";
    if (const auto at = header.find(kKey); at != std::string::npos) header.replace(at, kKey.size(), order_.key);
    return header;
  }

  Result<std::string> next_of(const std::string& file) const {
    if (!is_chain()) return std::string();
    constexpr std::size_t kMember = 2;  // of the page itself
    auto said = value_in_page(file, list_.next_link.empty() ? list_.next_token : list_.next_link, kMember);
    if (!said || said->empty()) return said;
    const std::string first = order_.part.address();
    if (list_.next_link.empty())
      return first + (first.find('?') == std::string::npos ? "?" : "&") + list_.next_parameter + "=" +
             percent_encoded(*said);
    std::string next = *said;
    // Some leave out that they listen where everybody does.
    if (const auto port = next.find(":443/"); next.starts_with("https://") && port == next.find(':', 8))
      next.erase(port, 4);
    if (origin_of_address(next) != origin_of_address(first))
      return page_error(say("its next page is on another host: {}", printable(shorten(*said, 80))));
    for (char& c : next)
      if (c == ' ') c = '+';
    return next;
  }

  Status find_day() {
    if (list_.day_key.empty()) return {};
    const std::string file = pages_.files.front() + ".day";
    const auto page = fetch_page({.address = mirrored(order_.mirror, order_.part.day_address()),
                                  .to = file,
                                  .most_bytes = kMostDayBytes,
                                  .limit = seconds(60)});
    const auto value = page ? value_in_page(file, list_.day_key, 0) : std::unexpected(page.error());
    std::error_code failed;
    fs::remove(file, failed);
    const auto day = value ? Date::parse(std::string_view(*value).substr(0, 10)) : std::nullopt;
    if (day && day->known())
      pages_.day = *day;
    else
      return page_error(value ? say("the day of its last change is not given")
                              : say("the day of its last change: {}", value.error().message));
    return {};
  }

  const PagesOrder& order_;
  const PriceList& list_;
  Clock::time_point end_;
  Pages pages_;
};

}  // namespace

std::string mirrored(std::string_view mirror, const std::string& address) {
  if (mirror.empty()) return address;
  std::string_view rest(address);
  rest.remove_prefix(std::min(rest.size(), rest.find("://") + 3));
  while (mirror.ends_with('/')) mirror.remove_suffix(1);
  return std::string(mirror) + "/" + std::string(rest);
}

Result<Pages> fetch_pages(const PagesOrder& order) { return Chain(order).run(); }

}  // namespace gpusel::catalog
