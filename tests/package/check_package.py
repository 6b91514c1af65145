# SPDX-License-Identifier: MIT
"""Builds the project in consumer/ against Assay as a user gets it, and checks what came out.

--way find_package: Assay is installed into a temporary folder first. --way add_subdirectory: from its source tree.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LAYOUTS = 8


def run(*command, **options):
    print("+", *command, flush=True)
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            stdin=subprocess.DEVNULL, timeout=600, check=False, **options)
    if result.returncode != 0:
        print(result.stdout)
        sys.exit(f"FAILED with status {result.returncode}: {' '.join(map(str, command))}")
    return result.stdout


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def configure(options, work, *definitions):
    consumer = pathlib.Path(__file__).parent / "consumer"
    return run(options.cmake, "-S", consumer, "-B", work / "build", "-G", options.generator,
               f"-DCMAKE_CXX_COMPILER={options.compiler}", f"-DCMAKE_CXX_COMPILER_LAUNCHER={options.launcher}",
               "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror", *definitions)


def check_programs(build):
    for program in ["two_sums", *[f"two_sums.layout-{seed}" for seed in range(1, LAYOUTS + 1)]]:
        listed = run(build / program, "--list")
        expect("forward" in listed and "backward" in listed, f"{program} --list names its subjects:\n{listed}")
    listed = run(build / "defined", "--list")
    expect("empty" in listed and "also-empty" in listed, f"defined --list names its subjects:\n{listed}")


def addresses(program):
    """The functions of the program's text section, in the order in which they lie there."""
    lines = run("nm", "-n", "--defined-only", program).splitlines()
    return [words[2] for words in map(str.split, lines) if len(words) == 3 and words[1] in "Tt"]


def check_layouts(build):
    compiled = [entry["file"] for entry in json.loads((build / "compile_commands.json").read_text())]
    for source in ["two_sums.cpp", "sums.cpp"]:
        count = sum(pathlib.Path(file).name == source for file in compiled)
        expect(count == 1, f"{source} is compiled once for all layouts, not {count} times")

    layouts = [build / f"two_sums.layout-{seed}" for seed in range(1, LAYOUTS + 1)]
    contents = {layout.read_bytes() for layout in layouts}
    expect(len(contents) == LAYOUTS, "every seed gives other bytes")
    orders = [addresses(layout) for layout in layouts]
    expect(len({tuple(sorted(order)) for order in orders}) == 1, "every layout holds the same functions")
    expect(len({tuple(order) for order in orders}) == LAYOUTS, "layouts order the functions differently")
    for layout in layouts:
        text = run("nm", "-n", "--defined-only", layout)
        for name in ["sum_forward", "sum_backward"]:
            found = re.search(rf"^([0-9a-f]+) [Tt] \S*{name}\S*$", text, re.M)
            expect(found and int(found.group(1), 16) % 64 == 0, f"{name} of {layout.name} is aligned to 64 bytes")

    # The same seed gives the same bytes: a layout can be rebuilt.
    before = layouts[0].read_bytes()
    layouts[0].unlink()
    run("cmake", "--build", build, "--target", layouts[0].name)
    expect(layouts[0].read_bytes() == before, "linking a layout again gives the same bytes")


def check_optimisation(build, configured):
    expect("no CMAKE_BUILD_TYPE given, compiling two_sums with -O3" in configured, "the default optimisation is said")
    commands = json.loads((build / "compile_commands.json").read_text())
    of_sums = next(entry["command"] for entry in commands if entry["file"].endswith("/sums.cpp"))
    for flag in ["-O3", "-falign-functions=64", "-falign-loops=64", "-ffunction-sections"]:
        expect(flag in of_sums, f"{flag} is in: {of_sums}")


