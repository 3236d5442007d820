#include "host/backend/cuda_backend.hpp"
#include "host/backend/cuda_devices.hpp"
#include "host/model/error.hpp"

namespace stiction {

std::unique_ptr<Backend> make_cuda_backend(const Scene&, const Capacity&, int, bool, int device, int) {
  throw InputError("device: cuda:" + std::to_string(device) + " is not usable: " + find_cuda_devices().why_none);
}

}  // namespace stiction
