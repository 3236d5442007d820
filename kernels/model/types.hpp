// Enumerations that the model, the kernels and the public interface share. Values are stable: files record them.
#pragma once

#include <cstdint>

#include "kernels/team/config.hpp"

namespace stiction {

/// Shapes, in the order of the collision table: a pair is looked up with the smaller type first.
enum class GeomType : int { kPlane, kSphere, kCapsule, kCylinder, kEllipsoid, kBox, kMesh };
constexpr int kGeomTypes = 7;

enum class JointType : int { kFree, kBall, kSlide, kHinge };

/// What an actuator means to the dynamics: a target position, a target velocity, or a force.
enum class ActuatorKind : int { kPosition, kVelocity, kMotor };

enum class Dynamics : int {
#define ST_DYNAMICS(enumerator, name, assemble) enumerator,
#include "kernels/dynamics/dynamics.inc"
#undef ST_DYNAMICS
};
/// Momentum counts: velocities are a state.
ST_FN constexpr bool has_momentum(Dynamics dynamics) {
  return dynamics == Dynamics::kDynamic || dynamics == Dynamics::kDynamicFitted;
}
enum class ContactLaw : int {
#define ST_LAW(enumerator, name) enumerator,
#include "kernels/problem/laws.inc"
#undef ST_LAW
};
enum class ConeType : int {
#define ST_CONE(enumerator, name) enumerator,
#include "kernels/problem/cones.inc"
#undef ST_CONE
};
/// A precision by its name.
enum class Dtype : int { kFloat64, kFloat32 };

enum class SolverName : int {
#define ST_SOLVER(enumerator, name, solve, scratch, factors) enumerator,
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
};

/// What becomes of the state in a step without a solution.
enum class InfeasibleStep : int {
  kLeastViolation,  // the motion with the least overlap
  kKeep,            // none: the last state stays
};

/// Every pair of blocks.
constexpr int kAllCouplings = 1 << 30;

/// Bits of an environment's status, OR-ed over the steps of a call.
namespace status {
constexpr std::uint32_t kConverged = 1u << 0;        // residual <= [solver] tolerance in every step
constexpr std::uint32_t kIterationLimit = 1u << 1;   // raise [solver] max_iterations, max_total_iterations, tolerance
constexpr std::uint32_t kContactsDropped = 1u << 2;  // raise [solver] max_contacts (the deepest were kept)
constexpr std::uint32_t kPairsDropped = 1u << 3;     // raise [solver] max_pairs (the nearest were kept)
constexpr std::uint32_t kInfeasible = 1u << 4;  // no motion separates what overlaps: [solver] infeasible says what then
constexpr std::uint32_t kUnbounded = 1u << 5;   // nothing holds a body or joint: "quasidynamic", support
constexpr std::uint32_t kNotFinite = 1u << 6;   // NaN or infinity in state, control or solution; state kept
constexpr std::uint32_t kReachExceeded = 1u << 7;    // moved further than the contacts looked: smaller step_size
constexpr std::uint32_t kStalled = 1u << 8;          // residual stopped falling above the tolerance; best iterate used
constexpr std::uint32_t kNoSolutionFound = 1u << 9;  // coulomb: smaller step_size, or "anitescu"; LCPs: only rays
constexpr std::uint32_t kFactorFull = 1u << 10;      // too many bodies touch: raise [solver] max_contacts; state kept
constexpr std::uint32_t kBadParameter = 1u << 11;    // negative, zero size or gain, or not a number; state kept
constexpr std::uint32_t kMeetingsOpen = 1u << 12;    // which bodies meet was not settled: smaller step_size
constexpr std::uint32_t kBeyondOrder = 1u << 13;     // moves too fast for the order of the step: smaller step_size

/// The bits with which an environment counts as failed; kBeyondOrder is a warning.
constexpr std::uint32_t kFailed = kIterationLimit | kContactsDropped | kPairsDropped | kInfeasible | kUnbounded |
                                  kNotFinite | kReachExceeded | kStalled | kNoSolutionFound | kFactorFull |
                                  kBadParameter | kMeetingsOpen;
/// The bits that keep the environment at its last good state; `[solver] infeasible` = "keep" adds kInfeasible.
constexpr std::uint32_t kStateKept = kUnbounded | kNotFinite | kFactorFull | kBadParameter;
}  // namespace status

}  // namespace stiction
