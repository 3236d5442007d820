// record_problems SCENE FILE [every [env [step_size]]]: runs one environment of a scene on one host thread and writes
// the contact problem of every so-many-th step, with our answer and the time of our solve, cold and warm.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "bench/problem_file.hpp"
#include "host/backend/capacity.hpp"
#include "host/backend/host_backend.hpp"
#include "host/backend/initial_state.hpp"

namespace stiction::bench {
namespace {

using Team = HostTeam<PhaseOrder::kForward>;
constexpr int kRepeats = 7;

/// Median seconds of several solves from one start; the last one's report.
SolverReport<double> time_solve(const ContactProblem<double>& problem, const SolverConfig& config,
                                const WarmStart<double>& warm, Arena arena, ContactSolution<double>& x,
                                double& seconds) {
  std::vector<double> times;
  SolverReport<double> report{};
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    report = solve_problem<Team, double, double>(Team{}, problem, config, warm, arena, x);
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  seconds = times[kRepeats / 2];
  return report;
}

/// One environment of the scene, stepped here so that the problem of each step can be seen.
class Recorder {
 public:
  Recorder(const Scene& scene, int id)
      : model_(*scene.model),
        capacity_(choose_capacity(scene)),
        config_(make_step_config<double>(scene)),
        backend_(scene, capacity_, 1, 1),
        tables_(scene),
        scratch_(step_scratch_bytes<Team, double, double>(Team{}, model_.view(), capacity_, config_)) {
    tables_.enter(config_);
    write_initial_state(scene, static_cast<std::uint64_t>(id), 0, backend_);
  }

  /// Steps; writes the problem to `file` if `record`.
  void step(ProblemFile& file, bool record) {
    const BatchView<double, double>& batch = backend_.view();
    const ModelView<double> model = batch.env_model(0);
    const EnvView<double, double> env = batch.env(0);
    if (record) {
      Arena arena(scratch_.data());
      StepScratch<double, double> s;
      take_step_scratch(Team{}, model, capacity_, config_, arena, s);
      sample_script(Team{}, model, config_, env);
      update_motion(Team{}, model, env, config_, s);
      solve_contacts(Team{}, model, capacity_, env, config_, s);
      const ContactProblem<double> problem = describe_problem(model, capacity_, config_, s);
      Answer answer;
      time_solve(problem, config_.solver, match_warm_start(Team{}, env, config_, s), s.solver, s.solution,
                 answer.seconds_warm);
      const auto report = time_solve(problem, config_.solver, {}, s.solver, s.solution, answer.seconds_cold);
      answer.residual = report.residual;
      answer.iterations = report.iterations;
      answer.status = report.status;
      file.write(problem, s.solution, answer);
    }
    backend_.step(1);
  }

 private:
  ModelStorage<double> model_;
  Capacity capacity_;
  StepConfig<double> config_;
  HostBackend<double> backend_;
  HostScriptTables<double> tables_;
  AlignedVector<char> scratch_;
};

int record(int argc, char** argv) {
  if (argc < 3) throw InputError("usage: record_problems SCENE FILE [every [env [step_size]]]");
  Scene scene = load_scene(argv[1]);
  const int every = argc > 3 ? std::max(1, std::atoi(argv[3])) : 1;
  const int id = argc > 4 ? std::atoi(argv[4]) : 0;
  if (argc > 5) scene.step_size = std::atof(argv[5]);
  validate(scene);
  if (has_torsion(scene)) throw InputError("the file's contacts have three rows: choose a scene without torsion");
  ProblemFile file(argv[2]);
  Recorder recorder(scene, id);
  const int steps = static_cast<int>(scene.duration / scene.step_size + 0.5);
  for (int k = 0; k < steps; ++k) recorder.step(file, k % every == 0);
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
