"""Claims of the pages on concepts, laws, dynamics, solvers and other simulators.

Tables say what the code says, links and sources exist; what their programs print: test_programs.py.
"""

import re
from pathlib import Path

import pytest
import stiction as st
from stiction import _core

ROOT = Path(__file__).parents[2]
ROOMS = ("concepts", "laws", "dynamics", "coming_from")
PAGES = sorted(page for room in ROOMS for page in (ROOT / "docs" / room).glob("*.md"))
SOLVER_PAGES = sorted((ROOT / "docs" / "solvers").glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$\n?\s*", re.MULTILINE | re.DOTALL)


def table_rows(page, heading):
    """Cells of the rows of the table that begins with `heading`."""
    text = page.read_text()
    assert heading in text, f"{page.name}: no table '{heading}'"
    rows = []
    for line in text[text.index(heading) :].splitlines()[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def test_the_table_of_status_bits_is_that_of_the_package():
    masks = ("FAILED", "STATE_KEPT")
    rows = table_rows(ROOT / "docs/api/status.md", "| bit | value |")
    written = {name.strip("`"): (int(bit), kept) for name, bit, _, _, kept in rows if name.strip("`") not in masks}
    assert {name: bit for name, (bit, _) in written.items()} == {
        name: int(bit) for name, bit in st.Status.__members__.items() if name not in masks
    }
    for name, (bit, kept) in written.items():
        assert (kept == "yes") == bool(st.Status.STATE_KEPT & bit), name
    no_failures = int(st.Status.CONVERGED | st.Status.BEYOND_ORDER)
    assert int(st.Status.FAILED) == sum(bit for bit, _ in written.values()) - no_failures


BARE = '<mujoco><worldbody><body><joint type="slide"/><geom size=".1"/></body></worldbody></mujoco>'


def can_factor(solver):
    scene = st.load_model(BARE, solver=solver, factor="float32")
    try:
        st.Simulator(scene, device="cpu").close()
    except st.InputError:
        return False
    return True


def keys_of_the_page():
    """(table, key, default, meaning) of every key on the page about scene.toml"""
    table = ""
    for first, keys, defaults, meaning in table_rows(ROOT / "docs/scene_file.md", "| table | key |"):
        table = first.strip("`[]") or table
        keys, defaults = re.findall(r"`(\w+)`", keys), [default.strip('`"') for default in defaults.split(", ")]
        for i, key in enumerate(keys):
            yield table, key, defaults[min(i, len(defaults) - 1)], meaning


def test_the_table_of_scene_toml_is_the_list_of_keys():
    listed = {(key.table, key.key): key for key in _core.scene_keys()}
    written = {(table, key): (default, meaning) for table, key, default, meaning in keys_of_the_page()}
    tables = {table for table, _ in listed} - {""}
    assert {name for name in written if name[0] in tables} == {name for name in listed if name[0]}
    assert {name for name in listed if not name[0]} <= set(written)
    scene = st.load_model(BARE)
    for name, key in listed.items():
        default, meaning = written[name]
        if key.is_value:
            value = getattr(scene, key.keyword)
            assert default == "auto" if value is None else type(value)(default) == value, name
        assert not key.unit or f"[{key.unit}]" in meaning, name


def test_the_table_of_presets_is_what_they_choose():
    page = (ROOT / "docs/scene_file.md").read_text()
    heading = re.search(r"^\| preset \|.*$", page, re.MULTILINE)[0]
    choices = [cell.strip() for cell in heading.strip("|").split("|")][1:-1]
    rows = {preset.strip("`"): [word.strip("`") for word in words] for preset, *words, _ in table_rows(ROOT / "docs/scene_file.md", heading)}
    with pytest.raises(st.InputError, match="built: ") as refused:
        st.load_model(BARE, preset="none")
    assert list(rows) == str(refused.value).split("built: ")[1].split(", ")
    for preset, words in rows.items():
        scene = st.load_model(BARE, preset=preset)
        assert [getattr(scene, choice) for choice in choices] == words and scene.torsion_radius == "model", preset


@pytest.mark.parametrize("page", SOLVER_PAGES, ids=lambda page: page.stem)
def test_the_keys_of_a_solver_have_the_defaults_of_the_code(page):
    scene = st.load_model(BARE, solver=page.stem)
    rows = {key.strip("`"): default for key, default, _ in table_rows(page, "| key of `[solver]` | default |")}
    assert set(rows) - {"factor"} == {"tolerance", "max_iterations"}
    assert ("factor" in rows) == can_factor(page.stem)
    assert rows.get("factor", "`float64`") == f"`{scene.factor}`"
    assert float(rows["tolerance"]) == scene.tolerance
    assert int(rows["max_iterations"]) == scene.max_iterations


@pytest.mark.parametrize("page", SOLVER_PAGES, ids=lambda page: page.stem)
def test_the_constants_of_a_solver_are_those_of_the_code(page):
    rows = table_rows(page, "| constant | value |")
    assert rows
    for name, value, file, _ in rows:
        source = (ROOT / file.strip("`")).read_text()
        found = re.search(rf"constexpr [\w<>: ]*\b{name.strip('`')}(?:<Real>)?\s*=\s*([^;]*);", source)
        assert found, f"{name} is not in {file}"
        numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.sub(r"sizeof\(\w+\) == 8", "", found[1]))
        assert float(value.replace(",", "")) == float(numbers[0] if "kSingle" not in found[1] else numbers[-1]), name


def test_every_solver_law_and_dynamics_has_its_page():
    for room, inc in (("solvers", "kernels/solver/solvers.inc"), ("dynamics", "kernels/dynamics/dynamics.inc")):
        names = re.findall(r'^ST_\w+\(\w+, "(\w+)"', (ROOT / inc).read_text(), re.MULTILINE)
        assert {p.stem for p in (ROOT / "docs" / room).glob("*.md")} == set(names)
    laws = re.findall(r'^ST_\w+\(\w+, "(\w+)"', (ROOT / "kernels/problem/laws.inc").read_text(), re.MULTILINE)
    assert {p.stem for p in (ROOT / "docs/laws").glob("*.md")} == {*laws, "cones"}


def test_links_and_sources_of_the_pages_exist():
    for page in (*PAGES, *SOLVER_PAGES):
        text = page.read_text()
        for target in re.findall(r"\]\(([^)#:]+)\)", re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
        for source in re.findall(r"`((?:kernels|host|scenes|bench|tests|python|docs)/[\w./-]+)`", text):
            assert (ROOT / source).exists(), f"{page.name}: {source}"
