// All files of one import: which cloud each is of, its reader, and what became of its rows.
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/io/commit_day.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/readers.hpp"

namespace gpusel::catalog {

namespace import {

namespace {

constexpr Format kFormats[] = {
    {ImportFormat::skypilot,
     read_skypilot,
     {"SkyPilot catalogue", "https://github.com/skypilot-org/skypilot-catalog", Confidence::press},
     {}},
    {ImportFormat::gpuhunt,
     read_gpuhunt,
     {"gpuhunt catalogue", "https://github.com/dstackai/gpuhunt", Confidence::press},
     {}},
    {ImportFormat::aws_pricing,
     read_aws_pricing,
     {"Amazon Web Services", "https://aws.amazon.com/pricing", Confidence::api},
     "aws"},
    {ImportFormat::azure_retail,
     read_azure_retail,
     {"Microsoft Azure", "https://prices.azure.com", Confidence::api},
     "azure"},
    {ImportFormat::vast, read_vast, {"Vast.ai", "https://vast.ai", Confidence::api}, "vast"},
    {ImportFormat::generic_csv, read_generic_csv, {"own price list", {}, Confidence::documented}, {}},
    {ImportFormat::runpod, read_runpod, {"RunPod", "https://www.runpod.io", Confidence::api}, "runpod"},
    {ImportFormat::lambda, read_lambda, {"Lambda", "https://lambda.ai", Confidence::api}, "lambda"},
    {ImportFormat::oci_products, read_oci_products, {"Oracle", "https://www.oracle.com", Confidence::api}, "oci"},
    {ImportFormat::gcp_billing, read_gcp_billing, {"Google Cloud", "https://cloud.google.com", Confidence::api}, "gcp"},
};

}  // namespace

const Format& format_of(ImportFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

Number optional_number(std::string_view text, std::string_view column, std::string& reason) {
  if (text.empty()) return {};
  const auto value = plain_number(text);
  if (!value && reason.empty()) reason = say("'{}' is not a number: '{}'", column, printable(shorten(text, 40)));
  return value;
}

Status read_to_end(const CsvTable& table, const SourceFile& file, MarketBuilder& market) {
  if (file.failed()) return usage_error(say("it cannot be read to its end"));
  market.ledger().file().cut_off = table.cut_off();
  if (table.cut_off())
    market.ledger().warn(table.line(), say("the last line has no line end: its last figure may be cut off"));
  return {};
}

std::string_view member_text(const Node& map, std::string_view key) { return trim(map.text_at(key)); }

Status read_json(SourceFile& file, MarketBuilder& market, const JsonItems& items, const bool& found,
                 const std::string& lacks) {
  const auto broken = read_json_items(file, items);
  market.ledger().file().cut_off = broken.has_value();
  if (broken) market.ledger().skipped(broken->line, say("the JSON breaks off here: {}", broken->reason));
  if (file.failed()) return usage_error(say("it cannot be read to its end"));
  if (!found && !broken) return usage_error(lacks);
  return {};
}

Status each_item(SourceFile& file, MarketBuilder& market, std::string_view key,
                 const std::function<void(const Node& item, std::uint32_t line)>& take) {
  bool found = false;
  const JsonItems items{[&](JsonPath path) {
                          return (path.size() == 2 && path[1].empty()) ||
                                 (path.size() == 3 && path[1] == key && path[2].empty());
                        },
                        [&](JsonPath, const Node& item, std::uint32_t line) {
                          found = true;
                          take(item, line);
                        }};
  return read_json(file, market, items, found, say("it has no list '{}'", key));
}

namespace {

/// The cloud of a name in files: a provider of the catalogue, or one that only price lists know.
std::string provider_named(std::string_view name, const Catalog& known, const Dialects& dialects) {
  if (const auto provider = known.provider(name)) return std::string((*provider)->id);
  const auto listed = dialects.clouds.find(fold_name(name));
  return listed == dialects.clouds.end() ? std::string() : listed->second;
}

/// "gcp.csv", "azure_v6_sample.csv", "gcp/vms.csv".
std::string cloud_of(const std::string& path, const Catalog& known, const Dialects& dialects) {
  std::error_code failed;
  const std::filesystem::path file(path);
  const std::string name = file.filename().string();
  const std::string folder =
      std::filesystem::absolute(file, failed).lexically_normal().parent_path().filename().string();
  for (const std::string_view word :
       {std::string_view(name).substr(0, name.find_first_of("._ ")),
        std::string_view(name).substr(0, name.find_first_of("._- ")), std::string_view(folder)})
    if (const std::string found = word.empty() ? std::string() : provider_named(word, known, dialects); !found.empty())
      return found;
  return {};
}

/// Files to read, sorted by name, so that the result does not depend on the order of the arguments.
struct Listed {
  std::vector<std::string> paths;
  std::set<std::string, std::less<>> in_folders;   // of them those that nobody named
  std::pair<std::string, std::error_code> unread;  // a folder of which some files may be missing
};

/// Whether a file of a folder is a list of that format by its name. SkyPilot's folders hold other tables too.
bool is_listed_there(const std::filesystem::path& file, ImportFormat format) {
  const std::string ending = lower(file.extension().string());
  switch (format) {
    case ImportFormat::skypilot: return file.filename() == "vms.csv";
    case ImportFormat::aws_pricing: return ending == ".json" || ending == ".csv";
    case ImportFormat::gpuhunt:
    case ImportFormat::generic_csv: return ending == ".csv";
    default: return ending == ".json";
  }
}

Listed files_of(const std::vector<std::string>& given, ImportFormat format) {
  namespace fs = std::filesystem;
  constexpr std::size_t kMostFiles = 10'000;
  Listed listed;
  for (const std::string& path : given) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      listed.paths.push_back(path);
      continue;
    }
    const std::size_t before = listed.paths.size();
    for (fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, failed), end;
         !failed && entry != end && listed.paths.size() < kMostFiles; entry.increment(failed)) {
      std::error_code unknown;
      const bool is_file = entry->is_regular_file(unknown);
      if (unknown && unknown != std::errc::no_such_file_or_directory) listed.unread = {path, unknown};
      if (entry->path().filename().string().starts_with('.')) {
        entry.disable_recursion_pending();
      } else if (is_file && is_listed_there(entry->path(), format)) {
        listed.paths.push_back(entry->path().string());
        listed.in_folders.insert(listed.paths.back());
      }
    }
    if (failed) listed.unread = {path, failed};
    if (listed.paths.size() == before) listed.paths.push_back(path);  // said when it is read
  }
  std::ranges::sort(listed.paths);
  return listed;
}

class Run {
 public:
  Run(const ImportRequest& request, const Catalog& known, const Dialects& dialects)
      : request_(request),
        known_(known),
        dialects_(dialects),
        format_(format_of(request.format)),
        market_(known, dialects, request.format, report_) {}

