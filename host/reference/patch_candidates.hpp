// Which features of two bodies a step has to try, and from which coordinates of the ECP.
//
// At a touch with normal n each feature is where its body reaches farthest along n, and is nowhere from the other's. If
// no point of F moves by more than `reach` against G, then F turns by at most θ = reach/size of F, every angle to n is
// within θ of what it was, and every distance within `reach`. What would need more is left out.
#pragma once

#include <vector>

#include "host/reference/patch_step.hpp"

namespace stiction::reference {

struct PatchCandidate {
  PatchFeature feature;
  std::vector<Eigen::Vector3d> starts = {Eigen::Vector3d::Zero()};  // s (patch_feature.hpp) to start from
};

/// Without contact first, then what lies on faces and mantles: corners and rims, edges and lines, faces and disks; then
/// edges and rims that cross, and edges along each other.
std::vector<PatchCandidate> list_candidates(const PatchProblem& problem);

namespace patch_detail {

struct PatchLimits {
  double reach;  // [m]
  double turn;   // [rad], at most π/2
};

/// Whether a turn by `turn` can bring the whole body, seen from the corner, to the side of the direction n (world).
bool can_support(const PatchBody& body, int corner, const Eigen::Vector3d& n, double turn);

/// Edges, mantles and rims of F and G.
void list_on_edges(const PatchProblem& problem, const PatchLimits& limits, std::vector<PatchCandidate>& candidates);

}  // namespace patch_detail
}  // namespace stiction::reference
