// Streams, graphs and events. What is enqueued runs as late as the rules allow, so that whoever does not wait for it
// sees that it is not done: when the host waits for its stream, for an event in it, or for the device.
#include "tests/emulated_gpu/work.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/emulated_gpu/accesses.hpp"
#include "tests/emulated_gpu/bus.hpp"
#include "tests/emulated_gpu/faults.hpp"
#include "tests/emulated_gpu/kernel_name.hpp"
#include "tests/emulated_gpu/lanes.hpp"
#include "tests/emulated_gpu/memory.hpp"
#include "tests/emulated_gpu/meter.hpp"
#include "tests/emulated_gpu/mishaps.hpp"

using Task = std::function<void()>;

struct CUgraphNode_st {
  Task task;
};

struct CUgraph_st {
  std::deque<CUgraphNode_st> nodes;  // each after the one before
  std::deque<CUgraph_st> bodies;     // of its loops
  std::vector<cudaGraphConditionalHandle> conditions;

  void run() const {
    for (const CUgraphNode_st& node : nodes) node.task();
  }
};

struct CUgraphExec_st {
  cudaGraph_t graph;
};

struct CUstream_st {
  std::deque<Task> waiting;
  cudaGraph_t records = nullptr;
  std::vector<cudaGraphNode_t> last;  // what the next node of a recording comes after
};

struct CUevent_st {
  cudaStream_t stream = nullptr;
  std::shared_ptr<double> seconds = std::make_shared<double>(-1.0);  // when it was reached; -1: not yet
};

namespace emulated_gpu {
namespace {

std::recursive_mutex mutex;  // one call at a time
std::set<cudaStream_t> streams;
std::map<cudaGraphConditionalHandle, unsigned> conditions;
std::map<const void*, int> allowed_shared;  // bytes, of kernels that asked
cudaError_t last_error = cudaSuccess;
std::atomic<cudaError_t> broken{cudaSuccess};
std::atomic<int> faults{0}, said{0};
std::string running;  // the kernel
double clock_seconds = 0.0;

constexpr int kSharedABlock = static_cast<int>(kLaunchedBytes), kSharedWithoutAsking = 48 * 1024;

/// The error of faults, as of a kernel that broke the device: it stays.
cudaError_t health() { return broken || faults == 0 ? broken_by() : fail(cudaErrorLaunchFailure); }

void run_kernel(const Kernel& kernel) {
  if (broken) return;
  running = name_of(kernel.function);
  broken = mishap("EMULATED_GPU_BREAKS", running);
  if (broken) return running.clear();
  begin_kernel(kernel.shared_bytes);
  meter_kernel(running, kernel.threads, kernel.shared_bytes);
  const Barriers passed = run_blocks(kernel.blocks, {kernel.threads, kernel.rows}, chosen_order(), kernel.body);
  meter_barriers(passed.sum, passed.most);
  running.clear();
  clock_seconds += 1e-6;
}

void finish(cudaStream_t stream) {
  if (!stream) return;
  while (!stream->waiting.empty()) {
    const Task task = std::move(stream->waiting.front());
    stream->waiting.pop_front();
    task();
  }
}

void finish_all() {
  for (const cudaStream_t stream : streams) finish(stream);
}

cudaError_t add(cudaStream_t stream, Task task) {
  if (!stream) {
    task();
  } else if (stream->records) {
    stream->records->nodes.push_back({std::move(task)});
    stream->last = {&stream->records->nodes.back()};
  } else {
    stream->waiting.push_back(std::move(task));
  }
  return cudaSuccess;
}

bool on_gpu(const void* at, std::size_t bytes) { return is_allocated(at, bytes); }

/// A copy, held against what each side must be.
void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return;
  const bool to_gpu = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_gpu = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (on_gpu(to, bytes) != to_gpu || on_gpu(from, bytes) != from_gpu)
    return report_fault("a copy of " + std::to_string(bytes) + " B whose sides are not those that it names");
  std::memcpy(to, from, bytes);
  count_copy(to, from, bytes, kind);
  clock_seconds += 1e-6;
}

}  // namespace

void report_fault(const std::string& what) {
  ++faults;
  if (said++ < 20)
    std::fprintf(stderr, "emulated GPU: %s%s%s\n", running.c_str(), running.empty() ? "" : ": ", what.c_str());
}

void count_fault() { ++faults; }

cudaError_t fail(cudaError_t error) { return last_error = error; }

cudaError_t broken_by() { return broken ? fail(broken) : cudaSuccess; }

int take_faults() {
  broken = cudaSuccess;
  last_error = cudaSuccess;
  return faults.exchange(0);
}

cudaError_t enqueue(cudaStream_t stream, const Kernel& kernel) {
  const std::lock_guard lock(mutex);
  const auto found = allowed_shared.find(kernel.function);
  const int allowed = found == allowed_shared.end() ? kSharedWithoutAsking : found->second;
  if (kernel.blocks <= 0 || kernel.threads <= 0 || kernel.rows <= 0 || kernel.threads * kernel.rows > 1024 ||
      kernel.shared_bytes > static_cast<std::size_t>(allowed))
    return fail(cudaErrorInvalidConfiguration);
  if (broken) return broken_by();
  return add(stream, [kernel] { run_kernel(kernel); });
}

}  // namespace emulated_gpu

