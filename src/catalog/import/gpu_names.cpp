// Which GPU a price list means: by name, then by what else the row says of form and memory.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/text/text.hpp"
#include "catalog/import/dialects/dialects.hpp"

namespace gpusel::catalog::import {

namespace {

/// Words that say nothing of which part it is.
constexpr std::string_view kEmptyWords[] = {"nvidia", "amd", "tesla", "gpu", "tensor", "core", "nvlink", "geforce"};
/// Words of an id that a short name leaves out. Any other word makes another part: a 4090 is no 4090 D.
constexpr std::string_view kVariantWords[] = {"sxm", "pcie", "nvl", "server", "ws"};
constexpr double kMemoryTolerance = 0.095;  // a B300 of 288 GB is also listed with 262

/// The words of a folded name, "80g" written "80gb" and "sxm4" written "sxm".
std::set<std::string> words_of(std::string_view folded) {
  std::set<std::string> words;
  for (const std::string_view piece : split(folded, '-')) {
    std::string word(piece);
    const bool digits = word.size() > 1 && word.find_first_not_of("0123456789") == word.size() - 1;
    if (digits && word.back() == 'g') word += 'b';
    if (word.starts_with("sxm")) word = "sxm";
    if (word.empty() || std::find(std::begin(kEmptyWords), std::end(kEmptyWords), word) != std::end(kEmptyWords))
      continue;
    words.insert(std::move(word));
  }
  return words;
}

enum class Form : std::uint8_t { unknown, sxm, pcie, nvl };

Form form_of(const Gpu& gpu) {
  if (gpu.form_factor.starts_with("SXM")) return Form::sxm;
  if (words_of(fold_name(gpu.id)).contains("nvl")) return Form::nvl;
  return gpu.form_factor.starts_with("PCIe") ? Form::pcie : Form::unknown;
}

Form form_in(std::string_view words) {
  if (words.find("sxm") != std::string_view::npos) return Form::sxm;
  for (auto at = words.find("nvl"); at != std::string_view::npos; at = words.find("nvl", at + 1))
    if (words.substr(at, 6) != "nvlink") return Form::nvl;
  return words.find("pci") != std::string_view::npos ? Form::pcie : Form::unknown;
}

/// "rtx5090" of "rtx5090-pcie-baremetal": parts of one form only do not have it in their names.
std::string without_form(std::string_view folded) {
  std::string kept;
  for (const std::string_view word : split(folded, '-'))
    if (!word.starts_with("sxm") && word != "pcie" && word != "baremetal")
      kept += (kept.empty() ? "" : "-") + std::string(word);
  return kept;
}

/// "rtx4090", "rtx4070s": a number of four digits at the end, perhaps with an S.
bool ends_in_series(std::string_view name) {
  if (name.ends_with('s')) name.remove_suffix(1);
  const auto last = name.find_last_not_of("0123456789");
  return name.size() - (last == std::string_view::npos ? 0 : last + 1) >= 4;
}

bool is_memory(std::string_view word) {
  return word.size() > 2 && word.ends_with("gb") && word[0] >= '0' && word[0] <= '9';
}

bool is_variant(const std::string& word) {
  return is_memory(word) ||
         std::find(std::begin(kVariantWords), std::end(kVariantWords), word) != std::end(kVariantWords);
}

/// Whether `word` stands in `text`, with nothing of a word right behind it: HBM3 is not in HBM3e.
bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const char next = at + word.size() < text.size() ? text[at + word.size()] : ' ';
    if ((next < 'a' || next > 'z') && (next < '0' || next > '9')) return true;
  }
  return false;
}

}  // namespace

GpuNames::GpuNames(const Catalog& catalog, const Dialects& dialects, ImportFormat format)
    : catalog_(catalog), dialects_(dialects), format_(format) {
  for (std::uint32_t i = 0; i < catalog.gpus().size(); ++i) {
    words_.push_back(words_of(fold_gpu_name(catalog.gpus()[i].id)));
    for (const std::string& word : words_.back()) with_word_[word].push_back(i);
  }
}

std::set<std::uint32_t> GpuNames::with_words(const std::set<std::string>& words) const {
  std::set<std::uint32_t> found;
  const auto first = words.empty() ? with_word_.end() : with_word_.find(*words.begin());
  if (first == with_word_.end()) return found;
  for (const std::uint32_t i : first->second) {
    const auto& id = words_[i];
    if (!std::includes(id.begin(), id.end(), words.begin(), words.end())) continue;
    if (std::all_of(id.begin(), id.end(), [&](const auto& word) { return words.contains(word) || is_variant(word); }))
      found.insert(i);
  }
  return found;
}

const std::vector<std::uint32_t>& GpuNames::meant_by(std::string_view name) {
  const auto [entry, is_new] = seen_.try_emplace(std::string(name));
  if (is_new) entry->second = find(name);
  return entry->second;
}

