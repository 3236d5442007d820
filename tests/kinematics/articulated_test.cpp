// Claim: the acceleration of a tree without forces, by articulated bodies, is that of its mass matrix, M ẇ = −c, and
// the energy by the bodies' velocities is ½ wᵀMw; for every joint, with armature, and bodies without joints on the way.
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

  State(const ModelView<Real>& model, const std::vector<double>& qpos0, std::mt19937& random) {
    Arena measure;
    lay_out(model, measure);
    memory.resize(measure.used() + 64);
    Arena arena(memory.data());
    lay_out(model, arena);
    std::normal_distribution<double> normal;
    std::vector<Real> qpos(qpos0.begin(), qpos0.end()), mocap(static_cast<std::size_t>(7 * model.nmocap), Real(0));
    for (Real& q : qpos) q += static_cast<Real>(normal(random));
    for (int i = 0; i < model.nv; ++i) qvel.push_back(static_cast<Real>(normal(random)));
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

/// Largest entry of M ẇ + c of a tree, relative to that of c.
template <class Real>
double imbalance(const dynamics_detail::TreeMotion<Real>& tree, const Inertia<Real>& inertia,
                 const std::vector<double>& rate) {
  const Real* M = inertia.M + inertia.tree_adr[tree.tree];
  double worst = 0.0, size = 1e-300;
  for (int i = 0; i < tree.n; ++i) {
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

template <class Real>
void expect_the_acceleration_of_M(double tolerance) {
  const Model model = load_model(test::write_temporary("articulated.xml", test::kEveryJoint));
  const ModelStorage<Real> storage(model);
  const ModelView<Real>& view = storage.view();
  std::mt19937 random(7);
  for (int i = 0; i < kStates; ++i) {
    State<Real> s(view, model.qpos0, random);
    for (int t = 0; t < view.ntree; ++t) {
      const dynamics_detail::TreeMotion<Real> tree{view, t, view.tree_dof_adr[t], view.tree_dof_num[t]};
      std::vector<double> rate(static_cast<std::size_t>(view.nv));
      const double energy = energy_of_matrix(tree, s.inertia, s.qvel);
      EXPECT_EQ(imbalance(tree, s.inertia, rate), 1.0);  // of no acceleration
      spread_velocity(view, s.poses, s.qvel.data(), t, s.inertia);
      ASSERT_TRUE(write_free_acceleration(tree, s.poses, s.inertia, s.articulated, rate.data()));
      EXPECT_LE(imbalance(tree, s.inertia, rate), tolerance) << "tree " << t;
      EXPECT_NEAR(static_cast<double>(energy_of_spread(view, s.qvel.data(), t, s.inertia)), energy, tolerance * energy);
    }
  }
}

TEST(Articulated, AccelerationIsThatOfTheMassMatrix) { expect_the_acceleration_of_M<double>(tolerance::kKinematics); }

TEST(Articulated, AccelerationIsThatOfTheMassMatrixInFloat) {
  expect_the_acceleration_of_M<float>(tolerance::kKinematicsSingle);
}

}  // namespace
}  // namespace stiction
