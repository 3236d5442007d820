// The rows of contacts: their Jacobians from poses (kernels/contact/contact_rows.hpp), and J v and Jᵀ f of a solver
// (kernels/solver/ground/reduced_products.hpp). Per call; contacts/s are those of all contacts.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "bench/micro/reduced_problem.hpp"
#include "bench/micro/scene_contacts.hpp"

namespace stiction::bench {
namespace {

using Team = HostTeam<>;

template <class Real>
constexpr double kRowError = sizeof(Real) == 8 ? 1e-12 : 1e-5;  // of unit vectors [-]
constexpr double kProductError = 1e-12;  // of f·(J v) from (Jᵀ f)·v, over the sum of the terms' sizes [-]

/// True if there are contacts of free bodies, and the three translations of each have the Jacobian ±R with R the
/// contact's frame.
template <class Real>
bool moves_along_frames(const SceneContacts<Real>& at) {
  int sides = 0;
  for (int i = 0; i < *at.scratch.contacts.count; ++i)
    for (int side = 0; side < 2; ++side) {
      const BlockJacobian<double>& J = at.scratch.contact_rows.row[i].side[side];
      if (J.block < 0 || at.model.tree_dof_num[J.block] != 6) continue;
      const double sign = side == 0 ? -1 : 1;
      for (int row = 0; row < 3; ++row)
        for (int axis = 0; axis < 3; ++axis) {
          const double entry = static_cast<double>(at.scratch.contacts.frame[9 * i + 3 * row + axis]);
          if (!(std::fabs(J.J[6 * row + axis] - sign * entry) <= kRowError<Real>)) return false;
        }
      ++sides;
    }
  return sides > 0;
}

void count_contacts(int contacts, benchmark::State& state) {
  state.counters["contacts"] = contacts;
  state.SetItemsProcessed(state.iterations() * contacts);
}

template <class Real>
void build_rows(benchmark::State& state, const std::string& scene) {
  SceneContacts<Real> at(std::string(STICTION_SOURCE_DIR) + "/scenes/" + scene);
  StepScratch<Real>& s = at.scratch;
  if (!moves_along_frames(at)) return state.SkipWithError("free bodies do not move along the frames of contacts");
  for (auto _ : state) {
    build_contact_rows(Team{}, at.model, s.poses, s.contacts, s.motion.prescribed, at.config.step_size, s.contact_rows);
    benchmark::ClobberMemory();
  }
  count_contacts(*s.contacts.count, state);
}

/// v, f, and what J makes of them.
struct Products {
  explicit Products(const ScaledProblem<double>& s)
      : v(static_cast<std::size_t>(s.nv)), f(3 * static_cast<std::size_t>(s.num_contacts)), Jv(f), JTf(v) {
    for (std::size_t j = 0; j < v.size(); ++j) v[j] = std::sin(1.0 + static_cast<double>(j));
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = std::cos(1.0 + static_cast<double>(i));
  }

  /// f·(J v) = (Jᵀ f)·v, and not zero.
  bool agree() const {
    double of_contacts = 0, of_dofs = 0, size = 0;
    for (std::size_t i = 0; i < f.size(); ++i) of_contacts += f[i] * Jv[i], size += std::fabs(f[i] * Jv[i]);
    for (std::size_t j = 0; j < v.size(); ++j) of_dofs += v[j] * JTf[j];
    return size > 0 && std::fabs(of_contacts - of_dofs) <= kProductError * size;
  }

  std::vector<double> v, f, Jv, JTf;
};

/// Times J v, or Jᵀ f if `transposed`.
void multiply(benchmark::State& state, const test::RawProblem<double>& raw, bool transposed) {
  const ReducedProblem<double> problem(raw);
  Products x(problem.s);
  const auto forth = [&] { multiply_J(Team{}, problem.s, x.v.data(), x.Jv.data(), nullptr); };
  const auto back = [&] { multiply_JT(Team{}, problem.s, problem.system, x.f.data(), nullptr, x.JTf.data()); };
  forth(), back();
  if (!x.agree()) return state.SkipWithError("f·(J v) is not (Jᵀ f)·v");
  benchmark::DoNotOptimize(&x);
  for (auto _ : state) {
    transposed ? back() : forth();
    benchmark::ClobberMemory();
  }
  count_contacts(problem.s.num_contacts, state);
}

void multiply_J_of_tower(benchmark::State& state) { multiply(state, tower(static_cast<int>(state.range(0))), false); }
void multiply_JT_of_tower(benchmark::State& state) { multiply(state, tower(static_cast<int>(state.range(0))), true); }
void multiply_J_of_mechanism(benchmark::State& state) {
  multiply(state, mechanism(static_cast<int>(state.range(0))), false);
}
void multiply_JT_of_mechanism(benchmark::State& state) {
  multiply(state, mechanism(static_cast<int>(state.range(0))), true);
}

// cubes
BENCHMARK(multiply_J_of_tower)->Arg(1)->Arg(10);
BENCHMARK(multiply_JT_of_tower)->Arg(1)->Arg(10);
// dofs
BENCHMARK(multiply_J_of_mechanism)->Arg(7)->Arg(24);
BENCHMARK(multiply_JT_of_mechanism)->Arg(7)->Arg(24);

bool register_scenes() {
  for (const std::string scene : {"hand_cube", "iiwa_stack"}) {
    benchmark::RegisterBenchmark(("build_rows<double>/" + scene).c_str(), build_rows<double>, scene);
    benchmark::RegisterBenchmark(("build_rows<float>/" + scene).c_str(), build_rows<float>, scene);
  }
  return true;
}

[[maybe_unused]] const bool registered = register_scenes();

}  // namespace
}  // namespace stiction::bench
