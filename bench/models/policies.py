"""metaworld's fifty tasks with metaworld's own policies, in its own environments, stepped by MuJoCo or by stiction.

An environment steps its model in `do_simulation` only; there stiction takes the state, the mocap body and the control, and gives the
next state back. Rewards, success and the policy's observation are computed by metaworld in either case.
"""

import importlib
import sys
import warnings
from collections import Counter
from dataclasses import dataclass, field

import mocap_worlds
import mujoco
import numpy as np

LONGEST = 500  # steps of an episode, as metaworld's max_path_length
WELD = [0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 5]  # what reset_mocap_welds writes; it fails where eq_data has more columns


@dataclass
class Episode:
    """What became of one episode. `steps` until success, 0 without."""

    task: str
    seed: int
    steps: int = 0
    statuses: Counter = field(default_factory=Counter)
    residual: float = 0.0
    penetration: float = 0.0  # [m]

    def row(self):
        """Of a table; `not_good`: how many steps did not go well."""
        not_good = sum(count for said, count in self.statuses.items() if said not in mocap_worlds.GOOD)
        return {"task": self.task, "seed": self.seed, "steps": self.steps, "not_good": not_good, "residual": self.residual,
                "penetration": self.penetration}  # fmt: skip


def import_metaworld(cache):
    """The package as it lies in the cache; gymnasium and scipy must be installed."""
    sys.path.insert(0, str(cache / "unpacked/metaworld"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = ("metaworld.env_dict", "metaworld.policies", "metaworld.sawyer_xyz_env")
        environments, players, base = map(importlib.import_module, names)

    def reset_mocap_welds(env):
        env.model.eq_data[:, : len(WELD)] = WELD

    base.SawyerMocapBase.reset_mocap_welds = reset_mocap_welds
    return environments.ALL_V3_ENVIRONMENTS, players.ENV_POLICY_MAP


def make(environments, task, seed):
    """The environment of a task whose goal and object are drawn by this seed, and seen by the policy."""
    env = environments[task]()
    env._freeze_rand_vec, env.seeded_rand_vec, env._set_task_called = False, True, True
    env._partially_observable = False
    del env.sawyer_observation_space  # computed anew, with the goal's bounds
    env.seed(seed)
    return env


class StictionPhysics:
    """What steps an environment in MuJoCo's place."""

    def __init__(self, env, episode, h):
        self.env, self.episode, self.h = env, episode, h
        self.sim, self.made_of = None, None

    def do_simulation(self, ctrl, n_frames):
        sim, data = self.simulator(), self.env.data
        sim.qpos[0], sim.qvel[0], sim.ctrl[0] = data.qpos, data.qvel, ctrl
        sim.mocap_pose[0, 0, :3], sim.mocap_pose[0, 0, 3:] = data.mocap_pos[0], data.mocap_quat[0] / np.linalg.norm(data.mocap_quat[0])
        for _ in range(round(n_frames * self.env.model.opt.timestep / self.h)):
            self.episode.statuses[mocap_worlds.status_text(sim.step())] += 1
            self.episode.residual = max(self.episode.residual, float(sim.stats.residual[0]))
            self.episode.penetration = max(self.episode.penetration, float(sim.stats.penetration[0]))
        data.qpos[:], data.qvel[:] = sim.qpos[0], sim.qvel[0]
        mujoco.mj_forward(self.env.model, data)

    def simulator(self):
        """The simulator of the model as it is now: a reset moves bodies of the model."""
        import stiction

        model = self.env.model
        now = (model.body_pos.tobytes(), model.body_quat.tobytes(), model.eq_data.tobytes())
        if now != self.made_of:
            self.close()
            self.sim, self.made_of = stiction.Simulator(stiction.load_model(model, step_size=self.h), device="cpu", threads=1), now
        return self.sim

    def close(self):
        if self.sim:
            self.sim.close()


def run(environments, policies, task, seed, h=None, impratio=1.0):
    """One episode; with a step size h [s] stiction steps it, else MuJoCo, whose friction creeps less with a larger impratio."""
    env, policy, episode = make(environments, task, seed), policies[task](), Episode(task, seed)
    env.model.opt.impratio = impratio
    physics = StictionPhysics(env, episode, h) if h else None
    if physics:
        env.do_simulation = physics.do_simulation
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen, _ = env.reset()
        for step in range(1, LONGEST + 1):
            seen, _, _, _, info = env.step(np.clip(policy.get_action(seen), -1, 1))
            if info["success"]:
                episode.steps = step
                break
    if physics:
        physics.close()
    env.close()
    return episode
