// Contacts from the motions of bodies. Shapes are made in Python; here arrays are read without a copy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>

#include "host/api/contact_from_motion.hpp"
#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"

namespace stiction::python {
namespace {

using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// An array of the dict, for as long as that lives; empty if it has none of that name.
std::span<const double> span_of(const nb::dict& given, const char* name) {
  if (!given.contains(name)) return {};
  const auto array = nb::cast<Doubles>(given[name]);
  return {array.data(), array.size()};
}

BodyMotions motions_of(int count, const nb::dict& given) {
  return {
      .count = count,
      .position = span_of(given, "position"),
      .velocity_before = span_of(given, "velocity_before"),
      .velocity_after = span_of(given, "velocity_after"),
      .mass = span_of(given, "mass"),
      .inertia = span_of(given, "inertia"),
      .impulse = span_of(given, "impulse"),
      .normal = span_of(given, "normal"),
      .plane_offset = span_of(given, "plane_offset"),
      .tangent = span_of(given, "tangent"),
      .step_size = span_of(given, "step_size"),
      .inertia_after = span_of(given, "inertia_after"),
  };
}

EquivalentContacts unlocked(const BodyMotions& motions) {
  const nb::gil_scoped_release release;
  return contact_from_motion(motions);
}

nb::dict contacts(int count, const nb::dict& given) {
  EquivalentContacts found = unlocked(motions_of(count, given));
  const std::size_t n = found.valid.size();
  nb::dict out;
  out["point"] = copied_array(std::move(found.point), {n, 3});
  out["p_n"] = copied_array(std::move(found.p_n), {n});
  out["p_t"] = copied_array(std::move(found.p_t), {n});
  out["p_o"] = copied_array(std::move(found.p_o), {n});
  out["p_r"] = copied_array(std::move(found.p_r), {n});
  out["frame"] = copied_array(std::move(found.frame), {n, 3, 3});
  out["valid"] = copied_array(std::move(found.valid), {n});
  return out;
}

}  // namespace

void bind_motion(nb::module_& m) { m.def("contact_from_motion", &contacts); }

}  // namespace stiction::python
