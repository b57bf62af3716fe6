// What is assumed of video and data when the task alone is given, and what contradicts itself.
#include <catch2/catch.hpp>

#include "job/kinds/counted.hpp"
#include "support/job.hpp"

namespace counted_video_test {

using namespace gpusel;
using job::Resolution;

namespace {

job::TranscodeJob transcode(std::string_view words) {
  return std::get<job::TranscodeJob>(test::job(words).counted->job);
}

std::string complaint(std::string_view words) {
  const auto job = test::try_job(words);
  REQUIRE_FALSE(job);
  return job.error().where + ": " + job.error().message;
}

}  // namespace

TEST_CASE("a ladder goes from the video's own size down") {
  const auto usual = transcode("task=transcode");
  CHECK(usual.live);
  CHECK(usual.outputs == std::vector<Resolution>{{1920, 1080}, {1280, 720}, {854, 480}});
  CHECK(transcode("task=transcode resolution=4k").outputs.size() == 4);
  CHECK(transcode("task=transcode resolution=720p").outputs == std::vector<Resolution>{{1280, 720}, {854, 480}});
  CHECK(transcode("task=transcode ladder=none").outputs == std::vector<Resolution>{{1920, 1080}});
  CHECK(transcode("task=transcode ladder=720p,480p").outputs.size() == 2);
}

TEST_CASE("what leaves the cloud follows codec, sizes and the rate that is given") {
  const auto mbps = [](std::string_view words) { return test::job(words).counted->egress_mbps; };
  CHECK(mbps("task=transcode ladder=none") == Approx(6));
  CHECK(mbps("task=transcode ladder=none codec=av1") == Approx(3));
  CHECK(mbps("task=transcode ladder=none codec=hevc") == Approx(3.7));
  CHECK(mbps("task=transcode ladder=none bitrate_mbps=8") == Approx(8));
  CHECK(mbps("task=transcode") > 9);
  CHECK(mbps("task=transcode live=false") == 0);
}

TEST_CASE("stored video is counted in hours, live video in streams") {
  CHECK(test::job("task=transcode").counted->unit.at_once());
  const auto files = test::job("task=transcode video_hours=2");
  CHECK_FALSE(std::get<job::TranscodeJob>(files.counted->job).live);
  CHECK(files.counted->things == 7200);
  CHECK(complaint("task=transcode live=true video_hours=2").starts_with("video_hours"));
  CHECK(complaint("task=transcode live=false streams=2").starts_with("streams"));
  CHECK(complaint("task=transcode video_hours=2 redundancy=1").starts_with("redundancy"));  // it ends
}

TEST_CASE("amounts of data choose the kind of preprocessing and its unit") {
  const auto kind = [](std::string_view words) {
    return std::get<job::PreprocessJob>(test::job(words).counted->job).kind;
  };
  using job::Preprocessing;
  CHECK(kind("task=preprocess") == Preprocessing::etl);
  CHECK(kind("task=preprocess images=1e6") == Preprocessing::images);
  CHECK(kind("task=preprocess video_hours=5") == Preprocessing::video);
  CHECK(test::job("task=preprocess images=1e6").counted->things == 1e6);
  CHECK(test::job("task=preprocess data_gb=50").counted->unit.rate == job::kGigabytes.rate);
  // 500 × 375 pixels × 0.6 bytes = 112.5 kB; four times the pixels are a fourth of the images.
  CHECK(*test::job("task=preprocess preprocess=images data_gb=10000").counted->things == Approx(10000e9 / 112500));
  CHECK(*test::job("task=preprocess preprocess=images resolution=1000x750 data_gb=10000").counted->things ==
        Approx(10000e9 / 450000));
  // 1080p of 30 frames per second as H.264: 6 Mbit/s are 750 kB/s; 720p: 6 × (4/9)^0.85 = 3.0 Mbit/s.
  CHECK(*test::job("task=preprocess preprocess=video data_gb=10000").counted->things == Approx(10000e9 / 750e3));
  CHECK(*test::job("task=preprocess preprocess=video resolution=720p data_gb=10000").counted->things ==
        Approx(10000e9 / 375e3));
  CHECK_FALSE(test::job("task=preprocess preprocess=video").counted->things);
  for (const std::string_view tables : {"etl", "features", "tokenize", "trees"})
    CHECK(*test::job("task=preprocess data_gb=10000 preprocess=" + std::string(tables)).counted->things == 10000);
}

TEST_CASE("a detector sees no more frames than a camera has") {
  const auto job = test::job("task=inference model=yolov8n streams=4 fps=3");
  CHECK(std::get<job::AnalyticsJob>(job.counted->job).stream_fps == 3);
  CHECK(complaint("task=inference model=yolov8n streams=4 fps=3 stream_fps=5").starts_with("stream_fps"));
}

}  // namespace counted_video_test
