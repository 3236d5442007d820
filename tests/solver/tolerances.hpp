// Every tolerance of the solver's tests, with what it bounds and why.
#pragma once

namespace stiction::test {

constexpr double kLcpResidual = 1e-9;      // scaled residual of an LCP, as asked (docs/validation.md)
constexpr double kRecordedLcp = 1e-9;      // ‖min(z, w)‖ of recorded LCPs, relative to max(1, ‖q‖)
constexpr double kExactLcp = 1e-9;         // entries of z of tiny LCPs of size 1, a few roundings of their condition
constexpr double kFloatLcp = 2e-5;         // residual of an LCP whose data and z are floats: 100 roundings
constexpr double kStewartTrinkle = 1e-8;   // products of the Stewart-Trinkle conditions, relative: ten times kAsked
constexpr double kShareFloat = 0.95;       // of float contact problems solved to kFloatResidual, the rest flagged
constexpr double kObjectiveFloor = 1e-3;   // [J/s] added to the objective's size where objectives are compared
constexpr double kAskedIterative = 1e-6;   // residual asked of iterative solvers (docs/validation.md)
constexpr double kIterativeNumber = 1e-5;  // against closed forms of size 1: ten times kAskedIterative
constexpr double kSlideShare = 1e-4;       // of what friction takes in a step; kAskedIterative is of 17 times as much
constexpr double kShareAdmm = 0.95;        // of random singular problems that ADMM solves, the rest flagged
constexpr double kShareAdmmCoulomb =
    0.6;  // the same under Coulomb's law without an outer iteration; 0.9 of 100 measured
constexpr double kShareAdmmFacetsTorsion = 0.9;  // with facets and torsion, convex; 0.925 of 40 measured
constexpr double kShareAdmmFloat = 0.8;          // to kFloatResidual in float
constexpr double kSharePgs = 0.2;          // of random singular problems that Gauss-Seidel solves to kFloatResidual
constexpr double kSweptMotion = 1e-11;     // of what 100 sweeps add to v in turn, in units of size 1: roundings
constexpr double kLimit = 1e-6;            // of an objective, where both solvers were asked kAsked
constexpr double kGripperAsked = 1e-10;    // the gripper runs 35 steps: a tenth of kGripperPosition
constexpr double kGripperPosition = 1e-9;  // direct solver, double (docs/validation.md) [m]
constexpr double kGripperForce = 1e-6;     // the same [N]
constexpr double kShareFloatLcp = 0.98;    // of random contact LCPs in float that are solved, the rest flagged

constexpr double kAsked = 1e-9;            // [solver] tolerance where a test needs the polish [-]
constexpr double kAskedSingular = 1e-8;    // the same of wild problems with a singular H, each tree by its own scale
constexpr double kHandNumber = 1e-8;       // against closed forms, relative to a problem of size 1: ten times kAsked
constexpr double kFloorOfTheMass = 1e-4;   // the weight of the least motion is the mass + 1e-4 of the largest one
constexpr double kExact = 1e-14;           // a few roundings of numbers of size 1
constexpr double kObjective = 1e-8;        // objective against the oracle, relative to ½|vᵀHv| + |gᵀv| + 1 mJ
constexpr double kViolation = 1e-9;        // primal violation [m]
constexpr double kShareConverged = 0.995;  // of random problems within the two bounds above, the rest flagged
constexpr double kCertificate = 1e-9;      // rounding left in a certificate, relative to its largest entry
constexpr double kFloatResidual = 2e-4;    // float carries 7 digits; contact problems lose 3
constexpr double kAskedOfFloats = 1e-4;    // residual asked of solvers with a factor in float
constexpr double kBelowFloats = 1e-8;      // residual that a rounded factor would hide
constexpr double kShareOfFloatFactors = 0.95;  // of what a factor in double solves to kAskedOfFloats
constexpr double kProjection = 1e-12;          // optimality of a projection, relative to the projected vector
constexpr double kFloatProjection =
    1e-5;                                // of a float against a double, relative to the projected vector: 100 roundings
constexpr double kShareOfCones = 0.99;   // of random problems with quadratic cones that reach kAsked; 0.9987 measured
constexpr double kShareOfFloats = 0.9;   // of random problems that reach kFloatResidual in float
constexpr double kTight = 1e-11;         // [solver] tolerance that leaves a motion to 1e-9
constexpr double kFrame = 1e-9;          // motion under turned tangents [m]
constexpr double kNoOverlap = 1e-10;     // penetration and hover of a slide under Coulomb's law [m]
constexpr double kAngle = 5e-4;          // limit angle of sticking on a slope [degrees]
constexpr double kAtRest = 1e-9;         // speed of what sticks [m/s]; kAngle above the limit it is 1e-6
constexpr double kShareOfStacks = 0.99;  // of random stacks that Coulomb's law solves; 1 measured
constexpr double kShareOfGrasps = 0.8;   // of stacks pushed by robots with random Jacobians; 0.84 to 0.94 measured
constexpr double kShareExplained = 0.99;     // of random unsolvable problems that get a certificate; 0.998 measured
constexpr double kDifference = 1e-6;         // half of a central difference; its error is the square of it
constexpr double kDerivative = 1e-6;         // what rounding (1e-16/kDifference) and curvature leave of it, with margin
constexpr double kSameFace = 1e-3;           // derivatives that differ by more have a kink between them
constexpr double kShareSmooth = 0.99;        // of random vectors that have no kink within the difference
constexpr double kRayGrid = 1e-5;            // 1 − cos(π/720): a quadratic cone between neighbours of 720 rays
constexpr double kNearTip = 1e-3;            // z_n from which on 1/z_n, which the derivative grows with, is harmless
constexpr double kSectionDerivative = 1e-5;  // kDerivative with a curvature of up to 1/kNearTip
constexpr double kSharePressed = 0.7;        // of random vectors that have z_n > kNearTip and no kink; 0.76 expected
constexpr double kNewtonDirection = 1e-6;    // of ‖F‖: as kDerivative
constexpr double kShareWithoutKink = 0.5;    // of random states that have no kink within the difference
constexpr double kShareNewton = 0.99;        // of random problems with a singular H that Newton brings to kAsked
constexpr double kShareNewtonFacets = 0.96;  // the same under Coulomb's law with facets; 0.979 of 850 pyramids measured
constexpr double kShareNewtonWild = 0.95;    // the same with μ 0.1 ... 3 of any shape; 0.98 of 1,000 measured
constexpr double kShareNewtonFloat = 0.9;    // to kFloatResidual in float
constexpr double kLittleFriction = 0.2;      // times μ <= 0.9: the motion under Coulomb's law is unique
constexpr double kSameMotion = 1e-8;         // of two solvers with kTight asked [m]
constexpr double kGramFactor = 1e-8;         // against a dense solve: the square of the rows' condition, up to 1e4
constexpr double kDependentShare =
    1e-11;  // share of a row's square that rounding leaves of a dependent one, with margin
constexpr double kAlmostDependent = 1e-7;  // between rows whose products rounding can hardly tell apart
constexpr double kSplit = 1e-13;           // of an impulse split on generators, relative to its normal part: roundings
constexpr double kShareActiveSetFloat = 0.9;   // of random small stacks with mass that the active set alone solves
constexpr double kShareImpulses = 0.65;        // of the same, cold, that Newton on the impulses solves; 0.71 measured
constexpr double kShareImpulsesFloat = 0.6;    // the same in single precision
constexpr double kLittleMass = 1e-6;           // added to an H whose other eigenvalues are of size 1
constexpr double kLeastMotion = 1e-3;          // what that mass moves the solution by, with margin [m/s]
constexpr double kShareOfLeastMotions = 0.98;  // of random problems with a dense singular H; 118 to 120 of 120 measured
constexpr int kWarmNewtonSteps = 6;            // from the answer; cold takes about 60

}  // namespace stiction::test
