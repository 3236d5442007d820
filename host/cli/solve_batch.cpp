#include "host/cli/solve_batch.hpp"

#include <utility>

namespace stiction {
namespace {

ContactAnswers in_common(LcpAnswers answers) {
  ContactAnswers common;
  common.device = std::move(answers.device);
  common.v = std::move(answers.z);
  common.status = std::move(answers.status);
  common.residual = std::move(answers.residual);
  common.iterations = std::move(answers.iterations);
  common.farkas = std::move(answers.farkas);
  return common;
}

RowProblems rows_of(const RowBatch& r) {
  return {r.count, r.J, r.offset, r.lower, r.upper, r.compliance, r.radius, r.sides};
}

ContactProblems contact_problems(const ProblemBatch& p) {
  const ContactExtras& x = p.extras;
  ContactProblems all{p.batch, p.unknowns, p.contacts, p.matrix, p.vector, p.J, p.phi, p.mu, p.step_size, p.count};
  all.frictions = x.frictions, all.max_couplings = x.max_couplings;
  all.offset = x.offset, all.radius = x.radius, all.dof_radius = x.dof_radius, all.M = x.M, all.start = x.start;
  all.blocks = x.blocks, all.sides = x.sides, all.rows = rows_of(x.rows);
  all.warm = {x.warm.v, x.warm.lambda, x.warm.row_lambda, x.warm_penalty};
  return all;
}

}  // namespace

ContactAnswers solve_batch(const ProblemBatch& p, const SolveOptions& options) {
  switch (p.kind) {
    case ProblemKind::kContact:
      return solve_contact(contact_problems(p), options);
    case ProblemKind::kDelassus:
      return solve_delassus({p.batch, p.contacts, p.matrix, p.vector, p.mu}, options);
    case ProblemKind::kLcp:
      return in_common(solve_lcp({p.batch, p.unknowns, p.matrix, p.vector, {}}, options));
    case ProblemKind::kMlcp:
      return in_common(solve_mlcp({p.batch, p.unknowns, p.matrix, p.vector, p.equations}, options));
    case ProblemKind::kQp:
      break;
  }
  return solve_qp({p.batch, p.unknowns, p.rows, p.matrix, p.vector, p.A, p.b}, options);
}

}  // namespace stiction
