// What the choices of [physics] and the shapes of geoms mean to those who solve and step, from the columns of their
// lists. Code asks for such a property and not for a name, so that a new choice is a new line of its list.
#pragma once

#include "kernels/model/types.hpp"

namespace stiction {

/// Momentum counts: velocities are a state.
ST_FN constexpr bool has_momentum(Dynamics dynamics) {
  switch (dynamics) {
#define ST_DYNAMICS(enumerator, name, assemble, momentum, fitted, exact) \
  case Dynamics::enumerator:                                             \
    return momentum;
#include "kernels/dynamics/dynamics.inc"
#undef ST_DYNAMICS
  }
  return false;
}

/// The springs of joints and actuators are fitted to the step size (docs/dynamics/dynamic_fitted.md).
ST_FN constexpr bool fits_springs(Dynamics dynamics) {
  switch (dynamics) {
#define ST_DYNAMICS(enumerator, name, assemble, momentum, fitted, exact) \
  case Dynamics::enumerator:                                             \
    return fitted;
#include "kernels/dynamics/dynamics.inc"
#undef ST_DYNAMICS
  }
  return false;
}

/// Commanded joints follow their command exactly.
ST_FN constexpr bool follows_exactly(Dynamics dynamics) {
  switch (dynamics) {
#define ST_DYNAMICS(enumerator, name, assemble, momentum, fitted, exact) \
  case Dynamics::enumerator:                                             \
    return exact;
#include "kernels/dynamics/dynamics.inc"
#undef ST_DYNAMICS
  }
  return false;
}

ST_FN constexpr bool has_friction(ContactLaw law) {
  switch (law) {
#define ST_LAW(enumerator, name, friction, shift) \
  case ContactLaw::enumerator:                    \
    return friction;
#include "kernels/problem/laws.inc"
#undef ST_LAW
  }
  return false;
}

/// The gap is shifted by the support of the friction section (kernels/problem/shift.hpp): the problem is not convex.
ST_FN constexpr bool shifts_gap(ContactLaw law) {
  switch (law) {
#define ST_LAW(enumerator, name, friction, shift) \
  case ContactLaw::enumerator:                    \
    return shift;
#include "kernels/problem/laws.inc"
#undef ST_LAW
  }
  return false;
}

/// A sliding contact carries across a gap (docs/laws/anitescu.md).
ST_FN constexpr bool hovers(ContactLaw law) { return has_friction(law) && !shifts_gap(law); }

/// The status bit of a problem whose solver gave up: one that is not convex may have no solution at all.
ST_FN constexpr std::uint32_t unsolved_status(ContactLaw law) {
  return shifts_gap(law) ? status::kNoSolutionFound : status::kStalled;
}

/// Bounded by a quadratic form and not by facets.
ST_FN constexpr bool is_round(ConeType cone) {
  switch (cone) {
#define ST_CONE(enumerator, name, round, facets) \
  case ConeType::enumerator:                     \
    return round;
#include "kernels/problem/cones.inc"
#undef ST_CONE
  }
  return false;
}

/// `[physics] facets` says how many facets it has.
ST_FN constexpr bool takes_facets(ConeType cone) {
  switch (cone) {
#define ST_CONE(enumerator, name, round, facets) \
  case ConeType::enumerator:                     \
    return facets;
#include "kernels/problem/cones.inc"
#undef ST_CONE
  }
  return false;
}

/// Number of the sizes of a geom that count; every one of them must be positive.
ST_FN constexpr int size_count(GeomType shape) {
  switch (shape) {
#define ST_SHAPE(enumerator, mujoco, sizes, foot, rounded, round) \
  case GeomType::enumerator:                                      \
    return sizes;
#include "kernels/model/shapes.inc"
#undef ST_SHAPE
  }
  return 0;
}

/// It may stand on more than four corners.
ST_FN constexpr bool is_foot(GeomType shape) {
  switch (shape) {
#define ST_SHAPE(enumerator, mujoco, sizes, foot, rounded, round) \
  case GeomType::enumerator:                                      \
    return foot;
#include "kernels/model/shapes.inc"
#undef ST_SHAPE
  }
  return false;
}

/// A core with a ball of radius size[0] around it.
ST_FN constexpr bool is_rounded(GeomType shape) {
  switch (shape) {
#define ST_SHAPE(enumerator, mujoco, sizes, foot, rounded, round) \
  case GeomType::enumerator:                                      \
    return rounded;
#include "kernels/model/shapes.inc"
#undef ST_SHAPE
  }
  return false;
}

/// No part of its surface is flat.
ST_FN constexpr bool is_round(GeomType shape) {
  switch (shape) {
#define ST_SHAPE(enumerator, mujoco, sizes, foot, rounded, round) \
  case GeomType::enumerator:                                      \
    return round;
#include "kernels/model/shapes.inc"
#undef ST_SHAPE
  }
  return false;
}

/// The law of a problem that is about normals alone.
constexpr ContactLaw kNoFriction = ContactLaw::kFrictionless;
/// The law of the convex problem beside one that is not.
constexpr ContactLaw kConvexFriction = ContactLaw::kAnitescu;
/// A cone that every solver takes.
constexpr ConeType kAnyCone = ConeType::kPyramid;

}  // namespace stiction
