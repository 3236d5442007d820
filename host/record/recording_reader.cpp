#include "host/record/recording_reader.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stiction {
namespace {

std::vector<std::int64_t> shape_of(hid_t dataset) {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> extent(std::max(H5Sget_simple_extent_ndims(space.get()), 0));
  H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  return {extent.begin(), extent.end()};
}

}  // namespace

RecordingReader::RecordingReader(const std::string& file) : name_(file) {
  silence_hdf5();
  const std::string what = "cannot read " + name_;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), false, true);
  file_ = Hdf5Handle(check_hdf5(H5Fopen(name_.c_str(), H5F_ACC_RDONLY, access.get()), what), H5Fclose);
  if (H5Lexists(file_.get(), "time", H5P_DEFAULT) <= 0) throw InputError(what + ": it is no recording");
  rows_ = shape("time").at(0);
}

Hdf5Handle RecordingReader::open_dataset(const std::string& name) const {
  return {check_hdf5(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), name_ + " has no dataset " + name), H5Dclose};
}

std::vector<std::int64_t> RecordingReader::shape(const std::string& dataset) const {
  return shape_of(open_dataset(dataset).get());
}

std::vector<double> RecordingReader::read(const std::string& dataset, std::int64_t row) const {
  const Hdf5Handle source = open_dataset(dataset);
  const auto shape = shape_of(source.get());
  if (row < 0 || row >= shape[0]) throw InputError(name_ + ": " + dataset + " has no row " + std::to_string(row));
  std::vector<hsize_t> start(shape.size(), 0), count(shape.begin(), shape.end());
  start[0] = row;
  count[0] = 1;
  std::vector<double> values(std::accumulate(count.begin(), count.end(), hsize_t{1}, std::multiplies<>()));
  if (values.empty()) return values;
  const Hdf5Handle file_space(H5Dget_space(source.get()), H5Sclose);
  H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  check_hdf5(H5Dread(source.get(), H5T_NATIVE_DOUBLE, memory.get(), file_space.get(), H5P_DEFAULT, values.data()),
             "cannot read " + dataset + " of " + name_);
  return values;
}

std::string RecordingReader::text(const std::string& attribute) const {
  const std::string what = name_ + " has no text attribute " + attribute;
  const Hdf5Handle source(check_hdf5(H5Aopen(file_.get(), attribute.c_str(), H5P_DEFAULT), what), H5Aclose);
  const Hdf5Handle type(H5Aget_type(source.get()), H5Tclose);
  if (H5Tis_variable_str(type.get()) <= 0) throw InputError(what);
  char* value = nullptr;
  check_hdf5(H5Aread(source.get(), type.get(), &value), what);
  std::string text = value ? value : "";
  H5free_memory(value);
  return text;
}

}  // namespace stiction
