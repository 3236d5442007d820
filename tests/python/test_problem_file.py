"""Files of raw problems from Python: read lazily, solved alone as the run solved them, bad ones named."""

import h5py
import numpy as np
import pytest
import stiction as st
from recordings import record

SAME = 1e-12  # relative to the largest entry, as asked


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("problems")
    path = folder / "problems.h5"
    record("scenes/iiwa_stack_1", folder / "run.h5", "--batch", 2, "--duration", 6, "--record-problems", path)
    return path


def test_some_problems_are_solved_as_in_the_run(file):
    with st.load_problems(file) as problems:
        assert problems.kind == "contact" and problems.choices["solver"] == "interior_point"
        assert len(problems) == len(problems.step) == len(problems.env)
        for ids in ([len(problems) - 1], [5, 3, 40], None):
            answers, recorded = problems.solve(ids), problems.recorded(ids)
            for name in ("v", "lambda", "row_lambda"):
                change = np.abs(answers[name] - recorded[name]).max()
                assert change <= SAME * np.abs(recorded[name]).max(), name
            np.testing.assert_array_equal(answers.status, recorded["status"])


def test_options_overrule_the_file(file):
    with st.load_problems(file) as problems:
        loose = int(problems.recorded()["residual"].argmax())
        exact = problems.solve([loose], solver="newton", tolerance=1e-10)
        assert exact.residual[0] <= 1e-10 and problems.recorded([loose])["residual"][0] > 1e-10


def test_a_factor_in_single_precision_gives_answers_of_its_own(file):
    with st.load_problems(file) as problems:
        assert problems.choices["factor"] == "float64"
        double, single = (problems.solve(solver="newton", factor=f, tolerance=1e-4) for f in ("float64", "float32"))
        assert (single.residual <= 1e-4).all() and not np.array_equal(double.v, single.v)
        with pytest.raises(st.InputError, match="lemke factors no matrix; float32 is for interior_point, admm, newton"):
            problems.solve([0], solver="lemke", factor="float32")


def test_arrays_are_the_arguments_of_the_function(file):
    with st.load_problems(file) as problems:
        arrays = problems.arrays([12])
        one = {k: v[0] if isinstance(v, np.ndarray) and k != "blocks" else v for k, v in arrays.items()}
        answers = st.solve_contact(**one, **problems.choices)
        assert answers.v.shape == arrays["g"].shape[1:]
        np.testing.assert_array_equal(answers.v, problems.solve([12]).v[0])


def test_blocks_and_rows_may_be_left_out(file):
    """One dense block from rest: another path to the same motion of the actuated dofs."""
    with st.load_problems(file) as problems:
        arrays = problems.arrays([50])
        kept = ("H", "g", "J", "phi", "mu", "h", "count", "dof_radius", "offset", "M")
        rows = {name: value for name, value in arrays.items() if name.startswith("row_") and name != "row_sides"}
        answers = st.solve_contact(**{name: arrays[name] for name in kept}, **rows, tolerance=1e-10)
        exact = problems.solve([50], tolerance=1e-10)
        np.testing.assert_allclose(answers.v[0, :9], exact.v[0, :9], atol=1e-7)


@pytest.mark.parametrize("batch", [(), (2,)])
def test_rows_are_limits_where_only_their_jacobian_is_given(batch):
    def of(array):
        return np.broadcast_to(array, (*batch, *np.shape(array)))

    pushed = [of(np.eye(2)), of([-1.0, 2.0]), of(np.zeros((0, 2))), of(np.zeros(0)), of(np.zeros(0)), 0.01]
    free = st.solve_contact(*pushed, row_J=of(np.eye(2)))
    np.testing.assert_allclose(free.v, of([0, 2]), atol=1e-7)
    np.testing.assert_allclose(free.row_lambda, of([1, 0]), atol=1e-7)
    held = st.solve_contact(*pushed, row_J=of(np.eye(2)), row_lower=of([-0.5, -0.5]))
    np.testing.assert_allclose(held.v, of([0, 1.5]), atol=1e-7)


@pytest.mark.parametrize("name, value, says", [
    ("row_offsets", 0, "row_offsets: contact problems have none; did you mean row_offset?"),
    ("blocks", [3, 4], "blocks: expected a sum of nv"),
    ("dof_radius", [[1.0]], r"dof_radius: expected shape \(1, "),
    ("sides", [[0.5]], "sides: expected integers"),
    ("max_couplings", "many", "max_couplings: expected a number"),
])  # fmt: skip
def test_bad_extras_are_named(file, name, value, says):
    with st.load_problems(file) as problems, pytest.raises(st.InputError, match=says):
        st.solve_contact(**problems.arrays([0]) | {name: value})


def test_bad_files_and_ids_are_named(file, tmp_path):
    with st.load_problems(file) as problems, pytest.raises(st.InputError, match="problem 100000: the file has 0 to"):
        problems.solve([100000])
    (tmp_path / "text.h5").write_text("no problems")
    with pytest.raises(st.InputError, match=r"text\.h5: cannot be read as HDF5"):
        st.load_problems(tmp_path / "text.h5")
    with pytest.raises(st.InputError, match="expected problems of kind lcp, found contact"):
        st.load_problems(file, kind="lcp")


def test_other_kinds(tmp_path):
    with h5py.File(tmp_path / "two.h5", "w") as two:
        two["lcp/M"], two["lcp/q"] = [[[2.0, 1], [0, 1]]] * 3, [[-4.0, -1]] * 3
        two["mlcp/M"], two["mlcp/q"], two["mlcp/equations"] = [[[2.0, 1], [-1, 1]]] * 2, [[-4.0, -1]] * 2, [1, 0]
    with pytest.raises(st.InputError, match="found lcp, mlcp"):
        st.load_problems(tmp_path / "two.h5")
    with st.load_problems(tmp_path / "two.h5", kind="lcp") as lcps:
        np.testing.assert_allclose(lcps.solve([2]).z, [[1.5, 1]], atol=1e-8)
    with st.load_problems(tmp_path / "two.h5", kind="mlcp") as mlcps:
        assert len(mlcps) == 2
        np.testing.assert_allclose(mlcps.solve([0]).z, [[1, 2]], atol=1e-8)
