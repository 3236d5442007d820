"""Certificate of contact patches: the residuals of (18), (19) of Xie and Chakraborty, step by step, of what was recorded.

    (18)       M (ν⁺ − ν) = Σ W [p_n p_t p_o p_r] + p_app + h m g − h ω⁺ × I ω⁺,   r = a − q⁺ in W, M and I at q
    (8)        q⁺ = normalise(q + h G(q) ν⁺)
    (9)        e_i² μ p_n v_i + p_i σ = 0,   0 <= σ ⊥ μ p_n − ‖p_i/e_i‖ >= 0,   σ = ‖e_i v_i‖: 0 where it sticks
    (10), (17) 0 <= p_n ⊥ max f_i(a) >= 0
    (13)-(16)  a = a_1 = a_2 on both surfaces, within all their facets; n in the normal cone of one body, −n in the other's
    Prop. 1    no two geoms overlap; those that touch are separated by the plane through a, normal to n

    symbol   variable             shape                                    unit
    q        position, rotation   (3) centre of mass, (3, 3) body to world m
    ν        velocity             (6) of the centre of mass, world axes    m/s, rad/s
    a        point                (3)                                      m
    n, t, o  frame                rows, n from geom[0] to geom[1]          -
    p        impulse              (4) along n, t, o, about n, on geom[1]   N s, N m s

Impulses are relative to m g h of the lighter body that moves, moments to m g h √(tr I / m). Nothing of stiction is used.
"""

import itertools

import numpy as np
import recorded
from scipy import optimize

ACTIVE = 1e-8  # a facet passes through a point of a recording in double that is nearer to it than this [m]
PRISM = 64     # sides of what stands for a cylinder where two solids without a patch are tested for overlap


def gyration(body):
    """√(tr I / m) [m]."""
    return np.sqrt(np.trace(body[1]) / body[0])


def motion(world, start, end, patches, applied):
    """(18), relative to the weights."""
    worst = 0.0
    for b, (mass, inertia) in enumerate(world.bodies):
        turn, change, omega = start.rotation[b], end.velocity[b] - start.velocity[b], end.velocity[b, 3:]
        inertia = turn @ inertia @ turn.T
        force = applied[b, :3] + world.h * mass * world.gravity - mass * change[:3]
        moment = applied[b, 3:] - world.h * np.cross(omega, inertia @ omega) - inertia @ change[3:]
        for patch in patches:
            for sign, g in zip((-1, 1), patch.geom, strict=True):
                if world.geoms[g].body == b:
                    push = sign * patch.impulse[:3] @ patch.frame
                    force = force + push
                    moment = moment + np.cross(patch.point - end.position[b], push)
                    moment = moment + sign * patch.impulse[3] * patch.frame[0]
        missing = np.append(force, moment / gyration(world.bodies[b]))
        worst = max(worst, np.abs(missing).max() / world.weight(b))
    return worst


def kinematics(world, start, end):
    """(8) [m]; angles times √(tr I / m)."""
    worst = np.abs(end.position - start.position - world.h * end.velocity[:, :3]).max()
    for b, body in enumerate(world.bodies):
        w, v = start.quaternion[b, 0], start.quaternion[b, 1:]
        spin = 0.5 * world.h * end.velocity[b, 3:]
        q = np.array([w - spin @ v, *(v + w * spin + np.cross(spin, v))])
        turn = recorded.rotation_of(q / np.linalg.norm(q))
        worst = max(worst, np.abs(turn - end.rotation[b]).max() * gyration(body))
    return worst


def friction(world, end, patch):
    """(9): Fritz John's equations, the ellipsoid, its complementarity with σ; velocities are relative to max(σ, g h)."""
    bodies = [world.geoms[g].body for g in patch.geom]
    (linear_0, angular_0), (linear_1, angular_1) = (end.velocity_at(b, patch.point) for b in bodies)
    mu, e = world.friction(patch.geom)
    slip = e * np.append(patch.frame[1:] @ (linear_1 - linear_0), patch.frame[0] @ (angular_1 - angular_0))
    p, limit, sigma = patch.impulse[1:] / e, mu * patch.impulse[0], np.linalg.norm(slip)
    speed, inside = max(sigma, np.linalg.norm(world.gravity) * world.h), limit - np.linalg.norm(p)
    fritz_john = np.abs(limit * slip + p * sigma).max() / speed
    return max(fritz_john, -inside, abs(inside) * sigma / speed) / world.weight(*bodies)


