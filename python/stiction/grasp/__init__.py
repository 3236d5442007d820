"""Grasps: how well they hold, whether a hand holds them in a simulation, and files of them.

    from stiction import grasp

    grasp.quality(position, normal, friction=0.6, length=0.1).epsilon
    grasp.of_contacts(sim, "cube", by=["left", "right"]).quality(length=0.05).closure
    grasp.read_grasps("mug.yaml").position
    grasp.sample_jaws(sim, "object", 1000, np.random.default_rng(1))[0].pregrasp
    grasp.evaluate("jaws.xml", grasp.read_grasps("mug.yaml"), "six_forces").held
    grasp.auto_grasp(sim, static=True).closure
"""

from stiction.grasp.auto_grasp import AutoGrasp, auto_grasp
from stiction.grasp.contacts import GraspContacts, of_contacts
from stiction.grasp.evaluate import evaluate
from stiction.grasp.files import read_grasps, write_grasps
from stiction.grasp.grasps import Grasps
from stiction.grasp.protocols import Protocol, protocol_names, read_protocol
from stiction.grasp.quality import Quality, quality
from stiction.grasp.sampling import Jaws, sample_hand, sample_jaws
from stiction.grasp.verdicts import Verdicts, Why, why_names

__all__ = [
    "AutoGrasp", "GraspContacts", "Grasps", "Jaws", "Protocol", "Quality", "Verdicts", "Why", "auto_grasp", "evaluate", "of_contacts",
    "protocol_names", "quality", "read_grasps", "read_protocol", "sample_hand", "sample_jaws", "why_names", "write_grasps",
]  # fmt: skip
