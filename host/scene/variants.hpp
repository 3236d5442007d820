// Models of one list (`[[attach]] model = [..]`), brought to one layout, so that environments with different ones can
// share a batch.
//
//   bodies, joints, actuators, sensors ..    the same in all; where a free body starts may differ
//   geoms                                    a slot for every (body, shape, contact filters), as many as any model
//   needs;
//                                            what a model does not need is spare (kSpareGeom) in its environments
//   pairs                                    of slots: those of all models together
//   hulls                                    of all models together, each once
#pragma once

#include <string>
#include <vector>

#include "host/scene/mujoco_compiler.hpp"
#include "host/scene/scene.hpp"

namespace stiction {

/// What decides which geoms one can touch, and how; geoms that share a slot have the same.
struct ContactProfile {
  int contype, conaffinity, condim, priority;
  double margin;
  std::string pair;                // the geom's name if a <pair> of its own mentions it
  std::string material;            // "" if it has none
  std::vector<std::string> rests;  // bodies and names of the geoms with which it overlaps at the start

  bool operator==(const ContactProfile&) const = default;
};

/// The scene's model with one choice of every list, in its own layout.
struct ReadVariant {
  std::string name;
  Model model;
  std::vector<ContactProfile> profile;  // (ngeom)
  std::vector<double> qpos, qvel;       // initial (nq), (nv)
};

/// Of the geoms of `model`, which was imported from `compiled`.
std::vector<ContactProfile> contact_profiles(const CompiledModel& compiled, const Model& model);

/// Throws InputError that begins with `where` if the models differ in more than shapes and inertia.
void check_alike(const std::vector<ReadVariant>& read, const std::string& where);

/// Appends the hulls of every model, each once; returns their ids by the ids in every model.
std::vector<std::vector<int>> join_hulls(const std::vector<ReadVariant>& read, Model& joined);

/// The model of all environments, and what each choice has of its own. Throws InputError that begins with `where`.
Model join_variants(const std::vector<ReadVariant>& read, const std::string& where, std::vector<Variant>& variants);

}  // namespace stiction
