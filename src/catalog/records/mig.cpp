#include "catalog/records/mig.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"

namespace gpusel::catalog {

namespace {

constexpr std::string_view kSection = "mig";

struct MigRecord {
  std::vector<std::string> gpus;
  std::vector<MigProfile> profiles;
};

MigProfile read_profile(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  for (const char* key : {"name", "compute", "memory", "most"}) fields.require(key);
  constexpr Range kShare{0.01, 1};
  MigProfile profile;
  profile.name = fields.text("name");
  profile.compute = fields.fraction("compute", kShare).value_or(1);
  profile.memory = fields.fraction("memory", kShare).value_or(1);
  profile.most = static_cast<int>(fields.number("most", {1, 64}).value_or(1));
  fields.finish();
  return profile;
}

MigRecord read_record(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  for (const char* key : {"gpus", "profiles", "source"}) fields.require(key);
  MigRecord record{fields.texts("gpus"), {}};
  (void)fields.text("source");
  for (const Node& profile : fields.entries("profiles")) record.profiles.push_back(read_profile(profile, problems));
  fields.finish();
  return record;
}

std::vector<MigRecord> read_section(const Document& document, Problems& problems) {
  std::vector<MigRecord> records;
  for (const Node& entry : entries_of(document.root.find(kSection), kSection, problems))
    records.push_back(read_record(entry, problems));
  return records;
}

}  // namespace

Errors check_mig(std::span<const Document> documents) {
  Errors errors;
  for (const Document& document : documents) {
    Problems problems{document.name, ErrorKind::bad_catalogue, {}};
    (void)read_section(document, problems);
    std::ranges::move(problems.errors, std::back_inserter(errors));
  }
  return errors;
}

std::vector<MigProfile> mig_profiles(const Gpu& gpu, const Catalog& catalog) {
  std::vector<MigProfile> found;
  for (const Document& document : catalog.documents(kSection)) {
    Problems checked_before;
    for (MigRecord& record : read_section(document, checked_before))
      if (std::ranges::find(record.gpus, gpu.id) != record.gpus.end())
        std::ranges::move(record.profiles, std::back_inserter(found));
  }
  return found;
}

std::optional<MigProfile> mig_slice(const Gpu& gpu, int parts, const Catalog& catalog) {
  std::optional<MigProfile> best;
  for (MigProfile& one : mig_profiles(gpu, catalog))
    if (one.most >= parts && (!best || std::tie(one.compute, one.memory) > std::tie(best->compute, best->memory)))
      best = std::move(one);
  return best;
}

std::optional<MigProfile> mig_profile_like(std::string_view name, const Gpu& gpu, const Catalog& catalog) {
  const auto gb_in = [](std::string_view text) {
    const auto size = parse_memory(text.substr(std::min(text.find('.') + 1, text.size())), false);
    return size ? size->value : 0;
  };
  const double wanted = gb_in(name);
  std::optional<MigProfile> best;
  for (MigProfile& one : mig_profiles(gpu, catalog))
    if (!best || std::abs(gb_in(one.name) - wanted) < std::abs(gb_in(best->name) - wanted)) best = std::move(one);
  return best;
}

Hint mig_spelling(std::string_view name) {
  const auto g = name.find("g.");
  if (g == std::string_view::npos || g == 0) return {};
  const std::string_view size = name.substr(g + 2);
  const auto unit = size.find_first_not_of("0123456789");  // "g5g.2xlarge" is an instance
  const bool is_profile = name[g - 1] >= '1' && name[g - 1] <= '7' && unit != std::string_view::npos && unit > 0 &&
                          lower(size.substr(unit)) == "gb";
  return is_profile ? Hint(say("write a MIG slice by parts of its GPU: a100:1/7, h100:1/2")) : Hint();
}

}  // namespace gpusel::catalog
