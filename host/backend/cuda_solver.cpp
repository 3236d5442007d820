#include <algorithm>
#include <utility>

#include "host/backend/batch_buffers.hpp"
#include "host/backend/fitting.hpp"
#include "host/backend/mirrored_tasks.hpp"
#include "host/backend/selected_gpu.hpp"
#include "host/backend/solve_launch.hpp"
#include "kernels/launch/cuda_memory.hpp"
#include "kernels/launch/cuda_stream.hpp"

namespace stiction {
namespace {

/// Runs that are launched together, because their configuration is the same.
struct Launch {
  explicit Launch(const SolverConfig& of_runs) : config(of_runs) {}

  SolverConfig config;
  std::vector<SolverRun*> runs;
  int nv = 0;                 // most velocities of a run
  NearBytes factor = {0, 0};  // of all runs: the least of them, the most
  std::size_t scratch = 0;    // most bytes of scratch of a run
  SolveLaunch how = {};
};

/// The size of a problem for a team of several lanes.
SolverCapacity wide_capacity(const ContactProblem<double>& p) {
  SolverCapacity capacity = capacity_of(p);
  capacity.single_lane = false;
  return capacity;
}

void add_run(SolverRun* run, Launch& launch) {
  const SolverCapacity capacity = wide_capacity(run->problem);
  const NearBytes factor = solver_near_bytes<double>(launch.config, capacity);
  launch.factor.least = launch.runs.empty() ? factor.least : std::min(launch.factor.least, factor.least);
  launch.factor.most = std::max(launch.factor.most, factor.most);
  launch.scratch = std::max(launch.scratch, solver_scratch<double>(launch.config, capacity));
  launch.nv = std::max(launch.nv, run->problem.nv);
  launch.runs.push_back(run);
}

/// Every run in the launch of its configuration, in the order of their first runs.
std::vector<Launch> sort_runs(std::span<SolverRun* const> runs) {
  std::vector<Launch> launches;
  for (SolverRun* run : runs) {
    auto own = std::find_if(launches.begin(), launches.end(), [&](const Launch& l) { return l.config == run->config; });
    if (own == launches.end()) own = launches.insert(own, Launch(run->config));
    add_run(run, *own);
  }
  return launches;
}

/// Host memory and GPU memory of the same size.
class MirroredPiece {
 public:
  MirroredPiece() = default;
  explicit MirroredPiece(std::size_t bytes) : here_(bytes), there_(bytes) {}
  MirroredMemory layout() { return {here_.data(), there_.data()}; }
  void upload(cudaStream_t stream) { there_.upload(here_.data(), stream); }
  void download(cudaStream_t stream) { there_.download(here_.data(), stream); }

 private:
  AlignedVector<char> here_;
  DeviceArray<char> there_;
};

/// What the solves of a call need: scratch of one of them, how many a GPU holds, and how many share a block.
struct ScratchNeed {
  std::size_t bytes = 0;
  int slots = 0, block = 1;

  void add(SolveWidth width, std::size_t tasks, std::size_t scratch, int processors) {
    constexpr std::size_t kLine = Arena::kAlignment;
    bytes = std::max(bytes, (scratch + kLine - 1) / kLine * kLine);
    slots = std::max(slots, most_solve_slots(width, static_cast<int>(tasks), processors));
    block = std::max(block, solve_blocks(width, TaskKernel::kWarm).environments);
  }
};

class CudaSolver : public GpuSolver {
 public:
  CudaSolver(int device, int solve_threads)
      : device_(device),
        solve_threads_(solve_threads),
        name_(select_gpu(device)),
        shared_(gpu_shared_memory(device)),
        processors_(count_processors(device)) {}

  std::string device_name() const override { return name_; }

  std::size_t usable_bytes() const override {
    select();
    return usable_gpu_bytes();
  }

