// The batched simulator: thousands of independent environments of one scene.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/backend/step_problem.hpp"
#include "host/model/contact_arrays.hpp"
#include "host/model/env_field.hpp"
#include "host/model/error.hpp"
#include "host/model/linearization.hpp"
#include "host/model/out_of_memory.hpp"
#include "host/model/patch_arrays.hpp"
#include "host/model/rays.hpp"
#include "host/scene/scene.hpp"
#include "kernels/launch/factor_memory.hpp"

namespace stiction {

/// Options of a simulator; usable untouched.
struct SimulatorOptions {
  int batch = 1;                  // environments, >= 1
  std::string device = "auto";    // auto | cpu | cuda | cuda:<i> | reference
  Dtype dtype = Dtype::kFloat64;  // precision of state, kinematics and collision; the solver's state stays double
  int threads = 0;                // host threads; 0: all cores
  int solve_threads = 0;          // GPU threads that share a solve and, up to 32, the stages around it: 8, 32, 64; 0:
                                  // by the size; same bits. On a CPU any but 0 solves as a GPU does (docs/gpu.md)
  FactorMemory factor_memory = FactorMemory::kAuto;  // where a GPU keeps the factor of a solve; same bits
  std::optional<std::uintptr_t> stream = {};         // cudaStream_t that orders all work; none: one of its own
  std::int64_t first_env_id = 0;                     // global id of environment 0, for random numbers
};

/// Figures of the last step of every environment (batch).
struct StepStats {
  std::vector<int> iterations;
  std::vector<int> rounds;                // of the last step; 1: the first answer stood; 0: the state was kept
  std::vector<double> residual;           // of kernels/problem/residual.hpp [-]
  std::vector<double> position_residual;  // of the problem that pushes overlaps apart [-]; 0: there was none
  std::vector<double> penetration;        // deepest overlap after the step [m], >= 0
  std::vector<double> hover;              // thickest Anitescu boundary layer of a loaded contact after the step [m]
  std::vector<int> contacts;              // contact points in the problem
  std::vector<int> rows;                  // scalar rows: facets of all contacts and general rows
  std::vector<double> violation;          // least total overlap of an infeasible step [m]
};

/// All that the next steps of some environments depend on, exactly: the values of the first kStateFields arrays
/// (environments, length).
struct SimulatorState {
  std::vector<std::vector<double>> values;
};

/// All values of an array (batch, length), copied to the host; waits for the GPU that holds them.
std::vector<double> values_of(const FieldMemory& memory, int batch);

/// The bits of a status word by name, joined by ", "; "none" for zero.
std::string status_names(std::uint32_t status);

/// Steps `batch` environments of a scene. Not copyable; one thread may use it at a time.
class Simulator {
 public:
  /// Throws InputError for bad options or a scene that does not validate, OutOfMemory with the number of
  /// environments that fit.
  Simulator(const Scene& scene, const SimulatorOptions& options = {});
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  const Scene& scene() const;
  const SimulatorOptions& options() const;
  std::string device_name() const;     // what runs: "cpu (2 threads)", "reference", "cuda:0 (name)"
  std::string device_warning() const;  // one line if the GPU's driver makes steps slower; else empty (docs/gpu.md)

  /// Advances every environment by `steps`; an environment's ctrl follows the scene's knots, sampled at t + h, until it
  /// is written. Returns the status bits (batch), OR-ed over the steps.
  std::span<const std::uint32_t> step(int steps = 1);

  /// The same, and `controller` is called before every one of the steps: it may read the state and write ctrl, or
  /// whatever else may be written between steps. What it throws leaves the batch after a whole step.
  std::span<const std::uint32_t> step(int steps, const std::function<void(Simulator&)>& controller);

  /// The same, but on a GPU it returns before the steps are done; functions that read results wait for them.
  void enqueue_step(int steps = 1);
  void wait() const;
  /// Returns once the device has finished all work, including that of other programs and streams.
  void wait_for_device() const;

  /// Finds contacts and poses of the bodies for a state that was written, without a step; forces are zero.
  void forward();

  /// Measures potential and kinetic energy of every environment in its present state, (batch, 2) [J]
  /// (kernels/dynamics/energy.hpp). `read` it from EnvField::energy afterwards.
  void measure_energy();

