// Claims: every bad argument is one line that names it, what was expected and what was given.
#include <gtest/gtest.h>

#include <functional>

#include "tests/api/choices.hpp"
#include "tests/api/problems.hpp"

namespace stiction::test {
namespace {

constexpr double kStep = 0.01;  // [s]

/// The message of the InputError that `call` throws; empty if it throws none.
std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string after(const std::function<void(ContactBatch&, SolveOptions&)>& spoil) {
  ContactBatch batch({point_on_floor(kStep, {1, 0, 0}, 0.5), point_on_floor(kStep, {1, 0, 0}, 0.5)}, kStep);
  SolveOptions o;
  spoil(batch, o);
  return message_of([&] { solve_contact(batch.view, o); });
}

TEST(BadContactProblems, AreRefusedWithArgumentExpectedAndGiven) {
  using B = ContactBatch;
  using O = SolveOptions;
  EXPECT_EQ(after([](B& b, O&) { b.view.batch = 0; }), "batch: expected 1 or more, given 0");
  EXPECT_EQ(after([](B& b, O&) { b.view.nv = 0; }), "nv: expected 1 or more, given 0");
  EXPECT_EQ(after([](B& b, O&) { b.view.nv = 1 << 20; }), "nv: expected at most 16384, given 1048576");
  EXPECT_EQ(after([](B& b, O&) { b.view.contacts = -1; }), "contacts: expected 0 or more, given -1");
  EXPECT_EQ(after([](B& b, O&) { b.view.H = b.view.H.first(17); }),
            "H: expected (batch, nv, nv), 2 x 3 x 3 numbers, given 17");
  EXPECT_EQ(after([](B& b, O&) { b.view.g = {}; }), "g: expected (batch, nv), 2 x 3 numbers, given 0");
  EXPECT_EQ(after([](B& b, O&) { b.view.J = b.view.J.first(9); }),
            "J: expected (batch, 3 contacts, nv), 2 x 3 x 3 numbers, given 9");
  EXPECT_EQ(after([](B& b, O&) { b.view.phi = b.view.phi.first(1); }),
            "phi: expected (batch, contacts), 2 x 1 numbers, given 1");
  EXPECT_EQ(after([](B& b, O&) { b.view.mu = b.view.H; }), "mu: expected (batch, contacts), 2 x 1 numbers, given 18");
  EXPECT_EQ(after([](B& b, O&) { b.mu[1] = -0.5; }), "mu: problem 1, contact 0: expected 0 or more, given -0.5");
  EXPECT_EQ(after([](B& b, O&) { b.view.step_size = 0; }), "h: expected a positive number of seconds, given 0");
  EXPECT_EQ(after([](B& b, O&) { b.view.step_size = -0.1; }), "h: expected a positive number of seconds, given -0.1");
  EXPECT_EQ(after([](B& b, O&) { b.view.step_size = std::nan(""); }),
            "h: expected a positive number of seconds, given nan");
  EXPECT_EQ(after([](B& b, O&) { b.count = {1}, b.refresh(); }), "count: expected (batch), 2 numbers, given 1");
  EXPECT_EQ(after([](B& b, O&) { b.count = {1, 2}, b.refresh(); }), "count: problem 1, expected 0 to 1, given 2");
  EXPECT_EQ(after([](B& b, O&) { b.count = {-1, 0}, b.refresh(); }), "count: problem 0, expected 0 to 1, given -1");
}

TEST(BadContactProblems, WithImpossibleMatricesAreRefused) {
  const std::string skew = after([](ContactBatch& b, SolveOptions&) { b.H[10] = 0.1; });
  EXPECT_EQ(skew,
            "H: problem 1, expected a symmetric matrix, given one with an asymmetry of 0.1 of its largest entry "
            "(up to 0.01 is taken for rounding)");
  const std::string negative = after([](ContactBatch& b, SolveOptions&) { b.H[0] = -0.5; });
  EXPECT_EQ(negative, "H: problem 0, expected a positive semidefinite matrix, given one with the eigenvalue -0.5");
  std::vector<double> M(18, 0.0);
  M[0] = M[4] = M[8] = M[9] = M[13] = M[17] = 1;
  const auto with_M = [&](ContactBatch& b, SolveOptions&) { b.view.M = M; };
  EXPECT_EQ(after(with_M), "");
  M[10] = 0.1;
  EXPECT_EQ(after(with_M),
            "M: problem 1, expected a symmetric matrix, given one with an asymmetry of 0.1 of its largest entry "
            "(up to 0.01 is taken for rounding)");
  M[0] = -0.5;
  EXPECT_EQ(after(with_M), "M: problem 0, expected a positive semidefinite matrix, given one with the eigenvalue -0.5");
}

TEST(BadOptions, AreRefused) {
  using B = ContactBatch;
  using O = SolveOptions;
  EXPECT_EQ(after([](B&, O& o) { o.facets = 2; }), "facets: expected 3 or more, given 2");
  EXPECT_EQ(after([](B&, O& o) { o.facets = 1000000000; }), "facets: expected at most 1024, given 1000000000");
  EXPECT_EQ(after([](B&, O& o) { o.max_iterations = 0; }), "max_iterations: expected 1 or more, given 0");
  EXPECT_EQ(after([](B&, O& o) { o.max_total_iterations = -1; }), "max_total_iterations: expected 0 or more, given -1");
  EXPECT_EQ(after([](B&, O& o) { o.threads = -1; }), "threads: expected 0 or more, given -1");
  EXPECT_EQ(after([](B&, O& o) { o.tolerance = 0; }), "tolerance: expected a positive number, given 0");
  EXPECT_EQ(after([](B&, O& o) { o.tolerance = std::nan(""); }), "tolerance: expected a positive number, given nan");
  EXPECT_EQ(after([](B&, O& o) { o.cone = ConeType::kQuadratic, o.solver = SolverName::kLemke; }),
            "solver: expected one that solves quadratic cones, given lemke");
  EXPECT_EQ(after([](B&, O& o) { o.device = "gpu"; }), "device: \"gpu\" is not one of auto, cpu, cuda, cuda:<i>");
  EXPECT_EQ(after([](B&, O& o) { o.solve_threads = 16; }),
            "solve_threads: expected 8, 32, 64 or 0 (by the problem's size), given 16");
}

TEST(BadDelassusProblems, AreRefused) {
  const auto refusal = [](const std::function<void(DelassusBatch&)>& spoil) {
    DelassusBatch p(Matrix::Identity(3, 3), Vector::Ones(3), Vector::Ones(1));
    spoil(p);
    return message_of([&] { solve_delassus(p.view); });
  };
  EXPECT_EQ(refusal([](DelassusBatch& p) { p.view.batch = 0; }), "batch: expected 1 or more, given 0");
  EXPECT_EQ(refusal([](DelassusBatch& p) { p.view.contacts = 0; }), "contacts: expected 1 or more, given 0");
  EXPECT_EQ(refusal([](DelassusBatch& p) { p.view.q = p.view.mu; }),
            "q: expected (batch, 3 contacts), 1 x 3 numbers, given 1");
  EXPECT_EQ(refusal([](DelassusBatch& p) { p.view.W = p.view.q; }),
            "W: expected (batch, 3 contacts, 3 contacts), 1 x 3 x 3 numbers, given 3");
  EXPECT_EQ(refusal([](DelassusBatch& p) { p.mu[0] = -1; }), "mu: problem 0, contact 0: expected 0 or more, given -1");
  EXPECT_EQ(refusal([](DelassusBatch& p) { p.W[1] = 2e-2; }),
            "W: problem 0, expected a symmetric matrix, given one with an asymmetry of 0.02 of its largest entry "
            "(up to 0.01 is taken for rounding)");
  EXPECT_EQ(refusal([](DelassusBatch& p) { p.W[0] = -1; }),
            "W: problem 0, expected a positive semidefinite matrix, given one with the eigenvalue -1");
}

TEST(BadLcps, AreRefused) {
  const auto refusal = [](const std::function<void(LcpBatch&, SolveOptions&)>& spoil, bool mixed) {
    LcpBatch p(Matrix::Identity(2, 2), Vector::Ones(2), mixed ? std::vector<int>{1, 0} : std::vector<int>{});
    SolveOptions o;
    spoil(p, o);
    return message_of([&] { mixed ? solve_mlcp(p.view, o) : solve_lcp(p.view, o); });
  };
  EXPECT_EQ(refusal([](LcpBatch& p, SolveOptions&) { p.view.size = 0; }, false), "size: expected 1 or more, given 0");
  EXPECT_EQ(refusal([](LcpBatch& p, SolveOptions&) { p.view.M = p.view.q; }, false),
            "M: expected (batch, size, size), 1 x 2 x 2 numbers, given 2");
  EXPECT_EQ(refusal([](LcpBatch& p, SolveOptions&) { p.view.q = {}; }, true),
            "q: expected (batch, size), 1 x 2 numbers, given 0");
  EXPECT_EQ(refusal([](LcpBatch& p, SolveOptions&) { p.view.equations = {}; }, true),
            "equations: expected (batch, size), 1 x 2 numbers, given 0");
  EXPECT_EQ(refusal([](LcpBatch& p, SolveOptions&) { p.equations[1] = 2; }, true),
            "equations: expected 0 or 1, given 2 in entry 1");
  EXPECT_EQ(refusal([](LcpBatch&, SolveOptions& o) { o.solver = SolverName::kNewton; }, false),
            "solver: expected lemke, which alone solves LCPs, given newton");
  LcpBatch plain(Matrix::Identity(2, 2), Vector::Ones(2), {1, 0});
  EXPECT_EQ(message_of([&] { solve_lcp(plain.view); }), "equations: expected none in an LCP; use solve_mlcp");
}

TEST(BadQps, AreRefused) {
  const auto refusal = [](const std::function<void(QpBatch&)>& spoil) {
    QpBatch p(Matrix::Identity(2, 2), Vector::Ones(2), Matrix::Ones(1, 2), Vector::Ones(1));
    spoil(p);
    return message_of([&] { solve_qp(p.view); });
  };
  EXPECT_EQ(refusal([](QpBatch& p) { p.view.rows = -1; }), "rows: expected 0 or more, given -1");
  EXPECT_EQ(refusal([](QpBatch& p) { p.view.A = {}; }), "A: expected (batch, rows, nv), 1 x 1 x 2 numbers, given 0");
  EXPECT_EQ(refusal([](QpBatch& p) { p.view.b = p.view.g; }), "b: expected (batch, rows), 1 x 1 numbers, given 2");
  EXPECT_EQ(refusal([](QpBatch& p) { p.H[3] = -2; }),
            "H: problem 0, expected a positive semidefinite matrix, given one with the eigenvalue -2");
}

TEST(BadProblems, AreNamedByTheFirstOfThem) {
  for (const int threads : {1, 2}) {
    const std::string refusal = after([&](ContactBatch& b, SolveOptions& o) {
      b.H[0] = b.H[9] = -1;
      o.threads = threads;
    });
    EXPECT_EQ(refusal, "H: problem 0, expected a positive semidefinite matrix, given one with the eigenvalue -1");
  }
}

}  // namespace
}  // namespace stiction::test
