// Tolerances of the tests of contact patches.
#pragma once

namespace stiction::test::tolerance {

constexpr double kStep = 1e-9;     // residual of a step, of impulses over m g h, of lengths in metres
constexpr double kMotion = 1e-8;   // velocity of a step against the reference [m/s], [rad/s]
constexpr double kTurned = 1e-8;   // courses of the same scene, turned or with another floor, after many steps [m], [-]
constexpr double kSolvers = 1e-7;  // the same course by different solvers [m], [rad]
constexpr double kDerivative =
    1e-6;  // derivatives of smoothed steps against their central differences, relative to the largest
constexpr double kDerivativeSingle = 0.02;   // of a single precision state, over 1e-3
constexpr double kHardDerivative = 5e-6;     // the same of a barrier of 2e-10 to 1e-9 J against hard steps
constexpr double kRadius = 1e-12;            // mean radius of a patch against its closed form [m]
constexpr double kRadiusShare = 1e-6;        // mean radius of a patch against quadrature of that accuracy [-]
constexpr double kRadiusShareSingle = 1e-6;  // the same of a single precision disk, turned [-]

}  // namespace stiction::test::tolerance
