// Islands: the connected components of the contact graph. Two blocks belong to the same island if a contact or a
// general row acts on both. The problem of an island contains its own blocks only and takes only its own iterations.
//
// If every island is solved to some residual, the whole problem has at most that residual (residual.hpp). S of a tree
// and of a contact is the same in the island and in the whole problem. With a prime for an island, u_0' <= u_0, so that
// ρ <= ρ', and N(ρ) = ‖λ − P_K(λ − ρ û)‖ grows with ρ:
//
//   N(ρ)/S <= N(ρ')/S
//
// A team of one lane solves the islands one after the other. A wide team solves them all at once: its lanes share the
// blocks and contacts of all islands, and solving one island after another would take longer than the slowest of them.
#pragma once

#include "kernels/solver/start_answer.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Items (blocks, contacts or rows) by island, in their original order: island k has the items item[start[k]] to
/// item[start[k + 1] − 1].
struct IslandItems {
  Array<int> start;  // (num_blocks + 1), of which num_islands + 1 are used
  Array<int> item;   // (num_blocks, max_contacts or max_rows)
};

/// Whether a contact is left out of the working set, has just joined it, or was in the last solve (working_set.hpp).
enum : int { kLeftOut, kJoins, kSolved };

template <class Real>
struct Islands {
  // (num_blocks) island of a block. While the islands are being found: a block of the same island that is nearer to the
  // first one
  Array<int> of_block;
  Array<int> place;   // (num_blocks) index of a block within its island, once that was extracted
  Array<int> chosen;  // (num_contacts) kLeftOut, kJoins or kSolved
  IslandItems blocks, contacts, rows;
  // the problem, the start and the answer of the island that is being solved; overwritten by the next one
  Array<int> block_adr, block_size;  // (num_blocks)
  Array<const Real*> H, M;           // (num_blocks)
  Array<Real> g, radius, start;      // (nv)
  Array<ContactRow<Real>> contact;   // (num_contacts)
  Array<GeneralRow<Real>> row;       // (num_rows)
  AnswerArrays<Real> warm, answer;
  AnswerArrays<Real> kept;  // last answer of the working sets, while all contacts are solved
};

template <class Real>
ST_FN Islands<Real> take_islands(const SolverCapacity& capacity, Arena& arena) {
  const std::size_t blocks = static_cast<std::size_t>(capacity.num_blocks), nv = static_cast<std::size_t>(capacity.nv);
  const std::size_t contacts = static_cast<std::size_t>(capacity.max_contacts),
                    rows = static_cast<std::size_t>(capacity.max_rows);
  const auto take_items = [&](std::size_t count) {
    return IslandItems{arena.take<int>(blocks + 1), arena.take<int>(count)};
  };
  Islands<Real> islands{};
  islands.of_block = arena.take<int>(blocks), islands.place = arena.take<int>(blocks),
  islands.chosen = arena.take<int>(contacts);
  islands.blocks = take_items(blocks), islands.contacts = take_items(contacts), islands.rows = take_items(rows);
  islands.block_adr = arena.take<int>(blocks), islands.block_size = arena.take<int>(blocks);
  islands.H = arena.take<const Real*>(blocks), islands.M = arena.take<const Real*>(blocks);
  islands.g = arena.take<Real>(nv), islands.radius = arena.take<Real>(nv), islands.start = arena.take<Real>(nv);
  islands.contact = arena.take<ContactRow<Real>>(contacts);
  islands.row = arena.take<GeneralRow<Real>>(rows);
  islands.warm = take_answer<Real>(capacity, arena), islands.answer = take_answer<Real>(capacity, arena);
  islands.kept = take_answer<Real>(capacity, arena);
  return islands;
}