  /// The clouds of all files before any is read: a question that cannot be answered costs no time.
  Errors find_clouds() {
    Errors errors;
    std::string all = std::string(format_.cloud);
    if (!request_.cloud.empty()) all = cloud_asked();
    const Listed listed = files_of(request_.files, request_.format);
    if (const auto& [folder, why] = listed.unread; why)
      errors.push_back({ErrorKind::usage,
                        say("cannot read all of '{}': {}", printable(folder), system_reason(why.value())),
                        {},
                        {}});
    for (const std::string& path : listed.paths) {
      ImportedFile file;
      file.path = path;
      const bool named_by_rows = request_.format == ImportFormat::generic_csv;
      file.cloud = !all.empty() ? all : named_by_rows ? std::string() : cloud_of(path, known_, dialects_);
      if (file.cloud.empty() && !named_by_rows && listed.in_folders.contains(path))
        file.failure = say("'{}': neither its name nor its folder is that of a cloud", printable(path));
      else if (file.cloud.empty() && !named_by_rows)
        errors.push_back({ErrorKind::usage,
                          say("'{}': neither its name nor its folder is that of a cloud", printable(path)),
                          {},
                          say("name it with --cloud")});
      report_.files.push_back(std::move(file));
    }
    return errors;
  }

  Import run() {
    market_.set_publisher(format_.publisher);
    market_.set_date(request_.as_of);
    if (!request_.trust) market_.doubt_low_prices();
    if (request_.with_gpu_only) market_.take_gpus_only();
    if (!request_.source.key.empty()) market_.set_source(request_.source);
    for (std::uint32_t i = 0; i < report_.files.size(); ++i) read(i);
    Catalog market = market_.finish();
    std::stable_sort(report_.skipped.begin(), report_.skipped.end(), [](const SkippedRow& a, const SkippedRow& b) {
      return std::pair(a.file, a.line) < std::pair(b.file, b.line);
    });
    return {std::move(market), std::move(report_)};
  }

 private:
  std::string cloud_asked() const {
    const std::string found = provider_named(request_.cloud, known_, dialects_);
    return found.empty() ? as_provider_id(request_.cloud) : found;
  }

  void read(std::uint32_t index) {
    market_.begin_file(index, report_.files[index].cloud);
    if (!report_.files[index].failure.empty()) return;
    auto file = SourceFile::open(report_.files[index].path, request_.progress);
    if (!file) {
      report_.files[index].failure = file.error().message;
      return;
    }
    const auto committed = request_.as_of.known() ? std::nullopt : last_commit_day(report_.files[index].path);
    market_.dated(committed.value_or(Date{}));
    const Status done = format_.read(*file, market_);
    if (!done)
      report_.files[index].failure = say("'{}' is not a {} file: {}", printable(report_.files[index].path),
                                         to_text(request_.format), done.error().message);
    if (const std::uint64_t undated = market_.undated(); undated > 0)
      market_.ledger().warn(
          0, say("prices without a date: {}; neither the file nor a Git repository has one: set --as-of", undated));
  }

  const ImportRequest& request_;
  const Catalog& known_;
  const Dialects& dialects_;
  const Format& format_;
  ImportReport report_;
  MarketBuilder market_;
};

}  // namespace

}  // namespace import

std::uint64_t ImportReport::rows() const {
  std::uint64_t sum = 0;
  for (const ImportedFile& file : files) sum += file.rows;
  return sum;
}

std::uint64_t ImportReport::imported() const {
  std::uint64_t sum = 0;
  for (const ImportedFile& file : files) sum += file.imported;
  return sum;
}

std::uint64_t ImportReport::kept_out() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      skipped, [&](const SkippedRow& row) { return std::ranges::find(doubts, row.reason) != doubts.end(); }));
}

std::expected<Import, Errors> import_market(const ImportRequest& request, const Catalog& known) {
  auto dialects = import::read_dialects(known);
  if (!dialects) return std::unexpected(std::move(dialects.error()));
  import::Run run(request, known, *dialects);
  if (Errors errors = run.find_clouds(); !errors.empty()) return std::unexpected(std::move(errors));
  return run.run();
}

}  // namespace gpusel::catalog
