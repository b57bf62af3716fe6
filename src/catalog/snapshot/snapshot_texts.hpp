// The texts of a snapshot in one block: written once each, and read in place.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "snapshot_generated.h"

namespace gpusel::catalog {

/// All texts of a snapshot, each once, behind its length.
class TextWriter {
 public:
  TextWriter() { bytes_.assign(4, 0); }

  std::uint32_t offset(std::string_view text) {
    if (text.empty()) return 0;
    const auto [entry, inserted] = seen_.try_emplace(std::string(text), static_cast<std::uint32_t>(bytes_.size()));
    if (inserted) {
      const auto size = static_cast<std::uint32_t>(text.size());
      const auto* raw = reinterpret_cast<const std::uint8_t*>(&size);
      bytes_.insert(bytes_.end(), raw, raw + sizeof size);
      bytes_.insert(bytes_.end(), text.begin(), text.end());
    }
    return entry->second;
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::unordered_map<std::string, std::uint32_t> seen_;
};

class TextReader {
 public:
  explicit TextReader(const flatbuffers::Vector<std::uint8_t>& texts)
      : bytes_(reinterpret_cast<const char*>(texts.data()), texts.size()) {}

  /// The text at `offset`; an offset outside the block marks the whole snapshot as damaged.
  std::string_view at(std::uint32_t offset) {
    if (offset == 0) return {};
    std::uint32_t size = 0;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof size) return damaged();
    std::memcpy(&size, bytes_.data() + offset, sizeof size);
    if (bytes_.size() - offset - sizeof size < size) return damaged();
    return bytes_.substr(offset + sizeof size, size);
  }
  bool intact() const { return intact_; }

 private:
  std::string_view damaged() {
    intact_ = false;
    return {};
  }
  std::string_view bytes_;
  bool intact_ = true;
};

}  // namespace gpusel::catalog
