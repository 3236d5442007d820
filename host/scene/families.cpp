#include "host/scene/families.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <memory>
#include <numbers>
#include <sstream>

#include "host/model/error.hpp"

namespace stiction {
namespace {

constexpr int kMostCount = 1024;
constexpr double kHalf = 0.05;  // half edge of a box [m]

class ModelText {
 public:
  ModelText() { text_ << std::setprecision(17) << "<mujoco><worldbody>" << kFloor; }

  void add_box(double x, double y, double z, double turn) {
    text_ << "<body pos='" << x << ' ' << y << ' ' << z << "' quat='" << std::cos(turn / 2) << " 0 0 "
          << std::sin(turn / 2) << "'><freejoint/><geom type='box' size='.05 .05 .05' mass='.5'" << kFriction
          << "/></body>\n";
  }

  /// A fixed box around `center` with half lengths `half`.
  void add_wall(const std::string& center, const std::string& half) {
    text_ << "<geom type='box' pos='" << center << "' size='" << half << "'" << kFriction << "/>\n";
  }

  /// A hand on a vertical slide with two fingers that close on a box at (x, 0).
  void add_gripper(int i, double x) {
    text_ << "<body name='hand" << i << "' pos='" << x << " 0 .15' gravcomp='1'><joint name='lift" << i
          << "' type='slide' axis='0 0 1'/><geom type='box' size='.03 .1 .01' mass='.5' contype='0' conaffinity='0'/>";
    for (const int side : {-1, 1})
      text_ << "<body pos='0 " << side * .07 << " -.1' gravcomp='1'><joint name='" << (side < 0 ? "left" : "right") << i
            << "' type='slide' axis='0 " << -side << " 0'/><geom type='box' size='.02 .01 .03' mass='.1'" << kFriction
            << "/></body>";
    text_ << "</body>\n";
    actuators_ << "<position joint='lift" << i << "' kp='2000'/><position joint='left" << i
               << "' kp='500'/><position joint='right" << i << "' kp='500'/>\n";
  }

  /// A slide along x and n − 1 hinges about z at the height of a box's centre; `length` from the base to the tip.
  void add_arm(int n, double length) {
    const double link = length / n;
    text_ << "<body pos='0 0 .05' gravcomp='1'><joint name='arm0' type='slide' axis='1 0 0'/>" << link_shape(link);
    for (int i = 1; i < n; ++i)
      text_ << "<body pos='" << link << " 0 0' gravcomp='1'><joint name='arm" << i << "' axis='0 0 1'/>"
            << link_shape(link);
    text_ << "<geom type='box' pos='" << link - .01 << " 0 0' size='.01 .03 .03' mass='.1'" << kFriction << "/>";
    for (int i = 0; i < n; ++i) {
      text_ << "</body>\n";
      actuators_ << "<position joint='arm" << i << "' kp='1000'/>\n";
    }
  }

  Model compile() const {
    return load_model_text(text_.str() + "</worldbody><actuator>" + actuators_.str() + "</actuator></mujoco>");
  }

 private:
  /// The shape of a link; it does not collide.
  static std::string link_shape(double length) {
    const std::string half = std::to_string(length / 2);
    return "<geom type='box' pos='" + half + " 0 0' size='" + half +
           " .01 .01' mass='.1' contype='0' conaffinity='0'/>";
  }

