"""Claims: arrays on a GPU take NumPy's reads and writes, and lose none. Run with a GPU, or with the emulated one
(tests/emulated_gpu)."""

import numpy as np
import pytest
import stiction as st

GRIPPER = "scenes/gripper2d"


@pytest.fixture
def sim():
    try:
        simulator = st.Simulator(GRIPPER, batch=3, device="cuda")
    except st.InputError as why:
        pytest.skip(str(why))
    with simulator:
        yield simulator


def host():
    return st.Simulator(GRIPPER, batch=3, device="cpu")


def test_reading_is_numpys(sim):
    with host() as other:
        assert np.array_equal(sim.qpos, other.qpos) and np.array_equal(sim.qpos[1], other.qpos[1])
        assert sim.qpos.shape == (3, 5) and sim.qpos.dtype == np.float64 and len(sim.qpos) == 3
        assert sim.qpos.max() == other.qpos.max() and sim.qpos[0, 1] == other.qpos[0, 1]
        assert [row.tolist() for row in sim.qpos] == other.qpos.tolist()
        assert np.allclose(np.sin(sim.qpos) + 2 * sim.qpos, np.sin(other.qpos) + 2 * other.qpos)
        assert float(sim.time[0]) == 0.0 and not sim.time.any() and 0.1 in sim.qpos


@pytest.mark.parametrize(
    "write",
    [
        lambda q: q.__setitem__((0, 1), 0.25),
        lambda q: q.__setitem__((slice(None), 2), [1.0, 2.0, 3.0]),
        lambda q: q[1].__setitem__(2, 0.5),
        lambda q: q[1:][0].__setitem__(slice(1, 3), 0.5),
        lambda q: q[q > 0.1].__setitem__(0, 7.0),  # of a copy, as NumPy's
        lambda q: q.__iadd__(0.1),
        lambda q: q[:, 1].__imul__(3.0),
        lambda q: q[[0, 2]].__iadd__(1.0),  # likewise
        lambda q: np.add(q, 1.0, out=q),
        lambda q: q.__setitem__(q < 0.0, 0.0),
    ],
)
def test_writing_is_numpys(sim, write):
    with host() as other:
        write(sim.qpos)
        write(other.qpos)
        assert np.array_equal(sim.qpos, other.qpos)
        sim.step()
        assert sim.time[0] > 0.0  # what was written was there to be stepped


def test_writing_to_what_a_method_returns_is_refused(sim):
    with pytest.raises(ValueError, match="read-only"):
        sim.qpos.T[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        sim.qpos.fill(1.0)


def test_arrays_of_a_gpu_are_taken_where_arrays_are(sim):
    with st.Simulator(GRIPPER, batch=3, device="cuda") as other:
        other.qpos[0, 1] = 0.3
        sim.qpos = other.qpos
        assert np.array_equal(sim.qpos, other.qpos)
        sim.reset(qpos=other.qpos)
        assert np.array_equal(sim.qpos, other.qpos)
        sim.qpos += other.qpos
        assert np.array_equal(sim.qpos, 2 * other.qpos)


def test_what_is_set_is_seen_before_the_next_step(sim):
    ctrl = sim.ctrl
    sim.ctrl = np.full((3, 3), 0.25)
    assert (ctrl == 0.25).all()
    ctrl[1] = 0.5
    sim.step()
    assert (sim.ctrl[1] == 0.5).all()


@pytest.mark.parametrize("ids", [None, [1], [2, 0, 2], [], [True, False, True]])
def test_a_reset_leaves_what_was_written_to_others(sim, ids):
    with host() as other:
        for simulator in (sim, other):
            simulator.time[:] = 0.5
            simulator.qpos[:, 1] = [0.1, 0.2, 0.3]
            simulator.ctrl[2] = 0.25
            simulator.params.gravity[1] = [0.0, 0.0, -5.0]
            simulator.reset(ids)
        for name in ("qpos", "ctrl", "time"):
            assert np.array_equal(getattr(sim, name), getattr(other, name)), name
        assert np.array_equal(sim.params.gravity, other.params.gravity)


def test_a_reset_to_given_states_takes_a_row_each(sim):
    with host() as other:
        rows = np.array(other.qpos[:2]) + [[0.01], [0.02]]
        for simulator in (sim, other):
            simulator.reset([2, 0], qpos=rows)
        assert np.array_equal(sim.qpos, other.qpos) and np.array_equal(sim.qpos[2], rows[0])
        assert np.allclose(sim.body_pose, other.body_pose)


def test_a_part_has_no_dlpack_and_says_so(sim):
    assert sim.qpos.__dlpack_device__() == (2, 0)
    with pytest.raises(BufferError, match="take that of the whole"):
        sim.qpos[0].__dlpack__()
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(sim.qpos, copy=False)


def test_what_a_step_leaves_can_not_be_written(sim):
    kept = np.array(sim.contacts.force)
    for array in (sim.contacts.force, sim.contacts.force[0], sim.stats.residual, sim.status, sim.body_pose):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
        with pytest.raises(ValueError, match="read-only"):
            array += 1
    assert np.array_equal(sim.contacts.force, kept)
    with pytest.raises(ValueError, match="read-only"):
        sim.step()[0] = 1


def test_the_status_of_many_steps_is_the_hosts(sim):
    with host() as other:
        for simulator in (sim, other):
            simulator.step(steps=8)
            simulator.qpos[1, 0] = np.nan
            simulator.step(steps=8)
        assert np.array_equal(sim.status, other.status) and st.status_names(np.array(sim.status))[1] != "converged"
        assert st.status_names(sim.status) == st.status_names(other.status)
