#!/usr/bin/env python3
"""Random scenes: every step is checked against what mechanics and the contact laws promise.

    random_scenes.py [--seed 0] [--steps 1000000] [--batch 16] [--length 50] [--kinds pile tiles] [--refine 0]
    random_scenes.py --seed 0 --scene 17 [--xml]        one scene again, or its model; needs the Python package

A scene is drawn by (seed, number): its kind (random_models.py), law, cone, dynamics, step size and precision, and a start for
every environment. Steps that are CONVERGED without another bit are checked. Each bound is the sum of the allowances named here:

    energy      second order: kinetic + potential energy does not rise, except for F δ of bodies that rest in an overlap of the
                dead band δ, weight × overlap where that is removed, the residual's share of the impulses, and rounding.
                Gravity needs no allowance: v⁺ is the velocity at the end of the step, so that m g h v is the energy
                that the lost height gives. First order: the potential alone.
    gap         contacts that carry end at gap 0, linearised as in the step: within 10 µm, h μ √2 |u_t| under Anitescu's law (with
                momentum also u_t and R h ω²/2, which velocity terms change until the end; for a step of several rounds also
                3 h μ of the fastest point, as pairs are swept to where they meet), and four times the deepest overlap if
                the step removed one, as gap_next includes that motion
    apart       the same for the gap of a carrying pair when it is found anew at the step's end, in steps of one round and up
                to 0.05 rad: allowed are 10 µm more, the overlap's curvature, and the distance that the pair slides if it
                touched at the start, as it may slide off an edge
    speed       second order: m v²/2 of a body is at most the kinetic energy of all bodies plus the energy of the fall in the step;
                first order: no body leaves the scene in one step
    momentum    second order, in flight: the sum of m v is constant, except for the residual's share of the impulses, and rounding
    overlap     no deeper at the end than at the start, except for 2 µm (20 µm in single precision), 2 R (h ω)² of rotating
                bodies, and 2 h ω × the sliding distance on a surface that turns by h ω
    finite      state, poses, contacts and figures are finite, in flagged steps too; no exception; no unknown bit

Every violation is one line that `--seed --scene` reproduces. The table has the share of flagged steps of each kind.
`--refine N` compares N second-order scenes with runs at a hundredth of the step, over ten steps: distance of bodies
relative to h (v + g t), which is not judged.
"""

import argparse
import collections
import dataclasses
import pathlib
import sys
import time

import numpy as np
import stiction as st

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import random_models  # beside this file

GRAVITY = 9.81  # [m/s²]
SECOND_ORDER = ("dynamic", "dynamic_fitted")
CHOICES = {
    "law": ("coulomb", "anitescu", "frictionless"),
    "cone": ("pyramid", "quadratic", "box"),
    "dynamics": ("dynamic", "dynamic", "dynamic", "dynamic_fitted", "quasidynamic", "quasidynamic", "quasistatic"),
}
NOT_IN = {"flight": ("quasidynamic", "quasistatic"), "pile": ("quasistatic",)}  # unsupported bodies have no motion there
SECONDS = 10.0   # a scene that takes longer is abandoned and counted as slow
TOLERANCE = 1e-8  # residual asked for
SLACK = 1e-5    # tolerance on gaps of contacts that carry [m]
FARTHEST = 10.0  # that a body may move in a step of first order: no floor here is wider [m]
SMALL_TURN = 0.05  # largest turn of steps whose pairs are found anew: `forward` sees only near ones [rad]
KNOWN = int(np.bitwise_or.reduce([int(bit) for bit in st.Status]))
ROUNDING = {"float64": 1e-8, "float32": 2e-5}  # shares of energies and momenta
DEEPER = {"float64": 2e-6, "float32": 2e-5}  # overlap [m]


