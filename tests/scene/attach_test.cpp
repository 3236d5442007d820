// [[attach]]: robot, hand and objects composed into one model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/scene/scene_testing.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {
namespace {

constexpr double kRounded = 1e-12;

const char* kRobot = R"(<mujoco model="robot"><worldbody><body name="arm" pos="0 0 1"><joint name="j"/><geom size=".1"/>
  <frame name="mount" pos=".5 0 0" quat="0 1 0 0"/><site name="flange" pos="0 .5 0" euler="90 0 0"/></body></worldbody>
  <actuator><position name="j" joint="j" kp="10"/></actuator>
  <keyframe><key name="home" qpos=".3" ctrl=".4"/></keyframe></mujoco>)";
const char* kHand = R"(<mujoco model="hand"><worldbody><body name="palm" pos="0 0 .1"><joint name="j" type="slide"/>
  <geom type="box" size=".1 .1 .1"/></body></worldbody><actuator><motor name="j" joint="j"/></actuator></mujoco>)";
const char* kCube = R"(<mujoco model="cube"><worldbody><body name="cube"><freejoint name="cube"/>
  <geom type="box" size=".03 .03 .03"/></body></worldbody></mujoco>)";

/// Writes the three models and a scene with these attachments; loads it.
Scene compose(const std::string& attachments) {
  write_temporary("robot.xml", kRobot);
  write_temporary("hand.xml", kHand);
  write_temporary("cube.xml", kCube);
  return load_scene(write_temporary("composed.toml", "model = \"robot.xml\"\n" + attachments));
}

int body_id(const Model& model, const std::string& name) {
  const auto found = std::find(model.body_names.begin(), model.body_names.end(), name);
  return found == model.body_names.end() ? -1 : static_cast<int>(found - model.body_names.begin());
}

std::vector<double> body_pos(const Model& model, const std::string& name) {
  const int id = body_id(model, name);
  return {model.body_pos.begin() + 3 * id, model.body_pos.begin() + 3 * id + 3};
}

void expect_position(const Model& model, const std::string& name, const std::vector<double>& expected) {
  const std::vector<double> pos = body_pos(model, name);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(pos[k], expected[k], kRounded) << name << " " << k;
}

TEST(Attach, ToABodyPutsTheModelIntoItsFrame) {
  const Scene scene = compose("[[attach]]\nmodel = \"hand.xml\"\nto = \"arm\"\npos = [1, 2, 3]\nprefix = \"hand/\"\n");
  const Model& model = *scene.model;
  ASSERT_GE(body_id(model, "hand/palm"), 0);
  EXPECT_EQ(model.body_parent[body_id(model, "hand/palm")], body_id(model, "arm"));
  expect_position(model, "hand/palm", {1, 2, 3.1});
  EXPECT_EQ(model.joint_names, (std::vector<std::string>{"j", "hand/j"}));
  EXPECT_EQ(model.actuator_names, (std::vector<std::string>{"j", "hand/j"}));
}

TEST(Attach, ToAFrameComposesItsPose) {
  const Scene scene =
      compose("[[attach]]\nmodel = \"hand.xml\"\nto = \"mount\"\npos = [0, 0, 1]\nprefix = \"hand/\"\n");
  expect_position(*scene.model, "hand/palm", {.5, 0, -1.1});  // the frame is turned by 180 degrees about x
}

TEST(Attach, ToASiteComposesItsPose) {
  const Scene scene =
      compose("[[attach]]\nmodel = \"hand.xml\"\nto = \"flange\"\npos = [0, 0, 1]\nprefix = \"hand/\"\n");
  expect_position(*scene.model, "hand/palm", {0, .5 - 1.1, 0});  // its z axis is the arm's -y axis
}

TEST(Attach, TurnsByTheGivenQuaternionOfAnyLength) {
  const Scene scene =
      compose("[[attach]]\nmodel = \"hand.xml\"\nto = \"arm\"\nquat = [0, 3, 0, 0]\nprefix = \"hand/\"\n");
  expect_position(*scene.model, "hand/palm", {0, 0, -.1});
}

TEST(Attach, ToTheWorldKeepsFreeJointsOnTop) {
  const Scene scene = compose(
      "[[attach]]\nmodel = \"cube.xml\"\nprefix = \"a/\"\n"
      "[[attach]]\nmodel = \"cube.xml\"\npos = [1, 0, 0]\nprefix = \"b/\"\n");
  const Model& model = *scene.model;
  EXPECT_EQ(model.nq, 1 + 7 + 7);
  EXPECT_EQ(model.body_parent[body_id(model, "b/cube")], 0);
  EXPECT_EQ(model.qpos0.at(8), 1.0);
}

TEST(Attach, ReachesElementsOfEarlierAttachments) {
  const Scene scene = compose(
      "[[attach]]\nmodel = \"hand.xml\"\nto = \"arm\"\nprefix = \"hand/\"\n"
      "[[attach]]\nmodel = \"hand.xml\"\nto = \"hand/palm\"\nprefix = \"more/\"\n");
  const Model& model = *scene.model;
  EXPECT_EQ(model.body_parent[body_id(model, "more/palm")], body_id(model, "hand/palm"));
}

TEST(Attach, LeavesTheCompiledTextComplete) {
  const Scene scene = compose("[[attach]]\nmodel = \"hand.xml\"\nto = \"arm\"\nprefix = \"hand/\"\n");
  EXPECT_EQ(load_model_text(scene.model->xml).joint_names, scene.model->joint_names);
}

TEST(Attach, KeepsKeyframesOfTheBaseModel) {
  const Scene scene = compose("[[attach]]\nmodel = \"cube.xml\"\n[initial]\nkeyframe = \"home\"\n");
  EXPECT_EQ(scene.qpos.at(0), 0.3);
  EXPECT_EQ(scene.command.sample(0.0, 1), std::vector<double>{0.4});
}

TEST(Attach, FindsMeshesBesideTheAttachedFile) {
  const std::string mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const std::string folder = std::filesystem::path(write_temporary("robot.xml", kRobot)).parent_path().string();
  std::filesystem::create_directories(folder + "/tools/assets");
  std::ofstream(folder + "/tools/assets/tip.obj") << mesh;
  std::ofstream(folder + "/tools/tip.xml")
      << "<mujoco><compiler meshdir='assets'/><asset><mesh name='tip' file='tip.obj'/></asset><worldbody><body>"
         "<freejoint/><geom type='mesh' mesh='tip'/></body></worldbody></mujoco>";
  const Scene scene = compose("[[attach]]\nmodel = \"tools/tip.xml\"\nprefix = \"tool/\"\n");
  EXPECT_EQ(scene.model->nmesh, 1);
  EXPECT_EQ(load_model_text(scene.model->xml).nmesh, 1);
}

TEST(Attach, NamesTheAttachedFileAndItsLineInErrors) {
  write_temporary(
      "bad.xml",
      "<mujoco>\n<worldbody>\n<body name='b'><joint/><geom name='g' size='-1'/></body></worldbody></mujoco>");
  const std::string message = error_of([] { compose("[[attach]]\nmodel = \"bad.xml\"\nprefix = \"x/\"\n"); });
  EXPECT_TRUE(has_words(message, {"bad.xml:3:", "x/g", "size"})) << message;
}

}  // namespace
}  // namespace stiction::test
