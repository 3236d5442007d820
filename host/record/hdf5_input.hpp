// Reads arrays from an HDF5 file of any origin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/record/hdf5_handle.hpp"

namespace stiction {

/// A whole dataset, row-major; a scalar has no axes.
template <class Number>
struct Hdf5Array {
  std::vector<std::int64_t> shape;
  std::vector<Number> values;
};

/// True if the file exists and HDF5 knows its format.
bool is_hdf5(const std::string& file);

/// Reads datasets and attributes. All errors are InputErrors that begin with the names of the file and of the dataset.
class Hdf5Input {
 public:
  explicit Hdf5Input(const std::string& file);

  const std::string& name() const { return name_; }
  /// True if there is a group or dataset with this path from the root, such as "lcp/M".
  bool has(const std::string& path) const;
  std::vector<std::int64_t> shape(const std::string& path) const;
  /// The numbers of a dataset. `only` selects items of the first axis, in increasing order; empty: all.
  Hdf5Array<double> numbers(const std::string& path, const std::vector<int>& only = {}) const;
  /// The whole numbers or truth values of a dataset.
  Hdf5Array<int> integers(const std::string& path, const std::vector<int>& only = {}) const;
  /// A number that is an attribute of a group.
  double attribute(const std::string& group, const std::string& name) const;
  bool has_attribute(const std::string& group, const std::string& name) const;
  /// A text that is an attribute of a group.
  std::string text_attribute(const std::string& group, const std::string& name) const;

  /// Throws the InputError "file: text".
  [[noreturn]] void fail(const std::string& text) const { throw InputError(name_ + ": " + text); }

 private:
  std::string name_;
  Hdf5Handle file_;
};

}  // namespace stiction
