"""Claims about the environments: gymnasium's rules, the same numbers in any grouping, failures that stay alone."""

import itertools
import pathlib
import sys
import tomllib
import types
import typing

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")
pytest.importorskip("stiction", reason="the extension is not built")
import gymnasium
import stiction
import stiction.envs
from gymnasium.vector import AutoresetMode
from stiction import InputError, MissingPackage
from stiction.envs import streams

ROOT = pathlib.Path(__file__).resolve().parents[2]
IDS = list(stiction.envs.TASKS)
PUSH = "stiction/PushTPosition-v0"


def actions(envs, count, seed=0):
    """Random actions (count, num_envs, m)."""
    size = (count, envs.num_envs, *envs.single_action_space.shape)
    return np.random.default_rng(seed).uniform(-1, 1, size).astype(np.float32)


def run(envs, sequence, seed=None):
    """Everything that a sequence of actions returns: lists of (observation, reward, terminated, truncated, info)."""
    first, _ = envs.reset(seed=seed)
    return first, [envs.step(action) for action in sequence]


def same(a, b):
    pairs = [pair for row, other in zip(a, b, strict=True) for pair in zip(row[:4], other[:4], strict=True)]
    return all(np.array_equal(x, y) for x, y in pairs)


@pytest.mark.parametrize("id", IDS)
def test_what_a_step_returns_lies_in_its_spaces(id):
    envs = stiction.envs.make_vec(id, 3, seed=1)
    observation, info = envs.reset()
    assert observation in envs.observation_space and info == {}
    for action in actions(envs, 3):
        observation, reward, terminated, truncated, info = envs.step(action)
        assert observation in envs.observation_space and np.isfinite(observation).all()
        assert (reward.dtype, terminated.dtype, truncated.dtype) == (np.float64, bool, bool)
        assert reward.shape == terminated.shape == truncated.shape == (3,)
        assert (info["status"] == stiction.Status.CONVERGED).all() and info["_status"].all()
    envs.close()


@pytest.mark.parametrize("id", IDS)
def test_gymnasium_makes_the_same_environment(id):
    envs = gymnasium.make_vec(id, num_envs=2, seed=4)
    ours = stiction.envs.make_vec(id, 2, seed=4)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert envs.spec.id == id
    assert np.array_equal(envs.reset()[0], ours.reset()[0])


@pytest.mark.parametrize("id", IDS)
def test_gymnasiums_checker_finds_nothing(id, recwarn):
    from gymnasium.utils.env_checker import check_env

    check_env(gymnasium.make(id, disable_env_checker=True).unwrapped, skip_render_check=True)
    found = [str(warning.message) for warning in recwarn if "infinity" not in str(warning.message)]
    assert found == []  # that observations have no bounds is meant


@pytest.mark.parametrize("id", IDS)
def test_stable_baselines_checker_finds_nothing(id):
    checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="stable-baselines3 is not installed")
    checker.check_env(gymnasium.make(id, disable_env_checker=True).unwrapped)


@pytest.mark.parametrize("id", IDS)
def test_a_seed_determines_an_episode(id):
    envs = stiction.envs.make_vec(id, 4)
    sequence = actions(envs, 5)
    first, rows = run(envs, sequence, seed=7)
    again, others = run(envs, sequence, seed=7)
    different, _ = run(envs, sequence[:0], seed=8)
    assert np.array_equal(first, again) and same(rows, others)
    assert np.array_equal(first[1:], different[:-1])  # environment e has seed + e, as in gymnasium
    assert not np.array_equal(first[0], different[0])


@pytest.mark.parametrize("id", IDS)
def test_one_of_2n_is_two_of_n(id):
    whole = stiction.envs.make_vec(id, 6, seed=3)
    halves = [stiction.envs.make_vec(id, 3, seed=3, first_env_id=k) for k in (0, 3)]
    sequence = actions(whole, 8)
    first, rows = run(whole, sequence)
    parts = [run(half, sequence[:, k : k + 3]) for half, k in zip(halves, (0, 3), strict=True)]
    assert np.array_equal(first, np.concatenate([part[0] for part in parts]))
    for t, row in enumerate(rows):
        for field in range(4):
            assert np.array_equal(row[field], np.concatenate([part[1][t][field] for part in parts]))


def test_what_ends_starts_anew_in_the_same_step():
    envs = stiction.envs.make_vec(PUSH, 5, seed=0, max_episode_steps=4)
    twin = stiction.envs.make_vec(PUSH, 5, seed=0, max_episode_steps=4, autoreset="disabled")
    sequence = actions(envs, 4)
    _, rows = run(envs, sequence)
    _, lasts = run(twin, sequence)
    observation, _, terminated, truncated, info = rows[-1]
    assert truncated.all() and not terminated.any()
    assert np.array_equal(np.stack(list(info["final_obs"])), lasts[-1][0])
    assert info["_final_obs"].all() and info["_final_info"].all()
    assert not info["_success"].any() and info["final_info"]["_success"].all()
    assert np.array_equal(observation, twin.reset(options={"reset_mask": np.ones(5, bool)})[0])
    assert not np.array_equal(observation, run(envs, [], seed=0)[0])  # another episode, not the first again


