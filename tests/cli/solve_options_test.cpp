// Claims: the options of `stiction solve` become those of the functions; what a kind of problem lacks is refused.
#include "host/cli/solve_options.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "tests/cli/input_error.hpp"

namespace stiction::test {
namespace {

SolveCommandOptions parse(std::string arguments) {
  SolveCommandOptions options;
  CLI::App app;
  add_solve_options(app, options);
  app.parse("file " + std::move(arguments));
  return options;
}

std::string error(const std::string& arguments, ProblemKind kind) {
  return input_error([&] { solve_options(parse(arguments), kind); });
}

TEST(SolveOptions, OfTheCommandAreThoseOfTheFunctions) {
  const SolveOptions o = solve_options(parse("--law coulomb --cone quadratic --facets 6 --solver newton --tolerance "
                                             "1e-5 --max-iterations 7 --max-total-iterations 70 --threads 3"),
                                       ProblemKind::kContact);
  EXPECT_EQ(o.law, ContactLaw::kCoulomb);
  EXPECT_EQ(o.cone, ConeType::kQuadratic);
  EXPECT_EQ(o.facets, 6);
  EXPECT_EQ(o.solver, SolverName::kNewton);
  EXPECT_EQ(o.tolerance, 1e-5);
  EXPECT_EQ(o.max_iterations, 7);
  EXPECT_EQ(o.max_total_iterations, 70);
  EXPECT_EQ(o.threads, 3);
}

TEST(SolveOptions, UntouchedAreTheDefaults) {
  const SolveOptions o = solve_options(parse(""), ProblemKind::kDelassus), defaults;
  EXPECT_EQ(o.law, defaults.law);
  EXPECT_EQ(o.cone, defaults.cone);
  EXPECT_EQ(o.facets, defaults.facets);
  EXPECT_EQ(o.solver, defaults.solver);
  EXPECT_EQ(o.tolerance, defaults.tolerance);
  EXPECT_EQ(o.max_iterations, defaults.max_iterations);
  EXPECT_EQ(o.max_total_iterations, defaults.max_total_iterations);
  EXPECT_EQ(o.threads, defaults.threads);
  EXPECT_FALSE(asked_kind(parse("")).has_value());
}

TEST(SolveOptions, KnowEveryKind) {
  EXPECT_EQ(asked_kind(parse("--kind contact")), ProblemKind::kContact);
  EXPECT_EQ(asked_kind(parse("--kind delassus")), ProblemKind::kDelassus);
  EXPECT_EQ(asked_kind(parse("--kind lcp")), ProblemKind::kLcp);
  EXPECT_EQ(asked_kind(parse("--kind mlcp")), ProblemKind::kMlcp);
  EXPECT_EQ(asked_kind(parse("--kind qp")), ProblemKind::kQp);
}

TEST(SolveOptions, ThatAKindLacksAreRefused) {
  EXPECT_EQ(error("--law coulomb", ProblemKind::kLcp), "--law coulomb: a problem of kind lcp has none");
  EXPECT_EQ(error("--cone box", ProblemKind::kQp), "--cone box: a problem of kind qp has none");
  EXPECT_EQ(error("--facets 5", ProblemKind::kMlcp), "--facets 5: a problem of kind mlcp has none");
  EXPECT_EQ(error("--solver pgs", ProblemKind::kLcp), "--solver pgs: lemke alone solves problems of kind lcp");
  EXPECT_EQ(error("--solver lemke --cone quadratic", ProblemKind::kDelassus),
            "--solver lemke: it does not solve quadratic cones");
  EXPECT_EQ(error("--solver lemke", ProblemKind::kMlcp), "");
  EXPECT_EQ(error("--law patch", ProblemKind::kContact),
            "--law patch: unknown; it takes anitescu, coulomb, frictionless");  // a problem has points, not patches
  EXPECT_EQ(error("--factor float32", ProblemKind::kContact), "");
  EXPECT_EQ(error("--factor float32", ProblemKind::kLcp), "--factor float32: a problem of kind lcp has none");
  EXPECT_EQ(error("--solver pgs --factor float32", ProblemKind::kContact),
            "--factor float32: pgs factors no matrix; it is for interior_point, admm, newton");
}

TEST(SolveOptions, OutOfRangeNameOptionAndValue) {
  EXPECT_EQ(error("--facets 2", ProblemKind::kContact), "--facets 2: it takes whole numbers from 3 to 2147483647");
  EXPECT_EQ(error("--tolerance 0", ProblemKind::kLcp), "--tolerance 0: it takes a positive number");
  EXPECT_EQ(error("--tolerance nan", ProblemKind::kLcp), "--tolerance nan: it takes a positive number");
  EXPECT_EQ(error("--max-iterations 0", ProblemKind::kQp).substr(0, 21), "--max-iterations 0: i");
  EXPECT_EQ(error("--threads -1", ProblemKind::kQp).substr(0, 13), "--threads -1:");
  EXPECT_EQ(input_error([] { asked_kind(parse("--kind soccp")); }),
            "--kind soccp: unknown; it takes contact, delassus, lcp, mlcp, qp");
}

}  // namespace
}  // namespace stiction::test
