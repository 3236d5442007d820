#include "host/cli/model_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "host/api/infeasibility.hpp"

namespace stiction {
namespace {

/// "joint", "2 joint" or "joint + 0.5 other": a linear combination of joint coordinates; or a path.
std::string describe_length(const Model& model, int length) {
  if (model.length_point_num[length] > 0) return fmt::format("a path of {} sites", model.length_point_num[length]);
  std::string text;
  for (int i = 0; i < model.length_term_num[length]; ++i) {
    const int term = model.length_term_adr[length] + i;
    const double coefficient = model.term_coef[term];
    const std::string& joint = model.joint_names[model.dof_joint[model.term_dof[term]]];
    text += text.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    text += std::fabs(coefficient) == 1.0 ? joint : fmt::format("{:g} {}", std::fabs(coefficient), joint);
  }
  return text;
}

std::string describe_position_actuator(double kp, double kv, Dynamics dynamics) {
  const char* meaning = "stiffness, target ctrl";
  if (follows_exactly(dynamics)) meaning = "the joint follows ctrl exactly";
  if (has_momentum(dynamics)) meaning = "implicit spring and damper, target ctrl";
  return fmt::format("position  kp {:g}  kv {:g}  ({})", kp, kv, meaning);
}

std::string describe_actuator(const Model& model, int actuator, Dynamics dynamics) {
  const double kp = model.actuator_kp[actuator], kd = model.actuator_kd[actuator];
  switch (static_cast<ActuatorKind>(model.actuator_kind[actuator])) {
    case ActuatorKind::kPosition:
      return describe_position_actuator(kp, kd, dynamics);
    case ActuatorKind::kVelocity:
      return fmt::format("velocity  kv {:g}  (damper, target rate ctrl)", kd);
    case ActuatorKind::kMotor:
      return fmt::format("motor  gain {:g}  (force)", model.actuator_gain[actuator]);
  }
  return "?";
}

std::string range_text(const char* name, int limited, const double* range) {
  return limited ? fmt::format("  {} [{:g}, {:g}]", name, range[0], range[1]) : "";
}

}  // namespace

std::string describe_sizes(const Model& m) {
  return fmt::format("sizes      nq {}  nv {}  nu {}  bodies {}  joints {}  geoms {}  meshes {}  candidate pairs {}\n",
                     m.nq, m.nv, m.nu, m.nbody, m.njoint, m.ngeom, m.nmesh, m.npair);
}

std::string describe_trees(const Model& model) {
  constexpr std::array kJointNames = {"free", "ball", "slide", "hinge"};
  std::string text;
  for (int tree = 0; tree < model.ntree; ++tree) {
    const int first = model.tree_dof_adr[tree], count = model.tree_dof_num[tree];
    std::array<int, kJointNames.size()> joints{};
    int actuated = 0;
    for (int dof = first; dof < first + count; ++dof) {
      const int joint = model.dof_joint[dof];
      if (model.joint_dof_adr[joint] == dof) ++joints[model.joint_type[joint]];
      actuated += model.dof_actuated[dof];
    }
    std::string kinds;
    for (std::size_t type = 0; type < joints.size(); ++type)
      if (joints[type]) kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", joints[type], kJointNames[type]);
    text += fmt::format("{}{} dofs from body {} ({}), {} actuated\n", tree == 0 ? "trees      " : "           ", count,
                        model.body_names[model.dof_body[first]], kinds, actuated);
  }
  return text;
}

std::string describe_actuators(const Model& model, Dynamics dynamics) {
  std::string text;
  for (int i = 0; i < model.nu; ++i) {
    text += fmt::format("{}{} on {}: {}", i == 0 ? "actuators  " : "           ", model.actuator_names[i],
                        describe_length(model, model.actuator_length[i]), describe_actuator(model, i, dynamics));
    if (model.actuator_gear[i] != 1.0) text += fmt::format("  gear {:g}", model.actuator_gear[i]);
    text += range_text("ctrl", model.actuator_ctrl_limited[i], &model.actuator_ctrl_range[2 * i]);
    text += range_text("force", model.actuator_force_limited[i], &model.actuator_force_range[2 * i]) + "\n";
  }
  return text;
}

std::string describe_couplings(const Model& model) {
  std::string text;
  for (int i = 0; i < model.ncoupling; ++i) {
    const int first = model.coupling_length[2 * i], second = model.coupling_length[2 * i + 1];
    const double* poly = &model.coupling_poly[5 * i];
    text += fmt::format("{}{} = ", i == 0 ? "couplings  " : "           ", describe_length(model, first));
    if (second < 0) {
      text += fmt::format("{:g}\n", model.coupling_rest[2 * i] + poly[0]);
      continue;
    }
    text += fmt::format("polynomial ({:g}) of {}\n", fmt::join(poly, poly + 5, ", "), describe_length(model, second));
  }
  return text;
}

std::string describe_welds(const Model& model) {
  std::string text;
  for (int w = 0; w < model.nweld; ++w) {
    const auto name = [&](int side) { return model.body_names[model.weld_body[2 * w + side]]; };
    text += fmt::format("{}{} {} holds {} to {}\n", w == 0 ? "welds      " : "           ",
                        model.weld_turns[w] ? "weld" : "connect", model.weld_names[w], name(0), name(1));
  }
  return text;
}

std::string describe_resting_overlaps(const Model& model) {
  std::string text;
  for (const RestingOverlap& overlap : model.resting_overlaps) {
    text += fmt::format("{}{} and {} overlap by {:.2g} mm at the start: never checked\n",
                        text.empty() ? "one robot  " : "           ", geom_text(model, overlap.geom[0]),
                        geom_text(model, overlap.geom[1]), 1e3 * overlap.depth);
  }
  return text;
}

std::string describe_undriven(const Model& model) {
  const auto is_driven_by_one_number = [](int type) {
    return static_cast<JointType>(type) == JointType::kHinge || static_cast<JointType>(type) == JointType::kSlide;
  };
  const auto joints = std::ranges::count_if(model.joint_type, is_driven_by_one_number);
  if (model.nu > 0 || joints == 0) return "";
  return fmt::format(
      "actuators  none: nothing drives the {} hinges and slides; [[actuator]] of scene.toml adds position actuators\n",
      joints);
}

namespace {

/// "a, b, ..." with the first eight.
std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 8;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamed));
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "), names.size() > kNamed ? ", ..." : "");
}

}  // namespace

