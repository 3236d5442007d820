"""Notebooks become pages: docs/notebooks/NAME.ipynb is run, and its text, code and output are the page notebooks/NAME.md.

    notebooks.py [BUILD]    runs the notebooks and stores them with their outputs; default build/host-release

A hook of mkdocs, too: it runs them anew, and a cell that fails fails the build.
"""

import base64
import os
import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

FOLDER = Path(__file__).resolve().parents[2] / "docs/notebooks"
SECONDS = 300  # limit for a cell, on a machine that also does other work


def run(file):
    """The notebook with its outputs, run in its own folder."""
    resources = {"metadata": {"path": str(file.parent)}}
    client = nbclient.NotebookClient(nbformat.read(file, as_version=4), timeout=SECONDS, resources=resources, record_timing=False)
    kernel = client.create_kernel_manager()
    with tempfile.TemporaryDirectory() as sockets:  # not TCP, so that nobody else on the machine can reach the kernel
        kernel.transport, kernel.ip = "ipc", f"{sockets}/kernel"
        try:
            return client.execute()
        except nbclient.exceptions.CellExecutionError as error:
            raise PluginError(f"{file.name}: a cell fails\n{error}") from error


def page(notebook, name):
    """(text of the page, {file name: picture}) of a notebook that was run."""
    parts, pictures = [], {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        elif cell.cell_type == "code":
            parts.append(f"```python\n{cell.source}\n```")
            parts += [shown(output, name, pictures) for output in cell.outputs]
    parts.append(f'<a href="{name}.ipynb" download>This notebook as a file</a>')
    return "\n\n".join(part for part in parts if part) + "\n", pictures


def shown(output, name, pictures):
    """An output as Markdown; a picture is added to `pictures`."""
    data = output.get("data", {})
    if "image/png" in data:
        file = f"{name}_{len(pictures) + 1}.png"
        pictures[file] = base64.b64decode(data["image/png"])
        return f"![Output of the cell above]({file})"
    text = output.get("text", data.get("text/plain", ""))
    return f"```text\n{text.rstrip()}\n```" if text.strip() else ""


def use_package(folder):
    """Lets the kernels import the package of a build."""
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))


def store(file):
    """Runs a notebook and writes it with its outputs; about the machine that ran it nothing is kept."""
    metadata = nbformat.read(file, as_version=4).metadata
    notebook = run(file)
    notebook.metadata = metadata
    nbformat.write(notebook, file)


def on_files(files, config):
    use_package(Path(config.plugins["mkdocstrings"].config.handlers["python"]["paths"][0]))
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        folder, name = os.path.split(file.src_uri.removesuffix(".ipynb"))
        text, pictures = page(run(Path(file.abs_src_path)), name)
        files.append(File.generated(config, f"{folder}/{name}.md", content=text))
        for picture, content in pictures.items():
            files.append(File.generated(config, f"{folder}/{picture}", content=content))
    return files


if __name__ == "__main__":
    use_package(Path(sys.argv[1] if len(sys.argv) > 1 else "build/host-release").resolve() / "python")
    for path in sorted(FOLDER.glob("*.ipynb")):
        store(path)
        print(path)
