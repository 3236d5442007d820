#include "host/record/recorder.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "host/record/attributes.hpp"
#include "host/record/column.hpp"
#include "host/record/constants.hpp"
#include "host/record/partial_file.hpp"
#include "host/record/recording_reader.hpp"

namespace stiction {
namespace {

constexpr std::size_t kBufferBytes = 16u << 20;            // rows are written when they fill this much memory ...
constexpr std::chrono::milliseconds kFlushInterval(1000);  // ... or are this old: what a killed run may lose
constexpr hsize_t kMaxChunkRows = 256;
constexpr hsize_t kTimeChunkRows = 4096;  // large, so that /time seldom adds a chunk, which takes two writes
constexpr hsize_t kMaxNodeChunks = 1024;  // chunks in one index node: larger nodes cost more to rewrite at each flush

/// The columns of the group /contact or /patch.
struct SlotColumns {
  std::optional<Column> count;
  std::map<std::string, std::optional<Column>> arrays;  // by the names of the list
};

struct Columns {
  std::optional<Column> time, status, iterations, residual, penetration;
  std::optional<Column> qpos, qvel, ctrl, mocap_pose;
  SlotColumns contact, patch;
};

struct ColumnPlan {
  std::optional<Column>* column;
  ColumnSpec spec;
};

template <class Arrays>
void plan_slots(const std::string& group, hsize_t slots, ColumnType real, SlotColumns& columns,
                std::vector<ColumnPlan>& plan) {
  plan.push_back({&columns.count, {group + "/count", "", ColumnType::kInt32, true, false, {}}});
  Arrays::visit([&](const ReadoutField& field, auto) {
    std::vector<hsize_t> shape = {slots};
    shape.insert(shape.end(), field.shape.begin(), field.shape.end());
    const ColumnType type = field.is_real ? real : ColumnType::kId;
    plan.push_back({&columns.arrays[field.name], {group + "/" + field.name, field.unit, type, true, true, shape}});
  });
}

bool has_contacts(const RecordingLayout& layout) { return layout.level == RecordLevel::kContacts; }
bool has_patches(const RecordingLayout& layout) { return has_contacts(layout) && layout.max_patches > 0; }

/// Which of the columns there will be, in the order of the file.
std::vector<ColumnPlan> plan_columns(const RecordingLayout& layout, Columns& columns) {
  const auto real = layout.dtype == Dtype::kFloat64 ? ColumnType::kFloat64 : ColumnType::kFloat32;
  const hsize_t nq = layout.nq, nv = layout.nv, nu = layout.nu, nmocap = layout.nmocap;
  std::vector<ColumnPlan> plan = {
      {&columns.time, {"time", "s", ColumnType::kFloat64, false, false, {}}},
      {&columns.status, {"status", "", ColumnType::kUint32, true, false, {}}},
      {&columns.iterations, {"iterations", "", ColumnType::kInt32, true, false, {}}},
      {&columns.residual, {"residual", "", real, true, false, {}}},
      {&columns.penetration, {"penetration", "m", real, true, false, {}}},
  };
  if (layout.level == RecordLevel::kNone) return plan;
  plan.push_back({&columns.qpos, {"qpos", "m, rad", real, true, false, {nq}}});
  plan.push_back({&columns.qvel, {"qvel", "m/s, rad/s", real, true, false, {nv}}});
  plan.push_back({&columns.ctrl, {"ctrl", "", real, true, false, {nu}}});
  if (nmocap > 0) plan.push_back({&columns.mocap_pose, {"mocap_pose", "m", real, true, false, {nmocap, 7}}});
  if (has_contacts(layout)) plan_slots<ContactArrays>("contact", layout.max_contacts, real, columns.contact, plan);
  if (has_patches(layout)) plan_slots<PatchArrays>("patch", layout.max_patches, real, columns.patch, plan);
  return plan;
}

std::vector<int> checked_envs(const RecordingLayout& layout) {
  std::vector<int> envs = layout.envs;
  if (envs.empty()) {
    envs.resize(layout.batch);
    std::iota(envs.begin(), envs.end(), 0);
  }
  for (const int env : envs)
    if (env < 0 || env >= layout.batch)
      throw InputError("cannot record environment " + std::to_string(env) + ": the batch has environments 0 to " +
                       std::to_string(layout.batch - 1));
  return envs;
}

Hdf5Handle create_file(const std::string& name, hsize_t max_chunks, const std::string& what) {
  const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // a node holds twice this many chunks; 32 is HDF5's default
  H5Pset_istore_k(creation.get(),
                  static_cast<unsigned>(std::clamp<hsize_t>(max_chunks / 2 + 1, 32, kMaxNodeChunks / 2)));
  H5Pset_obj_track_times(creation.get(), false);  // same run, same bytes
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_file_locking(access.get(), false, true);  // PartialFile holds the lock, and readers may open the file
  H5AC_cache_config_t cache;
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  H5Pget_mdc_config(access.get(), &cache);
  cache.evictions_enabled = false;  // metadata reaches the disk in flush() only
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  check_hdf5(H5Pset_mdc_config(access.get(), &cache), what);
  return {check_hdf5(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), what), H5Fclose};
}

void create_group(hid_t file, const char* name, const std::string& what) {
  const Hdf5Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation.get(), false);
  const Hdf5Handle group(check_hdf5(H5Gcreate2(file, name, H5P_DEFAULT, creation.get(), H5P_DEFAULT), what), H5Gclose);
}

