"""Why a file does not run, in a few words: the first pattern that the program's line holds."""

import re

CAUSES = (
    ("weld", r"\bweld\b"),
    ("connect", r"\bconnect\b"),
    ("joint equality with several joints or a loop", r"equality.*joint"),
    ("flex or other equality", r"equality"),
    ("condim 6", r"condim 6|rolling"),
    ("condim 4 and a pyramid", r"condim 4|torsional friction"),
    ("lift and drag of shapes", r"fluidshape"),
    ("density, viscosity, wind", r"density|viscosity|wind"),
    ("option constraint = disable", r"constraint"),
    ("activation filter", r"filter|dyntype|activation"),
    ("body transmission", r"transmission|adhesion"),
    ("spatial tendon", r"spatial|tendon"),
    ("actuator across trees", r"trees"),
    ("height field", r"height field|hfield"),
    ("flex", r"\bflex"),
    ("plugin", r"plugin"),
    ("gravity compensation", r"gravcomp"),
    ("integrator", r"integrator"),
    ("package:// not found", r"package:/"),
    ("mesh not found or not readable", r"mesh|\.dae|\.glb|\.stl|\.obj|decoder"),
    ("inertia", r"inertia|eigenvalue"),
    ("infeasible start or step", r"infeasible"),
    ("no solution found", r"no solution found"),
    ("meetings open", r"meetings open"),
    ("iteration limit or stalled", r"iteration limit|stalled"),
    ("not finite", r"nan|not finite|non_finite"),
    ("contacts or pairs beyond capacity", r"overflow|capacity|max_contacts|max-contacts"),
    ("time limit", r"no end after"),
)


EXPLAINED = {
    "grippers/jaco_three_finger_gripper.xml": "its tendon equalities ask for more than its joint limits allow, by 6e-4: robosuite merges the file into a model in radians, alone it is read in "
    "degrees. MuJoCo's own angles pass 100 rad within the second",
    "yumi/robot.xml": "one step of 100 has no solution under Coulomb's law that any solver finds: the impulses between its links grow without bound at a residual of 1e-5. It runs at 5 ms, and under Anitescu's law",
    "kitchen_assets/kitchen_env_model.xml": "its reference is 0.4 rad beyond a joint's limit. The first step undoes that, and on the way reaches more pairs than there is room for. It runs from its keyframe, and with `max_pairs = 2000`",
    "sawyer_xyz/sawyer_pick_out_of_hole.xml": "the object begins between a plate and the table that are 40 mm too close for it: nothing parts them. In MuJoCo it is 37 mm inside the table after a second",
    "vega_1u/vega_1u_f5d6_collision_spheres.collision.urdf": "a robot of 152 spheres without actuators, which falls into itself: in one step of 100 it is not settled which of its bodies meet. It runs at 5 ms",
}  # what was found out about files that fail, by the end of their path


def explained(name):
    """What is known about a file that fails, or nothing."""
    return next((text for end, text in EXPLAINED.items() if name.endswith(end)), "")


def cause_of(line):
    """The cause that a line names; "other" where no pattern fits."""
    text = line.lower()
    return next((cause for cause, pattern in CAUSES if re.search(pattern, text)), "other")