def touch(world, end, patch, active_within=ACTIVE):
    """(10), (13)-(17) [m]; a patch that carries a share of the weight below that is off by that share at most."""
    p_n = patch.impulse[0] / world.weight(*(world.geoms[g].body for g in patch.geom))
    worst = max(np.abs(patch.frame @ patch.frame.T - np.eye(3)).max(), 1.0 - np.linalg.det(patch.frame), -p_n)
    for g, n in zip(patch.geom, (patch.frame[0], -patch.frame[0]), strict=True):
        position, turn = end.place(world.geoms[g])
        f, gradients = world.geoms[g].solid.facets(turn.T @ (patch.point - position))
        active = gradients[f >= -active_within]
        tilt = optimize.nnls(active.T, turn.T @ n)[1] if len(active) else 1.0
        worst = max(worst, min(max(abs(f.max()), tilt), abs(p_n)))
    return worst


def depth(world, end, pair, normal):
    """How deep two geoms are in one another [m]: along `normal`, from the first to the second, if there is one."""
    solids, places = [world.geoms[g].solid for g in pair], [end.place(world.geoms[g]) for g in pair]
    for sign, solid, (_, turn) in zip((1, -1), solids, places, strict=True):
        if solid.is_half_space:  # no other plane separates anything from it
            normal = sign * turn @ solid.normals[0]
    if normal is None:
        return common_ball(solids, places)
    reach = 0.0
    for n, solid, (position, turn) in zip((normal, -normal), solids, places, strict=True):
        reach += n @ position + solid.support(turn.T @ n)
    return reach


def common_ball(solids, places):
    """Diameter of the largest ball in two solids, a cylinder being a prism within it; negative if they are apart [m]."""
    angles = 2 * np.pi * np.arange(PRISM) / PRISM
    rows, bounds = [], []
    for solid, (position, turn) in zip(solids, places, strict=True):
        normals, offsets = solid.normals, solid.offsets
        if solid.radius < np.inf:
            normals = np.vstack([normals, np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])])
            offsets = np.append(offsets, np.full(PRISM, solid.radius * np.cos(np.pi / PRISM)))
        rows.append(np.column_stack([normals @ turn.T, np.ones(len(normals))]))
        bounds.append(offsets + normals @ turn.T @ position)
    limits = [(None, None)] * 3 + [(-1.0, None)]
    answer = optimize.linprog([0, 0, 0, -1], np.vstack(rows), np.concatenate(bounds), bounds=limits)
    return 2 * answer.x[3] if answer.status == 0 else -1.0


def overlap(world, end, patches):
    """The deepest overlap of geoms that can move against each other [m], at least 0."""
    normals = {tuple(sorted(p.geom)): p.frame[0] if p.geom[0] < p.geom[1] else -p.frame[0] for p in patches}
    pairs = [pair for pair in itertools.combinations(range(len(world.geoms)), 2)
             if world.geoms[pair[0]].body != world.geoms[pair[1]].body]  # fmt: skip
    return max([0.0, *(depth(world, end, pair, normals.get(pair)) for pair in pairs)])


def certificate(world, states, patches, applied, active_within=ACTIVE):
    """Residuals of every step, by their names (S - 1)."""
    found = {name: np.zeros(len(patches)) for name in ("motion", "kinematics", "friction", "touch", "overlap")}
    for k, (start, end, touching) in enumerate(zip(states, states[1:], patches)):
        found["motion"][k] = motion(world, start, end, touching, applied[k])
        found["kinematics"][k] = kinematics(world, start, end)
        found["friction"][k] = max([0.0, *(friction(world, end, patch) for patch in touching)])
        found["touch"][k] = max([0.0, *(touch(world, end, patch, active_within) for patch in touching)])
        found["overlap"][k] = overlap(world, end, touching)
    return found


def residuals(path, env=0):
    """The largest of every kind over a recorded environment."""
    return {name: values.max() for name, values in certificate(*recorded.read(path, env)).items()}
