// Scenes: loading, and what they say.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "host/scene/overridden_scene.hpp"
#include "host/scene/scene_keys.hpp"
#include "python/core/bindings.hpp"

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

}  // namespace

void bind_scene(nb::module_& m) {
  bind_key_names(m);
  nb::class_<Scene> scene(m, "Scene", "A model, the four choices, a command over time, and how environments differ.");
  scene.def_ro("name", &Scene::name, "Of the scene's folder or the model.")
      .def_ro("path", &Scene::path, "Of scene.toml; empty if made from a bare model.")
      .def_ro("text", &Scene::text, "scene.toml as read.")
      .def_prop_ro(
          "model", [](const Scene& s) { return std::const_pointer_cast<Model>(s.model); }, "The compiled model.")
      .def_ro("qpos", &Scene::qpos, "Where environments start, before their noise (nq).")
      .def_ro("qvel", &Scene::qvel, "With which velocity they start (nv).");
  for_each_scene_key([&](const auto& key) { bind_value(scene, key); });

  m.def("load_scene", nb::overload_cast<const std::string&, const std::string&>(&load_scene), nb::arg("path"),
        nb::arg("keys"));
  m.def("load_text", &load_scene_of_text, nb::arg("xml"), nb::arg("keys"));
  m.def(
      "load_binary",
      [](const nb::bytes& mjb, const std::string& keys, const std::string& name, const std::string& xml) {
        return load_scene_of_binary({reinterpret_cast<const std::byte*>(mjb.data()), mjb.size()}, keys, name, xml);
      },
      nb::arg("mjb"), nb::arg("keys"), nb::arg("name") = "model", nb::arg("xml") = "");
}

}  // namespace stiction::python
