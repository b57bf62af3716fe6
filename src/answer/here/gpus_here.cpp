#include "answer/here/gpus_here.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <tuple>

#include "base/io/document.hpp"
#include "base/io/process.hpp"
#include "base/text/text.hpp"
#include "base/values/units.hpp"
#include "base/words/message.hpp"
#include "catalog/records/mig.hpp"

namespace gpusel::answer {

namespace {

constexpr double kPatience = 2;  // s
constexpr std::size_t kMostText = 1 << 20;
constexpr std::size_t kMostGpus = 64;
/// What drivers keep for themselves of a card's memory, and what sizes are rounded by.
constexpr double kSameSize = 0.12;

/// Names are of a family of sizes where they do not say the size: the reported memory tells which.
const catalog::Gpu* known_gpu(const std::string& name, double memory_gib, const catalog::Catalog& catalog) {
  const auto same_size = [&](const catalog::Gpu& gpu) {
    return memory_gib <= 0 || !gpu.memory_gb || std::abs(memory_gib / *gpu.memory_gb - 1) <= kSameSize;
  };
  const auto named = catalog.gpu(name);
  if (named && same_size(**named)) return *named;
  const auto sized = catalog.gpu(format("{} {:.0f}GB", name, memory_gib));
  if (sized && same_size(**sized)) return *sized;
  return named ? *named : nullptr;
}

/// The figure in a name: 4090 of "rtx-4090-d".
int figure_in(std::string_view name) {
  const auto begin = std::min(name.find_first_of("0123456789"), name.size());
  return std::atoi(std::string(name.substr(begin)).c_str());
}

/// A mobile part is built like the desktop one of its generation that has as much memory, not like its namesake.
const catalog::Gpu* desktop_gpu(std::string_view name, double memory_gib, const catalog::Catalog& catalog) {
  static constexpr std::string_view kMobile[] = {" Laptop GPU", " Mobile", " with Max-Q Design", " Max-Q"};
  std::string base(name);
  for (const std::string_view mobile : kMobile)
    if (const auto at = base.find(mobile); at != std::string::npos) base.erase(at);
  if (base.size() == name.size()) return nullptr;
  const auto named = catalog.gpu(base);
  if (!named) return nullptr;
  const std::string_view id = (*named)->id;
  const auto figure = id.find_first_of("0123456789");
  if (figure == std::string_view::npos) return *named;
  const auto apart = [&](const catalog::Gpu& gpu) {
    const double memory =
        gpu.memory_gb ? std::abs(*gpu.memory_gb - memory_gib) : std::numeric_limits<double>::infinity();
    return std::tuple(std::round(memory), std::abs(figure_in(gpu.id) - figure_in(id)), gpu.id.size());
  };
  // As long as its own: "rtx-4000-ada-20gb" is no "rtx-40".
  const auto has_figure = [&](std::string_view other) {
    return other.size() >= figure + 4 && figure_in(other) >= 1000 &&
           std::min(other.find_first_not_of("0123456789", figure), other.size()) == figure + 4 &&
           figure_in(other) % 1000 != 0;
  };
  const catalog::Gpu* nearest = *named;
  constexpr std::size_t kOfGeneration = 2;  // digits: "rtx-40"
  for (const catalog::Gpu& gpu : catalog.gpus())
    if (gpu.id.starts_with(id.substr(0, figure + kOfGeneration)) && has_figure(gpu.id) && apart(gpu) < apart(*nearest))
      nearest = &gpu;
  return nearest;
}

class Looking {
 public:
  Looking(const catalog::Catalog& catalog, std::string root) : catalog_(catalog), root_(std::move(root)) {}

  GpusHere go() {
    // A machine may have cards of both makers.
    const bool first = nvidia();
    const std::string source = here_.source;
    const std::size_t before = here_.gpus.size();
    const bool second = rocm() && here_.gpus.size() > before;
    if (first) here_.source = second ? source + ", " + here_.source : source;
    if (first || second || proc() || sys()) return std::move(here_);
    here_.source.clear();
    return std::move(here_);
  }

