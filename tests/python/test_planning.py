"""Claims about the planner."""

import numpy as np
import pytest

pytest.importorskip("stiction", reason="the extension is not built")
pytest.importorskip("gymnasium", reason="gymnasium is not installed")

import stiction.envs
from stiction.planning import SamplingPlanner, Settings

SMALL = Settings(samples=64, horizon=18)


def starts(id, count, seed=0):
    envs = stiction.envs.make_vec(id, count, seed=seed, autoreset="disabled")
    envs.reset()
    return envs, envs.episodes.snapshot()


def test_a_plan_comes_nearer_than_staying():
    envs, now = starts("stiction/PushT-v0", 4)
    planner = SamplingPlanner(envs.task, 4, SMALL)
    plan = planner.plan(now.qpos, now.ctrl, now.goal)
    stay = planner._score(np.zeros((4, SMALL.samples, SMALL.horizon, 2)), now.qpos, now.ctrl, now.goal)[:, 0]
    follow = planner._score(np.repeat(plan[:, None], SMALL.samples, 1), now.qpos, now.ctrl, now.goal)[:, 0]
    assert (follow > stay).all()


def test_planning_leaves_the_environments_alone():
    envs, now = starts("stiction/PushT-v0", 2)
    before = now.qpos.copy()
    SamplingPlanner(envs.task, 2, SMALL).plan(now.qpos, now.ctrl, now.goal)
    assert np.array_equal(before, now.qpos)


def test_what_was_planned_happens():
    envs, now = starts("stiction/PushT-v0", 2)
    planner = SamplingPlanner(envs.task, 2, Settings(samples=2, horizon=3))
    actions = np.random.default_rng(0).uniform(-1, 1, (2, 3, 2)).astype(np.float32).astype(float)
    planner._score(np.repeat(actions[:, None], 2, 1), now.qpos, now.ctrl, now.goal)
    for t in range(3):
        envs.step(actions[:, t])
    assert np.array_equal(planner.sim.qpos[::2], envs.episodes.sim.qpos)  # bit for bit


def test_a_seed_determines_a_plan():
    envs, now = starts("stiction/PushT-v0", 2)
    plans = [SamplingPlanner(envs.task, 2, SMALL, seed=s).plan(now.qpos, now.ctrl, now.goal) for s in (1, 1, 2)]
    assert np.array_equal(plans[0], plans[1]) and not np.array_equal(plans[0], plans[2])


def test_what_is_commanded_now_is_where_a_sequence_begins():
    """The hand's actions are relative to its command: without one it keeps what each problem is commanded."""
    envs, now = starts("stiction/CubeReorient-v0", 2)
    planner = SamplingPlanner(envs.task, 2, Settings(samples=2, horizon=1, hold=1, iterations=1))
    held = now.ctrl - [[0.01], [0.02]]  # within the ranges of the joints
    plan = planner.plan(now.qpos, held, now.goal)  # both sequences stand still: the plan so far, and no motion
    assert not plan.any() and np.array_equal(planner.sim.ctrl, np.repeat(held, 2, axis=0))


def test_the_plan_so_far_and_standing_still_are_among_the_sequences():
    envs, now = starts("stiction/PushT-v0", 3)
    planner = SamplingPlanner(envs.task, 3, Settings(samples=2, iterations=1))
    planner.mean[...] = -0.5
    plan = planner.plan(now.qpos, now.ctrl, now.goal)  # of these two: a share of the plan so far
    assert (plan == plan[:, :1, :1]).all() and ((-0.5 <= plan) & (plan <= 0)).all()


def test_a_plan_moves_on_with_what_was_carried_out():
    envs, now = starts("stiction/PushT-v0", 1)
    planner = SamplingPlanner(envs.task, 1, SMALL)
    plan = planner.plan(now.qpos, now.ctrl, now.goal)
    planner.advance(SMALL.hold)
    assert np.array_equal(np.repeat(planner.mean, SMALL.hold, 1)[:, : -SMALL.hold], plan[:, SMALL.hold :])
    assert not planner.mean[:, -1].any()


def test_problems_that_are_kept_keep_their_plans():
    envs, now = starts("stiction/PushT-v0", 3)
    planner = SamplingPlanner(envs.task, 3, SMALL)
    plan = planner.plan(now.qpos, now.ctrl, now.goal)
    planner.keep(np.array([True, False, True]))
    assert planner.problems == 2 and planner.sim.batch == 2 * SMALL.samples
    assert np.array_equal(np.repeat(planner.mean, SMALL.hold, 1), plan[[0, 2]])
    assert planner.plan(now.qpos[[0, 2]], now.ctrl[[0, 2]], now.goal[[0, 2]]).shape == plan[:2].shape


def test_planning_again_and_again_pushes_the_t_home():
    envs, _ = starts("stiction/PushT-v0", 2, seed=4)
    planner, won = SamplingPlanner(envs.task, 2, SMALL), np.zeros(2, bool)
    for _ in range(20):
        now = envs.episodes.snapshot()
        plan = planner.plan(now.qpos, now.ctrl, now.goal)
        for t in range(SMALL.hold):
            _, _, terminated, truncated, info = envs.step(plan[:, t])
            won |= info["success"]
            if (terminated | truncated).any():
                envs.reset(options={"reset_mask": terminated | truncated})
        planner.advance(SMALL.hold)
        if won.all():
            return
    pytest.fail(f"{won.sum()} of 2 solved")
