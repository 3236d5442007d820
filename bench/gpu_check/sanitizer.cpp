// Claim: compute-sanitizer finds no bad access (memcheck) and no race in shared memory (racecheck) in the small case.
//
// The tool belongs to the CUDA toolkit, not to the driver; where it is not installed the rows say so.
#include <filesystem>

#include "bench/gpu_check/child_process.hpp"
#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kFound = 66;  // exit code that we ask of the tool where it found something

/// Where compute-sanitizer is; empty if nowhere.
std::string find_tool() {
  for (const char* name : {"compute-sanitizer", "/usr/local/cuda/bin/compute-sanitizer"})
    if (can_run(name)) return name;
  return {};
}

void check_with(const std::string& tool, const char* mode, const Options& options, double seconds, Report& report) {
  std::vector<std::string> command;
  if (!options.dry_run) command = {tool, "--tool", mode, "--error-exitcode", std::to_string(kFound)};
  command.insert(command.end(),
                 {own_path(), "--small-case", "--gpu", std::to_string(options.gpu), "--scenes", options.scenes});
  if (options.dry_run) command.emplace_back("--dry-run");
  const std::string log = options.out + "." + mode + ".log";
  const Ending ending = run_child(command, seconds, log);
  const Subject subject{"sanitizer"};
  if (ending.kind == Ending::kTimeLimit) return report.skipped(subject, mode, "out of time");
  const bool found = ending.kind == Ending::kExit && ending.code == kFound;
  report.checked(subject, mode, ending.code, "exit code", 0.0, found ? "see its log" : ending.describe());
  if (ending.code == 0) std::filesystem::remove(log);
}

}  // namespace

void check_memory_and_races(const Task& task) {
  const std::string tool = find_tool();
  for (const char* mode : {"memcheck", "racecheck"}) {
    if (tool.empty() && !task.options.dry_run)
      task.report.skipped({"sanitizer"}, mode, "compute-sanitizer is not installed");
    else if (task.budget.over())
      task.report.skipped({"sanitizer"}, mode, "out of time");
    else
      check_with(tool, mode, task.options, task.budget.left(), task.report);
  }
}

}  // namespace stiction::gpu_check
