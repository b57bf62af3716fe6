// JSON told member by member, in order: kept as a tree for whoever looks into it, or written at once. Batches write
// thousands of answers and a ranking hundreds of rows, and a tree costs more than the text it becomes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "show/json/json.hpp"

namespace gpusel::show {

class JsonOut {
 public:
  JsonOut() = default;
  JsonOut(const JsonOut&) = delete;
  JsonOut& operator=(const JsonOut&) = delete;
  virtual ~JsonOut() = default;

  /// In place of a key, for what a list holds and for the first value of all.
  static constexpr std::string_view kItem{};

  virtual void begin_object(std::string_view key) = 0;
  virtual void begin_list(std::string_view key) = 0;
  /// Of the object or list begun last.
  virtual void end() = 0;
  virtual void null(std::string_view key) = 0;
  virtual void truth(std::string_view key, bool value) = 0;
  virtual void whole(std::string_view key, std::int64_t value) = 0;
  virtual void text(std::string_view key, std::string_view value) = 0;

  /// As number(): without a fraction where there is none.
  void figure(std::string_view key, double value);
  void figure_or_null(std::string_view key, const std::optional<double>& value);
  void text_or_null(std::string_view key, std::string_view value);
  /// Of one that was kept.
  void tree(std::string_view key, const Json& value);

  /// `tell` tells its members.
  template <class Tell>
  void object(std::string_view key, Tell tell) {
    begin_object(key);
    tell();
    end();
  }
  /// `tell` tells one of `values`, without a key.
  template <class Values, class Tell>
  void list(std::string_view key, const Values& values, Tell tell) {
    begin_list(key);
    for (const auto& value : values) tell(value);
    end();
  }
  template <class Texts>
  void texts(std::string_view key, const Texts& values) {
    list(key, values, [this](std::string_view value) { text(kItem, value); });
  }

 private:
  /// As it stands in a tree, or finite and not a whole number.
  virtual void fraction(std::string_view key, double value) = 0;
  virtual void natural(std::string_view key, std::uint64_t value) = 0;
};

/// Keeps a value.
class JsonTree final : public JsonOut {
 public:
  void begin_object(std::string_view key) override { open_.push_back(&add(key, Json::object())); }
  void begin_list(std::string_view key) override { open_.push_back(&add(key, Json::array())); }
  void end() override { open_.pop_back(); }
  void null(std::string_view key) override { add(key, nullptr); }
  void truth(std::string_view key, bool value) override { add(key, value); }
  void whole(std::string_view key, std::int64_t value) override { add(key, value); }
  void text(std::string_view key, std::string_view value) override { add(key, value); }

  Json take() { return std::move(root_); }

 private:
  void fraction(std::string_view key, double value) override { add(key, value); }
  void natural(std::string_view key, std::uint64_t value) override { add(key, value); }
  Json& add(std::string_view key, Json value);

  Json root_;
  std::vector<Json*> open_;
};

/// An object, by the members that `tell` tells of it.
template <class Tell>
Json tree_of(Tell tell) {
  JsonTree out;
  out.object(JsonOut::kItem, [&] { tell(out); });
  return out.take();
}

}  // namespace gpusel::show
