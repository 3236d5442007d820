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

/// The handles with which a dataset is read, and its contents.
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

/// Selects the items `only` of the first axis, which must exist and increase; consecutive items are selected together.
Hdf5Handle select_items(const OpenDataset& data, const std::vector<int>& only) {
  Hdf5Handle space(H5Dget_space(data.handle.get()), H5Sclose);
  std::vector<hsize_t> start(data.shape.size(), 0), count(data.shape.begin(), data.shape.end());
  H5Sselect_none(space.get());
  for (std::size_t k = 0; k < only.size(); k += count[0]) {
    for (count[0] = 1; k + count[0] < only.size() && only[k + count[0]] == only[k] + static_cast<int>(count[0]);)
      ++count[0];
    start[0] = static_cast<hsize_t>(only[k]);
    H5Sselect_hyperslab(space.get(), H5S_SELECT_OR, start.data(), nullptr, count.data(), nullptr);
  }
  return space;
}

template <class Number>
Hdf5Array<Number> read_values(const OpenDataset& data, hid_t memory_type, const std::vector<int>& only) {
  Hdf5Array<Number> array{data.shape, {}};
  if (!only.empty() && !data.shape.empty()) array.shape[0] = static_cast<std::int64_t>(only.size());
  array.values.resize(num_elements(array.shape));
  if (array.values.empty()) return array;
  const hsize_t length = array.values.size();
  const Hdf5Handle memory(H5Screate_simple(1, &length, nullptr), H5Sclose);
  const Hdf5Handle file = only.empty() || data.shape.empty() ? Hdf5Handle(H5Dget_space(data.handle.get()), H5Sclose)
                                                             : select_items(data, only);
  check_hdf5(H5Dread(data.handle.get(), memory_type, memory.get(), file.get(), H5P_DEFAULT, array.values.data()),
             data.what);
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

Hdf5Array<double> Hdf5Input::numbers(const std::string& path, const std::vector<int>& only) const {
  const OpenDataset data = open_dataset(*this, file_.get(), path);
  if (data.kind != H5T_FLOAT && data.kind != H5T_INTEGER) fail("/" + path + ": expected numbers");
  return read_values<double>(data, H5T_NATIVE_DOUBLE, only);
}

Hdf5Array<int> Hdf5Input::integers(const std::string& path, const std::vector<int>& only) const {
  const OpenDataset data = open_dataset(*this, file_.get(), path);
  if (data.kind == H5T_INTEGER) return read_values<int>(data, H5T_NATIVE_INT, only);
  if (data.kind != H5T_ENUM || H5Tget_size(data.type.get()) != 1) fail("/" + path + ": expected whole numbers");
  const auto truths = read_values<std::int8_t>(data, data.type.get(), only);
  return {truths.shape, std::vector<int>(truths.values.begin(), truths.values.end())};
}

bool Hdf5Input::has_attribute(const std::string& group, const std::string& name) const {
  return H5Aexists_by_name(file_.get(), group.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::string Hdf5Input::text_attribute(const std::string& group, const std::string& name) const {
  const std::string what = name_ + ": attribute " + name + " of /" + group;
  const Hdf5Handle attribute(
      check_hdf5(H5Aopen_by_name(file_.get(), group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), what), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose), space(H5Aget_space(attribute.get()), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1)
    throw InputError(what + ": expected one text");
  if (H5Tis_variable_str(type.get()) <= 0) {
    std::string text(H5Tget_size(type.get()), '\0');
    check_hdf5(H5Aread(attribute.get(), type.get(), text.data()), what);
    return text.substr(0, text.find('\0'));
  }
  char* given = nullptr;
  check_hdf5(H5Aread(attribute.get(), type.get(), &given), what);
  const std::string text = given ? given : "";
  H5free_memory(given);
  return text;
}

double Hdf5Input::attribute(const std::string& group, const std::string& name) const {
  if (!has_attribute(group, name)) fail("/" + group + " has no attribute " + name);
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
