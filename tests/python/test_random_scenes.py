"""Claims about steps of random scenes: what mechanics and the laws promise holds in each (bench/random_scenes.py says what)."""

import pytest
from load_script import load_script

random_scenes = load_script("bench/random_scenes.py")

KINDS = tuple(random_scenes.random_models.KINDS)
SEED, SCENES, BATCH, LENGTH = 2026, 14, 8, 20  # scenes of every kind: 15,680 steps in all
# near an unstable balance the linearised forces of a quasistatic step balance far away, up to kilometres
FAR = {("quasistatic", "speed"), ("quasistatic", "gap"), ("quasistatic", "overlap")}
# of pairs with one point at a time (capsules, cylinders) the other end may turn in; after four meetings it is asked for no more
DEEP = 2e-3  # share of steps that end deeper than they may, at most
FLAGGED = 0.3  # largest share of steps that are not judged


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_keeps_what_it_promises(kind):
    steps, flagged, broken, deep = 0, 0, [], 0
    for number in range(SCENES):
        scene = random_scenes.Scene(SEED, number, (kind,))
        found, flags, done = random_scenes.run_scene(scene, BATCH, LENGTH)
        steps, flagged = steps + done, flagged + sum(flags.values())
        for what, *numbers in found:
            if (scene.choices["dynamics"], what) in FAR:
                continue
            deep += what == "overlap"
            broken += [(str(scene), what, *numbers)] * (what != "overlap")
    assert broken == []
    assert deep <= DEEP * steps
    assert flagged <= FLAGGED * steps
