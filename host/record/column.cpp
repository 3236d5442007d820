#include "host/record/column.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

namespace stiction {
namespace {

constexpr hsize_t kSlotsPerChunk = 32;  // contact slots: a whole manifold-rich cube stack uses one to three chunks
constexpr std::size_t kMaxChunkBytes = 16u << 20;  // larger rows are split over environments; HDF5's own limit is 4 GiB

struct StoredType {
  std::size_t size;
  hid_t id;
};

StoredType stored_type(ColumnType type) {
  switch (type) {
    case ColumnType::kFloat64:
      return {8, H5T_NATIVE_DOUBLE};
    case ColumnType::kFloat32:
      return {4, H5T_NATIVE_FLOAT};
    case ColumnType::kUint32:
      return {4, H5T_NATIVE_UINT32};
    default:
      return {4, H5T_NATIVE_INT32};
  }
}

template <class Function>
void with_element(ColumnType type, Function&& function) {
  switch (type) {
    case ColumnType::kFloat64:
      return function(std::numeric_limits<double>::quiet_NaN());
    case ColumnType::kFloat32:
      return function(std::numeric_limits<float>::quiet_NaN());
    case ColumnType::kUint32:
      return function(std::uint32_t{0});
    case ColumnType::kInt32:
      return function(std::int32_t{0});
    case ColumnType::kId:
      return function(std::int32_t{-1});
  }
}

hsize_t num_elements(const std::vector<hsize_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), hsize_t{1}, std::multiplies<>());
}

/// (rows, environments, shape...), or (rows).
std::vector<hsize_t> dataset_shape(const ColumnSpec& spec, hsize_t num_envs, hsize_t rows) {
  std::vector<hsize_t> shape = {rows};
  if (spec.per_env) {
    shape.push_back(num_envs);
    shape.insert(shape.end(), spec.shape.begin(), spec.shape.end());
  }
  return shape;
}

std::vector<hsize_t> chunk_shape(const ColumnSpec& spec, hsize_t num_envs, hsize_t chunk_rows) {
  auto shape = dataset_shape(spec, num_envs, chunk_rows);
  if (spec.contact_slots) shape[2] = std::min(shape[2], kSlotsPerChunk);
  for (auto& extent : shape) extent = std::max(extent, hsize_t{1});
  while (spec.per_env && shape[1] > 1 && num_elements(shape) * stored_type(spec.type).size > kMaxChunkBytes)
    shape[1] = (shape[1] + 1) / 2;
  return shape;
}

Hdf5Handle creation_properties(const ColumnSpec& spec, const std::vector<hsize_t>& chunk) {
  Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
  H5Pset_obj_track_times(properties.get(), false);
  H5Pset_attr_phase_change(properties.get(), 8, 6);
  with_element(spec.type,
               [&](auto padding) { H5Pset_fill_value(properties.get(), stored_type(spec.type).id, &padding); });
  return properties;
}

void write_unit(hid_t dataset, const std::string& unit, const std::string& what) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose), scalar(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type.get(), unit.size());
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  Hdf5Handle attribute(
      check_hdf5(H5Acreate2(dataset, "unit", type.get(), scalar.get(), H5P_DEFAULT, H5P_DEFAULT), what), H5Aclose);
  check_hdf5(H5Awrite(attribute.get(), type.get(), unit.data()), what);
}

}  // namespace

std::size_t row_bytes(const ColumnSpec& spec, std::size_t num_envs) {
  return num_elements(dataset_shape(spec, num_envs, 1)) * stored_type(spec.type).size;
}

hsize_t Column::count_chunks(const ColumnSpec& spec, hsize_t num_envs, hsize_t chunk_rows, hsize_t rows) {
  const auto shape = dataset_shape(spec, num_envs, rows), chunk = chunk_shape(spec, num_envs, chunk_rows);
  hsize_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) count *= (shape[i] + chunk[i] - 1) / chunk[i];
  return count;
}

