"""Batched contact simulation for manipulation: hard contact, solved to a stated residual.

    import stiction as st

    with st.Simulator(st.load_scene("scenes/iiwa_stack"), batch=1024) as sim:
        status = sim.step(steps=100)  # bits of every environment (batch,)
        print(sim.qpos.shape, sim.stats.residual.max())
"""

from typing import TYPE_CHECKING

from stiction._compiled_for import FLAGS
from stiction.processor import check_processor

check_processor(FLAGS)  # before the compiled half is loaded

from stiction._core import ClosedError, InputError, Model, OutOfMemory, Scene
from stiction.demos import export_demos
from stiction.errors import MissingPackage
from stiction.motion import EquivalentContact, contact_from_motion
from stiction.problem_file import Problems, load_problems
from stiction.problems import Answers, solve_contact, solve_delassus, solve_lcp, solve_mlcp, solve_qp
from stiction.recording import Recording, load_recording
from stiction.scene import load_model, load_scene
from stiction.scene_keys import SceneKeys
from stiction.simulator import Derivatives, Infeasibility, Simulator
from stiction.status import Status, status_names
from stiction.versions import __version__, check_versions

if TYPE_CHECKING:
    from stiction.envs import make_vec

check_versions()


def __getattr__(name: str):
    if name == "make_vec":  # what needs gymnasium is imported when it is asked for
        from stiction.envs import make_vec

        return make_vec
    raise AttributeError(f"module 'stiction' has no attribute '{name}'")


__all__ = [
    "Answers",
    "ClosedError",
    "Derivatives",
    "EquivalentContact",
    "Infeasibility",
    "InputError",
    "MissingPackage",
    "Model",
    "OutOfMemory",
    "Problems",
    "Recording",
    "Scene",
    "SceneKeys",
    "Simulator",
    "Status",
    "__version__",
    "contact_from_motion",
    "export_demos",
    "load_model",
    "load_problems",
    "load_recording",
    "load_scene",
    "make_vec",
    "solve_contact",
    "solve_delassus",
    "solve_lcp",
    "solve_mlcp",
    "solve_qp",
    "status_names",
]
