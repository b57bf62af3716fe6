// Generations of serving engines: releases so different that they need coefficients of their own.
#pragma once

#include <string>
#include <string_view>

#include "job/request/terms.hpp"

namespace gpusel::job {

/// The generation that a version or a date of an engine belongs to ("0.2.7", "2023-10", "Oct 2023");
/// empty for a current one, and for what says neither.
std::string_view engine_generation(Engine engine, std::string_view version);

/// From which release on the newest generation runs (">=0.17"), which is taken where no version is named; empty where
/// an engine has one generation only.
std::string newest_generation(Engine engine);

}  // namespace gpusel::job
