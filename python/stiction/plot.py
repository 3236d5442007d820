"""Plots of a recording over time: gaps, forces, residuals, status. They are readable 400 pixels wide, and in grey."""

import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from stiction.errors import InputError, make_folder_of, optional
from stiction.recording import STATUS_BITS, Recording

MOST_LINES = 6
# neighbours differ in grey too, and every line has dashes of its own
COLORS = ("#1b1b4b", "#3f9b76", "#7a1f5c", "#d1495b", "#e0a02f", "#2f6d8e")
DASHES = ("-", (0, (5, 1.2)), (0, (1.2, 1)), (0, (6, 1.2, 1.2, 1.2)), (0, (3, 1)), (0, (8, 2)))
FONT: dict[Any, float] = {"font.size": 13, "axes.labelsize": 13, "axes.titlesize": 13, "legend.fontsize": 12}
WIDTH, PANEL, DPI = 6.4, 2.0, 150  # inches, dots an inch: 960 pixels, of which every text survives 400
STATUS_HEIGHT = 0.6  # of its panel, in those of the others
CONVERGED = 1


def plot(recording: Recording, envs: Sequence[int] | None = None, path: str | pathlib.Path | None = None) -> Any:
    """Plots gaps, forces, residuals and status over time, one panel for each.

    Args:
        recording: a recording; the panel of forces needs one with contacts.
        envs: recorded environments, at most six; None: the first two.
        path: file in which the picture is saved (.png, .svg, .pdf); None: it is not saved.

    Returns:
        matplotlib.figure.Figure.

    Raises:
        InputError: there are too many environments, or one is not there; there is no step; the file can not be written.
        MissingPackage: matplotlib is not installed.
    """
    optional("matplotlib", "a plot")
    import matplotlib
    from matplotlib.figure import Figure

    chosen = _chosen(recording, envs)
    panels = [_plot_gaps, *([_plot_forces] if recording.has_contacts else []), _plot_residuals, _plot_status]
    with matplotlib.rc_context(FONT):
        heights = [*[1.0] * (len(panels) - 1), STATUS_HEIGHT]
        figure = Figure(figsize=(WIDTH, PANEL * sum(heights) + 1.1), dpi=DPI, layout="constrained")
        axes = figure.subplots(len(panels), 1, sharex=True, height_ratios=heights)
        for panel, axis in zip(panels, axes):
            panel(recording, chosen, axis)
            axis.grid(alpha=0.3)
            axis.spines[["top", "right"]].set_visible(False)
        _finish(figure, axes, recording, chosen)
        if path is not None:
            _save(figure, path)
    return figure


def _chosen(recording: Recording, envs: Sequence[int] | None) -> list[int]:
    chosen = [recording.env_index(env) for env in (range(min(2, recording.batch)) if envs is None else envs)]
    if not 1 <= len(chosen) <= MOST_LINES:
        raise InputError(f"{len(chosen)} environments: a plot tells 1 to {MOST_LINES} apart")
    if recording.rows < 2:
        raise InputError(f"{recording.name}: holds no step to plot")
    return chosen


def _finish(figure, axes, recording: Recording, envs: list[int]) -> None:
    time = recording.time
    axes[-1].set_xlabel("time [s]")
    axes[-1].set_xlim(time[0], time[-1])
    title = f"{recording.scene}, h = {recording.step_size:g} s"
    figure.align_ylabels(axes)
    if len(envs) > 1:
        handles, _ = axes[0].get_legend_handles_labels()
        names = [str(recording.envs[env]) for env in envs]
        figure.legend(handles, names, title=f"{title}; environment", title_fontsize=14, ncols=len(envs), frameon=False,
                      loc="outside upper center", handlelength=2.2, columnspacing=1.0)
    else:
        figure.suptitle(title + f", environment {recording.envs[envs[0]]}" * (recording.batch > 1), fontsize=14)


