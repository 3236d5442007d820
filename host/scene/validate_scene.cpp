// Checks a scene's values, for callers that changed them after loading.
#include <cmath>
#include <cstdio>
#include <optional>

#include "host/model/choices.hpp"
#include "host/model/error.hpp"
#include "host/scene/scene_keys.hpp"
#include "host/scene/toml_table.hpp"

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

/// Checks a number of the list.
template <class Key>
void check_number(const Scene& scene, const Key& key) {
  const std::optional<typename Key::Value> given = key.field_of(scene);
  if (!given) return;
  const double value = static_cast<double>(*given);
  if (key.allowed.holds(value)) return;
  fail(scene, std::string(key.table) + "." + key.key, value, std::isfinite(value) ? key.range_text() : kFiniteText);
}

void check_numbers(const Scene& scene) {
  for_each_scene_key([&](const auto& key) {
    if constexpr (!std::remove_cvref_t<decltype(key)>::kIsChoice) check_number(scene, key);
  });
}

void check_solver_start(const Scene& scene) {
  const std::vector<double>& start = scene.solver.start;
  if (!start.empty()) check_length(scene, "solver.start", start.size(), scene.model->nv);
  check_finite(scene, "solver.start", start);
}

/// Checks that the solver has a factor of this precision.
void check_factor(const Scene& scene) {
  const SolverOptions& solver = scene.solver;
  if (can_factor(solver.name, solver.factor)) return;
  throw InputError("scene '" + scene.name + "': solver " + choice_name(solver_choice(), solver.name) +
                   " factors no matrix: factor " + choice_name(factor_choice(), solver.factor) + " is for " +
                   factoring_solvers());
}

/// "dynamic" or "dynamic_fitted": the words of a choice for which `fits` is true.
template <class Enum>
std::string words_that(const Choice& choice, bool (*fits)(Enum)) {
  std::string text;
  for (std::size_t i = 0; i < choice.built.size(); ++i)
    if (fits(static_cast<Enum>(i))) text += (text.empty() ? "\"" : " or \"") + choice.built[i] + "\"";
  return text;
}

/// Checks that patches have a round cone, if they have friction: theirs points along no facet.
void check_cone_of_patches(const Scene& scene) {
  const PhysicsConfig& physics = scene.physics;
  if (physics.contact != ContactModel::kPatch || !has_friction(physics.law) || is_round(physics.cone)) return;
  const std::string facets =
      takes_facets(physics.cone) ? " with " + std::to_string(physics.facets) + " facets" : std::string();
  throw InputError("scene '" + scene.name + "': contact = \"patch\" needs a round friction cone: cone = " +
                   words_that<ConeType>(cone_choice(), [](ConeType cone) { return is_round(cone); }) + ", not \"" +
                   choice_name(cone_choice(), physics.cone) + "\"" + facets);
}

/// Checks that rotations fit the dynamics: without momentum there is none that a linear rotation keeps.
void check_rotation(const Scene& scene) {
  const PhysicsConfig& physics = scene.physics;
  if (physics.rotation == Rotation::kExact || has_momentum(physics.dynamics)) return;
  throw InputError("scene '" + scene.name + "': rotation = \"" + choice_name(rotation_choice(), physics.rotation) +
                   "\" needs dynamics with momentum: dynamics = " +
                   words_that<Dynamics>(dynamics_choice(), [](Dynamics d) { return has_momentum(d); }) + ", not \"" +
                   choice_name(dynamics_choice(), physics.dynamics) + "\"");
}

/// Checks that steps whose bodies move first have momentum, contacts at points, and what else they are built for.
void check_order(const Scene& scene) {
  const PhysicsConfig& physics = scene.physics;
  if (physics.order == StepOrder::kSolveFirst) return;
  const std::string said =
      "scene '" + scene.name + "': order = \"" + choice_name(order_choice(), physics.order) + "\" ";
  if (physics.dynamics != Dynamics::kDynamic)
    throw InputError(said + "needs dynamics = \"dynamic\", not \"" + choice_name(dynamics_choice(), physics.dynamics) +
                     "\"");
  if (seeks_end(physics))
    throw InputError(said + "looks for the time of contact instead of the end of a step: it excludes contact = " +
                     "\"patch\", geometry = \"end\" and rotation = \"linear\"");
  const double distance = physics.contact_distance.value_or(kThinContact);
  if (distance < kLeastThinContact || distance > kMostThinContact)
    fail(scene, "physics.contact_distance", distance, "from 1e-6 to 1e-3 m with order = \"move_first\", or \"auto\"");
}

/// Checks that what depends on velocities has dynamics that know them.
void check_fluid(const Scene& scene) {
  const std::vector<double>& fluid = scene.model->fluid;
  if ((fluid[0] == 0.0 && fluid[1] == 0.0) || has_momentum(scene.physics.dynamics)) return;
  throw InputError("scene '" + scene.name +
                   "': the model has a fluid (option density or viscosity), whose drag needs " +
                   "dynamics with momentum: dynamics = " +
                   words_that<Dynamics>(dynamics_choice(), [](Dynamics d) { return has_momentum(d); }) + ", not \"" +
                   choice_name(dynamics_choice(), scene.physics.dynamics) + "\"" + offer_to_ignore("fluid"));
}

