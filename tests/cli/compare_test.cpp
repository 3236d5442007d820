// What a comparison measures, on hand-made readouts.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "host/cli/compare_options.hpp"
#include "host/cli/contact_matching.hpp"
#include "host/cli/largest_difference.hpp"
#include "host/cli/stage_differences.hpp"
#include "tests/cli/input_error.hpp"

namespace stiction::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Contact {
  int geom_a, geom_b;
  double x;      // position along x [m]
  double force;  // normal [N]
};

/// One environment with room for five contacts.
ContactArrays readout(const std::vector<Contact>& contacts) {
  ContactArrays arrays;
  arrays.max_contacts = 5;
  arrays.count = {static_cast<int>(contacts.size())};
  ContactArrays::visit([&](const ContactField& field, auto array) {
    auto& values = arrays.*array;
    values.assign(5 * static_cast<std::size_t>(field.numbers()), 0);
    const auto used = static_cast<std::ptrdiff_t>(contacts.size()) * field.numbers();
    std::fill(values.begin() + used, values.end(), field.padding);
  });
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    arrays.geom[2 * i] = contact.geom_a;
    arrays.geom[2 * i + 1] = contact.geom_b;
    arrays.position[3 * i] = contact.x;
    for (std::size_t k = 0; k < 9; k += 4) arrays.frame[9 * i + k] = 1.0;
    arrays.force[3 * i] = contact.force;
  }
  return arrays;
}

StepReadout step_with(const std::vector<Contact>& contacts) {
  StepReadout step;
  step.qpos = {0.0};
  step.qvel = {0.0};
  step.contacts = readout(contacts);
  step.stats.residual = {0.0};
  step.status = {status::kConverged};
  return step;
}

struct Patch {
  int geom_a, geom_b;
  double x;      // ECP along x [m]
  double force;  // normal [N]
};

/// One environment with room for four patches.
StepReadout step_with_patches(const std::vector<Patch>& patches) {
  StepReadout step = step_with({});
  step.patches.max_patches = 4;
  step.patches.count = {static_cast<int>(patches.size())};
  PatchArrays::visit([&](const ReadoutField& field, auto array) {
    (step.patches.*array).assign(4 * static_cast<std::size_t>(field.numbers()), 0);
  });
  for (std::size_t i = 0; i < patches.size(); ++i) {
    step.patches.geom[2 * i] = patches[i].geom_a;
    step.patches.geom[2 * i + 1] = patches[i].geom_b;
    step.patches.point[3 * i] = patches[i].x;
    step.patches.force[3 * i] = patches[i].force;
  }
  return step;
}

CompareOptions parse(const std::string& arguments) {
  CompareOptions options;
  CLI::App app;
  add_compare_options(app, options);
  app.parse("scene " + arguments);
  return options;
}

TEST(LargestDifference, IsWhereItOccurredFirst) {
  LargestDifference largest;
  largest.add(1, 0, std::array{8.0, 1.0}, std::array{8.0, 1.5});
  largest.add(2, 3, std::array{0.0, -2.0}, std::array{0.0, 2.0});
  largest.add(3, 1, std::array{4.0, 0.0}, std::array{0.0, 0.0});
  EXPECT_EQ(largest.absolute(), 4.0);
  EXPECT_EQ(largest.relative(), 0.5);
  EXPECT_EQ(largest.step(), 2);
  EXPECT_EQ(largest.env(), 3);
}

TEST(LargestDifference, IsZeroWithoutOne) {
  LargestDifference largest;
  largest.add(1, 0, std::array{0.0, kNan}, std::array{0.0, kNan});
  EXPECT_EQ(largest.absolute(), 0.0);
  EXPECT_EQ(largest.relative(), 0.0);
  EXPECT_EQ(largest.env(), -1);
}

TEST(LargestDifference, OfNanAndANumberIsInfinite) {
  LargestDifference largest;
  largest.add(1, 0, std::array{kNan}, std::array{1.0});
  largest.add(2, 0, std::array{9.0}, std::array{1.0});
  EXPECT_TRUE(std::isinf(largest.absolute()));
  EXPECT_TRUE(std::isinf(largest.relative()));
  EXPECT_EQ(largest.step(), 1);
}

