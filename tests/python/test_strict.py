"""Claims: a misspelt name is refused with the right one, what a step leaves cannot be written, objects say what they are,
and the types that checkers read are those of the lists."""

import inspect
import re
import typing

import numpy as np
import pytest
import stiction as st
from stiction import _core, views
from stiction.scene_keys import SceneKeys

GRIPPER = "scenes/gripper2d"


@pytest.fixture
def sim():
    with st.Simulator(GRIPPER, batch=3, device="cpu") as simulator:
        simulator.step(steps=20)
        yield simulator


MISSPELT = {
    "a state": (lambda s: setattr(s, "qopos", s.qpos), "sim has no 'qopos' to set; did you mean 'qpos'?"),
    "a parameter": (lambda s: setattr(s.params, "frction", 1), "sim.params has no 'frction' to set; did you mean 'friction'?"),
    "contacts": (lambda s: s.contacts.forse, "sim.contacts has no 'forse'; did you mean 'force'?"),
    "patches": (lambda s: s.patches.active_face, "sim.patches has no 'active_face'; did you mean 'active_faces'?"),
    "figures": (lambda s: setattr(s.stats, "residuals", 0), "sim.stats has no 'residuals' to set; did you mean 'residual'?"),
    "a method": (lambda s: s.rest(), "sim has no 'rest'; did you mean 'reset'?"),
    "nothing near": (lambda s: s.params.xyz, "sim.params has no 'xyz'; there are armature, com, damping, force_range, friction"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISSPELT)
def test_a_misspelt_attribute_is_refused_with_the_nearest(sim, name):
    call, message = MISSPELT[name]
    with pytest.raises(AttributeError) as error:
        call(sim)
    assert str(error.value).startswith(message) or message in str(error.value)


def test_a_subclass_has_the_attributes_that_it_declares():
    class Counting(st.Simulator):
        count: int = 0

    with Counting(GRIPPER) as simulator:
        simulator.count = 3
        simulator._mine = 4
        with pytest.raises(AttributeError, match="did you mean 'count'"):
            simulator.counts = 3


def read_only_arrays(sim):
    for owner in (sim, sim.contacts, sim.patches, sim.stats):
        for name in dir(type(owner)):
            array = None if name.startswith("__") else getattr(owner, name, None)
            if isinstance(array, np.ndarray) and not isinstance(getattr(type(owner), name), views.live):
                yield name, array


def test_what_a_step_leaves_can_not_be_written(sim):
    found = dict(read_only_arrays(sim))
    assert {"status", "body_pose", "force", "gap", "active_faces", "residual", "rounds", "energy"} <= found.keys()
    for name, array in found.items():
        assert not array.flags.writeable, name
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(ValueError, match="read-only"):
        sim.step()[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        sim.contacts.force[0][0] = 99.0


def test_state_and_parameters_can_be_written(sim):
    for array in (sim.qpos, sim.ctrl, sim.params.friction, sim.params.kp):
        assert array.flags.writeable and type(array) is np.ndarray
    sim.params.kp *= 2.0


def test_what_is_computed_from_a_read_only_array_is_an_ordinary_one(sim):
    force = sim.contacts.force
    for array in (force * 2, force[force > 0], force[[0, 1]], force.copy(), force.sum(-1), np.where(force > 0, force, 0)):
        assert type(array) is np.ndarray and array.flags.writeable
    assert type(force.max()) is np.float64 and repr(force).startswith("array(")


class OldConsumer:
    """Takes an array as a consumer of a DLPack before 1.0 does."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("consumer", [lambda array: array, OldConsumer])
def test_dlpack_takes_read_only_arrays_without_a_copy(sim, consumer):
    force = sim.contacts.force
    taken = np.from_dlpack(consumer(force))
    assert np.shares_memory(taken, force) and not force.flags.writeable
    sim.step()
    assert np.array_equal(taken, force)


def test_objects_say_what_they_are(sim):
    said = [repr(x) for x in (sim.scene, sim.model, sim, sim.contacts, sim.patches, sim.params, sim.stats)]
    assert all(line.startswith("<") and " at 0x" not in line and "\n" not in line for line in said)
    assert "gripper2d" in said[0] and sim.scene.law in said[0] and "step 0.01 s" in said[0]
    assert f"nq {sim.model.nq}" in said[1]
    assert f"force {sim.contacts.force.shape}" in said[3] and f"kp {sim.params.kp.shape}" in said[5]
    sim.close()
    assert repr(sim.stats) == "<sim.stats of a closed simulator>"


def test_names_of_a_status_of_one_and_of_many(sim):
    assert st.status_names(sim.step()) == ["converged"] * 3
    assert st.status_names(sim.status[0]) == st.status_names(1) == st.status_names(st.Status.CONVERGED) == "converged"
    assert st.status_names(np.array([[0, 1]])) == [["none", "converged"]]
    for bad in (-1, 2**32, 0.5, "converged"):
        with pytest.raises(st.InputError, match="status: expected bits of 32"):
            st.status_names(bad)


def test_step_has_a_signature_that_tools_read():
    assert str(inspect.signature(st.Simulator.step)).startswith("(self, ctrl:")
    assert list(inspect.signature(st.Simulator.step).parameters) == ["self", "ctrl", "steps"]


@pytest.mark.parametrize("types, owner", [(_core.ContactTypes, "contacts"), (_core.PatchTypes, "patches")])
def test_types_of_readouts_are_those_of_the_arrays(sim, types, owner):
    names = [name for name in dir(types) if not name.startswith("_")]
    assert set(names) == set(getattr(sim, owner).padded()) - {"count"}
    for name in names:
        scalar = re.search(r"NDArray\[numpy\.(\w+)\]", getattr(types, name).fget.__nb_signature__[0][0])[1]
        assert np.issubdtype(getattr(getattr(sim, owner), name).dtype, getattr(np, scalar)), name


def test_typed_keys_are_those_of_scenes():
    assert set(typing.get_type_hints(SceneKeys)) == {key.keyword for key in _core.scene_keys()}


def words_of(hint):
    """The words of all Literals in a type."""
    if typing.get_origin(hint) is typing.Literal:
        return set(typing.get_args(hint))
    return set().union(*(words_of(part) for part in typing.get_args(hint)))


@pytest.mark.parametrize("key", [key.keyword for key in _core.scene_keys() if key.table == "physics" or key.key in ("name", "factor", "infeasible")])
def test_typed_words_are_those_that_load(key):
    """Each word of the type is known to the loader, and each word that the property lists is in the type."""
    words = words_of(typing.get_type_hints(SceneKeys)[key]) - {"auto"}
    for word in words:
        try:
            st.load_scene(GRIPPER, **{key: word})
        except st.InputError as error:
            assert "is unknown" not in str(error) and "not yet built" not in str(error)
    doc = getattr(getattr(st.Scene, key, None), "__doc__", None) or ""
    if words and doc:
        listed = set(doc.rstrip(".").rpartition(": ")[2].split(", "))
        assert listed - {"auto"} <= words and words - listed <= {"patch"}
