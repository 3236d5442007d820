// What the active set works on: the rows of a scaled problem, whitened by the matrix of the motion, and the subset of
// them that works (the active rows).
//
//   S = H + Q = UᵀU by kinematic tree,  w = U v,  y = U⁻ᵀ(g + Q v_c)                                       (1)
//   facet g of contact i   a = U⁻ᵀJ_iᵀ g,  c = g·(b_i + φ_i/h e_n),  R = 0,     β in [0, ∞),   λ_i = Σ β g
//   general row r          a = U⁻ᵀJ_rᵀ,    c = b_r,                  R = R_r,   β in [l, u],   λ_r = β
//
//   symbol   variable      shape
//   U        trees         by tree (ground/tree_factors.hpp)
//   Q        epsilon       (blocks) a multiple of the identity; 0 where H alone is regular
//   a        row           (capacity, nv) of the working rows, by slot
//   β        beta          (capacity) of the working rows, by slot; the others are at the bound that `place` names
//
// A row has the number contact * facets + facet if it is a facet of a contact, and contacts * facets + r if it is a
// general row.
#pragma once

#include "kernels/solver/active_set/factor.hpp"
#include "kernels/solver/ground/reduced_products.hpp"
#include "kernels/solver/ground/tree_factors.hpp"
#include "kernels/team/array.hpp"
#include "kernels/team/reduce.hpp"

namespace stiction {

/// Whether a row is at its lower bound, at its upper bound, or works.
enum class RowPlace : unsigned char { kLower, kUpper, kWorks };

/// The progress of a run; in memory, so that all lanes see it.
template <class Real>
struct ActiveSetProgress {
  bool regular = false;  // every tree has Q = 0
  bool lost = false;     // given up: the changes are used up, or there are no multipliers for the rows that work
  bool solved = false;
  bool loose = false;                   // v is one of several solutions; valid if solved
  bool unique = false;                  // no other impulses cause this v (unique.hpp); valid if solved
  int changes = 0;                      // number of solves of (2)
  Real speed = Real(0);                 // u_0 of the answer; valid if solved
  Indexed<Real> worst = {Real(0), -1};  // value of the row that is violated most, and its number; -1: none is
};

template <class Real>
struct ActiveSetState {
  bool fits;                          // the problem, or the island, has few enough velocities and contacts
  TreeFactors<Real> trees;            // set by `whiten_problem`
  Array<Real> epsilon;                // see the table; likewise
  Array<Real> y, w, center;           // (nv) y of (1) with the rows at a bound added; w of the last iterate; v_c
  Array<Real> u, u_row;               // (contacts, 3), (rows) J v of the last iterate
  Array<Real> v, lambda, row_lambda;  // (nv), (contacts, 3), (rows) the start before a run, the answer after it
  Array<RowPlace> place;              // (contacts * facets + rows) by the row's number
  GramFactor<Real> gram;              // factor of A Aᵀ + R of the working rows
  Array<int> slot;    // (capacity) slots of the working rows in the order of the factor, followed by the free slots
  Array<int> number;  // (capacity) by slot: the row's number
  Array<Real> row, beta, constant, compliance, lower, upper;  // by slot; constant: c + a·y
  Array<Real> target;                  // (capacity) β* of the working rows in the order of the factor
  Array<Real> product;                 // (capacity) scratch: a row's products with the working rows
  Array<ScaledProblem<Real>> problem;  // (1) set by `whiten_problem`
  Array<ActiveSetProgress<Real>> now;  // of the present run

