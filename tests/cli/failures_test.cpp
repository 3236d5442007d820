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

// --- starts that are nearly right
// -------------------------------------------------------------------------------------

constexpr bool kBadStart = true;

TEST(FailureLog, TakesStepsThatUndoABadStartAsNoFailure) {
  FailureLog log(2, kBadStart);
  log.add(Status{status::kInfeasible, status::kConverged});
  log.add(Status{status::kInfeasible, status::kConverged});
  log.add(Status{status::kConverged, status::kConverged});
  log.finish();
  EXPECT_EQ(log.count(), 0);
  EXPECT_EQ(log.recovered(), 1);
  EXPECT_EQ(log.last_recovering_step(), 2);
}

TEST(FailureLog, TakesABadStartThatIsNeverUndoneAsAFailure) {
  FailureLog log(2, kBadStart);
  EXPECT_EQ(log.add(Status{status::kInfeasible, status::kConverged}), std::vector<int>{0});
  log.explain(0, "joint elbow is beyond its limit");
  EXPECT_TRUE(log.add(Status{status::kInfeasible, status::kConverged}).empty());
  log.finish();
  EXPECT_EQ(log.count(), 1);
  EXPECT_EQ(log.recovered(), 0);
  EXPECT_NE(log.describe().find("0 (infeasible: joint elbow is beyond its limit)"), std::string::npos);
}

TEST(FailureLog, TakesALaterStepWithoutASolutionAsAFailureOfABadStartToo) {
  FailureLog log(2, kBadStart);
  log.add(Status{status::kInfeasible, status::kConverged});
  log.add(Status{status::kConverged, status::kConverged});
  EXPECT_EQ(log.add(Status{status::kInfeasible, status::kInfeasible}), (std::vector<int>{0, 1}));
  log.finish();
  EXPECT_EQ(log.count(), 2);
}

TEST(FailureLog, ExcusesNothingButTheMissingSolutionOfABadStart) {
  FailureLog log(1, kBadStart);
  log.add(Status{status::kInfeasible | status::kContactsDropped});
  log.add(Status{status::kConverged});
  log.finish();
  EXPECT_EQ(log.count(), 1);
  EXPECT_NE(log.describe().find("0 (contacts dropped)"), std::string::npos) << log.describe();
}

TEST(FailureLog, ExcusesNothingOfAGoodStart) {
  FailureLog log(1);
  log.add(Status{status::kInfeasible});
  log.add(Status{status::kConverged});
  log.finish();
  EXPECT_EQ(log.count(), 1);
}

}  // namespace
}  // namespace stiction::test
