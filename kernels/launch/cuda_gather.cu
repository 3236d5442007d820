// Copies rows of a list of environments to one place: a warp for each of them.
#include "kernels/launch/cuda_rows.hpp"
#include "kernels/launch/cuda_team_grid.cuh"

namespace stiction {

__global__ void __launch_bounds__(kThreadsPerBlock)
    gather_kernel(const std::uint32_t* array, int words, const EnvironmentList list, std::uint32_t* rows) {
  const int i = row_index();
  if (i >= list.count) return;
  const std::uint32_t* from = array + static_cast<std::size_t>(list.id[i]) * words;
  std::uint32_t* to = rows + static_cast<std::size_t>(i) * words;
  StepTeam{}.each(words, [&](int word) { to[word] = from[word]; });
}

void enqueue_gather(const std::uint32_t* array, int words, const EnvironmentList& list, std::uint32_t* rows,
                    cudaStream_t stream) {
  launch(launch_size(WarpTeam::kLanes, list.count), stream, gather_kernel, array, words, list, rows);
}

}  // namespace stiction
