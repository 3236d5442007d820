#include "bench/gpu_check/calibration.hpp"
#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {

void calibrate(const Task& task) {
  const Subject subject{"calibration"};
  if (task.options.dry_run) return task.report.skipped(subject, "constants", "no GPU: dry run");
  for (const Constant& constant : measure_constants(task.options.gpu, task.options.small))
    task.report.measured(subject, constant.name, constant.value, constant.unit, constant.meaning);
}

}  // namespace stiction::gpu_check
