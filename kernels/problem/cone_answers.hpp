// What the cones are asked, and their answers. Each kind of cone is one file with the same verbs:
//
//   project   p = P_K(x) and ∂p/∂x                        the point of K that is nearest to x
//   support   s(u_t) = max {−λ_t·u_t : (1, λ_t) ∈ K}      De Saxcé's shift, and what tells the dual cone: shift.hpp
//   smooth    s with its corners rounded off by δ, and σ = ∂s/∂u_t
//   nearest   the point of the section λ_n C that is nearest to z_t, with its derivatives: coulomb_impulse.hpp
//
//   kind               file                      section C                                impulses
//   FacetCone          cone_facets.hpp           polygon of D_k: a pyramid or a box       n, t, o
//   QuadraticCone      cone_quadratic.hpp        {‖(λ_t/μ_t, λ_o/μ_o)‖ <= 1}              n, t, o
//   TorsionCone        cone_torsion.hpp          {‖(λ_t/μ_t, λ_o/μ_o, λ_r/μ_r)‖ <= 1}     n, t, o, r
//   FacetTorsionCone   cone_facets_torsion.hpp   hull of that polygon and (0, 0, ±μ_r)    n, t, o, r
//
// Without friction along one axis a section is a segment: cone_flat.hpp. cone.hpp chooses the kind.
#pragma once

#include "kernels/problem/contact_vector.hpp"

namespace stiction {

/// p and ∂p/∂x
template <class Real>
struct ConeProjection {
  Vec3<Real> point;
  Sym3<Real> derivative;
};

/// The same for a cone with torsion.
template <class Real>
struct ContactProjection {
  ContactVector<Real> point;
  Sym4<Real> derivative;
};

/// The nearest point λ_t of a section, with d = ∂λ_t/∂λ_n and K = ∂λ_t/∂z_t. The defaults of d and K are those of a
/// point inside.
template <class Real>
struct SectionPoint {
  Real t, o;
  Real d_t = Real(0), d_o = Real(0);
  Real tt = Real(1), to = Real(0), oo = Real(1);
};

/// The same for a section with torsion; the entries of K are those of t, o, r, although its fields are named n, t, o.
template <class Real>
struct TorsionSectionPoint {
  Vec3<Real> point;
  Vec3<Real> d;
  Sym3<Real> K;
};

/// s and σ; the n component of σ is not read.
template <class Real>
struct SmoothSupport {
  Real s;
  ContactVector<Real> slope;
};

}  // namespace stiction
