// The checks of a model from any source: sizes, ids, signs, unit vectors, finite numbers.
#include <cmath>
#include <cstdio>

#include "host/model/error.hpp"
#include "host/model/model.hpp"
#include "kernels/collision/facing_table.hpp"

namespace stiction {
namespace {

// Quaternions and axes must have unit length to within this: MuJoCo normalises them in double precision.
constexpr double kUnitTolerance = 1e-9;

std::string print(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

[[noreturn]] void fail(const Model& model, const std::string& field, const std::string& value,
                       const std::string& range) {
  throw InputError("model '" + model.name + "': " + field + " = " + value + " but must be " + range);
}

std::string at(const char* field, std::size_t index) { return std::string(field) + "[" + std::to_string(index) + "]"; }

void check_length(const Model& model, const char* field, std::size_t length, std::size_t expected) {
  if (length != expected) {
    fail(model, std::string("length of ") + field, std::to_string(length), std::to_string(expected));
  }
}

void check_ids(const Model& model, const char* field, const std::vector<int>& ids, int lowest, int count) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= lowest && ids[i] < count) continue;
    fail(model, at(field, i), std::to_string(ids[i]),
         "in [" + std::to_string(lowest) + ", " + std::to_string(count) + ")");
  }
}

/// Checks ranges of indices into another array of length `count`.
void check_spans(const Model& model, const char* field, const std::vector<int>& adr, const std::vector<int>& num,
                 int count) {
  for (std::size_t i = 0; i < adr.size(); ++i) {
    const bool empty = num[i] == 0;
    if (num[i] >= 0 && (empty || (adr[i] >= 0 && adr[i] <= count - num[i]))) continue;
    fail(model, at(field, i), std::to_string(adr[i]),
         "a range of " + std::to_string(num[i]) + " below " + std::to_string(count));
  }
}

void check_values(const Model& model, const char* field, const std::vector<double>& values, double lowest,
                  const std::string& range) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= lowest)) fail(model, at(field, i), print(values[i]), range);
  }
}

void check_units(const Model& model, const char* field, const std::vector<double>& values, std::size_t width) {
  for (std::size_t i = 0; i + width <= values.size(); i += width) {
    double sum = 0.0;
    for (std::size_t k = i; k < i + width; ++k) sum += values[k] * values[k];
    if (!(std::fabs(std::sqrt(sum) - 1.0) <= kUnitTolerance))
      fail(model, at(field, i / width), "of norm " + print(std::sqrt(sum)), "of norm 1");
  }
}

void check_ranges(const Model& model, const char* field, const std::vector<double>& range,
                  const std::vector<int>& active) {
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (!active[i] || range[2 * i] <= range[2 * i + 1]) continue;
    fail(model, at(field, i), "[" + print(range[2 * i]) + ", " + print(range[2 * i + 1]) + "]", "ordered");
  }
}

void check_lengths(const Model& m) {
#define ST_COUNT(name) \
  if (m.name < 0) fail(m, #name, std::to_string(m.name), "at least 0");
#include "kernels/model/model_counts.inc"
#undef ST_COUNT
  const int nq = m.nq, nv = m.nv, nu = m.nu, nbody = m.nbody, njoint = m.njoint, ntree = m.ntree;
  const int ngeom = m.ngeom, nmesh = m.nmesh, nmeshvert = m.nmeshvert, nmeshneighbor = m.nmeshneighbor;
  const int nmeshface = m.nmeshface, nmeshfacevert = m.nmeshfacevert, npair = m.npair, nlength = m.nlength;
  const int nterm = m.nterm, ntendon = m.ntendon, ncoupling = m.ncoupling, nweld = m.nweld, na = m.na;
  const int npoint = m.npoint, nsite = m.nsite, nsensor = m.nsensor, nmeshfacing = m.nmeshfacing;
#define ST_INT(name, length) check_length(m, #name, m.name.size(), static_cast<std::size_t>(length));
#define ST_REAL(name, length) check_length(m, #name, m.name.size(), static_cast<std::size_t>(length));
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  check_length(m, "mocap_pose0", m.mocap_pose0.size(), 7 * static_cast<std::size_t>(m.nmocap));
  check_length(m, "act0", m.act0.size(), static_cast<std::size_t>(m.na));
  check_length(m, "geom_source_id", m.geom_source_id.size(), static_cast<std::size_t>(m.ngeom));
}

/// All values must be finite, except the radius of a plane.
void check_finite(const Model& m) {
  const auto check = [&](const char* field, const std::vector<double>& values) {
    const bool may_be_infinite = &values == &m.geom_radius;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i]) || (may_be_infinite && std::isinf(values[i]))) continue;
      fail(m, at(field, i), print(values[i]), "a finite number");
    }
  };
