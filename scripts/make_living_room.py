#!/usr/bin/env python3
"""Makes scenes/living_room: a furnished room, in which an arm takes a jar from the dining table and puts it on the sideboard.

    make_living_room.py [--check]     --check: compare with the committed files instead of writing them

Furniture is boxes and cylinders that do not move. The arm is that of scenes/iiwa_stack, on a pedestal as high as the table; the hand goes along
straight lines with the timing 10 s³ - 15 s⁴ + 6 s⁵, and the joints of KNOT apart come from inverse kinematics.
"""

import pathlib

import numpy as np
from made_files import write_or_compare
from make_grasp_objects import OBJECTS, mass_properties

from scenes import stack_model, stack_path

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes"
FOLDER = SCENES / "living_room"
TABLE = 0.74          # height of the table and of the pedestal [m]
SIDEBOARD = 0.80      # [m]
KNOT = 0.1            # between the knots of the command [s]
OPEN, SQUEEZE = 0.05, 0.013  # pads from the middle: the jar's half width is 28 mm, so that 15 N press [m]
GRIP = 0.035          # of the hand's grip over what the jar stands on [m]
PICK, PLACE = (0.50, 0.15), (0.05, -0.55)  # where the jar stands before and after, the arm at the origin [m]
WAY = [  # (time [s], grip in the arm's frame [m], pads [m]) between which the hand moves and the pads close
    (0.0, (0.52, 0.0, 0.40), OPEN), (1.2, (*PICK, 0.20), OPEN), (2.0, (*PICK, GRIP), OPEN), (2.6, (*PICK, GRIP), SQUEEZE),
    (3.4, (*PICK, 0.30), SQUEEZE), (4.4, (0.42, -0.25, 0.34), SQUEEZE), (5.4, (*PLACE, 0.34), SQUEEZE),
    (6.4, (*PLACE, SIDEBOARD - TABLE + GRIP + 0.001), SQUEEZE), (6.9, (*PLACE, SIDEBOARD - TABLE + GRIP + 0.001), OPEN),
    (7.6, (*PLACE, 0.34), OPEN)]
DURATION = 8.0        # [s]
THINGS = {"jar": (*PICK, TABLE), "mug": (0.72, 0.38, TABLE), "carton": (0.80, -0.05, TABLE), "bowl": (0.95, 0.25, TABLE)}  # on what height
WOOD, DARK, CLOTH, WHITE, METAL = ".72 .54 .36", ".42 .30 .20", ".36 .45 .52", ".90 .89 .86", ".35 .37 .40"
BOOKS = (".62 .20 .18", ".20 .38 .52", ".80 .66 .30", ".30 .45 .32")


def box(name, at, edges, color):
    """Centre and edges [m]."""
    return f'    <geom name="{name}" type="box" pos="{words(at)}" size="{words(np.array(edges) / 2)}" rgba="{color} 1"/>'


def cylinder(name, at, radius, height, color):
    return f'    <geom name="{name}" type="cylinder" pos="{words(at)}" size="{words([radius, height / 2])}" rgba="{color} 1"/>'


def words(values):
    return " ".join(f"{round(float(x), 6) + 0.0:g}" for x in values)


def legs(name, x, y, across, along, height, width, color):
    """Four legs under a top of the size across x along."""
    corners = [(s * (across - width) / 2, t * (along - width) / 2) for s in (-1, 1) for t in (-1, 1)]
    return [box(f"{name}_leg_{k}", (x + a, y + b, height / 2), (width, width, height), color) for k, (a, b) in enumerate(corners)]


def table(x, y):
    return [box("table_top", (x, y, TABLE - 0.02), (0.9, 1.4, 0.04), WOOD), *legs("table", x, y, 0.84, 1.34, TABLE - 0.04, 0.06, WOOD)]


def chair(name, x, y, side):
    """A chair whose back is on the side +y or -y."""
    back = box(f"{name}_back", (x, y + side * 0.2, 0.7), (0.42, 0.03, 0.42), DARK)
    return [box(f"{name}_seat", (x, y, 0.45), (0.42, 0.42, 0.04), DARK), back, *legs(name, x, y, 0.42, 0.42, 0.43, 0.04, DARK)]


