"""The page of sensors says of every sensor of kernels/model/sensors.inc whether it is computed, as the list does."""

import re

import sources

SAID = {"kState": "yes", "kAcceleration": "with momentum", "kDrive": "jointactuatorfrc", "kNever": "no"}


def test_the_page_of_sensors_says_what_the_list_says():
    listed = dict(re.findall(r'^ST_SENSOR\(\w+, \w+, "(\w+)", (\w+)\)', sources.text("kernels/model/sensors.inc"), re.M))
    page = sources.text("docs/sensors.md").split("## Every sensor of MuJoCo")[1]
    said = {}
    for line in re.findall(r"^\| `.*", page, re.M):
        names, _, computed = (cell.strip() for cell in line.strip("|").split("|"))
        said |= dict.fromkeys(re.findall(r"`(\w+)`", names), computed)
    assert said.keys() == listed.keys()
    said["jointactuatorfrc"] = "as `jointactuatorfrc`"  # the others are as it is
    assert [name for name, needs in listed.items() if SAID[needs] not in said[name]] == []
