// How far every geom may move in this step; whether the solved motion went farther is asked in overlooked.hpp.
//
//   m_g  robot geom      |Σ_k J_k(farthest point of g) Δq_k|,  Δq_k the motion that the actuators ask for; for a
//                        scripted body the motion of its script
//        with momentum   the motion h q̇, at most doubled by the free motion
//        passive tree    the largest m that reaches it through kept pairs; its free fall if nothing touches it
//   pair of one tree     a dof that moves all geoms of the tree alike brings no two of them closer: m counts only its
//                        other dofs (inside), or what pushes a passive tree; with momentum, m_i + m_j is at most the
//                        way of one geom as the other's body sees it (together)
//   kept                 φ <= (1 + μ)(m_i + m_j) + 1 mm, or φ <= contact_distance where that is set
#pragma once

#include "kernels/collision/find_contacts.hpp"
#include "kernels/contact/body_way.hpp"
#include "kernels/team/array.hpp"
#include "kernels/team/wide_load.hpp"

namespace stiction {

/// An unlimited reach: larger than any scene, and small enough for sums in float [m].
constexpr double kUnlimitedReach = 1e6;

template <class Real>
struct Reach {
  Array<Real> geom;      // m of a geom by its own tree's actuators or the last attempt [m]   (ngeom)
  Array<Real> inside;    // m without the dofs that all geoms of its tree share, for pairs of one tree [m]  (ngeom)
  Array<Real> fall;      // free motion of a geom of a passive tree [m]                       (ngeom)
  Array<Real> bend;      // the same without the dofs that all geoms of its tree share [m]    (ngeom)
  Array<Real> tree;      // m of a passive tree, pushed by others or falling [m]              (ntree)
  Array<Real> pushed;    // m of a passive tree, pushed by others only [m]                    (ntree)
  Array<Real> speed;     // largest speed of a geom in the motion that is checked [m/s]       (ngeom)
  Array<Real> within;    // the same without the dofs that all geoms of its tree share [m/s]  (ngeom)
  Array<Real> together;  // largest way of the geoms of a near pair of one tree relative to each other [m]  (npair)
  // ways of the bodies that carry others or themselves (carrier_of); those of all others are not written
  Array<BodyWay<Real>> lasting;  // way at the velocity of the start, of driven dofs at the free one   (nbody)
  Array<BodyWay<Real>> free;     // way at the free velocity; without momentum, of passive dofs alone  (nbody)
  Array<BodyWay<Real>> rate;     // velocity of the motion that is checked, not a way                  (nbody)
  Array<int> passive;            // 1: the tree has a dof without actuator                            (ntree)
  Array<int> supported;          // 1: a kept pair touches the tree                                   (ntree)
  Real steepest;                 // no pair has more friction [-]
  bool momentum;                 // true: the velocity at the start counts
  bool relative;                 // true: `together` counts
  bool enlarged;                 // true: the reach of this step was already raised
  Real fixed;                    // contact_distance [m]; negative: automatic
};

template <class Real>
ST_FN Reach<Real> take_reach(const ModelView<Real>& model, bool momentum, Real fixed, Arena& arena) {
  Reach<Real> reach{};
  reach.geom = arena.take<Real>(model.ngeom);
  reach.inside = arena.take<Real>(model.ngeom);
  reach.fall = arena.take<Real>(model.ngeom);
  reach.bend = arena.take<Real>(model.ngeom);
  reach.tree = arena.take<Real>(model.ntree);
  reach.pushed = arena.take<Real>(model.ntree);
  reach.speed = arena.take<Real>(model.ngeom);
  reach.within = arena.take<Real>(model.ngeom);
  reach.together = arena.take<Real>(momentum ? model.npair : 0);
  reach.lasting = arena.take<BodyWay<Real>>(model.nbody);
  reach.free = arena.take<BodyWay<Real>>(model.nbody);
  reach.rate = arena.take<BodyWay<Real>>(model.nbody);
  reach.passive = arena.take<int>(model.ntree);
  reach.supported = arena.take<int>(model.ntree);
  reach.momentum = momentum;
  reach.fixed = fixed;
  return reach;
}

template <class Real>
ST_FN int tree_of_geom(const ModelView<Real>& model, int g) {
  return model.body_tree[model.geom_body[g]];
}

/// m of geom g of a tree, or of none, for pairs of different trees [m].
template <class Real>
ST_FN Real geom_reach(const Reach<Real>& reach, int g, int tree) {
  const Real own = reach.geom[g];
  return tree >= 0 && reach.tree[tree] > own ? reach.tree[tree] : own;
}
template <class Real>
ST_FN Real geom_reach(const ModelView<Real>& model, const Reach<Real>& reach, int g) {
  return geom_reach(reach, g, tree_of_geom(model, g));
}

/// m of geom g for pairs within its own tree [m]; the geom has to belong to a tree.
template <class Real>
ST_FN Real inside_reach(const Reach<Real>& reach, int g, int tree) {
  return larger(reach.inside[g], reach.pushed[tree]);
}

/// The geoms of a pair, and their trees.
struct PairSides {
  int geom[2], tree[2];

