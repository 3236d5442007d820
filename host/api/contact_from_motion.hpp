// Where and how hard a surface pushed a rigid body, from the body's motion alone: the equivalent contact point (ECP)
// and the impulse there (Xie & Chakraborty, "Rigid body dynamic simulation with line and surface contact", Proposition
// 2).
//
//   p_n n + p_t t + p_o o = A                A = m (v⁺ − v) − p                                        (24), (25)
//   r × A + p_r n = B                        B = I⁺ω⁺ − I ω + h ω⁺ × I ω⁺ − τ                          (26), (27)
//   n·r = d − n·q̄                            a = q̄ + r lies in the supporting plane n·a = d            (20), (23)
//
// Four equations for r and p_r, whose determinant is −(A·n)² = −p_n² ((28) is printed as A·n): a body that is pushed
// has one answer. With the components of r, A and B along n, t, o, and r_n = d − n·q̄, they are solved one after the
// other:
//
//   r_o = (B_t + r_n p_o)/p_n     r_t = (r_n p_t − B_o)/p_n     p_r = B_n − r_t p_o + r_o p_t
//
// The gyroscopic term is one of three; the impulse (p, τ) contains all that is neither this nor contact:
//
//   neither optional array       I⁺ = I, h = 0: there is no such term, or the caller has it in τ
//   step_size h                  I⁺ = I: the impulse p_vp = −h ω⁺ × I ω⁺ of (7); (22) and (26) are printed without h
//   inertia_after I⁺             h = 0: the change of the angular momentum, of any rigid motion
//
//   symbol     variable          shape           unit
//   q̄          position          (count, 3)      [m]
//   v, ω       velocity_before   (count, 6)      [m/s], [rad/s]
//   m, I       mass, inertia     (count, ...)    [kg], [kg m²]
//   p, τ       impulse           (count, 6)      [N s], [N m s]
//   n, d       normal,           (count, 3),     [-], [m]
//              plane_offset      (count)
#pragma once

#include <span>
#include <vector>

#include "host/model/error.hpp"

namespace stiction {

/// Rigid bodies, each over one step; all arrays are row-major and in world axes.
struct BodyMotions {
  int count = 0;
  std::span<const double> position = {};         // (count, 3) centre of mass, from which the arm r is taken
  std::span<const double> velocity_before = {};  // (count, 6) of the centre of mass, then angular
  std::span<const double> velocity_after = {};   // (count, 6)
  std::span<const double> mass = {};             // (count) > 0
  std::span<const double> inertia = {};          // (count, 3, 3) about the centre of mass, at the start of the step
  std::span<const double> impulse = {};          // (count, 6) of the weight and all else but this contact
  std::span<const double> normal = {};           // (count, 3) unit, towards the body
  std::span<const double> plane_offset = {};     // (count) d = n·x of the plane's points x

  // all following fields are optional, and at most one of the last two is given
  std::span<const double> tangent = {};        // (count, 3) unit, in the plane; empty: MuJoCo's (contact_frame.hpp)
  std::span<const double> step_size = {};      // (count) h > 0 [s]
  std::span<const double> inertia_after = {};  // (count, 3, 3) at the end of the step
};

/// What the surface did to the bodies. Entries that are not valid are NaN, except for their frame: p_n is negative, or
/// below 1e-12 of the impulses (of moments: over the radius of gyration) whose difference it is, or numbers overflow.
struct EquivalentContacts {
  std::vector<double> point;               // a (count, 3) [m]
  std::vector<double> p_n, p_t, p_o, p_r;  // (count) impulses along n, t, o [N s], and about n [N m s]
  std::vector<double> frame;               // (count, 3, 3) rows n, t, o = n × t
  std::vector<int> valid;                  // (count) 1 or 0
};

/// An entry's answer depends on its own numbers only. Throws InputError for arrays of another size, numbers that are
/// not finite, m or h that is not positive, I that is not symmetric and positive definite, n or t that is not a unit
/// vector, and t that is not in the plane.
EquivalentContacts contact_from_motion(const BodyMotions& motions);

}  // namespace stiction
