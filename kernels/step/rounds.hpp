// Why some stages of a step run again, how often they may, and what all rounds add up to.
#pragma once

#include "kernels/step/end_rounds.hpp"
#include "kernels/step/part_overlaps.hpp"
#include "kernels/step/parting_pairs.hpp"

namespace stiction {

/// The reason for a round.
enum class RoundReason : int {
  kNone,      // reason of the first round; after a round: the answer stands
  kReach,     // a body moved further than its reach: pairs are selected again, with a larger one
  kSuspects,  // contacts carry whose bodies do not meet: they are left out (meetings.hpp)
  kMeetings,  // bodies meet: contacts where they do; or there is no answer without those left out, which come back
  kAsFound,   // no motion obeys all meetings, or they do not settle: the contacts of the start hold for the whole step
  kEnd,       // it is open whether the answer is right where it ends (end_rounds.hpp)
  kOverlap,   // the velocity leaves overlaps or limits violated: positions alone are corrected (part_overlaps.hpp)
};
constexpr int kRoundReasons = 7;

/// True for a round that changes some pairs of the round before it and starts from an earlier answer.
ST_FN constexpr bool changes_pairs(RoundReason reason) {
  return reason == RoundReason::kSuspects || reason == RoundReason::kMeetings;
}

/// True for a round whose pairs and contacts are those of the start of the step.
ST_FN constexpr bool begins_anew(RoundReason reason) {
  return !changes_pairs(reason) && reason != RoundReason::kEnd && reason != RoundReason::kOverlap;
}

/// How many rounds a step may take for a reason, and the status bit with which it then ends.
struct RoundLimit {
  int most;
  std::uint32_t bit;
};

/// The limit of a reason; that of kMeetings is for all rounds that change pairs. It counts from the last round with a
/// larger reach, which forgets what pairs the rounds before it had changed. Of those of kEnd the last goes back.
ST_FN constexpr RoundLimit round_limit(RoundReason reason) {
  // overlaps are pushed apart once after every velocity that stands, so no step ends because of their limit
  constexpr RoundLimit limits[kRoundReasons] = {{0, 0},
                                                {8, status::kReachExceeded},
                                                {24, status::kMeetingsOpen},
                                                {24, status::kMeetingsOpen},
                                                {1, status::kMeetingsOpen},
                                                {41, status::kEndOpen},
                                                {10, 0}};
  return limits[static_cast<int>(reason)];
}

/// The rounds of a step so far.
struct Rounds {
  RoundReason reason = RoundReason::kNone;  // reason of the present round
  RoundReason last = RoundReason::kNone;    // reason of the round before it
  int taken[kRoundReasons] = {};            // number of rounds for each reason; those that change pairs: kMeetings
  int count = 0;                            // number of finished rounds
  int iterations = 0;                       // of the solver, in all rounds

  /// True if the contacts of the start hold for the whole step, so that no meetings are looked for.
  ST_FN bool as_found() const { return taken[static_cast<int>(RoundReason::kAsFound)] > 0; }

  /// True if rounds that sought the end were in vain, so that this one goes back.
  ST_FN bool is_back_from_end() const {
    return taken[static_cast<int>(RoundReason::kEnd)] == round_limit(RoundReason::kEnd).most;
  }
};

/// An answer with a larger residual than this says nothing about the motion [-].
constexpr double kNoAnswer = 1e-3;

/// True if the solver found no answer after some pairs changed, and what it came to leads further than contacts were
/// looked for.
template <class Team, class Real>
ST_FN bool lost_its_way(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, RoundReason reason,
                        const SolverReport<double>& report, StepScratch<Real>& s) {
  constexpr std::uint32_t kSaysMore = status::kConverged | status::kUnbounded | status::kNotFinite;
  if (!changes_pairs(reason) || (report.status & kSaysMore) || report.residual <= kNoAnswer) return false;
  return count_overlooked(team, model, s.poses, s.slots, s.taken, config.step_size, s.bounds, s.reach) > 0;
}

/// Returns why the answer does not stand, and prepares what the next round changes. `reason`: that of the present
/// round; `looked`: the pairs were examined where the answer takes them; `stands`: it is right there.
template <class Team, class Real>
ST_FN RoundReason find_reason(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                              RoundReason reason, bool looked, bool stands, const SolverReport<double>& report,
                              const ContactProblem<double>& problem, StepScratch<Real>& s) {
  if (moves_first(config)) return RoundReason::kNone;
  if ((report.status & status::kInfeasible) && changes_pairs(reason)) return RoundReason::kAsFound;
  const bool lost = lost_its_way(team, model, config, reason, report, s);
  if ((lost || (report.status & status::kUnbounded)) && keep_left_out(team, s)) return RoundReason::kMeetings;
  if (lost) return RoundReason::kAsFound;
  if (!covers_motion(team, model, config.step_size, report, s)) return RoundReason::kReach;
  if (!looked) return RoundReason::kNone;
  if constexpr (Team::kLanes == 1)
    if (bring_back_parting(team, model, config, s)) return RoundReason::kMeetings;
  if (reason == RoundReason::kOverlap) return RoundReason::kNone;
  const PairChange change = arrange_meetings(team, model, s);
  if (change == PairChange::kLeftOut) return RoundReason::kSuspects;
  if (change == PairChange::kMet) return RoundReason::kMeetings;
  if (seeks_end(config) && !stands && (report.status & status::kConverged)) return RoundReason::kEnd;
  const bool overlaps = config.parts_overlaps && leaves_overlap(team, model, problem, dead_band(config).band, s);
  return overlaps ? RoundReason::kOverlap : RoundReason::kNone;
}

/// True if there is another round, for `reason` or for kAsFound in its place; else the report says which limit ended
/// the step.
ST_FN bool count_round(RoundReason reason, Rounds& rounds, SolverReport<double>& report) {
  rounds.count += 1;
  rounds.iterations += report.iterations;
  report.iterations = rounds.iterations;
  const bool endless = changes_pairs(reason) && rounds.taken[static_cast<int>(RoundReason::kMeetings)] ==
                                                    round_limit(RoundReason::kMeetings).most;
  rounds.last = rounds.reason;
  rounds.reason = endless ? RoundReason::kAsFound : reason;
  if (rounds.as_found()) report.status |= round_limit(RoundReason::kAsFound).bit;
  if (reason == RoundReason::kNone) return false;
  const RoundReason counted = changes_pairs(rounds.reason) ? RoundReason::kMeetings : rounds.reason;
  if (counted == RoundReason::kReach) rounds.taken[static_cast<int>(RoundReason::kMeetings)] = 0;
  const RoundLimit limit = round_limit(counted);
  if (rounds.taken[static_cast<int>(counted)]++ < limit.most) return true;
  report.status |= limit.bit;
  return false;
}

}  // namespace stiction
