"""The prose of docs/gpu.md; bench/gpu_page.py fills in its figures."""

INTRO = """# On a GPU

Written by `bench/gpu_page.py` from the reports in `bench/results`; a test holds this page against them. "Not measured" means that no report has the figure.

## How to check and measure

```sh
scripts/gpu_bundle       # build/gpu_bundle: programs, libraries and scenes; at most 55 MiB
build/gpu_bundle/run     # there or on another x86-64 Linux with an NVIDIA driver; at most 8 minutes (--minutes)
build/gpu_bundle/stiction bench SCENE --device cuda    # the program, on that GPU
```

The bundle has two programs from the same source. `bin/cuda13` is made with the nvcc of CUDA 13 and asks for a driver of CUDA 13 (580) or newer; `bin/cuda12` runs with drivers of
CUDA 12.4 (550) or newer ([building](building.md#drivers-of-cuda-12)). `run` and `stiction` start the first of them that finds a usable GPU, and say for each why not if none does;
`BUNDLE_CUDA=12` leaves no choice. On another GPU than an H100 or H200 the driver first compiles the kernels from PTX, once per machine, which may take minutes: a build with the
architectures of the `release` preset does not need that.

The report is `GPU_NAME.csv` in the current folder, one row a figure or check, with the commit that was built; kept as `bench/results/GPU_NAME.csv` it
appears here after `.venv/bin/python bench/gpu_page.py`. What the time did not allow is a row "skipped" with its reason. A report that is there
already becomes `GPU_NAME.csv.previous`.

Every part, or one scene of it, is a process of its own with a time limit. One that crashes, hangs or ruins the GPU's context is a failed row "broken off" that says what happened, and the others run all the
same. What takes seconds comes first, then what is worth most:

| part | claim or figure |
|---|---|
| machine | size, memory, clocks, power limit, ECC and driver (all that `nvidia-smi -q` says: `REPORT.nvidia-smi.txt`); the bandwidth of a copy and the rate of multiply-adds, which is measured again after every scene of `largest` and `speed`; the clocks right after that |
| first | host and GPU give the same steps of three scenes |
| occupancy | what the runtime says about the kernels of a step: registers, local and shared memory, resident blocks; and that a multiprocessor holds as many blocks of the solve as its scratch is made for |
| calibration | the constants of `bench/gpu_model.py`: clock, barriers, loads, lines, launches, a pass of a loop in a graph; and how long an instruction takes in code without a loop, of 16, 64, 128 and 256 KiB, that 1, 4 and 12 warps of a multiprocessor run together or one behind the other |
| iterations | the time of the kernel for warm starts with at most 1, 2, 4 and 8 iterations and without a limit, with cold caches and on the same problems again, in 4,096 environments and in 256: the time of an iteration, and what is beside them |
| largest, speed | environment-steps/s of the largest batch that has room, then of 4,096, 16,384, 1,024, 1 and 65,536; in three windows of the course, the same steps for every batch, and with environments scattered over it; with dofs, contacts, rows, iterations, residual and share converged of these steps, memory, seconds and launches of the kernels, p50 and p99 of a batch's step. Three routes: all in double and with a [factor](solvers.md#a-factor-in-single-precision) in single precision to a residual of 1e-6, state and factor in single precision to 1e-4. Other widths of a solve and places of its factor at 4,096 and at the largest batch. Where the steps of a batch take so long that a window has no time for all of them, its row says which were timed |
| families | environment-steps/s against contacts: boxes, stacks and piles of 4 to 256 contacts, 4,096 environments |
| latency | a step of one environment and of 4,096, resets of one and of all, and the way of a control from the host and of a state back. From torch it is not measured: the program has no Python |
| mujoco_warp | MuJoCo Warp on the three scenes from the same states, with several steps and in batches of 4,096, 16,384 and 1,024, where a Python has it: `python3`, or that which `GPU_CHECK_PYTHON` names ([below](#beside-mujoco-warp)) |
| interplay | what is written between steps counts; steps that take several rounds are those of the host; batches that step in turn do not mix |
| equivalence | a host that solves as a GPU does and the GPU give the same steps within the table of tolerances: every dynamics, law, cone and solver that go together, both precisions, with a factor in single precision the quasidynamic ones, six scenes. A course that the host itself leaves when the last places of its coordinates change is compared step by step, each from the host's state ([ADR 0216](adr/0216-one-run-on-a-gpu.md)) |
| repeatability | the same bits for batches of 1, 7 and 257, another place in the batch, 8, 32 or 64 threads a solve, its factor in shared or global memory, and a second run |
| dense_factor | an iteration of the solve kernel, with its factor in shared memory where it fits and in global memory, up to 600 dofs; where the machine has cuSOLVER (`--cusolver FILE` names its library), its batched Cholesky factor and solve of the system as a dense matrix, which a step that left its kernel for them would wait for at least; the multiply-adds of both factors ([ADR 0808](adr/0808-no-dense-factor-by-a-library.md)) |
| profile | what `ncu` says about one launch of the kernel for warm starts in 4,096 iiwa_stack, where it is installed: its time, why its warps wait, hits in the caches; all of it in `REPORT.ncu.csv` |
| sanitizer | memcheck and racecheck of a small case, as much of it as the time allows, where `compute-sanitizer` is installed |

`--minutes 1` measures only `machine`, `first`, and the largest batch in two widths and one window.

| exit code | meaning |
|---|---|
| 0 | every check passed |
| 1 | internal error |
| 2 | bad input |
| 3 | a check failed, or a part was broken off |
| 4 | no usable GPU, said in one line |

`gpu_check --only PART ...` runs some of the parts; `gpu_check --dry-run` does all of it with the host in the GPU's place, with small sizes. `SimulatorOptions::solve_threads` sets the threads that share a
solve (8, 32 or 64; by default 8 up to 12 velocities, 32 up to 150 and 64 beyond) and, up to 32, the stages around it, which have 8 in a batch of more than 8 environments a multiprocessor ([ADR 0222](adr/0222-four-small-environments-a-warp.md), [0226](adr/0226-environments-in-step.md)), `SimulatorOptions::factor_memory` where its factor lies: shared as
far as that costs no resident environment, shared, or global ([ADR 0206](adr/0206-factor-in-shared-memory.md)).

## Beside the host

A solve on one lane takes shortcuts that teams of lanes do not have: islands solved separately, an active set, Newton's steps under Coulomb's law. Host and GPU therefore end at
different points within the tolerance, and far apart where a trajectory doubles what is small. With `solve_threads` 8, 32 or 64 (C++, Python) the host
solves as a GPU does, and the two differ in the rounding of library functions only; `stiction compare SCENE --a cpu --b cuda` and `gpu_check` do so.

## Beside MuJoCo Warp

`gpu_check` writes each scene's compiled model, 256 states of the middle window and its command, and gives them to `time_mujoco_warp.py`, which a Python with `mujoco-warp==4.0.0` runs. That first compiles
its kernels, once per machine: on a machine that has never done so, `GPU_CHECK_PYTHON=... ./run --only mujoco_warp speed --minutes 8` leaves it the time. The settings are those with which
[MuJoCo is fastest within 3 mm](peers.md#at-equal-error), and shorter steps. `REPORT.mujoco_warp` keeps what the script read and printed. A run that finds no such Python says so in a row, and gives the time to the parts after it.

## Over the bus

The arrays of a batch lie in the GPU's memory only ([ADR 0218](adr/0218-arrays-on-the-gpu-only.md)). A step moves nothing between host and GPU, and whoever asks for its status moves that. `reset(ids)` uploads the scene's start once and, for each of
the environments `ids`, only what the scene draws for it; values that are written for some environments move alone, and an array that is read moves alone. The host needs
memory for what it reads, not for the batch. `reset` and writes do not wait for steps that are enqueued (in Python if the `stream` is the caller's); reads do.

## Problems given as arrays

`st.solve_contact`, `solve_delassus`, `solve_qp`, `solve_lcp`, `solve_mlcp` and `stiction solve FILE` take `device="cuda"` (`--device cuda`) and hand many problems to the GPU at once,
by every solver; a batch that its memory does not hold is solved in parts. The host checks the problems, measures the residuals, and looks for the proofs that
need a dense null space ([ADR 0220](adr/0220-raw-problems-on-a-gpu.md)). No GPU has timed it.

## When something fails

| what happens | what is done |
|---|---|
| the driver refuses a graph with a loop (older than CUDA 12.4, or with a fault of its own) | the host launches the kernels of a step one by one and waits for every round: the same bits, more time. `stiction run` and `bench` warn, Python gives a `RuntimeWarning`, C++ has `Simulator::device_warning`; the name of the device ends with "kernel by kernel" ([ADR 0217](adr/0217-what-an-older-driver-runs.md)) |
| a kernel fails (an illegal address, an ECC error, a time limit) | the error comes from the call that waits next, which need not be the one that launched the kernel. It says that the GPU's context is lost: only a new process can use the GPU. With `CUDA_LAUNCH_BLOCKING=1` in the environment steps are launched kernel by kernel, every kernel is waited for, and the error names its stage |
| the caller's stream is being captured into a CUDA graph (as by `torch.cuda.graph`) | every call but the one that destroys the simulator raises `InputError`, before it changes anything: use the simulator before or after the capture |

## Without a GPU

Every test run holds the CUDA backend, all of its text and none of its speed, to the bits of such a host: `tests/emulated_gpu` compiles its units for the
processor and runs each thread of each block there, in three orders, with every access of a kernel checked against what is allocated, what is the thread's
and what another thread touches before the next barrier. Every dynamics, law and cone with every solver, both precisions, of its factor too, three widths, ten scenes, steps
without a solution, problems given as arrays, and the Python package ([ADR 0212](adr/0212-an-emulated-gpu.md)). It needs the headers of the CUDA toolkit, not `nvcc`.

```sh
build/host-release/bin/test_emulated_gpu                          # EMULATED_GPU_ORDER=forward | backward | shuffled
PYTHONPATH=build/host-release/emulated/python .venv/bin/python    # import stiction: "cuda" is the emulated GPU
```
"""