 private:
  void add(std::string name, double memory_gib, double used_gib) {
    if (here_.gpus.size() >= kMostGpus) return;
    const catalog::Gpu* gpu = known_gpu(name, memory_gib, catalog_);
    if (gpu == nullptr) {
      gpu = desktop_gpu(name, memory_gib, catalog_);
      if (gpu != nullptr)
        note(say("'{}' is estimated as {}, the desktop GPU closest in memory size; laptops run slower",
                 printable(shorten(name, 60)), gpu->id));
    }
    double lacking = 0;
    if (gpu != nullptr && gpu->memory_gb && memory_gib > 0 && std::abs(memory_gib / *gpu->memory_gb - 1) > kSameSize) {
      lacking = gpu->memory_gib_usable.value_or(*gpu->memory_gb) - memory_gib;
      note(say("{} has {:.0f} GB in the catalog; here {:.0f} GB, as the driver says", gpu->id, *gpu->memory_gb,
               memory_gib));
    }
    if (memory_gib <= 0 && gpu != nullptr) memory_gib = gpu->memory_gb.value_or(0);
    here_.gpus.push_back({std::move(name), memory_gib, used_gib, gpu});
    here_.gpus.back().lacking_gib = lacking;
  }

  /// Once, however many GPUs it is of.
  void note(std::string text) {
    if (std::ranges::find(here_.notes, text) == here_.notes.end()) here_.notes.push_back(std::move(text));
  }

  /// What the tool prints; nothing where it is not there or does not work.
  std::optional<std::string> ask(std::string_view tool, const std::vector<std::string>& words) {
    auto answer = output_of(words, seconds(kPatience), kMostText);
    here_.source = tool;
    if (!answer) {
      if (find_on_path(tool)) here_.notes.push_back(say("{} failed: {}", tool, answer.error().message));
      return std::nullopt;
    }
    if (answer->status == 0) return std::move(answer->text);
    const std::string_view first = trim(std::string_view(answer->text).substr(0, answer->text.find('\n')));
    std::string why = say("{} failed (status {})", tool, answer->status);
    if (!first.empty()) why += format(": {}", printable(shorten(first, 80)));
    here_.notes.push_back(std::move(why));
    return std::nullopt;
  }

  static bool find_on_path(std::string_view tool) {
    const char* path = std::getenv("PATH");
    std::error_code failed;
    for (const std::string_view folder : split(path != nullptr ? path : "", ':'))
      if (!folder.empty() && std::filesystem::exists(std::filesystem::path(folder) / tool, failed)) return true;
    return false;
  }

  bool nvidia() {
    const auto text =
        ask("nvidia-smi", {"nvidia-smi", "--query-gpu=name,memory.total,memory.used", "--format=csv,noheader,nounits"});
    if (!text) return false;
    for (const std::string_view line : split(*text, '\n')) {
      if (trim(line).empty()) continue;
      const auto parts = split(line, ',');
      const auto number_in = [&](std::size_t place) {
        return parts.size() == 3 ? plain_number(trim(parts[place])).value_or(0) : 0.0;
      };
      // Of boards that share the host's memory (GB10, Jetson) the driver knows no size.
      const bool shared = parts.size() == 3 && trim(parts[1]).starts_with('[');
      const std::string name(parts.empty() ? std::string_view() : trim(parts[0]));
      if (parts.size() == 1) {
        here_.notes.push_back(say("nvidia-smi failed: {}", printable(shorten(trim(line), 80))));
        here_.gpus.clear();
        return false;
      }
      if (name.empty() || (number_in(1) <= 0 && !shared)) {
        here_.notes.push_back(say("nvidia-smi: '{}' is not a known GPU", printable(shorten(trim(line), 60))));
        here_.gpus.clear();
        return false;
      }
      add(name, number_in(1) / kMibPerGib, number_in(2) / kMibPerGib);
    }
    cut_into_slices();
    return !here_.gpus.empty();
  }

  /// The slices of the GPUs that MIG cuts, in their place: "  MIG 1g.5gb  Device 0: (UUID: …)" below "GPU 0: …".
  void cut_into_slices() {
    const auto answer = output_of({"nvidia-smi", "-L"}, seconds(kPatience), kMostText);
    if (!answer || answer->status != 0) return;
    std::vector<std::vector<GpuHere>> slices(here_.gpus.size());
    std::size_t next = 0;
    for (const std::string_view line : split(answer->text, '\n')) {
      const auto words = split(trim(line), ' ');
      if (line.starts_with("GPU ")) ++next;
      if (words.size() < 2 || words[0] != "MIG" || next == 0 || next > slices.size()) continue;
      if (slices[next - 1].size() < kMostGpus) slices[next - 1].push_back(slice_of(here_.gpus[next - 1], words[1]));
    }
    std::vector<GpuHere> all;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      if (slices[i].empty()) slices[i].push_back(std::move(here_.gpus[i]));
      std::ranges::move(slices[i], std::back_inserter(all));
    }
    here_.gpus = std::move(all);
  }

