"""What scripts share that make the files of a scene: they write them, or compare them with what is committed."""

import argparse
import sys


def write_or_compare(description, folder, make):
    """Writes make(), texts by the names of files, into a folder; with --check it compares them and writes nothing."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="compare with the committed files, write nothing")
    check = parser.parse_args().check
    files = make()
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        if not check:
            (folder / name).write_text(text)
        elif (folder / name).read_text() != text:
            sys.exit(f"{name} is not what this script makes")
