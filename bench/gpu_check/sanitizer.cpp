// Claim: compute-sanitizer finds no bad access (memcheck) and no race in shared memory (racecheck) in the small case.
//
// The tool belongs to the CUDA toolkit, not to the driver; where it is not installed the rows say so.
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kFound = 66;     // exit code that we ask of the tool where it found something
constexpr int kTimeout = 124;  // exit code of timeout(1)

/// The exit code of a shell command whose output goes to `log`; -1 if it was killed.
int run(const std::string& command, const std::string& log) {
  const int code = std::system((command + " >" + log + " 2>&1").c_str());
  return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

/// Where compute-sanitizer is; empty if nowhere.
std::string find_tool() {
  for (const char* name : {"compute-sanitizer", "/usr/local/cuda/bin/compute-sanitizer"})
    if (std::system(("command -v " + std::string(name) + " >/dev/null 2>&1").c_str()) == 0) return name;
  return {};
}

void check_with(const std::string& tool, const char* mode, const Options& options, double seconds, Report& report) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string log = options.out + "." + mode + ".log";
  const std::string prefix =
      options.dry_run ? "" : tool + " --tool " + mode + " --error-exitcode " + std::to_string(kFound) + " ";
  const int code = run("timeout " + std::to_string(static_cast<int>(seconds) + 1) + " " + prefix + "'" + self +
                           "' --small-case --gpu " + std::to_string(options.gpu) +
                           (options.dry_run ? " --dry-run" : "") + " --scenes '" + options.scenes + "'",
                       "'" + log + "'");
  const Subject subject{"sanitizer"};
  if (code == kTimeout) return report.skipped(subject, mode, "out of time");
  report.checked(subject, mode, code, "exit code", 0.0, code == kFound ? "see its log" : "");
  if (code == 0) std::filesystem::remove(log);
}

}  // namespace

void check_memory_and_races(const Options& options, const Budget& budget, Report& report) {
  const std::string tool = find_tool();
  for (const char* mode : {"memcheck", "racecheck"}) {
    if (tool.empty() && !options.dry_run)
      report.skipped({"sanitizer"}, mode, "compute-sanitizer is not installed");
    else if (budget.over())
      report.skipped({"sanitizer"}, mode, "out of time");
    else
      check_with(tool, mode, options, budget.left(), report);
  }
}

}  // namespace stiction::gpu_check
