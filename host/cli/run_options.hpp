// What `stiction run` takes from the command line; unset options leave the scene's value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/api/simulator.hpp"
#include "host/record/recorder.hpp"

namespace CLI {
class App;
}

namespace stiction {

struct RunOptions {
  std::string scene;
  long long batch = 1;
  std::string device = "auto";
  std::string dtype = "float64";
  std::optional<std::string> dynamics, law, cone, solver, factor, infeasible;
  std::optional<long long> facets, max_contacts;
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

/// The scene and what changes it: from SCENE to --max-contacts, without --device and --dtype.
void add_scene_options(CLI::App& app, RunOptions& options);
/// All of them.
void add_run_options(CLI::App& app, RunOptions& options);

/// The scene with what the command line says about it. Throws InputError.
Scene apply_to_scene(const RunOptions& options, Scene scene);
/// Throws InputError for a batch below 1 and the like.
SimulatorOptions simulator_options(const RunOptions& options);

/// What is written, and how often.
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
  std::string file;  // empty: none are
  std::int64_t every = 1;
  std::vector<int> envs;  // all are listed
};
ProblemPlan problem_plan(const RunOptions& options);

/// Failed environments that still count as success. Throws InputError.
int allowed_failures(const RunOptions& options);

}  // namespace stiction
