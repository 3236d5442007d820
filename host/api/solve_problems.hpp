// Problems given as plain arrays: the solvers without a simulator, on host threads or on a GPU.
//
//   solve_contact   H v = g + Σ J_iᵀ λ_i,   K_i ∋ λ_i ⊥ J_i v + (φ_i/h + s_i) e_n ∈ K_i*      kernels/problem
//   solve_delassus  u = W r + q,            K_i ∋ r_i ⊥ u_i + s_i e_n ∈ K_i*
//   solve_qp        min ½ vᵀH v − gᵀv,      A v + b >= 0
//   solve_lcp       w = M z + q,            0 <= z ⊥ w >= 0
//   solve_mlcp      the same, but w_i = 0 and z_i free where i is an equality
//
// Arrays are double, row-major, with the batch as their first axis. Rows of a contact are n, t, o. A problem's answer
// depends neither on the number of threads nor on its place in the batch. Bad sizes, options, negative friction,
// matrices that are not symmetric or not positive semidefinite throw InputError; a number that is not finite affects
// only its own problem, which gets the bit kNotFinite.
//
// Certificates, for anyone to check; NaN where there is none:
//
//   infeasible, farkas y     contact, Delassus   y ∈ K, Jᵀy = 0 (W y = 0), Σ y_n φ/h + bᵀy < 0 (qᵀy < 0); y of rows
//                                                in their [lower, upper], without ends; under Coulomb's law y has no
//                                                friction, as its shift makes way for every slide
//                            QP                  y >= 0, Aᵀy = 0, bᵀy < 0
//                            LCP                 y_i >= 0, (Mᵀy)_i <= 0 (equalities: any, = 0), qᵀy < 0
//   unbounded, direction d   contact, QP         H d = 0, gᵀd − Σ σ_r(d) > 0, J d ∈ K* (A d >= 0); σ_r of rows: most of
//                                                −λ J_r d over λ in [lower, upper], finite
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/model/error.hpp"
#include "kernels/model/traits.hpp"

namespace stiction {

/// Options of all problems; usable untouched. QPs and LCPs have no law and no cone.
struct SolveOptions {
  ContactLaw law = ContactLaw::kAnitescu;
  ConeType cone = ConeType::kPyramid;
  int facets = 4;  // of every pyramid, >= 3, at most kMostFacets
  // unset: interior_point, and newton where that does not converge; for LCPs lemke, which alone solves them
  std::optional<SolverName> solver;
  double tolerance = 1e-8;         // on `residual`, > 0 [-]
  int max_iterations = 50;         // of each phase, >= 1; LCPs pivot as long as it takes
  int max_total_iterations = 0;    // of all phases and starts of a problem together, >= 0; 0: no bound
  std::string device = "cpu";      // cpu | cuda | cuda:<i> | auto: a usable GPU, else the CPU
  int threads = 0;                 // host threads; 0: all cores
  int solve_threads = 0;           // as SimulatorOptions::solve_threads, by the problem's size
  Dtype factor = Dtype::kFloat64;  // precision of the factored matrix, for solvers that have one
};

/// General rows of contact problems, −(J v + b + R λ) ∈ N_C(λ) with C = [lower, upper]: limits [0, ∞), couplings
/// (−∞, ∞), dry friction and force limits [−c, c].
struct RowProblems {
  int count = 0;
  std::span<const double> J = {};           // (batch, count, nv)
  std::span<const double> offset = {};      // b (batch, count) [m/s], [rad/s]
  std::span<const double> lower = {};       // (batch, count) [N s], [N m s]
  std::span<const double> upper = {};       // (batch, count)
  std::span<const double> compliance = {};  // R >= 0 (batch, count); empty: 0
  std::span<const double> radius = {};      // > 0 (batch, count) length that makes a torque a force [m]; empty: 1
  std::span<const int> sides = {};          // (batch, count, 2) blocks, as for contacts
};

/// Where a solver starts. It starts from rest if the start has an entry that is not finite, and for all problems if v
/// is empty.
struct SolverStarts {
  std::span<const double> v = {};           // (batch, nv)
  std::span<const double> lambda = {};      // (batch, dimension contacts)
  std::span<const double> row_lambda = {};  // (batch, rows)
  std::span<const double> penalty = {};     // (batch) that an augmented Lagrangian ended with; empty: not known
};

struct ContactProblems {
  int batch = 0, nv = 0, contacts = 0;
  std::span<const double> H = {};    // (batch, nv, nv) symmetric, positive semidefinite [kg], [kg m²]
  std::span<const double> g = {};    // (batch, nv) [N s], [N m s]
  std::span<const double> J = {};    // (batch, dimension contacts, nv)
  std::span<const double> phi = {};  // (batch, contacts) gap [m]
  std::span<const double> mu = {};   // (batch, contacts, frictions) >= 0 [-]
  double step_size = 0;              // h > 0 [s]
  std::span<const int> count = {};   // (batch) contacts that are used; empty: all

