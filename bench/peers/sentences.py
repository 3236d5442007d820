"""What docs/peers.md says in words, from the rows of the runs: nothing here may need another text when the figures change."""

import numpy as np
from runs import (
    PEERS,
    SIMULATORS,
    TARGETS,
    at_step,
    between,
    fastest,
    front,
    listed,
    mm,
    ms,
    of,
    ratio,
    scenes,
    times,
    tried,
)

SMALL = 0.01       # steps up to this show what laws and contacts do by themselves [s]
LARGE = 0.1        # a step at which landings show [s]
EVEN = 0.05        # speeds that differ by less are as fast: runs repeated on one machine differ by as much
FEW = 2            # methods that are named rather than counted
SHORT_ONLY = ["euler", "implicit", "rk4"]    # MuJoCo's integrators that are tried at short steps alone
NONE = "none"


def verdict(rows):
    """Who is faster, scene by scene."""
    lines = []
    for scene in scenes(rows):
        parts = [part for part in [*(beside(rows, scene, peer) for peer in PEERS), *alone(rows, scene)] if part]
        lines.append(f"- `{scene}`: {'; '.join(parts)}.")
    return "\n".join(lines)


def beside(rows, scene, peer):
    """Our speed beside one peer's: its range, where the peer is ahead, where neither is."""
    found = {target: ratio(rows, scene, target, [peer]) for target in TARGETS}
    found = {target: r for target, r in found.items() if r}
    if not found:
        return ""
    even = [t for t, r in found.items() if round(abs(r - 1), 2) <= EVEN]
    lost = [f"{mm(t)} mm {lead(1 / r)}" for t, r in found.items() if r < 1 and t not in even]
    notes = [f"**{peer} is faster** at {listed(lost, 'and')}"] if lost else []
    notes += [f"as fast within {100 * EVEN:.0f} % at {listed([mm(t) for t in even], 'and')} mm"] if even else []
    return f"{between(found.values())} times as fast as {peer}" + (f" ({', '.join(notes)})" if notes else "")


def lead(ratio):
    return f"by {100 * (ratio - 1):.0f} %" if ratio < 2 else f"by a factor of {times(ratio)}"


def alone(rows, scene):
    """The errors that one side does not reach."""
    ours = [t for t in TARGETS if fastest(rows, scene, "stiction", t)]
    ahead = [mm(t) for t in ours if not ratio(rows, scene, t)]
    behind = [mm(t) for t in TARGETS if t not in ours]
    return [*([f"no peer reaches {listed(ahead, 'or')} mm with any method measured"] if ahead else []),
            *([f"this simulator has no run within {listed(behind, 'or')} mm"] if behind else [])]


def errors(runs, most=np.inf):
    """"a to b" of the runs with steps up to `most` [mm]."""
    found = [r["error_m"] for r in runs if not r["step_s"] > most]
    return between(found, mm) if found else NONE


def least(runs):
    return mm(min(r["error_m"] for r in runs)) if runs else NONE


def behind(rows):
    """[(what, a text for every scene)]: the errors that explain the fronts [mm]."""
    def ours(scene, *words):
        return [r for word in words for r in of(rows, scene, "stiction", word)]

    def soft(scene, contact):
        return errors(of(rows, scene, "MuJoCo", "elliptic", contact), SMALL)

    short, long = f"up to {ms(SMALL)} ms", f"at {ms(LARGE)} ms"
    says = {
        "quasistatic and quasidynamic, all runs": lambda s: errors(ours(s, "quasistatic", "quasidynamic")),
        "second order and fitted, best run": lambda s: least(ours(s, "second order", "fitted")),
        f"second order {short}, Anitescu's law, pyramids": lambda s: errors(of(rows, s, "stiction", "second order", "anitescu"), SMALL),
        f"second order {short}, Coulomb's law, quadratic cones": lambda s: errors(of(rows, s, "stiction", "second order", "coulomb"), SMALL),
        "fitted errs less than second order, all else alike": lambda s: fitted(rows, s),
        f"fitted, best run {long}: on average, in the end": lambda s: landing(rows, s),
        f"MuJoCo {short}, elliptic, *default* contacts": lambda s: soft(s, "default"),
        f"MuJoCo {short}, elliptic, *firm* contacts": lambda s: soft(s, "firm"),
        "MuJoCo, best run": lambda s: least(of(rows, s, "MuJoCo")),
        "Drake, best run with hydroelastic contact": lambda s: least(drake(rows, s, "hydroelastic")),
        "Drake, best run with point contact": lambda s: least(drake(rows, s, "point"))}
    return [[what, *map(say, scenes(rows))] for what, say in says.items()]


