// Keyframes of a model: states by name in which a scene or single environments start.
#pragma once

#include <string>
#include <vector>

#include "host/scene/scene.hpp"

namespace stiction {

/// Where environments start, before their noise.
struct StartState {
  std::vector<double> qpos;        // (nq)
  std::vector<double> qvel;        // (nv)
  std::vector<double> ctrl;        // (nu)
  std::vector<double> mocap_pose;  // of bodies without a table: position [m], quaternion (nmocap, 7)
  std::vector<double> act;         // activations of actuators (na)
};

/// The keyframe of this name; -1: there is none.
int find_keyframe(const Model& model, const std::string& name);

/// "home, rest", or "none".
std::string keyframe_list(const Model& model);

/// The state of keyframe k in [0, nkey), with unit quaternions. Throws InputError if one is 0.
StartState keyframe_start(const Model& model, int k);

/// True if the scene commands its actuators by more than the control of the keyframe from which it starts.
bool has_own_command(const Scene& scene);

}  // namespace stiction
