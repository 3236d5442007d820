// Claims: every bad array of motions is one line that names it, its entry, what was expected and what was given.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/api/motions.hpp"

namespace stiction::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The message of the InputError for two motions that were spoilt.
std::string after(const std::function<void(MotionBatch&)>& spoil, Gyroscopic term = Gyroscopic::kNone) {
  Motion m;
  m.after << 0, 0, 1, 0, 0, 0;
  MotionBatch batch({m, m}, term);
  spoil(batch);
  try {
    contact_from_motion(batch.view);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(BadMotions, AreNone) {
  EXPECT_EQ(after([](MotionBatch&) {}), "");
  EXPECT_EQ(after([](MotionBatch&) {}, Gyroscopic::kOfTheEnd), "");
  EXPECT_EQ(after([](MotionBatch&) {}, Gyroscopic::kInTheMomentum), "");
}

TEST(BadMotions, HaveArraysOfAnotherSize) {
  using B = MotionBatch;
  const std::string one = "numbers for a count of 2, given 1";
  const auto shortened = [&](std::span<const double> BodyMotions::*field) {
    return after([&](B& b) { b.view.*field = b.view.mass.first(1); });
  };
  EXPECT_EQ(after([](B& b) { b.view.count = -1; }), "count: expected 0 or more, given -1");
  EXPECT_EQ(shortened(&BodyMotions::position), "position: expected (count, 3), 6 " + one);
  EXPECT_EQ(shortened(&BodyMotions::velocity_before), "velocity_before: expected (count, 6), 12 " + one);
  EXPECT_EQ(shortened(&BodyMotions::velocity_after), "velocity_after: expected (count, 6), 12 " + one);
  EXPECT_EQ(shortened(&BodyMotions::mass), "mass: expected (count), 2 " + one);
  EXPECT_EQ(shortened(&BodyMotions::inertia), "inertia: expected (count, 3, 3), 18 " + one);
  EXPECT_EQ(shortened(&BodyMotions::impulse), "impulse: expected (count, 6), 12 " + one);
  EXPECT_EQ(shortened(&BodyMotions::normal), "normal: expected (count, 3), 6 " + one);
  EXPECT_EQ(shortened(&BodyMotions::plane_offset), "plane_offset: expected (count), 2 " + one);
  EXPECT_EQ(shortened(&BodyMotions::tangent), "tangent: expected (count, 3), 6 " + one);
  EXPECT_EQ(shortened(&BodyMotions::step_size), "step_size: expected (count), 2 " + one);
  EXPECT_EQ(shortened(&BodyMotions::inertia_after), "inertia_after: expected (count, 3, 3), 18 " + one);
}

TEST(BadMotions, HaveNumbersThatAreNotFinite) {
  using B = MotionBatch;
  const std::string text = ", expected finite numbers, given nan; leave such entries out";
  const auto spoilt = [](std::vector<double> B::*field, std::size_t i, Gyroscopic term = Gyroscopic::kNone) {
    return after([&](B& b) { (b.*field)[i] = kNaN; }, term);
  };
  EXPECT_EQ(spoilt(&B::position, 5), "position: entry 1" + text);
  EXPECT_EQ(spoilt(&B::before, 11), "velocity_before: entry 1" + text);
  EXPECT_EQ(spoilt(&B::after, 6), "velocity_after: entry 1" + text);
  EXPECT_EQ(spoilt(&B::mass, 0), "mass: entry 0" + text);
  EXPECT_EQ(spoilt(&B::inertia, 17), "inertia: entry 1" + text);
  EXPECT_EQ(spoilt(&B::impulse, 0), "impulse: entry 0" + text);
  EXPECT_EQ(spoilt(&B::normal, 2), "normal: entry 0" + text);
  EXPECT_EQ(spoilt(&B::offset, 1), "plane_offset: entry 1" + text);
  EXPECT_EQ(spoilt(&B::tangent, 3), "tangent: entry 1" + text);
  EXPECT_EQ(spoilt(&B::h, 1, Gyroscopic::kOfTheEnd), "step_size: entry 1" + text);
  EXPECT_EQ(spoilt(&B::inertia_after, 9, Gyroscopic::kInTheMomentum), "inertia_after: entry 1" + text);
  EXPECT_EQ(after([](B& b) { b.impulse[7] = -kInfinity; }),
            "impulse: entry 1, expected finite numbers, given -inf; leave such entries out");
}

TEST(BadMotions, HaveImpossibleMassesAndSteps) {
  using B = MotionBatch;
  EXPECT_EQ(after([](B& b) { b.mass[1] = 0; }), "mass: entry 1, expected a positive number of kg, given 0");
  EXPECT_EQ(after([](B& b) { b.mass[0] = -2; }), "mass: entry 0, expected a positive number of kg, given -2");
  EXPECT_EQ(after([](B& b) { b.h[1] = 0; }, Gyroscopic::kOfTheEnd),
            "step_size: entry 1, expected a positive number of seconds, given 0");
  EXPECT_EQ(after([](B& b) { b.inertia[10] = 0.1; }),
            "inertia: entry 1, expected a symmetric matrix, given entries that differ by 0.1");
  EXPECT_EQ(after([](B& b) { b.inertia[8] = -0.5; }),
            "inertia: entry 0, expected a positive definite matrix, given one with the eigenvalue -0.5");
  EXPECT_EQ(after([](B& b) { std::fill(b.inertia.begin(), b.inertia.end(), 0); }),
            "inertia: entry 0, expected a positive definite matrix, given one with the eigenvalue 0");
  EXPECT_EQ(after([](B& b) { b.inertia_after[4] = -3; }, Gyroscopic::kInTheMomentum),
            "inertia_after: entry 0, expected a positive definite matrix, given one with the eigenvalue -3");
}

TEST(BadMotions, HaveImpossiblePlanes) {
  using B = MotionBatch;
  EXPECT_EQ(after([](B& b) { b.normal[5] = 2; }), "normal: entry 1, expected a unit vector, given one of length 2");
  EXPECT_EQ(after([](B& b) { b.normal[2] = 0; }), "normal: entry 0, expected a unit vector, given one of length 0");
  EXPECT_EQ(after([](B& b) { b.tangent[0] = 0.5; }),
            "tangent: entry 0, expected a unit vector, given one of length 0.5");
  EXPECT_EQ(after([](B& b) { b.tangent[3] = 0.6, b.tangent[5] = 0.8; }),
            "tangent: entry 1, expected a vector perpendicular to the normal, given one with n·t = 0.8");
}

TEST(BadMotions, CountTheGyroscopicImpulseTwice) {
  EXPECT_EQ(after(
                [](MotionBatch& b) {
                  b.h.assign(2, 0.01);
                  b.refresh();
                },
                Gyroscopic::kInTheMomentum),
            "step_size: expected none with inertia_after, whose change contains the gyroscopic impulse; leave out one");
}

}  // namespace
}  // namespace stiction::test
