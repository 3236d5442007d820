// The only access to MuJoCo's model compiler: it takes files and attachments, and returns a compiled model or throws
// one InputError.
//
// The compiler reports through process-wide handlers. Therefore only one compilation runs at a time, and its warnings
// are kept off the terminal and out of log files.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/scene/model_reading.hpp"
#include "host/scene/mujoco_functions.hpp"
#include "host/scene/mujoco_messages.hpp"

namespace stiction {

/// One `[[attach]]`: a model file placed in a body, frame or site of the scene's model.
struct Attachment {
  std::string model;                   // file
  std::string to;                      // body, frame or site; empty: the world
  std::array<double, 3> pos{0, 0, 0};  // [m]
  std::array<double, 4> quat{1, 0, 0, 0};
  std::string prefix;  // put in front of every name in the attached model
  std::string where;   // "scene.toml:12", for messages
};

struct SpecDeleter {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
};
struct MjModelDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
using SpecPtr = std::unique_ptr<mjSpec, SpecDeleter>;
using MjModelPtr = std::unique_ptr<mjModel, MjModelDeleter>;

struct CompiledModel {
  SourceFiles files;  // for messages
  SpecPtr spec;       // has the source lines of the elements
  MjModelPtr model;
  std::vector<std::string> left_out;  // mesh files that are only to be seen and cannot be read
  Ignored ignore;                     // features to be left out
  std::string xml;                    // as compiled, attachments included, asset files as absolute paths
};

/// Reads the MJCF or URDF file, attaches the others, adds actuators and compiles. Throws InputError; models of more
/// than `reading.max_elements` (model_size.hpp) are refused before they are compiled.
CompiledModel compile_file(const std::string& file, const std::vector<Attachment>& attachments,
                           const ModelReading& reading = {});

/// Compiles MJCF or URDF text; asset files are relative to the working directory. Throws InputError like compile_file.
CompiledModel compile_text(const std::string& text, const ModelReading& reading = {});

/// Loads a model that MuJoCo saved; it has neither source lines nor text. Throws InputError.
CompiledModel load_compiled(std::span<const std::byte> mjb);

/// The model in MuJoCo's binary format, in which every number is exact; the text has only six digits.
std::vector<std::byte> save_compiled(const CompiledModel& compiled);

/// "file:line" of an element by its compiled id, or "file" where the line is not known.
std::string where_is(const CompiledModel& compiled, mjtObj type, int id);

/// The element's name, or "#id" if it has none.
std::string name_of(const mjModel* model, mjtObj type, int id);

}  // namespace stiction
