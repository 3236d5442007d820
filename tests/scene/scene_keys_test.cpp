// scene.toml: every key, its default, and how commands are read.
#include "host/scene/scene_keys.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/scene/scene_testing.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {
namespace {

const char* kModel = R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/>
  <body name="slider"><joint name="s" type="slide"/><geom size=".1"/></body>
  <body name="cube" pos="0 0 1"><freejoint name="cube"/><geom size=".1"/></body></worldbody>
  <actuator><position name="s" joint="s" kp="10"/></actuator>
  <keyframe><key name="home" qpos=".5 0 0 2 1 0 0 0" qvel="1 0 0 0 0 0 0" ctrl=".7"/></keyframe></mujoco>)";

Scene read(const std::string& toml) {
  write_temporary("model.xml", kModel);
  return load_scene(write_temporary("scene.toml", "model = \"model.xml\"\n" + toml));
}

TEST(SceneKeys, DefaultToTheStructsDefaults) {
  const Scene scene = read("");
  EXPECT_EQ(scene.physics.dynamics, PhysicsConfig{}.dynamics);
  EXPECT_EQ(scene.physics.facets, PhysicsConfig{}.facets);
  EXPECT_FALSE(scene.physics.contact_distance.has_value());
  EXPECT_EQ(scene.solver.tolerance, SolverOptions{}.tolerance);
  EXPECT_EQ(scene.step_size, Scene{}.step_size);
  EXPECT_EQ(scene.qpos, scene.model->qpos0);
  EXPECT_EQ(scene.qvel, std::vector<double>(7, 0.0));
  EXPECT_TRUE(scene.command.time.empty());
  EXPECT_EQ(error_of([&] { validate(scene); }), "");
}

TEST(SceneKeys, OfPhysicsAreRead) {
  const Scene scene = read(
      "[physics]\ndynamics = \"quasistatic\"\nlaw = \"anitescu\"\ncone = \"pyramid\"\nfacets = 8\n"
      "contact_distance = 0.02\nmass_ratio = 3\nhover_warning = 0.5\n");
  EXPECT_EQ(scene.physics.dynamics, Dynamics::kQuasistatic);
  EXPECT_EQ(scene.physics.facets, 8);
  EXPECT_EQ(scene.physics.contact_distance, 0.02);
  EXPECT_EQ(scene.physics.mass_ratio, 3.0);
  EXPECT_EQ(scene.physics.hover_warning, 0.5);
}

TEST(SceneKeys, OverrideThePreset) {
  EXPECT_EQ(read("[physics]\npreset = \"quasistatic_qp\"").physics.dynamics, Dynamics::kQuasistatic);
  EXPECT_EQ(read("[physics]\npreset = \"quasistatic_qp\"\ndynamics = \"quasidynamic\"").physics.dynamics,
            Dynamics::kQuasidynamic);
}

TEST(SceneKeys, OfTheSolverAndStepAreRead) {
  const Scene scene = read(
      "[solver]\nname = \"interior_point\"\ntolerance = 1e-6\nmax_iterations = 7\nmax_total_iterations = "
      "70\nmax_contacts = 11\n"
      "max_pairs = \"auto\"\n[step]\nstep_size = 0.4\nduration = 2\n");
  EXPECT_EQ(scene.solver.tolerance, 1e-6);
  EXPECT_EQ(scene.solver.max_iterations, 7);
  EXPECT_EQ(scene.solver.max_total_iterations, 70);
  EXPECT_EQ(scene.solver.max_contacts, 11);
  EXPECT_FALSE(scene.solver.max_pairs.has_value());
  EXPECT_EQ(scene.step_size, 0.4);
  EXPECT_EQ(scene.duration, 2.0);
}

TEST(SceneKeys, OfTheStartAreRead) {
  const Scene scene = read("[initial]\nqpos = [1, 2, 3, 4, 0, 0, 0, 2]\nqvel = [1, 2, 3, 4, 5, 6, 7]\n");
  EXPECT_EQ(scene.qpos, (std::vector<double>{1, 2, 3, 4, 0, 0, 0, 1}));  // quaternions get unit length
  EXPECT_EQ(scene.qvel, (std::vector<double>{1, 2, 3, 4, 5, 6, 7}));
}

