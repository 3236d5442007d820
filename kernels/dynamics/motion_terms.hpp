// H and g of a step: blocks of kinematic trees, and the terms that every dynamics shares.
//
//   springs, dampers, weight:   H += h² k + h D,   g += h k (q_rest − q) + h w
//   actuator on a length:       H += (h² kp + h kv) gear² c cᵀ,   g += h f gear c       f: force at the present length
//   impulses, wrenches:         g += J_Cᵀ (p + h f)                                     p, f: applied in this step
//
// Dynamics with fitted springs use the slopes and impulses of spring_weights.hpp for springs, dampers and actuators.
//
//   symbol  variable        shape                    unit
//   H       H               blocks (n, n)            [kg], [kg m²]: impulse per velocity
//   g       g               (nv)                     [N s], [N m s]
//   v_free  free_velocity   (nv)                     velocity that g alone gives each dof [m/s], [rad/s]
//   v̄       prescribed      (nv)                     velocity of the dofs that follow a command with any force
//
// (Pang & Tedrake 2021, equations (6) and (10), with the actuators of the model in place of K and q̄.)
#pragma once

#include "kernels/contact/general_rows.hpp"
#include "kernels/dynamics/free_motion_scratch.hpp"
#include "kernels/dynamics/impulses.hpp"
#include "kernels/kinematics/inertia.hpp"
#include "kernels/linalg/rotation.hpp"
#include "kernels/model/spring_fit.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// What H and g of a step are computed from, besides model and poses.
template <class Real>
struct MotionInputs {
  const Real* qpos;       // (nq)
  const Real* qvel;       // (nv); used by dynamics with momentum only
  const Real* ctrl;       // (nu)
  const Real* last_ctrl;  // commands of the step before (nu)
  const Real* wrench;     // force [N] and torque [N m] on every body (nbody, 6)
  Real step_size;         // h [s]
  Real mass_ratio;        // s in quasidynamic.hpp [-]
  ImpulseView<Real> impulses;
  int step;           // number of this step, which selects the impulses
  Rotation rotation;  // linear: the velocity terms of free bodies are those of linear_spin.hpp
  StepOrder order;    // bodies that move first move with the velocity of the end, not with the mean one
};

template <class Real>
struct MotionTerms {
  const int* tree_adr;        // start of a tree's block in H and M_u        (ntree)
  Array<double> H;            // all blocks                                  (Σ n²)
  Array<double> M_u;          // mass matrix of the un-actuated dofs         (Σ n²)
  Array<double> g;            // (nv)
  Array<double> dof_radius;   // (nv)
  Array<Real> free_velocity;  // (nv)
  PrescribedDofs prescribed;
  SpringFit<Real> fit;
  LinkageMotion<Real> free;
  Array<const double*> H_block;  // (ntree)
  Array<const double*> M_block;  // (ntree)
};

template <class Real>
ST_FN MotionTerms<Real> take_motion_terms(const ModelView<Real>& model, const Inertia<Real>& inertia, Dynamics dynamics,
                                          Arena& arena) {
  MotionTerms<Real> terms;
  const int values = tree_block_values(model);
  terms.tree_adr = inertia.tree_adr;
  terms.H = arena.take<double>(values);
  terms.M_u = arena.take<double>(values);
  terms.g = arena.take<double>(model.nv);
  terms.dof_radius = arena.take<double>(model.nv);
  terms.free_velocity = arena.take<Real>(model.nv);
  terms.prescribed.chosen = nullptr, terms.prescribed.frozen = false;
  terms.prescribed.with_frozen = arena.take<int>(model.nv);
  terms.prescribed.velocity = arena.take<double>(model.nv);
  terms.fit = take_spring_fit<Real>(model, dynamics, arena);
  terms.free = take_free_motion(model, dynamics, arena);
  terms.H_block = arena.take<const double*>(model.ntree);
  terms.M_block = arena.take<const double*>(model.ntree);
  return terms;
}

namespace dynamics_detail {

template <class Real>
ST_FN double& entry(const ModelView<Real>& model, MotionTerms<Real>& terms, int i, int k) {
  const int tree = model.dof_tree[i];
  const int first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree];
  return terms.H[terms.tree_adr[tree] + (i - first) * n + k - first];
}

/// Adds a force that acts on `scale` times a length and is linear in its motion: H += slope scale² c cᵀ, g += impulse
/// scale c.
template <class Real>
ST_FN void add_length_force(const ModelView<Real>& model, int length, double scale, const SpringImpulse& force,
                            MotionTerms<Real>& terms) {
  const double slope = scale * scale * force.slope, impulse = scale * force.impulse;
  for_each_term(model, length, [&](int i, Real c_i) {
    terms.g[i] += impulse * static_cast<double>(c_i);
    for_each_term(model, length, [&](int k, Real c_k) {
      if (model.dof_tree[i] != model.dof_tree[k]) return;  // a motor across trees: its slope is 0
      entry(model, terms, i, k) += slope * static_cast<double>(c_i) * static_cast<double>(c_k);
    });
  });
}

