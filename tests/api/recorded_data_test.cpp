// Claims on problems that other programs recorded (optional data): every one is solved to what is asked, or is known to
// have no solution.
#include <gtest/gtest.h>

#include "host/model/choices.hpp"
#include "tests/api/natural_map.hpp"
#include "tests/api/recorded_files.hpp"
#include "tests/api/tolerances.hpp"

namespace stiction::test {
namespace {

/// The natural map's norm relative to max(1, ‖q‖).
double judge(const LcpBatch& p, const Vector& z) {
  return natural_map(p, z).norm() / std::max(1.0, Eigen::Map<const Vector>(p.q.data(), z.size()).norm());
}

/// y >= 0, Mᵀy <= 0, qᵀy < 0
void expect_certificate(const LcpBatch& p, const Vector& y) {
  const Eigen::Index n = y.size();
  const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> M(p.M.data(), n, n);
  EXPECT_GE(y.minCoeff(), 0.0);
  EXPECT_LE((M.transpose() * y).maxCoeff(), tolerance::kCertificate * y.maxCoeff());
  EXPECT_LT((Eigen::Map<const Vector>(p.q.data(), n).dot(y)), 0.0);
}

TEST(RecordedProblems, OfComplementarityAreSolvedOrHaveNoSolution) {
  if (problems_folder().empty()) GTEST_SKIP() << "no data folder: set STICTION_SHARED";
  for (const auto& file : recorded_files("lcp")) {
    const LcpBatch p = read_lcp(file);
    const LcpAnswers a = solve_lcp(p.view);
    if (file.stem() == "lcp_Pang_isolated_sol_perturbed") {
      EXPECT_EQ(a.status[0], status::kInfeasible) << file;
      expect_certificate(p, part_of(a.farkas, 1, 0));
      continue;
    }
    EXPECT_EQ(a.status[0], status::kConverged) << file;
    EXPECT_LE(judge(p, part_of(a.z, 1, 0)), tolerance::kRecordedLcp) << file;
  }
  for (const auto& file : recorded_files("mlcp")) {
    const LcpBatch p = read_mlcp(file);
    const LcpAnswers a = solve_mlcp(p.view);
    EXPECT_EQ(a.status[0], status::kConverged) << file;
    EXPECT_LE(judge(p, part_of(a.z, 1, 0)), tolerance::kRecordedLcp) << file;
  }
}

class RecordedContact : public testing::TestWithParam<SolverName> {};

TEST_P(RecordedContact, ProblemsAreSolved) {
  if (problems_folder().empty()) GTEST_SKIP() << "no data folder: set STICTION_SHARED";
  SolveOptions o;
  o.law = ContactLaw::kCoulomb, o.cone = ConeType::kQuadratic, o.solver = GetParam();
  o.tolerance = GetParam() == SolverName::kAdmm ? tolerance::kRecordedAdmm : tolerance::kRecordedNewton;
  for (const auto& file : recorded_files("fc3d")) {
    const RecordedContacts p = read_contacts(file);
    const ContactAnswers a = solve_delassus(DelassusBatch(p.W, p.q, p.mu).view, o);
    EXPECT_EQ(a.status[0], status::kConverged) << file << " residual " << a.residual[0];
    const Matrix S = 0.5 * (p.W + p.W.transpose());  // what is solved; a.asymmetry says so
    EXPECT_LE(natural_map(S, p.q, p.mu, part_of(a.lambda, 1, 0), o.law), o.tolerance) << file;
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, RecordedContact,
                         testing::Values(SolverName::kInteriorPoint, SolverName::kNewton, SolverName::kAdmm),
                         [](const auto& info) { return choice_name(solver_choice(), info.param); });

}  // namespace
}  // namespace stiction::test
