// Eight bytes of length, then JSON: the name, type, shape and place of each tensor.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/header.hpp"

namespace gpusel::catalog {

namespace {

using namespace weights;

constexpr std::uint64_t kMostHeader = kMaxDocumentBytes;
constexpr std::size_t kMostTypes = 100;
constexpr std::size_t kMostShards = 10'000;

struct Width {
  std::string_view type;
  double bytes;
};
constexpr Width kWidths[] = {{"F64", 8},     {"F32", 4},  {"F16", 2}, {"BF16", 2}, {"F8_E4M3", 1}, {"F8_E5M2", 1},
                             {"F8_E8M0", 1}, {"F4", 0.5}, {"I64", 8}, {"I32", 4},  {"I16", 2},     {"I8", 1},
                             {"U64", 8},     {"U32", 4},  {"U16", 2}, {"U8", 1},   {"BOOL", 1}};

std::optional<double> whole(const Node& node) {
  const auto value = node.is_scalar() && !node.quoted ? plain_number(node.text) : std::nullopt;
  return value && *value >= 0 && *value < 1e18 && *value == std::floor(*value) ? value : std::nullopt;
}

/// In which file each tensor lies.
using Places = std::map<std::string, std::string, std::less<>>;

class TensorList {
 public:
  TensorList(const std::string& path, double layers, StoredWeights& out, Places& places)
      : path_(path), layers_(layers), out_(out), places_(places) {}

  /// One member of the header: {"dtype": …, "shape": […], "data_offsets": [from, to]}.
  Status add(const Node& tensor) {
    const Node* type = tensor.find("dtype");
    const Node* shape = tensor.find("shape");
    const Node* place = tensor.find("data_offsets");
    if (type == nullptr || !type->is_scalar() || shape == nullptr || !shape->is_list() || place == nullptr ||
        !place->is_list() || place->children.size() != 2)
      return wrong(tensor, say("has no dtype, shape and two data_offsets"));
    double elements = 1;
    std::vector<double> sizes;
    for (const Node& dimension : shape->children) {
      sizes.push_back(whole(dimension).value_or(std::nan("")));
      elements *= sizes.back();
    }
    const auto from = whole(place->children[0]);
    const auto to = whole(place->children[1]);
    if (std::isnan(elements) || !from || !to || *to < *from) return wrong(tensor, say("has numbers that cannot be"));
    const double bytes = *to - *from;
    for (const Width& width : kWidths)
      if (width.type == type->text && std::ceil(width.bytes * elements) != bytes)
        return wrong(tensor, say("has {} values of {} in {:.0f} bytes", human_count(elements), type->text, bytes));
    add_tensor(out_, printable(shorten(type->text, 20)), elements, bytes);
    if (out_.types.size() > kMostTypes)
      return wrong(tensor, say("has one type more than the {} that are read", kMostTypes));
    if (const auto [twin, is_new] = places_.emplace(tensor.key, path_); !is_new)
      return wrong(tensor, say("is in two files, also in '{}'", printable(twin->second)));
    spans_.push_back({*from, *to, &tensor});
    if (is_prediction(tensor.key, layers_)) {
      out_.unloaded_bytes += bytes;
      out_.unloaded_elements += elements;
    }
    place_tensor(out_, {tensor.key, type->text, sizes, elements});
    if (is_head(tensor.key)) out_.has_head = true;
    end_ = std::max(end_, *to);
    return {};
  }

  double end() const { return end_; }

  /// The tensors lie one behind another and fill the file: else one is lost, or counted twice.
  Status check_order(double data) {
    std::ranges::sort(spans_,
                      [](const Span& a, const Span& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
    double filled = 0;
    for (const Span& span : spans_) {
      if (span.from < filled) return wrong(*span.tensor, say("begins inside another, at byte {:.0f}", span.from));
      if (span.from > filled)
        return wrong(*span.tensor, say("begins at byte {:.0f}, and {:.0f} bytes before it belong to none", span.from,
                                       span.from - filled));
      filled = span.to;
    }
    if (filled < data)
      return usage_error(say("{:.0f} bytes of weights belong to no tensor", data - filled), path_,
                         say("download it again"));
    return {};
  }

 private:
  Status wrong(const Node& tensor, const std::string& what) const {
    return usage_error(say("tensor '{}' {}", printable(shorten(tensor.key, 80)), what), path_);
  }

  struct Span {
    double from, to;
    const Node* tensor;
  };

  const std::string& path_;
  double layers_;
  StoredWeights& out_;
  Places& places_;
  std::vector<Span> spans_;
  double end_ = 0;
};

Status add_file(const std::string& path, double layers, StoredWeights& out, Places& places) {
  auto header = Header::open(path);
  if (!header) return std::unexpected(header.error());
  const std::uint64_t length = header->number(8);
  constexpr std::uint64_t kPointer = 0x206e6f6973726576;  // "version ", as a pointer of Git LFS begins
  if (!header->failed() && length == kPointer)
    return usage_error(say("a pointer of Git LFS, not the weights themselves"), path, say("git lfs pull fetches them"));
  if (!header->failed() && length > kMostHeader)
    return usage_error(say("not a safetensors file: its header would be {} bytes long", length), path);
  const std::string text = header->text(length, kMostHeader);
  if (header->failed()) return header->failure();
  const std::uint64_t data = header->left();
  auto document = parse_json(text, path);
  if (!document) return std::unexpected(document.error());
  if (!document->root.is_map())
    return usage_error(say("the header is {}, not an object", document->root.describe()), path);
  TensorList tensors(path, layers, out, places);
  for (const Node& member : document->root.children)
    if (member.key != "__metadata__")
      if (Status added = tensors.add(member); !added) return added;
  if (tensors.end() > static_cast<double>(data))
    return usage_error(say("truncated: {} of {:.0f} bytes of weights", data, tensors.end()), path);
  if (Status ordered = tensors.check_order(static_cast<double>(data)); !ordered) return ordered;
  ++out.files;
  return {};
}

/// 8 bit where most weights are, 16 bit otherwise; packed integers do not say what they hold.
void settle(StoredWeights& out) {
  out.layout = "safetensors";
  sort_types(out);
  if (out.types.empty()) return;
  const std::string& most = out.types.front().name;
  out.precision = most == "BF16"              ? "bf16"
                  : most == "F16"             ? "fp16"
                  : most == "F32"             ? "fp32"
                  : most.starts_with("F8_E4") ? "fp8"
                                              : "";
}

}  // namespace

Result<StoredWeights> read_safetensors_parts(const std::string& path, double layers) {
  const std::vector<std::string> parts = parts_of_file(path);
  if (auto missing = missing_parts(parts); missing && parts.size() > 1) return std::unexpected(std::move(*missing));
  StoredWeights out;
  Places places;
  for (const std::string& part : parts)
    if (Status added = add_file(part, layers, out, places); !added) return std::unexpected(added.error());
  settle(out);
  return out;
}

namespace {

class Index {
 public:
  Index(const std::string& path, double layers) : path_(path), layers_(layers) {}

