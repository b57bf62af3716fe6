// A process that the kernel kills as soon as it does what this program promises never to do.
#pragma once

#include "support/program.hpp"
#include "support/traced.hpp"

namespace gpusel::test {

/// Killed by the kernel for a call it had no right to: 128 + SIGSYS.
inline constexpr int kKilled = 159;

/// No connection to anything, no other process, no other program: for Setting::before_start.
void alone(const char* program);
/// As alone(); and nothing of the file system is written, made, moved, removed or given other rights.
void alone_and_reading(const char* program);

/// The paths that the call would write, make, move, remove or give other rights.
std::vector<std::string> written_by(const Call& call);

/// Whether what the tests start is the program itself; otherwise says what stands between.
bool is_started_itself();

/// Whether this machine, and how the program was built, can be held to it; otherwise says why not.
bool can_sandbox();

}  // namespace gpusel::test
