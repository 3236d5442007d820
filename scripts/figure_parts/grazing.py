"""2021 paper, Fig. 2 and section III-B: what is ill-posed in model (1), and that the springs of model (6) make it well-posed."""

from figure_parts import claims, style, tables

NAME, TABLES = "2021_fig2", ("gripper_exact", "grazing")
TITLE = "2021, Fig. 2 and section III-B: fingers that follow exactly"
CAPTION = (
    "Fingers touch the ball and rise. With model (1) the ball stays or rises, as the solver starts; with the springs "
    "of (6) both starts give one answer."
)
PLACE = 1e-9  # direct solver, double [m]
CASES = ["exact, from rest", "exact, from rising", "springs, from rest", "springs, from rising"]
LIFT = 0.06  # of the fingers [m]


def last(data, case):
    return tables.where(data["grazing"], case=case)["ball_m"][-1]


def judge(data):
    exact, ends = data["gripper_exact"], {case: last(data, case) for case in CASES}
    inside = exact["commanded_room_m"] < -PLACE
    return [
        claims.near(
            NAME,
            "(1): a grasp commanded into the sphere has no solution, others have one: share of the steps",
            ((exact["solved"] == 0) == inside).mean(),
            1,
            0,
        ),
        claims.near(
            NAME, "(1): steps that are solved before the first that is not", exact["solved"].cumprod().sum(), 3, 0
        ),
        claims.near(
            NAME,
            "(1): grazing fingers rise, the sphere stays on the ground: its height, from rest",
            ends[CASES[0]],
            0.1,
            PLACE,
            "m",
        ),
        claims.near(
            NAME,
            "(1): or it rises with them, as exact a solution: its height, from a rising start",
            ends[CASES[1]],
            0.1 + LIFT,
            PLACE,
            "m",
        ),
        claims.near(
            NAME,
            "(6): springs give one answer, whatever the start: difference of the heights",
            ends[CASES[2]] - ends[CASES[3]],
            0,
            PLACE,
            "m",
        ),
        claims.near(
            NAME,
            "every step of the four runs converged",
            data["grazing"]["converged"][data["grazing"]["time_s"] > 0],
            1,
            0,
        ),
    ]


def draw(data, file):
    figure, axes = style.panels(1, 1)
    for k, case in enumerate(CASES):
        run = tables.where(data["grazing"], case=case)
        axes[0, 0].plot(run["time_s"], 1e3 * run["ball_m"], label=case, markevery=4, **style.look(k))
    axes[0, 0].set(xlabel="time t [s]", ylabel="height of the ball [mm]")
    axes[0, 0].legend()
    style.save(figure, file)
