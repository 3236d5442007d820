"""Times MuJoCo Warp on a scene that gpu_check has written (mujoco_warp.cpp), and prints its figures, one a line:

    row|integrator|cone|contacts|batch|quantity|value|unit|note

Single precision, Newton's solver, a step as one CUDA graph; the same model, states and command as our timed steps, and
several steps h. Settings of contacts are those of bench/peers, whose runs say how far MuJoCo is from the truth with
them. The states first rest for some steps of MuJoCo in double, which finds no contact where bodies only touch: what they
carry falls for one step and is then pushed out. Counts are those of the last step; "apart" is the largest difference of qpos from that
of MuJoCo in double.
"""

import argparse
import pathlib
import sys
import time
from types import SimpleNamespace

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "peers")]  # in a bundle, in the repository
import mujoco  # noqa: E402
import mujoco_peer  # noqa: E402
import mujoco_warp  # noqa: E402
import numpy as np  # noqa: E402
import warp as wp  # noqa: E402

# integrator, cone, contacts, h [s]: the fastest of MuJoCo within 3 mm of the truth first, then shorter steps
SETTINGS = {
    "iiwa_stack": (("discrete", "elliptic", "firm h/2", 0.1), ("discrete", "elliptic", "firm 20ms", 0.05), ("discrete", "elliptic", "firm h/2", 0.01),
                   ("implicitfast", "elliptic", "default", 0.01), ("implicitfast", "elliptic", "default", 0.002)),
    "hand_cube": (("discrete", "elliptic", "firm h", 0.03), ("discrete", "elliptic", "firm h", 0.01), ("implicitfast", "elliptic", "default", 0.01),
                  ("implicitfast", "elliptic", "default", 0.002)),
    "gripper2d": (("discrete", "elliptic", "firm h", 0.01), ("implicitfast", "elliptic", "default", 0.002)),
}  # fmt: skip
SWEPT, OTHERS, SMALL = 4096, (16384, 1024), 2  # environments: of every setting; of the first setting, too; of a dry run
SECONDS = 0.5  # of the calls of a setting, at least
MOST_STEPS = 200  # of a call
RESTED = 10  # steps of MuJoCo before
COUNTED = 4  # environments that MuJoCo steps on, to see how many contacts and rows there are
ROOM = 2  # for as many times the contacts and rows as it saw, and 32 more


def say(setting, batch, quantity, value="", unit="-", note=""):
    integrator, cone, contacts, step = setting
    print("row", integrator, cone, contacts, batch, f"{quantity} at h = {step:g}", value, unit, note, sep="|", flush=True)


def load(stem):
    """Model, states (n, nq) and command (rows of time, ctrl) of a scene."""
    read = {part: np.loadtxt(f"{stem}.{part}.csv", delimiter=",", ndmin=2) for part in ("qpos", "ctrl")}
    return SimpleNamespace(model=mujoco.MjModel.from_xml_path(f"{stem}.xml"), qpos=read["qpos"], knots=read["ctrl"])


def controls(scene, step, span):
    """ctrl (steps, nu) at the ends of the steps."""
    times = step * np.arange(1, min(MOST_STEPS, max(1, round(span / step))) + 1)
    return np.stack([np.interp(times, scene.knots[:, 0], column) for column in scene.knots[:, 1:].T], axis=1)


def steps_of_mujoco(model, state, ctrl):
    """(qpos, qvel) after the steps from such a pair, and the most contacts and rows of a step."""
    data, contacts, rows = mujoco.MjData(model), 0, 0
    data.qpos[:], data.qvel[:] = state
    for row in ctrl:
        data.ctrl[:] = row
        mujoco.mj_step(model, data)
        contacts, rows = max(contacts, data.ncon), max(rows, data.nefc)
    return (data.qpos.copy(), data.qvel.copy()), contacts, rows


def rested(scene, model, environments):
    """(qpos, qvel) of as many of the scene's states after some steps of MuJoCo under the first command."""
    ctrl = np.tile(scene.knots[0, 1:], (RESTED, 1))
    return [steps_of_mujoco(model, (qpos, np.zeros(model.nv)), ctrl)[0] for qpos in scene.qpos[:environments]]