std::string describe_ignored(const Model& model) {
  if (model.ignored.empty()) return "";
  return fmt::format("{} part{} left out: {}", model.ignored.size(),
                     model.ignored.size() == 1 ? " of the model is" : "s of the model are", first_of(model.ignored));
}

std::string describe_bulges(const Model& model) {
  if (model.bulges.empty()) return "";
  std::vector<Bulge> bulges = model.bulges;
  std::ranges::stable_sort(bulges, std::greater(), &Bulge::ratio);
  std::vector<std::string> names;
  for (const Bulge& bulge : bulges) names.push_back(fmt::format("{} ({:.3g} times as large)", bulge.mesh, bulge.ratio));
  const bool one = names.size() == 1;
  return fmt::format("{} colliding mesh{} not convex, and {} collide{}: {}; python -m stiction decompose makes pieces",
                     names.size(), one ? " is" : "es are", one ? "its hull" : "their hulls", one ? "s" : "",
                     first_of(names));
}

std::string describe_left_out(const Model& model) {
  const std::size_t count = model.left_out.size();
  if (count == 0) return "";
  std::vector<std::string> names;
  for (const std::string& file : model.left_out) names.push_back(std::filesystem::path(file).filename().string());
  return fmt::format("{} visual mesh{} cannot be read and {} left out: {}", count, count == 1 ? "" : "es",
                     count == 1 ? "is" : "are", first_of(names));
}

}  // namespace stiction
