"""The page: the drawing, the controls beside it, and the loop that plays or steps.

Keys: space plays and pauses, ← and → go one row back and forward, home and end go to the first and last row, R resets a
simulation.
"""

# pyright: reportArgumentType=false, reportAttributeAccessIssue=false
# the source is one of two, told apart by `live`, and each has what the other has not

import socket
import threading
import time

import numpy as np

from stiction.errors import InputError, optional
from stiction.recording import STATUS_BITS
from stiction.status import Status
from stiction.view.camera import Camera, camera_for
from stiction.view.commands import CommandSliders
from stiction.view.drawing import Drawing
from stiction.view.live import LiveSource
from stiction.view.play import PER_SECOND, Frame, RecordingSource
from stiction.view.surroundings import DARK, LIGHT, Surroundings

SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5", "10")
PAUSE = 1.0  # at the end, before it begins again [s]


def start_server(host: str, port: int):
    """A viser.ViserServer that listens on this address only, on this port or the next free one."""
    viser = optional("viser", "the viewer")
    _check_address(host, port)
    server = viser.ViserServer(host=host, port=port, label="stiction", verbose=False)
    server.gui.main_panel.dock_right()  # beside the drawing, not over it
    server.scene.set_up_direction("+z")
    return server


def _check_address(host: str, port: int) -> None:
    """Raises an error if this machine can not listen there; otherwise a thread of viser would print a traceback."""
    if not 0 < port < 65536:
        raise InputError(f"--port {port} is out of 1 ... 65535")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.bind(address)
    except OSError as error:
        raise InputError(f"--host {host}: this machine cannot listen there ({error.strerror})") from error


