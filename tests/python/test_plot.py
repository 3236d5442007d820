"""Plots of recordings: what they show, and that a small or grey picture still shows it."""

import numpy as np
import pytest
from recordings import record

pytest.importorskip("matplotlib", reason="no matplotlib: requirements/look.txt")

from matplotlib.colors import to_rgb
from matplotlib.image import imread
from stiction.errors import InputError
from stiction.plot import COLORS, DASHES, plot, smallest_gap, total_force
from stiction.recording import STATUS_BITS, load_recording

NARROW = 400        # pixels
LEAST_TEXT = 9      # pixels of an em
LEAST_CONTRAST = 0.15  # of neighbours' luminance
GREY = (0.2126, 0.7152, 0.0722)


@pytest.fixture
def gripper(gripper_file):
    with load_recording(gripper_file) as recording:
        yield recording


def panels(figure):
    return {axis.get_ylabel().replace("\n", " "): axis for axis in figure.axes}


def lines(axis):
    return [line for line in axis.lines if not line.get_label().startswith("_")]


def test_a_panel_each_for_gaps_forces_residuals_and_status_with_units(gripper):
    figure = plot(gripper, [0, 2])
    assert list(panels(figure)) == ["smallest gap [m]", "normal forces, sum [N]", "residual [-]", ""]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    assert [len(lines(axis)) for axis in figure.axes[:3]] == [2, 2, 2]


def test_the_lines_are_the_recorded_numbers(gripper):
    axes = panels(plot(gripper, [1]))
    force = lines(axes["normal forces, sum [N]"])[0]
    assert np.array_equal(force.get_xdata(), gripper.time[1:])
    row = 20
    count = gripper.contact.count[row, 1]
    assert force.get_ydata()[row - 1] == pytest.approx(gripper.contact.force[row, 1, :count, 0].sum())
    gap = lines(axes["smallest gap [m]"])[0]
    assert gap.get_xdata() == pytest.approx(gripper.time[:-1])  # where the step began
    assert gap.get_ydata()[row - 1] == gripper.contact.gap[row, 1, :count].min()
    assert lines(axes["residual [-]"])[0].get_ydata()[row - 1] == pytest.approx(gripper.residual[row, 1], abs=1e-17)


def test_gaps_and_forces_of_environments_with_few_contacts_ignore_the_padding(gripper):
    assert np.isfinite(smallest_gap(gripper, 0)).all() and np.isfinite(total_force(gripper, 0)).all()


def test_a_recording_without_contacts_shows_the_overlap_instead(tmp_path):
    with load_recording(record("scenes/incline", tmp_path / "state.h5", "--duration", 0.1)) as recording:
        axes = panels(plot(recording))
        assert list(axes) == ["deepest overlap [m]", "residual [-]", ""]
        assert np.array_equal(lines(axes["deepest overlap [m]"])[0].get_ydata(), recording.penetration[1:, 0])


def test_every_status_bit_that_occurs_has_a_lane(tmp_path):
    file = tmp_path / "failed.h5"
    record("tests/scene/valid/many_features", file, "--duration", 0.05, "--allow-failures", 1)
    with load_recording(file) as recording:
        occurring = [((recording.status[1:] >> bit) & 1).sum() for bit in range(len(STATUS_BITS))]
        lanes = [bit for bit, count in enumerate(occurring) if count]
        assert "infeasible" in [STATUS_BITS[bit] for bit in lanes]
        axis = plot(recording).axes[-1]
        assert [label.get_text() for label in axis.get_yticklabels()] == [STATUS_BITS[bit] for bit in lanes]
        assert [len(line.get_xdata()) for line in axis.lines] == [occurring[bit] for bit in lanes]
        converged = occurring[0]
        assert axis.get_title(loc="right") == f"{100 * converged / 5:.4g} % of steps converged"


def test_lines_are_told_apart_in_grey():
    luminance = np.array([np.dot(to_rgb(color), GREY) for color in COLORS])
    assert np.abs(np.diff(luminance)).min() > LEAST_CONTRAST
    assert len(set(DASHES)) == len(COLORS)


def test_every_text_is_readable_at_400_pixels(gripper):
    figure = plot(gripper, [0, 1, 2])
    width = figure.get_size_inches()[0]
    sizes = {text.get_fontsize() for text in figure.findobj(lambda artist: hasattr(artist, "get_fontsize"))
             if text.get_text()}
    assert min(sizes) / 72 * NARROW / width >= LEAST_TEXT


def test_no_text_lies_on_another(gripper):
    figure = plot(gripper, [0, 1])
    figure.canvas.draw()
    texts = [figure.legends[0], *(axis.yaxis.label for axis in figure.axes), figure.axes[0].yaxis.get_offset_text()]
    boxes = [text.get_window_extent() for text in texts]
    crossing = [(i, j) for i in range(len(boxes)) for j in range(i) if boxes[i].overlaps(boxes[j])]
    assert crossing == []


def test_the_picture_is_saved_and_not_blank(gripper, tmp_path):
    plot(gripper, path=tmp_path / "plot.png")
    picture = imread(tmp_path / "plot.png")
    assert picture.shape[1] == 960 and len(np.unique(picture[..., 0])) > 50


def test_bad_input_is_one_line(gripper, tmp_path):
    for words, arguments in {"environment 7 is not there": ([7],), "0 environments": ([],),
                             "7 environments: a plot tells 1 to 6": ([0] * 7,),
                             "cannot be made": ([0], "/proc/no/plot.png"),
                             "plot.xyz: cannot be written": ([0], tmp_path / "plot.xyz")}.items():
        with pytest.raises(InputError, match=words) as error:
            plot(gripper, *arguments)
        assert "\n" not in str(error.value)
