// Reads a recording back, complete or partial.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/record/hdf5_handle.hpp"

namespace stiction {

class RecordingReader {
 public:
  /// Throws InputError if `file` is no recording.
  explicit RecordingReader(const std::string& file);

  /// Rows that are complete in every dataset: S.
  std::int64_t rows() const { return rows_; }
  /// Shape of a dataset such as "qpos" or "contact/gap". Throws InputError if the file has none of that name.
  std::vector<std::int64_t> shape(const std::string& dataset) const;
  /// One row, row-major, as double.
  std::vector<double> read(const std::string& dataset, std::int64_t row) const;
  /// An attribute of the file that is text.
  std::string text(const std::string& attribute) const;

 private:
  Hdf5Handle open_dataset(const std::string& name) const;

  std::string name_;
  Hdf5Handle file_;
  std::int64_t rows_ = 0;
};

}  // namespace stiction
