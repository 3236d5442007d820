// Claims: a model that would take MuJoCo minutes or all memory is refused from its text, by the line that asks for it.
#include <gtest/gtest.h>

#include "host/scene/overridden_scene.hpp"
#include "tests/scene/scene_testing.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {
namespace {

std::string model(const std::string& world, const std::string& rest = "") {
  return "<mujoco>\n" + rest + "<worldbody>\n" + world + "\n</worldbody></mujoco>";
}

std::string error(const std::string& text, const std::string& keys = "") {
  return error_of([&] { load_scene_of_text(text, keys); });
}

struct LargeModel {
  std::string name, text, line;
};

void PrintTo(const LargeModel& shown, std::ostream* out) { *out << shown.name; }

const LargeModel kLarge[] = {
    {"replicate", model("<replicate count='1000000'><geom size='.1'/></replicate>"), ":3:"},
    {"double_quotes", model("<replicate\n count = \"1000000\" offset='1 0 0' ><geom size='.1'/></replicate>"), ":4:"},
    {"character_references", model("<replicate count='&#49;000000'><geom size='.1'/></replicate>"), ":3:"},
    {"nested", model("<replicate count='200'><replicate count='200'>\n<site/></replicate></replicate>"), ":4:"},
    {"sites", model("<replicate count='10001'><body><joint/><site/></body></replicate>"), ":3:"},
    {"keyframes", model("", "<size nkey='100000000'/>"), ":2:"},
    {"user_numbers", model("", "<size nuser_body='500000000'/>"), ":2:"},
    {"custom_numbers", model("", "<custom><numeric name='n' size='2000000000' data='1'/></custom>"), ":2:"},
    {"flex", model("<flexcomp name='f' type='grid' count='2000 2000 1' dim='2' spacing='.1 .1 .1'/>"), ":3:"},
};

class TooLarge : public testing::TestWithParam<LargeModel> {};

TEST_P(TooLarge, IsRefusedByTheLineThatAsksForIt) {
  const std::string message = error(GetParam().text);
  EXPECT_TRUE(is_one_line(message)) << message;
  EXPECT_TRUE(has_words(message, {"model text" + GetParam().line, "at most max_elements = 10000"})) << message;
}

INSTANTIATE_TEST_SUITE_P(Table, TooLarge, testing::ValuesIn(kLarge), [](const auto& info) { return info.param.name; });

TEST(ModelSize, CountsWhatIsReplicatedAndNothingThatIsNoElement) {
  // 20 bodies with a geom each, the floor, and comments, classes and a closed replicate that count nothing
  const std::string text = model(
      "<geom type='plane' size='1 1 1'/><!-- <replicate count='1000000'> -->"
      "<replicate count='20' offset='1 0 0'><body pos='0 0 1'><freejoint/><geom size='.1'/></body></replicate>",
      "<default><geom friction='.5'/></default>");
  EXPECT_EQ(error(text, "max_elements = 41"), "");
  EXPECT_TRUE(has_words(error(text, "max_elements = 40"), {"model text:3:", "41 elements", "max_elements = 40"}));
}

TEST(ModelSize, CountsIncludedAndAttachedFiles) {
  write_temporary("many.xml", model("<replicate count='300'><geom size='.1'/></replicate>"));
  const std::string included = write_temporary("included.xml", "<mujoco><include file='many.xml'/></mujoco>");
  EXPECT_TRUE(has_words(error_of([&] { load_scene(included, "max_elements = 200"); }), {"many.xml:3:", "300"}));
  EXPECT_EQ(error_of([&] { load_scene(included, "max_elements = 400"); }), "");
  const std::string attached = write_temporary(
      "attaching.xml", model("<replicate count='100' offset='1 0 0'>\n<attach model='m' prefix='a'/></replicate>",
                             "<asset><model name='m' file='many.xml'/></asset>"));
  EXPECT_TRUE(has_words(error_of([&] { load_scene(attached); }), {"many.xml:3:", "max_elements"}));
}

TEST(ModelSize, OfAScenesAttachmentsIsThatOfAllTogether) {
  const std::string part = model("<replicate count='60'><geom size='.1'/></replicate>");
  write_temporary("part.xml", part);
  const std::string text = "model = 'part.xml'\n[[attach]]\nmodel = 'part.xml'\nprefix = 'a'\n";
  EXPECT_EQ(error_of([&] { load_scene(write_temporary("two.toml", "max_elements = 120\n" + text)); }), "");
  EXPECT_TRUE(has_words(error_of([&] { load_scene(write_temporary("two.toml", "max_elements = 119\n" + text)); }),
                        {"part.xml:3:", "120 elements", "max_elements = 119"}));
}

TEST(ModelSize, HasALimitThatIsCheckedItself) {
  EXPECT_TRUE(has_words(error(model(""), "max_elements = 0"), {"max_elements = 0", "in [1, "}));
  EXPECT_TRUE(has_words(error(model(""), "max_elements = 'many'"), {"max_elements", "integer"}));
  EXPECT_TRUE(has_words(error(model(""), "max_element = 5"), {"max_element", "max_elements"}));
}

TEST(ModelSize, OfAHeightFieldOrTextureIsLimitedBeforeMemoryIsTaken) {
  const std::string field = "<asset><hfield name='h' nrow='20000' ncol='20000' size='1 1 1 1'/></asset>\n";
  const std::string geom = "<geom name='g' type='hfield' hfield='h'";
  for (const char* collides : {"/>", " contype='0' conaffinity='0'/>"})
    EXPECT_TRUE(
        has_words(error(model(geom + collides, field)), {"model text:2:", "hfield 'h'", "more than 16777216 samples"}));
  const std::string texture =
      "<asset><texture name='t' type='2d' builtin='checker' width='60000' height='60000'/></asset>";
  EXPECT_TRUE(has_words(error(model("", texture)), {"model text:2:", "texture 't'", "more than 16777216 samples"}));
}

TEST(FlatMesh, IsRefusedByNameAndNothingElseIsSaid) {
  // qhull warns of the first two and gives up on the last
  for (const char* height : {"1e-8", "1e-10", "1e-15"}) {
    const std::string text =
        model("<geom type='plane' size='1 1 1'/><body><freejoint/><geom type='mesh' mesh='sheet'/></body>",
              "<asset><mesh name='sheet' vertex='0 0 0 1 0 0 0 1 0 1 1 " + std::string(height) + "'/></asset>\n");
    testing::internal::CaptureStderr();
    const std::string message = error(text);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << height;
    EXPECT_TRUE(is_one_line(message)) << height << ": " << message;
    EXPECT_TRUE(has_words(message, {"'sheet'"})) << height << ": " << message;
  }
}

}  // namespace
}  // namespace stiction::test
