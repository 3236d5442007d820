// LCPs on the GPU, for every width of kernels/launch/solve_width.hpp.
#include "kernels/launch/cuda_solve_kernels.cuh"

namespace stiction {
namespace {

struct LcpPhase {
  using Batch = LcpBatch;
  using Team = RowTeam;
  static constexpr TaskKernel kKernel = TaskKernel::kSolve;

  __device__ static void run(Team team, const LcpOptions& options, LcpTask& task) {
    const LcpReport<double> report = solve_lcp(team, task.problem, options, task.arena, task.z);
    const double* certificate = report.certificate;
    if (certificate) team.each(task.problem.size, [&](int i) { task.farkas[i] = certificate[i]; });
    team.once([&] {
      task.report = report;
      task.report.certificate = certificate ? task.farkas.data() : nullptr;
    });
  }
};

}  // namespace

void enqueue_lcps(SolveWidth width, const LcpBatch& lcps, cudaStream_t stream) {
  enqueue_tasks<LcpPhase>(width, lcps, 0, stream);
}

}  // namespace stiction
