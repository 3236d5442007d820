"""bench/profiles: its judge and its profiles by hand numbers, its readers, and its page is what its figures give."""

import importlib
import math
import pathlib
import sys

import numpy as np
import pytest

PROFILES = pathlib.Path(__file__).parents[2] / "bench/profiles"
ROUNDING = 1e-12        # of hand problems, and of the references' residuals
WRONG = 1e-4            # a hand problem's residual where the answer is off by a percent


@pytest.fixture(scope="module", autouse=True)
def folder():
    """The bench's modules by their own names."""
    sys.path.insert(0, str(PROFILES))
    yield
    sys.path.remove(str(PROFILES))


def load(name):
    return importlib.import_module(name)


def block_on_floor(push):
    """1 kg on a floor with μ = 0.5, h = 0.1 s, weight 1 N s, pushed along x by `push` N s; rows n, t, o are z, x, y."""
    J = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    return load("contact").Contact(0.1, np.eye(3), np.array([push, 0, -1.0]), J, np.zeros(3), np.zeros(1), np.array([0.5]),
                                   np.ones(3), np.array([3]))


NO_LIMITS = np.zeros(0)
STICKS = (0.3, [0, 0, 0], [1, -0.3, 0])
# Anitescu: λ on the cone's edge (1, -μ), û = (v_z, v_x) orthogonal to it: v_z = μ v_x
ANITESCU_SLIDES = (1.0, [0.4, 0, 0.2], [1.2, -0.6, 0])
COULOMB_SLIDES = (1.0, [0.5, 0, 0], [1, -0.5, 0])


@pytest.mark.parametrize("law, hand", [("anitescu", STICKS), ("coulomb", STICKS), ("anitescu", ANITESCU_SLIDES),
                                       ("coulomb", COULOMB_SLIDES)])  # fmt: skip
def test_the_judge_accepts_hand_solutions_and_nothing_near_them(law, hand):
    push, v, impulses = hand[0], np.array(hand[1]), np.array(hand[2], dtype=float)
    p, residual = block_on_floor(push), load("judge").residual
    assert residual(p, law, v, impulses, NO_LIMITS) < ROUNDING
    for wrong in (1.01 * impulses, impulses + [0, 0.01, 0]):
        moved = p.g + p.J.T @ wrong  # the motion is in balance: only the contact's law is not met
        assert residual(p, law, moved, wrong, NO_LIMITS) > WRONG
    assert residual(p, law, v + [0, 0.01, 0], impulses, NO_LIMITS) > WRONG


def test_the_laws_differ_where_it_slides():
    _, v, impulses = ANITESCU_SLIDES
    assert load("judge").residual(block_on_floor(1.0), "coulomb", np.array(v), np.array(impulses), NO_LIMITS) > WRONG


def test_no_number_is_no_solution():
    p = block_on_floor(0.3)
    assert load("judge").residual(p, "anitescu", np.full(3, np.nan), np.zeros(3), NO_LIMITS) == math.inf


def test_a_limit_that_pushes_where_it_is_open_is_wrong():
    p = block_on_floor(0.3)
    p.L, p.c, p.row_radius = np.array([[1.0, 0, 0]]), np.array([0.2]), np.ones(1)
    residual = load("judge").residual
    at_rest, held = np.zeros(3), np.array([1, -0.3, 0])
    assert residual(p, "anitescu", at_rest, held, np.zeros(1)) < ROUNDING
    assert residual(p, "anitescu", at_rest, held - [0, 0.1, 0], np.array([0.1])) > WRONG


