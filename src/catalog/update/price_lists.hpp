// Price lists that are published at an address: data/import/price-lists.yaml, and files of the user's own.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/import/import.hpp"
#include "catalog/update/token_lists.hpp"

namespace gpusel::catalog {

/// Which day the prices of a list are of, where the list itself does not say.
enum class ListDay : std::uint8_t { read, inside };

struct PriceList {
  std::string id;
  std::string name;
  std::string address;  // "{part}" stands for one of its parts
  std::string licence;
  std::string covers;
  std::optional<ImportFormat> machines;  // one of these two
  std::optional<TokenFormat> tokens;
  std::string cloud;               // whose prices they are, where its format leaves that open; "{part}": the part's
  std::vector<std::string> parts;  // asked for one by one; none: it is one page or one chain of pages
  std::vector<std::string> usual;  // those that are asked for without being named; none: all
  ListDay day = ListDay::read;
  std::string day_address;  // where the day of its last change is told; with it the key of the member that tells it
  std::string day_key;
  std::string key_variable;  // of the environment; empty: it needs no key
  std::string key_header;    // "{key}" stands for the key
  std::string body;          // what is sent along; empty: nothing is
  std::string next_link;     // the member of a page that has the address of the next
  std::string next_token;    // or what of it is to be said, in the parameter of that name
  std::string next_parameter;
  double most_mb = 64;  // per page
  double most_s = 300;  // per page
  SellerNames sellers;
  bool own = false;  // the user's: it may be on this machine, without a certificate

  std::string_view format() const { return machines ? to_text(*machines) : to_text(*tokens); }
};

/// One of what an update asks for: a list, or a part of one.
struct ListPart {
  const PriceList* list = nullptr;
  std::string part;

  /// "aws/us-east-1".
  std::string id() const { return part.empty() ? list->id : list->id + "/" + part; }
  std::string address() const;
  std::string day_address() const;
  std::string cloud() const;
};

/// Those of the catalogue, and of `files` after them; a list takes the place of an earlier one of its id.
std::expected<std::vector<PriceList>, Errors> read_price_lists(const Catalog& catalog,
                                                               std::span<const std::string> files);

/// What names ask for: "aws" all parts of it, "aws/us-east-1" one; no names: what is usual.
Result<std::vector<ListPart>> parts_named(std::span<const PriceList> lists, std::span<const std::string> names);

/// Scheme, host and port of an address in lower case: "https://prices.azure.com". Empty: it is none.
std::string origin_of_address(std::string_view address);
/// Whether it is http of this machine.
bool is_of_this_machine(std::string_view address);

/// What is wrong with the shipped lists.
Errors check_price_lists(const Catalog& catalog);

}  // namespace gpusel::catalog

namespace gpusel {

template <>
inline constexpr auto enum_names<catalog::ListDay> = std::to_array<std::string_view>({"read", "inside"});

}  // namespace gpusel