/// Checks that only patches have a torsional friction of their own.
void check_torsion_radius(const Scene& scene) {
  const PhysicsConfig& physics = scene.physics;
  if (physics.torsion_radius == TorsionRadius::kModel || physics.contact == ContactModel::kPatch) return;
  throw InputError("scene '" + scene.name + "': torsion_radius = \"" +
                   choice_name(torsion_radius_choice(), physics.torsion_radius) +
                   "\" is that of a patch: it needs contact = \"patch\", not \"" +
                   choice_name(contact_choice(), physics.contact) + "\"");
}

/// Checks that cone and solver make sense together.
void check_choices(const Scene& scene) {
  const SolverName solver = scene.solver.name;
  const ConeType cone = scene.physics.cone;
  if (can_solve(solver, cone)) return;
  std::vector<std::string> solvers, cones;
  for (std::size_t i = 0; i < solver_choice().built.size(); ++i)
    if (can_solve(static_cast<SolverName>(i), cone)) solvers.push_back(solver_choice().built[i]);
  for (std::size_t i = 0; i < cone_choice().built.size(); ++i)
    if (can_solve(solver, static_cast<ConeType>(i))) cones.push_back(cone_choice().built[i]);
  throw InputError("scene '" + scene.name + "': solver " + choice_name(solver_choice(), solver) + " cannot do cone " +
                   choice_name(cone_choice(), cone) + ", only " + join(cones) + "; that cone is solved by " +
                   join(solvers));
}

void check_number_of_steps(const Scene& scene) {
  if (scene.duration / scene.step_size <= kMostSteps) return;
  if (scene.step_size < kLeastStep) fail(scene, "step.step_size", scene.step_size, kLeastStepText);
  fail(scene, "step.duration", scene.duration, kMostStepsText);
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

/// Checks prescribed dofs (kinematic): each has one actuator, which acts on one joint.
void check_kinematic(const Scene& scene) {
  if (!follows_exactly(scene.physics.dynamics)) return;
  const Model& model = *scene.model;
  std::vector<int> follows(static_cast<std::size_t>(model.nv), -1);
  for (int a = 0; a < model.nu; ++a) {
    if (static_cast<ActuatorKind>(model.actuator_kind[a]) == ActuatorKind::kMotor) continue;
    const std::string said =
        "scene '" + scene.name + "': dynamics kinematic: actuator '" + model.actuator_names[a] + "'";
    const int length = model.actuator_length[a], term = model.length_term_adr[length];
    if (model.length_term_num[length] != 1 || model.length_point_num[length] > 0 || model.term_coef[term] == 0.0)
      throw InputError(said +
                       " acts on several joints or a path, which can not follow it: give every joint its own actuator");
    int& other = follows[model.term_dof[term]];
    if (other >= 0)
      throw InputError(said + " and '" + model.actuator_names[other] + "' both prescribe joint '" +
                       model.joint_names[model.dof_joint[model.term_dof[term]]] + "': remove one");
    other = a;
  }
}

void check_mocap(const Scene& scene) {
  for (const MocapTrack& track : scene.mocap) {
    if (track.body < 0 || track.body >= scene.model->nbody || scene.model->body_mocap[track.body] < 0)
      fail(scene, "mocap.body", track.body, "a mocap body");
    check_length(scene, "mocap.pose", track.pose.size(), static_cast<int>(track.time.size()));
    if (track.time.empty()) fail(scene, "length of mocap.time", 0.0, "at least 1");
    if (!track.velocity.empty())
      check_length(scene, "mocap.velocity", track.velocity.size(), static_cast<int>(track.time.size()));
    check_finite(scene, "mocap.time", track.time);
    for (std::size_t k = 0; k < track.time.size(); ++k) {
      check_finite(scene, "mocap.pose", {track.pose[k].begin(), track.pose[k].end()});
      if (!track.velocity.empty())
        check_finite(scene, "mocap.velocity", {track.velocity[k].begin(), track.velocity[k].end()});
      if (k > 0 && !(track.time[k] > track.time[k - 1]))
        fail(scene, "mocap.time", track.time[k], "after the row before");
    }
  }
}

void check_impulses(const Scene& scene) {
  for (const Impulse& impulse : scene.impulses) {
    if (impulse.step < 0) fail(scene, "impulse.step", impulse.step, "at least 0");
    if (impulse.body < 0 || impulse.body >= scene.model->nbody || scene.model->body_last_dof[impulse.body] < 0)
      fail(scene, "impulse.body", impulse.body, "a moving body");
    check_finite(scene, "impulse.value", {impulse.value.begin(), impulse.value.end()});
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
  check_numbers(scene);
  check_number_of_steps(scene);
  check_solver_start(scene);
  check_choices(scene);
  check_cone_of_patches(scene);
  check_rotation(scene);
  check_order(scene);
  check_fluid(scene);
  check_torsion_radius(scene);
  check_factor(scene);
  check_start(scene);
  check_command(scene);
  check_kinematic(scene);
  check_mocap(scene);
  check_impulses(scene);
  check_randomize(scene);
}

}  // namespace stiction
