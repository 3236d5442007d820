// Impulses that a scene applies once, in one step, at a body's centre of mass.
//
//   g += J_Cᵀ p          p = (linear [N s], angular [N m s]) in world axes, J_C: Jacobian of the body's centre of mass
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

/// Adds the impulses of one step to g (nv).
template <class Team, class Real>
ST_FN void add_impulses(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                        const ImpulseView<Real>& impulses, int step, double* g) {
  if (impulses.count == 0) return;
  team.once([&] {
    for (int i = 0; i < impulses.count; ++i) {
      if (impulses.step[i] != step) continue;
      const int body = impulses.body[i];
      const Vec3<Real> linear = load3(impulses.value + 6 * i), angular = load3(impulses.value + 6 * i + 3);
      const Vec3<Real> com = load3(poses.body_com + 3 * body);
      for (int k = model.body_last_dof[body]; k >= 0; k = model.dof_parent[k])
        g[k] += static_cast<double>(dot(dof_point_velocity(poses, k, com), linear) +
                                    dot(load3(poses.dof_ang + 3 * k), angular));
    }
  });
}

}  // namespace stiction
