// Newton's method on the impulses by itself: its answers under every law and cone, its starts, its limits.
#include <gtest/gtest.h>

#include "kernels/solver/default/plan.hpp"
#include "tests/solver/method_run.hpp"
#include "tests/solver/phase_orders.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/tolerances.hpp"
#include "tests/solver/torsion_problems.hpp"

namespace stiction::test {
namespace {

template <class Real, class Team = HostTeam<>>
class ImpulseRun : public MethodRun<Real, Team, ImpulseState<Real>, take_impulse_state<Real>> {
  using Base = MethodRun<Real, Team, ImpulseState<Real>, take_impulse_state<Real>>;

 public:
  using Base::Base, Base::s, Base::x;

  /// From a start in the problem's units. Converged only if the certified residual is within the tolerance.
  Answer<Real> run(double tolerance, const Answer<Real>* warm = nullptr) {
    this->begin(warm);
    solve_for_impulses(Team{}, s, this->p_.law, Real(0.5 * tolerance), this->speed_floor(),
                       impulse_detail::kMostNewtonSteps, x);
    auto a = this->leave(x.now->solved, x.now->steps);
    if (!(a.residual.total <= static_cast<Real>(tolerance))) a.report.status = 0;
    return a;
  }

  /// Goes two steps from a cold start, so that some contacts press. Returns how many rows the next one moves; 0: none.
  int begin_step() {
    this->begin(nullptr);
    solve_for_impulses(Team{}, s, this->p_.law, Real(0), this->speed_floor(), 2, x);
    return x.now->steps == 2 ? impulse_detail::list_moving_rows(s, x) : 0;
  }

