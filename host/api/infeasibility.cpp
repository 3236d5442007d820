#include "host/api/infeasibility.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>

#include "kernels/linalg/rotation.hpp"

namespace stiction {
namespace {

/// The state of one environment.
struct PlacedState {
  const double* qpos;         // (nq)
  const double* body_pose;    // (nbody, 7)
  const double* length_path;  // of paths, where the last step began (nlength) [m]
};

/// Goes through the rows of one environment and keeps those that are violated by more than `least`.
class Search {
 public:
  Search(const Model& model, const PlacedState& state, double least) : model_(model), at_(state), least_(least) {}

  void look_at_all(const ContactArrays& contacts, int env) {
    look_at_contacts(contacts, env);
    look_at_joints();
    look_at_tendons();
    look_at_couplings();
  }

  /// Welds and connects that are hard.
  void look_at_welds() {
    for (int w = 0; w < model_.nweld; ++w) {
      const auto [one, turned_one] = weld_frame(2 * w);
      const auto [two, turned_two] = weld_frame(2 * w + 1);
      const auto body = [&](int side) { return model_.body_names[model_.weld_body[2 * w + side]]; };
      const std::string join = (model_.weld_turns[w] ? "weld" : "connect") + (" of " + body(0)) + " and " + body(1);
      offer(norm(one - two), "m", [&] { return "the " + join + " is open"; });
      if (model_.weld_turns[w])
        offer(norm(rotation_vector(normalise(turned_one * conjugate(turned_two)))), "rad",
              [&] { return "the " + join + " is turned"; });
    }
  }

  /// Worst first; of equally bad ones those that were looked at first.
  std::vector<Infeasibility> sorted() && {
    std::ranges::stable_sort(found_, std::ranges::greater(), &Infeasibility::depth);
    return std::move(found_);
  }

 private:
  void look_at_contacts(const ContactArrays& contacts, int env) {
    const auto first = static_cast<std::size_t>(env) * static_cast<std::size_t>(contacts.max_contacts);
    for (std::size_t i = first; i < first + static_cast<std::size_t>(contacts.count[static_cast<std::size_t>(env)]);
         ++i)
      offer(-contacts.gap_next[i], "m", [&] {
        return geom_text(model_, contacts.geom[2 * i]) + " and " + geom_text(model_, contacts.geom[2 * i + 1]) +
               " overlap";
      });
  }

  void look_at_joints() {
    for (int j = 0; j < model_.njoint; ++j) {
      if (!model_.joint_limited[j]) continue;
      const auto type = static_cast<JointType>(model_.joint_type[j]);
      const double* q = at_.qpos + model_.joint_qpos_adr[j];
      const double* range = &model_.joint_range[2 * static_cast<std::size_t>(j)];
      const bool turns = type != JointType::kSlide;
      const double beyond = type == JointType::kBall
                                ? 2.0 * std::atan2(std::hypot(q[1], q[2], q[3]), std::fabs(q[0])) - range[1]
                                : std::max(range[0] - q[0], q[0] - range[1]);
      offer(beyond, turns ? "rad" : "m", [&] { return "joint " + model_.joint_names[j] + " is beyond its limit"; });
    }
  }

  void look_at_tendons() {
    for (int t = 0; t < model_.ntendon; ++t) {
      if (!model_.tendon_limited[t]) continue;
      const double length = length_of(model_.tendon_length[t]);
      const double* range = &model_.tendon_range[2 * static_cast<std::size_t>(t)];
      offer(std::max(range[0] - length, length - range[1]), unit_of(model_.tendon_length[t]),
            [&] { return "tendon #" + std::to_string(t) + " is beyond its limit"; });
    }
  }

  void look_at_couplings() {
    for (int c = 0; c < model_.ncoupling; ++c) {
      const auto i = 2 * static_cast<std::size_t>(c);
      const int one = model_.coupling_length[i], two = model_.coupling_length[i + 1];
      const double* poly = &model_.coupling_poly[5 * static_cast<std::size_t>(c)];
      const double x = two < 0 ? 0.0 : length_of(two) - model_.coupling_rest[i + 1];
      const double wanted = poly[0] + x * (poly[1] + x * (poly[2] + x * (poly[3] + x * poly[4])));
      offer(std::fabs(length_of(one) - model_.coupling_rest[i] - wanted), unit_of(one),
            [&] { return "the coupling of joint " + joint_of(one) + " is broken"; });
    }
  }

