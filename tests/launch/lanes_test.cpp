// Claim: lanes that share the start of a step find the masses, the terms and the pairs that one lane finds, bit for
// bit, and a pair is kept exactly up to its reach.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "host/backend/capacity.hpp"
#include "host/backend/host_backend.hpp"
#include "host/backend/initial_state.hpp"
#include "kernels/launch/run_steps.hpp"
#include "tests/step/pushed_boxes.hpp"

namespace stiction {
namespace {

using OneLane = HostTeam<PhaseOrder::kForward>;
constexpr int kId[] = {0};

/// Environment 0 of a scene `steps` steps after its start, with what prepare and drift of the next step find.
template <class Team>
class NextStep {
 public:
  NextStep(const Scene& scene, int steps)
      : capacity_(choose_capacity(scene)),
        model_(*scene.model),
        buffers_(model_.view(), capacity_, 1),
        config_(make_step_config<double>(scene)),
        scratch_(step_scratch_bytes<OneLane, double>(OneLane{}, model_.view(), capacity_, config_)),
        tables_(scene) {
    tables_.enter(config_);
    HostBackend<double, OneLane> before(scene, capacity_, 1, 1);
    write_initial_state(scene, 0, kId, before);
    before.step(steps);
    for (std::size_t f = 0; f < kEnvFields; ++f) {
      const std::vector<double> values = before.read(static_cast<EnvField>(f));
      const FieldRows rows[] = {{static_cast<EnvField>(f), values}};
      buffers_.write(kId, rows);
    }
    EnvView<double> env = buffers_.view().env(0);
    StepSite<double> site{model(), &env, capacity_, config_, &progress_, &task_};
    prepare_stage(Team{}, Arena(scratch_.data()), Entry::kCall, site);
    drift_stage(Team{}, site);
  }

  ModelView<double> model() const { return buffers_.view().env_model(0); }
  const StepScratch<double>& found() const { return progress_.scratch; }
  StepScratch<double>& found() { return progress_.scratch; }

  /// All that prepare and drift leave to the other stages.
  std::vector<double> values() const {
    const StepScratch<double>& s = found();
    const ModelView<double> m = model();
    const int blocks = tree_block_values(m);
    std::vector<double> all{static_cast<double>(*s.slots.count)};
    const auto add = [&](const auto* from, int count) { all.insert(all.end(), from, from + count); };
    add(s.inertia.M.data(), blocks), add(s.inertia.weight.data(), m.nv);
    add(s.motion.H.data(), blocks), add(s.motion.M_u.data(), blocks), add(s.motion.g.data(), m.nv);
    add(s.reach.tree.data(), m.ntree), add(s.reach.pushed.data(), m.ntree), add(s.reach.inside.data(), m.ngeom);
    add(s.slots.pair.data(), *s.slots.count), add(s.slots.reach.data(), *s.slots.count);
    return all;
  }

