// One page of the network, by the system's curl: https alone, bounded in time and size.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/values/error.hpp"
#include "base/values/units.hpp"

namespace gpusel::catalog {

/// What a server calls the state of a page, to be asked whether there is another.
struct PageState {
  std::string etag;
  std::string modified;

  bool known() const { return !etag.empty() || !modified.empty(); }
  friend bool operator==(const PageState&, const PageState&) = default;
};

struct PageOrder {
  std::string address;
  std::string key_header = {};  // secret; with it no redirect is followed
  std::string body = {};        // of JSON, posted
  PageState had = {};           // unknown: the page is wanted whatever it is
  std::string to;               // file
  bool resumable = false;       // what was broken off is kept beside it, and gone on with the next time
  double most_bytes = 0;
  Seconds limit;
  std::function<void(std::uint64_t got, std::uint64_t size)> progress = {};  // 0: nobody knows its size
};

struct FetchedPage {
  bool unchanged = false;  // nothing was written
  PageState state;
  std::uint64_t bytes = 0;
};

/// Asks up to three times where the server is busy or breaks off. Errors (ErrorKind::io): why there is no page.
Result<FetchedPage> fetch_page(const PageOrder& order);

}  // namespace gpusel::catalog
