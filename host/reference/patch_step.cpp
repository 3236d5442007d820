#include "host/reference/patch_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unsupported/Eigen/AutoDiff>

#include "host/model/error.hpp"
#include "host/reference/patch_candidates.hpp"
#include "host/reference/patch_equations.hpp"

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, kMostUnknowns, 1>>;
using Values = Unknowns<double>;

// Newton's method ends when the rows no longer fall; rows below kSolved times the step's speed count as zero.
constexpr double kSolved = 1e-11, kExact = 1e-16;
constexpr int kMaxIterations = 25, kMaxHalvings = 6, kFrictionParts = 8;
// inequalities may be violated by roundings: of lengths relative to the size, of impulses and of the cone relative to
// the step's impulse
constexpr double kGeometry = kTouching, kImpulse = 1e-10;
// a direction that changes the rows by less than this share of what others do is free
constexpr double kFree = 1e-9;
// velocities that differ by less than this share of the step's speed are one motion
constexpr double kSameMotion = 1e-7;

struct Linearised {
  VectorXd rows;
  MatrixXd jacobian;
};

Linearised linearise(const PatchProblem& problem, const PatchSystem& system, const PatchScale& scale, const Values& x) {
  const int n = system.size();
  Unknowns<Dual> dual(n);
  for (int i = 0; i < n; ++i) dual[i] = Dual(x[i], kMostUnknowns, i);
  const Unknowns<Dual> rows = patch_rows<Dual>(problem, system, scale, dual);
  Linearised result{VectorXd(n), MatrixXd(n, n)};
  for (int i = 0; i < n; ++i) {
    result.rows[i] = rows[i].value();
    result.jacobian.row(i) = rows[i].derivatives().head(n).transpose();
  }
  return result;
}

double size_of_rows(const PatchProblem& problem, const PatchSystem& system, const PatchScale& scale, const Values& x) {
  const Values rows = patch_rows<double>(problem, system, scale, x);
  return rows.allFinite() ? rows.norm() : std::numeric_limits<double>::infinity();
}

/// The largest share 1, 1/2, ... of the step that makes the rows smaller; false if none does.
bool move_along(const PatchProblem& problem, const PatchSystem& system, const PatchScale& scale, const Values& step,
                double& size, Values& x) {
  double share = 1.0;
  for (int k = 0; k <= kMaxHalvings; ++k, share *= 0.5) {
    const Values moved = x + share * step;
    const double now = size_of_rows(problem, system, scale, moved);
    if (!(now < size)) continue;
    x = moved;
    size = now;
    return true;
  }
  return false;
}

/// Where parallel edges stick, their normal is free, and the shortest step is taken.
Values newton_step(const PatchSystem& system, const Linearised& line) {
  if (system.feature.kind != PatchFeatureKind::kEdgeAlongEdge) return -line.jacobian.partialPivLu().solve(line.rows);
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor(line.jacobian.rows(), line.jacobian.cols());
  factor.setThreshold(kFree);
  factor.compute(line.jacobian);
  return -factor.solve(line.rows);
}

/// Newton's method from x; the answer, if the rows vanish.
std::optional<Values> solve_system(const PatchProblem& problem, const PatchSystem& system, const PatchScale& scale,
                                   Values x) {
  double size = size_of_rows(problem, system, scale, x);
  for (int k = 0; k < kMaxIterations && size > kExact * scale.speed && std::isfinite(size); ++k) {
    const Linearised line = linearise(problem, system, scale, x);
    const Values step = newton_step(system, line);
    if (!step.allFinite() || !move_along(problem, system, scale, step, size, x)) break;
  }
  if (!(size <= kSolved * scale.speed)) return std::nullopt;
  return x;
}

/// The motion without contact, pressed with the step's impulse at s.
Values start_values(const PatchSystem& system, const PatchScale& scale, const Values& free_motion, const Vector3d& s) {
  Values x = Values::Zero(system.size());
  x.head(system.at_impulse()) = free_motion;
  if (!system.touches()) return x;
  x[system.at_impulse()] = scale.impulse;
  x.segment(system.at_ecp(), ecp_dimension(system.feature.kind)) = s.head(ecp_dimension(system.feature.kind));
  return x;
}