 private:
  Capacity capacity_;
  ModelStorage<double> model_;
  BatchBuffers<double> buffers_;
  StepConfig<double> config_;
  AlignedVector<char> scratch_;
  HostScriptTables<double> tables_;
  StepProgress<double> progress_;
  SolveTask task_;
};

/// A robot on a free base that falls onto a plane, whose legs swing: its only passive tree.
Scene falling_robot() {
  std::string legs;
  for (int i = 0; i < 6; ++i) {
    const std::string x = std::to_string(0.08 * i);
    legs +=
        "<body pos='" + x + " 0 0'><joint type='hinge' axis='0 1 0' springref='40' stiffness='2'/>" +
        "<geom type='capsule' fromto='0 0 0 0 0 -.2' size='.02'/><body pos='0 0 -.2'>" +
        "<joint type='hinge' axis='1 0 0'/><geom type='capsule' fromto='0 0 0 0 0 -.15' size='.015'/></body></body>";
  }
  Scene scene = test::load_convex_scene(
      test::write_temporary("falling_robot.xml",
                            "<mujoco><worldbody><geom type='plane' size='2 2 .1'/><body pos='0 0 1.15'><freejoint/>"
                            "<geom type='box' size='.05 .05 .03'/>" +
                                legs + "</body></worldbody></mujoco>"));
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.step_size = 0.02;
  return scene;
}

/// An arm of two links on a scripted body, above one ball and far from another.
Scene carried_arm() {
  Scene scene = test::load_convex_scene(
      test::write_temporary("carried_arm.xml", R"(<mujoco><worldbody><geom type="plane" size="2 2 .1"/>
      <body name="base" mocap="true" pos="0 0 .58"><geom type="box" size=".05 .05 .02"/>
        <body pos=".02 0 -.03"><geom type="box" size=".02 .02 .005"/>
          <body><joint type="hinge" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
            <geom type="capsule" fromto="0 0 -.05 0 0 -.2" size=".02"/>
            <body pos="0 0 -.24"><joint type="ball"/><geom type="capsule" fromto="0 0 -.03 0 0 -.12" size=".02"/>
      </body></body></body></body>
      <body pos=".02 0 .0495"><freejoint/><geom type="sphere" size=".05"/></body>
      <body pos="1 1 .0495"><freejoint/><geom type="sphere" size=".05"/></body></worldbody></mujoco>)"));
  scene.physics.dynamics = Dynamics::kDynamic;
  return scene;
}

class Lanes : public testing::TestWithParam<const char*> {
 protected:
  static Scene scene() {
    const std::string name = GetParam();
    if (name == "falling_robot") return falling_robot();
    if (name == "carried_arm") return carried_arm();
    return name == "pushed_boxes" ? test::pushed_boxes() : load_scene(STICTION_SOURCE_DIR "/scenes/" + name);
  }
};

TEST_P(Lanes, FindTheStartOfAStepThatOneLaneFinds) {
  double pairs = 0.0;
  for (const Dynamics dynamics : {scene().physics.dynamics, Dynamics::kDynamic})
    for (const int steps : {1, 8}) {
      Scene scene = this->scene();
      scene.physics.dynamics = dynamics;
      const std::vector<double> one = NextStep<OneLane>(scene, steps).values();
      pairs += one.front();
      EXPECT_TRUE(test::same_bits(NextStep<HostTeam<PhaseOrder::kForward, 8>>(scene, steps).values(), one));
      EXPECT_TRUE(test::same_bits(NextStep<HostTeam<PhaseOrder::kBackward, 32>>(scene, steps).values(), one));
    }
  EXPECT_GT(pairs, 0.0);
}

TEST_P(Lanes, KeepPairsExactlyUpToTheirReach) {
  const NextStep<OneLane> step(scene(), 1);
  const ModelView<double> model = step.model();
  const Reach<double>& reach = step.found().reach;
  for (int p = 0; p < model.npair; ++p) {
    const PairSides pair = sides_of_pair(model, p);
    const double most = pair_reach(model, reach, p), unlimited = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(is_kept(model, reach, p, pair, most)) << p;
    EXPECT_TRUE(is_kept(model, reach, p, pair, std::nextafter(most, -unlimited))) << p;
    EXPECT_FALSE(is_kept(model, reach, p, pair, std::nextafter(most, unlimited))) << p;
    EXPECT_TRUE(is_kept(model, reach, p, pair, -1.0)) << p;
    EXPECT_FALSE(is_kept(model, reach, p, pair, unlimited)) << p;
  }
}

/// How many pairs are selected, and how many are not.
struct Selection {
  int selected = 0, left_out = 0;
};

/// Expects exactly the pairs within their reach among the selected ones.
void expect_pairs_within_reach(const ModelView<double>& model, StepScratch<double>& s, Selection& sum) {
  int slot = 0;
  for (int p = 0; p < model.npair; ++p) {
    const bool is_selected = slot < *s.slots.count && s.slots.pair[slot] == p;
    EXPECT_EQ(is_selected, tighten_gap(model, p, double(INFINITY), s.bounds) <= pair_reach(model, s.reach, p)) << p;
    (is_selected ? sum.selected : sum.left_out) += 1;
    slot += is_selected ? 1 : 0;
  }
  EXPECT_EQ(slot, *s.slots.count);
}

// the broad phase leaves out what it can; what is left are all pairs within their reach, and no others, also where a
// motion that is faster than the free one has raised the reach
TEST_P(Lanes, SelectThePairsWithinTheirReach) {
  Selection first, again;
  for (const Dynamics dynamics : {scene().physics.dynamics, Dynamics::kDynamic})
    for (const int steps : {1, 3, 8, 20})
      for (const double faster : {1.2, 3.0}) {
        Scene scene = this->scene();
        scene.physics.dynamics = dynamics;
        NextStep<OneLane> step(scene, steps);
        const ModelView<double> model = step.model();
        StepScratch<double>& s = step.found();
        expect_pairs_within_reach(model, s, first);
        for (int slot = 0; slot < *s.slots.count; ++slot) s.slots.manifold[slot].count = 0;
        std::vector<double> v(static_cast<std::size_t>(model.nv));
        for (int k = 0; k < model.nv; ++k) v[static_cast<std::size_t>(k)] = faster * s.motion.free_velocity[k];
        count_overlooked(OneLane{}, model, s.poses, s.slots, v.data(), scene.step_size, s.bounds, s.reach);
        enlarge_reach(OneLane{}, model, s.poses, s.bounds, scene.step_size, s.reach);
        select_pairs_in_reach(OneLane{}, model, choose_capacity(scene), s);
        expect_pairs_within_reach(model, s, again);
      }
  const bool all_are_near = std::string(GetParam()) == "gripper2d";
  EXPECT_GT(first.selected, 0);
  EXPECT_EQ(first.left_out > 0, !all_are_near);
  EXPECT_EQ(again.selected > first.selected, !all_are_near);
}

/// The pairs that were left out although the speeds in s.reach may bring them together.
int overlooked_pairs(const ModelView<double>& model, StepScratch<double>& s, double h) {
  int count = 0;
  for (int p = 0; p < model.npair; ++p) {
    const double gap = tighten_gap(model, p, double(INFINITY), s.bounds);
    if (gap < pair_reach(model, s.reach, p)) continue;
    count += may_meet(model, s.poses, s.bounds, s.reach, h, p, gap) ? 1 : 0;
  }
  return count;
}

// whatever is not asked pair by pair after the solve would not be found either way
TEST_P(Lanes, CountEveryPairThatTheMotionMayBringTogether) {
  int within = 0;
  bool automatic = false;
  for (const Dynamics dynamics : {scene().physics.dynamics, Dynamics::kDynamic})
    for (const double faster : {0.0, 0.3, 0.999, 1.001, 4.0, 30.0}) {
      Scene scene = this->scene();
      scene.physics.dynamics = dynamics;
      const double h = scene.step_size;
      NextStep<OneLane> step(scene, 2);
      const ModelView<double> model = step.model();
      StepScratch<double>& s = step.found();
      for (int slot = 0; slot < *s.slots.count; ++slot) s.slots.manifold[slot].count = 0;
      std::vector<double> v(static_cast<std::size_t>(model.nv));
      for (int k = 0; k < model.nv; ++k) v[static_cast<std::size_t>(k)] = faster * s.motion.free_velocity[k];
      const int found = count_overlooked(OneLane{}, model, s.poses, s.slots, v.data(), h, s.bounds, s.reach);
      automatic = s.reach.fixed < 0.0;
      within += stays_within_reach(OneLane{}, model, h, s.reach) ? 1 : 0;
      EXPECT_EQ(found, overlooked_pairs(model, s, h)) << faster;
    }
  EXPECT_EQ(within > 0, automatic);  // with a fixed contact distance all pairs are asked
  EXPECT_LT(within, 12);
}

/// Expects the velocity of every body that carries others to be that of its dofs and its script.
template <class Team>
void expect_the_rates_of_dofs(const ModelView<double>& model, StepScratch<double>& s) {
  for (int i = 0; i < 6 * model.nmocap; ++i) s.poses.mocap_twist[i] = 0.3 - 0.1 * i;
  std::vector<double> v(static_cast<std::size_t>(model.nv));
  for (int k = 0; k < model.nv; ++k) v[static_cast<std::size_t>(k)] = std::cos(k);
  measure_speeds(Team{}, model, s.poses, s.bounds, v.data(), s.reach);
  for (int b = 0; b < model.nbody; ++b) {
    if (carrier_of(model, b) != b) continue;
    Vec3<double> w, u, w_script, u_script;
    const Vec3<double> origin = load3(s.poses.body_pos + 3 * b);
    body_velocity(model, s.poses, v.data(), b, origin, w, u);
    scripted_velocity(model, s.poses, b, origin, w_script, u_script);
    EXPECT_LT(norm(s.reach.rate[b].shift - u - u_script), 1e-12) << b;
    EXPECT_LT(norm(s.reach.rate[b].turn - w - w_script), 1e-12) << b;
  }
}

TEST_P(Lanes, KnowHowFastEveryBodyMoves) {
  NextStep<OneLane> step(scene(), 2);
  expect_the_rates_of_dofs<OneLane>(step.model(), step.found());
  expect_the_rates_of_dofs<HostTeam<PhaseOrder::kBackward, 32>>(step.model(), step.found());
}

// a row with one entry that is not 0 says where it is
TEST_P(Lanes, NameTheOnlyColumnOfARow) {
  NextStep<OneLane> step(scene(), 1);
  const ModelView<double> model = step.model();
  const StepScratch<double>& s = step.found();
  for (int r = 0; r < choose_capacity(scene()).max_rows; ++r) {
    const GeneralRow<double>& row = s.general_rows.row[r];
    int entries = 0, last = -1;
    for (const BlockJacobian<double>& side : row.side)
      for (int k = 0; side.block >= 0 && k < model.tree_dof_num[side.block]; ++k)
        if (side.J[k] != 0.0) ++entries, last = k;
    if (entries > 0) {
      EXPECT_EQ(row.column, entries == 1 ? last : -1) << r;
    }
  }
}

// numbers that overflow may have no reach; what the last search left must not take its place
TEST_P(Lanes, KeepNoPairWhereTheReachIsNoNumber) {
  NextStep<OneLane> step(scene(), 1);
  const ModelView<double> model = step.model();
  StepScratch<double>& s = step.found();
  for (int g = 0; g < model.ngeom; ++g) s.reach.geom[g] = std::numeric_limits<double>::quiet_NaN();
  spread_reach(OneLane{}, model, s.poses, s.bounds, s.reach);
  EXPECT_EQ(*s.bounds.num_near, 0);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Lanes,
                         testing::Values("gripper2d", "hand_cube", "iiwa_stack", "pile", "pushed_boxes",
                                         "falling_robot", "carried_arm"));

}  // namespace
}  // namespace stiction
