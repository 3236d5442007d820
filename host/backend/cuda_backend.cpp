#include "host/backend/cuda_backend.hpp"

#include <algorithm>
#include <memory>

#include "host/backend/cuda_buffers.hpp"
#include "host/backend/gpu_bytes.hpp"
#include "host/backend/linearization_arrays.hpp"
#include "host/backend/ray_arrays.hpp"
#include "host/backend/script_tables.hpp"
#include "host/backend/selected_gpu.hpp"
#include "host/backend/solve_launch.hpp"
#include "host/backend/step_config.hpp"
#include "host/model/error.hpp"
#include "kernels/launch/cuda_linearize.hpp"
#include "kernels/launch/cuda_rays.hpp"
#include "kernels/launch/cuda_solve_clock.hpp"
#include "kernels/launch/cuda_step_graph.hpp"

namespace stiction {
namespace {

/// To be called before anything waits for a stream of the caller's, or enqueues in it: a capture would keep addresses
/// of copies that are gone when its graph is launched, and nobody can wait for it.
void refuse_capture(cudaStream_t stream) {
  if (is_captured(stream))
    throw InputError(
        "stream: it is being captured into a CUDA graph (as by torch.cuda.graph), which a simulator's work can not be "
        "part of; make, step, read and write the simulator before or after the capture");
}

/// Selects the GPU of a batch. Returns its name.
std::string select_gpu_of(const CudaOptions& options) {
  std::string name = select_gpu(options.device);
  if (options.stream) refuse_capture(reinterpret_cast<cudaStream_t>(*options.stream));
  return name;
}

template <class Real>
class CudaBackend : public Backend {
 public:
  CudaBackend(const Scene& scene, const Capacity& capacity, int batch, const CudaOptions& options)
      : device_(options.device),
        name_(select_gpu_of(options)),
        batch_size_(batch),
        config_(make_step_config<Real>(scene)),
        host_model_(*scene.model),
        launch_(choose_launch(capacity, options)),
        stride_(gpu_scratch(host_model_.view(), capacity, config_).own),
        bytes_(gpu_environment_bytes(host_model_.view(), capacity, config_)),
        narrow_teams_(choose_narrow_teams(batch, count_processors(options.device))),
        pool_(choose_pool(gpu_scratch(host_model_.view(), capacity, config_).solve)),
        model_(*scene.model),
        environments_(make_environments(capacity)),
        progress_(static_cast<std::size_t>(batch)),
        tasks_(static_cast<std::size_t>(batch)),
        again_(std::vector<int>{0}),
        scratch_(static_cast<std::size_t>(batch) * stride_),
        narrow_(static_cast<std::size_t>(narrow_teams_) * kNarrowLanes),
        solves_(static_cast<std::size_t>(pool_.slots) * pool_.stride),
        counters_(std::vector<int>(kTaskKernels + 1, 0)),
        order_(static_cast<std::size_t>(batch)),
        tables_(scene),
        stream_(make_stream(options)) {
    record_steps();
  }

  void step(int steps) override {
    make_current();
    for (int s = 0; s < steps; ++s)
      if (recorded_.empty())
        run_plain_step(batch(), launch_, s == 0 ? Entry::kCall : Entry::kStep, stream().get());
      else
        recorded_[s == 0].launch(stream());
  }

  // waiting and copying need only the stream; selecting the GPU first would consume the error of a step
  void wait() const override { stream().wait("stepping on " + name_); }

  std::vector<KernelTime> time_kernels() override {
    make_current();
    StepClock clock;
    run_timed_step(batch(), launch_, stream_.get(), clock);
    const auto sums = clock.sums();
    std::vector<KernelTime> times;
    for (int stage = 0; stage < kStages; ++stage) {
      const auto& sum = sums[static_cast<std::size_t>(stage)];
      times.push_back({kStageNames[stage], sum.seconds, sum.launches});
    }
    return times;
  }

  std::vector<KernelFacts> ask_about_kernels() override {
    make_current();
    return ask_about_stages(batch(), launch_);
  }

  SolveSeconds time_solves(int times) override {
    make_current();
    const DeviceArray<char> cache(2 * cache_bytes(device_));
    return run_timed_solves(batch(), launch_, times, cache, stream_.get());
  }

  void forward() override {
    make_current();
    enqueue_forward(batch(), stream_.get());
  }

  void place_bodies(std::span<const int> ids) override {
    make_current();
    environments_.visit(ids, stream_,
                        [&](const EnvironmentList& list) { enqueue_place(batch(), list, stream_.get()); });
  }

  void measure_energy() override {
    make_current();
    enqueue_energy(batch(), stream_.get());
  }

  void measure_sensors() override {
    make_current();
    enqueue_sensors(batch(), stream_.get());
  }

