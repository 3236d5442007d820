// LCPs and MLCPs recorded by another program (optional data): solved to the asked residual, or known to have no answer.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "kernels/solver/pivots/lemke_lcp.hpp"
#include "tests/solver/generated_lcps.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {
namespace {

std::filesystem::path problems_folder() {
  const auto shared = shared_folder();
  return shared.empty() ? shared : shared / "data" / "contact_problems";
}

/// A dense matrix record: 0, rows, columns, rows, columns, then its values column after column.
Matrix read_matrix(std::istream& in) {
  int storage = -1, rows = 0, columns = 0;
  in >> storage >> rows >> columns >> rows >> columns;
  EXPECT_EQ(storage, 0) << "only dense records are read";
  Matrix M(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j)
    for (Eigen::Index i = 0; i < rows; ++i) in >> M(i, j);
  return M;
}

Vector read_vector(std::istream& in, Eigen::Index n) {
  Vector v(n);
  for (auto& x : v) in >> x;
  return v;
}

RawLcp read_lcp(const std::filesystem::path& file) {
  std::ifstream in(file);
  int n = 0;
  in >> n;
  RawLcp p;
  p.M = read_matrix(in);
  p.q = read_vector(in, n);
  EXPECT_TRUE(in) << file;
  return p;
}

/// has_M has_ABCD n m, ends of the blocks, their types (0: equations), M, q.
RawLcp read_mlcp(const std::filesystem::path& file) {
  std::ifstream in(file);
  int has_M = 0, has_parts = 0, n = 0, m = 0;
  in >> has_M >> has_parts >> n >> m;
  EXPECT_EQ(has_M, 1) << file;
  std::vector<int> end;
  do {
    in >> end.emplace_back();
  } while (in && end.back() < n + m);
  RawLcp p;
  p.is_free.assign(static_cast<std::size_t>(n + m), 0);
  for (std::size_t b = 0; b + 1 < end.size(); ++b) {
    int type = 0;
    in >> type;
    for (int i = end[b]; i < end[b + 1]; ++i) p.is_free[static_cast<std::size_t>(i)] = type == 0;
  }
  p.M = read_matrix(in);
  p.q = read_vector(in, n + m);
  EXPECT_TRUE(in) << file;
  return p;
}

std::vector<std::filesystem::path> data_files(const char* kind) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(problems_folder() / kind))
    if (entry.path().extension() == ".dat") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

LcpReport<double> solve_recorded(const RawLcp& p, Vector& z) {
  const auto stored = p.store();
  Scratch memory(lcp_scratch<double>(static_cast<int>(p.q.size())));
  z = Vector::Zero(p.q.size());
  auto report = solve_lcp(HostTeam<>{}, stored.view(), LcpOptions{}, Arena(memory.base()), z.data());
  report.certificate = nullptr;
  return report;
}

TEST(RecordedLcps, AreSolvedOrHaveNoSolution) {
  if (problems_folder().empty()) GTEST_SKIP() << "no data folder: set STICTION_SHARED";
  int unsolvable = 0;
  for (const auto& file : data_files("lcp")) {
    const RawLcp p = read_lcp(file);
    Vector z;
    const auto report = solve_recorded(p, z);
    if (p.q.size() <= 9 && enumerate_solutions(p, kExactLcp).empty()) {
      ++unsolvable;
      EXPECT_NE(report.status, LcpStatus::kConverged) << file;
      continue;
    }
    EXPECT_EQ(report.status, LcpStatus::kConverged) << file << " residual " << report.residual;
    const Vector w = p.M * z + p.q;
    const double natural = z.cwiseMin(w).norm(), size = std::max(1.0, p.q.norm());
    EXPECT_LE(natural, kRecordedLcp * size) << file;
  }
  EXPECT_EQ(unsolvable, 1);  // the perturbed isolated solution of Pang
}

TEST(RecordedLcps, MixedOnesAreSolved) {
  if (problems_folder().empty()) GTEST_SKIP() << "no data folder: set STICTION_SHARED";
  for (const auto& file : data_files("mlcp")) {
    const RawLcp p = read_mlcp(file);
    Vector z;
    const auto report = solve_recorded(p, z);
    EXPECT_EQ(report.status, LcpStatus::kConverged) << file << " residual " << report.residual;
    const Vector w = p.M * z + p.q;
    double square = 0;
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double r = p.is_free[static_cast<std::size_t>(i)] ? w(i) : std::min(z(i), w(i));
      square += r * r;
    }
    EXPECT_LE(std::sqrt(square), kRecordedLcp * std::max(1.0, p.q.norm())) << file;
  }
}

}  // namespace
}  // namespace stiction::test
