"""Claims of the documentation site: it builds without a warning, notebooks run, every public name has its entry."""

import functools
import html.parser
import http.server
import os
import re
import subprocess
import sys
import threading
import urllib.parse
from pathlib import Path

import pytest
from browser import WINDOWS, browse, keep, overflow, settled
from load_script import load_script

for name in ("mkdocs", "material", "mkdocstrings", "griffe", "nbclient", "nbformat", "ipykernel"):
    pytest.importorskip(name, reason=f"no {name}: requirements/docs.txt")

import nbformat  # noqa: E402
import stiction  # noqa: E402
import stiction.envs  # noqa: E402
import stiction.planning  # noqa: E402
import stiction.views  # noqa: E402
from mkdocs.config import load_config  # noqa: E402
from mkdocs.exceptions import PluginError  # noqa: E402
from PIL import Image  # noqa: E402

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
PICTURE = 60_000  # bytes of a picture of the gallery
CONTACTS = 0.05  # share by which mean contacts may differ on another processor


@functools.cache
def links():
    return load_script("scripts/site/links.py")


@functools.cache
def gallery():
    pytest.importorskip("mujoco", reason="no mujoco: requirements/test.txt")
    return load_script("scripts/gallery.py")


class Page(html.parser.HTMLParser):
    """What a page of the site names: its anchors, what it links to, what it loads, its text."""

    def __init__(self, file):
        super().__init__()
        self.ids, self.links, self.loaded, self.words, self.skip = set(), [], [], [], 0
        self.feed(file.read_text())
        self.text = re.sub(r"\s+", " ", "".join(self.words))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.skip += tag in ("script", "style")
        self.ids |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag in ("img", "script", "source") and found.get("src"):
            self.loaded.append(found["src"])
        elif tag == "link" and found.get("rel") in ("stylesheet", "icon", "preconnect", "preload"):
            self.loaded.append(found["href"])

    def handle_endtag(self, tag):
        self.skip -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.skip:
            self.words.append(data)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """(folder of the site, what the build said)."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    said = run.stdout + run.stderr
    assert run.returncode == 0, said
    return folder, said


@pytest.fixture(scope="module")
def pages(built):
    """{path from the root of the site: Page}"""
    folder, _ = built
    files = (file for file in folder.rglob("*.html") if file.name != "404.html")
    return {file.relative_to(folder).as_posix(): Page(file) for file in files}


def test_the_site_builds_without_a_warning(built):
    """Lines of mkdocs alone: the kernel of a notebook may say, when it ends, that nobody listens any more."""
    assert not re.search(r"^(WARNING|ERROR) +-", built[1], re.MULTILINE), built[1]


def nav_entries(nav):
    for item in nav:
        for value in item.values() if isinstance(item, dict) else [item]:
            yield from nav_entries(value) if isinstance(value, list) else [value]


def test_every_entry_of_the_navigation_is_a_page(pages):
    entries = list(nav_entries(load_config(str(ROOT / "mkdocs.yml")).nav))
    wanted = {re.sub(r"README\.md$", "index.md", entry).removesuffix(".md") + ".html" for entry in entries}
    assert len(entries) == len(wanted) > 50
    assert sorted(wanted - set(pages)) == []


def test_links_between_pages_lead_somewhere(pages, built):
    bad = []
    for path, page in pages.items():
        for link in page.links + page.loaded:
            url = urllib.parse.urlsplit(link)
            if url.scheme:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(url.path))) if url.path else path
            anchors = pages[target].ids if target in pages else set()
            known = (built[0] / target).is_file() and (not url.fragment or urllib.parse.unquote(url.fragment) in anchors)
            if not (known or link == "#"):
                bad.append(f"{path}: {link}")
    assert bad == []


def test_no_page_loads_anything_from_elsewhere(pages):
    assert [f"{path}: {url}" for path, page in pages.items() for url in page.loaded if urllib.parse.urlsplit(url).scheme] == []


@pytest.mark.parametrize("module", [stiction, stiction.envs, stiction.planning], ids=lambda module: module.__name__)
def test_every_public_name_has_its_entry_in_the_reference(module, pages):
    entries = set().union(*(page.ids for path, page in pages.items() if path.startswith("api/")))
    assert [name for name in module.__all__ if f"{module.__name__}.{name}" not in entries] == []


def live_arrays():
    views = stiction.views
    for owner in (stiction.Simulator, views.Contacts, views.Patches, views.Parameters, views.Stats):
        names = [name for name, value in vars(owner).items() if isinstance(value, stiction.views.readout)]
        assert names
        yield from ((owner, name, vars(owner)[name].__doc__) for name in names)


def test_every_array_is_described_with_its_shape(pages):
    plain = {path: page.text.replace("`", "") for path, page in pages.items() if path.startswith("api/")}
    for owner, name, said in live_arrays():
        assert "(batch," in said, name
        (place,) = [path for path in plain if f"{owner.__module__.removesuffix('.simulator')}.{owner.__name__}.{name}" in pages[path].ids]
        assert said.replace("`", "") in plain[place], name


def test_the_model_s_lists_are_complete(pages):
    named = set(pages["api/model.html"].text.split())
    assert [name for name in dir(stiction.Model) if not name.startswith("_") and name not in named] == []


def test_the_table_of_status_bits_is_complete():
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", (ROOT / "docs/api/status.md").read_text(), re.MULTILINE)
    assert {name: int(value) for name, value in rows} == {name: int(bit) for name, bit in stiction.Status.__members__.items()}


# as one sees it

WATCHED = ("index", "gallery", "first_steps", "scene_file", "looking", "notebooks/first_steps", "notebooks/grasps", "api/simulator", "peers")


STILL = """image => {
    const still = document.createElement('canvas');
    [still.width, still.height] = [image.naturalWidth, image.naturalHeight];
    still.getContext('2d').drawImage(image, 0, 0);
    image.src = still.toDataURL();
}"""  # in place of a film, so that two photographs are the same


@pytest.fixture(scope="module")
def served(built):
    """The address of the site."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=built[0])
    handler.log_message = lambda *_: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_readme_shows_a_film_of_15_seconds_and_at_most_4_megabytes():
    film = ROOT / "docs/images/hero.webp"
    assert "(docs/images/hero.webp)" in (ROOT / "README.md").read_text() and film.stat().st_size <= 4_000_000
    with Image.open(film) as pictures:
        seconds, different = 0.0, set()
        for k in range(pictures.n_frames):
            pictures.seek(k)
            different.add(hash(pictures.resize((64, 36)).tobytes()))
            seconds += pictures.info["duration"] / 1000
    assert seconds == pytest.approx(15, abs=0.1) and len(different) > 0.9 * pictures.n_frames


