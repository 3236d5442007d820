"""The API reference is read from the package of a build: the Python text, the stub of the compiled half, and the lists of the model.

A hook of mkdocs. STICTION_BUILD names the build; default build/host-release. A line `<!-- table: FILE.inc -->` of a page becomes a table
of the entries of that list: name, shape, meaning; of the arrays of contacts and patches, what `stiction.views` says of each.
"""

import os
import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority

ROOT = Path(__file__).resolve().parents[2]
ENTRY = re.compile(r"ST_(?:COUNT|INT|REAL)\((\w+)[^)]*\)\s*//(.*)")
SHAPE = re.compile(r"\s+\(([\w, ]+)\)$")
READOUT = re.compile(r'^ST_(CONTACT|PATCH)\(\w+((?:\[\d+\])*), (\w+), \S+, "([^"]*)", (?:\w+, )?"([^"]*)"\)', re.MULTILINE)
READOUTS = {"CONTACT": ("Contacts", "max_contacts"), "PATCH": ("Patches", "max_patches")}


@event_priority(100)  # before mkdocstrings reads its options
def on_config(config):
    build = ROOT / os.environ.get("STICTION_BUILD", "build/host-release")
    if not (build / "python/stiction/_core.pyi").is_file():
        raise PluginError(f"{build} has no Python package: run scripts/build, or name another build by STICTION_BUILD")
    config.plugins["mkdocstrings"].config.handlers["python"]["paths"] = [str(build / "python")]
    return config


def readout_row(kind, numbers, name, unit, meaning):
    views, slots = READOUTS[kind]
    shape = ", ".join(["batch", slots, *re.findall(r"\d+", numbers)])
    text = f"{meaning[0].upper()}{meaning[1:]}{f' [{unit}]' if unit else ''} ({shape})."
    text = text.replace("[", r"\[")  # no link
    return [f'<a id="stiction.views.{views}.{name}"></a>`{name}`', text]


def table(file):
    """The entries of a list as a table; counts have no shape."""
    rows = [readout_row(*entry) for entry in READOUT.findall((ROOT / file).read_text())]
    for line in (ROOT / file).read_text().splitlines():
        if entry := ENTRY.match(line):
            text = entry[2].rstrip()
            shape = SHAPE.search(text)
            rows.append([f"`{entry[1]}`", *([f"({shape[1]})"] if shape else []), SHAPE.sub("", text).strip()])
    head = ["name", "shape", "what"] if len(rows[0]) == 3 else ["name", "what"]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def on_page_markdown(markdown, **_):
    return re.sub(r"<!-- table: ([\w/.]+) -->", lambda mark: table(mark[1]), markdown)
