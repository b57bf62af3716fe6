// A catalogue as lines of text, one per fact, so that two of them can be compared; and scratch
// catalogues to load.
#pragma once

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/words/message.hpp"
#include "catalog/snapshot/load.hpp"
#include "support/program.hpp"

namespace gpusel::test {

using Lines = std::vector<std::string>;

inline std::string fact(const catalog::Number& n) { return n ? format("{:.17g}", *n) : "?"; }
inline std::string fact(const std::optional<bool>& b) { return !b ? "?" : *b ? "true" : "false"; }
inline std::string fact(std::string_view text) { return std::string(text); }
inline std::string fact(const catalog::TextList& list) { return std::string(list.joined()); }
inline std::string fact(Date date) { return date.text(); }
inline std::string fact(Currency currency) { return std::string(currency.code()); }
template <NamedEnum E>
std::string fact(E value) {
  return std::string(to_text(value));
}
template <NamedEnum E>
std::string fact(const std::optional<E>& value) {
  return value ? std::string(to_text(*value)) : "?";
}

/// "WHAT NAME PATH=VALUE" for every field of every record.
template <class Records, class Name>
void list_facts(Lines& lines, const std::string& what, const Records& records, Name name) {
  for (const auto& record : records)
    visit_fields(record, [&](const catalog::Field& field, const auto& member) {
      lines.push_back(format("{} {} {}={}", what, name(record), field.json, fact(member)));
    });
}

inline Lines offer_lines(const catalog::Catalog& c) {
  Lines lines;
  for (const catalog::Instance& i : c.instances())
    for (const catalog::Offer& o : c.offers_of(i)) {
      const catalog::Region& region = c.region_of(o);
      const catalog::Origin& origin = c.origin_of(o);
      lines.push_back(format("offer {}/{} in {}/{} {} {} {:.17g} per {} of {} from {} {} {}", i.provider, i.sku,
                             region.provider, region.id, to_text(o.term), c.currency_of(o).code(), o.amount,
                             to_text(o.period), Date::from_packed(o.as_of).text(), origin.source, origin.note,
                             to_text(origin.confidence)));
    }
  return lines;
}

/// Everything the catalogue knows, sorted.
inline Lines facts_of(const catalog::Catalog& c) {
  Lines lines = offer_lines(c);
  const auto id = [](const auto& record) { return std::string(record.id); };
  list_facts(lines, "gpu", c.gpus(), id);
  list_facts(lines, "model", c.models(), id);
  list_facts(lines, "provider", c.providers(), id);
  list_facts(lines, "place", c.places(), id);
  list_facts(lines, "region", c.regions(), [](const auto& r) { return format("{}/{}", r.provider, r.id); });
  list_facts(lines, "instance", c.instances(), [](const auto& i) { return format("{}/{}", i.provider, i.sku); });
  list_facts(lines, "source", c.sources(), [](const auto& s) { return std::string(s.key); });
  list_facts(lines, "rate", c.exchange_rates(), [](const auto& r) { return std::string(r.currency.code()); });
  for (const catalog::Instance& i : c.instances())
    lines.push_back(format("link {}/{} {}", i.provider, i.sku, c.gpu_of(i) != nullptr ? c.gpu_of(i)->id : "none"));
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// What `after` has lost and what it has gained.
struct Change {
  Lines lost, gained;
};
inline Change change(const catalog::Catalog& before, const catalog::Catalog& after) {
  const Lines a = facts_of(before), b = facts_of(after);
  Change change;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(change.lost));
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(change.gained));
  return change;
}

/// A scratch directory with those files, made in that order.
inline std::string folder(const std::vector<std::pair<std::string, std::string>>& files) {
  const std::filesystem::path path = std::filesystem::path(scratch_file("keep", "")).parent_path() / "catalogue";
  for (const auto& [name, text] : files) {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
  }
  return path.string();
}

inline catalog::Catalog opened(std::expected<catalog::Catalog, Errors> loaded) {
  if (!loaded) FAIL(loaded.error().front().where + ": " + loaded.error().front().message);
  return std::move(*loaded);
}
inline catalog::Catalog embedded() { return opened(catalog::load({})); }
inline catalog::Catalog from_text(const std::string& yaml) {
  return opened(catalog::load_directory(scratch_file("c.yaml", yaml)));
}
inline catalog::Catalog overlaid(const std::string& yaml) {
  return opened(catalog::load({.replacement = {}, .overlays = {scratch_file("overlay.yaml", yaml)}}));
}

/// Two providers, one GPU, three SKUs and their prices.
inline const std::string kSmall = R"(sources:
  acme-sheet: {publisher: Acme, document: Sheet, date: 2026-01, confidence: documented}
  acme-list: {publisher: Acme, document: Price list, confidence: press}
exchange_rates:
  - {currency: EUR, per_usd: 0.9, as_of: 2026-10-06, source: acme-sheet}
country_groups:
  - {id: nordic, countries: [SE, "NO"], source: acme-sheet}
gpus:
  - id: one-80gb
    vendor: acme
    name: Acme One
    aliases: [one, acme one]
    compute_capability: 9.0
    memory: {marketed_gb: 80, usable_gib: 72, bandwidth_gbs: 2000, ecc: true}
    dense: {fp16_tflops: 300, fp8_tflops: 0}
    native: [fp16, bf16]
    sources: [acme-sheet]
    figure_sources: {memory.usable_gib: acme-list}
models:
  - id: tiny
    aliases: [acme/Tiny-1B]
    kind: decoder-llm
    params_b: 1
    layers: 10
    hidden_size: 100
    sources: [acme-sheet]
providers:
  - id: north
    name: North
    kind: cloud
    regions: {n1: {country: SE}, n2: {country: DE, name: Hamburg}}
  - id: south
    name: South
    regions: {n1: {}}
families:
  - provider: north
    id: big
    gpu: one-80gb
    interconnect: {kind: nvlink-mesh, gbs_per_gpu: 300}
    rdma: none
    sources: [acme-sheet]
    sizes:
      - {sku: big.8x, gpus: 8, vcpu: 96, memory_gib: 900}
      - {sku: big.1x, gpus: 1, vcpu: 12, memory_gib: 100, interconnect: {kind: none}}
  - provider: south
    id: hidden
    gpu: undisclosed
    sources: [acme-list]
    sizes:
      - {sku: box, gpus: 1/2, gpu_memory_gb: 40, vcpu: 6}
prices:
  - provider: north
    regions: [n1, n2]
    term: on-demand
    currency: USD
    as_of: 2026-07-20
    source: acme-list
    per_hour:
      big.8x: 20
      big.1x: 3
  - provider: south
    region: n1
    term: month
    currency: EUR
    as_of: 2026-06
    source: acme-sheet
    confidence: recalled
    note: by mail
    per_month: {box: 365}
)";

/// `text` with its one `from` replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no '" + from + "' in the text");
  return text.replace(at, from.size(), to);
}

/// "line:column" of the first `part` in `text`.
inline std::string place_of(const std::string& text, const std::string& part) {
  const auto at = text.find(part);
  if (at == std::string::npos) throw std::runtime_error("no '" + part + "' in the text");
  const auto line_start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return format("{}:{}", std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1,
                at - line_start + 1);
}

}  // namespace gpusel::test
