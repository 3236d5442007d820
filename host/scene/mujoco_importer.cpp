#include "host/scene/mujoco_importer.hpp"

#include "host/model/error.hpp"

namespace stiction {
namespace {

std::vector<double> row(const mjtNum* data, int index, mjtSize width) {
  return {data + index * width, data + (index + 1) * width};
}

void import_names(const mjModel& m, Model& model) {
  for (int i = 0; i < m.nbody; ++i) model.body_names.push_back(name_of(&m, mjOBJ_BODY, i));
  for (int i = 0; i < m.njnt; ++i) model.joint_names.push_back(name_of(&m, mjOBJ_JOINT, i));
  for (int i = 0; i < m.nactuator; ++i) model.actuator_names.push_back(name_of(&m, mjOBJ_ACTUATOR, i));
  for (int id : model.geom_source_id) model.geom_names.push_back(name_of(&m, mjOBJ_GEOM, id));
}

/// Pose of every mocap body: position, quaternion.
std::vector<double> interleave_poses(const mjtNum* pos, const mjtNum* quat, mjtSize count) {
  std::vector<double> poses;
  for (mjtSize i = 0; i < count; ++i) {
    poses.insert(poses.end(), pos + 3 * i, pos + 3 * i + 3);
    poses.insert(poses.end(), quat + 4 * i, quat + 4 * i + 4);
  }
  return poses;
}

void import_keyframes(const mjModel& m, Model& model) {
  for (int k = 0; k < m.nkey; ++k) {
    model.keyframe_names.push_back(name_of(&m, mjOBJ_KEY, k));
    model.keyframe_qpos.push_back(row(m.key_qpos, k, m.nq));
    model.keyframe_qvel.push_back(row(m.key_qvel, k, m.nv));
    model.keyframe_ctrl.push_back(row(m.key_ctrl, k, m.nu));
    model.keyframe_act.push_back(row(m.key_act, k, m.na));
    model.keyframe_mocap.push_back(
        interleave_poses(m.key_mpos + 3 * k * m.nmocap, m.key_mquat + 4 * k * m.nmocap, m.nmocap));
  }
}

void import_mocap(const mjModel& m, Model& model) {
  model.nmocap = static_cast<int>(m.nmocap);
  model.mocap_pose0.assign(7 * static_cast<std::size_t>(m.nmocap), 0.0);
  for (int b = 0; b < m.nbody; ++b) {
    if (m.body_mocapid[b] < 0) continue;
    const std::vector<double> pose = interleave_poses(m.body_pos + 3 * b, m.body_quat + 4 * b, 1);
    std::copy(pose.begin(), pose.end(), model.mocap_pose0.begin() + 7 * m.body_mocapid[b]);
  }
}

/// Density, viscosity and wind; zeros where nothing resists motion. MuJoCo computes no passive forces at all if both
/// its springs and its dampers are off.
std::vector<double> fluid_of(const CompiledModel& compiled) {
  const mjModel& m = *compiled.model;
  const bool none = disabled(m, mjDSBL_SPRING) && disabled(m, mjDSBL_DAMPER);
  if (none || compiled.ignore.holds("fluid")) return std::vector<double>(5, 0.0);
  return {m.opt.density, m.opt.viscosity, m.opt.wind[0], m.opt.wind[1], m.opt.wind[2]};
}

bool is_urdf(const std::string& file) { return file.ends_with(".urdf"); }

/// Calls validate() and puts the model's file in front of its message.
void check_values(const CompiledModel& compiled, const Model& model) {
  try {
    validate(model);
  } catch (const InputError& error) {
    throw InputError(compiled.files.file + ": " + error.what());
  }
}

}  // namespace

Model import_model(const CompiledModel& compiled) {
  const mjModel& m = *compiled.model;
  Model model;
  refuse_unsupported(compiled, model);
  model.name = m.names;
  model.xml = compiled.xml;
  model.timestep = m.opt.timestep;
  model.left_out = compiled.left_out;
  model.world_is_robot = is_urdf(compiled.files.file);
  model.fluid = fluid_of(compiled);
  for (int i = 0; i < 3; ++i) model.gravity.push_back(disabled(m, mjDSBL_GRAVITY) ? 0.0 : m.opt.gravity[i]);
  import_tree(compiled, model);
  import_mocap(m, model);
  import_collision(compiled, model);
  import_pieces(compiled, model);
  note_bulges(compiled, model);
  import_shared_dofs(model);
  import_transmissions(compiled, model);
  import_welds(compiled, model);
  import_sensors(compiled, model);
  import_radii(compiled, model);
  import_names(m, model);
  import_keyframes(m, model);
  check_values(compiled, model);
  return model;
}

void refuse(const CompiledModel& compiled, mjtObj type, int id, const std::string& what) {
  const mjModel& m = *compiled.model;
  std::string element = std::string(mju_type2Str(type)) + " '" + name_of(&m, type, id) + "'";
  if (type == mjOBJ_GEOM) element += " of body '" + name_of(&m, mjOBJ_BODY, m.geom_bodyid[id]) + "'";
  throw InputError(where_is(compiled, type, id) + ": " + element + " " + what);
}

}  // namespace stiction
