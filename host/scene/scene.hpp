// A scene: a model, the four choices, a command over time and how environments differ. Fields are named as in
// scene.toml.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/model/model.hpp"
#include "host/scene/model_reading.hpp"

namespace stiction {

// scene_keys.inc says which values are allowed and what they are called elsewhere.

/// contact_distance of steps whose bodies move first, unless a scene says otherwise: that of Miller and Christensen
/// [m].
constexpr double kThinContact = 1e-4;
constexpr double kLeastThinContact = 1e-6;  // below it rounding decides what touches [m]
constexpr double kMostThinContact = 1e-3;   // pairs that hardly move are not looked for beyond it [m]

/// `[physics]`
struct PhysicsConfig {
  Dynamics dynamics = Dynamics::kDynamic;
  ContactLaw law = ContactLaw::kCoulomb;
  ConeType cone = ConeType::kQuadratic;
  int facets = 4;  // of a pyramid
  ContactModel contact = ContactModel::kPoints;
  ContactGeometry geometry = ContactGeometry::kStart;
  Rotation rotation = Rotation::kExact;
  TorsionRadius torsion_radius = TorsionRadius::kModel;
  Regions regions = Regions::kAuto;
  Equality equality = Equality::kSolref;
  StepOrder order = StepOrder::kSolveFirst;
  double correction = 0.2;        // γ of steps whose bodies move first: share of an overlap that a step removes
  double threshold_speed = 1e-3;  // contacts of materials at this speed have kinetic friction [m/s]
  std::optional<double> contact_distance;  // [m]; none: automatic
  double mass_ratio = 10.0;                // s of quasidynamic: ε = min(K) h² / (s max diag M_u); 0: true mass
  double hover_warning = 0.01;             // warn when the Anitescu boundary layer is thicker than this [m]
};

/// `[solver]`
struct SolverOptions {
  SolverName name = SolverName::kInteriorPoint;
  double tolerance = 1e-8;         // on the residual
  int max_iterations = 50;         // of each phase
  int max_total_iterations = 0;    // of all phases and starts of a problem together; 0: unlimited
  Dtype factor = Dtype::kFloat64;  // precision of the factored matrix; float32 for solvers that have one
  InfeasibleStep infeasible = InfeasibleStep::kLeastViolation;  // what a step without a solution does
  std::optional<int> max_contacts;                              // none: automatic
  std::optional<int> max_pairs;                                 // none: automatic
  std::vector<double> start;  // if several motions solve a step, the nearest to this is returned (nv)
};

/// `[[command]]`: knots of ctrl, which is linear between them and constant before the first and after the last.
struct CommandKnots {
  std::vector<double> time;               // [s], strictly increasing (n)
  std::vector<std::vector<double>> ctrl;  // (n, nu)

  /// ctrl at time t [s]; zeros if there are no knots.
  std::vector<double> sample(double t, int nu) const;
};

using MocapPose = std::array<double, 7>;   // position [m], unit quaternion
using MocapTwist = std::array<double, 6>;  // of the origin [m/s], angular [rad/s], world axes

/// `[[mocap]]`: a body that follows a table. Poses are linear between the rows (orientations along the shortest arc)
/// and constant outside; velocities are linear between the rows and zero outside.
struct MocapTrack {
  int body;                          // a mocap body of the model
  std::vector<double> time;          // [s], strictly increasing (n)
  std::vector<MocapPose> pose;       // (n)
  std::vector<MocapTwist> velocity;  // (n), or empty: the difference of the poses over a step

