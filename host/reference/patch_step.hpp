// One step of two convex bodies F and G that touch in a patch: the mixed nonlinear complementarity problem (18), (19)
// of Xie and Chakraborty, "Rigid body dynamic simulation with line and surface contact".
//
//   0 = M (ν⁺ − ν) − W_n p_n − W_t p_t − W_o p_o − W_r p_r − p_app − p_vp        (18), of both bodies
//   W_n = [n; r × n], W_t = [t; r × t], W_o = [o; r × o], W_r = [0; n]           (2), with the other sign for G
//   0 = e_i² μ p_n v_i + p_i σ,  v_i = W_iᵀ ν⁺,  i = t, o, r                     (9)
//   0 <= σ ⊥ ζ = (μ p_n)² − (p_t/e_t)² − (p_o/e_o)² − (p_r/e_r)² >= 0            (9), (19)
//   0 <= p_n, and the ECP a is a touching solution of F and G at q⁺ if p_n > 0   (13) to (17)
//   q⁺ = normalise(q + h G(q) ν⁺)                                                (8)
//
// M is that of the start, r = a − (centre of mass) that of the end, p_vp = −h ω⁺ × (I ω⁺) with I of the start, and
// gravity is one of the applied impulses.
//
//   symbol            variable             shape  unit
//   ν = [v; ω]        velocity             (6)    m/s, rad/s, world axes, v of the centre of mass
//   a                 ecp                  (3)    m, world
//   p_n, p_t, p_o     impulse[0..2]        (4)    N s, on F; on G its opposite
//   p_r               impulse[3]                  N m s
//   σ                 slip                        m/s
//   n, t, o           axes                 (3, 3) columns; n points from G to F, t is world X in the plane
//                                                   (Y where |n_x| > 0.9), o = n × t
//   e_t, e_o, e_r     ellipsoid            (3)    -, -, m
//
// The method is the one that is easiest to check: every feature that could touch (none; corner, edge or face on a face,
// edges that cross or lie along each other, and for cylinders rim point, line, disk and mantle) is tried with sticking
// and with slipping. Each of these is a smooth square system for Newton's method. Its answer counts if the ECP lies in
// both bodies, a plane through it separates them, p_n >= 0, and friction keeps its law.
//
// Steps that several motions solve exist, and `consistent` counts them: with much friction a rim or a corner that would
// fly on can also catch and lift (Painlevé); and beside an edge a body can end the step on either face, or balance on
// the edge between. Points whose normal is not unique (a corner or a rim on a corner, a corner on an edge, a rim along
// an edge) are not tried: they only balance. Parallel edges only balance, too, but are tried (Fig. 5 (e)).
#pragma once

#include <Eigen/Geometry>
#include <limits>
#include <vector>

#include "host/reference/patch_shape.hpp"

namespace stiction::reference {

using Vector6d = Eigen::Matrix<double, 6, 1>;

/// Bodies that overlap by less than this share of their sizes only touch [-].
constexpr double kTouching = 1e-10;

struct PatchBody {
  PatchShape shape;
  double mass = 1.0;                                             // [kg]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();         // about the centre of mass, body axes [kg m²]
  Eigen::Vector3d position = Eigen::Vector3d::Zero();            // centre of mass [m]
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();  // from body to world axes
  Vector6d velocity = Vector6d::Zero();                          // ν at the start
  Vector6d applied = Vector6d::Zero();                           // p_app without gravity, world axes [N s, N m s]
  bool fixed = false;                                            // it rests and nothing moves it
};

struct PatchProblem {
  PatchBody F, G;   // F is bounded and moves; G may be a half-space that is fixed; at most one is a cylinder
  double h = 0.01;  // [s]
  Eigen::Vector3d gravity = Eigen::Vector3d(0.0, 0.0, -9.8);  // [m/s²]
  double friction = 0.0;                                      // μ
  Eigen::Vector3d ellipsoid = Eigen::Vector3d::Ones();        // e_t, e_o, e_r
  // Motions that carry a point of F farther against G than this are not looked for: (18), (19) know only the end of the
  // step, and are solved by motions that go through the other body, too [m].
  double reach = std::numeric_limits<double>::infinity();
};

/// What touches. A cylinder's disks are its faces; its mantle ends in two rims.
enum class PatchFeatureKind {
  kNone,
  kCornerOnFace,
  kEdgeOnFace,
  kFaceOnFace,
  kEdgeOnEdge,     // they cross
  kEdgeAlongEdge,  // they are parallel
  kRimOnFace,
  kLineOnFace,  // of a mantle
  kDiskOnFace,
  kRimOnEdge,
  kCornerOnMantle,
  kEdgeAcrossMantle,
  kEdgeAlongMantle
};

/// A part of one body on a face, a mantle or an edge of the other, `face_body`.
struct PatchFeature {
  PatchFeatureKind kind = PatchFeatureKind::kNone;
  int face_body = 1;  // 0 for F, 1 for G; of two edges always 1
  int part = 0;       // corner, edge or face of the other body, or end 0 (below) or 1 of a cylinder
  int face = 0;       // face or edge of `face_body`; of a mantle 0
  // Of edges, axes and rims that cross: the outward normal of `face_body` is side (direction of part) × (of face).
  double side = 1.0;
};

enum class PatchFriction { kNone, kStick, kSlip };

struct PatchSolution {
  Vector6d velocity_F = Vector6d::Zero(), velocity_G = Vector6d::Zero();          // ν⁺
  Eigen::Vector3d position_F = Eigen::Vector3d::Zero(), position_G = position_F;  // q⁺
  Eigen::Quaterniond rotation_F = Eigen::Quaterniond::Identity(), rotation_G = rotation_F;
  Eigen::Vector3d ecp = Eigen::Vector3d::Zero();  // without contact it has no meaning
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  Eigen::Vector4d impulse = Eigen::Vector4d::Zero();
  double slip = 0.0;
  PatchFeature feature;
  PatchFriction friction = PatchFriction::kNone;
  double error = 0.0;  // of the feature's smooth equations, as a share of the step's speed
  int consistent = 0;  // pairs of a feature and a state of friction that solve the step; 0: none was found, and nothing
                       // else has a meaning
  int motions = 0;     // different ν⁺ among them
};

/// All that solve the step, in the order none, faces (corners, edges, faces on them), mantles, edges, and sticking
/// before slipping; none if none was found. Throws InputError where the problem is no problem of this kind.
std::vector<PatchSolution> every_patch_step(const PatchProblem& problem);

/// The first of them, with `consistent` = 0 if there is none.
PatchSolution step_patch(const PatchProblem& problem);

/// ν⁺ of F if nothing touches it: (18) without a contact.
Vector6d fly_alone(const PatchProblem& problem);

}  // namespace stiction::reference
