// The equations of motion at the present state of every environment, as copies.
#include "host/api/motion_equations.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"

namespace stiction::python {
namespace {

using Point = std::optional<std::array<double, 3>>;

std::size_t dofs(const Simulator& s) { return static_cast<std::size_t>(s.scene().model->nv); }
std::size_t batch(const Simulator& s) { return static_cast<std::size_t>(s.options().batch); }

/// What is said of a body's frame: `width` numbers of every environment.
void bind_frame(nb::module_& m, const char* name, std::vector<double> (*read)(const Simulator&, int), std::size_t width,
                const char* signature) {
  m.def(
      name,
      [=](nb::handle simulator, int body) {
        return use_simulator(simulator, [&](const Simulator& s) {
          return copied_array(read(s, body), {batch(s), width});
        });
      },
      nb::sig(signature));
}

}  // namespace

void bind_motion_equations(nb::module_& m) {
  bind_frame(m, "origin_velocity", &origin_velocity, 6,
             "def origin_velocity(simulator: object, body: int) -> NDArray[numpy.float64]");
  bind_frame(m, "origin_pose", &origin_pose, 7,
             "def origin_pose(simulator: object, body: int) -> NDArray[numpy.float64]");
  m.def(
      "mass_matrix",
      [](nb::handle simulator) {
        return use_simulator(simulator, [](const Simulator& s) {
          return copied_array(mass_matrix(s), {batch(s), dofs(s), dofs(s)});
        });
      },
      nb::sig("def mass_matrix(simulator: object) -> NDArray[numpy.float64]"));
  m.def(
      "bias_force",
      [](nb::handle simulator) {
        return use_simulator(simulator, [](const Simulator& s) {
          return copied_array(bias_force(s), {batch(s), dofs(s)});
        });
      },
      nb::sig("def bias_force(simulator: object) -> NDArray[numpy.float64]"));
  m.def(
      "body_jacobian",
      [](nb::handle simulator, int body, const Point& point) {
        return use_simulator(simulator, [&](const Simulator& s) {
          return copied_array(body_jacobian(s, body, point), {batch(s), 6, dofs(s)});
        });
      },
      nb::arg("simulator"), nb::arg("body"), nb::arg("point").none(),
      nb::sig("def body_jacobian(simulator: object, body: int, point: list[float] | None) -> NDArray[numpy.float64]"));
}

}  // namespace stiction::python