class Page:
    """Shows one source to everybody who opens the address, on light or dark ground."""

    def __init__(self, server, source: RecordingSource | LiveSource, dark: bool = False):
        self.server, self.source = server, source
        self.row, self.playing, self.speed, self.loop = 0, False, 1.0, True
        self.updates = 0  # frames published
        self._lock = threading.RLock()  # callbacks come from viser's threads
        self._due = False  # something changed that a frame must show
        self._frame = source.now() if source.live else source.frame(0)
        self.drawing = Drawing(server, source.models, source.cone_sides, self._frame)
        self.surroundings = Surroundings(server, source.model, *self.drawing.corners())
        self.set_dark(dark)
        self._look_at(None)
        if not source.live:  # so that arrows keep their scale while it is played
            self.drawing.largest_force = source.largest_force()
        self._add_controls()
        server.on_client_connect(self._aim_client)
        self.publish()

    # what is shown
    def publish(self) -> None:
        """Draws the current frame."""
        with self._lock:
            self._due = False
            self.drawing.update(self._frame)
            self._figures.content = self._describe(self._frame)
            self.server.flush()  # now, not when viser next looks
            self.updates += 1

    def go_to(self, row: int) -> None:
        """Shows a row of a recording."""
        with self._lock:
            self.row = int(np.clip(row, 0, len(self.source) - 1))
            self._frame = self.source.frame(self.row)
            self._slider.value = float(self.source.times[self.row])
            self.publish()

    def step(self) -> None:
        """Steps a simulation once and shows it."""
        with self._lock:
            self._frame = self.source.step()
            self._commands.follow()
            self.publish()

    def reset(self) -> None:
        with self._lock:
            self._frame = self.source.reset()
            self._due = True

    def play(self, playing: bool) -> None:
        with self._lock:
            if playing and not self.source.live and self.row == len(self.source) - 1:
                self.go_to(0)
            self.playing = playing
            self._button.label = "Pause" if playing else "Play"

    def run(self, stop: threading.Event | None = None) -> None:
        """Plays until `stop` is set, or forever."""
        stop = stop or threading.Event()
        before = time.monotonic()
        behind = 0.0  # time that is to be shown yet [s]
        while not stop.is_set():
            now = time.monotonic()
            behind = behind + self.speed * (now - before) if self.playing else 0.0
            before = now
            behind = self.advance(behind)
            if self._due:
                self.publish()
            stop.wait(max(1 / PER_SECOND - (time.monotonic() - now), 1e-3))

    def advance(self, behind: float) -> float:
        """Shows the frame that is `behind` seconds later. Returns the rest of that time that it did not use [s]."""
        with self._lock:
            if not self.playing:
                return 0.0
            ended = self.source.ended() if self.source.live else self.row == len(self.source) - 1
            if ended and (self.loop or not self.source.live):
                return self._at_end(behind)
            if self.source.live:
                if behind < self.source.step_size:
                    return behind
                self.step()
                return min(behind - self.source.step_size, self.source.step_size)  # a slow simulation is not chased
            row = self.source.row_at(self.source.times[self.row] + behind)
            if row == self.row:
                return behind
            behind -= self.source.times[row] - self.source.times[self.row]
            self.go_to(row)
            return behind

    def _at_end(self, behind: float) -> float:
        """Begins again after a pause, or stops."""
        if not self.loop:
            self.play(False)
        elif behind < self.speed * PAUSE:
            return behind
        elif self.source.live:
            self.reset()
        else:
            self.go_to(0)
        return 0.0

    def set_dark(self, dark: bool) -> None:
        """Shows everything on dark or on light ground, to everybody."""
        self.dark = dark
        self.surroundings.show(DARK if dark else LIGHT)

    # the controls
    def _add_controls(self) -> None:
        gui = self.server.gui
        gui.set_panel_label(self.source.title)
        self._button = gui.add_button("Play", hint="space")
        self._button.on_click(lambda _: self.play(not self.playing))
        self._add_key("Play or pause", "space", lambda: self.play(not self.playing))
        speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        speed.on_update(lambda _: setattr(self, "speed", float(speed.value)))
        loop = gui.add_checkbox("loop", self.loop)
        loop.on_update(lambda _: setattr(self, "loop", loop.value))
        if self.source.live:
            self._add_reset_and_commands()
        else:
            self._add_time_slider()
        self._add_choices()
        self._figures = gui.add_markdown("")

    def _add_time_slider(self) -> None:
        times = self.source.times
        self._slider = self.server.gui.add_slider(
            "time [s]", 0.0, max(float(times[-1]), 1e-6), max(float(np.diff(times).min(initial=1.0)), 1e-6), 0.0)

        @self._slider.on_update
        def _(event) -> None:
            if event.client_id is not None:  # dragged, not set by the loop
                self.play(False)
                self.go_to(self.source.row_at(self._slider.value))

        moves = {"arrowleft": -1, "arrowright": 1, "home": -len(times), "end": len(times)}
        for key, rows in moves.items():
            self._add_key(f"Row: {key.removeprefix('arrow')}", key, lambda rows=rows: self.go_to(self.row + rows))

    def _add_reset_and_commands(self) -> None:
        button = self.server.gui.add_button("Reset", hint="R")
        button.on_click(lambda _: self.reset())
        self._add_key("Reset", "R", self.reset)
        self._commands = CommandSliders(self.server, self.source, self._lock)

    def _add_choices(self) -> None:
        gui, drawing = self.server.gui, self.drawing
        boxes = {"forces": "show_forces", "friction cones": "show_cones", "single points": "single_points",
                 "contact points": "show_points"}
        with gui.add_folder("Contacts"):
            for label, name in boxes.items():
                box = gui.add_checkbox(label, getattr(drawing, name))
                box.on_update(lambda _, box=box, name=name: self._set(name, box.value))
            opacity = gui.add_slider("body opacity", 0.1, 1.0, 0.05, drawing.opacity)
            opacity.on_update(lambda _: self._set("opacity", opacity.value))
            scale = gui.add_slider("force scale, 2^", -4.0, 6.0, 0.25, 0.0)
            scale.on_update(lambda _: self._set("force_scale", 2.0**scale.value))
        if len(self.source.env_ids) > 1:
            names = ("all", *(str(env) for env in self.source.env_ids))
            look = gui.add_dropdown("look at environment", names, initial_value="all")
            look.on_update(lambda _: self._look_at(None if look.value == "all" else names.index(look.value) - 1))
        dark = gui.add_checkbox("dark", self.dark)
        dark.on_update(lambda _: self.set_dark(dark.value))

    def _add_key(self, label: str, key: str, action) -> None:
        self.server.gui.add_command(label, hotkey=key).on_trigger(lambda _: action())

    def _set(self, name: str, value) -> None:
        with self._lock:
            setattr(self.drawing, name, value)
            self._due = True

    # cameras and figures
    def _look_at(self, env: int | None) -> None:
        """Moves all cameras to one environment of the grid, or to all environments."""
        self._view = camera_for(self.source.model, self.drawing, env)
        _aim(self.server.initial_camera, self._view)
        for client in self.server.get_clients().values():
            self._aim_client(client)

    def _aim_client(self, client) -> None:
        camera = client.camera
        _aim(camera, self._view.fitted(camera.image_width, camera.image_height))

    def _describe(self, frame: Frame) -> str:
        lines = [f"t = {frame.time:.3f} s"]
        if len(self.source.env_ids) > 1:
            lines.append(f"{len(self.source.env_ids)} environments")
        if frame.contacts is not None:
            lines.append(f"{len(frame.contacts)} contacts")
        for what, mask in (("failed", Status.FAILED), ("warned", Status.BEYOND_ORDER)):
            said = frame.status & np.uint32(int(mask))
            if said.any():
                bits = int(np.bitwise_or.reduce(said))
                names = ", ".join(name for bit, name in enumerate(STATUS_BITS) if bits >> bit & 1)
                lines.append(f"**{int((said > 0).sum())} {what}: {names}**")
        return " · ".join(lines)


def _aim(camera, view: Camera) -> None:
    camera.position, camera.look_at, camera.fov = view.position, view.target, view.fov


def view(source: RecordingSource | LiveSource, host: str = "127.0.0.1", port: int = 8080, dark: bool = False) -> None:
    """Serves the page until the program is interrupted.

    Args:
        source: a recording, or a simulation that is stepped.
        host: address to listen on; "0.0.0.0" shows it to the network.
        port: port to listen on; if it is taken, the next free one.
        dark: shows it on dark ground.

    Raises:
        InputError: this machine can not listen there.
        MissingPackage: viser is not installed.
    """
    server = start_server(host, port)
    try:
        page = Page(server, source, dark)
        page.play(source.live)
        print(f"stiction: http://{server.get_host()}:{server.get_port()} shows {source.title}; Ctrl-C ends")
        page.run()
    except KeyboardInterrupt:
        print()
    finally:
        server.stop()
