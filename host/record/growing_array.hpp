// A compressed HDF5 dataset that grows by one item at a time, and along a second axis to the length of its longest
// item.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/record/hdf5_handle.hpp"

namespace stiction {

/// Shape and meaning of a dataset (items, shape...).
struct GrowingSpec {
  std::string name;  // name in its group
  std::string unit;  // "" for none
  std::vector<hsize_t> shape;
  hsize_t grows = 0;  // > 0: items may be shorter along shape[0], which grows by this much at a time
};

/// Number: double, int (int32) or std::uint32_t.
template <class Number>
class GrowingArray {
 public:
  /// Creates the dataset without items. `what` is the beginning of error messages.
  GrowingArray(hid_t group, const GrowingSpec& spec, Number padding, std::string what);

  /// Throws InputError if the item can not be written.
  void append(std::span<const Number> item);
  void append(Number item) { append(std::span<const Number>(&item, 1)); }

 private:
  std::string what_;
  std::vector<hsize_t> extent_;  // (items, shape...)
  hsize_t per_line_ = 1;         // how many numbers of an item belong to one index along shape[0]
  Hdf5Handle dataset_;
};

}  // namespace stiction
