// Records a batch over time into an HDF5 file that is readable at every moment, even after the process was killed.
//
//   /time (S) [s], /status (S, B), /iterations (S, B), /residual (S, B), /penetration (S, B) [m]      always
//   /model (bytes), MuJoCo's binary format; /geom_friction (B, ngeom, 3)                              if they are given
//   /qpos (S, B, nq), /qvel (S, B, nv), /ctrl (S, B, nu)                                              state, contacts
//   /mocap_pose (S, B, nmocap, 7), if there are such bodies                                           state, contacts
//   /contact/count (S, B), and (S, B, C, ...) the arrays of kernels/model/contact_fields.inc          contacts
//   /patch/count (S, B), and (S, B, P, ...) the arrays of patch_fields.inc, if there are patches      contacts
//
// There are S rows: the start and every recorded step; B recorded environments, whose numbers are the attribute `envs`;
// C is the capacity for contacts, P that for patches. Padding is NaN and -1. Reals have the run's precision, but time
// is always float64. In row 0, status, iterations and counts are 0, residual and penetration NaN.
//
// The file stays readable because its format has no "open for writing" flags; because metadata is held back until rows
// are flushed; because chunk indices are sized for the run, so that a flush replaces whole nodes and moves none; and
// because /time is written last, so that the rows it counts are complete in every dataset (after a killed run the
// others may be one flush longer). On a full disk only new rows fail, because metadata is written to space that was
// reserved before; nothing is written after that. Slots of contacts and patches that no environment uses within a
// chunk are never written and take no space.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "host/api/simulator.hpp"

namespace stiction {

enum class RecordLevel { kNone, kState, kContacts };

/// What is recorded; fixed when the file is created.
struct RecordingLayout {
  RecordLevel level = RecordLevel::kState;
  Dtype dtype = Dtype::kFloat64;
  int batch = 1;               // environments in every row that is appended
  std::vector<int> envs = {};  // environments that are written; empty: all
  int nq = 0, nv = 0, nu = 0, nmocap = 0;
  int max_contacts = 0;            // C
  int max_patches = 0;             // P; 0: there is no /patch
  std::int64_t expected_rows = 1;  // S of a complete run; more rows are possible
};

/// An attribute of the file: the run's choices, names and versions.
struct RecordingAttribute {
  std::string name;
  std::variant<std::string, std::vector<std::string>, std::int64_t, std::uint64_t, std::vector<std::int64_t>, double>
      value;
};

/// One model of a scene that lists several.
struct RecordedVariant {
  std::string name;
  std::span<const std::byte> model;  // in MuJoCo's binary format
  std::string xml;                   // as text
  std::vector<int> geom_id;          // MuJoCo's id of the geom in every slot; -1: the slot is spare (ngeom)
};

/// Data that do not change over a run; empty fields are not written.
struct RecordingConstants {
  std::span<const std::byte> model = {};       // the compiled model in MuJoCo's binary format
  std::vector<double> geom_friction = {};      // sliding [-], torsional [m], rolling [m] (batch, ngeom, 3)
  std::vector<RecordedVariant> variants = {};  // of a scene with lists of models
  std::vector<double> variant = {};            // which every environment has (batch)
};

/// One row of the whole batch, row-major; fields that the layout does not record may be empty.
struct RecordedRow {
  double time = 0.0;                                        // [s]
  std::span<const double> qpos = {}, qvel = {}, ctrl = {};  // (batch, nq), (batch, nv), (batch, nu)
  std::span<const std::uint32_t> status = {};  // (batch); this and the next three are empty in the row of the start
  std::span<const int> iterations = {};        // (batch)
  std::span<const double> residual = {};       // (batch) [-]
  std::span<const double> penetration = {};    // (batch) [m]
  const ContactArrays* contacts = nullptr;     // null in the row of the start
  std::span<const double> mocap_pose = {};     // position [m], quaternion w x y z (batch, nmocap, 7)
  const PatchArrays* patches = nullptr;        // null in the row of the start, and where there are none
};

class Recorder {
 public:
  /// Creates FILE.partial. Throws InputError if `file` cannot be written or the layout is impossible.
  Recorder(const std::string& file, const RecordingLayout& layout, const std::vector<RecordingAttribute>& attributes,
           const RecordingConstants& constants = {});
  /// Without `finish`: closes FILE.partial with the rows appended so far, and deletes it if no step was recorded.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Appends a row. Throws InputError if the disk is full; FILE.partial then holds the rows of the last successful
  /// flush.
  void append(const RecordedRow& row);
  /// Writes what is buffered, so that other programs see it.
  void flush();
  /// Closes FILE.partial as the destructor does. Returns the number of rows that it holds; 0 if it was deleted.
  std::int64_t stop();
  /// Closes FILE.partial and renames it to FILE, which is replaced only now. Throws InputError.
  void finish();

  std::int64_t rows() const;                // number of rows appended
  const std::string& partial_name() const;  // FILE.partial

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace stiction