using namespace emulated_gpu;  // NOLINT: what follows is the runtime's own interface

#define ST_LOCKED const std::lock_guard lock(mutex)
#define ST_MAY_REFUSE \
  if (const cudaError_t asked = mishap("EMULATED_GPU_REFUSES", __func__)) return fail(asked)

extern "C" {

void cudaGraphSetConditional(cudaGraphConditionalHandle condition, unsigned value) { conditions.at(condition) = value; }

cudaError_t cudaGetLastError() {
  ST_LOCKED;
  return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  ST_LOCKED;
  *free = free_bytes();
  *total = kTotalBytes;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  ST_LOCKED;
  *memory = allocate(bytes);
  return *memory ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* memory) {
  ST_LOCKED;
  if (!memory) return cudaSuccess;
  finish_all();
  return release(memory) ? health() : fail(cudaErrorInvalidValue);
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  ST_LOCKED;  // streams of one's own do not wait for it, nor it for them
  copy(to, from, bytes, kind);
  return health();
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  ST_LOCKED;
  return add(stream, [=] { copy(to, from, bytes, kind); });
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  ST_LOCKED;
  return add(stream, [=] {
    if (!on_gpu(to, bytes)) return report_fault("memory is set that is not allocated");
    std::memset(to, value, bytes);
  });
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  ST_LOCKED;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || value > kSharedABlock)
    return fail(cudaErrorInvalidValue);
  allowed_shared[function] = value;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  ST_LOCKED;
  for (const cudaStream_t stream : streams)
    if (stream->records) return fail(cudaErrorStreamCaptureUnsupported);
  finish_all();
  return health();
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  ST_LOCKED;
  *stream = new CUstream_st;
  streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  ST_LOCKED;
  finish(stream);
  streams.erase(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ST_LOCKED;
  if (stream && stream->records) return fail(cudaErrorStreamCaptureUnsupported);
  finish(stream);
  return health();
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  ST_LOCKED;
  *status = stream && stream->records ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return broken_by();
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  ST_LOCKED;
  event->stream = stream;
  *event->seconds = -1.0;
  return add(stream, [seconds = event->seconds] { *seconds = clock_seconds; });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  ST_LOCKED;
  finish(event->stream);
  return health();
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  ST_LOCKED;
  if (*begin->seconds < 0.0 || *end->seconds < 0.0) return fail(cudaErrorNotReady);
  *milliseconds = static_cast<float>(1e3 * (*end->seconds - *begin->seconds));
  return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  ST_LOCKED;
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t*,
                                          const cudaGraphEdgeData*, size_t num_dependencies, cudaStreamCaptureMode) {
  ST_LOCKED;
  ST_MAY_REFUSE;
  if (!stream || stream->records || num_dependencies != 0 || !graph->nodes.empty()) return fail(cudaErrorInvalidValue);
  stream->records = graph;
  stream->last.clear();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  ST_LOCKED;
  if (!stream->records) return fail(cudaErrorIllegalState);
  *graph = std::exchange(stream->records, nullptr);
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long*,
                                     cudaGraph_t* graph, const cudaGraphNode_t** last, const cudaGraphEdgeData**,
                                     size_t* num_last) {
  ST_LOCKED;
  *status = stream->records ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  *graph = stream->records;
  *last = stream->last.data();
  *num_last = stream->last.size();
  return cudaSuccess;
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData*,
                                                size_t num_nodes, unsigned flags) {
  ST_LOCKED;
  if (!stream->records || flags != cudaStreamSetCaptureDependencies) return fail(cudaErrorInvalidValue);
  stream->last.assign(nodes, nodes + num_nodes);
  return cudaSuccess;
}
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, unsigned initial,
                                             unsigned flags) {
  ST_LOCKED;
  ST_MAY_REFUSE;
  static cudaGraphConditionalHandle made = 0;
  if (initial != 0 || flags != cudaGraphCondAssignDefault) return fail(cudaErrorInvalidValue);
  *handle = ++made;
  conditions[*handle] = 0;
  graph->conditions.push_back(*handle);
  return cudaSuccess;
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                             const cudaGraphEdgeData*, size_t num_before, cudaGraphNodeParams* described) {
  ST_LOCKED;
  ST_MAY_REFUSE;
  const bool is_loop = described->type == cudaGraphNodeTypeConditional &&
                       described->conditional.type == cudaGraphCondTypeWhile && described->conditional.size == 1;
  const bool is_next = graph->nodes.empty() ? num_before == 0 : num_before == 1 && before[0] == &graph->nodes.back();
  if (!is_loop || !is_next) return fail(cudaErrorInvalidValue);  // other graphs are not emulated
  graph->bodies.emplace_back();
  cudaGraph_t body = &graph->bodies.back();
  graph->nodes.push_back({[condition = described->conditional.handle, body] {
    while (conditions.at(condition) != 0 && !broken) body->run();
  }});
  static std::deque<cudaGraph_t> kept;
  kept.push_back(body);
  described->conditional.phGraph_out = &kept.back();
  *node = &graph->nodes.back();
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  ST_MAY_REFUSE;
  *executable = new CUgraphExec_st{graph};
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  ST_LOCKED;
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  ST_LOCKED;
  return add(stream, [graph = executable->graph] {
    for (const auto condition : graph->conditions) conditions.at(condition) = 0;
    graph->run();
  });
}

}  // extern "C"
