"""Scripts, which no package has, as modules."""

import importlib.util
import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[1]


def load_script(path, name=None):
    """The Python file `path`, from the project's root, as a module of its own name or of `name`."""
    file = ROOT / path
    spec = importlib.util.spec_from_file_location(name or file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module
