#include "host/backend/step_work.hpp"

#include <algorithm>

#include "host/backend/array_bytes.hpp"
#include "host/backend/backend.hpp"
#include "host/backend/capacity.hpp"
#include "host/backend/initial_state.hpp"
#include "kernels/linalg/block_pattern.hpp"

namespace stiction {
namespace {

/// The rows of U by block, fill-in included.
class EliminatedGraph {
 public:
  explicit EliminatedGraph(const ContactGraph& graph)
      : mask_(graph.block_size.size() * words(graph)), rows_{mask_.data(), static_cast<int>(words(graph))} {
    const int n = static_cast<int>(graph.block_size.size());
    for (const auto& [a, b] : graph.blocks)
      if (a >= 0 && b >= 0 && a != b) rows_.insert(a, b), rows_.insert(b, a);
    std::vector<int> order(graph.block_size.size()), degree(graph.block_size.size());
    if (n > 0) order_by_degree(n, graph.block_size.data(), rows_, order.data(), degree.data());
  }

  /// Number of dofs to the right of the diagonal block.
  double coupled_dofs(const ContactGraph& graph, int block) const {
    double dofs = 0.0;
    rows_.each(block, [&](int b) { dofs += graph.block_size[static_cast<std::size_t>(b)]; });
    return dofs;
  }

 private:
  static std::size_t words(const ContactGraph& graph) {
    return static_cast<std::size_t>(words_for(static_cast<int>(graph.block_size.size())));
  }
  std::vector<std::uint64_t> mask_;
  SetRows rows_;
};

/// The problem that the backend's one environment has just solved.
ContactGraph read_graph(const Backend& backend, const Scene& scene) {
  const Model& model = *scene.model;
  ContactGraph graph{model.tree_dof_num, has_torsion(scene) ? 4 : 3, {}};
  const std::vector<double> geoms = backend.read(EnvField::contact_geom);
  const auto tree = [&](double geom) {
    const int body = model.geom_body[static_cast<std::size_t>(geom)];
    return model.body_tree[static_cast<std::size_t>(body)];
  };
  const auto count = static_cast<std::size_t>(backend.read(EnvField::contact_count)[0]);
  for (std::size_t i = 0; i < count; ++i) graph.blocks.emplace_back(tree(geoms[2 * i]), tree(geoms[2 * i + 1]));
  return graph;
}

}  // namespace

StepWork count_problem(const ContactGraph& graph) {
  StepWork work;
  const double d = graph.dimension;
  const auto size = [&](int block) { return static_cast<double>(graph.block_size[static_cast<std::size_t>(block)]); };
  for (const auto& [a, b] : graph.blocks) {
    const double n = (a >= 0 ? size(a) : 0.0) + (b >= 0 && b != a ? size(b) : 0.0);
    work.product += d * n;
    work.assembly += d * d * n + d * n * (n + 1.0) / 2.0;
  }
  const EliminatedGraph eliminated(graph);
  for (int p = 0; p < static_cast<int>(graph.block_size.size()); ++p) {
    const double n = size(p), r = eliminated.coupled_dofs(graph, p);
    work.factor += n * n * n / 6.0 + n * n * r / 2.0 + n * r * r / 2.0;
    work.solve += n * n + 2.0 * n * r;
  }
  return work;
}

StepWork count_work(const Scene& scene, int steps) {
  Scene walked = scene;
  walked.solver.name = SolverName::kInteriorPoint;  // all solvers have the same contacts, and this one is fastest
  const auto backend = make_host_backend(walked, choose_capacity(walked), 1, false, 1);
  const int only[] = {0};
  write_initial_state(scene, 0, only, *backend);
  StepWork mean;
  for (int s = 0; s < steps; ++s) {
    backend->step(1);
    const StepWork work = count_problem(read_graph(*backend, scene));
    mean.product += work.product / steps, mean.assembly += work.assembly / steps;
    mean.factor += work.factor / steps, mean.solve += work.solve / steps;
  }
  return mean;
}

double step_multiply_adds(const StepWork& w, SolverName solver, SolveLanes lanes, double iterations, double rows) {
  const double direction = w.solve + 2.0 * w.product;
  switch (solver) {
    case SolverName::kInteriorPoint:
      if (lanes == SolveLanes::kOne) return iterations * w.product;
      [[fallthrough]];
    case SolverName::kNewton:
      return iterations * (w.assembly + w.factor + direction);
    case SolverName::kAdmm:
      return w.assembly + w.factor + iterations * direction;
    case SolverName::kPgs:
      return iterations * 2.0 * w.product;
    case SolverName::kLemke:
      return iterations * rows * rows;
  }
  return 0.0;
}

double step_bytes(const Scene& scene, bool single, double contacts) {
  Capacity capacity = choose_capacity(scene);
  const auto bytes = [&](int count) {
    capacity.max_contacts = count;
    return static_cast<double>(single ? array_bytes<float>(*scene.model, capacity)
                                      : array_bytes<double>(*scene.model, capacity));
  };
  return 2.0 * (bytes(0) + contacts * (bytes(1) - bytes(0)));
}

}  // namespace stiction
