// What a run of gpu_check does: where, how much, until when.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "host/api/simulator.hpp"

namespace stiction::gpu_check {

using Clock = std::chrono::steady_clock;

struct Options {
  int gpu = 0;                    // its index
  std::string scenes = "scenes";  // folder
  std::string out;                // report; empty: named after the GPU
  std::string cusolver;           // library file; empty: where the loader finds it
  std::vector<std::string> only;  // parts; empty: all
  double minutes = 8.0;           // for everything
  bool dry_run = false;           // the host takes the place of the GPU, sizes are small
  bool small = false;             // on a GPU too; for an emulated one
  bool small_case = false;        // only what compute-sanitizer watches
  bool profiled_case = false;     // only what ncu watches

  // times MuJoCo Warp
  std::string mujoco_warp = "bench/gpu_check/time_mujoco_warp.py";

  // a process of one part, which adds to the report of the program that started it
  std::string part;      // empty: this is that program
  std::string piece;     // of the part
  double seconds = 0.0;  // for it

  /// What is checked against the host.
  std::string device() const { return dry_run ? "cpu" : "cuda:" + std::to_string(gpu); }
  bool has_small_sizes() const { return dry_run || small; }
  /// Only the figures that matter most.
  bool is_brief() const { return minutes <= 1.0; }
};

/// The time that a part may use.
class Budget {
 public:
  explicit Budget(double seconds) : begin_(Clock::now()), seconds_(seconds) {}
  bool over() const { return left() <= 0.0; }
  /// Seconds that are left.
  double left() const { return seconds_ - spent(); }
  double spent() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  Clock::time_point begin_;
  double seconds_;
};

/// A scene that is checked, and how many steps of it.
struct CheckedScene {
  std::string name;
  Scene scene;
  int steps;       // of a comparison
  bool every_law;  // with every dynamics, law and cone also in small sizes
};

/// The scenes of the checks, small ones first; a pushed pile of boxes is made here, the rest is read from `folder`.
std::vector<CheckedScene> checked_scenes(const std::string& folder);
CheckedScene checked_scene(const std::string& folder, const std::string& name);

/// One choice of everything that can be chosen.
struct Choices {
  Dynamics dynamics;
  ContactLaw law;
  ConeType cone;
  SolverName solver;
  Dtype factor;
};

/// All combinations that `can_solve` allows, by solver; with a factor in single precision those of quasidynamic steps.
std::vector<Choices> every_choice();

Choices choices_of(const Scene& scene);

/// `scene` with other choices.
Scene with(Scene scene, const Choices& choices);

constexpr Dtype kEveryDtype[] = {Dtype::kFloat64, Dtype::kFloat32};
std::string name_of(Dtype dtype);

}  // namespace stiction::gpu_check
