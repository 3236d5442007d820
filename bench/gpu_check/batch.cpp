#include "bench/gpu_check/batch.hpp"

#include <algorithm>
#include <numeric>

#include "host/api/device.hpp"
#include "host/backend/capacity.hpp"
#include "host/backend/initial_state.hpp"
#include "kernels/launch/solve_width.hpp"

namespace stiction::gpu_check {

std::unique_ptr<Backend> make_batch(const Scene& scene, const SimulatorOptions& options) {
  validate(scene);
  return make_backend(scene, choose_capacity(scene), options);
}

std::unique_ptr<Backend> start_batch(const Scene& scene, const SimulatorOptions& options) {
  std::unique_ptr<Backend> backend = make_batch(scene, options);
  std::vector<int> ids(static_cast<std::size_t>(options.batch));
  std::iota(ids.begin(), ids.end(), 0);
  write_initial_state(scene, static_cast<std::uint64_t>(options.first_env_id), ids, *backend);
  return backend;
}

SimulatorOptions on(const std::string& device, int batch, Dtype dtype, int solve_threads) {
  SimulatorOptions options;
  options.device = device;
  options.batch = batch;
  options.dtype = dtype;
  options.solve_threads = device == "cpu" ? threads_of(SolveWidth::kWarp) : solve_threads;
  return options;
}

namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

StepFigures read_figures(const Backend& backend) {
  const std::vector<double> iterations = backend.read(EnvField::iterations);
  const std::vector<double> residual = backend.read(EnvField::residual);
  const std::vector<double> status = backend.read(EnvField::status);
  const auto converged = std::ranges::count_if(
      status, [](double bits) { return (static_cast<std::uint32_t>(bits) & status::kConverged) != 0; });
  return {mean(backend.read(EnvField::contact_count)),
          mean(backend.read(EnvField::num_rows)),
          mean(iterations),
          *std::ranges::max_element(iterations),
          *std::ranges::max_element(residual),
          static_cast<double>(converged) / static_cast<double>(status.size())};
}

}  // namespace stiction::gpu_check
