// Claims about what contact problems may have beside H, g, J, φ and μ: rows, offsets, blocks, starts, torsion.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/api/choices.hpp"
#include "tests/api/problems.hpp"
#include "tests/support/every_choice.hpp"

namespace stiction::test {
namespace {

constexpr double kStep = 0.01;  // [s]
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A point of 1 kg above a floor, at gap 0 and without speed, pushed along x by 1 N s.
ContactBatch pushed_point(double mu) { return ContactBatch({point_on_floor(kStep, {1, 0, 0}, mu)}, kStep); }

/// One row along x.
struct RowAlongX {
  std::vector<double> J{1, 0, 0}, offset{0}, lower{0}, upper{kInfinity}, compliance{0};

  RowProblems view() const { return {1, J, offset, lower, upper, compliance, {}, {}}; }
};

/// Every law with every cone by the default solver.
std::vector<SolveOptions> every_direct_choice() {
  std::vector<SolveOptions> choices;
  for (const auto law : {ContactLaw::kFrictionless, ContactLaw::kAnitescu, ContactLaw::kCoulomb})
    for (const auto cone : {ConeType::kPyramid, ConeType::kQuadratic, ConeType::kBox}) {
      SolveOptions o;
      o.law = law, o.cone = cone, o.solver = SolverName::kInteriorPoint;
      choices.push_back(o);
    }
  return choices;
}

TEST(ContactExtras, ALimitStopsAMotionAtItsDistance) {
  ContactBatch batch = pushed_point(0);
  RowAlongX row;
  row.J[0] = -1, row.offset[0] = 0.25;  // −v + 0.25 >= 0
  batch.view.rows = row.view();
  const ContactAnswers a = solve_contact(batch.view);
  ASSERT_EQ(a.status[0], status::kConverged);
  EXPECT_NEAR(a.v[0], 0.25, tolerance::kHand);
  EXPECT_NEAR(a.row_lambda[0], 0.75, tolerance::kHand);
}

TEST(ContactExtras, ACouplingPrescribesAndDryFrictionHoldsBack) {
  ContactBatch batch = pushed_point(0);
  RowAlongX row;
  row.lower[0] = -kInfinity, row.offset[0] = -0.4;  // v = 0.4
  batch.view.rows = row.view();
  EXPECT_NEAR(solve_contact(batch.view).v[0], 0.4, tolerance::kHand);
  row.lower[0] = -0.3, row.upper[0] = 0.3, row.offset[0] = 0;
  batch.view.rows = row.view();
  const ContactAnswers a = solve_contact(batch.view);
  EXPECT_NEAR(a.v[0], 0.7, tolerance::kHand);
  EXPECT_NEAR(a.row_lambda[0], -0.3, tolerance::kHand);
}

TEST(ContactExtras, AComplianceIsAnotherMassInTheRow) {
  ContactBatch batch = pushed_point(0);
  RowAlongX row;
  row.lower[0] = -kInfinity, row.compliance[0] = 3;  // v + 3 λ = 0, v = 1 + λ
  batch.view.rows = row.view();
  EXPECT_NEAR(solve_contact(batch.view).v[0], 0.75, tolerance::kHand);
}

TEST(ContactExtras, AnOffsetIsTheSpeedOfTheFloor) {
  ContactBatch batch = pushed_point(0.5);
  const std::vector<double> offset = {0, -1, 0};  // the floor runs along with the point
  batch.view.offset = offset;
  const ContactAnswers a = solve_contact(batch.view);
  ASSERT_EQ(a.status[0], status::kConverged);
  EXPECT_NEAR(a.v[0], 1.0, tolerance::kHand);
  EXPECT_NEAR(a.lambda[1], 0.0, tolerance::kHand);
}

TEST(ContactExtras, FrictionMayDifferBetweenTheTangents) {
  SolveOptions o;
  o.law = ContactLaw::kCoulomb;
  ContactBatch batch({point_on_floor(kStep, {1, 0, 0}, 0.5), point_on_floor(kStep, {0, 1, 0}, 0.5)}, kStep);
  const std::vector<double> mu = {0.5, 0, 0.5, 0};
  batch.view.mu = mu, batch.view.frictions = 2;
  const ContactAnswers a = solve_contact(batch.view, o);
  EXPECT_NEAR(a.v[0], 1 - 0.5 * 10 * kStep, tolerance::kHand);
  EXPECT_NEAR(a.v[4], 1, tolerance::kHand);
}

TEST(ContactExtras, TorsionHoldsASpinUpToItsMoment) {
  // a body that moves along z and turns about it, 1 kg and 0.1 kg m², spinning at 2 rad/s; weight 10 N
  const std::vector<double> H = {1, 0, 0, 0.1}, g = {-10 * kStep, 0.2}, J = {1, 0, 0, 0, 0, 0, 0, 1};
  const std::vector<double> phi = {0}, mu = {0.5, 0.5, 0.02}, radius = {0.05};
  ContactProblems p{1, 2, 1, H, g, J, phi, mu, kStep, {}};
  p.frictions = 3, p.radius = radius;
  SolveOptions o;
  o.law = ContactLaw::kCoulomb;
  for (const auto& cone : test::kEveryCone) {
    o.cone = cone.value;
    const ContactAnswers a = solve_contact(p, o);
    ASSERT_EQ(a.status[0], status::kConverged) << cone;
    EXPECT_NEAR(a.v[1], (0.2 - 0.02 * 10 * kStep) / 0.1, tolerance::kHand) << cone;
    EXPECT_NEAR(a.lambda[3], -0.02 * 10 * kStep, tolerance::kHand) << cone;
  }
}

/// Two points on a floor that push each other along x, and where they may be cut.
struct TwoPoints {
  std::vector<double> H, g{1, 0, -10 * kStep, -1, 0, -10 * kStep}, J, phi{0, 0, 0}, mu{0.5, 0.5, 0.3};
  std::vector<int> blocks{3, 3}, sides{-1, 0, -1, 1, 0, 1};
  ContactProblems view;

