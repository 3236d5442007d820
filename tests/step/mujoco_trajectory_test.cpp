// Claim: without contact, second-order steps converge to MuJoCo's fourth-order trajectory, with the step size's first
// power.
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

constexpr double kDuration = 0.3, kTruthStep = 1e-4;

/// The model of every joint kind, without contact, with springs, dampers and actuators of every kind.
std::string model_text() {
  std::string text = test::kEveryJoint;
  const auto insert = [&](const std::string& before, const std::string& what) { text.insert(text.find(before), what); };
  insert("</mujoco>",
         "<actuator><position joint='j1' kp='20' kv='3' gear='2'/><velocity joint='j2' kv='.4'/>"
         "<motor joint='j3' gear='.3'/></actuator>");
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("<option ", "<option integrator='RK4' timestep='0.0001' ");
  replace("/>\n  <worldbody>", "><flag contact='disable'/></option>\n  <worldbody>");
  replace("<joint type=\"slide\" axis=\"1 2 0.5\"", "<joint name='j1' type=\"slide\" damping='.5' axis=\"1 2 0.5\"");
  replace("<joint type=\"hinge\" axis=\"0 1 0.3\"", "<joint name='j2' type=\"hinge\" stiffness='3' axis=\"0 1 0.3\"");
  replace("<joint type=\"ball\"", "<joint type=\"ball\" damping='.02' stiffness='.5'");
  replace("<joint type=\"hinge\" axis=\"0 0 1\"/>", "<joint name='j3' type=\"hinge\" axis=\"0 0 1\"/>");
  return text;
}

std::vector<double> start_velocity(int nv) {
  std::vector<double> v;
  for (int k = 0; k < nv; ++k) v.push_back(0.5 * std::sin(1.0 + 2.0 * k));
  return v;
}

std::vector<double> controls(int nu) { return std::vector<double>(static_cast<std::size_t>(nu), 0.3); }

std::vector<double> mujoco_qpos(const std::string& path) {
  char error[500] = "";
  mjModel* model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
  EXPECT_NE(model, nullptr) << error;
  mjData* data = mj_makeData(model);
  const std::vector<double> v = start_velocity(model->nv), u = controls(model->nu);
  std::copy(v.begin(), v.end(), data->qvel);
  std::copy(u.begin(), u.end(), data->ctrl);
  for (int k = 0; k < std::lround(kDuration / kTruthStep); ++k) mj_step(model, data);
  std::vector<double> q(data->qpos, data->qpos + model->nq);
  mj_deleteData(data);
  mj_deleteModel(model);
  return q;
}

/// Largest difference of any entry of qpos at the end.
double error_at(const std::string& path, double h, const std::vector<double>& truth) {
  Scene scene = load_scene(path);
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.step_size = h;
  scene.solver.tolerance = 1e-12;
  scene.qvel = start_velocity(scene.model->nv);
  scene.command = {{0.0}, {controls(scene.model->nu)}};
  SimulatorOptions options;
  options.device = "cpu";
  Simulator sim(scene, options);
  EXPECT_EQ(sim.step(static_cast<int>(std::lround(kDuration / h)))[0], status::kConverged);
  const std::vector<double> q = sim.qpos();
  double worst = 0.0;
  for (std::size_t i = 0; i < q.size(); ++i) worst = std::max(worst, std::fabs(q[i] - truth[i]));
  return worst;
}

TEST(Dynamic, ConvergesToMuJoCosTrajectoryWithTheStepSize) {
  const std::string path = test::write_temporary("mujoco_trajectory.xml", model_text());
  const std::vector<double> truth = mujoco_qpos(path);
  const double coarse = error_at(path, 1e-3, truth), fine = error_at(path, 1e-3 / 8.0, truth);
  EXPECT_LE(coarse, tolerance::kTrajectoryOfOneMillisecond);
  EXPECT_NEAR(coarse / fine, 8.0, 8.0 * tolerance::kFirstOrder);
}

}  // namespace
}  // namespace stiction
