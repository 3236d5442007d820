#include "host/record/hdf5_input.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stiction {
namespace {

std::size_t num_elements(const std::vector<std::int64_t>& shape) {
  return static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

std::vector<std::int64_t> shape_of(hid_t dataset) {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> extent(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space.get()), 0)));
  H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  return {extent.begin(), extent.end()};
}

/// What a dataset is read with, and what it holds.
struct OpenDataset {
  Hdf5Handle handle, type;
  std::string what;
  H5T_class_t kind;
  std::vector<std::int64_t> shape;
};

OpenDataset open_dataset(const Hdf5Input& in, hid_t file, const std::string& path) {
  if (!in.has(path)) in.fail("there is no dataset /" + path);
  OpenDataset data;
  data.what = in.name() + ": /" + path;
  data.handle = {check_hdf5(H5Dopen2(file, path.c_str(), H5P_DEFAULT), data.what), H5Dclose};
  data.type = {H5Dget_type(data.handle.get()), H5Tclose};
  data.kind = H5Tget_class(data.type.get());
  data.shape = shape_of(data.handle.get());
  return data;
}

template <class Number>
Hdf5Array<Number> read_values(const OpenDataset& data, hid_t memory_type) {
  Hdf5Array<Number> array{data.shape, std::vector<Number>(num_elements(data.shape))};
  if (array.values.empty()) return array;
  check_hdf5(H5Dread(data.handle.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()), data.what);
  return array;
}

}  // namespace

bool is_hdf5(const std::string& file) {
  silence_hdf5();
  const bool known = H5Fis_hdf5(file.c_str()) > 0;
  H5Eclear2(H5E_DEFAULT);
  return known;
}

Hdf5Input::Hdf5Input(const std::string& file) : name_(file) {
  silence_hdf5();
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), false, true);
  file_ = {check_hdf5(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get()), "cannot read " + file), H5Fclose};
}

bool Hdf5Input::has(const std::string& path) const {
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1))
    if (H5Lexists(file_.get(), path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  return H5Lexists(file_.get(), path.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::int64_t> Hdf5Input::shape(const std::string& path) const {
  return open_dataset(*this, file_.get(), path).shape;
}

Hdf5Array<double> Hdf5Input::numbers(const std::string& path) const {
  const OpenDataset data = open_dataset(*this, file_.get(), path);
  if (data.kind != H5T_FLOAT && data.kind != H5T_INTEGER) fail("/" + path + ": expected numbers");
  return read_values<double>(data, H5T_NATIVE_DOUBLE);
}

Hdf5Array<int> Hdf5Input::integers(const std::string& path) const {
  const OpenDataset data = open_dataset(*this, file_.get(), path);
  if (data.kind == H5T_INTEGER) return read_values<int>(data, H5T_NATIVE_INT);
  if (data.kind != H5T_ENUM || H5Tget_size(data.type.get()) != 1) fail("/" + path + ": expected whole numbers");
  const auto truths = read_values<std::int8_t>(data, data.type.get());
  return {truths.shape, std::vector<int>(truths.values.begin(), truths.values.end())};
}

double Hdf5Input::attribute(const std::string& group, const std::string& name) const {
  if (H5Aexists_by_name(file_.get(), group.c_str(), name.c_str(), H5P_DEFAULT) <= 0)
    fail("/" + group + " has no attribute " + name);
  const std::string what = name_ + ": attribute " + name + " of /" + group;
  const Hdf5Handle attribute(
      check_hdf5(H5Aopen_by_name(file_.get(), group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), what), H5Aclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose), type(H5Aget_type(attribute.get()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || (kind != H5T_FLOAT && kind != H5T_INTEGER))
    throw InputError(what + ": expected one number");
  double value = 0.0;
  check_hdf5(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value), what);
  return value;
}

}  // namespace stiction
