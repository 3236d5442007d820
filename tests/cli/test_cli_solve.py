"""`solve`: problems of every kind and format end at their known solutions, and its answers can be read back."""

import h5py
import numpy as np
import pytest
from problem_files import (
    CONTACT_MU,
    CONTACT_Q,
    CONTACT_SOLUTION,
    CONTACT_W,
    LCP,
    LCP_INFEASIBLE,
    LCP_SOLUTION,
    MLCP,
    MLCP_PARTS,
    MLCP_SOLUTION,
    block_contacts,
    complementarity_residual,
    coulomb_residual,
    dense_contacts,
    write_fclib,
    write_hdf5,
)
from recorded_problems import read_contacts, read_lcp, read_mlcp, recorded_files
from stiction_program import assert_one_line

CONVERGED, INFEASIBLE, NOT_FINITE = 1, 1 << 4, 1 << 6  # kernels/model/types.hpp
HAND = 1e-7  # against closed forms of size 1: ten times the residual asked
RECORDED = 1e-8  # natural maps of recorded problems, as asked
CERTIFICATE = 1e-8  # rounding left in a certificate, relative to its largest entry


@pytest.fixture
def solve(stiction, tmp_path):
    """Solves a file and returns the run and its answers."""

    def run(problems, *arguments):
        out = tmp_path / "answers.h5"
        done = stiction("solve", problems, "--out", out, *arguments)
        assert not (tmp_path / "answers.h5.partial").exists()
        with h5py.File(out) as file:
            return done, {name: file[name][()] for name in file} | dict(file.attrs)

    return run


def assert_solved(run, answers, **expected):
    assert run.returncode == 0 and run.stderr == ""
    assert (answers["status"] == CONVERGED).all()
    for name, values in expected.items():
        assert np.abs(answers[name] - values).max() < HAND, name


@pytest.mark.parametrize("content, kind, solution", [
    (LCP, "lcp", LCP_SOLUTION), (MLCP, "mlcp", MLCP_SOLUTION), (MLCP_PARTS, "mlcp", MLCP_SOLUTION)])  # fmt: skip
def test_complementarity_problems_as_text(solve, tmp_path, content, kind, solution):
    file = tmp_path / "problem.dat"
    file.write_text(content)
    for arguments in ([], ["--kind", kind]):
        run, answers = solve(file, *arguments)
        assert_solved(run, answers, z=[solution])
        assert answers["kind"] == kind and answers["solver"] == "auto"


@pytest.mark.parametrize("content", [dense_contacts(), block_contacts()], ids=["dense", "blocks"])
def test_contacts_as_text(solve, tmp_path, content):
    file = tmp_path / "problem.dat"
    file.write_text(content)
    run, answers = solve(file, "--law", "coulomb", "--cone", "quadratic")
    assert_solved(run, answers, **{"lambda": [CONTACT_SOLUTION], "v": 0})
    assert (answers["kind"], answers["law"], answers["cone"]) == ("delassus", "coulomb", "quadratic")


def test_an_asymmetric_matrix_is_named(stiction, tmp_path):
    W = np.array(CONTACT_W, float)
    W[1, 2] += 5e-3 * np.abs(W).max()
    file = write_hdf5(tmp_path / "p.h5", "delassus", {"W": W[None], "q": [CONTACT_Q], "mu": [CONTACT_MU]})
    run = stiction("solve", file)
    assert_one_line(run, 0)
    assert "problem 0 is asymmetric by 0.005 of its largest entry" in run.stderr
    assert stiction("solve", file, "--quiet").stderr == ""


@pytest.mark.parametrize("form", [0, -1, -2], ids=["triplets", "columns", "rows"])
def test_fclib_files(solve, tmp_path, form):
    run, answers = solve(write_fclib(tmp_path / "problem.hdf5", form), "--law", "coulomb", "--cone", "quadratic")
    assert_solved(run, answers, **{"lambda": [CONTACT_SOLUTION], "v": 0})


def batch(array, count=3):
    return np.repeat(np.asarray(array, float)[None], count, axis=0)


