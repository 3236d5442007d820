// The constant model as the kernels see it: counts and pointers, in one precision.
#pragma once

#include <cstddef>

#include "kernels/linalg/vec3.hpp"
#include "kernels/model/traits.hpp"

namespace stiction {

template <class Real>
struct ModelView {
#define ST_COUNT(name) int name = 0;
#include "kernels/model/model_counts.inc"
#undef ST_COUNT
#define ST_INT(name, length) const int* name = nullptr;
#define ST_REAL(name, length) const Real* name = nullptr;
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  // the same hulls, with the digits that they have in Real
  const double* mesh_vert_in_double = nullptr;         // (nmeshvert, 3)
  const double* mesh_face_normal_in_double = nullptr;  // (nmeshface, 3)
};

/// True for a slot that holds no shape in this environment.
template <class Real>
ST_FN bool is_spare(const ModelView<Real>& model, int geom) {
  return model.geom_mesh[geom] == kSpareGeom;
}

}  // namespace stiction
