#include "host/reference/fluid.hpp"

#include <cmath>
#include <numbers>

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Vector6d = Eigen::Matrix<double, 6, 1>;

/// B of a body at velocity V: three along its principal axes, three about them.
Vector6d drag_of(const Model& m, int body, const Vector6d& V) {
  const double density = m.fluid[0], viscosity = m.fluid[1];
  const Vector3d moments(&m.body_inertia[3 * body]);
  const Vector3d squares = (moments.sum() - 2.0 * moments.array()).max(1e-15) * 6.0 / m.body_mass[body];
  const Vector3d b = squares.cwiseSqrt();
  const double d = b.mean();
  Vector6d B;
  for (int i = 0; i < 3; ++i) {
    const double p = b[(i + 1) % 3], q = b[(i + 2) % 3];
    B[i] = 3.0 * std::numbers::pi * d * viscosity + 0.5 * density * p * q * std::abs(V[i]);
    B[3 + i] = std::numbers::pi * std::pow(d, 3) * viscosity +
               density * b[i] * (std::pow(p, 4) + std::pow(q, 4)) / 64.0 * std::abs(V[3 + i]);
  }
  return B;
}

Eigen::Matrix3d principal_axes(const Model& m, const Kinematics& k, int body) {
  const double* q = &m.body_iquat[4 * static_cast<std::size_t>(body)];
  return k.body[body].R * Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

}  // namespace

Drag fluid_drag(const Model& m, const Kinematics& k, const VectorXd& qvel) {
  Drag drag{MatrixXd::Zero(m.nv, m.nv), VectorXd::Zero(m.nv)};
  if (m.fluid[0] == 0.0 && m.fluid[1] == 0.0) return drag;
  for (int body = 1; body < m.nbody; ++body) {
    if (m.body_last_dof[body] < 0 || m.body_mass[body] <= 1e-15) continue;
    const Eigen::Matrix3d R = principal_axes(m, k, body);
    MatrixXd J = body_jacobian(m, k, body, k.com[body]);
    const MatrixXd linear = R.transpose() * J.topRows(3), angular = R.transpose() * J.bottomRows(3);
    J << linear, angular;
    Vector6d wind = Vector6d::Zero();
    wind.head<3>() = R.transpose() * Vector3d(&m.fluid[2]);
    const Vector6d B = drag_of(m, body, J * qvel - wind);
    drag.damping += J.transpose() * B.asDiagonal() * J;
    drag.push += J.transpose() * B.asDiagonal() * wind;
  }
  return drag;
}

}  // namespace stiction::reference
