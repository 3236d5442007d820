// Memory for the motion of trees without forces (free_motion.hpp). It is taken for dynamics with momentum only; the
// arrays that only linkages need are null in a model without linkages.
#pragma once

#include "kernels/dynamics/articulated.hpp"
#include "kernels/kinematics/free_body.hpp"
#include "kernels/kinematics/inertia.hpp"
#include "kernels/model/traits.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Bits of `beyond`: the free motion, or the turn of the step (end_of_turn.hpp), goes too far for the order.
constexpr int kMovedTooFar = 1, kTurnedTooFar = 2;

template <class Real>
struct LinkageMotion {
  Array<Real> mean, carry;             // results: ū, u_f − ū                         (nv)
  int trees;                           // trees of the model; 0 without momentum
  Array<int> beyond;                   // result: why the motion goes too far for it; 0: it does not (ntree)
  Array<Real> start;                   // u                                           (nv)
  Array<Real> qpos, qvel;              // q, w at the beginning of a part             (nq), (nv)
  Array<Real> stage_qpos, stage_qvel;  // q, w of a stage of the Runge-Kutta method   (nq), (nv)
  Array<Real> rate_sum, change_sum;    // weighted sums of w and ẇ over the stages    (nv)
  Poses<Real> poses;                   // poses of a stage, of bodies and dofs only
  ArticulatedScratch articulated;      // for ẇ
  Array<double> factor;                // L of H                                      (Σ n²)
  Array<double> solution;              // ẇ, or u                                     (nv)
};

/// True for a tree whose M depends on its configuration: neither a single joint of one dof nor a single body.
template <class Real>
ST_FN bool is_linkage(const ModelView<Real>& model, int tree) {
  return model.tree_dof_num[tree] > 1 && !is_free_body(model, tree) && !is_pivoted_body(model, tree);
}

template <class Real>
ST_FN LinkageMotion<Real> take_free_motion(const ModelView<Real>& model, Dynamics dynamics, Arena& arena) {
  LinkageMotion<Real> m = {};
  if (!has_momentum(dynamics)) return m;
  m.trees = model.ntree;
  m.mean = arena.take<Real>(model.nv);
  m.carry = arena.take<Real>(model.nv);
  m.start = arena.take<Real>(model.nv);
  m.beyond = arena.take<int>(model.ntree);
  m.factor = arena.take<double>(tree_block_values(model));
  m.solution = arena.take<double>(model.nv);
  int linkages = 0;
  for (int t = 0; t < model.ntree; ++t) linkages += is_linkage(model, t) ? 1 : 0;
  if (linkages == 0) return m;
  Array<Real>* const of_dofs[] = {&m.qvel, &m.stage_qvel, &m.rate_sum, &m.change_sum};
  for (Array<Real>* values : of_dofs) *values = arena.take<Real>(model.nv);
  m.qpos = arena.take<Real>(model.nq);
  m.stage_qpos = arena.take<Real>(model.nq);
  m.poses.body_pos = arena.take<Real>(3 * model.nbody);
  m.poses.body_quat = arena.take<Real>(4 * model.nbody);
  m.poses.body_com = arena.take<Real>(3 * model.nbody);
  m.poses.dof_anchor = arena.take<Real>(3 * model.nv);
  m.poses.dof_lin = arena.take<Real>(3 * model.nv);
  m.poses.dof_ang = arena.take<Real>(3 * model.nv);
  m.articulated = take_articulated(model, arena);
  return m;
}

}  // namespace stiction
