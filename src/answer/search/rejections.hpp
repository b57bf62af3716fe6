// Who fell in a search, and why: gathered by family and reason, or one by one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "answer/search/recommend.hpp"

namespace gpusel::answer {

/// A rule's id and its message, written only if somebody reads it.
struct Reason {
  std::string_view rule;
  std::function<std::string()> message;
  double nearness = 0;  // 0 to 1 where the rule is met: of two reasons, the nearer is the one to know
};

/// An instance and the rule it fell by.
struct RejectedInstance {
  const catalog::Instance* instance = nullptr;
  std::string_view rule;
};

class Rejections {
 public:
  explicit Rejections(const Question& question)
      : every_one_(question.every_rejection), every_reason_(question.every_reason) {}

  void add(const catalog::Instance& instance, const Reason& reason);

  /// Every one that fell, however the list is gathered.
  std::span<const RejectedInstance> fallen() const { return fallen_; }
  std::vector<Rejection> take() { return std::move(list_); }

 private:
  using Group = std::tuple<std::string_view, std::string_view, std::string_view>;  // provider, family, rule
  struct GroupHash {
    std::size_t operator()(const Group& group) const {
      const std::hash<std::string_view> hash;
      return (hash(std::get<0>(group)) * 31 + hash(std::get<1>(group))) * 31 + hash(std::get<2>(group));
    }
  };
  /// The nearest of a rule so far, whose message is kept where not every reason is wanted.
  struct Explained {
    std::string_view rule;
    std::size_t place = 0;
    double nearness = 0;
  };
  bool is_known(const Group& group);
  void explain(const catalog::Instance& instance, const Reason& reason, std::size_t place);

  bool every_one_;
  bool every_reason_;
  std::vector<Rejection> list_;
  std::vector<RejectedInstance> fallen_;
  std::vector<Explained> explained_;
  std::unordered_map<Group, std::size_t, GroupHash> place_of_;
  Group last_;  // mostly that of the next one, too
  std::size_t last_place_ = 0;
};

}  // namespace gpusel::answer
