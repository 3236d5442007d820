"""Bad files of raw problems end with exit code 2 and one line that says what and where."""

import random

import h5py
import numpy as np
import pytest
from problem_files import LCP, MLCP, MLCP_PARTS, block_contacts, dense_contacts, write_fclib, write_hdf5
from stiction_program import assert_one_line

EYE = "0 3 3 3 3  1 0 0 0 1 0 0 0 1"
TEXTS = {
    "empty": ("", [], ["is empty"]),
    "words": ("a page of words", [], ["begins like no LCP"]),
    "binary": ("\x00\x01\x7f\x1b[31m", [], ["begins like no LCP"]),
    "truncated matrix": ("2  0 2 2 2 2  2 0 1", [], ["ends before value 4 of the 4 of the matrix"]),
    "truncated q": ("2  0 2 2 2 2  2 0 1 1  -4", [], ["ends before value 2 of the 2 of q"]),
    "no number": ("2  0 2 2 2 2  2 0 x 1  -4 -1", [], ["value 3 of the matrix is not a number: 'x'"]),
    "shape": ("2  0 2 2 2 3  2 0 1 1  -4 -1", [], ["the number of columns of the matrix: expected 2, given 3"]),
    "huge": ("2000000000  0 2000000000 2000000000", [], ["the size: expected 1 to 16384"]),
    "overflow": ("99999999999999999999", ["--kind", "lcp"], ["the size is not a whole number"]),
    "storage": ("2  7 2 2", ["--kind", "lcp"], ["the storage of the matrix: expected 0 to 2, given 7"]),
    "other kind": (LCP, ["--kind", "contact"], ["contacts of 2 dimensions: not yet"]),
    "qp": (LCP, ["--kind", "qp"], ["holds no QPs"]),
    "plane": ("2 1  0 2 2 2 2  1 0 0 1  -1 0  0.5", [], ["2 dimensions: not yet"]),
    "no mu": (f"3 1  {EYE}  -1 0 0", [], ["ends before value 1 of the 1 of mu"]),
    "negative mu": (f"3 1  {EYE}  -1 0 0  -1", [], ["problem.dat: mu: problem 0, contact 0: expected 0 or more"]),
    "asymmetric": ("3 1  0 3 3 3 3  1 0 0 1 1 0 0 0 1  -1 0 0  1", [], ["problem.dat: W: problem 0", "symmetric"]),
    "block types": ("1 0 2 2  0 2 4  0 5", [], ["the type of block 1: expected 0 to 1, given 5"]),
    "law": (LCP, ["--law", "coulomb"], ["--law coulomb: a problem of kind lcp has none"]),
    "solver": (LCP, ["--solver", "pgs"], ["--solver pgs: lemke alone"]),
    "tolerance": (LCP, ["--tolerance", "-1"], ["--tolerance -1"]),
    "output": (LCP, ["--out", "/proc/answers.h5"], ["cannot write /proc/answers.h5"]),
}  # fmt: skip