TEST(Contacts, AreMatchedWhateverTheirSlots) {
  const ContactArrays a = readout({{0, 1, 1.0, 0}, {0, 1, 2.0, 0}, {0, 2, 1.0, 0}});
  const ContactArrays b = readout({{0, 2, 1.1, 0}, {0, 1, 2.1, 0}, {0, 1, 1.1, 0}});
  const ContactMatching matching = match_contacts(a, b, 0);
  EXPECT_EQ(matching.a, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(matching.b, (std::vector<int>{2, 1, 0}));
  EXPECT_TRUE(matching.only_a.empty() && matching.only_b.empty());
}

TEST(Contacts, OfOneSideHaveNoPartner) {
  const ContactArrays a = readout({{0, 1, 1.0, 0}, {3, 4, 1.0, 0}});
  const ContactArrays b = readout({{1, 0, 1.0, 0}, {0, 1, 5.0, 0}, {0, 1, 1.5, 0}});
  const ContactMatching matching = match_contacts(a, b, 0);
  EXPECT_EQ(matching.b, (std::vector<int>{2}));
  EXPECT_EQ(matching.only_a, (std::vector<int>{1}));
  EXPECT_EQ(matching.only_b, (std::vector<int>{0, 1}));
}

TEST(Stages, CompareForcesAsTheSumsOfPairs) {
  StageDifferences differences;
  differences.add(1, step_with({{0, 1, 1.0, 3.0}, {0, 1, 2.0, 5.0}, {0, 2, 1.0, 1.0}}),
                  step_with({{0, 1, 1.0, 6.0}, {0, 1, 2.0, 2.0}, {0, 3, 1.0, 2.0}}));
  EXPECT_EQ(differences.of("force").absolute(), 2.0);  // 8 = 8, 1 beside nothing, nothing beside 2
  EXPECT_EQ(differences.of("count").absolute(), 0.0);
  EXPECT_EQ(differences.most_unmatched(), 2u);
  EXPECT_EQ(differences.unmatched_gap(), 0.0);
}

TEST(Stages, KeepEveryQuantityApart) {
  const StepReadout a = step_with({{0, 1, 1.0, 3.0}});
  StepReadout b = a;
  b.qpos[0] = 1.0;
  b.qvel[0] = 2.0;
  b.stats.residual[0] = 3.0;
  b.contacts.gap[0] = 4.0;
  b.contacts.gap_next[0] = 5.0;
  b.contacts.position[2] = 6.0;
  b.contacts.frame[8] = 8.0;
  b.contacts.force[0] = 11.0;
  b.contacts.torsion[0] = 9.0;
  b.status[0] = status::kStalled;
  StageDifferences differences;
  differences.add(1, a, b);
  const std::map<std::string, double> apart = {{"gap", 4.0},      {"position", 6.0}, {"frame", 7.0},
                                               {"velocity", 2.0}, {"gap_next", 5.0}, {"force", 8.0},
                                               {"torsion", 9.0},  {"residual", 3.0}, {"qpos", 1.0}};
  for (const Quantity& quantity : quantities(ContactModel::kPoints)) {
    const auto expected = apart.find(quantity.name);
    EXPECT_EQ(differences.of(quantity.name).absolute(), expected == apart.end() ? 0.0 : expected->second)
        << quantity.name;
  }
  EXPECT_EQ(differences.status_differs(), 1);
}

TEST(Stages, ComparePatchesPairByPair) {
  const StepReadout a = step_with_patches({{0, 1, 1.0, 3.0}, {0, 2, 2.0, 5.0}, {1, 2, 0.0, 7.0}});
  StepReadout b = step_with_patches({{0, 2, 2.5, 5.25}, {0, 1, 1.0, 3.0}, {1, 3, 0.0, 4.0}});
  b.patches.torsion[1] = 0.75;
  b.patches.frame[9 * 0 + 8] = 0.125;
  b.contacts = readout({{0, 1, 1.0, 3.0}});  // points of patches are not compared
  StageDifferences differences(ContactModel::kPatch);
  differences.add(1, a, b);
  const std::map<std::string, double> apart = {{"point", 0.5}, {"frame", 0.125}, {"force", 0.25}, {"torsion", 0.75}};
  for (const Quantity& quantity : quantities(ContactModel::kPatch)) {
    const auto expected = apart.find(quantity.name);
    EXPECT_EQ(differences.of(quantity.name).absolute(), expected == apart.end() ? 0.0 : expected->second)
        << quantity.name;
  }
  EXPECT_EQ(differences.most_unmatched(), 2u);
  EXPECT_EQ(differences.unmatched_force(), 7.0);
}

TEST(CompareOptions, OfASideWinOverThoseOfBoth) {
  const CompareOptions options = parse("--solver pgs --solver-a admm --dtype-a float32");
  EXPECT_EQ(side_a(options).solver, "admm");
  EXPECT_EQ(side_b(options).solver, "pgs");
  EXPECT_EQ(side_a(options).dtype, "float32");
  EXPECT_EQ(side_b(options).dtype, "float64");
  EXPECT_EQ(side_a(options).device, "cpu");
  EXPECT_EQ(side_b(options).device, "reference");
}

TEST(CompareOptions, ThatAreWrongNameTheirSide) {
  const auto side_error = [](const std::string& arguments) { return input_error([&] { side_b(parse(arguments)); }); };
  EXPECT_NE(side_error("--b cpu --dtype-b half").find("--dtype-b half: unknown"), std::string::npos);
  EXPECT_NE(side_error("--b cpu --solver-b magic").find("--solver-b magic: unknown"), std::string::npos);
  EXPECT_NE(side_error("--solver-b admm").find("--solver-b admm: the reference"), std::string::npos);
  EXPECT_EQ(side_error("--b cpu --solver-b admm"), "");
}

TEST(CompareOptions, TakeFiniteTolerances) {
  for (const char* tolerance : {"-1", "nan", "inf"})
    EXPECT_NE(
        input_error([&] { checked_tolerance(parse(std::string("--tolerance ") + tolerance)); }).find("--tolerance"),
        std::string::npos);
  EXPECT_EQ(checked_tolerance(parse("--tolerance 0")), 0.0);
  EXPECT_EQ(checked_tolerance(parse("")), std::nullopt);
}

}  // namespace
}  // namespace stiction::test
