// A model and a scene's choices in words, for `stiction info`.
#pragma once

#include <string>

#include "host/scene/scene.hpp"

namespace stiction {

/// Counts of the model's parts.
std::string describe_sizes(const Model& model);
/// Kinematic trees: dofs, first body, joints.
std::string describe_trees(const Model& model);
/// Actuators: what they act on, and what they mean to the dynamics.
std::string describe_actuators(const Model& model, Dynamics dynamics);
/// Joints and tendons that follow others.
std::string describe_couplings(const Model& model);
/// Bodies that a weld or a connect holds together.
std::string describe_welds(const Model& model);
/// Pairs of one robot that overlap at the start and are therefore never checked.
std::string describe_resting_overlaps(const Model& model);
/// "lists      2 models: mug.xml; bowl.xml"; empty without lists.
std::string describe_variants(const Scene& scene);
/// "dynamics dynamic, law coulomb, cone quadratic, step 0.01 s (model: 0.002, not used)".
std::string describe_step(const Scene& scene);

/// "actuators  none drives the 7 hinges and slides: ..." where there are hinges or slides and no actuators; else empty.
std::string describe_undriven(const Model& model);

/// "2 parts of the model are left out: option density (fluid), ..."; empty if there are none.
std::string describe_ignored(const Model& model);

/// "2 visual meshes cannot be read and are left out: base.dae, wheel.dae"; empty if there are none.
std::string describe_left_out(const Model& model);
/// "2 colliding meshes are not convex, and their hulls collide: ring (1.63 times as large), ..."; empty without any.
std::string describe_bulges(const Model& model);
/// The four choices: those of the scene, the others that are built, the recommended ones, and those that are not built
/// yet.
std::string describe_choices(const Scene& scene);
/// "pyramid of 4 facets", "quadratic".
std::string describe_cone(const PhysicsConfig& physics);
/// "patch, geometry end": what carries friction, and which other choices about contacts are not at their defaults;
/// empty where all are.
std::string describe_contacts(const PhysicsConfig& physics);
/// Bytes of the model, of one environment, and of one recorded row of it.
std::string describe_memory(const Scene& scene);

}  // namespace stiction