SHARES = """The shares are counted from sizes, not by counters: of what a step moves and multiplies at least (`host/backend/step_work.hpp`).
"""

ITERATIONS = """The kernel for warm starts on the same problems, in double, with a limit on the iterations of all phases together: *cold* after something else took the place of everything in the
L2 cache, *again* right after that. A line through the limits of 1 to 8 gives the time of an iteration, of the whole batch, and what is beside them: against the mean of the
iterations in the large batch, against the most of an environment in the small one, of which all environments are at work at once.
"""

PEER = """MuJoCo Warp in single precision, with Newton's solver, from the same states and with the same command as the middle window. Steps of different lengths are not the same: compare
simulated seconds per second, at errors that are alike. *Error of MuJoCo*: of its one run in double with these settings ([beside other simulators](peers.md), which has ours too); *apart*: the largest
difference of the coordinates of one environment from those of that MuJoCo after the same steps:
"""

KERNEL_INTRO = """## Kernels

What `ptxas` says about the kernels for sm_90 (`scripts/kernel_resources.py BUILD`), kept in `bench/results/kernels_sm_90.csv`. A test holds a build of the
same `nvcc` to it: stack at most a tenth and 64 B above, no fewer environments. Stack is that of the deepest call; spills are summed over the
kernel and the functions that it calls apart; environments are those that the registers, shared memory, warps and blocks of one multiprocessor admit.
A solve with `_float32` has its factor in single precision, as `warm float32` has: the default solver's attempts from warm starts. The stages around the solve and the narrow phase hold four times as many environments where 8 lanes have one (up to 12 velocities). Shared is what a kernel always takes: the share of a solve's factor comes with the launch, by default at most what leaves the environments as they are.

The goal, held by a test for sm_80, sm_90 and sm_100 where a build has them: no kernel spills; solve takes at most 256 B of stack and holds at least
4 environments a multiprocessor, by a block too, which solves problems of more than 150 velocities; collide takes at most 1,024 B of stack. **Bold** misses it.
"""


