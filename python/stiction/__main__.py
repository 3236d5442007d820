"""`python -m stiction {view,plot,video,decompose,grasp}`: looks at recordings and scenes, makes convex pieces of meshes, judges grasps."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from stiction.errors import InputError
from stiction.grasp import command as grasp_command
from stiction.recording import load_recording
from stiction.strict import nearest

BAD_INPUT, INTERRUPTED = 2, 130  # exit codes, those of the program stiction
PROGRAM = ("run", "compare", "bench", "solve", "info", "doctor", "completion")


class Parser(argparse.ArgumentParser):
    """Prints errors as one line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        found, rest = super().parse_known_args(args, namespace)
        options = [word for word in rest if word.startswith("-")]
        if options:
            self.error(f"there is no option {options[0]}{nearest(options[0].partition('=')[0], self._option_string_actions)}")
        return found, rest

    def error(self, message: str) -> NoReturn:
        message = message.replace("the following arguments are required", "missing")
        raise InputError(f"{message} ({self.prog} --help)")


def numbers(text: str) -> list[int]:
    """The environments of a text such as "0,5,10-19", in this order."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise argparse.ArgumentTypeError(f"{text!r} is no list such as 0,5,10-19")
        found += range(int(first), int(last if dash else first) + 1)
    return found


def parser() -> Parser:
    top = Parser(prog="python -m stiction", description=(__doc__ or "").partition("\n")[0])
    commands = top.add_subparsers(dest="command", required=True, metavar="{view,plot,video,decompose,grasp}", parser_class=Parser)
    _add_view(commands.add_parser("view", help="in the browser: a recording, or a scene while it is simulated"))
    _add_plot(commands.add_parser("plot", help="gaps, forces, residuals and status of a recording over time"))
    _add_video(commands.add_parser("video", help="a film of a recording, by MuJoCo's renderer"))
    _add_decompose(commands.add_parser("decompose", help="a mesh that is not convex as a body of convex pieces"))
    grasp_command.add_arguments(commands.add_parser("grasp", help="which grasps of a file a hand holds, in a simulation"))
    return top


def _add_file(command: Parser) -> None:
    command.add_argument("file", metavar="FILE.h5", help="recording of stiction run")
    command.add_argument("--partial", action="store_true", help="accept a recording that is not finished")


def _add_view(command: Parser) -> None:
    command.add_argument("file", metavar="FILE.h5|SCENE", help="recording, or what stiction run takes")
    command.add_argument("--partial", action="store_true", help="accept a recording that is not finished")
    command.add_argument("--host", default="127.0.0.1", help="address to listen on; default: only this machine")
    command.add_argument("--port", type=int, default=8080, help="the next free one from here on")
    command.add_argument("--envs", type=numbers, help="recorded environments, such as 0,5,10-19; default all")
    command.add_argument("--batch", type=int, default=1, help="environments of a simulation")
    command.add_argument("--assets", help="folder with the files that the model names")
    command.add_argument("--dark", action="store_true", help="on dark ground")
    command.set_defaults(run=run_view)


def _add_plot(command: Parser) -> None:
    _add_file(command)
    command.add_argument("--env", type=numbers, default=None, help="environments, such as 0,2; default the first two")
    command.add_argument("--out", default="plot.png", help="picture: .png, .svg, .pdf; default plot.png")
    command.set_defaults(run=run_plot)


def _add_video(command: Parser) -> None:
    _add_file(command)
    command.add_argument("out", metavar="OUT.mp4", help="film")
    command.add_argument("--env", type=int, default=0, help="environment")
    command.add_argument("--fps", type=float, default=30, help="frames a second")
    command.add_argument("--speed", type=float, default=1, help="seconds of the recording a second of film")
    command.add_argument("--width", type=int, default=960, help="pixels")
    command.add_argument("--height", type=int, default=720, help="pixels")
    command.add_argument("--camera", help="of the model; default the first, else one that sees all")
    command.add_argument("--forces", action="store_true", help="contact forces as arrows inside their friction cones")
    command.add_argument("--assets", help="folder with the files that the model names")
    command.set_defaults(run=run_video)


def _add_decompose(command: Parser) -> None:
    command.add_argument("mesh", metavar="MESH", help="OBJ or STL file")
    command.add_argument("out", metavar="OUT.xml", help="MJCF model; its meshes go into the folder OUT beside it")
    command.add_argument("--threshold", type=float, default=0.05, help="concavity that is left, 0.01 (fine) to 1; default 0.05")
    command.add_argument("--max-pieces", type=int, help="default: as many as the threshold asks for")
    command.add_argument("--max-vertices", type=int, default=32, help="of a piece; default 32")
    command.add_argument("--density", type=float, default=1000, help="[kg/m³]; default 1000")
    command.add_argument("--mass", type=float, help="[kg]; default by the density")
    command.add_argument("--seed", type=int, default=0, help="of CoACD; default 0")
    command.set_defaults(run=run_decompose)


def run_view(options: argparse.Namespace) -> None:
    from stiction.errors import optional

    for package in ("mujoco", "viser"):
        optional(package, "the viewer")
    from stiction.view.page import view
    from stiction.view.play import RecordingSource

    if options.file.endswith((".h5", ".hdf5", ".partial")):
        recording = load_recording(options.file, options.partial)
        view(RecordingSource(recording, options.envs, options.assets), options.host, options.port, options.dark)
    else:
        from stiction.view.live import simulate

        view(simulate(options.file, options.batch, options.assets), options.host, options.port, options.dark)


def run_plot(options: argparse.Namespace) -> None:
    from stiction.plot import plot

    plot(load_recording(options.file, options.partial), options.env, options.out)
    print(options.out)


def run_video(options: argparse.Namespace) -> None:
    from stiction.video import write_video

    recording = load_recording(options.file, options.partial)
    write_video(recording, options.out, env=options.env, fps=options.fps, speed=options.speed, camera=options.camera,
                size=(options.width, options.height), forces=options.forces, assets=options.assets)
    print(options.out)


def run_decompose(options: argparse.Namespace) -> None:
    from stiction.decompose import decompose

    names = ("threshold", "max_pieces", "max_vertices", "density", "mass", "seed")
    found = decompose(options.mesh, options.out, **{name: getattr(options, name) for name in names})
    print(f"{options.out}: {len(found.pieces)} pieces, {found.ratio:.3g} times the volume of the mesh, {found.mass:.3g} kg")


def _refuse_program_commands(arguments: Sequence[str]) -> None:
    """What the compiled program does is no command of this package."""
    if arguments and arguments[0] in PROGRAM:
        raise InputError(f"'{arguments[0]}' is a command of the program stiction: stiction {' '.join(arguments)}")


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        _refuse_program_commands(sys.argv[1:] if arguments is None else arguments)
        options = parser().parse_args(arguments)
        options.run(options)
    except InputError as error:
        print(f"stiction: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
