// Which geoms can touch, and how: MuJoCo's contact filters and its rules for combining two geoms' parameters.
//
// A candidate pair is an explicit <pair>, or two geoms with contype1 & conaffinity2 or contype2 & conaffinity1 whose
// bodies can move relative to each other and are neither the same weld group, nor parent and child, nor excluded.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "host/scene/mujoco_importer.hpp"
#include "kernels/model/geom_bounds.hpp"

namespace stiction {
namespace {

/// True if all of a height field is at one height: it is a box then, from its base up to its own frame.
bool is_level_field(const mjModel& m, int geom) {
  if (m.geom_type[geom] != mjGEOM_HFIELD) return false;
  const int field = m.geom_dataid[geom];
  const float* heights = m.hfield_data + m.hfield_adr[field];
  const int count = m.hfield_nrow[field] * m.hfield_ncol[field];
  return std::all_of(heights, heights + count, [&](float height) { return height == heights[0]; });
}

GeomType type_of(const mjModel& m, int geom) {
  if (is_level_field(m, geom)) return GeomType::kBox;
  switch (m.geom_type[geom]) {
#define ST_SHAPE(enumerator, mujoco, ...) \
  case mjGEOM_##mujoco:                   \
    return GeomType::enumerator;
#include "kernels/model/shapes.inc"
#undef ST_SHAPE
    default:  // refused earlier
      return GeomType::kMesh;
  }
}

/// One candidate pair with MuJoCo's geom ids.
struct Candidate {
  int geom[2];
  int condim;
  bool is_explicit;
  int friction_rule;
  double friction[5];
  double margin;
};

/// True if some dof changes the pose of one body relative to the other.
bool can_meet(const mjModel& m, int body1, int body2) {
  const int weld1 = m.body_weldid[body1], weld2 = m.body_weldid[body2];
  return weld1 != weld2 && (m.body_dofnum[weld1] > 0 || m.body_dofnum[weld2] > 0);
}

bool is_parent_and_child(const mjModel& m, int body1, int body2) {
  const int weld1 = m.body_weldid[body1], weld2 = m.body_weldid[body2];
  const int parent1 = m.body_weldid[m.body_parentid[weld1]], parent2 = m.body_weldid[m.body_parentid[weld2]];
  return weld1 != 0 && weld2 != 0 && (weld1 == parent2 || weld2 == parent1);
}

bool is_excluded(const mjModel& m, int body1, int body2) {
  const int forward = (body1 << 16) + body2, backward = (body2 << 16) + body1;
  const auto matches = [&](int signature) { return signature == forward || signature == backward; };
  return std::any_of(m.exclude_signature, m.exclude_signature + m.nexclude, matches);
}

bool passes_filters(const mjModel& m, int geom1, int geom2) {
  const bool compatible = (m.geom_contype[geom1] & m.geom_conaffinity[geom2]) != 0 ||
                          (m.geom_contype[geom2] & m.geom_conaffinity[geom1]) != 0;
  const int body1 = m.geom_bodyid[geom1], body2 = m.geom_bodyid[geom2];
  if (!compatible || !can_meet(m, body1, body2) || is_excluded(m, body1, body2)) return false;
  return disabled(m, mjDSBL_FILTERPARENT) || !is_parent_and_child(m, body1, body2);
}

bool both_planes(const mjModel& m, int geom1, int geom2) {
  return m.geom_type[geom1] == mjGEOM_PLANE && m.geom_type[geom2] == mjGEOM_PLANE;
}

/// Puts the smaller geom type first; equal types keep MuJoCo's order.
void order_by_type(const mjModel& m, Candidate& pair) {
  if (type_of(m, pair.geom[0]) > type_of(m, pair.geom[1])) std::swap(pair.geom[0], pair.geom[1]);
}

Candidate explicit_pair(const mjModel& m, int p) {
  Candidate pair{{m.pair_geom1[p], m.pair_geom2[p]}, m.pair_dim[p], true, 2, {}, m.pair_margin[p]};
  std::copy_n(m.pair_friction + 5 * p, 5, pair.friction);
  order_by_type(m, pair);
  return pair;
}

/// condim and friction of the geom with the higher priority, or the larger of both at equal priority; the sum of the
/// margins.
Candidate filtered_pair(const mjModel& m, int geom1, int geom2) {
  Candidate pair{{geom1, geom2}, 0, false, 2, {}, m.geom_margin[geom1] + m.geom_margin[geom2]};
  order_by_type(m, pair);
  const int g0 = pair.geom[0], g1 = pair.geom[1];
  const int priority0 = m.geom_priority[g0], priority1 = m.geom_priority[g1];
  pair.friction_rule = priority0 == priority1 ? 2 : (priority0 > priority1 ? 0 : 1);
  const int dims[3] = {m.geom_condim[g0], m.geom_condim[g1], std::max(m.geom_condim[g0], m.geom_condim[g1])};
  pair.condim = dims[pair.friction_rule];
  const mjtNum* f0 = m.geom_friction + 3 * g0;
  const mjtNum* f1 = m.geom_friction + 3 * g1;
  for (int k = 0; k < 5; ++k) {
    constexpr int kSource[5] = {0, 0, 1, 2, 2};  // t, o: sliding; torsional; both rolling
    const int source = kSource[k];
    const double values[3] = {f0[source], f1[source], std::max(f0[source], f1[source])};
    pair.friction[k] = values[pair.friction_rule];
  }
  return pair;
}

std::vector<Candidate> find_candidates(const mjModel& m) {
  std::vector<Candidate> pairs;
  if (disabled(m, mjDSBL_CONTACT)) return pairs;
  std::set<std::pair<int, int>> taken;
  for (int p = 0; p < m.npair; ++p) {
    const int geom1 = m.pair_geom1[p], geom2 = m.pair_geom2[p];
    taken.insert(std::minmax(geom1, geom2));
    if (both_planes(m, geom1, geom2) || !can_meet(m, m.geom_bodyid[geom1], m.geom_bodyid[geom2])) continue;
    pairs.push_back(explicit_pair(m, p));
  }
  for (int g1 = 0; g1 < m.ngeom; ++g1) {
    for (int g2 = g1 + 1; g2 < m.ngeom; ++g2) {
      if (taken.count({g1, g2}) || both_planes(m, g1, g2) || !passes_filters(m, g1, g2)) continue;
      pairs.push_back(filtered_pair(m, g1, g2));
    }
  }
  return pairs;
}

/// Takes height fields that are not level out of the pairs, if the user lets it.
void leave_out_height_fields(const CompiledModel& compiled, std::vector<Candidate>& pairs, Model& model) {
  const mjModel& m = *compiled.model;
  if (!compiled.ignore.holds("height_field")) return;
  std::set<int> left;
  std::erase_if(pairs, [&](const Candidate& pair) {
    bool has_one = false;
    for (const int geom : pair.geom)
      if (m.geom_type[geom] == mjGEOM_HFIELD && !is_level_field(m, geom)) left.insert(geom), has_one = true;
    return has_one;
  });
  for (const int geom : left) model.ignored.push_back("geom '" + name_of(&m, mjOBJ_GEOM, geom) + "' (height_field)");
}

/// Reads rolling friction (condim 6) as none, condim 4.
void leave_out_rolling(const mjModel& m, std::vector<Candidate>& pairs, Model& model) {
  std::set<int> rolls;
  for (Candidate& pair : pairs) {
    if (pair.condim != 6) continue;
    pair.condim = 4;
    rolls.insert(m.geom_condim[pair.geom[0]] == 6 ? pair.geom[0] : pair.geom[1]);
  }
  for (const int geom : rolls)
    model.ignored.push_back("rolling friction of geom '" + name_of(&m, mjOBJ_GEOM, geom) + "' (condim 6 is read as 4)");
}

void refuse_shapes(const CompiledModel& compiled, const Candidate& pair) {
  const mjModel& m = *compiled.model;
  for (int geom : pair.geom) {
    if (m.geom_type[geom] == mjGEOM_HFIELD && !is_level_field(m, geom)) {
      refuse(compiled, mjOBJ_GEOM, geom,
             "collides and is a height field, which is supported only if it is level: use boxes or meshes" +
                 offer_to_ignore("height_field"));
    }
    if (m.geom_type[geom] == mjGEOM_SDF) {
      refuse(compiled, mjOBJ_GEOM, geom, "collides and is a signed distance field, which is not supported: use a mesh");
    }
  }
}

void append_pair(const Candidate& pair, const std::vector<int>& kept_id, Model& model) {
  ++model.npair;
  for (int geom : pair.geom) model.pair_geom.push_back(kept_id[geom]);
  model.pair_condim.push_back(pair.condim);
  model.pair_explicit.push_back(pair.is_explicit ? 1 : 0);
  model.pair_friction_rule.push_back(pair.friction_rule);
  model.pair_friction.insert(model.pair_friction.end(), pair.friction, pair.friction + 5);
  model.pair_kinetic.push_back(-1.0);
  model.pair_margin.push_back(pair.margin);
}

struct Bounds {
  double center[3] = {0, 0, 0};
  double half[3] = {0, 0, 0};
  double radius = 0;
};

/// Bounds of a shape that is given by its sizes; a plane is unbounded.
Bounds primitive_bounds(GeomType type, const double* size) {
  Bounds bounds;
  if (type == GeomType::kPlane) bounds.radius = std::numeric_limits<double>::infinity();
  bound_geom(type, size, &bounds.radius, bounds.half);
  return bounds;
}

Bounds hull_bounds(const Model& model, int mesh) {
  const double* v = model.mesh_vert.data() + 3 * model.mesh_vert_adr[mesh];
  const int count = model.mesh_vert_num[mesh];
  Bounds bounds;
  for (int k = 0; k < 3; ++k) {
    double low = v[k], high = v[k];
    for (int i = 1; i < count; ++i) {
      low = std::min(low, v[3 * i + k]);
      high = std::max(high, v[3 * i + k]);
    }
    bounds.center[k] = 0.5 * (low + high);
    bounds.half[k] = 0.5 * (high - low);
  }
  for (int i = 0; i < count; ++i) {
    const double* p = v + 3 * i;
    bounds.radius =
        std::max(bounds.radius, std::hypot(p[0] - bounds.center[0], p[1] - bounds.center[1], p[2] - bounds.center[2]));
  }
  return bounds;
}

/// Our id for the mesh's hull, which is imported when a geom first needs it.
int hull_of(const CompiledModel& compiled, int mesh, std::vector<int>& hull_id, Model& model) {
  if (hull_id[mesh] < 0) {
    hull_id[mesh] = model.nmesh;
    append_hull(compiled, mesh, model);
  }
  return hull_id[mesh];
}

/// Where a shape is in its body, and how large it is.
struct Placed {
  std::array<double, 3> size, pos;  // [m]
};

/// The box of a level height field lies below the field's frame: MuJoCo moves the lowest height to 0.
Placed placed_shape(const mjModel& m, int geom) {
  Placed shape;
  std::copy_n(m.geom_size + 3 * geom, 3, shape.size.begin());
  std::copy_n(m.geom_pos + 3 * geom, 3, shape.pos.begin());
  if (!is_level_field(m, geom)) return shape;
  const mjtNum* field = m.hfield_size + 4 * m.geom_dataid[geom];  // radii x and y, height of 1, depth of the base
  shape.size = {field[0], field[1], 0.5 * field[3]};
  const double down[3] = {0.0, 0.0, -0.5 * field[3]};
  mjtNum moved[3];
  mju_rotVecQuat(moved, down, m.geom_quat + 4 * geom);
  for (int k = 0; k < 3; ++k) shape.pos[k] += moved[k];
  return shape;
}

void append_geom(const CompiledModel& compiled, int geom, std::vector<int>& hull_id, Model& model) {
  const mjModel& m = *compiled.model;
  const GeomType type = type_of(m, geom);
  const bool is_mesh = type == GeomType::kMesh;
  const int mesh = is_mesh ? hull_of(compiled, m.geom_dataid[geom], hull_id, model) : -1;
  const Placed shape = placed_shape(m, geom);
  const Bounds bounds = is_mesh ? hull_bounds(model, mesh) : primitive_bounds(type, shape.size.data());
  const auto append = [](std::vector<double>& to, const double* from, int n) { to.insert(to.end(), from, from + n); };
  ++model.ngeom;
  model.geom_source_id.push_back(geom);
  model.geom_type.push_back(static_cast<int>(type));
  model.geom_body.push_back(m.geom_bodyid[geom]);
  model.geom_mesh.push_back(mesh);
  append(model.geom_size, shape.size.data(), 3);
  append(model.geom_pos, shape.pos.data(), 3);
  append(model.geom_quat, m.geom_quat + 4 * geom, 4);
  append(model.geom_friction, m.geom_friction + 3 * geom, 3);
  model.geom_radius.push_back(bounds.radius);
  append(model.geom_box_center, bounds.center, 3);
  append(model.geom_box_half, bounds.half, 3);
}

}  // namespace

void import_collision(const CompiledModel& compiled, Model& model) {
  const mjModel& m = *compiled.model;
  std::vector<Candidate> pairs = find_candidates(m);
  leave_out_height_fields(compiled, pairs, model);
  leave_out_rolling(m, pairs, model);
  std::vector<int> kept_id(static_cast<std::size_t>(m.ngeom), -1);
  for (const Candidate& pair : pairs) {
    refuse_shapes(compiled, pair);
    for (int geom : pair.geom) kept_id[geom] = 0;
  }
  std::vector<int> hull_id(static_cast<std::size_t>(m.nmesh), -1);
  for (int geom = 0; geom < m.ngeom; ++geom) {
    if (kept_id[geom] < 0) continue;
    kept_id[geom] = model.ngeom;
    append_geom(compiled, geom, hull_id, model);
  }
  for (const Candidate& pair : pairs) append_pair(pair, kept_id, model);
}

}  // namespace stiction