  /// Computes all sensors of every environment at its present state (kernels/sensing/sensors.hpp); `read` them from
  /// EnvField::sensordata afterwards (batch, nsensordata). NaN: what sensor_refusal says. Throws InputError on the
  /// device reference.
  void measure_sensors();

  /// Why sensordata has NaN for a sensor, in words; empty if it is computed.
  std::string sensor_refusal(int sensor) const;

  /// What rays meet in every environment at its present state: the geoms that can touch, at the point of their surfaces
  /// that is nearest to the ray's origin, also from inside (kernels/sensing/rays.hpp). Throws InputError for rays
  /// without a direction, for a frame or a body that the model does not have, and on the device reference.
  RayHits cast_rays(const Rays& rays) const;

  /// Derivatives of every environment's next configuration with respect to the present one and to ctrl. Contact is
  /// smoothed by a barrier of `smoothing` > 0 [J]: impulse times velocity at every contact
  /// (kernels/solver/path/smoothed.hpp). Only for convex laws; NaN in environments that have no derivatives. Throws
  /// InputError for a smoothing that is not positive, or for Coulomb's law.
  Linearization linearize(double smoothing);

  /// Shows the contact problem of the step that each of these environments would take next, with the solver's start and
  /// its answer (host/backend/step_problem.hpp); the environments keep their states. Only on the device cpu: throws
  /// InputError on others.
  void visit_problems(std::span<const int> ids, const ProblemVisitor& visit);

  /// Resets to the scene's start, randomised by (seed, first_env_id + id); the default seed is the scene's. Parameters
  /// stay as they were written, except those that the scene draws at random.
  void reset(std::optional<std::uint64_t> seed = {});
  void reset(std::span<const int> ids, std::optional<std::uint64_t> seed = {});

  /// Resets to keyframe k of the model, in [0, nkey), instead of the scene's start; the scene's noise is added. Its
  /// control stays until it is written, unless the scene has a command of its own.
  void reset_to_keyframe(std::span<const int> ids, int k, std::optional<std::uint64_t> seed = {});

  /// Saves and restores everything that the next steps depend on: the same steps follow, bit for bit. A state has one
  /// row for each of `ids`, or one that all of them continue from. Throws InputError for a state of another number of
  /// environments or another model, and for an environment that is not there.
  SimulatorState state() const;
  SimulatorState state(std::span<const int> ids) const;
  void set_state(const SimulatorState& state);
  void set_state(const SimulatorState& state, std::span<const int> ids);

  /// Direct access to an array's memory, valid as long as the simulator lives. Values written there take effect from
  /// the next step on; on a GPU, in the order of `SimulatorOptions::stream`.
  FieldMemory memory(EnvField field);
  /// Number of values that one environment has in the array.
  std::size_t length(EnvField field) const;
  /// Copies the array's values (batch, length), and overwrites rows of it: `values` has those of environments `ids`.
  std::vector<double> read(EnvField field) const;
  void write(EnvField field, std::span<const int> ids, std::span<const double> values);
  /// Overwrites a whole array from memory of the device, in the array's own type.
  void overwrite(EnvField field, const void* source);
  /// From now on every environment's ctrl stays as written, until the environment is reset.
  void hold_ctrl();

  // state as double, row-major: qpos (batch, nq), qvel (batch, nv), ctrl (batch, nu), act (batch, na),
  // time (batch)
  std::vector<double> qpos() const;
  std::vector<double> qvel() const;
  std::vector<double> ctrl() const;
  std::vector<double> act() const;
  std::vector<double> time() const;
  void set_qpos(std::span<const double> qpos);
  void set_qvel(std::span<const double> qvel);
  void set_ctrl(std::span<const double> ctrl);
  void set_act(std::span<const double> act);

  std::span<const std::uint32_t> status() const;  // of the last call of step
  StepStats stats() const;
  ContactArrays contacts() const;
  PatchArrays patches() const;
  int max_contacts() const;
  int max_patches() const;  // 0 without `contact = "patch"`
  int max_pairs() const;
  std::size_t scratch_bytes() const;  // scratch of a step: per host thread, or per environment on a GPU

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stiction
