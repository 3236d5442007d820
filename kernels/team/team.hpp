// A kernel is a function of a team: the lanes that share one environment.
//
//   team.each(n, f)                 f(i) for every item, in any order, fenced before and after
//   team.sum(n, zero, f)            fixed partials, fixed tree: the same bits on every width
//   team.max(n, lowest, f)          a NaN wins
//   team.argmin(n, highest, f)      {value, index}, ties to the smaller index
//   team.once(f)                    one lane
//   Team::kLanes                    item i of a phase runs in lane i % kLanes
//   team.fence()                    at kernel entry and wherever a phase ends without one of the above
//
// Between phases only code that is uniform over the lanes runs. Sequential pieces run in one lane.
#pragma once

#include "kernels/team/cuda_team.hpp"
#include "kernels/team/host_team.hpp"
