// Contact points for the reference, from the shared narrow phase: all candidate pairs, without culling.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "host/reference/step.hpp"
#include "kernels/collision/narrow_phase.hpp"
#include "kernels/collision/placed_shape.hpp"

namespace stiction::reference {

inline PlacedShape<double> shape_of(const ModelView<double>& view, const Kinematics& kinematics, int geom) {
  const Pose& X = kinematics.geom[static_cast<std::size_t>(geom)];
  Mat3<double> R;
  for (int i = 0; i < 9; ++i) R.m[i] = X.R(i / 3, i % 3);
  return place_shape(view, geom, {X.p.x(), X.p.y(), X.p.z()}, R);
}

inline bool is_spare(const Model& m, int geom) { return m.geom_mesh[static_cast<std::size_t>(geom)] == kSpareGeom; }

inline Eigen::Vector3d to_eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline Vec3<double> from_eigen(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

/// The free motion of `body` relative to `other`, from its centre of mass; zero if no dof moves it.
inline Lean<double> lean_of(const Model& m, const Kinematics& kinematics, const FreeVelocity& free, int body,
                            int other) {
  if (m.body_last_dof[body] < 0) return {};
  const Eigen::Vector3d at = kinematics.body[body].p;
  const auto velocity = [&](int b) -> Eigen::Vector3d {
    return body_jacobian(m, kinematics, b, at).topRows<3>() * free.dofs +
           scripted_twist(m, kinematics, free.mocap, b, at).head<3>();
  };
  return {from_eigen(kinematics.com[body]), from_eigen(velocity(body) - velocity(other))};
}

/// The shapes of candidate pair p with their leans, as in the step.
inline void lean_shapes(const Model& m, const Kinematics& kinematics, const FreeVelocity& free, int p,
                        PlacedShape<double>& A, PlacedShape<double>& B) {
  const int a = m.geom_body[m.pair_geom[2 * p]], b = m.geom_body[m.pair_geom[2 * p + 1]];
  A.lean = lean_of(m, kinematics, free, a, b), B.lean = lean_of(m, kinematics, free, b, a);
  if (m.body_last_dof[a] < 0) A.lean = B.lean;
  if (m.body_last_dof[b] < 0) B.lean = A.lean;
}

/// `model` gives the shapes; their sizes, friction and masses are the environment's own.
inline ContactSource narrow_phase_source(const Model& model) {
  const auto storage = std::make_shared<ModelStorage<double>>(model);
  const auto scratch = std::make_shared<CollisionScratch<double>>();
  return [storage, scratch](const Model& m, const Kinematics& kinematics, const FreeVelocity& free, double reach) {
    std::vector<ContactInput> points;
    ModelView<double> view = storage->view();
    view.geom_size = m.geom_size.data(), view.geom_mesh = m.geom_mesh.data();
    for (int p = 0; p < m.npair; ++p) {
      if (is_spare(m, m.pair_geom[2 * p]) || is_spare(m, m.pair_geom[2 * p + 1])) continue;
      Manifold<double> manifold;
      auto A = shape_of(view, kinematics, m.pair_geom[2 * p]);
      auto B = shape_of(view, kinematics, m.pair_geom[2 * p + 1]);
      lean_shapes(m, kinematics, free, p, A, B);
      collide(A, B, std::min(reach, 1e3) + m.pair_margin[p], *scratch, manifold);
      for (int i = 0; i < manifold.count; ++i) {
        const ContactPoint<double>& point = manifold.point[i];
        points.push_back({p, to_eigen(point.p_A), to_eigen(point.p_B), to_eigen(point.normal)});
      }
    }
    return points;
  };
}

}  // namespace stiction::reference
