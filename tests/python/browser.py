"""A real browser without a window, for tests of the page and of the site, and the pictures of both that the pages show.

STICTION_SCREENS=1 writes what the tests photograph into docs/images/screens.
"""

import contextlib
import io
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SOFTWARE_GL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
SLOW = 60_000  # software rendering on a busy machine [ms]
SCREENS = Path(__file__).parents[2] / "docs/images/screens"
WINDOWS = {1440: 900, 390: 844}  # width: height [pixels] of a desk's screen and of a telephone


@contextlib.contextmanager
def browse(address, width=720, height=420, **options):
    """A page of playwright at the address; skips where no browser is installed."""
    if CHROMIUM is None:
        pytest.skip("no browser: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: requirements/look.txt")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *SOFTWARE_GL])
        page = browser.new_page(viewport={"width": width, "height": height}, **options)
        page.set_default_timeout(SLOW)
        page.goto(address)
        try:
            yield page
        finally:
            browser.close()


def settled(tab, first=2000, between=700):
    """PNG of the window as soon as two photographs are the same; waits `first`, then `between` two [ms]."""
    tab.wait_for_timeout(first)
    before = b""
    for _ in range(SLOW // between):
        picture = tab.screenshot()
        if picture == before:
            return picture
        before = picture
        tab.wait_for_timeout(between)
    raise AssertionError("the window does not come to rest")


def pixels(png):
    """(height, width, 3) of a picture."""
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def keep(png, name):
    """Keeps a photograph as a picture of the documentation, if that is asked for; there must be one of its size."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    if os.environ.get("STICTION_SCREENS"):
        SCREENS.mkdir(parents=True, exist_ok=True)
        picture.save(SCREENS / f"{name}.webp", quality=82, method=6)
    stored = Image.open(SCREENS / f"{name}.webp")
    assert stored.size == picture.size, f"{name}: STICTION_SCREENS=1 makes it anew"


def overflow(tab):
    """Pixels by which the page is wider than the window, and the code that is cut off."""
    return tab.evaluate("""() => [Math.max(0, document.documentElement.scrollWidth - window.innerWidth),
        [...document.querySelectorAll('pre > code')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText.slice(0, 60))]""")
