#include "job/kinds/video/ladder.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::job {

namespace {

constexpr std::size_t kMostSizes = 16;
constexpr std::int64_t kSmallestRung = 64;  // that encoders take

}  // namespace

Result<std::vector<Resolution>> read_ladder(std::string_view text) {
  std::vector<Resolution> sizes;
  if (lower(trim(text)) == "none") return sizes;
  const auto refuse = [](std::string why) {
    return usage_error(std::move(why), {}, say("write 1080p,720p,480p or none"));
  };
  for (const std::string_view word : split(text, ',')) {
    std::optional<Resolution> size;
    if (!assign(trim(word), size) || std::min(size->width, size->height) < kSmallestRung)
      return refuse(say("'{}' is not a size of video", shorten(word, 40)));
    sizes.push_back(*size);
  }
  if (sizes.empty() || sizes.size() > kMostSizes) return refuse(say("a ladder has 1 to {} sizes", kMostSizes));
  return sizes;
}

}  // namespace gpusel::job
