"""URDFs as MuJoCo can take them: package:// and relative paths made absolute, and what is only to be seen left out.

MuJoCo strips folders from a URDF's mesh paths and stops at visual meshes in formats that it does not read. A copy of the text
without these two obstacles shows whether the robot itself can be loaded.
"""

import pathlib
import re
import xml.etree.ElementTree as ElementTree

PACKAGE_PATH = re.compile(r"package://([^/]+)/(.+)")


def packages_of(text):
    """The names of the packages that a URDF refers to."""
    return sorted({match[0] for match in re.findall(r"package://([^/\"']+)/([^\"']*)", text)})


def find_package(name, urdf, root):
    """The folder of a package: the nearest folder of this name above the URDF, else any in its archive; None if there is none."""
    for parent in urdf.parents:
        if parent.name == name:
            return parent
        if (parent / name).is_dir():
            return parent / name
        if parent == root:
            break
    return next((path for path in sorted(root.rglob(name)) if path.is_dir()), None)


def resolve(filename, urdf, root):
    """The absolute path of a mesh of a URDF."""
    match = PACKAGE_PATH.fullmatch(filename)
    if not match:
        return str((urdf.parent / filename.removeprefix("file://")).absolute())
    package = find_package(match[1], urdf, root)
    return str((package or pathlib.Path("/no/such/package") / match[1]) / match[2])


def resolved_text(urdf, root):
    """The URDF's text with absolute paths of collision meshes and without visuals, for MuJoCo. Raises ParseError."""
    robot = ElementTree.parse(urdf).getroot()
    for link in robot.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
    for mesh in robot.iter("mesh"):
        mesh.set("filename", resolve(mesh.get("filename", ""), urdf, root))
    mujoco = robot.find("mujoco")
    mujoco = ElementTree.SubElement(robot, "mujoco") if mujoco is None else mujoco
    compiler = mujoco.find("compiler")
    compiler = ElementTree.SubElement(mujoco, "compiler") if compiler is None else compiler
    compiler.set("strippath", "false")
    compiler.attrib.pop("meshdir", None)
    return ElementTree.tostring(robot, encoding="unicode")
