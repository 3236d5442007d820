#include "host/api/posed_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "host/api/check_problems.hpp"
#include "host/api/contact_answers.hpp"

namespace stiction {
namespace {

std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

/// Entry k of problem i's part of an optional array; `otherwise` if the array is left out.
double value_of(std::span<const double> all, int batch, int i, int k, double otherwise) {
  return all.empty() ? otherwise : part(all, batch, i)[size_of(k)];
}

/// Problem i's part of an optional array; null if the array is left out.
template <class T>
const T* part_or_null(std::span<const T> all, int batch, int i) {
  return all.empty() ? nullptr : part(all, batch, i).data();
}

std::vector<double> identity(int n) {
  std::vector<double> I(size_of(n) * size_of(n), 0.0);
  for (std::size_t k = 0; k < size_of(n); ++k) I[k * (size_of(n) + 1)] = 1.0;
  return I;
}

}  // namespace

PosedContacts::PosedContacts(const ContactProblems& all, const SolveOptions& options)
    : all_(all),
      size_(all.blocks.begin(), all.blocks.end()),
      radius_(size_of(all.nv), 1.0),
      contacts_(size_of(all.contacts)),
      rows_(size_of(all.rows.count)) {
  if (size_.empty()) size_ = {all.nv};
  for (int first = 0; const int size : size_) adr_.push_back(first), first += size;
  stride_ = *std::max_element(size_.begin(), size_.end());
  H_blocks_.resize(size_.size()), M_blocks_.resize(size_.size());
  if (num_blocks() > 1) {
    const std::size_t lines = size_of(2 * all.dimension()) * contacts_.size();
    contact_J_.resize(lines * size_of(stride_)), row_J_.resize(2 * rows_.size() * size_of(stride_));
  }
  if (all.M.empty()) identity_ = identity(all.nv), take_diagonal("M", 0, identity_.data(), M_, M_blocks_);
  problem_.law = options.law, problem_.cone = options.cone, problem_.facets = options.facets;
  problem_.nv = all.nv, problem_.step_size = all.step_size;
  problem_.dimension = all.dimension(), problem_.max_couplings = all.max_couplings;
  problem_.num_blocks = num_blocks(), problem_.block_adr = adr_.data(), problem_.block_size = size_.data();
  problem_.H = H_blocks_.data(), problem_.M = M_blocks_.data(), problem_.dof_radius = radius_.data();
  problem_.contacts = contacts_.data(), problem_.rows = rows_.data(), problem_.num_rows = all.rows.count;
}

ContactProblem<double> PosedContacts::pose(int i, int count, std::span<const double> H, std::span<const double> M) {
  take_motion(i, H.data(), M.data());
  for (int c = 0; c < count; ++c) take_contact(i, c);
  for (int r = 0; r < all_.rows.count; ++r) take_row(i, r);
  problem_.num_contacts = count;
  return problem_;
}

WarmStart<double> PosedContacts::start(int i) const {
  const SolverStarts& warm = all_.warm;
  static const double none = 0.0;  // solvers take null for a cold start, even if there are no impulses
  const auto is_finite = [&](std::span<const double> all, int count) {
    if (all.empty()) return true;
    const std::span<const double> own = part(all, all_.batch, i).first(static_cast<std::size_t>(count));
    return std::all_of(own.begin(), own.end(), [](double x) { return std::isfinite(x); });
  };
  if (warm.v.empty() || !is_finite(warm.v, all_.nv) ||
      !is_finite(warm.lambda, problem_.dimension * problem_.num_contacts) ||
      !is_finite(warm.row_lambda, all_.rows.count) || !is_finite(warm.penalty, 1))
    return {};
  const auto impulses = [&](std::span<const double> all) {
    return all.empty() ? &none : part(all, all_.batch, i).data();
  };
  return {part(warm.v, all_.batch, i).data(), impulses(warm.lambda), impulses(warm.row_lambda),
          value_of(warm.penalty, all_.batch, i, 0, 0.0)};
}

/// Copies the blocks of a matrix (nv, nv), which must have no entries outside them.
void PosedContacts::take_diagonal(const char* name, int i, const double* dense, std::vector<double>& kept,
                                  std::vector<const double*>& blocks) {
  if (num_blocks() == 1) {
    blocks[0] = dense;
    return;
  }
  const std::size_t nv = size_of(all_.nv);
  kept.resize(nv * nv);  // enough for every way to cut it
  double* out = kept.data();
  for (std::size_t b = 0; b < size_.size(); ++b) {
    blocks[b] = out;
    const std::size_t first = size_of(adr_[b]), last = first + size_of(size_[b]);
    for (std::size_t row = first; row < last; ++row)
      for (std::size_t k = 0; k < nv; ++k) {
        const double value = dense[row * nv + k];
        if (first <= k && k < last)
          *out++ = value;
        else if (value != 0)
          refuse(name, i,
                 "entry (" + std::to_string(row) + ", " + std::to_string(k) + ") is not 0 and lies outside the blocks");
      }
  }
}

void PosedContacts::take_motion(int i, const double* H, const double* M) {
  take_diagonal("H", i, H, H_, H_blocks_);
  if (!all_.M.empty()) take_diagonal("M", i, M, M_, M_blocks_);
  problem_.g = part(all_.g, all_.batch, i).data();
  problem_.start = part_or_null(all_.start, all_.batch, i);
  if (!all_.dof_radius.empty()) problem_.dof_radius = part(all_.dof_radius, all_.batch, i).data();
}

void PosedContacts::take_contact(int i, int c) {
  const int rows = all_.dimension(), batch = all_.batch;
  ContactRow<double>& row = contacts_[size_of(c)];
  row = {};
  row.gap_rate = part(all_.phi, batch, i)[size_of(c)] / all_.step_size;
  for (int axis = 0; axis < rows; ++axis) row.offset[axis] = value_of(all_.offset, batch, i, rows * c + axis, 0.0);
  const double* mu = part(all_.mu, batch, i).data() + all_.frictions * c;
  row.mu_t = mu[0], row.mu_o = all_.frictions > 1 ? mu[1] : mu[0], row.mu_r = all_.frictions > 2 ? mu[2] : 0.0;
  row.radius = value_of(all_.radius, batch, i, c, 1.0);
  const int* sides = part_or_null(all_.sides, batch, i);
  const double* J = part(all_.J, batch, i).data() + size_of(rows * c) * size_of(all_.nv);
  take_sides(i, {"contact", rows, c, J, sides ? sides + 2 * c : nullptr},
             contact_J_.data() + (contact_J_.empty() ? 0 : size_of(2 * rows * c) * size_of(stride_)), row.side);
}

void PosedContacts::take_row(int i, int r) {
  const RowProblems& given = all_.rows;
  const int batch = all_.batch;
  GeneralRow<double>& row = rows_[size_of(r)];
  row = {};
  row.offset = part(given.offset, batch, i)[size_of(r)];
  row.lower = part(given.lower, batch, i)[size_of(r)], row.upper = part(given.upper, batch, i)[size_of(r)];
  row.compliance = value_of(given.compliance, batch, i, r, 0.0), row.radius = value_of(given.radius, batch, i, r, 1.0);
  const int* sides = part_or_null(given.sides, batch, i);
  const double* J = part(given.J, batch, i).data() + size_of(r) * size_of(all_.nv);
  take_sides(i, {"row", 1, r, J, sides ? sides + 2 * r : nullptr},
             row_J_.data() + (row_J_.empty() ? 0 : size_of(2 * r) * size_of(stride_)), row.side);
}

/// True if any of the lines has an entry in the block.
bool PosedContacts::acts(const Lines& lines, int block) const {
  for (int line = 0; line < lines.height; ++line) {
    const double* first = lines.J + size_of(line) * size_of(all_.nv) + adr_[size_of(block)];
    if (std::any_of(first, first + size_[size_of(block)], [](double x) { return x != 0; })) return true;
  }
  return false;
}

void PosedContacts::take_sides(int i, const Lines& lines, double* kept, BlockJacobian<double> (&side)[2]) const {
  if (num_blocks() == 1 && !lines.sides) {
    side[0] = {0, lines.J};
    return;
  }
  int chosen[2] = {-1, -1};
  if (lines.sides) std::copy_n(lines.sides, 2, chosen);
  for (int block = 0, found = 0; block < num_blocks(); ++block) {
    if (!acts(lines, block) || block == chosen[0] || block == chosen[1]) continue;
    if (lines.sides || found == 2)
      refuse("J", i,
             std::string(lines.name) + " " + std::to_string(lines.item) + ": acts on block " + std::to_string(block) +
                 (lines.sides ? ", which is not among its sides" : " and on two others; a contact has two sides"));
    chosen[found++] = block;
  }
  for (int s = 0; s < 2; ++s) {
    if (chosen[s] < 0) continue;
    const int size = size_[size_of(chosen[s])];
    side[s] = {chosen[s], lines.J};
    if (num_blocks() == 1) continue;
    double* out = kept + s * lines.height * stride_;
    for (int line = 0; line < lines.height; ++line)
      std::copy_n(lines.J + size_of(line) * size_of(all_.nv) + adr_[size_of(chosen[s])], size, out + line * size);
    side[s].J = out;
  }
}

}  // namespace stiction
