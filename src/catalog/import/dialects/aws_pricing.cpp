// AWS price lists: the bulk offer as JSON or CSV, and the answers of its query interface. They give
// instance types and prices; which GPU is in them only the catalogue knows.
#include <optional>
#include <unordered_map>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/readers.hpp"

namespace gpusel::catalog::import {

namespace {

/// What a product must be to be a plain Linux instance of its own price; absent counts as given.
struct Demand {
  std::string_view json;
  std::string_view csv;
  std::string_view wanted;
  std::string_view otherwise;
};
constexpr Demand kDemands[] = {
    {"operatingSystem", "Operating System", "Linux", to_say("not for plain Linux")},
    {"tenancy", "Tenancy", "Shared", to_say("not of shared tenancy")},
    {"preInstalledSw", "Pre Installed S/W", "NA", to_say("with software installed")},
    {"capacitystatus", "CapacityStatus", "Used", to_say("a capacity reservation")},
    {"marketoption", "MarketOption", "OnDemand", to_say("sold as a capacity block")},
};

struct Product {
  std::string instance_type, region, vcpu, memory, gpus, gpu_memory, processor;
  std::uint32_t reason = 0;  // why it is none of interest
};

/// "1,152 GiB", "320 GB": the number.
Number leading_number(std::string_view text) {
  std::string digits;
  for (const char c : trim(text)) {
    if (c == ',') continue;
    if ((c < '0' || c > '9') && c != '.') break;
    digits += c;
  }
  return plain_number(digits);
}

/// A term of the price list: what is committed to.
struct TermText {
  std::string_view type, length, purchase, offering;
};

class AwsRows {
 public:
  explicit AwsRows(MarketBuilder& market) : market_(market) {}

  /// `attribute` takes the name in JSON and the one in CSV.
  template <class Attribute>
  Product product(std::string_view family, Attribute attribute) {
    Product made;
    if (!family.starts_with("Compute Instance")) {
      made.reason = market_.ledger().text(say("no instance: {}", family.empty() ? "?" : printable(family)));
      return made;
    }
    for (const auto& [json, csv, wanted, otherwise] : kDemands) {
      const std::string_view value = attribute(json, csv);
      if (value.empty() || value == wanted) continue;
      made.reason = market_.ledger().text(say_text(otherwise));
      return made;
    }
    made.instance_type = attribute("instanceType", "Instance Type");
    made.region = attribute("regionCode", "Region Code");
    made.vcpu = attribute("vcpu", "vCPU");
    made.memory = attribute("memory", "Memory");
    made.gpus = attribute("gpu", "GPU");
    made.gpu_memory = attribute("gpuMemory", "GPU Memory");
    made.processor = attribute("physicalProcessor", "Physical Processor");
    return made;
  }

  void price(const Product& product, const TermText& term, std::string_view unit, std::string_view amount,
             std::string_view currency_code, std::uint32_t line) {
    if (product.reason != 0) return market_.ledger().skipped(line, product.reason);
    std::string reason;
    const auto known_term = term_of(term, reason);
    const Number price = optional_number(amount, "PricePerUnit", reason);
    const auto currency = Currency::parse(currency_code);
    if (reason.empty() && !currency) reason = say("'{}' is not a currency code", printable(shorten(currency_code, 20)));
    if (reason.empty() && unit != "Hrs" && unit != "Hours") reason = say("a price per '{}'", printable(unit));
    if (reason.empty() && !price) reason = say("no price");
    if (!reason.empty()) return market_.ledger().skipped(line, reason);
    Row row;
    row.line = line;
    row.sku = product.instance_type;
    row.family = row.sku.substr(0, row.sku.find('.'));
    row.region = product.region;
    row.vcpu = leading_number(product.vcpu);
    row.memory_gib = leading_number(product.memory);
    row.gpu_count = leading_number(product.gpus);
    row.gpu_memory_total_gb = leading_number(product.gpu_memory);
    row.arm = product.processor.find("Graviton") != std::string::npos;
    row.currency = *currency;
    row.prices.push_back({*known_term, Period::hour, *price});
    market_.take(row);
  }
  void skip(std::uint32_t line, const std::string& reason) { market_.ledger().skipped(line, reason); }
  void published(std::string_view date) {
    if (const auto day = Date::parse(date.substr(0, 10))) market_.dated(*day);
  }

 private:
  /// The catalogue keeps standard reservations without upfront payment.
  static std::optional<Term> term_of(const TermText& term, std::string& reason) {
    if (term.type == "OnDemand") return Term::on_demand;
    if (term.type != "Reserved") {
      reason = say("a price of the type '{}'", printable(term.type));
    } else if (term.purchase != "No Upfront") {
      reason = say("a reservation with upfront payment");
    } else if (term.offering != "standard") {
      reason = say("a convertible reservation");
    } else if (term.length == "1yr" || term.length == "1 yr") {
      return Term::reserved_1y;
    } else if (term.length == "3yr" || term.length == "3 yr") {
      return Term::reserved_3y;
    } else {
      reason = say("a reservation for '{}'", printable(term.length));
    }
    return std::nullopt;
  }

  MarketBuilder& market_;
};

class AwsJson {
 public:
  explicit AwsJson(MarketBuilder& market) : rows_(market) {}

  static bool wanted(JsonPath path) {
    if (path.size() == 2) return path[1] == "publicationDate" || path[1].empty();
    if (path.size() == 3) return path[1] == "products" || path[1] == "PriceList";
    return path.size() == 4 && path[1] == "terms";
  }

