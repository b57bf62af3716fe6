// What `catalog update` keeps: a file that names, per list, the files made of it and how it was read. That one file is
// put in its place at once, so that what it names is always of one update.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "base/io/file.hpp"
#include "base/values/date.hpp"
#include "catalog/update/fetch.hpp"

namespace gpusel::catalog {

inline constexpr std::string_view kKeptLists = "kept_lists";
/// The first line of the files that are kept.
inline constexpr std::string_view kKeptMark = "# Written by 'gpusel catalog update', which replaces it.\n";

struct KeptList {
  std::string id;                  // "aws/us-east-1"
  std::vector<std::string> files;  // beside the file that names them
  std::string address;
  std::string program;  // version that read it
  PageState state;
  Date read;   // the day it was asked for last
  Date as_of;  // of its prices, where all are of one day
  std::uint64_t rows = 0;
  std::uint64_t offers = 0;
  double median = 0;  // USD per GPU and hour on demand; 0: it has no such prices
};

std::expected<std::vector<KeptList>, Errors> read_kept_lists(const Document& document);
/// Of a folder where nothing was kept: none.
std::expected<std::vector<KeptList>, Errors> kept_in(const std::string& folder);
/// Where they are named.
std::string kept_file(const std::string& folder);
/// Writes the new files, then what names them, and removes what is named no more.
Status write_kept_lists(const std::string& folder, const std::vector<KeptList>& lists,
                        const std::vector<FileText>& new_files);

}  // namespace gpusel::catalog
