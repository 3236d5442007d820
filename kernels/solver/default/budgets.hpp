// How much each attempt of plan.hpp may take, and why not more. Alone: on a host thread without a team, where the steps
// of newton.hpp follow, so that an attempt that does not close in soon may end early.
#pragma once

#include "kernels/linalg/scalar.hpp"
#include "kernels/team/config.hpp"

namespace stiction {

// --- the convex problem
// -----------------------------------------------------------------------------------------------

/// Changes of the working rows of the active set, before the polish and the central path are the better way: eight
/// count as one iteration; and at most half of what is `left` of the total.
ST_FN int most_active_set_changes(int nv, int max_iterations, int left) {
  return smaller(left / 2, smaller(30 + 4 * nv, 8 * max_iterations));
}

/// Newton steps of the polish from a warm start, most of which keep their faces and are cheap; and the steps in which
/// it has to get on, or the interior point is as fast.
constexpr int kWarmPolishSteps = 36;
constexpr int kWarmPolishPatience = 12;

// --- rounds of Coulomb's law: one convex problem for each shift of the gaps
// ------------------------------------------------

/// How long the rounds of one start go on.
struct RoundLimits {
  int rounds = 0;
  int patience = 0;    // rounds in which the best residual has to halve; 0: all of them
  int iterations = 0;  // after which another start is the better way; 0: as many as the rounds take
};

/// Newton steps of the polish in a round, before the central path is the better way.
constexpr int kRoundSteps = 25;

/// Rounds from a warm start. Alone, the polish and all of its rounds have kShortWarmSteps Newton steps together: half
/// of the starts need no more, and from the rest newton.hpp is the shorter way.
constexpr int kWarmRounds = 15;
constexpr int kShortWarmSteps = 5;
constexpr int kShortWarmPatience = 3;

/// Rounds after a path whose corners are rounded off a little, and after one whose corners are rounded off so much that
/// it does not jam. Alone, the first have kShortPathSteps Newton steps together, and kShortPatience rounds in which the
/// best residual has to halve.
constexpr int kSharpPathRounds = 30;
constexpr int kRoundPathRounds = 60;
constexpr int kShortPathSteps = 20;
constexpr int kShortPatience = 3;

/// Proximal points, how many of them may lack an answer, and rounds at each.
constexpr int kPoints = 20;
constexpr int kMostUnsolved = 2;
constexpr int kPointRounds = 40;

}  // namespace stiction
