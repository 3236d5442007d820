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
  bool small_case = false;        // only what compute-sanitizer watches

  /// What is checked against the host.
  std::string device() const { return dry_run ? "cpu" : "cuda:" + std::to_string(gpu); }
};

/// The time that a part may use; a part that ends early leaves its rest to the next.
class Budget {
 public:
  explicit Budget(double minutes) : begin_(Clock::now()), seconds_(60.0 * minutes) {}
  /// From now on time is over when `share` of the whole is.
  void until(double share) { share_ = share; }
  bool over() const { return left() <= 0.0; }
  /// Seconds of this part.
  double left() const { return share_ * seconds_ - std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  Clock::time_point begin_;
  double seconds_, share_ = 1.0;
};

/// A scene that is checked, and how many steps of it.
struct CheckedScene {
  std::string name;
  Scene scene;
  int steps;       // of a comparison
  bool every_law;  // with every dynamics, law and cone also in a dry run
};

/// The scenes of the checks, small ones first; a pushed pile of boxes is made here, the rest is read from `folder`.
std::vector<CheckedScene> checked_scenes(const std::string& folder);

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

/// `scene` with other choices.
Scene with(Scene scene, const Choices& choices);

constexpr Dtype kEveryDtype[] = {Dtype::kFloat64, Dtype::kFloat32};
std::string name_of(Dtype dtype);

}  // namespace stiction::gpu_check
