"""What a function writes shows in its signature: it is not const, and stands last (CONTRIBUTING.md).

Arrays of a state are `Array` (kernels/team/array.hpp), so that the compiler refuses to write through a `const State&`.
"""

import re

import sources

ROOMS = tuple(
    f"kernels/{room}"
    for room in ("linalg", "model", "kinematics", "collision", "problem", "contact", "dynamics", "solver", "step")
)

# structs whose bare pointers may be written through, and why
BARE = {
    "NearMemory": "memory of the launch, handed on by value",
    "Arena": "what it hands out is the taker's to write",
}

# functions that hand out a place in a state, as an index does
HANDED_OUT = {"entry", "response_of", "shift_of_point"}

STRUCT = re.compile(r"^(?:struct|class) (\w+) \{$(.*?)^\};$", re.MULTILINE | re.DOTALL)
MEMBER = re.compile(r"^  (?!const |using |static |friend |return |ST_)[\w:]+(?:<[^;()]*>)?\s*\*[^;()]*;", re.MULTILINE)
FUNCTION = re.compile(
    r"^[ ]*(?:template <(?P<template>[^\n]*)>\n)?[ ]*(?:ST_FN|ST_PHASE|ST_BODY|ST_APART|ST_TIGHT|ST_ROLLED|void)\b[^;{}=()]*?\b"
    r"(?P<name>\w+)\(",
    re.MULTILINE,
)
# a reference or a pointer that may be written through and is no state
WRITABLE = re.compile(r"^(?!const )(?:Pointer<(?!const )|[\w:]+(?:<.*>)?(?:&|\*+) ?\w+$)")
REFERENCE = re.compile(r"^(?P<const>const )?(?P<type>[\w:]+(?:<.*>)?)& \w+$", re.DOTALL)


def structs():
    """(path, name, body) of every struct of the rooms."""
    for path in sources.code_files(*ROOMS):
        for name, body in STRUCT.findall(sources.without_comments(sources.text(path))):
            yield path, name, body


def states():
    """Structs that hold an Array, or another struct that does: what a function can write through."""
    bodies = {name: body for _, name, body in structs()}
    found = {name for name, body in bodies.items() if re.search(r"^  Array<", body, re.MULTILINE)}
    while True:
        held = re.compile(rf"^  (?:{'|'.join(sorted(found))})\b(?:<[^;()]*>)? [^;()]*;", re.MULTILINE)
        more = {name for name, body in bodies.items() if held.search(body)} - found
        if not more:
            return found
        found |= more


def closing(text, opening):
    """Where the bracket at `opening` closes."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    raise AssertionError(text[opening : opening + 80])


def parameters(text, opening):
    """Parameters between the parentheses at `opening`, one string each."""
    found, depth, start = [], 0, opening + 1
    end = closing(text, opening)
    for at in range(start, end):
        depth += {"(": 1, "<": 1, ")": -1, ">": -1}.get(text[at], 0)
        if text[at] == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
    found.append(text[start:end])
    return [" ".join(p.split()) for p in found if p.strip()]


def signatures():
    """(place, name, parameters) of every function of the rooms, without values of a type that the call chooses."""
    for path in sources.code_files(*ROOMS):
        text = sources.without_comments(sources.text(path))
        for match in FUNCTION.finditer(text):
            line = text.count("\n", 0, match.start("name")) + 1
            chosen = re.findall(r"class (\w+)", match["template"] or "")
            all_ = [p for p in parameters(text, match.end() - 1) if p.split()[0] not in chosen]
            yield f"{path}:{line}", match["name"], all_


def kinds(parameters, states):
    """Of every parameter: "written" for a state, "read" for what a function only reads, else "array"."""
    for parameter in parameters:
        match = REFERENCE.match(parameter)
        state = match and re.match(r"(?:\w+::)*(\w+)", match["type"])[1] in states
        if state:
            yield "read" if match["const"] else "written"
        else:
            yield "array" if WRITABLE.match(parameter) else "read"


def test_no_kernel_casts_const_away():
    bad = [
        f"{path}:{number}"
        for path in sources.code_files("kernels")
        for number, line in enumerate(sources.without_comments(sources.text(path)).splitlines(), 1)
        if "const_cast" in line
    ]
    assert bad == []


def test_states_hold_no_bare_pointer_that_can_be_written_through():
    bad = [
        f"{path}: {name}: {' '.join(member.split())}"
        for path, name, body in structs()
        for member in MEMBER.findall(body)
        if name not in BARE
    ]
    assert bad == [], "make it an Array (kernels/team/array.hpp)"


def test_states_are_passed_by_reference():
    known = states()
    by_value = re.compile(rf"^(?:{'|'.join(sorted(known))})\b(?:<.*>)? \w+$")
    bad = [f"{place} {name}: {p}" for place, name, all_ in signatures() for p in all_ if by_value.match(p)]
    assert bad == [], "a copy of a state can be written through, whatever its signature says"


def test_what_is_written_comes_last():
    known = states()
    bad = []
    for place, name, all_ in signatures():
        found = list(kinds(all_, known))
        if "written" in found and "read" in found[found.index("written") :] and name not in HANDED_OUT:
            bad.append(f"{place} {name}({', '.join(all_)})")
    assert bad == [], "what is written stands behind what is read"


def test_the_parser_sees_the_signatures():
    """The tests above would pass if the parser saw nothing."""
    known = states()
    assert {"PolishState", "SolverWorkspace", "StepScratch", "ScaledProblem", "AnswerArrays"} <= known
    written = [name for _, name, all_ in signatures() if "written" in kinds(all_, known)]
    assert len(written) > 200 and "polish" in written and "copy_answer" in written
