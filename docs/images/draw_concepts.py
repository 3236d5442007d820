"""Draws the pictures of the pages on concepts and laws from the simulator itself.

    .venv/bin/python docs/images/draw_concepts.py     # writes concept_*.png beside this file; PYTHONPATH: the package
"""

from pathlib import Path

import matplotlib
import numpy as np
import stiction as st

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
plt.rcParams.update({"font.size": 13, "axes.grid": True, "grid.alpha": 0.3, "figure.dpi": 100, "lines.linewidth": 2})

BOX = '<freejoint/> <geom type="box" size="0.05 0.05 0.05" mass="1" friction="0.5" priority="1"/>'
BLOCK = f"""<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 0.05"> {BOX} </body>
  </worldbody>
</mujoco>"""
PUSH = """<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 0.05">
      <joint type="slide" axis="1 0 0"/> <joint type="slide" axis="0 0 1"/>
      <geom type="box" size="0.05 0.05 0.05" mass="1" friction="0.5" priority="1"/>
    </body>
    <body pos="-0.06 0 0.05" gravcomp="1">
      <joint name="x" type="slide" axis="1 0 0"/>
      <geom type="sphere" size="0.01" mass="0.1" condim="1" priority="2"/>
    </body>
  </worldbody>
  <actuator> <position joint="x" kp="1000"/> </actuator>
</mujoco>"""
TOWER = """<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1" friction="0.5"/>
    {boxes}
  </worldbody>
</mujoco>""".format(
    boxes="\n    ".join(
        f'<body pos="{0.004 * i} {-0.003 * i} {0.05 + 0.1 * i}"> <freejoint/> '
        f'<geom type="box" size="0.05 0.05 0.05" mass="1" friction="0.5"/> </body>'
        for i in range(5)
    )
)


def save(figure, name):
    figure.savefig(HERE / name, bbox_inches="tight", pil_kwargs={"optimize": True})
    plt.close(figure)


def draw_hover():
    """Height of a block that a finger pushes with 0.2 m/s for 2 s."""
    figure, axes = plt.subplots(figsize=(6, 3.6))
    styles = {0.4: "-", 0.1: "--", 0.01: "-."}
    cases = [(law, h) for h in styles for law in ("coulomb", "anitescu")]
    for law, h in cases:
        with st.Simulator(st.load_model(PUSH, dynamics="quasistatic", law=law, step_size=h)) as sim:
            time, height = [0.0], [0.0]
            for step in range(round(2.8 / h)):
                sim.step(np.array([[0.2 * min(h * (step + 1), 2.0)]]))
                time.append(h * (step + 1))
                height.append(1e3 * sim.qpos[0, 1])
        if law == "coulomb":
            label = "Coulomb, each h" if h == 0.4 else None
            axes.step(time, height, where="pre", color="0.55", linewidth=4, zorder=1, label=label)
        else:
            axes.step(time, height, styles[h], where="pre", color="black", label=f"Anitescu, h = {h} s")
    axes.set(xlabel="time [s]", ylabel="height above the floor [mm]", ylim=(-2, 54), xlim=(0, 2.8))
    axes.legend(loc="upper right", fontsize=11, ncol=2)
    save(figure, "concept_hover.png")


def draw_residual():
    """Residual of one cold step of a tower of five boxes and what it took, for budgets and tolerances."""
    figure, axes = plt.subplots(figsize=(6, 4))
    styles = {"interior_point": "o-", "newton": "s:", "admm": "^--", "pgs": "x-."}
    for shade, (solver, style) in zip(("black", "0.3", "black", "0.5"), styles.items(), strict=True):
        points = {}
        cases = [(1e-11, budget) for budget in (1, 2, 3, 4)] + [(10.0**-digits, 50) for digits in range(1, 12)]
        for tolerance, budget in cases:
            scene = st.load_model(TOWER, dynamics="dynamic", solver=solver, tolerance=tolerance, max_iterations=budget)
            with st.Simulator(scene) as sim:
                sim.step()
                points[int(sim.stats.iterations[0])] = float(sim.stats.residual[0])
        iterations = sorted(points)
        print(solver, [f"{i}: {points[i]:.0e}" for i in iterations])
        axes.loglog(iterations, [points[i] for i in iterations], style, color=shade, label=solver, markersize=6)
    axes.set(xlabel="iterations, steps or sweeps until the solver ends", ylabel="residual", ylim=(1e-13, 3))
    axes.legend(loc="lower right", fontsize=11)
    save(figure, "concept_residual.png")


def largest_friction(scene, azimuth):
    """tan of the slope up to which a block sticks."""
    low, high = 0.3, 0.8
    with st.Simulator(scene) as sim:
        while high - low > 1e-4:
            slope = (low + high) / 2
            sim.reset()
            sim.params.gravity[0] = 9.81 * np.array([slope * np.cos(azimuth), slope * np.sin(azimuth), -1.0])
            sim.step(steps=2)
            slides = np.abs(sim.qvel[0, :2]).max() > 1e-6
            low, high = (low, slope) if slides else (slope, high)
    return low


def draw_cones():
    """Slopes up to which a block with μ = 0.5 sticks, in every direction."""
    figure, axes = plt.subplots(figsize=(4.8, 4), subplot_kw={"projection": "polar"})
    angles = np.radians(np.arange(0, 361, 5))
    cases = [("box", 4, "-.", "box"), ("quadratic", 4, "-", "quadratic"), ("pyramid", 8, ":", "pyramid, 8"),
             ("pyramid", 4, "--", "pyramid, 4")]  # fmt: skip
    for cone, facets, style, label in cases:
        scene = st.load_model(BLOCK, dynamics="dynamic", law="coulomb", cone=cone, facets=facets, step_size=0.01)
        axes.plot(angles, [largest_friction(scene, a) for a in angles], style, color="black", label=label)
    axes.set(rlim=(0, 0.75), rticks=[0.25, 0.5, 0.75])
    axes.set_rlabel_position(112)
    axes.set_thetagrids([0, 45, 90, 135, 180, 225, 270, 315])
    axes.legend(loc="center", fontsize=11)
    save(figure, "concept_cones.png")


if __name__ == "__main__":
    draw_hover()
    draw_residual()
    draw_cones()
