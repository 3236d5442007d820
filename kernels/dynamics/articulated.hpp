// Acceleration of one kinematic tree without forces, ẇ = −M(q)⁻¹ c(q, w), in a time proportional to its bodies.
//
//   root to leaves   V_B = V_P + Σ_k S_k w_k,   ζ_B = V × S w,   p_B = V_B ×* (I_B V_B)                        (1)
//   leaves to root   U_k = I S_k,   D_k = S_kᵀ U_k + armature,   u_k = S_kᵀ p    for the dofs of a body, last first
//                    I −= U_k U_kᵀ/D_k,   p −= U_k u_k/D_k                                                     (2)
//                    I_P += I,   p_P += p + I ζ_B
//   root to leaves   A = A_P + ζ_B,   ẇ_k = −(u_k + U_kᵀ A)/D_k,   A += S_k ẇ_k                                (3)
//
// (Featherstone 2008, table 7.1, one dof after the other; world axes about the origin of the tree's first body.) (2)
// and (3) are in double: I loses digits where a light body carries a heavy one. A frozen dof has an infinite armature:
// it passes on I and p as they are, and is not accelerated.
//
//   symbol  variable     shape       unit
//   V, ζ    twist, acceleration of Inertia   (nbody)
//   I       inertia      (nbody, 6, 6)   articulated inertia of a body, angular part first
//   p       force        (nbody, 6)
//   A       motion       (nbody, 6)
//   S, U    axis, gain   (nv, 6)
//   D, u    pivot, load  (nv)
#pragma once

#include "kernels/contact/prescribed_motion.hpp"
#include "kernels/kinematics/inertia.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Scratch for trees with more than one dof; null without such a tree.
struct ArticulatedScratch {
  Array<double> inertia, force, motion;  // (nbody, 36), (nbody, 6), (nbody, 6)
  Array<double> axis, gain;              // (nv, 6)
  Array<double> pivot, load;             // (nv)
};

template <class Real>
ST_FN ArticulatedScratch take_articulated(const ModelView<Real>& model, Arena& arena) {
  ArticulatedScratch scratch;
  scratch.inertia = arena.take<double>(36 * model.nbody);
  scratch.force = arena.take<double>(6 * model.nbody);
  scratch.motion = arena.take<double>(6 * model.nbody);
  scratch.axis = arena.take<double>(6 * model.nv);
  scratch.gain = arena.take<double>(6 * model.nv);
  scratch.pivot = arena.take<double>(model.nv);
  scratch.load = arena.take<double>(model.nv);
  return scratch;
}

namespace dynamics_detail {

/// One tree of a model.
template <class Real>
struct TreeMotion {
  const ModelView<Real>& model;
  int tree, first, n;
  const PrescribedDofs& prescribed;
};

template <class Real>
ST_FN TreeMotion<Real> motion_of_tree(const ModelView<Real>& model, int tree, const PrescribedDofs& prescribed) {
  return {model, tree, model.tree_dof_adr[tree], model.tree_dof_num[tree], prescribed};
}

template <class Real>
ST_FN void store6(const Spatial<Real>& a, double* p) {
  for (int i = 0; i < 3; ++i) p[i] = static_cast<double>(a.ang[i]), p[3 + i] = static_cast<double>(a.lin[i]);
}

/// Σ_i a_i b_i of two spatial vectors.
ST_FN double dot6(const double* a, const double* b) {
  double sum = 0.0;
  for (int i = 0; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}

/// y += I x for a symmetric I (6, 6).
ST_FN void add_symmetric(const double* I, const double* x, double* y) {
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < 6; ++i) y[i] += I[6 * j + i] * x[j];
}

/// The matrix of a body's inertia.
template <class Real>
ST_FN void store_inertia(const SpatialInertia<Real>& body, double* I) {
  const double x = static_cast<double>(body.moment.x), y = static_cast<double>(body.moment.y),
               z = static_cast<double>(body.moment.z), mass = static_cast<double>(body.mass);
  const double turning[3][3] = {
      {static_cast<double>(body.xx), static_cast<double>(body.xy), static_cast<double>(body.xz)},
      {static_cast<double>(body.xy), static_cast<double>(body.yy), static_cast<double>(body.yz)},
      {static_cast<double>(body.xz), static_cast<double>(body.yz), static_cast<double>(body.zz)}};
  const double moment[3][3] = {{0.0, -z, y}, {z, 0.0, -x}, {-y, x, 0.0}};  // m p ×
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      I[6 * i + j] = turning[i][j];
      I[6 * i + 3 + j] = moment[i][j];
      I[6 * (3 + i) + j] = moment[j][i];
      I[6 * (3 + i) + 3 + j] = i == j ? mass : 0.0;
    }
}

/// (2) of dof k of a body with I and p; false if the dof moves nothing.
ST_FN bool eliminate_dof(int k, double armature, double* I, double* p, ArticulatedScratch& scratch) {
  const double* S = scratch.axis + 6 * k;
  double* U = scratch.gain + 6 * k;
  for (int i = 0; i < 6; ++i) U[i] = 0.0;
  add_symmetric(I, S, U);
  const double D = dot6(S, U) + armature;
  if (!(D > 0.0)) return false;
  const double inverse = 1.0 / D, u = dot6(S, p);
  for (int i = 0; i < 6; ++i) {
    const double scaled = inverse * U[i];
    for (int j = 0; j < 6; ++j) I[6 * i + j] -= scaled * U[j];
    p[i] -= scaled * u;
  }
  scratch.pivot[k] = inverse;
  scratch.load[k] = u;
  return true;
}

}  // namespace dynamics_detail

