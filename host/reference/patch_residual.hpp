// How well a step of two bodies that touch in a patch solves (18), (19), in the paper's variables, written apart from
// the equations that solve it.
//
// The points a_1 of F and a_2 of G are the ECP where there is contact, and the closest points (12) otherwise. The
// multipliers l_1, l_2 >= 0 of the functions that vanish there are those that come nearest to
//
//   Σ l_i ∇f_i(a_1) = −n,   Σ l_j ∇g_j(a_2) = n                                  (13), (14) up to the choice of k_1
//
// with n the normal of the contact, or the direction from a_2 to a_1; of bodies that share a point without a contact
// any n will do.
#pragma once

#include "host/reference/patch_step.hpp"

namespace stiction::reference {

struct PatchResidual {
  double motion = 0.0;         // (18) of both bodies, first line [N s, N m s]
  double configuration = 0.0;  // (8): the written q⁺ [m, -]
  double friction = 0.0;       // (9), (18): e_i² μ p_n v_i + p_i σ, at most [N s · m/s, e_i² in its units]
  double cone = 0.0;           // (19): min(σ, ζ) [m/s or (N s)²]
  double points = 0.0;         // (15), (16): how far a_1 is outside of F, or a_2 outside of G [m]
  double gap = 0.0;            // (17), (19): min(p_n, max f_i(a_2)) [N s or m]
  double normal = 0.0;         // (13), (14): what the normals of F or of G leave of n [-]
  double largest() const;
};

PatchResidual patch_residual(const PatchProblem& problem, const PatchSolution& solution);

}  // namespace stiction::reference