TEST(SceneKeys, OfTheSolversStartAreReadByDofOrByJoint) {
  EXPECT_TRUE(read("").solver.start.empty());
  EXPECT_EQ(read("[solver]\nstart = [1, 2, 3, 4, 5, 6, 7]\n").solver.start, (std::vector<double>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(read("[solver]\nstart = { cube = [1, 2, 3, 4, 5, 6] }\n").solver.start,
            (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read("[solver.start]\ns = 0.5\n").solver.start, (std::vector<double>{0.5, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(read("[solver.start]\ns = [0.5]\n").solver.start.at(0), 0.5);
}

TEST(SceneKeys, AKeyframeGivesStartAndCommand) {
  const Scene scene = read("[initial]\nkeyframe = \"home\"\n");
  EXPECT_EQ(scene.qpos.at(0), 0.5);
  EXPECT_EQ(scene.qvel.at(0), 1.0);
  EXPECT_EQ(scene.command.sample(3.0, 1), std::vector<double>{0.7});
}

TEST(SceneKeys, RandomizeAllJointsOrJointsByName) {
  const Scene all = read("[randomize]\nseed = 5\nqpos_noise = 0.1\nfriction = [0.4, 0.6]\nmass_scale = [0.5, 2]\n");
  EXPECT_EQ(all.randomize.seed, 5u);
  ASSERT_EQ(all.randomize.qpos_noise.size(), 2u);
  EXPECT_EQ(all.randomize.qpos_noise[0].joint, 0);
  EXPECT_EQ(all.randomize.qpos_noise[0].half_width, (std::vector<double>{0.1}));
  EXPECT_EQ(all.randomize.qpos_noise[1].joint, 1);
  EXPECT_EQ(all.randomize.qpos_noise[1].half_width, std::vector<double>(6, 0.1));
  EXPECT_EQ(all.randomize.friction->lower, 0.4);
  EXPECT_EQ(all.randomize.mass_scale->upper, 2.0);
  const Scene named = read("[randomize.qpos_noise]\ncube = [1, 2, 3, 4, 5, 6]\n");
  ASSERT_EQ(named.randomize.qpos_noise.size(), 1u);
  EXPECT_EQ(named.randomize.qpos_noise[0].joint, 1);
  EXPECT_EQ(named.randomize.qpos_noise[0].half_width, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(SceneName, IsThatOfTheFolderOrFile) {
  EXPECT_EQ(load_scene(write_temporary("arm.xml", kModel)).name, "arm");
  write_temporary("model.xml", kModel);
  EXPECT_EQ(load_scene(write_temporary("other.toml", "model = \"model.xml\"\n")).name, "other");
  const std::string file = write_temporary("scene.toml", "model = \"model.xml\"\n");
  const std::string folder = std::filesystem::path(file).parent_path().string();
  const std::string name = std::filesystem::path(folder).filename().string();
  EXPECT_EQ(load_scene(file).name, name);
  EXPECT_EQ(load_scene(folder).name, name);
  EXPECT_EQ(load_scene(folder + "/").name, name);
}

TEST(Command, IsLinearBetweenKnotsAndHeldOutside) {
  const Scene scene = read("[[command]]\ntime = 1\nctrl = [2]\n[[command]]\ntime = 3\nctrl = [6]\n");
  EXPECT_EQ(scene.command.sample(0.0, 1), std::vector<double>{2});
  EXPECT_EQ(scene.command.sample(1.0, 1), std::vector<double>{2});
  EXPECT_EQ(scene.command.sample(1.5, 1), std::vector<double>{3});
  EXPECT_EQ(scene.command.sample(3.0, 1), std::vector<double>{6});
  EXPECT_EQ(scene.command.sample(9.0, 1), std::vector<double>{6});
}

TEST(Command, WithoutKnotsIsZero) { EXPECT_EQ(CommandKnots{}.sample(1.0, 2), (std::vector<double>{0, 0})); }

TEST(Command, OfAFileSkipsNamesCommentsAndEmptyLines) {
  write_temporary("knots.csv", "time,s\n# start\n0, 1\r\n\n 0.5 , -2e0\n1,+3\n");
  const Scene scene = read("command_file = \"knots.csv\"\n");
  EXPECT_EQ(scene.command.time, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(scene.command.ctrl, (std::vector<std::vector<double>>{{1}, {-2}, {3}}));
}

TEST(ChangedScene, IsValidatedWithFieldAndRange) {
  const auto error_after = [](const auto& change) {
    Scene scene = read("");
    change(scene);
    return error_of([&] { validate(scene); });
  };
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.step_size = -1; }), {"step_size = -1", "more than 0"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.duration = -1; }), {"duration = -1"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.physics.facets = 2; }), {"facets = 2", "at least 3"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.physics.facets = 1000000; }), {"facets = 1e+06", "at most 1024"}));
  EXPECT_TRUE(
      has_words(error_after([](Scene& s) { s.step_size = 1e-320; }), {"step_size", "9.99989e-321", "1e9 steps"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.duration = 1e12; }), {"duration = 1e+12", "1e9 steps"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.physics.contact_distance = -1; }), {"contact_distance = -1"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.solver.tolerance = 0; }), {"tolerance = 0", "(0, 1)"}));
  EXPECT_EQ(error_after([](Scene& s) { s.solver.factor = Dtype::kFloat32; }), "");
  EXPECT_TRUE(has_words(error_after([](Scene& s) {
                          s.solver.factor = Dtype::kFloat32;
                          s.solver.name = SolverName::kLemke;
                          s.physics.cone = ConeType::kPyramid;
                        }),
                        {"solver lemke factors no matrix", "interior_point, admm, newton"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.solver.max_contacts = 0; }), {"max_contacts = 0"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.solver.start = {1}; }), {"solver.start = 1", "7"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.solver.start.assign(7, NAN); }), {"solver.start", "finite"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.qpos.pop_back(); }), {"initial.qpos", "8"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.qpos[0] = NAN; }), {"initial.qpos", "finite"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.qpos[4] = 0; }), {"quaternion"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.command = {{0, 0}, {{1}, {2}}}; }), {"command.time"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.command = {{0}, {{1, 2}}}; }), {"command.ctrl", "2", "1"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.randomize.mass_scale = Range{0, 1}; }), {"mass_scale"}));
  EXPECT_TRUE(has_words(error_after([](Scene& s) { s.model = nullptr; }), {"no model"}));
}