  /// All impulses, of contacts and rows.
  std::vector<Real> impulses() const {
    std::vector<Real> all(x.lambda.data(), x.lambda.data() + s.dim * s.num_contacts);
    all.insert(all.end(), x.row_lambda.data(), x.row_lambda.data() + s.num_rows);
    return all;
  }
};

/// Few boxes with their mass and a robot, half of them with general rows.
RawProblem<double> small_stack(Rng& rng, int sample) {
  StackOptions o;
  o.boxes = 1 + sample % 3, o.columns = 1 + sample % 2, o.robot_dofs = sample % 8;
  o.finger_contacts = static_cast<int>(uniform(rng, 0, 6)), o.step_size = sample % 2 ? 0.1 : 0.01;
  o.mass_in_H = 1;
  auto p = sample % 4 == 3 ? random_torsion(rng, o) : random_stack(rng, o);
  p.law = sample % 5 == 0 ? ContactLaw::kFrictionless : sample % 5 < 3 ? ContactLaw::kAnitescu : ContactLaw::kCoulomb;
  p.cone = sample % 3 == 0 ? ConeType::kPyramid : ConeType::kQuadratic;
  if (uniform(rng, 0, 1) < 0.5) add_rows(rng, p);
  return p;
}

TEST(Impulses, SolveMostSmallStacksUnderEveryLaw) {
  Rng rng(61);
  int converged = 0;
  const int count = samples(200);
  for (int i = 0; i < count; ++i) {
    auto p = small_stack(rng, i);
    ImpulseRun<double> run(p);
    converged += run.run(kAsked).has(status::kConverged);
    if (!run.x.now->solved) continue;
    for (int k = 0; k < run.s.num_contacts; ++k) EXPECT_GE(run.x.lambda[run.s.dim * k], 0) << i;
    for (int r = 0; r < run.s.num_rows; ++r)
      EXPECT_EQ(run.x.row_lambda[r], clamped(run.x.row_lambda[r], run.s.row_lower[r], run.s.row_upper[r])) << i;
  }
  EXPECT_GE(converged, kShareImpulses * count);
}

TEST(Impulses, NeedNoStepFromTheirOwnAnswer) {
  Rng rng(62);
  for (int i = 0; i < samples(100); ++i) {
    auto p = small_stack(rng, i);
    ImpulseRun<double> run(p);
    const auto cold = run.run(kAsGood<double> * kAsked);
    if (!cold.has(status::kConverged)) continue;
    const auto warm = run.run(kAsked, &cold);
    EXPECT_TRUE(warm.has(status::kConverged)) << i;
    EXPECT_EQ(warm.report.iterations, 0) << i << " of " << cold.report.iterations;
  }
}

TEST(Impulses, TheOrderOfPhasesDoesNotMatter) {
  Rng rng(63);
  for (int i = 0; i < samples(20); ++i) {
    auto p = small_stack(rng, i);
    const auto forward = ImpulseRun<double>(p).run(kAsked);
    expect_same_bits(forward, ImpulseRun<double, HostTeam<PhaseOrder::kBackward>>(p).run(kAsked));
    expect_same_bits(forward, ImpulseRun<double, HostTeam<PhaseOrder::kStrided>>(p).run(kAsked));
  }
}

TEST(Impulses, SolveInSinglePrecision) {
  Rng rng(64);
  int converged = 0;
  const int count = samples(200);
  for (int i = 0; i < count; ++i) {
    auto p = convert<float>(small_stack(rng, i));
    converged += ImpulseRun<float>(p).run(kFloatResidual).has(status::kConverged);
  }
  EXPECT_GE(converged, kShareImpulsesFloat * count);
}

TEST(Impulses, LeaveASingularHToOthers) {
  Rng rng(65);
  StackOptions o;
  o.boxes = 1, o.robot_dofs = 0;
  auto p = random_stack(rng, o);
  ImpulseRun<double> run(p);
  run.run(kAsked);
  EXPECT_FALSE(run.x.now->regular);
  EXPECT_FALSE(run.x.now->solved);
}

TEST(Impulses, LeaveMoreRowsThanThereIsRoomForToOthers) {
  Rng rng(66);
  StackOptions o;
  o.boxes = 12, o.columns = 4, o.robot_dofs = 0, o.mass_in_H = 1;
  auto p = random_stack(rng, o);
  ImpulseRun<double> run(p);
  run.run(kAsked);
  EXPECT_FALSE(run.x.now->solved);
  EXPECT_LE(run.x.now->rows, ImpulseLimit::kRows);
}

TEST(Impulses, AStepThroughTheVelocitiesIsThatThroughTheRows) {
  Rng rng(67);
  int compared = 0;
  for (int i = 0; i < samples(200); ++i) {
    auto p = small_stack(rng, i);
    for (const double ridge : {1e-2, 1e-4, 1e-6, impulse_detail::kLeastRidge<double>}) {
      ImpulseRun<double> one(p), other(p);
      const int rows = one.begin_step(), same = other.begin_step();
      ASSERT_EQ(rows, same);
      if (rows == 0) continue;
      ASSERT_TRUE(impulse_detail::move_by_rows(one.s, rows, ridge, one.x)) << i;
      ASSERT_TRUE(impulse_detail::move_by_velocities(other.s, ridge, other.x)) << i;
      const auto values = one.impulses(), others = other.impulses();
      double size = 0.0;
      for (const double value : values) size = std::max(size, std::fabs(value));
      for (std::size_t k = 0; k < values.size(); ++k)
        ASSERT_NEAR(values[k], others[k], 1e-13 / ridge * size) << i << ' ' << ridge;
      ++compared;
    }
  }
  EXPECT_GE(compared, samples(200));
}

/// A mass between two walls that both overlap it has no solution.
TEST(Impulses, GiveUpWhereThereIsNoSolution) {
  auto p = joints({1}, {0.1});
  for (const double sign : {1.0, -1.0}) {
    RawContact<double> c;
    c.block = {-1, 0}, c.J[1] = {sign, 0, 0}, c.gap_rate = -0.1;
    p.contacts.push_back(c);
  }
  p.law = ContactLaw::kCoulomb, p.cone = ConeType::kQuadratic;
  ImpulseRun<double> run(p);
  EXPECT_FALSE(run.run(kAsked).has(status::kConverged));
  EXPECT_LE(run.x.now->steps, impulse_detail::kMostNewtonSteps);
}

}  // namespace
}  // namespace stiction::test