def test_only_what_ends_is_in_final_obs():
    envs = stiction.envs.make_vec(PUSH, 3, seed=0)
    envs.reset()
    action = np.zeros((3, 2), np.float32)
    action[1] = np.nan
    info = envs.step(action)[4]
    assert info["_final_obs"].tolist() == [False, True, False]
    assert info["final_obs"][0] is None and info["final_obs"][1].shape == (14,)


def test_without_autoreset_only_the_mask_is_reset():
    envs = stiction.envs.make_vec(PUSH, 3, seed=0, max_episode_steps=2, autoreset="disabled")
    assert envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    sequence = actions(envs, 2)
    _, rows = run(envs, sequence)
    with pytest.raises(InputError, match=r"environments \[0, 1, 2\] have ended"):
        envs.step(sequence[0])
    observation, _ = envs.reset(options={"reset_mask": np.array([True, False, True])})
    assert np.array_equal(observation[1], rows[-1][0][1])
    assert not np.array_equal(observation[0], rows[-1][0][0])
    with pytest.raises(InputError, match=r"environments \[1\] have ended"):
        envs.step(sequence[0])


@pytest.mark.parametrize("id", IDS)
def test_an_action_that_is_nan_ends_its_environment_alone(id):
    envs, clean = (stiction.envs.make_vec(id, 3, seed=2) for _ in range(2))
    sequence = actions(envs, 3)
    expected = run(clean, sequence)[1]
    envs.reset()
    envs.step(sequence[0])
    spoilt = sequence[1].copy()
    spoilt[1, 0] = np.nan
    observation, reward, terminated, _, info = envs.step(spoilt)
    others = [0, 2]
    assert terminated.tolist() == [False, True, False] and np.isfinite(observation).all() and np.isfinite(reward).all()
    assert info["final_info"]["status"][1] & stiction.Status.NOT_FINITE
    assert np.isfinite(info["final_obs"][1]).all()
    assert np.array_equal(observation[others], expected[1][0][others])
    assert np.array_equal(envs.step(sequence[2])[0][others], expected[2][0][others])


@pytest.mark.parametrize("id", IDS)
def test_an_action_that_is_nan_does_not_stay_in_the_command(id):
    envs = stiction.envs.make_vec(id, 3, seed=2, autoreset="disabled")
    sequence = actions(envs, 2)
    run(envs, sequence[:1])
    before = envs.episodes.ctrl.copy()
    sequence[1, 1] = np.nan
    terminated = envs.step(sequence[1])[2]
    changed = (envs.episodes.ctrl != before).any(axis=1)
    assert terminated.tolist() == [False, True, False] == (~changed).tolist()


def test_actions_beyond_their_range_are_clipped():
    envs, clean = (stiction.envs.make_vec(PUSH, 2, seed=2) for _ in range(2))
    far = np.full((1, 2, 2), 50, np.float32)
    assert same(run(envs, far)[1], run(clean, far / 50)[1])


@pytest.mark.parametrize("id", IDS)
def test_torch_tensors_say_what_numpy_arrays_say(id):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    envs = stiction.envs.make_vec(id, 4, seed=5, max_episode_steps=3)
    twin = stiction.envs.make_torch(id, 4, seed=5, device="cpu", max_episode_steps=3)
    assert np.allclose(envs.reset()[0], twin.reset()[0].numpy(), atol=1e-6)
    for action in actions(envs, 7):
        ours, theirs = envs.step(action), twin.step(torch.from_numpy(action))
        for a, b in zip(ours[:4], theirs[:4], strict=True):
            assert np.allclose(a, b.numpy(), atol=1e-6)


def test_torch_tensors_are_the_simulators_memory():
    pytest.importorskip("torch", reason="torch is not installed")
    envs = stiction.envs.make_torch(PUSH, 2, seed=5, device="cpu")
    envs.reset()
    assert envs.episodes.qpos.data_ptr() == envs.episodes.sim.qpos.ctypes.data


def test_the_hand_turns_its_cube_with_the_scenes_own_command():
    envs = stiction.envs.make_vec("stiction/CubeReorient-v0", 4, seed=0, least_turn=1.1, most_turn=1.2)
    table = np.loadtxt(stiction.envs.task.scene_folder("hand_cube") / "command.csv", delimiter=",", skiprows=1)
    envs.reset()
    won = np.zeros(4, bool)
    for k in range(1, 80):
        command = [np.interp(0.1 * k, table[:, 0], column) for column in table[:, 1:].T]
        action = (np.array(command) - envs.episodes.ctrl) / 0.15
        info = envs.step(action)[4]
        won |= info.get("final_info", info)["success"]
        if won.all():
            return
    pytest.fail(f"turned in {won.sum()} of 4 environments")


