// Claim: problems given as arrays have on a GPU the answers of a host that solves as a GPU does, bit for bit: every
// kind, solver, law, cone and width, with and without a solution, in any number of parts.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <limits>

#include "host/model/choices.hpp"
#include "host/model/out_of_memory.hpp"
#include "kernels/launch/solve_width.hpp"
#include "tests/api/choices.hpp"
#include "tests/api/problems.hpp"
#include "tests/api/recorded_files.hpp"
#include "tests/emulated_gpu/faults.hpp"
#include "tests/emulated_gpu/memory.hpp"
#include "tests/step/pushed_boxes.hpp"

namespace stiction::test {
namespace {

constexpr double kStep = 0.01;  // [s]
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kOrders[] = {"forward", "backward", "shuffled"};

void expect_same(const ContactAnswers& host, const ContactAnswers& gpu, const std::string& what) {
  EXPECT_EQ(host.status, gpu.status) << what;
  EXPECT_EQ(host.iterations, gpu.iterations) << what;
  const std::vector<double> ContactAnswers::*arrays[] = {
      &ContactAnswers::v,        &ContactAnswers::lambda,     &ContactAnswers::row_lambda,
      &ContactAnswers::residual, &ContactAnswers::violation,  &ContactAnswers::asymmetry,
      &ContactAnswers::farkas,   &ContactAnswers::row_farkas, &ContactAnswers::direction};
  for (std::size_t k = 0; k < std::size(arrays); ++k)
    EXPECT_TRUE(same_bits(host.*arrays[k], gpu.*arrays[k])) << what << ", array " << k;
}

void expect_same(const LcpAnswers& host, const LcpAnswers& gpu, const std::string& what) {
  EXPECT_EQ(host.status, gpu.status) << what;
  EXPECT_EQ(host.iterations, gpu.iterations) << what;
  EXPECT_TRUE(same_bits(host.z, gpu.z)) << what;
  EXPECT_TRUE(same_bits(host.residual, gpu.residual)) << what;
  EXPECT_TRUE(same_bits(host.farkas, gpu.farkas)) << what;
}

/// Faults of a test are its own.
class RawProblems : public ::testing::Test {
 protected:
  ~RawProblems() override {
    unsetenv("EMULATED_GPU_ORDER");
    EXPECT_EQ(emulated_gpu::take_faults(), 0);
  }

  /// The answers of the GPU, which are held against those of the host. Widths and orders take turns.
  template <class Answers, class Problems>
  Answers solve_on_both(Answers (*solve)(const Problems&, const SolveOptions&), const Problems& problems,
                        SolveOptions o, const std::string& what = "") {
    o.device = "cpu", o.solve_threads = 32;
    const Answers host = solve(problems, o);
    setenv("EMULATED_GPU_ORDER", kOrders[calls_ % 3], 1);
    o.device = "cuda", o.solve_threads = threads_of(kEverySolveWidth[calls_++ / 3 % 3]);
    const Answers gpu = solve(problems, o);
    EXPECT_EQ(host.device, "cpu");
    EXPECT_TRUE(gpu.device.starts_with("cuda:0 (")) << gpu.device;
    expect_same(host, gpu, what + ", threads " + std::to_string(o.solve_threads));
    return gpu;
  }

