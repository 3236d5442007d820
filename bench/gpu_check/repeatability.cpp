// Claim: the bits of an environment depend on nothing but itself: not on the size of the batch, its place there, the
// threads that share its solve, where its factor lies, or the run.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/parts.hpp"
#include "host/model/choices.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/support/every_choice.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kBatches[] = {1, 7, 257};
constexpr int kSolveThreads[] = {8, 32, 64};
constexpr std::pair<FactorMemory, const char*> kFactorMemories[] = {
    {FactorMemory::kShared, "bits with the factor in shared memory differ"},
    {FactorMemory::kGlobal, "bits with the factor in global memory differ"}};
constexpr EnvField kFields[] = {EnvField::qpos,          EnvField::qvel,           EnvField::status,
                                EnvField::iterations,    EnvField::residual,       EnvField::contact_count,
                                EnvField::contact_force, EnvField::warm_row_lambda};

/// Every solver with every precision that its factor can have.
std::vector<std::pair<test::Named<SolverName>, Dtype>> every_solver() {
  std::vector<std::pair<test::Named<SolverName>, Dtype>> all;
  for (const auto& solver : test::kEveryNamedSolver)
    for (const Dtype factor : kEveryDtype)
      if (can_factor(solver.value, factor)) all.push_back({solver, factor});
  return all;
}

/// The bytes of the fields that matter, of global environment `id`, after `steps`.
std::vector<double> run(const Scene& scene, const SimulatorOptions& options, int id, int steps) {
  const std::unique_ptr<Backend> batch = start_batch(scene, options);
  batch->step(steps);
  std::vector<double> all;
  for (const EnvField field : kFields) {
    const std::vector<double> values = batch->read(field);
    const std::size_t length = values.size() / static_cast<std::size_t>(options.batch);
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(length) * (id - options.first_env_id);
    all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(length));
  }
  return all;
}

/// Environment 0 alone against the same in other batches, with every width; then once more from another place.
void check_scene(const Subject& subject, const Scene& scene, int steps, const Task& task) {
  const Options& options = task.options;
  const Dtype dtype = subject.dtype == "float64" ? Dtype::kFloat64 : Dtype::kFloat32;
  const std::vector<double> alone = run(scene, on(options.device(), 1, dtype), 0, steps);
  const auto check = [&](const SimulatorOptions& other, int id, const std::vector<double>& expected,
                         const char* quantity) {
    Subject row = subject;
    row.batch = other.batch;
    row.solve_threads = other.solve_threads;
    if (task.budget.over()) return task.report.skipped(row, quantity, "out of time");
    try {
      task.report.checked(row, quantity, test::same_bits(run(scene, other, id, steps), expected) ? 0.0 : 1.0, "-", 0.0);
    } catch (const InputError& error) {  // the factor does not fit there
      task.report.skipped(row, quantity, error.what());
    }
  };
  for (const int batch : kBatches)
    for (const int threads : kSolveThreads)
      check(on(options.device(), batch, dtype, threads), 0, alone, "bits of environment 0 differ");
  for (const int threads : kSolveThreads)
    for (const auto& [memory, quantity] : kFactorMemories) {
      SimulatorOptions other = on(options.device(), 7, dtype, threads);
      other.factor_memory = memory;
      check(other, 0, alone, quantity);
    }
  SimulatorOptions third = on(options.device(), 1, dtype);
  third.first_env_id = 3;
  check(on(options.device(), 7, dtype), 3, run(scene, third, 3, steps), "bits of environment 3 differ");
  check(on(options.device(), 1, dtype), 0, alone, "bits of a second run differ");
}

}  // namespace

void check_repeatability(const Task& task) {
  const CheckedScene checked = checked_scene(task.options.scenes, task.piece);
  for (const auto& [solver, factor] : every_solver())
    for (const Dtype dtype : kEveryDtype) {
      const bool own = solver.value == checked.scene.solver.name;
      if (!own && !(checked.name == "pushed_boxes" && can_solve(solver.value, checked.scene.physics.cone))) continue;
      Scene scene = checked.scene;
      scene.solver.name = solver.value;
      scene.solver.factor = factor;
      Subject subject{"repeatability", checked.name};
      subject.solver = solver.name;
      subject.factor = name_of(factor);
      subject.dtype = name_of(dtype);
      if (task.budget.over())
        task.report.skipped(subject, "bits differ", "out of time");
      else
        check_scene(subject, scene, task.options.has_small_sizes() ? 2 : checked.steps, task);
    }
}

void run_small_case(const Options& options) {
  struct Case {
    SolverName solver;
    Dtype factor, dtype;
    int threads;
  };
  Scene scene = test::pushed_boxes();
  test::add_paddle_script(scene);
  const SolverName own = scene.solver.name;
  std::vector<Case> cases;
  for (const auto& [solver, factor] : every_solver())
    for (const Dtype dtype : kEveryDtype)
      for (const int threads : kSolveThreads)
        if (dtype == Dtype::kFloat64 || solver.value == own) cases.push_back({solver.value, factor, dtype, threads});
  std::stable_partition(cases.begin(), cases.end(), [&](const Case& one) { return one.solver == own; });
  const Budget budget(options.seconds > 0.0 ? options.seconds : HUGE_VAL);
  std::size_t done = 0;
  while (done < cases.size() && !budget.over()) {
    const Case& one = cases[done++];
    scene.solver.name = one.solver, scene.solver.factor = one.factor;
    const std::unique_ptr<Backend> batch = start_batch(scene, on(options.device(), 3, one.dtype, one.threads));
    batch->step(2);
    batch->wait();
  }
  std::printf("%zu of %zu%s\n", done, cases.size(), kSmallCaseDone);
}

}  // namespace stiction::gpu_check
