// What `stiction run` takes from the command line; unset options leave the scene's value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/api/simulator.hpp"
#include "host/cli/given_keys.hpp"
#include "host/cli/physics_options.hpp"
#include "host/record/recorder.hpp"

namespace CLI {
class App;
}

namespace stiction {

struct RunOptions {
  std::string scene;
  GivenKeys keys;
  long long batch = 1;
  std::string device = "auto";
  std::string dtype = "float64";
  PhysicsOptions physics;
  std::optional<std::string> solver, factor, infeasible;
  std::optional<double> tolerance;  // of the residual
  std::optional<long long> max_iterations, max_contacts;
  std::optional<double> step_size, duration;  // [s]
  std::optional<std::string> seed;
  long long threads = 0;
  long long solve_threads = 0;
  std::string out;  // empty: nothing is recorded
  std::optional<std::string> record;
  long long every = 1;
  std::string envs;  // empty: all
  std::string record_problems;
  long long allow_failures = 0;
  bool quiet = false;
};

/// Adds the scene and the options that change it: from SCENE to --max-contacts, without --device and --dtype.
void add_scene_options(CLI::App& app, RunOptions& options);
/// Adds all options of `stiction run`.
void add_run_options(CLI::App& app, RunOptions& options);

/// The scene with the changes that the command line asks for. Throws InputError.
Scene apply_to_scene(const RunOptions& options, Scene scene);
/// Throws InputError for a batch below 1 and the like.
SimulatorOptions simulator_options(const RunOptions& options);

/// Which environments are recorded, where, and how often.
struct RecordingPlan {
  std::string file;   // empty: nothing is written
  std::string scene;  // SCENE
  RecordLevel level = RecordLevel::kNone;
  std::int64_t every = 1;
  std::vector<int> envs;  // empty: all
};
RecordingPlan recording_plan(const RunOptions& options);

/// Whose contact problems are written, and how often; --every and --envs count for both files.
struct ProblemPlan {
  std::string file;  // empty: nothing is written
  std::int64_t every = 1;
  std::vector<int> envs;  // all are listed
};
ProblemPlan problem_plan(const RunOptions& options);

/// How many environments may fail while the run still counts as success. Throws InputError.
int allowed_failures(const RunOptions& options);

}  // namespace stiction