#define ST_INT(name, length)
#define ST_REAL(name, length) check(#name, m.name);
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  check("mocap_pose0", m.mocap_pose0);
}

/// How many objects there are of the kind that a sensor reads.
int objects_of(const Model& m, SensorType type) {
  switch (type) {
    case SensorType::kJointPos:
    case SensorType::kJointVel:
    case SensorType::kJointActuatorForce:
    case SensorType::kJointLimitPos:
    case SensorType::kJointLimitVel:
    case SensorType::kJointLimitForce:
    case SensorType::kBallQuat:
    case SensorType::kBallAngVel:
      return m.njoint;
    case SensorType::kTendonPos:
    case SensorType::kTendonVel:
    case SensorType::kTendonActuatorForce:
      return m.nlength;
    case SensorType::kActuatorPos:
    case SensorType::kActuatorVel:
    case SensorType::kActuatorForce:
      return m.nu;
    case SensorType::kTouch:
    case SensorType::kInsideSite:
      return m.nsite;
    default:
      return m.nbody;
  }
}

void check_sensor_ids(const Model& m) {
  check_ids(m, "site_body", m.site_body, 0, m.nbody);
  check_ids(m, "site_type", m.site_type, 0, kGeomTypes);
  check_ids(m, "sensor_type", m.sensor_type, 0, kSensorTypes);
  check_ids(m, "sensor_range", m.sensor_range, 0, static_cast<int>(SensorRange::kUncut) + 1);
  check_ids(m, "sensor_frame_body", m.sensor_frame_body, -1, m.nbody);
  check_ids(m, "sensor_frame_inertial", m.sensor_frame_inertial, 0, 2);
  check_spans(m, "sensor_adr", m.sensor_adr, m.sensor_dim, m.nsensordata);
  check_length(m, "sensor_gaps", m.sensor_gaps.size(), static_cast<std::size_t>(m.nsensor));
  if (m.nqacc != 0 && m.nqacc != m.nv) fail(m, "nqacc", std::to_string(m.nqacc), "0 or nv");
  for (std::size_t s = 0; s < m.sensor_type.size(); ++s) {
    const int count = objects_of(m, static_cast<SensorType>(m.sensor_type[s]));
    const int object = m.sensor_object[s];
    if (object < -1 || object >= count)
      fail(m, at("sensor_object", s), std::to_string(object), "in [-1, " + std::to_string(count) + ")");
  }
}

/// A body is carried by itself if it is a mocap body, else by what carries its parent.
void check_mocap_roots(const Model& m) {
  for (std::size_t b = 0; b < m.body_mocap_root.size(); ++b) {
    const auto parent = static_cast<std::size_t>(m.body_parent[b]);
    const int inherited = b == 0 ? 0 : m.body_mocap_root[parent];
    const int expected = m.body_mocap[b] >= 0 ? static_cast<int>(b) : inherited;
    if (m.body_mocap_root[b] != expected)
      fail(m, at("body_mocap_root", b), std::to_string(m.body_mocap_root[b]), std::to_string(expected));
  }
}

