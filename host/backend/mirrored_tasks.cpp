#include "host/backend/mirrored_tasks.hpp"

namespace stiction {
namespace {

std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

std::size_t impulses(const ContactProblem<double>& p) { return size_of(p.dimension) * size_of(p.num_contacts); }

void mirror_side(const ContactProblem<double>& p, int rows, MirroredMemory& read, BlockJacobian<double>& side) {
  if (side.block < 0) return;
  side.J = read.copy(side.J, size_of(rows) * size_of(p.block_size[side.block])).there;
}

/// Copies contacts or general rows, whose Jacobians have `rows` rows.
template <class Row>
const Row* mirror_rows(const ContactProblem<double>& p, const Row* from, int count, int rows, MirroredMemory& read) {
  const Mirrored<Row> to = read.take<Row>(size_of(count));
  for (int i = 0; i < count; ++i) {
    Row row = from[i];
    for (BlockJacobian<double>& side : row.side) mirror_side(p, rows, read, side);
    to.set(size_of(i), row);
  }
  return to.there;
}

/// Copies a block-diagonal matrix.
const double* const* mirror_blocks(const ContactProblem<double>& p, const double* const* from, MirroredMemory& read) {
  const Mirrored<const double*> to = read.take<const double*>(size_of(p.num_blocks));
  for (int b = 0; b < p.num_blocks; ++b)
    to.set(size_of(b), read.copy(from[b], size_of(p.block_size[b]) * size_of(p.block_size[b])).there);
  return to.there;
}

ContactProblem<double> mirror_problem(ContactProblem<double> p, MirroredMemory& read) {
  const auto doubles = [&](const double* from, int count) { return read.copy(from, size_of(count)).there; };
  p.H = mirror_blocks(p, p.H, read), p.M = mirror_blocks(p, p.M, read);
  p.contacts = mirror_rows(p, p.contacts, p.num_contacts, p.dimension, read);
  p.rows = mirror_rows(p, p.rows, p.num_rows, 1, read);
  p.g = doubles(p.g, p.nv), p.dof_radius = doubles(p.dof_radius, p.nv);
  if (p.start) p.start = doubles(p.start, p.nv);
  p.block_adr = read.copy(p.block_adr, size_of(p.num_blocks)).there;
  p.block_size = read.copy(p.block_size, size_of(p.num_blocks)).there;  // read above, so copied last
  return p;
}

WarmStart<double> mirror_start(const ContactProblem<double>& p, WarmStart<double> warm, MirroredMemory& read) {
  if (warm.v) warm.v = read.copy(warm.v, size_of(p.nv)).there;
  if (warm.lambda) warm.lambda = read.copy(warm.lambda, impulses(p)).there;
  if (warm.row_lambda) warm.row_lambda = read.copy(warm.row_lambda, size_of(p.num_rows)).there;
  return warm;
}

MirroredAnswer mirror_answer(const ContactProblem<double>& p, const ContactSolution<double>& x,
                             MirroredMemory& changed) {
  const std::size_t nv = size_of(p.nv), rows = size_of(p.num_rows);
  return {changed.copy(x.v.data(), nv), changed.copy(x.lambda.data(), impulses(p)),
          changed.copy(x.row_lambda.data(), rows), changed.take<double>(std::max(nv, impulses(p) + rows))};
}

Mirrored<int> zeros(std::size_t count, MirroredMemory& changed) {
  const Mirrored<int> all = changed.take<int>(count);
  for (std::size_t i = 0; i < count; ++i) all.set(i, 0);
  return all;
}

}  // namespace

SolveTasks::SolveTasks(std::span<SolverRun* const> runs, std::size_t launches, TaskMemory& memory)
    : task_(memory.changed.take<SolveTask>(runs.size())), taken_(zeros(kTaskKernels * launches, memory.changed)) {
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const SolverRun& run = *runs[k];
    const MirroredAnswer x = answers_.emplace_back(mirror_answer(run.problem, run.out, memory.changed));
    SolveTask task;
    task.wanted = true, task.report = {};
    task.problem = mirror_problem(run.problem, memory.read);
    task.warm = mirror_start(run.problem, run.warm, memory.read);
    task.solution = {x.v.there, x.lambda.there, x.row_lambda.there};
    task.ray = task.farkas = x.kept.there;
    task_.set(k, task);
  }
}

void SolveTasks::collect(std::span<SolverRun* const> runs) const {
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const ContactProblem<double>& p = runs[k]->problem;
    ContactSolution<double>& out = runs[k]->out;
    std::copy_n(answers_[k].v.here, p.nv, out.v.data());
    std::copy_n(answers_[k].lambda.here, impulses(p), out.lambda.data());
    std::copy_n(answers_[k].row_lambda.here, p.num_rows, out.row_lambda.data());
    SolverReport<double>& report = runs[k]->report = task_.here[k].report;
    if (report.certificate) report.certificate = answers_[k].kept.here;
  }
}

LcpTasks::LcpTasks(std::span<LcpRun* const> runs, TaskMemory& memory)
    : task_(memory.changed.take<LcpTask>(runs.size())), taken_(zeros(kTaskKernels, memory.changed)) {
  for (std::size_t k = 0; k < runs.size(); ++k) {
    LcpProblem<double> p = runs[k]->problem;
    const std::size_t size = size_of(p.size);
    p.M = memory.read.copy(p.M, size * size).there, p.q = memory.read.copy(p.q, size).there;
    if (p.is_free) p.is_free = memory.read.copy(p.is_free, size).there;
    const MirroredAnswer x = answers_.emplace_back(
        MirroredAnswer{memory.changed.copy(runs[k]->z.data(), size), {}, {}, memory.changed.take<double>(size)});
    task_.set(k, {p, x.v.there, x.kept.there, Arena(), {}});
  }
}

void LcpTasks::collect(std::span<LcpRun* const> runs) const {
  for (std::size_t k = 0; k < runs.size(); ++k) {
    std::copy_n(answers_[k].v.here, runs[k]->problem.size, runs[k]->z.data());
    LcpReport<double>& report = runs[k]->report = task_.here[k].report;
    if (report.certificate) report.certificate = answers_[k].kept.here;
  }
}

}  // namespace stiction
