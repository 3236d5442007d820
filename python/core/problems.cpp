// Problems given as plain arrays. Shapes are checked in Python; here they are read without a copy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

#include "host/api/solve_problems.hpp"
#include "host/model/choices.hpp"
#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"

namespace stiction::python {
namespace {

using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const int, nb::c_contig, nb::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.size());
}

std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

template <class Enum>
Enum chosen(const Choice& choice, const std::string& word) {
  const auto found = std::find(choice.built.begin(), choice.built.end(), word);
  if (found != choice.built.end()) return static_cast<Enum>(found - choice.built.begin());
  std::string known;
  for (const std::string& name : choice.built) known += (known.empty() ? "" : ", ") + name;
  throw InputError(choice.name + ": \"" + word + "\" is not one of " + known);
}

SolveOptions options_from(const nb::dict& given) {
  SolveOptions options;
  const auto text = [&](const char* key) { return nb::cast<std::string>(given[key]); };
  if (given.contains("law")) options.law = chosen<ContactLaw>(law_choice(), text("law"));
  if (given.contains("cone")) options.cone = chosen<ConeType>(cone_choice(), text("cone"));
  if (given.contains("facets")) options.facets = nb::cast<int>(given["facets"]);
  if (given.contains("solver")) options.solver = chosen<SolverName>(solver_choice(), text("solver"));
  if (given.contains("factor")) options.factor = chosen<Dtype>(factor_choice(), text("factor"));
  options.tolerance = nb::cast<double>(given["tolerance"]);
  options.max_iterations = nb::cast<int>(given["max_iterations"]);
  options.max_total_iterations = nb::cast<int>(given["max_total_iterations"]);
  options.device = text("device");
  options.threads = nb::cast<int>(given["threads"]);
  options.solve_threads = nb::cast<int>(given["solve_threads"]);
  return options;
}

/// Solves without the interpreter's lock.
template <class Solve>
auto unlocked(Solve solve) {
  const nb::gil_scoped_release release;
  return solve();
}

nb::dict answers(ContactAnswers a, int batch, int nv, int rows) {
  const std::size_t n = size_of(batch);
  nb::dict out;
  out["device"] = std::move(a.device);
  const std::size_t general_rows = a.row_lambda.size() / n;
  out["v"] = copied_array(std::move(a.v), {n, size_of(nv)});
  out["lambda"] = copied_array(std::move(a.lambda), {n, size_of(rows)});
  if (general_rows > 0) {
    out["row_lambda"] = copied_array(std::move(a.row_lambda), {n, general_rows});
    out["row_farkas"] = copied_array(std::move(a.row_farkas), {n, general_rows});
  }
  out["status"] = copied_array(std::move(a.status), {n});
  out["residual"] = copied_array(std::move(a.residual), {n});
  out["iterations"] = copied_array(std::move(a.iterations), {n});
  out["violation"] = copied_array(std::move(a.violation), {n});
  out["asymmetry"] = copied_array(std::move(a.asymmetry), {n});
  out["farkas"] = copied_array(std::move(a.farkas), {n, size_of(rows)});
  if (!a.direction.empty()) out["direction"] = copied_array(std::move(a.direction), {n, size_of(nv)});
  return out;
}

nb::dict answers(LcpAnswers a, int batch, int size) {
  const std::size_t n = size_of(batch);
  nb::dict out;
  out["device"] = std::move(a.device);
  out["z"] = copied_array(std::move(a.z), {n, size_of(size)});
  out["status"] = copied_array(std::move(a.status), {n});
  out["residual"] = copied_array(std::move(a.residual), {n});
  out["iterations"] = copied_array(std::move(a.iterations), {n});
  out["farkas"] = copied_array(std::move(a.farkas), {n, size_of(size)});
  return out;
}

