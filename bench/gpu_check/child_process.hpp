// Another program with a time limit, so that what crashes, hangs or ruins the GPU's context takes nothing else along.
#pragma once

#include <string>
#include <vector>

namespace stiction::gpu_check {

/// How a process ended.
struct Ending {
  enum Kind { kExit, kSignal, kTimeLimit } kind;
  int code;  // of its exit, or the number of the signal

  /// "killed by signal 11 (Segmentation fault)"; empty after exit code 0.
  std::string describe() const;
};

/// Runs `command` (a path and its arguments) for at most `seconds`, then kills it with all processes that it started.
/// It also ends when this program does. Its output goes to `log`, or where this program's goes if that is empty.
Ending run_child(const std::vector<std::string>& command, double seconds, const std::string& log = {});

/// Where this program lies.
std::string own_path();

/// True if `command` (a name or a path) can be run.
bool can_run(const std::string& command);

}  // namespace stiction::gpu_check
