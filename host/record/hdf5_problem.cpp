#include "host/record/hdf5_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "host/api/check_problems.hpp"

namespace stiction {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : ", ") + std::to_string(length);
  return "(" + text + ")";
}

/// One group of the file; it knows how messages name its datasets.
class Group {
 public:
  Group(const Hdf5Input& in, ProblemKind kind) : in_(in), name_(problem_kind_name(kind)) {}

  /// Restricts reading to the chosen problems; `dataset`, with `axes` axes, says how many there are. Returns their
  /// number.
  int choose(const std::string& dataset, std::size_t axes, const ChooseProblems& choose) {
    const int all = batch(dataset, axes);
    if (choose) ids_ = choose(all);
    return choose ? static_cast<int>(ids_.size()) : all;
  }
  const std::vector<int>& ids() const { return ids_; }
  bool has(const std::string& dataset) const { return in_.has(path(dataset)); }
  std::size_t axes(const std::string& dataset) const { return in_.shape(path(dataset)).size(); }
  /// The length of the first axis of `dataset`, which must have `axes` axes.
  int batch(const std::string& dataset, std::size_t axes) const {
    const auto shape = in_.shape(path(dataset));
    if (shape.size() != axes)
      in_.fail("/" + path(dataset) + ": expected " + std::to_string(axes) + " axes, given the shape " +
               shape_text(shape));
    if (shape[0] < 1) in_.fail("/" + path(dataset) + " holds no problems");
    return length(dataset, shape[0], INT32_MAX);
  }
  /// The length of the last axis of `dataset`.
  int last_axis(const std::string& dataset, int most) const {
    const auto shape = in_.shape(path(dataset));
    return shape.empty() ? 0 : length(dataset, shape.back(), most);
  }
  std::vector<double> numbers(const std::string& dataset, const std::vector<std::int64_t>& shape) const {
    expect_whole(dataset);
    auto array = in_.numbers(path(dataset), ids_);
    expect_shape(dataset, shape, array.shape);
    return std::move(array.values);
  }
  std::vector<int> integers(const std::string& dataset, const std::vector<std::int64_t>& shape) const {
    expect_whole(dataset);
    auto array = in_.integers(path(dataset), ids_);
    expect_shape(dataset, shape, array.shape);
    return std::move(array.values);
  }
  /// The values of a dataset that may be missing; empty if it is.
  std::vector<double> optional_numbers(const std::string& dataset, const std::vector<std::int64_t>& shape) const {
    return has(dataset) ? numbers(dataset, shape) : std::vector<double>();
  }
  std::vector<int> optional_integers(const std::string& dataset, const std::vector<std::int64_t>& shape) const {
    return has(dataset) ? integers(dataset, shape) : std::vector<int>();
  }
  /// The values of a dataset that all problems share.
  std::vector<int> common_integers(const std::string& dataset, const std::vector<std::int64_t>& shape) const {
    auto array = in_.integers(path(dataset));
    expect_shape(dataset, shape, array.shape);
    return std::move(array.values);
  }
  std::string path(const std::string& dataset) const { return name_ + "/" + dataset; }
  const Hdf5Input& input() const { return in_; }
  const std::string& name() const { return name_; }

 private:
  int length(const std::string& dataset, std::int64_t given, int most) const {
    if (given <= most) return static_cast<int>(given);
    in_.fail("/" + path(dataset) + ": expected an axis of at most " + std::to_string(most) + ", given " +
             std::to_string(given));
  }
  /// Checks that the chosen problems exist.
  void expect_whole(const std::string& dataset) const {
    if (ids_.empty()) return;
    const auto shape = in_.shape(path(dataset));
    if (shape.empty() || shape[0] <= ids_.back())
      in_.fail("/" + path(dataset) + ": expected one item a problem, given the shape " + shape_text(shape));
  }
  void expect_shape(const std::string& dataset, const std::vector<std::int64_t>& expected,
                    const std::vector<std::int64_t>& given) const {
    if (given != expected)
      in_.fail("/" + path(dataset) + ": expected the shape " + shape_text(expected) + ", given " + shape_text(given));
  }

  const Hdf5Input& in_;
  std::string name_;
  std::vector<int> ids_;  // ids of the chosen problems; empty: all
};

RowBatch read_rows(const Group& group, std::int64_t B, std::int64_t nv) {
  RowBatch rows;
  if (!group.has("row_J")) return rows;
  const std::int64_t n = rows.count = group.last_axis("row_offset", INT32_MAX);
  rows.J = group.numbers("row_J", {B, n, nv}), rows.offset = group.numbers("row_offset", {B, n});
  rows.lower = group.numbers("row_lower", {B, n}), rows.upper = group.numbers("row_upper", {B, n});
  rows.compliance = group.optional_numbers("row_compliance", {B, n});
  rows.radius = group.optional_numbers("row_radius", {B, n});
  rows.sides = group.optional_integers("row_sides", {B, n, 2});
  return rows;
}

/// Reads the datasets whose names begin with `prefix`.
MotionBatch read_motion(const Group& group, const std::string& prefix, const ProblemBatch& p) {
  MotionBatch motion;
  if (!group.has(prefix + "v")) return motion;
  const std::int64_t B = p.batch, d = p.extras.dimension(), rows = p.extras.rows.count;
  motion.v = group.numbers(prefix + "v", {B, p.unknowns});
  motion.lambda = group.numbers(prefix + "lambda", {B, d * p.contacts});
  if (rows > 0) motion.row_lambda = group.numbers(prefix + "row_lambda", {B, rows});
  return motion;
}

