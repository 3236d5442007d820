// Environment-steps a second against batch size, never without what was solved.
//
//   throughput    environments · steps / seconds of one call of many steps
//   p50, p99      of calls of a single step [s]: a batch waits for its slowest environment
//   share of the copy bandwidth, of the multiply-add rate     of what a step moves and multiplies at least
//
// Three routes: all in double, and with a factor in single precision, to 1e-6; all but the solver's state in single
// precision, to 1e-4.
//
// The two shares are counted from sizes (host/backend/step_work.hpp), not by counters.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/parts.hpp"
#include "host/backend/step_work.hpp"
#include "host/cli/bench_case.hpp"
#include "host/model/choices.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kBatches[] = {1, 64, 1024, 4096, 16384, 65536};
constexpr int kDryBatches[] = {1, 7};
constexpr const char* kScenes[] = {"gripper2d", "iiwa_stack", "hand_cube"};
constexpr int kMostCalls = 200, kLeastCalls = 5, kDryCalls = 2;
constexpr double kSecondsACase = 1.5;  // of single steps, and again of one long call
constexpr int kCountedSteps = 20;      // on the host, for what a step multiplies
constexpr int kTimedSteps = 3;         // with events between the kernels

/// Precisions, and the residual that is asked for.
struct Route {
  Dtype dtype, factor;
  double tolerance;
};
constexpr Route kRoutes[] = {{Dtype::kFloat64, Dtype::kFloat64, 1e-6},
                             {Dtype::kFloat64, Dtype::kFloat32, 1e-6},
                             {Dtype::kFloat32, Dtype::kFloat32, 1e-4}};

struct Case {
  std::string name;
  Scene scene;
  StepWork work;
};

/// Steps one at a time: their seconds, and the figures after each, which are read outside the timing.
struct SingleSteps {
  std::vector<double> seconds;
  std::vector<StepFigures> figures;

  double total() const {
    double sum = 0.0;
    for (const double s : seconds) sum += s;
    return sum;
  }
  double mean(double StepFigures::*figure) const {
    double sum = 0.0;
    for (const StepFigures& f : figures) sum += f.*figure;
    return sum / static_cast<double>(figures.size());
  }
  double most(double StepFigures::*figure) const {
    double largest = 0.0;
    for (const StepFigures& f : figures) largest = std::fmax(largest, f.*figure);
    return largest;
  }
};

