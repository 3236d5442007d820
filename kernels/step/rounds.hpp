// Why some stages of a step run again, how often they may, and what all rounds add up to.
#pragma once

#include "kernels/step/part_overlaps.hpp"

namespace stiction {

/// The reason for a round.
enum class RoundReason : int {
  kNone,      // of the first round; of another one: the answer stands
  kReach,     // a body moved further than the contacts looked: pairs are selected again, with at least twice the reach
  kMeetings,  // contacts carry whose bodies do not meet, or bodies meet elsewhere (meetings.hpp)
  kAsFound,   // no motion obeys all meetings, or they do not end: the contacts of the start, to the end of the step
  kOverlap,   // something begins beyond its limits, and the velocity leaves it so: positions alone (part_overlaps.hpp)
};
constexpr int kRoundReasons = 5;

/// Rounds that a step may take for a reason; then it ends, with the bit.
struct RoundLimit {
  int most;
  std::uint32_t bit;
};

/// The limit of a reason.
ST_FN constexpr RoundLimit round_limit(RoundReason reason) {
  // overlaps are parted once after every velocity that stands: no step ends for that limit
  constexpr RoundLimit limits[kRoundReasons] = {
      {0, 0}, {8, status::kReachExceeded}, {24, status::kMeetingsOpen}, {1, status::kMeetingsOpen}, {10, 0}};
  return limits[static_cast<int>(reason)];
}

/// The rounds of a step so far.
struct Rounds {
  RoundReason reason = RoundReason::kNone;  // of the round that is on
  int taken[kRoundReasons] = {};            // of each reason
  int count = 0;                            // of all rounds that are done
  int iterations = 0;                       // of the solver in all rounds

  /// The contacts of the start stay: no meetings are looked for.
  ST_FN bool as_found() const { return taken[static_cast<int>(RoundReason::kAsFound)] > 0; }
};

/// Why the answer does not stand; prepares what the next round changes. `reason`: of the round that is on; `looked`:
/// the pairs were looked at where the answer takes them.
template <class Team, class Real>
ST_FN RoundReason find_reason(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                              RoundReason reason, bool looked, const SolverReport<double>& report,
                              const ContactProblem<double>& problem, StepScratch<Real>& s) {
  if ((report.status & status::kInfeasible) && reason == RoundReason::kMeetings) return RoundReason::kAsFound;
  if ((report.status & status::kUnbounded) && keep_left_out(team, s)) return RoundReason::kMeetings;
  if (!covers_motion(team, model, config.step_size, report, s)) return RoundReason::kReach;
  if (!looked) return RoundReason::kNone;
  if (arrange_meetings(team, model, s)) return RoundReason::kMeetings;
  const bool overlaps = config.parts_overlaps && leaves_overlap(team, model, problem, dead_band(config).band, s);
  return overlaps ? RoundReason::kOverlap : RoundReason::kNone;
}

/// True if there is another round, for `reason` or in its place; else the report says which limit ended the step.
ST_FN bool count_round(RoundReason reason, Rounds& rounds, SolverReport<double>& report) {
  rounds.count += 1;
  rounds.iterations += report.iterations;
  report.iterations = rounds.iterations;
  const bool endless = reason == RoundReason::kMeetings &&
                       rounds.taken[static_cast<int>(reason)] == round_limit(RoundReason::kMeetings).most;
  rounds.reason = endless ? RoundReason::kAsFound : reason;
  if (rounds.as_found()) report.status |= round_limit(RoundReason::kAsFound).bit;
  if (reason == RoundReason::kNone) return false;
  const RoundLimit limit = round_limit(rounds.reason);
  if (rounds.taken[static_cast<int>(rounds.reason)]++ < limit.most) return true;
  report.status |= limit.bit;
  return false;
}

}  // namespace stiction
