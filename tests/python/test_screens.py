"""The page of the viewer as one sees it, on a desk's screen and on a telephone, light and dark; the pictures of docs/looking.md."""

import numpy as np
import pytest
from recordings import record

pytest.importorskip("mujoco", reason="no mujoco: requirements/look.txt")
pytest.importorskip("viser", reason="no viser: requirements/look.txt")

from browser import WINDOWS, browse, keep, overflow, pixels, settled
from stiction.recording import load_recording
from stiction.view.page import Page, start_server
from stiction.view.play import RecordingSource
from stiction.view.surroundings import DARK, LIGHT

PORT = 8390
MOMENT = 64.0   # an arm carries a cube to its stack [s]
NEAR = 14       # of a colour; white is further from the light one
MODEL = 40      # colours of a pixel differ by more with and without what moves
PANEL = """() => {
    let part = [...document.querySelectorAll('button')].find(b => b.innerText.includes('Play'));
    while (!part.parentElement.querySelector('canvas')) part = part.parentElement;
    const box = part.getBoundingClientRect();
    return [box.left, box.top, box.right, box.bottom];
}"""


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    file = tmp_path_factory.mktemp("screens") / "stack.h5"
    with load_recording(record("scenes/iiwa_stack", file, "--batch", 16, "--record", "contacts", "--duration", 65)) as recording:
        yield recording


def close_notices(tab):
    """Closes the browser's message that it draws without a graphics card."""
    tab.wait_for_timeout(1000)
    for notice in tab.locator(".mantine-Notification-closeButton").all():
        notice.click()


@pytest.mark.parametrize("width", WINDOWS)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_model_stands_clear_of_the_controls_between_ground_and_sky(stack, width, theme):
    server = start_server("127.0.0.1", PORT)
    try:
        page = Page(server, RecordingSource(stack, [0]), dark=theme.dark)
        page.go_to(page.source.row_at(MOMENT))
        with browse(f"http://127.0.0.1:{server.get_port()}", width, WINDOWS[width]) as tab:
            tab.get_by_text("t = 64.000 s").wait_for()
            close_notices(tab)
            photograph = settled(tab)
            keep(photograph, f"view_{'dark' if theme.dark else 'light'}_{width}")
            wide, _ = overflow(tab)
            left, top, right, _ = tab.evaluate(PANEL)
            for *_, handle in page.drawing._moving:
                handle.visible = False
            server.flush()
            picture, without = pixels(photograph), pixels(settled(tab))
    finally:
        server.stop()
    assert wide == 0 and right <= width + 1
    assert np.abs(picture[4, 4] - theme.horizon).max() < NEAR  # far away, where the ground ends
    assert np.abs(picture[int(0.4 * top) if top > 40 else 700, 8] - theme.ground).max() < 3 * NEAR
    rows, columns = np.nonzero(np.abs(picture - without).max(axis=2) > MODEL)
    assert len(rows) > 2000
    assert columns.max() < left or rows.max() < top, (columns.max(), rows.max(), left, top)


def test_many_environments_stand_on_one_ground(stack):
    server = start_server("127.0.0.1", PORT)
    try:
        page = Page(server, RecordingSource(stack))
        page.go_to(page.source.row_at(MOMENT))
        with browse(f"http://127.0.0.1:{server.get_port()}", 1440, 900) as tab:
            tab.get_by_text("16 environments").wait_for()
            close_notices(tab)
            photograph = settled(tab)
    finally:
        server.stop()
    keep(photograph, "view_grid_1440")
    picture = pixels(photograph)
    assert np.abs(picture[-8:, :600] - LIGHT.ground).mean() < 40  # to the lower edge
