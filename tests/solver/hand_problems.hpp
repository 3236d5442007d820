// Problems whose answer is known by hand: a point on a floor, joints with one general row.
#pragma once

#include "tests/solver/raw_problem.hpp"

namespace stiction::test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A point mass above z >= 0 with a velocity, gravity 10 m/s².
inline RawProblem<double> point(ContactLaw law, std::array<double, 3> velocity, double mu) {
  RawProblem<double> p;
  p.law = law, p.step_size = 0.01;
  p.add_block({1, 1, 1}, {velocity[0], velocity[1], velocity[2] - 10 * p.step_size}, {1, 1, 1}, {1, 1, 1});
  RawContact<double> c;
  c.block = {-1, 0}, c.J[1] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, c.mu_t = c.mu_o = mu;
  p.contacts.push_back(c);
  return p;
}

/// Joints with stiffness impulse k and drive g.
inline RawProblem<double> joints(const std::vector<double>& k, const std::vector<double>& g, double radius = 1) {
  RawProblem<double> p;
  p.add_block(k, g, std::vector<double>(k.size(), radius), std::vector<double>(k.size(), 0.0));
  return p;
}

/// A row on the joints.
inline RawRow<double> row(std::vector<double> J, double offset, double lower, double upper, double compliance,
                          double radius = 1) {
  RawRow<double> r;
  r.block = {-1, 0}, r.J[1] = std::move(J);
  r.offset = offset, r.lower = lower, r.upper = upper, r.compliance = compliance, r.radius = radius;
  return r;
}

/// A point between two walls that overlap it; `mass` of its H, 0: singular.
inline RawProblem<double> closing_walls(ContactLaw law, double mass = 0) {
  RawProblem<double> p;
  p.law = law, p.step_size = 0.1;
  p.add_block({mass, mass, mass}, {0, 0, -1}, {1, 1, 1}, {1, 1, 1});
  for (const double side : {1.0, -1.0}) {
    RawContact<double> c;
    c.block = {-1, 0}, c.J[1] = {side, 0, 0, 0, side, 0, 0, 0, 1};
    c.gap_rate = -1e-3 / p.step_size, c.mu_t = c.mu_o = 0.5;
    p.contacts.push_back(c);
  }
  return p;
}

struct RowCase {
  const char* name;
  RawProblem<double> problem;
  std::vector<double> v;
  double lambda;
};

/// Every kind of general row, active and idle.
inline std::vector<RowCase> row_cases() {
  const auto with = [](RawProblem<double> p, RawRow<double> r) {
    p.rows.push_back(std::move(r));
    return p;
  };
  const double coupled = (1 + 0.5 * 3 * 0.02) / (1 + 0.25 * 3);
  return {
      {"limit", with(joints({2}, {-1}), row({1}, 0.1, 0, kInfinity, 0)), {-0.1}, 0.8},
      {"far limit", with(joints({2}, {-1}), row({1}, 100, 0, kInfinity, 0)), {-0.5}, 0},
      {"upper limit", with(joints({2}, {1}), row({1}, -0.1, -kInfinity, 0, 0)), {0.1}, -0.8},
      {"coupling",
       with(joints({1, 3}, {1, 0}), row({-0.5, 1}, 0.02, -kInfinity, kInfinity, 0)),
       {coupled, 0.5 * coupled - 0.02},
       3 * (0.5 * coupled - 0.02)},
      {"spring", with(joints({1}, {1}), row({1}, 0, -kInfinity, kInfinity, 0.5)), {1.0 / 3}, -2.0 / 3},
      {"sticking", with(joints({1}, {0.5}), row({1}, 0, -1, 1, 0)), {0}, -0.5},
      {"sliding", with(joints({1}, {2}), row({1}, 0, -1, 1, 0)), {1}, -1},
      {"sliding back", with(joints({1}, {-2}), row({1}, 0, -1, 1, 0)), {-1}, 1},
      {"force limit reached", with(joints({1}, {-3}), row({1}, -1, -1, 1, 0.25)), {-2}, 1},
      {"force limit not reached", with(joints({1}, {-3}), row({1}, -1, -100, 100, 0.25)), {0.2}, 3.2},
      {"given", with(joints({2}, {1}), row({1}, 5, 0.5, 0.5, 0)), {0.75}, 0.5},
  };
}

}  // namespace stiction::test
