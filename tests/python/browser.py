"""A real browser without a window, for tests of the page."""

import contextlib
import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SOFTWARE_GL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
SLOW = 60_000  # software rendering on a busy machine [ms]


@contextlib.contextmanager
def browse(address, width=720, height=420):
    """A page of playwright at the address; skips where no browser is installed."""
    if CHROMIUM is None:
        pytest.skip("no browser: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: requirements/look.txt")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *SOFTWARE_GL])
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(SLOW)
        page.goto(address)
        try:
            yield page
        finally:
            browser.close()
