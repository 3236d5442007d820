// The linear system of a Newton step: S = H + Q + Σ J_iᵀ W_i J_i is filled and factored, and S x = b is solved
// (kernels/solver/ground/reduced_factor.hpp, kernels/linalg/block_cholesky.hpp). The type is that of the factor.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/micro/reduced_problem.hpp"
#include "bench/micro/time_checked.hpp"

namespace stiction::bench {
namespace {

using Team = HostTeam<>;

template <class Factor>
constexpr double kSolveError = sizeof(Factor) == 8 ? 1e-10 : 1e-3;  // of S x, over the largest entry of b [-]

std::vector<double> right_side(int nv) {
  std::vector<double> b(static_cast<std::size_t>(nv));
  for (std::size_t j = 0; j < b.size(); ++j) b[j] = std::sin(1.0 + static_cast<double>(j));
  return b;
}

/// Whether S x = b; null: yes.
template <class Factor>
const char* find_fault(const ReducedProblem<Factor>& problem, const std::vector<double>& x,
                       const std::vector<double>& b) {
  const std::vector<double> product = problem.multiply(x);
  for (std::size_t j = 0; j < b.size(); ++j)
    if (!(std::fabs(product[j] - b[j]) <= kSolveError<Factor>)) return "the factor does not solve S x = b";
  return nullptr;
}

void describe(const test::RawProblem<double>& raw, benchmark::State& state) {
  state.counters["dofs"] = raw.nv();
  state.counters["contacts"] = static_cast<double>(raw.contacts.size());
}

template <class Factor>
void factor(benchmark::State& state, const test::RawProblem<double>& raw) {
  ReducedProblem<Factor> problem(raw);
  const auto run = [&] { factor_reduced_system(Team{}, problem.s, problem.system); };
  time_checked(state, run, [&] {
    const std::vector<double> b = right_side(raw.nv());
    std::vector<double> x = b;
    solve_reduced_system(Team{}, problem.s, problem.system, x.data());
    return find_fault(problem, x, b);
  });
  describe(raw, state);
}

template <class Factor>
void solve(benchmark::State& state, const test::RawProblem<double>& raw) {
  ReducedProblem<Factor> problem(raw);
  factor_reduced_system(Team{}, problem.s, problem.system);
  const std::vector<double> b = right_side(raw.nv());
  std::vector<double> x = b;
  benchmark::DoNotOptimize(x.data());
  const auto run = [&] {
    std::copy(b.begin(), b.end(), x.begin());
    solve_reduced_system(Team{}, problem.s, problem.system, x.data());
  };
  time_checked(state, run, [&] { return find_fault(problem, x, b); });
  describe(raw, state);
}

template <class Factor>
void factor_tower(benchmark::State& state) {
  factor<Factor>(state, tower(static_cast<int>(state.range(0))));
}
template <class Factor>
void factor_mechanism(benchmark::State& state) {
  factor<Factor>(state, mechanism(static_cast<int>(state.range(0))));
}
template <class Factor>
void solve_tower(benchmark::State& state) {
  solve<Factor>(state, tower(static_cast<int>(state.range(0))));
}
template <class Factor>
void solve_mechanism(benchmark::State& state) {
  solve<Factor>(state, mechanism(static_cast<int>(state.range(0))));
}

// cubes
BENCHMARK_TEMPLATE(factor_tower, double)->Arg(1)->Arg(5)->Arg(10)->Arg(20);
BENCHMARK_TEMPLATE(factor_tower, float)->Arg(1)->Arg(5)->Arg(10)->Arg(20);
BENCHMARK_TEMPLATE(solve_tower, double)->Arg(1)->Arg(5)->Arg(10)->Arg(20);
BENCHMARK_TEMPLATE(solve_tower, float)->Arg(1)->Arg(5)->Arg(10)->Arg(20);
// dofs: an arm, a hand, an arm with a hand or two
BENCHMARK_TEMPLATE(factor_mechanism, double)->Arg(7)->Arg(24)->Arg(60);
BENCHMARK_TEMPLATE(factor_mechanism, float)->Arg(7)->Arg(24)->Arg(60);
BENCHMARK_TEMPLATE(solve_mechanism, double)->Arg(7)->Arg(24)->Arg(60);
BENCHMARK_TEMPLATE(solve_mechanism, float)->Arg(7)->Arg(24)->Arg(60);

}  // namespace
}  // namespace stiction::bench