/// What a message says that a value must be.
std::string range_in(const std::string& message) {
  const std::string before = " but must be ";
  const std::size_t at = message.find(before);
  return at == std::string::npos ? "" : message.substr(at + before.size());
}

/// The table of a key with its value in the third line of scene.toml; facets are those of a pyramid.
template <class Key>
std::string line_of(const Key& key, const std::string& value) {
  const std::string cone = std::string(key.key) == "facets" ? "\ncone = \"pyramid\"" : "";
  return "[" + std::string(key.table) + "]\n" + key.key + " = " + value + cone;
}

/// The message about a value in scene.toml, which must name file, line, key and value.
template <class Key>
std::string error_of_text(const Key& key, const std::string& value) {
  std::string message = error_of([&] { read(line_of(key, value)); });
  EXPECT_TRUE(has_words(message, {"scene.toml:3: ", std::string(key.table) + "." + key.key + " = " + value}))
      << message;
  return message;
}

/// The message about a value of a scene made in code, which must name scene and key.
template <class Key, class Value>
std::string error_of_code(const Key& key, Value value) {
  Scene scene = read("");
  key.field_of(scene) = value;
  std::string message = error_of([&] { validate(scene); });
  EXPECT_TRUE(has_words(message, {"scene '" + scene.name + "'", std::string(key.table) + "." + key.key})) << message;
  return message;
}

std::string whole(double value) { return std::to_string(static_cast<std::int64_t>(value)); }

/// Calls `visit(key)` for the keys of the list that are numbers.
template <class Visit>
void for_each_number(const Visit& visit) {
  for_each_scene_key([&](const auto& key) {
    if constexpr (!std::remove_cvref_t<decltype(key)>::kIsChoice) visit(key);
  });
}

TEST(EveryNumberOfTheList, HasOneRangeInTextAndInCode) {
  for_each_number([](const auto& key) {
    using Value = typename std::remove_cvref_t<decltype(key)>::Value;
    const double beside = key.allowed.without_ends ? 0.0 : 1.0;  // of an end, outside
    EXPECT_EQ(range_in(error_of_text(key, whole(key.allowed.least - beside))), key.range_text());
    if constexpr (std::is_signed_v<Value>) {
      EXPECT_EQ(range_in(error_of_code(key, Value(key.allowed.least - beside))), key.range_text());
    }
    if (std::isfinite(key.allowed.most)) {
      EXPECT_EQ(range_in(error_of_text(key, whole(key.allowed.most + beside))), key.range_text());
    }
  });
}

