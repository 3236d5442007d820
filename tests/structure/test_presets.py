"""The presets are what docs/building.md says, and what is handed out runs on three architectures and, by PTX, on others."""

import json
import re

import sources


def presets():
    """{name: cache variables, inherited ones included} of every preset that a user may choose."""
    listed = {p["name"]: p for p in json.loads(sources.text("CMakePresets.json"))["configurePresets"]}

    def variables(preset):
        base = variables(listed[preset["inherits"]]) if "inherits" in preset else {}
        return {**base, **preset.get("cacheVariables", {})}

    return {name: variables(preset) for name, preset in listed.items() if not preset.get("hidden")}


def test_every_preset_is_documented():
    documented = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \|$", sources.text("docs/building.md"), re.MULTILINE)
    assert sorted(documented) == sorted(presets())


def test_the_release_preset_compiles_every_kernel_for_three_architectures():
    release = presets()["release"]
    architectures = release["STICTION_CUDA_ARCHITECTURES"].split(";")
    real = [int(a.removesuffix("-real")) for a in architectures if a.endswith("-real")]
    virtual = [int(a.removesuffix("-virtual")) for a in architectures if a.endswith("-virtual")]
    assert release["STICTION_CUDA"] == "ON"
    assert len(set(real)) >= 3 and len(real) + len(virtual) == len(architectures)
    assert virtual and min(virtual) <= min(real)  # any GPU from the oldest of them on can compile the PTX


def test_the_documentation_names_the_architectures_of_the_release_preset():
    (line,) = [text for text in sources.text("docs/building.md").splitlines() if text.startswith("| `release`")]
    for architecture in presets()["release"]["STICTION_CUDA_ARCHITECTURES"].split(";"):
        number, kind = architecture.split("-")
        assert {"real": f"sm_{number}", "virtual": f"compute_{number}"}[kind] in line