template <class Source>
void append_or_pad(std::optional<Column>& column, std::span<const Source> values) {
  if (!column) return;
  values.empty() ? column->append_padding() : column->append(values);
}

template <class Source>
void check_length(const char* name, std::span<const Source> values, std::size_t length, bool may_be_empty) {
  if (values.size() == length || (may_be_empty && values.empty())) return;
  throw std::logic_error(std::string("recorder: ") + name + " has " + std::to_string(values.size()) + " values, not " +
                         std::to_string(length));
}

/// Of a batch of B with room for `slots` values an environment.
template <class Arrays>
void check_arrays(const std::string& what, const Arrays& arrays, std::size_t B, std::size_t slots) {
  check_length((what + " count").c_str(), std::span<const int>(arrays.count), B, false);
  Arrays::visit([&](const ReadoutField& field, auto array) {
    const std::string name = what + " " + field.name;
    check_length(name.c_str(), std::span(arrays.*array), B * slots * static_cast<std::size_t>(field.numbers()), false);
  });
}

/// Null: appends padding.
template <class Arrays>
void append_arrays(const Arrays* arrays, const std::vector<int>& envs, SlotColumns& columns) {
  if (!columns.count) return;
  if (!arrays) {
    columns.count->append_padding();
    for (auto& [name, column] : columns.arrays) column->append_padding();
    return;
  }
  hsize_t used = 0;
  for (const int env : envs) used = std::max<hsize_t>(used, arrays->count[env]);
  columns.count->append(std::span<const int>(arrays->count));
  Arrays::visit([&](const ReadoutField& field, auto array) {
    columns.arrays.at(field.name)->append(std::span(arrays->*array), used);
  });
}

}  // namespace

struct Recorder::File {
  PartialFile partial;
  RecordingLayout layout;
  std::vector<int> envs;
  std::string what;
  Hdf5Handle file;
  Columns columns;
  std::vector<Column*> all;  // all columns except time
  hsize_t chunk_rows = 1, rows = 0, rows_flushed = 0;
  bool broken = true;  // a write failed: HDF5 buffers data that must not reach the disk
  std::chrono::steady_clock::time_point last_flush = std::chrono::steady_clock::now();

  File(const std::string& name, const RecordingLayout& wanted) : partial(name), layout(wanted) {
    what = "cannot write " + partial.partial_name();
  }
  void create(const std::vector<RecordingAttribute>& attributes, const RecordingConstants& constants);
  void check(const RecordedRow& row) const;
  void flush();
  void write_metadata();
  std::int64_t close_unfinished() noexcept;
};

void Recorder::File::create(const std::vector<RecordingAttribute>& attributes, const RecordingConstants& constants) {
  envs = checked_envs(layout);
  const auto plan = plan_columns(layout, columns);
  std::size_t bytes = 1;
  for (const auto& [column, spec] : plan) bytes += row_bytes(spec, envs.size());
  const hsize_t wanted_rows = std::max<std::int64_t>(layout.expected_rows, 1);
  chunk_rows = std::min({std::max<hsize_t>(kBufferBytes / bytes, 1), kMaxChunkRows, wanted_rows});
  hsize_t max_chunks = 1;
  for (const auto& [column, spec] : plan)
    max_chunks = std::max(max_chunks, Column::count_chunks(spec, envs.size(), chunk_rows, wanted_rows));
  file = create_file(partial.partial_name(), max_chunks, what);
  if (has_contacts(layout)) create_group(file.get(), "contact", what);
  if (has_patches(layout)) create_group(file.get(), "patch", what);
  for (const auto& [column, spec] : plan) {
    const bool is_time = column == &columns.time;
    column->emplace(file.get(), spec, envs, is_time ? kTimeChunkRows : chunk_rows, what);
    if (!is_time) all.push_back(&**column);
  }
  for (const auto& attribute : attributes) write_attribute(file.get(), attribute, what);
  const std::vector<std::int64_t> ids(envs.begin(), envs.end());
  write_attribute(file.get(), {"envs", ids}, what);
  write_constants(file.get(), constants, layout, envs, what);
  write_metadata();
  broken = false;
}

