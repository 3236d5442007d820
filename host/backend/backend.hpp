// The interface to what runs a batch: host threads, a GPU, or the reference. Values cross it as double, without
// rounding.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/backend/fitting.hpp"
#include "host/backend/step_problem.hpp"
#include "host/model/env_field.hpp"
#include "host/model/linearization.hpp"
#include "host/model/rays.hpp"
#include "host/scene/scene.hpp"
#include "kernels/launch/kernel_facts.hpp"
#include "kernels/model/env_view.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

/// Time of one kernel of a step, over all its launches.
struct KernelTime {
  std::string name;
  double seconds;
  int launches;
};

/// New values of a field for a list of environments.
struct FieldRows {
  EnvField field;
  std::span<const double> values;  // (environments, length), or (length) for all of them

  bool is_for_all(std::size_t length) const { return values.size() == length; }
  /// The values of the environment at a place of the list.
  std::span<const double> row(std::size_t place, std::size_t length) const {
    return values.subspan(is_for_all(length) ? 0 : place * length, length);
  }
};

/// Receives values of fields.
class FieldWriter {
 public:
  virtual ~FieldWriter() = default;

  /// Overwrites fields, no two of them the same, of the environments `ids`; of one that is named twice the last row
  /// counts.
  virtual void write(std::span<const int> ids, std::span<const FieldRows> rows) = 0;
};

class Backend : public FieldWriter {
 public:
  /// Advances every environment by `steps` >= 1; ctrl follows the scene's knots until it is written.
  /// It may return before the steps are done; reading then waits for them and throws their errors.
  virtual void step(int steps) = 0;

  /// Returns once all steps are done. Only measurements need it, because reading waits too.
  virtual void wait() const {}

  /// Advances by one step and returns where its time went. If the backend's steps have no kernels, does nothing and
  /// returns nothing.
  virtual std::vector<KernelTime> time_kernels() { return {}; }

  /// What the device says about the kernels of a step; nothing if the backend's steps have none.
  virtual std::vector<KernelFacts> ask_about_kernels() { return {}; }

  /// Times the solves of the next step `times` times over, without a step; nothing if they are no kernel of their own.
  virtual SolveSeconds time_solves([[maybe_unused]] int times) { return {}; }

  /// Memory that one more environment takes on the device [bytes]; 0 if it is not counted.
  virtual std::size_t environment_bytes() const { return 0; }

  /// Finds contacts and poses for the present state of the environments, without a step; forces are zero.
  virtual void forward() = 0;

  /// Updates the poses of the bodies of these environments to their state.
  virtual void place_bodies(std::span<const int> ids) = 0;

  /// Writes the energy of every environment at its present state.
  virtual void measure_energy() = 0;

  /// Writes the values of all sensors of every environment at its present state. Throws InputError if the backend does
  /// not compute sensors.
  virtual void measure_sensors() = 0;

  /// What rays meet in every environment at its present state. Throws InputError if the backend casts none.
  virtual RayHits cast_rays(const Rays& rays) = 0;

  /// Derivatives of the smoothed steps that the environments would take next; their state does not change.
  virtual Linearization linearize(double smoothing) = 0;

  /// Shows the contact problem of the step that each of these environments would take next, one after the other; their
  /// state does not change. Throws InputError if the host can not see the problems.
  virtual void visit_problems(std::span<const int> ids, const ProblemVisitor& visit);

  /// Where the memory of a field is. Values written there count from the next step on, and what `write` writes is seen
  /// there; on a GPU in the order of the batch's stream.
  virtual FieldMemory memory(EnvField field) = 0;

  /// Returns once the device has finished all work, including that of other programs or streams.
  virtual void wait_for_device() const {}

  /// Overwrites a whole field from memory of the device, in the field's own type.
  virtual void overwrite(EnvField field, const void* source) = 0;

  /// Number of values that one environment has in a field.
  virtual std::size_t length(EnvField field) const = 0;

  /// All values of a field (batch, length).
  virtual std::vector<double> read(EnvField field) const = 0;

  /// The values of some environments (ids, length).
  virtual std::vector<double> read_rows(EnvField field, std::span<const int> ids) const;

  /// The status of every environment (batch), without an allocation if it is in host memory.
  virtual void copy_status(std::span<std::uint32_t> out) const {
    const std::vector<double> bits = read(EnvField::status);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint32_t>(bits[i]);
  }

  virtual std::string device_name() const = 0;

  /// One line if the device works in a way that its user would not expect; empty otherwise.
  virtual std::string warning() const { return {}; }

  /// Working memory of a step [bytes]: per thread on the host, per environment on a GPU.
  virtual std::size_t scratch_bytes() const = 0;
};

/// Memory of a batch on the host: the arrays of every environment, and the scratch of every thread.
BatchBytes host_batch_bytes(const Scene& scene, const Capacity& capacity, bool single, int threads);

/// Memory of a batch on a GPU: of every environment, and once the scratch of those that it works on at the same time
/// (at most 8 a multiprocessor, 32 where a quarter of a warp solves; never more than there are environments).
struct GpuBytes {
  std::size_t each, at_work;
};
GpuBytes gpu_bytes(const Scene& scene, const Capacity& capacity, bool single);

/// `batch` environments on `threads` host threads, in float or double, which solve on their own or as a GPU does.
/// Throws OutOfMemory if the batch does not fit into memory.
std::unique_ptr<Backend> make_host_backend(const Scene& scene, const Capacity& capacity, int batch, bool single,
                                           int threads, SolveRoute route = SolveRoute::kAlone);

}  // namespace stiction