@pytest.mark.parametrize("width", WINDOWS)
def test_pages_fit_their_window_and_cut_off_no_code(served, width):
    with browse(f"{served}/index.html", width, WINDOWS[width]) as tab:
        for name in WATCHED:
            tab.goto(f"{served}/{name}.html")
            assert overflow(tab) == [0, []], name


@pytest.mark.parametrize("width", WINDOWS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_page_and_the_gallery_begin_with_pictures(served, width, scheme):
    height = WINDOWS[width]
    with browse(f"{served}/index.html", width, height, color_scheme=scheme) as tab:
        film = tab.locator(".hero img")
        assert film.evaluate("image => image.complete && image.naturalWidth") == 800
        box = film.bounding_box()
        assert box["y"] < 0.75 * height and box["x"] >= 0 and box["x"] + box["width"] <= width
        film.evaluate(STILL)
        keep(settled(tab), f"home_{scheme}_{width}")
        tab.goto(f"{served}/gallery.html")
        cards = tab.locator(".cards .card img")
        assert cards.count() == len(gallery_rows())
        assert cards.first.bounding_box()["y"] < 0.5 * height < height < tab.locator("table").first.bounding_box()["y"]
        keep(settled(tab), f"gallery_{scheme}_{width}")


# notebooks


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_lies_there_with_its_outputs_and_its_page_has_them(file, pages):
    notebook = nbformat.read(file, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1)), "scripts/site/notebooks.py stores them"
    assert any("assert " in cell.source for cell in code)
    outputs = [output for cell in code for output in cell.outputs]
    assert [output.output_type for output in outputs if output.output_type == "error"] == []
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) >= sum("plt.show()" in cell.source for cell in code) > 0
    page = pages[f"notebooks/{file.stem}.html"]
    assert len([source for source in page.loaded if source.startswith(file.stem)]) == len(pictures)


