// The lists of what a step says about contacts and patches: for the package, which makes an attribute of every line,
// and for type checkers, which read the stub of this module; and copies of all these arrays at once.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <type_traits>

#include "host/model/contact_arrays.hpp"
#include "host/model/patch_arrays.hpp"
#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"

namespace stiction::python {
namespace {

/// Name, shape of one value, unit and meaning of every array of ContactArrays or PatchArrays.
template <class Arrays>
nb::list list_fields() {
  nb::list out;
  Arrays::visit([&](const ReadoutField& field, auto) {
    out.append(nb::make_tuple(field.name, field.shape, field.unit, field.meaning));
  });
  return out;
}

/// Stands in the stub for the attributes of a readout; no object has this type.
template <class Arrays>
struct Types {};

template <class Arrays>
void bind_types(nb::module_& m, const char* name) {
  nb::class_<Types<Arrays>> types(m, name, "What type checkers read about the arrays of a list.");
  Arrays::visit([&](const ReadoutField& field, auto array) {
    const bool whole = std::is_same_v<decltype(array), std::vector<int> Arrays::*>;
    const std::string sig =
        std::string("def ") + field.name + "(self, /) -> NDArray[numpy." + (whole ? "int32" : "floating") + "]";
    types.def_prop_ro(
        field.name, [](const Types<Arrays>&) { return nb::none(); }, nb::for_getter(nb::sig(sig.c_str())));
  });
}

/// ContactArrays or PatchArrays, with NaN and -1 beyond each environment's count, as a dict. `slots`: of an
/// environment.
template <class Arrays>
nb::dict padded(Arrays arrays, int slots) {
  const std::size_t batch = arrays.count.size();
  nb::dict out;
  out["count"] = copied_array(std::move(arrays.count), {batch});
  Arrays::visit([&](const ReadoutField& field, auto array) {
    Shape shape = {batch, static_cast<std::size_t>(slots)};
    shape.insert(shape.end(), field.shape.begin(), field.shape.end());
    out[field.name] = copied_array(std::move(arrays.*array), shape);
  });
  return out;
}

}  // namespace

void bind_readout_lists(nb::module_& m) {
  m.def("contact_fields", &list_fields<ContactArrays>,
        nb::sig("def contact_fields() -> list[tuple[str, list[int], str, str]]"));
  m.def("patch_fields", &list_fields<PatchArrays>,
        nb::sig("def patch_fields() -> list[tuple[str, list[int], str, str]]"));
  m.def(
      "padded_contacts",
      [](nb::handle simulator) {
        return use_simulator(simulator, [](const Simulator& s) { return padded(s.contacts(), s.max_contacts()); });
      },
      nb::sig("def padded_contacts(simulator: object) -> dict"));
  m.def(
      "padded_patches",
      [](nb::handle simulator) {
        return use_simulator(simulator, [](const Simulator& s) { return padded(s.patches(), s.max_patches()); });
      },
      nb::sig("def padded_patches(simulator: object) -> dict"));
  bind_types<ContactArrays>(m, "ContactTypes");
  bind_types<PatchArrays>(m, "PatchTypes");
}

}  // namespace stiction::python
