// URDFs: their packages, meshes that cannot be read, settings of the compiler, actuators that scene.toml adds.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/scene/overridden_scene.hpp"
#include "tests/scene/scene_testing.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {
namespace {

namespace fs = std::filesystem;

const char* kTetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A fresh folder of this test.
fs::path fresh_folder() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  fs::path folder = fs::path(testing::TempDir()) / (std::string("urdf_") + info->name());
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

std::string write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  return path.string();
}

const std::string kInertia = R"(<inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>)";

std::string link(const std::string& name, const std::string& inertial, const std::string& shapes) {
  return "<link name=\"" + name + "\">" + inertial + shapes + "</link>\n";
}

std::string collision(const std::string& mesh) {
  return "<collision><geometry><mesh filename=\"" + mesh + "\"/></geometry></collision>";
}

std::string visual(const std::string& mesh) {
  return "<visual><geometry><mesh filename=\"" + mesh + "\"/></geometry></visual>";
}

/// An elbow (revolute), a slide (prismatic), a follower that mimics the elbow; `shapes` are those of the first link.
std::string arm(const std::string& shapes, const std::string& inertial = kInertia, const std::string& more = "") {
  const auto joint = [](const std::string& name, const std::string& type, const std::string& parent,
                        const std::string& child, const std::string& end) {
    return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" +
           child + "\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" effort=\"7\" velocity=\"1\"/>" + end +
           "</joint>\n";
  };
  return "<robot name=\"arm\">\n" + more + link("base", kInertia, "") + link("upper", inertial, shapes) +
         link("hand", kInertia, "") + link("finger", kInertia, "") + joint("elbow", "revolute", "base", "upper", "") +
         joint("slide", "prismatic", "upper", "hand", "") +
         joint("follower", "revolute", "hand", "finger", "<mimic joint=\"elbow\" multiplier=\"2\"/>") + "</robot>\n";
}

Scene with_toml(const fs::path& folder, const std::string& toml) {
  return load_scene(write(folder / "scene.toml", "model = \"arm.urdf\"\n" + toml));
}

// --- packages --------------------------------------------------------------------------------------------------------

TEST(Urdf, PackageIsAFolderOfThatNameAbove) {
  const fs::path folder = fresh_folder();
  write(folder / "arm_description/meshes/upper.obj", kTetrahedron);
  const std::string urdf =
      write(folder / "arm_description/urdf/arm.urdf", arm(collision("package://arm_description/meshes/upper.obj")));
  EXPECT_EQ(error_of([&] { load_model(urdf); }), "");
}

TEST(Urdf, PackageIsAFolderBesideOneAbove) {
  const fs::path folder = fresh_folder();
  write(folder / "parts/meshes/upper.obj", kTetrahedron);
  const std::string urdf = write(folder / "robots/urdf/arm.urdf", arm(collision("package://parts/meshes/upper.obj")));
  EXPECT_EQ(error_of([&] { load_model(urdf); }), "");
}

TEST(Urdf, PackageIsAFolderWhosePackageXmlHasItsName) {
  const fs::path folder = fresh_folder();
  write(folder / "checkout/package.xml", "<package><name>arm_description</name></package>");
  write(folder / "checkout/meshes/upper.obj", kTetrahedron);
  const std::string urdf =
      write(folder / "checkout/urdf/arm.urdf", arm(collision("package://arm_description/meshes/upper.obj")));
  EXPECT_EQ(error_of([&] { load_model(urdf); }), "");
}

TEST(Urdf, OfSeveralPackagesTheFirstWithTheFileCounts) {
  const fs::path folder = fresh_folder();
  fs::create_directories(folder / "a/parts");  // nearer, without the mesh
  write(folder / "parts/upper.obj", kTetrahedron);
  EXPECT_EQ(error_of([&] { load_model(write(folder / "a/arm.urdf", arm(collision("package://parts/upper.obj")))); }),
            "");
}

TEST(Urdf, PackageThatIsNowhereIsRefusedWithWhatToDo) {
  const fs::path folder = fresh_folder();
  const std::string urdf = write(folder / "arm.urdf", arm(collision("package://nowhere_description/upper.obj")));
  const std::string message = error_of([&] { load_model(urdf); });
  EXPECT_TRUE(is_one_line(message));
  EXPECT_TRUE(has_words(message, {"arm.urdf", "mesh 'upper'", "package 'nowhere_description'",
                                  "--package nowhere_description=DIR", "[packages]"}))
      << message;
}

