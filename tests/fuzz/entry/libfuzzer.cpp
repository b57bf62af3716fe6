// One program for all targets: gpusel_fuzz TARGET [libFuzzer's flags and folders], gpusel_fuzz --list,
// gpusel_fuzz --prepare FOLDER, which writes each target's dictionary, the folders of its seeds, and in "made" the
// seeds that only the program can write and single files.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>

#include "fuzz/corpus.hpp"
#include "fuzz/target.hpp"

using gpusel::fuzz::Target;

namespace {

/// What a process that libFuzzer starts of itself feeds, too.
constexpr const char* kChosen = "FUZZ_TARGET";

const Target* chosen = nullptr;

const Target* find(std::string_view name) {
  for (const Target& target : gpusel::fuzz::targets())
    if (target.name == name) return &target;
  return nullptr;
}

void prepare(const std::filesystem::path& folder) {
  for (const Target& target : gpusel::fuzz::targets()) {
    const auto own = folder / target.name;
    std::filesystem::create_directories(own / "made");
    std::ofstream(own / "words") << gpusel::fuzz::dictionary_of(target);
    std::ofstream folders(own / "places");
    for (const std::string& place : gpusel::fuzz::folders_of(target))
      if (std::filesystem::is_directory(place))
        folders << place << '\n';
      else
        std::filesystem::copy_file(place, own / "made" / std::filesystem::path(place).filename(),
                                   std::filesystem::copy_options::overwrite_existing);
    int number = 0;
    for (const std::string& seed : gpusel::fuzz::texts_of(target))
      std::ofstream(own / "made" / std::to_string(number++), std::ios::binary) << seed;
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  const std::string_view word = *count > 1 ? (*words)[1] : "";
  if (word == "--list") {
    for (const Target& target : gpusel::fuzz::targets()) std::printf("%s\n", std::string(target.name).c_str());
    std::exit(0);
  }
  if (word == "--prepare" && *count == 3) {
    prepare((*words)[2]);
    std::exit(0);
  }
  if (const Target* target = find(word)) {
    setenv(kChosen, (*words)[1], 1);
    (*words)[1] = (*words)[0];
    ++*words;
    --*count;
    chosen = target;
    return 0;
  }
  const char* inherited = std::getenv(kChosen);
  chosen = inherited == nullptr ? nullptr : find(inherited);
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "gpusel_fuzz TARGET [FLAGS] [FOLDERS]; gpusel_fuzz --list names the targets\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    chosen->run({reinterpret_cast<const char*>(data), size});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpusel_fuzz: %s: %s\n", std::string(chosen->name).c_str(), error.what());
    std::abort();
  }
  return 0;
}
