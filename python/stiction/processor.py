"""Checks that this processor has the instructions that the compiled module uses; without them the import crashes."""

from collections.abc import Iterable
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def check_processor(needed: Iterable[str], cpuinfo: Path = CPUINFO) -> None:
    """Raises ImportError, in one line, if the processor lacks one of the `needed` flags. If `cpuinfo` has no flags,
    nothing is checked."""
    flags = _flags(cpuinfo)
    missing = [flag for flag in needed if flag not in flags] if flags else []
    if missing:
        raise ImportError(
            f"stiction was compiled for a processor with {', '.join(missing)}, which this one lacks: build with "
            f"-DSTICTION_ARCH=x86-64 for it"
        )


def _flags(cpuinfo: Path) -> set[str]:
    """The flags of the first processor, as Linux names them on x86."""
    try:
        lines = cpuinfo.read_text(errors="replace").splitlines()
    except OSError:
        return set()
    return next((set(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), set())