void Recorder::File::check(const RecordedRow& row) const {
  const std::size_t B = layout.batch;
  check_length("status", row.status, B, true);
  check_length("iterations", row.iterations, B, true);
  check_length("residual", row.residual, B, true);
  check_length("penetration", row.penetration, B, true);
  if (layout.level == RecordLevel::kNone) return;
  check_length("qpos", row.qpos, B * layout.nq, false);
  check_length("qvel", row.qvel, B * layout.nv, false);
  check_length("ctrl", row.ctrl, B * layout.nu, false);
  check_length("mocap_pose", row.mocap_pose, B * layout.nmocap * 7, false);
  if (has_contacts(layout) && row.contacts) check_arrays("contact", *row.contacts, B, layout.max_contacts);
  if (has_patches(layout) && row.patches) check_arrays("patch", *row.patches, B, layout.max_patches);
}

/// Writes what HDF5 has buffered: all of it or, on a full disk, nothing, because a file with half of it could not be
/// read.
void Recorder::File::write_metadata() {
  haddr_t end = 0;
  check_hdf5(H5Fget_eoa(file.get(), &end), what);
  partial.reserve(end);
  check_hdf5(H5Fflush(file.get(), H5F_SCOPE_LOCAL), what);
}

void Recorder::File::flush() {
  broken = true;
  for (Column* column : all) column->write(what);
  write_metadata();
  columns.time->write(what);  // last: rows that /time counts are complete
  write_metadata();
  broken = false;
  rows_flushed = rows;
  last_flush = std::chrono::steady_clock::now();
}

/// Keeps a file that can be read and holds at least one step, and deletes any other. Returns the number of rows kept.
std::int64_t Recorder::File::close_unfinished() noexcept {
  std::int64_t kept = 0;
  try {
    if (rows > rows_flushed && !broken) flush();
  } catch (const std::exception&) {
  }
  all.clear();
  columns = {};
  broken ? abandon_file(file) : static_cast<void>(file.close());
  try {
    kept = RecordingReader(partial.partial_name()).rows();
  } catch (const std::exception&) {
  }
  if (kept > 1) return kept;
  partial.remove();
  return 0;
}

Recorder::Recorder(const std::string& file, const RecordingLayout& layout,
                   const std::vector<RecordingAttribute>& attributes, const RecordingConstants& constants) {
  silence_hdf5();
  file_ = std::make_unique<File>(file, layout);
  try {
    file_->create(attributes, constants);
  } catch (...) {
    file_->close_unfinished();
    throw;
  }
}

Recorder::~Recorder() {
  if (file_) file_->close_unfinished();
}

void Recorder::append(const RecordedRow& row) {
  File& f = *file_;
  f.check(row);
  f.columns.time->append(std::span<const double>(&row.time, 1));
  append_or_pad(f.columns.status, row.status);
  append_or_pad(f.columns.iterations, row.iterations);
  append_or_pad(f.columns.residual, row.residual);
  append_or_pad(f.columns.penetration, row.penetration);
  append_or_pad(f.columns.qpos, row.qpos);
  append_or_pad(f.columns.qvel, row.qvel);
  append_or_pad(f.columns.ctrl, row.ctrl);
  append_or_pad(f.columns.mocap_pose, row.mocap_pose);
  append_arrays(row.contacts, f.envs, f.columns.contact);
  append_arrays(row.patches, f.envs, f.columns.patch);
  ++f.rows;
  const bool full = f.rows - f.rows_flushed >= f.chunk_rows;
  if (full || std::chrono::steady_clock::now() - f.last_flush >= kFlushInterval) f.flush();
}

void Recorder::flush() { file_->flush(); }

std::int64_t Recorder::stop() {
  const std::int64_t kept = file_->close_unfinished();
  file_.reset();
  return kept;
}

void Recorder::finish() {
  File& f = *file_;
  f.flush();
  f.all.clear();
  f.columns = {};
  check_hdf5(f.file.close(), f.what);
  f.partial.publish();
  file_.reset();
}

std::int64_t Recorder::rows() const { return static_cast<std::int64_t>(file_->rows); }
const std::string& Recorder::partial_name() const { return file_->partial.partial_name(); }

}  // namespace stiction