@dataclasses.dataclass
class Scene:
    """The scene that (seed, number) determines."""

    seed: int
    number: int
    kinds: tuple = tuple(random_models.KINDS)

    def __post_init__(self):
        rng = np.random.default_rng([self.seed, self.number])
        self.choices = {name: str(rng.choice(values)) for name, values in CHOICES.items()}
        self.choices["step_size"] = float(10 ** rng.uniform(-3, -1))
        self.dtype = str(rng.choice(["float64", "float64", "float32"]))
        self.friction = float(rng.choice([0.0, 0.1, 0.3, 0.5, 1.0]))
        self.kind = str(rng.choice(self.kinds))
        self.gravity = 0.0 if self.kind == "flight" else GRAVITY
        if self.choices["dynamics"] in NOT_IN.get(self.kind, ()):
            self.choices["dynamics"] = "dynamic"
        self.model = random_models.Drawing(rng)
        random_models.KINDS[self.kind](self.model)
        self.rng = rng

    def xml(self):
        return self.model.xml(self.gravity, self.friction)

    def open(self, batch, **choices):
        scene = st.load_model(self.xml(), tolerance=TOLERANCE, **{**self.choices, **choices})
        return st.Simulator(scene, batch=batch, device="cpu", threads=1, dtype=self.dtype)

    def start(self, sim):
        """Puts every environment at a start of its own; the first one is the model's."""
        count = len(self.model.speed)
        qpos = sim.qpos[:, sim.model.nq - 7 * count :].reshape(sim.batch, count, 7)
        for env in range(sim.batch):
            rng = np.random.default_rng([self.seed, self.number, env])
            noise = random_models.NOISES[env % len(random_models.NOISES)] if self.model.decades else 1e-2 * (env > 0)
            scale = rng.uniform(0.2, 1.5) if env else 1.0
            places, velocities = np.array(qpos[env]), np.zeros((count, 6))
            places += noise * rng.uniform(-1, 1, places.shape)
            places[:, 3:] /= np.linalg.norm(places[:, 3:], axis=1, keepdims=True)
            velocities[:, :3], velocities[:, 3:] = scale * np.array(self.model.speed), scale * np.array(self.model.spin)
            sim.qpos[env, sim.model.nq - 7 * count :] = places.ravel()
            sim.qvel[env, sim.model.nv - 6 * count :] = velocities.ravel()

    def __str__(self):
        words = " ".join(f"{name}={value}" for name, value in self.choices.items())
        return f"--seed {self.seed} --scene {self.number}: {self.kind} {words} {self.dtype} mu={self.friction}"


def rotate(quat, vectors):
    """`vectors` turned by unit quaternions w x y z, over the leading axes."""
    w, x = quat[..., :1], quat[..., 1:]
    t = 2 * np.cross(x, vectors)
    return vectors + w * t + np.cross(x, t)


class Look:
    """Free bodies of all environments: poses, velocities of centres of mass and spins in world axes, at one moment."""

    def __init__(self, sim, count):
        nq, nv = sim.model.nq - 7 * count, sim.model.nv - 6 * count
        poses = np.array(sim.qpos[:, nq:], dtype=float).reshape(sim.batch, count, 7)
        motions = np.array(sim.qvel[:, nv:], dtype=float).reshape(sim.batch, count, 6)
        self.spin = rotate(poses[..., 3:], motions[..., 3:])
        offset = rotate(poses[..., 3:], np.array(sim.model.body_ipos).reshape(-1, 3)[-count:])
        self.centre = poses[..., :3] + offset
        self.speed = motions[..., :3] + np.cross(self.spin, offset)
        self.joint_rates = np.abs(np.array(sim.qvel[:, :nv], dtype=float)).sum(axis=1)
        self.energy = np.array(sim.stats.energy, dtype=float)  # potential, kinetic


