// A model built by hand: a box on a slide above a plane, a mesh, an actuator, a coupling, a tendon.
#pragma once

#include <limits>

#include "host/model/facing_table.hpp"
#include "host/model/model.hpp"

namespace stiction::test {

inline void add_bodies(Model& m) {
  m.nbody = 2;
  m.body_parent = {0, 0};
  m.body_tree = {-1, 0};
  m.body_mocap = {-1, -1};
  m.body_mocap_root = {0, 0};
  m.body_joint_adr = {-1, 0};
  m.body_joint_num = {0, 1};
  m.body_last_dof = {-1, 0};
  m.body_pos = {0, 0, 0, 0, 0, 1};
  m.body_quat = {1, 0, 0, 0, 1, 0, 0, 0};
  m.body_ipos.assign(6, 0.0);
  m.body_iquat = m.body_quat;
  m.body_mass = {0, 2};
  m.body_inertia = {0, 0, 0, 1, 1, 1};
  m.body_gravcomp = {0, 0};
  m.body_frozen = {0, 0};
  m.body_radius = {0, 1};
}

inline void add_joint(Model& m) {
  m.nq = m.nv = m.njoint = m.ntree = 1;
  m.joint_type = {static_cast<int>(JointType::kSlide)};
  m.joint_body = {1};
  m.joint_qpos_adr = m.joint_dof_adr = {0};
  m.joint_limited = {1};
  m.joint_pos = {0, 0, 0};
  m.joint_axis = {0, 0, 1};
  m.joint_range = {-1, 1};
  m.joint_stiffness = m.qpos0 = m.qpos_spring = {0};
  m.dof_body = {1};
  m.dof_joint = {0};
  m.dof_parent = {-1};
  m.dof_tree = {0};
  m.dof_actuated = {1};
  m.dof_armature = m.dof_damping = m.dof_frictionloss = {0};
  m.dof_radius = {1};
  m.tree_dof_adr = {0};
  m.tree_dof_num = {1};
  m.tree_shared_dof = {0};
}

inline void add_geoms(Model& m) {
  m.ngeom = 2;
  m.geom_type = {static_cast<int>(GeomType::kPlane), static_cast<int>(GeomType::kMesh)};
  m.geom_body = {0, 1};
  m.geom_mesh = {-1, 0};
  m.geom_piece = {-1, -1};
  m.geom_source_id = {0, 1};
  m.geom_size.assign(6, 1.0);
  m.geom_pos.assign(6, 0.0);
  m.geom_quat = {1, 0, 0, 0, 1, 0, 0, 0};
  m.geom_friction = {1, 0, 0, 1, 0, 0};
  m.geom_radius = {std::numeric_limits<double>::infinity(), 1};
  m.geom_box_center.assign(6, 0.0);
  m.geom_box_half.assign(6, 1.0);
  m.npair = 1;
  m.pair_geom = {0, 1};
  m.pair_condim = {3};
  m.pair_explicit = {0};
  m.pair_friction_rule = {2};
  m.pair_friction = {1, 1, 0, 0, 0};
  m.pair_kinetic = {-1};
  m.pair_margin = {0};
}

/// A tetrahedron.
inline void add_mesh(Model& m) {
  m.nmesh = 1;
  m.nmeshvert = m.nmeshface = 4;
  m.nmeshneighbor = m.nmeshfacevert = 12;
  m.mesh_vert_adr = m.mesh_face_adr = {0};
  m.mesh_vert_num = m.mesh_face_num = {4};
  m.mesh_vert = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  m.mesh_neighbor_adr = m.mesh_face_vert_adr = {0, 3, 6, 9};
  m.mesh_neighbor_num = m.mesh_face_vert_num = {3, 3, 3, 3};
  m.mesh_neighbor = {1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2};
  const double s = 0.57735026918962573;
  m.mesh_face_normal = {0, 0, -1, 0, -1, 0, -1, 0, 0, s, s, s};
  m.mesh_face_vert = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  append_facing(m);
}

inline void add_transmissions(Model& m) {
  m.nlength = m.nterm = m.nu = m.ncoupling = m.ntendon = 1;
  m.length_term_adr = m.term_qpos = m.term_dof = {0};
  m.length_term_num = {1};
  m.term_coef = {1};
  m.length_point_adr = m.length_point_num = {0};
  m.length_path = {0};
  m.npoint = 1;
  m.point_body = {1};
  m.point_pos = {0, 0, 0};
  m.tendon_length = {0};
  m.tendon_limited = {1};
  m.tendon_range = m.tendon_rest = {-1, 1};
  m.tendon_stiffness = m.tendon_damping = m.tendon_frictionloss = {0};
  m.actuator_kind = m.actuator_length = {0};
  m.actuator_ctrl_limited = m.actuator_force_limited = {1};
  m.actuator_gear = {1};
  m.actuator_gain = {1};
  m.actuator_bias = {0};
  m.actuator_act = {0};
  m.na = 1;
  m.act_dynamics = {1};
  m.act_early = m.act_limited = {0};
  m.act_time = {0.1};
  m.act_range = {-1, 1};
  m.act0 = {0};
  m.actuator_kp = {10};
  m.actuator_kd = {0};
  m.actuator_ctrl_range = m.actuator_force_range = {-1, 1};
  m.coupling_length = {0, -1};
  m.coupling_rest = {0, 0};
  m.coupling_poly = {0, 1, 0, 0, 0};
}

/// Holds the body to the world.
inline void add_weld(Model& m) {
  m.nweld = 1;
  m.weld_body = {1, 0};
  m.weld_turns = {1};
  m.weld_pos.assign(6, 0.0);
  m.weld_quat = {1, 0, 0, 0, 1, 0, 0, 0};
  m.weld_torquescale = {1};
  m.weld_solref = {2500, 100};
  m.weld_solimp = {0.9, 0.95, 0.001, 0.5, 2};
  m.weld_inverse_mass = {1, 1};
}

/// A site on the body, and a sensor of its acceleration.
inline void add_sensor(Model& m) {
  m.nsite = m.nsensor = m.nqacc = 1;
  m.nsensordata = 3;
  m.site_body = {1};
  m.site_type = {static_cast<int>(GeomType::kSphere)};
  m.site_size = {0.1, 0, 0};
  m.site_pos = {0, 0, 0};
  m.site_quat = {1, 0, 0, 0};
  m.site_names = m.sensor_names = {"tip"};
  m.sensor_gaps = {""};
  m.sensor_type = {static_cast<int>(SensorType::kAccelerometer)};
  m.sensor_object = {0};
  m.sensor_frame_body = {1, -1};
  m.sensor_frame_inertial = {0, 0};
  m.sensor_frame_pos.assign(6, 0.0);
  m.sensor_frame_quat = {1, 0, 0, 0, 1, 0, 0, 0};
  m.sensor_adr = m.sensor_range = {0};
  m.sensor_dim = {3};
  m.sensor_cutoff = {0};
}

inline Model slider_model() {
  Model m;
  m.name = "slider";
  m.gravity = {0, 0, -9.81};
  m.fluid = {1.2, 2e-5, 1, 0, 0};
  add_bodies(m);
  add_joint(m);
  add_geoms(m);
  add_mesh(m);
  add_transmissions(m);
  add_weld(m);
  m.magnetic = {0, -0.5, 0};
  add_sensor(m);
  return m;
}

}  // namespace stiction::test
