// What the program's exit code means.
#pragma once

namespace stiction {

enum ExitCode : int {
  kDone = 0,
  kInternalError = 1,       // also: out of memory
  kBadInput = 2,            // one line says what is wrong and where
  kEnvironmentsFailed = 3,  // more than --allow-failures
  kSidesDiffer = 3,         // compare: more than --tolerance
  kProblemsUnsolved = 3,    // solve: more than --allow-failures
  kInterrupted = 130,       // Ctrl-C
  kTerminated = 143,        // SIGTERM
};

}  // namespace stiction
