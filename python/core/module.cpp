// The compiled half of the Python package: scenes, models, the simulator.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "host/api/simulator.hpp"
#include "host/model/error.hpp"
#include "host/model/out_of_memory.hpp"
#include "host/scene/mujoco_library.hpp"
#include "host/scene/mujoco_version.hpp"
#include "kernels/model/types.hpp"
#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"

namespace {

std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace

NB_MODULE(_core, m) {
  using namespace stiction;
  namespace nb = nanobind;
  m.doc() = "Compiled half of stiction; use the package `stiction`.";
  // NOLINTBEGIN(bugprone-throw-keyword-missing,bugprone-unused-raii): each makes a type of the module
  nb::exception<InputError>(m, "InputError", PyExc_ValueError);
  nb::exception<OutOfMemory>(m, "OutOfMemory", PyExc_MemoryError);
  nb::exception<python::ClosedError>(m, "ClosedError", PyExc_RuntimeError);
  // NOLINTEND(bugprone-throw-keyword-missing,bugprone-unused-raii)
  m.attr("version") = STICTION_VERSION;
  m.def("use_mujoco_library", &use_mujoco_library);
  m.def("mujoco_versions", [] { return std::pair(mujoco_version().header, mujoco_version().library); });
  m.def("status_bits", [] {
    std::vector<std::pair<std::string, std::uint32_t>> bits;
    for (std::uint32_t bit = 1; bit != 0; bit <<= 1)
      if (const std::string name = status_names(bit); name != "none") bits.emplace_back(underscored(name), bit);
    bits.emplace_back("failed", status::kFailed);
    bits.emplace_back("state_kept", status::kStateKept);
    return bits;
  });
  m.def("read_gpu", &python::read_gpu);
  m.def("write_gpu", &python::write_gpu);
  python::bind_model(m);
  python::bind_readout_lists(m);
  python::bind_scene(m);
  python::bind_simulator(m);
  python::bind_grasp(m);
  python::bind_problems(m);
  python::bind_motion(m);
  python::bind_rays(m);
  python::bind_motion_equations(m);
}
