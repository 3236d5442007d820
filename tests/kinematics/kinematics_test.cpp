// Claims: poses, Jacobians, mass matrix, weight and bias are MuJoCo's, in double to rounding and in float closely.
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <random>

#include "host/scene/scene.hpp"
#include "kernels/kinematics/inertia.hpp"
#include "tests/support/models.hpp"
#include "tests/support/tolerances.hpp"

namespace stiction {
namespace {

constexpr int kStates = 100;

/// MuJoCo's own view of a model file.
struct Oracle {
  mjModel* model = nullptr;
  mjData* data = nullptr;
  explicit Oracle(const std::string& path) {
    char error[500] = "";
    model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    EXPECT_NE(model, nullptr) << error;
    if (model) data = mj_makeData(model);
  }
  ~Oracle() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }

  void set_random_state(std::mt19937& random) {
    std::normal_distribution<double> normal;
    for (int i = 0; i < model->nq; ++i) data->qpos[i] = model->qpos0[i] + normal(random);
    for (int i = 0; i < model->nv; ++i) data->qvel[i] = normal(random);
    mj_normalizeQuat(model, data->qpos);
    mj_fwdPosition(model, data);
    mj_fwdVelocity(model, data);
  }
};

/// Ours at one state, in one precision.
template <class Real>
struct Ours {
  std::vector<char> memory;
  Poses<Real> poses;
  Inertia<Real> inertia;

  Ours(const ModelView<Real>& model, const Oracle& oracle) {
    Arena measure;
    take_poses(model, measure);
    take_inertia(model, measure);
    memory.resize(measure.used() + 64);
    Arena arena(memory.data());
    poses = take_poses(model, arena);
    inertia = take_inertia(model, arena);
    const std::vector<Real> qpos(oracle.data->qpos, oracle.data->qpos + model.nq);
    const std::vector<Real> qvel(oracle.data->qvel, oracle.data->qvel + model.nv);
    std::vector<Real> mocap;
    for (int i = 0; i < model.nmocap; ++i) {
      mocap.insert(mocap.end(), oracle.data->mocap_pos + 3 * i, oracle.data->mocap_pos + 3 * i + 3);
      mocap.insert(mocap.end(), oracle.data->mocap_quat + 4 * i, oracle.data->mocap_quat + 4 * i + 4);
    }
    const HostTeam<> team;
    update_poses(team, model, qpos.data(), mocap.data(), poses);
    update_mass_and_weight(team, model, poses, inertia);
    update_bias(team, model, poses, qvel.data(), inertia);
  }
};

/// Largest difference of two arrays, relative to the largest entry.
template <class Real>
double relative_difference(const Real* ours, const std::vector<double>& theirs) {
  double worst = 0.0, size = 1e-300;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    worst = std::max(worst, std::fabs(static_cast<double>(ours[i]) - theirs[i]));
    size = std::max(size, std::fabs(theirs[i]));
  }
  return worst / size;
}

std::vector<double> copied(const mjtNum* values, int count) { return {values, values + count}; }

template <class Real>
std::vector<Real> full_mass_matrix(const ModelView<Real>& model, const Inertia<Real>& inertia) {
  std::vector<Real> M(static_cast<std::size_t>(model.nv * model.nv), Real(0));
  for (int t = 0; t < model.ntree; ++t) {
    const int first = model.tree_dof_adr[t], n = model.tree_dof_num[t];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        M[static_cast<std::size_t>((first + i) * model.nv + first + j)] = inertia.M[inertia.tree_adr[t] + i * n + j];
  }
  return M;
}

/// Weight with gravity compensation, as MuJoCo sees it: bias without velocity turned round, plus its compensation.
std::vector<double> mujoco_weight(const Oracle& oracle) {
  std::vector<double> with(oracle.data->qfrc_bias, oracle.data->qfrc_bias + oracle.model->nv);
  std::vector<double> weight(with.size());
  mjData* still = mj_copyData(nullptr, oracle.model, oracle.data);
  mju_zero(still->qvel, oracle.model->nv);
  mj_fwdPosition(oracle.model, still);
  mj_fwdVelocity(oracle.model, still);
  for (std::size_t k = 0; k < weight.size(); ++k) weight[k] = still->qfrc_gravcomp[k] - still->qfrc_bias[k];
  mj_deleteData(still);
  return weight;
}

