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

  /// S, the number of rows that are complete in every dataset.
  std::int64_t rows() const { return rows_; }
  /// Shape of a dataset such as "qpos" or "contact/gap". Throws InputError if the file has no dataset of that name.
  std::vector<std::int64_t> shape(const std::string& dataset) const;
  /// One row, row-major, as double.
  std::vector<double> read(const std::string& dataset, std::int64_t row) const;
  /// A text attribute of the file.
  std::string text(const std::string& attribute) const;

 private:
  Hdf5Handle open_dataset(const std::string& name) const;

  std::string name_;
  Hdf5Handle file_;
  std::int64_t rows_ = 0;
};

}  // namespace stiction
