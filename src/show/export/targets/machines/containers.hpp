// The plan's commands in a container, for everything that starts containers itself. Private to this folder.
#pragma once

#include "show/export/common.hpp"

namespace gpusel::show {

/// Where containers keep what they download.
inline constexpr std::string_view kCacheFolder = "/cache";

struct Container {
  std::string image;
  std::string script;  // of sh
  std::string cuda{};  // that the driver of its host must support; empty: not known
};
/// The tool's own image; else, where a command installs the tool, an image with PyTorch and that command first. Errors:
/// no image is known that has the tool, or how containers reach the cards of that vendor.
Result<Container> container_of(const ExportView& view, const answer::Launch& launch);

/// The image in which tools that start on machines run: the tool's own where nothing installs it, and the vendor's
/// where the wheels that are installed see other cards alone. Empty: none.
std::string needed_image(const ExportView& view, const answer::Launch& launch);

/// What is left to the reader of it.
std::vector<std::string> container_notes(const ExportView& view, const answer::Launch& launch,
                                         const Container& container);

/// docker run with all that the container needs of its host, in shell: reads the variables of the launch, and RANK and
/// MASTER where instances work together.
std::string docker_lines(const ExportView& view, const answer::Launch& launch, const Container& container);

/// How many instances start the same commands together.
int instances_at_once(const ExportView& view, const answer::Launch& launch);

}  // namespace gpusel::show
