"""One file in our program, timed as peer.py times MuJoCo: in a process of its own, after a first run that is not timed.

    PYTHONPATH=build/host-release/python python speed.py FILE STEP DURATION REPEATS KEYS

KEYS: keyword arguments of stiction.load_model as JSON. Prints the steps per second of the fastest run as a line of JSON.
"""

import json
import sys
import time


def seconds_of(simulator, steps, repeats):
    """Processor time of these steps from the start, the least of some runs [s]; the run before them is not timed."""
    simulator.step(steps=steps)
    return min(timed(simulator, steps) for _ in range(repeats))


def timed(simulator, steps):
    simulator.reset()
    begin = time.process_time()
    simulator.step(steps=steps)
    return time.process_time() - begin


def measure(path, step, duration, repeats, keys):
    import stiction

    simulator = stiction.Simulator(stiction.load_model(path, step_size=step, **keys), device="cpu", threads=1)
    steps = round(duration / step)
    return {"steps_per_s": steps / seconds_of(simulator, steps, repeats)}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), json.loads(sys.argv[5]))))
