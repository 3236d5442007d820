// Random contact problems with a physical origin: stacks of boxes on a table, partly squeezed by the fingers of a robot
// with joint stiffness. Un-actuated blocks have H = 0 (quasistatic) or their mass (quasidynamic, dynamic).
#pragma once

#include <random>

#include "tests/solver/hand_problems.hpp"

namespace stiction::test {

struct StackOptions {
  int boxes = 5;
  int columns = 1;          // boxes are dealt to columns in turn
  int robot_dofs = 3;       // 0: no robot
  int finger_contacts = 4;  // contacts of the robot with random boxes
  int facets = 4;
  double step_size = 0.1;                 // [s]
  double stiffness = 1000;                // [N/m], [N m/rad]
  double min_mass = 0.1, max_mass = 0.1;  // [kg], log-uniform
  double mass_in_H = 0;                   // factor of the mass matrix in H of the boxes; 0: singular
  double max_gap = 1e-4;                  // [m]
};

using Rng = std::mt19937_64;

inline double uniform(Rng& rng, double low, double high) {
  return low + (high - low) * (static_cast<double>(rng() >> 11) * 0x1.0p-53);
}

struct Frame3 {
  std::array<std::array<double, 3>, 3> row;  // n, t, o
};

inline std::array<double, 3> cross3(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Rows of a frame at `arm` from a free body's centre: J = sign · (row, arm × row).
inline std::vector<double> free_body_rows(const Frame3& frame, const std::array<double, 3>& arm, double sign) {
  std::vector<double> J(18);
  for (std::size_t r = 0; r < 3; ++r) {
    const auto torque = cross3(arm, frame.row[r]);
    for (std::size_t a = 0; a < 3; ++a) J[r * 6 + a] = sign * frame.row[r][a], J[r * 6 + 3 + a] = sign * torque[a];
  }
  return J;
}

inline Frame3 upright_frame() { return {{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}}; }

inline Frame3 random_frame(Rng& rng) {
  std::array<double, 3> n{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -0.3, 0.3)};
  const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) + 1e-12;
  for (auto& x : n) x /= length;
  std::array<double, 3> t = std::fabs(n[2]) < 0.9 ? cross3({0, 0, 1}, n) : std::array<double, 3>{1, 0, 0};
  const double tl = std::sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  for (auto& x : t) x /= tl;
  return {{n, t, cross3(n, t)}};
}

inline RawProblem<double> random_stack(Rng& rng, const StackOptions& o) {
  RawProblem<double> p;
  p.step_size = o.step_size, p.facets = o.facets;
  const double h = o.step_size, half = 0.03;
  std::vector<double> mass;
  for (int b = 0; b < o.boxes; ++b) {
    const double m = o.min_mass * std::pow(o.max_mass / o.min_mass, uniform(rng, 0, 1));
    const double inertia = m * (2 * half) * (2 * half) / 6, w = o.mass_in_H;
    mass.push_back(m);
    p.add_block({w * m, w * m, w * m, w * inertia, w * inertia, w * inertia}, {0, 0, -h * m * 9.81, 0, 0, 0},
                {1, 1, 1, half, half, half}, {m, m, m, inertia, inertia, inertia});
  }
  int robot = -1;
  if (o.robot_dofs > 0) {
    const auto n = static_cast<std::size_t>(o.robot_dofs);
    std::vector<double> K(n), g(n);
    for (std::size_t j = 0; j < n; ++j) {
      K[j] = h * h * o.stiffness * uniform(rng, 0.5, 1.5);
      g[j] = K[j] / h * uniform(rng, -0.01, 0.01);  // h K Δq with |Δq| <= 1 cm
    }
    robot = p.add_block(K, g, std::vector<double>(n, 1.0), std::vector<double>(n, 0.0));
  }
  for (int b = 0; b < o.boxes; ++b)
    for (int corner = 0; corner < 4; ++corner) {
      RawContact<double> c;
      const double x = corner % 2 ? half : -half, y = corner / 2 ? half : -half;
      const int below = b - o.columns;
      c.block = {below >= 0 ? below : -1, b};
      if (below >= 0) c.J[0] = free_body_rows(upright_frame(), {x, y, half}, -1);
      c.J[1] = free_body_rows(upright_frame(), {x + uniform(rng, -1e-3, 1e-3), y, -half}, 1);
      c.gap_rate = uniform(rng, 0, o.max_gap) / h;
      c.mu_t = c.mu_o = uniform(rng, 0.3, 0.9);
      p.contacts.push_back(c);
    }
  for (int f = 0; robot >= 0 && f < o.finger_contacts; ++f) {
    RawContact<double> c;
    const int b = static_cast<int>(uniform(rng, 0, o.boxes));
    const Frame3 frame = random_frame(rng);
    c.block = {robot, b};
    c.J[0].resize(3 * static_cast<std::size_t>(o.robot_dofs));
    for (auto& x : c.J[0]) x = uniform(rng, -1, 1);
    c.J[1] = free_body_rows(frame, {-half * frame.row[0][0], -half * frame.row[0][1], -half * frame.row[0][2]}, 1);
    c.gap_rate = uniform(rng, 0, 0.01) / h;
    c.mu_t = c.mu_o = uniform(rng, 0.3, 0.9);
    p.contacts.push_back(c);
  }
  return p;
}

/// A limit, dry friction, a weak spring and a coupling on the last block; v = 0 respects them.
inline void add_rows(Rng& rng, RawProblem<double>& p) {
  const auto n = static_cast<std::size_t>(p.block_size.back());
  const auto add = [&](std::size_t j, double offset, double lower, double upper, double compliance) {
    std::vector<double> J(n, 0.0);
    J[j] = 1;
    RawRow<double> r = row(std::move(J), offset, lower, upper, compliance);
    r.block = {-1, static_cast<int>(p.block_size.size()) - 1};
    p.rows.push_back(r);
  };
  add(0, uniform(rng, 0, 0.1), 0, kInfinity, 0);
  add(n - 1, 0, -0.01, 0.01, 0);
  add(n / 2, 0, -1, 1, 10);
  if (n < 2) return;
  add(0, 0, -kInfinity, kInfinity, 0);
  p.rows.back().J[1][1] = -0.5;
}

/// h 0.001 ... 0.4 s, `least_facets` ... 8 facets, 4 ... 120 contacts, K 50 ... 1e5, singular and regular H.
inline StackOptions random_options(Rng& rng, int least_facets = 3) {
  StackOptions o;
  o.boxes = 1 + static_cast<int>(uniform(rng, 0, 16));
  o.columns = 1 + static_cast<int>(uniform(rng, 0, 4));
  o.robot_dofs = static_cast<int>(uniform(rng, 0, 12));
  o.finger_contacts = static_cast<int>(uniform(rng, 0, 40));
  o.facets = least_facets + static_cast<int>(uniform(rng, 0, 9 - least_facets));
  o.step_size = 0.001 * std::pow(400.0, uniform(rng, 0, 1));
  o.stiffness = 50 * std::pow(2000.0, uniform(rng, 0, 1));
  o.max_mass = uniform(rng, 0, 1) < 0.3 ? 10 : 0.1;
  o.mass_in_H = uniform(rng, 0, 1) < 0.3 ? 1 : 0;
  return o;
}

}  // namespace stiction::test
