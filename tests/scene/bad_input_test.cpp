// The table of bad input in bad_input/cases.tsv: one line that names what is wrong and where.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "host/scene/presets.hpp"
#include "tests/scene/scene_testing.hpp"

namespace stiction::test {
namespace {

struct BadInput {
  std::string kind, path;
  std::vector<std::string> words;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<BadInput> read_table() {
  std::vector<BadInput> cases;
  std::ifstream stream(test_file("bad_input/cases.tsv"));
  for (std::string line; std::getline(stream, line);) {
    const std::vector<std::string> columns = split(line, '\t');
    if (columns.size() == 3 && line[0] != '#') cases.push_back({columns[0], columns[1], split(columns[2], '|')});
  }
  return cases;
}

TEST(BadInput, HasAtLeastThreeCasesOfEveryKind) {
  std::map<std::string, int> count;
  for (const BadInput& bad : read_table()) ++count[bad.kind];
  for (const char* kind :
       {"missing scene", "missing model", "malformed scene", "malformed model", "unknown key", "ill-typed key",
        "unsupported feature", "mesh missing", "wrong command length", "negative mass or step", "bad script"}) {
    EXPECT_GE(count[kind], 3) << kind;
  }
}

TEST(BadInput, IsAnsweredByOneLineThatSaysWhatAndWhere) {
  for (const BadInput& bad : read_table()) {
    const std::string message = error_of([&] { load_scene(test_file("bad_input/" + bad.path)); });
    EXPECT_TRUE(is_one_line(message)) << bad.path << ": '" << message << "'";
    EXPECT_TRUE(has_words(message, bad.words)) << bad.path << ": " << message;
  }
}

TEST(BadInput, TheModelThatTheCasesShareIsGood) {
  EXPECT_EQ(error_of([] { load_scene(test_file("bad_input/models/good.xml")); }), "");
}

}  // namespace
}  // namespace stiction::test
