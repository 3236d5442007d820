// The parts of the compiled module.
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>

namespace stiction::python {

/// A simulator was used after `close`, or by two threads at once.
class ClosedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void bind_problems(nanobind::module_& m);
void bind_model(nanobind::module_& m);
void bind_motion(nanobind::module_& m);
void bind_readout_lists(nanobind::module_& m);
void bind_scene(nanobind::module_& m);
void bind_simulator(nanobind::module_& m);

}  // namespace stiction::python
