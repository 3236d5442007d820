// Scripted bodies and impulses: how their tables are read, and the poses and velocities between the rows.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/scene/scene_testing.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {
namespace {

constexpr double kRounding = 1e-14;  // positions and quaternions of order one
constexpr double kVelocity = 1e-11;  // their differences over a millisecond and more [m/s], [rad/s]
constexpr double kPi = 3.14159265358979323846;

const char* kModel = R"(<mujoco><worldbody>
  <body name="fence" mocap="true" pos="7 0 0"><geom size=".1"/></body>
  <body name="cube" pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>)";

Scene read(const std::string& csv, const std::string& more = "") {
  write_temporary("script_model.xml", kModel);
  write_temporary("fence.csv", csv);
  return load_scene(write_temporary(
      "script.toml", "model = \"script_model.xml\"\n" + more + "[[mocap]]\nbody = \"fence\"\nfile = \"fence.csv\"\n"));
}

TEST(Mocap, PosesAreLinearBetweenRowsAndHeldOutside) {
  // from no turn to 120 degrees about z, the quaternion with the other sign: the way is still the shorter one
  const Scene scene = read("time,x,y,z,qw,qx,qy,qz\n1, 1,2,3, 2,0,0,0\n3, 3,2,1, -.5,0,0,-.8660254037844386\n");
  ASSERT_EQ(scene.mocap.size(), 1u);
  const MocapTrack& track = scene.mocap[0];
  EXPECT_EQ(scene.model->body_names[track.body], "fence");
  EXPECT_TRUE(track.velocity.empty());
  const MocapPose before = track.pose_at(0.0), middle = track.pose_at(2.0), after = track.pose_at(9.0);
  EXPECT_NEAR(before[0], 1.0, kRounding);
  EXPECT_NEAR(middle[0], 2.0, kRounding);
  EXPECT_NEAR(middle[2], 2.0, kRounding);
  EXPECT_NEAR(middle[3], std::cos(kPi / 6.0), kRounding);
  EXPECT_NEAR(middle[6], std::sin(kPi / 6.0), kRounding);
  EXPECT_NEAR(after[2], 1.0, kRounding);
  EXPECT_NEAR(std::fabs(after[3]), 0.5, kRounding);
}

TEST(Mocap, WithoutColumnsTheVelocityIsTheDifferenceOfThePoses) {
  const Scene scene = read("1, 1,2,3, 1,0,0,0\n3, 3,2,1, .5,0,0,.8660254037844386\n");
  const MocapTrack& track = scene.mocap[0];
  const double turn_rate = 2.0 * kPi / 3.0 / 2.0;
  for (const double h : {0.001, 0.5}) {
    const MocapTwist inside = track.velocity_at(1.25, h);
    EXPECT_NEAR(inside[0], 1.0, kVelocity);
    EXPECT_NEAR(inside[2], -1.0, kVelocity);
    EXPECT_NEAR(inside[5], turn_rate, kVelocity);
    const MocapTwist starts = track.velocity_at(1.0 - 0.75 * h, h);  // moves in the last quarter of the step only
    EXPECT_NEAR(starts[0], 0.25, kVelocity);
    EXPECT_NEAR(starts[5], 0.25 * turn_rate, kVelocity);
  }
  for (const double rest : track.velocity_at(4.0, 0.1)) EXPECT_EQ(rest, 0.0);
}