def _lines(recording: Recording, envs: list[int], axis, values, before: float = 0.0) -> None:
    """Draws one line per environment, the first on top: S - 1 numbers `values(env)` at the steps' ends `before` [s]."""
    for number, env in enumerate(envs):
        axis.plot(recording.time[1:] - before, values(env), color=COLORS[number], ls=DASHES[number], lw=1.6,
                  label=f"{env}", zorder=3 - 0.1 * number)


def _plot_gaps(recording: Recording, envs: list[int], axis) -> None:
    if recording.has_contacts:
        _lines(recording, envs, axis, lambda env: smallest_gap(recording, env), before=recording.step_size)
        axis.set_ylabel("smallest\ngap [m]")
    else:
        _lines(recording, envs, axis, lambda env: recording.penetration[1:, env])
        axis.set_ylabel("deepest\noverlap [m]")
    axis.axhline(0, color="black", lw=0.8)
    axis.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3), useMathText=True)


def smallest_gap(recording: Recording, env: int) -> np.ndarray:
    """Least gap of all contacts at the start of each step (S - 1) [m]; negative for overlaps, NaN without a contact."""
    gap = np.asarray(_used(recording, recording.contact.gap, env), dtype=float)
    least = np.where(np.isnan(gap), np.inf, gap).min(axis=1)
    return np.where(np.isinf(least), np.nan, least)


def total_force(recording: Recording, env: int) -> np.ndarray:
    """Sums over all contacts of the normal force and of the magnitude of friction (S - 1, 2) [N]."""
    force = np.nan_to_num(_used(recording, recording.contact.force, env).astype(float))
    return np.stack([force[..., 0].sum(axis=1), np.linalg.norm(force[..., 1:], axis=-1).sum(axis=1)], axis=1)


def _used(recording: Recording, column, env: int) -> np.ndarray:
    """The contact slots that the environment uses in at least one step, (S - 1, slots, ...)."""
    slots = max(int(recording.contact.count[:, env].max()), 1)
    return column[1:, env, :slots]


def _plot_forces(recording: Recording, envs: list[int], axis) -> None:
    _lines(recording, envs, axis, lambda env: total_force(recording, env)[:, 0])
    axis.set_ylabel("normal forces,\nsum [N]")
    axis.set_ylim(bottom=0)


def _plot_residuals(recording: Recording, envs: list[int], axis) -> None:
    floor = 1e-17  # exact zeros stay on the page

    def values(env: int) -> np.ndarray:
        residual = recording.residual[1:, env].astype(float)
        return np.where(residual < floor, floor, residual)

    _lines(recording, envs, axis, values)
    tolerance = recording.attribute("tolerance")
    axis.axhline(tolerance, color="black", lw=1.2, ls=":")
    axis.set_yscale("log")
    axis.set_ylabel("residual [-]")
    axis.annotate("tolerance", (0.995, tolerance), xycoords=("axes fraction", "data"), ha="right", va="bottom",
                  xytext=(0, 2), textcoords="offset points", fontsize=11)


def _plot_status(recording: Recording, envs: list[int], axis) -> None:
    """Draws one lane for `converged` and one for every other bit that occurs."""
    status = recording.status[1:][:, envs]
    bits = [bit for bit in range(len(STATUS_BITS)) if bit and (status >> bit & 1).any()]
    lanes = ["converged", *(STATUS_BITS[bit] for bit in bits)]
    for number in range(len(envs)):
        at = (number - (len(envs) - 1) / 2) * 0.5 / len(envs)
        for lane, bit in enumerate([0, *bits]):
            here = (status[:, number] >> bit & 1).astype(bool)
            axis.plot(recording.time[1:][here], np.full(here.sum(), lane + at), "|", ms=6, color=COLORS[number])
    axis.set_yticks(range(len(lanes)), lanes, fontsize=11)
    axis.set_ylim(-0.6, len(lanes) - 0.4)
    share = np.mean(status & CONVERGED)
    axis.set_title(f"{100 * share:.4g} % of steps converged", fontsize=11, loc="right", pad=3)


def _save(figure, path: str | pathlib.Path) -> None:
    make_folder_of(path)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be written ({str(error).splitlines()[0]})") from error
