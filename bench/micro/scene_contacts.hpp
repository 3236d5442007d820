// One environment of a scene where its first step begins, with its contacts and their rows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/backend/batch_buffers.hpp"
#include "host/backend/capacity.hpp"
#include "host/backend/initial_state.hpp"
#include "host/backend/script_tables.hpp"
#include "host/backend/step_config.hpp"
#include "host/scene/scene.hpp"
#include "kernels/launch/host_solvers.hpp"
#include "kernels/launch/run_steps.hpp"

namespace stiction::bench {

/// Writes the start of an environment to its arrays.
template <class Real>
class StartWriter : public FieldWriter {
 public:
  explicit StartWriter(BatchBuffers<Real>& buffers) : buffers_(buffers) {}
  void write(std::span<const int> ids, std::span<const FieldRows> rows) override { buffers_.write(ids, rows); }

 private:
  BatchBuffers<Real>& buffers_;
};

template <class Real>
struct SceneContacts {
  using Team = HostTeam<>;

  explicit SceneContacts(const std::string& folder)
      : scene(load_scene(folder)),
        storage(*scene.model),
        buffers(storage.view(), choose_capacity(scene), 1),
        config(make_step_config<Real>(scene)),
        tables(scene) {
    tables.enter(config);
    StartWriter<Real> writer(buffers);
    const int ids[] = {0};
    write_initial_state(scene, 0, ids, writer);
    model = buffers.view().env_model(0);
    find_contacts();
  }
  SceneContacts(const SceneContacts&) = delete;

  Scene scene;
  ModelStorage<Real> storage;
  BatchBuffers<Real> buffers;
  StepConfig<Real> config;
  HostScriptTables<Real> tables;
  AlignedVector<char> memory;
  ModelView<Real> model;
  StepScratch<Real> scratch;

 private:
  void find_contacts() {
    const Capacity& capacity = buffers.view().capacity;
    memory.resize(step_scratch_bytes<Team, Real>(Team{}, model, capacity, config));
    EnvView<Real> env = buffers.view().env(0);
    StepProgress<Real> progress;
    SolveTask task;
    StepSite<Real> site{model, &env, capacity, config, &progress, &task};
    prepare_stage(Team{}, Arena(memory.data()), Entry::kCall, site);
    drift_stage(Team{}, site);
    collide_stage(Team{}, site);
    merge_stage(Team{}, site);
    task_stage<false>(Team{}, site);
    scratch = progress.scratch;
  }
};

}  // namespace stiction::bench
