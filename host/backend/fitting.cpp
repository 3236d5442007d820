#include "host/backend/fitting.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <new>

namespace stiction {
namespace {

/// The number in a file that holds nothing else, such as the files of a control group; none if the file says "max".
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

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", 1e-9 * bytes);
  return text;
}

bool can_allocate(std::size_t bytes) {
  void* memory = ::operator new(bytes, std::nothrow);
  ::operator delete(memory);
  return memory != nullptr;
}

}  // namespace

std::size_t count_fitting(const BatchBytes& bytes, std::size_t free) {
  return free > bytes.once ? (free - bytes.once) / std::max<std::size_t>(bytes.each, 1) : 0;
}

void check_fitting(int batch, const BatchBytes& bytes, std::size_t free, const std::string& where,
                   const std::string& what) {
  const std::size_t fitting = count_fitting(bytes, free);
  if (static_cast<std::size_t>(batch) <= fitting) return;
  const double needed = static_cast<double>(bytes.each) * batch + static_cast<double>(bytes.once);
  throw OutOfMemory("out of memory: " + std::to_string(batch) + " " + what + " need " + gigabytes(needed) + " and " +
                    gigabytes(static_cast<double>(free)) + " are free" + (where.empty() ? "" : " " + where) + "; " +
                    std::to_string(fitting) + " fit");
}

std::optional<std::size_t> available_bytes() {
  auto available = machine_bytes();
  const auto limit = read_number("/sys/fs/cgroup/memory.max"), used = read_number("/sys/fs/cgroup/memory.current");
  if (available && limit && used) available = std::min(*available, *limit > *used ? *limit - *used : 0);
  return available;
}

std::size_t allocatable_bytes(std::size_t most) {
  constexpr std::size_t kParts = std::size_t{1} << 20;
  const std::size_t grain = most / kParts + 1;
  std::size_t low = 0, high = most / grain + 1;  // in grains: low fits, high does not
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (can_allocate(middle * grain) ? low : high) = middle;
  }
  return low * grain;
}

std::vector<double> reserve_on_host(int batch, std::size_t each) {
  constexpr std::size_t kNotAskedFor = std::size_t{64} << 20;  // asking the system takes longer than reading so little
  const BatchBytes bytes{each * sizeof(double), 0};
  const std::size_t all = bytes.each * static_cast<std::size_t>(batch);
  const std::string where = "on the host, for the array that is read";
  if (all > kNotAskedFor)
    if (const auto free = available_bytes()) check_fitting(batch, bytes, *free, where);
  std::vector<double> room;
  try {
    room.reserve(all / sizeof(double));
  } catch (const std::bad_alloc&) {  // a limit of the process
    check_fitting(batch, bytes, allocatable_bytes(all), where);
    throw;
  }
  return room;
}

}  // namespace stiction
