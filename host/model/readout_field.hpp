// A line of a list of what a step says about each of its contacts or patches (kernels/model/contact_fields.inc,
// patch_fields.inc): the array of the whole batch, and what the list says of it.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "host/model/env_field.hpp"
#include "kernels/model/contact_value.hpp"

namespace stiction {

struct ReadoutField {
  const char* name;
  EnvField id;                     // the array in the memory of a simulator
  bool is_real;                    // or the number of a thing
  std::vector<std::size_t> shape;  // of one value: none for a number, {3}, {3, 3}
  double padding;                  // behind the values of an environment
  const char *unit, *meaning;

  int numbers() const;  // of one value
};

namespace readout_detail {

template <class Value>
std::vector<std::size_t> shape_of() {
  if constexpr (std::rank_v<Value> == 0) {
    return {};
  } else {
    std::vector<std::size_t> shape = shape_of<std::remove_extent_t<Value>>();
    shape.insert(shape.begin(), std::extent_v<Value>);
    return shape;
  }
}

}  // namespace readout_detail

/// A line whose values have the C++ type `Value`: int[2], double, double[3][3].
template <class Value>
ReadoutField make_readout_field(const char* name, EnvField id, double padding, const char* unit, const char* meaning) {
  constexpr bool is_real = std::is_floating_point_v<NumberOf<Value>>;
  return {name, id, is_real, readout_detail::shape_of<Value>(), padding, unit, meaning};
}

}  // namespace stiction