/// (1) but p: twist, velocity-product acceleration and inertia of the bodies of one tree, at velocities qvel (nv). The
/// inertia of a body is that of all that it carries.
template <class Real>
ST_FN void spread_velocity(const ModelView<Real>& model, const Poses<Real>& poses, Pointer<const Real> qvel, int tree,
                           Inertia<Real>& out) {
  const TreeRange<Real> range = tree_range(model, poses, tree);
  for (int b = range.root; b < range.end; ++b) {
    const int parent = model.body_parent[b], first = model.body_joint_adr[b];
    Spatial<Real> V = model.body_tree[parent] == tree ? out.twist[parent] : Spatial<Real>{};
    Spatial<Real> product = {};
    for (int j = first; j < first + model.body_joint_num[b]; ++j)
      product += joint_velocity(model, poses, qvel, j, range.c, V);
    out.twist[b] = V;
    out.acceleration[b] = product;
    out.composite[b] = body_spatial_inertia(model, poses, b, range.c);
  }
  for (int b = range.end - 1; b > range.root; --b)
    if (carrier_of(model, b) != b) out.composite[model.body_parent[b]] += out.composite[b];
}

/// ½ wᵀ M w of one tree after spread_velocity [J].
template <class Real>
ST_FN Real energy_of_spread(const ModelView<Real>& model, Pointer<const Real> qvel, int tree,
                            const Inertia<Real>& spread) {
  const int first = model.tree_dof_adr[tree];
  Real twice = Real(0);
  for (int b = model.dof_body[first]; b < model.nbody && model.body_tree[b] == tree; ++b)
    if (carrier_of(model, b) == b) twice += dot(spread.twist[b], spread.composite[b] * spread.twist[b]);
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k) twice += model.dof_armature[k] * qvel[k] * qvel[k];
  return Real(0.5) * twice;
}

namespace dynamics_detail {

/// p of (1), the matrices of the inertias and the axes of the dofs, after spread_velocity.
template <class Real>
ST_FN void load_articulated(const ModelView<Real>& model, const Poses<Real>& poses, int tree,
                            const Inertia<Real>& spread, ArticulatedScratch& scratch) {
  const TreeRange<Real> range = tree_range(model, poses, tree);
  const int first = model.tree_dof_adr[tree];
  for (int b = range.root; b < range.end; ++b) {
    if (carrier_of(model, b) != b) continue;
    store_inertia(spread.composite[b], scratch.inertia + 36 * b);
    store6(cross_force(spread.twist[b], spread.composite[b] * spread.twist[b]), scratch.force + 6 * b);
  }
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k)
    store6(dof_twist(poses, k, range.c), scratch.axis + 6 * k);
}

/// (2) of all bodies; false if a dof moves nothing.
template <class Real>
ST_FN bool eliminate_dofs(const TreeMotion<Real>& tree, int root, int end, const Inertia<Real>& spread,
                          ArticulatedScratch& scratch) {
  const ModelView<Real>& model = tree.model;
  int k = tree.first + tree.n - 1;
  for (int b = end - 1; b >= root; --b) {
    if (carrier_of(model, b) != b) continue;
    double *I = scratch.inertia + 36 * b, *p = scratch.force + 6 * b;
    for (; k >= tree.first && model.dof_body[k] == b; --k) {
      const double armature =
          is_frozen(tree.prescribed, k) ? double(INFINITY) : static_cast<double>(model.dof_armature[k]);
      if (!eliminate_dof(k, armature, I, p, scratch)) return false;
    }
    const int parent = carrier_of(model, model.body_parent[b]);
    if (model.body_tree[parent] != tree.tree) continue;
    double product[6];
    store6(spread.acceleration[b], product);
    add_symmetric(I, product, p);
    for (int i = 0; i < 36; ++i) scratch.inertia[36 * parent + i] += I[i];
    for (int i = 0; i < 6; ++i) scratch.force[6 * parent + i] += p[i];
  }
  return true;
}

/// (3): writes ẇ (nv) of the tree.
template <class Real>
ST_FN void spread_acceleration(const TreeMotion<Real>& tree, int root, int end, const Inertia<Real>& spread,
                               ArticulatedScratch& scratch, double* out) {
  const ModelView<Real>& model = tree.model;
  int k = tree.first;
  for (int b = root; b < end; ++b) {
    if (carrier_of(model, b) != b) continue;
    const int parent = carrier_of(model, model.body_parent[b]);
    double* A = scratch.motion + 6 * b;
    store6(spread.acceleration[b], A);
    for (int i = 0; model.body_tree[parent] == tree.tree && i < 6; ++i) A[i] += scratch.motion[6 * parent + i];
    for (; k < tree.first + tree.n && model.dof_body[k] == b; ++k) {
      out[k] = -scratch.pivot[k] * (scratch.load[k] + dot6(scratch.gain + 6 * k, A));
      for (int i = 0; i < 6; ++i) A[i] += scratch.axis[6 * k + i] * out[k];
    }
  }
}

}  // namespace dynamics_detail

/// (2) and (3) after spread_velocity: writes ẇ (nv) of one tree; false if one of its dofs moves nothing.
template <class Real>
ST_PHASE bool write_free_acceleration(const dynamics_detail::TreeMotion<Real>& tree, const Poses<Real>& poses,
                                      const Inertia<Real>& spread, ArticulatedScratch& scratch, double* out) {
  using namespace dynamics_detail;
  const TreeRange<Real> range = tree_range(tree.model, poses, tree.tree);
  load_articulated(tree.model, poses, tree.tree, spread, scratch);
  if (!eliminate_dofs(tree, range.root, range.end, spread, scratch)) return false;
  spread_acceleration(tree, range.root, range.end, spread, scratch, out);
  return true;
}

}  // namespace stiction