 private:
  int calls_ = 0;
};

class RawProblemsBySolver : public RawProblems, public ::testing::WithParamInterface<SolverName> {
 protected:
  SolveOptions options() const {
    SolveOptions o;
    o.solver = GetParam();
    if (is_iterative(GetParam())) o.tolerance = 1e-3;  // bits are compared, not answers
    return o;
  }
};

/// Random problems of one size, of which the last uses no contact.
ContactBatch random_batch(const SolveOptions& o, int count) {
  Rng rng(71);
  std::vector<OneContactProblem> all;
  for (int i = 0; i < count; ++i) all.push_back(random_problem(rng, o, kStep, 2).problem);
  ContactBatch batch(all, kStep);
  batch.count.assign(static_cast<std::size_t>(count), batch.view.contacts);
  batch.count.front() -= 1, batch.count.back() = 0;
  batch.refresh();
  return batch;
}

TEST_P(RawProblemsBySolver, OfContactHaveTheBitsOfTheHostWithEveryLawAndCone) {
  for (const auto& law : kEveryLaw)
    for (const auto& cone : kEveryCone) {
      if (!can_solve(GetParam(), cone.value)) continue;
      SolveOptions o = options();
      o.law = law.value, o.cone = cone.value;
      solve_on_both(solve_contact, random_batch(o, 3).view, o, std::string(law.name) + ", " + cone.name);
    }
}

TEST_P(RawProblemsBySolver, HaveTheBitsOfTheHostWithAFactorInSinglePrecision) {
  if (!can_factor(GetParam(), Dtype::kFloat32)) GTEST_SKIP() << "factors no matrix";
  SolveOptions o = options();
  o.factor = Dtype::kFloat32, o.tolerance = 1e-4;
  const ContactAnswers a = solve_on_both(solve_contact, random_batch(o, 3).view, o);
  EXPECT_EQ(a.status, (std::vector<std::uint32_t>(3, status::kConverged)));
}

TEST_P(RawProblemsBySolver, WithoutASolutionHaveTheirCertificates) {
  SolveOptions o = options();
  o.max_iterations = 20;
  OneContactProblem squeezed = point_on_floor(kStep, {0, 0, 0}, 0.5);
  squeezed.J.conservativeResize(6, 3);
  squeezed.J.bottomRows(3) = -squeezed.J.topRows(3);
  squeezed.phi = Vector::Constant(2, -1e-3), squeezed.mu = Vector::Constant(2, 0.5);
  OneContactProblem lifted = squeezed;
  lifted.H.setZero(), lifted.g = Eigen::Vector3d(0, 0, 1);
  lifted.J.bottomRows(3) = lifted.J.topRows(3);
  const ContactAnswers a = solve_on_both(solve_contact, ContactBatch({squeezed, lifted}, kStep).view, o);
  EXPECT_EQ(a.status, (std::vector<std::uint32_t>{status::kInfeasible, status::kUnbounded}));
  EXPECT_TRUE(std::isfinite(a.farkas[0]) && std::isfinite(a.direction[3]));

  const Matrix rows{{1, 1}, {-2, -2}}, slope{{1, 1}, {1, 0}};
  const auto first = solve_on_both(
      solve_qp, QpBatch(Matrix::Identity(2, 2), Eigen::Vector2d(1, 0), rows, Eigen::Vector2d(-1, 1)).view, o);
  EXPECT_EQ(first.status[0], status::kInfeasible);
  const auto second = solve_on_both(
      solve_qp, QpBatch(Eigen::Vector2d(1, 0).asDiagonal(), Eigen::Vector2d(0, 1), slope, Eigen::Vector2d(0, 0)).view,
      o);
  EXPECT_EQ(second.status[0], status::kUnbounded);
}

TEST_P(RawProblemsBySolver, OfOtherKindsHaveTheBitsOfTheHost) {
  const SolveOptions o = options();
  Rng rng(72);
  Matrix J(9, 5), A(7, 4);
  Vector q(9), b(7);
  for (auto& x : J.reshaped()) x = uniform(rng, -1, 1);
  for (auto& x : A.reshaped()) x = uniform(rng, -1, 1);
  for (auto& x : b) x = uniform(rng, 0, 1);
  for (auto& x : q) x = uniform(rng, -1, 1);
  const Matrix W = J * J.transpose();  // of rank 5
  solve_on_both(solve_delassus, DelassusBatch(W, J * q.head(5), Vector::Constant(3, 0.5)).view, o, "singular W");
  solve_on_both(solve_delassus, DelassusBatch(Matrix::Zero(3, 3), Eigen::Vector3d(1, 0, 0), Vector::Ones(1)).view, o,
                "W = 0");
  solve_on_both(solve_qp, QpBatch(Matrix::Identity(4, 4), q.head(4), A, b).view, o, "QP");
  const auto free = solve_on_both(
      solve_qp, QpBatch(Matrix::Identity(2, 2), Eigen::Vector2d(3, 3), Matrix(0, 2), Vector(0)).view, o, "no rows");
  EXPECT_EQ(free.status[0], status::kConverged);
}

INSTANTIATE_TEST_SUITE_P(Every, RawProblemsBySolver, testing::ValuesIn(kEverySolver), solver_name);

/// Two bodies in blocks of their own, on a floor and against each other, with all that a problem may have.
struct Everything {
  std::vector<double> H, g{1, 0, -10 * kStep, -1, 0, -10 * kStep}, J, phi{0, 1e-4, 0}, M, start{.1, 0, 0, 0, .2, 0};
  std::vector<double> mu{.5, .4, .02, .5, .5, .01, .3, .3, 0}, offset = std::vector<double>(12, 0.01);
  std::vector<double> radius{.05, .02, .1}, dof_radius{1, 1, 1, .2, .2, .2};
  std::vector<double> row_J{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}, row_offset{0.1, 0}, lower{0, -0.2}, upper{1e9, 0.2};
  std::vector<double> compliance{0, 1e-3}, row_radius{1, 0.1}, warm_v = std::vector<double>(6, 0.1);
  std::vector<double> warm_lambda = std::vector<double>(12, 0.01), warm_row{0.1, 0}, penalty{1};
  std::vector<int> blocks{3, 3}, sides{-1, 0, -1, 1, 0, 1}, row_sides{-1, 0, -1, 1};
  ContactProblems view;

