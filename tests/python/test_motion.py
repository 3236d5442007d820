"""Claim: the contact that a body's motion tells of is the one that moved it, in simulations whose contacts are known."""

import numpy as np
import pytest
import stiction as st

GRAVITY = 9.8
SOLVED = 1e-8  # of what the weight does in a step: a hundred times the residual that is asked of the solver
EXACT = 1e-12  # a few roundings
STILL = np.zeros(6)


def rotation(quat):
    w, v = quat[0], quat[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


class Block:
    """A block of 1 kg on a floor, one step after the other."""

    def __init__(self, half, qvel, h, height, friction, condim):
        self.h, squares = h, np.square(half)
        self.moments = np.diag(squares.sum() - squares) / 3
        grip = f'friction="{friction} .05" condim="{condim}"'
        scene = st.load_model(
            f"""<mujoco><option gravity="0 0 {-GRAVITY}"/><worldbody><geom type="plane" size="9 9 1" {grip}/>
            <body pos="0 0 {height}"><freejoint/><geom type="box" size="{' '.join(map(str, half))}" mass="1" {grip}/></body>
            </worldbody></mujoco>""",
            dynamics="dynamic", law="coulomb", cone="quadratic", step_size=h, tolerance=1e-10,
        )  # fmt: skip
        self.sim = st.Simulator(scene, device="cpu")
        self.sim.qvel[0] = qvel

    def step(self):
        """One step; what moved the block in it (linear, angular), and what its motion says did: the contact."""
        start, before = self.sim.qpos[0].copy(), self.sim.qvel[0].copy()
        status = self.sim.step()
        assert not (status & st.Status.FAILED).any()
        after = self.sim.qvel[0].copy()
        R = rotation(start[3:])  # all in the axes of the start, as the step has them
        inertia = R @ self.moments @ R.T
        spins = [R @ velocity[3:] for velocity in (before, after)]
        mean = 0.5 * (spins[0] + spins[1])
        impulse = [0, 0, -GRAVITY * self.h, *(-self.h * np.cross(mean, inertia @ mean))]
        found = st.contact_from_motion(
            start[:3], [*before[:3], *spins[0]], [*after[:3], *spins[1]], 1.0, inertia, impulse, [0, 0, 1], 0.0
        )
        return self.recorded(start[:3]), found, start[:3]

    def recorded(self, center):
        """The sum of the recorded contact forces and of their moments, over the step."""
        contacts, count = self.sim.contacts, self.sim.contacts.count[0]
        frame, position = contacts.frame[0, :count], contacts.position[0, :count]
        impulse = self.h * np.einsum("kij,ki->kj", frame, contacts.force[0, :count])
        torsion = self.h * contacts.torsion[0, :count, None] * frame[:, 0]
        return impulse.sum(0), (np.cross(position - center, impulse) + torsion).sum(0)


def net(found, center):
    """(linear, angular about the centre) of what was found."""
    n, t, o = found.frame
    linear = found.p_n * n + found.p_t * t + found.p_o * o
    return linear, np.cross(found.point - center, linear) + found.p_r * n


def largest_error(block, steps):
    """Over m g h, of the linear and the angular impulse, wherever the floor carries; and in how many steps it does."""
    errors, carried = [], 0
    for _ in range(steps):
        (linear, angular), found, center = block.step()
        size = max(GRAVITY * block.h, linear[2])
        assert found.valid or linear[2] <= SOLVED * size
        if found.valid:
            own = net(found, center)
            errors.append([np.abs(own[0] - linear).max() / size, np.abs(own[1] - angular).max() / size])
            carried += linear[2] > 0.5 * GRAVITY * block.h
    return np.max(errors, axis=0), carried


FLAT, CUBE = (0.2, 0.1, 0.05), (0.1, 0.1, 0.1)


@pytest.mark.parametrize(
    "half, qvel, height, condim",
    [
        (FLAT, [1, 0.5, 0, 0, 0, 0], 0.05, 3),  # slides
        (FLAT, [1, 0.5, 0, 0, 0, 3], 0.05, 3),  # and turns
        (FLAT, [1, 0.5, 0, 0, 0, 3], 0.05, 4),  # with torsion
        (CUBE, [1, 0.5, 0, 4, 5, 3], 0.3, 3),  # falls, topples, comes to rest
    ],
)
def test_a_simulated_block_was_moved_by_the_recorded_forces(half, qvel, height, condim):
    error, carried = largest_error(Block(half, qvel, 0.01, height, 0.3, condim), 100)
    assert carried > 50
    assert error.max() <= SOLVED


def error_of_a_blow(h):
    """Of the moment [m], over the impulse, where a spinning block strikes the floor with a corner."""
    quat = np.array([0.9, 0.3, 0.2, 0.1]) / np.linalg.norm([0.9, 0.3, 0.2, 0.1])
    lowest = np.abs(rotation(quat)[2]) @ FLAT
    block = Block(FLAT, [1, 0.5, -1, 4, 5, 3], h, lowest, 0.3, 3)
    block.sim.qpos[0, 3:] = quat
    (linear, angular), found, center = block.step()
    own = net(found, center)
    assert np.abs(own[0] - linear).max() <= SOLVED * linear[2]
    return np.abs(own[1] - angular).max() / linear[2]


def test_where_a_spin_changes_by_itself_the_moment_is_of_first_order():
    errors = [error_of_a_blow(h) for h in (0.01, 0.005, 0.0025)]
    assert errors[0] < 0.01 * max(FLAT)
    assert np.divide(errors[:-1], errors[1:]) == pytest.approx([2, 2], rel=0.1)


def test_a_sliding_cube_presses_ahead_of_its_centre():
    block = Block((0.5, 0.5, 0.5), [4, 3, 0, 0, 0, 0], 0.01, 0.5, 0.12, 3)
    for _ in range(400):
        _, found, center = block.step()
        assert found.point - center == pytest.approx([0.048, 0.036, -0.5], abs=SOLVED)
        assert found.p_n == pytest.approx(GRAVITY * 0.01, rel=SOLVED)
        assert found.p_r == pytest.approx(0, abs=SOLVED)


def pushed(**change):
    """A cube that the floor pushes up by 1 N s."""
    arrays = {"position": [0, 0, 0.5], "velocity_before": STILL, "velocity_after": [0, 0, 1, 0, 0, 0], "mass": 1.0,
              "inertia": np.eye(3) / 6, "impulse": STILL, "normal": [0, 0, 1], "plane_offset": 0.0}  # fmt: skip
    return st.contact_from_motion(**arrays | change)


def test_one_step_of_one_body_has_no_batch():
    found = pushed()
    assert isinstance(found, st.EquivalentContact)
    assert found.point.tolist() == [0, 0, 0] and found.frame.tolist() == [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    assert (found.p_n, found.p_t, found.p_o, found.p_r, found.valid) == (1, 0, 0, 0, True)


def test_leading_axes_are_broadcast():
    position, mass = np.zeros((4, 1, 3)) + [0, 0, 0.5], np.array([1.0, 2.0, 3.0])
    position[:, 0, 0] = range(4)
    found = pushed(position=position, mass=mass)
    assert found.point.shape == (4, 3, 3) and found.frame.shape == (4, 3, 3, 3) and found.valid.shape == (4, 3)
    assert found.valid.dtype == bool and found.valid.all()
    for i in range(4):
        for k in range(3):
            alone = pushed(position=position[i, 0], mass=mass[k])
            assert all(np.array_equal(mine[i, k], other) for mine, other in zip(found, alone))
    assert found.p_n[2].tolist() == [1, 2, 3] and found.point[3, 0].tolist() == [3, 0, 0]


@pytest.mark.parametrize("batch", [(0,), (3, 0)])
def test_an_empty_batch_has_an_empty_answer(batch):
    found = pushed(mass=np.ones(batch))
    assert found.point.shape == (*batch, 3) and found.p_r.shape == found.valid.shape == batch


def test_what_is_not_pushed_is_not_valid():
    found = pushed(velocity_after=[[0, 0, 1, 0, 0, 0], STILL, [0, 0, -1, 0, 0, 0]])
    assert found.valid.tolist() == [True, False, False]
    for name in ("point", "p_n", "p_t", "p_o", "p_r"):
        assert np.isnan(getattr(found, name)[1:]).all() and np.isfinite(getattr(found, name)[0]).all()


def test_the_gyroscopic_impulse_is_that_of_the_paper_or_in_the_momentum():
    spin, inertia, h = np.array([1.0, 2.0, 3.0]), np.diag([1.0, 2.0, 3.0]), 0.1
    turning = {"velocity_before": [0, 0, 0, *spin], "velocity_after": [0, 0, 1, *spin], "inertia": inertia}
    moment = h * np.cross(spin, inertia @ spin)  # what kept the spin as it was
    own = {**turning, "impulse": [0, 0, 0, *-moment]}
    with_h = pushed(**turning, step_size=h)
    assert with_h.p_r == pytest.approx(moment[2], abs=EXACT)
    assert with_h.point == pytest.approx([-moment[1], moment[0], 0], abs=EXACT)
    assert all(np.allclose(mine, other, rtol=0, atol=EXACT) for mine, other in zip(with_h, pushed(**own)))
    grown = inertia + np.diag([0.0, 0.0, 1.0])  # ω is kept, I is not
    assert pushed(**turning, inertia_after=grown).p_r == pytest.approx(spin[2], abs=EXACT)


BAD_CALLS = {
    "position of two": ({"position": [0, 0]}, r"position: expected shape \(\.\.\., 3\), got \(2,\)"),
    "velocity of three": ({"velocity_after": np.zeros(3)}, r"velocity_after: expected shape \(\.\.\., 6\), got \(3,\)"),
    "moments without axes": ({"inertia": [1, 1, 1]}, r"inertia: expected shape \(\.\.\., 3, 3\), got \(3,\)"),
    "a number for a vector": ({"normal": 1.0}, r"normal: expected shape \(\.\.\., 3\), got \(\)"),
    "other batches": ({"mass": np.ones(2), "plane_offset": np.zeros(3)}, r"leading axes .* mass \(2,\), plane_offset \(3,\)"),
    "text": ({"mass": "heavy"}, "mass: expected an array of numbers, got str"),
    "complex": ({"impulse": STILL * 1j}, "impulse: expected real numbers, got complex128"),
    "nothing": ({"impulse": None}, "impulse: expected an array of numbers, got NoneType"),
    "NaN": ({"position": [[0, 0, 1], [0, np.nan, 1]]}, "position: entry 1, expected finite numbers, given nan"),
    "no mass": ({"mass": [1, 0]}, "mass: entry 1, expected a positive number of kg, given 0"),
    "no step": ({"step_size": 0}, "step_size: entry 0, expected a positive number of seconds, given 0"),
    "asymmetric": ({"inertia": np.triu(np.ones((3, 3)))}, "inertia: entry 0, expected a symmetric matrix"),
    "indefinite": ({"inertia": np.diag([1, 1, -1.0])}, "inertia: entry 0, .* positive definite .* eigenvalue -1"),
    "long normal": ({"normal": [0, 0, 2]}, "normal: entry 0, expected a unit vector, given one of length 2"),
    "tangent": ({"tangent": [0, 0.6, 0.8]}, "tangent: entry 0, expected a vector perpendicular to the normal"),
    "both": ({"step_size": 0.1, "inertia_after": np.eye(3)}, "step_size: expected none with inertia_after"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_CALLS)
def test_a_bad_call_is_answered_in_one_line(name):
    change, message = BAD_CALLS[name]
    with pytest.raises(st.InputError, match=message) as error:
        pushed(**change)
    assert "\n" not in str(error.value)
