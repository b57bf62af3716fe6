#include "answer/search/kinds.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace gpusel::answer {

namespace {

using catalog::Instance;

/// An instance as words: every field but names, notes and prices, and the records it was joined to.
class Words {
 public:
  explicit Words(const Instance& of) {
    catalog::visit_fields(of, [&](const catalog::Field&, const auto& member) {
      if (!is_name(of, &member)) add(member);
    });
    put(static_cast<std::uint64_t>(of.gpu_index));
    put(static_cast<std::uint64_t>(of.cpu_index));
  }

  std::uint64_t hash() const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < size_; ++i) hash = std::rotl((hash ^ words_[i]) * 0x9e3779b97f4a7c15U, 29);
    return hash ^ hash >> 32U;
  }
  bool operator==(const Words& other) const {
    return std::equal(words_.begin(), words_.begin() + size_, other.words_.begin());
  }

 private:
  static bool is_name(const Instance& of, const void* member) {
    return member == &of.sku || member == &of.family || member == &of.caution || member == &of.notes ||
           member == &of.workstation_source || member == &of.workstation_note;
  }
  void put(std::uint64_t word) { words_.at(size_++) = word; }
  void add(const catalog::Number& number) { put(number ? std::bit_cast<std::uint64_t>(*number) : ~std::uint64_t{0}); }
  void add(const std::optional<bool>& value) { put(value ? 1 + std::uint64_t{*value} : 0); }
  template <NamedEnum E>
  void add(E value) {
    put(static_cast<std::uint64_t>(value));
  }
  template <NamedEnum E>
  void add(const std::optional<E>& value) {
    put(value ? 1 + static_cast<std::uint64_t>(*value) : 0);
  }
  /// Texts by where they lie: a snapshot has each only once, and elsewhere there are only more kinds than need be.
  void add(std::string_view text) {
    put(text.empty() ? 0 : reinterpret_cast<std::uintptr_t>(text.data()));
    put(text.size());
  }
  void add(const catalog::TextList&) {}  // sources

  static constexpr std::size_t kMostWords = 48;  // words; more than there are fields
  std::array<std::uint64_t, kMostWords> words_;
  std::uint32_t size_ = 0;
};

}  // namespace

bool InstanceKinds::share(const rules::FactSet& facts) {
  return !facts.test(rules::Fact::sku) && !facts.test(rules::Fact::family);
}

std::uint32_t InstanceKinds::of(const Instance& instance) {
  return kinds_.try_emplace(&instance, static_cast<std::uint32_t>(kinds_.size())).first->second;
}

std::size_t InstanceKinds::Hash::operator()(const Instance* instance) const { return Words(*instance).hash(); }
bool InstanceKinds::Same::operator()(const Instance* a, const Instance* b) const { return Words(*a) == Words(*b); }

}  // namespace gpusel::answer
