// The flat model against MuJoCo's own arrays.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/scene/scene_testing.hpp"

namespace stiction::test {
namespace {

// Two programs copy the same doubles: equal up to the decimal print, which is exact.
constexpr double kSame = 0.0;
// Inertias as differences of mass matrices, damping as forces: a few roundings of numbers of size 100.
constexpr double kRounded = 1e-10;

void expect_near(const std::vector<double>& ours, const std::vector<double>& truth, double tolerance,
                 const std::string& name) {
  ASSERT_EQ(ours.size(), truth.size()) << name;
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], truth[i], tolerance) << name << " " << i;
}

class ImportedModel : public testing::TestWithParam<std::string> {
 protected:
  std::string file = test_file("models/" + GetParam());
  Model model = load_model(file);
  Truth truth = mujoco_truth(file);

  void same(const std::vector<double>& ours, const std::string& name) {
    expect_near(ours, truth.at(name), kSame, name);
  }
  void same(const std::vector<int>& ours, const std::string& name) { same(as_reals(ours), name); }
};

TEST_P(ImportedModel, HasTheCountsOfMuJoCo) {
  same(std::vector<int>{model.nq}, "nq");
  same(std::vector<int>{model.nv}, "nv");
  same(std::vector<int>{model.nu}, "nu");
  same(std::vector<int>{model.nbody}, "nbody");
  same(std::vector<int>{model.njoint}, "njnt");
  same(std::vector<int>{model.ntree}, "ntree");
  same(std::vector<int>{model.nmocap}, "nmocap");
}

TEST_P(ImportedModel, HasTheBodiesOfMuJoCo) {
  same(model.body_parent, "body_parentid");
  same(model.body_tree, "body_treeid");
  same(model.body_mocap, "body_mocapid");
  same(model.body_joint_adr, "body_jntadr");
  same(model.body_joint_num, "body_jntnum");
  same(model.body_pos, "body_pos");
  same(model.body_quat, "body_quat");
  same(model.body_ipos, "body_ipos");
  same(model.body_iquat, "body_iquat");
  same(model.body_mass, "body_mass");
  same(model.body_inertia, "body_inertia");
  same(model.body_gravcomp, "body_gravcomp");
  same(model.gravity, "gravity");
}

TEST_P(ImportedModel, HasTheJointsAndDofsOfMuJoCo) {
  same(model.joint_type, "jnt_type");
  same(model.joint_body, "jnt_bodyid");
  same(model.joint_qpos_adr, "jnt_qposadr");
  same(model.joint_dof_adr, "jnt_dofadr");
  same(model.joint_limited, "jnt_limited");
  same(model.joint_pos, "jnt_pos");
  same(model.joint_axis, "jnt_axis");
  same(model.joint_range, "jnt_range");
  same(model.joint_stiffness, "jnt_stiffness");
  same(model.qpos0, "qpos0");
  same(model.qpos_spring, "qpos_spring");
  same(model.dof_body, "dof_bodyid");
  same(model.dof_joint, "dof_jntid");
  same(model.dof_parent, "dof_parentid");
  same(model.dof_tree, "dof_treeid");
  same(model.dof_frictionloss, "dof_frictionloss");
  same(model.tree_dof_adr, "tree_dofadr");
  same(model.tree_dof_num, "tree_dofnum");
}

TEST_P(ImportedModel, LastDofOfABodyIsTheNearestOnTheWayToTheRoot) {
  const auto& adr = truth.at("body_dofadr");
  const auto& num = truth.at("body_dofnum");
  for (int b = 0; b < model.nbody; ++b) {
    int expected = -1;
    for (int at = b; at != 0 && expected < 0; at = model.body_parent[at]) {
      if (num[at] > 0) expected = static_cast<int>(adr[at] + num[at]) - 1;
    }
    EXPECT_EQ(model.body_last_dof[b], expected) << model.body_names[b];
  }
}

TEST_P(ImportedModel, ArmatureAndDampingHoldWhatActuatorsContribute) {
  expect_near(model.dof_armature, truth.at("armature"), kRounded, "armature");
  const auto& damper_force = truth.at("damper_force");  // at unit velocities
  for (int d = 0; d < model.nv; ++d) EXPECT_NEAR(model.dof_damping[d], -damper_force[d], kRounded) << d;
}

