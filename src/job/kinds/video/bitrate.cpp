#include "job/kinds/video/bitrate.hpp"

#include <array>
#include <cmath>

namespace gpusel::job {

namespace {

// Apple's authoring guide for HTTP live streams: H.264 at 6 Mbit/s in 1080p and 3 in 720p, 30 frames per second.
constexpr double kMbps1080p30 = 6;
constexpr double kBySize = 0.85;  // exponent: twice the pixels are not twice the bits
constexpr double kByFrames = 0.6;
// At the quality of H.264: HEVC 0.6 to 0.65, AV1 about half.
constexpr std::array kShareOfH264{1.0, 0.62, 0.5};

// ImageNet (ILSVRC 2012): 1.28 million training images of 469 × 387 pixels on average in 138 GB.
constexpr double kJpegBytesPerPixel = 0.6;

}  // namespace

double jpeg_bytes(const Resolution& size) { return size.pixels() * kJpegBytesPerPixel; }

double usual_mbps(Codec codec, const Resolution& size, double fps) {
  const double size_factor = std::pow(size.pixels() / (1920.0 * 1080.0), kBySize);
  const double mbps =
      kMbps1080p30 * kShareOfH264[static_cast<std::size_t>(codec)] * size_factor * std::pow(fps / 30, kByFrames);
  return std::round(mbps * 10) / 10;
}

}  // namespace gpusel::job
