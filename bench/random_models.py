"""Models drawn at random for random_scenes.py: all shapes, in arrangements in which contact is hard to get right."""

import numpy as np

SHAPES = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh")
FACES = ("box", "cylinder")  # shapes that stack
RADIUS = 0.12   # no part of a body is farther than this from its origin [m]
CURVATURE = 0.2  # largest radius of curvature of an ellipsoid drawn here [m]
NOISES = (0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)  # noise of positions [m] and angles [rad]
TOP = 5.0       # height of scenes in free flight above the world's origin [m]


def floats(values):
    return " ".join(repr(float(value)) for value in values)


class Drawing:
    """A model under construction: its XML, and what the checks know about it without asking the simulator."""

    def __init__(self, rng):
        self.rng, self.assets, self.fixed, self.bodies, self.end = rng, [], [], [], ""
        self.speed, self.spin = [], []  # at the start, of every free body [m/s], [rad/s]
        self.passive, self.decades = True, True  # decades: an environment has a noise from NOISES, otherwise 1 cm

    def mesh(self):
        """A convex mesh: corners on an ellipsoid."""
        name = f"m{len(self.assets)}"
        corners = self.rng.normal(size=(int(self.rng.integers(6, 13)), 3))
        corners = corners / np.linalg.norm(corners, axis=1, keepdims=True) * self.rng.uniform(0.03, 0.06, 3)
        self.assets.append(f'<mesh name="{name}" vertex="{floats(corners.ravel())}"/>')
        return f'type="mesh" mesh="{name}"'

    def shape(self, kind=None):
        """(attributes of a geom, its half height where it stands upright)"""
        kind = kind or str(self.rng.choice(SHAPES))
        a, b, c = self.rng.uniform(0.03, 0.06, 3).tolist()
        if kind == "mesh":
            return self.mesh(), 0.06
        if kind == "sphere":
            return f'type="sphere" size="{a!r}"', a
        if kind in ("capsule", "cylinder"):
            return f'type="{kind}" size="{a!r} {b!r}"', b + (a if kind == "capsule" else 0.0)
        return f'type="{kind}" size="{a!r} {b!r} {c!r}"', c

    def mass(self):
        return float(10 ** self.rng.uniform(-1.3, 0.7))

    def free(self, geom, place, turn=(1, 0, 0, 0), speed=(0, 0, 0), spin=(0, 0, 0), mass=None):
        self.bodies.append(
            f'<body pos="{floats(place)}" quat="{floats(turn)}"><freejoint/>'
            f'<geom name="b{len(self.speed)}" {geom} mass="{mass or self.mass()!r}"/></body>'
        )
        self.speed.append(speed)
        self.spin.append(spin)

    def turn(self):
        quat = self.rng.normal(size=4)
        return quat / np.linalg.norm(quat)

    def plane(self):
        kind = self.rng.integers(2)
        self.fixed.append('<geom type="plane" size="5 5 .1"/>' if kind else
                          '<geom type="box" size="3 3 .2" pos="0 0 -.2"/>')  # fmt: skip

    def xml(self, gravity, friction):
        return (
            f'<mujoco><compiler angle="radian"/><option gravity="0 0 {-gravity!r}"/>'
            f'<default><geom friction="{friction!r}"/></default><asset>{"".join(self.assets)}</asset>'
            f"<worldbody>{''.join(self.fixed)}{''.join(self.bodies)}</worldbody>{self.end}</mujoco>"
        )


def flush_stack(draw):
    """Equal boxes or cylinders on one another, flush up to the noise of the environment."""
    draw.plane()
    kind = str(draw.rng.choice(FACES))
    geom, half = draw.shape(kind)
    mass = draw.mass() if draw.rng.integers(2) else None
    for i in range(int(draw.rng.integers(1, 7))):
        draw.free(geom, (0, 0, half * (2 * i + 1)), mass=mass)


def tiles(draw):
    """A floor of tiles, flush or nearly so, and bodies that slide or roll over it."""
    width = float(draw.rng.uniform(0.05, 0.2))
    step = float(draw.rng.choice([0.0, 0.0, 1e-9, 1e-7, 1e-5, 1e-4]))
    for i in range(12):
        top = step * (i % 2)
        draw.fixed.append(f'<geom type="box" size="{width!r} 1 .1" pos="{(2 * i - 3) * width!r} 0 {top - 0.1!r}"/>')
    for lane in range(int(draw.rng.integers(1, 4))):
        kind = str(draw.rng.choice(SHAPES))
        geom, half = draw.shape(kind)
        turn, speed = (1, 0, 0, 0), draw.rng.uniform(0.2, 2.0)
        if kind in ("capsule", "cylinder") and draw.rng.integers(2):
            turn, half = (np.sqrt(0.5), np.sqrt(0.5), 0, 0), float(geom.split('"')[3].split()[0])  # on its side
        spin = (0, 0, -speed / half) if turn[0] != 1 else (0, speed / half, 0)
        place = (0, 0.4 * lane - 0.4, half + step + (0.01 if kind == "mesh" else 0.0))
        draw.free(geom, place, turn, (speed, 0, 0), spin if kind not in ("box", "mesh") else (0, 0, 0))