def test_delassus_problems_as_hdf5(solve, tmp_path):
    data = {"W": batch(CONTACT_W), "q": batch(CONTACT_Q), "mu": batch(CONTACT_MU)}
    run, answers = solve(write_hdf5(tmp_path / "p.h5", "delassus", data))
    assert_solved(run, answers, **{"lambda": batch(CONTACT_SOLUTION), "v": 0})
    assert answers["asymmetry"].tolist() == [0, 0, 0] and answers["violation"].tolist() == [0, 0, 0]
    assert "direction" not in answers and np.isnan(answers["farkas"]).all()


def test_contact_problems_as_hdf5(solve, tmp_path):
    # a point of 2 kg falls at 3 m/s onto the floor: lambda = 2 * 3 N s; without its contact it goes on
    data = {"H": batch(2 * np.eye(3), 2), "g": batch([-6, 0, 0], 2), "J": batch(np.eye(3), 2), "phi": batch([0], 2),
            "mu": batch([0.5], 2), "count": np.array([1, 0])}  # fmt: skip
    run, answers = solve(write_hdf5(tmp_path / "p.h5", "contact", data, step_size=0.01))
    assert_solved(run, answers, v=[[0, 0, 0], [-3, 0, 0]], **{"lambda": [[6, 0, 0], [0, 0, 0]]})
    assert answers["step_size"] == 0.01 and answers["direction"].shape == (2, 3)
    assert "p.h5: contact, batch 2, nv 3, contacts 1, cpu\n" in run.stdout


@pytest.mark.parametrize("equations", [np.array([1, 0]), np.array([[True, False]] * 3)], ids=["one", "each"])
def test_mlcps_as_hdf5(solve, tmp_path, equations):
    data = {"M": batch([[2, 1], [-1, 1]]), "q": batch([-4, -1]), "equations": equations}
    assert_solved(*solve(write_hdf5(tmp_path / "p.h5", "mlcp", data)), z=batch(MLCP_SOLUTION))


def test_qps_as_hdf5(solve, tmp_path):
    # min |v|²/2 - v0, v0 <= 0.25, v1 >= 2
    data = {"H": batch(np.eye(2)), "g": batch([1, 0]), "A": batch([[-1, 0], [0, 1]]), "b": batch([0.25, -2])}
    run, answers = solve(write_hdf5(tmp_path / "p.h5", "qp", data))
    assert_solved(run, answers, v=batch([0.25, 2]), **{"lambda": batch([0.75, 2])})


def lcps(tmp_path, q):
    return write_hdf5(tmp_path / "p.h5", "lcp", {"M": batch([[2, 1], [0, 1]], len(q)), "q": np.array(q, float)})


def test_nan_costs_its_own_problem_only(solve, tmp_path):
    file = lcps(tmp_path, [[-4, -1], [np.nan, 0], [-4, -1]])
    run, answers = solve(file, "--quiet")
    assert_one_line(run, 3)
    assert "1 of 3 problems unsolved: 1 (not finite)" in run.stderr and run.stdout == ""
    assert answers["status"].tolist() == [CONVERGED, NOT_FINITE, CONVERGED]
    run, _ = solve(file, "--allow-failures", 1)
    assert run.returncode == 0 and run.stderr == ""


def test_proof_of_infeasibility_is_an_answer(solve, tmp_path):
    file = tmp_path / "problem.dat"
    file.write_text(LCP_INFEASIBLE)
    run, answers = solve(file)
    assert run.returncode == 0 and answers["status"].tolist() == [INFEASIBLE]
    assert answers["farkas"][0, 0] > 0
    line = run.stdout.splitlines()[2].split()
    assert (line[0], line[1], line[-1]) == ("0", "infeasible", "yes")
    assert ["proved", "infeasible", "1"] in [words.split() for words in run.stdout.splitlines()]


def test_table_lists_a_screenful_and_the_figures(solve, tmp_path):
    run, _ = solve(lcps(tmp_path, [[-4, -1]] * 30))
    lines = [line.split() for line in run.stdout.splitlines()]
    assert [int(line[0]) for line in lines[2:22]] == list(range(20)) and {line[1] for line in lines[2:22]} == {"converged"}
    assert lines[22] == ["...", "10", "more"] and lines[23] == ["solved", "30"]
    assert run.stdout.rstrip().endswith("answers.h5")


