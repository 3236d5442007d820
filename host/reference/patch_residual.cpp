#include "host/reference/patch_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/reference/qp.hpp"

namespace stiction::reference {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::VectorXd;

// functions within this of zero count as zero, so that their gradients are normals [m]
constexpr double kActive = 1e-9;
// closest points that are nearer than this have no direction of their own [m]
constexpr double kTouch = 1e-8;
// of a segment, until its halves are rounding
constexpr int kHalvings = 60;

/// A body at the end of the step.
struct End {
  const PatchBody& body;
  Vector6d velocity;
  Vector3d position;
  Quaterniond rotation;
  Vector3d local(const Vector3d& x) const { return rotation.conjugate() * (x - position); }
};

/// (8).
End end_of(const PatchBody& body, double h, const Vector6d& velocity) {
  const Vector3d half = 0.5 * h * velocity.tail<3>();
  const Quaterniond turn = Quaterniond(0.0, half.x(), half.y(), half.z()) * body.rotation;
  const Quaterniond sum(body.rotation.coeffs() + turn.coeffs());
  return {body, velocity, body.position + h * velocity.head<3>(), sum.normalized()};
}

double configuration_error(const End& end, const Vector3d& position, const Quaterniond& rotation) {
  const double turned = (end.rotation.toRotationMatrix() - rotation.toRotationMatrix()).cwiseAbs().maxCoeff();
  return std::max((end.position - position).cwiseAbs().maxCoeff(), turned);
}

/// [W_n W_t W_o W_r] of (2).
Eigen::Matrix<double, 6, 4> wrenches(const Vector3d& arm, const Matrix3d& axes) {
  Eigen::Matrix<double, 6, 4> W = Eigen::Matrix<double, 6, 4>::Zero();
  W.topLeftCorner<3, 3>() = axes;
  for (int k = 0; k < 3; ++k) W.block<3, 1>(3, k) = arm.cross(axes.col(k));
  W.block<3, 1>(3, 3) = axes.col(0);
  return W;
}

double motion_error(const PatchProblem& problem, const End& end, const Vector6d& contact) {
  const PatchBody& body = end.body;
  const Matrix3d turn = body.rotation.toRotationMatrix(), inertia = turn * body.inertia * turn.transpose();
  const Vector3d omega = end.velocity.tail<3>();
  Vector6d left = contact + body.applied;
  left.head<3>() += body.mass * (problem.h * problem.gravity - (end.velocity - body.velocity).head<3>());
  left.tail<3>() -= inertia * (omega - body.velocity.tail<3>()) + problem.h * omega.cross(inertia * omega);
  return left.cwiseAbs().maxCoeff();
}

ShapeValues values_at(const End& end, const Vector3d& x) {
  ShapeValues values = shape_values(end.body.shape, end.local(x));
  values.gradients = end.rotation.toRotationMatrix() * values.gradients;
  return values;
}

/// ‖A l − b‖ for the best l >= 0.
double distance_to_cone(const MatrixXd& A, const Vector3d& b) {
  if (A.cols() == 0) return b.norm();
  QuadraticProgram program;
  program.H = A.transpose() * A;
  program.g = A.transpose() * b;
  program.E.resize(0, A.cols());
  program.C = MatrixXd::Identity(A.cols(), A.cols());
  program.c = VectorXd::Zero(A.cols());
  return (A * solve_qp(program).x - b).norm();
}

/// Gradients of the functions that vanish.
Matrix3Xd active_gradients(const ShapeValues& values) {
  Matrix3Xd active(3, values.f.size());
  int count = 0;
  for (int k = 0; k < values.f.size(); ++k)
    if (values.f[k] >= -kActive) active.col(count++) = values.gradients.col(k);
  return active.leftCols(count);
}

double normal_error(const ShapeValues& values, const Vector3d& n) {
  return distance_to_cone(active_gradients(values), n);
}

/// How far two bodies that share a point are from having a plane between them there: the least length of a mean of
/// their normals. Bodies that overlap have no normals that cancel.
double overlap_error(const ShapeValues& f, const ShapeValues& g) {
  const Matrix3Xd of_F = active_gradients(f), of_G = active_gradients(g);
  const int n = of_F.cols() + of_G.cols();
  if (of_F.cols() == 0 || of_G.cols() == 0) return 1.0;
  Matrix3Xd all(3, n);
  all << of_F, of_G;
  QuadraticProgram program;
  program.H = all.transpose() * all;
  program.g = VectorXd::Zero(n);
  program.E = MatrixXd::Ones(1, n);
  program.e = -VectorXd::Ones(1);
  program.C = MatrixXd::Identity(n, n);
  program.c = VectorXd::Zero(n);
  return (all * solve_qp(program).x).norm();
}

struct PointPair {
  Vector3d a_1, a_2;
};

/// (12) of two polyhedra.
PointPair closest_points_of_polyhedra(const End& F, const End& G) {
  QuadraticProgram program;
  program.H.resize(6, 6);
  program.H << Matrix3d::Identity(), -Matrix3d::Identity(), -Matrix3d::Identity(), Matrix3d::Identity();
  program.g = VectorXd::Zero(6);
  program.E.resize(0, 6);
  const ShapeValues f = values_at(F, Vector3d::Zero()), g = values_at(G, Vector3d::Zero());
  program.C = MatrixXd::Zero(f.f.size() + g.f.size(), 6);
  program.C.topLeftCorner(f.f.size(), 3) = -f.gradients.transpose();
  program.C.bottomRightCorner(g.f.size(), 3) = -g.gradients.transpose();
  program.c.resize(f.f.size() + g.f.size());
  program.c << -f.f, -g.f;
  program.speed = 1.0;
  const VectorXd x = solve_qp(program).x;
  return {x.head<3>(), x.tail<3>()};
}

/// Of the points of a cylinder the one that is nearest to x.
Vector3d nearest_in_cylinder(const End& end, const Vector3d& x) {
  const PatchShape& shape = end.body.shape;
  Vector3d local = end.local(x);
  local.z() = std::clamp(local.z(), -shape.length / 2, shape.length / 2);
  local.head<2>() *= std::min(1.0, shape.radius / std::max(local.head<2>().norm(), shape.radius));
  return end.position + end.rotation * local;
}

/// Where the segment comes nearest to the cylinder: the derivative of the squared distance rises along it.
Vector3d nearest_of_segment(const End& cylinder, const Vector3d& from, const Vector3d& to) {
  const Vector3d along = to - from;
  double low = 0.0, high = 1.0;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    const Vector3d x = from + middle * along;
    (along.dot(x - nearest_in_cylinder(cylinder, x)) < 0.0 ? low : high) = middle;
  }
  return from + 0.5 * (low + high) * along;
}

