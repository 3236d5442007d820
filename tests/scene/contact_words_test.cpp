// How scenes say in which way contacts are read: keys of [physics], presets, the law "patch", and what excludes what.
#include <gtest/gtest.h>

#include "host/scene/overridden_scene.hpp"
#include "host/scene/presets.hpp"
#include "host/scene/scene_keys.hpp"
#include "tests/scene/scene_testing.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {
namespace {

const char* kModel = R"(<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
  <body name="cube" pos="0 0 1"><freejoint/><geom name="cube" type="box" size=".1 .1 .1"/></body></worldbody></mujoco>)";

/// [physics] of a scene whose table holds `keys`, and over which a program gives `given`.
PhysicsConfig physics(const std::string& keys, const std::string& given = "") {
  write_temporary("contact_model.xml", kModel);
  const std::string file = write_temporary("contact.toml", "model = \"contact_model.xml\"\n[physics]\n" + keys);
  return load_scene(file, given.empty() ? "" : "[physics]\n" + given).physics;
}

/// The words of all choices of [physics], in the order of the list.
std::string words_of(const PhysicsConfig& config) {
  Scene scene;
  scene.physics = config;
  std::string words;
  for_each_scene_key([&](const auto& key) {
    if constexpr (std::remove_cvref_t<decltype(key)>::kIsChoice)
      if (key.table == std::string("physics")) words += choice_name(key.allowed.choice, key.field_of(scene)) + " ";
  });
  return words;
}

TEST(ContactWords, OfAllFourKeysAreRead) {
  EXPECT_EQ(words_of(physics("")), "dynamic coulomb quadratic points start exact model auto solref solve_first ");
  const PhysicsConfig all = physics(
      "contact = \"patch\"\ngeometry = \"end\"\nrotation = \"linear\"\n"
      "torsion_radius = \"uniform\"");
  EXPECT_EQ(all.contact, ContactModel::kPatch);
  EXPECT_EQ(all.geometry, ContactGeometry::kEnd);
  EXPECT_EQ(all.rotation, Rotation::kLinear);
  EXPECT_EQ(all.torsion_radius, TorsionRadius::kUniform);
}

TEST(Presets, OfThePapersChooseTheirModels) {
  const auto words = [](const std::string& preset) { return words_of(physics("preset = \"" + preset + "\"")); };
  EXPECT_EQ(words("quasistatic_lcp"), "quasistatic coulomb pyramid points start exact model auto solref solve_first ");
  EXPECT_EQ(words("quasistatic_qp"), "quasistatic anitescu pyramid points start exact model auto solref solve_first ");
  EXPECT_EQ(words("kinematic_lcp"), "kinematic coulomb pyramid points start exact model auto solref solve_first ");
  EXPECT_EQ(words("dlc"), "kinematic coulomb pyramid points start exact model auto solref solve_first ");
  EXPECT_EQ(words("dqc"), "kinematic coulomb quadratic points start exact model auto solref solve_first ");
  EXPECT_EQ(words("ecp"), "dynamic coulomb quadratic patch end linear model auto solref solve_first ");
  EXPECT_EQ(words("graspit"), "dynamic coulomb pyramid points start exact model auto solref move_first ");
}

TEST(Presets, OfGraspItHaveItsStepUnlessOneIsNamed) {
  const auto step = [](const std::string& more) {
    write_temporary("contact_model.xml", kModel);
    const std::string keys = "model = \"contact_model.xml\"\n[physics]\npreset = \"graspit\"\n" + more;
    return load_scene(write_temporary("contact.toml", keys)).step_size;
  };
  EXPECT_EQ(step(""), 2.5e-3);
  EXPECT_EQ(step("[step]\nduration = 3\n"), 2.5e-3);
  EXPECT_EQ(step("[step]\nstep_size = 0.02\n"), 0.02);
}

TEST(Presets, AreValid) {
  for (const std::string& preset : preset_choice().built) {
    Scene scene = load_scene(write_temporary("contact_model.xml", kModel));
    scene.physics = physics("preset = \"" + preset + "\"");
    EXPECT_EQ(error_of([&] { validate(scene); }), "") << preset;
  }
}

TEST(Presets, GiveWayToKeysOfTheSameTable) {
  EXPECT_EQ(words_of(physics("preset = \"ecp\"\ncontact = \"points\"\ndynamics = \"quasistatic\"")),
            "quasistatic coulomb quadratic points end linear model auto solref solve_first ");
  EXPECT_EQ(words_of(physics("torsion_radius = \"uniform\"\npreset = \"ecp\"")),
            "dynamic coulomb quadratic patch end linear uniform auto solref solve_first ");
}

TEST(Presets, ThatAProgramGivesReplaceAllChoicesOfTheScene) {
  const std::string scene = "dynamics = \"dynamic\"\nlaw = \"frictionless\"\ncontact = \"patch\"\n";
  EXPECT_EQ(words_of(physics(scene, "preset = \"dqc\"")),
            "kinematic coulomb quadratic points start exact model auto solref solve_first ");
  EXPECT_EQ(words_of(physics("preset = \"dlc\"", "preset = \"ecp\"\nrotation = \"exact\"")),
            "dynamic coulomb quadratic patch end exact model auto solref solve_first ");
  EXPECT_EQ(words_of(physics("preset = \"ecp\"", "law = \"frictionless\"")),
            "dynamic frictionless quadratic patch end linear model auto solref solve_first ");
}

