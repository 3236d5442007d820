// The one table of tolerances (../docs/validation.md says where they come from). No literals in assertions.
#pragma once

namespace stiction::tolerance {

constexpr double kKinematics = 1e-10;       // poses, Jacobians, M, bias against MuJoCo, relative to the largest entry
constexpr double kKinematicsSingle = 1e-4;  // the same in float

constexpr double kGripperPosition = 1e-9;           // gripper2d q, double [m]
constexpr double kGripperForce = 1e-6;              // gripper2d forces, double [N]
constexpr double kGripperPositionIterative = 1e-6;  // by an iterative solver [m]
constexpr double kGripperForceIterative = 1e-3;     // [N]
constexpr double kGripperIterative = 1e-8;          // the residual that is asked of it
constexpr double kGripperPositionSingle = 5e-6;     // float [m]
constexpr double kGripperForceSingle = 5e-3;        // float [N]

// one step and 20 steps on host and GPU, relative to the largest entry: they differ in library functions only
constexpr double kHostAgainstCuda = 1e-8;
constexpr double kTrajectory = 1e-6;
constexpr double kTrajectorySingle = 1e-4;

constexpr double kClosedForm = 1e-9;  // results with a closed form, double, relative to their size

}  // namespace stiction::tolerance
