// Claims: the reference's poses, Jacobians, mass matrix, bias and weight are MuJoCo's to 1e-10, and its integration
// follows MuJoCo's joints and moves free bodies along their constant twist.
#include "host/reference/kinematics.hpp"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <filesystem>

#include "host/scene/scene.hpp"
#include "tests/reference/random_programs.hpp"
#include "tests/reference/tolerances.hpp"
#include "tests/support/models.hpp"

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int kStates = 100;

class Oracle {
 public:
  explicit Oracle(const std::string& path) {
    char error[500] = "";
    model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    if (model == nullptr) throw std::runtime_error(error);
    data = mj_makeData(model);
  }
  Oracle(const Oracle&) = delete;
  ~Oracle() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }

  void set_random_state(Dice& dice) {
    for (int i = 0; i < model->nq; ++i) data->qpos[i] = model->qpos0[i] + dice.uniform(-2, 2);
    for (int i = 0; i < model->nv; ++i) data->qvel[i] = dice.uniform(-2, 2);
    for (int i = 0; i < 7 * model->nmocap; ++i)
      (i % 7 < 3 ? data->mocap_pos[i / 7 * 3 + i % 7] : data->mocap_quat[i / 7 * 4 + i % 7 - 3]) = dice.uniform(0.1, 1);
    mj_normalizeQuat(model, data->qpos);
    mj_fwdPosition(model, data);
    mj_fwdVelocity(model, data);
  }
  VectorXd qpos() const { return Eigen::Map<const VectorXd>(data->qpos, model->nq); }
  VectorXd qvel() const { return Eigen::Map<const VectorXd>(data->qvel, model->nv); }
  std::vector<double> mocap_pose() const {
    std::vector<double> pose;
    for (int i = 0; i < model->nmocap; ++i) {
      pose.insert(pose.end(), data->mocap_pos + 3 * i, data->mocap_pos + 3 * i + 3);
      pose.insert(pose.end(), data->mocap_quat + 4 * i, data->mocap_quat + 4 * i + 4);
    }
    return pose;
  }

  mjModel* model = nullptr;
  mjData* data = nullptr;
};

double relative(const MatrixXd& ours, const MatrixXd& theirs) {
  if (theirs.size() == 0) return 0.0;
  return (ours - theirs).cwiseAbs().maxCoeff() / std::max(theirs.cwiseAbs().maxCoeff(), 1e-300);
}

MatrixXd map(const mjtNum* values, int rows, int columns) { return Eigen::Map<const RowMajor>(values, rows, columns); }

MatrixXd positions(const std::vector<Eigen::Vector3d>& points) {
  MatrixXd all(points.size(), 3);
  for (std::size_t i = 0; i < points.size(); ++i) all.row(i) = points[i].transpose();
  return all;
}

void expect_same_jacobians(const Model& model, const Kinematics& k, const Oracle& oracle) {
  for (int b = 1; b < model.nbody; ++b) {
    RowMajor linear(3, model.nv), angular(3, model.nv);
    const Eigen::Vector3d point = k.com[b] + Eigen::Vector3d(0.1, -0.2, 0.3);
    mj_jac(oracle.model, oracle.data, linear.data(), angular.data(), point.data(), b);
    MatrixXd theirs(6, model.nv);
    theirs << linear, angular;
    EXPECT_LE(relative(body_jacobian(model, k, b, point), theirs), tolerance::kKinematics) << "body " << b;
  }
}

void expect_same_forces(const Model& model, const Kinematics& k, const Oracle& oracle) {
  const int nv = model.nv;
  RowMajor M(nv, nv);
  mj_fullM(oracle.model, oracle.data, M.data());
  EXPECT_LE(relative(mass_matrix(model, k), M), tolerance::kKinematics);
  EXPECT_LE(relative(bias_force(model, k, oracle.qvel()), map(oracle.data->qfrc_bias, nv, 1)), tolerance::kKinematics);
  EXPECT_LE(relative(compensation_force(model, k), map(oracle.data->qfrc_gravcomp, nv, 1)), tolerance::kKinematics);
  EXPECT_LE(relative(bias_force(model, k, VectorXd::Zero(nv)), -weight_force(model, k)), tolerance::kKinematics);
}