  // all following fields are optional
  int frictions = 1;                    // of a contact: μ; or μ_t, μ_o; or μ_t, μ_o and μ_r [m], which is torsion
  std::span<const double> offset = {};  // b (batch, dimension contacts) [m/s], [rad/s]; empty: 0
  std::span<const double> radius = {};  // > 0 (batch, contacts) length that makes torsion a force [m]; empty: 1
  std::span<const double> dof_radius = {};  // > 0 (batch, nv) 1 for translations, a length for rotations [m]; empty: 1
  // sizes of the diagonal blocks of H, one a kinematic tree, the same for all problems: the residual judges each by
  // impulses of its own size; empty: one block
  std::span<const int> blocks = {};
  std::span<const int> sides = {};  // (batch, contacts, 2) blocks it acts on, −1: none; empty: where J is not 0
  std::span<const double> M = {};  // (batch, nv, nv), as H: of several v least ½ (v − start)ᵀM (v − start); empty: 1
  std::span<const double> start = {};  // (batch, nv); empty: 0
  RowProblems rows = {};               // limits, couplings and the like
  SolverStarts warm = {};              // empty: from rest
  int max_couplings = kAllCouplings;   // pairs of blocks that a factor may couple before it is taken for dense

  int dimension() const { return frictions == 3 ? 4 : 3; }  // rows of a contact: n, t, o, and r with torsion
};

struct DelassusProblems {
  int batch = 0, contacts = 0;
  std::span<const double> W;   // (batch, 3 contacts, 3 contacts) symmetric, positive semidefinite [1/kg]
  std::span<const double> q;   // (batch, 3 contacts) [m/s]
  std::span<const double> mu;  // (batch, contacts) >= 0 [-]
};

struct QpProblems {
  int batch = 0, nv = 0, rows = 0;
  std::span<const double> H;  // (batch, nv, nv) symmetric, positive semidefinite
  std::span<const double> g;  // (batch, nv)
  std::span<const double> A;  // (batch, rows, nv)
  std::span<const double> b;  // (batch, rows)
};

struct LcpProblems {
  int batch = 0, size = 0;
  std::span<const double> M;       // (batch, size, size) of any kind
  std::span<const double> q;       // (batch, size)
  std::span<const int> equations;  // MLCPs only: (size), the same for all, or (batch, size): 1: w_i = 0, else 0
};

struct ContactAnswers {
  std::string device;                 // "cpu" or "cuda:0 (its name)"
  std::vector<double> v;              // (batch, nv); of Delassus problems u (batch, 3 contacts) [m/s]
  std::vector<double> lambda;         // (batch, dimension contacts) [N s], 0 beyond `count`; of QPs (batch, rows)
  std::vector<double> row_lambda;     // (batch, general rows) of contact problems that have any
  std::vector<std::uint32_t> status;  // (batch) bits of kernels/model/types.hpp
  std::vector<double> residual;       // (batch) of kernels/problem/residual.hpp, from the v and λ above [-]
  std::vector<int> iterations;        // (batch)
  std::vector<double> violation;   // (batch) infeasible: Σ of the least overlaps [m], of u [m/s], of A v + b; else 0
  std::vector<double> asymmetry;   // (batch) of H or W: max |W_ij − W_ji| / max |W_ij|; ½(W + Wᵀ) was solved
  std::vector<double> farkas;      // y, as lambda
  std::vector<double> row_farkas;  // y of general rows, as row_lambda
  std::vector<double> direction;   // d (batch, nv); of Delassus problems empty
};

struct LcpAnswers {
  std::string device;                 // as of ContactAnswers
  std::vector<double> z;              // (batch, size)
  std::vector<std::uint32_t> status;  // (batch) kNoSolutionFound: pivots ended in rays, without a certificate
  std::vector<double> residual;       // (batch) ‖min(z, w)‖∞, scaled as in kernels/problem/lcp.hpp [-]
  std::vector<int> iterations;        // (batch) pivots
  std::vector<double> farkas;         // y (batch, size)
};

/// An asymmetry up to this is put down to rounding when the matrix was written, and removed.
constexpr double kMostAsymmetry = 1e-2;

/// If several v solve a problem, the answer is the one of least ‖v‖.
ContactAnswers solve_contact(const ContactProblems& problems, const SolveOptions& options = {});

/// Factors W = L Lᵀ by its eigenvectors and solves with H = 1, J = L. The residual is that of W itself, in units of max
/// |q|, which is also the least speed that it is relative to, and max |q| / max |W|.
ContactAnswers solve_delassus(const DelassusProblems& problems, const SolveOptions& options = {});

/// The rows are general rows of a contact problem. The residual is that of the problem in units of max |g|, max |A| and
/// max |b| / max |A|, which is the least speed that it is relative to.
ContactAnswers solve_qp(const QpProblems& problems, const SolveOptions& options = {});

LcpAnswers solve_lcp(const LcpProblems& problems, const SolveOptions& options = {});

/// As solve_lcp, with equations; they may be singular.
LcpAnswers solve_mlcp(const LcpProblems& problems, const SolveOptions& options = {});

}  // namespace stiction
