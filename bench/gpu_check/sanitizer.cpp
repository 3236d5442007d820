// Claim: compute-sanitizer finds no bad access (memcheck) and no race in shared memory (racecheck) in the small case.
//
// Kernels run one by one (CUDA_LAUNCH_BLOCKING): the tool loses its way in graphs that loop. Under it everything is
// very slow; the small case ends early, and says how much of it was done. The tool belongs to the CUDA toolkit, not to
// the driver; where it is not installed, or where what it watches crashed and it found nothing, the rows say so.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bench/gpu_check/child_process.hpp"
#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kFound = 66;            // exit code that we ask of the tool where it found something
constexpr double kShareOfCase = 0.6;  // of a mode's time, in which a case may begin
constexpr const char* kModes[] = {"memcheck", "racecheck"};

/// Where compute-sanitizer is; empty if nowhere.
std::string find_tool() {
  for (const char* name : {"compute-sanitizer", "/usr/local/cuda/bin/compute-sanitizer"})
    if (can_run(name)) return name;
  return {};
}

/// What the tool and the small case printed.
struct Log {
  std::string last;      // lines, in one
  std::string done;      // "7 of 30 cases"
  bool crashed = false;  // what the tool watches did, by no fault that it found
};

Log read_log(const std::string& path) {
  constexpr std::size_t kLines = 4;
  Log log;
  std::vector<std::string> lines;
  std::ifstream file(path);
  bool ended_badly = false, found_none = false;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with(kSmallCaseDone)) log.done = line;
    ended_badly |= line.find("process didn't terminate successfully") != std::string::npos;
    found_none |= line.find("SUMMARY: 0 ") != std::string::npos;
    lines.push_back(line);
  }
  log.crashed = ended_badly && found_none;
  for (std::size_t i = lines.size() - std::min(kLines, lines.size()); i < lines.size(); ++i) log.last += lines[i] + " ";
  return log;
}

void check_with(const std::string& tool, const char* mode, const Options& options, double seconds, Report& report) {
  std::vector<std::string> command;
  if (!options.dry_run) command = {tool, "--tool", mode, "--error-exitcode", std::to_string(kFound)};
  command.insert(command.end(), {own_path(), "--small-case", "--gpu", std::to_string(options.gpu), "--scenes",
                                 options.scenes, "--seconds", std::to_string(kShareOfCase * seconds)});
  if (options.dry_run) command.emplace_back("--dry-run");
  const std::string path = options.out + "." + mode + ".log";
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  const Ending ending = run_child(command, seconds, path);
  const Subject subject{"sanitizer"};
  if (ending.kind == Ending::kTimeLimit) return report.skipped(subject, mode, "out of time");
  const Log log = read_log(path);
  if (log.crashed) return report.skipped(subject, mode, ending.describe() + ": " + log.last);
  const bool found = ending.kind == Ending::kExit && ending.code == kFound;
  const std::string how = found ? "see its log" : ending.describe() + ": " + log.last;
  report.checked(subject, mode, ending.code, "exit code", 0.0, ending.code == 0 ? log.done : how);
  if (ending.code == 0) std::filesystem::remove(path);
}

}  // namespace

void check_memory_and_races(const Task& task) {
  const std::string tool = find_tool();
  auto left = static_cast<double>(std::size(kModes));
  for (const char* mode : kModes) {
    const double seconds = task.budget.left() / left--;
    if (tool.empty() && !task.options.dry_run)
      task.report.skipped({"sanitizer"}, mode, "compute-sanitizer is not installed");
    else if (seconds <= 0.0)
      task.report.skipped({"sanitizer"}, mode, "out of time");
    else
      check_with(tool, mode, task.options, seconds, task.report);
  }
}

}  // namespace stiction::gpu_check