def pile(draw):
    """Shapes of all kinds that fall on one another."""
    draw.plane()
    for i in range(int(draw.rng.integers(2, 9))):
        place = (*draw.rng.uniform(-0.06, 0.06, 2), 0.15 + 0.25 * i)
        draw.free(draw.shape()[0], place, draw.turn(), draw.rng.normal(size=3) * 0.5, draw.rng.normal(size=3) * 5)
    draw.decades = False


def dominoes(draw):
    """A row of boxes, the first of which is tipped."""
    draw.plane()
    gap = draw.rng.uniform(0.03, 0.08)
    mass = draw.mass()
    for i in range(int(draw.rng.integers(3, 9))):
        draw.free('type="box" size=".01 .03 .06"', (i * gap, 0, 0.06), spin=(0, 6.0 if i == 0 else 0, 0),
                  speed=(0.36 if i == 0 else 0, 0, 0), mass=mass)  # fmt: skip


def robot(draw):
    """A chain on a slide with limits and position actuators that pushes free bodies."""
    draw.plane()
    draw.passive = False
    for i in range(int(draw.rng.integers(1, 4))):
        draw.free(draw.shape("box" if i == 0 else None)[0], (0.15 + 0.2 * i, 0, 0.125))
    links = int(draw.rng.integers(1, 4))
    chain = ""
    for i in reversed(range(links)):
        axis = "0 1 0" if i % 2 == 0 else "0 0 1"
        end = '<geom name="tip" type="sphere" size=".03" pos=".2 0 0" mass=".2"/>' if i == links - 1 else ""
        place = "0 0 .1" if i == 0 else ".2 0 0"
        chain = (f'<body pos="{place}"><joint name="j{i}" type="hinge" axis="{axis}" range="-.6 .6" damping=".2"/>'
                 f'<geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass=".5"/>{end}{chain}</body>')  # fmt: skip
    draw.fixed.append(f'<body pos="{-0.2 * links - 0.05!r} 0 .1"><joint name="x" type="slide" axis="1 0 0" range="-.3 .3" '
                      f'damping="5"/><geom type="sphere" size=".03" mass="1"/>{chain}</body>')  # fmt: skip
    drives = "".join(f'<position joint="j{i}" kp="{float(draw.rng.uniform(5, 50))!r}" kv="1"/>' for i in range(links))
    draw.end = f'<actuator><position joint="x" kp="300" kv="20"/>{drives}</actuator>'


def overlap(draw):
    """Bodies side by side on a floor that begin with a small overlap, at rest or moving."""
    draw.plane()
    depth = float(10 ** draw.rng.uniform(-7, -2.5))
    kind = str(draw.rng.choice(["sphere", "box", "cylinder", "capsule"]))
    size = draw.rng.uniform(0.03, 0.06)
    geom = f'type="{kind}" size="{floats([size] * (3 if kind == "box" else 2))}"'
    half = 2 * size if kind == "capsule" else size
    for i in range(int(draw.rng.integers(1, 4))):
        for j in range(int(draw.rng.integers(1, 3))):
            draw.free(geom, (i * (2 * size - depth), 0, half - depth + j * (2 * half - depth)),
                      speed=draw.rng.normal(size=3) * draw.rng.choice([0.0, 0.3]))  # fmt: skip


def flight(draw):
    """Bodies that fly at one another without gravity and without anything fixed."""
    for i in range(int(draw.rng.integers(2, 7))):
        place = np.array([0.2 * np.cos(i), 0.2 * np.sin(i), TOP + 0.13 * i])
        toward = (np.array([0, 0, TOP + 0.3]) - place) * draw.rng.uniform(0.5, 5.0)
        draw.free(draw.shape()[0], place, draw.turn(), toward, draw.rng.normal(size=3) * draw.rng.choice([0, 1, 10]))
    draw.decades = False


KINDS = {f.__name__: f for f in (flush_stack, tiles, pile, dominoes, robot, overlap, flight)}
