"""The batched simulator."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from stiction import _core
from stiction._core import InputError, Model, Scene
from stiction.arrays import BitArray, Float, FloatArray, GivenArray
from stiction.equations import Equations
from stiction.named import NamedElements, find
from stiction.rays import RayCasting
from stiction.scene import load_scene
from stiction.sensing import Sensing
from stiction.strict import Strict
from stiction.views import Contacts, Parameters, Patches, Stats, live, readout


class Derivatives(tuple[FloatArray, FloatArray]):
    """The derivatives (A, B) that `Simulator.linearize` returns.

    Attributes:
        A: dq+/dq (batch, nv, nv).
        B: dq+/du (batch, nv, nu).
        status: CONVERGED, or why A and B are NaN (batch,) uint32.
    """

    A: FloatArray
    B: FloatArray
    status: BitArray

    def __new__(cls, A: FloatArray, B: FloatArray, status: BitArray) -> Self:
        derivatives = super().__new__(cls, (A, B))
        derivatives.A, derivatives.B, derivatives.status = A, B, status
        return derivatives


class Infeasibility(NamedTuple):
    """The condition that no motion can satisfy in an infeasible step: the one violated most at the end of the step.

    Attributes:
        what: for example "floor and ball/shell overlap" or "joint elbow is beyond its limit".
        depth: how far it is violated [unit].
        unit: "m" or "rad".
        step: number of the step, counted from 1.
    """

    what: str
    depth: float
    unit: str
    step: int


class Simulator(Strict, NamedElements, Equations, Sensing, RayCasting, _core.Simulator):
    """Steps `batch` independent environments of a scene.

    Arrays are live: they are the simulator's memory, of shape (batch, ...). On a CPU they are NumPy arrays, on a GPU
    arrays of the array API (DLPack: `torch.from_dlpack`, `jax.dlpack.from_dlpack`). Values written there count from the
    next step on. The arrays stay valid, and keep their last values, after `close`. A simulator is a context manager;
    only one thread at a time may use it, and a process forked from the one that made it may not.

    Args:
        scene: a `Scene`, or a path for `load_scene`.
        batch: number of environments, at least 1.
        device: "auto" (a usable GPU, else the CPU), "cpu", "cuda", "cuda:<i>" or "reference".
        dtype: "float64" or "float32", the type of state, kinematics and collision; the solver's own state stays double.
        stream: a cudaStream_t as an integer, such as `torch.cuda.current_stream().cuda_stream`: all work is ordered in
            it and `step` returns at once. While the stream is captured into a CUDA graph (`torch.cuda.graph`), every
            call raises `InputError`. None: the simulator makes a stream, and `step` returns when the steps are done.
        first_env_id: global id of environment 0. Two simulators of N environments, with ids from 0 and from N, give the
            same bits as one of 2 N.
        threads: host threads; None: all cores.
        solve_threads: GPU threads that share a solve and, up to 32, the stages around it: 8, 32 or 64; 0: chosen by the
            model's size. The bits are the same. On the CPU, 8, 32 or 64 make solves use the algorithms of a GPU, which
            is slower; then the two differ only in the rounding of library functions.

    Raises:
        InputError: an argument is wrong, or the device is not usable.
        OutOfMemory: the batch does not fit; the message has the number of environments that fit.

    Attributes:
        scene: the `Scene` that is stepped.
        model: its `Model`.
        contacts: `Contacts` of the last step.
        patches: `Patches` of the last step.
        params: `Parameters` of every environment.
        stats: `Stats` of the last step.
    """

    scene: Scene
    model: Model
    contacts: Contacts
    patches: Patches
    params: Parameters
    stats: Stats
    _spoken = "sim"

    def __init__(
        self,
        scene: Scene | str | os.PathLike[str],
        batch: int = 1,
        device: str = "auto",
        dtype: str = "float64",
        stream: int | None = None,
        first_env_id: int = 0,
        threads: int | None = None,
        solve_threads: int = 0,
    ) -> None:
        if isinstance(scene, str | os.PathLike):
            scene = load_scene(scene)
        if not isinstance(scene, Scene):
            raise InputError(f"scene: expected a Scene or a path, got {type(scene).__name__}")
        _check_integers(32, batch=batch, solve_threads=solve_threads, threads=0 if threads is None else threads)
        _check_integers(64, first_env_id=first_env_id, stream=0 if stream is None else stream)
        dtype = getattr(dtype, "__name__", None) or str(dtype)  # np.float32, torch.float32
        super().__init__(
            scene, batch, device, dtype.removeprefix("torch."), stream, first_env_id, threads, solve_threads
        )
        if self._device_warning:
            warnings.warn(self._device_warning, RuntimeWarning, stacklevel=2)
        self.scene = scene
        self.model = scene.model
        self.contacts = Contacts(self)
        self.patches = Patches(self)
        self.params = Parameters(self)
        self.stats = Stats(self)

    # state
    qpos = live[Float]("qpos", "nq", doc="Configuration in MuJoCo's layout [m, rad, unit quaternions] (batch, nq).")
    qvel = live[Float](
        "qvel", "nv", doc="Velocity of the last step [m/s, rad/s] (batch, nv): (q+ - q)/h where momentum is forgotten."
    )
    ctrl = live[Float](
        "ctrl",
        "nu",
        doc="Control (batch, nu), targets [m, rad], rates or forces as the actuator is. An environment's follows the "
        "scene's knots until a value of it is written; `reset` lets it follow again.",
    )
    act = live[Float](
        "act", "na", doc="Activations of actuators that filter or integrate their control, in the model's order (batch, na)."
    )
    time = live[Float]("time", doc="Since the start or the last `reset` [s] (batch,).")
    mocap_pose = live[Float](
        "mocap_pose",
        "nmocap",
        7,
        doc="Position [m] and quaternion (w, x, y, z) of mocap bodies (batch, nmocap, 7).",
    )
    mocap_velocity = live[Float](
        "mocap_velocity",
        "nmocap",
        6,
        doc="Velocity of their origin [m/s], then angular [rad/s], world axes (batch, nmocap, 6).",
    )

    applied_wrench = live[Float](
        "applied_wrench",
        "nbody",
        6,
        doc="Force [N], then torque [N m] on every body at its centre of mass, world axes (batch, nbody, 6): they act in "
        "every step until they are overwritten; `reset` clears them. Bodies that nothing moves ignore them, and one that is "
        "not finite sets `Status.NOT_FINITE` in its environment.",
    )

    # readout
    body_pose = readout[Float](
        "body_pose",
        "nbody",
        7,
        doc="Position [m] and quaternion (w, x, y, z) of every body (batch, nbody, 7): after a step, `reset` or "
        "`forward`.")
    status = readout[np.uint32]("status", doc="Bits of `Status` of the last call of `step` (batch,) uint32.")

    def step(self, ctrl: GivenArray | None = None, steps: int = 1) -> BitArray:
        """Advances every environment, without the interpreter's lock.

        Ctrl-C raises KeyboardInterrupt within 0.2 s or one step, whichever is longer: all environments are then after the
        same whole step, and more steps give the bits that they would have had.

        Args:
            ctrl: (batch, nu), NumPy, torch or JAX; it then stays until it is written again or the environment is reset.
                None: every environment's follows the scene's knots, sampled at t + h, unless it was written.
            steps: at least 1.

        Returns:
            The live status (batch,): bits of `Status` OR-ed over the steps; CONVERGED only if every step was.

        Raises:
            InputError: ctrl has another shape, type or device; steps is not an integer of at least 1.
            ClosedError: the simulator is closed, another thread uses it, or it was made before a fork.
        """
        status: Any = self._step(ctrl, steps)
        return status

    def forward(self) -> None:
        """Finds contacts and poses for a state that was written, without a step; forces are zero."""
        super().forward()

    def wait(self) -> None:
        """Returns once everything enqueued is done; only with a stream of the caller's does a call return before."""
        super().wait()

    def close(self) -> None:
        """Ends its use; arrays that were taken stay valid. May be called again."""
        super().close()

    def reset(
        self,
        ids: Sequence[int] | GivenArray | None = None,
        qpos: GivenArray | None = None,
        qvel: GivenArray | None = None,
        seed: int | None = None,
        keyframe: str | int | None = None,
    ) -> None:
        """Puts environments back to the scene's start, or to a keyframe of the model.

        Args:
            ids: integers, or a mask (batch,) of bool; None: all.
            qpos: start configuration, instead of the scene's (len(ids), nq).
            qvel: start velocity, instead of the scene's (len(ids), nv).
            seed: seed of the scene's random numbers, drawn by (seed, first_env_id + id); None: the scene's seed.
            keyframe: one of `model.keyframe_names`, or its number, instead of the scene's start: configuration, to which
                the scene's noise is added, velocity, poses of mocap bodies that no table moves, and control, which stays
                until it is written, unless the scene has a command.

        Parameters keep the values that were written, except those that the scene draws at random.

        Raises:
            InputError: an id is out of range, there is no such keyframe, or an array has another shape or type.
        """
        if keyframe is not None and (qpos is not None or qvel is not None):
            raise InputError(f"keyframe and {'qpos' if qpos is not None else 'qvel'} exclude each other: both say where to start")
        number = None if keyframe is None else find("keyframe", self.model.keyframe_names, keyframe)
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0):
            raise InputError(f"seed: {seed} given, must be an integer of at least 0")
        self._reset(_environment_ids(ids, self.batch), qpos, qvel, seed, number)

    def linearize(self, smoothing: float) -> Derivatives:
        """Derivatives of the next configuration, with contact smoothed by a barrier.

        q+ = q (+) h v(q, u), where v minimises v.H v / 2 - g.v - smoothing * sum of log(slack) over the facets of all
        contacts and over limits (for a quadratic cone: half of log det). Contacts push before they are reached, so that
        B tells what would move if it were touched. In Pang, Suh, Yang and Tedrake (2023), 1/kappa is `smoothing`.

        Steps with patches, `geometry` "end", `rotation` "linear" or the law "coulomb" have rows that depend on where the
        step ends: (A, B) are total derivatives through that. Such steps are differentiated on the CPU only.

        Contacts that overlap are rows with their gap here, also in second-order dynamics, so that q+ is the end of the
        step; the velocity after the step does not include what parts them.

        Args:
            smoothing: strength of the barrier [J], > 0: the impulse times velocity at every facet. Towards 0 the result
                tends to the derivatives of the hard step, where that has any.

        Returns:
            (A, B) with A (batch, nv, nv) = dq+/dq and B (batch, nv, nu) = dq+/du, float64, in tangent coordinates like
            qvel, while qvel itself is held constant; new arrays on the simulator's device. They are NaN where there are
            no derivatives; `status` of the result then says why, with bits of `Status`: NOT_FINITE, ITERATION_LIMIT if
            bodies have no room between contacts or nothing holds what the barrier drives away, END_OPEN if no end of
            the smoothed step was found or there is a kink, ... The result is exact
            to about a percent with dtype "float32", and for contacts of two curved shapes that nearly touch.

        Raises:
            InputError: smoothing is not positive; device "reference"; a step with rows that depend on its end, on a
                GPU.
            ClosedError: the simulator is closed, or another thread uses it.
        """
        return Derivatives(*self._linearize(smoothing))

    def infeasibility(self, env: int = 0) -> Infeasibility | None:
        """The condition that no motion could satisfy in the last step of an environment; None if the step was feasible.

        If the scene keeps the state (`infeasible = "keep"`), contacts are found again for that state, for the whole
        batch.

        Raises:
            InputError: there is no such environment.
        """
        found: Any = self._infeasibility(env)
        return None if found is None else Infeasibility(*found)

    def state(self, ids: Sequence[int] | GivenArray | None = None) -> dict[str, NDArray[Any]]:
        """Copies of all data on which the next steps depend; `set_state` continues from there with the same bits.

        Args:
            ids: integers, or a mask (batch,) of bool; None: all. Every array has a row for each.

        Raises:
            InputError: an id is out of range.
            ClosedError: the simulator is closed, or another thread uses it.
        """
        return self._state(_environment_ids(ids, self.batch))

    def set_state(self, state: dict[str, NDArray[Any]], ids: Sequence[int] | GivenArray | None = None) -> None:
        """Restores the result of `state`, of this or another simulator of the same scene.

        Args:
            state: with a row for each of the ids, or a single one from which all of them continue.
            ids: integers, or a mask (batch,) of bool; None: all.

        Raises:
            InputError: the state belongs to another number of environments or another model, or an id is out of range.
        """
        if not isinstance(state, dict):
            raise InputError(f"state: expected what state() returned, got {type(state).__name__}")
        self._set_state(state, _environment_ids(ids, self.batch))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<stiction.Simulator, closed>"
        return f"<stiction.Simulator of {self.scene.name}: batch {self.batch}, {self.device}>"


def _check_integers(bits: int, **arguments: Any) -> None:
    for name, value in arguments.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise InputError(f"{name}: expected an integer, got {type(value).__name__}")
        if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
            raise InputError(f"{name}: {value} given, which is not a {bits}-bit integer")


def _environment_ids(ids: Any, batch: int) -> list[int] | None:
    """Ids as a list; a mask becomes the ids for which it is true."""
    if ids is None:
        return None
    array = np.atleast_1d(np.asarray(ids.cpu() if hasattr(ids, "cpu") else ids))
    if array.ndim != 1:
        raise InputError(f"ids: expected integers or a mask of shape ({batch},), got shape {array.shape}")
    if array.dtype == bool:
        if array.shape != (batch,):
            raise InputError(f"ids: expected a mask of shape ({batch},), got {array.shape}")
        return np.flatnonzero(array).tolist()
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"ids: expected integers or a mask of bool, got {array.dtype}")
    outside = array[(array < 0) | (array >= batch)]
    if outside.size:
        raise InputError(f"ids: environment {outside[0]} is not in [0, {batch})")
    return array.tolist()
