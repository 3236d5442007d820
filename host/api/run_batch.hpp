// One call per problem of a batch, distributed over threads.
#pragma once

#include <exception>
#include <vector>

#include "host/backend/thread_pool.hpp"

namespace stiction {

/// Calls work(problem, worker) for every problem. If several throw, the exception of the first problem is rethrown.
template <class Work>
void run_batch(ThreadPool& pool, int batch, const Work& work) {
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(batch));
  pool.run(batch, [&](int problem, int worker) {
    try {
      work(problem, worker);
    } catch (...) {
      thrown[static_cast<std::size_t>(problem)] = std::current_exception();
    }
  });
  for (const std::exception_ptr& exception : thrown)
    if (exception) std::rethrow_exception(exception);
}

}  // namespace stiction
