// The tolerances of this room's tests, and why these values.
#pragma once

namespace stiction::tolerance {

constexpr double kFlight = 1e-12;       // free flight against the scheme's closed form, relative to its largest entry
constexpr double kFittedDrive = 1e-9;   // a fitted drive against its closed form, relative to its largest entry
constexpr double kRest = 1e-9;          // a body at rest, direct solver in double [m, m/s]
constexpr double kServo = 1e-9;         // one dof against its recursion, with rows solved to 1e-10 [m, m/s]
constexpr double kEnergy = 1e-12;       // an energy of one joule against its closed form [J]
constexpr double kSpinMomentum = 1e-9;  // angular momentum after up to 1000 free steps, each solved to 1e-10, relative
constexpr double kFreeSpinEnergy = 1e-10;       // 200 free steps, each solved to 1e-10, relative
constexpr double kFreeSpinEnergySingle = 5e-4;  // in float: 200 steps of some roundings each
constexpr double kTumbledAlike = 1e-8;          // 20 steps of host and reference, each solved to 1e-10 [m, m/s, rad/s]
constexpr double kCentreFlight = 1e-12;         // centre of a spinning body against the closed form, relative
constexpr double kDroppedEnergy = 1.0 + 1e-3;   // largest energy of bodies that were dropped, over that of the start
constexpr double kFirstOrder = 0.2;       // of the ratio of the errors at two step sizes, which is that of the steps
constexpr double kPendulumEnergy = 0.02;  // ½ h · largest power of 9.81 N on 1 m, at h = 1 ms, twice [J]

// of the energy of the fall from the side to where the links hang
constexpr double kLinkEnergyRise = 0.015;     // one and two links of 1 m at 10 ms: ½ h · largest power of the weight
constexpr double kLinkEnergyFall = 0.06;      // the same, and what velocity terms lose
constexpr double kChainEnergyRise = 0.01;     // chains, while no step is flagged
constexpr double kChainEnergyFlagged = 0.05;  // after a step was; links of 5 cm at 10 ms have a band of 3.5 %
constexpr double kChainEnergyFall = 0.05;     // what whips lose in 2 s
constexpr double kFreeLinkageFall = 0.02;     // energy of rods without forces, 20 rad of 0.1 s steps
constexpr double kHeldArm = 1e-6;             // rate and energy of an arm that turns as one body, up to 1000 steps
constexpr double kLinkageMomentum = 1e-3;     // momentum about the axle over 200 steps, relative
constexpr double kTopTilt = 0.02;             // tilt of a top at 10 ms, ½ h Ω and its nutation [rad]
constexpr double kTopPrecession = 0.1;        // way of its precession in 2 s at 10 ms, of 4 rad [rad]
constexpr double kTopEnergy = 0.01;           // its energy at 10 ms, relative
constexpr double kDiskTilt = 0.04;            // a disk on its rim for 0.1 s at 0.5 ms, which loses energy [rad]
constexpr double kDiskPrecession = 0.15;      // of its way, which goes with the tilt
constexpr double kDiskEnergy = 0.03;          // what it loses in 0.1 s at 0.5 ms, relative
constexpr double kDiskEnergyRise = 1e-6;      // in one step, solved to 1e-6, relative
constexpr double kDroppedChain = 0.05;        // a chain of 2 kg that turns at 5 rad/s in the air, ½ h · its power [J]
constexpr double kChainRest = 1e-3;           // rate of a chain 4 s after it fell [m/s, rad/s]

constexpr double kPrescribed = 1e-12;  // a joint that follows its command: roundings only [m, rad]
constexpr double kPushed = 1e-8;       // a body that prescribed motion pushes for 20 steps, each solved to 1e-10 [m]
constexpr double kPushedForce = 1e-6;  // forces on it, direct solver in double [N]

constexpr double kCarried = 1e-8;  // a body that a script carries or pushes for 20 steps, each solved to 1e-10 [m]
constexpr double kCarriedSingle = 5e-6;  // the same in float [m]
constexpr double kFrictionSpeed = 0.05;  // a tenth of the speed that friction gives in 0.1 s: the box tilts off the
                                         // belt where Anitescu's law separates it while it slides [m/s]

constexpr double kFamilyRest = 1e-5;     // boxes at rest for 100 steps, each solved to 1e-6 [m]
constexpr double kFamilyOverlap = 2e-3;  // of boxes that fall at 10 ms a step [m]
constexpr double kMemoryGrowth = 0.1;  // beside 2, of twice the bodies: bounds of all pairs are kept, 12 bytes each [-]
constexpr double kFamilyLift = 5e-3;   // where a lifted box is: the actuators bend under its weight by 2.5 mm [m]

constexpr double kTippingAngle = 0.1;  // how closely the angle at which a body tips over is known [deg]
constexpr double kStanding = 1e-5;     // tilt of a body that stands, each step solved to the default residual [rad]
constexpr double kTipped = 0.1;        // tilt from which no body comes back there [rad]

constexpr double kSlideOfSteps = 1e-3;  // of the slide of implicit steps, each solved to 1e-6 of a momentum 17 times
                                        // the friction of a step
constexpr double kSlide = 0.01;         // of the closed form at h = 1 ms: v h/2 of it are the scheme's, 0.6 %
constexpr double kSlopeAngle = 5e-4;    // how closely the angle at which a block starts to slide is known [deg]

constexpr double kLimitAngle = 0.1;     // how far a joint may be beyond its limit [deg]
constexpr double kCoupledAngle = 0.01;  // how far a coupled joint may be off its ratio [deg]
constexpr double kFrictionRate = 1e-7;  // rate of a joint against its recursion over 800 steps [rad/s]

constexpr double kFlaggedPicks = 0.01;  // of planar_pick's steps that a solver may flag
constexpr double kFlatError = 1.06;     // largest over smallest integral error, h = 0.001 ... 0.4 s
constexpr double kFineError = 0.01;     // error of the second-order steps at 1 ms, of the quasistatic one
constexpr double kExplicitError = 2.0;  // integral error of explicit springs over their step while they are stable; 1.6
constexpr double kBlownUp = 1.0;        // by then the gripper is out of the room [s]
constexpr double kCarriedBox = 3e-3;    // where the carried box is: the plates bend by 1.45 mm, hover 1.8 mm [m, rad]
constexpr double kPutDown = 1e-6;       // height and tilt of the box in the end [m, rad]
constexpr double kSameWay = 1e-6;       // two solvers along 72 steps, each to 1e-9 [m, rad]

constexpr double kFence = 1e-9;                 // 600 steps of the particle against the closed form, direct solver [m]
constexpr double kFenceSingle = 2e-5;           // the same in float [m]
constexpr double kFenceQuadratic = 1e-8;        // with a quadratic cone on the floor [m]
constexpr double kFenceQuadraticSingle = 5e-5;  // [m]
constexpr double kFenceIterative = 1e-6;        // one step by an iterative solver [m]
constexpr double kFenceIterativeAsked = 1e-8;   // the residual asked of it [-]
constexpr double kFenceFlagged = 0.01;          // share of its steps that may be farther off, and say so
constexpr double kFenceStart = 1e-6;            // ways of metres in a step of 0.01 s, solved to 1e-10 of 300 m/s [m]

constexpr double kExactSolution = 1e-9;  // residual of a solution that was written down [-]
constexpr double kNoSolution = 1e-2;     // residual of a motion that is none: contacts are off by a part of their speed
constexpr double kIterative = 1e-7;      // residual asked of iterative solvers for a motion to 1e-6 [-]

constexpr double kTrajectoryOfOneMillisecond = 1e-2;  // ½ h · change of rate in 0.3 s, some 20 per second [m, rad]

constexpr double kSpin = 1e-8;  // rate of a body against its recursion of 40 steps, each solved to 1e-10 [rad/s]
constexpr double kSpinIterative = 1e-4;  // the same, each solved to 1e-7
constexpr double kSpinTorque = 1e-7;     // the torque of such a step [N m]
constexpr double kSpinTorqueIterative = 1e-4;
constexpr double kGripLimit = 1e-3;  // share by which a grip is above or below what it needs to hold

constexpr double kIslands = 1e-10;  // bodies apart and together, 100 steps solved to 1e-12 [m, -]

constexpr double kLanding = 1e-6;       // residual asked of a step that lands [-]
constexpr double kOpenLandings = 0.01;  // share of steps in which bodies turn by radians and meetings stay open [-]

constexpr double kDifferenceStep = 5e-6;  // of central differences: curvature and rounding cost about the same
constexpr double kSmoothedForce = 1e-11;  // a smoothed step of one dof against its equation [N s]
constexpr double kHandDerivative = 1e-9;  // its derivative, by differences of gaps of some metres
constexpr double kDerivative = 1e-5;      // derivatives against central differences, relative to the largest
constexpr double kHardDerivative = 1e-4;  // the same of a barrier of 1e-10 J against none
constexpr double kRighted = 0.1;  // of a tilt on other corners, where the answer jumps from corner to corner [-]
constexpr double kFarCommandSingle = 1e-4;    // of a rate of 0.0125 by commands that float rounds to 1e-3
constexpr double kDerivativeSingle = 0.02;    // in float: the problem is differentiated over 2e-3
constexpr double kSpringEnergy = 1e-12;       // energies of some joules, against the reference, relative
constexpr double kSpringEnergySingle = 1e-5;  // in float

}  // namespace stiction::tolerance
