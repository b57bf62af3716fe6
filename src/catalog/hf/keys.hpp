// The keys of a config.json: read once each, under any of their spellings, and what was never asked for is known.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "catalog/records/field.hpp"

namespace gpusel::catalog::hf {

/// What all maps of one file share.
struct Reading {
  std::string name;
  std::set<const Node*> used;
  std::optional<Error> error;  // the first

  void fail(const Node& at, std::string message);
};

/// A width given as a multiple of another is no multiple of nothing.
inline constexpr double kLeastRatio = 0.01;

class Keys {
 public:
  /// Looks into `first`, then into `second`.
  Keys(Reading& reading, const Node* first, const Node* second = nullptr)
      : reading_(&reading), first_(first), second_(second) {}

  using Names = std::initializer_list<std::string_view>;

  /// The value, or nullptr where it is absent or null.
  const Node* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// The first spelling that is there: a whole number from `low`.
  Number count(Names keys, double low = 0) const { return number(keys, low, true); }
  /// Any number from `low`.
  Number number(Names keys, double low, bool whole = false) const;
  double count_or(Names keys, double otherwise, double low = 0) const { return count(keys, low).value_or(otherwise); }
  /// A size of something that the model has: there is none of nothing.
  double size_or(Names keys, double otherwise) const { return count_or(keys, otherwise, 1); }
  /// A whole number, or the largest of a list with one per layer.
  Number largest(std::span<const std::string_view> keys) const;
  Number largest(Names keys) const { return largest(std::span(keys.begin(), keys.size())); }
  std::optional<bool> boolean(std::string_view key) const;
  bool truth(std::string_view key, bool otherwise) const { return boolean(key).value_or(otherwise); }
  /// Empty when absent or no text.
  std::string text(std::string_view key) const;
  /// The same where the key stands for nothing but text: refuses anything else.
  std::string only_text(std::string_view key) const;
  /// The list under a key, or nullptr.
  const Node* list(std::string_view key) const;
  /// The same where the key stands for nothing but a list: refuses anything else.
  const Node* only_list(std::string_view key) const;
  /// The whole numbers of a list; empty when absent.
  std::vector<double> counts(std::string_view key) const;
  /// The map under a key; refuses anything else that is not null.
  std::optional<Keys> map(std::string_view key) const;
  /// Those of another map of the same file, such as an entry of a list.
  Keys inside(const Node& map) const { return {*reading_, &map}; }
  /// Says of the first error; nothing where something is wrong already.
  void fail_reading(Error error) const {
    if (!reading_->error) reading_->error = std::move(error);
  }
  const std::string& file() const { return reading_->name; }

  void fail(const Node& at, std::string message) const { reading_->fail(at, std::move(message)); }
  /// Names of members that nobody asked for, without those that have no say in size or speed.
  std::vector<std::string> unread() const;

 private:
  Reading* reading_;
  const Node* first_;
  const Node* second_;
};

/// Keys that change neither the shape nor what is stored: token ids, dropout, rope, generation settings.
bool is_without_effect(std::string_view key);
/// The same inside a vision tower.
bool is_without_effect_on_towers(std::string_view key);

}  // namespace gpusel::catalog::hf