@pytest.mark.parametrize("content, arguments, says", TEXTS.values(), ids=TEXTS.keys())
def test_bad_text_is_refused(stiction, tmp_path, content, arguments, says):
    file = tmp_path / "problem.dat"
    file.write_text(content)
    run = stiction("solve", file, *arguments)
    assert_one_line(run, 2)
    assert [words for words in says if words not in run.stderr] == []
    assert sorted(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("content", [LCP, MLCP, MLCP_PARTS, dense_contacts(), block_contacts()],
                         ids=["lcp", "mlcp", "parts", "dense", "blocks"])  # fmt: skip
def test_damaged_text_is_solved_or_refused_in_one_line(stiction, tmp_path, content):
    draw = random.Random(content)
    file = tmp_path / "problem.dat"
    for _ in range(25):
        words = content.split()
        words[draw.randrange(len(words))] = draw.choice(["", "0", "1", "-1", "2", "nan", "-inf", "1e999", "1e-300", "99999", "x"])
        file.write_text(" ".join(words))
        run = stiction("solve", file, "--threads", 1)
        if run.returncode == 0:
            assert run.stderr == "" and "solved" in run.stdout
        else:
            assert_one_line(run, 3 if "unsolved" in run.stdout else 2)


LCPS = {"M": np.ones((2, 3, 3)), "q": np.ones((2, 3))}
CONTACTS = {"H": np.ones((1, 1, 1)), "g": np.ones((1, 1)), "J": np.ones((1, 3, 1)), "phi": np.ones((1, 1)), "mu": np.ones((1, 1))}
HDF5 = {
    "group": ("problems", LCPS, ["there is none of the groups /contact"]),
    "no q": ("lcp", {"M": LCPS["M"]}, ["there is no dataset /lcp/q"]),
    "no batch": ("lcp", {"M": np.ones((3, 3)), "q": np.ones(3)}, ["/lcp/M: expected 3 axes, given the shape (3, 3)"]),
    "empty batch": ("lcp", {"M": np.ones((0, 3, 3)), "q": np.ones((0, 3))}, ["/lcp/M holds no problems"]),
    "no unknowns": ("lcp", {"M": np.ones((2, 0, 0)), "q": np.ones((2, 0))}, ["size: expected 1 or more, given 0"]),
    "shape": ("lcp", LCPS | {"q": np.ones((2, 4))}, ["/lcp/q: expected the shape (2, 3), given (2, 4)"]),
    "words": ("lcp", LCPS | {"q": "many"}, ["/lcp/q: expected numbers"]),
    "no equations": ("mlcp", LCPS, ["there is no dataset /mlcp/equations"]),
    "equations": ("mlcp", LCPS | {"equations": [0, 1, 2]}, ["equations: expected 0 or 1, given 2"]),
    "real equations": ("mlcp", LCPS | {"equations": [0.5, 0, 0]}, ["/mlcp/equations: expected whole numbers"]),
    "no step": ("contact", CONTACTS, ["/contact has no attribute step_size"]),
    "count": ("contact", CONTACTS | {"count": np.ones(2, int)}, ["/contact/count: expected the shape (1), given (2)"]),
    "rows": ("qp", {"H": np.ones((1, 2, 2)), "g": np.ones((1, 2)), "A": np.ones((1, 3, 2)), "b": np.ones((1, 4))},
             ["/qp/A: expected the shape (1, 4, 2), given (1, 3, 2)"]),
}  # fmt: skip


@pytest.mark.parametrize("group, data, says", HDF5.values(), ids=HDF5.keys())
def test_bad_hdf5_is_refused(stiction, tmp_path, group, data, says):
    run = stiction("solve", write_hdf5(tmp_path / "p.h5", group, data))
    assert_one_line(run, 2)
    assert [words for words in ["p.h5: ", *says] if words not in run.stderr] == []


FCLIB = {
    "plane": ({"spacedim": [2]}, ["/fclib_local/spacedim: contacts of 2 dimensions: not yet"]),
    "size": ({"W/m": [5]}, ["/fclib_local/W/m: expected 6, given 5"]),
    "form": ({"W/nz": [-3]}, ["/fclib_local/W/nz: expected -2 or more, given -3"]),
    "pointers": ({"W/p": [0, 2, 1, 3, 4, 6, 8]}, ["/fclib_local/W/p: value 2 falls: 1"]),
    "few values": ({"W/x": [1.0]}, ["/fclib_local/W/x: expected 8 values, given 1"]),
    "index": ({"W/i": [0, 4, 1, 2, 3, 0, 6, 5]}, ["/fclib_local/W: there is no row"]),
    "q": ({"vectors/q": [1.0]}, ["/fclib_local/vectors/q: expected 6 values, given 1"]),
    "mixed": ({"V/m": [1]}, ["mixed problems (V, R): not yet"]),
}  # fmt: skip


@pytest.mark.parametrize("changes, says", FCLIB.values(), ids=FCLIB.keys())
def test_bad_fclib_files_are_refused(stiction, tmp_path, changes, says):
    path = write_fclib(tmp_path / "p.hdf5", -1)
    with h5py.File(path, "a") as file:
        for name, values in changes.items():
            if f"fclib_local/{name}" in file:
                del file[f"fclib_local/{name}"]
            file[f"fclib_local/{name}"] = np.array(values)
    run = stiction("solve", path)
    assert_one_line(run, 2)
    assert [words for words in says if words not in run.stderr] == []


def test_damaged_hdf5_is_refused(stiction, tmp_path):
    path = write_hdf5(tmp_path / "p.h5", "lcp", LCPS)
    path.write_bytes(path.read_bytes()[:1200])
    run = stiction("solve", path)
    assert_one_line(run, 2)
    assert "cannot read" in run.stderr and "p.h5" in run.stderr
