// What the choices of [physics] and the shapes of geoms mean to the solvers and the step, from the columns of their
// lists. Code asks for such a property and not for a name, so that a new choice needs only a new line in its list.
#pragma once

#include "kernels/model/types.hpp"

namespace stiction {

/// True if steps have momentum, so that velocities are part of the state.
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

/// True if the springs of joints and actuators are fitted to the step size (docs/dynamics/dynamic_fitted.md).
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

/// True if commanded joints follow their command exactly.
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

ST_FN constexpr SensorNeeds sensor_needs(SensorType type) {
  switch (type) {
#define ST_SENSOR(enumerator, type, name, needs) \
  case SensorType::enumerator:                   \
    return SensorNeeds::needs;
#include "kernels/model/sensors.inc"
#undef ST_SENSOR
  }
  return SensorNeeds::kNever;
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

/// True if the gap is shifted by the support of the friction section (kernels/problem/shift.hpp), so that the problem
/// is not convex.
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

/// True if a sliding contact carries force across a gap (docs/laws/anitescu.md).
ST_FN constexpr bool hovers(ContactLaw law) { return has_friction(law) && !shifts_gap(law); }

/// The law of the same friction without a shift of the gap.
ST_FN constexpr ContactLaw without_shift(ContactLaw law) { return shifts_gap(law) ? ContactLaw::kAnitescu : law; }

/// The status bit of a problem whose solver gave up: one that is not convex may have no solution at all.
ST_FN constexpr std::uint32_t unsolved_status(ContactLaw law) {
  return shifts_gap(law) ? status::kNoSolutionFound : status::kStalled;
}

/// True if the cone is bounded by a quadratic form and not by facets.
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

/// True if `[physics] facets` says how many facets the cone has.
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

/// How many of a geom's sizes its shape uses; each of them must be positive.
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

/// True if the shape may stand on more than four corners.
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

/// True if the shape is a core with a ball of radius size[0] around it.
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

/// True if no part of the shape's surface is flat.
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

/// The law of a problem that has normal forces only.
constexpr ContactLaw kNoFriction = ContactLaw::kFrictionless;
/// The law of the convex problem that goes with one that is not convex.
constexpr ContactLaw kConvexFriction = ContactLaw::kAnitescu;
/// A cone that every solver accepts.
constexpr ConeType kAnyCone = ConeType::kPyramid;

}  // namespace stiction
