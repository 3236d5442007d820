#include "host/api/device.hpp"

#include <charconv>

#include "host/api/reference_backend.hpp"
#include "host/backend/cuda_backend.hpp"
#include "host/backend/cuda_devices.hpp"
#include "host/backend/thread_pool.hpp"
#include "host/model/error.hpp"

namespace stiction {
namespace {

/// Index of "cuda" or "cuda:<i>", or 0 for "auto" if there is a usable GPU; else -1.
int cuda_index(const std::string& device) {
  if (device == "cuda" || (device == "auto" && !find_cuda_devices().names.empty())) return 0;
  const std::string prefix = "cuda:";
  if (!device.starts_with(prefix)) return -1;
  const char* end = device.data() + device.size();
  int index = -1;
  const auto read = std::from_chars(device.data() + prefix.size(), end, index);
  return read.ec == std::errc() && read.ptr == end ? index : -1;
}

[[noreturn]] void refuse_unknown(const std::string& device, const std::string& known) {
  throw InputError("device: \"" + device + "\" is not one of " + known);
}

}  // namespace

std::unique_ptr<Backend> make_backend(const Scene& scene, const Capacity& capacity, const SimulatorOptions& options) {
  const bool single = options.dtype == Dtype::kFloat32;
  const int cuda = cuda_index(options.device);
  if (cuda >= 0)
    return make_cuda_backend(scene, capacity, options.batch, single,
                             {cuda, options.solve_threads, options.factor_memory, options.stream});
  if (options.stream) throw InputError("stream: only a GPU has streams; leave it out on \"" + options.device + "\"");
  if (options.device == "reference" && single)
    throw InputError("dtype: the reference computes in float64; leave dtype out or choose another device");
  if (options.device == "auto" || options.device == "cpu")
    return make_host_backend(scene, capacity, options.batch, single, host_threads(options.threads, options.batch),
                             options.solve_threads == 0 ? SolveRoute::kAlone : SolveRoute::kTeam);
  if (options.device == "reference") return make_reference_backend(scene, capacity, options.batch);
  refuse_unknown(options.device, "auto, cpu, cuda, cuda:<i>, reference");
}

std::unique_ptr<GpuSolver> make_gpu_solver(const SolveOptions& options) {
  const int cuda = cuda_index(options.device);
  if (cuda >= 0) return make_gpu_solver(cuda, options.solve_threads);
  if (options.device != "auto" && options.device != "cpu") refuse_unknown(options.device, "auto, cpu, cuda, cuda:<i>");
  return nullptr;
}

}  // namespace stiction
