#include "bench/gpu_check/plan.hpp"

#include <algorithm>
#include <utility>

#include "host/model/choices.hpp"
#include "tests/step/patch_bodies.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/support/every_choice.hpp"

namespace stiction::gpu_check {

std::vector<CheckedScene> checked_scenes(const std::string& folder) {
  std::vector<CheckedScene> scenes;
  scenes.push_back({"pushed_boxes", test::pushed_boxes(), 20, true});
  test::add_paddle_script(scenes.back().scene);
  scenes.push_back({"gripper2d", load_scene(folder + "/gripper2d"), 20, true});
  scenes.push_back({"patch_bodies", test::patch_bodies(), 20, false});
  scenes.push_back({"planar_pick", load_scene(folder + "/planar_pick"), 20, false});
  scenes.push_back({"fence_particle", load_scene(folder + "/fence_particle"), 20, false});
  scenes.push_back({"iiwa_stack_1", load_scene(folder + "/iiwa_stack_1"), 20, false});
  scenes.push_back({"iiwa_stack", load_scene(folder + "/iiwa_stack"), 5, false});
  return scenes;
}

CheckedScene checked_scene(const std::string& folder, const std::string& name) {
  std::vector<CheckedScene> scenes = checked_scenes(folder);
  return std::move(*std::ranges::find(scenes, name, &CheckedScene::name));
}

Choices choices_of(const Scene& scene) {
  return {scene.physics.dynamics, scene.physics.law, scene.physics.cone, scene.solver.name, scene.solver.factor};
}

std::vector<Choices> every_choice() {
  std::vector<Choices> all;
  for (const auto& solver : test::kEveryNamedSolver)
    for (const Dtype factor : kEveryDtype) {
      if (!can_factor(solver.value, factor)) continue;
      for (const auto& dynamics : test::kEveryNamedDynamics)
        for (const auto& law : test::kEveryLaw)
          for (const auto& cone : test::kEveryCone)
            if (can_solve(solver.value, cone.value) &&
                (factor == Dtype::kFloat64 || dynamics.value == Dynamics::kQuasidynamic))
              all.push_back({dynamics.value, law.value, cone.value, solver.value, factor});
    }
  return all;
}

Scene with(Scene scene, const Choices& choices) {
  scene.physics.dynamics = choices.dynamics;
  scene.physics.law = choices.law;
  scene.physics.cone = choices.cone;
  scene.solver.name = choices.solver;
  scene.solver.factor = choices.factor;
  return scene;
}

std::string name_of(Dtype dtype) { return dtype == Dtype::kFloat64 ? "float64" : "float32"; }

}  // namespace stiction::gpu_check