void expect_same_as_mujoco(const std::string& path) {
  Oracle oracle(path);
  const Model model = load_model(path);
  ASSERT_EQ(model.nv, oracle.model->nv);
  Dice dice(11);
  for (int state = 0; state < kStates && !testing::Test::HasFailure(); ++state) {
    oracle.set_random_state(dice);
    const Kinematics k = forward_kinematics(model, oracle.qpos(), oracle.mocap_pose());
    MatrixXd origins(model.nbody, 3), rotations(model.nbody, 9);
    for (int b = 0; b < model.nbody; ++b) {
      origins.row(b) = k.body[b].p.transpose();
      for (int i = 0; i < 9; ++i) rotations(b, i) = k.body[b].R(i / 3, i % 3);
    }
    EXPECT_LE(relative(origins, map(oracle.data->xpos, model.nbody, 3)), tolerance::kKinematics);
    EXPECT_LE(relative(rotations, map(oracle.data->xmat, model.nbody, 9)), tolerance::kKinematics);
    EXPECT_LE(relative(positions(k.com), map(oracle.data->xipos, model.nbody, 3)), tolerance::kKinematics);
    expect_same_jacobians(model, k, oracle);
    expect_same_forces(model, k, oracle);
  }
}

class OwnModels : public testing::TestWithParam<const char*> {};

TEST_P(OwnModels, MoveAsInMujoco) {
  const std::string name = GetParam();
  expect_same_as_mujoco(name == "every_joint"
                            ? test::write_temporary("reference_every_joint.xml", test::kEveryJoint)
                            : (std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / name).string());
}

INSTANTIATE_TEST_SUITE_P(ReferenceKinematics, OwnModels, testing::Values("every_joint", "gripper2d/model.xml"));

class SharedModels : public testing::TestWithParam<const char*> {};

TEST_P(SharedModels, MoveAsInMujoco) {
  const std::filesystem::path folder = test::shared_folder();
  if (folder.empty()) GTEST_SKIP() << "the optional data folder is missing (set STICTION_SHARED)";
  expect_same_as_mujoco((folder / "models" / GetParam()).string());
}

INSTANTIATE_TEST_SUITE_P(ReferenceKinematics, SharedModels,
                         testing::Values("iiwa14/iiwa14.xml", "allegro/right_hand.xml", "puma560/puma560.xml",
                                         "panda/panda_collision.xml", "iiwa14_urdf/iiwa14_spheres.xml",
                                         "leap/leap_hand_right.urdf"));

TEST(ReferenceIntegration, TurnsJointsAsMujocoDoes) {
  const std::string path = test::write_temporary("reference_integrate.xml", test::kEveryJoint);
  Oracle oracle(path);
  const Model model = load_model(path);
  Dice dice(12);
  for (int state = 0; state < kStates; ++state) {
    oracle.set_random_state(dice);
    const double h = dice.uniform(0.001, 0.4);
    const VectorXd ours = integrate(model, oracle.qpos(), oracle.qvel(), h);
    mj_integratePos(oracle.model, oracle.data->qpos, oracle.data->qvel, h);
    VectorXd theirs = oracle.qpos();
    for (int j = 0; j < model.njoint; ++j)  // MuJoCo moves a free body along a straight line
      if (model.joint_type[j] == static_cast<int>(JointType::kFree))
        theirs.segment<3>(model.joint_qpos_adr[j]) = ours.segment<3>(model.joint_qpos_adr[j]);
    EXPECT_LE(relative(ours, theirs), tolerance::kKinematics);
  }
}

TEST(ReferenceIntegration, KeepsAFreeBodyOnTheArcOfTheHandThatHoldsIt) {
  // a body 0.5 m from a vertical axis, turned with it by 0.3 rad in one step
  const Model model = load_model(test::write_temporary("reference_free.xml",
                                                       "<mujoco><worldbody><body pos='.5 0 0'><freejoint/><geom "
                                                       "size='.1' pos='.02 .03 0'/></body></worldbody></mujoco>"));
  VectorXd q(7), v(6);
  const Eigen::Quaterniond start(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()));
  q << 0.5, 0, 0, start.w(), start.x(), start.y(), start.z();
  const Eigen::Vector3d omega(0, 0, 3);
  v << 0, 1.5, 0, start.conjugate() * omega;
  const VectorXd after = integrate(model, q, v, 0.1);
  EXPECT_NEAR(after[0], 0.5 * std::cos(0.3), tolerance::kExact);
  EXPECT_NEAR(after[1], 0.5 * std::sin(0.3), tolerance::kExact);
  const Eigen::Quaterniond turned(after[3], after[4], after[5], after[6]);
  EXPECT_LE((turned * start.conjugate())
                .angularDistance(Eigen::Quaterniond(Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitZ()))),
            tolerance::kExact);
}

}  // namespace
}  // namespace stiction::reference