/// Adds a spring of stiffness k on one dof, stretched by `stretch` [m] or [rad].
template <class Real>
ST_FN void add_dof_spring(const ModelView<Real>& model, const MotionInputs<Real>& in, int dof, double k, Real stretch,
                          MotionTerms<Real>& terms) {
  const SpringImpulse spring = spring_impulse(terms.fit.of_dof(dof), static_cast<double>(in.step_size), k, 0.0,
                                              -k * static_cast<double>(stretch), terms.fit.rate_of_dof(in.qvel, dof));
  terms.g[dof] += spring.impulse;
  entry(model, terms, dof, dof) += spring.slope;
}

template <class Real>
ST_FN void add_joint_spring(const ModelView<Real>& model, const MotionInputs<Real>& in, int j,
                            MotionTerms<Real>& terms) {
  const double k = static_cast<double>(model.joint_stiffness[j]);
  if (!(k > 0.0)) return;
  const Real* q = in.qpos + model.joint_qpos_adr[j];
  const Real* rest = model.qpos_spring + model.joint_qpos_adr[j];
  const JointType type = static_cast<JointType>(model.joint_type[j]);
  int dof = model.joint_dof_adr[j];
  int turns_at = 0;
  if (type != JointType::kBall) {
    const int slides = type == JointType::kFree ? 3 : 1;
    for (int i = 0; i < slides; ++i, ++dof) add_dof_spring(model, in, dof, k, q[i] - rest[i], terms);
    if (type != JointType::kFree) return;
    turns_at = 3;
  }
  const Vec3<Real> error = turn_to_rest(q + turns_at, rest + turns_at);
  for (int i = 0; i < 3; ++i, ++dof) add_dof_spring(model, in, dof, k, -error[i], terms);
}

template <class Real>
ST_FN void add_tendon_forces(const ModelView<Real>& model, const MotionInputs<Real>& in, int t,
                             MotionTerms<Real>& terms) {
  if (is_spring_row(model, t)) return;
  add_length_force(model, model.tendon_length[t], 1.0,
                   tendon_impulse(model, in.qpos, in.qvel, static_cast<double>(in.step_size), t, terms.fit), terms);
}

template <class Real>
ST_FN void add_actuator(const ModelView<Real>& model, const MotionInputs<Real>& in, Dynamics dynamics, int a,
                        MotionTerms<Real>& terms) {
  if (is_force_row(model, dynamics, a) || prescribes_motion(model, dynamics, a)) return;
  const ActuatorLaw<Real> law = actuator_law(model, in.qpos, terms.fit.asked(in.ctrl), dynamics, a);
  add_length_force(model, model.actuator_length[a], static_cast<double>(model.actuator_gear[a]),
                   actuator_impulse(model, in.qvel, static_cast<double>(in.step_size), law, a, terms.fit), terms);
}

}  // namespace dynamics_detail

/// Clears H and g and adds the terms that every dynamics shares.
template <class Team, class Real>
ST_FN void add_common_terms(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                            const MotionInputs<Real>& in, Dynamics dynamics, const Inertia<Real>& inertia,
                            MotionTerms<Real>& terms) {
  const double h = static_cast<double>(in.step_size);
  team.each(model.ntree, [&](int t) {
    terms.H_block[t] = terms.H + terms.tree_adr[t];
    terms.M_block[t] = terms.M_u + terms.tree_adr[t];
  });
  team.then(model.nv, [&](int k) {
    const int tree = model.dof_tree[k], first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree];
    const int row = terms.tree_adr[tree] + (k - first) * n;
    const bool driven = model.dof_actuated[k];
    for (int i = 0; i < n; ++i) {
      const bool free = !driven && !model.dof_actuated[first + i];
      terms.H[row + i] = 0.0;
      terms.M_u[row + i] = free ? static_cast<double>(inertia.M[row + i]) : 0.0;
    }
    const SpringImpulse damper = spring_impulse(terms.fit.of_dof(k), h, 0.0, static_cast<double>(model.dof_damping[k]),
                                                0.0, terms.fit.rate_of_dof(in.qvel, k));
    terms.H[row + k - first] = damper.slope;
    terms.g[k] = h * static_cast<double>(inertia.weight[k]) + damper.impulse;
    terms.dof_radius[k] = static_cast<double>(model.dof_radius[k]);
  });
  team.once([&] {
    for (int j = 0; j < model.njoint; ++j) dynamics_detail::add_joint_spring(model, in, j, terms);
    for (int t = 0; t < model.ntendon; ++t) dynamics_detail::add_tendon_forces(model, in, t, terms);
    for (int a = 0; a < model.nu; ++a) dynamics_detail::add_actuator(model, in, dynamics, a, terms);
  });
  add_impulses(team, model, poses, in.impulses, in.step, terms.g.data());
  add_applied_wrenches(team, model, poses, in.wrench, h, terms.g.data());
}

}  // namespace stiction
