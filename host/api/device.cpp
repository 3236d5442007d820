#include "host/api/device.hpp"

#include <algorithm>
#include <thread>

namespace stiction {
namespace {

int thread_count(const SimulatorOptions& options) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return options.threads > 0 ? options.threads : cores;
}

}  // namespace

std::unique_ptr<Backend> make_backend(const Scene& scene, const Capacity& capacity, const SimulatorOptions& options) {
  const bool single = options.dtype == Dtype::kFloat32;
  if (options.device == "auto" || options.device == "cpu")
    return make_host_backend(scene, capacity, options.batch, single, thread_count(options));
  throw InputError("device: \"" + options.device + "\" is not one of auto, cpu");
}

}  // namespace stiction
