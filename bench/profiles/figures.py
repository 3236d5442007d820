"""The pictures of report.py: performance profiles, and time against contacts."""

import math

import matplotlib
import outcomes

matplotlib.use("Agg")
import matplotlib.pyplot as plt

OURS = ["interior_point", "newton", "admm", "pgs", "lemke"]
DASHES = ["-", (0, (6, 2)), (0, (2, 1.2)), (0, (6, 2, 1.5, 2)), (0, (1, 2.2)), (0, (9, 2, 2, 2, 2, 2))]
MARKERS = "osD^vPX*"
WIDTH, HEIGHT = 6.4, 3.3   # of a panel [inch]
FONT = {"font.size": 13, "axes.titlesize": 13, "legend.fontsize": 10.5}
MOST = 1e3                 # largest ratio shown


def style(solver, peers):
    """Ours: dark and thick; peers: light and thin. Dashes and markers tell each apart without colour."""
    if solver in OURS:
        i = OURS.index(solver)
        return {"color": plt.cm.viridis(0.1 * i), "lw": 3.0, "ls": DASHES[i], "marker": ""}
    i = peers.index(solver)
    return {"color": plt.cm.viridis(0.5 + 0.38 * i / max(1, len(peers) - 1)), "lw": 1.4, "ls": DASHES[i % len(DASHES)],
            "marker": MARKERS[i % len(MARKERS)], "ms": 5.5}


def titled(title, tolerance):
    return f"{title}, residual 1e{round(math.log10(tolerance))}"


def order(solvers):
    """Ours first, then the others as they come."""
    return [s for s in OURS if s in solvers] + [s for s in solvers if s not in OURS]


def finish(picture, axes, file):
    handles, labels = axes[-1].get_legend_handles_labels()
    picture.tight_layout()
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0)}
    picture.legend(handles, labels, ncol=2, frameon=False, handlelength=4, **below)
    picture.savefig(file, dpi=110, bbox_inches="tight")
    plt.close(picture)


def draw_profiles(rows, title, file):
    """A panel a tolerance."""
    with plt.rc_context(FONT):
        picture, axes = plt.subplots(len(outcomes.TOLERANCES), 1, figsize=(WIDTH, HEIGHT * len(outcomes.TOLERANCES)))
        for axis, tolerance in zip(axes, outcomes.TOLERANCES):
            ratios = outcomes.ratios(outcomes.times(rows, tolerance))
            solvers = order(list(ratios))
            peers = [s for s in solvers if s not in OURS]
            for solver in solvers:
                tau, share = outcomes.profile(ratios[solver])
                end = share[-1] if share else 0.0
                axis.step([1.0, *tau, MOST * 10], [0.0, *share, end], where="post", label=solver, markevery=0.15,
                          **style(solver, peers))
            axis.set(xscale="log", xlim=(1, MOST), ylim=(-0.02, 1.02), title=titled(title, tolerance),
                     ylabel="share of problems")
            axis.grid(True, alpha=0.25)
        axes[-1].set_xlabel("time / that of the fastest, at most")
        finish(picture, axes, file)


def curve(rows, solver, tolerance):
    """Contacts, and the median time [s] where at least half of the problems of that size are solved."""
    by_count = {}
    for row in rows:
        if row["solver"] == solver:
            by_count.setdefault(row["contacts"], {}).setdefault(row["problem"], []).append(row)
    out = []
    for count, problems in sorted(by_count.items()):
        seconds = [outcomes.outcome(r, tolerance)[0] for r in problems.values()]
        if (middle := outcomes.median(seconds)) < math.inf:
            out.append((count, middle))
    return out


def draw_times(families, tolerance, file):
    """`families`: title -> rows of the random sets. A panel a family."""
    with plt.rc_context(FONT):
        picture, axes = plt.subplots(len(families), 1, figsize=(WIDTH, (HEIGHT + 1.7) * len(families)))
        for axis, (title, rows) in zip(axes, families.items()):
            solvers = order(list(dict.fromkeys(r["solver"] for r in rows)))
            peers = [s for s in solvers if s not in OURS]
            for solver in solvers:
                points = curve(rows, solver, tolerance)
                if points:
                    axis.loglog(*zip(*[(count, 1e3 * t) for count, t in points]), label=solver, **style(solver, peers))
            axis.set(title=titled(title, tolerance), ylabel="median time [ms]", xlabel="contacts")
            axis.set_xticks([4, 16, 64, 256], ["4", "16", "64", "256"])
            axis.grid(True, which="major", alpha=0.25)
            axis.legend(ncol=2, frameon=False, handlelength=4, loc="upper center", bbox_to_anchor=(0.45, -0.2))
        picture.tight_layout()
        picture.savefig(file, dpi=110, bbox_inches="tight")
        plt.close(picture)
