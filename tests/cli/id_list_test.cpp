#include "host/cli/id_list.hpp"

#include <gtest/gtest.h>

#include "tests/cli/input_error.hpp"

namespace stiction::test {
namespace {

using Envs = std::vector<int>;

TEST(EnvList, ReadsSinglesAndRangesInTheirOrder) {
  EXPECT_EQ(parse_env_list("0", 1), (Envs{0}));
  EXPECT_EQ(parse_env_list("7,0,3-5", 8), (Envs{7, 0, 3, 4, 5}));
  EXPECT_EQ(parse_env_list("2-2", 3), (Envs{2}));
}

TEST(EnvList, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"8", "no environment 8; the batch has 0 to 7"},
      {"6-8", "no environment 8"},
      {"99999999999", "no environment 99999999999"},
      {"5-3", "runs backwards"},
      {"1,2,1", "environment 1 occurs twice"},
      {"0-3,2", "environment 2 occurs twice"},
      {"", "'' is no environment"},
      {"1,", "'' is no environment"},
      {",1", "'' is no environment"},
      {"1-", "'' is no environment"},
      {"-1", "'-1' is no environment"},
      {"1--2", "'-2' is no environment"},
      {"a", "'a' is no environment"},
      {"1.5", "'1.5' is no environment"},
      {"1 2", "'1 2' is no environment"},
  };
  for (const auto& [text, reason] : cases) {
    const auto error = input_error([&] { parse_env_list(text, 8); });
    EXPECT_NE(error.find(reason), std::string::npos) << "'" << text << "': " << error;
    EXPECT_EQ(error.rfind("--envs ", 0), 0u) << error;
  }
}

}  // namespace
}  // namespace stiction::test