TEST(Urdf, PackageIsWhereTheSceneSaysBesideItsFile) {
  const fs::path folder = fresh_folder();
  write(folder / "far/away/upper.obj", kTetrahedron);
  write(folder / "near/arm.urdf", arm(collision("package://parts/upper.obj")));
  EXPECT_EQ(error_of([&] { with_toml(folder / "near", "[packages]\nparts = \"../far/away\"\n"); }), "");
}

TEST(Urdf, PackageOfAModelWithoutASceneIsAGivenKey) {
  const fs::path folder = fresh_folder();
  write(folder / "far/upper.obj", kTetrahedron);
  const std::string urdf = write(folder / "near/arm.urdf", arm(collision("package://parts/upper.obj")));
  const std::string keys = "[packages]\nparts = '" + (folder / "far").string() + "'";
  EXPECT_EQ(error_of([&] { load_scene(urdf, keys); }), "");
}

// --- meshes that cannot be read --------------------------------------------------------------------------------------

const std::string kKeepVisuals = R"(<mujoco><compiler discardvisual="false"/></mujoco>)";

TEST(Urdf, VisualMeshesThatCannotBeReadAreLeftOutAndListed) {
  const fs::path folder = fresh_folder();
  write(folder / "seen.obj", kTetrahedron);
  write(folder / "scan.dae", "<COLLADA/>");
  write(folder / "broken.obj", "v 0 0 0\nf 1 2\n");
  const std::string shapes = visual("missing.stl") + visual("scan.dae") + visual("broken.obj") + visual("seen.obj") +
                             "<collision><geometry><sphere radius=\".1\"/></geometry></collision>";
  const Model model = load_model(write(folder / "arm.urdf", arm(shapes, kInertia, kKeepVisuals)));
  std::vector<std::string> names;
  for (const std::string& file : model.left_out) names.push_back(fs::path(file).filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"missing.stl", "scan.dae", "broken.obj"}));
  EXPECT_NE(model.xml.find("seen.obj"), std::string::npos);
}

TEST(Urdf, VisualMeshThatGivesABodyItsMassIsNotLeftOut) {
  const fs::path folder = fresh_folder();
  const std::string model = write(folder / "arm.xml", R"(<mujoco><asset><mesh name="m" file="missing.stl"/></asset>
    <worldbody><body><joint/><geom type="mesh" mesh="m" contype="0" conaffinity="0"/></body></worldbody></mujoco>)");
  EXPECT_TRUE(has_words(error_of([&] { load_model(model); }), {"arm.xml", "mesh 'm'", "missing.stl"}));
}

TEST(Urdf, CollisionMeshOfAnUnknownFormatIsRefusedWithWhatToDo) {
  const fs::path folder = fresh_folder();
  write(folder / "scan.dae", "<COLLADA/>");
  const std::string message = error_of([&] { load_model(write(folder / "arm.urdf", arm(collision("scan.dae")))); });
  EXPECT_TRUE(is_one_line(message));
  EXPECT_TRUE(has_words(message, {"arm.urdf", "mesh 'scan'", "scan.dae", "convert it to .obj or .stl"})) << message;
}

// --- settings of the compiler
// -----------------------------------------------------------------------------------------

const std::string kUnbalanced = R"(<inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial>)";

TEST(CompilerSettings, BalanceAnInertiaThatIsRefusedWithoutThem) {
  const fs::path folder = fresh_folder();
  write(folder / "arm.urdf", arm("", kUnbalanced));
  EXPECT_TRUE(has_words(error_of([&] { with_toml(folder, ""); }), {"balanceinertia", "[compiler]"}));
  EXPECT_EQ(error_of([&] { with_toml(folder, "[compiler]\nbalanceinertia = true\n"); }), "");
}

TEST(CompilerSettings, AreKeptInTheTextOfTheModel) {
  const fs::path folder = fresh_folder();
  write(folder / "arm.urdf", arm("", kUnbalanced));
  const Scene scene = with_toml(folder, "[compiler]\nbalanceinertia = true\n");
  EXPECT_EQ(error_of([&] { load_model_text(scene.model->xml); }), "");
}