class Watch:
    """Steps a scene and checks every step."""

    def __init__(self, scene, sim):
        self.scene, self.sim, self.h = scene, sim, scene.choices["step_size"]
        self.count = len(scene.model.speed)
        self.second = scene.choices["dynamics"] in SECOND_ORDER
        self.mass = np.array(sim.params.mass, dtype=float)[:, -self.count :]
        names = {f"b{i}": i for i in range(self.count)}
        self.body_of = np.array([names.get(name, -1) for name in sim.model.geom_names])
        self.now, self.steps, self.overlap = Look(sim, self.count), 0, np.zeros(sim.batch)
        self.lost = np.zeros(sim.batch, dtype=bool)  # environments that a body has left: no longer judged
        self.found, self.flagged = [], collections.Counter()

    def step(self):
        sim = self.sim
        if sim.model.nu:
            swing = np.arange(sim.model.nu) + np.arange(sim.batch)[:, None]
            sim.ctrl[:] = 0.5 * np.sin(3 * self.h * self.steps + swing)
        self.before = self.now
        status = np.array(sim.step(), dtype=np.int64)
        self.steps, self.rounds = self.steps + 1, np.array(sim.stats.rounds)
        self.now = Look(sim, self.count)
        self.read_contacts()
        self.judge("unknown bit", status & ~KNOWN, 0, True)
        finite = self.all_finite(status)
        self.judge("finite", ~finite, 0, ~self.lost)
        good = (status == int(st.Status.CONVERGED)) & ~self.lost
        for bits in status[~good & ~self.lost]:
            self.flagged[st.status_names(int(bits)).replace("converged, ", "")] += 1
        self.penetration = np.array(sim.stats.penetration, dtype=float)
        self.judge_steps(good)
        self.overlap, self.lost = self.penetration, self.lost | ~finite

    def judge(self, what, value, bound, where):
        for env in np.flatnonzero((value > bound) & where):
            numbers = tuple(float(np.broadcast_to(x, len(value))[env]) for x in (value, bound))
            self.found.append((what, int(env), self.steps, *numbers, int(self.rounds[env])))

    def all_finite(self, status):
        sim, kept = self.sim, status & int(st.Status.STATE_KEPT)
        arrays = (sim.qpos, sim.qvel, sim.body_pose, sim.stats.penetration, self.force, self.gap_next)
        finite = np.all([np.isfinite(a).reshape(sim.batch, -1).all(axis=1) for a in arrays], axis=0)
        return finite & ((kept != 0) | np.isfinite(sim.stats.residual))

    def read_contacts(self):
        """Contacts of the step as arrays (batch, most contacts), zero where there is none."""
        contacts, most = self.sim.contacts, max(1, int(np.max(self.sim.contacts.count)))
        used = np.arange(most) < np.array(contacts.count)[:, None]
        self.used = used

        def read(array, fill=0.0):
            values = np.array(array[:, :most], dtype=float)
            values[~used] = fill
            return values

        self.force, self.gap, self.gap_next = read(contacts.force), read(contacts.gap), read(contacts.gap_next)
        self.frame, self.position = read(contacts.frame), read(contacts.position)
        self.geoms = np.where(used[..., None], np.array(contacts.geom[:, :most]), 0)
        self.normal = self.force[..., 0]
        self.slides = self.sliding_speed()

    def sliding_speed(self):
        """Sliding speed of every contact [m/s]; with a robot's link, a bound from the rates of its joints and of bodies."""
        env = np.arange(self.sim.batch)[:, None]
        velocity, robot = 0.0, np.zeros(self.used.shape, dtype=bool)
        for side, sign in ((0, -1.0), (1, 1.0)):
            body = self.body_of[self.geoms[..., side]]
            arm = self.position - self.before.centre[env, body]
            point = self.now.speed[env, body] + np.cross(self.now.spin[env, body], arm)
            velocity = velocity + sign * np.where(body[..., None] >= 0, point, 0.0)
            robot |= (body < 0) & (self.sim.model.nu > 0)
        along = np.einsum("ecij,ecj->eci", self.frame, velocity)
        bound = np.linalg.norm(velocity, axis=2) + self.now.joint_rates[:, None]
        return np.where(robot, bound, np.linalg.norm(along[..., 1:], axis=2))

    def ends_apart(self, carries):
        """For every environment the largest distance at which a carrying pair of geoms ends, as `forward` finds it."""
        self.sim.forward()
        contacts, ends = self.sim.contacts, np.zeros(self.sim.batch)
        for env in np.flatnonzero(carries.any(axis=1)):
            count, nearest = int(contacts.count[env]), {}
            for pair, gap in zip(contacts.geom[env, :count].tolist(), contacts.gap[env, :count].tolist(), strict=True):
                nearest[tuple(pair)] = min(gap, nearest.get(tuple(pair), 1.0))
            pairs = {tuple(pair) for pair in self.geoms[env][carries[env]].tolist()}
            ends[env] = max(nearest.get(pair, 1.0) for pair in pairs)
        return ends

    def judge_steps(self, good):
        h, sim, now, before = self.h, self.sim, self.now, self.before
        dtype, law = self.scene.dtype, self.scene.choices["law"]
        loads = np.maximum(self.normal, 0).sum(axis=1)
        largest = self.normal.max(axis=1)
        speeds = np.linalg.norm(now.speed, axis=2)
        fastest = speeds.max(axis=1) + random_models.RADIUS * np.linalg.norm(now.spin, axis=2).max(axis=1)
        fastest = fastest + now.joint_rates
        started = np.maximum(np.maximum(-self.gap, 0).max(axis=1), self.overlap)
        spins = np.linalg.norm(now.spin, axis=2).max(axis=1) + now.joint_rates
        carries = self.normal > 1e-6 * largest[:, None] + 1e-6
        layer = h * self.scene.friction * np.sqrt(2) * self.slides
        slid = h * np.max(self.slides * carries, axis=1)
        curved = 2 * random_models.CURVATURE * (h * spins) ** 2 + 2 * h * spins * slid
        # for a pair that was swept, the lever arms are those at the meeting, which no array has
        swept = h * self.scene.friction * 3 * fastest[:, None] * (self.rounds > 1)[:, None]
        layer = np.maximum(layer, swept)
        if not self.second:
            layer = layer * (1 + h * spins[:, None])  # qvel is the chord of the arc
        else:  # qvel is that of the end, which velocity terms have turned away from that of the step
            change = 0.5 * h * spins**2 * random_models.CURVATURE
            layer = layer + h * self.scene.friction * np.sqrt(2) * change[:, None]
        layer = layer * (law == "anitescu")
        gaps = np.where(carries, self.gap_next - layer, 0.0).max(axis=1)
        moved = 4 * started * (np.array(sim.stats.position_residual) > 0)  # motion that removed overlaps, which gap_next contains
        self.judge("gap", gaps, SLACK + moved, good)
        self.judge("overlap", self.penetration, started + DEEPER[dtype] + curved, good)
        ends = self.ends_apart(carries)  # after all else is read
        along = np.max(h * self.slides * carries * (self.gap < 2 * SLACK), axis=1)  # it may slide off an edge
        bound = 2 * SLACK + moved + curved + along + np.max(layer * carries, axis=1)
        self.judge("apart", ends, bound, good & (self.rounds == 1) & (h * spins < SMALL_TURN))
        if not self.scene.model.passive:
            return

        weight = self.scene.gravity * self.mass.sum(axis=1)
        band = max(min(1e-6, 1e-4 * h), 2e-3 * TOLERANCE) if dtype == "float64" else 5e-6  # δ of one_step.md
        parted = weight * np.maximum(-self.gap, 0).sum(axis=1) * (started > band)
        scale = weight * (0.1 + h * fastest) + before.energy[:, 1]
        small = ROUNDING[dtype] * scale + 4 * TOLERANCE * loads * h * np.maximum(fastest, 1e-3 / h) + loads * band
        if not self.second:
            self.judge("speed", h * speeds.max(axis=1), FARTHEST, good)
            self.lost |= h * speeds.max(axis=1) > FARTHEST
            small += weight * h * h * spins * fastest + loads * started  # arcs of the twist; overlaps that are pushed out
            self.judge("energy", now.energy[:, 0] - before.energy[:, 0], small + parted, good)
            return
        rise = now.energy.sum(axis=1) - before.energy.sum(axis=1)
        self.judge("energy", rise, small + parted, good)
        fall = self.scene.gravity * h * (self.mass * np.maximum(-now.speed[..., 2], 0)).sum(axis=1)
        kinetic = (self.mass * speeds**2 / 2).max(axis=1)
        self.judge("speed", kinetic, before.energy[:, 1] + fall + small, good)
        if self.scene.kind == "flight":
            drift = np.linalg.norm((self.mass[..., None] * (now.speed - before.speed)).sum(axis=1), axis=1)
            sizes = (self.mass * fastest[:, None]).sum(axis=1) + loads * h
            self.judge("momentum", drift, (2 * TOLERANCE + ROUNDING[dtype]) * sizes, good)


