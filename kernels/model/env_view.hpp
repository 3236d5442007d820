// Views of the batch and of one environment in it.
#pragma once

#include "kernels/model/contact_value.hpp"
#include "kernels/model/model_view.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Sizes of the slots that a simulator sets aside per environment.
struct Capacity {
  int max_contacts = 0;               // contact points of one step
  int max_patches = 0;                // patches that are read out: max_pairs, or 0 without patches
  int max_pairs = 0;                  // pairs that reach the narrow phase in one step
  int max_rows = 0;                   // general rows: limits, couplings, dry friction, force limits; fixed by the model
  int max_couplings = kAllCouplings;  // pairs of trees that a factor may couple, fill included
};

/// Pointers to the arrays of one environment.
template <class Real>
struct EnvView {
#define ST_ENV(type, name, length) Array<type> name = nullptr;
#include "kernels/model/env_fields.inc"
#undef ST_ENV
};

/// Pointers to the arrays of all environments.
template <class Real>
struct BatchView {
  ModelView<Real> model;
  Capacity capacity;
#define ST_ENV(type, name, length) type* name = nullptr;
#include "kernels/model/env_fields.inc"
#undef ST_ENV

  ST_FN EnvView<Real> env(int i) const {
    EnvView<Real> view;
#define ST_ENV(type, name, length) view.name = name + static_cast<std::size_t>(i) * (length);
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    return view;
  }

  /// The model with the parameters of environment i.
  ST_FN ModelView<Real> env_model(int i) const {
    const EnvView<Real> view = env(i);
    ModelView<Real> own = model;
#define ST_PARAMETER(name, length) own.name = view.name;
#define ST_INT_PARAMETER(name, length) own.name = view.name;
#include "kernels/model/env_parameters.inc"
#undef ST_INT_PARAMETER
#undef ST_PARAMETER
    return own;
  }

  /// The same as far as shapes and bodies go: the narrow phase reads nothing of joints, tendons and actuators, and its
  /// kernels have no registers for their addresses.
  ST_FN ModelView<Real> env_shapes(int i) const {
    const EnvView<Real> view = env(i);
    ModelView<Real> own = model;
    own.gravity = view.gravity, own.body_mass = view.body_mass, own.body_inertia = view.body_inertia;
    own.geom_mesh = view.geom_mesh, own.geom_piece = view.geom_piece, own.geom_size = view.geom_size;
    own.geom_pos = view.geom_pos, own.geom_quat = view.geom_quat, own.geom_friction = view.geom_friction;
    own.geom_radius = view.geom_radius, own.geom_box_center = view.geom_box_center;
    own.geom_box_half = view.geom_box_half, own.body_ipos = view.body_ipos, own.body_iquat = view.body_iquat;
    return own;
  }
};

}  // namespace stiction