  MocapPose pose_at(double t) const;
  /// Velocity with which the body enters the step from t to t + h.
  MocapTwist velocity_at(double t, double h) const;
};

/// `[[impulse]]`: applied once, at the body's centre of mass, in world axes.
struct Impulse {
  int step;                     // counted from 0
  int body;                     // a moving body of the model
  std::array<double, 6> value;  // linear [N s], angular [N m s]
};

/// Uniform noise on the dofs of one joint: ±half_width, in tangent space (free joints: position in world axes [m],
/// rotation vector in world axes [rad]).
struct JointNoise {
  int joint;
  std::vector<double> half_width;  // (dofs of the joint)
};

/// A uniform range; {1, 1} for a scale means "as in the model".
struct Range {
  double lower, upper;
};

/// `[randomize]`: random numbers are counter-based and keyed by (seed, global environment id), so that environment k is
/// the same in any batch.
struct Randomize {
  std::uint64_t seed = 0;
  std::vector<JointNoise> qpos_noise;
  std::optional<Range> friction;    // sliding friction of every geom is replaced by one draw per environment
  std::optional<Range> mass_scale;  // every un-actuated body's mass and inertia are scaled by one draw each
};

/// One choice of every list of models (`[[attach]] model = [..]`).
struct Variant {
  std::string name;          // the files of its models, without folders
  Model model;               // what an environment with it has, in the slots of Scene::model; without pairs and hulls
  std::vector<double> qpos;  // initial (nq)
  std::vector<double> qvel;  // initial (nv)
};

struct Scene {
  std::string name;      // the folder's or file's name
  std::string path;      // of scene.toml; empty if made from a bare model
  std::string text;      // scene.toml as read
  ModelReading reading;  // of the model
  std::shared_ptr<const Model> model;
  PhysicsConfig physics;
  SolverOptions solver;
  double step_size = 0.01;   // [s]
  double duration = 1.0;     // [s]
  std::string keyframe;      // from which it starts; empty: none
  std::vector<double> qpos;  // initial (nq)
  std::vector<double> qvel;  // initial (nv)
  CommandKnots command;
  std::vector<MocapTrack> mocap;
  std::vector<Impulse> impulses;
  Randomize randomize;
  std::vector<Variant>
      variants;  // at least two if the scene has lists of models, else none; `model` begins as the first

  /// The variant with which the environment starts: its id modulo their number; 0 where there are none.
  int first_variant(std::uint64_t env) const;
  /// The model of variant v, or the only one.
  const Model& own_model(int v) const;
  /// Where variant v starts (nq), and how fast (nv).
  const std::vector<double>& own_qpos(int v) const;
  const std::vector<double>& own_qvel(int v) const;
};

constexpr double kMostSteps = 1e9;   // most steps of one run: they are counted in 32 bits
constexpr double kLeastStep = 1e-9;  // a step size below this is blamed for too many steps [s]
constexpr const char* kMostStepsText = "at most 1e9 steps";
constexpr const char* kLeastStepText = "at least a 1e-9th of the duration: a run has at most 1e9 steps";
constexpr double kLeastQuatNorm = 1e-6;  // a shorter quaternion does not define an orientation

/// Gives the quaternions of free and ball joints unit length; false if one is (nearly) zero.
bool normalise_quaternions(const Model& model, std::vector<double>& qpos);

/// Reads a scene folder, a scene.toml, or a bare model (.xml, .urdf: defaults for everything else). Throws InputError.
Scene load_scene(const std::string& path);

/// Compiles MJCF or URDF at `path`. Throws InputError.
Model load_model(const std::string& path);

/// Compiles MJCF or URDF text; asset files are relative to the working directory. Throws InputError.
Model load_model_text(const std::string& text);

/// A scene of a bare model with defaults for everything else.
Scene make_scene(std::shared_ptr<const Model> model, const std::string& name);

/// A pair of the model with torsional friction (condim 4, coefficient above 0), or -1.
int find_torsion(const Model& model);

/// True if the torsional friction of a contact comes from its patch and not from the model.
bool has_patch_torsion(const PhysicsConfig& physics);

/// True if steps have rounds that find their end (kernels/step/end_rounds.hpp).
bool seeks_end(const PhysicsConfig& physics);

/// True if a body of this scene has contact regions (kernels/collision/regions.hpp): it has pieces that touch, and the
/// scene neither switches regions off nor seeks the end of its steps, whose rounds need all points.
bool merges_regions(const Scene& scene);

/// True if contacts of this scene have a torsional row: a pair or its patch has torsional friction, and the law and
/// cone use it.
bool has_torsion(const Scene& scene);

/// Checks the values that a caller may have changed since loading. Throws InputError.
void validate(const Scene& scene);

}  // namespace stiction
