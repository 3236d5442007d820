#include "host/model/model.hpp"

namespace stiction {

template <class Real>
ModelStorage<Real>::ModelStorage(const Model& model) {
#define ST_COUNT(name) view_.name = model.name;
#include "kernels/model/model_counts.inc"
#undef ST_COUNT
#define ST_INT(name, length) \
  name##_ = model.name;      \
  view_.name = name##_.data();
#define ST_REAL(name, length)                           \
  name##_.assign(model.name.begin(), model.name.end()); \
  view_.name = name##_.data();
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  vertices_.assign(mesh_vert_.begin(), mesh_vert_.end());
  normals_.assign(mesh_face_normal_.begin(), mesh_face_normal_.end());
  view_.mesh_vert_in_double = vertices_.data();
  view_.mesh_face_normal_in_double = normals_.data();
}

template class ModelStorage<float>;
template class ModelStorage<double>;

}  // namespace stiction
