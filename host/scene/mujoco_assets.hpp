// Asset files of a model before it is compiled: where they are, and which of them cannot be read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/scene/mujoco_functions.hpp"
#include "host/scene/mujoco_messages.hpp"

namespace stiction {

/// Makes the paths of asset files absolute, so that the compiled text can be read from any folder. package://NAME/...
/// is looked up in `packages`, then at the model's folder and every one above: a folder called NAME, one with a folder
/// NAME, or one whose package.xml has this name. Where there is none, the path stays as it is.
void resolve_assets(const std::string& file, const std::map<std::string, std::string>& packages, mjSpec* spec);

/// Removes the meshes that cannot be opened or are of a format that MuJoCo does not read, and the geoms made of them,
/// if these geoms neither collide nor have mass. Returns the files.
std::vector<std::string> leave_out_unreadable(mjSpec* spec);

/// Removes the mesh that MuJoCo's message is about in the same way. Returns its file, or "" if it is of any other kind.
std::string leave_out_mesh_of(const std::string& message, mjSpec* spec);

/// A description of the element whose asset file MuJoCo could not read, or "" for any other error.
std::string describe_unreadable(const SourceFiles& files, const std::string& message, mjSpec* spec);

/// The string, or "" where MuJoCo has none.
std::string text_of(const mjString* text);

}  // namespace stiction
