// Quadratic programs and contact problems from a counter: the same on every machine.
#pragma once

#include <random>

#include "host/reference/contact_solver.hpp"

namespace stiction::reference {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) { return low + (high - low) * (engine_() >> 11) * 0x1p-53; }
  int integer(int low, int high) { return low + static_cast<int>(engine_() % (high - low + 1)); }
  Eigen::VectorXd vector(int n, double size = 1.0) {
    Eigen::VectorXd v(n);
    for (double& x : v) x = uniform(-size, size);
    return v;
  }
  Eigen::MatrixXd matrix(int rows, int columns) {
    Eigen::MatrixXd m(rows, columns);
    for (int j = 0; j < columns; ++j) m.col(j) = vector(rows);
    return m;
  }

 private:
  std::mt19937_64 engine_;
};

/// A feasible, bounded program whose Hessian has rank `rank` and some of whose rows repeat others.
inline QuadraticProgram random_program(Dice& dice, int n, int rank, int m, int me) {
  QuadraticProgram p;
  const Eigen::MatrixXd B = dice.matrix(n, rank);
  p.H = B * B.transpose();
  p.C = dice.matrix(m, n);
  p.E = dice.matrix(me, n);
  for (int i = 1; i < m; ++i)
    if (dice.uniform(0, 1) < 0.2) p.C.row(i) = dice.uniform(0.5, 2.0) * p.C.row(i - 1);
  const Eigen::VectorXd x = dice.vector(n);  // optimal, with a random share of the rows active
  Eigen::VectorXd y = Eigen::VectorXd::Zero(m), slack = Eigen::VectorXd::Zero(m);
  for (int i = 0; i < m; ++i) {
    const double kind = dice.uniform(0, 1);
    if (kind < 0.4) y[i] = dice.uniform(0, 1);
    if (kind > 0.5) slack[i] = dice.uniform(0, 1);
  }
  p.c = slack - p.C * x;
  p.e = -p.E * x;
  p.g = p.H * x - p.C.transpose() * y - p.E.transpose() * dice.vector(me);
  return p;
}

/// Boxes of different size around a robot with springs: random contacts, a block of zeros in H, one supported pile.
inline DenseProblem random_contacts(Dice& dice, int bodies, int robot_dofs, int contacts) {
  const int nv = 6 * bodies + robot_dofs;
  DenseProblem p;
  p.step_size = std::pow(10.0, dice.uniform(-3, -0.4));
  p.facets = dice.integer(3, 8);
  p.H = p.M = Eigen::MatrixXd::Zero(nv, nv);
  p.g = Eigen::VectorXd::Zero(nv);
  p.dof_radius = Eigen::VectorXd::Ones(nv);
  for (int b = 0; b < bodies; ++b) {
    const double mass = dice.uniform(0.05, 2.0), radius = dice.uniform(0.02, 0.1);
    p.g[6 * b + 2] = -9.81 * mass * p.step_size;
    p.M.diagonal().segment<3>(6 * b).setConstant(mass);
    p.M.diagonal().segment<3>(6 * b + 3).setConstant(0.4 * mass * radius * radius);
    p.dof_radius.segment<3>(6 * b + 3).setConstant(radius);
  }
  const double h2 = p.step_size * p.step_size;
  for (int j = 6 * bodies; j < nv; ++j) {
    p.H(j, j) = h2 * dice.uniform(50, 1000);
    p.g[j] = p.H(j, j) / p.step_size * dice.uniform(-0.05, 0.05);
    p.dof_radius[j] = 0.3;
  }
  p.J = Eigen::MatrixXd::Zero(3 * contacts, nv);
  p.gap_rate.resize(contacts);
  p.offset = Eigen::VectorXd::Zero(3 * contacts);
  p.mu.resize(contacts, 2);
  for (int i = 0; i < contacts; ++i) {
    const int b = i < 4 * bodies ? i / 4 : dice.integer(0, bodies - 1);
    const double radius = p.dof_radius[6 * b + 3];
    const Eigen::Vector3d arm(i & 1 ? radius : -radius, i & 2 ? radius : -radius, i < 4 * bodies ? -radius : radius);
    Eigen::Matrix3d frame;  // rows n, t, o; the first four contacts of a body are its corners on the floor
    if (i < 4 * bodies) {
      frame << 0, 0, 1, 0, 1, 0, -1, 0, 0;
    } else {
      const Eigen::Vector4d four = dice.vector(4).normalized();
      const Eigen::Quaterniond turn(four[0], four[1], four[2], four[3]);
      frame = turn.toRotationMatrix();
    }
    Eigen::Matrix3d skew;
    skew << 0, -arm.z(), arm.y(), arm.z(), 0, -arm.x(), -arm.y(), arm.x(), 0;
    p.J.block<3, 3>(3 * i, 6 * b) = frame;
    p.J.block<3, 3>(3 * i, 6 * b + 3) = -frame * skew;
    if (i >= 4 * bodies && robot_dofs > 0)
      p.J.block(3 * i, 6 * bodies, 3, robot_dofs) = -frame * dice.matrix(3, robot_dofs) * 0.3;
    p.gap_rate[i] = (i < 4 * bodies ? 0.0 : dice.uniform(0.0, 0.01)) / p.step_size;
    p.mu.row(i).setConstant(dice.uniform(0.1, 1.0));
  }
  p.row_J.resize(0, nv);
  return p;
}

/// The same problem with a row of torsion: free bodies turn about the normal, the robot's joints at random.
inline DenseProblem add_torsion(Dice& dice, const DenseProblem& p, int bodies) {
  DenseProblem q = p;
  const int nc = p.num_contacts(), joints = p.nv() - 6 * bodies;
  q.cone = ConeType::kQuadratic, q.dimension = 4;
  q.J = Eigen::MatrixXd::Zero(4 * nc, p.nv());
  q.offset = Eigen::VectorXd::Zero(4 * nc);
  q.mu.resize(nc, 3);
  q.radius.resize(nc);
  for (int i = 0; i < nc; ++i) {
    q.J.middleRows(4 * i, 3) = p.J.middleRows(3 * i, 3);
    q.offset.segment<3>(4 * i) = p.offset.segment<3>(3 * i);
    q.radius[i] = 1.0;
    const double share = dice.uniform(0.0, 1.0);
    q.mu.row(i) << p.mu(i, 0), p.mu(i, 1), share < 0.2 ? 0.0 : 0.3 * share;
    if (share < 0.2) continue;
    for (int b = 0; b < bodies; ++b) {
      q.J.block<1, 3>(4 * i + 3, 6 * b + 3) = p.dof_radius[6 * b + 3] * p.J.block<1, 3>(3 * i, 6 * b);
      if (!q.J.block<1, 3>(4 * i + 3, 6 * b + 3).isZero(0.0)) q.radius[i] = p.dof_radius[6 * b + 3];
    }
    if (joints > 0 && !p.J.block(3 * i, 6 * bodies, 1, joints).isZero(0.0))
      q.J.block(4 * i + 3, 6 * bodies, 1, joints) = q.radius[i] * dice.matrix(1, joints);
  }
  return q;
}

}  // namespace stiction::reference