  RayHits cast_rays(const Rays& rays) override {
    make_current();
    const auto count = static_cast<std::size_t>(rays.count);
    const std::size_t a_hit = (rays.answer == RayAnswer::kDepth ? 1 : 4) * sizeof(Real) + sizeof(int);
    check_fitting(batch_size_, {count * (a_hit + (rays.own ? kRayNumbers * sizeof(Real) : 0)), 0}, usable_gpu_bytes(),
                  "to cast rays on " + name_);
    const auto kept = std::make_shared<RayArrays<DeviceArray, Real>>(rays, batch_size_, device_);
    const std::vector<Real> packed = packed_rays<Real>(rays);
    const std::vector<int> hides = hidden_geoms(host_model_.view(), rays);
    DeviceArray<Real> ray(packed.size());
    DeviceArray<int> hidden(hides.size());
    ray.upload(packed.data(), stream_.get());
    hidden.upload(hides.data(), stream_.get());
    enqueue_rays(batch(), kept->view(rays, batch_size_, ray.data(), hidden.data()), stream_.get());
    wait();  // the rays must outlive the kernels
    return kept->described(kept);
  }

  Linearization linearize(double smoothing) override {
    if (follows_answer(config_))
      throw InputError(
          "linearize: a GPU knows contact \"points\", geometry \"start\", rotation \"exact\" and the laws anitescu and "
          "frictionless only; choose device cpu");
    make_current();
    const ModelView<Real>& model = host_model_.view();
    const auto kept = std::make_shared<LinearizationArrays<DeviceArray>>(batch_size_, model.nv, model.nu, device_);
    const auto count = static_cast<std::size_t>(batch_size_);
    const std::size_t bytes = linearize_scratch_bytes(model, environments_.device_view().capacity, config_);
    check_fitting(batch_size_, {bytes + sizeof(LinearizeProgress<Real>), 0}, usable_gpu_bytes(),
                  "to linearize on " + name_);
    const DeviceArray<LinearizeProgress<Real>> progress(count);
    const DeviceArray<char> scratch(count * bytes);
    enqueue_linearize(batch(), {kept->view(), smoothing, progress.data(), scratch.data(), bytes}, stream_.get());
    wait();  // the scratch must outlive the kernels
    return kept->described(kept);
  }

  FieldMemory memory(EnvField field) override {
    stream();
    FieldMemory memory = environments_.memory(field);
    memory.cuda_device = device_;
    return memory;
  }

  void wait_for_device() const override {
    make_current();
    check_cuda(cudaDeviceSynchronize(), "waiting for " + name_);
  }

  void overwrite(EnvField field, const void* source) override { environments_.overwrite(field, source, stream()); }
  std::size_t length(EnvField field) const override { return environments_.memory(field).length; }
  std::size_t environment_bytes() const override { return bytes_; }

  std::vector<double> read(EnvField field) const override {
    wait();
    return environments_.read(field, stream());
  }

  std::vector<double> read_rows(EnvField field, std::span<const int> ids) const override {
    wait();
    return environments_.read_rows(field, ids, stream());
  }

  void write(std::span<const int> ids, std::span<const FieldRows> rows) override {
    make_current();
    environments_.write(ids, rows, stream());
  }

  std::string device_name() const override { return recorded_.empty() ? name_ + " kernel by kernel" : name_; }
  std::string warning() const override { return warning_; }
  std::size_t scratch_bytes() const override { return stride_; }

 private:
  static CudaStream make_stream(const CudaOptions& options) {
    if (options.stream) return CudaStream(reinterpret_cast<cudaStream_t>(*options.stream));
    return CudaStream();
  }

  /// The batch's stream. Nobody can capture one of its own.
  const CudaStream& stream() const {
    if (stream_.is_borrowed()) refuse_capture(stream_.get());
    return stream_;
  }

  /// Selects the GPU for the calls that follow, unless the batch's stream is being captured.
  void make_current() const {
    check_cuda(cudaSetDevice(device_), "selecting " + name_);
    stream();
  }

  /// The batch as the kernels take it. It does not move or change while the backend lives.
  CudaBatch<Real> batch() const {
    CudaBatch<Real> batch{environments_.device_view(),
                          config_,
                          batch_size_,
                          stage_lanes(launch_.width, batch_size_, pool_.processors),
                          progress_.data(),
                          tasks_.data(),
                          scratch_.data(),
                          stride_,
                          again_.data(),
                          narrow_.data(),
                          narrow_teams_,
                          {solves_.data(), pool_.stride, pool_.slots, pool_.processors},
                          counters_.data(),
                          order_.data(),
                          counters_.data() + kTaskKernels};
    tables_.enter(batch.config);
    return batch;
  }

  /// Chooses how solves are launched; to be called before any launch. The solver's kernel is allowed all shared memory
  /// of a block, because other simulators with factors of other sizes launch the same kernel.
  SolveLaunch choose_launch(const Capacity& capacity, const CudaOptions& options) const {
    const ModelView<Real>& model = host_model_.view();
    const SolveWidth width = choose_solve_width(model.nv, options.solve_threads);
    const SharedMemory shared = gpu_shared_memory(device_);
    const NearBytes factor = cuda_factor_bytes(model, capacity, config_);
    const SolveLaunch launch = choose_solve_launch(options.factor_memory, config_.solver.name, width, factor, shared);
    if (launch.near_bytes > 0) allow_shared_memory(config_.solver, shared.a_block);
    return launch;
  }