  template <class Describe>
  void offer(double depth, const char* unit, Describe&& describe) {
    if (!(depth > least_)) return;
    const std::string what = describe();
    const auto known = std::ranges::find(found_, what, &Infeasibility::what);
    if (known == found_.end())
      found_.push_back({what, depth, unit, 0});
    else
      known->depth = std::max(known->depth, depth);
  }

  /// Place and orientation of one of the frames that a weld holds together.
  std::pair<Vec3<double>, Quat<double>> weld_frame(int i) const {
    const double* pose = at_.body_pose + 7 * model_.weld_body[i];
    const Quat<double> quat = load_quat(pose + 3);
    return {load3(pose) + rotate(quat, load3(&model_.weld_pos[3 * static_cast<std::size_t>(i)])),
            quat * load_quat(&model_.weld_quat[4 * static_cast<std::size_t>(i)])};
  }

  double length_of(int length) const {
    if (model_.length_point_num[length] > 0) return at_.length_path[length];
    double sum = 0.0;
    for (int k = 0; k < model_.length_term_num[length]; ++k) {
      const int term = model_.length_term_adr[length] + k;
      sum += model_.term_coef[term] * at_.qpos[model_.term_qpos[term]];
    }
    return sum;
  }

  int first_joint(int length) const { return model_.dof_joint[model_.term_dof[model_.length_term_adr[length]]]; }
  const std::string& joint_of(int length) const { return model_.joint_names[first_joint(length)]; }
  const char* unit_of(int length) const {
    if (model_.length_point_num[length] > 0) return "m";
    return static_cast<JointType>(model_.joint_type[first_joint(length)]) == JointType::kSlide ? "m" : "rad";
  }

  const Model& model_;
  const PlacedState at_;
  double least_;  // [m, rad]
  std::vector<Infeasibility> found_;
};

/// The violations of an environment where its state is, with the contacts as they were found last.
std::vector<Infeasibility> violations_of(const Simulator& simulator, int env, double least) {
  const double variant = simulator.read(EnvField::own_variant)[static_cast<std::size_t>(env)];
  const Model& model = simulator.scene().own_model(static_cast<int>(variant));
  const std::vector<double> qpos = simulator.qpos();
  const std::vector<double> poses = simulator.read(EnvField::body_pose), paths = simulator.read(EnvField::length_path);
  const auto of_env = [&](const std::vector<double>& values, int length) {
    return values.data() + static_cast<std::size_t>(env) * static_cast<std::size_t>(length);
  };
  Search search(model, {of_env(qpos, model.nq), of_env(poses, 7 * model.nbody), of_env(paths, model.nlength)}, least);
  search.look_at_all(simulator.contacts(), env);
  if (simulator.scene().physics.equality == Equality::kHard) search.look_at_welds();
  return std::move(search).sorted();
}

}  // namespace

std::string Infeasibility::amount() const {
  char text[32];
  const bool metres = unit == "m";
  std::snprintf(text, sizeof text, "%.3g %s", metres ? 1e3 * depth : depth, metres ? "mm" : "rad");
  return text;
}

std::string Infeasibility::describe() const { return what + " by " + amount() + " after step " + std::to_string(step); }

std::optional<Infeasibility> find_infeasibility(Simulator& simulator, int env) {
  const auto e = static_cast<std::size_t>(env);
  if (!(simulator.status()[e] & status::kInfeasible)) return {};
  if (simulator.scene().solver.infeasible == InfeasibleStep::kKeep) simulator.forward();
  std::vector<Infeasibility> found = violations_of(simulator, env, 0.0);
  if (found.empty()) return {};
  found.front().step = std::llround(simulator.time()[e] / simulator.scene().step_size);
  return found.front();
}

std::vector<Infeasibility> find_violations(Simulator& simulator, int env, double least) {
  simulator.forward();
  return violations_of(simulator, env, least);
}

std::string geom_text(const Model& model, int geom) {
  const auto g = static_cast<std::size_t>(geom);
  const std::string& body = model.body_names[static_cast<std::size_t>(model.geom_body[g])];
  return model.geom_names[g].front() == '#' ? body : body + "/" + model.geom_names[g];
}

}  // namespace stiction