/// The arrays of a dict by name, for as long as it lives; what it lacks is empty.
class Extras {
 public:
  explicit Extras(const nb::dict& given) : given_(given) {}
  std::span<const double> doubles(const char* name) const { return span<Doubles>(name); }
  std::span<const int> ints(const char* name) const { return span<Ints>(name); }
  int number(const char* name, int otherwise) const {
    return given_.contains(name) ? nb::cast<int>(given_[name]) : otherwise;
  }

 private:
  template <class Array>
  auto span(const char* name) const -> decltype(span_of(std::declval<Array>())) {
    if (!given_.contains(name)) return {};
    return span_of(nb::cast<Array>(given_[name]));
  }

  const nb::dict& given_;
};

void take_extras(const Extras& extras, ContactProblems& p) {
  p.frictions = extras.number("frictions", p.frictions);
  p.max_couplings = extras.number("max_couplings", p.max_couplings);
  p.offset = extras.doubles("offset"), p.radius = extras.doubles("radius");
  p.dof_radius = extras.doubles("dof_radius"), p.M = extras.doubles("M"), p.start = extras.doubles("start");
  p.blocks = extras.ints("blocks"), p.sides = extras.ints("sides");
  p.rows.offset = extras.doubles("row_offset"), p.rows.J = extras.doubles("row_J");
  p.rows.lower = extras.doubles("row_lower"), p.rows.upper = extras.doubles("row_upper");
  p.rows.compliance = extras.doubles("row_compliance"), p.rows.radius = extras.doubles("row_radius");
  p.rows.sides = extras.ints("row_sides");
  p.rows.count = static_cast<int>(p.rows.offset.size()) / std::max(p.batch, 1);
  p.warm = {extras.doubles("warm_v"), extras.doubles("warm_lambda"), extras.doubles("warm_row_lambda"),
            extras.doubles("warm_penalty")};
}

nb::dict contact(int batch, int nv, int contacts, const Doubles& H, const Doubles& g, const Doubles& J,
                 const Doubles& phi, const Doubles& mu, double step_size, const std::optional<Ints>& count,
                 const nb::dict& extras, const nb::dict& options) {
  const SolveOptions chosen_options = options_from(options);
  ContactProblems p{batch, nv, contacts, span_of(H), span_of(g), span_of(J), span_of(phi), span_of(mu), step_size, {}};
  if (count) p.count = span_of(*count);
  take_extras(Extras(extras), p);
  return answers(unlocked([&] { return solve_contact(p, chosen_options); }), batch, nv, p.dimension() * contacts);
}

nb::dict delassus(int batch, int contacts, const Doubles& W, const Doubles& q, const Doubles& mu,
                  const nb::dict& options) {
  const SolveOptions chosen_options = options_from(options);
  const DelassusProblems p{batch, contacts, span_of(W), span_of(q), span_of(mu)};
  return answers(unlocked([&] { return solve_delassus(p, chosen_options); }), batch, 3 * contacts, 3 * contacts);
}

nb::dict qp(int batch, int nv, int rows, const Doubles& H, const Doubles& g, const Doubles& A, const Doubles& b,
            const nb::dict& options) {
  const SolveOptions chosen_options = options_from(options);
  const QpProblems p{batch, nv, rows, span_of(H), span_of(g), span_of(A), span_of(b)};
  return answers(unlocked([&] { return solve_qp(p, chosen_options); }), batch, nv, rows);
}

nb::dict lcp(int batch, int size, const Doubles& M, const Doubles& q, const std::optional<Ints>& equations,
             const nb::dict& options) {
  const SolveOptions chosen_options = options_from(options);
  LcpProblems p{batch, size, span_of(M), span_of(q), {}};
  if (equations) p.equations = span_of(*equations);
  const auto solve = equations ? solve_mlcp : solve_lcp;
  return answers(unlocked([&] { return solve(p, chosen_options); }), batch, size);
}

}  // namespace

void bind_problems(nb::module_& m) {
  m.def("solve_contact", &contact);
  m.def("solve_delassus", &delassus);
  m.def("solve_qp", &qp);
  m.def("solve_lcp", &lcp);
}

}  // namespace stiction::python