/// A disk that is nearly flat on the plane has its lowest point anywhere; a start that tilts it more knows where.
Values spinning(Values start) {
  start.segment<3>(3) *= 8.0;
  return start;
}

/// The same unknowns with σ behind them.
Values with_slip(const Values& x, double slip) {
  Values longer(x.size() + 1);
  longer << x, slip;
  return longer;
}

struct Answer {
  PatchSystem system;
  Values x;
};

PatchSolution describe(const PatchProblem& problem, const PatchScale& scale, const Answer& answer) {
  const PatchSystem& system = answer.system;
  const Values& x = answer.x;
  PatchSolution solution;
  PatchTouch<double> touch;
  const Values rows = patch_rows<double>(problem, system, scale, x, &touch);
  solution.velocity_F = x.head<6>();
  if (system.G_moves) solution.velocity_G = x.segment<6>(6);
  const auto F = end_pose<double>(problem.F, problem.h, solution.velocity_F);
  const auto G = end_pose<double>(problem.G, problem.h, solution.velocity_G);
  solution.position_F = F.position;
  solution.position_G = G.position;
  solution.rotation_F = Eigen::Quaterniond(F.rotation);
  solution.rotation_G = Eigen::Quaterniond(G.rotation);
  solution.feature = system.feature;
  solution.friction = system.friction;
  solution.error = rows.cwiseAbs().maxCoeff() / scale.speed;
  if (!system.touches()) return solution;
  solution.ecp = touch.ecp;
  solution.axes = contact_axes<double>(touch.normal);
  solution.impulse = x.segment<4>(system.at_impulse());
  if (system.friction == PatchFriction::kSlip) solution.slip = x[system.at_slip()];
  return solution;
}

/// The farthest that a point of F can have moved against G.
double travel(const PatchProblem& problem, const PatchScale& scale, const PatchPose<double>& F,
              const PatchPose<double>& G) {
  const Eigen::Quaterniond before = problem.G.rotation.conjugate() * problem.F.rotation;
  const Eigen::Quaterniond after(Eigen::Matrix3d(G.rotation.transpose() * F.rotation));
  const Vector3d from = problem.G.rotation.conjugate() * (problem.F.position - problem.G.position);
  const Vector3d to = G.rotation.transpose() * (F.position - G.position);
  return (to - from).norm() + scale.size_F * before.angularDistance(after);
}

/// Whether the inequalities hold that the smooth equations leave out.
bool is_consistent(const PatchProblem& problem, const PatchScale& scale, const Answer& answer) {
  const PatchBody &F = problem.F, &G = problem.G;
  const PatchSolution s = describe(problem, scale, answer);
  const auto pose_F = end_pose<double>(F, problem.h, s.velocity_F);
  const auto pose_G = end_pose<double>(G, problem.h, s.velocity_G);
  if (travel(problem, scale, pose_F, pose_G) > problem.reach) return false;
  const double length = kGeometry * (scale.size_F + (G.shape.is_bounded() ? scale.size_G : 0.0));
  if (!answer.system.touches()) return separation(F.shape, pose_F, G.shape, pose_G) >= -length;
  PatchTouch<double> touch;
  touch.ecp = s.ecp;
  touch.normal = s.axes.col(0);
  const double room = kImpulse * scale.impulse;
  const double friction = s.impulse.tail<3>().cwiseQuotient(problem.ellipsoid).norm();
  const bool in_cone = friction <= problem.friction * s.impulse[0] + room;
  return touch_error(F.shape, pose_F, G.shape, pose_G, touch) <= length && s.impulse[0] >= -room && in_cone &&
         s.slip >= -kImpulse * scale.speed;
}

