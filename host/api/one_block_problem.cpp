#include "host/api/one_block_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "host/backend/batch_buffers.hpp"
#include "kernels/team/team.hpp"

namespace stiction {
namespace {

using Team = HostTeam<PhaseOrder::kForward>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

OneBlockProblem::OneBlockProblem(const ProblemSize& most, const SolveOptions& options)
    : radius_(static_cast<std::size_t>(most.nv), 1.0) {
  const std::size_t n = static_cast<std::size_t>(most.nv);
  identity_.resize(n * n);
  contacts_.reserve(static_cast<std::size_t>(most.contacts));
  rows_.reserve(static_cast<std::size_t>(most.rows));
  problem_.law = options.law, problem_.cone = options.cone, problem_.facets = options.facets;
}

void OneBlockProblem::set_motion(int nv, const double* H, const double* g, double step_size) {
  const std::size_t n = static_cast<std::size_t>(nv);
  std::fill_n(identity_.begin(), n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) identity_[j * (n + 1)] = 1.0;
  contacts_.clear(), rows_.clear();
  block_size_ = problem_.nv = nv;
  H_ = H, M_ = identity_.data(), problem_.g = g, problem_.step_size = step_size;
}

void OneBlockProblem::add_contact(const double* J, double gap_rate, const double* b, double mu) {
  ContactRow<double> row{};
  row.side[0] = {0, J};
  row.gap_rate = gap_rate;
  if (b) std::copy_n(b, 3, row.offset);
  row.mu_t = row.mu_o = mu;
  contacts_.push_back(row);
}

void OneBlockProblem::add_row(const double* J, double b, bool equation) {
  add_bounded_row(J, equation ? -kInfinity : 0.0, kInfinity);
  rows_.back().offset = b;
}

void OneBlockProblem::add_bounded_row(const double* J, double lower, double upper) {
  GeneralRow<double> row{};
  row.side[0] = {0, J};
  row.lower = lower, row.upper = upper;
  row.radius = 1.0;
  rows_.push_back(row);
}

ContactProblem<double> OneBlockProblem::view() const {
  ContactProblem<double> p = problem_;
  p.num_blocks = 1, p.block_adr = &block_adr_, p.block_size = &block_size_;
  p.H = &H_, p.M = &M_, p.dof_radius = radius_.data();
  p.num_contacts = static_cast<int>(contacts_.size()), p.contacts = contacts_.data();
  p.num_rows = static_cast<int>(rows_.size()), p.rows = rows_.data();
  return p;
}

double measure_contacts(const ContactProblem<double>& p, const double* u, const double* impulses) {
  const ConeShape shape = shape_cone(p);
  Arena measure;
  take_facet_table<double>(shape, measure);
  AlignedVector<char> memory(measure.used());
  Arena arena(memory.data());
  FacetTable<double> table = take_facet_table<double>(shape, arena);
  fill_facet_table(Team{}, table);
  double scale = kLeastForce<double> * p.step_size, speed = 1e-3 / p.step_size, largest = 0.0;
  for (int i = 0; i < p.num_contacts; ++i) {
    scale = std::max(scale, largest_entry(contact_impulse(p, impulses, i)));
    speed = std::max(speed, judged_speed(choose_friction(p, p.contacts[i]), load_contact(u, 3, i)));
  }
  for (int i = 0; i < p.num_contacts; ++i) {
    ContactVector<double> moved = load_contact(u, 3, i);
    moved.n += shift_gap(p.law, table, choose_friction(p, p.contacts[i]), moved);
    largest = larger_or_nan(contact_map(p, table, i, impulses, scale / speed, moved) / scale, largest);
  }
  return largest;
}

Residual<double> measure_residual(const ContactProblem<double>& p, const ContactSolution<double>& x) {
  const auto lay_out = [&](Arena& arena) {
    const auto table = take_facet_table<double>(shape_cone(p), arena);
    return std::pair(table, take_residual_scratch<double>(p.nv, p.num_blocks, p.num_contacts, p.num_rows, arena));
  };
  Arena measure;
  lay_out(measure);
  AlignedVector<char> memory(measure.used());
  Arena arena(memory.data());
  auto [table, scratch] = lay_out(arena);
  fill_facet_table(Team{}, table);
  return compute_residual(Team{}, p, table, x, scratch);
}

}  // namespace stiction
