// Where an answer takes the bodies, in double whatever the precision of the state.
//
//   q⁺ = q ⊞ h v          q as it is stored, v of the answer
//   φ, n, x at q⁺         the narrow phase in double
//   row of a contact      φ/h + n·J (v' − v)                                                        (1)
//
// q⁺ that is rounded to single precision has gaps of 1e-7 m per metre of a body's size and place. Over h that is a
// velocity which no answer removes, as the next answer is rounded as well: the rows would never be those of their own
// end. So only the state that is written is rounded. In (1), J has the arms of the poses in single precision, and all
// products are in double: the row of v itself is φ/h to the last digit.
//
//   symbol  variable  shape  unit
//   q⁺      qpos      (nq)
//   v       motion    (nv)   [m/s], [rad/s]
//   φ       gap       1      [m]
#pragma once

#include <type_traits>

#include "kernels/step/contact_search.hpp"
#include "kernels/step/integrate.hpp"

namespace stiction {

/// The poses at which gaps of the step's end are measured.
template <class Real>
ST_FN const Poses<double>& end_poses(const StepScratch<Real>& s) {
  if constexpr (std::is_same_v<Real, double>)
    return s.next.poses;
  else
    return s.end.fine.poses;
}

/// The manifold of a slot there.
template <class Real>
ST_FN Manifold<double>& end_manifold(StepScratch<Real>& s, int slot) {
  if constexpr (std::is_same_v<Real, double>)
    return s.slots.manifold[slot];
  else
    return s.end.fine.manifold[slot];
}

/// Moves the bodies by s.end.motion in double. A dynamics that lets bodies follow their carriers has the rounded q⁺.
template <class Team, class Real>
ST_FN void find_end_poses(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                          const EnvView<Real>& env, StepScratch<Real>& s) {
  if constexpr (!std::is_same_v<Real, double>) {
    if (config.geometry != ContactGeometry::kEnd) return;
    const bool follows = fits_springs(config.dynamics);
    const double h = static_cast<double>(config.step_size), *v = s.end.motion;
    double* qpos = s.end.fine.qpos;
    team.each(model.nq, [&](int i) { qpos[i] = static_cast<double>(follows ? s.next.qpos[i] : env.qpos[i]); });
    team.each(follows ? 0 : model.njoint,
              [&](int j) { integrate_joint(model, v, config.dynamics, config.rotation, h, j, qpos); });
    update_poses(team, model, qpos, env.mocap_pose, s.end.fine.poses);
  }
}

/// Rounds the manifold of a slot at the end for the rows of the round.
template <class Real>
ST_FN void round_manifold(int slot, StepScratch<Real>& s) {
  if constexpr (!std::is_same_v<Real, double>) {
    const Manifold<double>& from = s.end.fine.manifold[slot];
    Manifold<Real>& to = s.slots.manifold[slot];
    to.count = from.count;
    for (int i = 0; i < from.count; ++i) {
      const ContactPoint<double>& point = from.point[i];
      to.point[i] = {in_precision<Real>(point.p_A), in_precision<Real>(point.p_B), in_precision<Real>(point.normal),
                     static_cast<Real>(point.gap)};
    }
  }
}

namespace step_detail {

/// n·J v of one side [m/s].
template <class Real>
ST_FN double normal_speed(const ModelView<Real>& model, const BlockJacobian<double>& side, const double* v) {
  if (side.block < 0) return 0.0;
  const int adr = model.tree_dof_adr[side.block], n = model.tree_dof_num[side.block];
  double speed = 0.0;
  for (int k = 0; k < n; ++k) speed += side.J[k] * v[adr + k];
  return speed;
}

}  // namespace step_detail

/// (1) for the rows of all contacts that move something.
template <class Team, class Real>
ST_FN void refine_gap_rates(Team team, const ModelView<Real>& model, Real h, StepScratch<Real>& s) {
  if constexpr (!std::is_same_v<Real, double>) {
    team.each(*s.slots.count, [&](int slot) {
      const double margin = static_cast<double>(model.pair_margin[s.slots.pair[slot]]);
      step_detail::for_each_contact(s, slot, [&](int i) {
        ContactRow<double>& row = s.contact_rows.row[i];
        if (is_unmoved<Real>(model, row) || (row.side[0].block < 0 && row.side[1].block < 0)) return;
        const double gap = s.end.fine.manifold[slot].point[point_of_key(s.contacts.key[i])].gap - margin;
        double speed = row.offset[0];
        for (const BlockJacobian<double>& side : row.side)
          speed += step_detail::normal_speed(model, side, s.end.motion.data());
        row.gap_rate = gap / static_cast<double>(h) - speed;
      });
    });
  }
}

}  // namespace stiction
