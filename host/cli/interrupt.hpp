// Turns Ctrl-C and termination into a request that a loop sees between two steps.
#pragma once

namespace stiction {

/// Catches SIGINT and SIGTERM while it lives; a second signal ends the process at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that came; 0: none.
  static int signal_received();
};

}  // namespace stiction