  static constexpr const char* kFriction = " friction='.5 0 0'";
  static constexpr const char* kFloor = "<geom type='plane' size='50 50 .1' friction='.5 0 0'/>\n";
  std::ostringstream text_, actuators_;
};

Scene scene_of(const ModelText& text, double step_size, double duration) {
  Scene scene = make_scene(std::make_shared<const Model>(text.compile()), "");
  scene.physics.dynamics = Dynamics::kQuasidynamic;
  scene.physics.law = ContactLaw::kAnitescu;
  scene.physics.cone = ConeType::kPyramid;
  scene.step_size = step_size;
  scene.duration = duration;
  scene.solver.tolerance = 1e-6;
  return scene;
}

Scene make_boxes(int n) {
  ModelText text;
  const int side = static_cast<int>(std::ceil(std::sqrt(n)));
  for (int i = 0; i < n; ++i) {
    const int column = i % side, row = i / side;
    text.add_box(4 * kHalf * column, 4 * kHalf * row, kHalf, 0.0);
  }
  return scene_of(text, 0.01, 1.0);
}

Scene make_stack(int n) {
  ModelText text;
  for (int i = 0; i < n; ++i) text.add_box(0.0, 0.0, (2 * i + 1) * kHalf, 0.0);
  return scene_of(text, 0.01, 1.0);
}

/// Layers of a loose lattice, every box turned by its own angle, in a pit that is as wide as the lattice.
Scene make_pile(int n) {
  ModelText text;
  const int side = std::max(2, static_cast<int>(std::ceil(std::cbrt(n))));
  const double spacing = 2.9 * kHalf, half_pit = 0.5 * side * spacing, golden = std::numbers::phi;
  for (int i = 0; i < n; ++i) {
    const double x = (i % side + 0.5) * spacing - half_pit, y = (i / side % side + 0.5) * spacing - half_pit;
    const int layer = i / (side * side);
    text.add_box(x, y, kHalf + layer * spacing, 2 * std::numbers::pi * std::fmod(golden * i, 1.0));
  }
  const std::string out = std::to_string(half_pit + kHalf), half = std::to_string(half_pit + 2 * kHalf);
  for (const char* sign : {"-", ""}) {
    text.add_wall(sign + out + " 0 .5", ".05 " + half + " .5");
    text.add_wall("0 " + (sign + out) + " .5", half + " .05 .5");
  }
  return scene_of(text, 0.01, 1.0);
}

Scene make_grip(int n) {
  ModelText text;
  for (int i = 0; i < n; ++i) {
    text.add_gripper(i, 0.4 * i);
    text.add_box(0.4 * i, 0.0, kHalf, 0.0);
  }
  Scene scene = scene_of(text, 0.01, 1.5);
  scene.command.time = {0.0, 0.5, 1.5};
  for (const auto& [lift, close] : {std::pair{0.0, 0.0}, {0.0, 0.03}, {0.1, 0.03}}) {
    std::vector<double> ctrl;
    for (int i = 0; i < n; ++i) ctrl.insert(ctrl.end(), {lift, close, close});
    scene.command.ctrl.push_back(ctrl);
  }
  return scene;
}

/// The box rests in front of the tip, which moves forward by 0.1 m in a second.
Scene make_arm(int n) {
  constexpr double kLength = 0.8;
  ModelText text;
  text.add_arm(n, kLength);
  text.add_box(kLength + kHalf, 0.0, kHalf, 0.0);
  Scene scene = scene_of(text, 0.01, 1.0);
  scene.command.time = {0.0, 1.0};
  for (const double push : {0.0, 0.1}) {
    std::vector<double> ctrl(static_cast<std::size_t>(n), 0.0);
    ctrl[0] = push;
    scene.command.ctrl.push_back(ctrl);
  }
  return scene;
}

struct Family {
  const char* name;
  Scene (*make)(int n);
};
constexpr Family kFamilies[] = {
    {"boxes", make_boxes}, {"stack", make_stack}, {"pile", make_pile}, {"grip", make_grip}, {"arm", make_arm}};

int parse_count(const std::string& name, const std::string& text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size() && count >= 1 && count <= kMostCount) return count;
  throw InputError(name + ": the number N is a whole number from 1 to " + std::to_string(kMostCount));
}

}  // namespace

std::optional<Scene> make_family_scene(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return std::nullopt;
  for (const Family& family : kFamilies) {
    if (name.substr(0, colon) != family.name) continue;
    Scene scene = family.make(parse_count(name, name.substr(colon + 1)));
    scene.name = name;
    return scene;
  }
  return std::nullopt;
}

std::string family_names() {
  std::string names;
  for (const Family& family : kFamilies) names += (names.empty() ? "" : ", ") + std::string(family.name) + ":N";
  return names;
}

}  // namespace stiction
