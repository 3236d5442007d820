"""scripts/compile_times.py reports where the time of a build went; no test asks for seconds themselves."""

import csv

import pytest
from load_script import load_script

times = load_script("scripts/compile_times.py")
LOG = """5.0,5.1,_deps/nanobind-static/nb.cpp.o
9.0,9.0,kernels/launch/CMakeFiles/x.dir/cuda_step.cu.o
2.0,2.0,tests/emulated_gpu/CMakeFiles/x.dir/cuda_step.cu.o
3.0,3.0,tests/step/CMakeFiles/x.dir/step_test.cpp.o
1.0,1.0,host/api/CMakeFiles/x.dir/simulator.cpp.o
4.0,4.0,host/api/CMakeFiles/x.dir/simulator.cpp.o
"""


@pytest.fixture
def build(tmp_path):
    (tmp_path / "compile_times.csv").write_text(LOG)
    return tmp_path


def test_seconds_are_comparable_and_the_newest_counts(build):
    totals = times.by_kind(times.read_units(build))
    assert totals == {"cuda": 36.0, "emulated_gpu": 8.0, "tests": 12.0, "python": 0.0, "host": 20.0 + 16.0}


def test_a_kept_line_replaces_the_one_of_its_name(build, tmp_path, monkeypatch):
    monkeypatch.setattr(times, "KEPT", tmp_path / "kept.csv")
    totals = times.by_kind(times.read_units(build))
    times.keep("first", dict.fromkeys(times.KINDS, 1.0))
    times.keep("second", totals)
    times.keep("first", totals)
    with (tmp_path / "kept.csv").open() as rows:
        kept = list(csv.DictReader(rows))
    assert [row["name"] for row in kept] == ["second", "first"]
    assert {row["cuda"] for row in kept} == {"36"}


def test_a_folder_without_a_log_is_refused_in_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        times.read_units(tmp_path)
    assert end.value.code == 2
    assert "name a build folder" in capsys.readouterr().err