def test_there_are_notebooks():
    assert [file.stem for file in NOTEBOOKS] == ["first_steps", "grasps", "laws_of_contact", "raw_problems"]


def test_a_failing_cell_fails_the_build(tmp_path):
    cells = [nbformat.v4.new_code_cell("x = 1"), nbformat.v4.new_code_cell("assert x == 2, 'so it is'")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "bad.ipynb")
    with pytest.raises(PluginError, match=r"(?s)bad\.ipynb.*so it is"):
        load_script("scripts/site/notebooks.py").run(tmp_path / "bad.ipynb")


def test_without_a_build_there_is_one_line():
    run = subprocess.run([ROOT / "scripts/docs", "no-such-preset"], capture_output=True, text=True, check=False)
    assert run.returncode == 2 and run.stdout == ""
    assert run.stderr == "docs: build/no-such-preset has no Python package: run scripts/build no-such-preset first\n"


# links that hold in the repository and in the site


@pytest.mark.parametrize(
    ("source", "page", "text", "expected"),
    [
        ("docs/a.md", "a.md", "[s](../scenes/incline/README.md#x)", "[s](scenes/incline.md#x)"),
        ("docs/laws/a.md", "laws/a.md", "[s](../../scenes/incline/README.md)", "[s](../scenes/incline.md)"),
        ("docs/a.md", "a.md", "see [bench/a.py](../bench/a.py).", "see bench/a.py."),
        ("docs/a.md", "a.md", "[b](b.md), [n](notebooks/n.ipynb)", "[b](b.md), [n](notebooks/n.md)"),
        ("docs/a.md", "a.md", "[w](https://example.org/x), [here](#x)", "[w](https://example.org/x), [here](#x)"),
        ("docs/a.md", "a.md", "`[c](../bench/c.py)`\n```\n[c](../c)\n```\n", "`[c](../bench/c.py)`\n```\n[c](../c)\n```\n"),
        ("scenes/x/README.md", "scenes/x.md", "![i](../../docs/images/i.png)", "![i](../images/i.png)"),
        ("scenes/x/README.md", "scenes/x.md", "[y](../y/README.md)", "[y](y.md)"),
    ],
)
def test_links_are_led_where_the_site_has_them(source, page, text, expected):
    assert links().relinked(text, source, page) == expected


# the gallery


def gallery_rows():
    """{scene: (dofs, mean contacts, most contacts)} of the page."""
    rows = re.findall(r"^\| \[(\w+)\]\(#\1\) \| (\d+) \| ([\d.]+) \((\d+)\) \|", (ROOT / "docs/gallery.md").read_text(), re.MULTILINE)
    return {name: (int(dofs), float(mean), int(most)) for name, dofs, mean, most in rows}


def test_the_gallery_has_every_scene():
    tasks = {task.scene_name for task in stiction.envs.TASKS.values()}
    scenes = {file.parent.name for file in ROOT.glob("scenes/*/scene.toml")}
    assert set(gallery_rows()) == scenes | tasks == set(gallery().VIEWS)
    for name in gallery_rows():
        assert 2000 < (ROOT / f"docs/images/gallery/{name}.jpg").stat().st_size <= PICTURE, name


@pytest.mark.parametrize("name", sorted(gallery_rows()))
def test_the_figures_of_the_gallery_are_those_of_the_scene(name):
    dofs, mean, most = gallery_rows()[name]
    sim, _, contacts, residual = gallery().run(stiction, gallery().VIEWS[name])
    assert sim.model.nv == dofs and residual <= sim.scene.tolerance
    assert contacts.mean() == pytest.approx(mean, rel=CONTACTS, abs=0.051)
    assert contacts.max() == pytest.approx(most, rel=CONTACTS, abs=1)
