// The tolerances of this room's tests, and why these values.
#pragma once

namespace stiction::reference::tolerance {

constexpr double kResidual = 1e-11;    // the reference promises this residual with facets and without shift [-]
constexpr double kResidualAny = 1e-9;  // and this one with curved cones and under Coulomb's law [-]
constexpr double kExact = 1e-12;       // hand numbers: a few roundings of numbers of order one
constexpr double kCertificate = 1e-9;  // certificates: relative to the sum of the absolute values of their terms
constexpr double kPosition = 1e-9;     // gripper2d, direct solver in double [m]
constexpr double kForce = 1e-6;        // gripper2d, direct solver in double [N]
constexpr double kKinematics = 1e-10;  // against MuJoCo, relative to the quantity's largest entry
constexpr double kScriptedVelocity =
    1e-9;                                // two texts of a difference of poses over a step of 1 ms and more [m/s, rad/s]
constexpr double kResidualText = 1e-12;  // two texts of the residual: the roundings of a natural map
constexpr double kObjective = 1e-8;      // objective of two solvers, relative to its terms + 1 mJ
constexpr double kViolation = 1e-9;      // farthest that a motion leaves a constraint [m]
constexpr double kShareConverged = 0.995;  // of recorded problems within the two bounds above, the rest flagged
// Of the steps that are looked at, those that the kernels themselves call unsolved: under Coulomb's law one in ten of
// problems pushed by robots stays so (docs/adr/0401-coulomb-outer-iteration.md).
constexpr double kShareFlagged = 0.1;
constexpr double kShareSettled =
    0.9;  // of random Coulomb problems pushed by robots, some of which may have no solution
constexpr double kDirectSolver = 1e-9;  // residual asked of the default solver [-]
constexpr double kScene = 1e-8;  // and on the scenes, over their whole course: what a scene asks unless it says so
constexpr double kSmoothScene = 1e-10;             // without friction, where what squeezes a body moves it far
constexpr double kAnySolver = 1e-8;                // residual that every solver reaches on the gripper [-]
constexpr double kActuatedMotion = 1e-8;           // h v_a of two solvers, direct [m]
constexpr double kActuatedMotionIterative = 1e-6;  // and iterative [m]
constexpr double kPatch = 1e-9;         // equations (18), (19) of a patch, each in its units; its motion [m/s]
constexpr double kPatchHeavy = 1e-8;    // a floor of 1e11 kg against a fixed one, a scene long [m, m/s]
constexpr double kPatchPrism = 20.0;    // a step of a prism against that of a cylinder, times the prism's sides [m/s]
constexpr double kPatchTilt = 1e-3;     // what a step from rest moves points of a body of 0.3 m [m]
constexpr double kPatchDepth = 1e-10;   // height of a body on the plane [m]
constexpr double kPatchEnergy = 1e-10;  // account of energy of a step, over the mass [J/kg]

}  // namespace stiction::reference::tolerance