/// Seconds of one call of `steps`.
double time_call(Backend& batch, int steps) {
  const Clock::time_point begin = Clock::now();
  batch.step(steps);
  batch.wait();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

SingleSteps time_single_steps(Backend& batch, const Options& options, const Budget& budget) {
  SingleSteps steps;
  const int most = options.dry_run ? kDryCalls : kMostCalls, least = options.dry_run ? kDryCalls : kLeastCalls;
  for (int call = 0; call < most; ++call) {
    if (call >= least && (steps.total() > kSecondsACase || budget.over())) break;
    steps.seconds.push_back(time_call(batch, 1));
    steps.figures.push_back(read_figures(batch));
  }
  return steps;
}

void report_figures(const Subject& subject, const Scene& scene, const SingleSteps& steps, Report& report) {
  report.measured(subject, "dofs", scene.model->nv, "-");
  report.measured(subject, "contacts mean", steps.mean(&StepFigures::contacts), "-");
  report.measured(subject, "rows mean", steps.mean(&StepFigures::rows), "-");
  report.measured(subject, "iterations mean", steps.mean(&StepFigures::iterations), "-");
  report.measured(subject, "iterations most", steps.most(&StepFigures::most_iterations), "-");
  report.measured(subject, "tolerance", scene.solver.tolerance, "-");
  report.measured(subject, "residual worst", steps.most(&StepFigures::worst_residual), "-");
  report.measured(subject, "share converged", steps.mean(&StepFigures::converged), "-");
  report.measured(subject, "batch step p50", quantile(steps.seconds, 0.5), "s");
  report.measured(subject, "batch step p99", quantile(steps.seconds, 0.99), "s");
  report.measured(subject, "single steps", static_cast<double>(steps.seconds.size()), "-");
}

void report_kernels(const Subject& subject, Backend& batch, Report& report) {
  std::vector<KernelTime> sum;
  for (int s = 0; s < kTimedSteps; ++s) {
    const std::vector<KernelTime> times = batch.time_kernels();
    if (sum.empty()) sum.resize(times.size());
    for (std::size_t k = 0; k < times.size(); ++k) {
      sum[k].name = times[k].name;
      sum[k].seconds += times[k].seconds;
      sum[k].launches += times[k].launches;
    }
  }
  if (sum.empty()) report.skipped(subject, "kernels", "the host has none");
  double launches = 0.0;
  for (const KernelTime& kernel : sum) {
    report.measured(subject, "kernel " + kernel.name, kernel.seconds / kTimedSteps, "s");
    launches += kernel.launches;
  }
  if (launches > 0.0) report.measured(subject, "launches a step", launches / kTimedSteps, "-");
}

/// Seconds of a step's solves with the factor in shared memory where it fits, and in global memory: same steps, same
/// bits.
void report_factor_places(const Case& one, const Subject& subject, Dtype dtype, const Options& options,
                          Report& report) {
  constexpr std::pair<FactorMemory, const char*> kPlaces[] = {
      {FactorMemory::kAuto, "solves with the factor where it fits"},
      {FactorMemory::kGlobal, "solves with the factor in global memory"}};
  for (const auto& [memory, quantity] : kPlaces) {
    SimulatorOptions placed = on(options.device(), subject.batch, dtype);
    placed.factor_memory = memory;
    const std::unique_ptr<Backend> batch = start_batch(one.scene, placed);
    time_call(*batch, 2);
    std::vector<double> seconds;
    for (int s = 0; s < kTimedSteps; ++s)
      for (const KernelTime& kernel : batch->time_kernels())
        if (std::string(kernel.name) == "solve") seconds.push_back(kernel.seconds);
    if (seconds.empty())
      report.skipped(subject, quantity, "the host has none");
    else
      report.measured(subject, quantity, quantile(seconds, 0.5), "s");
  }
}

void report_shares(const Subject& subject, const Case& one, double steps_a_second, const SingleSteps& steps,
                   Dtype dtype, const std::optional<Ceilings>& ceilings, Report& report) {
  if (!ceilings) return report.skipped(subject, "share of the ceilings", "no GPU: dry run");
  const double bytes = step_bytes(one.scene, dtype == Dtype::kFloat32, steps.mean(&StepFigures::contacts));
  const double multiply_adds = step_multiply_adds(one.work, one.scene.solver.name, SolveLanes::kMany,
                                                  steps.mean(&StepFigures::iterations), steps.mean(&StepFigures::rows));
  report.measured(subject, "share of the copy bandwidth", bytes * steps_a_second / ceilings->copy_bytes, "-");
  report.measured(subject, "share of the multiply-add rate", multiply_adds * steps_a_second / ceilings->multiply_adds,
                  "-");
}

/// The batch at which both places of the factor are measured.
constexpr int kFactorBatch = 4096;

void measure_case(const Case& one, const Subject& subject, Dtype dtype, const Options& options, const Budget& budget,
                  const std::optional<Ceilings>& ceilings, Report& report) {
  check_host_memory(one.scene, dtype, subject.batch);
  const bool both_factors = subject.batch == kFactorBatch || (options.dry_run && subject.batch == kDryBatches[1]);
  if (both_factors) report_factor_places(one, subject, dtype, options, report);
  const std::unique_ptr<Backend> batch = start_batch(one.scene, on(options.device(), subject.batch, dtype));
  time_call(*batch, 2);  // contacts found, warm starts there
  const SingleSteps singles = time_single_steps(*batch, options, budget);
  const int calls = options.dry_run
                        ? kDryCalls
                        : std::clamp(static_cast<int>(kSecondsACase / quantile(singles.seconds, 0.5)), 2, 256);
  const double steps_a_second = subject.batch * calls / time_call(*batch, calls);
  report.measured(subject, "throughput", steps_a_second, "steps/s");
  report_figures(subject, one.scene, singles, report);
  report.measured(subject, "memory", static_cast<double>(batch->environment_bytes()), "B/environment");
  report_shares(subject, one, steps_a_second, singles, dtype, ceilings, report);
  report_kernels(subject, *batch, report);
  std::printf("  %-12s %-8s factor %-8s batch %6d: %12.0f steps/s, p50 %.3g ms, p99 %.3g ms\n", one.name.c_str(),
              subject.dtype.c_str(), subject.factor.c_str(), subject.batch, steps_a_second,
              1e3 * quantile(singles.seconds, 0.5), 1e3 * quantile(singles.seconds, 0.99));
  std::fflush(stdout);
}

std::vector<Case> load_cases(const Options& options, Report& report) {
  std::vector<Case> cases;
  for (const char* name : kScenes) {
    const std::string folder = options.scenes + "/" + name;
    if (!std::filesystem::exists(folder)) {
      report.skipped({"speed", name}, "throughput", "no such scene");
      continue;
    }
    const Scene scene = load_scene(folder);
    cases.push_back({name, scene, count_work(scene, kCountedSteps)});
  }
  return cases;
}

}  // namespace

void measure_speed(const Options& options, const Budget& budget, const std::optional<Ceilings>& ceilings,
                   Report& report) {
  const std::vector<Case> cases = load_cases(options, report);
  const std::vector<int> batches = options.dry_run ? std::vector<int>(std::begin(kDryBatches), std::end(kDryBatches))
                                                   : std::vector<int>(std::begin(kBatches), std::end(kBatches));
  for (const int batch : batches)  // all scenes at one size before the next, larger one
    for (const Case& loaded : cases)
      for (const auto& [dtype, factor, tolerance] : kRoutes) {
        Case one = loaded;
        one.scene.solver.factor = factor, one.scene.solver.tolerance = tolerance;
        Subject subject{"speed", one.name};
        subject.solver = choice_name(solver_choice(), one.scene.solver.name);
        subject.factor = name_of(factor);
        subject.dtype = name_of(dtype);
        subject.batch = batch;
        if (budget.over()) {
          report.skipped(subject, "throughput", "out of time");
          continue;
        }
        try {
          measure_case(one, subject, dtype, options, budget, ceilings, report);
        } catch (const OutOfMemory& error) {
          report.skipped(subject, "throughput", error.what());
        }
      }
}

}  // namespace stiction::gpu_check