def sofa(x, y):
    arms = [box(f"sofa_arm_{k}", (x, y + s * 0.95, 0.3), (0.85, 0.16, 0.6), CLOTH) for k, s in enumerate((-1, 1))]
    cushions = [box(f"sofa_cushion_{k}", (x + 0.08, y + s * 0.58, 0.46), (0.64, 0.56, 0.14), ".46 .56 .63") for k, s in enumerate((-1, 0, 1))]
    return [box("sofa_base", (x, y, 0.2), (0.85, 1.74, 0.38), CLOTH), box("sofa_back", (x - 0.33, y, 0.62), (0.19, 1.74, 0.46), CLOTH), *arms, *cushions]


def shelf(x, y):
    """Sides, boards and books."""
    parts = [box(f"shelf_side_{k}", (x + s * 0.6, y, 0.9), (0.03, 0.3, 1.8), WHITE) for k, s in enumerate((-1, 1))]
    parts += [box(f"shelf_board_{k}", (x, y, 0.1 + 0.42 * k), (1.17, 0.3, 0.03), WHITE) for k in range(5)]
    for k in range(12):
        height = 0.20 + 0.02 * (k * 7 % 5)
        at = (x - 0.5 + 0.05 * (k % 4) + 0.25 * (k // 4), y, 0.535 + 0.42 * (k // 4) + height / 2)
        parts.append(box(f"book_{k}", at, (0.04, 0.2, height), BOOKS[k % 4]))
    return parts


def lamp(name, x, y):
    return [cylinder(f"{name}_foot", (x, y, 0.015), 0.15, 0.03, METAL), cylinder(f"{name}_pole", (x, y, 0.75), 0.015, 1.44, METAL),
            cylinder(f"{name}_shade", (x, y, 1.6), 0.18, 0.26, ".96 .90 .74")]


def coffee_table(x, y):
    return [cylinder("coffee_table_top", (x, y, 0.42), 0.4, 0.03, WOOD), cylinder("coffee_table_column", (x, y, 0.22), 0.04, 0.37, METAL),
            cylinder("coffee_table_foot", (x, y, 0.0175), 0.22, 0.035, METAL)]


def sideboard(x, y):
    doors = [box(f"sideboard_door_{k}", (x + s * 0.2, y + 0.185, 0.42), (0.37, 0.02, 0.6), WOOD) for k, s in enumerate((-1, 1))]
    return [box("sideboard_top", (x, y, SIDEBOARD - 0.02), (0.86, 0.42, 0.04), WOOD), box("sideboard_body", (x, y, 0.42), (0.8, 0.35, 0.68), DARK), *doors]


def television(x, y):
    return [box("television_board", (x, y, 0.22), (0.4, 1.5, 0.44), WHITE), box("television_stand", (x, y, 0.5), (0.1, 0.3, 0.12), METAL),
            box("television", (x, y, 0.88), (0.05, 1.2, 0.68), ".08 .08 .09")]


def plant(x, y):
    return [cylinder("plant_pot", (x, y, 0.17), 0.18, 0.34, ".70 .42 .30"), cylinder("plant_stem", (x, y, 0.6), 0.02, 0.52, ".40 .32 .20"),
            cylinder("plant_leaves", (x, y, 1.1), 0.28, 0.48, ".30 .50 .28")]


def furniture():
    chairs = [(f"chair_{k}", x, s * 0.95, s) for k, (x, s) in enumerate(((0.62, 1), (1.12, 1), (0.75, -1), (1.2, -1)))]
    return [*table(0.85, 0.0), *(part for words_of in chairs for part in chair(*words_of)), *sofa(-2.0, 0.0), *shelf(0.2, 1.8),
            *lamp("lamp_0", -2.2, 1.5), *lamp("lamp_1", 2.2, -1.6), *coffee_table(-1.0, 0.0), *sideboard(-0.05, -0.62), *television(2.25, 0.3),
            *plant(-2.1, -1.6), box("pedestal", (0, 0, TABLE / 2), (0.3, 0.3, TABLE), WHITE),
            box("wall_left", (-2.55, 0, 1.2), (0.1, 4.1, 2.4), ".86 .86 .84"), box("wall_back", (0, 2.1, 1.2), (5.2, 0.1, 2.4), ".88 .88 .86")]


def room():
    return "\n".join([
        '<mujoco model="room">', "  <!-- made by scripts/make_living_room.py. Contact bits: 1 robot, 2 furniture and objects -->",
        '  <visual><global offwidth="1600" offheight="1200"/><map znear=".01" zfar="30"/></visual>',
        '  <default><geom contype="2" conaffinity="3" friction=".6 0 0"/></default>', "  <worldbody>",
        '    <light pos="1.5 -2.5 3.5" dir="-.3 .6 -1" directional="true" diffuse=".6 .6 .58"/>',
        '    <light pos="-1.5 -1 3.5" dir=".4 .3 -1" directional="true" diffuse=".25 .25 .28" castshadow="false"/>',
        '    <geom name="floor" type="plane" size="6 6 .1" rgba=".74 .68 .60 1"/>', *furniture(), "  </worldbody>", "</mujoco>", ""])


def smooth(s):
    return s**3 * (10 - 15 * s + 6 * s**2)


def commands():
    """Times [s] and targets (n, 9): seven joints [rad] and two pads [m]."""
    model = stack_model.compile_scene(SCENES / "iiwa_stack", SCENES / "iiwa_stack_1/cubes.xml")
    kinematics = stack_path.Kinematics(model)
    times = KNOT * np.arange(round(WAY[-1][0] / KNOT) + 1)
    rows = []
    for time in times:
        k = max(i for i in range(len(WAY) - 1) if WAY[i][0] <= time + 1e-9)
        (begin, start, pads), (end, goal, then) = WAY[k], WAY[k + 1]
        s = smooth((time - begin) / (end - begin))
        joints = kinematics.solve((1 - s) * np.array(start) + s * np.array(goal))
        rows.append([*joints, *[(1 - s) * pads + s * then] * 2])
    return times, np.array(rows)


def command_csv(times, rows):
    head = ",".join(["time", *(f"joint{k}" for k in range(1, 8)), "finger_left", "finger_right"])
    return "\n".join([head, *(",".join([f"{t:.1f}", *(f"{x + 0.0:.6f}" for x in row)]) for t, row in zip(times, rows)), ""])


def height(name):
    """Of an object's centre of mass over its lowest point [m]."""
    pieces = OBJECTS[name][2]
    lowest = min(piece.center[2] - piece.size[2] if piece.kind == "box" else piece.corners[:, 2].min() for piece in pieces)
    return mass_properties(pieces)[1][2] - lowest


def scene(start):
    places = {name: (x, y, support + height(name)) for name, (x, y, support) in THINGS.items()}
    attached = [f'[[attach]]\nmodel = "../objects/{name}.xml"\nprefix = "{name}/"\n' for name in THINGS]
    free = [f"  {words(at).replace(' ', ', ')}, 1, 0, 0, 0,  # {name} [m], quaternion" for name, at in places.items()]
    arm = ", ".join(f"{x + 0.0:.6f}" for x in start[:7])
    return "\n".join([
        "# An arm in a furnished room takes a jar from the table and puts it on the sideboard (made by scripts/make_living_room.py).",
        'model = "room.xml"', "", "# knots every 0.1 s: time [s], joint1 ... joint7 [rad], finger_left, finger_right [m]", 'command_file = "command.csv"', "",
        f'[[attach]]\nmodel = "../iiwa_stack/robot.xml"\npos = [0, 0, {TABLE:g}]\nprefix = "robot/"\n',
        '[[attach]]\nmodel = "../iiwa_stack/gripper.xml"\nto = "robot/flange"\nprefix = "gripper/"\n', *attached,
        "# second order, Coulomb's law, round cones: the defaults", "", "[solver]", "tolerance = 1e-6", "",
        "[step]", "step_size = 0.02  # [s]", f"duration = {DURATION:g}     # [s]", "", "[initial]", "qpos = [", f"  {arm},  # arm [rad]",
        f"  {OPEN:g}, {OPEN:g},  # fingers [m]", *free, "]", ""])


def files():
    times, rows = commands()
    return {"room.xml": room(), "command.csv": command_csv(times, rows), "scene.toml": scene(rows[0])}


if __name__ == "__main__":
    write_or_compare(__doc__.splitlines()[0], FOLDER, files)