namespace island_detail {

/// The first block of b's component, as far as it is known. Halves the path from b to it (union-find).
ST_FN int find_first(int* nearer, int b) {
  while (nearer[b] != b) b = nearer[b] = nearer[nearer[b]];
  return b;
}

template <class Real>
ST_FN void join_sides(const BlockJacobian<Real> (&side)[2], int* nearer) {
  if (side[0].block < 0 || side[1].block < 0) return;
  const int a = find_first(nearer, side[0].block), b = find_first(nearer, side[1].block);
  a < b ? nearer[b] = a : nearer[a] = b;
}

/// Island of a contact or row with these sides; one that acts on no block belongs to the first island.
template <class Real>
ST_FN int island_of(const Islands<Real>& islands, const BlockJacobian<Real> (&side)[2]) {
  const int block = side[0].block >= 0 ? side[0].block : side[1].block;
  return block >= 0 ? islands.of_block[block] : 0;
}

/// Of `count` items, sorts those that take part by island: count, scan, emit.
template <class TakesPart, class IslandOf>
ST_FN void sort_items(int num_islands, int count, TakesPart takes_part, IslandOf island, IslandItems& items) {
  for (int k = 0; k <= num_islands; ++k) items.start[k] = 0;
  for (int i = 0; i < count; ++i)
    if (takes_part(i)) ++items.start[island(i)];
  for (int k = 0, sum = 0; k <= num_islands; ++k) items.start[k] = sum += items.start[k];
  for (int i = count - 1; i >= 0; --i)
    if (takes_part(i)) items.item[--items.start[island(i)]] = i;
}

/// Finds the islands that the chosen contacts and all rows connect. Returns their number.
template <class Real>
ST_FN int find_islands(const ContactProblem<Real>& p, Islands<Real>& islands) {
  for (int b = 0; b < p.num_blocks; ++b) islands.of_block[b] = b;
  for (int i = 0; i < p.num_contacts; ++i)
    if (islands.chosen[i] != kLeftOut) join_sides(p.contacts[i].side, islands.of_block);
  for (int r = 0; r < p.num_rows; ++r) join_sides(p.rows[r].side, islands.of_block);
  int count = 0;
  for (int b = 0; b < p.num_blocks; ++b) {  // a nearer block has a lower index, so it already has its island's number
    const int nearer = islands.of_block[b];
    islands.of_block[b] = nearer == b ? count++ : islands.of_block[nearer];
  }
  return count;
}

/// Lists what belongs to each of `count` islands: blocks, chosen contacts and rows.
template <class Real>
ST_FN void list_islands(const ContactProblem<Real>& p, int count, Islands<Real>& islands) {
  const auto always = [](int) { return true; };
  const auto chosen = [&](int i) { return islands.chosen[i] != kLeftOut; };
  sort_items(
      count, p.num_blocks, always, [&](int b) { return islands.of_block[b]; }, islands.blocks);
  sort_items(
      count, p.num_contacts, chosen, [&](int i) { return island_of(islands, p.contacts[i].side); }, islands.contacts);
  sort_items(
      count, p.num_rows, always, [&](int r) { return island_of(islands, p.rows[r].side); }, islands.rows);
}

template <class Real>
ST_FN void renumber(const Islands<Real>& islands, BlockJacobian<Real> (&side)[2]) {
  for (BlockJacobian<Real>& s : side) s.block = s.block >= 0 ? islands.place[s.block] : -1;
}

/// The problem of island k; its arrays and its start are written to `islands`.
template <class Real>
ST_FN ContactProblem<Real> extract_island(const ContactProblem<Real>& p, const WarmStart<Real>& warm, int k,
                                          Islands<Real>& islands) {
  ContactProblem<Real> q = p;
  q.block_adr = islands.block_adr, q.block_size = islands.block_size, q.H = islands.H, q.M = islands.M;
  q.g = islands.g, q.dof_radius = islands.radius, q.start = p.start ? islands.start : nullptr;
  q.contacts = islands.contact, q.rows = islands.row;
  q.num_blocks = q.num_contacts = q.num_rows = q.nv = 0;
  for (int at = islands.blocks.start[k]; at < islands.blocks.start[k + 1]; ++at) {
    const int b = islands.blocks.item[at], to = q.num_blocks++;
    islands.place[b] = to;
    islands.block_adr[to] = q.nv, islands.block_size[to] = p.block_size[b], islands.H[to] = p.H[b],
    islands.M[to] = p.M[b];
    for (int j = p.block_adr[b]; j < p.block_adr[b] + p.block_size[b]; ++j, ++q.nv) {
      islands.g[q.nv] = p.g[j], islands.radius[q.nv] = p.dof_radius[j];
      if (p.start) islands.start[q.nv] = p.start[j];
      if (warm.v) islands.warm.v[q.nv] = warm.v[j];
    }
  }
  for (int at = islands.contacts.start[k]; at < islands.contacts.start[k + 1]; ++at) {
    const int i = islands.contacts.item[at], to = q.num_contacts++;
    islands.contact[to] = p.contacts[i];
    renumber(islands, islands.contact[to].side);
    for (int a = 0; warm.lambda && a < p.dimension; ++a)
      islands.warm.lambda[p.dimension * to + a] = warm.lambda[p.dimension * i + a];
  }
  for (int at = islands.rows.start[k]; at < islands.rows.start[k + 1]; ++at) {
    const int r = islands.rows.item[at], to = q.num_rows++;
    islands.row[to] = p.rows[r];
    renumber(islands, islands.row[to].side);
    if (warm.row_lambda) islands.warm.row_lambda[to] = warm.row_lambda[r];
  }
  return q;
}

/// True if a contact of island k has joined the working set since the last solve.
template <class Real>
ST_FN bool is_joined(int k, const Islands<Real>& islands) {
  for (int at = islands.contacts.start[k]; at < islands.contacts.start[k + 1]; ++at)
    if (islands.chosen[islands.contacts.item[at]] == kJoins) return true;
  return false;
}

/// Copies the answer of island k to its places in the whole solution.
template <class Real>
ST_FN void insert_island(const ContactProblem<Real>& p, int k, const Islands<Real>& islands,
                         ContactSolution<Real>& out) {
  int from = 0;
  for (int at = islands.blocks.start[k]; at < islands.blocks.start[k + 1]; ++at) {
    const int b = islands.blocks.item[at];
    for (int j = p.block_adr[b]; j < p.block_adr[b] + p.block_size[b]; ++j) out.v[j] = islands.answer.v[from++];
  }
  const int first = islands.contacts.start[k], first_row = islands.rows.start[k];
  for (int at = first; at < islands.contacts.start[k + 1]; ++at)
    for (int a = 0; a < p.dimension; ++a)
      out.lambda[p.dimension * islands.contacts.item[at] + a] = islands.answer.lambda[p.dimension * (at - first) + a];
  for (int at = first_row; at < islands.rows.start[k + 1]; ++at)
    out.row_lambda[islands.rows.item[at]] = islands.answer.row_lambda[at - first_row];
}

}  // namespace island_detail

