// Which features of two bodies a step has to try.
//
// At a touch with normal n each feature is where its body reaches farthest along n, and is nowhere from the other's. If
// no point of F moves by more than `reach` against G, then F turns by at most θ = reach/size of F, every angle to n is
// within θ of what it was, and every distance within `reach`. What would need more is left out. The features of a
// cylinder are few and all are tried.
#pragma once

#include <vector>

#include "host/reference/patch_step.hpp"

namespace stiction::reference {

/// Without contact first, then corners and rims, edges and lines, faces and disks, and edges that cross.
std::vector<PatchFeature> list_features(const PatchProblem& problem);

}  // namespace stiction::reference
