#include "host/record/problem_recorder.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "host/model/choices.hpp"
#include "host/record/attributes.hpp"
#include "host/record/dense_arrays.hpp"
#include "host/record/growing_array.hpp"
#include "host/record/partial_file.hpp"

namespace stiction {
namespace {

constexpr hsize_t kContactsPerChunk = 8;  // a stack of boxes has about 50 contacts, a free body 4
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Writes the group's attributes: the choices for the solve.
void write_choices(hid_t group, const StepProblem& step, const std::string& what) {
  const ContactProblem<double>& p = step.problem;
  const std::vector<RecordingAttribute> choices = {
      {"step_size", p.step_size},
      {"law", choice_name(law_choice(), p.law)},
      {"cone", choice_name(cone_choice(), p.cone)},
      {"facets", std::int64_t{p.facets}},
      {"solver", choice_name(solver_choice(), step.config.name)},
      {"factor", choice_name(factor_choice(), step.config.factor)},
      {"tolerance", step.config.tolerance},
      {"max_iterations", std::int64_t{step.config.max_iterations}},
      {"max_total_iterations", std::int64_t{step.config.max_total_iterations}},
      {"max_couplings", std::int64_t{p.max_couplings}},
  };
  for (const RecordingAttribute& choice : choices) write_attribute(group, choice, what);
}

void write_blocks(hid_t group, const ContactProblem<double>& p, const std::string& what) {
  GrowingArray<int> blocks(group, {"blocks", "", {}}, 0, what);
  for (int b = 0; b < p.num_blocks; ++b) blocks.append(p.block_size[b]);
}

using Doubles = GrowingArray<double>;
using Ints = GrowingArray<int>;

/// Datasets of the problem but for the general rows: H, g, the contacts, and so on.
class ProblemArrays {
 public:
  ProblemArrays(hid_t group, const ContactProblem<double>& p, const std::string& what)
      : nv_(static_cast<hsize_t>(p.nv)),
        d_(static_cast<hsize_t>(p.dimension)),
        H_(group, {"H", "kg, kg m, kg m^2", {nv_, nv_}}, 0.0, what),
        g_(group, {"g", "N s, N m s", {nv_}}, 0.0, what),
        J_(group, {"J", "", {0, nv_}, d_ * kContactsPerChunk}, 0.0, what),
        phi_(group, {"phi", "m", {0}, kContactsPerChunk}, 0.0, what),
        mu_(group, {"mu", "-, -, m", {0, d_ - 1}, kContactsPerChunk}, 0.0, what),
        offset_(group, {"offset", "m/s, rad/s", {0}, d_ * kContactsPerChunk}, 0.0, what),
        radius_(group, {"radius", "m", {0}, kContactsPerChunk}, 1.0, what),
        dof_radius_(group, {"dof_radius", "m", {nv_}}, 1.0, what),
        M_(group, {"M", "kg, kg m, kg m^2", {nv_, nv_}}, 0.0, what),
        count_(group, {"count", "", {}}, 0, what),
        sides_(group, {"sides", "", {0, 2}, kContactsPerChunk}, -1, what) {
    if (p.start) start_.emplace(group, GrowingSpec{"start", "m/s, rad/s", {nv_}}, 0.0, what);
  }

  void append(const ContactProblem<double>& p) {
    const DenseContacts contacts = dense_contacts(p);
    H_.append(dense_blocks(p, p.H)), M_.append(dense_blocks(p, p.M));
    g_.append({p.g, nv_}), dof_radius_.append({p.dof_radius, nv_});
    J_.append(contacts.J), phi_.append(contacts.phi), mu_.append(contacts.mu);
    offset_.append(contacts.offset), radius_.append(contacts.radius), sides_.append(contacts.sides);
    count_.append(p.num_contacts);
    if (start_) start_->append({p.start, nv_});
  }

 private:
  hsize_t nv_, d_;
  Doubles H_, g_, J_, phi_, mu_, offset_, radius_, dof_radius_, M_;
  Ints count_, sides_;
  std::optional<Doubles> start_;
};

/// Datasets of the general rows.
class RowArrays {
 public:
  RowArrays(hid_t group, const ContactProblem<double>& p, const std::string& what)
      : RowArrays(group, static_cast<hsize_t>(p.num_rows), static_cast<hsize_t>(p.nv), what) {}

  void append(const ContactProblem<double>& p) {
    const DenseRows rows = dense_rows(p);
    J_.append(rows.J), offset_.append(rows.offset), lower_.append(rows.lower), upper_.append(rows.upper);
    compliance_.append(rows.compliance), radius_.append(rows.radius), sides_.append(rows.sides);
  }

 private:
  RowArrays(hid_t group, hsize_t n, hsize_t nv, const std::string& what)
      : J_(group, {"row_J", "", {n, nv}}, 0.0, what),
        offset_(group, {"row_offset", "m/s, rad/s", {n}}, 0.0, what),
        lower_(group, {"row_lower", "N s, N m s", {n}}, 0.0, what),
        upper_(group, {"row_upper", "N s, N m s", {n}}, 0.0, what),
        compliance_(group, {"row_compliance", "", {n}}, 0.0, what),
        radius_(group, {"row_radius", "m", {n}}, 1.0, what),
        sides_(group, {"row_sides", "", {n, 2}}, -1, what) {}

