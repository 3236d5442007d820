// Which colliding meshes are not convex: what collides is their hull, which fills their hollows.
//
//   V(mesh) = Σ det(a, b, c)/6 over its triangles       of a closed surface: every edge is run through in both
//   directions ratio   = V(hull) / V(mesh)
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "host/scene/mujoco_importer.hpp"
#include "kernels/linalg/vec3.hpp"

namespace stiction {
namespace {

using Vec = Vec3<double>;

constexpr double kNoticed = 1.05;  // a hull that is larger than this many times its mesh

Vec vertex(const mjModel& m, int mesh, int v) {
  const float* p = m.mesh_vert + 3 * (m.mesh_vertadr[mesh] + v);
  return {p[0], p[1], p[2]};
}

/// Ids of the vertices of a mesh by their places: files may repeat a vertex for every face.
std::vector<int> ids_by_place(const mjModel& m, int mesh) {
  std::map<std::array<float, 3>, int> known;
  std::vector<int> ids;
  for (int v = 0; v < m.mesh_vertnum[mesh]; ++v) {
    const float* p = m.mesh_vert + 3 * (m.mesh_vertadr[mesh] + v);
    ids.push_back(known.try_emplace({p[0], p[1], p[2]}, static_cast<int>(known.size())).first->second);
  }
  return ids;
}

/// Volume inside the mesh's triangles; 0 if they do not close.
double volume_of_mesh(const mjModel& m, int mesh) {
  const std::vector<int> id = ids_by_place(m, mesh);
  std::map<std::pair<int, int>, int> open;  // edges forwards less edges backwards
  double volume = 0.0;
  for (int f = 0; f < m.mesh_facenum[mesh]; ++f) {
    const int* t = m.mesh_face + 3 * (m.mesh_faceadr[mesh] + f);
    volume += dot(vertex(m, mesh, t[0]), cross(vertex(m, mesh, t[1]), vertex(m, mesh, t[2]))) / 6.0;
    for (int k = 0; k < 3; ++k) {
      const int a = id[t[k]], b = id[t[(k + 1) % 3]];
      if (a != b) open[std::minmax(a, b)] += a < b ? 1 : -1;
    }
  }
  for (const auto& [edge, count] : open)
    if (count != 0) return 0.0;
  return std::fabs(volume);
}

/// Volume of an imported hull.
double volume_of_hull(const Model& model, int hull) {
  const double* vertices = model.mesh_vert.data() + 3 * model.mesh_vert_adr[hull];
  double volume = 0.0;
  for (int f = model.mesh_face_adr[hull]; f < model.mesh_face_adr[hull] + model.mesh_face_num[hull]; ++f) {
    const int* loop = model.mesh_face_vert.data() + model.mesh_face_vert_adr[f];
    const auto corner = [&](int i) { return load3(vertices + 3 * loop[i]); };
    for (int i = 1; i + 1 < model.mesh_face_vert_num[f]; ++i)
      volume += dot(corner(0), cross(corner(i), corner(i + 1))) / 6.0;
  }
  return volume;
}

}  // namespace

void note_bulges(const CompiledModel& compiled, Model& model) {
  const mjModel& m = *compiled.model;
  std::vector<char> seen(static_cast<std::size_t>(model.nmesh), 0);
  for (int g = 0; g < model.ngeom; ++g) {
    const int hull = model.geom_mesh[g];
    if (hull < 0 || seen[hull]) continue;
    seen[hull] = 1;
    const int mesh = m.geom_dataid[model.geom_source_id[static_cast<std::size_t>(g)]];
    const double inside = volume_of_mesh(m, mesh), filled = volume_of_hull(model, hull);
    if (inside > 0.0 && filled > kNoticed * inside)
      model.bulges.push_back({name_of(&m, mjOBJ_MESH, mesh), filled / inside});
  }
}

}  // namespace stiction