  ST_FN AnswerArrays<Real> answer() const { return {v, lambda, row_lambda}; }
};

/// Up to these sizes the active set is the faster method on one lane (docs/adr/0806-active-set-first.md).
struct ActiveSetLimit {
  static constexpr int kContacts = 128;
  static constexpr int kRows = 256;
  static constexpr int kWorking = 64;  // rows that work at the same time, of those that are not contacts'
  static constexpr int kHeld = 48;     // directions that contacts can hold: min(nv, 3 contacts)
};

/// Takes the memory for a problem within the limits, which is either the whole problem or an island. Contacts with
/// torsion have no facets: then it takes problems without contacts only.
template <class Real>
ST_FN ActiveSetState<Real> take_active_set(const SolverCapacity& capacity, Arena& arena) {
  using Limit = ActiveSetLimit;
  ActiveSetState<Real> x{};
  if (!capacity.single_lane) return x;
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  const auto take_int = [&](int count) { return arena.take<int>(static_cast<std::size_t>(count)); };
  const int nv = smaller(capacity.nv, FewDofs::kOfFewTrees),
            most = capacity.shape.dimension == 3 ? Limit::kContacts : 0;
  const int contacts = smaller(capacity.max_contacts, most);
  const int rows = smaller(capacity.max_rows, Limit::kRows), held = smaller(nv, 3 * contacts);
  const int n = smaller(held, Limit::kHeld) + smaller(rows, Limit::kWorking) + 1;  // facets that work are independent
  int square = 0;
  for (int b = 0; b < capacity.num_blocks; ++b) square += capacity.block_size[b] * capacity.block_size[b];
  x.fits =
      has_few_dofs(capacity) && capacity.max_contacts == contacts && capacity.max_rows == rows && held <= Limit::kHeld;
  x.trees = take_tree_factors<Real>(smaller(square, nv * nv), nv, arena), x.epsilon = take(capacity.num_blocks);
  x.y = take(nv), x.w = take(nv), x.center = take(nv), x.v = take(nv);
  x.u = take(3 * contacts), x.u_row = take(rows);
  x.lambda = take(3 * contacts), x.row_lambda = take(rows);
  x.place = arena.take<RowPlace>(static_cast<std::size_t>(contacts * capacity.shape.facets + rows));
  x.gram = take_gram_factor<Real>(n, arena);
  x.slot = take_int(n), x.number = take_int(n);
  x.row = take(n * nv), x.beta = take(n), x.constant = take(n), x.compliance = take(n);
  x.lower = take(n), x.upper = take(n), x.target = take(n), x.product = take(n);
  x.problem = arena.take<ScaledProblem<Real>>(1), x.now = arena.take<ActiveSetProgress<Real>>(1);
  return x;
}

namespace active_set_detail {

/// Q of a tree, relative to the largest impulse that acts on it.
template <class Real>
constexpr Real kProximal = Real(1e-3);

/// y of one tree
template <class Real>
ST_FN void start_tree(const ScaledProblem<Real>& s, int b, ActiveSetState<Real>& x) {
  const int adr = s.block_adr[b];
  for (int j = adr; j < adr + s.block_size[b]; ++j) x.y[j] = s.g[j] + x.epsilon[b] * x.center[j];
  whiten_tree(s, b, 1, x.trees, x.y + adr);
}

/// ε of a tree whose H is singular: a share of the largest impulse on it, as known from λ and g.
template <class Real>
ST_FN Real choose_epsilon(const ScaledProblem<Real>& s, int b, const ActiveSetState<Real>& x) {
  Real force = least_impulse(s, b);
  for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) force = larger(force, std::fabs(s.g[j]));
  for (int i = 0; i < s.num_contacts; ++i)
    if (s.group_block[2 * i] == b || s.group_block[2 * i + 1] == b)
      for (int a = 3 * i; a < 3 * i + 3; ++a) force = larger(force, std::fabs(x.lambda[a]));
  return kProximal<Real> * force;
}

}  // namespace active_set_detail

/// Computes (1), from the centre in x.center and λ in x.lambda.
template <class Team, class Real>
ST_PHASE void whiten_problem(const Team& team, const ScaledProblem<Real>& s, ActiveSetState<Real>& x) {
  using namespace active_set_detail;
  team.each(s.num_blocks, [&](int b) {
    x.epsilon[b] = Real(0);
    if (!is_zero_block(s, b) && factor_tree(s, Real(0), b, x.trees)) return;
    x.epsilon[b] = choose_epsilon(s, b, x);
    factor_tree(s, x.epsilon[b], b, x.trees);
  });
  team.each(s.num_blocks, [&](int b) { start_tree(s, b, x); });
  const Real proximal = team.max(s.num_blocks, Real(0), [&](int b) { return x.epsilon[b]; });
  team.once([&] {
    *x.problem = s;
    *x.now = {.regular = !(proximal > Real(0))};
  });
}

}  // namespace stiction
