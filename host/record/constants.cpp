#include "host/record/constants.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr hsize_t kModelChunk = 1u << 20;
constexpr unsigned kModelCompression = 4;  // of 9: even a low level shrinks the textures of a model well

void write_dataset(hid_t file, const char* name, hid_t stored, hid_t given, const std::vector<hsize_t>& shape,
                   const Hdf5Handle& creation, const void* values, const std::string& what) {
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  H5Pset_obj_track_times(creation.get(), false);
  const Hdf5Handle dataset(
      check_hdf5(H5Dcreate2(file, name, stored, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), what),
      H5Dclose);
  check_hdf5(H5Dwrite(dataset.get(), given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), what);
}

void write_model(hid_t file, std::span<const std::byte> model, const std::string& what) {
  const hsize_t size = model.size(), chunk = std::min(size, kModelChunk);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.get(), 1, &chunk);
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) H5Pset_deflate(creation.get(), kModelCompression);
  write_dataset(file, "model", H5T_NATIVE_UINT8, H5T_NATIVE_UINT8, {size}, creation, model.data(), what);
}

void write_friction(hid_t file, std::span<const double> friction, const RecordingLayout& layout,
                    const std::vector<int>& envs, const std::string& what) {
  const std::size_t length = friction.size() / static_cast<std::size_t>(layout.batch);
  std::vector<double> chosen;
  for (const int env : envs) {
    const auto of_env = friction.subspan(static_cast<std::size_t>(env) * length, length);
    chosen.insert(chosen.end(), of_env.begin(), of_env.end());
  }
  const hid_t real = layout.dtype == Dtype::kFloat64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  write_dataset(file, "geom_friction", real, H5T_NATIVE_DOUBLE, {envs.size(), length / 3, 3}, creation, chosen.data(),
                what);
}

}  // namespace

void write_constants(hid_t file, const RecordingConstants& constants, const RecordingLayout& layout,
                     const std::vector<int>& envs, const std::string& what) {
  if (!constants.model.empty()) write_model(file, constants.model, what);
  if (!constants.geom_friction.empty()) write_friction(file, constants.geom_friction, layout, envs, what);
}

}  // namespace stiction
