// Three orders of visiting a phase's items give the same bits; so do a used and a fresh scratch.
#include "tests/solver/phase_orders.hpp"

#include <gtest/gtest.h>

#include "tests/solver/generated_problems.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

TEST(PhaseOrders, SameBitsOnStacks) {
  Rng rng(21);
  for (int i = 0; i < 6; ++i) {
    StackOptions o;
    o.boxes = 2 + 2 * i, o.columns = 1 + i % 3, o.finger_contacts = 3 * i, o.facets = 3 + i;
    auto p = random_stack(rng, o);
    RawRow<double> limit;
    limit.block = {-1, o.boxes}, limit.J[1] = {0, 1, 0}, limit.offset = 1e-3;
    p.rows.push_back(limit);
    expect_order_does_not_matter<InteriorPoint>(p, 1e-8);
    auto f = convert<float>(p);
    expect_order_does_not_matter<InteriorPoint>(f, 1e-4);
  }
}

TEST(PhaseOrders, SameBitsUnderEveryLawWithEveryCone) {
  constexpr ContactLaw kLaws[] = {
#define ST_LAW(enumerator, name, ...) ContactLaw::enumerator,
#include "kernels/problem/laws.inc"
#undef ST_LAW
  };
  constexpr ConeType kCones[] = {
#define ST_CONE(enumerator, name, ...) ConeType::enumerator,
#include "kernels/problem/cones.inc"
#undef ST_CONE
  };
  Rng rng(23);
  for (const ContactLaw law : kLaws)
    for (const ConeType cone : kCones)
      for (int i = 0; i < 3; ++i) {
        StackOptions o;
        o.boxes = 2 + 2 * i, o.columns = 1 + i % 2, o.finger_contacts = 3 * i, o.facets = 3 + i;
        auto p = random_stack(rng, o);
        p.law = law, p.cone = cone;
        for (auto& c : p.contacts) c.mu_o *= uniform(rng, 0.5, 1), c.offset[1] = c.block[0] < 0 ? 0.05 : 0;
        expect_order_does_not_matter<InteriorPoint>(p, 1e-8);
        auto f = convert<float>(p);
        expect_order_does_not_matter<InteriorPoint>(f, 1e-4);
      }
}

TEST(PhaseOrders, SameBitsWithCertificates) {
  Rng rng(22);
  StackOptions o;
  o.boxes = 3, o.robot_dofs = 0;
  auto p = random_stack(rng, o);
  p.contacts.erase(p.contacts.begin(), p.contacts.begin() + 4);  // no floor
  expect_order_does_not_matter<InteriorPoint>(p, 1e-8);
  auto q = random_stack(rng, o);
  for (auto& c : q.contacts) c.gap_rate = 0;
  RawContact<double> lid = q.contacts.back();
  for (double& x : lid.J[0]) x = -x;
  for (double& x : lid.J[1]) x = -x;
  lid.gap_rate = -0.1;
  q.contacts.push_back(lid);
  expect_order_does_not_matter<InteriorPoint>(q, 1e-8);
}

}  // namespace
}  // namespace stiction::test
