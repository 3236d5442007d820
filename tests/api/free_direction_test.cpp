// Claims: where a dense singular H and rows with bounded impulses leave a way to fall, it is found and proves itself;
// where the bounds hold, the problem is solved.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/api/choices.hpp"
#include "tests/api/problems.hpp"
#include "tests/api/tolerances.hpp"
#include "tests/solver/samples.hpp"

namespace stiction::test {
namespace {

constexpr double kStep = 0.01;  // [s]
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Velocities with general rows.
struct RowBatch {
  ContactBatch contacts;
  std::vector<double> J, offset, lower, upper, compliance;

  explicit RowBatch(const OneContactProblem& p) : contacts({p}, kStep) {}
  void add(const Vector& row, double low, double high, double R = 0) {
    append(row.transpose(), J), offset.push_back(0), compliance.push_back(R);
    lower.push_back(low), upper.push_back(high);
  }
  ContactAnswers solve(const SolveOptions& o = {}) {
    const int rows = static_cast<int>(offset.size());
    contacts.view.rows = {rows, J, offset, lower, upper, compliance, {}, {}};
    return solve_contact(contacts.view, o);
  }
  Vector speeds(const Vector& d) const {
    return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(
               J.data(), static_cast<Eigen::Index>(offset.size()), d.size()) *
           d;
  }
};

/// v_1 + v_2 has mass, d = (1, −1) has none and gᵀd = 1.
OneContactProblem pushed_apart() {
  return {Matrix::Ones(2, 2), Matrix(0, 2), Vector{{1.0, 0.0}}, Vector(0), Vector(0)};
}

/// The claim of the certificate, row by row.
void expect_free(const RowBatch& batch, const OneContactProblem& p, const Vector& d) {
  const double slop = tolerance::kCertificate * d.norm();
  const Vector w = batch.speeds(d), u = p.J * d;
  double gain = p.g.dot(d);
  for (std::size_t r = 0; r < batch.offset.size(); ++r) {
    const double speed = w[static_cast<Eigen::Index>(r)], bound = speed > 0 ? batch.lower[r] : batch.upper[r];
    if (std::isinf(bound))
      EXPECT_LE(std::fabs(speed), slop) << "row " << r;
    else
      gain += bound * speed;
  }
  EXPECT_GT(gain, 0.0);
  EXPECT_LE((p.H * d).norm(), tolerance::kCertificate * p.H.norm() * d.norm());
  for (Eigen::Index c = 0; c < p.mu.size(); ++c)
    EXPECT_GE(u[3 * c] - p.mu[c] * std::hypot(u[3 * c + 1], u[3 * c + 2]), -slop);
}

TEST(FreeDirection, OvercomesDryFrictionThatIsTooWeak) {
  const OneContactProblem p = pushed_apart();
  for (const std::optional<SolverName> solver : {std::optional<SolverName>(), {SolverName::kInteriorPoint}})
    for (const double compliance : {0.0, 0.3}) {
      RowBatch batch(p);
      batch.add(Vector{{1.0, 0.0}}, -0.1, 0.1, compliance);
      SolveOptions o;
      o.solver = solver;
      const ContactAnswers a = batch.solve(o);
      ASSERT_EQ(a.status[0], status::kUnbounded) << compliance;
      const Vector d = part_of(a.direction, 1, 0);
      EXPECT_NEAR(d[1] / d[0], -1, tolerance::kHand);
      expect_free(batch, p, d);
    }
}

TEST(FreeDirection, IsNoneWhereDryFrictionHolds) {
  // along d = (1, −1): gᵀd = 1, and the row takes up to 1.5
  RowBatch batch(pushed_apart());
  batch.add(Vector{{1.0, 0.0}}, -1.5, 1.5);
  const ContactAnswers a = batch.solve();
  ASSERT_EQ(a.status[0], status::kConverged);
  EXPECT_NEAR(a.row_lambda[0], -1, tolerance::kHand);
  EXPECT_TRUE(std::isnan(a.direction[0]));
}

TEST(FreeDirection, OfADenseSingularMatrixWithBoundedRowsIsFoundOrTheProblemIsSolved) {
  Rng rng(51);
  int unbounded = 0, solved = 0;
  for (int i = 0; i < samples(80); ++i) {
    const Eigen::Index nv = 2 + i % 9, nc = i % 3, rank = 1 + nv / 2;
    const OneContactProblem p = dense_singular(rng, nv, nc, rank, 3);
    RowBatch batch(p);
    for (int r = 0; r < 1 + i % 4; ++r) {
      Vector row(nv);
      for (auto& x : row) x = uniform(rng, -1, 1);
      const int kind = (i + r) % 4;
      batch.add(row, kind == 2 ? -kInfinity : (kind == 3 ? 0 : -0.1), kind >= 2 ? kInfinity : (kind == 1 ? 0.3 : 0.1));
    }
    SolveOptions o;
    o.cone = ConeType::kQuadratic;
    const ContactAnswers a = batch.solve(o);
    if (a.status[0] == status::kConverged) ++solved;
    if (a.status[0] == status::kConverged) continue;
    ASSERT_EQ(a.status[0], status::kUnbounded) << i << " residual " << a.residual[0];
    ++unbounded;
    expect_free(batch, p, part_of(a.direction, 1, 0));
  }
  EXPECT_GT(solved, 0);
  EXPECT_GT(unbounded, 0);
}

}  // namespace
}  // namespace stiction::test
