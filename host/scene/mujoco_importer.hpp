// Turns a compiled MuJoCo model into our own flat model; features that we cannot simulate are refused by name.
#pragma once

#include "host/model/model.hpp"
#include "host/scene/mujoco_compiler.hpp"

namespace stiction {

/// The flat model. Throws InputError for the first feature that is not supported.
Model import_model(const CompiledModel& compiled);

/// Removes from the candidate pairs those pairs of one robot that overlap at `qpos` (nq), where the scene begins, and
/// lists them in model.resting_overlaps (docs/adr/0103-resting-overlaps.md).
void drop_resting_overlaps(const CompiledModel& compiled, const std::vector<double>& qpos, Model& model);

// the parts of import_model, in the order in which it calls them

/// Throws InputError if the model uses a feature that we cannot simulate; notes in model.ignored what is left out.
void refuse_unsupported(const CompiledModel& compiled, Model& model);

/// True if the actuator has a filter and the user leaves filters out.
bool leaves_out_filter(const CompiledModel& compiled, int actuator);

/// Bodies, joints, dofs, trees, reference configurations.
void import_tree(const CompiledModel& compiled, Model& model);

/// Candidate pairs after the contact filters; then the geoms and hulls that occur in them.
void import_collision(const CompiledModel& compiled, Model& model);

/// Finds geom_piece: which geoms of one body touch.
void import_pieces(const CompiledModel& compiled, Model& model);

/// Lists in model.bulges the colliding meshes whose hulls are over 5 % larger.
void note_bulges(const CompiledModel& compiled, Model& model);

/// Finds tree_shared_dof from the geoms that were imported.
void import_shared_dofs(Model& model);

/// The hull of MuJoCo mesh `mesh`, appended to the model's meshes.
void append_hull(const CompiledModel& compiled, int mesh, Model& model);

/// Lengths, couplings, tendons, actuators and their activations.
void import_transmissions(const CompiledModel& compiled, Model& model);

/// Adds the length of a tendon; returns its id.
int add_tendon_length(const mjModel& m, int tendon, Model& model);

/// Weld and connect equalities.
void import_welds(const CompiledModel& compiled, Model& model);

/// Sites, cameras and sensors; notes in model.ignored which sensors are not computed.
void import_sensors(const CompiledModel& compiled, Model& model);

/// body_radius, dof_radius (docs/adr/0101-length-scales.md).
void import_radii(const CompiledModel& compiled, Model& model);

/// Throws InputError "file:line: <type> 'name' <what>".
[[noreturn]] void refuse(const CompiledModel& compiled, mjtObj type, int id, const std::string& what);

/// Whether MuJoCo's option switches the default feature off; without constraints there are none of any kind.
inline bool disabled(const mjModel& m, int bit) {
  constexpr int kConstraints = mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS;
  const bool none = (m.opt.disableflags & mjDSBL_CONSTRAINT) != 0 && (bit & kConstraints) != 0;
  return none || (m.opt.disableflags & bit) != 0;
}

}  // namespace stiction
