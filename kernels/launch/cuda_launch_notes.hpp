// Launches that are noted in place of being made, so that the runtime can be asked about their kernels.
#pragma once

#include <cstddef>
#include <vector>

namespace stiction {

/// A kernel, and the blocks in which it would run.
struct NotedLaunch {
  const void* kernel;
  int threads, rows;         // threads of a row of a block, and its rows
  std::size_t shared_bytes;  // of a block, that come with the launch
};

/// While it lives, the launches of its thread are noted and not made.
class LaunchNotes {
 public:
  LaunchNotes() { open() = &launches_; }
  ~LaunchNotes() { open() = nullptr; }
  LaunchNotes(const LaunchNotes&) = delete;
  LaunchNotes& operator=(const LaunchNotes&) = delete;

  const std::vector<NotedLaunch>& launches() const { return launches_; }

  /// True if the launch was noted and is not to be made.
  static bool take(const NotedLaunch& launch) {
    if (!open()) return false;
    open()->push_back(launch);
    return true;
  }

 private:
  static std::vector<NotedLaunch>*& open() {
    thread_local std::vector<NotedLaunch>* launches = nullptr;
    return launches;
  }

  std::vector<NotedLaunch> launches_;
};

}  // namespace stiction
