#include <gtest/gtest.h>

#include <csignal>

#include "host/cli/cpu_features.hpp"
#include "host/cli/interrupt.hpp"
#include "host/cli/one_line.hpp"
#include "host/cli/versions.hpp"

namespace stiction::test {
namespace {

TEST(CpuFeatures, ThatAreRequiredArePresentWhereTheTestsRun) {
  CpuFeature features[kMaxCpuFeatures];
  const int count = required_cpu_features(features);
  EXPECT_EQ(find_missing_feature(features, count), nullptr);
#ifdef __AVX2__
  bool has_avx2 = false;
  for (int i = 0; i < count; ++i) has_avx2 = has_avx2 || std::string(features[i].name) == "avx2";
  EXPECT_TRUE(has_avx2);
#endif
}

TEST(CpuFeatures, NameTheFirstThatIsMissing) {
  const CpuFeature features[] = {{"avx", true}, {"avx2", false}, {"fma", false}};
  EXPECT_STREQ(find_missing_feature(features, 3), "avx2");
  EXPECT_EQ(find_missing_feature(features, 1), nullptr);
  EXPECT_EQ(find_missing_feature(features, 0), nullptr);
}

TEST(Interrupt, IsRememberedWhileTheGuardLives) {
  {
    const InterruptGuard guard;
    EXPECT_EQ(InterruptGuard::signal_received(), 0);
    std::raise(SIGINT);
    EXPECT_EQ(InterruptGuard::signal_received(), SIGINT);
  }
  const InterruptGuard next;
  EXPECT_EQ(InterruptGuard::signal_received(), 0);
}

TEST(InterruptDeathTest, EndsTheProcessTheSecondTime) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(OneLine, IsReadableTextWhateverWasQuoted) {
  EXPECT_EQ(make_one_line("plain µ ≥ 𝕏"), "plain µ ≥ 𝕏");
  EXPECT_EQ(make_one_line("a\nb\tc\r\n"), "a b c");
  EXPECT_EQ(make_one_line("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(make_one_line(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(make_one_line("\x90"), "\\x90");
  EXPECT_EQ(make_one_line("\xc3"), "\\xc3");                    // cut short
  EXPECT_EQ(make_one_line("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(make_one_line("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(make_one_line("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(make_one_line("\xc2\x9b"), "\\xc2\\x9b");  // a terminal's control sequence
  EXPECT_EQ(make_one_line(""), "");
}

TEST(Versions, AreAllKnown) {
  for (const auto& [name, version] : program_versions()) EXPECT_NE(version, "") << name;
}

}  // namespace
}  // namespace stiction::test
