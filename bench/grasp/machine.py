"""The machine of a measurement, as columns of its table."""

import os
import pathlib


def described():
    """Processor, cores, and how busy they were before the measurement: with load 0 nobody else computed."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
    return {"processor": name, "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
