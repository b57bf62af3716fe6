// Families that are well known and easily confused: which GPU is behind each, from the section "known_families".
#include <algorithm>
#include <map>

#include "base/words/message.hpp"
#include "catalog/lint/checks.hpp"

namespace gpusel::catalog {

namespace {

constexpr std::string_view kSection = "known_families";
constexpr std::string_view kFamilyKeys[] = {"provider", "family", "skus", "gpu", "source"};
constexpr std::string_view kFamilyRequired[] = {"provider", "family", "gpu", "source"};

struct KnownFamily {
  std::string provider;
  std::string family;
  std::vector<std::string> skus;  // patterns
  std::string gpu;
  std::string source;

  bool is(const Instance& instance) const { return instance.provider == provider && instance.family == family; }
  bool sells(const Instance& instance) const {
    return instance.provider == provider && std::any_of(skus.begin(), skus.end(), [&](const std::string& pattern) {
             return matches_pattern(pattern, instance.sku);
           });
  }
};

KnownFamily read(const Node& node) {
  return {node.text_at("provider"), node.text_at("family"), node.texts_at("skus"), node.text_at("gpu"),
          node.text_at("source")};
}

/// What is shipped, and over it what the catalogue says itself.
std::vector<KnownFamily> known_families(const Lint& lint) {
  std::vector<KnownFamily> all;
  const auto add = [&](const Document&, const Node& node) {
    KnownFamily one = read(node);
    if (one.provider.empty() || one.gpu.empty()) return;
    const auto known = std::find_if(all.begin(), all.end(), [&](const KnownFamily& k) {
      return k.provider == one.provider && k.family == one.family;
    });
    if (known == all.end())
      all.push_back(std::move(one));
    else
      *known = std::move(one);
  };
  if (const Catalog* shipped = lint.shipped()) each_entry(shipped->documents(kSection), kSection, add);
  each_entry(lint.catalog().documents(kSection), kSection, add);
  return all;
}

/// By its SKU, else by its family.
const KnownFamily* known_of(const std::vector<KnownFamily>& known, const Instance& instance) {
  for (const KnownFamily& one : known)
    if (one.sells(instance)) return &one;
  for (const KnownFamily& one : known)
    if (one.is(instance)) return &one;
  return nullptr;
}

bool is_gpu(const Catalog& catalog, const Gpu& gpu, const std::string& name) {
  const auto named = catalog.gpu(name);
  return named ? *named == &gpu : gpu.id == name;
}

/// The sizes of one family that are known to have another GPU.
struct Wrong {
  const KnownFamily* known = nullptr;
  std::vector<const Instance*> sizes;
  std::size_t right = 0;
  bool one_gpu = true;
};

void tell(Lint& lint, const std::string& family, const Wrong& wrong) {
  const auto report = [&](Subject subject, const Instance& instance) {
    lint.found(std::move(subject),
               say("has {}, but {} of {} has {} (source {})", lint.catalog().gpu_of(instance)->id,
                   printable(wrong.known->family), printable(wrong.known->provider), printable(wrong.known->gpu),
                   printable(wrong.known->source)),
               say("write gpu: {}", printable(wrong.known->gpu)));
  };
  // What is wrong with all sizes is wrong with the family, and said once.
  if (wrong.right == 0 && wrong.one_gpu && !family.ends_with('/')) {
    Subject subject{.kind = "family", .id = family, .path = "gpu"};
    for (const Instance* size : wrong.sizes) subject.others.push_back("instance " + sku_name(*size));
    report(std::move(subject), *wrong.sizes.front());
    return;
  }
  for (const Instance* size : wrong.sizes)
    report({.kind = "instance", .id = sku_name(*size), .path = "gpu", .others = {"family " + family}}, *size);
}

void family_gpu(Lint& lint) {
  const std::vector<KnownFamily> known = known_families(lint);
  std::map<std::string, Wrong> families;
  for (const Instance& instance : lint.catalog().instances()) {
    const Gpu* gpu = lint.catalog().gpu_of(instance);
    if (gpu == nullptr) continue;
    const KnownFamily* one = known_of(known, instance);
    if (one == nullptr) continue;
    Wrong& wrong = families[family_name(instance)];
    if (is_gpu(lint.catalog(), *gpu, one->gpu)) {
      ++wrong.right;
      continue;
    }
    wrong.one_gpu &= wrong.sizes.empty() || lint.catalog().gpu_of(*wrong.sizes.front()) == gpu;
    wrong.known = one;
    wrong.sizes.push_back(&instance);
  }
  for (const auto& [family, wrong] : families)
    if (!wrong.sizes.empty()) tell(lint, family, wrong);
}

/// What is wrong with an entry, and what would be right.
std::optional<Error> fault_of(const Node& node, const Catalog& catalog) {
  const auto fault = [](std::string message, std::string hint = {}) {
    return Error{ErrorKind::bad_catalogue, std::move(message), {}, std::move(hint)};
  };
  if (!node.is_map()) return fault(say("a known family must be a map, found {}", node.describe()));
  if (auto unknown = unknown_key(node, kFamilyKeys)) return unknown;
  for (const std::string_view key : kFamilyRequired)
    if (node.text_at(key).empty()) return fault(say("'{}' is missing", key));
  const KnownFamily one = read(node);
  if (auto provider = catalog.provider(one.provider); !provider)
    return fault(provider.error().message, provider.error().hint);
  if (auto gpu = catalog.gpu(one.gpu); !gpu) return fault(gpu.error().message, gpu.error().hint);
  if (catalog.source(one.source) == nullptr) return fault(say("unknown source '{}'", shorten(one.source, 60)));
  return std::nullopt;
}

void invalid_families(Lint& lint) {
  each_own_entry(lint, kSection, [&](const Document& document, const Node& node) {
    if (const auto fault = fault_of(node, lint.catalog()))
      lint.found({.kind = kSection, .id = node.text_at("family"), .place = position(document.name, node)},
                 fault->message, fault->hint);
  });
}

constexpr Check kFamilyChecks[] = {
    {"instance.family-gpu", Severity::error, to_say("a well-known family with a different GPU"), family_gpu},
    {"known.invalid", Severity::error, to_say("an entry of 'known_families' without provider, family, GPU or source"),
     invalid_families},
};

}  // namespace

std::span<const Check> family_checks() { return kFamilyChecks; }

}  // namespace gpusel::catalog
