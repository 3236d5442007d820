#include "bench/gpu_check/course.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/gpu_facts.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kEnvironments = 256, kSmallEnvironments = 2;
constexpr int kSmallCourse = 6;  // steps of a course in small sizes
constexpr int kLeastTimedSteps = 2, kMostTimedSteps = 8;
constexpr int kScatteredStops = 32;  // steps of the course where scattered states are taken

int steps_of(const Scene& scene, const Options& options) {
  const int steps = static_cast<int>(std::lround(scene.duration / scene.step_size));
  return options.has_small_sizes() ? std::min(steps, kSmallCourse) : steps;
}

/// Overwrites the environments e of `states` with e % of == which.
void take(const States& from, int which, int of, States& states) {
  for (std::size_t f = 0; f < kStateFields; ++f) {
    const auto length = static_cast<std::ptrdiff_t>(from.values[f].size()) / from.environments;
    for (int e = which; e < from.environments; e += of)
      std::copy_n(from.values[f].begin() + e * length, length, states.values[f].begin() + e * length);
  }
}

/// `values` in the type of a field.
template <class T>
std::vector<char> bytes_of(std::span<const double> values) {
  const std::vector<T> typed(values.begin(), values.end());
  std::vector<char> bytes(typed.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), typed.data(), bytes.size());
  return bytes;
}

std::vector<char> bytes_of(ValueType type, std::span<const double> values) {
  switch (type) {
    case ValueType::kFloat64:
      return bytes_of<double>(values);
    case ValueType::kFloat32:
      return bytes_of<float>(values);
    case ValueType::kInt32:
      return bytes_of<int>(values);
    case ValueType::kUint32:
      return bytes_of<std::uint32_t>(values);
  }
  return {};
}

/// Fills `memory` with `bytes`, again and again up to `total`.
void fill(const FieldMemory& memory, const std::vector<char>& bytes, std::size_t total) {
  if (bytes.empty()) return;
  if (memory.cuda_device >= 0)
    return fill_gpu_memory(memory.cuda_device, memory.data, bytes.data(), bytes.size(), total);
  char* begin = static_cast<char*>(memory.data);
  for (std::size_t done = 0; done < total; done += bytes.size())
    std::memcpy(begin + done, bytes.data(), std::min(bytes.size(), total - done));
}

}  // namespace

States read_states(const Backend& batch, int environments) {
  States states{environments, {}};
  for (std::size_t f = 0; f < kStateFields; ++f) states.values.push_back(batch.read(static_cast<EnvField>(f)));
  return states;
}

Course follow_course(const Scene& scene, CourseParts parts, const Options& options, const std::string& device) {
  const int steps = steps_of(scene, options);
  const int environments = options.has_small_sizes() ? kSmallEnvironments : kEnvironments;
  const bool all = parts == CourseParts::kAll;
  Course course;
  course.timed_steps = std::clamp(steps / 8, kLeastTimedSteps, kMostTimedSteps);
  std::multimap<int, int> stops;  // step -> which states are taken there: a window of course.windows, or -1 - k
  for (const Window& window : kWindows)
    if (all || &window == &kMiddle) {
      const auto first = static_cast<int>(window.place * steps);
      stops.emplace(first, static_cast<int>(course.windows.size()));
      course.windows.push_back({&window, first, {}});
    }
  const int scattered = std::min(kScatteredStops, environments);
  for (int k = 0; all && k < scattered; ++k) stops.emplace(k * (steps - course.timed_steps) / scattered, -1 - k);

  const std::unique_ptr<Backend> batch =
      start_batch(scene, on(device.empty() ? options.device() : device, environments, Dtype::kFloat64));
  int done = 0;
  States here = read_states(*batch, environments);
  course.scattered = here;
  for (const auto& [step, which] : stops) {
    if (step > done) {
      batch->step(step - done);
      here = read_states(*batch, environments);
      done = step;
    }
    if (which >= 0)
      course.windows[static_cast<std::size_t>(which)].states = here;
    else
      take(here, -1 - which, scattered, course.scattered);
  }
  if (!all) course.scattered = {};
  return course;
}

void place(const States& states, int count, Backend& batch) {
  const int repeated = std::min(states.environments, count);
  for (std::size_t f = 0; f < kStateFields; ++f) {
    const FieldMemory memory = batch.memory(static_cast<EnvField>(f));
    const std::size_t length = states.values[f].size() / static_cast<std::size_t>(states.environments);
    const std::span<const double> values(states.values[f].data(), length * static_cast<std::size_t>(repeated));
    const std::vector<char> bytes = bytes_of(memory.type, values);
    fill(memory, bytes, bytes.size() / static_cast<std::size_t>(repeated) * static_cast<std::size_t>(count));
  }
}

}  // namespace stiction::gpu_check