void check_all_ids(const Model& m) {
  check_ids(m, "body_parent", m.body_parent, 0, m.nbody);
  check_ids(m, "body_tree", m.body_tree, -1, m.ntree);
  check_ids(m, "body_mocap", m.body_mocap, -1, m.nmocap);
  check_mocap_roots(m);
  check_ids(m, "body_last_dof", m.body_last_dof, -1, m.nv);
  check_spans(m, "body_joint_adr", m.body_joint_adr, m.body_joint_num, m.njoint);
  check_ids(m, "weld_body", m.weld_body, 0, m.nbody);
  check_ids(m, "joint_type", m.joint_type, 0, 4);
  check_ids(m, "joint_body", m.joint_body, 0, m.nbody);
  check_ids(m, "joint_qpos_adr", m.joint_qpos_adr, 0, m.nq);
  check_ids(m, "joint_dof_adr", m.joint_dof_adr, 0, m.nv);
  check_ids(m, "dof_body", m.dof_body, 0, m.nbody);
  check_ids(m, "dof_joint", m.dof_joint, 0, m.njoint);
  check_ids(m, "dof_parent", m.dof_parent, -1, m.nv);
  check_ids(m, "dof_tree", m.dof_tree, 0, m.ntree);
  check_spans(m, "tree_dof_adr", m.tree_dof_adr, m.tree_dof_num, m.nv);
  check_ids(m, "tree_shared_dof", m.tree_shared_dof, -1, m.nv);
  check_ids(m, "geom_type", m.geom_type, 0, kGeomTypes);
  check_ids(m, "geom_body", m.geom_body, 0, m.nbody);
  check_ids(m, "geom_mesh", m.geom_mesh, kSpareGeom, m.nmesh);
  check_spans(m, "mesh_vert_adr", m.mesh_vert_adr, m.mesh_vert_num, m.nmeshvert);
  check_spans(m, "mesh_neighbor_adr", m.mesh_neighbor_adr, m.mesh_neighbor_num, m.nmeshneighbor);
  check_spans(m, "mesh_face_adr", m.mesh_face_adr, m.mesh_face_num, m.nmeshface);
  check_spans(m, "mesh_face_vert_adr", m.mesh_face_vert_adr, m.mesh_face_vert_num, m.nmeshfacevert);
  check_ids(m, "pair_geom", m.pair_geom, 0, m.ngeom);
  check_ids(m, "pair_friction_rule", m.pair_friction_rule, 0, 3);
  check_spans(m, "length_term_adr", m.length_term_adr, m.length_term_num, m.nterm);
  check_ids(m, "term_qpos", m.term_qpos, 0, m.nq);
  check_ids(m, "term_dof", m.term_dof, 0, m.nv);
  check_ids(m, "tendon_length", m.tendon_length, 0, m.nlength);
  check_spans(m, "length_point_adr", m.length_point_adr, m.length_point_num, m.npoint);
  check_ids(m, "point_body", m.point_body, 0, m.nbody);
  check_ids(m, "actuator_act", m.actuator_act, -1, m.na);
  check_ids(m, "act_dynamics", m.act_dynamics, 0, 2);
  check_ids(m, "actuator_kind", m.actuator_kind, 0, 3);
  check_ids(m, "actuator_length", m.actuator_length, 0, m.nlength);
  check_ids(m, "coupling_length", m.coupling_length, -1, m.nlength);
  check_sensor_ids(m);
}

/// Checks the table of the faces of one hull that face a direction.
void check_facing(const Model& m, int mesh) {
  const int adr = m.mesh_facing_adr[mesh];
  check_ids(m, "mesh_facing_adr", {adr}, 0, m.nmeshfacing);
  const int edge = m.mesh_facing[adr], room = m.nmeshfacing - adr;
  if (edge < 1 || edge > 1024) fail(m, at("mesh_facing", adr), std::to_string(edge), "in [1, 1024]");
  const int cells = count_facing_cells(edge), lists = 2 * cells + 2;
  if (room <= lists)
    fail(m, at("mesh_facing_adr", mesh), std::to_string(adr), "where there is room for the cells of the cube");
  const int* table = m.mesh_facing.data() + adr;
  for (int cell = 0; cell < cells; ++cell) {
    const int first = table[cell + 1], end = table[cell + 2];
    const bool listed = first >= lists && first < end && end <= room;
    if (!listed) fail(m, at("mesh_facing", adr + cell + 1), std::to_string(first), "where a list begins");
  }
  check_ids(m, "mesh_facing", {table + cells + 2, table + lists}, 0, m.mesh_vert_num[mesh]);
  check_ids(m, "mesh_facing", {table + lists, table + table[cells + 1]}, 0, m.mesh_face_num[mesh]);
}

/// Checks hull lists, whose entries count from the first vertex of their mesh.
void check_hulls(const Model& m) {
  for (int mesh = 0; mesh < m.nmesh; ++mesh) {
    const int count = m.mesh_vert_num[mesh], first = m.mesh_vert_adr[mesh];
    const auto check = [&](const char* field, int adr, int num, const std::vector<int>& ids) {
      check_ids(m, field, {ids.begin() + adr, ids.begin() + adr + num}, 0, count);
    };
    for (int v = first; v < first + count; ++v) {
      check("mesh_neighbor", m.mesh_neighbor_adr[v], m.mesh_neighbor_num[v], m.mesh_neighbor);
    }
    for (int f = m.mesh_face_adr[mesh]; f < m.mesh_face_adr[mesh] + m.mesh_face_num[mesh]; ++f) {
      check("mesh_face_vert", m.mesh_face_vert_adr[f], m.mesh_face_vert_num[f], m.mesh_face_vert);
    }
    check_facing(m, mesh);
  }
  check_ids(m, "geom_piece", m.geom_piece, -1, m.ngeom);
  for (int g = 0; g < m.ngeom; ++g) {
    const bool is_mesh = m.geom_type[g] == static_cast<int>(GeomType::kMesh);
    if (m.geom_mesh[g] != kSpareGeom && is_mesh != (m.geom_mesh[g] >= 0)) {
      fail(m, at("geom_mesh", static_cast<std::size_t>(g)), std::to_string(m.geom_mesh[g]),
           "a mesh for meshes only, else -1");
    }
  }
}