/// The slip of the motion x without friction, and the friction that this slip would have.
Values with_friction_of_slip(const PatchProblem& problem, PatchSystem system, const PatchScale& scale,
                             const Values& x) {
  system.friction = PatchFriction::kStick;
  const Vector3d slip = patch_rows<double>(problem, system, scale, x).tail<3>();  // e_i v_i
  Values start = with_slip(x, slip.norm());
  const double limit = problem.friction * x[system.at_impulse()];
  if (slip.norm() > 0.0)
    start.segment<3>(system.at_impulse() + 1) = -limit * problem.ellipsoid.cwiseProduct(slip) / slip.norm();
  return start;
}

/// Slipping, while friction grows from nothing to the whole in equal parts.
std::optional<Values> follow_friction(PatchProblem problem, const PatchSystem& system, const PatchScale& scale,
                                      const Values& smooth) {
  const double whole = problem.friction;
  problem.friction = whole / kFrictionParts;
  std::optional<Values> x = solve_system(problem, system, scale, with_friction_of_slip(problem, system, scale, smooth));
  for (int part = 2; x && part <= kFrictionParts; ++part) {
    problem.friction = whole * part / kFrictionParts;
    x = solve_system(problem, system, scale, *x);
  }
  return x;
}

/// Consistent answers of one feature, each motion once.
struct FeatureAnswers {
  const PatchProblem& problem;
  const PatchScale& scale;
  PatchSystem system;
  std::vector<Answer> answers;

  bool keep(const std::optional<Values>& x) {
    if (!x || !is_consistent(problem, scale, {system, *x})) return false;
    const auto same = [&](const Answer& other) {
      const int n = system.at_impulse();
      return other.system.friction == system.friction &&
             (other.x.head(n) - x->head(n)).norm() <= kSameMotion * scale.speed;
    };
    if (std::none_of(answers.begin(), answers.end(), same)) answers.push_back({system, *x});
    return true;
  }
};

/// Parallel edges that stick carry their force with any normal that both allow, and friction does the rest. This is the
/// one without friction across the edges.
std::optional<Values> without_friction_across(const PatchProblem& problem, const PatchSystem& system,
                                              const PatchScale& scale, const std::optional<Values>& x) {
  if (!x || system.feature.kind != PatchFeatureKind::kEdgeAlongEdge) return x;
  PatchTouch<double> touch;
  patch_rows<double>(problem, system, scale, *x, &touch);
  const Vector6d v_G = system.G_moves ? Vector6d(x->segment<6>(6)) : Vector6d(Vector6d::Zero());
  const auto pose_G = end_pose<double>(problem.G, problem.h, v_G);
  const Vector3d along = pose_G.rotation * patch_detail::edge_direction(problem.G.shape, system.feature.face);
  const int at = system.at_impulse();
  const Vector3d n = touch.normal, force = contact_axes<double>(n) * x->segment<3>(at);
  const double angle = std::atan2(along.cross(n).dot(force), n.dot(force));
  const Vector3d turned = Eigen::AngleAxisd(angle, along) * n;
  Values moved = *x;
  moved.segment<3>(at) = contact_axes<double>(turned).transpose() * force;
  moved[system.at_ecp() + 1] += angle;
  return solve_system(problem, system, scale, moved);
}

/// Sticking and slipping from one motion, and slipping from sticking, too. Whether it slips.
bool try_friction(const Values& from, FeatureAnswers& found) {
  const PatchProblem& problem = found.problem;
  const PatchScale& scale = found.scale;
  found.system.friction = PatchFriction::kStick;
  const std::optional<Values> stick = solve_system(problem, found.system, scale, from);
  found.keep(without_friction_across(problem, found.system, scale, stick));
  found.system.friction = PatchFriction::kSlip;
  bool slips =
      found.keep(solve_system(problem, found.system, scale, with_friction_of_slip(problem, found.system, scale, from)));
  if (stick) slips |= found.keep(solve_system(problem, found.system, scale, with_slip(*stick, 0.0)));
  return slips;
}