@pytest.mark.parametrize("cone", ["quadratic", "pyramid"])
def test_projections_are_the_nearest_points_of_the_cone(cone):
    """Moreau: P in the cone, x - P in the polar cone, orthogonal to P."""
    rng, judge = np.random.default_rng(5), load("judge")
    x, mu = rng.normal(size=(400, 3)), rng.uniform(0, 2, 400)
    mu[:20] = 0.0
    P = getattr(judge, f"project_to_{cone}")(x, mu)
    assert np.abs((P * (x - P)).sum(1)).max() < ROUNDING
    if cone == "quadratic":
        assert (np.linalg.norm(P[:, 1:], axis=1) - mu * P[:, 0]).max() < ROUNDING
        rest = x - P
        assert (rest[:, 0] + mu * np.linalg.norm(rest[:, 1:], axis=1)).max() < ROUNDING
    else:
        assert (np.abs(P[:, 1:]).sum(1) - mu * P[:, 0]).max() < ROUNDING  # four facets on the axes
        assert max((load("contact").generators(m) @ rest).max() for m, rest in zip(mu, x - P)) < ROUNDING


def test_the_qp_and_the_delassus_form_are_those_of_the_problem():
    contact, p = load("contact"), block_on_floor(1.0)
    _, v, impulses = ANITESCU_SLIDES
    A, c = contact.facet_qp(p)
    z = np.array([0, 0, 1.2, 0])  # the facet at θ = π carries it all
    assert contact.impulses_of_facets(p, z)[0] == pytest.approx(impulses)
    assert p.H @ v - p.g - A.T @ z == pytest.approx(np.zeros(3))
    assert (A @ v + c).min() == pytest.approx(0)
    W, q = contact.delassus(p)
    assert W @ impulses + q == pytest.approx(p.J @ v)
    assert contact.motion_of(p, np.array(impulses)) == pytest.approx(v)


@pytest.mark.parametrize("kind", ["well", "ratio_1e4", "ratio_1e6", "singular"])
def test_random_problems_are_what_their_set_says(kind):
    contact, p = load("contact"), load("random_sets").make(kind, 32, 0)
    assert p.contacts == 32 and len(p.g) == sum(p.blocks)
    assert p.is_regular() == (kind != "singular")
    again = load("random_sets").make(kind, 32, 0)
    assert np.array_equal(p.J, again.J) and np.array_equal(p.g, again.g)
    if kind != "singular":
        W, _ = contact.delassus(p)
        missing = len(W) - np.linalg.matrix_rank(W)
        assert missing == 0 if kind == "well" else missing >= len(W) / 2


def test_a_record_is_read_as_it_was_written():
    contact, p = load("contact"), load("random_sets").make("singular", 8, 3)
    rows = np.concatenate([[contact.MAGIC], contact.record(p), np.zeros(len(p.g) + 3 * p.contacts + 5)])
    again = contact.read_one(contact.Reader(rows))
    for name in ("H", "g", "J", "b", "gap_rate", "mu", "radius", "blocks", "L", "c"):
        assert np.array_equal(getattr(p, name), getattr(again, name)), name


def rows_of(solver, problem, *settings):
    """(setting, seconds, residual, state) each."""
    return [{"solver": solver, "problem": problem, "setting": s, "seconds": t, "residual": r, "state": state}
            for s, t, r, state in settings]  # fmt: skip


HAND = [
    *rows_of("a", "1", (1e-4, 1.0, 1e-5, "solved"), (1e-6, 2.0, 1e-7, "solved")),
    *rows_of("a", "2", (1e-4, 6.0, 1e-5, "solved"), (1e-6, 9.0, 1e-5, "not converged")),
    *rows_of("b", "1", (1e-4, 3.0, 5e-4, "solved"), (1e-6, 4.0, 1e-6, "solved")),
    *rows_of("b", "2", (1e-4, 2.0, 3e-4, "solved"), (1e-6, 3.0, 2e-4, "solved")),
]


def test_the_fastest_setting_that_the_judge_accepts_counts():
    found = load("outcomes").times(HAND, 1e-4)
    assert found == {"a": {"1": (1.0, ""), "2": (6.0, "")}, "b": {"1": (4.0, ""), "2": (3.0, "")}}
    found = load("outcomes").times(HAND, 1e-6)
    assert found["a"] == {"1": (2.0, ""), "2": (math.inf, "not converged")}
    assert found["b"] == {"1": (4.0, ""), "2": (math.inf, "inaccurate")}  # it claims to have solved


