// Claims: a start whose impulses fit is worth a solve even where its velocities are all wrong.
#include <gtest/gtest.h>

#include "tests/solver/generated_problems.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

/// J w of one side, row by row.
template <std::size_t kRows>
void subtract_product(const std::vector<double>& J, const double* w, std::size_t n, std::array<double, kRows>& out) {
  for (std::size_t row = 0; row * n < J.size(); ++row)
    for (std::size_t j = 0; j < n; ++j) out[row] -= J[row * n + j] * w[j];
}

/// The problem seen from a frame that moves with −w: v + w solves it with the same λ.
RawProblem<double> move_on(RawProblem<double> p, const std::vector<double>& w) {
  std::vector<const double*> of_block;
  std::size_t adr = 0;
  for (std::size_t b = 0; b < p.block_size.size(); ++b) {
    const auto n = static_cast<std::size_t>(p.block_size[b]);
    of_block.push_back(w.data() + adr);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) p.g[adr + i] += p.H[b][i * n + j] * w[adr + j];
    adr += n;
  }
  for (auto& c : p.contacts)
    for (std::size_t side = 0; side < 2; ++side) {
      if (c.block[side] < 0) continue;
      const auto b = static_cast<std::size_t>(c.block[side]);
      subtract_product(c.J[side], of_block[b], static_cast<std::size_t>(p.block_size[b]), c.offset);
    }
  return p;
}

/// Boxes that stick to each other and to the table.
RawProblem<double> resting_boxes(Rng& rng, ConeType cone) {
  StackOptions options;
  options.boxes = 1 + static_cast<int>(uniform(rng, 0, 8)), options.columns = 2;
  options.robot_dofs = 0, options.mass_in_H = 1.0;
  auto p = random_stack(rng, options);
  p.cone = cone;
  for (auto& c : p.contacts) c.gap_rate = 0.0;
  return p;
}

TEST(WarmStart, ImpulsesThatFitSaveTheSolveWhereAllElseMovesOn) {
  Rng rng(811);
  for (int i = 0; i < samples(30); ++i) {
    auto p = resting_boxes(rng, i % 2 ? ConeType::kPyramid : ConeType::kQuadratic);
    const auto before = solve(p, kAsked);
    ASSERT_TRUE(before.has(status::kConverged)) << i;
    const std::array<double, 3> shift{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)};
    std::vector<double> w(before.v.size());
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = j % 6 < 3 ? shift[j % 6] : 0.0;
    auto moved = move_on(p, w);
    const auto after = solve(moved, kAsked, &before);
    EXPECT_TRUE(after.has(status::kConverged)) << i << " residual " << after.report.residual;
    EXPECT_LE(after.report.iterations, 6) << i;  // up to 17 where the first step follows û instead
    for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(after.v[j], before.v[j] + w[j], kHandNumber) << i;
  }
}

}  // namespace
}  // namespace stiction::test