/// A flat disk tips over the point of its rim that is towards the ECP it would have if it were larger; starts that do.
std::vector<Values> tipping(const Values& start, const FeatureAnswers& rim) {
  PatchSystem flat = rim.system;
  flat.feature.kind = PatchFeatureKind::kDiskOnFace;
  Values pressed = Values::Zero(start.size() + 2);
  pressed.head(start.size()) = start;
  const bool on_G = flat.feature.face_body == 1;
  const PatchBody& disk = on_G ? rim.problem.F : rim.problem.G;
  const auto axes = patch_detail::flat_part(disk.shape, flat.feature.kind, flat.feature.part).axes;
  std::vector<Values> starts;
  for (PatchFriction friction : {PatchFriction::kStick, PatchFriction::kSlip}) {
    flat.friction = friction;
    const bool slips = friction == PatchFriction::kSlip;
    const Values from = slips ? with_friction_of_slip(rim.problem, flat, rim.scale, pressed) : pressed;
    const std::optional<Values> x = solve_system(rim.problem, flat, rim.scale, from);
    if (!x || x->segment<2>(flat.at_ecp()).isZero(0.0)) continue;
    PatchTouch<double> touch;
    patch_rows<double>(rim.problem, flat, rim.scale, *x, &touch);
    const Vector3d out = disk.rotation * (axes * x->segment<2>(flat.at_ecp()).normalized());
    starts.push_back(start);
    starts.back().segment<3>(3) += rim.scale.speed / rim.scale.size_F * touch.normal.cross(out);
  }
  return starts;
}

/// Each state of friction from the motion without friction and from the motion without contact; if no slip is found,
/// friction is increased in parts.
void try_from(const Values& start, FeatureAnswers& found) {
  found.system.friction = PatchFriction::kNone;
  const std::optional<Values> without = solve_system(found.problem, found.system, found.scale, start);
  if (!found.system.touches() || found.problem.friction == 0.0) {
    found.keep(without);
    return;
  }
  const Values smooth = without.value_or(start);
  bool slips = try_friction(smooth, found);
  slips |= try_friction(start, found);
  const bool rim = found.system.feature.kind == PatchFeatureKind::kRimOnFace;
  if (rim) slips |= try_friction(spinning(start), found);
  if (rim && found.answers.empty())
    for (const Values& tipped : tipping(start, found)) slips |= try_friction(tipped, found);
  if (!slips) found.keep(follow_friction(found.problem, found.system, found.scale, smooth));
}

std::vector<Answer> answers_of(const PatchProblem& problem, const PatchScale& scale, const PatchCandidate& candidate,
                               const Values& free_motion) {
  FeatureAnswers found{problem, scale, {candidate.feature, PatchFriction::kNone, !problem.G.fixed}, {}};
  for (const Vector3d& s : candidate.starts) try_from(start_values(found.system, scale, free_motion, s), found);
  return found.answers;
}

void check_body(const PatchBody& body, const char* name) {
  const std::string who = std::string("patch problem: body ") + name;
  const bool finite = body.inertia.allFinite() && body.position.allFinite() && body.rotation.coeffs().allFinite() &&
                      body.velocity.allFinite() && body.applied.allFinite() && std::isfinite(body.mass);
  if (!finite) throw InputError(who + " has a value that is not finite");
  if (std::abs(body.rotation.norm() - 1.0) > 1e-9) throw InputError(who + ": its rotation must be a unit quaternion");
  if (body.fixed && !body.velocity.isZero(0.0)) throw InputError(who + " is fixed: its velocity must be 0");
  if (body.fixed) return;
  if (!(body.mass > 0.0)) throw InputError(who + ": a body that moves needs a mass > 0");
  if (Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(body.inertia).eigenvalues().minCoeff() <= 0.0)
    throw InputError(who + ": a body that moves needs a positive definite inertia");
}

