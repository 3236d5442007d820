"""`python -m stiction`: one line and exit code 2 for what the user can mend."""

import subprocess
import sys

import pytest
from recordings import ENVIRONMENT

for name in ("viser", "mujoco", "imageio_ffmpeg"):
    pytest.importorskip(name, reason=f"no {name}: requirements/look.txt")

WITHOUT = """
import sys
sys.modules["{package}"] = None
from stiction.__main__ import main
sys.exit(main({arguments}))
"""


def run(*arguments):
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT,
                          timeout=60, check=False)


def assert_one_line(result, words):
    assert result.returncode == 2, result.stderr
    assert result.stderr.startswith("stiction: ") and result.stderr.count("\n") == 1
    assert words in result.stderr


@pytest.mark.parametrize(
    "arguments, words", [
        (["view", "no.h5"], "no.h5: no such file"), (["plot", "no.h5"], "no.h5: no such file"),
        (["video", "no.h5", "out.mp4"], "no.h5: no such file"), (["plot"], "FILE.h5"), (["paint"], "paint"),
        (["plot", "no.h5", "--env", "1-"], "no list such as 0,5,10-19"), (["view", "a.h5", "--port", "x"], "--port"),
        ([], "--help")])
def test_bad_arguments(arguments, words):
    assert_one_line(run("-m", "stiction", *arguments), words)


@pytest.mark.parametrize(
    "option, words", [(["--port", "99999"], "--port 99999 is out of 1 ... 65535"),
                      (["--host", "203.0.113.5"], "--host 203.0.113.5: this machine cannot listen there"),
                      (["--host", "no such host"], "--host no such host: this machine cannot listen there"),
                      (["--envs", "9"], "environment 9 is not there")])
def test_addresses_and_environments_that_are_not_there(gripper_file, option, words):
    assert_one_line(run("-m", "stiction", "view", gripper_file, *option), words)


@pytest.mark.parametrize("package", ["h5py", "matplotlib", "viser", "mujoco", "imageio_ffmpeg"])
def test_a_missing_package_is_named_with_the_extra_that_has_it(gripper_file, tmp_path, package):
    file, out = str(gripper_file), str(tmp_path / "out.mp4")
    arguments = {"matplotlib": ["plot", file], "imageio_ffmpeg": ["video", file, out]}.get(package, ["view", file])
    result = run("-c", WITHOUT.format(package=package, arguments=arguments))
    assert_one_line(result, f"needs the package {package}: pip install '.[look]'")


def test_environments_are_listed_as_for_the_program(gripper_file, tmp_path):
    assert_one_line(run("-m", "stiction", "plot", gripper_file, "--env", "0-1,7"), "environment 7 is not there")
    done = run("-m", "stiction", "plot", gripper_file, "--env", "0,2", "--out", tmp_path / "plot.svg")
    assert done.returncode == 0 and (tmp_path / "plot.svg").read_text().count("<svg") == 1
