// Solves every problem of a batch, on host threads or on a GPU.
//
// A `Case` is the memory of one problem that is being solved:
//
//   Case(problems, options)
//   bool begin(i, answers)   checks problem i and prepares a run of a solver; false: there is nothing to run
//   Run& run()               the run to make, a SolverRun or an LcpRun (host/backend/gpu_solver.hpp)
//   bool go_on(answers)      takes what the run left; true: another run is to be made, else the answer is stored
//
// A host thread makes one run after the other. A GPU makes the runs of many problems at once: as many as fit
// kMostBytes and its memory.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "host/api/device.hpp"
#include "host/api/host_solver.hpp"
#include "host/api/run_batch.hpp"

namespace stiction {

template <class Case, class Problems, class Answers>
void solve_on_host(ThreadPool& pool, const Problems& problems, const SolveOptions& options, Answers& answers) {
  struct Worker {
    explicit Worker(const Problems& all, const SolveOptions& with) : problem(all, with) {}
    Case problem;
    HostSolver solver;
  };
  std::vector<Worker> workers;
  workers.reserve(static_cast<std::size_t>(pool.size()));
  for (int worker = 0; worker < pool.size(); ++worker) workers.emplace_back(problems, options);
  run_batch(pool, problems.batch, [&](int i, int worker) {
    Worker& own = workers[static_cast<std::size_t>(worker)];
    for (bool more = own.problem.begin(i, answers); more; more = own.problem.go_on(answers))
      own.solver.solve(own.problem.run());
  });
}

/// Velocities or unknowns of a problem, and rows of its Jacobian.
struct MatrixSize {
  int nv, rows;
};

inline MatrixSize matrix_size(const ContactProblems& p) { return {p.nv, p.dimension() * p.contacts + p.rows.count}; }
inline MatrixSize matrix_size(const DelassusProblems& p) { return {3 * p.contacts, 3 * p.contacts}; }
inline MatrixSize matrix_size(const QpProblems& p) { return {p.nv, p.rows}; }
inline MatrixSize matrix_size(const LcpProblems& p) { return {p.size, 0}; }

/// Cases at once on a GPU. The arrays of one are taken to need kCopies times the bytes of its matrices, and kOfARow for
/// each of its rows: those of the case, of the solver's task, and what is between them.
template <class Problems>
int count_cases(const GpuSolver& gpu, const Problems& problems) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30, kCopies = 4, kOfARow = 1024;
  const MatrixSize size = matrix_size(problems);
  const std::size_t rows = static_cast<std::size_t>(size.rows), nv = static_cast<std::size_t>(size.nv);
  const std::size_t each = kCopies * sizeof(double) * nv * (2 * nv + rows) + kOfARow * (rows + 1);
  const std::size_t most = std::min(kMostBytes, gpu.usable_bytes() / 2) / each;
  return static_cast<int>(std::clamp<std::size_t>(most, 1, static_cast<std::size_t>(problems.batch)));
}

/// Makes runs of the cases that have one, until none has.
template <class Case, class Answers>
void finish_on_gpu(GpuSolver& gpu, ThreadPool& pool, std::vector<Case*> cases, Answers& answers) {
  while (!cases.empty()) {
    std::vector<decltype(&cases[0]->run())> runs;
    for (Case* one : cases) runs.push_back(&one->run());
    gpu.solve(runs);
    run_batch(pool, static_cast<int>(cases.size()), [&](int k, int) {
      Case*& one = cases[static_cast<std::size_t>(k)];
      if (!one->go_on(answers)) one = nullptr;
    });
    std::erase(cases, nullptr);
  }
}

template <class Case, class Problems, class Answers>
void solve_on_gpu(GpuSolver& gpu, ThreadPool& pool, const Problems& problems, const SolveOptions& options,
                  Answers& answers) {
  const int at_once = count_cases(gpu, problems);
  std::vector<Case> cases;
  cases.reserve(static_cast<std::size_t>(at_once));
  for (int k = 0; k < at_once; ++k) cases.emplace_back(problems, options);
  for (int first = 0; first < problems.batch; first += at_once) {
    std::vector<Case*> begun(static_cast<std::size_t>(std::min(at_once, problems.batch - first)));
    run_batch(pool, static_cast<int>(begun.size()), [&](int k, int) {
      Case& one = cases[static_cast<std::size_t>(k)];
      begun[static_cast<std::size_t>(k)] = one.begin(first + k, answers) ? &one : nullptr;
    });
    std::erase(begun, nullptr);
    finish_on_gpu(gpu, pool, begun, answers);
  }
}

template <class Case, class Problems, class Answers>
void solve_each(const Problems& problems, const SolveOptions& options, Answers& answers) {
  ThreadPool pool(host_threads(options.threads, problems.batch));
  const auto gpu = make_gpu_solver(options);
  answers.device = gpu ? gpu->device_name() : "cpu";
  if (gpu)
    solve_on_gpu<Case>(*gpu, pool, problems, options, answers);
  else
    solve_on_host<Case>(pool, problems, options, answers);
}

}  // namespace stiction
