// Bodies, joints, dofs and kinematic trees: MuJoCo's ids and orders, unchanged.
#include "host/scene/mujoco_importer.hpp"

namespace stiction {
namespace {

template <class T>
std::vector<int> ints(const T* data, mjtSize count) {
  return {data, data + count};
}

std::vector<double> reals(const mjtNum* data, mjtSize count) { return {data, data + count}; }

std::vector<double> reals_unless(bool off, const mjtNum* data, mjtSize count) {
  return off ? std::vector<double>(static_cast<std::size_t>(count), 0.0) : reals(data, count);
}

void import_bodies(const mjModel& m, Model& model) {
  model.nbody = static_cast<int>(m.nbody);
  model.body_parent = ints(m.body_parentid, m.nbody);
  model.body_tree = ints(m.body_treeid, m.nbody);
  model.body_mocap = ints(m.body_mocapid, m.nbody);
  model.body_joint_adr = ints(m.body_jntadr, m.nbody);
  model.body_joint_num = ints(m.body_jntnum, m.nbody);
  model.body_pos = reals(m.body_pos, 3 * m.nbody);
  model.body_quat = reals(m.body_quat, 4 * m.nbody);
  model.body_ipos = reals(m.body_ipos, 3 * m.nbody);
  model.body_iquat = reals(m.body_iquat, 4 * m.nbody);
  model.body_mass = reals(m.body_mass, m.nbody);
  model.body_inertia = reals(m.body_inertia, 3 * m.nbody);
  model.body_gravcomp = reals(m.body_gravcomp, m.nbody);
  model.body_frozen.assign(static_cast<std::size_t>(m.nbody), 0.0);
  model.body_last_dof.assign(static_cast<std::size_t>(m.nbody), -1);
  model.body_mocap_root.assign(static_cast<std::size_t>(m.nbody), 0);
  for (int b = 1; b < m.nbody; ++b) {
    model.body_mocap_root[b] = m.body_mocapid[b] >= 0 ? b : model.body_mocap_root[m.body_parentid[b]];
    const bool moves = m.body_dofnum[b] > 0;
    model.body_last_dof[b] = moves ? m.body_dofadr[b] + m.body_dofnum[b] - 1 : model.body_last_dof[m.body_parentid[b]];
  }
}

void import_joints(const mjModel& m, Model& model) {
  model.njoint = static_cast<int>(m.njnt);
  model.joint_type = ints(m.jnt_type, m.njnt);  // MuJoCo numbers free, ball, slide and hinge as we do
  model.joint_body = ints(m.jnt_bodyid, m.njnt);
  model.joint_qpos_adr = ints(m.jnt_qposadr, m.njnt);
  model.joint_dof_adr = ints(m.jnt_dofadr, m.njnt);
  model.joint_limited = ints(m.jnt_limited, m.njnt);
  if (disabled(m, mjDSBL_LIMIT)) model.joint_limited.assign(static_cast<std::size_t>(m.njnt), 0);
  model.joint_pos = reals(m.jnt_pos, 3 * m.njnt);
  model.joint_axis = reals(m.jnt_axis, 3 * m.njnt);
  model.joint_range = reals(m.jnt_range, 2 * m.njnt);
  model.joint_stiffness = reals_unless(disabled(m, mjDSBL_SPRING), m.jnt_stiffness, m.njnt);
  model.nq = static_cast<int>(m.nq);
  model.qpos0 = reals(m.qpos0, m.nq);
  model.qpos_spring = reals(m.qpos_spring, m.nq);
}

void import_dofs(const mjModel& m, Model& model) {
  model.nv = static_cast<int>(m.nv);
  model.dof_body = ints(m.dof_bodyid, m.nv);
  model.dof_joint = ints(m.dof_jntid, m.nv);
  model.dof_parent = ints(m.dof_parentid, m.nv);
  model.dof_tree = ints(m.dof_treeid, m.nv);
  model.dof_actuated.assign(static_cast<std::size_t>(m.nv), 0);  // import_transmissions sets them
  model.dof_armature = reals(m.dof_armature, m.nv);
  model.dof_damping = reals_unless(disabled(m, mjDSBL_DAMPER), m.dof_damping, m.nv);
  model.dof_frictionloss = reals_unless(disabled(m, mjDSBL_FRICTIONLOSS), m.dof_frictionloss, m.nv);
  model.ntree = static_cast<int>(m.ntree);
  model.tree_dof_adr = ints(m.tree_dofadr, m.ntree);
  model.tree_dof_num = ints(m.tree_dofnum, m.ntree);
}

/// The last dof that moves both what dof a moves and what dof b moves; -1: none.
int last_common_dof(const Model& model, int a, int b) {
  while (a != b) (a > b ? a : b) = model.dof_parent[a > b ? a : b];
  return a;
}

}  // namespace

void import_tree(const CompiledModel& compiled, Model& model) {
  import_bodies(*compiled.model, model);
  import_joints(*compiled.model, model);
  import_dofs(*compiled.model, model);
}

void import_shared_dofs(Model& model) {
  model.tree_shared_dof.assign(static_cast<std::size_t>(model.ntree), -1);
  std::vector<bool> seen(static_cast<std::size_t>(model.ntree), false);
  for (const int body : model.geom_body) {
    const int tree = model.body_tree[body];
    if (tree < 0) continue;
    int& shared = model.tree_shared_dof[tree];
    shared = seen[tree] ? last_common_dof(model, shared, model.body_last_dof[body]) : model.body_last_dof[body];
    seen[tree] = true;
  }
}

}  // namespace stiction
