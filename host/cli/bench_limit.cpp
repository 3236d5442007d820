#include "host/cli/bench_limit.hpp"

#include <fmt/format.h>

#include "host/backend/thread_pool.hpp"

namespace stiction {

std::optional<Ceilings> MachineCeilings::of(const BenchCase& bench, const std::string& device) {
  const std::string kind = device.substr(0, device.find(' '));
  const bool cuda = kind.starts_with("cuda:");
  if (!cuda && kind != "cpu") return std::nullopt;
  const int threads = host_threads(bench.options.threads, bench.options.batch);
  const std::string key = cuda ? kind : fmt::format("{} {}", kind, threads);
  if (const auto found = measured_.find(key); found != measured_.end()) return found->second;
  const Ceilings ceilings =
      cuda ? measure_cuda_ceilings(std::stoi(kind.substr(kind.find(':') + 1))) : measure_host_ceilings(threads);
  return measured_.emplace(key, ceilings).first->second;
}

StepLimit step_limit(const BenchCase& bench, const BenchResult& r, const StepWork& work, const Ceilings& ceilings) {
  const double n = static_cast<double>(r.env_steps), rate = quantile(r.rate, 0.5);
  StepLimit limit;
  limit.bytes = step_bytes(bench.scene, bench.options.dtype == Dtype::kFloat32, r.contacts / n);
  const SolveLanes lanes = r.device.starts_with("cuda:") ? SolveLanes::kMany : SolveLanes::kOne;
  limit.multiply_adds = step_multiply_adds(work, bench.scene.solver.name, lanes, r.iterations / n, r.rows / n);
  limit.ceilings = ceilings;
  limit.copy_share = rate * limit.bytes / ceilings.copy_bytes;
  limit.multiply_add_share = rate * limit.multiply_adds / ceilings.multiply_adds;
  return limit;
}

std::string describe_limit(const StepLimit& limit) {
  return fmt::format(
      "  a step: {:.3g} kB, {:.3g} k multiply-adds; {:.2g} % of {:.3g} GB/s, {:.2g} % of {:.3g} G multiply-adds/s\n",
      1e-3 * limit.bytes, 1e-3 * limit.multiply_adds, 100.0 * limit.copy_share, 1e-9 * limit.ceilings.copy_bytes,
      100.0 * limit.multiply_add_share, 1e-9 * limit.ceilings.multiply_adds);
}

}  // namespace stiction