METER_INTRO = """## What a step does

Counted on the emulated GPU over whole scenes (`bench/gpu_meter.py`), in one environment, float64, tolerance 1e-6; means over the steps, rounds included. The *longest
lane* has the most loads between two barriers. *Solves* are the kernels `warm` and `solve` together: `warm` has the default solver's attempts from the last step's answer alone, `solve` begins anew
what those leave ([ADR 0225](adr/0225-a-kernel-for-warm-starts.md)). *Busy lanes* are all loads over those of the longest lane, of the lanes that a solve has. Where that is 8 lanes, four environments
share a warp and, in step, each of its loads; the counts are those of one environment. Load units serve *lines*
of 128 B; *over what a load needs* is how many times the lines that its bytes would fill if they lay together, at least one for each load of a warp; *over all bytes* how many times the lines
that the bytes of all loads would fill. *Memory* is what kernels touch first, in sectors of 32 B, read and written.
A test counts again and holds this table to 5 %.
"""

NOTES = {  # on the report of a commit
    "07fde515444a": """What failed there. *equivalence*: on the host alone, too, one last place in the start moves these courses as far, by up to 3e4 times the tolerance; gpu_check tells such courses apart since then. *sanitizer*: memcheck's finding is a false alarm, which 20 lines reproduce: a parameter of a kernel in a graph that is read through a reference. racecheck found no hazard, but its program crashed under it. Not measured: MuJoCo Warp, whose packages were not there.""",
}

MODEL_INTRO = """What these counts may mean in environment-steps/s on an H100, if enough environments are there to fill it (`bench/gpu_model.py` has the equations
and every constant): by what lanes do alone, and the least of what lanes, load units and memory allow; in millions. *Worst* is a warp that waits for its instructions as the first run on a GPU
measured it, *best* one that does not ([ADR 0226](adr/0226-environments-in-step.md)).
"""
