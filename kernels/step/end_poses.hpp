// Where an answer takes the bodies, in double whatever the precision of the state.
//
//   q⁺ = q ⊞ h v          q as it is stored, v of the answer
//   φ, n, x at q⁺         the narrow phase in double
//   rows                  their arms, axes and gaps in double
//
// q⁺ that is rounded to single precision has gaps of 1e-7 m per metre of a body's size and place. Over h that is a
// velocity which no answer removes, as the next answer is rounded as well: the rows would never be those of their own
// end, and residuals of 1e-4 would stay (1e-7 m over the 1 mm of kernels/problem/residual.hpp). So the rounds work in
// double, and only the state that is written is rounded.
//
//   symbol  variable  shape  unit
//   q⁺      qpos      (nq)
//   v       motion    (nv)   [m/s], [rad/s]
#pragma once

#include <type_traits>

#include "kernels/patch/end_geometry.hpp"
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
ST_FN Manifold<double>& end_manifold(int slot, StepScratch<Real>& s) {
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
    keep_coordinates(team, model, s.poses, config.dynamics, s.end.fine.poses);
  }
}

namespace step_detail {

template <class To, class From>
ST_FN ContactPoint<To> point_in_precision(const ContactPoint<From>& from) {
  return {in_precision<To>(from.p_A), in_precision<To>(from.p_B), in_precision<To>(from.normal),
          static_cast<To>(from.gap)};
}

}  // namespace step_detail

/// Rounds the manifold of a slot at the end for the rows of the round.
template <class Real>
ST_FN void round_manifold(int slot, StepScratch<Real>& s) {
  if constexpr (!std::is_same_v<Real, double>) {
    const Manifold<double>& from = s.end.fine.manifold[slot];
    Manifold<Real>& to = s.slots.manifold[slot];
    to.count = from.count;
    for (int i = 0; i < from.count; ++i) to.point[i] = step_detail::point_in_precision<Real>(from.point[i]);
  }
}

/// The contacts from which rounds that seek the end build their rows.
template <class Real>
ST_FN Contacts<double>& end_contacts(StepScratch<Real>& s) {
  if constexpr (std::is_same_v<Real, double>)
    return s.contacts;
  else
    return s.end.fine.contacts;
}

/// Calls f(poses, manifolds, contacts) with those from which a round that seeks the end builds its rows. In double the
/// poses are those of the end if `at_end`, else of the start; otherwise pack_fine_contacts has chosen them.
template <class Real, class F>
ST_FN void with_round_geometry(bool at_end, StepScratch<Real>& s, F f) {
  if constexpr (std::is_same_v<Real, double>)
    f(at_end ? s.next.poses : s.poses, s.slots.manifold.data(), s.contacts);
  else
    f(s.end.fine.poses, s.end.fine.manifold.data(), s.end.fine.contacts);
}

namespace step_detail {

/// Copies the geometry of a round at the start of the step.
template <class Team, class Real>
ST_FN void widen_start(Team team, const ModelView<Real>& model, StepScratch<Real>& s) {
  const auto copy = [&](int count, const Real* from, double* to) {
    team.each(count, [&](int i) { to[i] = static_cast<double>(from[i]); });
  };
  Poses<double>& poses = s.end.fine.poses;
  copy(3 * model.nbody, s.poses.body_pos, poses.body_pos);
  copy(3 * model.ngeom, s.poses.geom_pos, poses.geom_pos);
  copy(9 * model.ngeom, s.poses.geom_rot, poses.geom_rot);
  copy(3 * model.nv, s.poses.dof_anchor, poses.dof_anchor);
  copy(3 * model.nv, s.poses.dof_lin, poses.dof_lin);
  copy(3 * model.nv, s.poses.dof_ang, poses.dof_ang);
  copy(6 * model.nmocap, s.poses.mocap_twist, poses.mocap_twist);
  Contacts<double>& contacts = s.end.fine.contacts;
  const int count = *contacts.count;
  copy(count, s.contacts.gap, contacts.gap);
  copy(3 * count, s.contacts.position, contacts.position);
  copy(6 * count, s.contacts.arm, contacts.arm);
  copy(9 * count, s.contacts.frame, contacts.frame);
  team.each(*s.slots.count, [&](int slot) {
    const Manifold<Real>& from = s.slots.manifold[slot];
    Manifold<double>& to = s.end.fine.manifold[slot];
    to.count = from.count;
    for (int k = 0; k < from.count; ++k) to.point[k] = point_in_precision<double>(from.point[k]);
  });
}

/// Writes the contacts of a round at the end from their manifolds.
template <class Team, class Real>
ST_FN void write_end_contacts(Team team, const ModelView<Real>& model, StepScratch<Real>& s) {
  team.each(*s.slots.count, [&](int slot) {
    const double margin = static_cast<double>(model.pair_margin[s.slots.pair[slot]]), still[6] = {};
    for_each_contact(s, slot, [&](int i) {
      const ContactPoint<double>& point = s.end.fine.manifold[slot].point[point_of_key(s.contacts.key[i])];
      write_contact_point(point, margin, still, i, s.end.fine.contacts);
    });
  });
}

}  // namespace step_detail

/// Writes the contacts of a round in double, after pack_contacts has chosen and rounded them. Those of the end get the
/// gaps from which rows with the motion of the round are exact there.
template <class Team, class Real>
ST_FN void pack_fine_contacts(Team team, const ModelView<Real>& model, Real h, bool at_end, StepScratch<Real>& s) {
  if constexpr (!std::is_same_v<Real, double>) {
    if (!at_end) return step_detail::widen_start(team, model, s);
    step_detail::write_end_contacts(team, model, s);
  }
  if (!at_end) return;
  Contacts<double>& contacts = end_contacts(s);
  extrapolate_gaps(team, model, end_poses(s), s.end.motion, static_cast<double>(h), contacts);
  if constexpr (!std::is_same_v<Real, double>)
    team.each(*s.contacts.count, [&](int i) { s.contacts.gap[i] = static_cast<Real>(contacts.gap[i]); });
}

/// Writes couplings and welds where s.end.motion leads, in double.
template <class Team, class Real>
ST_FN void build_equalities_at_end(Team team, const ModelView<Real>& model, const EnvView<Real>& env,
                                   const StepConfig<Real>& config, const Capacity& capacity, StepScratch<Real>& s) {
  const double* qpos;
  if constexpr (std::is_same_v<Real, double>)
    qpos = s.next.qpos;
  else
    qpos = s.end.fine.qpos;
  const WeldInputs<Real, double> welds{end_poses(s), has_momentum(config.dynamics) ? env.qvel : nullptr,
                                       config.equality};
  const RowTimes<Real> times{config.step_size, config.step_size, 1.0, dead_band(config)};
  build_equalities_at_end(team, model, qpos, welds, s.end.motion, s.motion.prescribed, times, capacity.max_rows,
                          s.general_rows);
}

}  // namespace stiction
