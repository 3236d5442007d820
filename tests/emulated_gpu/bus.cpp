#include "tests/emulated_gpu/bus.hpp"

#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace emulated_gpu {
namespace {

std::mutex mutex;
Bus bus;
Pinning pinning = Pinning::kWorks;
std::map<const char*, std::size_t> pinned;  // begin, bytes

bool is_pinned(const char* at, std::size_t bytes) {
  const auto after = pinned.upper_bound(at);
  if (after == pinned.begin()) return false;
  const auto& [begin, length] = *std::prev(after);
  return at + bytes <= begin + length;
}

}  // namespace

Bus take_bus() {
  const std::lock_guard lock(mutex);
  return std::exchange(bus, Bus{});
}

void count_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToHost) return;
  const std::lock_guard lock(mutex);
  const bool up = kind == cudaMemcpyHostToDevice;
  (up ? bus.to_gpu : bus.to_host) += bytes;
  if (!is_pinned(static_cast<const char*>(up ? from : to), bytes)) bus.pageable += bytes;
}

void set_pinning(Pinning wanted) {
  const std::lock_guard lock(mutex);
  pinning = wanted;
}

}  // namespace emulated_gpu

using namespace emulated_gpu;  // NOLINT: what follows is the runtime's own interface

extern "C" {

cudaError_t cudaMallocHost(void** memory, size_t bytes) {
  const std::lock_guard lock(mutex);
  *memory = pinning == Pinning::kWorks ? std::malloc(bytes) : nullptr;
  if (!*memory) return cudaErrorMemoryAllocation;
  pinned[static_cast<const char*>(*memory)] = bytes;
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory) {
  const std::lock_guard lock(mutex);
  if (!memory) return cudaSuccess;
  if (pinned.erase(static_cast<const char*>(memory)) == 0) return cudaErrorInvalidValue;
  std::free(memory);
  return cudaSuccess;
}

}  // extern "C"