TEST(CompilerSettings, SetMassesAndMeshFolder) {
  const fs::path folder = fresh_folder();
  write(folder / "shapes/upper.obj", kTetrahedron);
  write(folder / "arm.urdf", arm(collision("upper.obj")));
  const Scene scene = with_toml(folder, "[compiler]\nmeshdir = \"shapes\"\nsettotalmass = 12\n");
  double sum = 0.0;
  for (const double mass : scene.model->body_mass) sum += mass;
  EXPECT_NEAR(sum, 12.0, 1e-12);
  EXPECT_NE(scene.model->xml.find("shapes/upper.obj"), std::string::npos);
}

TEST(CompilerSettings, TakeInertiaFromGeomsAsWordOrBoolean) {
  const fs::path folder = fresh_folder();
  write(folder / "arm.urdf", arm("<collision><geometry><sphere radius=\".1\"/></geometry></collision>"));
  const double given = with_toml(folder, "").model->body_mass[1];
  const double computed = with_toml(folder,
                                    "[compiler]\ninertiafromgeom = true\nboundmass = 0.5\nboundinertia = "
                                    "0.1\n")
                              .model->body_mass[1];
  EXPECT_NEAR(given, 1.0, 1e-12);
  EXPECT_NEAR(computed, 4.18879, 1e-5);
  EXPECT_EQ(with_toml(folder, "[compiler]\ninertiafromgeom = \"false\"\n").model->body_mass[1], given);
}

// --- actuators
// --------------------------------------------------------------------------------------------------------

TEST(AddedActuators, OfAStarDriveEveryJointThatFollowsNoOther) {
  const fs::path folder = fresh_folder();
  write(folder / "arm.urdf", arm(""));
  const Scene scene = with_toml(folder, "[[actuator]]\njoint = \"*\"\nkp = 100\nkv = 5\n");
  const Model& model = *scene.model;
  EXPECT_EQ(model.actuator_names, (std::vector<std::string>{"elbow", "slide"}));
  EXPECT_EQ(model.actuator_kp, (std::vector<double>{100, 100}));
  EXPECT_EQ(model.actuator_kd, (std::vector<double>{5, 5}));
  EXPECT_EQ(model.actuator_force_range, (std::vector<double>{-7, 7, -7, 7}));
}

TEST(AddedActuators, OfAJointComeBeforeTheStar) {
  const fs::path folder = fresh_folder();
  write(folder / "arm.urdf", arm(""));
  const Scene scene = with_toml(folder,
                                "[[actuator]]\njoint = \"*\"\nkp = 100\n[[actuator]]\njoint = \"slide\"\nkp = 300\n"
                                "forcerange = [-2, 3]\nctrlrange = [-0.5, 0.25]\n");
  const Model& model = *scene.model;
  EXPECT_EQ(model.actuator_names, (std::vector<std::string>{"slide", "elbow"}));
  EXPECT_EQ(model.actuator_kp, (std::vector<double>{300, 100}));
  EXPECT_EQ(model.actuator_ctrl_limited, (std::vector<int>{1, 0}));
  EXPECT_EQ(model.actuator_ctrl_range[0], -0.5);
  EXPECT_EQ(model.actuator_ctrl_range[1], 0.25);
  EXPECT_EQ(model.actuator_force_range[0], -2.0);
  EXPECT_EQ(model.actuator_force_range[1], 3.0);
}

TEST(AddedActuators, LeaveTheModelsOwnAndTheirKeyframes) {
  const fs::path folder = fresh_folder();
  write(folder / "arm.xml", R"(<mujoco><worldbody><body><joint name="a" axis="1 0 0"/><geom size=".1"/>
    <body><joint name="b" axis="0 1 0"/><geom size=".1"/></body></body></worldbody>
    <actuator><motor name="drive" joint="a"/></actuator><keyframe><key name="home" ctrl=".5"/></keyframe></mujoco>)");
  const Scene scene =
      load_scene(write(folder / "scene.toml",
                       "model = \"arm.xml\"\n[[actuator]]\njoint = \"*\"\nkp = 10\n[initial]\nkeyframe = \"home\"\n"));
  EXPECT_EQ(scene.model->actuator_names, (std::vector<std::string>{"drive", "b"}));
  EXPECT_EQ(scene.command.ctrl.front(), (std::vector<double>{0.5, 0.0}));
}

