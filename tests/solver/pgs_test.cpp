// Claims about projected Gauss-Seidel by colours: teams of every width give the same bits in every order of their
// items, no sweep raises the dual objective, v stays that of its impulses, and the limit is the answer of the default
// solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/solver/full_blocks.hpp"
#include "tests/solver/phase_orders.hpp"
#include "tests/solver/tolerances.hpp"
#include "tests/solver/torsion_problems.hpp"

namespace stiction::test {
namespace {

constexpr int kForty = 40;

/// Bodies side by side on the floor: colours of as many groups as there are bodies, which lanes take whole.
RawProblem<double> bodies_on_a_floor(Rng& rng) {
  StackOptions o;
  o.boxes = o.columns = kForty, o.robot_dofs = 3, o.finger_contacts = 7, o.mass_in_H = 1;
  static_assert(kForty >= pgs_detail::kWholeGroups);
  auto p = random_stack(rng, o);
  add_rows(rng, p);
  return p;
}

template <class Real, int kLanes, PhaseOrder kOrder>
Answer<Real> solve_as_a_team(RawProblem<Real>& raw) {
  using Lanes = HostTeam<kOrder, kLanes>;
  const ContactProblem<Real> p = raw.view();
  Answer<Real> a = room_for_answer(p);
  ContactSolution<Real> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
  SolverConfig config;
  config.route = SolveRoute::kTeam, config.tolerance = kAskedIterative, config.max_iterations = 2;
  Scratch memory(explained_scratch<SolverName::kPgs, Real, Real>(capacity_of(p)));
  a.report = solve_pgs<Lanes, Real, Real>(Lanes{}, p, config, {}, Arena(memory.base()), out);
  return a;
}

template <class Real, int kLanes>
void expect_bits_of_a_team(RawProblem<Real>& p, const Answer<Real>& one) {
  expect_same_bits(one, solve_as_a_team<Real, kLanes, PhaseOrder::kForward>(p));
  expect_same_bits(one, solve_as_a_team<Real, kLanes, PhaseOrder::kBackward>(p));
  expect_same_bits(one, solve_as_a_team<Real, kLanes, PhaseOrder::kStrided>(p));
}

template <class Real>
void expect_bits_of_every_team(RawProblem<Real> p) {
  const auto one = solve_as_a_team<Real, 1, PhaseOrder::kForward>(p);
  EXPECT_FALSE(one.has(status::kNotFinite));
  expect_bits_of_a_team<Real, 1>(p, one);
  expect_bits_of_a_team<Real, 8>(p, one);
  expect_bits_of_a_team<Real, 32>(p, one);
  expect_bits_of_a_team<Real, 64>(p, one);
}

TEST(PgsOfEveryTeam, GivesTheSameBitsOnFullBlocks) {
  Rng rng(51);
  const Shape shapes[] = {
      {"", {6}, 4, 0}, {"", {6, 6, 6, 6, 9}, 30, 9}, {"", {1, 2, 16, 4, 20}, 24, 20}, {"", {6, 6}, 0, 0}};
  for (const Shape& shape : shapes)
    for (int sample = 0; sample < 4; ++sample) {
      auto p = random_blocks(rng, shape);
      if (sample % 2 == 1) p.law = ContactLaw::kCoulomb;
      if (sample >= 2) p = add_torsion(rng, p, sample == 2 ? ConeType::kQuadratic : ConeType::kPyramid);
      p.contacts.emplace_back(), p.rows.emplace_back();  // which move nothing
      for (auto& J : p.contacts.back().J) J.clear();
      expect_bits_of_every_team(p);
      expect_bits_of_every_team(convert<float>(p));
    }
}

TEST(PgsOfEveryTeam, GivesTheSameBitsOnStacksAndOnManyBodies) {
  Rng rng(52);
  for (int sample = 0; sample < 6; ++sample) {
    auto p = random_stack(rng, random_options(rng));
    add_rows(rng, p);
    expect_bits_of_every_team(p);
  }
  auto p = bodies_on_a_floor(rng);
  expect_bits_of_every_team(p);
  expect_bits_of_every_team(add_torsion(rng, p));
}

/// A problem that is swept by hand.
class Swept {
 public:
  explicit Swept(RawProblem<double>& raw) : p_(raw.view()), memory_(pgs_scratch<double, double>(capacity_of(p_)).all) {
    Arena arena(memory_.base());
    take_pgs_memory(capacity_of(p_), arena, m_);
    scale_problem(team_, p_, m_.scaled);
    pgs_detail::start(team_, p_, {}, m_);
  }

