// Short texts on what several commands have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpusel::cli {

/// In the person's language; empty: there is none of that name.
std::string topic(std::string_view name);
std::vector<std::string_view> topics();
/// All that people type for the topic of that name; none: there is no such topic.
std::vector<std::string_view> topic_spellings(std::string_view name);
/// "gpusel help slo, gpusel help prices".
std::string joined_topics();

}  // namespace gpusel::cli
