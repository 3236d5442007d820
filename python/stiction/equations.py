"""Terms of the equations of motion, M v' + c = tau + J^T f, at the present state of a simulator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction import _core
from stiction._core import InputError
from stiction.named import Body, find


class Equations:
    """What `Simulator` has of the equations of motion. Results are new NumPy arrays in double precision.

    They are computed on the host from qpos, qvel and parameters as they are, those of a GPU copied there.
    """

    def mass_matrix(self) -> NDArray[np.float64]:
        """M (batch, nv, nv) [kg, kg m, kg m²], armature included: MuJoCo's mj_fullM.

        Raises:
            ClosedError: the simulator is closed, or another thread uses it.
        """
        return _core.mass_matrix(self)

    def bias(self) -> NDArray[np.float64]:
        """c (batch, nv) [N, N m]: Coriolis, centrifugal and gyroscopic force minus the weight, MuJoCo's qfrc_bias.

        Raises:
            ClosedError: the simulator is closed, or another thread uses it.
        """
        return _core.bias_force(self)

    def jacobian(self, body: str | int | Body, point: Sequence[float] | NDArray[Any] | None = None) -> NDArray[np.float64]:
        """J (batch, 6, nv) of a point that moves with a body: rows v [m/s], then w [rad/s], world axes; J qvel is its velocity.

        Args:
            body: name, id, or what `sim.body` returns.
            point: in the body's frame [m] (3,), such as (0, 0, 0) for its origin; None: its centre of mass.

        Raises:
            InputError: there is no such body, or the point has not three finite numbers.
            ClosedError: the simulator is closed, or another thread uses it.
        """
        simulator: Any = self
        number = body.id if isinstance(body, Body) else find("body", simulator.model.body_names, body)
        return _core.body_jacobian(self, number, None if point is None else _point(point))


def _point(point: Any) -> list[float]:
    try:
        values = np.asarray(point, float)
    except (TypeError, ValueError):
        raise InputError(f"point: expected three numbers [m], got {type(point).__name__}") from None
    if values.shape != (3,) or not np.isfinite(values).all():
        raise InputError(f"point: expected three finite numbers [m], got {values.tolist()}")
    return values.tolist()
