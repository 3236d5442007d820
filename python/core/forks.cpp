#include "python/core/forks.hpp"

#include <pthread.h>

#include <atomic>

namespace stiction::python {
namespace {

std::atomic<int> count{0};

// a child counts one more than its parent
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { ++count; });

}  // namespace

int forks() { return count; }

}  // namespace stiction::python
