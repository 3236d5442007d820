// Contact problems and LCPs that stand alone, solved on a GPU, many at a time.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "kernels/solver/solve_problem.hpp"

namespace stiction {

/// One run of one solver on one contact problem.
struct SolverRun {
  SolverConfig config;
  ContactProblem<double> problem;
  WarmStart<double> warm;
  ContactSolution<double> out;
  SolverReport<double> report;  // of the run, once it was made
};

/// One run of Lemke's method on one LCP.
struct LcpRun {
  LcpOptions options;
  LcpProblem<double> problem;
  Array<double> z;  // (size) the answer
  LcpReport<double> report;
};

/// The arrays of problems and answers are in host memory. A run on a GPU and one on a host that takes SolveRoute::kTeam
/// differ in the rounding of library functions only.
class GpuSolver {
 public:
  virtual ~GpuSolver() = default;

  /// "cuda:0 (its name)"
  virtual std::string device_name() const = 0;

  /// Memory that problems and the scratch of their solves may take [bytes].
  virtual std::size_t usable_bytes() const = 0;

  /// Makes all runs. Certificates in their reports are valid until the next call. Throws OutOfMemory if the GPU's
  /// memory does not hold the problems and the scratch of one block of solves.
  virtual void solve(std::span<SolverRun* const> runs) = 0;
  virtual void solve(std::span<LcpRun* const> runs) = 0;
};

/// `solve_threads` share a solve: 8, 32 or 64; 0: chosen by the problem's size. Throws InputError if the GPU is not
/// usable.
std::unique_ptr<GpuSolver> make_gpu_solver(int device, int solve_threads);

}  // namespace stiction
