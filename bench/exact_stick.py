"""Do bodies that should stick stay where they are? A box on a slope at 0.999 and 1.001 of the friction that holds it, and a capsule
pinched between two plates for a minute; compares this program with MuJoCo with its default and its best settings.

    PYTHONPATH=build/host-release/python .venv/bin/python bench/exact_stick.py [--quick]

Prints the tables of docs/exact_stick.md. --quick: this program alone. MuJoCo's best settings: elliptic cones, impratio
1,000, Newton's solver to 1e-12, 100 iterations of the no-slip solver, contacts as stiff as their time constant of two
steps allows; with the integrators implicitfast and, where this MuJoCo has it, discrete.
"""

import argparse
import math

import numpy as np
import stiction as st

SLOPE = math.radians(20)
SECONDS, PINCHED = 10.0, 60.0
STEPS = (0.001, 0.01)
SHARES = (0.999, 1.001)  # of the friction that just holds the box
G = 9.81


def slope(share, option=""):
    """A box on the ground, with gravity turned by the slope's angle; friction is `share` times the tangent of that angle."""
    mu = share * math.tan(SLOPE)
    return f"""<mujoco><option gravity="{G * math.sin(SLOPE)!r} 0 {-G * math.cos(SLOPE)!r}" {option}/><worldbody>
  <geom type="plane" size="5 5 .1" friction="{mu!r} 0 0"/>
  <body pos="0 0 .05"><freejoint/><geom type="box" size=".1 .1 .05" mass="1" friction="{mu!r} 0 0"/></body>
</worldbody></mujoco>"""


def pinch(option=""):
    """A capsule lying between two plates on springs, held by friction alone: 15 N per side and mu .6 for 0.98 N."""
    plates = "".join(
        f'<body pos="{side * 0.07} 0 0" gravcomp="1"><joint name="plate{side}" type="slide" axis="{-side} 0 0" damping="50"/>'
        f'<geom type="box" size=".02 .05 .05" mass=".5" friction=".6 0 0"/></body>'
        for side in (-1, 1)
    )
    drives = "".join(f'<position joint="plate{side}" kp="1000" kv="50"/>' for side in (-1, 1))
    return f"""<mujoco><option gravity="0 0 {-G}" {option}/><worldbody>{plates}
  <body pos="0 0 0"><freejoint/><geom type="capsule" size=".02 .03" euler="0 90 0" mass=".1" friction=".6 0 0"/></body>
</worldbody><actuator>{drives}</actuator></mujoco>"""


PRESS = 0.015  # command beyond where the plates touch: 15 N per side [m]


def ours(xml, step_size, seconds, ctrl=()):
    """qpos at the end, and the share of steps that converged."""
    model = st.load_model(xml, dynamics="dynamic", law="coulomb", cone="quadratic", step_size=step_size, tolerance=1e-8)
    with st.Simulator(model, device="cpu", threads=1) as sim:
        if len(ctrl):
            sim.ctrl[0] = ctrl
        steps = round(seconds / step_size)
        converged = sum(int(sim.step()[0]) == int(st.Status.CONVERGED) for _ in range(steps))
        return np.array(sim.qpos[0]), converged / steps


def mujoco_settings(step_size):
    """{name: attributes of <option>}, {name: attributes of every geom}"""
    import mujoco

    best = (
        f'timestep="{step_size}" cone="elliptic" impratio="1000" solver="Newton" tolerance="1e-12" iterations="200" '
        f'noslip_iterations="100" noslip_tolerance="1e-12"'
    )
    settings = {"default": f'timestep="{step_size}"', "best, implicitfast": f'{best} integrator="implicitfast"'}
    if hasattr(mujoco.mjtIntegrator, "mjINT_DISCRETE"):
        settings["best, discrete"] = f'{best} integrator="discrete"'
    return settings


def theirs(xml, stiff, step_size, seconds, ctrl=()):
    import mujoco

    model = mujoco.MjModel.from_xml_string(xml)
    if stiff:
        model.geom_solref[:] = (2 * step_size, 1)
        model.geom_solimp[:] = (0.99, 0.999, 1e-4, 0.5, 2)
    data = mujoco.MjData(model)
    if len(ctrl):
        data.ctrl[:] = ctrl
    for _ in range(round(seconds / step_size)):
        mujoco.mj_step(model, data)
    return np.array(data.qpos)


def rows(make, seconds, ctrl, measure, quick):
    """(simulator, step, figure)"""
    found = []
    for step_size in STEPS:
        qpos, converged = ours(make(""), step_size, seconds, ctrl)
        found.append((f"stiction, {100 * converged:.4g} % converged", step_size, measure(qpos)))
        if quick:
            continue
        for name, option in mujoco_settings(step_size).items():
            found.append((f"MuJoCo, {name}", step_size, measure(theirs(make(option), name != "default", step_size, seconds, ctrl))))
    return found


def slide_of(share):
    """How far the box should slide [m]."""
    return max(0.0, 0.5 * G * (math.sin(SLOPE) - share * math.tan(SLOPE) * math.cos(SLOPE)) * SECONDS**2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="this program alone")
    quick = parser.parse_args().quick
    print("| | step [ms] | " + " | ".join(f"friction {s} of what holds: {1000 * slide_of(s):.4g} mm" for s in SHARES) + " |")
    print("|---|---|---|---|")
    by_share = [rows(lambda o, s=s: slope(s, o), SECONDS, (), lambda q: q[0], quick) for s in SHARES]
    for below, above in zip(*by_share, strict=True):
        print(f"| {below[0]} | {1000 * below[1]:g} | {1000 * below[2]:.4g} mm | {1000 * above[2]:.3g} mm |")
    print("\n| | step [ms] | sinks in a minute |\n|---|---|---|")
    gap = 0.07 - 0.02 - 0.05
    for name, step_size, sunk in rows(pinch, PINCHED, (gap + PRESS,) * 2, lambda q: -q[4], quick):
        print(f"| {name} | {1000 * step_size:g} | {f'{1000 * sunk:.3g} mm' if sunk < 1 else 'falls out'} |")


if __name__ == "__main__":
    main()
