// Whether the solved motion went farther than contacts were looked for (reach.hpp).
//
//   after the solve      every pair left out must satisfy φ > (1 + μ) h sup |relative velocity|; for a kept pair this
//                        must hold with its reach in place of φ, because its points beyond the reach are left out
//
// If that fails, the reach is raised to the motion just seen and a quarter more, and the step is solved again; if it
// fails once more, to twice that motion.
#pragma once

#include "kernels/contact/reach.hpp"

namespace stiction {

/// Largest speed of any point of geom g relative to `body`, which may be the world.
template <class Real>
ST_FN Real relative_speed(const ModelView<Real>& model, const Poses<Real>& poses, const PairBounds<Real>& bounds,
                          const double* v, int g, int body) {
  const Vec3<Real> center = bounds.box[g].center;
  Vec3<Real> w, u, w_script, u_script, w_other, u_other;
  relative_body_velocity(model, poses, v, model.geom_body[g], body, center, w, u);
  scripted_velocity(model, poses, model.geom_body[g], center, w_script, u_script);
  scripted_velocity(model, poses, body, center, w_other, u_other);
  return norm(u + u_script - u_other) + turned_way(model, bounds, g, norm(w + w_script - w_other));
}

namespace contact_detail {

/// Sum of the speeds of a pair's geoms [m/s].
template <class Real>
ST_FN Real sum_of_speeds(const Reach<Real>& reach, const PairSides& pair) {
  const Array<Real>& speed = pair.in_one_tree() ? reach.within : reach.speed;
  return speed[pair.geom[0]] + speed[pair.geom[1]];
}

}  // namespace contact_detail

/// True if the motion at `rate` may bring points of pair p together that are `gap` apart. Two upper bounds of their
/// approach are tried: the sum of both motions, and the motion of one geom relative to the other's body.
template <class Real>
ST_FN bool may_meet(const ModelView<Real>& model, const Poses<Real>& poses, const PairBounds<Real>& bounds,
                    const Reach<Real>& reach, Real h, int p, Real gap) {
  const PairSides pair = sides_of_pair(model, p);
  const Real way = (Real(1) + largest_friction(model, p)) * h;
  if (gap > way * contact_detail::sum_of_speeds(reach, pair)) return false;
  const int body = model.geom_body[pair.geom[0]];
  return !(gap > way * relative_way(model, poses, bounds, reach.rate.data(), pair.geom[1], body));
}

/// True if a manifold of `count` points holds every point of pair p that can matter, however far its bodies turn: the
/// one point of a sphere, or both ends of a capsule. For other shapes the manifold holds only some of the points within
/// reach.
template <class Real>
ST_FN bool is_complete(const ModelView<Real>& model, int p, int count) {
  const auto type = [&](int side) { return static_cast<GeomType>(model.geom_type[model.pair_geom[2 * p + side]]); };
  if (type(0) == GeomType::kSphere || type(1) == GeomType::kSphere) return count == 1;
  return (type(0) == GeomType::kCapsule || type(1) == GeomType::kCapsule) && count >= 2;
}

namespace contact_detail {

/// Largest speed of any point of geom g along the direction d of the dofs.
template <class Real>
ST_FN Real speed_along(const ModelView<Real>& model, const Poses<Real>& poses, const PairBounds<Real>& bounds,
                       const double* d, int g) {
  Vec3<Real> w, u;
  body_velocity(model, poses, d, model.geom_body[g], bounds.box[g].center, w, u);
  return norm(u) + turned_way(model, bounds, g, norm(w));
}

}  // namespace contact_detail

/// Writes how fast every body and geom moves at v: reach.rate, speed and within.
template <class Team, class Real>
ST_FN void measure_speeds(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                          const PairBounds<Real>& bounds, const double* v, Reach<Real>& reach) {
  BodyWay<Real>* const ways[1] = {reach.rate.data()};
  find_ways(
      team, model, poses, Real(1), [&](int k, int) { return static_cast<Real>(v[k]); }, ways);
  CarrierWay<Real> last;
  team.each(model.ngeom, [&](int g) {
    if (Team::kLanes > 1) last.carrier = -1;  // its geoms lie far apart
    const auto motion = contact_detail::motion_of_geom(model, poses, bounds, reach.rate.data(), g, last);
    reach.speed[g] = motion.whole, reach.within[g] = motion.inside;
  });
}

/// True if no geom goes farther in h than its reach and its part of the slack. Then no pair is overlooked that is kept
/// by the reaches of both its geoms: (1 + μ) h (speed_i + speed_j) < (1 + μ)(m_i + m_j) + 1 mm.
template <class Team, class Real>
ST_FN bool stays_within_reach(Team team, const ModelView<Real>& model, Real h, const Reach<Real>& reach) {
  if (reach.fixed >= Real(0)) return false;
  const Real slack = Real(0.49) * Real(kReachSlack) / (Real(1) + reach.steepest);
  const auto goes_farther = [&](int g) {
    const int tree = tree_of_geom(model, g);
    if (!(h * reach.speed[g] <= geom_reach(reach, g, tree) + slack)) return 1;
    return tree < 0 || h * reach.within[g] <= inside_reach(reach, g, tree) + slack ? 0 : 1;
  };
  return team.sum(model.ngeom, 0, goes_farther) == 0;
}

/// Number of pairs that the motion v could bring together although the pair, or possibly some of its points, were left
/// out. Raises bounds.gap of pairs that only their spheres bring together; if a geom went farther than its reach, the
/// boxes get the way of the motion v.
template <class Team, class Real>
ST_FN int count_overlooked(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                           const PairSlots<Real>& slots, const double* v, Real h, PairBounds<Real>& bounds,
                           Reach<Real>& reach) {
  measure_speeds(team, model, poses, bounds, v, reach);
  const Real fastest = team.max(model.ngeom, Real(0), [&](int g) { return reach.speed[g]; });
  const Real farthest = (Real(1) + reach.steepest) * h * (fastest + fastest);  // no pair can bridge more
  const bool within = stays_within_reach(team, model, h, reach);
  team.each(within ? 0 : model.ngeom,
            [&](int g) { bound_pairs_of(model, reach, g, h * reach.speed[g], h * reach.within[g], bounds); });
  const auto meets = [&](int p, Real gap) { return may_meet(model, poses, bounds, reach, h, p, gap); };
  const auto by_geoms = [&](int p) { return !reach.relative || reach.together[p] >= Real(kUnlimitedReach); };
  const bool listed = within && !reach.enlarged;  // only of near pairs was `together` measured
  const auto is_overlooked = [&](int i) {
    const int p = !listed ? i : bounds.near[i] < 0 ? ~bounds.near[i] : bounds.near[i];
    if (within ? by_geoms(p) : !may_come_together(model, bounds, p)) return 0;
    const Real gap = known_gap(model, p, bounds);
    if (!(gap <= farthest && gap >= pair_reach(model, reach, p) && meets(p, gap))) return 0;
    return meets(p, tighten_gap(model, p, Real(INFINITY), bounds)) ? 1 : 0;
  };
  const int pairs = team.sum(listed ? *bounds.num_near : model.npair, 0, is_overlooked);
  const int points = team.sum(*slots.count, 0, [&](int slot) {
    const int p = slots.pair[slot], count = slots.manifold[slot].count;
    return count > 0 && !is_complete(model, p, count) && meets(p, slots.reach[slot]) ? 1 : 0;
  });
  return pairs + points;
}

/// Raises the reach to the motion that was just checked, over time h, and a quarter more; from the second time on, to
/// twice that motion.
template <class Team, class Real>
ST_FN void enlarge_reach(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                         const PairBounds<Real>& bounds, Real h, Reach<Real>& reach) {
  const Real more = reach.enlarged ? Real(2) : Real(1.25);
  const auto enlarged = [&](Real now, Real moved) { return smaller(larger(more * moved, now), Real(kUnlimitedReach)); };
  team.each(model.ngeom, [&](int g) {
    const int tree = tree_of_geom(model, g);
    const Real inside = tree >= 0 ? inside_reach(reach, g, tree) : Real(0);
    reach.geom[g] = enlarged(geom_reach(model, reach, g), h * reach.speed[g]);
    reach.inside[g] = enlarged(inside, h * reach.within[g]);
  });
  team.each(reach.relative ? model.npair : 0, [&](int p) {
    if (reach.together[p] < Real(kUnlimitedReach))
      reach.together[p] =
          enlarged(reach.together[p], h * contact_detail::way_of_pair(model, poses, bounds, reach.rate.data(), p));
  });
  team.once([&] { reach.enlarged = true; });
}

/// Makes the reach of every geom unlimited that the free direction d of the dofs moves. True if any reach grew.
template <class Team, class Real>
ST_FN bool unlimit_reach(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                         const PairBounds<Real>& bounds, const double* d, Reach<Real>& reach) {
  const auto speed = [&](int g) { return contact_detail::speed_along(model, poses, bounds, d, g); };
  const Real fastest = team.max(model.ngeom, Real(0), [&](int g) { return speed(g); });
  const auto moves = [&](int g) { return speed(g) > Real(1e-6) * fastest && reach.geom[g] < Real(kUnlimitedReach); };
  const int gained = team.sum(model.ngeom, 0, [&](int g) { return moves(g) ? 1 : 0; });
  team.each(reach.relative ? model.npair : 0, [&](int p) { reach.together[p] = Real(kUnlimitedReach); });
  team.each(model.ngeom, [&](int g) {
    if (moves(g)) reach.geom[g] = reach.inside[g] = Real(kUnlimitedReach);
  });
  return gained > 0;
}

}  // namespace stiction
