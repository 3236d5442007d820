#include "host/scene/keyframes.hpp"

#include <algorithm>

#include "host/model/error.hpp"
#include "host/scene/toml_table.hpp"

namespace stiction {

int find_keyframe(const Model& model, const std::string& name) {
  const auto found = std::find(model.keyframe_names.begin(), model.keyframe_names.end(), name);
  return found == model.keyframe_names.end() ? -1 : static_cast<int>(found - model.keyframe_names.begin());
}

std::string keyframe_list(const Model& model) {
  return model.keyframe_names.empty() ? "none" : join(model.keyframe_names);
}

StartState keyframe_start(const Model& model, int k) {
  const auto i = static_cast<std::size_t>(k);
  StartState start{model.keyframe_qpos[i], model.keyframe_qvel[i], model.keyframe_ctrl[i], model.keyframe_mocap[i],
                   model.keyframe_act[i]};
  if (!normalise_quaternions(model, start.qpos))
    throw InputError("keyframe '" + model.keyframe_names[i] + "' holds a quaternion that is 0");
  return start;
}

bool has_own_command(const Scene& scene) {
  if (scene.command.time.empty()) return false;
  const int k = find_keyframe(*scene.model, scene.keyframe);
  if (scene.keyframe.empty() || k < 0 || scene.command.ctrl.size() != 1) return true;
  return scene.command.ctrl.front() != scene.model->keyframe_ctrl[static_cast<std::size_t>(k)];
}

}  // namespace stiction
