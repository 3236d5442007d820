// The machine of a report: what it is and what it can do at most.
#include <cstdio>

#include "bench/gpu_check/gpu_facts.hpp"
#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {

std::optional<Ceilings> describe_machine(const Options& options, Report& report) {
  const Subject subject{"machine"};
  if (options.dry_run) {
    report.skipped(subject, "ceilings", "no GPU: dry run");
    return {};
  }
  const GpuFacts facts = read_gpu_facts(options.gpu);
  report.measured(subject, "streaming multiprocessors", facts.processors, "-");
  report.measured(subject, "memory", facts.memory_bytes, "B");
  report.measured(subject, "shared memory of a multiprocessor", facts.shared_bytes_a_processor, "B");
  report.measured(subject, "CUDA version of the driver", facts.driver, "-");
  report.measured(subject, "CUDA version of the runtime", facts.runtime, "-");
  const Ceilings ceilings = measure_cuda_ceilings(options.gpu);
  report.measured(subject, "copy bandwidth", ceilings.copy_bytes, "B/s");
  report.measured(subject, "multiply-add rate float64", ceilings.multiply_adds, "1/s");
  std::printf("  copy %.3g TB/s, multiply-adds in double %.3g T/s\n", 1e-12 * ceilings.copy_bytes,
              1e-12 * ceilings.multiply_adds);
  return ceilings;
}

}  // namespace stiction::gpu_check
