# Installed by whoever runs the example that needs it.
from typing import Any, TypeAlias

Tensor: TypeAlias = Any

def __getattr__(name: str) -> Any: ...
