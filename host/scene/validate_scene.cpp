// The checks of a scene's values, for callers that change them after loading.
#include <cmath>
#include <cstdio>

#include "host/model/error.hpp"
#include "host/scene/scene.hpp"

namespace stiction {
namespace {

[[noreturn]] void fail(const Scene& scene, const std::string& field, double value, const std::string& range) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  throw InputError("scene '" + scene.name + "': " + field + " = " + text + " but must be " + range);
}

void check_length(const Scene& scene, const char* field, std::size_t length, int expected) {
  if (length == static_cast<std::size_t>(expected)) return;
  fail(scene, std::string("length of ") + field, static_cast<double>(length), std::to_string(expected));
}

void check_finite(const Scene& scene, const char* field, const std::vector<double>& values) {
  for (double value : values) {
    if (!std::isfinite(value)) fail(scene, field, value, "finite");
  }
}

void check_physics(const Scene& scene) {
  const PhysicsConfig& physics = scene.physics;
  if (physics.facets < 3) fail(scene, "physics.facets", physics.facets, "at least 3");
  if (physics.contact_distance && !(*physics.contact_distance >= 0.0 && std::isfinite(*physics.contact_distance))) {
    fail(scene, "physics.contact_distance", *physics.contact_distance, "at least 0 m, or automatic");
  }
  if (!(physics.mass_ratio >= 0.0)) fail(scene, "physics.mass_ratio", physics.mass_ratio, "at least 0");
  if (!(physics.hover_warning >= 0.0)) fail(scene, "physics.hover_warning", physics.hover_warning, "at least 0 m");
}

void check_solver(const Scene& scene) {
  const SolverOptions& solver = scene.solver;
  if (!(solver.tolerance > 0.0 && solver.tolerance < 1.0)) {
    fail(scene, "solver.tolerance", solver.tolerance, "in (0, 1)");
  }
  if (solver.max_iterations < 1) fail(scene, "solver.max_iterations", solver.max_iterations, "at least 1");
  if (solver.max_contacts.value_or(1) < 1) fail(scene, "solver.max_contacts", *solver.max_contacts, "at least 1");
  if (solver.max_pairs.value_or(1) < 1) fail(scene, "solver.max_pairs", *solver.max_pairs, "at least 1");
}

void check_step(const Scene& scene) {
  if (!(scene.step_size > 0.0 && std::isfinite(scene.step_size))) {
    fail(scene, "step.step_size", scene.step_size, "more than 0 s");
  }
  if (!(scene.duration >= 0.0 && scene.duration / scene.step_size <= kMostSteps)) {
    fail(scene, "step.duration", scene.duration, "at least 0 s and at most 1e9 steps");
  }
}

void check_start(const Scene& scene) {
  check_length(scene, "initial.qpos", scene.qpos.size(), scene.model->nq);
  check_length(scene, "initial.qvel", scene.qvel.size(), scene.model->nv);
  check_finite(scene, "initial.qpos", scene.qpos);
  check_finite(scene, "initial.qvel", scene.qvel);
  std::vector<double> qpos = scene.qpos;
  if (!normalise_quaternions(*scene.model, qpos)) fail(scene, "norm of a quaternion in initial.qpos", 0.0, "1");
}

void check_command(const Scene& scene) {
  const CommandKnots& command = scene.command;
  check_length(scene, "command.ctrl", command.ctrl.size(), static_cast<int>(command.time.size()));
  check_finite(scene, "command.time", command.time);
  for (std::size_t k = 0; k < command.time.size(); ++k) {
    check_length(scene, "command.ctrl", command.ctrl[k].size(), scene.model->nu);
    check_finite(scene, "command.ctrl", command.ctrl[k]);
    if (k == 0 || command.time[k] > command.time[k - 1]) continue;
    fail(scene, "command.time", command.time[k], "after the knot before");
  }
}

void check_randomize(const Scene& scene) {
  const Randomize& randomize = scene.randomize;
  for (const JointNoise& noise : randomize.qpos_noise) {
    if (noise.joint < 0 || noise.joint >= scene.model->njoint) {
      fail(scene, "randomize.qpos_noise.joint", noise.joint, "a joint");
    }
    check_finite(scene, "randomize.qpos_noise", noise.half_width);
    for (double width : noise.half_width) {
      if (width < 0.0) fail(scene, "randomize.qpos_noise", width, "at least 0");
    }
  }
  const auto check_range = [&](const char* field, const std::optional<Range>& range, double lowest) {
    if (!range || (range->lower >= lowest && range->lower <= range->upper && std::isfinite(range->upper))) return;
    fail(scene, field, range->lower, "an ordered, finite range above 0");
  };
  check_range("randomize.friction", randomize.friction, 0.0);
  check_range("randomize.mass_scale", randomize.mass_scale, std::nextafter(0.0, 1.0));
}

}  // namespace

bool normalise_quaternions(const Model& model, std::vector<double>& qpos) {
  for (int j = 0; j < model.njoint; ++j) {
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    if (type != JointType::kFree && type != JointType::kBall) continue;
    double* q = qpos.data() + model.joint_qpos_adr[j] + (type == JointType::kFree ? 3 : 0);
    const double norm = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
    if (!(norm > kLeastQuatNorm) || !std::isfinite(norm)) return false;
    for (int k = 0; k < 4; ++k) q[k] /= norm;
  }
  return true;
}

void validate(const Scene& scene) {
  if (!scene.model) throw InputError("scene '" + scene.name + "': has no model");
  check_physics(scene);
  check_solver(scene);
  check_step(scene);
  check_start(scene);
  check_command(scene);
  check_randomize(scene);
}

}  // namespace stiction
