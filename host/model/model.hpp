// The checked model in host memory, in double precision, independent of the file format that it came from.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/model/model_view.hpp"

namespace stiction {

/// A pair of geoms of one robot that overlaps at the start of the scene, and is therefore not checked for contacts.
struct RestingOverlap {
  std::array<int, 2> geom;
  double depth;  // [m]
};

/// A colliding mesh that is not convex: its hull, which collides, is `ratio` times as large.
struct Bulge {
  std::string mesh;
  double ratio;  // of volumes [-]
};

/// A camera of the model: a frame that is fixed to a body, looks along −z and has y up in the picture.
struct ModelCamera {
  int body = 0;
  std::array<double, 3> pos;   // in the body's frame [m]
  std::array<double, 4> quat;  //
  double fovy = 45.0;          // vertical angle of view [deg]
  std::string gap;             // why it takes no pictures, in words; empty: it does
};

/// A model as flat arrays, immutable after `validate`; kernels/model/model_fields.inc has their shapes and units.
struct Model {
#define ST_COUNT(name) int name = 0;
#include "kernels/model/model_counts.inc"
#undef ST_COUNT
#define ST_INT(name, length) std::vector<int> name;
#define ST_REAL(name, length) std::vector<double> name;
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL

  std::string name;
  std::vector<std::string> body_names, joint_names, geom_names, actuator_names;
  std::vector<std::string> weld_names;  // (nweld)
  std::vector<std::string> site_names, sensor_names;
  std::vector<std::string> sensor_gaps;  // why a sensor is not computed, in words; empty: it is (nsensor)
  std::vector<std::string> camera_names;
  std::vector<ModelCamera> cameras;  // as camera_names
  std::vector<std::string> keyframe_names;
  std::vector<std::vector<double>> keyframe_qpos, keyframe_qvel, keyframe_ctrl;  // (nkey, nq), (nkey, nv), (nkey, nu)
  std::vector<std::vector<double>> keyframe_mocap;  // position, quaternion (nkey, nmocap * 7)
  std::vector<std::vector<double>> keyframe_act;    // (nkey, na)
  std::vector<int> geom_source_id;                  // id of a geom in the compiled text, for recordings (ngeom)
  std::vector<double> mocap_pose0;                  // position, quaternion (nmocap, 7)
  std::vector<double> act0;                         // activations at the start (na)
  std::vector<RestingOverlap> resting_overlaps;     // pairs that are no candidates because they overlap at the start
  std::vector<Bulge> bulges;                        // meshes whose hulls are over 5 % larger
  double timestep = 0.0;                            // of its source [s]; steps do not use it
  std::vector<std::string> left_out;                // files of visual meshes that could not be read
  std::vector<std::string> ignored;                 // what was left out of the model, in words
  bool world_is_robot = false;                      // true for a URDF: the world's own geoms belong to its robot
  std::string xml;  // the compiled MJCF text, with every attachment, for recordings and pictures
};

/// Checks counts, lengths, ids and values; throws InputError that names the field, the value and the allowed range.
void validate(const Model& model);

/// The model's arrays in one precision, owned; `view()` is valid while this object lives.
template <class Real>
class ModelStorage {
 public:
  explicit ModelStorage(const Model& model);
  const ModelView<Real>& view() const { return view_; }

 private:
#define ST_INT(name, length) std::vector<int> name##_;
#define ST_REAL(name, length) std::vector<Real> name##_;
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  std::vector<double> vertices_, normals_;  // of hulls, as they are in Real
  ModelView<Real> view_;
};

}  // namespace stiction
