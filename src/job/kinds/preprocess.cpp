// Data before a model sees them. Amounts are in GB, images or hours of video by the kind.
#include "job/kinds/filling.hpp"
#include "job/kinds/video/bitrate.hpp"

namespace gpusel::job {

namespace {

void fill_images(PreprocessJob& job, Filling& f) {
  job.resolution = f.or_assume(f.request.resolution, "resolution", Resolution{500, 375});
  f.counted.unit = kImages;
  f.counted.things = f.request.images;
  if (!f.counted.things && job.data_gb) f.counted.things = *job.data_gb * kGB / jpeg_bytes(job.resolution);
}

void fill_video(PreprocessJob& job, Filling& f) {
  job.resolution = f.or_assume(f.request.resolution, "resolution", Resolution{1920, 1080});
  job.fps = f.or_assume(f.request.fps, "fps", 30.0);
  job.codec = f.or_assume(f.request.codec, "codec", Codec::h264);
  f.counted.unit = kVideoTime;
  f.counted.things.reset();
  if (f.request.video_hours)
    f.counted.things = *f.request.video_hours * 3600;
  else if (job.data_gb)
    f.counted.things = *job.data_gb * kGB / (usual_mbps(job.codec, job.resolution, job.fps) * 1e6 / 8);
}

}  // namespace

std::span<const std::string_view> keys_of(const PreprocessJob& job) {
  static constexpr std::string_view kOfData[] = {"preprocess", "data_gb"};
  static constexpr std::string_view kOfImages[] = {"preprocess", "data_gb", "resolution", "images"};
  static constexpr std::string_view kOfVideo[] = {"preprocess", "data_gb", "resolution", "fps", "codec", "video_hours"};
  if (job.kind == Preprocessing::images) return kOfImages;
  if (job.kind == Preprocessing::video) return kOfVideo;
  return kOfData;
}

Status fill(PreprocessJob& job, Filling& f) {
  const Request& asked = f.request;
  const Preprocessing usual = asked.images        ? Preprocessing::images
                              : asked.video_hours ? Preprocessing::video
                                                  : Preprocessing::etl;
  job.kind = f.or_assume(asked.preprocess, "preprocess", usual);
  job.data_gb = asked.data_gb;
  f.counted.on_cpu = true;
  f.counted.unit = kGigabytes;
  f.counted.things = asked.data_gb;
  if (job.kind == Preprocessing::images) fill_images(job, f);
  if (job.kind == Preprocessing::video) fill_video(job, f);
  // Trees are grown on what fits into memory: a table of so many rows and columns.
  if (job.kind == Preprocessing::trees && !asked.data_gb) {
    job.data_gb = 0.2;
    f.counted.things = job.data_gb;
    f.defaults.assume("data_gb", 0.2);
  }
  return {};
}

}  // namespace gpusel::job
