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

/// Compressed where this HDF5 can.
void write_bytes(hid_t file, const std::string& name, std::span<const std::byte> bytes, const std::string& what) {
  const hsize_t size = bytes.size(), chunk = std::min(size, kModelChunk);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.get(), 1, &chunk);
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) H5Pset_deflate(creation.get(), kModelCompression);
  write_dataset(file, name.c_str(), H5T_NATIVE_UINT8, H5T_NATIVE_UINT8, {size}, creation, bytes.data(), what);
}

void write_integers(hid_t file, const char* name, const std::vector<int>& values, const std::vector<hsize_t>& shape,
                    const std::string& what) {
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  write_dataset(file, name, H5T_NATIVE_INT32, H5T_NATIVE_INT, shape, creation, values.data(), what);
}

/// /variants: a group for every model but the first, with its two forms; the geoms in all slots; and the model of every
/// environment.
void write_variants(hid_t file, const RecordingConstants& constants, const std::vector<int>& envs,
                    const std::string& what) {
  const std::vector<RecordedVariant>& variants = constants.variants;
  const Hdf5Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation.get(), false);
  const auto add_group = [&](const std::string& name) {
    H5Gclose(check_hdf5(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), what));
  };
  add_group("variants");
  std::vector<int> geoms, chosen;
  for (std::size_t v = 0; v < variants.size(); ++v) {
    geoms.insert(geoms.end(), variants[v].geom_id.begin(), variants[v].geom_id.end());
    if (v == 0) continue;
    const std::string group = "variants/" + std::to_string(v);
    add_group(group);
    write_bytes(file, group + "/model", variants[v].model, what);
    write_bytes(file, group + "/xml", std::as_bytes(std::span(variants[v].xml)), what);
  }
  for (const int env : envs) chosen.push_back(static_cast<int>(constants.variant[static_cast<std::size_t>(env)]));
  write_integers(file, "variants/geom_id", geoms, {variants.size(), geoms.size() / variants.size()}, what);
  write_integers(file, "variants/of_env", chosen, {chosen.size()}, what);
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
  if (!constants.model.empty()) write_bytes(file, "model", constants.model, what);
  if (!constants.geom_friction.empty()) write_friction(file, constants.geom_friction, layout, envs, what);
  if (!constants.variants.empty()) write_variants(file, constants, envs, what);
}

}  // namespace stiction