def test_answers_do_not_depend_on_the_number_of_threads(solve, tmp_path):
    random = np.random.default_rng(3)
    file = lcps(tmp_path, random.normal(size=(50, 2)))
    (_, one), (_, four) = solve(file, "--threads", 1), solve(file, "--threads", 4)
    assert (one["z"] == four["z"]).all() and (one["status"] == CONVERGED).all()


def test_a_device_is_named_and_one_that_is_not_there_is_refused(solve, stiction, tmp_path):
    file = lcps(tmp_path, [[-4, -1]])
    run, answers = solve(file, "--device", "cpu", "--solve-threads", 32)
    assert_solved(run, answers, z=[LCP_SOLUTION])
    assert answers["device"] == "cpu"
    for given, line in {
        ("--device", "reference"): 'device: "reference" is not one of auto, cpu, cuda, cuda:<i>',
        ("--device", "cuda:99"): "device: cuda:99",
        ("--solve-threads", 5): "--solve-threads 5: it takes 8, 32, 64, or 0 for a choice by the problem's size",
    }.items():
        refused = stiction("solve", file, *given)
        assert_one_line(refused, 2)
        assert refused.stderr.startswith(f"stiction: {line}")


def test_group_is_chosen_by_kind(stiction, solve, tmp_path):
    file = lcps(tmp_path, [[-4, -1]])
    with h5py.File(file, "a") as more:
        for name, values in {"M": [[[2, 1], [-1, 1]]], "q": [[-4, -1]], "equations": [1, 0]}.items():
            more[f"mlcp/{name}"] = np.array(values)
    refused = stiction("solve", file)
    assert_one_line(refused, 2)
    assert "/lcp and /mlcp: say which with --kind" in refused.stderr
    assert_solved(*solve(file, "--kind", "lcp"), z=[LCP_SOLUTION])
    assert_solved(*solve(file, "--kind", "mlcp"), z=[MLCP_SOLUTION])


def test_older_answers_stay_where_problems_are_refused(stiction, tmp_path):
    out, file = tmp_path / "answers.h5", tmp_path / "problem.dat"
    out.write_text("old")
    file.write_text("3 1  0 3 3 3 3  1 0 0 0 1 0 0 0 1  -1 0 0  -0.5")
    run = stiction("solve", file, "--out", out)
    assert_one_line(run, 2)
    assert "problem.dat: mu: problem 0, contact 0: expected 0 or more, given -0.5" in run.stderr
    assert out.read_text() == "old" and not (tmp_path / "answers.h5.partial").exists()


def test_answers_do_not_replace_their_problems(stiction, tmp_path):
    file = lcps(tmp_path, [[-4, -1]])
    before = file.read_bytes()
    run = stiction("solve", file, "--out", file)
    assert_one_line(run, 2)
    assert "it is the file of the problems" in run.stderr and file.read_bytes() == before


@pytest.mark.parametrize("file", recorded_files("lcp"))
def test_recorded_lcps(solve, file):
    run, answers = solve(file)
    M, q = read_lcp(file)
    assert run.returncode == 0 and answers["kind"] == "lcp"
    if file.stem == "lcp_Pang_isolated_sol_perturbed":
        y = answers["farkas"][0]
        assert answers["status"].tolist() == [INFEASIBLE]
        assert (y >= 0).all() and q @ y < 0 and (M.T @ y).max() <= CERTIFICATE * y.max()
        return
    assert answers["status"].tolist() == [CONVERGED]
    assert complementarity_residual(M, q, answers["z"][0]) < RECORDED


@pytest.mark.parametrize("file", recorded_files("mlcp"))
def test_recorded_mlcps(solve, file):
    run, answers = solve(file)
    M, q, equations = read_mlcp(file)
    assert_solved(run, answers)
    assert answers["kind"] == "mlcp"
    assert complementarity_residual(M, q, answers["z"][0], equations) < RECORDED


@pytest.mark.parametrize("file", recorded_files("fc3d"))
def test_recorded_contacts(solve, file):
    run, answers = solve(file, "--law", "coulomb", "--cone", "quadratic")
    W, q, mu = read_contacts(file)
    assert_solved(run, answers)
    assert answers["kind"] == "delassus"
    assert coulomb_residual((W + W.T) / 2, q, mu, answers["lambda"][0]) < RECORDED
