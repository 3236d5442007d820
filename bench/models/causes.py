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


def cause_of(line):
    """The cause that a line names; "other" where no pattern fits."""
    text = line.lower()
    return next((cause for cause, pattern in CAUSES if re.search(pattern, text)), "other")
