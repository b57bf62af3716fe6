// Eight bytes of length, then JSON: the name, type, shape and place of each tensor.
#include <cmath>
#include <filesystem>
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

class TensorList {
 public:
  TensorList(const std::string& path, double layers, StoredWeights& out) : path_(path), layers_(layers), out_(out) {}

  /// One member of the header: {"dtype": …, "shape": […], "data_offsets": [from, to]}.
  Status add(const Node& tensor) {
    const Node* type = tensor.find("dtype");
    const Node* shape = tensor.find("shape");
    const Node* place = tensor.find("data_offsets");
    if (type == nullptr || !type->is_scalar() || shape == nullptr || !shape->is_list() || place == nullptr ||
        !place->is_list() || place->children.size() != 2)
      return wrong(tensor, say("has no dtype, shape and two data_offsets"));
    double elements = 1;
    for (const Node& dimension : shape->children) elements *= whole(dimension).value_or(std::nan(""));
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
    if (is_prediction(tensor.key, layers_)) out_.unloaded_bytes += bytes;
    if (is_vision(tensor.key)) out_.vision_elements += elements;
    if (is_head(tensor.key)) out_.has_head = true;
    end_ = std::max(end_, *to);
    return {};
  }

  double end() const { return end_; }

 private:
  Status wrong(const Node& tensor, const std::string& what) const {
    return usage_error(say("tensor '{}' {}", printable(shorten(tensor.key, 80)), what), path_);
  }

  const std::string& path_;
  double layers_;
  StoredWeights& out_;
  double end_ = 0;
};

Status add_file(const std::string& path, double layers, StoredWeights& out) {
  auto header = Header::open(path);
  if (!header) return std::unexpected(header.error());
  const std::uint64_t length = header->number(8);
  if (!header->failed() && length > kMostHeader)
    return usage_error(say("not a safetensors file: its header would be {} bytes long", length), path);
  const std::string text = header->text(length, kMostHeader);
  if (header->failed()) return header->failure();
  const std::uint64_t data = header->left();
  auto document = parse_json(text, path);
  if (!document) return std::unexpected(document.error());
  if (!document->root.is_map())
    return usage_error(say("the header is {}, not an object", document->root.describe()), path);
  TensorList tensors(path, layers, out);
  for (const Node& member : document->root.children)
    if (member.key != "__metadata__")
      if (Status added = tensors.add(member); !added) return added;
  if (tensors.end() > static_cast<double>(data))
    return usage_error(say("cut off: {} bytes of weights are there of {:.0f}", data, tensors.end()), path);
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

Result<StoredWeights> read_safetensors(const std::string& path, double layers) {
  StoredWeights out;
  if (Status added = add_file(path, layers, out); !added) return std::unexpected(added.error());
  settle(out);
  return out;
}

Result<StoredWeights> read_safetensors_index(const std::string& path, double layers) {
  auto text = read_text_file(path);
  if (!text) return std::unexpected(text.error());
  auto document = parse_json(*text, path);
  if (!document) return std::unexpected(document.error());
  const Node* map = document->root.find("weight_map");
  if (map == nullptr || !map->is_map())
    return usage_error(say("not an index of safetensors: 'weight_map' is missing"), path);
  std::set<std::string> shards;
  for (const Node& tensor : map->children) {
    // A name with a folder in it could lead anywhere.
    if (!tensor.is_scalar() || tensor.text.find('/') != std::string::npos || tensor.text.empty())
      return usage_error(say("'weight_map' has {} where the name of a file is due", tensor.describe()),
                         position(path, tensor));
    shards.insert(tensor.text);
  }
  if (shards.size() > kMostShards) return usage_error(say("'weight_map' names {} files", shards.size()), path);
  StoredWeights out;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failed;
  for (const std::string& shard : shards) {
    const std::string file = (folder / shard).string();
    if (!std::filesystem::exists(file, failed)) {
      if (out.files == 0) continue;
      return usage_error(say("'{}' is not beside it", printable(shard)), path);
    }
    if (Status added = add_file(file, layers, out); !added) return std::unexpected(added.error());
  }
  settle(out);
  if (out.files > 0 && out.files < static_cast<double>(shards.size()))
    return usage_error(say("only {:.0f} of the {} files it names are beside it", out.files, shards.size()), path);
  if (out.files > 0) return out;
  const Node* metadata = document->root.find("metadata");
  const Node* total = metadata != nullptr ? metadata->find("total_size") : nullptr;
  const auto bytes = total != nullptr ? whole(*total) : std::nullopt;
  if (!bytes) return usage_error(say("neither the files it names nor 'total_size' are there"), path);
  out.bytes = *bytes;
  out.files = static_cast<double>(shards.size());
  for (const Node& tensor : map->children) out.has_head = out.has_head || is_head(tensor.key);
  return out;
}

}  // namespace gpusel::catalog
