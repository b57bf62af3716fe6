#include "fuzz/corpus.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gpusel::fuzz {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostWords = 1500;
constexpr std::size_t kLongestWord = 40;
constexpr std::uintmax_t kLargestFile = 65536;

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

void add_words(const std::string& text, Words& words) {
  for (auto at = text.begin(); at != text.end() && words.size() < kMostWords;) {
    at = std::find_if(at, text.end(), is_of_word);
    const auto end = std::find_if_not(at, text.end(), is_of_word);
    const auto length = static_cast<std::size_t>(end - at);
    if (length > 1 && length <= kLongestWord) words.emplace(at, end);
    at = end;
  }
}

}  // namespace

std::vector<std::string> folders_of(const Target& target) {
  const fs::path root(GPUSEL_SOURCE_DIR);
  std::vector<std::string> places;
  for (const std::string_view folder : {"tests/fuzz/seeds", "tests/fuzz/findings"})
    if (const fs::path own = root / folder / target.name; fs::exists(own)) places.push_back(own.string());
  for (const std::string_view place : target.seeds) places.push_back((root / place).string());
  return places;
}

std::vector<std::string> files_of(const Target& target) {
  std::vector<std::string> files;
  for (const std::string& place : folders_of(target)) {
    if (!fs::is_directory(place))
      files.push_back(place);
    else
      for (const auto& entry : fs::recursive_directory_iterator(place))
        if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> texts_of(const Target& target) {
  return target.made == nullptr ? std::vector<std::string>() : target.made();
}

std::string dictionary_of(const Target& target) {
  Words words;
  if (target.words != nullptr) target.words(words);
  for (const std::string& file : files_of(target))
    if (fs::file_size(file) <= kLargestFile) add_words(read(file), words);
  std::string text = "# " + std::string(target.name) + "\n";  // libFuzzer wants something in it
  for (const std::string& word : words) {
    text += '"';
    for (const char c : word) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    text += "\"\n";
  }
  return text;
}

}  // namespace gpusel::fuzz
