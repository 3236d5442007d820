// What the runtime says on this GPU about the kernels of a step, in the blocks in which the timed scenes launch them:
//
//   registers     of a thread
//   local memory  of a thread, for its stack and spills
//   shared memory of a block
//   blocks        that a multiprocessor holds at once
//   environments  the same in environments
//
// and claim: a multiprocessor holds as many environments of the solve as the scratch of solves is made for
// (kernels/launch/solve_width.hpp), also with a factor in shared memory.
#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/parts.hpp"
#include "bench/gpu_check/speed_plan.hpp"
#include "host/model/choices.hpp"
#include "kernels/launch/solve_width.hpp"

namespace stiction::gpu_check {
namespace {

constexpr const char* kScenes[] = {"iiwa_stack", "hand_cube", "gripper2d"};
constexpr int kBatch = 1024, kSmallBatch = 4;  // environments, with which blocks have all their rows

void report_kernel(const Subject& subject, const KernelFacts& kernel, Report& report) {
  const auto row = [&](const char* quantity, double value, const char* unit) {
    report.measured(subject, kernel.name + " " + quantity, value, unit);
  };
  row("registers", kernel.registers, "-");
  row("local memory", static_cast<double>(kernel.local_bytes), "B");
  row("shared memory", static_cast<double>(kernel.shared_bytes), "B");
  row("threads of a block", kernel.threads, "-");
  row("blocks", kernel.blocks, "-");
  row("environments", static_cast<double>(kernel.blocks) * kernel.environments, "-");
}

/// The kernels of one scene and route.
void report_kernels(Scene scene, const std::string& name, const Route& route, const Task& task) {
  scene.solver.factor = route.factor, scene.solver.tolerance = route.tolerance;
  const SolveWidth width = choose_solve_width(scene.model->nv, 0);
  Subject subject{"occupancy", name};
  subject.solver = choice_name(solver_choice(), scene.solver.name);
  subject.factor = name_of(route.factor);
  subject.dtype = name_of(route.dtype);
  subject.solve_threads = threads_of(width);
  const int batch = task.options.has_small_sizes() ? kSmallBatch : kBatch;
  const std::vector<KernelFacts> kernels =
      make_batch(scene, on(task.options.device(), batch, route.dtype))->ask_about_kernels();
  if (kernels.empty()) return task.report.skipped(subject, "kernels", "the host has none");
  const bool has_registers = kernels.front().registers > 0;
  if (!has_registers) task.report.skipped(subject, "kernels", "an emulated GPU has no registers");
  for (const KernelFacts& kernel : kernels) {
    if (has_registers) report_kernel(subject, kernel, task.report);
    if (kernel.name != "warm" && kernel.name != "solve") continue;
    const SolveBlocks planned = solve_blocks(width, kernel.name == "warm" ? TaskKernel::kWarm : TaskKernel::kSolve);
    const double held = static_cast<double>(kernel.blocks) * kernel.environments;
    task.report.checked(subject, "environments of " + kernel.name + " that are planned; over those that fit",
                        planned.resident * planned.environments / held, "-", 1.0);
  }
}

}  // namespace

void report_occupancy(const Task& task) {
  for (const char* name : kScenes) {
    const Scene scene = load_scene(task.options.scenes + "/" + name);
    for (const Route& route : kRoutes) {
      if (task.budget.over())
        task.report.skipped({"occupancy", name}, "kernels", "out of time");
      else
        report_kernels(scene, name, route, task);
    }
  }
}

}  // namespace stiction::gpu_check
