// One dataset that grows by rows: a buffer of at most one chunk of rows in memory, the rest on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/record/hdf5_handle.hpp"

namespace stiction {

/// Types on the disk. They also decide the padding: NaN for reals; kId is a signed integer padded with -1.
enum class ColumnType { kFloat64, kFloat32, kInt32, kUint32, kId };

/// Shape and meaning of a dataset.
struct ColumnSpec {
  std::string name;  // path in the file
  std::string unit;  // "" for none
  ColumnType type;
  bool per_env = true;         // (S, B, shape...); else (S)
  bool contact_slots = false;  // shape[0] counts contact slots, of which only the used ones are written
  std::vector<hsize_t> shape;  // shape of one environment's values in one row
};

/// Bytes of one row with `num_envs` environments.
std::size_t row_bytes(const ColumnSpec& spec, std::size_t num_envs);

class Column {
 public:
  /// Creates the dataset without rows in the open file. `envs` are the environments of the batch that are written.
  Column(hid_t file, const ColumnSpec& spec, const std::vector<int>& envs, hsize_t chunk_rows, const std::string& what);

  /// Buffers a row of the whole batch; only the first `used_slots` contact slots are kept.
  template <class Source>
  void append(std::span<const Source> values, hsize_t used_slots = 0);
  /// Buffers a row of padding.
  void append_padding();
  /// Extends the dataset by the buffered rows and writes them. Throws an InputError that begins with `what`.
  void write(const std::string& what);

  /// Number of chunks that the dataset has after `rows` rows.
  static hsize_t count_chunks(const ColumnSpec& spec, hsize_t num_envs, hsize_t chunk_rows, hsize_t rows);

 private:
  std::byte* grow();

  ColumnSpec spec_;
  std::vector<int> envs_;
  Hdf5Handle dataset_;
  std::vector<std::byte> buffer_;
  hsize_t rows_written_ = 0, rows_buffered_ = 0, used_slots_ = 0;
};

}  // namespace stiction
