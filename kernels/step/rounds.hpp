// Why some stages of a step run again, how often they may, and what all rounds add up to.
#pragma once

#include "kernels/step/part_overlaps.hpp"

namespace stiction {

/// The reason for a round.
enum class RoundReason : int {
  kNone,      // of the first round; of another one: the answer stands
  kReach,     // a body moved further than the contacts looked: pairs are selected again, with at least twice the reach
  kMeetings,  // contacts carry whose bodies do not meet, or bodies meet elsewhere (meetings.hpp)
  kOverlap,   // something begins beyond its limits, and the velocity leaves it so: positions alone (part_overlaps.hpp)
};
constexpr int kRoundReasons = 4;

/// Rounds that a step may take for a reason; then it ends, with the bit.
struct RoundLimit {
  int most;
  std::uint32_t bit;
};
/// Overlaps are parted once after every selection of pairs, so that no step ends for that limit.
constexpr RoundLimit kRoundLimits[kRoundReasons] = {
    {0, 0}, {4, status::kReachExceeded}, {24, status::kMeetingsOpen}, {5, 0}};

/// The limit of a reason; a table on the host has no address on a GPU.
ST_FN constexpr RoundLimit round_limit(RoundReason reason) {
  constexpr RoundLimit limits[kRoundReasons] = {kRoundLimits[0], kRoundLimits[1], kRoundLimits[2], kRoundLimits[3]};
  return limits[static_cast<int>(reason)];
}

/// The rounds of a step so far.
struct Rounds {
  RoundReason reason = RoundReason::kNone;  // of the round that is on
  int taken[kRoundReasons] = {};            // of each reason
  int count = 0;                            // of all rounds that are done
  int iterations = 0;                       // of the solver in all rounds
};

/// Why the answer does not stand; prepares what the next round changes. `looked`: the pairs were looked at where the
/// answer takes them.
template <class Team, class Real, class Solve>
ST_FN RoundReason find_reason(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, bool looked,
                              const SolverReport<Solve>& report, const ContactProblem<Solve>& problem,
                              const StepScratch<Real, Solve>& s) {
  if ((report.status & status::kUnbounded) && keep_left_out(team, s)) return RoundReason::kMeetings;
  if (!covers_motion(team, model, config.step_size, report, s)) return RoundReason::kReach;
  if (!looked) return RoundReason::kNone;
  if (arrange_meetings(team, model, s)) return RoundReason::kMeetings;
  const bool overlaps = config.parts_overlaps && leaves_overlap(team, model, problem, overlap_band(config), s);
  return overlaps ? RoundReason::kOverlap : RoundReason::kNone;
}

/// True if there is another round for `reason`; else the report says which limit ended the step.
ST_FN bool count_round(RoundReason reason, Rounds& rounds, SolverReport<double>& report) {
  rounds.count += 1;
  rounds.iterations += report.iterations;
  report.iterations = rounds.iterations;
  rounds.reason = reason;
  if (reason == RoundReason::kNone) return false;
  const RoundLimit limit = round_limit(reason);
  if (rounds.taken[static_cast<int>(reason)]++ < limit.most) return true;
  report.status |= limit.bit;
  return false;
}

}  // namespace stiction
