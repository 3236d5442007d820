"""A common look for every figure: palette, line styles, size.

The colours also differ in lightness, and every series has a dash pattern and a marker of its own, so that a figure can
be read in grey. The type is large enough for a picture that is shown 400 pixels wide.
"""

import io
import itertools

import matplotlib
from PIL import Image

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PALETTE = ["#12355b", "#d1495b", "#66a182", "#edae49", "#7d5ba6", "#8d99ae"]  # lightness 22, 51, 62, 75, 45, 63 %
DASHES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2))]
MARKERS = ["o", "s", "^", "D", "v", "P"]
SHADE = "#d9dee6"  # of shaded areas
WIDTH, HEIGHT, DPI = 6.4, 4.4, 125  # [inches, inches, pixels an inch]: 800 pixels wide, shown at half of that
COLOURS = 64  # most colours in a file
FONT = 15  # [points]

plt.rcParams.update(
    {
        "font.size": FONT,
        "axes.grid": True,
        "grid.alpha": 0.35,
        "lines.linewidth": 2.6,
        "lines.markersize": 8,
        "legend.fontsize": FONT - 3,
        "axes.titlesize": FONT - 1,
        "figure.constrained_layout.use": True,
        "svg.hashsalt": "figures",
    }
)


def look(k, markers=True):
    """Keywords of the k-th series of a figure."""
    k %= len(PALETTE)
    return {"color": PALETTE[k], "linestyle": DASHES[k]} | ({"marker": MARKERS[k]} if markers else {})


def panels(rows=1, columns=1, height=HEIGHT, **keywords):
    """(figure, axes) of rows x columns panels, each `height` / rows high."""
    return plt.subplots(rows, columns, figsize=(WIDTH, height), squeeze=False, **keywords)


def mark_times(axes, times):
    """Dashed vertical lines, such as at a change of contact mode."""
    for ax, time in itertools.product(axes, times):
        ax.axvline(time, color="0.35", linestyle=(0, (2, 2)), linewidth=1.4)


def save(figure, file):
    file.parent.mkdir(parents=True, exist_ok=True)
    picture = io.BytesIO()
    figure.savefig(picture, dpi=DPI)
    plt.close(figure)
    Image.open(picture).convert("RGB").quantize(COLOURS).save(file, optimize=True)