class Batch:
    """Environments of one setting on a device."""

    def __init__(self, model, states, ctrl, environments, room):
        data = mujoco.MjData(model)
        data.qpos[:] = states[0][0]
        mujoco.mj_forward(model, data)
        self.on_device = mujoco_warp.put_model(model)
        self.state = mujoco_warp.put_data(model, data, nworld=environments, nconmax=room[0], njmax=room[1])
        qpos, qvel = (np.resize([state[k] for state in states], (environments, size)) for k, size in enumerate((model.nq, model.nv)))
        self.start = wp.array(qpos, dtype=float), wp.array(qvel, dtype=float)
        self.ctrl = [wp.array(np.tile(row, (environments, 1)), dtype=float) for row in ctrl]
        self.environments, self.graph = environments, None

    def restart(self):
        wp.copy(self.state.qpos, self.start[0])
        wp.copy(self.state.qvel, self.start[1])
        self.state.qacc_warmstart.zero_()

    def step(self, row):
        wp.copy(self.state.ctrl, row)
        if self.graph:
            wp.capture_launch(self.graph)
        else:
            mujoco_warp.step(self.on_device, self.state)

    def prepare(self):
        """Compiles the kernels and records a step; returns the seconds that takes."""
        begin = time.perf_counter()
        self.restart()
        self.step(self.ctrl[0])
        wp.synchronize()
        if wp.get_device().is_cuda:
            with wp.ScopedCapture() as capture:
                mujoco_warp.step(self.on_device, self.state)
            self.graph = capture.graph
        return time.perf_counter() - begin

    def run(self):
        """Steps from the start; returns the seconds they take."""
        self.restart()
        wp.synchronize()
        begin = time.perf_counter()
        for row in self.ctrl:
            self.step(row)
        wp.synchronize()
        return time.perf_counter() - begin


def report(setting, batch, expected):
    """What was solved in the last step; `expected` is MuJoCo's qpos of environment 0."""
    state, size = batch.state, batch.environments
    qpos, found = state.qpos.numpy(), int(state.nacon.numpy()[0])
    finite = np.isfinite(qpos).all(axis=1)
    say(setting, size, "contacts mean", found / size)
    say(setting, size, "iterations mean", state.solver_niter.numpy().mean())
    say(setting, size, "share finite", finite.mean())
    if found:
        say(setting, size, "penetration worst", max(0.0, -state.contact.dist.numpy()[:found].min()), "m")
    if finite[0]:
        say(setting, size, "apart", np.abs(qpos[0] - expected).max(), "-", "qpos of environment 0; [m] and [rad]")


def measure(scene, setting, span, environments, least):
    """The figures of one setting and batch size."""
    ctrl = controls(scene, setting[3], span)
    model = mujoco_peer.prepare(scene, *setting)
    states = rested(scene, model, environments)
    seen = [steps_of_mujoco(model, state, ctrl) for state in states[:COUNTED]]
    room = [ROOM * max(of[k] for of in seen) + 32 for k in (1, 2)]
    batch = Batch(model, states, ctrl, environments, room)
    say(setting, environments, "seconds to compile", batch.prepare(), "s")
    seconds = [batch.run()]
    while sum(seconds) < least:
        seconds.append(batch.run())
    if batch.state.overflow.numpy().any():
        return say(setting, environments, "throughput", note=f"more contacts or rows than it has room for: {room[0]} and {room[1]}")
    rate = environments * len(ctrl) * len(seconds) / sum(seconds)
    note = f"{wp.get_device().name}; {len(ctrl)} steps; mujoco_warp {getattr(mujoco_warp, '__version__', '')}"
    say(setting, environments, "throughput", rate, "steps/s", note)
    say(setting, environments, "simulated", rate * setting[3], "s/s", note)
    return report(setting, batch, seen[0][0][0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stem", help="of the scene's files")
    parser.add_argument("--span", type=float, required=True, help="time that is simulated [s]")
    parser.add_argument("--seconds", type=float, required=True, help="of wall clock; cases that do not fit are skipped")
    parser.add_argument("--device", required=True)
    parser.add_argument("--small", action="store_true", help="the first setting in a batch of two, once")
    arguments = parser.parse_args()
    begin, settings = time.perf_counter(), SETTINGS[pathlib.Path(arguments.stem).name]
    wp.config.quiet = True
    if hasattr(wp, "LOG_WARNING"):
        wp.config.log_level = wp.LOG_WARNING
    wp.set_device(arguments.device)
    scene = load(arguments.stem)
    cases = [(setting, SWEPT) for setting in settings] + [(settings[0], batch) for batch in OTHERS]
    for setting, batch in [(settings[0], SMALL)] if arguments.small else cases:
        if time.perf_counter() - begin > arguments.seconds:
            say(setting, batch, "throughput", note="out of time")
            continue
        try:
            measure(scene, setting, arguments.span, batch, 0.0 if arguments.small else SECONDS)
        except Exception as error:  # noqa: BLE001  one setting must not take the others along
            say(setting, batch, "throughput", note=f"{type(error).__name__}: {error}".replace("\n", " ").replace("|", "/"))


if __name__ == "__main__":
    main()