  ST_FN bool in_one_tree() const { return tree[0] >= 0 && tree[0] == tree[1]; }
};

template <class Real>
ST_FN PairSides sides_of_pair(const ModelView<Real>& model, int p) {
  PairSides pair;
  load_row<true>(model.pair_geom + 2 * p, pair.geom);
  for (int side = 0; side < 2; ++side) pair.tree[side] = tree_of_geom(model, pair.geom[side]);
  return pair;
}

/// m_i + m_j of pair p [m].
template <class Real>
ST_FN Real joint_motion(const Reach<Real>& reach, int p, const PairSides& pair) {
  if (!pair.in_one_tree())
    return geom_reach(reach, pair.geom[0], pair.tree[0]) + geom_reach(reach, pair.geom[1], pair.tree[1]);
  const Real sum = inside_reach(reach, pair.geom[0], pair.tree[0]) + inside_reach(reach, pair.geom[1], pair.tree[1]);
  if (!reach.relative) return sum;
  return smaller(sum, larger(Real(2) * reach.pushed[pair.tree[0]], reach.together[p]));
}

/// Gap up to which a pair with friction μ and motion m = m_i + m_j is kept [m].
template <class Real>
ST_FN Real kept_gap(const Reach<Real>& reach, Real mu, Real m) {
  return (Real(1) + mu) * m + (reach.fixed >= Real(0) ? reach.fixed : Real(kReachSlack));
}

/// Writes what tells early whether pairs of geom g come together, if it moves by m = `among` and `inside` [m]. Its part
/// of the gap is a little too large, so that rounding keeps no pair from being looked at.
template <class Real>
ST_FN void bound_pairs_of(const ModelView<Real>& model, const Reach<Real>& reach, int g, Real among, Real inside,
                          PairBounds<Real>& bounds) {
  const auto part = [&](Real m) { return Real(0.50001) * kept_gap(reach, reach.steepest, m + m); };
  MovingBox<Real>& geom = bounds.box[g];
  geom.radius = model.geom_radius[g], geom.tree = tree_of_geom(model, g);
  geom.among = part(among), geom.inside = part(inside);
}

/// Gap up to which pair p is kept [m].
template <class Real>
ST_FN Real pair_reach(const ModelView<Real>& model, const Reach<Real>& reach, int p) {
  return kept_gap(reach, largest_friction(model, p), joint_motion(reach, p, sides_of_pair(model, p)));
}

/// True if pair p is kept at this gap. Most often this is known without its friction, which is between 0 and steepest.
template <class Real>
ST_FN bool is_kept(const ModelView<Real>& model, const Reach<Real>& reach, int p, const PairSides& pair, Real gap) {
  const Real m = joint_motion(reach, p, pair);
  if (gap <= kept_gap(reach, Real(0), m)) return true;
  if (gap > kept_gap(reach, reach.steepest, m)) return false;
  return !(gap > kept_gap(reach, largest_friction(model, p), m));
}

namespace contact_detail {

/// How far geom g moves [m]; a spare slot does not.
template <class Real>
struct GeomMotion {
  Real whole;   // relative to the world
  Real inside;  // relative to the body that its tree's shared dofs move
};

/// `last`: the way of any carrier, or of none; it is then that of the geom's own.
template <class Real>
ST_FN GeomMotion<Real> motion_of_geom(const ModelView<Real>& model, const Poses<Real>& poses,
                                      const PairBounds<Real>& bounds, Pointer<const BodyWay<Real>> ways, int g,
                                      CarrierWay<Real>& last) {
  if (is_fixed(model, model.geom_body[g]) || is_spare(model, g)) return {Real(0), Real(0)};
  const int carrier = carrier_of(model, model.geom_body[g]);
  const CarrierWay<Real>& way = way_of_carrier(model, poses, ways, carrier, last);
  const Vec3<Real> arm = bounds.box[g].center - load3(poses.body_pos + 3 * carrier);
  const auto moved = [&](const BodyWay<Real>& by, Real angle) {
    return norm(by.shift + cross(by.turn, arm)) + turned_way(model, bounds, g, angle);
  };
  const Real whole = moved(way.whole, way.whole_angle);
  return {whole, way.shares ? moved(way.inside, way.inside_angle) : whole};
}

/// The way that counts with momentum: the lasting one, and the free one up to twice as much.
template <class Real>
ST_FN Real at_most_doubled(Real lasting, Real free) {
  return larger(lasting, smaller(free, Real(2) * lasting));
}

template <class Real>
ST_FN GeomMotion<Real> bounded_motion(const GeomMotion<Real>& motion) {
  return {smaller(motion.whole, Real(kUnlimitedReach)), smaller(motion.inside, Real(kUnlimitedReach))};
}

/// Writes how geom g moves due to its own tree: by its actuators, and with momentum by its velocity, which the free
/// motion at most doubles; and how it falls where it belongs to a passive tree.
template <class Real>
ST_FN void write_own_motion(const ModelView<Real>& model, const Poses<Real>& poses, const PairBounds<Real>& bounds,
                            int g, CarrierWay<Real>& last_lasting, CarrierWay<Real>& last_free, Reach<Real>& reach) {
  const int tree = tree_of_geom(model, g);
  const bool falls = tree >= 0 && reach.passive[tree], counts = reach.fixed < Real(0);
  GeomMotion<Real> lasting{};
  if (counts) lasting = bounded_motion(motion_of_geom(model, poses, bounds, reach.lasting.data(), g, last_lasting));
  GeomMotion<Real> free = lasting;  // the free one counts with momentum; then both are the same
  if (falls) free = bounded_motion(motion_of_geom(model, poses, bounds, reach.free.data(), g, last_free));
  reach.fall[g] = falls ? free.whole : Real(0), reach.bend[g] = falls ? free.inside : Real(0);
  reach.geom[g] = reach.momentum ? at_most_doubled(lasting.whole, free.whole) : lasting.whole;
  reach.inside[g] = reach.momentum ? at_most_doubled(lasting.inside, free.inside) : lasting.inside;
}

}  // namespace contact_detail

/// Sets the first reach: the motion that the actuators ask for and that momentum causes; with a fixed contact distance
/// it is 0 at first. The fall of a body at rest counts only if nothing holds the body (spread_reach.hpp).
template <class Team, class Real>
ST_FN void start_reach(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                       const PairBounds<Real>& bounds, Pointer<const Real> free_velocity, Pointer<const Real> qvel,
                       Real h, Reach<Real>& reach) {
  team.each(model.ntree, [&](int t) {
    reach.tree[t] = reach.pushed[t] = Real(0);
    reach.passive[t] = 0;
    const int first = model.tree_dof_adr[t];
    for (int k = first; k < first + model.tree_dof_num[t]; ++k)
      if (!model.dof_actuated[k]) reach.passive[t] = 1;
  });
  const bool momentum = reach.momentum;
  team.once([&] { reach.relative = reach.enlarged = false; });
  const auto velocity = [&](int k, int i) {
    const bool lasting = i == 0, actuated = model.dof_actuated[k];
    if (lasting && !actuated) return momentum ? qvel[k] : Real(0);
    return lasting || momentum || !actuated ? free_velocity[k] : Real(0);
  };
  BodyWay<Real>* const ways[2] = {reach.lasting.data(), reach.free.data()};
  find_ways(team, model, poses, h, velocity, ways);
  CarrierWay<Real> lasting, free;
  team.each(model.ngeom, [&](int g) {
    if (Team::kLanes > 1) lasting.carrier = free.carrier = -1;  // its geoms lie far apart
    contact_detail::write_own_motion(model, poses, bounds, g, lasting, free, reach);
  });
}

namespace contact_detail {

/// The way of the second geom of pair p as the first one's body sees it.
template <class Real>
ST_FN Real way_of_pair(const ModelView<Real>& model, const Poses<Real>& poses, const PairBounds<Real>& bounds,
                       Pointer<const BodyWay<Real>> ways, int p) {
  return relative_way(model, poses, bounds, ways, model.pair_geom[2 * p + 1], model.geom_body[model.pair_geom[2 * p]]);
}

}  // namespace contact_detail

/// True if `together` is still to be written: once per step and with momentum.
template <class Real>
ST_FN bool measures_together(const Reach<Real>& reach) {
  return !reach.relative && reach.momentum && !(reach.fixed >= Real(0));
}

/// Writes `together` of the near pairs of one tree.
template <class Team, class Real>
ST_FN void measure_together(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                            const PairBounds<Real>& bounds, Reach<Real>& reach) {
  team.each(*bounds.num_near, [&](int i) {
    const int p = bounds.near[i];
    if (!sides_of_pair(model, p).in_one_tree()) return;
    const auto way = [&](const Array<BodyWay<Real>>& ways) {
      return contact_detail::way_of_pair(model, poses, bounds, ways.data(), p);
    };
    reach.together[p] = contact_detail::at_most_doubled(way(reach.lasting), way(reach.free));
  });
}

/// An upper bound of what torsion adds to the friction of pair p, which has none of its own; 0 if one of its geoms is a
/// spare slot, whose radius is negative: a division by it leaves a number so small that processors take long for it.
template <class Real>
ST_FN Real steepest_twist(const ModelView<Real>& model, int p) {
  const int a = model.pair_geom[2 * p], b = model.pair_geom[2 * p + 1];
  const Real r = larger(model.geom_friction[3 * a + 1], model.geom_friction[3 * b + 1]);
  const Real radius = smaller(model.geom_radius[a], model.geom_radius[b]);
  return radius > Real(0) ? r / radius : Real(0);
}

/// Writes an upper bound of the friction of all pairs: that of any geom, with torsion where a pair has that, and that
/// of pairs with a friction of their own.
template <class Team, class Real>
ST_FN void find_steepest(Team team, const ModelView<Real>& model, Reach<Real>& reach) {
  const Real geoms = team.max(model.ngeom, Real(0), [&](int g) { return model.geom_friction[3 * g]; });
  const Real pairs = team.max(model.npair, Real(0), [&](int p) {
    if (model.pair_explicit[p]) return largest_friction(model, p);
    return model.pair_condim[p] == 4 ? geoms + steepest_twist(model, p) : Real(0);
  });
  team.once([&] { reach.steepest = larger(geoms, pairs); });
}

}  // namespace stiction