  /// The pool of solves whose scratch has `stride` bytes, without the scratch.
  SolvePool choose_pool(std::size_t stride) const {
    const int processors = count_processors(device_);
    return {nullptr, stride, most_solve_slots(launch_.width, batch_size_, processors), processors};
  }

  /// Records a step in both of its forms. It first waits until everything that was copied so far has arrived. It uses a
  /// stream of its own, because not every stream that a caller may give can record. Steps are launched kernel by kernel
  /// where every kernel is waited for anyway, where a step has several parts, and where the driver refuses the graph.
  void record_steps() {
    check_cuda(cudaDeviceSynchronize(), "preparing " + name_);
    if (waits_for_every_kernel() || moves_first(batch().config)) return;
    try {
      const CudaStream recorder;
      for (const Entry entry : {Entry::kStep, Entry::kCall})
        recorded_.push_back(record_step(batch(), launch_, entry, recorder));
      recorder.wait("preparing " + name_);
    } catch (const CudaError& error) {
      if (loses_context(error.code()) || error.code() == cudaErrorMemoryAllocation) throw;
      cudaGetLastError();  // clears the error, which is handled here
      recorded_.clear();
      warning_ = name_ + ": the driver refuses a step as one graph with a loop (" + error.what() +
                 "): the host launches every kernel and waits for every round, which takes longer; drivers of CUDA " +
                 "12.4 (550) or newer have such loops";
    }
  }

  /// Bytes that all environments share: scratch of those that are at once in the narrow phase, and of solves; staging.
  std::size_t shared_bytes(const Capacity& capacity) const {
    return static_cast<std::size_t>(narrow_teams_) * kNarrowLanes * sizeof(CollisionScratch<Real>) +
           static_cast<std::size_t>(pool_.slots) * pool_.stride + staging_bytes(host_model_.view(), capacity);
  }

  /// To be called after the model has been allocated and before anything of the batch is.
  CudaEnvironments<Real> make_environments(const Capacity& capacity) const {
    check_fitting(batch_size_, {bytes_, shared_bytes(capacity)}, usable_gpu_bytes(), "on " + name_);
    return {model_.view(), capacity, batch_size_};
  }

  int device_;
  std::string name_;
  int batch_size_;
  StepConfig<Real> config_;
  ModelStorage<Real> host_model_;
  SolveLaunch launch_;
  std::size_t stride_, bytes_;  // bytes per environment: of its scratch, and of everything
  int narrow_teams_;            // environments in the narrow phase at once
  SolvePool pool_;              // without its scratch
  CudaModel<Real> model_;
  mutable CudaEnvironments<Real> environments_;  // reading takes its staging memory
  DeviceArray<StepProgress<Real>> progress_;
  DeviceArray<SolveTask> tasks_;
  DeviceArray<int> again_;
  DeviceArray<char> scratch_;
  DeviceArray<CollisionScratch<Real>> narrow_;
  DeviceArray<char> solves_;
  DeviceArray<int> counters_;  // of SolveBatch::taken, then `ordered`
  DeviceArray<int> order_;
  ScriptTables<Real, DeviceArray> tables_;
  std::vector<CudaGraph> recorded_;  // steps: [1] is the first of a call, [0] any later one; or none at all
  std::string warning_;
  CudaStream stream_;  // last member: it is destroyed first, and waits for the work that uses the members above
};

/// Makes the backend. If the driver gives less memory than it reported free, throws how many environments fit.
template <class Real>
std::unique_ptr<Backend> make(const Scene& scene, const Capacity& capacity, int batch, const CudaOptions& options) {
  try {
    return std::make_unique<CudaBackend<Real>>(scene, capacity, batch, options);
  } catch (const CudaError& error) {
    if (error.code() != cudaErrorMemoryAllocation) throw;
    cudaGetLastError();  // clears the error, which is handled here
    const std::size_t each =
        gpu_environment_bytes<Real>(ModelStorage<Real>(*scene.model).view(), capacity, make_step_config<Real>(scene));
    const std::size_t less = each * static_cast<std::size_t>(batch - 1);
    check_fitting(batch, {each, 0}, std::min(usable_gpu_bytes(), less), "on cuda:" + std::to_string(options.device));
    throw;
  }
}

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const Scene& scene, const Capacity& capacity, int batch, bool single,
                                           const CudaOptions& options) {
  return single ? make<float>(scene, capacity, batch, options) : make<double>(scene, capacity, batch, options);
}

void copy_from_cuda(int device, const void* from, std::size_t bytes, void* to) {
  const std::string name = select_gpu(device);
  check_cuda(cudaDeviceSynchronize(), "waiting for " + name);
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from " + name);
}

void copy_to_cuda(int device, void* to, std::size_t bytes, const void* from) {
  const std::string name = select_gpu(device);
  check_cuda(cudaDeviceSynchronize(), "waiting for " + name);
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to " + name);
  check_cuda(cudaDeviceSynchronize(), "copying to " + name);  // other streams would not wait for the copy
}

}  // namespace stiction