def measured(assay, work, name, text):
    """The record of a short real run; which verdict it gives is the machine's affair."""
    file = work / f"{name}.toml"
    file.write_text(f'name = "{name}"\nprogram = "{work}/build/two_sums"\n{text}\n[protocol]\nlooks = [{LAYOUTS}]\n'
                    'blocks = 3\nsample = "50us"\nseed = 3\n')
    print("+", assay, "run", file, flush=True)
    ended = subprocess.run([str(assay), "run", str(file)], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, stdin=subprocess.DEVNULL, timeout=300, check=False,
                           env={**os.environ, "ASSAY_STATE_DIR": str(work / "state")})
    expect(ended.returncode in (0, 10, 11, 13), f"{name} ends with a verdict, not with {ended.returncode}:\n{ended.stdout}")
    [record] = (work / "records").glob(f"{name}-*")
    run(assay, "verify", record)
    data = record / "data"
    with open(data / "trials.csv", newline="") as file:
        trials = [row for row in csv.DictReader(file) if row["trial"] != "0"]
    return json.loads((data / "plan.json").read_text()), json.loads((data / "result.json").read_text()), trials


def check_measuring(assay, work):
    plan, result, trials = measured(assay, work, "layouts", f"[layout]\nreplicates = {LAYOUTS}")
    expect(len(set(plan["program_digests"])) == LAYOUTS, "the plan names every layout")
    expect(sorted(int(row["layout"]) for row in trials) == list(range(1, LAYOUTS + 1)), "each trial draws another layout")
    expect(result["comparisons"][0]["look"] == LAYOUTS, f"the look counts layouts: {result['comparisons'][0]}")
    expect(f"over {LAYOUTS} layouts" in result["claims"][0]["scope"], f"the scope is the layouts: {result['claims'][0]}")
    expect("layout.single" not in [finding["slug"] for finding in result["findings"]], "several layouts are no single one")

    _, result, trials = measured(assay, work, "single", "")
    expect({row["layout"] for row in trials} == {"0"}, "one build has no layouts")
    expect("this build" in result["claims"][0]["scope"], f"the scope is this build: {result['claims'][0]}")
    expect("layout.single" in [finding["slug"] for finding in result["findings"]], "the finding stands beside it")
    expect([kernel["kernel"] for kernel in result["canaries"]["kernels"]] == ["canary-compute", "canary-memory"],
           "the canaries ran")


def check_headers(options, prefix, work):
    include = prefix / "include"
    headers = sorted((include / "assay").rglob("*.hpp"))
    expect(include / "assay/assay.hpp" in headers, "assay/assay.hpp is installed")
    expect(len(headers) > 5, f"the public headers are installed, found only {headers}")
    for header in headers:
        run(options.compiler, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", include, "-x",
            "c++", "-include", header, "/dev/null")
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc is None:
        print("SKIPPED: no nvcc here; the headers were not tried under it")
        return
    source = work / "umbrella.cu"
    source.write_text("#include <assay/assay.hpp>\n__global__ void kernel() {}\nint main() { assay::Program program; }\n")
    run(nvcc, "-std=c++17", "-Werror", "all-warnings", "-I", include, "-c", source, "-o", work / "umbrella.o")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ["way", "source", "build", "config", "cmake", "generator", "compiler", "launcher"]:
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay package ") as folder:
        work = pathlib.Path(folder)
        if options.way == "find_package":
            prefix = work / "prefix"
            run(options.cmake, "--install", options.build, "--prefix", prefix, "--config", options.config)
            definitions = [f"-DCMAKE_PREFIX_PATH={prefix}"]
        else:
            # The same objects in a third of the time.
            definitions = [f"-DASSAY_SOURCE={options.source}", "-DASSAY_UNITY=ON", "-DASSAY_PCH=ON"]
        configured = configure(options, work, *definitions)
        run(options.cmake, "--build", work / "build", "--parallel", "2")
        check_programs(work / "build")
        check_layouts(work / "build")
        check_optimisation(work / "build", configured)
        if options.way == "find_package":
            check_headers(options, prefix, work)
            if (prefix / "bin/assay").exists():
                check_measuring(prefix / "bin/assay", work)


if __name__ == "__main__":
    main()
