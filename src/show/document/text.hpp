// Words with what they mean; a renderer has a look for each meaning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpusel::show {

enum class Meaning : std::uint8_t { plain, strong, code, secondary, lead, best, warn, note };

struct Span {
  std::string words;
  Meaning meaning = Meaning::plain;
};

class Text {
 public:
  Text() = default;
  Text(std::string words, Meaning meaning = Meaning::plain) { add(std::move(words), meaning); }
  Text(const char* words) : Text(std::string(words)) {}

  Text& add(std::string words, Meaning meaning = Meaning::plain) {
    if (!words.empty()) spans_.push_back({std::move(words), meaning});
    return *this;
  }

  const std::vector<Span>& spans() const { return spans_; }
  bool empty() const { return spans_.empty(); }
  /// What the whole of it means; plain where its parts differ.
  Meaning meaning() const { return spans_.size() == 1 ? spans_.front().meaning : Meaning::plain; }
  std::string words() const {
    std::string all;
    for (const Span& span : spans_) all += span.words;
    return all;
  }

 private:
  std::vector<Span> spans_;
};

inline Text strong(std::string words) { return {std::move(words), Meaning::strong}; }
inline Text secondary(std::string words) { return {std::move(words), Meaning::secondary}; }

}  // namespace gpusel::show
