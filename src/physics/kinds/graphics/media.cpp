#include "physics/kinds/graphics/media.hpp"

#include "base/words/message.hpp"

namespace gpusel::physics {

using catalog::Gpu;
using job::Codec;

namespace {

constexpr double kFullHd = 1920.0 * 1080.0;
constexpr double kBytesPerPixel = 1.5;  // 4:2:0, 8 bit

/// The boost clock: as published, else what the FP32 rate of so many cores implies.
std::optional<double> boost_mhz(const Gpu& gpu) {
  if (gpu.clock_mhz) return gpu.clock_mhz;
  if (!gpu.fp32_tflops || !gpu.cuda_cores || *gpu.cuda_cores == 0) return std::nullopt;
  return *gpu.fp32_tflops * 1e6 / (2 * *gpu.cuda_cores);
}

/// A published rate of one block, times the device's blocks and the ratio of their clocks.
MediaRate scaled(const Device& device, double each, double blocks, double measured_mhz, const MediaCoefficients& c) {
  const Gpu& gpu = *device.gpu;
  const auto boost = boost_mhz(gpu);
  if (each == 0 || !boost) return {.unknown = "rate of its video blocks"};
  const double mhz = *boost * c.clock_share.of(gpu.architecture);
  return {.fps = each * blocks * device.share * mhz / measured_mhz};
}

std::string case_name(std::string_view what, std::string_view how, std::string_view architecture) {
  return how.empty() ? format("{} {}", what, architecture) : format("{} {} {}", what, how, architecture);
}

}  // namespace

double full_hd_frames(const job::Resolution& size) { return size.pixels() / kFullHd; }

MediaRate encoder_rate(const Device& device, Codec codec, bool live, const MediaCoefficients& c) {
  const Gpu& gpu = *device.gpu;
  if (gpu.nvenc_count == 0) return {.lacks = "video encoder"};
  if (codec == Codec::av1 && gpu.av1_encode == false) return {.lacks = "AV1 encoder"};
  if (!gpu.nvenc_count) return {.unknown = "number of its video encoders"};
  const std::string name = case_name(to_text(codec), live ? "live" : "file", gpu.architecture);
  return scaled(device, c.encode_fps.of(name), *gpu.nvenc_count, c.encode_clock_mhz.of(gpu.architecture), c);
}

MediaRate decoder_rate(const Device& device, Codec codec, const MediaCoefficients& c) {
  const Gpu& gpu = *device.gpu;
  if (gpu.nvdec_count == 0) return {.lacks = "video decoder"};
  if (codec == Codec::av1 && gpu.av1_decode == false) return {.lacks = "AV1 decoder"};
  if (!gpu.nvdec_count) return {.unknown = "number of its video decoders"};
  // GA100 has the decoders of the generation before.
  const std::string_view architecture = gpu.compute_capability == "8.0" ? "Turing" : gpu.architecture;
  const double measured_mhz = c.decode_clock_mhz.of(architecture);
  return scaled(device, c.decode_fps.of(case_name(to_text(codec), {}, architecture)), *gpu.nvdec_count, measured_mhz,
                c);
}

Bytes surface_memory(const job::Resolution& size, const MediaCoefficients& c) {
  return bytes(size.pixels() * kBytesPerPixel * c.surfaces.value);
}

}  // namespace gpusel::physics
