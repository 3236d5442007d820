// Derivatives of a step, from the simulator and by central differences of any step.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "host/api/simulator.hpp"
#include "host/reference/kinematics.hpp"
#include "tests/step/tolerances.hpp"

namespace stiction {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

struct Derivatives {
  Vector v;
  Matrix A, B;
  std::uint32_t status;
};

inline Derivatives derivatives_of(Simulator& sim, double smoothing, int env = 0) {
  const Linearization l = sim.linearize(smoothing);
  const Eigen::Index nv = sim.scene().model->nv, nu = sim.scene().model->nu;
  const auto at = [&](const FieldMemory& memory) {
    return static_cast<const double*>(memory.data) + memory.length * static_cast<std::size_t>(env);
  };
  return {Eigen::Map<const Vector>(at(l.v), nv), Eigen::Map<const Matrix>(at(l.A), nv, nv),
          Eigen::Map<const Matrix>(at(l.B), nv, nu), static_cast<const std::uint32_t*>(l.status.data)[env]};
}

inline Vector as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

inline std::vector<double> as_values(const Vector& vector) { return {vector.begin(), vector.end()}; }

/// q ⊖ p in tangent coordinates at p.
inline Vector difference(const Model& m, const Vector& q, const Vector& p) {
  Vector d(m.nv);
  for (int j = 0; j < m.njoint; ++j) {
    const int qa = m.joint_qpos_adr[j], da = m.joint_dof_adr[j];
    const auto type = static_cast<JointType>(m.joint_type[j]);
    const bool turns = type == JointType::kFree || type == JointType::kBall;
    const int slides = type == JointType::kFree ? 3 : (turns ? 0 : 1);
    d.segment(da, slides) = q.segment(qa, slides) - p.segment(qa, slides);
    if (!turns) continue;
    const auto turned = [&](const Vector& x) {
      return Eigen::Quaterniond(x[qa + slides], x[qa + slides + 1], x[qa + slides + 2], x[qa + slides + 3]);
    };
    const Eigen::AngleAxisd turn(turned(p).conjugate() * turned(q));
    d.segment<3>(da + slides) = turn.angle() * turn.axis();
  }
  return d;
}

inline reference::FreeMotion free_motion(const Scene& scene) {
  return has_momentum(scene.physics.dynamics) ? reference::FreeMotion::kStraight : reference::FreeMotion::kTwist;
}

/// Where a step leads, as a function of q and u: central differences of it, in the layout of Derivatives.
template <class Next>
Derivatives central_differences(const Scene& scene, const Vector& qpos, const Vector& ctrl, const Next& next) {
  const Model& m = *scene.model;
  const double delta = tolerance::kDifferenceStep;
  Derivatives d;
  d.A.resize(m.nv, m.nv), d.B.resize(m.nv, m.nu);
  const Vector at = next(qpos, ctrl);
  const auto column = [&](const auto& displaced) {
    return Vector((difference(m, displaced(delta), at) - difference(m, displaced(-delta), at)) / (2 * delta));
  };
  for (int k = 0; k < m.nv; ++k)
    d.A.col(k) = column([&](double by) {
      return next(reference::integrate(m, qpos, Vector::Unit(m.nv, k), by, free_motion(scene)), ctrl);
    });
  for (int a = 0; a < m.nu; ++a)
    d.B.col(a) = column([&](double by) { return next(qpos, Vector(ctrl + by * Vector::Unit(m.nu, a))); });
  return d;
}

/// Relative to the largest entry, or to 1 where all are smaller: what is held fast does not follow the command.
inline double relative_difference(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

}  // namespace stiction
