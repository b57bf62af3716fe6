// The field's vocabulary: what can be asked for, by the names people use.
#pragma once

#include <array>
#include <cstdint>

#include "base/values/enum.hpp"

namespace gpusel {

namespace job {

enum class Task : std::uint8_t { pretrain, finetune, inference, render, simulate, transcode, preprocess };
/// ptuning: virtual tokens in front of the sequence; prefix: in front of every layer's keys and values; dreambooth: an
/// image model's denoiser, with pictures of the class beside those of the subject.
enum class Method : std::uint8_t { full, lora, qlora, ptuning, prefix, dreambooth };
/// Arithmetic. fp64 is for simulation, int8 for inference.
enum class Precision : std::uint8_t { fp32, tf32, fp16, bf16, fp8, nvfp4, fp64, int8 };
/// mixed: fp32 master weights and optimiser states; pure: everything in the training precision.
enum class Recipe : std::uint8_t { mixed, pure };
enum class Optimizer : std::uint8_t {
  adamw,
  adamw8bit,
  paged_adamw,
  paged_adamw8bit,
  adafactor,
  sgd,
  lamb,
  lion,
  muon
};
enum class Sharding : std::uint8_t { none, ddp, zero1, zero2, zero3, fsdp, hsdp };
enum class Checkpointing : std::uint8_t { none, selective, full };
enum class Engine : std::uint8_t {
  vllm,
  trt_llm,
  sglang,
  tgi,
  lmdeploy,
  llama_cpp,
  ollama,
  hf,
  // Of models that do not generate text.
  pytorch,
  torch_compile,
  tensorrt,
  onnxruntime,
  openvino,
  ctranslate2
};
enum class KvPrecision : std::uint8_t { fp16, bf16, fp8, int8 };
/// throughput: as many requests as fit; online: a given concurrency; single_stream: one at a time.
enum class Mode : std::uint8_t { throughput, online, single_stream };
/// Who makes tensors of the stored pictures and sound. cpu: the host; dali: NVIDIA DALI on the GPU and its decoders;
/// preprocessed: nobody, they are stored decoded and resized.
enum class Loader : std::uint8_t { cpu, dali, preprocessed };
/// weights: parts that are not at work, as wholes; sequential: all but the layers at work.
enum class Offload : std::uint8_t { none, optimizer, params, weights, sequential };
/// Wiring inside a node, as a request may name it.
enum class Interconnect : std::uint8_t { pcie, nvlink, nvswitch, nvl72 };
/// standard: real work; dev: prototyping and debugging, the smallest thing that runs it.
enum class Profile : std::uint8_t { standard, dev };

/// What is rendered. realtime: games, streamed pixels and stages; cad: a designer's desktop.
enum class Render : std::uint8_t { offline, realtime, cad };
enum class Renderer : std::uint8_t {
  cycles,
  vray,
  octane,
  redshift,
  arnold,
  keyshot,
  vred,
  karma,
  renderman,
  omniverse,
  eevee
};
enum class Codec : std::uint8_t { h264, hevc, av1 };
/// What a session runs: desktop: programs for Windows or Linux on x86; android: apps and games for Arm.
enum class Guest : std::uint8_t { desktop, android };
/// Kinds of simulation by what they stream through memory. dem: particles in contact; md: molecules; fea: implicit
/// finite elements with a direct solver.
enum class Solver : std::uint8_t { lbm, fdtd, fvm, sph, dem, md, fea };
/// What is done to data before a model sees it.
enum class Preprocessing : std::uint8_t { etl, tokenize, images, video, features, trees };

constexpr bool is_training(Task task) { return task == Task::pretrain || task == Task::finetune; }
/// Tasks that a neural network does.
constexpr bool runs_model(Task task) { return task <= Task::inference; }
/// Engines that generate text.
constexpr bool serves_text(Engine engine) { return engine <= Engine::hf; }
/// The engine whose kernels run: Ollama's are llama.cpp's.
constexpr Engine kernels_of(Engine engine) { return engine == Engine::ollama ? Engine::llama_cpp : engine; }
/// bitsandbytes and torchao: two bytes per parameter with their block scales, and no master copy.
constexpr bool keeps_states_in_8_bit(Optimizer optimizer) {
  return optimizer == Optimizer::adamw8bit || optimizer == Optimizer::paged_adamw8bit;
}
constexpr bool trains_adapter(Method method) { return method != Method::full && method != Method::dreambooth; }
constexpr bool is_lora(Method method) { return method == Method::lora || method == Method::qlora; }
constexpr bool adds_tokens(Method method) { return method == Method::ptuning || method == Method::prefix; }

}  // namespace job

template <>
inline constexpr auto enum_names<job::Task> = std::to_array<std::string_view>(
    {"pretrain", "finetune", "inference", "render", "simulate", "transcode", "preprocess"});
template <>
inline constexpr auto enum_names<job::Method> =
    std::to_array<std::string_view>({"full", "lora", "qlora", "ptuning", "prefix", "dreambooth"});
template <>
inline constexpr auto enum_spellings<job::Method> = std::to_array<Spelling<job::Method>>({
    {"p-tuning", job::Method::ptuning},
    {"prompt", job::Method::ptuning},
    {"prompt-tuning", job::Method::ptuning},
    {"prefix-tuning", job::Method::prefix},
    {"p-tuning-v2", job::Method::prefix},
});
template <>
inline constexpr auto enum_names<job::Precision> =
    std::to_array<std::string_view>({"fp32", "tf32", "fp16", "bf16", "fp8", "nvfp4", "fp64", "int8"});
template <>
inline constexpr auto enum_spellings<job::Precision> = std::to_array<Spelling<job::Precision>>({
    {"float32", job::Precision::fp32},
    {"float16", job::Precision::fp16},
    {"half", job::Precision::fp16},
    {"bfloat16", job::Precision::bf16},
    {"mxfp8", job::Precision::fp8},
    {"float64", job::Precision::fp64},
    {"double", job::Precision::fp64},
    {"single", job::Precision::fp32},
});
template <>
inline constexpr auto enum_names<job::Recipe> = std::to_array<std::string_view>({"mixed", "pure"});
template <>
inline constexpr auto enum_names<job::Optimizer> = std::to_array<std::string_view>(
    {"adamw", "adamw8bit", "paged-adamw", "paged-adamw8bit", "adafactor", "sgd", "lamb", "lion", "muon"});
/// Names of the Trainer's `optim` argument, of torch and of bitsandbytes.
template <>
inline constexpr auto enum_spellings<job::Optimizer> = std::to_array<Spelling<job::Optimizer>>({
    {"adam", job::Optimizer::adamw},
    {"adamw-torch", job::Optimizer::adamw},
    {"adamw-torch-fused", job::Optimizer::adamw},
    {"adam8bit", job::Optimizer::adamw8bit},
    {"adamw-8bit", job::Optimizer::adamw8bit},
    {"adamw-bnb-8bit", job::Optimizer::adamw8bit},
    {"paged-adamw-32bit", job::Optimizer::paged_adamw},
    {"paged-adamw-8bit", job::Optimizer::paged_adamw8bit},
    {"sgd-momentum", job::Optimizer::sgd},
});
template <>
inline constexpr auto enum_names<job::Sharding> =
    std::to_array<std::string_view>({"none", "ddp", "zero1", "zero2", "zero3", "fsdp", "hsdp"});
template <>
inline constexpr auto enum_spellings<job::Sharding> = std::to_array<Spelling<job::Sharding>>({
    {"zero-1", job::Sharding::zero1},
    {"zero-2", job::Sharding::zero2},
    {"zero-3", job::Sharding::zero3},
    {"fsdp2", job::Sharding::fsdp},
    {"full-shard", job::Sharding::fsdp},
    {"shard-grad-op", job::Sharding::zero2},
    {"hybrid-shard", job::Sharding::hsdp},
});
template <>
inline constexpr auto enum_names<job::Checkpointing> = std::to_array<std::string_view>({"none", "selective", "full"});
template <>
inline constexpr auto enum_names<job::Engine> =
    std::to_array<std::string_view>({"vllm", "trt-llm", "sglang", "tgi", "lmdeploy", "llama.cpp", "ollama", "hf",
                                     "pytorch", "torch-compile", "tensorrt", "onnxruntime", "openvino", "ctranslate2"});
template <>
inline constexpr auto enum_spellings<job::Engine> = std::to_array<Spelling<job::Engine>>({
    {"eager", job::Engine::pytorch},
    {"torch", job::Engine::pytorch},
    {"diffusers", job::Engine::pytorch},
    {"torchcompile", job::Engine::torch_compile},
    {"inductor", job::Engine::torch_compile},
    {"trt", job::Engine::tensorrt},
    {"tensorrt-llm", job::Engine::trt_llm},
    {"transformers", job::Engine::hf},
    {"onnx", job::Engine::onnxruntime},
    {"ort", job::Engine::onnxruntime},
    {"faster-whisper", job::Engine::ctranslate2},
});
template <>
inline constexpr auto enum_names<job::KvPrecision> = std::to_array<std::string_view>({"fp16", "bf16", "fp8", "int8"});
template <>
inline constexpr auto enum_names<job::Mode> =
    std::to_array<std::string_view>({"throughput", "online", "single-stream"});
template <>
inline constexpr auto enum_names<job::Offload> =
    std::to_array<std::string_view>({"none", "optimizer", "params", "weights", "sequential"});
template <>
inline constexpr auto enum_names<job::Interconnect> =
    std::to_array<std::string_view>({"pcie", "nvlink", "nvswitch", "nvl72"});
/// As answers call the wiring of a node.
template <>
inline constexpr auto enum_spellings<job::Interconnect> = std::to_array<Spelling<job::Interconnect>>({
    {"nvlink-mesh", job::Interconnect::nvlink},
    {"nvlink-pairs", job::Interconnect::nvlink},
    {"none", job::Interconnect::pcie},
});
template <>
inline constexpr auto enum_names<job::Profile> = std::to_array<std::string_view>({"standard", "dev"});

template <>
inline constexpr auto enum_names<job::Render> = std::to_array<std::string_view>({"offline", "realtime", "cad"});
template <>
inline constexpr auto enum_names<job::Renderer> = std::to_array<std::string_view>(
    {"cycles", "vray", "octane", "redshift", "arnold", "keyshot", "vred", "karma", "renderman", "omniverse", "eevee"});
template <>
inline constexpr auto enum_spellings<job::Renderer> = std::to_array<Spelling<job::Renderer>>({
    {"blender", job::Renderer::cycles},
    {"v-ray", job::Renderer::vray},
    {"octanerender", job::Renderer::octane},
    {"karma-xpu", job::Renderer::karma},
});
template <>
inline constexpr auto enum_names<job::Guest> = std::to_array<std::string_view>({"desktop", "android"});
template <>
inline constexpr auto enum_names<job::Codec> = std::to_array<std::string_view>({"h264", "hevc", "av1"});
template <>
inline constexpr auto enum_spellings<job::Codec> = std::to_array<Spelling<job::Codec>>({
    {"avc", job::Codec::h264},
    {"h.264", job::Codec::h264},
    {"x264", job::Codec::h264},
    {"h265", job::Codec::hevc},
    {"h.265", job::Codec::hevc},
    {"x265", job::Codec::hevc},
});
template <>
inline constexpr auto enum_names<job::Loader> = std::to_array<std::string_view>({"cpu", "dali", "preprocessed"});
template <>
inline constexpr auto enum_spellings<job::Loader> = std::to_array<Spelling<job::Loader>>({
    {"pytorch", job::Loader::cpu},
    {"gpu", job::Loader::dali},
    {"ffcv", job::Loader::preprocessed},
});
template <>
inline constexpr auto enum_names<job::Solver> =
    std::to_array<std::string_view>({"lbm", "fdtd", "fvm", "sph", "dem", "md", "fea"});
template <>
inline constexpr auto enum_spellings<job::Solver> = std::to_array<Spelling<job::Solver>>({
    {"fluent", job::Solver::fvm},
    {"cfd", job::Solver::fvm},
    {"lattice-boltzmann", job::Solver::lbm},
    {"edem", job::Solver::dem},
});
template <>
inline constexpr auto enum_names<job::Preprocessing> =
    std::to_array<std::string_view>({"etl", "tokenize", "images", "video", "features", "trees"});
template <>
inline constexpr auto enum_spellings<job::Preprocessing> = std::to_array<Spelling<job::Preprocessing>>({
    {"spark", job::Preprocessing::etl},
    {"sklearn", job::Preprocessing::features},
    {"xgboost", job::Preprocessing::trees},
    {"lightgbm", job::Preprocessing::trees},
    {"decode", job::Preprocessing::images},
    {"resize", job::Preprocessing::images},
});

}  // namespace gpusel