  void solve(std::span<SolverRun* const> runs) override {
    select();
    std::vector<Launch> launches = sort_runs(runs);
    std::vector<SolverRun*> sorted;
    ScratchNeed need;
    for (Launch& launch : launches) {
      launch.how = choose_launch(launch);
      need.add(launch.how.width, launch.runs.size(), launch.scratch, processors_);
      sorted.insert(sorted.end(), launch.runs.begin(), launch.runs.end());
    }
    const auto lay_out = [&](TaskMemory& memory) { return SolveTasks(sorted, launches.size(), memory); };
    const auto enqueue = [&](const SolveTasks& tasks, const SolvePool& pool, cudaStream_t stream) {
      std::size_t first = 0;
      for (std::size_t l = 0; l < launches.size(); first += launches[l++].runs.size())
        enqueue_launch(launches[l], tasks.task(first), tasks.taken(l), pool, stream);
    };
    carry_out<SolveTasks>(need, lay_out, enqueue).collect(sorted);
  }

  void solve(std::span<LcpRun* const> runs) override {
    if (runs.empty()) return;
    select();
    int size = 0;
    for (const LcpRun* run : runs) size = std::max(size, run->problem.size);
    const SolveWidth width = choose_solve_width(size, solve_threads_);
    ScratchNeed need;
    need.add(width, runs.size(), lcp_scratch<double>(size), processors_);
    const auto lay_out = [&](TaskMemory& memory) { return LcpTasks(runs, memory); };
    const auto enqueue = [&](const LcpTasks& tasks, const SolvePool& pool, cudaStream_t stream) {
      enqueue_lcps(width, {runs[0]->options, tasks.task(), static_cast<int>(runs.size()), pool, tasks.taken()}, stream);
    };
    carry_out<LcpTasks>(need, lay_out, enqueue).collect(runs);
  }

 private:
  void select() const { check_cuda(cudaSetDevice(device_), "selecting " + name_); }

  static void enqueue_launch(const Launch& launch, SolveTask* first, int* taken, const SolvePool& pool,
                             cudaStream_t stream) {
    const SolveBatch batch{launch.config, first, static_cast<int>(launch.runs.size()), pool, taken};
    enqueue_warm(launch.how, batch, stream);
    enqueue_solver(launch.how, batch, stream);
    enqueue_explanation(launch.how.width, batch, stream);
  }

  SolveLaunch choose_launch(const Launch& launch) const {
    const SolveWidth width = choose_solve_width(launch.nv, solve_threads_);
    const SolveLaunch how = choose_solve_launch(FactorMemory::kAuto, launch.config.name, width, launch.factor, shared_);
    if (how.near_bytes > 0) allow_shared_memory(launch.config, shared_.a_block);
    return how;
  }

  /// Sends the tasks that lay_out(memory) makes to the GPU, runs what enqueue(tasks, pool, stream) enqueues, and brings
  /// back what it changed.
  template <class Tasks, class LayOut, class Enqueue>
  Tasks carry_out(const ScratchNeed& need, const LayOut& lay_out, const Enqueue& enqueue) {
    changed_ = MirroredPiece();
    TaskMemory measured;
    lay_out(measured);
    const BatchBytes bytes = {need.bytes, measured.changed.used() + measured.read.used()};
    const std::size_t usable = usable_gpu_bytes();
    check_fitting(need.block, bytes, usable, "on " + name_, "problems");
    const std::size_t block = static_cast<std::size_t>(need.block);
    const std::size_t slots =
        std::min(static_cast<std::size_t>(need.slots), count_fitting(bytes, usable) / block * block);

    const DeviceArray<char> scratch(slots * need.bytes);
    MirroredPiece read(measured.read.used());
    changed_ = MirroredPiece(measured.changed.used());
    TaskMemory memory = {changed_.layout(), read.layout()};
    Tasks tasks = lay_out(memory);
    const CudaStream stream;
    changed_.upload(stream.get()), read.upload(stream.get());
    enqueue(tasks, {scratch.data(), need.bytes, static_cast<int>(slots), processors_}, stream.get());
    changed_.download(stream.get());
    stream.wait("solving on " + name_);
    return tasks;
  }

  int device_, solve_threads_;
  std::string name_;
  SharedMemory shared_;
  int processors_;
  MirroredPiece changed_;  // of the last call, for its certificates
};

}  // namespace

std::unique_ptr<GpuSolver> make_gpu_solver(int device, int solve_threads) {
  return std::make_unique<CudaSolver>(device, solve_threads);
}

}  // namespace stiction