def test_the_arm_builds_towers_with_a_script():
    sys.path.insert(0, str(ROOT / "examples"))
    from stack_cubes import build

    won, _ = build(stiction.envs.make_vec("stiction/StackCubes-v0", 3, seed=0, autoreset="disabled"))
    assert won.all()


def test_random_numbers_depend_on_who_draws_them():
    seeds, episodes = np.array([3, 4, 5]), np.array([0, 1, 0])
    together = streams.uniform(seeds, episodes, 6)
    assert np.array_equal(together[1:2], streams.uniform(seeds[1:2], episodes[1:2], 6))
    many = streams.uniform(np.arange(20_000), np.zeros(20_000, int), 2)
    assert many.min() >= 0 and many.max() < 1
    assert abs(many.mean(0) - 0.5).max() < 5 * np.sqrt(1 / 12 / 20_000)  # five standard deviations of a fair mean
    assert abs(np.corrcoef(many.T)[0, 1]) < 5 / np.sqrt(20_000)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stiction.envs.make_vec("stiction/PushZ-v0", 1), "no environment 'stiction/PushZ-v0'; there are"),
        (lambda: stiction.envs.make_vec(PUSH, 1, speed=3), "unknown key 'speed'; known are"),
        (lambda: stiction.envs.make_vec(PUSH, 1, autoreset="later"), "autoreset: expected one of same_step, disabled"),
        (lambda: stiction.envs.make_vec(PUSH, 2).reset(seed=[1]), "seed: expected an integer or 2 of them, got 1"),
        (lambda: stiction.envs.make_vec(PUSH, 2).step(np.zeros((2, 2))), "never reset: reset them first"),
        (lambda: stiction.envs.make_vec(PUSH, 1, render_mode="human"), "render_mode: expected None or rgb_array, got 'human'"),
        (lambda: _stepped(np.zeros((2, 3))), r"actions: expected shape \(2, 2\), got \(2, 3\)"),
        (lambda: _reset_mask([True, False]), "reset_mask.*NumPy array"),
        (lambda: _reset_mask(np.zeros(2, bool)), "at least one True"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_a_missing_gymnasium_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(MissingPackage, match=r"gymnasium: pip install '\.\[learn\]'"):
        stiction.envs.make_vec(PUSH, 1)


def test_a_missing_torch_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackage, match=r"torch: pip install '\.\[torch\]'"):
        stiction.envs.make_torch(PUSH, 1)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert any(package.startswith("torch") for package in extras["torch"])


class KeptClip:
    """Stands for moviepy's clip, which gymnasium's RecordVideo makes: keeps what it is given."""

    clips: typing.ClassVar[list] = []

    def __init__(self, frames, fps):
        self.clips.append((list(frames), fps))

    def write_videofile(self, path, logger):
        pathlib.Path(path).write_bytes(b"film")


@pytest.fixture
def moviepy(monkeypatch):
    pytest.importorskip("mujoco", reason="no mujoco: requirements/look.txt")
    KeptClip.clips.clear()
    for name in ("moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["moviepy.video.io.ImageSequenceClip"].ImageSequenceClip = KeptClip
    return KeptClip.clips


def test_gymnasium_records_a_film_of_an_episode(moviepy, tmp_path):
    env = gymnasium.make("stiction/PushT-v0", render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "films"), episode_trigger=lambda _: True)
    env.reset(seed=0)
    for action in np.random.default_rng(0).uniform(-1, 1, (4, 2)).astype(np.float32):
        env.step(action)
    env.close()
    ((frames, fps),) = moviepy
    assert fps == 10 and len(frames) == 5 and len(list((tmp_path / "films").iterdir())) == 1
    assert all(frame.shape == (480, 640, 3) and frame.dtype == np.uint8 and frame.std() > 5 for frame in frames)
    assert all((a != b).any() for a, b in itertools.pairwise(frames))


def test_a_picture_of_every_environment():
    pytest.importorskip("mujoco", reason="no mujoco: requirements/look.txt")
    envs = stiction.envs.make_vec("stiction/PushT-v0", 2, seed=3, render_mode="rgb_array")
    envs.reset()
    first, second = envs.render()
    assert (first != second).any() and np.array_equal(envs.render()[0], first)
    envs.close()
    blind = stiction.envs.make_vec("stiction/PushT-v0", 2)
    assert blind.render() is None
    blind.close()


def _stepped(action):
    envs = stiction.envs.make_vec(PUSH, 2)
    envs.reset()
    return envs.step(action)


def _reset_mask(mask):
    return stiction.envs.make_vec(PUSH, 2).reset(options={"reset_mask": mask})