/// (12) of a polyhedron (point a_1) and a cylinder (a_2): the nearest of all corners, edges and faces.
PointPair closest_points_to_cylinder(const End& body, const End& cylinder) {
  const PatchShape& shape = body.body.shape;
  PointPair best{Vector3d::Zero(), Vector3d::Constant(std::numeric_limits<double>::infinity())};
  const auto compare = [&](const Vector3d& x, const Vector3d& y) {
    if ((x - y).norm() < (best.a_1 - best.a_2).norm()) best = {x, y};
  };
  const auto corner = [&](int k) { return Vector3d(body.position + body.rotation * shape.corners.col(k)); };
  for (int k = 0; k < shape.corners.cols(); ++k) compare(corner(k), nearest_in_cylinder(cylinder, corner(k)));
  for (const auto& [i, j] : shape.edges) {
    const Vector3d x = nearest_of_segment(cylinder, corner(i), corner(j));
    compare(x, nearest_in_cylinder(cylinder, x));
  }
  for (int f = 0; f < shape.normals.cols(); ++f) {
    const Vector3d n = body.rotation * shape.normals.col(f);
    const Vector3d lowest =
        cylinder.position + cylinder.rotation * support_point(cylinder.body.shape, cylinder.rotation.conjugate() * -n);
    const double height = n.dot(lowest - body.position) - shape.offsets[f];
    const Vector3d below = lowest - height * n;
    const bool outside = height >= 0.0 || !shape.is_bounded();  // a half-space has no other points to compare
    if (outside && values_at(body, below).f.maxCoeff() <= kActive) compare(below, lowest);
  }
  return best;
}

PointPair closest_points(const End& F, const End& G) {
  if (G.body.shape.is_cylinder()) return closest_points_to_cylinder(F, G);
  if (!F.body.shape.is_cylinder()) return closest_points_of_polyhedra(F, G);
  const PointPair pair = closest_points_to_cylinder(G, F);
  return {pair.a_2, pair.a_1};
}

void write_contact(const PatchProblem& problem, const PatchSolution& s, const Eigen::Vector4d& v,
                   PatchResidual& residual) {
  const double mu = problem.friction, p_n = s.impulse[0];
  double zeta = std::pow(mu * p_n, 2);
  for (int i = 1; i < 4; ++i) {
    const double e = problem.ellipsoid[i - 1];
    residual.friction = std::max(residual.friction, std::abs(e * e * mu * p_n * v[i] + s.impulse[i] * s.slip));
    zeta -= std::pow(s.impulse[i] / e, 2);
  }
  residual.cone = std::abs(std::min(s.slip, zeta));
}

void write_points(const End& F, const End& G, const PatchSolution& s, PatchResidual& residual) {
  const bool touches = s.feature.kind != PatchFeatureKind::kNone;
  const PointPair pair = touches ? PointPair{s.ecp, s.ecp} : closest_points(F, G);
  const ShapeValues f = values_at(F, pair.a_1), g = values_at(G, pair.a_2);
  residual.points = std::max({0.0, f.f.maxCoeff(), g.f.maxCoeff()});
  residual.gap = std::abs(std::min(s.impulse[0], values_at(F, pair.a_2).f.maxCoeff()));
  const Vector3d apart = pair.a_1 - pair.a_2;
  const Vector3d n = touches ? Vector3d(s.axes.col(0)) : apart.normalized();
  const bool overlaps = !touches && apart.norm() < kTouch;
  residual.normal = overlaps ? overlap_error(f, g) : std::max(normal_error(f, -n), normal_error(g, n));
}

}  // namespace

double PatchResidual::largest() const { return std::max({motion, configuration, friction, cone, points, gap, normal}); }

PatchResidual patch_residual(const PatchProblem& problem, const PatchSolution& s) {
  const End F = end_of(problem.F, problem.h, s.velocity_F), G = end_of(problem.G, problem.h, s.velocity_G);
  const auto W_F = wrenches(s.ecp - F.position, s.axes), W_G = wrenches(s.ecp - G.position, s.axes);
  PatchResidual residual;
  residual.configuration =
      std::max(configuration_error(F, s.position_F, s.rotation_F), configuration_error(G, s.position_G, s.rotation_G));
  residual.motion = motion_error(problem, F, W_F * s.impulse);
  if (!problem.G.fixed) residual.motion = std::max(residual.motion, motion_error(problem, G, -(W_G * s.impulse)));
  const Eigen::Vector4d v = W_F.transpose() * s.velocity_F - W_G.transpose() * s.velocity_G;
  write_contact(problem, s, v, residual);
  write_points(F, G, s, residual);
  return residual;
}

}  // namespace stiction::reference
