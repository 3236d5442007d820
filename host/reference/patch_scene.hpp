// Which scenes with contact patches the reference steps: free bodies of one convex shape each, on planes, fixed shapes
// or one another, with the choices of Xie and Chakraborty (`preset = "ecp"`) and torsion from the model.
#pragma once

#include "host/scene/scene.hpp"

namespace stiction::reference {

/// Throws InputError, which says what the scene has and what to do, if it seeks the end of its steps and the reference
/// can not.
void check_patch_scene(const Scene& scene);

/// The same if anything but gravity, impulses, wrenches and contacts pushes the bodies.
void check_patch_forces(const Model& model);

/// True if patch_stepper.hpp steps the scene, and not step.hpp.
bool has_patches(const Scene& scene);

}  // namespace stiction::reference
