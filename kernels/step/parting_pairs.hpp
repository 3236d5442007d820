// Pairs whose bodies move apart, or not fast enough to meet, are left out of a step's problem. A robot that swings its
// limbs has hundreds of pairs within the reach of its motion, of which few can carry.
//
//   c_i(w)    = h (−n·u), and h (μ ‖u_t‖ − n·u) where contacts hover     by how much point i closes at the motion w
//   parts     φ_i > 2 max(c_i(lasting), c_i(free)) + kDoubt m + 1 mm     at all points, m and ways of reach.hpp  (1)
//   comes back                                                 before the answer v stands
//             φ_i < c_i(v)  at a point, or its points beyond the reach may meet (reach.hpp)                       (2)
//
// Contacts hover under Anitescu's law, by μ h ‖u_t‖. The motion v + w that pushes overlaps apart (part_overlaps.hpp)
// stands only if (2) does not hold at it either. A pair that ends in overlap although (2) does not hold, because
// it turned, is swept as other pairs without rows are (meetings.hpp).
#pragma once

#include "kernels/contact/overlooked.hpp"
#include "kernels/step/meetings.hpp"

namespace stiction {

/// Share of the reach of a pair within which it is never left out: contact may turn its motion round [-].
constexpr double kDoubt = 0.3;

namespace step_detail {

/// c of a point of pair p, for the ways of the bodies over a step [m].
template <class Real>
ST_FN Real closing_way(const ModelView<Real>& model, const Poses<Real>& poses, ContactLaw law,
                       Pointer<const BodyWay<Real>> ways, int p, const ContactPoint<Real>& point) {
  const Vec3<Real> at = Real(0.5) * (point.p_A + point.p_B);
  const auto shift = [&](int side) {
    return shift_at(model, poses, ways, model.geom_body[model.pair_geom[2 * p + side]], at);
  };
  const Vec3<Real> u = shift(1) - shift(0);
  const Real along = dot(point.normal, u);
  if (!hovers(law)) return -along;
  return largest_friction(model, p) * norm(u - along * point.normal) - along;
}

/// (1)
template <class Real>
ST_FN bool parts(const ModelView<Real>& model, ContactLaw law, const StepScratch<Real>& s, int slot) {
  const int p = s.slots.pair[slot];
  const Manifold<Real>& manifold = s.slots.manifold[slot];
  if (manifold.count == 0) return false;
  const Real slack = Real(kReachSlack) + Real(kDoubt) * joint_motion(s.reach, p, sides_of_pair(model, p));
  for (int i = 0; i < manifold.count; ++i) {
    const auto closing = [&](const Array<BodyWay<Real>>& ways) {
      return closing_way(model, s.poses, law, ways.data(), p, manifold.point[i]);
    };
    const Real most = Real(2) * larger(closing(s.reach.lasting), closing(s.reach.free));
    if (!(manifold.point[i].gap - model.pair_margin[p] > larger(most, Real(0)) + slack)) return false;
  }
  return true;
}

/// (2), at the velocity in reach.rate.
template <class Real>
ST_FN bool comes_back(const ModelView<Real>& model, const StepConfig<Real>& config, const StepScratch<Real>& s,
                      int slot) {
  const Real h = config.step_size;
  if (role_of(s.meetings, slot) != PairRole::kParting) return false;
  const int p = s.slots.pair[slot], points = s.meetings.points[slot];
  const Manifold<Real>& manifold = s.slots.manifold[slot];
  for (int i = 0; i < points; ++i) {
    const Real closing = h * closing_way(model, s.poses, config.law, s.reach.rate.data(), p, manifold.point[i]);
    if (!(manifold.point[i].gap - model.pair_margin[p] >= closing)) return true;
  }
  return !is_complete(model, p, points) && may_meet(model, s.poses, s.bounds, s.reach, h, p, s.slots.reach[slot]);
}

}  // namespace step_detail

/// True if a step leaves out pairs that part. Only a host thread that solves alone does: a GPU's kernels have no
/// registers left for it.
template <class Team, class Real>
ST_FN bool foresees_parting(const StepConfig<Real>& config, const Reach<Real>& reach) {
  return goes_alone<Team>(config.solver) && reach.relative && config.parts_overlaps && !seeks_end(config);
}

/// Leaves out the pairs that part. Call it after start_meetings.
template <class Team, class Real>
ST_FN void leave_out_parting(Team team, const ModelView<Real>& model, ContactLaw law, StepScratch<Real>& s) {
  team.each(*s.slots.count, [&](int slot) {
    if (!step_detail::parts(model, law, s, slot)) return;
    s.meetings.role[slot] = static_cast<int>(PairRole::kParting);
    s.meetings.points[slot] = s.slots.manifold[slot].count;
    s.slots.manifold[slot].count = 0;
  });
}

/// Puts the rows of pairs back that come together after all. True if there are any.
template <class Team, class Real>
ST_FN bool bring_back_parting(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                              StepScratch<Real>& s) {
  const auto back = [&](int slot) { return step_detail::comes_back(model, config, s, slot); };
  if (team.sum(*s.slots.count, 0, [&](int slot) { return back(slot) ? 1 : 0; }) == 0) return false;
  team.each(*s.slots.count, [&](int slot) {
    s.meetings.verdict[slot] = static_cast<int>(PairVerdict::kNothing);  // those of an answer that does not stand
    if (!back(slot)) return;
    s.meetings.role[slot] = static_cast<int>(PairRole::kFound);
    s.slots.manifold[slot].count = s.meetings.points[slot];
  });
  return true;
}

}  // namespace stiction
