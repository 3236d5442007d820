// A kernel is a function of a team: the lanes that share one environment.
//
//   team.each(n, f)                 calls f(i) for every item, in any order, with a fence before and after
//   team.then(n, f)                 the same right after another phase, whose fence serves both
//   team.sum(n, zero, f)            fixed partial sums in a fixed tree: the same bits for every width
//   team.max(n, lowest, f)          a NaN wins
//   team.argmin(n, highest, f)      {value, index}; ties go to the smaller index
//   team.once(f)                    one lane calls f
//   team.agree(condition)           the condition, which a compiler then knows to be the same in all lanes
//   team.meet(place)                waits, so that the teams of a block go through the same code at the same time; it
//                                   changes nothing that is computed (meeting.hpp)
//   team.fence()                    needed at kernel entry, and where a phase ends without one of the above
//   Team::kLanes                    number of lanes; item i of a phase runs in lane i % kLanes
//
// Code between phases must be the same for all lanes. Sequential parts run in one lane (team.once).
#pragma once

#include "kernels/team/cuda_team.hpp"
#include "kernels/team/host_team.hpp"
