// Claims: of the points that touching pieces have in one plane with another body, only the corners of their region are
// contacts, at most eight, with the deepest and those over which the body would tip; the reference finds the same.
#include <gtest/gtest.h>

#include <set>

#include "host/api/simulator.hpp"
#include "tests/step/touching_pieces.hpp"
#include "tests/support/host_environment.hpp"

namespace stiction {
namespace {

constexpr double kDeepest = 1e-6;    // overlap that rounding and tolerances leave [m]
constexpr double kSamePlace = 1e-9;  // [m]
constexpr double kSameState = 1e-7;  // of two steppers after one step, by their tolerances [m], [m/s]

std::string on_the_floor(const std::string& geoms, const std::string& pose) {
  return "<mujoco><worldbody><geom type='plane' size='3 3 .1'/><body " + pose + "><freejoint/>" + geoms +
         "</body></worldbody></mujoco>";
}

/// The contacts of a scene where it begins.
ContactArrays contacts_of(Scene scene, Regions regions = Regions::kAuto, const std::string& device = "cpu") {
  scene.physics.regions = regions;
  Simulator sim(scene, {.device = device});
  sim.forward();
  return sim.contacts();
}

int count_contacts(const std::string& text, Regions regions = Regions::kAuto) {
  return contacts_of(load_scene(test::write_temporary("regions.xml", text)), regions).count[0];
}

std::string boxes_in_a_row(int count, const std::string& more = "") {
  std::string geoms;
  for (int i = 0; i < count; ++i)
    geoms += "<geom type='box' size='.05 .05 .02' pos='" + std::to_string(0.1 * i) + " 0 0'" + more + "/>";
  return geoms;
}

TEST(Regions, HaveContactsAtTheirCornersOnly) {
  const std::string row = on_the_floor(boxes_in_a_row(3), "pos='0 0 .02'");
  EXPECT_EQ(count_contacts(row, Regions::kOff), 12);
  EXPECT_EQ(count_contacts(row), 4);
  const std::string tilted = on_the_floor(boxes_in_a_row(3), "pos='0 0 .0205' euler='.05 .1 20'");
  EXPECT_EQ(count_contacts(tilted, Regions::kOff), 12);
  EXPECT_EQ(count_contacts(tilted), 4);
}

TEST(Regions, OfLinesHaveTwoEndsAndOfOnePlaceOneContact) {
  const std::string rod =
      "<geom type='capsule' size='.03' fromto='-.1 0 0 0 0 0'/>"
      "<geom type='capsule' size='.03' fromto='0 0 0 .1 0 0'/>";
  EXPECT_EQ(count_contacts(on_the_floor(rod, "pos='0 0 .03'"), Regions::kOff), 4);
  EXPECT_EQ(count_contacts(on_the_floor(rod, "pos='0 0 .03'")), 2);
  const std::string balls = "<geom type='sphere' size='.03'/><geom type='sphere' size='.03'/>";
  EXPECT_EQ(count_contacts(on_the_floor(balls, "pos='0 0 .03'"), Regions::kOff), 2);
  EXPECT_EQ(count_contacts(on_the_floor(balls, "pos='0 0 .03'")), 1);
}

TEST(Regions, HaveAtMostEightContactsWithTheEdgeOverWhichTheBodyTips) {
  const std::string ring = on_the_floor(test::ring_of_boxes(12), "pos='0 0 .02'");
  EXPECT_EQ(count_contacts(ring, Regions::kOff), 48);
  EXPECT_EQ(count_contacts(ring), 8);
  for (int turn = 0; turn < 360; turn += 25) {
    Scene scene = load_scene(test::write_temporary("regions.xml", ring));
    const double angle = turn * M_PI / 180.0;
    auto model = std::make_shared<Model>(*scene.model);
    model->gravity = {8.0 * std::cos(angle), 8.0 * std::sin(angle), -9.81};
    scene.model = model;
    const auto reach = [&](Regions regions) {  // how far the contacts reach along the slope
      const ContactArrays contacts = contacts_of(scene, regions);
      std::vector<std::array<double, 2>> at;
      for (int i = 0; i < contacts.count[0]; ++i)
        at.push_back({contacts.position[3 * i] * std::cos(angle) + contacts.position[3 * i + 1] * std::sin(angle),
                      contacts.position[3 * i + 1] * std::cos(angle) - contacts.position[3 * i] * std::sin(angle)});
      double farthest = 0.0;
      for (const auto& p : at)
        for (const auto& q : at)
          if (p[1] > 0.0 && q[1] <= 0.0) farthest = std::max(farthest, p[0] + p[1] / (p[1] - q[1]) * (q[0] - p[0]));
      return farthest;
    };
    EXPECT_NEAR(reach(Regions::kAuto), reach(Regions::kOff), 1e-7) << turn;
  }
}

TEST(Regions, LeaveOtherContactsAlone) {
  const std::string single = on_the_floor("<geom type='box' size='.05 .05 .02'/>", "pos='0 0 .02'");
  EXPECT_EQ(count_contacts(single), 4);
  const std::string apart = on_the_floor(
      "<geom type='box' size='.05 .05 .02'/><geom type='box' size='.05 .05 .02' "
      "pos='.2 0 0'/>",
      "pos='0 0 .02'");
  EXPECT_EQ(count_contacts(apart), 8);
  const std::string overlapping = on_the_floor(boxes_in_a_row(2), "pos='0 0 .0199'");
  EXPECT_EQ(count_contacts(overlapping), 8);
  const std::string slippery = on_the_floor(boxes_in_a_row(1) +
                                                "<geom type='box' size='.05 .05 .02' pos='.1 0 0' "
                                                "friction='2 0 0'/>",
                                            "pos='0 0 .02'");
  EXPECT_EQ(count_contacts(slippery), 8);
}

/// Places of contacts, rounded, with the geoms of each.
std::multiset<std::array<long, 5>> named_places(const ContactArrays& contacts) {
  std::multiset<std::array<long, 5>> found;
  for (int i = 0; i < contacts.count[0]; ++i) {
    std::array<long, 5> name = {contacts.geom[2 * i], contacts.geom[2 * i + 1], 0, 0, 0};
    for (int k = 0; k < 3; ++k) name[2 + k] = std::lround(contacts.position[3 * i + k] / (1e3 * kSamePlace));
    found.insert(name);
  }
  return found;
}

/// A board of five boxes with one end on the floor that turns about that end; a heavy ball that falls onto the other.
Scene lifted_board(double lift, double speed) {
  const std::string text =
      "<mujoco><worldbody><geom type='plane' size='3 3 .1'/><body pos='0 0 .02' euler='0 -1.5 0'><freejoint/>" +
      boxes_in_a_row(5) +
      "</body><body pos='.38 0 .1'><freejoint/><geom type='sphere' size='.02' mass='20'/></body></worldbody></mujoco>";
  Scene scene = load_scene(test::write_temporary("lifted_board.xml", text));
  scene.qvel.assign(12, 0.0);
  scene.qvel[4] = -lift, scene.qvel[8] = -speed;
  return scene;
}

/// How many pairs of the board and the floor part in the first step, and how many that do not have no contacts, as
/// others hold all of theirs.
std::array<int, 2> parting_and_covered(const Scene& scene) {
  reference::HostEnvironment host(scene);
  host.solve();
  EXPECT_EQ(host.report.status, status::kConverged);
  std::array<int, 2> found = {0, 0};
  for (int slot = 0; slot < *host.scratch.slots.count; ++slot) {
    const Manifold<double>& manifold = host.scratch.slots.manifold[slot];
    if (scene.model->geom_type[scene.model->pair_geom[2 * host.scratch.slots.pair[slot]]] != 0) continue;  // no plane
    found[0] += step_detail::role_of(host.scratch.meetings, slot) == PairRole::kParting ? 1 : 0;
    found[1] += manifold.count > 0 && count_points(manifold) == 0 ? 1 : 0;
  }
  return found;
}

/// The deepest overlap in some steps [m].
double deepest_overlap(Scene scene, Regions regions) {
  scene.physics.regions = regions;
  Simulator sim(scene, {.device = "cpu"});
  double deepest = 0.0;
  for (int step = 0; step < 20; ++step) {
    EXPECT_EQ(sim.step()[0], status::kConverged);
    deepest = std::max(deepest, sim.read(EnvField::penetration)[0]);
  }
  return deepest;
}

// The far pairs part, and those in the middle have no contacts, as their points are between those of the others.
TEST(Regions, OfWhichPairsPartLoseNoSupport) {
  bool parted = false, struck = false;
  for (const double lift : {1.0, 2.0, 3.0, 5.0}) {
    const auto [parting, covered] = parting_and_covered(lifted_board(lift, 0.0));
    parted = parted || (parting > 0 && covered > 0);
    struck = struck || parting_and_covered(lifted_board(lift, 30.0))[0] < parting;  // the ball turns them round
    for (const double speed : {0.0, 8.0, 30.0}) {
      const Scene scene = lifted_board(lift, speed);
      EXPECT_LT(deepest_overlap(scene, Regions::kAuto), deepest_overlap(scene, Regions::kOff) + kDeepest) << lift;
    }
  }
  EXPECT_TRUE(parted);
  EXPECT_TRUE(struck);
}

TEST(Regions, AreThoseOfTheReference) {
  Scene scene = test::touching_pieces();
  scene.physics.contact_distance = 1e-3;
  const ContactArrays found = contacts_of(scene), all = contacts_of(scene, Regions::kOff);
  const ContactArrays expected = contacts_of(scene, Regions::kAuto, "reference");
  EXPECT_LT(found.count[0], all.count[0]);
  EXPECT_EQ(named_places(found), named_places(expected));
  Simulator sim(scene, {.device = "cpu"}), truth(scene, {.device = "reference"});
  sim.step(), truth.step();
  const std::vector<double> qpos = sim.qpos(), qvel = sim.qvel();
  for (std::size_t i = 0; i < qpos.size(); ++i) EXPECT_NEAR(qpos[i], truth.qpos()[i], kSameState) << i;
  for (std::size_t i = 0; i < qvel.size(); ++i) EXPECT_NEAR(qvel[i], truth.qvel()[i], kSameState) << i;
}

}  // namespace
}  // namespace stiction
