// How much each attempt of plan.hpp may take, and why not more. "Alone" means on a single host thread (solver.hpp).
// There the steps of newton.hpp follow, so that an attempt that makes little progress may end early.
#pragma once

#include "kernels/linalg/scalar.hpp"
#include "kernels/team/config.hpp"

namespace stiction {

// --- the convex problem ---

/// Limit on the changes of the active set's working rows, after which the polish and the central path are faster. Eight
/// changes count as one of `max_iterations`. At most half of what is `left` of the total is used.
ST_FN int most_active_set_changes(int nv, int max_iterations, int left) {
  return smaller(left / 2, smaller(30 + 4 * nv, 8 * max_iterations));
}

/// Limit on the Newton steps of the polish from a warm start; most of them keep their faces and are cheap. The second
/// is its patience, after which the interior point method is as fast.
constexpr int kWarmPolishSteps = 36;
constexpr int kWarmPolishPatience = 12;

// --- rounds of Coulomb's law: one convex problem for each shift of the gaps ---

/// Limits on the rounds from one start.
struct RoundLimits {
  int rounds = 0;
  int patience = 0;    // the best residual has to halve within so many rounds; 0: no such limit
  int iterations = 0;  // limit on their iterations, after which another start is faster; 0: no limit
};

/// Limit on the Newton steps of the polish in a round, after which the central path is faster.
constexpr int kRoundSteps = 25;

/// Limit on the rounds from a warm start. Alone, the polish and all of its rounds have kShortWarmSteps Newton steps
/// together: half of the starts need no more, and from the other half newton.hpp is faster.
constexpr int kWarmRounds = 15;
constexpr int kShortWarmSteps = 5;
constexpr int kShortWarmPatience = 3;

/// Limits on the rounds after a path whose corners are rounded off a little (sharp), and after one whose corners are
/// rounded off so much that it does not jam (round). Alone, the rounds after a sharp path have kShortPathSteps Newton
/// steps together, and the best residual has to halve within kShortPatience rounds.
constexpr int kSharpPathRounds = 30;
constexpr int kRoundPathRounds = 60;
constexpr int kShortPathSteps = 20;
constexpr int kShortPatience = 3;

/// Limits on the proximal points, on how many of them may remain unsolved, and on the rounds at each.
constexpr int kPoints = 20;
constexpr int kMostUnsolved = 2;
constexpr int kPointRounds = 40;

}  // namespace stiction