  /// What other processes use of the GPU is in other slices, or not known of this one.
  GpuHere slice_of(const GpuHere& whole, std::string_view profile) {
    GpuHere slice = whole;
    slice.slice = profile;
    slice.used_gib = 0;
    if (whole.gpu == nullptr) return slice;
    for (const catalog::MigProfile& one : catalog::mig_profiles(*whole.gpu, catalog_))
      if (one.name == profile) {
        slice.memory_gib = whole.memory_gib * one.memory;
        slice.parts = one.most;
        return slice;
      }
    here_.notes.push_back(
        say("nvidia-smi: '{}' is not a known MIG profile of {}", printable(shorten(profile, 20)), whole.gpu->id));
    slice.gpu = nullptr;
    return slice;
  }

  bool rocm() {
    const auto text = ask("rocm-smi", {"rocm-smi", "--showproductname", "--showmeminfo", "vram", "--json"});
    if (!text) return false;
    // It may warn in front of what it was asked for.
    const auto begin = text->find('{');
    const auto document = parse_json(begin == std::string::npos ? std::string() : text->substr(begin), "rocm-smi");
    if (!document || !document->root.is_map()) {
      here_.notes.push_back(say("rocm-smi: no JSON"));
      return false;
    }
    for (const Node& card : document->root.children) {
      if (!card.key.starts_with("card") || !card.is_map()) continue;
      std::string name;
      double total = 0, used = 0;
      for (const Node& member : card.children) {
        const std::string key = lower(member.key);
        if (key == "card series" || (key == "card model" && name.empty())) name = member.text;
        if (key == "vram total memory (b)") total = plain_number(member.text).value_or(0);
        if (key == "vram total used memory (b)") used = plain_number(member.text).value_or(0);
      }
      if (name.empty() || total <= 0) {
        here_.notes.push_back(say("rocm-smi: '{}' is not a known GPU", printable(card.key)));
        continue;
      }
      add(name, total / kGiB, used / kGiB);
    }
    return !here_.gpus.empty();
  }

  /// The driver is there, and its tool is not.
  bool proc() {
    here_.source = "/proc/driver/nvidia";
    std::error_code failed;
    std::vector<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(root_ / "proc/driver/nvidia/gpus", failed))
      folders.push_back(entry.path());
    std::ranges::sort(folders);
    for (const auto& folder : folders) {
      const auto text = read_text_file((folder / "information").string());
      if (!text) continue;
      for (const std::string_view line : split(*text, '\n'))
        if (const auto colon = line.find(':');
            colon != std::string_view::npos && trim(line.substr(0, colon)) == "Model")
          add(std::string(trim(line.substr(colon + 1))), 0, 0);
    }
    return !here_.gpus.empty();
  }

  bool sys() {
    here_.source = "/sys/class/drm";
    std::error_code failed;
    std::vector<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(root_ / "sys/class/drm", failed))
      if (entry.path().filename().string().find('-') == std::string::npos) folders.push_back(entry.path() / "device");
    std::ranges::sort(folders);
    for (const auto& folder : folders) {
      const auto name = read_text_file((folder / "product_name").string());
      const auto memory = read_text_file((folder / "mem_info_vram_total").string());
      const auto bytes = memory ? plain_number(trim(*memory)) : std::nullopt;
      if (!name || trim(*name).empty() || !bytes) continue;
      add(std::string(trim(*name)), *bytes / kGiB, 0);
    }
    return !here_.gpus.empty();
  }

  const catalog::Catalog& catalog_;
  std::filesystem::path root_;
  GpusHere here_;
};

}  // namespace

std::vector<GpuHere> GpusHere::group() const {
  std::vector<GpuHere> best;
  double most = -1;
  for (const GpuHere& one : gpus) {
    std::vector<GpuHere> alike;
    for (const GpuHere& other : gpus)
      if (one.slice.empty() ? other.slice.empty() && other.gpu == one.gpu && other.name == one.name : &other == &one)
        alike.push_back(other);
    std::ranges::stable_sort(alike, {}, &GpuHere::used_gib);
    // Work is divided evenly: of each GPU as much can be had as of the busiest.
    std::size_t count = 0;
    double memory = 0;
    for (std::size_t i = 0; i < alike.size(); ++i)
      if (const double free = alike[i].memory_gib - alike[i].used_gib; static_cast<double>(i + 1) * free >= memory) {
        count = i + 1;
        memory = static_cast<double>(count) * free;
      }
    const double known = one.gpu != nullptr ? memory : 0;
    if (known > most) {
      most = known;
      alike.resize(std::max<std::size_t>(count, 1));
      best = std::move(alike);
    }
  }
  return best;
}

GpusHere gpus_here(const catalog::Catalog& catalog, const std::string& root) { return Looking(catalog, root).go(); }

}  // namespace gpusel::answer
