#include "catalog/weights/header.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>

#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog::weights {

Result<Header> Header::open(const std::string& path) {
  Header header;
  header.path_ = path;
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return usage_error(say("no such file"), path);
  header.size_ = std::filesystem::file_size(path, failed);
  header.in_.open(path, std::ios::binary);
  if (failed || !header.in_) return usage_error(say("cannot be read"), path);
  return header;
}

void Header::fail(std::string message) {
  if (!error_) error_ = Error{ErrorKind::usage, std::move(message), path_, {}};
}

std::uint64_t Header::number(int bytes) {
  unsigned char raw[8] = {};
  const auto wanted = static_cast<std::uint64_t>(bytes);
  if (failed()) return 0;
  if (left() < wanted ||
      !in_.read(reinterpret_cast<char*>(raw), bytes)) {  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
    fail(say("the header is cut off at byte {}", at_));
    return 0;
  }
  at_ += wanted;
  std::uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; --i) value = value << 8U | raw[i];
  return value;
}

double Header::real(int bytes) {
  const std::uint64_t raw = number(bytes);
  if (bytes == 8) return std::bit_cast<double>(raw);
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
}

std::string Header::text(std::uint64_t length, std::uint64_t limit) {
  if (failed()) return {};
  if (length > left()) {
    fail(say("the header is cut off at byte {}: a text of {} bytes is announced", at_, length));
    return {};
  }
  if (length > limit) {
    fail(say("a text of {} bytes in the header is more than the {} that are read", length, limit));
    return {};
  }
  std::string out(length, '\0');
  if (length > 0 && !in_.read(out.data(), static_cast<std::streamsize>(length))) fail(say("cannot be read"));
  at_ += length;
  return out;
}

void Header::skip(std::uint64_t length) {
  if (failed()) return;
  if (length > left()) {
    fail(say("the header is cut off at byte {}: {} bytes are announced", at_, length));
    return;
  }
  constexpr std::uint64_t kNear = 4096;  // cheaper to read over than to lose the buffer
  if (length <= kNear)
    in_.ignore(static_cast<std::streamsize>(length));
  else
    in_.seekg(static_cast<std::streamoff>(length), std::ios::cur);
  at_ += length;
}

void add_tensor(StoredWeights& out, std::string_view type, double elements, double bytes) {
  auto found = std::find_if(out.types.begin(), out.types.end(), [&](const TensorType& t) { return t.name == type; });
  if (found == out.types.end()) found = out.types.insert(out.types.end(), TensorType{std::string(type), 0, 0, 0});
  ++found->tensors;
  found->elements += elements;
  found->bytes += bytes;
  out.elements += elements;
  out.bytes += bytes;
}

namespace {

bool holds(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

bool is_head(std::string_view tensor) {
  return tensor == "output.weight" || tensor == "head.weight" || tensor.ends_with("language_model.output.weight") ||
         holds(tensor, {"lm_head.", "embed_out.", "output_layer."});
}

bool is_vision(std::string_view tensor) {
  for (const std::string_view start : {"v.", "mm.", "mlp1.", "vpm.", "resampler."})
    if (tensor.starts_with(start)) return true;
  return holds(tensor, {"vision", "visual", "multi_modal_projector", "mm_projector", "connector.modality_projection"});
}

bool is_prediction(std::string_view tensor, double layers) {
  if (tensor.starts_with("mtp.") || holds(tensor, {".mtp.", ".nextn."})) return true;
  constexpr std::string_view kLayers = "model.layers.";
  if (layers <= 0 || !tensor.starts_with(kLayers)) return false;
  const std::string_view rest = tensor.substr(kLayers.size());
  const auto index = plain_number(rest.substr(0, rest.find('.')));
  return index && *index >= layers;
}

void sort_types(StoredWeights& out) {
  std::stable_sort(out.types.begin(), out.types.end(),
                   [](const TensorType& a, const TensorType& b) { return a.bytes > b.bytes; });
}

}  // namespace gpusel::catalog::weights
