// Boxes of very different mass on each other, as raw problems: a light one slides on a heavy one that is free on ice.
#pragma once

#include <vector>

#include "tests/solver/raw_problem.hpp"

namespace stiction::test {

/// A box that moves in space; rotations have the radius of its farthest corner.
struct BoxBlock {
  double mass, half;  // [kg], [m]

  double inertia() const { return mass * 2 * half * half / 3; }
  double radius() const { return half * std::sqrt(3.0); }
};

/// Adds a free box with its velocity along x and one step of gravity in g.
inline int add_box(RawProblem<double>& p, const BoxBlock& box, double speed, double gravity) {
  const double m = box.mass, I = box.inertia(), r = box.radius();
  return p.add_block({m, m, m, I, I, I}, {m * speed, 0, -m * gravity * p.step_size, 0, 0, 0}, {1, 1, 1, r, r, r},
                     {m, m, m, I, I, I});
}

/// Rows n = z, t = x, o = y of the velocity of the point `arm` of a body, times `sign`.
inline std::vector<double> rows_at(double x, double y, double z, double sign) {
  std::vector<double> J{0, 0, 1, y, -x, 0, 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x};
  for (double& entry : J) entry *= sign;
  return J;
}

/// Four contacts under the corners of `above`'s lower face; `below` < 0: the ground.
inline void add_corners(RawProblem<double>& p, int below, double top, int above, double half, double mu) {
  for (const double x : {-half, half})
    for (const double y : {-half, half}) {
      RawContact<double> c;
      c.block = {below, above}, c.mu_t = c.mu_o = mu;
      if (below >= 0) c.J[0] = rows_at(x, y, top, -1);
      c.J[1] = rows_at(x, y, -half, 1);
      p.contacts.push_back(c);
    }
}

struct SlideOnFreeBox {
  double light = 1e-3, heavy = 1e4;  // [kg]
  double mu = 0.3, speed = 0.5, gravity = 9.81;
  double step_size = 0.01;
};

/// A box of 1 cm half side slides on one of half a metre, which rests on ice.
inline RawProblem<double> slide_on_free_box(const SlideOnFreeBox& o, ContactLaw law, ConeType cone) {
  RawProblem<double> p;
  p.step_size = o.step_size, p.law = law, p.cone = cone;
  const BoxBlock heavy{o.heavy, 0.5}, light{o.light, 0.01};
  const int below = add_box(p, heavy, 0, o.gravity), above = add_box(p, light, o.speed, o.gravity);
  add_corners(p, -1, 0, below, heavy.half, 0);
  add_corners(p, below, heavy.half, above, light.half, o.mu);
  return p;
}

}  // namespace stiction::test
