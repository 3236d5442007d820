# MuJoCo's package has no types of its own: everything in it may be anything.
from typing import Any

def __getattr__(name: str) -> Any: ...
