// The message of an InputError is one line of bounded length.
#include "host/model/error.hpp"

#include <gtest/gtest.h>

namespace stiction::test {
namespace {

TEST(InputErrorMessage, IsOneLine) {
  EXPECT_STREQ(InputError("a\nb\r\n\tc \x01 d\n").what(), "a b c d");
  EXPECT_STREQ(InputError("µ = 1").what(), "µ = 1");
}

TEST(InputErrorMessage, IsCut) {
  const std::string message = InputError(std::string(100000, 'x')).what();
  EXPECT_LT(message.size(), 1000u);
  EXPECT_EQ(message.substr(message.size() - 4), " ...");
}

}  // namespace
}  // namespace stiction::test
