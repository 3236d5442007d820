// The batched simulator: thousands of independent environments of one scene.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/model/error.hpp"
#include "host/model/out_of_memory.hpp"
#include "host/scene/scene.hpp"
#include "kernels/launch/factor_memory.hpp"

namespace stiction {

enum class Dtype { kFloat64, kFloat32 };

/// Options of a simulator; usable untouched.
struct SimulatorOptions {
  int batch = 1;                  // environments, >= 1
  std::string device = "auto";    // auto | cpu | cuda | cuda:<i> | reference
  Dtype dtype = Dtype::kFloat64;  // precision of state, kinematics and collision; the solver's state stays double
  int threads = 0;                // host threads; 0: all cores
  int solve_threads = 0;          // GPU threads that share a solve: 8, 32, 64, or 0: by the model's size; same bits
  FactorMemory factor_memory = FactorMemory::kAuto;  // where a GPU keeps the factor of a solve; same bits
  std::int64_t first_env_id = 0;                     // global id of environment 0, for random numbers
};

/// Figures of the last step of every environment (batch).
struct StepStats {
  std::vector<int> iterations;
  std::vector<double> residual;     // of kernels/problem/residual.hpp [-]
  std::vector<double> penetration;  // deepest overlap after the step [m], >= 0
  std::vector<double> hover;        // thickest Anitescu boundary layer of a loaded contact after the step [m]
  std::vector<int> contacts;        // contact points in the problem
  std::vector<int> rows;            // scalar rows: facets of all contacts and general rows
  std::vector<double> violation;    // least total overlap of an infeasible step [m]
};

/// Contacts of the last step; arrays of (batch, max_contacts, ...), padding NaN and -1.
struct ContactArrays {
  int max_contacts = 0;
  std::vector<int> count;        // (batch)
  std::vector<int> geom;         // (.., 2)
  std::vector<double> gap;       // where the step began [m] (..)
  std::vector<double> gap_next;  // gap + h n·v as solved [m] (..)
  std::vector<double> position;  // midpoint of the witnesses, world [m] (.., 3)
  std::vector<double> frame;     // rows n, t, o, world; n from geom[0] to geom[1] (.., 3, 3)
  std::vector<double> force;     // n, t, o on geom[1] [N] (.., 3)
  std::vector<double> torsion;   // about n on geom[1] [N m] (..)
};

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
  std::string device_name() const;  // what runs: "cpu (2 threads)", "reference", "cuda:0 (name)"

  /// Advances every environment by `steps`; ctrl follows the scene's knots, sampled at t + h, unless `set_ctrl` was
  /// called. Returns the status bits (batch), OR-ed over the steps.
  std::span<const std::uint32_t> step(int steps = 1);

  /// Back to the scene's start, environment ids randomised by (seed, first_env_id + id).
  void reset();
  void reset(std::span<const int> ids);

  // state as double, row-major: qpos (batch, nq), qvel (batch, nv), ctrl (batch, nu), time (batch)
  std::vector<double> qpos() const;
  std::vector<double> qvel() const;
  std::vector<double> ctrl() const;
  std::vector<double> time() const;
  void set_qpos(std::span<const double> qpos);
  void set_qvel(std::span<const double> qvel);
  void set_ctrl(std::span<const double> ctrl);

  std::span<const std::uint32_t> status() const;  // of the last call of step
  StepStats stats() const;
  ContactArrays contacts() const;
  int max_contacts() const;
  int max_pairs() const;
  std::size_t scratch_bytes() const;  // that a step works in: per host thread, or per environment on a GPU

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stiction
