#include "host/record/text_problem.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "host/api/check_problems.hpp"
#include "host/record/text_matrix.hpp"

namespace stiction {
namespace {

ProblemBatch read_lcp(TokenReader& in) {
  ProblemBatch p;
  p.kind = ProblemKind::kLcp, p.batch = 1;
  p.unknowns = in.integer("the size", 1, kMostUnknowns);
  p.matrix = read_text_matrix(in, "the matrix", p.unknowns);
  p.vector = in.numbers("q", static_cast<std::size_t>(p.unknowns));
  return p;
}

/// Reads the kinds of all blocks; returns 1 for each row of a block of equations, else 0.
std::vector<int> read_equations(TokenReader& in, int size) {
  std::vector<int> ends = {in.integer("the first block of rows", 0, 0)};
  while (ends.back() < size) ends.push_back(in.integer("the end of a block of rows", ends.back() + 1, size));
  std::vector<int> equations;
  for (std::size_t b = 1; b < ends.size(); ++b) {
    const int type = in.integer("the type of block " + std::to_string(b - 1), 0, 1);
    equations.resize(static_cast<std::size_t>(ends[b]), type == 0 ? 1 : 0);
  }
  return equations;
}

/// Reads a part of a matrix, row after row, into its place in the whole matrix of `size` columns.
void read_part(TokenReader& in, const std::string& name, std::pair<int, int> row_range,
               std::pair<int, int> column_range, int size, std::vector<double>& matrix) {
  const auto [row, row_end] = row_range;
  const auto [column, column_end] = column_range;
  const std::vector<double> values =
      in.numbers(name, static_cast<std::size_t>(row_end - row) * static_cast<std::size_t>(column_end - column));
  auto value = values.begin();
  for (int i = row; i < row_end; ++i)
    for (int j = column; j < column_end; ++j)
      matrix[static_cast<std::size_t>(i) * static_cast<std::size_t>(size) + static_cast<std::size_t>(j)] = *value++;
}

void read_parts(TokenReader& in, int n, ProblemBatch& p) {
  const int size = p.unknowns;
  const std::pair equations(0, n), complementary(n, size);
  p.matrix.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  read_part(in, "A", equations, equations, size, p.matrix);
  read_part(in, "B", complementary, complementary, size, p.matrix);
  read_part(in, "C", equations, complementary, size, p.matrix);
  read_part(in, "D", complementary, equations, size, p.matrix);
  p.vector = in.numbers("a", static_cast<std::size_t>(n));
  const std::vector<double> b = in.numbers("b", static_cast<std::size_t>(size - n));
  p.vector.insert(p.vector.end(), b.begin(), b.end());
  p.equations.assign(static_cast<std::size_t>(n), 1);
  p.equations.resize(static_cast<std::size_t>(size), 0);
}

ProblemBatch read_mlcp(TokenReader& in) {
  ProblemBatch p;
  p.kind = ProblemKind::kMlcp, p.batch = 1;
  const bool has_matrix = in.integer("the mark of a matrix M", 0, 1) == 1;
  const bool has_parts = in.integer("the mark of parts A, B, C, D", 0, 1) == 1;
  const int n = in.integer("the number of equations", 0, kMostUnknowns);
  const int m = in.integer("the number of complementary rows", n == 0 ? 1 : 0, kMostUnknowns - n);
  p.unknowns = n + m;
  if (!has_matrix && !has_parts) in.fail("has neither a matrix M nor parts A, B, C, D");
  if (!has_matrix) {
    read_parts(in, n, p);
    return p;
  }
  p.equations = read_equations(in, p.unknowns);
  p.matrix = read_text_matrix(in, "the matrix", p.unknowns);
  p.vector = in.numbers("q", static_cast<std::size_t>(p.unknowns));
  if (has_parts) {  // the file holds the same problem a second time
    ProblemBatch again = p;
    read_parts(in, n, again);
  }
  return p;
}

ProblemBatch read_contacts(TokenReader& in) {
  ProblemBatch p;
  p.kind = ProblemKind::kDelassus, p.batch = 1;
  if (in.integer("the dimension", 2, 3) == 2) in.fail("contacts of 2 dimensions: not yet; expected 3");
  p.contacts = in.integer("the number of contacts", 1, kMostUnknowns / 3);
  p.matrix = read_text_matrix(in, "the matrix", 3 * p.contacts);
  p.vector = in.numbers("q", 3 * static_cast<std::size_t>(p.contacts));
  p.mu = in.numbers("mu", static_cast<std::size_t>(p.contacts));
  return p;
}

ProblemBatch read_numbers(TokenReader& in, ProblemKind kind) {
  if (kind == ProblemKind::kLcp) return read_lcp(in);
  if (kind == ProblemKind::kMlcp) return read_mlcp(in);
  return read_contacts(in);
}

/// Says in an error what the numbers of a file should be; a file of another form, such as M, H, q, b, mu, is longer.
std::string name_numbers(const ProblemBatch& p) {
  if (p.kind == ProblemKind::kLcp) return "an LCP (size, M, q)";
  if (p.kind == ProblemKind::kMlcp) return "an MLCP (header, matrices, vectors)";
  return "a Delassus problem (3, contacts, W, q, mu)";
}

/// Some programs end a file with a start or a solution. For an MLCP this is z, and as much of w as they keep; for a
/// contact problem a flag and, if it is set, an impulse for every row.
void expect_end(TokenReader& in, const ProblemBatch& p) {
  const auto unknowns = static_cast<std::size_t>(p.unknowns), rows = p.vector.size();
  in.expect_end(name_numbers(p), [&](std::size_t count) {
    if (p.kind == ProblemKind::kMlcp) return count >= unknowns && count <= 2 * unknowns;
    return p.kind == ProblemKind::kDelassus && (count == 1 || count == 1 + rows);
  });
}

ProblemBatch read_as(TokenReader& in, ProblemKind kind) {
  in.rewind();
  ProblemBatch problem = read_numbers(in, kind);
  expect_end(in, problem);
  return problem;
}

/// The first numbers of the file, -1 for a word that is no whole number.
std::vector<int> first_numbers(const TokenReader& in, std::size_t count) {
  std::vector<int> numbers(count, -1);
  const auto words = in.peek(count);
  for (std::size_t k = 0; k < words.size(); ++k)
    if (std::from_chars(words[k].data(), words[k].data() + words[k].size(), numbers[k]).ec != std::errc())
      numbers[k] = -1;
  return numbers;
}

/// The kinds with whose header the file may begin.
std::vector<ProblemKind> kinds_of_header(const TokenReader& in) {
  const std::vector<int> t = first_numbers(in, 5);
  const auto is_storage = [](int x) { return x >= 0 && x <= 2; };
  const auto is_mark = [](int x) { return x == 0 || x == 1; };
  std::vector<ProblemKind> kinds;
  if (t[0] > 0 && is_storage(t[1]) && t[2] == t[0] && t[3] == t[0]) kinds.push_back(ProblemKind::kLcp);
  if (is_mark(t[0]) && is_mark(t[1]) && t[0] + t[1] > 0 && t[2] >= 0 && t[3] >= 0) kinds.push_back(ProblemKind::kMlcp);
  const bool has_dimension = t[0] == 2 || t[0] == 3;
  const long long rows = static_cast<long long>(t[0]) * t[1];
  if (has_dimension && t[1] > 0 && is_storage(t[2]) && t[3] == rows && t[4] == rows)
    kinds.push_back(ProblemKind::kDelassus);
  return kinds;
}

bool can_be_read(TokenReader& in, ProblemKind kind) {
  try {
    read_as(in, kind);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// The headers of two kinds may look alike, but no file can be read to the end as both: blocks of an MLCP begin with 0,
/// and no matrix record of one row does; contacts have 3 dimensions.
ProblemKind recognise(TokenReader& in) {
  const std::vector<ProblemKind> kinds = kinds_of_header(in);
  if (kinds.empty()) in.fail("begins like no LCP, MLCP or contact problem; --kind says why");
  for (const ProblemKind kind : kinds)
    if (kinds.size() == 1 || can_be_read(in, kind)) return kind;
  in.fail("can be read neither as " + problem_kind_name(kinds[0]) + " nor as " + problem_kind_name(kinds[1]) +
          "; --kind says why");
}

}  // namespace

ProblemBatch read_text_problem(TokenReader& in, std::optional<ProblemKind> kind) {
  if (in.peek(1).empty()) in.fail("is empty");
  if (kind == ProblemKind::kQp) in.fail("is text, which holds no QPs; HDF5 does");
  return read_as(in, kind ? *kind : recognise(in));
}

}  // namespace stiction
