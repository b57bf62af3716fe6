// Whether an engine starts at all with weights of a format on a GPU: what its table in data/engines says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "physics/serving/abilities.hpp"

namespace gpusel::job {
struct Inference;
struct Job;
}  // namespace gpusel::job

namespace gpusel::physics {

struct Device;

/// Rows of an engine's table about one thing: a format, a scheme, a cache.
using AbilityRows = std::vector<const Ability*>;
AbilityRows rows_of_scheme(const EngineAbility& engine, std::string_view scheme);
AbilityRows rows_of_format(const EngineAbility& engine, const WeightFormat& format);
/// What its wheels run on at all: 16 bit is in everything.
AbilityRows rows_of_base(const EngineAbility& engine);

/// "awq" of Qwen2-7B-Instruct-AWQ; empty where the name says none of the engine's.
std::string scheme_of_name(std::string_view model, const EngineAbility& engine);

/// An engine that refuses a GPU.
struct NotStarting {
  const EngineAbility* engine = nullptr;
  const Ability* refusing = nullptr;
  const Ability* other = nullptr;  // the row of another release, which starts
  std::string what;                // "awq"

  /// Its own message where it is known.
  std::string text(const catalog::Gpu& gpu) const;
  /// "vLLM 0.19 or older"; empty where no release starts.
  std::string other_release() const;
};

/// Whether all rows of a release (empty: the current one) refuse the GPU. Nothing where one starts or none is known.
std::optional<NotStarting> not_starting(const EngineAbility& engine, const AbilityRows& rows, std::string_view release,
                                        const catalog::Gpu& gpu, std::string what);

/// The release that a job asks for; empty where it asks for none, or for a build that no table knows.
std::string_view asked_release(const job::Inference& job);

/// The same of a job's engine and weights. `asked_as`: what the question calls the model, whose name may say the
/// scheme.
std::optional<NotStarting> weights_not_starting(const job::Inference& job, std::string_view asked_as,
                                                const WeightFormat& format, const Device& device);

/// Side of the blocks that share a scale in these weights as the engine loads them; 0 where there are none, or it does
/// not mind. `asked_as` may be a repository of other weights than the publisher's.
double weight_block(const EngineAbility& engine, const catalog::Model& model, std::string_view asked_as,
                    const WeightFormat& format);
/// The same of a job. What the engine converts itself, over ranks that somebody gave, has none.
double weight_block(const job::Job& work, const WeightFormat& format, const Device& device);

/// What the engine says of such a model in fp16; null where it takes that.
const EngineLimit* refuses_float16(const EngineAbility& engine, const catalog::Model& model);

/// An engine's text with the model's type in place of {model_type}.
std::string with_model_type(std::string_view text, const catalog::Model& model);

/// What weights are served in where nothing is said: as released, and wider where the engine refuses that.
std::string_view served_as_released(const job::Job& work, const Device& device);

/// Schemes of weights, as people ask for them, that some release of the engine starts with on this GPU.
std::vector<std::string_view> schemes_that_start(const EngineAbility& engine, const catalog::Gpu& gpu);

/// What starts on this GPU instead: other schemes of as few bits here, then other engines with this one. Empty: none.
std::string starts_instead(const EngineAbilities& engines, const NotStarting& refused, const catalog::Gpu& gpu);

/// An engine's text with the GPU's compute capability in place of {capability}.
std::string with_capability(std::string_view text, const catalog::Gpu& gpu);

}  // namespace gpusel::physics
