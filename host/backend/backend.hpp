// What runs a batch: host threads, a GPU, or the reference. Values cross this interface as double, exactly.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/backend/fitting.hpp"
#include "host/backend/step_problem.hpp"
#include "host/model/env_field.hpp"
#include "host/model/linearization.hpp"
#include "host/scene/scene.hpp"
#include "kernels/model/env_view.hpp"

namespace stiction {

/// Time of one kernel of a step, over all its launches.
struct KernelTime {
  std::string name;
  double seconds;
  int launches;
};

/// What takes the values of an environment's fields.
class FieldWriter {
 public:
  virtual ~FieldWriter() = default;

  /// Overwrites a field of one environment; `values` has the field's length.
  virtual void write(EnvField field, int env, std::span<const double> values) = 0;
};

class Backend : public FieldWriter {
 public:
  /// Advances every environment by `steps` >= 1; ctrl follows the scene's knots until it is written.
  /// May return before they are done: reading waits, and throws what went wrong.
  virtual void step(int steps) = 0;

  /// Returns once all steps are done; only measurements need it, since reading waits too.
  virtual void wait() const {}

  /// Advances by one step and says where its time went; does nothing and returns nothing where a step has no kernels.
  virtual std::vector<KernelTime> time_kernels() { return {}; }

  /// Memory that one more environment takes on the device [bytes]; 0 where it is not counted.
  virtual std::size_t environment_bytes() const { return 0; }

  /// Finds contacts and poses where the environments are, without a step; forces are zero.
  virtual void forward() = 0;

  /// Brings the poses of the bodies of these environments up to date with their state; those of others may be too.
  virtual void place_bodies(std::span<const int> ids) = 0;

  /// Writes the energy of every environment where it is.
  virtual void measure_energy() = 0;

  /// Derivatives of the steps that the environments would take next, smoothed; they stay where they are.
  virtual Linearization linearize(double smoothing) = 0;

  /// Shows the contact problem of the step that each of these environments would take next, one after the other; they
  /// stay where they are. Throws InputError where no host can see the problems.
  virtual void visit_problems(std::span<const int> ids, const ProblemVisitor& visit);

  /// Where a field is. What is written there counts from the next step on; on a GPU in the order of `stream`.
  virtual FieldMemory memory(EnvField field) = 0;

  /// Lets those who hold a field's memory see what was written with `write`.
  virtual void publish(EnvField) {}

  /// Returns once the device has finished all work, also what other programs or streams have given it.
  virtual void wait_for_device() const {}

  /// Overwrites a whole field from memory of the device, in the field's own type.
  virtual void overwrite(EnvField field, const void* source) = 0;

  /// Values of one environment in a field.
  virtual std::size_t length(EnvField field) const = 0;

  /// All values of a field (batch, length).
  virtual std::vector<double> read(EnvField field) const = 0;

  /// The status of every environment (batch), without allocating memory where it is on the host.
  virtual void copy_status(std::span<std::uint32_t> out) const {
    const std::vector<double> bits = read(EnvField::status);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint32_t>(bits[i]);
  }

  virtual std::string device_name() const = 0;

  /// Memory that a step works in [bytes]: of one thread on the host, of one environment on a GPU.
  virtual std::size_t scratch_bytes() const = 0;
};

/// What such a batch takes: arrays of every environment, scratch of every thread.
BatchBytes host_batch_bytes(const Scene& scene, const Capacity& capacity, bool single, int threads);

/// `batch` environments on `threads` host threads, in float or double. `one_lane`: solves go the ways of one lane too,
/// else those of a GPU only (SolverConfig). Throws OutOfMemory where they do not fit.
std::unique_ptr<Backend> make_host_backend(const Scene& scene, const Capacity& capacity, int batch, bool single,
                                           int threads, bool one_lane = true);

}  // namespace stiction