  Result<StoredWeights> read() {
    auto text = read_text_file(path_);
    if (!text) return std::unexpected(text.error());
    auto document = parse_json(*text, path_);
    if (!document) return std::unexpected(document.error());
    const Node* map = document->root.find("weight_map");
    if (map == nullptr || !map->is_map() || map->children.empty())
      return usage_error(say("not an index of safetensors: 'weight_map' is missing"), path_);
    if (Status named = name_files(*map); !named) return std::unexpected(named.error());
    const Node* metadata = document->root.find("metadata");
    const Node* total = metadata != nullptr ? metadata->find("total_size") : nullptr;
    const auto bytes = total != nullptr ? whole(*total) : std::nullopt;
    auto missing = missing_parts(files_);
    const bool none =
        missing && std::ranges::none_of(files_, [](const std::string& file) { return is_there(file).value_or(true); });
    if (missing && !none) return std::unexpected(std::move(*missing));
    if (missing) return by_names(*map, bytes);
    return by_files(*map, bytes);
  }

 private:
  Status name_files(const Node& map) {
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    std::set<std::string> shards;
    for (const Node& tensor : map.children) {
      // A name with a folder in it could lead anywhere.
      if (!tensor.is_scalar() || tensor.text.find('/') != std::string::npos || tensor.text.empty())
        return usage_error(say("'weight_map' has {} where the name of a file is due", tensor.describe()),
                           position(path_, tensor));
      shards.insert(tensor.text);
    }
    if (shards.size() > kMostShards) return usage_error(say("'weight_map' names {} files", shards.size()), path_);
    for (const std::string& shard : shards) files_.push_back((folder / shard).string());
    // Parts that no tensor is said to lie in are still parts of the whole.
    for (const std::string& part : parts_of_file(files_.front()))
      if (std::ranges::find(files_, part) == files_.end())
        return usage_error(say("'weight_map' names nothing in '{}', one of the parts by their names",
                               printable(std::filesystem::path(part).filename().string())),
                           path_, say("download it again"));
    return {};
  }

  /// Without the files: what they are said to hold.
  Result<StoredWeights> by_names(const Node& map, std::optional<double> bytes) {
    if (!bytes) return usage_error(say("neither the files it names nor 'total_size' are there"), path_);
    StoredWeights out;
    settle(out);
    out.bytes = *bytes;
    out.files = static_cast<double>(files_.size());
    for (const Node& tensor : map.children) {
      out.has_head = out.has_head || is_head(tensor.key);
      if (!is_prediction(tensor.key, layers_)) place_tensor(out, {tensor.key});
    }
    return out;
  }

  Result<StoredWeights> by_files(const Node& map, std::optional<double> bytes) {
    StoredWeights out;
    Places places;
    for (const std::string& file : files_)
      if (Status added = add_file(file, layers_, out, places); !added) return std::unexpected(added.error());
    for (const Node& tensor : map.children) {
      const auto found = places.find(tensor.key);
      if (found == places.end() || std::filesystem::path(found->second).filename().string() != tensor.text)
        return usage_error(say("tensor '{}' is not in '{}', where 'weight_map' has it",
                               printable(shorten(tensor.key, 80)), printable(shorten(tensor.text, 80))),
                           position(path_, tensor), say("download the file again"));
    }
    std::set<std::string_view> named;
    if (map.children.size() != places.size())
      for (const Node& tensor : map.children) named.insert(tensor.key);
    for (const auto& [tensor, file] : places)
      if (!named.empty() && !named.contains(tensor))
        return usage_error(say("tensor '{}' in '{}' is not in 'weight_map'", printable(shorten(tensor, 80)),
                               printable(std::filesystem::path(file).filename().string())),
                           path_, say("the index belongs to other files"));
    constexpr double kApart = 0.01;  // what is stored once and named twice
    if (bytes && std::abs(out.bytes - *bytes) > kApart * out.bytes)
      out.contradicts.push_back(
          say("'total_size' of the index is {:.0f} bytes, its files have {:.0f}: the files are "
              "believed",
              *bytes, out.bytes));
    settle(out);
    return out;
  }

  const std::string& path_;
  double layers_;
  std::vector<std::string> files_;
};

}  // namespace

Result<StoredWeights> read_safetensors_index(const std::string& path, double layers) {
  return Index(path, layers).read();
}

}  // namespace gpusel::catalog