def run_scene(scene, batch, length):
    """(violations, flagged steps by their bits, steps); a violation: (what, env, step, value, bound, rounds)."""
    try:
        with scene.open(batch) as sim:
            scene.start(sim)
            watch = Watch(scene, sim)
            began = time.time()
            while watch.steps < length and time.time() - began < SECONDS:
                watch.step()
            if watch.steps < length:
                print(f"slow: {scene}: {batch * watch.steps} steps in {SECONDS:.0f} s", flush=True)
            return watch.found, watch.flagged, batch * watch.steps
    except Exception as error:  # noqa: BLE001  # any exception is a finding
        return [(f"exception {type(error).__name__}: {error}", 0, 0, 0.0, 0.0, 0)], collections.Counter(), 0


def report(scene, found):
    """Prints one line for the first violation of each kind in each environment."""
    seen = set()
    for what, env, step, value, bound, rounds in found:
        if (what, env) not in seen:
            seen.add((what, env))
            print(f"{what}: {scene} env {env} step {step}: {value:.6g} > {bound:.6g}, rounds {rounds}", flush=True)


def refine(scene, steps=10, finer=100):
    """Largest distance of a body from where a hundredth of the step takes it, relative to h (v + g t), after each step."""
    with scene.open(4) as coarse, scene.open(4, step_size=scene.choices["step_size"] / finer) as fine:
        scene.start(coarse)
        scene.start(fine)
        speed = np.linalg.norm(Look(coarse, len(scene.model.speed)).speed, axis=2).max() + 1e-3
        apart = []
        for i in range(1, steps + 1):
            coarse.step()
            fine.step(steps=finer)
            far = np.linalg.norm(coarse.body_pose[..., :3] - fine.body_pose[..., :3], axis=2).max()
            h = scene.choices["step_size"]
            apart.append(far / h / (speed + scene.gravity * h * i))
        return apart


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=1_000_000, help="of environments, in all")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--length", type=int, default=50, help="steps of a scene")
    parser.add_argument("--kinds", nargs="+", default=list(random_models.KINDS), choices=list(random_models.KINDS))
    parser.add_argument("--scene", type=int, help="this one alone")
    parser.add_argument("--xml", action="store_true", help="print its model")
    parser.add_argument("--refine", type=int, default=0)
    arguments = parser.parse_args()
    kinds = tuple(arguments.kinds)
    if arguments.xml:
        print(Scene(arguments.seed, arguments.scene or 0, kinds).xml())
        return
    done, flagged, violations = collections.Counter(), collections.defaultdict(collections.Counter), collections.Counter()
    number, began = arguments.scene or 0, time.time()
    while sum(done.values()) < arguments.steps:
        scene = Scene(arguments.seed, number, kinds)
        found, flags, steps = run_scene(scene, arguments.batch, arguments.length)
        report(scene, found)
        done[scene.kind] += max(steps, 1)
        flagged[scene.kind] += flags
        violations.update((scene.kind, what.split(" ")[0]) for what, *_ in found)
        number += 1
        if arguments.scene is not None:
            print(scene)
            break
    print(f"{sum(done.values())} steps of {number} scenes in {time.time() - began:.0f} s")
    for kind, steps in sorted(done.items()):
        share = sum(flagged[kind].values()) / steps
        bits = ", ".join(f"{name} {count}" for name, count in flagged[kind].most_common())
        broken = ", ".join(f"{what} {n}" for (k, what), n in sorted(violations.items()) if k == kind) or "none"
        print(f"{kind}: {steps} steps, flagged {share:.2%} ({bits}); violations: {broken}")
    for number in range(arguments.refine):
        scene = Scene(arguments.seed, number, kinds)
        if scene.choices["dynamics"] in SECOND_ORDER and scene.choices["law"] == "coulomb" and scene.model.passive:
            print(f"refined {scene}:", " ".join(f"{x:.3g}" for x in refine(scene)))
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
