"""Kernels are one text for host and GPU: what they may contain, and that every header stands alone."""

import concurrent.futures
import os
import re
import subprocess

import sources

# what a kernel may not say, and why
FORBIDDEN = {
    r"\bthrow\b": "kernels report by status bits",
    r"\b(?:printf|std::cout|std::cerr)\b": "kernels do not print",
    r"\b(?:malloc|calloc|realloc|free)\s*\(": "kernels do not allocate",
    r"\bnew\b(?!\s*\()": "kernels do not allocate",
    r"\bvirtual\b": "no inheritance in kernels",
    r"\bstd::(?:vector|string|map|function|array|optional|unique_ptr)\b": "kernels use the arena",
    r"\bstd::(?:min|max|swap|clamp|numeric_limits)\b": "not device code without compiler extensions",
    r"\batomic": "results do not depend on order",
}


def kernel_code():
    return [p for p in sources.code_files("kernels") if not p.is_relative_to("kernels/launch")]


def test_kernels_do_not_allocate_print_or_throw():
    bad = []
    for path in kernel_code():
        for number, line in enumerate(sources.without_comments(sources.text(path)).splitlines(), 1):
            bad += [f"{path}:{number}: {why}" for pattern, why in FORBIDDEN.items() if re.search(pattern, line)]
    assert bad == []


def test_only_team_and_launch_know_the_compiler():
    marks = re.compile(r"__CUDACC__|__CUDA_ARCH__|\bthreadIdx\b|\bblockIdx\b|__shfl|__syncthreads|__global__|__device__")
    bad = [
        f"{path}:{number}"
        for path in sources.code_files("kernels", "host")
        if not path.is_relative_to("kernels/team") and not path.is_relative_to("kernels/launch")
        for number, line in enumerate(sources.without_comments(sources.text(path)).splitlines(), 1)
        if marks.search(line)
    ]
    assert bad == []


def reached_from(paths):
    """Project headers that the given files include, directly or not."""
    seen, todo = set(), [str(p) for p in paths]
    while todo:
        for system, name in sources.includes(todo.pop()):
            if not system and name not in seen:
                seen.add(name)
                todo.append(name)
    return seen


def test_every_kernel_header_is_compiled_for_the_gpu():
    reached = reached_from(p for p in sources.code_files("kernels/launch") if p.suffix == ".cu")
    headers = {str(p) for p in kernel_code() if p.suffix == ".hpp"}
    assert sorted(headers - reached) == []


def test_every_kernel_header_compiles_alone():
    compiler = os.environ.get("CXX", "g++")
    flags = f"-std=c++20 -fsyntax-only -ffp-contract=off -Wall -Wextra -Werror -I{sources.ROOT} -x c++ -".split()

    def check(header):
        text = f'#include "{header}"\n#include "{header}"\n'
        run = subprocess.run([compiler, *flags], input=text, capture_output=True, text=True, check=False)
        return "" if run.returncode == 0 else f"{header}: {run.stderr.strip().splitlines()[0]}"

    headers = [p for p in sources.code_files("kernels") if p.suffix == ".hpp"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        assert [message for message in pool.map(check, headers) if message] == []
