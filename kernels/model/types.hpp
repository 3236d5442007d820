// Enumerations that the model, the kernels and the public interface share. Values are stable: files record them.
#pragma once

#include <cstdint>

#include "kernels/team/config.hpp"

namespace stiction {

enum class GeomType : int {
#define ST_SHAPE(enumerator, ...) enumerator,
#include "kernels/model/shapes.inc"
#undef ST_SHAPE
};
constexpr int kGeomTypes = 0
#define ST_SHAPE(...) +1
#include "kernels/model/shapes.inc"
#undef ST_SHAPE
    ;

/// `geom_mesh` of a slot that holds no shape: it collides with nothing, and no ray meets it.
constexpr int kSpareGeom = -2;

enum class JointType : int { kFree, kBall, kSlide, kHinge };

/// What an actuator means to the dynamics: a target position, a target velocity, or a force.
enum class ActuatorKind : int { kPosition, kVelocity, kMotor };

/// How an activation follows its control: it integrates it, or lags behind it.
enum class ActivationDynamics : int { kIntegrator, kFilter };

enum class Dynamics : int {
#define ST_DYNAMICS(enumerator, ...) enumerator,
#include "kernels/dynamics/dynamics.inc"
#undef ST_DYNAMICS
};
enum class ContactLaw : int {
#define ST_LAW(enumerator, ...) enumerator,
#include "kernels/problem/laws.inc"
#undef ST_LAW
};
enum class ConeType : int {
#define ST_CONE(enumerator, ...) enumerator,
#include "kernels/problem/cones.inc"
#undef ST_CONE
};
enum class ContactModel : int {
#define ST_CONTACT_MODEL(enumerator, name) enumerator,
#include "kernels/model/contact_choices.inc"
#undef ST_CONTACT_MODEL
};
enum class ContactGeometry : int {
#define ST_CONTACT_GEOMETRY(enumerator, name) enumerator,
#include "kernels/model/contact_choices.inc"
#undef ST_CONTACT_GEOMETRY
};
enum class Rotation : int {
#define ST_ROTATION(enumerator, name) enumerator,
#include "kernels/model/contact_choices.inc"
#undef ST_ROTATION
};
enum class TorsionRadius : int {
#define ST_TORSION_RADIUS(enumerator, name) enumerator,
#include "kernels/model/contact_choices.inc"
#undef ST_TORSION_RADIUS
};
enum class Regions : int {
#define ST_REGIONS(enumerator, name) enumerator,
#include "kernels/model/contact_choices.inc"
#undef ST_REGIONS
};
enum class Equality : int {
#define ST_EQUALITY(enumerator, name) enumerator,
#include "kernels/model/contact_choices.inc"
#undef ST_EQUALITY
};
enum class StepOrder : int {
#define ST_STEP_ORDER(enumerator, name) enumerator,
#include "kernels/model/contact_choices.inc"
#undef ST_STEP_ORDER
};
enum class SensorType : int {
#define ST_SENSOR(enumerator, type, name, needs) enumerator,
#include "kernels/model/sensors.inc"
#undef ST_SENSOR
};
constexpr int kSensorTypes = 0
#define ST_SENSOR(...) +1
#include "kernels/model/sensors.inc"
#undef ST_SENSOR
    ;
/// What a sensor needs in order to be computed (sensors.inc).
enum class SensorNeeds : int { kState, kAcceleration, kDrive, kNever };

/// How far a sensor's values are cut off: on both sides, above, or not at all (axes and quaternions).
enum class SensorRange : int { kReal, kPositive, kUncut };

/// A floating-point precision.
enum class Dtype : int { kFloat64, kFloat32 };

enum class SolverName : int {
#define ST_SOLVER(enumerator, name, solve, scratch, factors) enumerator,
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
};

/// What becomes of the state in a step without a solution.
enum class InfeasibleStep : int {
  kLeastViolation,  // the motion with the least overlap
  kKeep,            // no motion: the last state stays
};

/// A factor may couple every pair of blocks.
constexpr int kAllCouplings = 1 << 30;

/// Bits of an environment's status, OR-ed over the steps of a call; their list: status.inc.
namespace status {

enum class Effect : int { kGood, kWarning, kFails, kStays };

enum class Place : int {
#define ST_STATUS(enumerator, name, effect, advice) enumerator,
#include "kernels/model/status.inc"
#undef ST_STATUS
};

#define ST_STATUS(enumerator, name, effect, advice) \
  constexpr std::uint32_t enumerator = 1u << static_cast<int>(Place::enumerator);
#include "kernels/model/status.inc"
#undef ST_STATUS

/// The bits with one of two effects.
constexpr std::uint32_t bits_with(Effect one, Effect other) {
  std::uint32_t bits = 0;
#define ST_STATUS(enumerator, name, effect, advice) \
  if (Effect::effect == one || Effect::effect == other) bits |= enumerator;
#include "kernels/model/status.inc"
#undef ST_STATUS
  return bits;
}

/// The bits with which an environment counts as failed.
constexpr std::uint32_t kFailed = bits_with(Effect::kFails, Effect::kStays);
/// The bits that keep the environment at its last good state; `[solver] infeasible` = "keep" adds kInfeasible.
constexpr std::uint32_t kStateKept = bits_with(Effect::kStays, Effect::kStays);

}  // namespace status

}  // namespace stiction
