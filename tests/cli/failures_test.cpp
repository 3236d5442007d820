#include "host/cli/failures.hpp"

#include <gtest/gtest.h>

#include "kernels/model/types.hpp"

namespace stiction::test {
namespace {

using Status = std::vector<std::uint32_t>;

TEST(FailureLog, CountsAnEnvironmentOnceHoweverOftenItFails) {
  FailureLog log(3);
  log.add(Status{status::kConverged, status::kStalled, status::kConverged});
  log.add(Status{status::kConverged, status::kStalled | status::kInfeasible, status::kConverged});
  EXPECT_EQ(log.count(), 1);
  log.add(Status{status::kNotFinite, 0, status::kConverged});
  EXPECT_EQ(log.count(), 2);
}

TEST(FailureLog, TakesNoStepAsFailedThatConverged) {
  FailureLog log(2);
  log.add(Status{status::kConverged, 0});
  EXPECT_EQ(log.count(), 0);
}

TEST(FailureLog, NamesEveryBitAndWhatToDoAboutIt) {
  for (const FailureBit& failure : failure_bits()) {
    FailureLog log(4);
    log.add(Status{0, 0, failure.bit, 0});
    const std::string text = log.describe();
    EXPECT_EQ(text.rfind("1 of 4 environments failed: 2 (", 0), 0u) << text;
    EXPECT_NE(text.find(failure.advice), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(FailureLog, ListsTheFirstIdsOfMany) {
  FailureLog log(100);
  Status status(100, 0);
  for (int env = 10; env < 90; ++env) status[env] = status::kInfeasible;
  log.add(status);
  const std::string text = log.describe();
  EXPECT_EQ(text.rfind("80 of 100 environments failed: 10 (infeasible), 11 (infeasible)", 0), 0u) << text;
  EXPECT_NE(text.find("17 (infeasible), ...;"), std::string::npos) << text;
  EXPECT_EQ(text.find("18 ("), std::string::npos) << text;
}

}  // namespace
}  // namespace stiction::test
