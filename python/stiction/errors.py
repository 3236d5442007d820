"""Errors that the user can fix: each message is one line that says what is wrong, where, and what to do."""

import importlib
import pathlib
from types import ModuleType

from stiction._core import InputError


class MissingPackage(ImportError, InputError):
    """An optional package that is not installed."""


def optional(name: str, reason: str, extra: str = "look") -> ModuleType:
    """Imports the module `name`, or raises MissingPackage that says which extra of stiction has it.

    `reason` is a noun phrase: what needs the package ("a video").
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        if error.name not in (None, package, name):
            raise  # the package is there; something that it needs is not
        message = f"{reason} needs the package {package}: pip install '.[{extra}]' from a checkout of stiction"
        raise MissingPackage(message, name=package) from error


def make_folder_of(file: str | pathlib.Path) -> None:
    """Makes the folder of a file that is going to be written, or raises InputError that says why it cannot be made."""
    folder = pathlib.Path(file).absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{file}: the folder {folder} cannot be made ({error.strerror})") from error
