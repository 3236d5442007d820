#include "host/api/device.hpp"

#include <charconv>

#include "host/api/reference_backend.hpp"
#include "host/backend/cuda_backend.hpp"
#include "host/backend/cuda_devices.hpp"
#include "host/backend/thread_pool.hpp"
#include "host/model/error.hpp"

namespace stiction {
namespace {

/// Index of "cuda" or "cuda:<i>"; -1 if `device` is neither.
int cuda_index(const std::string& device) {
  if (device == "cuda") return 0;
  const std::string prefix = "cuda:";
  if (!device.starts_with(prefix)) return -1;
  const char* end = device.data() + device.size();
  int index = -1;
  const auto read = std::from_chars(device.data() + prefix.size(), end, index);
  return read.ec == std::errc() && read.ptr == end ? index : -1;
}

}  // namespace

std::unique_ptr<Backend> make_backend(const Scene& scene, const Capacity& capacity, const SimulatorOptions& options) {
  const bool single = options.dtype == Dtype::kFloat32;
  const bool automatic = options.device == "auto";
  const int cuda = automatic && !find_cuda_devices().names.empty() ? 0 : cuda_index(options.device);
  if (cuda >= 0)
    return make_cuda_backend(scene, capacity, options.batch, single,
                             {cuda, options.solve_threads, options.factor_memory, options.stream});
  if (options.stream) throw InputError("stream: only a GPU has streams; leave it out on \"" + options.device + "\"");
  if (options.device == "reference" && single)
    throw InputError("dtype: the reference computes in float64; leave dtype out or choose another device");
  if (automatic || options.device == "cpu")
    return make_host_backend(scene, capacity, options.batch, single, host_threads(options.threads, options.batch),
                             options.solve_threads == 0 ? SolveRoute::kAlone : SolveRoute::kTeam);
  if (options.device == "reference") return make_reference_backend(scene, capacity, options.batch);
  throw InputError("device: \"" + options.device + "\" is not one of auto, cpu, cuda, cuda:<i>, reference");
}

}  // namespace stiction