  void sweep_once() { sweep(team_, p_.law, m_); }

  /// ½ vᵀH v + λ·(b + φ/h e_n) + λ_r·b_r + ½ R λ_r², which projected Gauss-Seidel lowers where H is regular.
  double dual_objective() const {
    const auto& s = m_.scaled;
    double sum = 0;
    for (int j = 0; j < s.nv; ++j) sum += 0.5 * m_.v[j] * Hv(j);
    for (int k = 0; k < s.dim * s.num_contacts; ++k) sum += m_.lambda[k] * s.offset[k];
    for (int r = 0; r < s.num_rows; ++r)
      sum += m_.row_lambda[r] * (s.row_offset[r] + 0.5 * s.row_compliance[r] * m_.row_lambda[r]);
    return sum;
  }

  /// ‖H v − g − Jᵀλ‖∞
  double motion_error() const {
    const auto& s = m_.scaled;
    std::vector<double> error(static_cast<std::size_t>(s.nv));
    for (int j = 0; j < s.nv; ++j) error[static_cast<std::size_t>(j)] = Hv(j) - s.g[j];
    for (int side = 0; side < 2 * s.num_groups; ++side) {
      const int group = side / 2, block = s.group_block[side];
      const double* f = group < s.num_contacts ? m_.lambda + s.dim * group : m_.row_lambda + (group - s.num_contacts);
      for (int r = 0; block >= 0 && r < group_rows(s, group); ++r)
        for (int j = 0; j < s.block_size[block]; ++j)
          error[static_cast<std::size_t>(s.block_adr[block] + j)] -=
              s.jacobian(group, side % 2)[r * s.block_size[block] + j] * f[r];
    }
    double largest = 0;
    for (const double e : error) largest = std::max(largest, std::fabs(e));
    return largest;
  }

 private:
  double Hv(int j) const {
    const auto& s = m_.scaled;
    const int b = s.dof_block[j], n = s.block_size[b];
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += s.H[s.H_adr[b] + (j - s.block_adr[b]) * n + k] * m_.v[s.block_adr[b] + k];
    return sum;
  }

  HostTeam<PhaseOrder::kBackward, 32> team_;
  ContactProblem<double> p_;
  Scratch memory_;
  PgsMemory<double> m_{};
};

TEST(Pgs, NeverRaisesTheDualObjectiveAndKeepsTheMotionOfItsImpulses) {
  Rng rng(53);
  for (int sample = 0; sample < 12; ++sample) {
    auto o = random_options(rng);
    o.mass_in_H = 1;
    auto p = sample % 3 == 2 ? bodies_on_a_floor(rng) : random_stack(rng, o);
    if (sample % 2 == 1) p = add_torsion(rng, p);
    Swept x(p);
    double last = x.dual_objective();
    for (int k = 0; k < 100; ++k) {
      x.sweep_once();
      const double now = x.dual_objective();
      EXPECT_LE(now, last + kObjective * (1 + std::fabs(last))) << "sample " << sample << " sweep " << k;
      last = now;
    }
    EXPECT_LE(x.motion_error(), kSweptMotion) << "sample " << sample;
  }
}

TEST(Pgs, EndsAtTheAnswerOfTheDefaultSolver) {
  Rng rng(54);
  int compared = 0;
  for (int sample = 0; sample < 20; ++sample) {
    auto o = random_options(rng);
    o.boxes = 1 + sample % 6, o.finger_contacts = sample % 5, o.mass_in_H = 1, o.max_mass = 0.1;
    auto p = random_stack(rng, o);
    const auto a = solve_with<Pgs>(p, kAsked), b = solve_with<InteriorPoint>(p, kAsked);
    if (!a.has(status::kConverged) || !b.has(status::kConverged)) continue;
    ++compared;
    const double size = std::fabs(b.residual.objective) + kObjectiveFloor;
    EXPECT_NEAR(a.residual.objective, b.residual.objective, kLimit * size) << "sample " << sample;
  }
  EXPECT_GE(compared, 10);
}

}  // namespace
}  // namespace stiction::test
