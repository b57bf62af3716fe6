#include <array>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "job/kinds/filling.hpp"

namespace gpusel::job {

namespace {

struct NamedResolution {
  std::string_view name;
  Resolution size;
};
constexpr std::array kNamed{NamedResolution{"480p", {854, 480}},    NamedResolution{"720p", {1280, 720}},
                            NamedResolution{"1080p", {1920, 1080}}, NamedResolution{"1440p", {2560, 1440}},
                            NamedResolution{"2160p", {3840, 2160}}, NamedResolution{"4k", {3840, 2160}},
                            NamedResolution{"8k", {7680, 4320}}};
constexpr double kLargest = 65536;

std::optional<std::int64_t> side(std::string_view text) {
  const auto value = plain_number(trim(text));
  if (!value || *value < 1 || *value > kLargest || *value != static_cast<double>(static_cast<std::int64_t>(*value)))
    return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

}  // namespace

Status assign(std::string_view text, std::optional<Resolution>& place) {
  const std::string folded = lower(trim(text));
  for (const NamedResolution& named : kNamed)
    if (named.name == folded) {
      place = named.size;
      return {};
    }
  const auto cross = folded.find('x');
  const auto width = side(std::string_view(folded).substr(0, cross));
  const auto height = cross == std::string::npos ? width : side(std::string_view(folded).substr(cross + 1));
  if (!width || !height)
    return usage_error(say("'{}' is not a size in pixels", shorten(text, 40)), {},
                       say("write 224, 1024x1024, 1080p or 4k"));
  place = Resolution{*width, *height};
  return {};
}

std::string text_of(const Resolution& resolution) { return format("{}x{}", resolution.width, resolution.height); }

std::optional<Resolution> default_resolution(const catalog::Model& model) {
  const std::string_view text = model.default_input.substr(0, model.default_input.find_first_of(" ,"));
  std::optional<Resolution> found;
  return assign(text, found) ? found : std::nullopt;
}

}  // namespace gpusel::job