def fitted(rows, scene):
    """In how many pairs of runs that differ in nothing else the fitted step errs less than the one of second order."""
    found = {(r["method"], r["step_s"]): r["error_m"] for r in of(rows, scene, "stiction")}
    pairs = [error / found[other] for (method, step), error in found.items()
             if method.startswith("fitted") and (other := (method.replace("fitted", "second order"), step)) in found]
    return f"in {sum(r < 1 for r in pairs)} of {len(pairs)} pairs, {between(pairs)} times" if pairs else "no pair"


def landing(rows, scene):
    run = at_step(rows, scene, "stiction", LARGE, "fitted")
    return f"{mm(run['error_m'])}, {mm(run['end_error_m'])}" if run else NONE


def drake(rows, scene, contact):
    return [r for r in of(rows, scene, "Drake") if f", {contact} " in r["method"]]


def longest(rows, scene, simulator, *words):
    """The longest step that does the task, with which methods and errors."""
    runs = [r for r in of(rows, scene, simulator, *words) if r["step_s"] == r["step_s"]]
    if not runs:
        return "none"
    step = max(r["step_s"] for r in runs)
    runs, all_runs = ([r for r in some if r["step_s"] == step] for some in (runs, tried(rows, scene, simulator, *words)))
    names = f": {listed([r['method'] for r in runs], 'and')}" if len(runs) <= FEW < len(all_runs) else ""
    return f"{ms(step)} ms ({len(runs)} of {len(all_runs)} methods, {errors(runs)} mm{names})"


def longest_steps(rows):
    lines = []
    for scene in scenes(rows):
        lines += [f"- `{scene}`", *(f"  - {simulator}: {longest(rows, scene, simulator)}" for simulator in SIMULATORS),
                  f"  - MuJoCo with contacts by default: {longest(rows, scene, 'MuJoCo', 'default')}"]
    return "\n".join(lines)


def prices(rows):
    """(scene, error, our run, MuJoCo's) where both have one."""
    for scene in scenes(rows):
        for target in TARGETS:
            ours, theirs = (fastest(rows, scene, simulator, target) for simulator in ("stiction", "MuJoCo"))
            if ours and theirs:
                yield scene, target, ours, theirs


def price(rows):
    steps = [o["step_s"] / t["step_s"] for *_, o, t in prices(rows)]
    costs = [o["step_s"] / o["speed"] * t["speed"] / t["step_s"] for *_, o, t in prices(rows)]
    if not steps:
        return ""
    return f"At equal error our steps are {between(steps)} times as long as MuJoCo's, and one of them costs {between(costs)} times as much."


def left_out(rows):
    """What became of implicitfast above the steps that the other integrators are tried at, and of those at short steps."""
    short = [r for scene in scenes(rows) for word in SHORT_ONLY for r in tried(rows, scene, "MuJoCo", word)]
    most = max((r["step_s"] for r in short), default=0.0)
    above = [r for scene in scenes(rows) for r in tried(rows, scene, "MuJoCo", "implicitfast") if r["step_s"] > most]
    best = [r for scene in scenes(rows) for r in front(of(rows, scene, "MuJoCo"))]
    return (f"MuJoCo's Euler, implicit and RK4 above {ms(most)} ms, where implicitfast does the task in {done(above)} runs, and with "
            f"*firm 2h* ({sum(r in best for r in short)} of their {len(short)} runs are on MuJoCo's front)")


def done(runs):
    return f"{sum(r['state'] == 'done' for r in runs)} of {len(runs)}"


def tamsi(rows):
    return done([r for scene in scenes(rows) for r in tried(rows, scene, "Drake", "tamsi")])


def batch_ratios(rows):
    """Our simulated seconds over those of MuJoCo's rollout, same error, same threads."""
    def key(row):
        return row["scene"], row["error_m"], row["threads"]

    theirs = {key(r): r["simulated_s_per_s"] for r in rows if r["simulator"] == "MuJoCo rollout"}
    ours = {key(r): r["simulated_s_per_s"] for r in rows if r["simulator"] == "stiction"}
    found = [(scene, ours[k] / theirs[k]) for k in ours if k in theirs for scene in k[:1]]
    names = dict.fromkeys(scene for scene, _ in found)
    return listed([f"{between(r for s, r in found if s == name)} times on `{name}`" for name in names], "and")


def fields(rows, batch_rows):
    """The sentences by their names in page.md.in."""
    about_runs = [verdict, longest_steps, price, left_out, tamsi]
    return {say.__name__: say(rows) for say in about_runs} | {"batch_ratios": batch_ratios(batch_rows)}
