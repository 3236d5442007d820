// Which environment a team of threads works on: blocks of 128 threads, one or more teams each.
#pragma once

#include "kernels/launch/cuda_launch.cuh"
#include "kernels/team/team.hpp"

namespace stiction {

constexpr int kThreadsPerBlock = 128;

/// The team of all kernels but the solver's.
using StepTeam = WarpTeam<32>;

template <class Team>
constexpr int kTeamsPerBlock = kThreadsPerBlock / Team::kLanes;

/// Blocks of 128 threads that a multiprocessor shall hold at least: as many as leave the registers to spill nothing.
/// Without a bound ptxas may rather spill than hold fewer.
template <class Real>
struct StepBlocks {
  static constexpr bool kSingle = sizeof(Real) == 4;
  static constexpr int kPrepare = kSingle ? 4 : 3, kTask = kSingle ? 8 : 7, kJudge = 4, kAdvance = kSingle ? 5 : 4,
                       kCenter = 2;
};

/// The team of the calling thread, counted over the grid.
template <class Team>
__device__ int team_index() {
  return static_cast<int>(blockIdx.x) * kTeamsPerBlock<Team> + static_cast<int>(threadIdx.x) / Team::kLanes;
}

/// Blocks that hold `count` teams.
template <class Team>
LaunchSize launch_size(int count) {
  return {(count + kTeamsPerBlock<Team> - 1) / kTeamsPerBlock<Team>, kThreadsPerBlock};
}

}  // namespace stiction
