# Installed by whoever runs the example that needs it.
from typing import Any

class TensorDict:
    def __init__(self, source: dict[str, Any], batch_size: int) -> None: ...