TEST(EveryNumberOfTheList, IsRead) {
  for_each_number([](const auto& key) {
    using Value = typename std::remove_cvref_t<decltype(key)>::Value;
    const double inside = key.allowed.least + (std::is_integral_v<Value> ? 1.0 : 0.5);
    const std::string text = std::is_integral_v<Value> ? whole(inside) : std::to_string(inside);
    const Scene scene = read(line_of(key, text));
    EXPECT_EQ(key.field_of(scene), Value(inside)) << key.table << "." << key.key;
  });
}

TEST(EveryNumberOfTheList, IsFiniteInTextAndInCode) {
  for_each_number([](const auto& key) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(key)>::Value, double>) {
      for (const char* value : {"nan", "inf", "-inf"})
        EXPECT_EQ(range_in(error_of_text(key, value)), "a finite number");
      for (const double value : {double(NAN), HUGE_VAL, -HUGE_VAL})
        EXPECT_EQ(range_in(error_of_code(key, value)), "a finite number");
    }
  });
}

TEST(EveryNumberOfTheList, MayBeAutomaticWhereItsFieldIsOptional) {
  for_each_number([](const auto& key) {
    const std::string text = "[" + std::string(key.table) + "]\n" + key.key + " = \"auto\"";
    const std::string message = error_of([&] { read(text); });
    EXPECT_EQ(message.empty(), std::remove_cvref_t<decltype(key)>::kMayBeAuto) << message;
  });
}

TEST(Ranges, AreSaidInWords) {
  EXPECT_EQ(at_least(0).text("m"), "at least 0 m");
  EXPECT_EQ(more_than(0).text("s"), "more than 0 s");
  EXPECT_EQ(from_to(3, 1024).text(""), "at least 3 and at most 1024");
  EXPECT_EQ(between(0, 1).text(""), "in (0, 1)");
  EXPECT_EQ(from_to(1, 2147483647).text(""), "at least 1 and at most 2147483647");
}

TEST(Ranges, HoldTheirEndsWhereTheySaySo) {
  EXPECT_TRUE(at_least(0).holds(0.0) && from_to(3, 4).holds(3.0) && from_to(3, 4).holds(4.0));
  EXPECT_FALSE(more_than(0).holds(0.0) || between(0, 1).holds(0.0) || between(0, 1).holds(1.0));
  EXPECT_TRUE(more_than(0).holds(1e-320) && between(0, 1).holds(0.5));
  EXPECT_FALSE(at_least(0).holds(HUGE_VAL) || at_least(0).holds(NAN) || more_than(0).holds(HUGE_VAL));
}

TEST(Torsion, IsThereWithEveryConeUnderALawWithFriction) {
  const auto scene_with = [](const std::string& geom) {
    return make_scene(std::make_shared<Model>(load_model_text("<mujoco><worldbody><geom name='floor' type='plane' "
                                                              "size='1 1 1'/><body><freejoint/><geom name='ball' " +
                                                              geom + " size='.1'/></body></worldbody></mujoco>")),
                      "spin");
  };
  Scene scene = scene_with("condim='4' friction='.5 .01 0'");
  for (const ConeType cone : {ConeType::kPyramid, ConeType::kBox, ConeType::kQuadratic}) {
    scene.physics.cone = cone;
    scene.physics.law = ContactLaw::kFrictionless;  // which has no friction of any kind
    EXPECT_EQ(error_of([&] { validate(scene); }), "");
    EXPECT_FALSE(has_torsion(scene));
    for (const ContactLaw law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb}) {
      scene.physics.law = law;
      EXPECT_EQ(error_of([&] { validate(scene); }), "");
      EXPECT_TRUE(has_torsion(scene));
    }
  }
  for (const char* none : {"condim='3' friction='.5 .01 0'", "condim='4' friction='.5 0 0' priority='1'"}) {
    scene.model = scene_with(none).model;
    scene.physics.cone = ConeType::kPyramid;
    EXPECT_EQ(error_of([&] { validate(scene); }), "") << none;
    EXPECT_FALSE(has_torsion(scene)) << none;
  }
}

}  // namespace
}  // namespace stiction::test