/// MuJoCo's bias less its part from gravity.
std::vector<double> mujoco_velocity_bias(const Oracle& oracle) {
  std::vector<double> bias = copied(oracle.data->qfrc_bias, oracle.model->nv);
  mjData* still = mj_copyData(nullptr, oracle.model, oracle.data);
  mju_zero(still->qvel, oracle.model->nv);
  mj_fwdPosition(oracle.model, still);
  mj_fwdVelocity(oracle.model, still);
  for (std::size_t k = 0; k < bias.size(); ++k) bias[k] -= still->qfrc_bias[k];
  mj_deleteData(still);
  return bias;
}

template <class Real>
void expect_same_jacobians(const ModelView<Real>& view, const Poses<Real>& poses, const Oracle& oracle,
                           double tolerance) {
  for (int b = 1; b < view.nbody; ++b) {
    const int tree = view.body_tree[b];
    if (tree < 0) continue;
    std::vector<double> jacobian(static_cast<std::size_t>(3 * view.nv)), block;
    const mjtNum* point = oracle.data->xipos + 3 * b;
    mj_jac(oracle.model, oracle.data, jacobian.data(), nullptr, point, b);
    const int first = view.tree_dof_adr[tree], n = view.tree_dof_num[tree];
    for (int row = 0; row < 3; ++row)
      for (int k = 0; k < n; ++k) block.push_back(jacobian[static_cast<std::size_t>(row * view.nv + first + k)]);
    std::vector<Real> J(static_cast<std::size_t>(3 * n));
    const Vec3<Real> p = {static_cast<Real>(point[0]), static_cast<Real>(point[1]), static_cast<Real>(point[2])};
    point_jacobian(view, poses, b, p, J.data());
    EXPECT_LE(relative_difference(J.data(), block), tolerance) << "Jacobian of body " << b;
  }
}

template <class Real>
void expect_same_as_mujoco(const std::string& path, double tolerance) {
  Oracle oracle(path);
  ASSERT_NE(oracle.model, nullptr);
  const Model model = load_model(path);
  const ModelStorage<Real> storage(model);
  const ModelView<Real>& view = storage.view();
  ASSERT_EQ(view.nv, oracle.model->nv);
  std::mt19937 random(1);
  for (int state = 0; state < kStates && !::testing::Test::HasFailure(); ++state) {
    oracle.set_random_state(random);
    const Ours<Real> ours(view, oracle);
    EXPECT_LE(relative_difference(ours.poses.body_pos.data(), copied(oracle.data->xpos, 3 * view.nbody)), tolerance);
    EXPECT_LE(relative_difference(ours.poses.body_com.data(), copied(oracle.data->xipos, 3 * view.nbody)), tolerance);
    EXPECT_LE(relative_difference(ours.inertia.weight.data(), mujoco_weight(oracle)), tolerance);
    EXPECT_LE(relative_difference(ours.inertia.bias.data(), mujoco_velocity_bias(oracle)), tolerance);
    std::vector<double> M(static_cast<std::size_t>(view.nv * view.nv));
    mj_fullM(oracle.model, oracle.data, M.data());
    EXPECT_LE(relative_difference(full_mass_matrix(view, ours.inertia).data(), M), tolerance);
    expect_same_jacobians(view, ours.poses, oracle, tolerance);
  }
}

class OwnModels : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string path(const std::string& name) {
    if (name == "every_joint") return test::write_temporary("every_joint.xml", test::kEveryJoint);
    return (std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / name).string();
  }
};

TEST_P(OwnModels, MoveAsInMujoco) { expect_same_as_mujoco<double>(path(GetParam()), tolerance::kKinematics); }
TEST_P(OwnModels, MoveAsInMujocoInSinglePrecision) {
  expect_same_as_mujoco<float>(path(GetParam()), tolerance::kKinematicsSingle);
}

INSTANTIATE_TEST_SUITE_P(Kinematics, OwnModels, ::testing::Values("every_joint", "gripper2d/model.xml"));

class SharedModels : public ::testing::TestWithParam<const char*> {};

TEST_P(SharedModels, MoveAsInMujoco) {
  const std::filesystem::path folder = test::shared_folder();
  if (folder.empty()) GTEST_SKIP() << "the optional data folder is missing (set STICTION_SHARED)";
  expect_same_as_mujoco<double>((folder / "models" / GetParam()).string(), tolerance::kKinematics);
}

INSTANTIATE_TEST_SUITE_P(Kinematics, SharedModels,
                         ::testing::Values("iiwa14/iiwa14.xml", "allegro/right_hand.xml", "puma560/puma560.xml",
                                           "panda/panda_collision.xml", "iiwa14_urdf/iiwa14_spheres.xml",
                                           "leap/leap_hand_right.urdf"));

}  // namespace
}  // namespace stiction
