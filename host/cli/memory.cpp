#include "host/cli/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "host/backend/array_bytes.hpp"
#include "host/backend/capacity.hpp"

namespace stiction {
namespace {

template <class T>
std::size_t bytes_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

/// The number in a file that holds nothing else, such as those of a control group; none if it says "max".
std::optional<std::size_t> read_number(const char* file) {
  std::ifstream stream(file);
  std::size_t value = 0;
  return stream >> value ? std::optional(value) : std::nullopt;
}

/// MemAvailable of the whole machine [bytes].
std::optional<std::size_t> machine_bytes() {
  std::ifstream stream("/proc/meminfo");
  std::string word;
  while (stream >> word)
    if (std::size_t kilobytes = 0; word == "MemAvailable:" && stream >> kilobytes) return 1024 * kilobytes;
  return std::nullopt;
}

}  // namespace

std::size_t model_bytes(const Model& model) {
  std::size_t bytes = 0;
#define ST_INT(name, length) bytes += bytes_of(model.name);
#define ST_REAL(name, length) bytes += bytes_of(model.name);
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  return bytes;
}

std::size_t env_bytes(const Scene& scene, Dtype dtype) {
  const Capacity capacity = choose_capacity(scene);
  return dtype == Dtype::kFloat64 ? array_bytes<double>(*scene.model, capacity)
                                  : array_bytes<float>(*scene.model, capacity);
}

std::optional<std::size_t> available_bytes() {
  auto available = machine_bytes();
  const auto limit = read_number("/sys/fs/cgroup/memory.max"), used = read_number("/sys/fs/cgroup/memory.current");
  if (available && limit && used) available = std::min(*available, *limit > *used ? *limit - *used : 0);
  return available;
}

void check_memory(const Scene& scene, const SimulatorOptions& options) {
  const auto available = available_bytes();
  const bool on_host = !options.device.starts_with("cuda");
  const std::size_t each = env_bytes(scene, options.dtype);
  const std::size_t fitting = available ? *available / std::max<std::size_t>(each, 1) : 0;
  if (!on_host || !available || static_cast<std::size_t>(options.batch) <= fitting) return;
  throw OutOfMemory(fmt::format("out of memory: {} environments need {:.1f} GB and {:.1f} GB are free; {} fit",
                                options.batch, 1e-9 * static_cast<double>(each) * options.batch,
                                1e-9 * static_cast<double>(*available), fitting));
}

}  // namespace stiction
