// The flat model, read-only: counts, names, arrays.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "host/scene/scene.hpp"
#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"

namespace stiction::python {
namespace {

/// "<stiction.Model iiwa: 12 bodies, 9 joints, 20 geoms; nq 13, nv 12, nu 7>"
std::string model_repr(const Model& m) {
  const auto count = [](int n, const char* what) { return std::to_string(n) + what; };
  return "<stiction.Model " + (m.name.empty() ? "without a name" : m.name) + ": " + count(m.nbody, " bodies, ") +
         count(m.njoint, " joints, ") + count(m.ngeom, " geoms; nq ") + count(m.nq, ", nv ") + count(m.nv, ", nu ") +
         count(m.nu, ">");
}

/// The shape of an array of `size` values whose length is written like "3 * ngeom", "ngeom" or "3".
Shape shape_of(std::size_t size, const std::string& length) {
  if (length.find('*') == std::string::npos) return {size};
  const std::size_t columns = std::stoul(length);
  return {size / columns, columns};
}

/// One of the parts of every camera.
template <class Part>
std::vector<Part> of_cameras(const Model& model, Part ModelCamera::*part) {
  std::vector<Part> parts;
  for (const ModelCamera& camera : model.cameras) parts.push_back(camera.*part);
  return parts;
}

/// The same of several numbers, as an array (cameras, width).
template <std::size_t kWidth>
nb::object rows_of_cameras(const Model& model, std::array<double, kWidth> ModelCamera::*part) {
  std::vector<double> values;
  for (const auto& row : of_cameras(model, part)) values.insert(values.end(), row.begin(), row.end());
  return copied_array(std::move(values), {model.cameras.size(), kWidth});
}

void bind_cameras(nb::class_<Model>& model) {
  model
      .def_prop_ro(
          "camera_body",
          [](const Model& self) { return copied_array(of_cameras(self, &ModelCamera::body), {self.cameras.size()}); },
          nb::for_getter(nb::sig("def camera_body(self, /) -> NDArray[numpy.int32]")))
      .def_prop_ro(
          "camera_pos", [](const Model& self) { return rows_of_cameras(self, &ModelCamera::pos); },
          nb::for_getter(nb::sig("def camera_pos(self, /) -> NDArray[numpy.float64]")))
      .def_prop_ro(
          "camera_quat", [](const Model& self) { return rows_of_cameras(self, &ModelCamera::quat); },
          nb::for_getter(nb::sig("def camera_quat(self, /) -> NDArray[numpy.float64]")))
      .def_prop_ro(
          "camera_fovy",
          [](const Model& self) { return copied_array(of_cameras(self, &ModelCamera::fovy), {self.cameras.size()}); },
          nb::for_getter(nb::sig("def camera_fovy(self, /) -> NDArray[numpy.float64]")))
      .def_prop_ro("_camera_gaps", [](const Model& self) { return of_cameras(self, &ModelCamera::gap); });
}

}  // namespace

void bind_model(nb::module_& m) {
  nb::class_<Model> model(m, "Model",
                          "A compiled model, read-only; counts, ids and layouts are MuJoCo's. Arrays are copies.");
#define ST_COUNT(name) model.def_ro(#name, &Model::name);
#include "kernels/model/model_counts.inc"
#undef ST_COUNT
#define ST_INT(name, length)                                                                                 \
  model.def_prop_ro(                                                                                         \
      #name, [](const Model& self) { return copied_array(self.name, shape_of(self.name.size(), #length)); }, \
      nb::for_getter(nb::sig("def " #name "(self, /) -> NDArray[numpy.int32]")));
#define ST_REAL(name, length)                                                                                \
  model.def_prop_ro(                                                                                         \
      #name, [](const Model& self) { return copied_array(self.name, shape_of(self.name.size(), #length)); }, \
      nb::for_getter(nb::sig("def " #name "(self, /) -> NDArray[numpy.float64]")));
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  bind_cameras(model);
  model.def_ro("name", &Model::name, "Of the model.")
      .def_ro("body_names", &Model::body_names, "By body id, the world first; \"#3\" is an unnamed body 3 (nbody).")
      .def_ro("joint_names", &Model::joint_names, "By joint id (njoint).")
      .def_ro("geom_names", &Model::geom_names,
              "Of the geoms that can touch, in the order that contacts count them; \"#5\" is MuJoCo's unnamed geom 5.")
      .def_ro("actuator_names", &Model::actuator_names, "In the order of ctrl (nu).")
      .def_ro("keyframe_names", &Model::keyframe_names, "By number; where `reset(keyframe=..)` can start (nkey).")
      .def_ro("site_names", &Model::site_names, "By site id (nsite).")
      .def_ro("sensor_names", &Model::sensor_names, "In the order of sensordata (nsensor).")
      .def_ro("camera_names", &Model::camera_names, "By camera id, as `sim.depth_image` and `sim.camera` know them.")
      .def_ro("geom_source_id", &Model::geom_source_id, "MuJoCo's id of every geom (ngeom).")
      .def_ro("xml", &Model::xml, "The compiled MJCF text, attachments included; empty for a binary model.")
      .def("__repr__", &model_repr);
}

}  // namespace stiction::python
