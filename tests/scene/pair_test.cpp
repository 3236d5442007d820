// Candidate pairs: MuJoCo's filters and combination rules, against the contacts that MuJoCo itself detects.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/scene/scene_testing.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {
namespace {

constexpr double kLeastFriction = 1e-5;  // MuJoCo's floor of every friction coefficient of a contact
constexpr double kRounded = 1e-12;       // [m] rounding of a metre
constexpr int kRow = 9;                  // of a contact: two geoms, condim, five frictions, margin

using Pairs = std::map<std::pair<int, int>, std::array<double, 7>>;  // condim, frictions, margin by MuJoCo's geom ids

/// MuJoCo's contacts, without those explicit pairs whose bodies cannot move relative to each other.
Pairs truth_pairs(const Truth& truth) {
  Pairs pairs;
  const auto& rows = truth.at("contacts");
  const auto& body = truth.at("geom_bodyid");
  const auto& tree = truth.at("body_treeid");
  for (std::size_t r = 0; r + kRow <= rows.size(); r += kRow) {
    const int first = static_cast<int>(rows[r]), second = static_cast<int>(rows[r + 1]);
    if (tree[body[first]] < 0 && tree[body[second]] < 0) continue;
    std::copy_n(&rows[r + 2], 7, pairs[{first, second}].begin());
  }
  return pairs;
}

Pairs our_pairs(const Model& model) {
  Pairs pairs;
  for (int p = 0; p < model.npair; ++p) {
    const auto ids =
        std::minmax(model.geom_source_id[model.pair_geom[2 * p]], model.geom_source_id[model.pair_geom[2 * p + 1]]);
    auto& row = pairs[ids];
    row[0] = model.pair_condim[p];
    for (int k = 0; k < 5; ++k) row[1 + k] = std::max(kLeastFriction, model.pair_friction[5 * p + k]);
    row[6] = model.pair_margin[p];
  }
  return pairs;
}

class CandidatePairs : public testing::TestWithParam<std::string> {};

TEST_P(CandidatePairs, AreThoseThatMuJoCoDetectsAtAnyDistance) {
  const std::string file = test_file("models/" + GetParam());
  const Pairs truth = truth_pairs(mujoco_truth(file));
  const Pairs ours = our_pairs(load_model(file));
  ASSERT_GT(truth.size(), 0u);
  EXPECT_EQ(ours.size(), truth.size());
  for (const auto& [ids, row] : truth) {
    ASSERT_EQ(ours.count(ids), 1u) << ids.first << " " << ids.second;
    for (std::size_t k = 0; k < row.size(); ++k)
      EXPECT_DOUBLE_EQ(ours.at(ids)[k], row[k]) << ids.first << " " << ids.second;
  }
}

INSTANTIATE_TEST_SUITE_P(OfFile, CandidatePairs, testing::Values("pairs.xml", "joints.xml", "meshes.xml"),
                         [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

std::vector<std::string> names_of_pairs(const std::string& xml) {
  const Model model = load_model_text(xml);
  std::vector<std::string> names;
  for (int p = 0; p < model.npair; ++p) {
    names.push_back(model.geom_names[model.pair_geom[2 * p]] + "-" + model.geom_names[model.pair_geom[2 * p + 1]]);
  }
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

const std::string kChain = R"(<body name="A"><freejoint/><geom name="a" size=".1"/><body name="B" pos="1 0 0"><joint/>
  <geom name="b" size=".1"/><body name="C" pos="1 0 0"><geom name="c" size=".1"/><body name="D" pos="1 0 0"><joint/>
  <geom name="d" size=".1"/></body></body></body></body>)";

TEST(PairFilter, SkipsParentAndChildThroughWelds) {
  // C is welded to B: both are children of A and parents of D; only A and D remain
  EXPECT_EQ(names_of_pairs("<mujoco><worldbody>" + kChain + "</worldbody></mujoco>"), (Names{"a-d"}));
}

TEST(PairFilter, KeepsParentAndChildWhenTheFlagIsOff) {
  EXPECT_EQ(names_of_pairs("<mujoco><option><flag filterparent='disable'/></option><worldbody>" + kChain +
                           "</worldbody></mujoco>"),
            (Names{"a-b", "a-c", "a-d", "b-d", "c-d"}));
}

TEST(PairFilter, KeepsTheWorldWithItsChildren) {
  EXPECT_EQ(names_of_pairs("<mujoco><worldbody><geom name='w' type='box' size='1 1 1'/>"
                           "<body><joint/><geom name='a' size='.1'/></body></worldbody></mujoco>"),
            (Names{"a-w"}));
}

TEST(PairFilter, NeedsACommonBitOfContypeAndConaffinity) {
  EXPECT_EQ(
      names_of_pairs(R"(<mujoco><worldbody><body><joint/><geom name="a" size=".1" contype="2" conaffinity="0"/></body>
    <body><joint/><geom name="b" size=".1" contype="0" conaffinity="3"/></body>
    <body><joint/><geom name="c" size=".1" contype="4" conaffinity="4"/></body></worldbody></mujoco>)"),
      (Names{"a-b"}));
}

TEST(PairFilter, SkipsStaticAgainstStaticAndMocap) {
  EXPECT_EQ(names_of_pairs(R"(<mujoco><worldbody><geom name="w" type="plane" size="1 1 1"/><geom name="s" size=".1"/>
    <body name="m" mocap="true"><geom name="m" size=".1"/></body>
    <body><joint/><geom name="a" size=".1" mass="1"/></body></worldbody></mujoco>)"),
            (Names{"m-a", "s-a", "w-a"}));
}

TEST(PairFilter, ExcludedBodiesMeetOnlyInExplicitPairs) {
  const std::string bodies = R"(<mujoco><worldbody><body name="A"><joint/><geom name="a" size=".1"/></body>
    <body name="B"><joint/><geom name="b" size=".1"/></body></worldbody><contact><exclude body1="B" body2="A"/>)";
  EXPECT_EQ(names_of_pairs(bodies + "</contact></mujoco>"), Names{});
  EXPECT_EQ(names_of_pairs(bodies + "<pair geom1='a' geom2='b'/></contact></mujoco>"), (Names{"a-b"}));
}

TEST(PairFilter, AnExplicitPairReplacesTheFilteredOne) {
  const Model model = load_model_text(R"(<mujoco><worldbody><body><joint/><geom name="a" size=".1"/></body>
    <body><joint/><geom name="b" size=".1"/></body></worldbody>
    <contact><pair geom1="a" geom2="b" condim="1" margin=".25"/></contact></mujoco>)");
  ASSERT_EQ(model.npair, 1);
  EXPECT_EQ(model.pair_explicit[0], 1);
  EXPECT_EQ(model.pair_condim[0], 1);
  EXPECT_EQ(model.pair_margin[0], 0.25);
}

TEST(PairOrder, FollowsTheCollisionTable) {
  const Model model = load_model_text(R"(<mujoco><worldbody><body><joint/><geom type="box" size=".1 .1 .1"/></body>
    <body><joint/><geom type="ellipsoid" size=".1 .1 .1"/></body><body><joint/><geom type="cylinder" size=".1 .1"/></body>
    <body><joint/><geom type="capsule" size=".1 .1"/></body><body><joint/><geom size=".1"/></body>
    <geom type="plane" size="1 1 1"/></worldbody></mujoco>)");
  ASSERT_EQ(model.npair, 15);
  for (int p = 0; p < model.npair; ++p) {
    EXPECT_LE(model.geom_type[model.pair_geom[2 * p]], model.geom_type[model.pair_geom[2 * p + 1]]);
  }
}

TEST(PairFriction, RuleNamesTheGeomOfHigherPriority) {
  const auto rule = [](const std::string& sphere, const std::string& box) {
    const Model model = load_model_text("<mujoco><worldbody><body><joint/><geom size='.1' friction='.3 0 0' " + sphere +
                                        "/></body><body><joint/><geom type='box' size='.1 .1 .1' friction='.2 0 0' " +
                                        box + "/></body></worldbody></mujoco>");
    return std::pair(model.pair_friction_rule.at(0), model.pair_friction.at(0));
  };
  EXPECT_EQ(rule("", ""), std::pair(2, 0.3));
  EXPECT_EQ(rule("priority='1'", ""), std::pair(0, 0.3));
  EXPECT_EQ(rule("", "priority='1'"), std::pair(1, 0.2));
}

// a, c: links of one tree around a hinge; base, a: a static body and what it carries; floor: the world
const std::string kOverlapping = R"(<geom name="floor" type="plane" size="1 1 .1" contype="2" conaffinity="2"/>
  <body name="base"><geom name="base" size=".1"/>
    <body name="A" pos=".3 0 0"><joint name="j" axis="0 0 1"/><geom name="a" size=".25" contype="3" conaffinity="3"/>
      <body name="B" pos=".3 0 0"><joint axis="1 0 0"/><geom size=".01" contype="0" conaffinity="0"/>
        <body name="C" pos=".1 0 0"><joint axis="0 1 0"/><geom name="c" size=".2"/></body></body></body></body>)";

TEST(RestingOverlap, OfOneRobotIsNoCandidateAndIsListed) {
  const Model model = load_model_text("<mujoco><worldbody>" + kOverlapping + "</worldbody></mujoco>");
  ASSERT_EQ(model.resting_overlaps.size(), 2u);
  EXPECT_NEAR(model.resting_overlaps[0].depth + model.resting_overlaps[1].depth, 0.05 + 0.05, kRounded);
  ASSERT_EQ(model.npair, 2);  // base and c are apart, the floor belongs to no robot
  EXPECT_EQ(names_of_pairs("<mujoco><worldbody>" + kOverlapping + "</worldbody></mujoco>"),
            (Names{"base-c", "floor-a"}));
}

TEST(RestingOverlap, OfAnExplicitPairStays) {
  const Names names = names_of_pairs("<mujoco><worldbody>" + kOverlapping +
                                     R"(</worldbody><contact><pair geom1="a" geom2="c"/></contact></mujoco>)");
  EXPECT_EQ(names, (Names{"a-c", "base-c", "floor-a"}));
}

TEST(RestingOverlap, OfFreeBodiesAndOfRobotsApartStays) {
  EXPECT_EQ(names_of_pairs(R"(<mujoco><worldbody><body><freejoint/><geom name="a" size=".1"/></body>
    <body pos=".1 0 0"><joint type="slide"/><geom name="b" size=".1"/></body>
    <body pos="0 .1 0"><joint type="slide"/><geom name="c" size=".1"/></body></worldbody></mujoco>)"),
            (Names{"a-b", "a-c", "b-c"}));
}

TEST(RestingOverlap, IsJudgedWhereTheSceneBegins) {
  const std::string model = write_temporary("overlap.xml", R"(<mujoco><worldbody><body><geom name="palm" size=".01"/>
    <body><joint type="slide" axis="1 0 0"/><geom name="left" size=".1"/></body>
    <body><joint type="slide" axis="1 0 0"/><geom name="right" size=".1"/></body></body></worldbody></mujoco>)");
  const std::string apart = write_temporary("apart.toml", "model = \"overlap.xml\"\n[initial]\nqpos = [-0.2, 0.2]\n");
  EXPECT_EQ(load_scene(model).model->npair, 0);
  EXPECT_EQ(load_scene(apart).model->npair, 3);
}

}  // namespace
}  // namespace stiction::test
