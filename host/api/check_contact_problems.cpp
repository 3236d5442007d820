// Checks of contact problems: first the required arrays, then the optional ones.
#include <cmath>
#include <string>

#include "host/api/check_problems.hpp"
#include "host/model/choices.hpp"

namespace stiction {
namespace {

void check_count(const ContactProblems& p) {
  if (p.count.empty()) return;
  expect_size("count", {{"batch", p.batch}}, p.count.size());
  for (int i = 0; i < p.batch; ++i) {
    const int count = p.count[static_cast<std::size_t>(i)];
    if (count < 0 || count > p.contacts)
      refuse("count", i, "expected 0 to " + std::to_string(p.contacts) + ", given " + std::to_string(count));
  }
}

/// Checks the size of an optional array.
void expect_size_or_none(const std::string& name, std::initializer_list<Axis> shape, std::size_t given) {
  if (given > 0) expect_size(name, shape, given);
}

/// Checks the entries of an array (batch, n); messages name `name`, problem i and entry k. NaN passes.
template <class Good>
void expect_each(const char* name, std::span<const double> values, int batch, const char* expected, Good good) {
  const std::size_t n = values.size() / static_cast<std::size_t>(batch);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isnan(values[k]) && !good(values[k]))
      refuse(name, static_cast<int>(k / n),
             "entry " + std::to_string(k % n) + ": expected " + expected + ", given " + in_digits(values[k]));
}

void expect_lengths(const char* name, std::span<const double> values, int batch) {
  expect_each(name, values, batch, "a positive length", [](double x) { return x > 0 && std::isfinite(x); });
}

void check_blocks(const ContactProblems& p) {
  if (p.blocks.empty()) return;
  int sum = 0;
  for (const int size : p.blocks) {
    expect_at_least("blocks", size, 1);
    sum += size > p.nv ? p.nv + 1 : size;
    if (sum > p.nv) break;
  }
  if (sum != p.nv)
    throw InputError("blocks: expected a sum of nv, " + std::to_string(p.nv) + ", given " +
                     (sum > p.nv ? "more" : std::to_string(sum)));
}

/// Checks that each of `items` names two blocks that differ.
void check_sides(const char* name, const ContactProblems& p, int items, std::span<const int> sides) {
  if (sides.empty()) return;
  expect_size(name, {{"batch", p.batch}, {"items", items}, {"2", 2}}, sides.size());
  const int blocks = p.blocks.empty() ? 1 : static_cast<int>(p.blocks.size());
  for (std::size_t k = 0; k < sides.size(); k += 2) {
    const int a = sides[k], b = sides[k + 1];
    if (a >= -1 && a < blocks && b >= -1 && b < blocks && (a != b || a == -1)) continue;
    const int item = static_cast<int>(k / 2);
    refuse(name, item / items,
           "item " + std::to_string(item % items) + ": expected two different blocks of " + std::to_string(blocks) +
               ", or -1 for none, given " + std::to_string(a) + " and " + std::to_string(b));
  }
}

void check_rows(const ContactProblems& p) {
  const RowProblems& rows = p.rows;
  expect_at_least("rows", rows.count, 0);
  const Axis batch{"batch", p.batch}, count{"rows", rows.count};
  expect_size("row_J", {batch, count, {"nv", p.nv}}, rows.J.size());
  expect_size("row_offset", {batch, count}, rows.offset.size());
  expect_size("row_lower", {batch, count}, rows.lower.size());
  expect_size("row_upper", {batch, count}, rows.upper.size());
  expect_size_or_none("row_compliance", {batch, count}, rows.compliance.size());
  expect_size_or_none("row_radius", {batch, count}, rows.radius.size());
  expect_each("row_lower", rows.lower, p.batch, "0 or less", [](double x) { return x <= 0; });
  expect_each("row_upper", rows.upper, p.batch, "0 or more", [](double x) { return x >= 0; });
  for (const auto& [name, bounds] : {std::pair{"row_lower", rows.lower}, std::pair{"row_upper", rows.upper}})
    for (const double x : bounds)
      if (std::isnan(x)) throw InputError(std::string(name) + ": expected numbers or infinity, given nan");
  expect_each("row_compliance", rows.compliance, p.batch, "0 or more", [](double x) { return x >= 0; });
  expect_lengths("row_radius", rows.radius, p.batch);
  check_sides("row_sides", p, rows.count, rows.sides);
}

void check_starts(const ContactProblems& p) {
  const SolverStarts& warm = p.warm;
  if (warm.v.empty()) return;
  const Axis batch{"batch", p.batch};
  expect_size("warm_v", {batch, {"nv", p.nv}}, warm.v.size());
  expect_size("warm_lambda", {batch, {"dimension contacts", p.dimension() * p.contacts}}, warm.lambda.size());
  expect_size("warm_row_lambda", {batch, {"rows", p.rows.count}}, warm.row_lambda.size());
  expect_size_or_none("warm_penalty", {batch}, warm.penalty.size());
}

void check_optional_arrays(const ContactProblems& p) {
  const Axis batch{"batch", p.batch}, nv{"nv", p.nv}, contacts{"contacts", p.contacts};
  expect_size_or_none("offset", {batch, {"dimension contacts", p.dimension() * p.contacts}}, p.offset.size());
  expect_size_or_none("radius", {batch, contacts}, p.radius.size());
  expect_size_or_none("dof_radius", {batch, nv}, p.dof_radius.size());
  expect_size_or_none("M", {batch, nv, nv}, p.M.size());
  expect_size_or_none("start", {batch, nv}, p.start.size());
  expect_at_least("max_couplings", p.max_couplings, 0);
  expect_lengths("radius", p.radius, p.batch);
  expect_lengths("dof_radius", p.dof_radius, p.batch);
}

}  // namespace

void check_problems(const ContactProblems& p) {
  expect_at_least("batch", p.batch, 1);
  expect_unknowns("nv", p.nv);
  expect_contacts(p.contacts, 0);
  if (p.frictions < 1 || p.frictions > 3)
    throw InputError("mu: expected 1 to 3 numbers a contact, given " + std::to_string(p.frictions));
  const Axis batch{"batch", p.batch}, nv{"nv", p.nv}, contacts{"contacts", p.contacts};
  expect_size("H", {batch, nv, nv}, p.H.size());
  expect_size("g", {batch, nv}, p.g.size());
  const int rows = p.dimension();
  expect_size("J", {batch, {rows == 3 ? "3 contacts" : "4 contacts", rows * p.contacts}, nv}, p.J.size());
  expect_size("phi", {batch, contacts}, p.phi.size());
  if (p.frictions == 1)
    expect_size("mu", {batch, contacts}, p.mu.size());
  else
    expect_size("mu", {batch, contacts, {"frictions", p.frictions}}, p.mu.size());
  check_count(p);
  if (!(p.step_size > 0) || !std::isfinite(p.step_size))
    throw InputError("h: expected a positive number of seconds, given " + in_digits(p.step_size));
  expect_friction(p.mu, p.contacts, p.frictions);
  check_blocks(p);
  check_sides("sides", p, p.contacts, p.sides);
  check_optional_arrays(p);
  check_rows(p);
  check_starts(p);
}

}  // namespace stiction
