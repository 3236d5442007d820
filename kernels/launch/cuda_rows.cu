// Copies rows to a list of environments: a warp for each of them.
#include "kernels/launch/cuda_rows.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

__global__ void __launch_bounds__(kThreadsPerBlock)
    rows_kernel(const NewRows* arrays, int count, const EnvironmentList list) {
  const int i = row_index();
  if (i >= list.count) return;
  for (int a = 0; a < count; ++a) {
    const NewRows& given = arrays[a];
    const std::uint32_t* from = given.rows + static_cast<std::size_t>(i) * given.stride;
    std::uint32_t* to = given.array + static_cast<std::size_t>(list.id[i]) * given.words;
    StepTeam{}.each(given.words, [&](int word) { to[word] = from[word]; });
  }
}

void enqueue_rows(const NewRows* arrays, int count, const EnvironmentList& list, cudaStream_t stream) {
  launch(launch_size(WarpTeam::kLanes, list.count), stream, rows_kernel, arrays, count, list);
}

}  // namespace stiction
