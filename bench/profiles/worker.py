"""A process that solves: asked with a time limit, ended and started anew where it does not answer or dies."""

import io
import os
import select
import struct
import subprocess
import time

import numpy as np

START = 60.0       # a process may take this long to import its library [s]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class TimeLimit(Exception):
    """No answer in time."""


class Died(Exception):
    """The process ended instead of answering."""


class Worker:
    """`command` speaks service.py's messages; with `greets` its first message lists its solvers."""

    def __init__(self, command, greets):
        self.command, self.greets, self.process, self.greeting = command, greets, None, None

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=os.environ | ONE_THREAD)
        if self.greets:
            self.greeting = self.receive(time.monotonic() + START)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process = None

    def ask(self, payload, limit):
        """The answer's bytes."""
        if self.process is None:
            self.start()
        end = time.monotonic() + limit
        try:
            self.process.stdin.write(struct.pack("<Q", len(payload)) + payload)
            self.process.stdin.flush()
            return self.receive(end)
        except (TimeLimit, Died, BrokenPipeError) as error:
            self.stop()
            raise error if isinstance(error, TimeLimit) else Died from error

    def receive(self, end):
        return self.take(struct.unpack("<Q", self.take(8, end))[0], end)

    def take(self, count, end):
        parts, stream = b"", self.process.stdout.fileno()
        while len(parts) < count:
            if not select.select([stream], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeLimit
            part = os.read(stream, min(count - len(parts), 1 << 20))
            if not part:
                raise Died
            parts += part
        return parts


def unpack(payload):
    return dict(np.load(io.BytesIO(payload)))
