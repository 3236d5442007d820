// Claims: where the factor lies changes no bit of an answer; it lies in near memory where what its problem couples fits
// there, however large another problem's may be; of so many bodies that the factor is one dense matrix, all or nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/solver/generated_problems.hpp"
#include "tests/solver/solve.hpp"

namespace stiction {
namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

struct Outcome {
  std::vector<double> v, lambda, row_lambda;
  SolverReport<double> report;
};

template <SolverName kName, class Factor>
Outcome solve_beside(const ContactProblem<double>& p, NearMemory near) {
  Outcome a{std::vector<double>(static_cast<std::size_t>(p.nv)),
            std::vector<double>(static_cast<std::size_t>(p.dimension * p.num_contacts)),
            std::vector<double>(static_cast<std::size_t>(p.num_rows)),
            {}};
  ContactSolution<double> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
  test::Scratch memory(explained_scratch<kName, double, Factor>(capacity_of(p)));
  SolverConfig config;
  config.route = SolveRoute::kTeam;  // near memory is a GPU's
  a.report = solve_explained<kName, HostTeam<>, double, Factor>(HostTeam<>{}, p, config, WarmStart<double>{},
                                                                Arena(memory.base()).beside(near), out);
  return a;
}

/// The same problem with the factor in near memory that holds every factor, some, that of bodies that touch none other
/// (not `coupled`: this problem's), and none.
template <SolverName kName, class Factor>
void expect_same_bits(const ContactProblem<double>& p, bool coupled) {
  const Outcome plain = solve_beside<kName, Factor>(p, {});
  const auto [least, most] = solver_detail::near_bytes<kName, double, Factor>(capacity_of(p));
  for (const std::size_t room : {most, most / 2, least, least - 64, std::size_t{64}}) {
    if (room > most) continue;  // a solver without a factor
    test::Scratch near(room);
    const Outcome other = solve_beside<kName, Factor>(p, {static_cast<char*>(near.base()), room});
    EXPECT_TRUE(same_bits(plain.v, other.v)) << room;
    EXPECT_TRUE(same_bits(plain.lambda, other.lambda)) << room;
    EXPECT_TRUE(same_bits(plain.row_lambda, other.row_lambda)) << room;
    EXPECT_EQ(plain.report.status, other.report.status) << room;
    EXPECT_EQ(plain.report.iterations, other.report.iterations) << room;
    const char* used = static_cast<char*>(near.base());
    const bool touched = std::any_of(used, used + room, [](char byte) { return byte != static_cast<char>(0xff); });
    const bool fits = room == most || (room == least && !coupled);
    EXPECT_TRUE(touched || !fits || most == 0) << room;
    EXPECT_FALSE(touched && room < least) << room;
  }
}

class NearMemoryOf : public testing::TestWithParam<SolverName> {};

TEST_P(NearMemoryOf, HoldsTheFactorsThatFitAndChangesNoBit) {
  test::Rng rng(7);
  for (const int columns : {1, 2, 20}) {
    const bool coupled = columns < 20;
    test::StackOptions options;
    options.columns = columns;
    options.boxes = coupled ? 5 * columns : columns;
    if (!coupled) options.finger_contacts = 0;
    test::RawProblem<double> raw = test::random_stack(rng, options);
    const ContactProblem<double> p = raw.view();
    switch (GetParam()) {
#define ST_SOLVER(enumerator, name, function, scratch_of, factors)                      \
  case SolverName::enumerator:                                                          \
    expect_same_bits<SolverName::enumerator, double>(p, coupled);                       \
    if constexpr (factors) expect_same_bits<SolverName::enumerator, float>(p, coupled); \
    break;
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER
    }
  }
}

TEST(NearBytes, ADenseFactorHasOneSize) {
  const std::vector<int> sizes(kMaxBlocks + 1, 2);
  const auto bytes_of = [&](int blocks) {
    SolverConfig config;
    config.name = SolverName::kNewton;
    const SolverCapacity capacity{
        2 * blocks, blocks, sizes.data(), 8, 0, shape_cone(ContactLaw::kAnitescu, ConeType::kPyramid, 4), 8};
    return solver_near_bytes<double>(config, capacity);
  };
  const NearBytes sparse = bytes_of(kMaxBlocks), dense = bytes_of(kMaxBlocks + 1);
  EXPECT_LT(sparse.least, sparse.most);
  EXPECT_GE(dense.most, sizeof(double) * 4 * (kMaxBlocks + 1) * (kMaxBlocks + 1));
  EXPECT_EQ(dense.least, dense.most);
}

INSTANTIATE_TEST_SUITE_P(EverySolver, NearMemoryOf,
                         testing::Values(SolverName::kInteriorPoint, SolverName::kAdmm, SolverName::kPgs,
                                         SolverName::kLemke, SolverName::kNewton));

}  // namespace
}  // namespace stiction