template <class Real>
ST_FN void choose_all_contacts(const ContactProblem<Real>& p, Islands<Real>& islands) {
  for (int i = 0; i < p.num_contacts; ++i) islands.chosen[i] = kJoins;
}

/// Which islands are solved, and what the report says of the whole.
enum class IslandTask {
  kAll,      // all; its residual
  kJoined,   // those that a contact has joined; its residual
  kBounded,  // all; a bound of its residual by those of the islands, for callers that judge the answer themselves
};

/// Solves a problem whose blocks are connected. The default solver first tries the answers that its start tells.
template <class Solver, class Factor, class Team, class Real>
ST_FN SolverReport<Real> solve_connected(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                         const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
  SolverReport<Real> report;
  if constexpr (Solver::kName == SolverName::kInteriorPoint)
    if (ends_as_it_starts(team, p, config, warm, arena, out, report)) return report;
  return Solver::template solve<Team, Real, Factor>(team, p, config, warm, arena, out);
}

/// Solves islands of the `count` that `find_islands` found in p. The λ of contacts in no island are left unchanged, and
/// with kBounded there are none. The report also holds the iterations of the island that took the most, the penalty of
/// the island with the most contacts, and the status bits of the islands that failed.
template <class Solver, class Factor, class Team, class Real>
ST_FN SolverReport<Real> solve_islands(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                       const WarmStart<Real>& warm, int count, IslandTask task, Arena arena,
                                       Islands<Real>& islands, ContactSolution<Real>& out) {
  using namespace island_detail;
  WarmStart<Real> start = warm;
  if (warm.v) start.v = islands.warm.v;
  if (warm.lambda) start.lambda = islands.warm.lambda;
  if (warm.row_lambda) start.row_lambda = islands.warm.row_lambda;
  ContactSolution<Real> answer{islands.answer.v, islands.answer.lambda, islands.answer.row_lambda};
  list_islands(p, count, islands);
  SolverReport<Real> whole{};
  int most_contacts = -1;
  for (int k = 0; k < count; ++k) {
    if (task == IslandTask::kJoined && !is_joined(k, islands)) continue;
    const ContactProblem<Real> part = extract_island(p, warm, k, islands);
    const auto report = solve_connected<Solver, Factor>(team, part, config, start, arena, answer);
    if (report.iterations > whole.iterations) whole.iterations = report.iterations;
    if (report.status & status::kNotFinite) {
      const int iterations = whole.iterations;
      whole = report_not_finite(team, p, out);
      whole.iterations = iterations;
      return whole;
    }
    insert_island(p, k, islands, out);
    if (report.status != status::kConverged) whole.status |= report.status & ~status::kConverged;
    if (part.num_contacts > most_contacts) most_contacts = part.num_contacts, whole.penalty = report.penalty;
    whole.residual = larger(whole.residual, report.residual);
  }
  const bool bounded = task == IslandTask::kBounded && !whole.status && count > 0;
  if (!bounded) whole.residual = judge_problem(team, p, arena, out);
  if (whole.residual <= static_cast<Real>(config.tolerance))
    whole.status = status::kConverged;
  else if (!whole.status)
    whole.status = status::kStalled;
  return whole;
}

}  // namespace stiction
