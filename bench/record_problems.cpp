// record_problems SCENE FILE [every [env [step_size]]]: runs one environment of a scene on one host thread and writes
// the contact problem of every so-many-th step, with our answer and the time of our solve, cold and warm.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "bench/problem_file.hpp"
#include "host/api/simulator.hpp"
#include "kernels/launch/host_solvers.hpp"

namespace stiction::bench {
namespace {

using Team = HostTeam<PhaseOrder::kForward>;
constexpr int kRepeats = 7;

/// Median seconds of several solves from one start; the last one's report.
SolverReport<double> time_solve(const StepProblem& step, const WarmStart<double>& warm,
                                const ContactSolution<double>& out, double& seconds) {
  ContactSolution<double> x = out;
  std::vector<double> times;
  SolverReport<double> report{};
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    report = solve_problem<Team, double>(Team{}, step.problem, step.config, warm, step.scratch, x);
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  seconds = times[kRepeats / 2];
  return report;
}

/// Solves the problem again, warm and cold, and writes the cold answer.
void record_problem(const StepProblem& step, ProblemFile& file) {
  Answer answer;
  time_solve(step, step.warm, step.solution, answer.seconds_warm);
  const auto report = time_solve(step, {}, step.solution, answer.seconds_cold);
  answer.residual = report.residual;
  answer.iterations = report.iterations;
  answer.status = report.status;
  file.write(step.problem, step.solution, answer);
}

int record(int argc, char** argv) {
  if (argc < 3) throw InputError("usage: record_problems SCENE FILE [every [env [step_size]]]");
  Scene scene = load_scene(argv[1]);
  const int every = argc > 3 ? std::max(1, std::atoi(argv[3])) : 1;
  if (argc > 5) scene.step_size = std::atof(argv[5]);
  validate(scene);
  if (has_torsion(scene)) throw InputError("the file's contacts have three rows: choose a scene without torsion");
  SimulatorOptions options;
  options.device = "cpu", options.threads = 1;
  options.first_env_id = argc > 4 ? std::atoi(argv[4]) : 0;
  Simulator simulator(scene, options);
  ProblemFile file(argv[2]);
  const int steps = static_cast<int>(scene.duration / scene.step_size + 0.5);
  for (int k = 0; k < steps; ++k) {
    if (k % every == 0)
      simulator.visit_problems(std::vector{0}, [&](const StepProblem& p) { record_problem(p, file); });
    simulator.step();
  }
  return 0;
}

}  // namespace
}  // namespace stiction::bench

int main(int argc, char** argv) {
  try {
    return stiction::bench::record(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "record_problems: %s\n", error.what());
    return 2;
  }
}