void check(const PatchProblem& problem) {
  check_body(problem.F, "F");
  check_body(problem.G, "G");
  if (!(problem.h > 0.0) || !std::isfinite(problem.h)) throw InputError("patch problem: h must be finite and > 0");
  if (!problem.gravity.allFinite()) throw InputError("patch problem: gravity must be finite");
  if (!(problem.friction >= 0.0) || !std::isfinite(problem.friction))
    throw InputError("patch problem: friction must be finite and >= 0");
  if (!(problem.ellipsoid.minCoeff() > 0.0) || !problem.ellipsoid.allFinite())
    throw InputError("patch problem: e_t, e_o and e_r must be finite and > 0");
  if (!(problem.reach > 0.0)) throw InputError("patch problem: reach must be > 0");
  if (problem.F.fixed || !problem.F.shape.is_bounded())
    throw InputError("patch problem: F must move and be bounded; give the half-space or the fixed body as G");
  if (!problem.G.fixed && !problem.G.shape.is_bounded())
    throw InputError("patch problem: a half-space can not move; set G.fixed");
  if (problem.F.shape.is_cylinder() && problem.G.shape.is_cylinder())
    throw InputError("patch problem: features of two cylinders are not known here; make one of them a polytope");
}

}  // namespace

PatchScale patch_scale(const PatchProblem& problem) {
  const PatchBody &F = problem.F, &G = problem.G;
  const auto speed = [&](const PatchBody& body) {
    if (body.fixed) return 0.0;
    const double size = shape_reach(body.shape);
    return body.velocity.head<3>().norm() + size * body.velocity.tail<3>().norm() +
           (body.applied.head<3>().norm() + body.applied.tail<3>().norm() / size) / body.mass;
  };
  // a body at rest without gravity still has the speed of a thousandth of its size per second
  PatchScale scale{F.mass, G.mass, shape_reach(F.shape), shape_reach(G.shape), 0.0, 0.0};
  scale.speed = std::max({speed(F), speed(G), problem.h * problem.gravity.norm(), 1e-3 * scale.size_F});
  scale.impulse = (G.fixed ? F.mass : std::min(F.mass, G.mass)) * scale.speed;
  return scale;
}

std::vector<PatchSolution> every_patch_step(const PatchProblem& problem) {
  check(problem);
  const PatchScale scale = patch_scale(problem);
  PatchSystem alone{PatchFeature{}, PatchFriction::kNone, !problem.G.fixed};
  Values free_motion(alone.size());
  free_motion.head<6>() = problem.F.velocity;
  if (alone.G_moves) free_motion.tail<6>() = problem.G.velocity;
  free_motion = solve_system(problem, alone, scale, free_motion).value_or(free_motion);
  std::vector<PatchSolution> solutions;
  for (const PatchCandidate& candidate : list_candidates(problem))
    for (const Answer& answer : answers_of(problem, scale, candidate, free_motion))
      solutions.push_back(describe(problem, scale, answer));
  int motions = 0;
  for (size_t k = 0; k < solutions.size(); ++k) {
    const auto same = [&](const PatchSolution& other) {
      const double F = (other.velocity_F - solutions[k].velocity_F).norm();
      return std::hypot(F, (other.velocity_G - solutions[k].velocity_G).norm()) <= kSameMotion * scale.speed;
    };
    motions += std::none_of(solutions.begin(), solutions.begin() + k, same);
  }
  for (PatchSolution& solution : solutions) {
    solution.consistent = solutions.size();
    solution.motions = motions;
  }
  return solutions;
}

Vector6d fly_alone(const PatchProblem& problem) {
  check_body(problem.F, "F");
  const PatchSystem alone{PatchFeature{}, PatchFriction::kNone, false};
  const Values start = problem.F.velocity;
  return solve_system(problem, alone, patch_scale(problem), start).value_or(start);
}

PatchSolution step_patch(const PatchProblem& problem) {
  const std::vector<PatchSolution> solutions = every_patch_step(problem);
  return solutions.empty() ? PatchSolution{} : solutions.front();
}

}  // namespace stiction::reference