TEST_P(ImportedModel, GeomsAreMuJoCosGeomsThatOccurInAPair) {
  const auto row = [&](const char* name, int id, int width) {
    const auto& values = truth.at(name);
    return std::vector<double>(values.begin() + id * width, values.begin() + (id + 1) * width);
  };
  const auto our_row = [](const std::vector<double>& values, int id, int width) {
    return std::vector<double>(values.begin() + id * width, values.begin() + (id + 1) * width);
  };
  std::vector<char> paired(static_cast<std::size_t>(model.ngeom), 0);
  for (int geom : model.pair_geom) paired[geom] = 1;
  for (int g = 0; g < model.ngeom; ++g) {
    EXPECT_TRUE(paired[g]) << model.geom_names[g];
    const int id = model.geom_source_id[g];
    expect_near({double(model.geom_body[g])}, row("geom_bodyid", id, 1), kSame, "geom_body");
    expect_near(our_row(model.geom_size, g, 3), row("geom_size", id, 3), kSame, "geom_size");
    expect_near(our_row(model.geom_pos, g, 3), row("geom_pos", id, 3), kSame, "geom_pos");
    expect_near(our_row(model.geom_quat, g, 4), row("geom_quat", id, 4), kSame, "geom_quat");
    expect_near(our_row(model.geom_friction, g, 3), row("geom_friction", id, 3), kSame, "geom_friction");
  }
}

TEST_P(ImportedModel, BoundingBoxesAreThoseOfMuJoCo) {
  constexpr double kSinglePrecision = 1e-6;  // [m] MuJoCo boxes its single-precision vertices
  for (int g = 0; g < model.ngeom; ++g) {
    if (model.geom_type[g] == static_cast<int>(GeomType::kPlane)) {
      EXPECT_TRUE(std::isinf(model.geom_radius[g]));
      continue;
    }
    const auto& aabb = truth.at("geom_aabb");
    const int id = model.geom_source_id[g];
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(model.geom_box_center[3 * g + k], aabb[6 * id + k], kSinglePrecision) << model.geom_names[g];
      EXPECT_NEAR(model.geom_box_half[3 * g + k], aabb[6 * id + 3 + k], kSinglePrecision) << model.geom_names[g];
    }
    // MuJoCo's sphere is about the geom's centre, ours about the box's: never larger than both together
    const double* c = &model.geom_box_center[3 * g];
    EXPECT_LE(model.geom_radius[g], truth.at("geom_rbound")[id] + std::hypot(c[0], c[1], c[2]) + kSinglePrecision);
  }
}

TEST_P(ImportedModel, KeyframesAreThoseOfMuJoCo) {
  std::vector<double> qpos, ctrl;
  for (const auto& key : model.keyframe_qpos) qpos.insert(qpos.end(), key.begin(), key.end());
  for (const auto& key : model.keyframe_ctrl) ctrl.insert(ctrl.end(), key.begin(), key.end());
  same(qpos, "key_qpos");
  same(ctrl, "key_ctrl");
}

