// A contact problem as the solvers hold it: in balanced units, with the matrix S = H + Q + Σ J_iᵀ W_i J_i of a Newton
// step (kernels/solver/ground/reduced_system.hpp), W_i and Q of ordinary size.
//
//   tower       a stack of cubes, four contacts below each: blocks of six dofs, each coupled with the next
//   mechanism   one tree with a full matrix, such as an arm, that touches things which do not move
#pragma once

#include <utility>
#include <vector>

#include "host/backend/batch_buffers.hpp"
#include "kernels/solver/ground/reduced_factor.hpp"
#include "kernels/solver/ground/reduced_plan.hpp"
#include "kernels/solver/ground/reduced_products.hpp"
#include "kernels/solver/ground/scale_problem.hpp"
#include "kernels/team/team.hpp"
#include "tests/solver/full_blocks.hpp"

namespace stiction::bench {

inline test::RawProblem<double> tower(int cubes) {
  test::StackOptions options;
  options.boxes = cubes;
  options.robot_dofs = 0;
  options.mass_in_H = 1;
  test::Rng random(1);
  return test::random_stack(random, options);
}

/// A contact for every second dof.
inline test::RawProblem<double> mechanism(int dofs) {
  test::Rng random(1);
  return test::random_blocks(random, {"mechanism", {dofs}, (dofs + 1) / 2, 0});
}

template <class Factor>
class ReducedProblem {
 public:
  using Team = HostTeam<>;

  explicit ReducedProblem(test::RawProblem<double> raw) : raw_(std::move(raw)) {
    const ContactProblem<double> p = raw_.view();
    Arena measure;
    take(capacity_of(p), measure);
    memory_.resize(measure.used());
    Arena arena(memory_.data());
    take(capacity_of(p), arena);
    scale_problem(Team{}, p, s);
    plan_reduced_system(Team{}, s, system);
    set_proximal_diagonal(
        Team{}, s, [](int) { return 0.01; }, system);
    for (int i = 0; i < s.num_groups; ++i) system.weight[i] = {1, 0.1, 0, 0.5, 0, 0.5};
  }
  ReducedProblem(const ReducedProblem&) = delete;

  /// S x, from H, Q, W and J alone.
  std::vector<double> multiply(const std::vector<double>& x) const {
    std::vector<double> u(3 * count(s.num_contacts)), u_rows(count(s.num_rows)), y(x.size());
    multiply_J(Team{}, s, x.data(), u.data(), u_rows.data());
    for (int i = 0; i < s.num_contacts; ++i) store3(&u[3 * count(i)], system.weight[i] * load3(&u[3 * count(i)]));
    for (int r = 0; r < s.num_rows; ++r) u_rows[count(r)] *= system.weight[s.num_contacts + r].nn;
    multiply_JT(Team{}, s, system, u.data(), u_rows.data(), y.data());
    each_dofs(Team{}, s, [&](const DofRange& dofs) {
      add_product(s, s.H, 1.0, dofs, x.data(), y.data());
      add_product(s, system.proximal, 1.0, dofs, x.data(), y.data());
    });
    return y;
  }

  ScaledProblem<double> s;
  ReducedSystem<double, Factor> system;

 private:
  static std::size_t count(int n) { return static_cast<std::size_t>(n); }

  void take(const SolverCapacity& capacity, Arena& arena) {
    s = take_scaled_problem<double>(capacity, arena);
    system = take_reduced_system<double, Factor>(capacity, s.stride, arena);
  }

  test::RawProblem<double> raw_;
  AlignedVector<char> memory_;
};

}  // namespace stiction::bench
