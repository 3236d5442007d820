// The rows of contacts: their Jacobians from poses (kernels/contact/contact_rows.hpp), and J v and Jᵀ f of a solver
// (kernels/solver/ground/reduced_products.hpp). A time is that of all contacts together; items are contacts.
#include <cmath>
#include <string>
#include <vector>

#include "bench/micro/reduced_problem.hpp"
#include "bench/micro/scene_contacts.hpp"
#include "bench/micro/time_checked.hpp"
#include "host/model/error.hpp"

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
void time_rows(const std::string& folder, benchmark::State& state) {
  SceneContacts<Real> at(folder);
  StepScratch<Real>& s = at.scratch;
  const auto run = [&] {
    build_contact_rows<false>(Team{}, at.model, s.poses, s.contacts, s.motion.prescribed, at.config.step_size,
                              gap_rule(at.config), s.contact_rows);
  };
  time_checked(state, run, [&] {
    return moves_along_frames(at) ? nullptr : "free bodies do not move along the frames of contacts";
  });
  count_contacts(*s.contacts.count, state);
}

/// `scene` is one of the checkout that this program is built from.
template <class Real>
void build_rows(const char* scene, benchmark::State& state) {
  try {
    time_rows<Real>(std::string(STICTION_SOURCE_DIR) + "/scenes/" + scene, state);
  } catch (const InputError& error) {
    state.SkipWithError(error.what());
  }
}

template <class Real>
void build_rows_of_hand_cube(benchmark::State& state) {
  build_rows<Real>("hand_cube", state);
}
template <class Real>
void build_rows_of_iiwa_stack(benchmark::State& state) {
  build_rows<Real>("iiwa_stack", state);
}

/// J v and Jᵀ f of contacts and general rows.
struct Products {
  explicit Products(const test::RawProblem<double>& raw)
      : problem(raw),
        v(static_cast<std::size_t>(problem.s.nv)),
        f(3 * static_cast<std::size_t>(problem.s.num_contacts)),
        f_rows(static_cast<std::size_t>(problem.s.num_rows)),
        Jv(f),
        Jv_rows(f_rows),
        JTf(v) {
    for (std::size_t j = 0; j < v.size(); ++j) v[j] = std::sin(1.0 + static_cast<double>(j));
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = std::cos(1.0 + static_cast<double>(i));
    for (std::size_t r = 0; r < f_rows.size(); ++r) f_rows[r] = std::cos(2.0 + static_cast<double>(r));
  }

  void update_Jv() { multiply_J(Team{}, problem.s, v.data(), Jv.data(), Jv_rows.data()); }
  void update_JTf() { multiply_JT(Team{}, problem.s, problem.system, f.data(), f_rows.data(), JTf.data()); }

  /// Whether f·(J v) = (Jᵀ f)·v, and not zero; null: yes.
  const char* find_fault() {
    update_Jv();
    update_JTf();
    double of_rows = 0, of_dofs = 0, size = 0;
    const auto add = [&](double term) { of_rows += term, size += std::fabs(term); };
    for (std::size_t i = 0; i < f.size(); ++i) add(f[i] * Jv[i]);
    for (std::size_t r = 0; r < f_rows.size(); ++r) add(f_rows[r] * Jv_rows[r]);
    for (std::size_t j = 0; j < v.size(); ++j) of_dofs += v[j] * JTf[j];
    const bool equal = size > 0 && std::fabs(of_rows - of_dofs) <= kProductError * size;
    return equal ? nullptr : "f·(J v) is not (Jᵀ f)·v";
  }

  ReducedProblem<double> problem;
  std::vector<double> v, f, f_rows, Jv, Jv_rows, JTf;
};

/// Times update(Products).
template <class Update>
void time_products(const test::RawProblem<double>& raw, Update update, benchmark::State& state) {
  Products x(raw);
  benchmark::DoNotOptimize(&x);
  time_checked(
      state, [&] { update(x); }, [&] { return x.find_fault(); });
  count_contacts(x.problem.s.num_contacts, state);
}

constexpr auto kUpdateJv = [](Products& x) { x.update_Jv(); };
constexpr auto kUpdateJTf = [](Products& x) { x.update_JTf(); };

void multiply_J_of_tower(benchmark::State& state) {
  time_products(tower(static_cast<int>(state.range(0))), kUpdateJv, state);
}
void multiply_JT_of_tower(benchmark::State& state) {
  time_products(tower(static_cast<int>(state.range(0))), kUpdateJTf, state);
}
void multiply_J_of_mechanism(benchmark::State& state) {
  time_products(mechanism(static_cast<int>(state.range(0))), kUpdateJv, state);
}
void multiply_JT_of_mechanism(benchmark::State& state) {
  time_products(mechanism(static_cast<int>(state.range(0))), kUpdateJTf, state);
}

BENCHMARK_TEMPLATE(build_rows_of_hand_cube, double);
BENCHMARK_TEMPLATE(build_rows_of_hand_cube, float);
BENCHMARK_TEMPLATE(build_rows_of_iiwa_stack, double);
BENCHMARK_TEMPLATE(build_rows_of_iiwa_stack, float);
// cubes
BENCHMARK(multiply_J_of_tower)->Arg(1)->Arg(10);
BENCHMARK(multiply_JT_of_tower)->Arg(1)->Arg(10);
// dofs
BENCHMARK(multiply_J_of_mechanism)->Arg(7)->Arg(24);
BENCHMARK(multiply_JT_of_mechanism)->Arg(7)->Arg(24);

}  // namespace
}  // namespace stiction::bench
