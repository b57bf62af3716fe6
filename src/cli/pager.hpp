// Answers longer than the screen, through the reader's pager.
#pragma once

#include <string>
#include <string_view>

namespace gpusel::cli {

/// What PAGER says, else less; empty: none is wanted (the variable is empty or "cat").
std::string pager_command();

/// Shows `text` with that command, as the shell understands it, and waits until its reader leaves; one that leaves
/// early is no failure. False where it could not be started, and nothing has been shown.
bool show_in_pager(std::string_view text, const std::string& command);

}  // namespace gpusel::cli
