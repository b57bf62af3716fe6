// What serving engines run where, out of data/engines: formats of weights and caches by compute capability, and what
// they refuse at the start.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "base/values/error.hpp"
#include "catalog/records/gpu.hpp"
#include "catalog/records/model.hpp"
#include "job/request/terms.hpp"

namespace gpusel::physics {

struct WeightFormat;

/// What becomes of a format on a GPU. widened: it is stored so, and computed in 16 bit.
enum class Runs : std::uint8_t { natively, widened, not_at_all, unknown };

/// One format of one engine.
struct Ability {
  std::string scheme;              // as the engine calls it: "awq", "compressed-tensors"
  std::string format;              // as weight_format() knows it; "gguf": all of those; "kv-fp8": of the cache
  std::string from, until;         // releases that it holds for, both included; empty: open
  catalog::Number least;           // NVIDIA's compute capability that it needs
  catalog::Number most;            // beyond which it is no longer there
  catalog::Number widened;         // from which it runs as weights alone, below `least`
  std::vector<std::string> amd;    // architectures of AMD that it is stated for; empty: none is stated
  std::vector<std::string> named;  // other words for it in repository names
  std::string says;                // the engine's own message, with {capability}; empty: not known
  std::string would;               // flags with which it would start; empty: none
  std::string source;              // key

  Runs on(const catalog::Gpu& gpu) const;
  /// Whether its table names architectures of AMD and not this one, whose hardware lacks the arithmetic too.
  bool leaves_out(const catalog::Gpu& gpu) const;
  bool is_current() const { return until.empty(); }
  /// Whether it is of that release; of an empty one, whether it is current.
  bool covers(std::string_view release) const;
};

/// What an engine checks before it starts.
enum class Refusal : std::uint8_t {
  heads,
  kv_heads,
  blocks,
  expert_blocks,
  float16,
  context,
  cache,
  experts,
  input,
  unquantised,
  mismatched
};

/// The ranks of one engine that experts are spread over: its tensor ranks or some of them, or all tensor ranks of all
/// of its replicas.
enum class ExpertRanks : std::uint8_t { none, tensor, all };

struct EngineLimit {
  Refusal limit = Refusal::heads;
  std::string says;   // with {names} of figures
  std::string would;  // with what flag it would start; empty: none
  std::string source;
  std::vector<std::string> model_types;  // of config.json, that it is about; empty: all
  std::string stored;                    // scheme of the weights that it is about; empty: of all
  std::vector<std::string> schemes;      // that are asked for: unquantised: refused, mismatched: taken

  bool is_about(const catalog::Model& model) const;
};

/// By release, number by number: below 0 where a is older. "0.19" is every "0.19.x".
int compared_releases(std::string_view a, std::string_view b);

struct EngineAbility {
  job::Engine engine = job::Engine::vllm;
  std::string name;                         // as people write it
  std::string release;                      // the newest that the table is of
  std::optional<ExpertRanks> expert_ranks;  // absent: not known
  std::vector<Ability> formats;
  std::vector<EngineLimit> limits;

  const EngineLimit* limit(Refusal which, std::string_view stored = {}) const;
  /// Whether its newest release may compute in 16 bit there.
  bool computes_on(const catalog::Gpu& gpu) const;
};

class EngineAbilities {
 public:
  explicit EngineAbilities(std::vector<EngineAbility> engines) : engines_(std::move(engines)) {}

  std::span<const EngineAbility> engines() const { return engines_; }
  /// Nothing where no table is of it.
  const EngineAbility* find(job::Engine engine) const;

 private:
  std::vector<EngineAbility> engines_;
};

bool is_about(const Ability& ability, const WeightFormat& format);

/// From the documents that have a section `engines`; a later document's engine replaces an earlier one.
/// Errors: unknown keys, formats and engines, impossible capabilities, with file:line:column.
std::expected<EngineAbilities, Errors> read_engines(std::span<const Document> documents);

}  // namespace gpusel::physics

template <>
inline constexpr auto gpusel::enum_names<gpusel::physics::ExpertRanks> =
    std::to_array<std::string_view>({"none", "tensor", "all"});

template <>
inline constexpr auto gpusel::enum_names<gpusel::physics::Refusal> =
    std::to_array<std::string_view>({"heads", "kv-heads", "blocks", "expert-blocks", "float16", "context", "cache",
                                     "experts", "input", "unquantised", "mismatched"});
