// Exports of one list of jobs to every target, for all tests of gpusel export.
#pragma once

#include <string>
#include <vector>

#include "support/program.hpp"

namespace gpusel::test {

/// Every target, by its name.
const std::vector<std::string>& export_targets();

struct ExportJob {
  std::string name;
  std::string flags;
  std::vector<std::string> targets;  // that can say the plan; all others refuse
};
const std::vector<ExportJob>& export_jobs();

/// What gpusel export writes of one of those jobs; empty where it refuses. Asked once in a process.
std::string exported(const std::string& target, const std::string& job);
/// A folder with all of them, each called TARGET.JOB.
const std::string& all_exports();

/// gpusel export TARGET FLAGS.
Run asked_export(const std::string& target, const std::string& flags);
/// The same where it must succeed.
Run export_of(const std::string& target, const std::string& flags);

bool has(const std::string& text, const std::string& part);

}  // namespace gpusel::test
