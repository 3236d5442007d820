#include "host/record/fclib_problem.hpp"

#include "host/api/check_problems.hpp"

namespace stiction {
namespace {

constexpr int kCompressedColumns = -1, kCompressedRows = -2;

std::string in_group(const std::string& name) { return std::string(kFclibGroup) + "/" + name; }

int read_one(const Hdf5Input& in, const std::string& path) {
  const auto array = in.integers(path);
  if (array.values.size() != 1) in.fail("/" + path + ": expected one whole number");
  return array.values[0];
}

/// One entry of a sparse matrix.
struct Entry {
  int row, column;
  double value;
};

struct SparseMatrix {
  int size, nz;
  std::vector<int> p, i;
  std::vector<double> x;
};

/// Throws unless there are at least `count` values.
void expect_length(const Hdf5Input& in, const std::string& name, std::size_t given, std::size_t count) {
  if (given < count)
    in.fail("/" + in_group("W/" + name) + ": expected " + std::to_string(count) + " values, given " +
            std::to_string(given));
}

std::vector<Entry> triplets(const Hdf5Input& in, const SparseMatrix& W) {
  const auto count = static_cast<std::size_t>(W.nz);
  expect_length(in, "p", W.p.size(), count), expect_length(in, "i", W.i.size(), count);
  expect_length(in, "x", W.x.size(), count);
  std::vector<Entry> entries;
  for (std::size_t k = 0; k < count; ++k) entries.push_back({W.p[k], W.i[k], W.x[k]});
  return entries;
}

std::vector<Entry> compressed(const Hdf5Input& in, const SparseMatrix& W) {
  const auto lines = static_cast<std::size_t>(W.size);
  expect_length(in, "p", W.p.size(), lines + 1);
  for (std::size_t k = 0; k <= lines; ++k)
    if (W.p[k] < (k == 0 ? 0 : W.p[k - 1]))
      in.fail("/" + in_group("W/p") + ": value " + std::to_string(k) + " falls: " + std::to_string(W.p[k]));
  const auto count = static_cast<std::size_t>(W.p[lines]);
  expect_length(in, "i", W.i.size(), count), expect_length(in, "x", W.x.size(), count);
  std::vector<Entry> entries;
  for (int line = 0; line < W.size; ++line)
    for (auto k = static_cast<std::size_t>(W.p[line]); k < static_cast<std::size_t>(W.p[line + 1]); ++k)
      entries.push_back(W.nz == kCompressedColumns ? Entry{W.i[k], line, W.x[k]} : Entry{line, W.i[k], W.x[k]});
  return entries;
}

std::vector<double> read_matrix(const Hdf5Input& in, int size) {
  for (const char* axis : {"m", "n"})
    if (const int given = read_one(in, in_group(std::string("W/") + axis)); given != size)
      in.fail("/" + in_group(std::string("W/") + axis) + ": expected " + std::to_string(size) + ", given " +
              std::to_string(given));
  const SparseMatrix W = {size, read_one(in, in_group("W/nz")), in.integers(in_group("W/p")).values,
                          in.integers(in_group("W/i")).values, in.numbers(in_group("W/x")).values};
  if (W.nz < kCompressedRows) in.fail("/" + in_group("W/nz") + ": expected -2 or more, given " + std::to_string(W.nz));
  std::vector<double> dense(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  for (const Entry& entry : W.nz >= 0 ? triplets(in, W) : compressed(in, W)) {
    if (entry.row < 0 || entry.row >= size || entry.column < 0 || entry.column >= size)
      in.fail("/" + in_group("W") + ": there is no row " + std::to_string(entry.row) + ", column " +
              std::to_string(entry.column));
    dense[static_cast<std::size_t>(entry.row) * static_cast<std::size_t>(size) +
          static_cast<std::size_t>(entry.column)] += entry.value;
  }
  return dense;
}

}  // namespace

ProblemBatch read_fclib_problem(const Hdf5Input& in) {
  if (const int dimension = read_one(in, in_group("spacedim")); dimension != 3)
    in.fail("/" + in_group("spacedim") + ": contacts of " + std::to_string(dimension) +
            " dimensions: not yet; expected 3");
  if (in.has(in_group("V")) || in.has(in_group("R"))) in.fail("mixed problems (V, R): not yet; expected W alone");
  ProblemBatch p;
  p.kind = ProblemKind::kDelassus, p.batch = 1;
  p.mu = in.numbers(in_group("vectors/mu")).values;
  if (p.mu.empty() || p.mu.size() > kMostUnknowns / 3)
    in.fail("/" + in_group("vectors/mu") + ": expected 1 to " + std::to_string(kMostUnknowns / 3) +
            " contacts, given " + std::to_string(p.mu.size()));
  p.contacts = static_cast<int>(p.mu.size());
  p.vector = in.numbers(in_group("vectors/q")).values;
  if (p.vector.size() != 3 * p.mu.size())
    in.fail("/" + in_group("vectors/q") + ": expected " + std::to_string(3 * p.mu.size()) + " values, given " +
            std::to_string(p.vector.size()));
  p.matrix = read_matrix(in, 3 * p.contacts);
  return p;
}

}  // namespace stiction
