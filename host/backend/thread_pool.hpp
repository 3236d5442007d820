// Threads that stay alive between steps and share the environments among them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace stiction {

/// The number of threads for `items` >= 1 items if the user asks for `threads`; 0 asks for all cores.
int host_threads(int threads, int items);

/// Runs a function of (item, worker) for every item. Which worker takes which item is not fixed, so the result must not
/// depend on it.
class ThreadPool {
 public:
  /// `threads` >= 1; the caller's thread is worker 0.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }
  template <class Work>
  void run(int items, const Work& work) {
    call_ = [](const void* w, int item, int worker) { (*static_cast<const Work*>(w))(item, worker); };
    work_ = &work;
    share_out(items);
  }

 private:
  void share_out(int items);
  void serve(int worker);
  void take_items(int worker);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const void* work_ = nullptr;  // the argument of `run`, alive until `run` returns
  void (*call_)(const void* work, int item, int worker) = nullptr;
  std::atomic<int> next_{0};
  int items_ = 0;
  int busy_ = 0;
  unsigned generation_ = 0;
  bool stop_ = false;
};

}  // namespace stiction
