// Claims about where a GPU keeps the factor of a solve: in shared memory where that costs nothing, never where it
// cannot.
#include "kernels/launch/factor_memory.hpp"

#include <gtest/gtest.h>

#include "host/backend/capacity.hpp"
#include "host/backend/solve_launch.hpp"
#include "host/backend/step_config.hpp"
#include "host/model/error.hpp"
#include "kernels/launch/run_steps.hpp"
#include "tests/step/pushed_boxes.hpp"

namespace stiction {
namespace {

constexpr SharedMemory kSmall = {99 * 1024, 100 * 1024, 1024};  // compute capability 8.6

/// The share of factors of that many bytes, or of at least `least` of them.
std::size_t near_bytes(FactorMemory memory, SolveWidth width, std::size_t factor, const SharedMemory& gpu,
                       std::size_t least = 0) {
  return plan_solve_launch(memory, width, {least > 0 ? least : factor, factor}, gpu).near_bytes;
}

/// The message of the refusal; empty if there is none.
std::string refusal(SolverName solver, SolveWidth width, std::size_t factor) {
  try {
    choose_solve_launch(FactorMemory::kShared, solver, width, {factor, factor}, kHopperShared);
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

// 4 blocks of 57,280 + 32 + 1,024 B, 8 of 28,096 + 32 + 1,024 B, 8 of 4 * 6,976 + 32 + 1,024 B are 228 KiB or less,
// with 64 B more an environment they are not
TEST(FactorMemory, IsSharedUpToWhereItCostsAResidentBlock) {
  for (const auto& [chosen, most] :
       {std::pair(SolveWidth::kBlock, 57280u), {SolveWidth::kWarp, 28096u}, {SolveWidth::kQuarter, 6976u}}) {
    const SolveWidth width = chosen;
    EXPECT_EQ(near_bytes(FactorMemory::kAuto, width, 640, kHopperShared), 640u);
    EXPECT_EQ(near_bytes(FactorMemory::kAuto, width, most, kHopperShared), most);
    EXPECT_EQ(near_bytes(FactorMemory::kAuto, width, most + 64, kHopperShared), 0u);
    const SolveBlocks blocks = solve_blocks(width, TaskKernel::kSolve);
    const auto taken = [&](std::size_t share) {
      return static_cast<std::size_t>(blocks.resident) *
             (shares_of_a_block(blocks, share) + kTeamShared + kHopperShared.reserved);
    };
    EXPECT_LE(taken(most), kHopperShared.a_multiprocessor);
    EXPECT_GT(taken(most + 64), kHopperShared.a_multiprocessor);
  }
}

TEST(FactorMemory, IsSharedByTheProblemsWhoseFactorFits) {
  EXPECT_EQ(near_bytes(FactorMemory::kAuto, SolveWidth::kBlock, 300000, kHopperShared, 28800), 57280u);
  EXPECT_EQ(near_bytes(FactorMemory::kAuto, SolveWidth::kBlock, 300000, kHopperShared, 57280), 57280u);
  EXPECT_EQ(near_bytes(FactorMemory::kAuto, SolveWidth::kBlock, 300000, kHopperShared, 57344), 0u);
  EXPECT_EQ(near_bytes(FactorMemory::kShared, SolveWidth::kBlock, 200000, kHopperShared, 640), 200000u);
}

TEST(FactorMemory, FollowsWhatTheGpuHas) {
  EXPECT_EQ(near_bytes(FactorMemory::kAuto, SolveWidth::kBlock, 24512, kSmall), 24512u);
  EXPECT_EQ(near_bytes(FactorMemory::kAuto, SolveWidth::kBlock, 24576, kSmall), 0u);
  EXPECT_EQ(near_bytes(FactorMemory::kAuto, SolveWidth::kWarp, 1000, {0, 0, 0}), 0u);
}

TEST(FactorMemory, IsWhatIsAskedFor) {
  for (const SolveWidth width : kEverySolveWidth) {
    EXPECT_EQ(near_bytes(FactorMemory::kGlobal, width, 640, kHopperShared), 0u);
    EXPECT_EQ(near_bytes(FactorMemory::kShared, width, 640, kHopperShared), 640u);
  }
  EXPECT_EQ(near_bytes(FactorMemory::kShared, SolveWidth::kBlock, 200000, kHopperShared), 200000u);
}

TEST(FactorMemory, ThatCannotBeIsRefusedInOneLine) {
  EXPECT_EQ(refusal(SolverName::kInteriorPoint, SolveWidth::kBlock, 232416), "");
  EXPECT_EQ(refusal(SolverName::kInteriorPoint, SolveWidth::kBlock, 232417),
            "factor_memory: shared given, but the factors of a block (environments: 1) take 232417 B and this GPU has "
            "232416 B for them; leave it out, or let more threads share a solve");
  EXPECT_EQ(refusal(SolverName::kPgs, SolveWidth::kWarp, 0),
            "factor_memory: shared given, but the solver pgs has no factor; leave it out");
}

TEST(FactorMemory, OfAPileOfBoxesIsItsBlocks) {
  const Scene scene = test::pushed_boxes();
  const ModelStorage<double> model(*scene.model);
  const SolverCapacity capacity =
      solver_capacity(model.view(), choose_capacity(scene), make_step_config<double>(scene));
  const auto nv = static_cast<std::size_t>(scene.model->nv);
  for (const SolverName solver : {SolverName::kInteriorPoint, SolverName::kAdmm, SolverName::kNewton}) {
    const NearBytes bytes = solver_near_bytes<double>({solver}, capacity);
    EXPECT_GE(bytes.least, 8 * (6 * nv + nv));  // the boxes' own blocks, and the inverse of the diagonal
    EXPECT_LE(bytes.least, 8 * (6 * nv + nv) + 128);
    EXPECT_GT(bytes.most, bytes.least);
    EXPECT_LE(bytes.most, 8 * nv * (nv + 1) + 128);  // a square at most
  }
  for (const SolverName solver : {SolverName::kPgs, SolverName::kLemke})
    EXPECT_EQ(solver_near_bytes<double>({solver}, capacity).most, 0u);
}

}  // namespace
}  // namespace stiction
