// The tables of a scene as flat arrays, as the kernels read them.
#pragma once

#include <vector>

#include "host/scene/scene.hpp"
#include "kernels/step/config.hpp"

namespace stiction {

/// Command knots, scripted poses, impulses and the solver's start; `Array<T>` is memory that kernels can read, made
/// from a std::vector<T>.
template <class Real, template <class> class Array>
class ScriptTables {
 public:
  explicit ScriptTables(const Scene& scene) : has_start_(!scene.solver.start.empty()), start_(scene.solver.start) {
    add_command(scene);
    add_mocap(scene);
    add_impulses(scene);
  }

  /// Enters the tables into a step's configuration.
  void enter(StepConfig<Real>& config) const {
    config.command = {num_knots_, knot_time_.data(), knot_ctrl_.data()};
    config.mocap = {num_tracks_,          track_mocap_.data(), track_first_.data(), track_count_.data(),
                    has_velocity_.data(), track_time_.data(),  track_pose_.data(),  track_velocity_.data()};
    config.impulses = {num_impulses_, impulse_step_.data(), impulse_body_.data(), impulse_value_.data()};
    config.start = has_start_ ? start_.data() : nullptr;
  }

 private:
  void add_command(const Scene& scene) {
    num_knots_ = static_cast<int>(scene.command.time.size());
    knot_time_ = Array<double>(scene.command.time);
    std::vector<Real> ctrl;
    for (const std::vector<double>& knot : scene.command.ctrl) ctrl.insert(ctrl.end(), knot.begin(), knot.end());
    knot_ctrl_ = Array<Real>(ctrl);
  }

  void add_mocap(const Scene& scene) {
    std::vector<int> mocap, first, count, has_velocity;
    std::vector<double> time, pose, velocity;
    for (const MocapTrack& track : scene.mocap) {
      mocap.push_back(scene.model->body_mocap[static_cast<std::size_t>(track.body)]);
      first.push_back(static_cast<int>(time.size()));
      count.push_back(static_cast<int>(track.time.size()));
      has_velocity.push_back(track.velocity.empty() ? 0 : 1);
      time.insert(time.end(), track.time.begin(), track.time.end());
      for (const MocapPose& p : track.pose) pose.insert(pose.end(), p.begin(), p.end());
      for (const MocapTwist& v : track.velocity) velocity.insert(velocity.end(), v.begin(), v.end());
      velocity.resize(6 * time.size(), 0.0);
    }
    num_tracks_ = static_cast<int>(mocap.size());
    track_mocap_ = Array<int>(mocap);
    track_first_ = Array<int>(first);
    track_count_ = Array<int>(count);
    has_velocity_ = Array<int>(has_velocity);
    track_time_ = Array<double>(time);
    track_pose_ = Array<double>(pose);
    track_velocity_ = Array<double>(velocity);
  }

  void add_impulses(const Scene& scene) {
    std::vector<int> step, body;
    std::vector<Real> value;
    for (const Impulse& impulse : scene.impulses) {
      step.push_back(impulse.step);
      body.push_back(impulse.body);
      for (const double v : impulse.value) value.push_back(static_cast<Real>(v));
    }
    num_impulses_ = static_cast<int>(step.size());
    impulse_step_ = Array<int>(step);
    impulse_body_ = Array<int>(body);
    impulse_value_ = Array<Real>(value);
  }

  bool has_start_;
  Array<double> start_;
  int num_knots_ = 0, num_tracks_ = 0, num_impulses_ = 0;
  Array<double> knot_time_, track_time_, track_pose_, track_velocity_;
  Array<Real> knot_ctrl_, impulse_value_;
  Array<int> track_mocap_, track_first_, track_count_, has_velocity_, impulse_step_, impulse_body_;
};

/// Tables in host memory.
template <class T>
using HostArray = std::vector<T>;
template <class Real>
using HostScriptTables = ScriptTables<Real, HostArray>;

}  // namespace stiction
