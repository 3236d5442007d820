// Sites, cameras and sensors. An object or a reference that has a frame becomes the frame in its body:
//
//   body     its principal axes of inertia, at its centre of mass        xbody   the body's own frame
//   geom, site   as they are in their body                               camera  likewise, if it is fixed to its body
#include <algorithm>
#include <array>

#include "host/scene/mujoco_importer.hpp"

namespace stiction {
namespace {

/// A sensor of MJCF.
struct KnownSensor {
  SensorType type;
  int mujoco;
  const char* name;
};

constexpr KnownSensor kSensors[] = {
#define ST_SENSOR(enumerator, mujoco, name, needs) {SensorType::enumerator, mjSENS_##mujoco, name},
#include "kernels/model/sensors.inc"
#undef ST_SENSOR
};

const KnownSensor& known_sensor(int mujoco) {
  const auto* found = std::find_if(std::begin(kSensors), std::end(kSensors),
                                   [&](const KnownSensor& sensor) { return sensor.mujoco == mujoco; });
  return found == std::end(kSensors) ? kSensors[static_cast<std::size_t>(SensorType::kUser)] : *found;
}

int shape_of(int mujoco) {
  switch (mujoco) {
#define ST_SHAPE(enumerator, mujoco, ...) \
  case mjGEOM_##mujoco:                   \
    return static_cast<int>(GeomType::enumerator);
#include "kernels/model/shapes.inc"
#undef ST_SHAPE
    default:
      return static_cast<int>(GeomType::kMesh);
  }
}

void append(const mjtNum* values, int count, std::vector<double>& to) { to.insert(to.end(), values, values + count); }

void import_sites(const mjModel& m, Model& model) {
  model.nsite = static_cast<int>(m.nsite);
  for (int i = 0; i < m.nsite; ++i) {
    model.site_names.push_back(name_of(&m, mjOBJ_SITE, i));
    model.site_body.push_back(m.site_bodyid[i]);
    model.site_type.push_back(shape_of(m.site_type[i]));
  }
  append(m.site_size, 3 * model.nsite, model.site_size);
  append(m.site_pos, 3 * model.nsite, model.site_pos);
  append(m.site_quat, 4 * model.nsite, model.site_quat);
}

/// Why a camera takes no pictures; empty if it does.
std::string gap_of_camera(const mjModel& m, int i) {
  if (m.cam_mode[i] != mjCAMLIGHT_FIXED)
    return "it follows something, where only cameras that are fixed to a body are known";
  if (m.cam_projection[i] != mjPROJ_PERSPECTIVE)
    return "its projection is orthographic, where only perspective is known";
  if (m.cam_sensorsize[2 * i] != 0.0f) return "it has a sensorsize, where only fovy is known";
  return {};
}

void import_cameras(const mjModel& m, Model& model) {
  for (int i = 0; i < m.ncam; ++i) {
    ModelCamera camera = {
        .body = m.cam_bodyid[i], .pos = {}, .quat = {}, .fovy = m.cam_fovy[i], .gap = gap_of_camera(m, i)};
    std::copy_n(m.cam_pos + 3 * i, 3, camera.pos.begin());
    std::copy_n(m.cam_quat + 4 * i, 4, camera.quat.begin());
    model.camera_names.push_back(name_of(&m, mjOBJ_CAMERA, i));
    model.cameras.push_back(camera);
  }
}

/// A frame in a body; body -1: none.
struct BodyFrame {
  int body = -1;
  const mjtNum* pos = nullptr;  // null: the body's own frame
  const mjtNum* quat = nullptr;
};

BodyFrame frame_of(const mjModel& m, int type, int id) {
  switch (type) {
    case mjOBJ_BODY:  // whose frame is the inertial one, which is a parameter
    case mjOBJ_XBODY:
      return {id};
    case mjOBJ_GEOM:
      return {m.geom_bodyid[id], m.geom_pos + 3 * id, m.geom_quat + 4 * id};
    case mjOBJ_SITE:
      return {m.site_bodyid[id], m.site_pos + 3 * id, m.site_quat + 4 * id};
    case mjOBJ_CAMERA:
      return {m.cam_bodyid[id], m.cam_pos + 3 * id, m.cam_quat + 4 * id};
    default:
      return {};
  }
}

void append_frame(const mjModel& m, int type, int id, Model& model) {
  constexpr std::array<mjtNum, 4> kNoTurn{1, 0, 0, 0};
  constexpr std::array<mjtNum, 3> kNoWay{0, 0, 0};
  const BodyFrame frame = id < 0 ? BodyFrame{} : frame_of(m, type, id);
  model.sensor_frame_body.push_back(frame.body);
  model.sensor_frame_inertial.push_back(frame.body >= 0 && type == mjOBJ_BODY ? 1 : 0);
  append(frame.pos ? frame.pos : kNoWay.data(), 3, model.sensor_frame_pos);
  append(frame.quat ? frame.quat : kNoTurn.data(), 4, model.sensor_frame_quat);
}

/// The length of a tendon: that of its actuators, else a new one.
int tendon_length(const mjModel& m, int tendon, Model& model) {
  for (int a = 0; a < m.nactuator; ++a)
    if (m.actuator_trntype[a] == mjTRN_TENDON && m.actuator_trnid[2 * a] == tendon) return model.actuator_length[a];
  return add_tendon_length(m, tendon, model);
}

bool follows_something(const mjModel& m, int type, int id) {
  return type == mjOBJ_CAMERA && id >= 0 && m.cam_mode[id] != mjCAMLIGHT_FIXED;
}

bool needs_limit(SensorType type) {
  return type == SensorType::kJointLimitPos || type == SensorType::kJointLimitVel ||
         type == SensorType::kJointLimitForce;
}

/// Why a sensor is not computed; empty if it is.
std::string gap_of(const mjModel& m, int s, const KnownSensor& sensor) {
  const int object = m.sensor_objid[s], reference = m.sensor_refid[s];
  if (sensor_needs(sensor.type) == SensorNeeds::kNever) return std::string(sensor.name) + " sensors are not computed";
  if (m.sensor_delay[s] != 0.0 || m.sensor_interval[2 * s] != 0.0) return "a delay or an interval is not computed";
  if (follows_something(m, m.sensor_objtype[s], object) || follows_something(m, m.sensor_reftype[s], reference))
    return "a camera that follows something has no frame of its body";
  const bool touches = sensor.type == SensorType::kTouch || sensor.type == SensorType::kInsideSite;
  if (touches && shape_of(m.site_type[sensor.type == SensorType::kTouch ? object : reference]) ==
                     static_cast<int>(GeomType::kMesh))
    return "the volume of a mesh is not computed";
  if (m.sensor_objtype[s] == mjOBJ_JOINT && needs_limit(sensor.type) && m.jnt_margin[object] != 0.0)
    return "of a joint limit with a margin it is not computed";
  if (sensor.type == SensorType::kJointActuatorForce && m.jnt_actgravcomp[object] && m.ngravcomp > 0)
    return "of a joint with actuatorgravcomp it is not computed";
  return {};
}

bool is_of_subtree(SensorType type) {
  return type == SensorType::kSubtreeCom || type == SensorType::kSubtreeLinVel || type == SensorType::kSubtreeAngMom;
}

/// Id of what the sensor reads, as kernels/sensing/sensors.hpp expects it; -1: it reads its frames alone.
int object_of(const mjModel& m, int s, SensorType type, Model& model) {
  const int object_type = m.sensor_objtype[s], id = m.sensor_objid[s];
  if (object_type == mjOBJ_TENDON) return tendon_length(m, id, model);
  if (type == SensorType::kInsideSite) return m.sensor_refid[s];
  const bool counts = object_type == mjOBJ_JOINT || object_type == mjOBJ_ACTUATOR;
  return counts || type == SensorType::kTouch || is_of_subtree(type) ? id : -1;
}

SensorRange range_of(int datatype) {
  if (datatype == mjDATATYPE_REAL) return SensorRange::kReal;
  return datatype == mjDATATYPE_POSITIVE ? SensorRange::kPositive : SensorRange::kUncut;
}

/// A sensor that is not computed has values, but neither object nor frames.
void import_sensor(const mjModel& m, int s, Model& model) {
  const KnownSensor& sensor = known_sensor(m.sensor_type[s]);
  const std::string gap = gap_of(m, s, sensor), name = name_of(&m, mjOBJ_SENSOR, s);
  const bool computed = gap.empty();
  model.sensor_names.push_back(name);
  model.sensor_gaps.push_back(gap);
  if (!computed) model.ignored.push_back("sensor '" + name + "' (" + gap + ")");
  const SensorType type = computed ? sensor.type : SensorType::kUser;
  model.sensor_type.push_back(static_cast<int>(type));
  model.sensor_object.push_back(computed ? object_of(m, s, type, model) : -1);
  append_frame(m, m.sensor_objtype[s], computed ? m.sensor_objid[s] : -1, model);
  append_frame(m, m.sensor_reftype[s], computed ? m.sensor_refid[s] : -1, model);
  model.sensor_adr.push_back(m.sensor_adr[s]);
  model.sensor_dim.push_back(m.sensor_dim[s]);
  model.sensor_range.push_back(static_cast<int>(range_of(m.sensor_datatype[s])));
  model.sensor_cutoff.push_back(m.sensor_cutoff[s]);
  if (sensor_needs(type) == SensorNeeds::kAcceleration) model.nqacc = model.nv;
}

}  // namespace

void import_sensors(const CompiledModel& compiled, Model& model) {
  const mjModel& m = *compiled.model;
  import_sites(m, model);
  import_cameras(m, model);
  append(m.opt.magnetic, 3, model.magnetic);
  model.nsensor = static_cast<int>(m.nsensor);
  model.nsensordata = static_cast<int>(m.nsensordata);
  for (int s = 0; s < m.nsensor; ++s) import_sensor(m, s, model);
}

}  // namespace stiction