  Everything() {
    upper[0] = kInfinity;
    append(Matrix::Identity(6, 6), H), append(2 * Matrix::Identity(6, 6), M);
    Matrix own(4, 3), rows = Matrix::Zero(12, 6);
    own << 0, 0, 1, 1, 0, 0, 0, 1, 0, 0.3, 0, 0;
    rows.block(0, 0, 4, 3) = own, rows.block(4, 3, 4, 3) = own;
    rows.block(8, 0, 4, 3) = -own, rows.block(8, 3, 4, 3) = own;
    append(rows, J);
    view = {1, 6, 3, H, g, J, phi, mu, kStep, {}, 3, offset, radius, dof_radius, blocks, sides, M, start};
    view.rows = {2, row_J, row_offset, lower, upper, compliance, row_radius, row_sides};
  }
};

TEST_F(RawProblems, MayHaveEverythingThatAStepHas) {
  Everything p;
  SolveOptions o;
  o.cone = ConeType::kQuadratic;
  for (const ContactLaw law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb}) {
    o.law = law;
    p.view.warm = {};
    const ContactAnswers cold = solve_on_both(solve_contact, p.view, o, "cold");
    EXPECT_EQ(cold.status[0], status::kConverged);
    p.view.warm = {p.warm_v, p.warm_lambda, p.warm_row, p.penalty};
    const ContactAnswers warm = solve_on_both(solve_contact, p.view, o, "warm");
    EXPECT_EQ(warm.status[0], status::kConverged);
  }
}

TEST_F(RawProblems, WithoutContactsAreSolved) {
  const std::vector<double> H(4, 0.0), g(2, 0.0), start = {0.3, -0.2};
  ContactProblems p{1, 2, 0, H, g, {}, {}, {}, kStep, {}};
  p.start = start;
  const ContactAnswers a = solve_on_both(solve_contact, p, {});
  EXPECT_NEAR(a.v[0], 0.3, tolerance::kHand);
  EXPECT_NEAR(a.v[1], -0.2, tolerance::kHand);
}

TEST_F(RawProblems, GoOnWithASecondSolverAndWithWhatIsLeftOfTheTotal) {
  SolveOptions o;
  o.law = ContactLaw::kCoulomb;
  const ContactBatch batch = random_batch(o, 3);
  o.tolerance = 1e-19, o.max_iterations = 4;  // no solver meets it
  const ContactAnswers both = solve_on_both(solve_contact, batch.view, o, "newton after interior_point");
  o.solver = SolverName::kInteriorPoint;
  EXPECT_NE(solve_on_both(solve_contact, batch.view, o, "interior_point").iterations, both.iterations);
  o.solver.reset();
  for (const int total : {1, 4, 9}) {
    o.max_total_iterations = total;
    const ContactAnswers a = solve_on_both(solve_contact, batch.view, o, "total " + std::to_string(total));
    for (const int taken : a.iterations) EXPECT_LE(taken, total);
  }
}

TEST_F(RawProblems, ThatAreNotFiniteLeaveTheirNeighboursAlone) {
  ContactBatch batch({3, point_on_floor(kStep, {1, 0, 0}, 0.5)}, kStep);
  batch.g[4] = std::nan("");
  const ContactAnswers a = solve_on_both(solve_contact, batch.view, {});
  EXPECT_EQ(a.status, (std::vector<std::uint32_t>{status::kConverged, status::kNotFinite, status::kConverged}));
  batch.g.assign(9, std::nan(""));
  EXPECT_EQ(solve_on_both(solve_contact, batch.view, {}).status, (std::vector<std::uint32_t>(3, status::kNotFinite)));
}

/// `count` LCPs of one size.
LcpBatch join(const std::vector<Matrix>& M, const std::vector<Vector>& q) {
  LcpBatch all(M[0], q[0]);
  for (std::size_t i = 1; i < M.size(); ++i) append(M[i], all.M), append(q[i], all.q);
  all.view = {static_cast<int>(M.size()), static_cast<int>(q[0].size()), all.M, all.q, {}};
  return all;
}

TEST_F(RawProblems, OfComplementarityHaveTheBitsOfTheHost) {
  const LcpBatch four = join(
      {Eigen::Matrix2d{{2, 1}, {1, 2}}, Eigen::Matrix2d{{1, -1}, {-1, 1}}, Eigen::Matrix2d{{0, 1}, {0, 0}},
       Matrix::Identity(2, 2)},
      {Eigen::Vector2d(-5, -6), Eigen::Vector2d(-1, -1), Eigen::Vector2d(-1, 1), Eigen::Vector2d(std::nan(""), 0)});
  const LcpAnswers a = solve_on_both(solve_lcp, four.view, {});
  EXPECT_EQ(a.status, (std::vector<std::uint32_t>{status::kConverged, status::kInfeasible, status::kNoSolutionFound,
                                                  status::kNotFinite}));
  Rng rng(73);
  for (const Eigen::Index n : {1, 7, 20}) {
    std::vector<Matrix> M(3, Matrix(n, n));
    std::vector<Vector> q(3, Vector(n));
    for (auto& one : M)
      for (auto& x : one.reshaped()) x = uniform(rng, -1, 1);
    for (auto& one : q)
      for (auto& x : one) x = uniform(rng, -1, 1);
    for (int total : {0, 3}) {
      SolveOptions o;
      o.max_total_iterations = total;
      LcpBatch batch = join(M, q);
      solve_on_both(solve_lcp, batch.view, o, "size " + std::to_string(n));
      batch.equations.assign(static_cast<std::size_t>(n), 0), batch.equations[0] = 1;
      batch.view.equations = batch.equations;
      solve_on_both(solve_mlcp, batch.view, o, "mixed, size " + std::to_string(n));
    }
  }
}

TEST_F(RawProblems, ThatOthersRecordedAreSolvedAsOnTheHost) {
  if (problems_folder().empty()) GTEST_SKIP() << "no data folder: set STICTION_SHARED";
  for (const auto& file : recorded_files("lcp"))
    EXPECT_EQ(solve_on_both(solve_lcp, read_lcp(file).view, {}, file).status, solve_lcp(read_lcp(file).view).status);
  for (const auto& file : recorded_files("mlcp"))
    EXPECT_EQ(solve_on_both(solve_mlcp, read_mlcp(file).view, {}, file).status[0], status::kConverged) << file;
  for (const SolverName solver : {SolverName::kInteriorPoint, SolverName::kNewton, SolverName::kAdmm})
    for (const auto& file : recorded_files("fc3d")) {
      SolveOptions o;
      o.law = ContactLaw::kCoulomb, o.cone = ConeType::kQuadratic, o.solver = solver;
      o.tolerance = solver == SolverName::kAdmm ? tolerance::kRecordedAdmm : tolerance::kRecordedNewton;
      const RecordedContacts p = read_contacts(file);
      const DelassusBatch batch(p.W, p.q, p.mu);
      const ContactAnswers a = solve_on_both(solve_delassus, batch.view, o, file);
      EXPECT_EQ(a.status[0], status::kConverged) << file;
      EXPECT_LE(a.residual[0], o.tolerance) << file;
    }
}

/// A GPU of which problems may use only so many bytes.
class SmallGpu {
 public:
  explicit SmallGpu(std::size_t usable) {
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    emulated_gpu::withhold(free - total / 50 - usable);
  }
  ~SmallGpu() { emulated_gpu::withhold(0); }
};

TEST_F(RawProblems, AreTakenInPartsWhereMemoryHoldsNoMore) {
  ContactBatch batch(std::vector<OneContactProblem>(300, point_on_floor(kStep, {1, 0, 0}, 0.5)), kStep);
  for (std::size_t i = 0; i < batch.g.size(); ++i) batch.g[i] += 0.01 * static_cast<double>(i % 7);
  const SmallGpu small(256 << 10);
  const ContactAnswers a = solve_on_both(solve_contact, batch.view, {});
  EXPECT_EQ(a.status, (std::vector<std::uint32_t>(300, status::kConverged)));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(RawProblems, ThatNoPartOfFitsAreRefused) {
  const ContactBatch batch({point_on_floor(kStep, {1, 0, 0}, 0.5)}, kStep);
  SolveOptions o;
  o.device = "cuda";
  const SmallGpu small(8 << 10);
  EXPECT_THROW(solve_contact(batch.view, o), OutOfMemory);
  const std::string message = message_of([&] { solve_contact(batch.view, o); });
  EXPECT_TRUE(message.starts_with("out of memory: 4 problems need ")) << message;
}

TEST_F(RawProblems, GoToADeviceThatIsThere) {
  const ContactBatch batch({point_on_floor(kStep, {1, 0, 0}, 0.5)}, kStep);
  SolveOptions o;
  o.device = "cuda:7";
  EXPECT_EQ(message_of([&] { solve_contact(batch.view, o); }),
            "device: cuda:7 does not exist; this machine has cuda:0 to cuda:0");
  o.device = "auto";
  EXPECT_TRUE(solve_contact(batch.view, o).device.starts_with("cuda:0 ("));
}

}  // namespace
}  // namespace stiction::test
