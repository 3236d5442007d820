// Lengths and what acts on them: couplings, tendons, actuators and their activations.
//
//   joint        ℓ = q_j                 fixed tendon  ℓ = Σ c_k q_k
//   spatial tendon  ℓ = Σ |p_i − p_{i+1}|, from site to site; the kernels compute its coefficients in every step
//   coupling     ℓ1 − rest1 = poly(ℓ2 − rest2)
//   actuator     f = gain u + bias0 + bias1 (gear ℓ) + bias2 (gear ℓ̇), generalised force gear c_k f
//
// position: bias1 < 0 (kp = −bias1, kv = −bias2); velocity: bias1 = 0, bias2 < 0 (kv = −bias2); motor: both 0.
#include <algorithm>
#include <cmath>
#include <set>

#include "host/scene/mujoco_importer.hpp"

namespace stiction {
namespace {

/// Ids of the lengths made so far, by joint and by tendon; -1: none yet.
struct LengthIds {
  std::vector<int> of_joint, of_tendon;
};

void append_term(const mjModel& m, int joint, double coef, Model& model) {
  model.term_qpos.push_back(m.jnt_qposadr[joint]);
  model.term_dof.push_back(m.jnt_dofadr[joint]);
  model.term_coef.push_back(coef);
  ++model.nterm;
}

int begin_length(int terms, Model& model) {
  model.length_term_adr.push_back(model.nterm);
  model.length_term_num.push_back(terms);
  model.length_point_adr.push_back(model.npoint);
  model.length_point_num.push_back(0);
  model.length_path.push_back(0.0);
  return model.nlength++;
}

int length_of_joint(const mjModel& m, int joint, LengthIds& ids, Model& model) {
  int& id = ids.of_joint[joint];
  if (id >= 0) return id;
  id = begin_length(1, model);
  append_term(m, joint, 1.0, model);
  return id;
}

/// The length of a spatial tendon: its sites, and as terms the dofs that move them.
int begin_path(const mjModel& m, int tendon, Model& model) {
  std::set<int> dofs;
  const int length = begin_length(0, model);
  model.length_path.back() = m.tendon_length0[tendon];
  for (int w = m.tendon_adr[tendon]; w < m.tendon_adr[tendon] + m.tendon_num[tendon]; ++w) {
    const int site = m.wrap_objid[w], body = m.site_bodyid[site];
    model.point_body.push_back(body);
    model.point_pos.insert(model.point_pos.end(), m.site_pos + 3 * site, m.site_pos + 3 * site + 3);
    ++model.npoint;
    ++model.length_point_num.back();
    for (int k = model.body_last_dof[body]; k >= 0; k = model.dof_parent[k]) dofs.insert(k);
  }
  for (const int k : dofs) {
    model.term_qpos.push_back(m.jnt_qposadr[m.dof_jntid[k]]);
    model.term_dof.push_back(k);
    model.term_coef.push_back(0.0);
    ++model.nterm;
    ++model.length_term_num.back();
  }
  return length;
}

int length_of_tendon(const mjModel& m, int tendon, LengthIds& ids, Model& model) {
  int& id = ids.of_tendon[tendon];
  if (id < 0) id = add_tendon_length(m, tendon, model);
  return id;
}

std::set<int> trees_of(const Model& model, int length) {
  std::set<int> trees;
  const int first = model.length_term_adr[length];
  for (int t = first; t < first + model.length_term_num[length]; ++t) trees.insert(model.dof_tree[model.term_dof[t]]);
  return trees;
}

// --- couplings -------------------------------------------------------------------------------------------------

/// Length and reference of a joint or tendon.
std::pair<int, double> coupled(const mjModel& m, int type, int id, LengthIds& ids, Model& model) {
  if (type == mjEQ_JOINT) return {length_of_joint(m, id, ids, model), m.qpos0[m.jnt_qposadr[id]]};
  return {length_of_tendon(m, id, ids, model), m.tendon_length0[id]};
}

void import_coupling(const CompiledModel& compiled, int eq, LengthIds& ids, Model& model) {
  const mjModel& m = *compiled.model;
  const auto first = coupled(m, m.eq_type[eq], m.eq_obj1id[eq], ids, model);
  std::pair<int, double> second{-1, 0.0};
  if (m.eq_obj2id[eq] >= 0) second = coupled(m, m.eq_type[eq], m.eq_obj2id[eq], ids, model);
  std::set<int> trees = trees_of(model, first.first);
  if (second.first >= 0) trees.merge(trees_of(model, second.first));
  if (trees.size() > 2) refuse(compiled, mjOBJ_EQUALITY, eq, "couples more than two kinematic trees");
  ++model.ncoupling;
  model.coupling_length.insert(model.coupling_length.end(), {first.first, second.first});
  model.coupling_rest.insert(model.coupling_rest.end(), {first.second, second.second});
  const mjtNum* poly = m.eq_data + eq * mjNEQDATA;
  model.coupling_poly.insert(model.coupling_poly.end(), poly, poly + 5);
}

void import_couplings(const CompiledModel& compiled, LengthIds& ids, Model& model) {
  const mjModel& m = *compiled.model;
  if (disabled(m, mjDSBL_EQUALITY)) return;
  for (int eq = 0; eq < m.neq; ++eq) {
    const bool couples = m.eq_type[eq] == mjEQ_JOINT || m.eq_type[eq] == mjEQ_TENDON;
    if (couples && m.eq_active0[eq]) import_coupling(compiled, eq, ids, model);
  }
}

// --- tendons ---------------------------------------------------------------------------------------------

/// Damping of the tendon and of the actuator on it.
double damping_of(const mjModel& m, int tendon) {
  double damping = m.tendon_damping[tendon];
  for (int a = 0; a < m.nactuator; ++a) {
    if (m.actuator_trntype[a] != mjTRN_TENDON || m.actuator_trnid[2 * a] != tendon) continue;
    const double gear = m.actuator_gear[6 * m.actuator_outadr[a]];
    damping += gear * gear * m.actuator_damping[a];
  }
  return disabled(m, mjDSBL_DAMPER) ? 0.0 : damping;
}

void import_tendon(const CompiledModel& compiled, int tendon, LengthIds& ids, Model& model) {
  const mjModel& m = *compiled.model;
  const bool limited = m.tendon_limited[tendon] && !disabled(m, mjDSBL_LIMIT);
  const double stiffness = disabled(m, mjDSBL_SPRING) ? 0.0 : m.tendon_stiffness[tendon];
  const double frictionloss = disabled(m, mjDSBL_FRICTIONLOSS) ? 0.0 : m.tendon_frictionloss[tendon];
  const double damping = damping_of(m, tendon);
  if (!limited && stiffness == 0.0 && frictionloss == 0.0 && damping == 0.0) return;
  const int length = length_of_tendon(m, tendon, ids, model);
  if (trees_of(model, length).size() > 2) {
    refuse(compiled, mjOBJ_TENDON, tendon, "spans more than two kinematic trees: split it into tendons of two trees");
  }
  ++model.ntendon;
  model.tendon_length.push_back(length);
  model.tendon_limited.push_back(limited ? 1 : 0);
  model.tendon_range.insert(model.tendon_range.end(), {m.tendon_range[2 * tendon], m.tendon_range[2 * tendon + 1]});
  model.tendon_stiffness.push_back(stiffness);
  const mjtNum* rest = m.tendon_lengthspring + 2 * tendon;
  model.tendon_rest.insert(model.tendon_rest.end(), rest, rest + 2);
  model.tendon_damping.push_back(damping);
  model.tendon_frictionloss.push_back(frictionloss);
}

// --- actuators -------------------------------------------------------------------------------------------------

ActuatorKind kind_of(const CompiledModel& compiled, int a, double gain, const double* bias) {
  if (bias[1] > 0.0 || bias[2] > 0.0) {
    refuse(compiled, mjOBJ_ACTUATOR, a,
           "has a positive position or velocity bias (negative kp or kv), which is unstable");
  }
  if (bias[1] == 0.0 && bias[2] == 0.0) return ActuatorKind::kMotor;
  if (bias[1] != 0.0) return ActuatorKind::kPosition;
  if (gain == 0.0) refuse(compiled, mjOBJ_ACTUATOR, a, "is a damper, which is not supported: use joint damping");
  return ActuatorKind::kVelocity;
}

int actuator_length(const CompiledModel& compiled, int a, LengthIds& ids, Model& model) {
  const mjModel& m = *compiled.model;
  const int target = m.actuator_trnid[2 * a];
  if (m.actuator_trntype[a] != mjTRN_TENDON) return length_of_joint(m, target, ids, model);
  const int length = length_of_tendon(m, target, ids, model);
  if (trees_of(model, length).size() > 2) {
    refuse(compiled, mjOBJ_ACTUATOR, a,
           "acts across more than two kinematic trees, which is not supported: give each pair of trees one of its own");
  }
  return length;
}

/// The state between the control and the actuator, if it has one.
void import_activation(const CompiledModel& compiled, int a, Model& model) {
  const mjModel& m = *compiled.model;
  if (m.actuator_dyntype[a] == mjDYN_NONE || leaves_out_filter(compiled, a)) {
    model.actuator_act.push_back(-1);
    return;
  }
  const bool integrates = m.actuator_dyntype[a] == mjDYN_INTEGRATOR;
  model.actuator_act.push_back(model.na++);
  model.act_dynamics.push_back(
      static_cast<int>(integrates ? ActivationDynamics::kIntegrator : ActivationDynamics::kFilter));
  model.act_early.push_back(m.actuator_actearly[a] ? 1 : 0);
  model.act_limited.push_back(m.actuator_actlimited[a] ? 1 : 0);
  model.act_time.push_back(integrates ? 1.0 : std::max<double>(mjMINVAL, m.actuator_dynprm[a * mjNDYN]));
  model.act_range.insert(model.act_range.end(), m.actuator_actrange + 2 * a, m.actuator_actrange + 2 * a + 2);
  model.act0.push_back(0.0);
}

/// Actuators that push the same joint, or the same tendon if `type` is mjTRN_TENDON.
int actuators_on(const mjModel& m, bool tendon, int target) {
  int count = 0;
  for (int a = 0; a < m.nactuator; ++a) {
    count += (m.actuator_trntype[a] == mjTRN_TENDON) == tendon && m.actuator_trnid[2 * a] == target ? 1 : 0;
  }
  return count;
}

/// Imports the actuator's force range, narrowed by the target's actfrcrange: |gear f| stays in it, if this is the
/// target's only actuator.
void import_force_range(const CompiledModel& compiled, int a, Model& model) {
  const mjModel& m = *compiled.model;
  const bool tendon = m.actuator_trntype[a] == mjTRN_TENDON;
  const int target = m.actuator_trnid[2 * a];
  bool limited = m.actuator_forcelimited[a];
  double low = m.actuator_forcerange[2 * a], high = m.actuator_forcerange[2 * a + 1];
  if (tendon ? m.tendon_actfrclimited[target] : m.jnt_actfrclimited[target]) {
    if (actuators_on(m, tendon, target) > 1) {
      refuse(compiled, mjOBJ_ACTUATOR, a,
             "shares a target that has an actuatorfrcrange: limit every actuator's forcerange");
    }
    const mjtNum* range = (tendon ? m.tendon_actfrcrange : m.jnt_actfrcrange) + 2 * target;
    const double gear = model.actuator_gear[a];
    const double ends[2] = {range[0] / gear, range[1] / gear};
    low = limited ? std::max(low, std::min(ends[0], ends[1])) : std::min(ends[0], ends[1]);
    high = limited ? std::min(high, std::max(ends[0], ends[1])) : std::max(ends[0], ends[1]);
    limited = true;
  }
  model.actuator_force_limited.push_back(limited ? 1 : 0);
  model.actuator_force_range.insert(model.actuator_force_range.end(), {limited ? low : 0.0, limited ? high : 0.0});
}

void import_actuator(const CompiledModel& compiled, int a, LengthIds& ids, Model& model) {
  const mjModel& m = *compiled.model;
  const double gain = m.actuator_gainprm[a * mjNGAIN];
  const mjtNum* prm = m.actuator_biasprm + a * mjNBIAS;
  const bool affine = m.actuator_biastype[a] == mjBIAS_AFFINE;
  const double bias[3] = {affine ? prm[0] : 0.0, affine ? prm[1] : 0.0, affine ? prm[2] : 0.0};
  const ActuatorKind kind = kind_of(compiled, a, gain, bias);
  const double gear = m.actuator_gear[6 * m.actuator_outadr[a]];
  if (gear == 0.0) refuse(compiled, mjOBJ_ACTUATOR, a, "has gear 0: give a gear other than 0");
  const int length = actuator_length(compiled, a, ids, model);
  ++model.nu;
  import_activation(compiled, a, model);
  model.actuator_kind.push_back(static_cast<int>(kind));
  model.actuator_length.push_back(length);
  model.actuator_gear.push_back(gear);
  const double kp = kind == ActuatorKind::kPosition ? -bias[1] : 0.0;
  const double kd = kind == ActuatorKind::kMotor ? 0.0 : 0.0 - bias[2];
  const double force_of_one = kind == ActuatorKind::kPosition ? kp : kind == ActuatorKind::kVelocity ? kd : 1.0;
  model.actuator_gain.push_back(gain / force_of_one);
  model.actuator_bias.push_back(bias[0] / force_of_one);
  model.actuator_kp.push_back(kp);
  model.actuator_kd.push_back(kd);
  model.actuator_ctrl_limited.push_back(m.actuator_ctrllimited[a] && !disabled(m, mjDSBL_CLAMPCTRL) ? 1 : 0);
  model.actuator_ctrl_range.insert(model.actuator_ctrl_range.end(), m.actuator_ctrlrange + 2 * a,
                                   m.actuator_ctrlrange + 2 * a + 2);
  import_force_range(compiled, a, model);
}

/// Marks the dofs of position and velocity actuators; adds the inertia and damping of actuators to their joints.
void apply_to_dofs(const mjModel& m, Model& model) {
  for (int a = 0; a < model.nu; ++a) {
    const int first = model.length_term_adr[model.actuator_length[a]];
    const int count = model.length_term_num[model.actuator_length[a]];
    const bool is_path = model.length_point_num[model.actuator_length[a]] > 0;
    const bool holds = model.actuator_kind[a] != static_cast<int>(ActuatorKind::kMotor);
    for (int t = first; t < first + count; ++t) {
      if (holds && (is_path || model.term_coef[t] != 0.0)) model.dof_actuated[model.term_dof[t]] = 1;
    }
    if (m.actuator_trntype[a] == mjTRN_TENDON) continue;
    const double gear2 = model.actuator_gear[a] * model.actuator_gear[a];
    model.dof_armature[model.term_dof[first]] += gear2 * m.actuator_armature[a];
    if (!disabled(m, mjDSBL_DAMPER)) model.dof_damping[model.term_dof[first]] += gear2 * m.actuator_damping[a];
  }
}

}  // namespace

int add_tendon_length(const mjModel& m, int tendon, Model& model) {
  if (m.tendon_type[tendon] == mjTENDON_SPATIAL) return begin_path(m, tendon, model);
  const int length = begin_length(m.tendon_num[tendon], model);
  for (int w = m.tendon_adr[tendon]; w < m.tendon_adr[tendon] + m.tendon_num[tendon]; ++w)
    append_term(m, m.wrap_objid[w], m.wrap_prm[w], model);
  return length;
}

void import_transmissions(const CompiledModel& compiled, Model& model) {
  const mjModel& m = *compiled.model;
  LengthIds ids{std::vector<int>(static_cast<std::size_t>(m.njnt), -1),
                std::vector<int>(static_cast<std::size_t>(m.ntendon), -1)};
  for (int a = 0; a < m.nactuator; ++a) import_actuator(compiled, a, ids, model);
  import_couplings(compiled, ids, model);
  for (int t = 0; t < m.ntendon; ++t) import_tendon(compiled, t, ids, model);
  apply_to_dofs(m, model);
}

}  // namespace stiction