TEST(AddedActuators, AreRefusedWhereTheyCannotAct) {
  const fs::path folder = fresh_folder();
  write(folder / "arm.urdf", arm(""));
  const auto message = [&](const std::string& entry) {
    return error_of([&] { with_toml(folder, "[[actuator]]\n" + entry); });
  };
  EXPECT_TRUE(has_words(message("joint = \"elbo\"\nkp = 1\n"), {"scene.toml:2", "\"elbo\"", "nearest is \"elbow\""}));
  EXPECT_TRUE(has_words(message("kp = 1\n"), {"scene.toml:2", "actuator.joint is missing"}));
  EXPECT_TRUE(has_words(message("joint = \"*\"\n"), {"scene.toml:2", "actuator.kp is missing"}));
  EXPECT_TRUE(has_words(message("joint = \"*\"\nkp = 0\n"), {"scene.toml:4", "actuator.kp = 0", "more than 0"}));
  EXPECT_TRUE(has_words(message("joint = \"*\"\nkp = 1\nkv = -1\n"), {"scene.toml:5", "actuator.kv", "at least 0"}));
  EXPECT_TRUE(has_words(message("joint = \"*\"\nkp = 1\nforcerange = [1, 1]\n"), {"forcerange", "larger upper"}));
  EXPECT_TRUE(has_words(message("joint = \"*\"\nkp = 1\nkd = 1\n"), {"unknown key actuator.kd", "actuator.k"}));
  EXPECT_TRUE(has_words(message("joint = \"elbow\"\nkp = 1\n[[actuator]]\njoint = \"elbow\"\nkp = 2\n"),
                        {"scene.toml:5", "has the actuator 'elbow' already"}));
  EXPECT_TRUE(has_words(message("joint = \"*\"\nkp = 1\n[[actuator]]\njoint = \"*\"\nkp = 2\n"),
                        {"scene.toml:5", "no hinge or slide"}));
}

TEST(AddedActuators, ActOnHingesAndSlidesOnly) {
  const fs::path folder = fresh_folder();
  write(folder / "ball.xml",
        "<mujoco><worldbody><body><freejoint name=\"f\"/><geom size=\".1\"/></body></worldbody></mujoco>");
  const auto message = [&](const std::string& joint) {
    return error_of([&] {
      load_scene(
          write(folder / "scene.toml", "model = \"ball.xml\"\n[[actuator]]\njoint = \"" + joint + "\"\nkp = 1\n"));
    });
  };
  EXPECT_TRUE(has_words(message("f"), {"ball or free joint", "hinges and slides"}));
  EXPECT_TRUE(has_words(message("*"), {"no hinge or slide"}));
}

TEST(GivenKeys, ThatAddToAModelNeedItsText) {
  EXPECT_TRUE(has_words(error_of([] { load_scene_of_binaries({}, "actuator = [{joint = '*', kp = 1}]"); }),
                        {"the given keys", "actuator", "compiled"}));
}

TEST(GivenKeys, OfTheStartReplaceTheScenesStart) {
  const fs::path folder = fresh_folder();
  write(folder / "arm.xml", R"(<mujoco><worldbody><body><joint name="a"/><geom size=".1"/></body></worldbody>
    <keyframe><key name="home" qpos=".5" qvel="2"/></keyframe></mujoco>)");
  const std::string scene =
      write(folder / "scene.toml", "model = \"arm.xml\"\n[initial]\nqpos = [0.1]\nqvel = [1.0]\n");
  const Scene home = load_scene(scene, "[initial]\nkeyframe = 'home'");
  EXPECT_EQ(home.qpos, std::vector<double>{0.5});
  EXPECT_EQ(home.qvel, std::vector<double>{2.0});
  EXPECT_EQ(home.keyframe, "home");
  const std::string keyed = write(folder / "scene.toml", "model = \"arm.xml\"\n[initial]\nkeyframe = \"home\"\n");
  EXPECT_EQ(load_scene(keyed, "[initial]\nqpos = [0.2]").qpos, std::vector<double>{0.2});
}

}  // namespace
}  // namespace stiction::test
