// Motions of bodies that a contact pushed, and batches that own their arrays.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "host/api/contact_from_motion.hpp"
#include "tests/api/problems.hpp"

namespace stiction::test {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Vector6d = Eigen::Matrix<double, 6, 1>;

/// One step of a body.
struct Motion {
  double mass = 1.0, offset = 0.0, h = 0.01;
  Vector3d position{0, 0, 0.5}, normal{0, 0, 1}, tangent{1, 0, 0};
  Vector6d before = Vector6d::Zero(), after = Vector6d::Zero(), impulse = Vector6d::Zero();
  Matrix3d inertia = Matrix3d::Identity() / 6, inertia_after = Matrix3d::Identity() / 6;
};

/// What the optional arrays of a batch say about the gyroscopic term.
enum class Gyroscopic { kNone, kOfTheEnd, kInTheMomentum };

struct MotionBatch {
  std::vector<double> position, before, after, mass, inertia, impulse, normal, offset, tangent, h, inertia_after;
  BodyMotions view;

  explicit MotionBatch(const std::vector<Motion>& motions, Gyroscopic term = Gyroscopic::kNone) {
    for (const Motion& m : motions) {
      append(m.position, position), append(m.before, before), append(m.after, after), append(m.inertia, inertia);
      append(m.impulse, impulse), append(m.normal, normal), append(m.tangent, tangent);
      if (term == Gyroscopic::kInTheMomentum) append(m.inertia_after, inertia_after);
      if (term == Gyroscopic::kOfTheEnd) h.push_back(m.h);
      mass.push_back(m.mass), offset.push_back(m.offset);
    }
    view.count = static_cast<int>(motions.size());
    refresh();
  }
  void refresh() {
    view.position = position, view.velocity_before = before, view.velocity_after = after, view.mass = mass;
    view.inertia = inertia, view.impulse = impulse, view.normal = normal, view.plane_offset = offset;
    view.tangent = tangent, view.step_size = h, view.inertia_after = inertia_after;
  }
};

inline Vector3d random_vector(Rng& rng, double size) {
  return {uniform(rng, -size, size), uniform(rng, -size, size), uniform(rng, -size, size)};
}

inline Matrix3d random_inertia(Rng& rng) {
  const Matrix3d axes = Eigen::AngleAxisd(uniform(rng, 0, 3), random_vector(rng, 1).normalized()).toRotationMatrix();
  const Vector3d squares{uniform(rng, 0.1, 1), uniform(rng, 0.1, 1), uniform(rng, 0.1, 1)};
  return axes * (Vector3d::Constant(squares.sum()) - squares).asDiagonal() * axes.transpose();
}

/// ω⁺ of I (ω⁺ − ω) + h ω⁺ × I ω⁺ = torque, by Newton's method.
inline Vector3d spin_at_the_end(const Matrix3d& I, const Vector3d& spin, double h, const Vector3d& torque) {
  const auto skew = [](const Vector3d& a) {
    return Matrix3d{{0, -a.z(), a.y()}, {a.z(), 0, -a.x()}, {-a.y(), a.x(), 0}};
  };
  Vector3d end = spin;
  for (int k = 0; k < 30; ++k) {
    const Vector3d L = I * end, error = L - I * spin + h * end.cross(L) - torque;
    end -= (I + h * (skew(end) * I - skew(L))).partialPivLu().solve(error);
  }
  return end;
}

/// Moves the body by its impulse and a contact's, `push` [N s] and `moment` about the centre of mass [N m s].
inline void move(const Vector3d& push, const Vector3d& moment, Gyroscopic term, Motion& m) {
  const Vector3d torque = m.impulse.tail<3>() + moment, spin = m.before.tail<3>();
  m.after.head<3>() = m.before.head<3>() + (m.impulse.head<3>() + push) / m.mass;
  if (term == Gyroscopic::kOfTheEnd)
    m.after.tail<3>() = spin_at_the_end(m.inertia, spin, m.h, torque);
  else if (term == Gyroscopic::kInTheMomentum)
    m.after.tail<3>() = m.inertia_after.ldlt().solve(m.inertia * spin + torque);
  else
    m.after.tail<3>() = spin + m.inertia.ldlt().solve(torque);
}

/// A body above a plane, before the contact.
inline Motion random_motion(Rng& rng) {
  Motion m;
  m.mass = std::pow(10, uniform(rng, -1, 1)), m.h = uniform(rng, 1e-3, 0.05);
  m.position = random_vector(rng, 3), m.offset = uniform(rng, -2, 2);
  m.normal = random_vector(rng, 1).normalized();
  m.tangent = m.normal.cross(random_vector(rng, 1)).normalized();
  m.before << random_vector(rng, 5), random_vector(rng, 5);
  m.impulse << random_vector(rng, 1), random_vector(rng, 1);
  m.inertia = random_inertia(rng);
  const Vector3d turn = m.h * m.before.tail<3>();
  const Matrix3d turned = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
  m.inertia_after = turned * m.inertia * turned.transpose();
  return m;
}

/// A point of the plane, up to 3 m from the foot of the centre of mass along t and o.
inline Vector3d random_point(Rng& rng, const Motion& m) {
  const Vector3d foot = m.position + (m.offset - m.normal.dot(m.position)) * m.normal;
  return foot + uniform(rng, -3, 3) * m.tangent + uniform(rng, -3, 3) * m.normal.cross(m.tangent);
}

}  // namespace stiction::test
