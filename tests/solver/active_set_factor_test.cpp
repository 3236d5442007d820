// The active set's pieces: its factor as rows come and go, the split of an impulse on generators.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>

#include "tests/solver/active_set_run.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/hand_problems.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A factor beside the rows that it is of.
class FactorOfRows {
 public:
  explicit FactorOfRows(int capacity) : memory_(measure(capacity)) {
    Arena arena(memory_.base());
    factor = take_gram_factor<double>(capacity, arena);
  }

  double add(const VectorXd& row, double compliance) {
    VectorXd product(factor.capacity);
    for (std::size_t k = 0; k < rows.size(); ++k) product(static_cast<Index>(k)) = rows[k].dot(row);
    rows.push_back(row), compliances.push_back(compliance);
    return add_gram_row(row.dot(row) + compliance, kDependentShare, factor, product.data());
  }

  void drop(int k) {
    drop_gram_row(k, factor);
    rows.erase(rows.begin() + k), compliances.erase(compliances.begin() + k);
  }

  /// How far D⁻¹ f is from a dense solve, relative to that.
  double error(const VectorXd& f) const {
    const Index n = factor.size;
    MatrixXd D(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        D(i, j) = rows[static_cast<std::size_t>(i)].dot(rows[static_cast<std::size_t>(j)]) +
                  (i == j ? compliances[static_cast<std::size_t>(i)] : 0);
    const VectorXd dense = D.llt().solve(f);
    VectorXd x = f;
    solve_gram(factor, x.data());
    return (x - dense).norm() / dense.norm();
  }

  double last_pivot() const { return factor.pivot[factor.size - 1]; }

  GramFactor<double> factor;
  std::vector<VectorXd> rows;
  std::vector<double> compliances;

 private:
  static std::size_t measure(int capacity) {
    Arena arena;
    take_gram_factor<double>(capacity, arena);
    return arena.used();
  }

  Scratch memory_;
};

VectorXd random_vector(Rng& rng, Index n) {
  VectorXd x(n);
  for (double& entry : x) entry = uniform(rng, -1, 1);
  return x;
}

TEST(GramFactor, SolvesAsADenseOneAsRowsComeAndGo) {
  constexpr int kCapacity = 12;
  Rng rng(41);
  for (int sample = 0; sample < samples(20); ++sample) {
    FactorOfRows f(kCapacity);
    for (int change = 0; change < 60; ++change) {
      const bool full = f.factor.size == kCapacity, add = f.factor.size == 0 || (!full && uniform(rng, 0, 1) < 0.6);
      if (add)
        f.add(random_vector(rng, 2 * kCapacity), change % 3 ? 0.0 : uniform(rng, 0, 1));
      else
        f.drop(static_cast<int>(uniform(rng, 0, f.factor.size)));
      if (f.factor.size > 0) {
        EXPECT_LE(f.error(random_vector(rng, f.factor.size)), kGramFactor) << sample << " " << change;
      }
    }
  }
}

TEST(GramFactor, GivesADependentRowItsPivotBackWhenWhatItDependsOnIsDropped) {
  Rng rng(42);
  for (int k = 0; k < 4; ++k) {
    FactorOfRows f(5);
    VectorXd sum = VectorXd::Zero(6);
    for (int row = 0; row < 4; ++row) {
      f.add(random_vector(rng, 6), 0.0);
      if (row != 3) sum += uniform(rng, 0.5, 1) * f.rows.back();
    }
    EXPECT_LE(f.add(sum, 0.0), kDependentShare);
    EXPECT_EQ(f.last_pivot(), 0.0);
    f.drop(k);
    if (k == 3) {  // it does not depend on this one
      EXPECT_LE(f.last_pivot(), kDependentShare);
    } else {
      EXPECT_LE(f.error(random_vector(rng, 4)), kGramFactor) << k;
    }
  }
}

/// A point on a floor with that cone; without friction where it has one generator.
RawProblem<double> point_with(const FlatCone& cone, double mu_t, double mu_o) {
  auto p = point(cone.facets == 1 ? ContactLaw::kFrictionless : ContactLaw::kAnitescu, {0, 0, 0}, 0);
  p.cone = cone.cone, p.facets = cone.facets;
  p.contacts[0].mu_t = mu_t, p.contacts[0].mu_o = mu_o;
  return p;
}

/// The weights of `count` of the generators, at random: 1 a ray, 2 or more neighbours a face, else inside.
std::vector<double> random_weights(Rng& rng, int facets, int count) {
  std::vector<double> weight(static_cast<std::size_t>(facets), 0.0);
  const int first = static_cast<int>(uniform(rng, 0, facets));
  for (int k = 0; k < std::min(count, facets); ++k)
    weight[static_cast<std::size_t>((first + k) % facets)] = uniform(rng, 0.1, 1);
  return weight;
}

TEST(SplitImpulse, IsASumOfThreeGeneratorsThatPress) {
  Rng rng(43);
  for (const FlatCone& cone : kFlatCones) {
    auto raw = point_with(cone, 0.3, 0.7);
    ActiveSetRun<double> run(raw);
    for (int sample = 0; sample < samples(200); ++sample) {
      const auto weight = random_weights(rng, cone.facets, 1 + sample % cone.facets);
      Vec3<double> lambda{0, 0, 0};
      for (int f = 0; f < cone.facets; ++f)
        lambda = lambda + weight[static_cast<std::size_t>(f)] * run.s.generator(0, f);
      Vec3<double> sum{0, 0, 0};
      std::vector<int> used;
      active_set_detail::split_impulse(run.s, 0, lambda, [&](int facet, double beta) {
        EXPECT_GE(beta, -kSplit * lambda.x) << cone.facets;
        EXPECT_EQ(std::count(used.begin(), used.end(), facet), 0);
        used.push_back(facet), sum = sum + beta * run.s.generator(0, facet);
      });
      EXPECT_LE(used.size(), 3u);
      EXPECT_LE(norm(sum - lambda), kSplit * lambda.x) << cone.facets;
    }
  }
}

TEST(SplitImpulse, HasNoShareAlongAnAxisWithoutFriction) {
  for (const FlatCone& cone : kFlatCones) {
    if (cone.facets < 4 || cone.facets % 2) continue;  // the sections of odd ones have no generator across the axis
    for (const bool along_t : {true, false}) {
      auto raw = point_with(cone, along_t ? 0.5 : 0.0, along_t ? 0.0 : 0.5);
      ActiveSetRun<double> run(raw);
      const Vec3<double> lambda{1, along_t ? 0.2 : 0.0, along_t ? 0.0 : 0.2};
      Vec3<double> sum{0, 0, 0};
      active_set_detail::split_impulse(run.s, 0, lambda, [&](int facet, double beta) {
        EXPECT_GE(beta, -kSplit);
        sum = sum + beta * run.s.generator(0, facet);
      });
      EXPECT_LE(norm(sum - lambda), kSplit) << cone.facets;
    }
  }
}

}  // namespace
}  // namespace stiction::test