  TwoPoints() {
    append(Matrix::Identity(6, 6), H);
    Matrix floor(3, 3), between(3, 3), rows = Matrix::Zero(9, 6);
    floor << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    between << 1, 0, 0, 0, 1, 0, 0, 0, 1;
    rows.block(0, 0, 3, 3) = floor, rows.block(3, 3, 3, 3) = floor;
    rows.block(6, 0, 3, 3) = -between, rows.block(6, 3, 3, 3) = between;
    append(rows, J);
    view = {1, 6, 3, H, g, J, phi, mu, kStep, {}};
  }
};

TEST(ContactExtras, BlocksDoNotChangeTheAnswer) {
  TwoPoints p;
  const ContactAnswers whole = solve_contact(p.view);
  p.view.blocks = p.blocks;
  const ContactAnswers found = solve_contact(p.view);
  p.view.sides = p.sides;
  const ContactAnswers given = solve_contact(p.view);
  ASSERT_EQ(whole.status[0] | found.status[0], status::kConverged);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(found.v[k], whole.v[k], tolerance::kHand) << k;
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(given.v[k], whole.v[k], tolerance::kHand) << k;
}

TEST(ContactExtras, AStartChoosesAmongManyMotions) {
  const std::vector<double> H(4, 0.0), g(2, 0.0), start = {0.3, -0.2};
  ContactProblems p{1, 2, 0, H, g, {}, {}, {}, kStep, {}};
  p.start = start;
  const ContactAnswers a = solve_contact(p);
  EXPECT_NEAR(a.v[0], 0.3, tolerance::kHand);
  EXPECT_NEAR(a.v[1], -0.2, tolerance::kHand);
}

TEST(ContactExtras, AStartBeyondAContactDoesNotMatterToWhatHasMass) {
  ContactBatch batch = pushed_point(0.5);
  for (const double speed : {20.0, 1e3}) {
    const std::vector<double> start = {speed, -speed, -speed};  // through the floor
    batch.view.start = start;
    for (const SolveOptions& o : every_direct_choice()) {
      const ContactAnswers a = solve_contact(batch.view, o);
      EXPECT_EQ(a.status[0], status::kConverged) << speed << " " << a.residual[0];
    }
  }
}

TEST(ContactExtras, FromItsAnswerASolverIsDoneAtOnce) {
  TwoPoints p;
  const ContactAnswers cold = solve_contact(p.view);
  p.view.warm = {cold.v, cold.lambda, {}, {}};
  const ContactAnswers warm = solve_contact(p.view);
  EXPECT_GT(cold.iterations[0], 1);
  EXPECT_LE(warm.iterations[0], 1);
}

TEST(ContactExtras, AStartThatIsNotFiniteIsNone) {
  TwoPoints p;
  const ContactAnswers cold = solve_contact(p.view);
  for (const double bad : {std::nan(""), kInfinity, -kInfinity})
    for (std::size_t k = 0; k < cold.v.size() + cold.lambda.size(); ++k) {
      std::vector<double> v = cold.v, lambda = cold.lambda;
      (k < v.size() ? v[k] : lambda[k - v.size()]) = bad;
      p.view.warm = {v, lambda, {}, {}};
      const ContactAnswers a = solve_contact(p.view);
      EXPECT_EQ(a.v, cold.v) << bad << " " << k;
      EXPECT_EQ(a.iterations, cold.iterations);
    }
}

TEST(ContactExtras, RowsAgainstEachOtherHaveACertificate) {
  ContactBatch batch = pushed_point(0.5);
  const std::vector<double> J = {1, 0, 0, -1, 0, 0}, offset = {-1, -1}, lower = {0, 0}, upper = {kInfinity, kInfinity};
  batch.view.rows = {2, J, offset, lower, upper, {}, {}, {}};  // v >= 1 and v <= -1
  const ContactAnswers a = solve_contact(batch.view);
  ASSERT_EQ(a.status[0], status::kInfeasible);
  EXPECT_GT(a.row_farkas[0], 0);
  EXPECT_NEAR(a.row_farkas[0], a.row_farkas[1], tolerance::kCertificate * a.row_farkas[0]);
}

TEST(BadContactExtras, AreRefusedWithArgumentExpectedAndGiven) {
  const auto after = [](const std::function<void(TwoPoints&, SolveOptions&)>& spoil) -> std::string {
    TwoPoints p;
    SolveOptions o;
    p.view.blocks = p.blocks;
    spoil(p, o);
    try {
      solve_contact(p.view, o);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  using P = TwoPoints;
  using O = SolveOptions;
  const std::vector<int> fours = {4, 4}, same = {0, 0, -1, 1, 0, 1}, far = {-1, 0, -1, 2, 0, 1}, few = {-1, 0};
  const std::vector<double> nine(9, 1.0), row(6, 1.0), zero = {0.0}, one = {1.0}, not_a_number = {std::nan("")};
  EXPECT_EQ(after([](P&, O&) {}), "");
  EXPECT_EQ(after([&](P& p, O&) { p.view.blocks = fours; }), "blocks: expected a sum of nv, 6, given more");
  EXPECT_EQ(after([&](P& p, O&) { p.view.sides = same; }),
            "sides: problem 0, item 0: expected two different blocks of 2, or -1 for none, given 0 and 0");
  EXPECT_EQ(after([&](P& p, O&) { p.view.sides = far; }),
            "sides: problem 0, item 1: expected two different blocks of 2, or -1 for none, given -1 and 2");
  EXPECT_EQ(after([&](P& p, O&) { p.view.sides = few; }),
            "sides: expected (batch, items, 2), 1 x 3 x 2 numbers, given 2");
  EXPECT_EQ(after([&](P& p, O&) { p.H[3] = p.H[18] = 0.1; }),
            "H: problem 0, entry (0, 3) is not 0 and lies outside the blocks");
  EXPECT_EQ(after([&](P& p, O&) { p.view.offset = row; }),
            "offset: expected (batch, dimension contacts), 1 x 9 numbers, given 6");
  EXPECT_EQ(after([&](P& p, O&) { p.view.frictions = 4; }), "mu: expected 1 to 3 numbers a contact, given 4");
  EXPECT_EQ(after([&](P& p, O&) { p.view.rows = {1, row, zero, one, one, {}, {}, {}}; }),
            "row_lower: problem 0, entry 0: expected 0 or less, given 1");
  EXPECT_EQ(after([&](P& p, O&) { p.view.rows = {1, row, zero, zero, not_a_number, {}, {}, {}}; }),
            "row_upper: expected numbers or infinity, given nan");
  EXPECT_EQ(after([&](P& p, O&) { p.view.rows = {1, row, zero, zero, one, {}, zero, {}}; }),
            "row_radius: problem 0, entry 0: expected a positive length, given 0");
  EXPECT_EQ(after([&](P& p, O&) { p.view.rows = {1, zero, zero, zero, one, {}, {}, {}}; }),
            "row_J: expected (batch, rows, nv), 1 x 1 x 6 numbers, given 1");
  EXPECT_EQ(after([&](P& p, O&) {
              p.view.warm = {row, row, {}, {}};
            }),
            "warm_lambda: expected (batch, dimension contacts), 1 x 9 numbers, given 6");
}

TEST(BadContactExtras, ThatActOnThreeBlocksAreRefused) {
  TwoPoints p;
  const std::vector<int> singles(6, 1);
  p.view.blocks = singles;
  EXPECT_THROW(
      {
        try {
          solve_contact(p.view);
        } catch (const InputError& error) {
          EXPECT_STREQ(error.what(),
                       "J: problem 0, contact 0: acts on block 2 and on two others; a contact has two sides");
          throw;
        }
      },
      InputError);
}

}  // namespace
}  // namespace stiction::test