TEST(ThePatchLaw, IsCoulombsBetweenPatches) {
  EXPECT_EQ(words_of(physics("law = \"patch\"")),
            "dynamic coulomb quadratic patch end exact model auto solref solve_first ");
  EXPECT_EQ(words_of(physics("contact = \"patch\"\nlaw = \"patch\"\ngeometry = \"start\"\ncone = \"box\"")),
            "dynamic coulomb box patch start exact model auto solref solve_first ");
  EXPECT_EQ(words_of(physics("preset = \"dlc\"\nlaw = \"patch\"")),
            "kinematic coulomb quadratic patch end exact model auto solref solve_first ");
}

TEST(ThePatchLaw, OfAProgramComesBeforeTheScene) {
  EXPECT_EQ(words_of(physics("cone = \"pyramid\"\ncontact = \"points\"", "law = \"patch\"")),
            "dynamic coulomb quadratic patch end exact model auto solref solve_first ");
  EXPECT_EQ(words_of(physics("law = \"patch\"", "contact = \"points\"")),
            "dynamic coulomb quadratic points end exact model auto solref solve_first ");
  EXPECT_EQ(words_of(physics("law = \"patch\"", "law = \"anitescu\"")),
            "dynamic anitescu quadratic patch end exact model auto solref solve_first ");
}

TEST(ThePatchLaw, ExcludesPointsInTheSameTable) {
  const std::string message = error_of([] { physics("", "contact = \"points\"\nlaw = \"patch\""); });
  EXPECT_TRUE(has_words(message, {"the given keys: ", "contact = \"points\" excludes law = \"patch\""})) << message;
  EXPECT_TRUE(is_one_line(message));
}

/// The message about a scene whose [physics] is this.
std::string error_of_physics(const std::string& keys) {
  Scene scene = load_scene(write_temporary("contact_model.xml", kModel));
  scene.name = "s";
  scene.physics = physics(keys);
  return error_of([&] { validate(scene); });
}

TEST(Patches, NeedARoundCone) {
  EXPECT_EQ(error_of_physics("cone = \"pyramid\"\ncontact = \"patch\""),
            "scene 's': contact = \"patch\" needs a round friction cone: cone = \"quadratic\", not \"pyramid\" with 4 "
            "facets");
  EXPECT_EQ(error_of_physics("law = \"patch\"\ncone = \"box\""),
            "scene 's': contact = \"patch\" needs a round friction cone: cone = \"quadratic\", not \"box\"");
  EXPECT_TRUE(has_words(error_of_physics("law = \"patch\"\ncone = \"pyramid\"\nfacets = 8"), {"8 facets"}));
  EXPECT_EQ(error_of_physics("law = \"patch\""), "");
  EXPECT_EQ(error_of_physics("contact = \"patch\"\ncone = \"quadratic\""), "");
}

TEST(Patches, WithoutFrictionTakeAnyCone) {
  for (const std::string cone : {"pyramid", "box", "quadratic"})
    EXPECT_EQ(error_of_physics("contact = \"patch\"\nlaw = \"frictionless\"\ncone = \"" + cone + "\""), "") << cone;
}

TEST(LinearRotations, NeedMomentum) {
  EXPECT_EQ(error_of_physics("dynamics = \"quasidynamic\"\nrotation = \"linear\""),
            "scene 's': rotation = \"linear\" needs dynamics with momentum: dynamics = \"dynamic\" or "
            "\"dynamic_fitted\", not \"quasidynamic\"");
  EXPECT_TRUE(has_words(error_of_physics("preset = \"ecp\"\ndynamics = \"kinematic\""), {"not \"kinematic\""}));
  for (const std::string dynamics : {"dynamic", "dynamic_fitted"})
    EXPECT_EQ(error_of_physics("rotation = \"linear\"\ndynamics = \"" + dynamics + "\""), "") << dynamics;
}

TEST(UniformTorsion, NeedsPatches) {
  EXPECT_EQ(error_of_physics("torsion_radius = \"uniform\""),
            "scene 's': torsion_radius = \"uniform\" is that of a patch: it needs contact = \"patch\", not \"points\"");
  EXPECT_EQ(error_of_physics("law = \"patch\"\ntorsion_radius = \"uniform\""), "");
}

TEST(UniformTorsion, GivesContactsATorsionalRowWhereTheModelHasNone) {
  Scene scene = load_scene(write_temporary("contact_model.xml", kModel));
  ASSERT_LT(find_torsion(*scene.model), 0);
  const auto torsion = [&](const std::string& keys) {
    scene.physics = physics(keys);
    return has_torsion(scene);
  };
  EXPECT_FALSE(torsion("law = \"patch\""));
  EXPECT_TRUE(torsion("law = \"patch\"\ntorsion_radius = \"uniform\""));
  EXPECT_FALSE(torsion("contact = \"patch\"\nlaw = \"frictionless\"\ntorsion_radius = \"uniform\""));
}

}  // namespace
}  // namespace stiction::test
