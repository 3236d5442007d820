#include "host/record/hdf5_problem.hpp"

#include <cstdint>

#include "host/api/check_problems.hpp"

namespace stiction {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : ", ") + std::to_string(length);
  return "(" + text + ")";
}

/// One group of the file, and the names of its datasets in messages.
class Group {
 public:
  Group(const Hdf5Input& in, ProblemKind kind) : in_(in), name_(problem_kind_name(kind)) {}

  /// The first axis of `dataset`, which has `axes`.
  int batch(const std::string& dataset, std::size_t axes) {
    const auto shape = in_.shape(path(dataset));
    if (shape.size() != axes)
      in_.fail("/" + path(dataset) + ": expected " + std::to_string(axes) + " axes, given the shape " +
               shape_text(shape));
    if (shape[0] < 1) in_.fail("/" + path(dataset) + " holds no problems");
    return length(dataset, shape[0], INT32_MAX);
  }
  /// The length of the last axis of `dataset`.
  int last_axis(const std::string& dataset, int most) {
    const auto shape = in_.shape(path(dataset));
    return shape.empty() ? 0 : length(dataset, shape.back(), most);
  }
  std::vector<double> numbers(const std::string& dataset, const std::vector<std::int64_t>& shape) {
    auto array = in_.numbers(path(dataset));
    expect_shape(dataset, shape, array.shape);
    return std::move(array.values);
  }
  std::vector<int> integers(const std::string& dataset, const std::vector<std::int64_t>& shape) {
    auto array = in_.integers(path(dataset));
    expect_shape(dataset, shape, array.shape);
    return std::move(array.values);
  }
  std::string path(const std::string& dataset) const { return name_ + "/" + dataset; }
  const Hdf5Input& input() const { return in_; }
  const std::string& name() const { return name_; }

 private:
  int length(const std::string& dataset, std::int64_t given, int most) {
    if (given <= most) return static_cast<int>(given);
    in_.fail("/" + path(dataset) + ": expected an axis of at most " + std::to_string(most) + ", given " +
             std::to_string(given));
  }
  void expect_shape(const std::string& dataset, const std::vector<std::int64_t>& expected,
                    const std::vector<std::int64_t>& given) {
    if (given != expected)
      in_.fail("/" + path(dataset) + ": expected the shape " + shape_text(expected) + ", given " + shape_text(given));
  }

  const Hdf5Input& in_;
  std::string name_;
};

void read_contact(Group& group, ProblemBatch& p) {
  const std::int64_t B = p.batch = group.batch("H", 3), nv = p.unknowns = group.last_axis("H", kMostUnknowns);
  const std::int64_t nc = p.contacts = group.last_axis("phi", kMostUnknowns / 3);
  p.matrix = group.numbers("H", {B, nv, nv}), p.vector = group.numbers("g", {B, nv});
  p.J = group.numbers("J", {B, 3 * nc, nv});
  p.phi = group.numbers("phi", {B, nc}), p.mu = group.numbers("mu", {B, nc});
  if (group.input().has(group.path("count"))) p.count = group.integers("count", {B});
  p.step_size = group.input().attribute(group.name(), "step_size");
}

void read_delassus(Group& group, ProblemBatch& p) {
  const std::int64_t B = p.batch = group.batch("W", 3);
  const std::int64_t nc = p.contacts = group.last_axis("mu", kMostUnknowns / 3), rows = 3 * nc;
  p.matrix = group.numbers("W", {B, rows, rows}), p.vector = group.numbers("q", {B, rows});
  p.mu = group.numbers("mu", {B, nc});
}

void read_lcp(Group& group, ProblemBatch& p) {
  const std::int64_t B = p.batch = group.batch("M", 3), n = p.unknowns = group.last_axis("M", kMostUnknowns);
  p.matrix = group.numbers("M", {B, n, n}), p.vector = group.numbers("q", {B, n});
  if (p.kind == ProblemKind::kLcp) return;
  const std::string equations = group.path("equations");
  const bool one_for_all = group.input().shape(equations).size() == 1;
  p.equations = group.integers("equations", one_for_all ? std::vector{n} : std::vector{B, n});
}

void read_qp(Group& group, ProblemBatch& p) {
  const std::int64_t B = p.batch = group.batch("H", 3), nv = p.unknowns = group.last_axis("H", kMostUnknowns);
  const std::int64_t rows = p.rows = group.last_axis("b", INT32_MAX);
  p.matrix = group.numbers("H", {B, nv, nv}), p.vector = group.numbers("g", {B, nv});
  p.A = group.numbers("A", {B, rows, nv}), p.b = group.numbers("b", {B, rows});
}

}  // namespace

ProblemBatch read_hdf5_problems(const Hdf5Input& in, ProblemKind kind) {
  ProblemBatch p;
  p.kind = kind;
  Group group(in, kind);
  if (kind == ProblemKind::kContact) read_contact(group, p);
  if (kind == ProblemKind::kDelassus) read_delassus(group, p);
  if (kind == ProblemKind::kLcp || kind == ProblemKind::kMlcp) read_lcp(group, p);
  if (kind == ProblemKind::kQp) read_qp(group, p);
  return p;
}

}  // namespace stiction