void check_pairs(const Model& m) {
  for (int p = 0; p < m.npair; ++p) {
    const std::size_t i = static_cast<std::size_t>(p);
    const int condim = m.pair_condim[i];
    if (condim != 1 && condim != 3 && condim != 4) fail(m, at("pair_condim", i), std::to_string(condim), "1, 3 or 4");
    if (m.geom_type[m.pair_geom[2 * i]] <= m.geom_type[m.pair_geom[2 * i + 1]]) continue;
    fail(m, at("pair_geom", i), "unordered", "ordered by geom type");
  }
}

void check_cameras(const Model& m) {
  check_length(m, "cameras", m.cameras.size(), m.camera_names.size());
  for (const ModelCamera& camera : m.cameras) {
    check_ids(m, "body of a camera", {camera.body}, 0, m.nbody);
    check_units(m, "quat of a camera", {camera.quat.begin(), camera.quat.end()}, 4);
  }
}

void check_physics(const Model& m) {
  check_values(m, "body_mass", m.body_mass, 0.0, "at least 0 kg");
  check_values(m, "body_inertia", m.body_inertia, 0.0, "at least 0 kg m²");
  check_values(m, "fluid", {m.fluid.begin(), m.fluid.begin() + 2}, 0.0, "a density and a viscosity of at least 0");
  check_values(m, "act_time", m.act_time, 1e-12, "positive [s]");
  check_values(m, "body_radius", m.body_radius, 0.0, "at least 0 m");
  check_values(m, "joint_stiffness", m.joint_stiffness, 0.0, "at least 0");
  check_values(m, "dof_armature", m.dof_armature, 0.0, "at least 0");
  check_values(m, "dof_damping", m.dof_damping, 0.0, "at least 0");
  check_values(m, "dof_frictionloss", m.dof_frictionloss, 0.0, "at least 0");
  check_values(m, "dof_radius", m.dof_radius, 1e-12, "positive [m]");
  check_values(m, "geom_friction", m.geom_friction, 0.0, "at least 0");
  check_values(m, "geom_radius", m.geom_radius, 0.0, "at least 0 m");
  check_values(m, "pair_friction", m.pair_friction, 0.0, "at least 0");
  check_values(m, "pair_kinetic", m.pair_kinetic, -1.0, "at least 0, or -1");
  check_values(m, "actuator_kp", m.actuator_kp, 0.0, "at least 0");
  check_values(m, "actuator_kd", m.actuator_kd, 0.0, "at least 0");
  check_values(m, "tendon_stiffness", m.tendon_stiffness, 0.0, "at least 0 N/m");
  check_values(m, "tendon_damping", m.tendon_damping, 0.0, "at least 0 N s/m");
  check_values(m, "tendon_frictionloss", m.tendon_frictionloss, 0.0, "at least 0 N");
  check_units(m, "body_quat", m.body_quat, 4);
  check_units(m, "weld_quat", m.weld_quat, 4);
  check_units(m, "body_iquat", m.body_iquat, 4);
  check_units(m, "geom_quat", m.geom_quat, 4);
  check_units(m, "joint_axis", m.joint_axis, 3);
  check_units(m, "site_quat", m.site_quat, 4);
  check_units(m, "sensor_frame_quat", m.sensor_frame_quat, 4);
  check_ranges(m, "joint_range", m.joint_range, m.joint_limited);
  check_ranges(m, "tendon_range", m.tendon_range, m.tendon_limited);
  check_ranges(m, "actuator_ctrl_range", m.actuator_ctrl_range, m.actuator_ctrl_limited);
  check_ranges(m, "act_range", m.act_range, m.act_limited);
  check_ranges(m, "actuator_force_range", m.actuator_force_range, m.actuator_force_limited);
}

}  // namespace

void validate(const Model& model) {
  check_lengths(model);
  check_finite(model);
  check_all_ids(model);
  check_hulls(model);
  check_pairs(model);
  check_cameras(model);
  check_physics(model);
}

}  // namespace stiction