Column::Column(hid_t file, const ColumnSpec& spec, const std::vector<int>& envs, hsize_t chunk_rows,
               const std::string& what)
    : spec_(spec), envs_(envs) {
  const auto shape = dataset_shape(spec, envs.size(), 0), chunk = chunk_shape(spec, envs.size(), chunk_rows);
  auto limits = shape;
  for (auto& limit : limits)
    if (limit == 0)
      limit = H5S_UNLIMITED;  // rows grow; HDF5 also wants it for the empty arrays of a model without dofs
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), limits.data()), H5Sclose);
  const Hdf5Handle creation = creation_properties(spec, chunk);
  const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.get(), 0, 0, 1.0);  // whole chunks are written at once
  dataset_ = Hdf5Handle(check_hdf5(H5Dcreate2(file, spec.name.c_str(), stored_type(spec.type).id, space.get(),
                                              H5P_DEFAULT, creation.get(), access.get()),
                                   what),
                        H5Dclose);
  if (!spec.unit.empty()) write_unit(dataset_.get(), spec.unit, what);
}

std::byte* Column::grow() {
  const std::size_t bytes = row_bytes(spec_, envs_.size());
  buffer_.resize((rows_buffered_ + 1) * bytes);
  return buffer_.data() + rows_buffered_++ * bytes;
}

template <class Source>
void Column::append(std::span<const Source> values, hsize_t used_slots) {
  std::byte* row = grow();
  used_slots_ = std::max(used_slots_, used_slots);
  const std::size_t length = spec_.per_env ? num_elements(spec_.shape) : 1;
  with_element(spec_.type, [&](auto padding) {
    using Stored = decltype(padding);
    auto* out = reinterpret_cast<Stored*>(row);
    const std::size_t num_envs = spec_.per_env ? envs_.size() : 1;
    for (std::size_t i = 0; i < num_envs; ++i) {
      const Source* in = values.data() + (spec_.per_env ? envs_[i] : 0) * length;
      for (std::size_t k = 0; k < length; ++k) out[i * length + k] = static_cast<Stored>(in[k]);
    }
  });
}

void Column::append_padding() {
  std::byte* row = grow();
  with_element(spec_.type, [&](auto padding) {
    auto* out = reinterpret_cast<decltype(padding)*>(row);
    std::fill_n(out, row_bytes(spec_, envs_.size()) / sizeof(padding), padding);
  });
}

void Column::write(const std::string& what) {
  if (rows_buffered_ == 0) return;
  const auto extent = dataset_shape(spec_, envs_.size(), rows_written_ + rows_buffered_);
  check_hdf5(H5Dset_extent(dataset_.get(), extent.data()), what);
  const auto buffered = dataset_shape(spec_, envs_.size(), rows_buffered_);
  auto count = buffered;
  if (spec_.contact_slots) count[2] = std::min(count[2], used_slots_);
  if (num_elements(count) > 0) {
    std::vector<hsize_t> start(extent.size(), 0);
    const int rank = static_cast<int>(extent.size());
    const Hdf5Handle memory(H5Screate_simple(rank, buffered.data(), nullptr), H5Sclose);
    H5Sselect_hyperslab(memory.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    const Hdf5Handle file(H5Dget_space(dataset_.get()), H5Sclose);
    start[0] = rows_written_;
    H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    check_hdf5(
        H5Dwrite(dataset_.get(), stored_type(spec_.type).id, memory.get(), file.get(), H5P_DEFAULT, buffer_.data()),
        what);
  }
  rows_written_ += rows_buffered_;
  rows_buffered_ = used_slots_ = 0;
}

template void Column::append<double>(std::span<const double>, hsize_t);
template void Column::append<int>(std::span<const int>, hsize_t);
template void Column::append<std::uint32_t>(std::span<const std::uint32_t>, hsize_t);

}  // namespace stiction
