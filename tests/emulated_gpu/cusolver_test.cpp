// Claims: gpu_check loads a cuSOLVER where there is one, gets every system of a batch solved by it in either precision,
// and says in one line what is missing where there is none.
#include "bench/gpu_check/cusolver.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace stiction::gpu_check {
namespace {

std::string why_not(const std::string& file) {
  try {
    Cusolver(file, 0);
  } catch (const NoCusolver& error) {
    return error.what();
  }
  return "loaded";
}

TEST(Cusolver, SolvesTheSystemsOfABatch) {
  const Cusolver cusolver(CUSOLVER_STAND_IN, 0);
  for (const int n : {1, 5, 69})
    for (const int batch : {1, 7}) {
      EXPECT_LT(cusolver.measure<double>(n, batch).error, 1e-14) << n << " " << batch;
      EXPECT_LT(cusolver.measure<float>(n, batch).error, 1e-6) << n << " " << batch;
    }
}

TEST(Cusolver, TimesTheFactorAndTheSolve) {
  const DenseFactor dense = Cusolver(CUSOLVER_STAND_IN, 0).measure<double>(69, 7);
  EXPECT_GT(dense.factor_seconds, 0.0);
  EXPECT_GT(dense.solve_seconds, 0.0);
}

TEST(Cusolver, SaysWhatIsMissing) {
  EXPECT_EQ(why_not("no/such/library.so").find("no cuSOLVER: no/such/library.so"), 0u);
  EXPECT_NE(why_not("libm.so.6").find("cusolverDnCreate"), std::string::npos);
}

TEST(Cusolver, RefusesABatchThatDoesNotFit) {
  const Cusolver cusolver(CUSOLVER_STAND_IN, 0);
  EXPECT_THROW(cusolver.measure<double>(1000, std::numeric_limits<int>::max()), OutOfMemory);
}

}  // namespace
}  // namespace stiction::gpu_check
