// Convex hulls from MuJoCo's compiled mesh graph.
//
// The graph holds the hull's vertices, its triangles and, for every vertex, its neighbours along edges. We keep the
// vertices and the triangulated edges (hill climbing over them is exact) and merge coplanar triangles into polygons
// (face contacts clip them).
//
//   mesh_graph of one mesh: numvert, numface, vert_edgeadr[numvert], vert_globalid[numvert],
//                           edge_localid[numvert + 3 numface], face_globalid[3 numface]
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include "host/model/error.hpp"
#include "host/model/facing_table.hpp"
#include "host/scene/mujoco_importer.hpp"
#include "kernels/linalg/vec3.hpp"

namespace stiction {
namespace {

using Vec = Vec3<double>;

// A triangle joins a polygon if its vertices are this close to the polygon's plane, relative to the hull's size: a few
// roundings of MuJoCo's single-precision vertices.
constexpr double kCoplanarDistance = 2e-6;
// ... and its normal this close to the polygon's, unless it is too thin to have one: cos 1°.
constexpr double kCoplanarCosine = 0.99985;

// The least thickness of a hull relative to its size: half a rounding of the single-precision vertices. For thinner
// ones qhull warns that it "may produce a wide facet".
constexpr double kLeastThickness = 5e-8;

struct Hull {
  std::vector<Vec> vertices;
  std::vector<std::array<int, 3>> triangles;  // local ids
  std::vector<std::vector<int>> neighbors;    // local ids
  double size = 0.0;                          // largest distance from the mean vertex
  Vec mean{0, 0, 0};
};

using Polygon = std::vector<int>;

Hull read_graph(const mjModel& m, int mesh) {
  const int* graph = m.mesh_graph + m.mesh_graphadr[mesh];
  const int numvert = graph[0], numface = graph[1];
  const int* edge_adr = graph + 2;
  const int* global = edge_adr + numvert;
  const int* edges = global + numvert;
  const int* faces = edges + numvert + 3 * numface;
  Hull hull;
  std::unordered_map<int, int> local;
  for (int v = 0; v < numvert; ++v) {
    const float* p = m.mesh_vert + 3 * (m.mesh_vertadr[mesh] + global[v]);
    hull.vertices.push_back({p[0], p[1], p[2]});
    hull.mean += hull.vertices.back();
    local[global[v]] = v;
    hull.neighbors.emplace_back();
    for (const int* e = edges + edge_adr[v]; *e >= 0; ++e) hull.neighbors.back().push_back(*e);
  }
  hull.mean = hull.mean * (1.0 / numvert);
  for (const Vec& v : hull.vertices) hull.size = std::max(hull.size, norm(v - hull.mean));
  for (int f = 0; f < numface; ++f) {
    hull.triangles.push_back({local.at(faces[3 * f]), local.at(faces[3 * f + 1]), local.at(faces[3 * f + 2])});
  }
  return hull;
}

/// Twice the area times the normal.
Vec area_vector(const Hull& hull, const std::array<int, 3>& t) {
  const Vec a = hull.vertices[t[0]];
  return cross(hull.vertices[t[1]] - a, hull.vertices[t[2]] - a);
}

/// Makes every triangle counter-clockwise from outside.
void orient(Hull& hull) {
  for (auto& t : hull.triangles) {
    if (dot(area_vector(hull, t), hull.vertices[t[0]] - hull.mean) < 0.0) std::swap(t[1], t[2]);
  }
}

/// True if all vertices lie in the plane of the largest triangle, up to rounding.
bool is_flat(const Hull& hull) {
  Vec area{0, 0, 0}, origin{0, 0, 0};
  for (const auto& t : hull.triangles)
    if (const Vec a = area_vector(hull, t); norm(a) > norm(area)) area = a, origin = hull.vertices[t[0]];
  double thickness = 0.0;
  for (const Vec& v : hull.vertices) thickness = std::max(thickness, std::fabs(dot(v - origin, area)));
  return !(thickness > kLeastThickness * hull.size * norm(area));
}

/// Triangle on the other side of every directed edge.
std::map<std::pair<int, int>, int> edge_owners(const Hull& hull) {
  std::map<std::pair<int, int>, int> owner;
  for (std::size_t i = 0; i < hull.triangles.size(); ++i) {
    const auto& t = hull.triangles[i];
    for (int k = 0; k < 3; ++k) owner[{t[k], t[(k + 1) % 3]}] = static_cast<int>(i);
  }
  return owner;
}

bool is_coplanar(const Hull& hull, const std::array<int, 3>& t, const Vec& origin, const Vec& normal) {
  const double reach = kCoplanarDistance * hull.size;
  for (int v : t) {
    if (std::fabs(dot(hull.vertices[v] - origin, normal)) > reach) return false;
  }
  const Vec area = area_vector(hull, t);
  const bool has_normal = norm(area) > 2.0 * reach * hull.size;
  return !has_normal || dot(area, normal) > kCoplanarCosine * norm(area);
}

/// The triangles that lie in the plane of `seed` and are connected to it.
std::vector<int> grow_region(const Hull& hull, const std::map<std::pair<int, int>, int>& owner, int seed,
                             std::vector<char>& taken) {
  const Vec area = area_vector(hull, hull.triangles[seed]);
  const Vec normal = area * (1.0 / norm(area));
  const Vec origin = hull.vertices[hull.triangles[seed][0]];
  std::vector<int> region{seed};
  taken[seed] = 1;
  for (std::size_t next = 0; next < region.size(); ++next) {
    const auto t = hull.triangles[region[next]];
    for (int k = 0; k < 3; ++k) {
      const auto across = owner.find({t[(k + 1) % 3], t[k]});
      if (across == owner.end() || taken[across->second]) continue;
      if (!is_coplanar(hull, hull.triangles[across->second], origin, normal)) continue;
      taken[across->second] = 1;
      region.push_back(across->second);
    }
  }
  return region;
}

/// The region's outline, counter-clockwise; empty if it is not one simple loop.
Polygon outline(const Hull& hull, const std::vector<int>& region) {
  std::map<std::pair<int, int>, bool> edges;
  for (int i : region) {
    const auto& t = hull.triangles[i];
    for (int k = 0; k < 3; ++k) edges[{t[k], t[(k + 1) % 3]}] = true;
  }
  std::map<int, int> next;
  for (const auto& [edge, present] : edges) {
    if (edges.count({edge.second, edge.first})) continue;
    if (!next.emplace(edge.first, edge.second).second) return {};
  }
  if (next.empty()) return {};
  Polygon loop{next.begin()->first};
  for (int v = next[loop[0]]; v != loop[0] && loop.size() <= next.size(); v = next[v]) loop.push_back(v);
  return loop.size() == next.size() ? loop : Polygon{};
}

/// Polygons of the hull's surface, grown from the largest triangles first.
std::vector<Polygon> merge_coplanar(const Hull& hull) {
  const auto owner = edge_owners(hull);
  std::vector<int> order(hull.triangles.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto larger = [&](int a, int b) {
    return norm_squared(area_vector(hull, hull.triangles[a])) > norm_squared(area_vector(hull, hull.triangles[b]));
  };
  std::stable_sort(order.begin(), order.end(), larger);
  std::vector<char> taken(hull.triangles.size(), 0);
  std::vector<Polygon> polygons;
  for (int seed : order) {
    if (taken[seed]) continue;
    const std::vector<int> region = grow_region(hull, owner, seed, taken);
    const Polygon loop = outline(hull, region);
    if (!loop.empty()) {
      polygons.push_back(loop);
      continue;
    }
    for (int i : region) polygons.push_back({hull.triangles[i].begin(), hull.triangles[i].end()});
  }
  return polygons;
}

/// Unit normal of a nearly planar polygon (Newell).
Vec normal_of(const Hull& hull, const Polygon& polygon) {
  Vec sum{0, 0, 0};
  const Vec origin = hull.vertices[polygon[0]];
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    sum += cross(hull.vertices[polygon[i]] - origin, hull.vertices[polygon[i + 1]] - origin);
  }
  return sum * (1.0 / norm(sum));
}

void append_vertices(const Hull& hull, Model& model) {
  model.mesh_vert_adr.push_back(model.nmeshvert);
  model.mesh_vert_num.push_back(static_cast<int>(hull.vertices.size()));
  for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
    for (int k = 0; k < 3; ++k) model.mesh_vert.push_back(hull.vertices[v][k]);
    model.mesh_neighbor_adr.push_back(model.nmeshneighbor);
    model.mesh_neighbor_num.push_back(static_cast<int>(hull.neighbors[v].size()));
    model.mesh_neighbor.insert(model.mesh_neighbor.end(), hull.neighbors[v].begin(), hull.neighbors[v].end());
    model.nmeshneighbor += static_cast<int>(hull.neighbors[v].size());
  }
  model.nmeshvert += static_cast<int>(hull.vertices.size());
}

void append_faces(const Hull& hull, const std::vector<Polygon>& polygons, Model& model) {
  model.mesh_face_adr.push_back(model.nmeshface);
  model.mesh_face_num.push_back(static_cast<int>(polygons.size()));
  for (const Polygon& polygon : polygons) {
    const Vec normal = normal_of(hull, polygon);
    for (int k = 0; k < 3; ++k) model.mesh_face_normal.push_back(normal[k]);
    model.mesh_face_vert_adr.push_back(model.nmeshfacevert);
    model.mesh_face_vert_num.push_back(static_cast<int>(polygon.size()));
    model.mesh_face_vert.insert(model.mesh_face_vert.end(), polygon.begin(), polygon.end());
    model.nmeshfacevert += static_cast<int>(polygon.size());
  }
  model.nmeshface += static_cast<int>(polygons.size());
}

}  // namespace

void append_hull(const CompiledModel& compiled, int mesh, Model& model) {
  const mjModel& m = *compiled.model;
  if (m.mesh_graphadr[mesh] < 0) {
    throw InputError(compiled.files.file + ": mesh '" + name_of(&m, mjOBJ_MESH, mesh) +
                     "' collides but has no convex hull: give it a volume or exclude it from collision");
  }
  Hull hull = read_graph(m, mesh);
  orient(hull);
  if (is_flat(hull)) {
    throw InputError(compiled.files.file + ": mesh '" + name_of(&m, mjOBJ_MESH, mesh) +
                     "' collides and is thinner than a 1e-7th of its size, which is rounding: use a thin box");
  }
  ++model.nmesh;
  append_vertices(hull, model);
  append_faces(hull, merge_coplanar(hull), model);
  append_facing(model);
}

}  // namespace stiction
