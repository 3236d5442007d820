// The parts of the compiled module.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <stdexcept>

#include "host/api/simulator.hpp"

namespace stiction::python {

/// A simulator was used after `close`, or by two threads at once.
class ClosedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Calls `read` with the simulator of a Python object, on which nothing else may work meanwhile; throws ClosedError.
nanobind::object use_simulator(nanobind::handle self, const std::function<nanobind::object(const Simulator&)>& read);

void bind_grasp(nanobind::module_& m);
void bind_problems(nanobind::module_& m);
void bind_model(nanobind::module_& m);
void bind_motion(nanobind::module_& m);
void bind_motion_equations(nanobind::module_& m);
void bind_rays(nanobind::module_& m);
void bind_readout_lists(nanobind::module_& m);
void bind_scene(nanobind::module_& m);
void bind_simulator(nanobind::module_& m);

}  // namespace stiction::python
