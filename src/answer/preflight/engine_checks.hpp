// What an engine refuses before it loads anything, in its own words. Private to this folder.
#pragma once

#include "answer/preflight/line_request.hpp"
#include "physics/serving/starts.hpp"

namespace gpusel::answer {

class EngineChecks {
 public:
  EngineChecks(const LineRequest& asked, const job::Request& request, const catalog::Model& model,
               const catalog::Gpu& gpu, const physics::EngineAbilities* engines);

  /// Heads, formats of weights and cache, and the context against the model's own.
  std::vector<Refused> run() const;
  /// Whether the engine looks at its start whether a request of the whole context fits.
  bool looks_at_context() const;
  /// What it says where there is no room for one; nothing where it starts all the same.
  std::optional<Refused> no_room(std::int64_t context, double room) const;
  /// Of the engine: what the question says, else the newest that its table is of.
  std::string release() const;

 private:
  using Names = std::vector<std::pair<std::string_view, std::string>>;

  /// Heads and widths that the tensor ranks cannot share.
  void heads(std::vector<Refused>& out) const;
  /// Side of the blocks of the weights; 0: none.
  double block() const;
  void experts(std::vector<Refused>& out) const;
  void context(std::vector<Refused>& out) const;
  void input(std::vector<Refused>& out) const;
  void scheme(std::vector<Refused>& out) const;
  void base(std::vector<Refused>& out) const;
  void weights(std::vector<Refused>& out) const;
  /// Models that the engine doesn't run in that type on any GPU.
  void float16(std::vector<Refused>& out) const;
  void arithmetic(std::vector<Refused>& out) const;
  void cache(std::vector<Refused>& out) const;
  /// The verdict of rows that are about one format; nothing where one of them lets it start.
  std::optional<Refused> judged(const physics::AbilityRows& rows, std::string what) const;
  std::string filled(std::string_view text, const Names& names) const;

  const LineRequest& asked_;
  const job::Request& request_;
  const catalog::Model& model_;
  const catalog::Gpu& gpu_;
  const physics::EngineAbilities* engines_;
  const physics::EngineAbility* engine_ = nullptr;  // null: no table is of it
};

}  // namespace gpusel::answer
