// What is not supported is refused by its name and line.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/scene/scene_testing.hpp"

namespace stiction::test {
namespace {

struct RefusalCase {
  std::string name;
  std::string world;  // inside <worldbody>, line 2 of the text
  std::string rest;   // after it, from line 3
  std::vector<std::string> words;
};

void PrintTo(const RefusalCase& shown, std::ostream* out) { *out << shown.name; }

const std::string kArm =
    R"(<site name="s0"/><body name="arm"><joint name="j"/><geom name="g" size=".1"/><site name="s"/></body>)";
const std::string kTwo = kArm + R"(<body name="two"><joint name="k"/><geom size=".1"/></body>)";
const std::string kThree = kTwo + R"(<body name="three"><joint name="l"/><geom size=".1"/></body>)";
const std::string kAllThree = "<joint joint='j' coef='1'/><joint joint='k' coef='1'/><joint joint='l' coef='1'/>";
const std::string kBall = R"(<body name="ball"><joint name="j" type="ball"/><geom size=".1"/></body>)";

std::string actuator(const std::string& xml) { return "<actuator>" + xml + "</actuator>"; }

const RefusalCase kCases[] = {
    {"muscle", kArm, actuator("<muscle name='x' joint='j' lengthrange='0 1'/>"), {":3:", "actuator 'x'", "muscle"}},
    {"damper",
     kArm,
     actuator("<damper name='x' joint='j' kv='1' ctrlrange='0 1'/>"),
     {":3:", "actuator 'x'", "damper"}},
    {"dcmotor",
     kArm,
     actuator("<dcmotor name='x' joint='j' motorconst='1' resistance='1'/>"),
     {":3:", "actuator 'x'", "dcmotor"}},
    {"pid", kArm, actuator("<pid name='x' joint='j' kp='1'/>"), {":3:", "actuator 'x'", "pid"}},
    {"adhesion",
     kArm,
     actuator("<adhesion name='x' body='arm' ctrlrange='0 1'/>"),
     {":3:", "actuator 'x'", "adhesion"}},
    {"site", kArm, actuator("<motor name='x' site='s'/>"), {":3:", "actuator 'x'", "a site"}},
    {"slider_crank",
     kArm,
     actuator("<motor name='x' cranksite='s' slidersite='s0' cranklength='1'/>"),
     {":3:", "actuator 'x'", "slider-crank"}},
    {"ball_motor",
     kBall,
     actuator("<motor name='x' joint='j' gear='1 0 0'/>"),
     {":3:", "actuator 'x'", "ball or free"}},
    {"gear_zero", kArm, actuator("<motor name='x' joint='j' gear='0'/>"), {":3:", "actuator 'x'", "gear 0"}},
    {"negative_kp",
     kArm,
     actuator("<general name='x' joint='j' gainprm='1' biastype='affine' biasprm='0 1 0'/>"),
     {":3:", "actuator 'x'", "unstable"}},
    {"motor_across_three_trees",
     kThree,
     "<tendon><fixed name='t'>" + kAllThree + "</fixed></tendon><actuator><motor name='x' tendon='t'/></actuator>",
     {":3:", "actuator 'x'", "more than two kinematic trees"}},
    {"spring_across_three_trees",
     kThree,
     "<tendon><fixed name='t' stiffness='1'>" + kAllThree + "</fixed></tendon>",
     {":3:", "tendon 't'", "more than two kinematic trees"}},
    {"wrapping_tendon",
     kArm,
     "<tendon><spatial name='t'><site site='s0'/><geom geom='g'/><site site='s'/></spatial></tendon>",
     {":3:", "tendon 't'", "wraps around a geom"}},
    {"tendon_with_a_pulley",
     kArm,
     "<tendon><spatial name='t'><site site='s0'/><site site='s'/><pulley divisor='2'/><site site='s0'/><site "
     "site='s'/></spatial></tendon>",
     {":3:", "tendon 't'", "pulley"}},
    {"tendon_to_a_mocap_body",
     kArm + "<body mocap='true'><site name='hand'/></body>",
     "<tendon><spatial name='t'><site site='hand'/><site site='s'/></spatial></tendon>",
     {":3:", "tendon 't'", "mocap"}},
    {"equality_of_a_path",
     kArm,
     "<tendon><spatial name='t'><site site='s0'/><site site='s'/></spatial></tendon><equality><tendon "
     "tendon1='t'/></equality>",
     {":3:", "tendon 't'", "spatial", "equality"}},
    {"tendon_armature",
     kArm,
     "<tendon><fixed name='t' armature='1'><joint joint='j' coef='1'/></fixed></tendon>",
     {":3:", "tendon 't'", "armature"}},
    {"height_field",
     kArm + "<geom name='hf' type='hfield' hfield='h'/>",
     "<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 0 1'/></asset>",
     {":2:", "geom 'hf'", "height field"}},
    {"surface_velocity",
     kArm + "<geom name='belt' type='plane' size='1 1 1' surfacevel='1 0 0 0 0 0'/>",
     "",
     {":2:", "geom 'belt'", "surfacevel"}},
    {"geom_adhesion",
     "<body><joint/><geom name='sticky' size='.1' adhesion='1'/></body>",
     "",
     {":2:", "geom 'sticky'", "adhesion"}},
    {"stiffness_polynomial",
     "<body><joint name='j' stiffness='1 2'/><geom size='.1'/></body>",
     "",
     {":2:", "joint 'j'", "stiffness polynomial"}},
    {"damping_polynomial",
     "<body><joint name='j' damping='1 2'/><geom size='.1'/></body>",
     "",
     {":2:", "joint 'j'", "damping polynomial"}},
    {"plastic_spring",
     "<body><joint name='j' stiffness='1' springyield='.1'/><geom size='.1'/></body>",
     "",
     {":2:", "joint 'j'", "springyield"}},
    {"ellipsoid_in_a_fluid",
     "<body><joint/><geom name='wing' size='.1' fluidshape='ellipsoid'/></body>",
     "<option density='1.2'/>",
     {":2:", "geom 'wing'", "fluidshape", "--ignore fluid"}},
    {"disabled_actuators", kArm, "<option actuatorgroupdisable='1'/>", {"actuatorgroupdisable"}},
    {"override", kArm, "<option><flag override='enable'/></option>", {"override"}},
    {"flex",
     "<flexcomp name='cloth' type='grid' dim='2' count='3 3 1' spacing='.1 .1 .1' mass='1' radius='.01'/>",
     "",
     {"flex 'cloth'", "deformable"}},
    {"shared_force_range",
     "<body><joint name='j' actuatorfrcrange='-1 1'/><geom size='.1'/></body>",
     actuator("<motor name='x' joint='j'/><motor name='y' joint='j'/>"),
     {":3:", "actuator 'x'", "actuatorfrcrange"}},
    {"negative_mass",
     "<body name='b'><joint/><inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/></body>",
     "",
     {"mass"}},
    {"negative_friction",
     kArm + "<geom name='f' type='plane' size='1 1 1' friction='-1 0 0'/>",
     "",
     {"geom_friction", "-1", "at least 0"}},
};

class Refusal : public testing::TestWithParam<RefusalCase> {};

TEST_P(Refusal, NamesTheFeatureInOneLine) {
  const RefusalCase& refused = GetParam();
  const std::string xml = "<mujoco>\n<worldbody>" + refused.world + "</worldbody>\n" + refused.rest + "</mujoco>\n";
  const std::string message = error_of([&] { load_model_text(xml); });
  EXPECT_TRUE(is_one_line(message)) << message;
  EXPECT_TRUE(has_words(message, refused.words)) << message;
}

INSTANTIATE_TEST_SUITE_P(Table, Refusal, testing::ValuesIn(kCases), [](const auto& info) { return info.param.name; });

TEST(Ignored, IsWhatIsOnlyDrawnSensedOrSoft) {
  const std::string xml = R"(<mujoco><option timestep=".1" cone="elliptic" integrator="RK4" solver="CG"/>
    <visual><global fovy="30"/></visual><statistic extent="1"/>
    <asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 0 1"/></asset>
    <worldbody><light pos="0 0 3"/><camera name="c" pos="0 0 3"/><site name="s"/>
    <geom type="hfield" hfield="h" contype="0" conaffinity="0"/>
    <body><joint name="j" margin=".1" solreflimit=".01 1"/><geom size=".1" solref=".1 1" solimp=".9 .95 .001"/></body></worldbody>
    <sensor><jointpos joint="j"/></sensor><custom><numeric name="n" data="1"/></custom></mujoco>)";
  EXPECT_EQ(error_of([&] { load_model_text(xml); }), "");
}

}  // namespace
}  // namespace stiction::test
