// The reach passes from tree to tree through the pairs that it keeps: a passive tree takes over the largest reach of
// what touches it, and one that nothing touches falls (reach.hpp).
#pragma once

#include "kernels/contact/reach.hpp"

namespace stiction {

namespace contact_detail {

/// Calls touch(tree, m) for both trees of pair p, if the pair is kept: a tree, and the reach of what touches it. With
/// momentum a tree does not push itself: how its bodies move is known.
template <class Real, class Touch>
ST_FN void visit_kept(const ModelView<Real>& model, const PairBounds<Real>& bounds, const Reach<Real>& reach, int p,
                      Touch touch) {
  const PairSides pair = sides_of_pair(model, p);
  if (!is_kept(model, reach, p, pair, bounds.gap[p])) return;
  for (int side = 0; side < 2; ++side) {
    const int by = pair.geom[1 - side];
    if (pair.tree[side] >= 0)
      touch(pair.tree[side], !pair.in_one_tree() ? geom_reach(reach, by, pair.tree[1 - side])
                             : reach.momentum    ? Real(0)
                                                 : reach.inside[by]);
  }
}

/// True if a passive tree takes over the reach m of what touches it.
template <class Real>
ST_FN bool takes_over(const Reach<Real>& reach, int tree, Real m) {
  return !(m <= reach.tree[tree]) && reach.passive[tree];
}

/// One sweep over the near pairs that are kept. True if the reach of any tree grew.
template <class Real>
ST_FN bool push_passive_trees(const ModelView<Real>& model, const PairBounds<Real>& bounds, Reach<Real>& reach) {
  bool grew = false;
  for (int i = 0; i < *bounds.num_near; ++i)
    visit_kept(model, bounds, reach, bounds.near[i], [&](int tree, Real m) {
      reach.supported[tree] = 1;
      if (!takes_over(reach, tree, m)) return;
      reach.tree[tree] = m;
      grew = true;
    });
  return grew;
}

/// True if a sweep would change anything.
template <class Team, class Real>
ST_FN bool is_pushed(Team team, const ModelView<Real>& model, const PairBounds<Real>& bounds,
                     const Reach<Real>& reach) {
  const auto changes = [&](int i) {
    int any = 0;
    visit_kept(model, bounds, reach, bounds.near[i],
               [&](int tree, Real m) { any |= !reach.supported[tree] || takes_over(reach, tree, m) ? 1 : 0; });
    return any;
  };
  return team.sum(*bounds.num_near, 0, changes) > 0;
}

/// Adds its free motion to the reach of every passive tree that no kept pair touches.
template <class Real>
ST_FN void drop_unsupported_trees(const ModelView<Real>& model, Reach<Real>& reach) {
  for (int g = 0; g < model.ngeom; ++g) {
    const int tree = tree_of_geom(model, g);
    if (tree < 0 || reach.supported[tree] || !reach.passive[tree]) continue;
    reach.tree[tree] = larger(reach.tree[tree], reach.fall[g]);
    reach.inside[g] = larger(reach.inside[g], reach.bend[g]);
  }
}

/// Sweeps until nothing changes. Only the sweeps that change something depend on their order; where there are several
/// lanes, they find out together that there is no such sweep left.
template <class Team, class Real>
ST_FN void push_until_still(Team team, const ModelView<Real>& model, const PairBounds<Real>& bounds,
                            Reach<Real>& reach) {
  bool grew = true;  // known to the one lane that sweeps
  ST_ROLLED
  for (int sweep = 0; sweep <= model.ntree; ++sweep) {
    const bool still = Team::kLanes > 1 ? !is_pushed(team, model, bounds, reach) : !grew;
    if (still) return;
    team.once([&] { grew = push_passive_trees(model, bounds, reach); });
  }
}

/// Upper bound of what passive trees may take over from others [m]. What a passive tree is the only one to have does
/// not come back to it: with momentum no tree pushes itself.
template <class Team, class Real>
ST_FN Real largest_push(Team team, const ModelView<Real>& model, const Reach<Real>& reach) {
  const int passive = team.sum(model.ntree, 0, [&](int t) { return reach.passive[t]; });
  return team.max(model.ngeom, Real(0), [&](int g) {
    const int tree = tree_of_geom(model, g);
    const bool alone = reach.momentum && passive == 1 && tree >= 0 && reach.passive[tree];
    return alone ? Real(0) : larger(geom_reach(reach, g, tree), reach.inside[g]);
  });
}

/// Bounds what geoms keep by upper bounds of m once reaches have spread and unsupported trees fall.
template <class Team, class Real>
ST_FN void bound_reaches(Team team, const ModelView<Real>& model, const Reach<Real>& reach, PairBounds<Real>& bounds) {
  const Real push = largest_push(team, model, reach);
  const Real fall = team.max(model.ngeom, Real(0), [&](int g) { return larger(reach.fall[g], reach.bend[g]); });
  team.each(model.ngeom, [&](int g) {
    const int tree = tree_of_geom(model, g);
    const bool passive = tree >= 0 && reach.passive[tree];
    const Real own = geom_reach(reach, g, tree);
    const Real outmost = passive ? larger(larger(push, fall), own) : own;
    const Real inside = tree >= 0 ? larger(reach.tree[tree], inside_reach(reach, g, tree)) : Real(0);
    bound_pairs_of(model, reach, g, outmost, passive ? larger(larger(push, reach.bend[g]), inside) : inside, bounds);
  });
}

}  // namespace contact_detail

/// Passes the reach on from tree to tree through the pairs that it keeps; afterwards bounds.near holds all of these
/// pairs. Trees that nothing supports fall; then all is passed on once more.
template <class Team, class Real>
ST_FN void spread_reach(Team team, const ModelView<Real>& model, const Poses<Real>& poses, PairBounds<Real>& bounds,
                        Reach<Real>& reach) {
  using namespace contact_detail;
  const bool measures = measures_together(reach);
  team.each(measures ? model.npair : 0, [&](int p) { reach.together[p] = Real(kUnlimitedReach); });
  team.each(model.ntree, [&](int t) { reach.supported[t] = 0; });
  team.once([&] { reach.relative |= measures; });
  bound_reaches(team, model, reach, bounds);
  list_near_pairs(team, model, bounds);
  if (measures) measure_together(team, model, poses, bounds, reach);
  push_until_still(team, model, bounds, reach);
  const int falling = team.sum(model.ntree, 0, [&](int t) { return reach.passive[t] && !reach.supported[t] ? 1 : 0; });
  team.each(model.ntree, [&](int t) { reach.pushed[t] = reach.tree[t]; });
  if (falling == 0 && reach.momentum) return;
  team.once([&] { drop_unsupported_trees(model, reach); });
  push_until_still(team, model, bounds, reach);
}

}  // namespace stiction
