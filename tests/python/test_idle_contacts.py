"""Claims about contacts that no motion can close: a robot that moves as one body has no more of them than at rest."""

import pytest
import stiction as st


def limb(side, name, at, length):
    """Two links on hinges, with their own collision shapes, that hang beside the torso."""
    low = f'<body pos="0 0 {-length}"><joint axis="0 1 0"/><geom type="capsule" size=".04" fromto="0 0 -.05 0 0 {-length}" mass="1"/></body>'
    return (
        f'<body name="{name}{side}" pos="{at[0]} {side * at[1]} {at[2]}"><joint axis="0 1 0"/><joint axis="1 0 0"/>'
        f'<geom type="capsule" size=".04" fromto="0 0 -.05 0 0 {-length}" mass="1"/>{low}</body>'
    )


ROBOT = (
    '<mujoco><option gravity="0 0 0"/><worldbody><geom type="plane" size="50 50 .1"/>'
    '<body pos="0 0 3"><freejoint/><geom type="capsule" size=".1" fromto="0 0 -.2 0 0 .3" mass="8"/>'
    + "".join(limb(side, "arm", (0, 0.22, 0.25), 0.3) + limb(side, "leg", (0, 0.12, -0.3), 0.4) for side in (-1, 1))
    + "</body></worldbody></mujoco>"
)


ARM_TO_LEG = 7  # dof: the first arm's hinge about x


def contacts_at(qvel, step_size):
    with st.Simulator(st.load_model(ROBOT, dynamics="dynamic", law="coulomb", step_size=step_size), device="cpu") as sim:
        sim.qvel[:] = 0
        sim.qvel[0, : len(qvel)] = qvel
        sim.forward()
        return int(sim.contacts.count[0]), int(sim.step()[0])


@pytest.mark.parametrize("step_size", [0.001, 0.01])
@pytest.mark.parametrize("qvel", [(5, 0, 0), (0, -5, 0), (3, 4, 0, 0, 0, 6)])
def test_a_robot_that_moves_as_one_body_has_the_contacts_it_has_at_rest(qvel, step_size):
    at_rest, _ = contacts_at((), step_size)
    moving, status = contacts_at(qvel, step_size)
    assert moving == at_rest and status == st.Status.CONVERGED


def test_links_that_move_against_each_other_are_looked_at():
    """An arm swings into the leg beside it and stops there, however fast."""
    with st.Simulator(st.load_model(ROBOT, dynamics="dynamic", law="coulomb", step_size=0.01), device="cpu") as sim:
        sim.qvel[:] = 0
        sim.qvel[0, ARM_TO_LEG] = 40.0
        angles, deepest = [], 0.0
        for _ in range(20):
            assert sim.step()[0] & st.Status.CONVERGED
            angles.append(sim.qpos[0, ARM_TO_LEG + 1])
            deepest = max(deepest, sim.stats.penetration[0])
        assert 0.02 < max(angles) < 0.04 and deepest <= 1e-3  # [rad], [m]; the gap is 20 mm, 0.6 m below the shoulder
