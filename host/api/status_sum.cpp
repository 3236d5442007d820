#include "host/api/status_sum.hpp"

#include <algorithm>
#include <cstring>

#include "host/backend/cuda_backend.hpp"
#include "kernels/step/step_site.hpp"

namespace stiction {

void StatusSum::add(Simulator& simulator) {
  const std::span<const std::uint32_t> last = simulator.status();
  if (so_far_.empty()) return so_far_.assign(last.begin(), last.end());
  std::transform(so_far_.begin(), so_far_.end(), last.begin(), so_far_.begin(), merge_status);
  const FieldMemory memory = simulator.memory(EnvField::status);
  const std::size_t bytes = so_far_.size() * sizeof(std::uint32_t);
  if (memory.cuda_device >= 0)
    copy_to_cuda(memory.cuda_device, memory.data, bytes, so_far_.data());
  else
    std::memcpy(memory.data, so_far_.data(), bytes);
}

}  // namespace stiction
