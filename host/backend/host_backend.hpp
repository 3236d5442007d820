// A batch on host threads.
#pragma once

#include <algorithm>
#include <memory>

#include "host/backend/batch_buffers.hpp"
#include "host/backend/linearization_arrays.hpp"
#include "host/backend/ray_arrays.hpp"
#include "host/backend/script_tables.hpp"
#include "host/backend/step_config.hpp"
#include "host/backend/thread_pool.hpp"
#include "host/backend/visit_problem.hpp"
#include "kernels/launch/host_linearize.hpp"
#include "kernels/launch/host_solvers.hpp"
#include "kernels/launch/run_sensors.hpp"
#include "kernels/launch/run_steps.hpp"

namespace stiction {

/// Shares the environments out to threads; one lane works on each environment.
template <class Real, class Team = HostTeam<PhaseOrder::kForward>>
class HostBackend : public Backend {
 public:
  HostBackend(const Scene& scene, const Capacity& capacity, int batch, int threads,
              SolveRoute route = SolveRoute::kAlone)
      : batch_(batch),
        model_(*scene.model),
        buffers_(model_.view(), capacity, batch),
        config_(make_step_config<Real>(scene)),
        tables_(scene),
        pool_(threads) {
    config_.solver.route = route;
    tables_.enter(config_);
    const std::size_t bytes = step_scratch_bytes<Team, Real>(Team{}, model_.view(), capacity, config_);
    for (int worker = 0; worker < pool_.size(); ++worker) scratch_.emplace_back(bytes);
  }

  void step(int steps) override {
    pool_.run(batch_,
              [&](int env, int worker) { run_steps(Team{}, buffers_.view(), env, config_, steps, scratch(worker)); });
  }

  void forward() override {
    pool_.run(batch_,
              [&](int env, int worker) { show_contacts(Team{}, buffers_.view(), env, config_, scratch(worker)); });
  }

  void place_bodies(std::span<const int> ids) override {
    pool_.run(static_cast<int>(ids.size()), [&](int i, int worker) {
      const int env = ids[static_cast<std::size_t>(i)];
      EnvView<Real> view = buffers_.view().env(env);
      place_stage(Team{}, buffers_.view().env_model(env), scratch(worker), view);
    });
  }

  void measure_energy() override {
    pool_.run(batch_, [&](int env, int worker) {
      EnvView<Real> view = buffers_.view().env(env);
      energy_stage(Team{}, buffers_.view().env_model(env), scratch(worker), view);
    });
  }

  void measure_sensors() override {
    pool_.run(batch_, [&](int env, int worker) {
      EnvView<Real> view = buffers_.view().env(env);
      sense_stage(Team{}, buffers_.view().env_model(env), buffers_.view().capacity, config_, scratch(worker), view);
    });
  }

  RayHits cast_rays(const Rays& rays) override {
    constexpr int kTogether = 1024;  // rays of a thread for one pass over the bodies
    const auto kept = std::make_shared<RayArrays<AlignedVector, Real>>(rays, batch_, -1);
    const std::vector<Real> ray = packed_rays<Real>(rays);
    const std::vector<int> hidden = hidden_geoms(model_.view(), rays);
    const RayBatch<Real> view = kept->view(rays, batch_, ray.data(), hidden.data());
    const int parts = (rays.count + kTogether - 1) / kTogether;
    pool_.run(batch_ * parts, [&](int item, int worker) {
      const int env = item / parts, first = item % parts * kTogether;
      const ModelView<Real> model = buffers_.view().env_model(env);
      pose_stage(Team{}, model, scratch(worker), buffers_.view().env(env));
      for (int i = first; i < std::min(first + kTogether, rays.count); ++i)
        ray_stage(model, scratch(worker), view, env, i);
    });
    return kept->described(kept);
  }

  Linearization linearize(double smoothing) override {
    const ModelView<Real>& model = model_.view();
    const auto kept = std::make_shared<LinearizationArrays<AlignedVector>>(batch_, model.nv, model.nu, -1);
    const std::size_t bytes = linearize_scratch_bytes(model, buffers_.view().capacity, config_);
    std::vector<AlignedVector<char>> own(scratch_.size(), AlignedVector<char>(bytes));
    pool_.run(batch_, [&](int env, int worker) {
      linearize_environment(Team{}, buffers_.view(), env, config_, smoothing, kept->view(), scratch(worker),
                            Arena(own[static_cast<std::size_t>(worker)].data()));
    });
    return kept->described(kept);
  }

  void visit_problems(std::span<const int> ids, const ProblemVisitor& visit) override {
    for (const int id : ids) visit_problem(Team{}, buffers_.view(), id, config_, scratch(0), visit);
  }

  FieldMemory memory(EnvField field) override { return buffers_.memory(field); }
  void overwrite(EnvField field, const void* source) override { buffers_.overwrite(field, source); }
  std::size_t length(EnvField field) const override { return buffers_.length(field); }
  std::vector<double> read(EnvField field) const override { return buffers_.read(field); }
  std::vector<double> read_rows(EnvField field, std::span<const int> ids) const override {
    return buffers_.read(field, ids);
  }
  void copy_status(std::span<std::uint32_t> out) const override {
    std::copy_n(buffers_.view().status, out.size(), out.begin());
  }
  void write(std::span<const int> ids, std::span<const FieldRows> rows) override { buffers_.write(ids, rows); }
  std::string device_name() const override {
    return "cpu (" + std::to_string(pool_.size()) + (pool_.size() == 1 ? " thread)" : " threads)");
  }

  std::size_t scratch_bytes() const override { return scratch_.front().size(); }

 private:
  Arena scratch(int worker) { return Arena(scratch_[static_cast<std::size_t>(worker)].data()); }

  int batch_;
  ModelStorage<Real> model_;
  BatchBuffers<Real> buffers_;
  StepConfig<Real> config_;
  HostScriptTables<Real> tables_;
  ThreadPool pool_;
  std::vector<AlignedVector<char>> scratch_;
};

}  // namespace stiction
