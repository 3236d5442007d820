// A geom of the model at a pose of the world.
#pragma once

#include "kernels/collision/contact_point.hpp"
#include "kernels/model/model_view.hpp"

namespace stiction {

/// Vertices and normals of all hulls in the precision of a shape, which is that of the model or double.
template <class Real, class Stored>
ST_FN void choose_hulls(const ModelView<Stored>& model, const Real** vertices, const Real** normals) {
  if constexpr (sizeof(Real) == sizeof(Stored))
    *vertices = model.mesh_vert, *normals = model.mesh_face_normal;
  else
    *vertices = model.mesh_vert_in_double, *normals = model.mesh_face_normal_in_double;
}

/// Makes the hull pointers of `shape` refer to mesh `mesh`.
template <class Stored, class Real>
ST_FN void attach_hull(const ModelView<Stored>& model, int mesh, PlacedShape<Real>& shape) {
  const int vert = model.mesh_vert_adr[mesh], face = model.mesh_face_adr[mesh];
  const Real *vertices, *normals;
  choose_hulls(model, &vertices, &normals);
  shape.num_vertices = model.mesh_vert_num[mesh];
  shape.vertices = vertices + 3 * vert;
  shape.neighbor_adr = model.mesh_neighbor_adr + vert;
  shape.neighbor_num = model.mesh_neighbor_num + vert;
  shape.neighbors = model.mesh_neighbor;
  shape.num_faces = model.mesh_face_num[mesh];
  shape.face_normals = normals + 3 * face;
  shape.face_vert_adr = model.mesh_face_vert_adr + face;
  shape.face_vert_num = model.mesh_face_vert_num + face;
  shape.face_verts = model.mesh_face_vert;
  shape.facing = model.mesh_facing + model.mesh_facing_adr[mesh];
}

/// The shape of `geom` at p_WG, R_WG.
template <class Stored, class Real>
ST_FN PlacedShape<Real> place_shape(const ModelView<Stored>& model, int geom, const Vec3<Real>& position,
                                    const Mat3<Real>& rotation) {
  PlacedShape<Real> shape{};
  shape.type = model.geom_type[geom];
  shape.size = in_precision<Real>(load3(model.geom_size + 3 * geom));
  shape.position = position;
  shape.rotation = rotation;
  if (shape.type == static_cast<int>(GeomType::kMesh)) attach_hull(model, model.geom_mesh[geom], shape);
  return shape;
}

}  // namespace stiction
