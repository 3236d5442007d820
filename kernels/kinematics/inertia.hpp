// Mass matrix, weight and bias force of every kinematic tree. Lanes take bodies, then trees for the sums towards the
// root, then rows of M; the bias of a tree takes one lane.
//
//   M_ij  = S_iᵀ Iᶜ_j S_j  (i moves j) + armature            composite rigid bodies
//   w     = Σ_B J_Bᵀ m_B g (1 − gravcomp_B)                   weight, as a generalised force [N], [N m]
//   c     = inverse dynamics at zero acceleration, no gravity: Coriolis, centrifugal and gyroscopic force
//
// (Featherstone 2008, tables 5.1 and 6.2, in world axes about the origin of the tree's first body.)
//   symbol  variable   shape                          unit
//   M       M          blocks of trees (n, n)         [kg], [kg m], [kg m²]
//   w       weight     (nv)                           [N], [N m]
//   c       bias       (nv)                           [N], [N m]
#pragma once

#include "kernels/kinematics/poses.hpp"
#include "kernels/kinematics/spatial.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct Inertia {
  Array<SpatialInertia<Real>> own;        // inertia of a body and all that it carries     (nbody)
  Array<SpatialInertia<Real>> composite;  // scratch: inertia of the subtree below a body  (nbody)
  Array<Spatial<Real>> wrench;            // scratch: force on the subtree                 (nbody)
  Array<Spatial<Real>> twist;             // scratch: velocity of a body                   (nbody)
  Array<Spatial<Real>> acceleration;      // scratch: acceleration of a body               (nbody)
  Array<int> tree_adr;                    // start of a tree's block in M                  (ntree)
  Array<Real> M;                          // all blocks, row-major                         (Σ n²)
  Array<Real> weight;                     // (nv)
  Array<Real> bias;                       // (nv)
};

/// Number of values in all tree blocks, Σ n².
template <class Real>
ST_FN int tree_block_values(const ModelView<Real>& model) {
  int total = 0;
  for (int t = 0; t < model.ntree; ++t) total += model.tree_dof_num[t] * model.tree_dof_num[t];
  return total;
}

template <class Real>
ST_FN Inertia<Real> take_inertia(const ModelView<Real>& model, Arena& arena) {
  Inertia<Real> inertia;
  inertia.own = arena.take<SpatialInertia<Real>>(model.nbody);
  inertia.composite = arena.take<SpatialInertia<Real>>(model.nbody);
  inertia.wrench = arena.take<Spatial<Real>>(model.nbody);
  inertia.twist = arena.take<Spatial<Real>>(model.nbody);
  inertia.acceleration = arena.take<Spatial<Real>>(model.nbody);
  inertia.tree_adr = arena.take<int>(model.ntree);
  inertia.M = arena.take<Real>(tree_block_values(model));
  inertia.weight = arena.take<Real>(model.nv);
  inertia.bias = arena.take<Real>(model.nv);
  return inertia;
}

/// Motion axis of dof k as a twist about c.
template <class Real>
ST_FN Spatial<Real> dof_twist(const Poses<Real>& poses, int k, const Vec3<Real>& c) {
  return {load3(poses.dof_ang + 3 * k), dof_point_velocity(poses, k, c)};
}

/// The bodies of a tree, [root, end); c is the origin of the first body [m].
template <class Real>
struct TreeRange {
  int root, end;
  Vec3<Real> c;
};

template <class Real>
ST_FN TreeRange<Real> tree_range(const ModelView<Real>& model, const Poses<Real>& poses, int tree) {
  const int root = model.dof_body[model.tree_dof_adr[tree]];
  int end = root;
  while (end < model.nbody && model.body_tree[end] == tree) ++end;
  return {root, end, load3(poses.body_pos + 3 * root)};
}

template <class Real>
ST_FN SpatialInertia<Real> body_spatial_inertia(const ModelView<Real>& model, const Poses<Real>& poses, int b,
                                                const Vec3<Real>& c) {
  const Vec3<Real> principal = load3(model.body_inertia + 3 * b);
  if (model.body_mass[b] == Real(0) && norm_squared(principal) == Real(0)) return {};
  const Quat<Real> q_WI = load_quat(poses.body_quat + 4 * b) * load_quat(model.body_iquat + 4 * b);
  return body_inertia_about(model.body_mass[b], principal, to_matrix(q_WI), load3(poses.body_com + 3 * b) - c);
}

/// Adds the velocity of joint j to V and returns its velocity-product acceleration, V × S q̇.
template <class Real>
ST_FN Spatial<Real> joint_velocity(const ModelView<Real>& model, const Poses<Real>& poses, const Real* qvel, int j,
                                   const Vec3<Real>& c, Spatial<Real>& V) {
  const JointType type = static_cast<JointType>(model.joint_type[j]);
  int dof = model.joint_dof_adr[j];
  if (type == JointType::kFree)  // the translations keep their axes: no product term
    for (int i = 0; i < 3; ++i, ++dof) V += qvel[dof] * dof_twist(poses, dof, c);
  const int count = (type == JointType::kFree || type == JointType::kBall) ? 3 : 1;
  Spatial<Real> rate = {};
  for (int i = 0; i < count; ++i) rate += qvel[dof + i] * dof_twist(poses, dof + i, c);
  const Spatial<Real> product = cross_motion(V, rate);
  V += rate;
  return product;
}

