// Impulses that a scene applies once, in one step, and wrenches that act in every step, at a body's centre of mass.
//
//   g += J_Cᵀ p          p = (linear [N s], angular [N m s]) in world axes, J_C: Jacobian of the body's centre of mass
//   g += h J_Cᵀ f        f = (force [N], torque [N m]) in world axes
#pragma once

#include "kernels/kinematics/poses.hpp"

namespace stiction {

/// All impulses of a scene, in memory that the backend owns.
template <class Real>
struct ImpulseView {
  int count = 0;
  const int* step = nullptr;    // step in which the impulse acts, counted from 0 (count)
  const int* body = nullptr;    // (count)
  const Real* value = nullptr;  // linear, angular (count, 6)
};

/// Number of the step that begins at time t [s].
ST_FN int step_at(double t, double h) { return static_cast<int>(std::floor(t / h + 0.5)); }

namespace dynamics_detail {

/// g += scale J_Cᵀ p of one body.
template <class Real>
ST_FN void push_body(const ModelView<Real>& model, const Poses<Real>& poses, int body, const Real* p, double scale,
                     double* g) {
  const Vec3<Real> linear = load3(p), angular = load3(p + 3), com = load3(poses.body_com + 3 * body);
  for (int k = model.body_last_dof[body]; k >= 0; k = model.dof_parent[k])
    g[k] += scale * static_cast<double>(dot(dof_point_velocity(poses, k, com), linear) +
                                        dot(load3(poses.dof_ang + 3 * k), angular));
}

template <class Real>
ST_FN bool is_pushed(const Real* wrench, int body) {
  for (int i = 6 * body; i < 6 * body + 6; ++i)
    if (wrench[i] != Real(0)) return true;
  return false;
}

}  // namespace dynamics_detail

/// Adds the impulses of one step to g (nv).
template <class Team, class Real>
ST_FN void add_impulses(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                        const ImpulseView<Real>& impulses, int step, double* g) {
  if (impulses.count == 0) return;
  team.once([&] {
    for (int i = 0; i < impulses.count; ++i) {
      if (impulses.step[i] != step) continue;
      dynamics_detail::push_body(model, poses, impulses.body[i], impulses.value + 6 * i, 1.0, g);
    }
  });
}

/// Adds the wrenches on all bodies (nbody, 6), which act for h [s], to g (nv).
template <class Team, class Real>
ST_FN void add_applied_wrenches(Team team, const ModelView<Real>& model, const Poses<Real>& poses, const Real* wrench,
                                double h, double* g) {
  using namespace dynamics_detail;
  if (team.sum(model.nbody, 0, [&](int b) { return is_pushed(wrench, b) ? 1 : 0; }) == 0) return;
  team.once([&] {
    for (int b = 0; b < model.nbody; ++b)
      if (is_pushed(wrench, b)) push_body(model, poses, b, wrench + 6 * b, h, g);
  });
}

}  // namespace stiction
