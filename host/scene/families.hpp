// Scenes of adjustable size, each for one kind of contact; N is the number of bodies, grippers or joints.
//
//   name      what                                                          contacts
//   boxes:N   N boxes side by side on the floor, not touching another       4 N
//   stack:N   a tower of N boxes                                            4 N
//   pile:N    N boxes that fall into a walled heap                          about 8 N
//   grip:N    N grippers, each closes on a box and lifts it                 8 N, while lifted
//   arm:N     an arm of N joints in one tree pushes a box over the floor    8, whatever N: dofs grow, contacts do not
#pragma once

#include <optional>
#include <string>

#include "host/scene/scene.hpp"

namespace stiction {

/// The scene that a name such as "boxes:4" stands for; none if `name` is not "family:..". Throws InputError for a bad
/// number.
std::optional<Scene> make_family_scene(const std::string& name);

/// The names of all families, as "boxes:N, stack:N, ..".
std::string family_names();

}  // namespace stiction