namespace kinematics_detail {

/// Writes inertia and weight of body b alone, about the point c of its tree.
template <class Real>
ST_FN void weigh_body(const ModelView<Real>& model, const Poses<Real>& poses, int b, const Vec3<Real>& c,
                      Inertia<Real>& out) {
  out.own[b] = out.composite[b] = body_spatial_inertia(model, poses, b, c);
  const Vec3<Real> force = (model.body_mass[b] * (Real(1) - model.body_gravcomp[b])) * load3(model.gravity);
  out.wrench[b] = {cross(load3(poses.body_com + 3 * b) - c, force), force};
}

/// Sums inertias and weights of the bodies [root, end) of a tree towards its root, and clears its block of M.
template <class Real>
ST_FN void sum_to_root(const ModelView<Real>& model, int tree, int root, int end, Inertia<Real>& out) {
  for (int b = end - 1; b > root; --b) {
    const int parent = model.body_parent[b];
    if (model.body_tree[parent] != tree) continue;
    if (carrier_of(model, b) != b) out.own[parent] += out.own[b];
    out.composite[parent] += out.composite[b];
    out.wrench[parent] += out.wrench[b];
  }
  const int n = model.tree_dof_num[tree];
  for (int i = 0; i < n * n; ++i) out.M[out.tree_adr[tree] + i] = Real(0);
}

/// Writes the weight of dof k, and its row and column of M with the dofs before it.
template <class Real>
ST_FN void write_dof_mass(const ModelView<Real>& model, const Poses<Real>& poses, int tree, int k, const Vec3<Real>& c,
                          Inertia<Real>& out) {
  const int first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree], body = model.dof_body[k];
  Real* M = out.M + out.tree_adr[tree];
  const Spatial<Real> axis = dof_twist(poses, k, c);
  out.weight[k] = dot(axis, out.wrench[body]);
  const Spatial<Real> momentum = out.composite[body] * axis;
  M[(k - first) * n + k - first] = dot(axis, momentum) + model.dof_armature[k];
  for (int i = model.dof_parent[k]; i >= 0; i = model.dof_parent[i]) {
    const Real value = dot(dof_twist(poses, i, c), momentum);
    M[(k - first) * n + i - first] = value;
    M[(i - first) * n + k - first] = value;
  }
}

}  // namespace kinematics_detail

/// Writes the block of M and the weights of one tree.
template <class Real>
ST_FN void tree_mass_and_weight(const ModelView<Real>& model, const Poses<Real>& poses, int tree, Inertia<Real>& out) {
  using namespace kinematics_detail;
  const TreeRange<Real> range = tree_range(model, poses, tree);
  for (int b = range.root; b < range.end; ++b) weigh_body(model, poses, b, range.c, out);
  sum_to_root(model, tree, range.root, range.end, out);
  const int first = model.tree_dof_adr[tree];
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k) write_dof_mass(model, poses, tree, k, range.c, out);
}

/// Recursive Newton-Euler at zero acceleration and zero gravity; `own` has to be that of these poses.
template <class Real>
ST_FN void tree_bias(const ModelView<Real>& model, const Poses<Real>& poses, Pointer<const Real> qvel, int tree,
                     Inertia<Real>& out) {
  using namespace kinematics_detail;
  const TreeRange<Real> range = tree_range(model, poses, tree);
  for (int b = range.root; b < range.end; ++b) {
    if (carrier_of(model, b) != b) continue;
    const int parent = carrier_of(model, model.body_parent[b]);
    const bool inside = model.body_tree[parent] == tree;
    Spatial<Real> V = inside ? out.twist[parent] : Spatial<Real>{};
    Spatial<Real> A = inside ? out.acceleration[parent] : Spatial<Real>{};
    const int first = model.body_joint_adr[b];
    for (int j = first; j < first + model.body_joint_num[b]; ++j)
      A += joint_velocity(model, poses, qvel, j, range.c, V);
    out.twist[b] = V;
    out.acceleration[b] = A;
    const SpatialInertia<Real>& I = out.own[b];
    out.wrench[b] = I * A;
    out.wrench[b] += cross_force(V, I * V);
  }
  for (int b = range.end - 1; b > range.root; --b) {
    const int parent = carrier_of(model, model.body_parent[b]);
    if (carrier_of(model, b) == b && model.body_tree[parent] == tree) out.wrench[parent] += out.wrench[b];
  }
  const int first = model.tree_dof_adr[tree];
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k)
    out.bias[k] = dot(dof_twist(poses, k, range.c), out.wrench[model.dof_body[k]]);
}

/// Writes tree_adr, own, M and weight.
template <class Team, class Real>
ST_FN void update_mass_and_weight(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                                  Inertia<Real>& out) {
  team.once([&] {
    int adr = 0;
    for (int t = 0; t < model.ntree; ++t) {
      out.tree_adr[t] = adr;
      adr += model.tree_dof_num[t] * model.tree_dof_num[t];
    }
  });
  if constexpr (Team::kLanes == 1)
    return team.each(model.ntree, [&](int tree) { tree_mass_and_weight(model, poses, tree, out); });
  const auto origin = [&](int tree) { return load3(poses.body_pos + 3 * model.dof_body[model.tree_dof_adr[tree]]); };
  team.then(model.nbody, [&](int b) {
    const int tree = model.body_tree[b];
    if (tree >= 0) kinematics_detail::weigh_body(model, poses, b, origin(tree), out);
  });
  team.then(model.ntree, [&](int tree) {
    const TreeRange<Real> range = tree_range(model, poses, tree);
    kinematics_detail::sum_to_root(model, tree, range.root, range.end, out);
  });
  team.then(model.nv, [&](int k) {
    const int tree = model.dof_tree[k];
    kinematics_detail::write_dof_mass(model, poses, tree, k, origin(tree), out);
  });
}

/// Writes bias from qvel (nv).
template <class Team, class Real>
ST_FN void update_bias(Team team, const ModelView<Real>& model, const Poses<Real>& poses, const Real* qvel,
                       Inertia<Real>& out) {
  team.each(model.ntree, [&](int tree) { tree_bias(model, poses, qvel, tree, out); });
}

}  // namespace stiction
