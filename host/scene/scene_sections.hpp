// The tables of scene.toml, one function each. All throw InputError with file:line.
#pragma once

#include "host/scene/mujoco_compiler.hpp"
#include "host/scene/scene.hpp"
#include "host/scene/toml_table.hpp"

namespace stiction {

/// max_elements, [packages], [compiler] and [[actuator]]
ModelReading read_model_reading(const TomlTable& top);

/// How many models the lists of [[attach]] have, which is the same in all; 1 without any.
int count_variants(const TomlTable& top);

/// model and [[attach]], with model v of every list
CompiledModel compile_model(const TomlTable& top, const ModelReading& reading, int v = 0);

/// The files of the models v of all lists, without folders.
std::string variant_name(const TomlTable& top, int v);

/// Where the first list is, "scene.toml:12".
std::string place_of_lists(const TomlTable& top);

/// [initial]: the initial state, and the control of a keyframe
void read_initial(const TomlTable& top, Model& model, Scene& scene);

/// [solver] start: a velocity per dof, or by joint with the others at rest
void read_solver_start(const TomlTable& top, const Model& model, SolverOptions& solver);

/// Dofs of a joint: 6 free, 3 ball, else 1.
int dofs_of(int joint_type);

/// [[command]] or command_file
void read_command(const TomlTable& top, const Model& model, Scene& scene);

/// [[mocap]]
void read_mocap(const TomlTable& top, const Model& model, Scene& scene);

/// [[impulse]]
void read_impulses(const TomlTable& top, const Model& model, Scene& scene);

/// [randomize] without its seed
void read_randomize(const TomlTable& top, const Model& model, Randomize& out);

}  // namespace stiction
