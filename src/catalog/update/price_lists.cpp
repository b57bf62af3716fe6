#include "catalog/update/price_lists.hpp"

#include <algorithm>

#include "base/io/document.hpp"
#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog {

namespace {

constexpr std::string_view kListSection = "price_lists";
constexpr std::string_view kPart = "{part}";

std::string with_part(std::string text, std::string_view part) {
  if (const auto at = text.find(kPart); at != std::string::npos) text.replace(at, kPart.size(), part);
  return text;
}

class ListReader {
 public:
  ListReader(const Document& document, bool own)
      : document_(document), problems_{document.name, ErrorKind::bad_catalogue, {}}, own_(own) {}

  Errors read(std::vector<PriceList>& to) {
    const Node* lists = document_.root.find(kListSection);
    if (lists == nullptr) return {};
    if (!lists->is_list()) problems_.add(*lists, say("'{}' must be a list", kListSection));
    for (const Node& node : lists->children) {
      Fields fields(node, problems_);
      PriceList list = one(fields);
      fields.finish();
      std::erase_if(to, [&](const PriceList& other) { return other.id == list.id; });
      to.push_back(std::move(list));
    }
    return std::move(problems_.errors);
  }

 private:
  PriceList one(Fields& fields) {
    for (const char* key : {"id", "name", "address", "licence", "covers", "format"}) fields.require(key);
    PriceList list;
    list.id = fields.text("id");
    if (list.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.+-") != std::string::npos)
      fields.fail(*fields.find("id"), say("'{}' is not an id", printable(shorten(list.id, 60))),
                  say("ids are lower case, of a-z 0-9 . + -"));
    list.own = own_;
    list.name = fields.text("name");
    list.licence = fields.text("licence");
    list.covers = fields.text("covers");
    list.cloud = fields.text("cloud");
    list.parts = fields.texts("parts");
    list.usual = fields.texts("usual");
    list.body = fields.text("body");
    list.day = fields.one_of<ListDay>("day").value_or(ListDay::read);
    list.most_mb = fields.number("at_most_mb", {0.001, 100'000}).value_or(list.most_mb);
    list.most_s = fields.number("at_most_s", {1, 86'400}).value_or(list.most_s);
    format_of(fields, list);
    list.address = address(fields, "address");
    list.day_address = address(fields, "day_of.address");
    list.day_key = member(fields, "day_of", "key");
    list.key_variable = member(fields, "key", "variable");
    list.key_header = member(fields, "key", "header");
    list.next_link = fields.text("next.link");
    list.next_token = fields.text("next.token");
    list.next_parameter = list.next_token.empty() ? std::string() : member(fields, "next", "parameter");
    parts(fields, list);
    if (const Node* sellers = fields.find("sellers"))
      for (const Node& seller : sellers->children) list.sellers[seller.key] = fields.text("sellers." + seller.key);
    return list;
  }

  /// Of a map that need not be there, and has that member where it is.
  static std::string member(Fields& fields, const std::string& map, const std::string& key) {
    if (fields.has(map)) fields.require(map + "." + key);
    return fields.text(map + "." + key);
  }

  static void format_of(Fields& fields, PriceList& list) {
    const std::string text = fields.text("format");
    list.machines = gpusel::from_text<ImportFormat>(text);
    list.tokens = gpusel::from_text<TokenFormat>(text);
    if (list.machines || list.tokens || !fields.has("format")) return;
    std::vector<std::string_view> names(enum_names<ImportFormat>.begin(), enum_names<ImportFormat>.end());
    names.insert(names.end(), enum_names<TokenFormat>.begin(), enum_names<TokenFormat>.end());
    fields.fail(*fields.find("format"), say("there is no format '{}'", printable(shorten(text, 40))),
                did_you_mean(text, names).or_else(say("allowed: {}", join_texts(names, say_name(", ")))));
  }

  std::string address(Fields& fields, std::string_view path) const {
    std::string text = fields.text(path);
    const bool good = text.starts_with("https://") || (own_ && is_of_this_machine(text));
    const bool plain = std::ranges::all_of(text, [](unsigned char c) { return c > 0x20 && c != 0x7F; });
    if (fields.has(path) && (!good || !plain || origin_of_address(text).empty()))
      fields.fail(*fields.find(path), say("'{}' is not an https address", printable(shorten(text, 80))),
                  own_ ? say("http is for this machine alone, as in http://127.0.0.1:8080/") : std::string());
    return text;
  }

  static void parts(Fields& fields, PriceList& list) {
    const bool placed = list.address.find(kPart) != std::string::npos;
    if (fields.has("address") && placed == list.parts.empty())
      fields.fail(*fields.find("address"), say("'parts' and a '{{part}}' in the address go together"));
    for (const std::string& part : list.usual)
      if (std::ranges::find(list.parts, part) == list.parts.end())
        fields.fail(*fields.find("usual"), say("'{}' is none of its parts", printable(shorten(part, 40))));
    constexpr std::string_view kInAddress = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    for (const std::string& part : list.parts)
      if (part.empty() || part.find_first_not_of(kInAddress) != std::string::npos)
        fields.fail(*fields.find("parts"), say("'{}' is not a name for a part", printable(shorten(part, 40))));
  }

  const Document& document_;
  Problems problems_;
  bool own_;
};

}  // namespace

std::string ListPart::address() const { return with_part(list->address, part); }
std::string ListPart::day_address() const { return with_part(list->day_address, part); }
std::string ListPart::cloud() const { return with_part(list->cloud, part); }

std::string origin_of_address(std::string_view address) {
  const auto scheme = address.find("://");
  if (scheme == std::string_view::npos) return {};
  const auto host = address.substr(scheme + 3, address.find_first_of("/?#", scheme + 3) - scheme - 3);
  // A name before the host is for whoever wants to be mistaken for another.
  if (host.empty() || host.find_first_of("@\\") != std::string_view::npos) return {};
  return lower(address.substr(0, scheme + 3 + host.size()));
}

bool is_of_this_machine(std::string_view address) {
  std::string origin = origin_of_address(address);
  if (const auto port = origin.rfind(':');
      port != std::string::npos && port > 5 && origin.find(']', port) == std::string::npos)
    origin.resize(port);
  return origin == "http://127.0.0.1" || origin == "http://localhost" || origin == "http://[::1]";
}

std::expected<std::vector<PriceList>, Errors> read_price_lists(const Catalog& catalog,
                                                               std::span<const std::string> files) {
  std::vector<PriceList> lists;
  Errors errors;
  const auto take = [&](const Document& document, bool own) {
    Errors found = ListReader(document, own).read(lists);
    errors.insert(errors.end(), found.begin(), found.end());
  };
  for (const Document& document : catalog.documents(kListSection)) take(document, false);
  for (const std::string& file : files) {
    const auto text = read_text_file(file);
    const auto document = text ? parse_yaml(*text, file) : Result<Document>(std::unexpected(text.error()));
    if (!document)
      errors.push_back(document.error());
    else if (document->root.find(kListSection) == nullptr)
      errors.push_back({ErrorKind::usage, say("it has no '{}'", kListSection), file, {}});
    else
      take(*document, true);
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return lists;
}

Result<std::vector<ListPart>> parts_named(std::span<const PriceList> lists, std::span<const std::string> names) {
  std::vector<ListPart> found;
  std::vector<std::string> known;
  for (const PriceList& list : lists) {
    known.push_back(list.id);
    for (const std::string& part : list.parts) known.push_back(list.id + "/" + part);
  }
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end()) {
      const std::vector<std::string_view> words(known.begin(), known.end());
      return usage_error(say("there is no source '{}'", printable(shorten(name, 60))), "--source",
                         did_you_mean(name, words).or_else(say("all of them: gpusel catalog sources")));
    }
  const auto named = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  for (const PriceList& list : lists) {
    if (list.parts.empty() && (names.empty() || named(list.id))) found.push_back({&list, {}});
    for (const std::string& part : list.parts) {
      const bool usual = list.usual.empty() || std::ranges::find(list.usual, part) != list.usual.end();
      if (names.empty() ? usual : named(list.id) || named(list.id + "/" + part)) found.push_back({&list, part});
    }
  }
  return found;
}

Errors check_price_lists(const Catalog& catalog) {
  auto lists = read_price_lists(catalog, {});
  return lists ? Errors{} : std::move(lists.error());
}

}  // namespace gpusel::catalog
