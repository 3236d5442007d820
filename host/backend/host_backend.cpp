#include "host/backend/host_backend.hpp"

namespace stiction {

std::unique_ptr<Backend> make_host_backend(const Scene& scene, const Capacity& capacity, int batch, bool single,
                                           int threads) {
  if (single) return std::make_unique<HostBackend<float>>(scene, capacity, batch, threads);
  return std::make_unique<HostBackend<double>>(scene, capacity, batch, threads);
}

}  // namespace stiction
