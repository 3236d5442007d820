#include "host/backend/host_backend.hpp"

#include "host/backend/array_bytes.hpp"
#include "host/model/error.hpp"

namespace stiction {
namespace {

template <class Real>
BatchBytes batch_bytes(const Scene& scene, const Capacity& capacity, int threads) {
  const ModelStorage<Real> model(*scene.model);
  using Team = HostTeam<PhaseOrder::kForward>;
  const std::size_t scratch =
      step_scratch_bytes<Team, Real>(Team{}, model.view(), capacity, make_step_config<Real>(scene));
  return {array_bytes<Real>(*scene.model, capacity), static_cast<std::size_t>(threads) * scratch};
}

template <class Real>
std::unique_ptr<Backend> make(const Scene& scene, const Capacity& capacity, int batch, int threads, SolveRoute route) {
  const BatchBytes bytes = batch_bytes<Real>(scene, capacity, threads);
  if (const auto free = available_bytes()) check_fitting(batch, bytes, *free);
  try {
    return std::make_unique<HostBackend<Real>>(scene, capacity, batch, threads, route);
  } catch (const std::bad_alloc&) {  // a limit of the process
    check_fitting(batch, bytes, allocatable_bytes(bytes.once + bytes.each * static_cast<std::size_t>(batch)));
    throw;
  }
}

}  // namespace

std::vector<double> Backend::read_rows(EnvField field, std::span<const int> ids) const {
  const std::vector<double> all = read(field);
  const std::size_t row = length(field);
  std::vector<double> values;
  values.reserve(ids.size() * row);
  for (const int env : ids) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(env) * row);
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(row));
  }
  return values;
}

void Backend::visit_problems(std::span<const int>, const ProblemVisitor&) {
  throw InputError("contact problems are seen with the device cpu only, not with " + device_name());
}

BatchBytes host_batch_bytes(const Scene& scene, const Capacity& capacity, bool single, int threads) {
  return single ? batch_bytes<float>(scene, capacity, threads) : batch_bytes<double>(scene, capacity, threads);
}

std::unique_ptr<Backend> make_host_backend(const Scene& scene, const Capacity& capacity, int batch, bool single,
                                           int threads, SolveRoute route) {
  return single ? make<float>(scene, capacity, batch, threads, route)
                : make<double>(scene, capacity, batch, threads, route);
}

}  // namespace stiction
