// Claims: text files of raw problems are read as their columns say; what is wrong with one is said in one line.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "host/record/problem_file.hpp"
#include "tests/cli/input_error.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {
namespace {

using Numbers = std::vector<double>;

ProblemBatch read(const std::string& text, std::optional<ProblemKind> kind = {}) {
  return read_problems(write_temporary("problems.dat", text), kind);
}

/// What follows the file's name in the error of reading `text`.
std::string error(const std::string& text, std::optional<ProblemKind> kind = {}) {
  const std::string message = input_error([&] { read(text, kind); }), name = "problems.dat: ";
  const std::size_t begin = message.find(name);
  return begin == std::string::npos ? message : message.substr(begin + name.size());
}

/// The same for an error that says the line: "line: text".
std::string error_at(const std::string& text) {
  const std::string message = input_error([&] { read(text); }), name = "problems.dat:";
  const std::size_t begin = message.find(name);
  return begin == std::string::npos ? message : message.substr(begin + name.size());
}

// M = [2 1; 0 1], q = (-4, -1), z = (1.5, 1)
constexpr const char* kDense = "0 2 2 2 2  2 0 1 1";

TEST(TextProblem, OfAnLcpHasItsMatrixColumnAfterColumn) {
  const ProblemBatch p = read("2 " + std::string(kDense) + " -4 -1\n\nwords may follow");
  EXPECT_EQ(p.kind, ProblemKind::kLcp);
  EXPECT_EQ(p.batch, 1);
  EXPECT_EQ(p.unknowns, 2);
  EXPECT_EQ(p.matrix, (Numbers{2, 1, 0, 1}));
  EXPECT_EQ(p.vector, (Numbers{-4, -1}));
}

TEST(TextProblem, OfSparseStoragesIsTheSameMatrix) {
  const Numbers M = {2, 1, 0, 1};
  EXPECT_EQ(read("2  2 2 2  1 CSparse Version 3.1.4, words triplet: 2-by-2, nzmax: 4 nnz: 3\n"
                 " 0 0 : 2\n 1 1 : 1\n 0 1 : 1\n  -4 -1")
                .matrix,
            M);
  EXPECT_EQ(read("2  2 2 2  2 CSparse Version 3.1.4, words 2-by-2, nzmax: 4 nnz: 3, 1-norm: 2\n"
                 " col 0 : locations 0 to 0\n 0 : 2\n col 1 : locations 1 to 2\n 0 : 1\n 1 : 1\n  -4 -1")
                .matrix,
            M);
  EXPECT_EQ(read("2  1 2 2  3 2 2  1 2  1 2  3 3  0 2 3  0 1 1  0 2  1 1  2 1  -4 -1").matrix, M);
}

TEST(TextProblem, OfSparseBlocksHasBlocksColumnAfterColumn) {
  // a block of 2 rows and 1 column, and one of 1 row and 2 columns
  const ProblemBatch p = read("3  1 3 3  2 2 2  2 3  1 3  3 2  0 1 2  0 1  0 5 6  1 7 8  -1 -1 -1");
  EXPECT_EQ(p.matrix, (Numbers{5, 0, 0, 6, 0, 0, 0, 7, 8}));
}

TEST(TextProblem, OfAnMlcpHasEquationsByBlocks) {
  const ProblemBatch p =
      read("1 1 1 2  0 1 3  0 1  0 3 3 3 3  1 2 3 4 5 6 7 8 9  -1 -2 -3  1  5 8 6 9  4 7  2 3  -1  -2 -3");
  EXPECT_EQ(p.kind, ProblemKind::kMlcp);
  EXPECT_EQ(p.unknowns, 3);
  EXPECT_EQ(p.equations, (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(p.matrix, (Numbers{1, 4, 7, 2, 5, 8, 3, 6, 9}));
  EXPECT_EQ(p.vector, (Numbers{-1, -2, -3}));
}

TEST(TextProblem, OfAnMlcpInPartsHasThemRowAfterRow) {
  const ProblemBatch p = read("0 1 1 2  1  5 8 6 9  4 7  2 3  -1  -2 -3");
  EXPECT_EQ(p.kind, ProblemKind::kMlcp);
  EXPECT_EQ(p.equations, (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(p.matrix, (Numbers{1, 4, 7, 2, 5, 8, 3, 6, 9}));
  EXPECT_EQ(p.vector, (Numbers{-1, -2, -3}));
}

TEST(TextProblem, OfContactsIsInDelassusForm) {
  const std::string text = "3 1  0 3 3 3 3  4 0 0 0 4 1 0 1 4  -1 0 .5  0.25";
  for (const auto kind : {std::optional<ProblemKind>(), {ProblemKind::kContact}, {ProblemKind::kDelassus}}) {
    const ProblemBatch p = read(text, kind);
    EXPECT_EQ(p.kind, ProblemKind::kDelassus);
    EXPECT_EQ(p.contacts, 1);
    EXPECT_EQ(p.matrix, (Numbers{4, 0, 0, 0, 4, 1, 0, 1, 4}));
    EXPECT_EQ(p.vector, (Numbers{-1, 0, 0.5}));
    EXPECT_EQ(p.mu, Numbers{0.25});
  }
}

TEST(TextProblem, MayHoldWhatIsNotFinite) {
  const ProblemBatch p = read("1  0 1 1 1 1  nan  +inf");
  EXPECT_TRUE(std::isnan(p.matrix[0]) && std::isinf(p.vector[0]));
}

TEST(TextProblem, OfOneUnknownIsAnLcpWhereItCannotBeAnMlcp) {
  EXPECT_EQ(read("1 0 1 1 1 1 5 -1").kind, ProblemKind::kLcp);
  EXPECT_EQ(read("1 0 1 1  0 1 2  0 1  0 2 2 2 2  2 -1 1 1  -4 -1").kind, ProblemKind::kMlcp);
}

TEST(TextProblem, ThatBeginsLikeTwoKindsIsTheOneThatCanBeRead) {
  // an LCP of two blocks, or one contact of 2 dimensions with a sparse matrix
  const std::string text = "2 1 2 2 2  2 2  1 2  1 2  3 2  0 1 2  0 1  0 3  1 4  -1 -1";
  EXPECT_EQ(read(text).kind, ProblemKind::kLcp);
  EXPECT_EQ(read(text).matrix, (Numbers{3, 0, 0, 4}));
  EXPECT_EQ(error("2 1 2 2 2"), "can be read neither as lcp nor as delassus; --kind says why");
}

TEST(TextProblem, ThatIsBadSaysWhere) {
  EXPECT_EQ(error(""), "is empty");
  EXPECT_EQ(error("a page of words"), "begins like no LCP, MLCP or contact problem; --kind says why");
  EXPECT_EQ(error("a page of words", ProblemKind::kLcp), "the size is not a whole number: 'a'");
  EXPECT_EQ(error("2 0 2 2 2 2  2 0 1"), "ends before value 4 of the 4 of the matrix");
  EXPECT_EQ(error("2 0 2 2 2 2  2 0 1 1 -4"), "ends before value 2 of the 2 of q");
  EXPECT_EQ(error("2 0 2 2 2 2  2 0 1 x"), "value 4 of the matrix is not a number: 'x'");
  EXPECT_EQ(error("2 0 2 2 2 2  2 0 1 1.5.5"), "value 4 of the matrix is not a number: '1.5.5'");
  EXPECT_EQ(error("2 0 2 2 2 3  2 0 1 1 -4 -1"), "the number of columns of the matrix: expected 2, given 3");
  EXPECT_EQ(error("2 3 2 2", ProblemKind::kLcp), "the storage of the matrix: expected 0 to 2, given 3");
  EXPECT_EQ(error("20000 0 20000 20000"), "the size: expected 1 to 16384, given 20000");
  EXPECT_EQ(error("0 0 0 0", ProblemKind::kLcp), "the size: expected 1 to 16384, given 0");
  EXPECT_EQ(error("0 0 1 1", ProblemKind::kMlcp), "has neither a matrix M nor parts A, B, C, D");
  EXPECT_EQ(error("1 0 2 2  0 3 5"), "the end of a block of rows: expected 4 to 4, given 5");
  EXPECT_EQ(error("1 0 2 2  0 2 4  0 7"), "the type of block 1: expected 0 to 1, given 7");
  EXPECT_EQ(error("2 1  0 2 2 2 2  1 0 0 1  1 1  .5"), "contacts of 2 dimensions: not yet; expected 3");
  EXPECT_EQ(error("3 1  0 3 3 3 3  1 0 0 0 1 0 0 0 1  -1 0 0"), "ends before value 1 of the 1 of mu");
  EXPECT_EQ(error("1 1", ProblemKind::kQp), "is text, which holds no QPs; HDF5 does");
}

TEST(TextProblem, WithNumbersLeftOverIsRefused) {
  const auto follows = [](const std::string& whole, const std::string& number) {
    return "the number '" + number + "' follows the end of " + whole + ": only words may follow";
  };
  const std::string lcp = "an LCP (size, M, q)", delassus = "a Delassus problem (3, contacts, W, q, mu)";
  EXPECT_EQ(error_at("2\n" + std::string(kDense) + "\n-4 -1\n\n 1e-9"), "5: " + follows(lcp, "1e-9"));
  EXPECT_EQ(error_at("2 " + std::string(kDense) + " -4 -1 0"), "1: " + follows(lcp, "0"));
  EXPECT_EQ(error_at("0 1 1 1\n2\n1\n1 -1 -4 -1 7"), "4: " + follows("an MLCP (header, matrices, vectors)", "7"));
  EXPECT_EQ(read("2 " + std::string(kDense) + " -4 -1 solved in 7 sweeps").vector, (Numbers{-4, -1}));
}

TEST(TextProblem, OfMassesAndDirectionsIsNoDelassusProblem) {
  // one contact of one free particle: M, H, q, b, mu, each matrix with its record
  const std::string eye = "0 3 3 3 3  1 0 0 0 1 0 0 0 1";
  const std::string text = "3 1\n" + eye + "\n" + eye + "\n 0 0 -9.81\n 0 0 0\n 0.5";
  EXPECT_EQ(error_at(text),
            "3: the number '3' follows the end of a Delassus problem (3, contacts, W, q, mu): only words may follow");
}

TEST(TextProblem, WithBadBlocksSaysWhere) {
  const auto blocks = [](const std::string& rest) { return error("2  1 2 2  " + rest); };
  EXPECT_EQ(blocks("1 2 2  1 3"), "the list of block rows of the matrix: expected 2 to 2, given 3");
  EXPECT_EQ(blocks("1 1 2  1"), "the list of block rows of the matrix ends at 1, not at 2");
  EXPECT_EQ(blocks("1 1 1  2 2  2 3"), "the length of the column indices of the matrix: expected 1 to 1, given 3");
  EXPECT_EQ(blocks("1 1 1  2 2  2 1  0 2"), "a row pointer of the matrix: expected 0 to 1, given 2");
  EXPECT_EQ(blocks("1 1 1  2 2  2 1  0 1  1"), "value 1 of the column indices of the matrix: expected 0 to 0, given 1");
  EXPECT_EQ(blocks("1 1 1  2 2  2 1  0 0  0"), "the row pointers of the matrix end before the blocks");
  EXPECT_EQ(blocks("1 1 1  2 2  2 1  0 1  0  9"), "the number of block 0 of the matrix: expected 0 to 0, given 9");
  EXPECT_EQ(blocks("1 1 1  2 2  2 1  0 1  0  0  1 2 3"), "ends before value 4 of the 4 of block 0 of the matrix");
}

TEST(TextProblem, WithBadSparseEntriesSaysWhere) {
  const auto sparse = [](const std::string& rest) { return error("2  2 2 2  " + rest); };
  EXPECT_EQ(sparse("3"), "the sparse form of the matrix: expected 1 to 2, given 3");
  EXPECT_EQ(sparse("1 words"), "ends before 'nzmax:' of the matrix");
  EXPECT_EQ(sparse("1 nzmax: 1 nnz: 1  2 0 : 1"), "a row of the matrix: expected 0 to 1, given 2");
  EXPECT_EQ(sparse("1 nzmax: 1 nnz: 1  1 0 1"), "the matrix: expected ':', given '1'");
  EXPECT_EQ(sparse("1 nzmax: 1 nnz: 1  1 0 : x"), "the value in row 1 and column 0 of the matrix is not a number: 'x'");
}

TEST(ProblemFile, ThatCannotBeReadSaysWhy) {
  const std::string file = write_temporary("problems.dat", "1");
  const std::string folder = std::filesystem::path(file).parent_path();
  EXPECT_EQ(input_error([&] { read_problems(folder, {}); }), "cannot read " + folder + ": it is a directory");
  EXPECT_EQ(input_error([&] { read_problems(folder + "/none", {}); }),
            "cannot read " + folder + "/none: No such file or directory");
}

}  // namespace
}  // namespace stiction::test
