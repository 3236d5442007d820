// Claim: the acceleration of a tree without forces, by articulated bodies, is that of its mass matrix, M ẇ = −c, and
// the energy by the bodies' velocities is ½ wᵀMw; for every joint, with armature, and bodies without joints on the way.
// Frozen dofs have none, and the others that of their own rows and columns.
#include "kernels/dynamics/articulated.hpp"

#include <gtest/gtest.h>

#include <random>

#include "host/scene/scene.hpp"
#include "tests/support/models.hpp"
#include "tests/support/tolerances.hpp"

namespace stiction {
namespace {

constexpr int kStates = 50;

/// A model's trees at one state.
template <class Real>
struct State {
  std::vector<char> memory;
  std::vector<Real> qvel;
  Poses<Real> poses;
  Inertia<Real> inertia;
  ArticulatedScratch articulated;

  /// The dofs named in `frozen` stand still.
  State(const ModelView<Real>& model, const std::vector<double>& qpos0, const std::vector<int>& frozen,
        std::mt19937& random) {
    Arena measure;
    lay_out(model, measure);
    memory.resize(measure.used() + 64);
    Arena arena(memory.data());
    lay_out(model, arena);
    std::normal_distribution<double> normal;
    std::vector<Real> qpos(qpos0.begin(), qpos0.end()), mocap(static_cast<std::size_t>(7 * model.nmocap), Real(0));
    for (Real& q : qpos) q += static_cast<Real>(normal(random));
    for (int i = 0; i < model.nv; ++i) qvel.push_back(static_cast<Real>(normal(random)));
    for (int i = 0; i < model.nv; ++i)
      qvel[static_cast<std::size_t>(i)] *= static_cast<Real>(frozen[static_cast<std::size_t>(i)] == 0);
    const HostTeam<> team;
    update_poses(team, model, qpos.data(), mocap.data(), poses);
    update_mass_and_weight(team, model, poses, inertia);
    update_bias(team, model, poses, qvel.data(), inertia);
  }

 private:
  void lay_out(const ModelView<Real>& model, Arena& arena) {
    poses = take_poses(model, arena);
    inertia = take_inertia(model, arena);
    articulated = take_articulated(model, arena);
  }
};

/// Largest entry of M ẇ + c of a tree in the rows of dofs that are not frozen, relative to that of c or to
/// `least`, whichever is larger: a dof that moves alone often has no c but rounding.
template <class Real>
double imbalance(const dynamics_detail::TreeMotion<Real>& tree, const Inertia<Real>& inertia,
                 const std::vector<double>& rate, double least) {
  const Real* M = inertia.M + inertia.tree_adr[tree.tree];
  double worst = 0.0, size = least;
  for (int i = 0; i < tree.n; ++i) {
    if (is_frozen(tree.prescribed, tree.first + i)) continue;
    const double c = static_cast<double>(inertia.bias[tree.first + i]);
    double left = c;
    for (int k = 0; k < tree.n; ++k)
      left += static_cast<double>(M[i * tree.n + k]) * rate[static_cast<std::size_t>(tree.first + k)];
    worst = std::max(worst, std::fabs(left));
    size = std::max(size, std::fabs(c));
  }
  return worst / size;
}

template <class Real>
double energy_of_matrix(const dynamics_detail::TreeMotion<Real>& tree, const Inertia<Real>& inertia,
                        const std::vector<Real>& qvel) {
  const Real *M = inertia.M + inertia.tree_adr[tree.tree], *v = qvel.data() + tree.first;
  double twice = 0.0;
  for (int i = 0; i < tree.n; ++i)
    for (int k = 0; k < tree.n; ++k)
      twice += static_cast<double>(v[i]) * static_cast<double>(M[i * tree.n + k]) * static_cast<double>(v[k]);
  return 0.5 * twice;
}

/// `share` of the dofs are frozen.
template <class Real>
void expect_the_acceleration_of_M(double tolerance, double share) {
  const Model model = load_model(test::write_temporary("articulated.xml", test::kEveryJoint));
  const ModelStorage<Real> storage(model);
  const ModelView<Real>& view = storage.view();
  std::mt19937 random(7);
  for (int i = 0; i < kStates; ++i) {
    std::vector<int> frozen(static_cast<std::size_t>(view.nv));
    for (int& dof : frozen) dof = std::bernoulli_distribution(share)(random) ? kFrozen : 0;
    PrescribedDofs prescribed{};
    prescribed.chosen = frozen.data(), prescribed.frozen = share > 0.0;
    State<Real> s(view, model.qpos0, frozen, random);
    for (int t = 0; t < view.ntree; ++t) {
      const auto tree = dynamics_detail::motion_of_tree(view, t, prescribed);
      std::vector<double> rate(static_cast<std::size_t>(view.nv));
      const double energy = energy_of_matrix(tree, s.inertia, s.qvel);
      const double without = imbalance(tree, s.inertia, rate, 1e-300);  // 0 where all dofs of the tree are frozen
      EXPECT_TRUE(without == 1.0 || (share > 0.0 && without == 0.0));
      spread_velocity(view, s.poses, s.qvel.data(), t, s.inertia);
      ASSERT_TRUE(write_free_acceleration(tree, s.poses, s.inertia, s.articulated, rate.data()));
      EXPECT_LE(imbalance(tree, s.inertia, rate, share > 0.0 ? energy : 1e-300), tolerance) << "tree " << t;
      for (int k = tree.first; k < tree.first + tree.n; ++k)
        EXPECT_TRUE(!is_frozen(prescribed, k) || rate[static_cast<std::size_t>(k)] == 0.0);
      EXPECT_NEAR(static_cast<double>(energy_of_spread(view, s.qvel.data(), t, s.inertia)), energy, tolerance * energy);
    }
  }
}

TEST(Articulated, AccelerationIsThatOfTheMassMatrix) {
  expect_the_acceleration_of_M<double>(tolerance::kKinematics, 0.0);
}

TEST(Articulated, AccelerationIsThatOfTheMassMatrixInFloat) {
  expect_the_acceleration_of_M<float>(tolerance::kKinematicsSingle, 0.0);
}

TEST(Articulated, FrozenDofsAreNotAcceleratedAndLeaveTheOthersTheirPart) {
  expect_the_acceleration_of_M<double>(tolerance::kKinematics, 0.4);
}

}  // namespace
}  // namespace stiction
