#include "host/api/infeasibility.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>

namespace stiction {
namespace {

/// Goes through the rows of one environment and keeps those that are violated by more than `least`.
class Search {
 public:
  Search(const Model& model, const double* qpos, const double* length_path, double least)
      : model_(model), qpos_(qpos), length_path_(length_path), least_(least) {}

  void look_at_all(const ContactArrays& contacts, int env) {
    look_at_contacts(contacts, env);
    look_at_joints();
    look_at_tendons();
    look_at_couplings();
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
      const double* q = qpos_ + model_.joint_qpos_adr[j];
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

  double length_of(int length) const {
    if (model_.length_point_num[length] > 0) return length_path_[length];
    double sum = 0.0;
    for (int k = 0; k < model_.length_term_num[length]; ++k) {
      const int term = model_.length_term_adr[length] + k;
      sum += model_.term_coef[term] * qpos_[model_.term_qpos[term]];
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
  const double* qpos_;
  const double* length_path_;  // of paths, where the last step began (nlength) [m]
  double least_;               // [m, rad]
  std::vector<Infeasibility> found_;
};

/// The violations of an environment where its state is, with the contacts as they were found last.
std::vector<Infeasibility> violations_of(const Simulator& simulator, int env, double least) {
  const Model& model = *simulator.scene().model;
  const std::vector<double> qpos = simulator.qpos();
  const std::vector<double> paths = simulator.read(EnvField::length_path);
  const auto e = static_cast<std::size_t>(env);
  Search search(model, qpos.data() + e * static_cast<std::size_t>(model.nq),
                paths.data() + e * static_cast<std::size_t>(model.nlength), least);
  search.look_at_all(simulator.contacts(), env);
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