std::vector<std::uint32_t> GpuNames::find(std::string_view name) const {
  const std::string folded = fold_gpu_name(name);
  for (const std::string_view format : {to_text(format_), std::string_view{}})
    if (const auto known = dialects_.accelerators.find(std::string(format) + "/" + folded);
        known != dialects_.accelerators.end())
      return known->second;
  // An alias of one part is often the name of a whole series: every part whose id has all its words counts.
  std::set<std::uint32_t> found = with_words(words_of(folded));
  // Asked first, since what gpu() says of an unknown name, with the nearest ones, takes time.
  if (catalog_.has_gpu(folded))
    if (const auto exact = catalog_.gpu(folded))
      found.insert(static_cast<std::uint32_t>(*exact - catalog_.gpus().data()));
  if (const std::string rest = without_form(folded); found.empty() && !rest.empty() && rest != folded)
    return find(rest);
  return {found.begin(), found.end()};
}

const std::vector<std::uint32_t>& GpuNames::series_of(std::string_view name) {
  const auto [entry, is_new] = series_.try_emplace(std::string(name));
  if (!is_new) return entry->second;
  auto words = words_of(fold_gpu_name(name));
  if (std::erase_if(words, is_memory) > 0) return entry->second;
  const auto found = with_words(words);
  entry->second.assign(found.begin(), found.end());
  return entry->second;
}

std::string fuller_name(std::string_view sku, std::string_view name) {
  static constexpr std::string_view kSuffixes[] = {"ti", "super", "s", "d"};
  std::string wanted = fold_gpu_name(name);
  std::erase(wanted, '-');
  // "gpu-l40s-d" is an L40S of platform d: behind a name without a series number only an S makes another part.
  const bool series = ends_in_series(wanted);
  const auto is_suffix = [&](std::string_view word) {
    return series ? std::find(std::begin(kSuffixes), std::end(kSuffixes), word) != std::end(kSuffixes) : word == "s";
  };
  const std::string folded = fold_name(sku);
  const auto words = split(folded, '-');
  for (std::size_t first = 0; first < words.size() && !wanted.empty(); ++first) {
    std::string joined;
    std::size_t next = first;
    while (next < words.size() && joined.size() < wanted.size()) joined += words[next++];
    if (!joined.starts_with(wanted)) continue;
    const std::string rest = joined.substr(wanted.size());
    if (!rest.empty() && !is_suffix(rest)) continue;
    while (next < words.size() && is_suffix(words[next])) joined += words[next++];
    if (joined.size() > wanted.size()) return joined;
  }
  return {};
}

std::vector<std::uint32_t> of_form(const std::vector<std::uint32_t>& gpus, std::string_view folded_words,
                                   const Catalog& catalog) {
  const Form form = form_in(folded_words);
  std::vector<std::uint32_t> kept;
  std::copy_if(gpus.begin(), gpus.end(), std::back_inserter(kept),
               [&](std::uint32_t i) { return form_of(catalog.gpus()[i]) == form; });
  return form == Form::unknown || kept.empty() ? gpus : kept;
}

std::vector<std::uint32_t> of_memory_type(const std::vector<std::uint32_t>& gpus, std::string_view folded_words,
                                          const Catalog& catalog) {
  std::vector<std::uint32_t> kept;
  std::copy_if(gpus.begin(), gpus.end(), std::back_inserter(kept), [&](std::uint32_t i) {
    const std::string type = fold_name(catalog.gpus()[i].memory_type);
    return !type.empty() && has_word(folded_words, type);
  });
  return kept.empty() ? gpus : kept;
}

std::vector<std::uint32_t> of_memory(const std::vector<std::uint32_t>& gpus, std::span<const double> memory_gb,
                                     const Catalog& catalog) {
  std::vector<std::uint32_t> kept;
  std::copy_if(gpus.begin(), gpus.end(), std::back_inserter(kept), [&](std::uint32_t i) {
    const Number& mine = catalog.gpus()[i].memory_gb;
    return mine && std::any_of(memory_gb.begin(), memory_gb.end(),
                               [&](double gb) { return std::abs(gb - *mine) <= kMemoryTolerance * *mine; });
  });
  return kept;
}

std::vector<double> hinted_memory_gb(std::string_view gpu_info, double count) {
  const std::string text = lower(gpu_info);
  constexpr std::string_view kKey = "sizeinmib";
  auto at = text.find(kKey);
  if (at == std::string::npos) return {};
  at = text.find_first_of("0123456789", at + kKey.size());
  if (at == std::string::npos) return {};
  const auto end = std::min(text.find_first_not_of("0123456789.", at), text.size());
  const auto size = plain_number(std::string_view(text).substr(at, end - at));
  if (!size || *size <= 0) return {};
  const double gib = *size < 1024 ? *size : *size / 1024;  // some clouds write GiB there
  if (count > 1) return {gib, gib / count};                // some the sum of all GPUs
  return {gib};
}

}  // namespace gpusel::catalog::import
