"""Sentences of the page that are made from the figures: who is the fastest, and ours against the strongest peer by size."""

import math

import outcomes
from figures import OURS

SMALL = 32           # contacts up to which a problem counts as small
NEAR = 2.0           # times the least time
MIDDLE = 1e-6        # the tolerance of comparisons


def shares(rows, tolerance, factor):
    """solver -> (solved, problems, share of problems on which it takes at most `factor` times the least time)."""
    ratios = outcomes.ratios(outcomes.times(rows, tolerance))
    return {s: (sum(r < math.inf for r in of), len(of), sum(r <= factor for r in of) / len(of)) for s, of in ratios.items()}


def leaders(rows, tolerance):
    """(ours, peer): of each side the one that is near to the fastest most often."""
    near = {s: share for s, (_, _, share) in shares(rows, tolerance, NEAR).items()}
    ours, peers = [s for s in near if s in OURS], [s for s in near if s not in OURS]
    return max(ours, key=near.get), max(peers, key=near.get)


def compared(rows, one, other, tolerance):
    """time of `other` / time of `one`, problem by problem; infinite where `other` alone fails, 0 where `one` alone does."""
    found = outcomes.times(rows, tolerance)
    pairs = [(found[one][p][0], found[other][p][0]) for p in found[one] if p in found[other]]
    return [b / a if a < math.inf else 0.0 for a, b in pairs if min(a, b) < math.inf]


def times_ahead(factor):
    if factor == math.inf:
        return "because the other one solves less than half of them"
    return f"by {factor:.0f} times" if factor >= 10 else f"by {factor:.2g} times"


def side(rows, tolerance):
    """The strongest of ours against the strongest peer."""
    one, other = leaders(rows, tolerance)
    ratios = compared(rows, one, other, tolerance)
    wins, middle = sum(r > 1 for r in ratios), outcomes.median(ratios)
    leader, factor = ("it", middle) if middle >= 1 else (other, 1 / middle if middle else math.inf)
    words = f"`{one}` is faster than {other}, the strongest of the others, on {wins} of {len(ratios)} problems"
    return f"{words}; in the median {leader} is ahead {times_ahead(factor)}"


def summary(rows):
    """A bullet a tolerance, and one for small and large problems."""
    lines = []
    for tolerance in outcomes.TOLERANCES:
        found = shares(rows, tolerance, 1)
        leading = sorted(found, key=lambda s: -found[s][2])[:3]
        words = [f"{s} on {100 * found[s][2]:.0f} % (solves {found[s][0]} of {found[s][1]})" for s in leading]
        lines.append(f"- To 1e{round(math.log10(tolerance))} the fastest are {', '.join(words)}.")
    small = [r for r in rows if r["contacts"] <= SMALL]
    large = [r for r in rows if r["contacts"] > SMALL]
    for size, part in ((f"Up to {SMALL} contacts", small), (f"Above {SMALL} contacts", large)):
        lines.append(f"- {size}, to 1e{round(math.log10(MIDDLE))}: {side(part, MIDDLE)}.")
    return "\n".join(lines)


def misses(rows, solvers):
    """What of ours is left unsolved, by name."""
    found, lines = outcomes.times(rows, MIDDLE), []
    for solver in solvers:
        failed = [f"{p} ({why})" for p, (_, why) in found[solver].items() if why]
        lines.append(f"- `{solver}`: {', '.join(failed) or 'none'}.")
    return "\n".join(lines)