  void take(JsonPath path, const Node& value, std::uint32_t line) {
    if (path.size() == 2 && path[1] == "publicationDate") {
      rows_.published(value.text);
    } else if (path.size() == 3 && path[1] == "products") {
      found_ = true;
      keep(path[2], product(value));
    } else if (path.size() == 4) {
      found_ = true;
      terms(path[2], value, known(path[3]));
    } else {
      found_ = true;
      answer(value, line);
    }
  }
  const bool& found() const { return found_; }

 private:
  /// Most products are no instances: of those only the reason is kept.
  void keep(const std::string& sku, Product made) {
    if (made.reason != 0)
      no_instances_.insert_or_assign(sku, made.reason);
    else
      products_.insert_or_assign(sku, std::move(made));
  }

  const Product* known(const std::string& sku) {
    if (const auto found = products_.find(sku); found != products_.end()) return &found->second;
    const auto other = no_instances_.find(sku);
    if (other == no_instances_.end()) return nullptr;
    no_instance_.reason = other->second;
    return &no_instance_;
  }

  /// One product of the query interface, as a text of JSON or as an object.
  void answer(const Node& value, std::uint32_t line) {
    if (!value.is_scalar()) return whole(value);
    const auto document = parse_json(value.text, "item");
    if (!document) return rows_.skip(line, document.error().message);
    Node root = document->root;
    place(root, line);
    whole(root);
  }

  static void place(Node& node, std::uint32_t line) {
    node.line = line;
    for (Node& child : node.children) place(child, line);
  }

  void whole(const Node& item) {
    const Node* described = item.find("product");
    const Node* terms_of = item.find("terms");
    if (described == nullptr || terms_of == nullptr) return rows_.skip(item.line, say("neither product nor terms"));
    if (const std::string_view date = member_text(item, "publicationDate"); !date.empty()) rows_.published(date);
    const Product made = product(*described);
    for (const Node& type : terms_of->children) terms(type.key, type, &made);
  }

  Product product(const Node& value) {
    const Node* attributes = value.find("attributes");
    return rows_.product(member_text(value, "productFamily"), [&](std::string_view json, std::string_view) {
      return attributes == nullptr ? std::string_view{} : member_text(*attributes, json);
    });
  }

  /// All offers of one product under one type of term.
  void terms(std::string_view type, const Node& offers, const Product* product) {
    for (const Node& offer : offers.children) {
      const Node* attributes = offer.find("termAttributes");
      TermText term{type, {}, {}, {}};
      if (attributes != nullptr)
        term = {type, member_text(*attributes, "LeaseContractLength"), member_text(*attributes, "PurchaseOption"),
                member_text(*attributes, "OfferingClass")};
      const Node* dimensions = offer.find("priceDimensions");
      if (dimensions == nullptr) {
        rows_.skip(offer.line, say("no price"));
        continue;
      }
      for (const Node& dimension : dimensions->children) price(term, dimension, product);
    }
  }

  void price(const TermText& term, const Node& dimension, const Product* product) {
    const Node* per_unit = dimension.find("pricePerUnit");
    if (product == nullptr) return rows_.skip(dimension.line, say("a price of a product that is not described"));
    if (per_unit == nullptr || per_unit->children.size() != 1) return rows_.skip(dimension.line, say("no price"));
    const Node& amount = per_unit->children.front();
    rows_.price(*product, term, member_text(dimension, "unit"), amount.text, amount.key, dimension.line);
  }

  AwsRows rows_;
  std::unordered_map<std::string, Product> products_;
  std::unordered_map<std::string, std::uint32_t> no_instances_;
  Product no_instance_;
  bool found_ = false;
};

Status read_offers(SourceFile& file, MarketBuilder& market) {
  AwsJson list(market);
  return read_json(
      file, market,
      {AwsJson::wanted, [&](JsonPath path, const Node& value, std::uint32_t line) { list.take(path, value, line); }},
      list.found(), say("it has neither 'products' and 'terms' nor a 'PriceList'"));
}

constexpr std::string_view kRequiredByAws[] = {"SKU",      "TermType",      "Unit",       "PricePerUnit",
                                               "Currency", "Instance Type", "Region Code"};

Status read_csv(SourceFile& file, MarketBuilder& market) {
  CsvTable table(file);
  if (const Status opened = table.open(kRequiredByAws, "SKU"); !opened) return opened;
  AwsRows rows(market);
  rows.published(table.preamble("Publication Date"));
  std::unordered_map<std::string_view, int> columns;
  const auto field = [&](std::string_view name) {
    const auto [known, is_new] = columns.try_emplace(name, 0);
    if (is_new) known->second = table.column(name);
    return table.field(known->second);
  };
  return each_row(table, file, market, [&] {
    const Product product =
        rows.product(field("Product Family"), [&](std::string_view, std::string_view csv) { return field(csv); });
    rows.price(product,
               {field("TermType"), field("LeaseContractLength"), field("PurchaseOption"), field("OfferingClass")},
               field("Unit"), field("PricePerUnit"), field("Currency"), table.line());
  });
}

}  // namespace

Status read_aws_pricing(SourceFile& file, MarketBuilder& market) {
  const auto first = file.unread().find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && (file.unread()[first] == '{' || file.unread()[first] == '[');
  return json ? read_offers(file, market) : read_csv(file, market);
}

}  // namespace gpusel::catalog::import
