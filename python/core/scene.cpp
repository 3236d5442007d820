// Scenes: loading, and what they say.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "host/model/choices.hpp"
#include "host/scene/overridden_scene.hpp"
#include "python/core/bindings.hpp"

namespace stiction::python {

namespace nb = nanobind;

void bind_scene(nb::module_& m) {
  nb::class_<Scene>(m, "Scene", "A model, the four choices, a command over time, and how environments differ.")
      .def_ro("name", &Scene::name, "Of the scene's folder or the model.")
      .def_ro("path", &Scene::path, "Of scene.toml; empty if made from a bare model.")
      .def_ro("text", &Scene::text, "scene.toml as read.")
      .def_prop_ro(
          "model", [](const Scene& s) { return std::const_pointer_cast<Model>(s.model); }, "The compiled model.")
      .def_prop_ro(
          "dynamics", [](const Scene& s) { return choice_name(dynamics_choice(), s.physics.dynamics); },
          "quasistatic, quasidynamic, kinematic or dynamic.")
      .def_prop_ro(
          "law", [](const Scene& s) { return choice_name(law_choice(), s.physics.law); },
          "anitescu, coulomb or frictionless.")
      .def_prop_ro(
          "cone", [](const Scene& s) { return choice_name(cone_choice(), s.physics.cone); },
          "pyramid, quadratic or box.")
      .def_prop_ro(
          "facets", [](const Scene& s) { return s.physics.facets; }, "Of a pyramid.")
      .def_prop_ro(
          "contact_distance", [](const Scene& s) { return s.physics.contact_distance; },
          "Pairs closer than this become rows [m]; None: automatic.")
      .def_prop_ro(
          "mass_ratio", [](const Scene& s) { return s.physics.mass_ratio; }, "s of quasidynamic; 0: true mass.")
      .def_prop_ro(
          "solver", [](const Scene& s) { return choice_name(solver_choice(), s.solver.name); },
          "interior_point, admm, pgs, lemke or newton.")
      .def_prop_ro(
          "factor", [](const Scene& s) { return choice_name(factor_choice(), s.solver.factor); },
          "Precision of the solver's factored matrix: float64 or float32.")
      .def_prop_ro(
          "infeasible", [](const Scene& s) { return choice_name(infeasible_choice(), s.solver.infeasible); },
          "What a step without a solution does: least_violation or keep.")
      .def_prop_ro(
          "tolerance", [](const Scene& s) { return s.solver.tolerance; }, "On the residual [-].")
      .def_prop_ro(
          "max_iterations", [](const Scene& s) { return s.solver.max_iterations; }, "Of each phase of the solver.")
      .def_prop_ro(
          "max_total_iterations", [](const Scene& s) { return s.solver.max_total_iterations; },
          "Of all phases and starts of a contact problem together; 0: no limit.")
      .def_ro("step_size", &Scene::step_size, "Of a step [s].")
      .def_ro("duration", &Scene::duration, "Of the scene's course [s].")
      .def_ro("qpos", &Scene::qpos, "Where environments start, before their noise (nq).")
      .def_ro("qvel", &Scene::qvel, "With which velocity they start (nv).")
      .def_prop_ro(
          "seed", [](const Scene& s) { return s.randomize.seed; }, "Of the scene's random numbers.");

  m.def("load_scene", nb::overload_cast<const std::string&, const std::string&>(&load_scene), nb::arg("path"),
        nb::arg("keys"));
  m.def("load_text", &load_scene_of_text, nb::arg("xml"), nb::arg("keys"));
  m.def(
      "load_binary",
      [](nb::bytes mjb, const std::string& keys, const std::string& name, const std::string& xml) {
        return load_scene_of_binary({reinterpret_cast<const std::byte*>(mjb.data()), mjb.size()}, keys, name, xml);
      },
      nb::arg("mjb"), nb::arg("keys"), nb::arg("name") = "model", nb::arg("xml") = "");
}

}  // namespace stiction::python
