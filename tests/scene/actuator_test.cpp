// Actuators, fixed tendons and couplings in the flat model.
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "tests/scene/scene_testing.hpp"

namespace stiction::test {
namespace {

const std::string kBodies = R"(<worldbody>
  <body name="one"><joint name="a" axis="0 0 1"/><geom size=".1"/>
    <body pos="1 0 0"><joint name="b" axis="0 0 1" ref=".2"/><geom size=".1"/>
      <body pos="1 0 0"><joint name="s" type="slide" axis="1 0 0"/><geom size=".1"/></body></body></body>
  <body name="two" pos="0 3 0"><joint name="other" axis="0 0 1"/><geom size=".1"/></body>
  <body name="three" pos="0 6 0"><joint name="third" axis="0 0 1"/><geom size=".1"/></body></worldbody>
  <tendon><fixed name="t"><joint joint="a" coef="2"/><joint joint="b" coef="-3"/></fixed>
    <fixed name="wide"><joint joint="a" coef="1"/><joint joint="other" coef="1"/></fixed></tendon>)";

Model model_with(const std::string& rest) {
  return load_model_text("<mujoco><compiler angle='radian'/>" + kBodies + rest + "</mujoco>");
}

Model actuated(const std::string& actuator) { return model_with("<actuator>" + actuator + "</actuator>"); }

struct ActuatorCase {
  std::string name, xml;
  ActuatorKind kind;
  double gear, gain, bias, kp, kd;
};

void PrintTo(const ActuatorCase& shown, std::ostream* out) { *out << shown.name; }

class ActuatorMeaning : public testing::TestWithParam<ActuatorCase> {};

TEST_P(ActuatorMeaning, IsReadFromGainAndBias) {
  const ActuatorCase& expected = GetParam();
  const Model model = actuated(expected.xml);
  ASSERT_EQ(model.nu, 1);
  EXPECT_EQ(model.actuator_kind[0], static_cast<int>(expected.kind));
  EXPECT_EQ(model.actuator_gear[0], expected.gear);
  EXPECT_EQ(model.actuator_gain[0], expected.gain);
  EXPECT_EQ(model.actuator_bias[0], expected.bias);
  EXPECT_EQ(model.actuator_kp[0], expected.kp);
  EXPECT_EQ(model.actuator_kd[0], expected.kd);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ActuatorMeaning,
    testing::Values(
        ActuatorCase{"position", "<position joint='a' kp='7' kv='2'/>", ActuatorKind::kPosition, 1, 1, 0, 7, 2},
        ActuatorCase{"velocity", "<velocity joint='a' kv='3'/>", ActuatorKind::kVelocity, 1, 1, 0, 0, 3},
        ActuatorCase{"motor", "<motor joint='a' gear='5'/>", ActuatorKind::kMotor, 5, 1, 0, 0, 0},
        ActuatorCase{"general_as_position",
                     "<general joint='s' gainprm='20' biastype='affine' biasprm='1 -10 -1' gear='-2'/>",
                     ActuatorKind::kPosition, -2, 2, 0.1, 10, 1},
        ActuatorCase{"general_as_velocity", "<general joint='a' gainprm='4' biastype='affine' biasprm='0 0 -4'/>",
                     ActuatorKind::kVelocity, 1, 1, 0, 0, 4},
        ActuatorCase{"general_as_motor", "<general joint='a' gainprm='4' biastype='affine' biasprm='2 0 0'/>",
                     ActuatorKind::kMotor, 1, 4, 2, 0, 0},
        ActuatorCase{"in_parent", "<motor jointinparent='a'/>", ActuatorKind::kMotor, 1, 1, 0, 0, 0},
        ActuatorCase{"on_a_tendon", "<position tendon='t' kp='9'/>", ActuatorKind::kPosition, 1, 1, 0, 9, 0}),
    [](const auto& info) { return info.param.name; });

TEST(ActuatorLength, OfATendonHasItsJointsAsTerms) {
  const Model model = actuated("<position tendon='t' kp='9'/>");
  const int length = model.actuator_length.at(0), first = model.length_term_adr.at(length);
  ASSERT_EQ(model.length_term_num.at(length), 2);
  EXPECT_EQ(model.term_dof.at(first), 0);
  EXPECT_EQ(model.term_dof.at(first + 1), 1);
  EXPECT_EQ(model.term_coef.at(first), 2.0);
  EXPECT_EQ(model.term_coef.at(first + 1), -3.0);
  EXPECT_EQ(model.dof_actuated, (std::vector<int>{1, 1, 0, 0, 0}));
}

TEST(ActuatedDofs, AreThoseThatAServoHolds) {
  EXPECT_EQ(actuated("<motor joint='a'/>").dof_actuated, (std::vector<int>{0, 0, 0, 0, 0}));
  EXPECT_EQ(actuated("<velocity joint='b' kv='1'/>").dof_actuated, (std::vector<int>{0, 1, 0, 0, 0}));
  EXPECT_EQ(actuated("<motor joint='a'/><position joint='s' kp='1'/>").dof_actuated, (std::vector<int>{0, 0, 1, 0, 0}));
}

TEST(ActuatorRanges, AreThoseOfTheActuator) {
  const Model model = actuated("<position joint='a' kp='1' ctrlrange='-1 2' forcerange='-3 4'/>");
  EXPECT_EQ(model.actuator_ctrl_limited, std::vector<int>{1});
  EXPECT_EQ(model.actuator_ctrl_range, (std::vector<double>{-1, 2}));
  EXPECT_EQ(model.actuator_force_limited, std::vector<int>{1});
  EXPECT_EQ(model.actuator_force_range, (std::vector<double>{-3, 4}));
  EXPECT_EQ(actuated("<position joint='a' kp='1'/>").actuator_force_limited, std::vector<int>{0});
}

TEST(ActuatorRanges, AreNarrowedByTheJointsForceRangeThroughTheGear) {
  const auto range = [](const std::string& actuator) {
    return load_model_text(
               "<mujoco><worldbody><body><joint name='j' actuatorfrcrange='-6 8'/><geom size='.1'/></body>"
               "</worldbody><actuator>" +
               actuator + "</actuator></mujoco>")
        .actuator_force_range;
  };
  EXPECT_EQ(range("<motor joint='j' gear='2'/>"), (std::vector<double>{-3, 4}));
  EXPECT_EQ(range("<motor joint='j' gear='-2'/>"), (std::vector<double>{-4, 3}));
  EXPECT_EQ(range("<motor joint='j' gear='2' forcerange='-1 100'/>"), (std::vector<double>{-1, 4}));
}

TEST(Couplings, OfJointsKeepReferencesAndPolynomial) {
  const Model model = model_with(
      "<equality><joint joint1='b' joint2='a' polycoef='.1 2 3 4 5'/><joint joint1='s'/>"
      "<joint joint1='a' joint2='s' active='false'/></equality>");
  ASSERT_EQ(model.ncoupling, 2);
  const int first = model.coupling_length.at(0), second = model.coupling_length.at(1);
  EXPECT_EQ(model.term_dof.at(model.length_term_adr.at(first)), 1);
  EXPECT_EQ(model.term_dof.at(model.length_term_adr.at(second)), 0);
  EXPECT_EQ(model.coupling_rest.at(0), 0.2);
  EXPECT_EQ(model.coupling_rest.at(1), 0.0);
  EXPECT_EQ(std::vector<double>(model.coupling_poly.begin(), model.coupling_poly.begin() + 5),
            (std::vector<double>{.1, 2, 3, 4, 5}));
  EXPECT_EQ(model.coupling_length.at(3), -1);
}

TEST(Couplings, OfTendonsHaveTheLengthAtQpos0AsReference) {
  const Model model = model_with("<equality><tendon tendon1='t' tendon2='wide' polycoef='0 1 0 0 0'/></equality>");
  ASSERT_EQ(model.ncoupling, 1);
  EXPECT_DOUBLE_EQ(model.coupling_rest.at(0), -3.0 * 0.2);
  EXPECT_EQ(model.length_term_num.at(model.coupling_length.at(0)), 2);
}

TEST(FixedTendons, CountOnlyIfTheyActOnTheirOwn) {
  EXPECT_EQ(model_with("").ntendon, 0);
  EXPECT_EQ(model_with("").nlength, 0);
}

TEST(FixedTendons, KeepLimitSpringDamperAndFriction) {
  const Model model = load_model_text(R"(<mujoco><worldbody><body><joint name="a"/><geom size=".1"/></body></worldbody>
    <tendon><fixed name="t" range="-1 2" stiffness="3" damping="4" frictionloss="5" springlength=".1 .2">
    <joint joint="a" coef="2"/></fixed></tendon>
    <actuator><motor tendon="t" gear="3" damping="2"/></actuator></mujoco>)");
  ASSERT_EQ(model.ntendon, 1);
  EXPECT_EQ(model.tendon_limited, std::vector<int>{1});
  EXPECT_EQ(model.tendon_range, (std::vector<double>{-1, 2}));
  EXPECT_EQ(model.tendon_stiffness, std::vector<double>{3});
  EXPECT_EQ(model.tendon_rest, (std::vector<double>{.1, .2}));
  EXPECT_EQ(model.tendon_damping, std::vector<double>{4 + 3 * 3 * 2});
  EXPECT_EQ(model.tendon_frictionloss, std::vector<double>{5});
  EXPECT_EQ(model.tendon_length, model.actuator_length);
}

TEST(FixedTendons, RestWhereTheJointSpringsDoWithoutASpringLength) {
  const Model model =
      load_model_text(R"(<mujoco><compiler angle="radian"/><worldbody><body><joint name="a" springref=".25"/>
    <geom size=".1"/></body></worldbody><tendon><fixed stiffness="1"><joint joint="a" coef="2"/></fixed></tendon></mujoco>)");
  EXPECT_EQ(model.tendon_rest, (std::vector<double>{.5, .5}));
}

TEST(UrdfMimic, BecomesACoupling) {
  const std::string inertia =
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
  const std::string limit = "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='3' velocity='1'/>";
  const Model model =
      load_model_text("<robot name='r'><link name='base'/><link name='l1'>" + inertia + "</link><link name='l2'>" +
                      inertia + "</link><joint name='j1' type='revolute'><parent link='base'/><child link='l1'/>" +
                      limit + "</joint><joint name='j2' type='revolute'><parent link='l1'/><child link='l2'/>" + limit +
                      "<mimic joint='j1' multiplier='0.5' offset='0.1'/></joint></robot>");
  ASSERT_EQ(model.ncoupling, 1);
  EXPECT_EQ(model.term_dof.at(model.length_term_adr.at(model.coupling_length.at(0))), 1);
  EXPECT_EQ(model.coupling_poly.at(0), 0.1);
  EXPECT_EQ(model.coupling_poly.at(1), 0.5);
  EXPECT_EQ(model.nu, 0);  // an effort limit is no actuator
}

}  // namespace
}  // namespace stiction::test