TEST(Mocap, VelocityColumnsAreLinearBetweenRowsAndZeroOutside) {
  const Scene scene = read("0, 0,0,0, 1,0,0,0, 1,2,3,4,5,6\n2, 0,0,0, 1,0,0,0, 3,2,1,0,-5,-6\n");
  const MocapTwist middle = scene.mocap[0].velocity_at(0.5, 0.01);
  const double expected[] = {1.5, 2.0, 2.5, 3.0, 2.5, 3.0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(middle[i], expected[i], kRounding) << "entry " << i;
  EXPECT_EQ(scene.mocap[0].velocity_at(2.0, 0.01)[0], 3.0);
  EXPECT_EQ(scene.mocap[0].velocity_at(2.5, 0.01)[0], 0.0);
  EXPECT_EQ(scene.mocap[0].velocity_at(-0.5, 0.01)[0], 0.0);
}

TEST(Impulses, AreReadInTheirOrder) {
  const Scene scene = read("0, 0,0,0, 1,0,0,0\n",
                           "[[impulse]]\nstep = 7\nbody = \"cube\"\nvalue = [1, 2, 3, 4, 5, 6]\n"
                           "[[impulse]]\nstep = 0\nbody = \"cube\"\nvalue = [0, 0, 0, 0, 0, 1]\n");
  ASSERT_EQ(scene.impulses.size(), 2u);
  EXPECT_EQ(scene.impulses[0].step, 7);
  EXPECT_EQ(scene.model->body_names[scene.impulses[0].body], "cube");
  EXPECT_EQ(scene.impulses[0].value, (std::array<double, 6>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(scene.impulses[1].step, 0);
}

/// A scene with the table `csv` of impulses on the cube between two impulses of its own.
Scene read_impulses_of(const std::string& csv) {
  write_temporary("impulses.csv", csv);
  const std::string one = "[[impulse]]\nbody = \"cube\"\nvalue = [0, 0, 0, 0, 0, 1]\nstep = ";
  return read("0, 0,0,0, 1,0,0,0\n", one + "9\n[[impulse]]\nbody = \"cube\"\nfile = \"impulses.csv\"\n" + one + "0\n");
}

TEST(Impulses, OfAFileAreItsRowsInTheirOrder) {
  for (const char* start : {"", "step,px,py,pz,tx,ty,tz\n", "# N s, N m s\n\n"}) {
    const Scene scene = read_impulses_of(std::string(start) + "0, 1,2,3,4,5,6\n 12, -1e-3,0,0,0,0,+2\r\n");
    ASSERT_EQ(scene.impulses.size(), 4u) << start;
    EXPECT_EQ(scene.impulses[0].step, 9);
    EXPECT_EQ(scene.impulses[1].step, 0);
    EXPECT_EQ(scene.impulses[1].value, (std::array<double, 6>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(scene.impulses[2].step, 12);
    EXPECT_EQ(scene.impulses[2].value, (std::array<double, 6>{-1e-3, 0, 0, 0, 0, 2}));
    EXPECT_EQ(scene.model->body_names[scene.impulses[2].body], "cube");
    EXPECT_EQ(scene.impulses[3].step, 0);
    EXPECT_EQ(error_of([&] { validate(scene); }), "");
  }
}

TEST(Impulses, OfTheLastStepThatCanBeCountedAreRead) {
  EXPECT_EQ(read_impulses_of("2147483647, 1,2,3,4,5,6\n").impulses[1].step, 2147483647);
}

TEST(ChangedScripts, AreValidatedWithFieldAndRange) {
  const auto error_after = [](const auto& change) {
    Scene scene = read("0, 0,0,0, 1,0,0,0\n1, 0,0,0, 1,0,0,0\n");
    scene.impulses.push_back({0, 2, {}});
    change(scene);
    return error_of([&] { validate(scene); });
  };
  EXPECT_EQ(error_after([](Scene&) {}), "");
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.mocap[0].body = 2; }), {"mocap.body = 2", "a mocap body"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.mocap[0].time[1] = 0; }), {"mocap.time = 0", "after"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.mocap[0].pose.pop_back(); }), {"mocap.pose", "2"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.mocap[0].pose[0][1] = NAN; }), {"mocap.pose", "finite"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.impulses[0].step = -1; }), {"impulse.step = -1", "at least 0"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.impulses[0].body = 1; }), {"impulse.body = 1", "a moving body"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.impulses[0].value[5] = NAN; }), {"impulse.value", "finite"}));
}

}  // namespace
}  // namespace stiction::test
