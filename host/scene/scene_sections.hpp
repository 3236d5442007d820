// The tables of scene.toml, one function each. All throw InputError with file:line.
#pragma once

#include "host/scene/mujoco_compiler.hpp"
#include "host/scene/scene.hpp"
#include "host/scene/toml_table.hpp"

namespace stiction {

/// model and [[attach]]
CompiledModel compile_model(const TomlTable& top);

/// [initial]: start, and the control of a keyframe
void read_initial(const TomlTable& top, Model& model, Scene& scene);

/// [[command]] or command_file
void read_command(const TomlTable& top, const Model& model, Scene& scene);

/// [[mocap]]
void read_mocap(const TomlTable& top, const Model& model, Scene& scene);

/// [[impulse]]
void read_impulses(const TomlTable& top, const Model& model, Scene& scene);

/// [randomize]
void read_randomize(const TomlTable& top, const Model& model, Randomize& out);

}  // namespace stiction