def test_profiles_of_a_hand_table():
    outcomes = load("outcomes")
    ratios = outcomes.ratios(outcomes.times(HAND, 1e-4))
    assert ratios == {"a": [1.0, 2.0], "b": [4.0, 1.0]}
    assert outcomes.profile(ratios["a"]) == ([1.0, 2.0], [0.5, 1.0])
    ratios = outcomes.ratios(outcomes.times(HAND, 1e-6))  # nobody solves the second
    assert ratios == {"a": [1.0, math.inf], "b": [2.0, math.inf]}
    assert outcomes.profile(ratios["b"]) == ([2.0], [0.5])


def test_two_solvers_are_compared_on_what_either_solves():
    words = load("words")
    assert words.compared(HAND, "a", "b", 1e-4) == [4.0, 0.5]
    assert words.compared(HAND, "b", "a", 1e-6) == [0.5]
    lost = [row for row in HAND if (row["solver"], row["problem"]) != ("b", "1")] + rows_of("b", "1", (1e-4, 9.0, 1.0, "error"))
    assert words.compared(lost, "a", "b", 1e-6) == [math.inf]


def references():
    data_set = load("data_set")
    if data_set.folder() is None:
        pytest.skip("no data folder: set STICTION_SHARED")
    return data_set, data_set.folder(), data_set.references(data_set.folder())


def test_the_references_of_complementarity_problems_have_the_residual_that_they_state():
    data_set, data, stored = references()
    files = data_set.complementarity_files(data)
    assert {name for name in stored if not name.startswith("fc3d/")} == set(files)
    for name, (file, read) in files.items():
        M, q, equations = read(file)
        entry = stored[name]
        solutions, stated = (entry["z"], entry["natmap"]) if "natmap" in entry else ([entry["z"]], [entry["res"]])
        for z, residual in zip(solutions, stated, strict=True):
            w = M @ np.array(z) + q
            norm = np.linalg.norm(np.where(equations, w, np.minimum(z, w)))
            assert norm == pytest.approx(residual, abs=ROUNDING), name


def natural_map(W, q, mu, r):
    """‖r − P_K(r − u − (μ ‖u_T‖, 0, 0))‖ / max(‖q‖, ‖r‖, ‖u‖)."""
    u = W @ r + q
    shifted, impulses = u.reshape(-1, 3).copy(), r.reshape(-1, 3)
    shifted[:, 0] += mu * np.linalg.norm(shifted[:, 1:], axis=1)
    distance = np.linalg.norm(impulses - load("judge").project_to_quadratic(impulses - shifted, mu))
    return distance / max(np.linalg.norm(x) for x in (q, r, u))


TRANSPOSED = {"fc3d/Rover1039", "fc3d/Rover1040", "fc3d/Rover4144", "fc3d/Rover4396"}  # their W is not quite symmetric


def test_the_references_of_contact_problems_have_the_residual_that_they_state():
    """Four of them solve the transposed of what their file holds."""
    data_set, data, stored = references()
    files = data_set.contact_files(data)
    assert {name for name in stored if name.startswith("fc3d/")} == set(files)
    for name, file in files.items():
        W, q, mu = data_set.read_contacts(file)
        r, stated = np.array(stored[name]["r"]), stored[name]["rel_residual"]
        as_read, as_solved = natural_map(W, q, mu, r), natural_map(W.T if name in TRANSPOSED else W, q, mu, r)
        assert as_solved == pytest.approx(stated, abs=ROUNDING), name
        if name in TRANSPOSED:
            assert as_read > stated + 1e5 * ROUNDING, name


def test_the_page_is_what_the_results_give(tmp_path):
    report = load("report")
    committed, pictures = report.PAGE.read_text(), tmp_path
    report.PAGE, report.PICTURES = tmp_path / "which_solver.md", pictures
    report.main()
    assert report.PAGE.read_text() == committed
    for name in ("convex", "coulomb", "time"):
        assert (pictures / f"profiles_{name}.png").read_bytes().startswith(b"\x89PNG")
