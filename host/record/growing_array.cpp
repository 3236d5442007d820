#include "host/record/growing_array.hpp"

#include <algorithm>
#include <utility>

#include "host/record/attributes.hpp"

namespace stiction {
namespace {

constexpr hsize_t kChunkBytes = 1 << 16;  // small items share a chunk of this size, which is worth its index entry
constexpr hsize_t kMostChunkItems = 1024;
constexpr unsigned kCompression = 1;  // matrices of blocks are mostly zeros, for which the fastest level is enough

template <class Number>
hid_t stored_type();
template <>
hid_t stored_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t stored_type<int>() {
  return H5T_NATIVE_INT32;
}
template <>
hid_t stored_type<std::uint32_t>() {
  return H5T_NATIVE_UINT32;
}

std::vector<hsize_t> chunk_of(const GrowingSpec& spec, std::size_t number_bytes) {
  std::vector<hsize_t> chunk = {1};
  chunk.insert(chunk.end(), spec.shape.begin(), spec.shape.end());
  if (spec.grows > 0) chunk[1] = spec.grows;
  hsize_t bytes = number_bytes;
  for (hsize_t& length : chunk) bytes *= length = std::max(length, hsize_t{1});
  chunk[0] = std::clamp(kChunkBytes / bytes, hsize_t{1}, kMostChunkItems);
  return chunk;
}

}  // namespace

template <class Number>
GrowingArray<Number>::GrowingArray(hid_t group, const GrowingSpec& spec, Number padding, std::string what)
    : what_(std::move(what)), extent_({0}) {
  extent_.insert(extent_.end(), spec.shape.begin(), spec.shape.end());
  for (std::size_t k = 1; k < spec.shape.size(); ++k) per_line_ *= spec.shape[k];
  std::vector<hsize_t> most = extent_;
  most[0] = H5S_UNLIMITED;
  if (spec.grows > 0) extent_[1] = 0, most[1] = H5S_UNLIMITED;
  const std::vector<hsize_t> chunk = chunk_of(spec, sizeof(Number));
  const int rank = static_cast<int>(extent_.size());
  const Hdf5Handle space(check_hdf5(H5Screate_simple(rank, extent_.data(), most.data()), what_), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.get(), rank, chunk.data());
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) H5Pset_deflate(creation.get(), kCompression);
  H5Pset_obj_track_times(creation.get(), false);
  H5Pset_fill_value(creation.get(), stored_type<Number>(), &padding);
  dataset_ = {check_hdf5(H5Dcreate2(group, spec.name.c_str(), stored_type<Number>(), space.get(), H5P_DEFAULT,
                                    creation.get(), H5P_DEFAULT),
                         what_),
              H5Dclose};
  if (!spec.unit.empty()) write_attribute(dataset_.get(), {"unit", spec.unit}, what_);
}

template <class Number>
void GrowingArray<Number>::append(std::span<const Number> item) {
  std::vector<hsize_t> first(extent_.size(), 0), count = extent_;
  first[0] = extent_[0]++, count[0] = 1;
  if (count.size() > 1) {
    count[1] = item.size() / per_line_;
    extent_[1] = std::max(extent_[1], count[1]);
  }
  check_hdf5(H5Dset_extent(dataset_.get(), extent_.data()), what_);
  if (item.empty()) return;
  const hsize_t length = item.size();
  const Hdf5Handle memory(H5Screate_simple(1, &length, nullptr), H5Sclose);
  const Hdf5Handle file(H5Dget_space(dataset_.get()), H5Sclose);
  H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
  check_hdf5(H5Dwrite(dataset_.get(), stored_type<Number>(), memory.get(), file.get(), H5P_DEFAULT, item.data()),
             what_);
}

template class GrowingArray<double>;
template class GrowingArray<int>;
template class GrowingArray<std::uint32_t>;

}  // namespace stiction