INSTANTIATE_TEST_SUITE_P(OfFile, ImportedModel, testing::Values("joints.xml", "pairs.xml", "meshes.xml"),
                         [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

TEST(ImportedModelText, CompiledTextGivesTheSameModelFromAnyFolder) {
  const Model model = load_model(test_file("models/joints.xml"));
  const Model again = load_model_text(model.xml);
  ASSERT_EQ(again.nq, model.nq);
  ASSERT_EQ(again.npair, model.npair);
  constexpr double kSixDigits = 1e-5;  // the text holds six digits of numbers up to 10
  expect_near(again.body_pos, model.body_pos, kSixDigits, "body_pos");
  expect_near(again.body_inertia, model.body_inertia, kSixDigits, "body_inertia");
  expect_near(again.joint_axis, model.joint_axis, kSixDigits, "joint_axis");
}

TEST(ImportedMocap, PosesAreInMocapOrder) {
  const Model model = load_model(test_file("models/joints.xml"));
  ASSERT_EQ(model.nmocap, 2);
  const std::vector<double> expected = {3, 0, 0, 0, 1, 0, 0, 3, 2, 0, 1, 0, 0, 0};
  expect_near(model.mocap_pose0, expected, kSame, "mocap_pose0");
  EXPECT_EQ(model.keyframe_mocap.at(0).at(2), 1.0);
}

TEST(LengthScales, AreTheFarthestPointsThatADofMoves) {
  const Model model = load_model_text(R"(<mujoco><worldbody>
    <body name="arm"><joint axis="0 0 1" pos="0 0 5"/><geom type="capsule" size=".1" fromto="0 0 0 1 0 0"/>
      <body pos="1 0 0"><joint type="slide" axis="1 0 0"/><geom type="box" size=".3 .4 .1"/></body></body>
    <body name="ball"><freejoint/><geom size=".2" pos=".5 0 0"/></body>
    <body name="rod" pos="0 0 3"><joint type="ball"/><geom type="cylinder" size=".3 .4"/></body>
    <body name="speck"><joint axis="0 0 1"/><geom size=".001" mass="1"/></body>
  </worldbody></mujoco>)");
  constexpr double kPrism = 0.005;  // cylinders are taken 0.5 % too large
  const double reach = std::hypot(1.3, 0.4);
  const std::vector<double> expected = {reach, 1, 1, 1, 1, 0.2, 0.2, 0.2, 0.5, 0.5, 0.5, 0.01};
  for (std::size_t d = 0; d < expected.size(); ++d) {
    const double slack = d >= 8 && d < 11 ? kPrism * expected[d] : kRounded;
    EXPECT_NEAR(model.dof_radius.at(d), expected[d], slack) << d;
  }
  EXPECT_NEAR(model.body_radius[1], 0.6, kRounded);
  EXPECT_NEAR(model.body_radius[3], 0.2, kRounded);
}

TEST(OptionFlags, SwitchOffWhatTheyName) {
  const std::string body = R"(<worldbody><body><joint name="j" range="-1 1" stiffness="2" damping="3" frictionloss="4"/>
    <geom size=".1"/></body><geom type="plane" size="1 1 1"/><body pos="0 0 1"><joint name="k"/><geom size=".1"/></body>
    </worldbody><equality><joint joint1="j" joint2="k"/></equality></mujoco>)";
  const auto with = [&](const std::string& flag) {
    return load_model_text("<mujoco><option><flag " + flag + "/></option>" + body);
  };
  EXPECT_EQ(with("gravity='disable'").gravity[2], 0.0);
  EXPECT_EQ(with("limit='disable'").joint_limited.at(0), 0);
  EXPECT_EQ(with("spring='disable'").joint_stiffness.at(0), 0.0);
  EXPECT_EQ(with("damper='disable'").dof_damping.at(0), 0.0);
  EXPECT_EQ(with("frictionloss='disable'").dof_frictionloss.at(0), 0.0);
  EXPECT_EQ(with("contact='disable'").npair, 0);
  EXPECT_EQ(with("equality='disable'").ncoupling, 0);
  const Model all = with("sensor='disable'");
  EXPECT_NE(all.gravity[2] * all.joint_limited.at(0) * all.joint_stiffness.at(0) * all.dof_damping.at(0), 0.0);
  EXPECT_NE(all.dof_frictionloss.at(0) * all.npair * all.ncoupling, 0.0);
}

// A body of two chains of touching geoms and one that is apart; a body whose geoms stand side by side; a body of one.
TEST(Pieces, AreGeomsOfOneBodyThatTouch) {
  const Model model = load_model_text(R"(<mujoco><asset>
      <mesh name="wedge" vertex="0 0 0  .1 0 0  0 .1 0  0 0 .1"/></asset><worldbody>
    <geom type="plane" size="1 1 1"/><geom type="box" size=".1 .1 .1" pos="2 0 .1"/>
    <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/><geom type="sphere" size=".1" pos="1 0 0"/>
      <geom type="box" size=".1 .1 .1" pos=".2 0 0"/><geom type="capsule" size=".1 .1" pos="1.2 0 0"/>
      <geom type="box" size=".1 .1 .1" pos="0 0 .2"/><geom type="box" size=".1 .1 .1" pos="-1 0 0"/></body>
    <body pos="0 2 1"><freejoint/><geom type="box" size=".1 .1 .1"/><geom type="box" size=".1 .1 .1" pos=".2001 0 0"/>
    </body>
    <body pos="0 3 1"><freejoint/><geom type="mesh" mesh="wedge"/>
      <geom type="mesh" mesh="wedge" pos="0 0 0" euler="0 0 90"/></body>
    <body pos="0 4 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>)");
  EXPECT_EQ(model.geom_piece, (std::vector<int>{-1, -1, 0, 1, 0, 1, 0, -1, -1, -1, 2, 2, -1}));
}

}  // namespace
}  // namespace stiction::test
