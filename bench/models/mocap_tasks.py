"""Tasks of metaworld and of Fetch: where the hand goes, when it grips, and what must have moved at the end."""

from dataclasses import dataclass, field

import numpy as np

DOWN = np.array([1, 0, 1, 0]) / np.sqrt(2)  # the hand's quaternion, fingers down
SAWYER = "metaworld/metaworld/assets/sawyer_xyz"
FETCH = "gymnasium_robotics/gymnasium_robotics/envs/assets/fetch"
SAWYER_WELD = [0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 5]  # as SawyerMocapBase.reset_mocap_welds
FETCH_WELD = [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]  # as reset_mocap_welds of its mujoco_utils


@dataclass(frozen=True)
class Leg:
    """The hand goes on to a place in some time, gripping or not."""

    seconds: float
    to: tuple[float, float, float]  # [m]
    grip: bool = False


@dataclass(frozen=True)
class Task:
    """`legs` begin where the first one says: its time is for the hand to come there from the model's reference.

    What is measured is the height that `body` gains, or the way of `joint`, from the end of the first leg to the last.
    """

    name: str
    file: str
    legs: tuple[Leg, ...]
    body: str = ""
    joint: str = ""
    along: tuple[float, float, float] = (0.0, 0.0, 1.0)  # the direction in which the body's way is measured
    aside: tuple[float, float, float] = (0.0, 0.0, 0.0)  # the control of a pull or push: the same legs, this far away [m]
    start: dict[str, tuple[float, ...]] = field(default_factory=dict)  # qpos by joint
    least: float = 0.0  # what is measured must be more [m], [rad]
    near: float = 0.004  # how near it must be to MuJoCo's, whose slip in the grip is added [m], [rad]
    sign: float = -1.0  # of the way of `joint`
    limits: dict[str, tuple[float, float]] = field(default_factory=dict)  # ranges of joints that the file has the wrong way round

    @property
    def sawyer(self):
        return self.file.startswith("metaworld")

    @property
    def grips(self):
        """Whether a free body is held."""
        return bool(self.body) and any(leg.grip for leg in self.legs)

    @property
    def hand(self):
        return "hand" if self.sawyer else "robot0:gripper_link"

    @property
    def finger(self):
        return "rightclaw" if self.sawyer else "robot0:r_gripper_finger_link"

    @property
    def weld(self):
        return SAWYER_WELD if self.sawyer else FETCH_WELD

    def ctrl(self, grip):
        """The actuators' command, as the package's environment gives it for a closed and an open gripper."""
        if self.sawyer:
            return [1.0, -1.0] if grip else [-1.0, 1.0]
        if "pick" not in self.file:
            return []  # its fingers have no actuators
        return [0.0, 0.0] if grip else [0.05, 0.05]


def legs_of(first, *others):
    return tuple(Leg(*leg) for leg in (first, *others))


def lift(x, y, low, high, aside, above=0.2):
    """Down on an object, wait until the hand rests, close, up, aside and hold."""
    return legs_of((1.0, (x, y, above)), (1.0, (x, y, low)), (0.4, (x, y, low)), (0.8, (x, y, low), True), (1.0, (x, y, high), True),
                   (1.0, aside, True), (1.0, aside, True))  # fmt: skip


FETCH_START = {"robot0:slide0": (0.405,), "robot0:slide1": (0.48,), "robot0:slide2": (0.0,),
               "object0:joint": (1.34, 0.75, 0.425, 1.0, 0.0, 0.0, 0.0)}  # fmt: skip

SLIDE_START = FETCH_START | {"robot0:slide0": (0.05,), "object0:joint": (1.0, 0.75, 0.42, 1.0, 0.0, 0.0, 0.0)}

TASKS = (
    Task("pick and place", f"{SAWYER}/sawyer_pick_place_v3.xml", lift(0, 0.6, 0.055, 0.25, (0.1, 0.75, 0.25)), body="obj", least=0.15),
    Task("assembly, ring lifted", f"{SAWYER}/sawyer_assembly_peg.xml", lift(0.23, 0.6, 0.055, 0.22, (0.2, 0.7, 0.22)), body="RoundNut", least=0.1),
    Task("hammer lifted", f"{SAWYER}/sawyer_hammer.xml", lift(0.0, 0.6, 0.055, 0.2, (0.0, 0.55, 0.2)), body="hammerbody", least=0.1),
    Task("drawer opened", f"{SAWYER}/sawyer_drawer.xml",
         legs_of((1.0, (0, 0.6, 0.25)), (1.0, (0, 0.74, 0.25)), (1.0, (0, 0.74, 0.1)), (0.8, (0, 0.74, 0.1), True),
                 (1.5, (0, 0.62, 0.1), True), (0.5, (0, 0.62, 0.1), True)),
         joint="goal_slidey", aside=(0.0, 0.0, 0.2), least=0.1),
    Task("door opened", f"{SAWYER}/sawyer_door_pull.xml",
         legs_of((1.0, (0.24, 0.6, 0.3)), (1.0, (0.24, 0.68, 0.3)), (1.0, (0.24, 0.68, 0.165)), (1.0, (0.185, 0.56, 0.165)),
                 (1.0, (0.098, 0.461, 0.165)), (0.5, (0.098, 0.461, 0.165))),
         joint="doorjoint", aside=(0.0, 0.0, 0.2), least=0.4, near=0.01),
    Task("button pressed", f"{SAWYER}/sawyer_button_press_topdown.xml",
         legs_of((1.0, (0, 0.6, 0.45)), (1.0, (0, 0.85, 0.45)), (1.5, (0, 0.85, 0.31)), (0.5, (0, 0.85, 0.31))),
         joint="btnbox_joint", aside=(0.0, -0.25, 0.0), least=0.03),
    Task("lever pulled", f"{SAWYER}/sawyer_lever_pull.xml",
         legs_of((1.0, (0.12, 0.5, 0.12)), (1.0, (0.12, 0.64, 0.12)), (1.5, (0.12, 0.67, 0.3)), (0.5, (0.12, 0.67, 0.3))),
         joint="LeverAxis", aside=(0.0, -0.2, 0.0), least=0.3, near=0.02, limits={"LeverAxis": (-1.57, 0.0)}),
    Task("Fetch pick and place", f"{FETCH}/pick_and_place.xml", lift(1.34, 0.75, 0.445, 0.65, (1.25, 0.65, 0.65), above=0.555), body="object0",
         start=FETCH_START, least=0.15),
    Task("Fetch push", f"{FETCH}/push.xml",
         legs_of((1.0, (1.25, 0.75, 0.5)), (1.0, (1.25, 0.75, 0.445)), (1.5, (1.37, 0.75, 0.445)), (0.5, (1.37, 0.75, 0.445))),
         body="object0", along=(1.0, 0.0, 0.0), start=FETCH_START, aside=(0.0, 0.12, 0.0), least=0.05),
    Task("Fetch slide", f"{FETCH}/slide.xml",
         legs_of((1.0, (0.9, 0.75, 0.5)), (1.0, (0.9, 0.75, 0.445)), (0.5, (1.1, 0.75, 0.445)), (1.0, (1.1, 0.75, 0.445))),
         body="object0", along=(1.0, 0.0, 0.0), start=SLIDE_START, aside=(0.0, 0.12, 0.0), least=0.2, near=0.012),
)  # fmt: skip
