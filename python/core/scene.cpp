// Scenes: loading, and what they say.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdio>

#include "host/model/error.hpp"
#include "host/scene/overridden_scene.hpp"
#include "host/scene/scene_keys.hpp"
#include "python/core/bindings.hpp"
#include "python/core/scene_bytes.hpp"

namespace stiction::python {

namespace nb = nanobind;

namespace {

/// "Pairs closer than this become rows [m]; None: automatic." "The contact law: anitescu, coulomb."
template <class Key>
std::string describe(const Key& key) {
  std::string text = key.what;
  if (*key.unit) text += " [" + std::string(key.unit) + "]";
  if constexpr (Key::kMayBeAuto) text += "; None: automatic";
  if constexpr (Key::kIsChoice) text += ": " + key.allowed.names();
  return text + ".";
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

/// A property for a value of the scene: choices by their names, None for one that is automatic.
template <class Key>
void bind_value(nb::class_<Scene>& scene, const Key& key) {
  const auto value = [key](const Scene& s) {
    if constexpr (Key::kIsChoice)
      return choice_name(key.allowed.choice, key.field_of(s));
    else
      return key.field_of(s);
  };
  scene.def_prop_ro(keyword_of(key.table, key.key).c_str(), value, describe(key).c_str());
}

Scene without_scripts(const Scene& scene) {
  Scene own = scene;
  own.command = {}, own.mocap.clear(), own.impulses.clear();
  return own;
}

Scene with_steps(const Scene& scene, double step_size, int max_contacts, int max_pairs) {
  if (!(step_size > 0 && std::isfinite(step_size)))
    throw InputError("step_size: " + short_number(step_size) + " given, must be above 0 and finite [s]");
  if (max_contacts < 0 || max_pairs < 0) throw InputError("max_contacts, max_pairs: must be at least 0");
  Scene own = scene;
  own.step_size = step_size, own.solver.max_contacts = max_contacts, own.solver.max_pairs = max_pairs;
  return own;
}

void bind_key_names(nb::module_& m) {
  nb::class_<SceneKeyName>(m, "SceneKey", "A key of scene.toml by its names.")
      .def_ro("table", &SceneKeyName::table, "Of scene.toml; empty above all tables.")
      .def_ro("key", &SceneKeyName::key, "In its table.")
      .def_ro("keyword", &SceneKeyName::keyword, "Of `load_scene`; also the name of the property and of the attribute.")
      .def_ro("unit", &SceneKeyName::unit, "Empty for none.")
      .def_ro("is_value", &SceneKeyName::is_value,
              "Whether it sets one value: a property of `Scene`, an attribute of recordings.");
  m.def("scene_keys", &scene_key_names);
}

/// "<stiction.Scene iiwa_stack: quasidynamic, anitescu, pyramid, step 0.1 s, duration 9.7 s>"
std::string scene_repr(const Scene& s) {
  return "<stiction.Scene " + s.name + ": " + choice_name(dynamics_choice(), s.physics.dynamics) + ", " +
         choice_name(law_choice(), s.physics.law) + ", " + choice_name(cone_choice(), s.physics.cone) + ", step " +
         short_number(s.step_size) + " s, duration " + short_number(s.duration) + " s, nq " +
         std::to_string(s.model->nq) + ", nu " + std::to_string(s.model->nu) + ">";
}

/// What a pickle holds: the version, and the scene to the last bit.
nb::tuple pickled(const Scene& scene) {
  const std::string bytes = bytes_of(scene);
  return nb::make_tuple(STICTION_VERSION, nb::bytes(bytes.data(), bytes.size()));
}

void unpickle(Scene& scene, const nb::tuple& state) {
  const auto version = nb::cast<std::string>(state[0]);
  if (version != STICTION_VERSION)
    throw InputError("pickled scene: of stiction " + version +
                     ", this is " STICTION_VERSION "; load the scene anew with this version");
  const auto bytes = nb::cast<nb::bytes>(state[1]);
  new (&scene) Scene(scene_of_bytes({bytes.c_str(), bytes.size()}));
}

void bind_variant(nb::module_& m) {
  nb::class_<Variant>(m, "Variant", "One choice of every list of models.")
      .def_ro("name", &Variant::name, "The files of its models, without folders.")
      .def_ro("model", &Variant::model, "What an environment with it has, in the slots of the scene's model.")
      .def_ro("qpos", &Variant::qpos, "Where it starts, before noise (nq).")
      .def_ro("qvel", &Variant::qvel, "With which velocity it starts (nv).");
}

}  // namespace

void bind_scene(nb::module_& m) {
  bind_key_names(m);
  bind_variant(m);
  nb::class_<Scene> scene(m, "Scene", "A model, the four choices, a command over time, and how environments differ.");
  scene.def_ro("name", &Scene::name, "Of the scene's folder or the model.")
      .def_ro("path", &Scene::path, "Of scene.toml; empty if made from a bare model.")
      .def_ro("text", &Scene::text, "scene.toml as read.")
      .def_prop_ro(
          "model", [](const Scene& s) { return std::const_pointer_cast<Model>(s.model); }, "The compiled model.")
      .def_ro("qpos", &Scene::qpos, "Where environments start, before their noise (nq).")
      .def_ro("qvel", &Scene::qvel, "With which velocity they start (nv).")
      .def_ro("variants", &Scene::variants,
              "The models of lists ([[attach]] model = [..]), in order; empty without lists.")
      .def("without_scripts", &without_scripts,
           "A copy without [[command]], [[mocap]] and [[impulse]]: nothing but the program moves or pushes it.")
      .def("with_steps", &with_steps, nb::arg("step_size"), nb::arg("max_contacts"), nb::arg("max_pairs"),
           "A copy with steps of another size [s] and room for so many contacts and pairs: the state of a simulator "
           "with "
           "that room fits one of the copy.")
      .def("__repr__", &scene_repr)
      .def("__getstate__", &pickled)
      .def("__setstate__", &unpickle);
  for_each_scene_key([&](const auto& key) { bind_value(scene, key); });

  m.def("load_scene", nb::overload_cast<const std::string&, const std::string&>(&load_scene), nb::arg("path"),
        nb::arg("keys"));
  m.def("load_text", &load_scene_of_text, nb::arg("xml"), nb::arg("keys"));
  m.def(
      "load_binaries",
      [](const std::vector<std::tuple<nb::bytes, std::string, std::string>>& models, const std::string& keys,
         const std::string& name) {
        std::vector<BinaryModel> binaries;
        for (const auto& [mjb, xml, own_name] : models)
          binaries.push_back({{reinterpret_cast<const std::byte*>(mjb.data()), mjb.size()}, xml, own_name});
        return load_scene_of_binaries(binaries, keys, name);
      },
      nb::arg("models"), nb::arg("keys"), nb::arg("name") = "model");
}

}  // namespace stiction::python
