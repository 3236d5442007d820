"""Sliders for the commands of a simulation: they follow the knots of the scene until somebody moves them.

A slider is read and written by viser's event loop alone once a browser is connected. Written by another thread, it could
receive a browser's message between its check and its new value, and the message would be lost.
"""

import asyncio
import threading

import numpy as np

from stiction.view.live import LiveSource, ctrl_ranges


class CommandSliders:
    """One slider for every actuator; `lock` guards the source."""

    def __init__(self, server, source: LiveSource, lock: threading.RLock):
        self._server, self._source, self._lock = server, source, lock
        self._loop: asyncio.AbstractEventLoop | None = None  # once a browser is connected
        self.sliders = []
        self._shown = []  # what each slider was told to show
        if source.model.nu == 0:
            return
        server.on_client_connect(self._connected)
        with server.gui.add_folder("Commands"):
            for actuator, (low, high) in enumerate(ctrl_ranges(source.model)):
                name = source.model.actuator(actuator).name or f"actuator {actuator}"
                self._add(actuator, name, float(low), float(high))

    def follow(self) -> None:
        """Moves the sliders to the commands of the source."""
        commands = self._source.commands().copy()
        if self._loop is None or self._loop.is_closed():
            self._show(commands)
        else:
            self._loop.call_soon_threadsafe(self._show, commands)

    def _show(self, commands: np.ndarray) -> None:
        """A slider that shows another value than it was given stays: a user moved it, and its command is on its way."""
        for actuator, slider in enumerate(self.sliders):
            if slider.value == self._shown[actuator]:
                slider.value = self._shown[actuator] = float(np.clip(commands[actuator], slider.min, slider.max))

    async def _connected(self, _) -> None:
        self._loop = asyncio.get_running_loop()

    def _add(self, actuator: int, name: str, low: float, high: float) -> None:
        start = float(np.clip(self._source.commands()[actuator], low, high))
        slider = self._server.gui.add_slider(name, low, high, (high - low) / 200, start)
        self.sliders.append(slider)
        self._shown.append(start)

        @slider.on_update
        async def _(event) -> None:
            if event.client_id is not None:
                await asyncio.to_thread(self._command, actuator, slider.value)

    def _command(self, actuator: int, value: float) -> None:
        with self._lock:
            self._source.command(actuator, value)
            self._shown[actuator] = value