void read_extras(const Group& group, ProblemBatch& p) {
  ContactExtras& x = p.extras;
  const std::int64_t B = p.batch, nv = p.unknowns, nc = p.contacts, d = x.dimension();
  x.offset = group.optional_numbers("offset", {B, d * nc}), x.radius = group.optional_numbers("radius", {B, nc});
  x.dof_radius = group.optional_numbers("dof_radius", {B, nv});
  x.M = group.optional_numbers("M", {B, nv, nv}), x.start = group.optional_numbers("start", {B, nv});
  if (group.has("blocks")) x.blocks = group.common_integers("blocks", {group.last_axis("blocks", kMostUnknowns)});
  x.sides = group.optional_integers("sides", {B, nc, 2});
  x.rows = read_rows(group, B, nv);
  x.warm = read_motion(group, "warm_", p), x.warm_penalty = group.optional_numbers("warm_penalty", {B});
  x.answer = read_motion(group, "answer_", p);
}

long long whole_attribute(const Group& group, const std::string& name) {
  const double value = group.input().attribute(group.name(), name);
  if (value != std::floor(value) || std::abs(value) > INT32_MAX)
    group.input().fail("attribute " + name + " of /" + group.name() + ": expected a whole number");
  return static_cast<long long>(value);
}

RecordedChoices read_choices(const Group& group) {
  const Hdf5Input& in = group.input();
  const auto text = [&](const char* name) -> std::optional<std::string> {
    if (!in.has_attribute(group.name(), name)) return {};
    return in.text_attribute(group.name(), name);
  };
  const auto whole = [&](const char* name) -> std::optional<long long> {
    if (!in.has_attribute(group.name(), name)) return {};
    return whole_attribute(group, name);
  };
  RecordedChoices choices{text("law"),
                          text("cone"),
                          text("solver"),
                          text("factor"),
                          whole("facets"),
                          whole("max_iterations"),
                          whole("max_total_iterations"),
                          {}};
  if (in.has_attribute(group.name(), "tolerance")) choices.tolerance = in.attribute(group.name(), "tolerance");
  return choices;
}

void read_contact(Group& group, const ChooseProblems& choose, ProblemBatch& p) {
  const std::int64_t B = p.batch = group.choose("H", 3, choose), nv = p.unknowns = group.last_axis("H", kMostUnknowns);
  const std::int64_t nc = p.contacts = group.last_axis("phi", kMostUnknowns / 3);
  p.matrix = group.numbers("H", {B, nv, nv}), p.vector = group.numbers("g", {B, nv});
  const bool one_friction = group.axes("mu") == 2;
  p.extras.frictions = one_friction ? 1 : group.last_axis("mu", 3);
  p.mu = group.numbers("mu", one_friction ? std::vector{B, nc} : std::vector<std::int64_t>{B, nc, p.extras.frictions});
  p.J = group.numbers("J", {B, p.extras.dimension() * nc, nv}), p.phi = group.numbers("phi", {B, nc});
  p.count = group.optional_integers("count", {B});
  p.step_size = group.input().attribute(group.name(), "step_size");
  if (group.input().has_attribute(group.name(), "max_couplings"))
    p.extras.max_couplings = static_cast<int>(std::min(whole_attribute(group, "max_couplings"), 1LL * kAllCouplings));
  read_extras(group, p);
}

void read_delassus(Group& group, const ChooseProblems& choose, ProblemBatch& p) {
  const std::int64_t B = p.batch = group.choose("W", 3, choose);
  const std::int64_t nc = p.contacts = group.last_axis("mu", kMostUnknowns / 3), rows = 3 * nc;
  p.matrix = group.numbers("W", {B, rows, rows}), p.vector = group.numbers("q", {B, rows});
  p.mu = group.numbers("mu", {B, nc});
}

void read_lcp(Group& group, const ChooseProblems& choose, ProblemBatch& p) {
  const std::int64_t B = p.batch = group.choose("M", 3, choose), n = p.unknowns = group.last_axis("M", kMostUnknowns);
  p.matrix = group.numbers("M", {B, n, n}), p.vector = group.numbers("q", {B, n});
  if (p.kind == ProblemKind::kLcp) return;
  const bool one_for_all = group.input().shape(group.path("equations")).size() == 1;
  p.equations = one_for_all ? group.common_integers("equations", {n}) : group.integers("equations", {B, n});
}

void read_qp(Group& group, const ChooseProblems& choose, ProblemBatch& p) {
  const std::int64_t B = p.batch = group.choose("H", 3, choose), nv = p.unknowns = group.last_axis("H", kMostUnknowns);
  const std::int64_t rows = p.rows = group.last_axis("b", INT32_MAX);
  p.matrix = group.numbers("H", {B, nv, nv}), p.vector = group.numbers("g", {B, nv});
  p.A = group.numbers("A", {B, rows, nv}), p.b = group.numbers("b", {B, rows});
}

}  // namespace

ProblemBatch read_hdf5_problems(const Hdf5Input& in, ProblemKind kind, const ChooseProblems& choose) {
  ProblemBatch p;
  p.kind = kind;
  Group group(in, kind);
  if (kind == ProblemKind::kContact) read_contact(group, choose, p);
  if (kind == ProblemKind::kDelassus) read_delassus(group, choose, p);
  if (kind == ProblemKind::kLcp || kind == ProblemKind::kMlcp) read_lcp(group, choose, p);
  if (kind == ProblemKind::kQp) read_qp(group, choose, p);
  p.ids = group.ids();
  p.choices = read_choices(group);
  return p;
}

}  // namespace stiction