  Doubles J_, offset_, lower_, upper_, compliance_, radius_;
  Ints sides_;
};

/// Datasets of a v and its impulses: the solver's start or its answer.
class MotionArrays {
 public:
  MotionArrays(hid_t group, const std::string& prefix, const ContactProblem<double>& p, const std::string& what)
      : v_(group, {prefix + "v", "m/s, rad/s", {static_cast<hsize_t>(p.nv)}}, 0.0, what),
        lambda_(group, {prefix + "lambda", "N s, N m s", {0}, static_cast<hsize_t>(p.dimension) * kContactsPerChunk},
                0.0, what) {
    if (p.num_rows > 0)
      row_lambda_.emplace(group, GrowingSpec{prefix + "row_lambda", "N s, N m s", {static_cast<hsize_t>(p.num_rows)}},
                          0.0, what);
  }

  /// A null pointer means that there is none: NaN is written.
  void append(const ContactProblem<double>& p, const double* v, const double* lambda, const double* row_lambda) {
    const auto entries = [](const double* given, int count) {
      const std::size_t n = static_cast<std::size_t>(count);
      return given ? std::vector<double>(given, given + n) : std::vector<double>(n, kNone);
    };
    v_.append(entries(v, p.nv));
    lambda_.append(entries(lambda, p.dimension * p.num_contacts));
    if (row_lambda_) row_lambda_->append(entries(row_lambda, p.num_rows));
  }

 private:
  Doubles v_, lambda_;
  std::optional<Doubles> row_lambda_;
};

/// All datasets of the group; created with the first problem, which determines their sizes.
struct Arrays {
  Arrays(Hdf5Handle made, const StepProblem& first, const std::string& what)
      : group(std::move(made)),
        problem(group.get(), first.problem, what),
        warm(group.get(), "warm_", first.problem, what),
        answer(group.get(), "answer_", first.problem, what),
        penalty(group.get(), {"warm_penalty", "", {}}, 0.0, what),
        residual(group.get(), {"answer_residual", "", {}}, 0.0, what),
        iterations(group.get(), {"answer_iterations", "", {}}, 0, what),
        env(group.get(), {"env", "", {}}, 0, what),
        step(group.get(), {"step", "", {}}, 0, what),
        answer_status(group.get(), {"answer_status", "", {}}, 0, what) {
    if (first.problem.num_rows > 0) rows.emplace(group.get(), first.problem, what);
    write_choices(group.get(), first, what);
    write_blocks(group.get(), first.problem, what);
  }

  void append(std::int64_t at, const StepProblem& p) {
    problem.append(p.problem);
    if (rows) rows->append(p.problem);
    warm.append(p.problem, p.warm.v, p.warm.lambda, p.warm.row_lambda), penalty.append(p.warm.penalty);
    const bool answered = !(p.report.status & status::kNotFinite);
    const ContactSolution<double> x = answered ? p.solution : ContactSolution<double>{};
    answer.append(p.problem, x.v, x.lambda, x.row_lambda);
    residual.append(answered ? p.report.residual : kNone), iterations.append(p.report.iterations);
    answer_status.append(p.report.status);
    env.append(p.env), step.append(static_cast<int>(at));
  }

  Hdf5Handle group;
  ProblemArrays problem;
  std::optional<RowArrays> rows;
  MotionArrays warm, answer;
  Doubles penalty, residual;
  Ints iterations, env, step;
  GrowingArray<std::uint32_t> answer_status;
};

}  // namespace

struct ProblemRecorder::File {
  File(const std::string& name, const std::vector<RecordingAttribute>& attributes)
      : partial(name), what("cannot write " + partial.partial_name()) {
    const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_obj_track_times(creation.get(), false);   // same run, same bytes
    H5Pset_file_locking(access.get(), false, true);  // PartialFile locks
    file = {check_hdf5(H5Fcreate(partial.partial_name().c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), what),
            H5Fclose};
    for (const auto& attribute : attributes) write_attribute(file.get(), attribute, what);
  }

  void append(std::int64_t step, const StepProblem& problem) {
    if (problem.problem.nv < 1) throw InputError("--record-problems: the model has nothing that moves");
    if (!arrays) {
      Hdf5Handle group(check_hdf5(H5Gcreate2(file.get(), "contact", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), what),
                       H5Gclose);
      arrays.emplace(std::move(group), problem, what);
    }
    arrays->append(step, problem);
    ++problems;
  }

  /// Closes the file; throws InputError if that fails.
  void close() {
    arrays.reset();
    check_hdf5(H5Fflush(file.get(), H5F_SCOPE_LOCAL), what);
    check_hdf5(file.close(), what);
  }

  PartialFile partial;
  std::string what;
  Hdf5Handle file;
  std::optional<Arrays> arrays;
  std::int64_t problems = 0;
  bool finished = false;
};

ProblemRecorder::ProblemRecorder(const std::string& file, const std::vector<RecordingAttribute>& attributes) {
  silence_hdf5();
  file_ = std::make_unique<File>(file, attributes);
}

ProblemRecorder::~ProblemRecorder() {
  if (!file_ || file_->finished) return;
  try {
    file_->close();
  } catch (const InputError&) {  // problems that were written before remain
  }
  if (file_->problems == 0) file_->partial.remove();
}

void ProblemRecorder::append(std::int64_t step, const StepProblem& problem) { file_->append(step, problem); }

void ProblemRecorder::finish() {
  file_->close();
  file_->finished = true;
  file_->problems > 0 ? file_->partial.publish() : file_->partial.remove();
}

std::int64_t ProblemRecorder::problems() const { return file_->problems; }
const std::string& ProblemRecorder::partial_name() const { return file_->partial.partial_name(); }

}  // namespace stiction
