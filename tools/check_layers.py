#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the modules of Assay depend on each other only as the table below allows.

Looked at, under the repository's root (or the directory given): every #include of the C++ files in src/, cli/, probe/ and
experiments/; the DEPENDS of every assay_module() in the modules' CMakeLists.txt; the public headers (HEADERS of
assay_module()), which may include the standard library and other public headers only; where CUDA and OpenCL headers appear;
and the licence line of every C++ file.

Prints one line for each violation, FILE:LINE: what, why, what is allowed instead. Exit status 0 if there is none, 1 if there
are some, 2 if nothing could be checked.
"""

import argparse
import pathlib
import re
import sys

# What each module may depend on directly. `base` is everyone's. An edge that is not here is a decision to take, not a line
# to add: what a module may see is what keeps it testable without a device, a process or a file.
MODULES = {
    "base": [],
    "stats": ["base"],
    "model": ["base"],
    "env": ["base"],
    "problem": ["base"],
    "device": ["base"],
    "experiment": ["base"],
    "wire": ["base", "experiment"],
    "record": ["base", "experiment"],
    "measure": ["device", "problem", "model", "stats", "wire"],
    "judge": ["stats", "model", "env", "experiment", "record"],
    "run": ["wire", "experiment", "record", "env", "judge"],
    "audit": ["stats", "model", "env", "experiment", "record", "judge"],
    "profile": ["experiment", "record", "run"],
    "report": ["stats", "env", "model", "experiment", "record", "judge", "audit"],
    "exchange": ["experiment", "record", "judge"],
    "history": ["stats", "env", "experiment", "record", "judge"],
    "doctor": ["env", "model", "stats", "experiment", "record", "run", "judge"],
}

# Folders beside src/. The experiments are what a user would write, so they see what a user sees.
PUBLIC = "public headers"
FOLDERS = {"cli": list(MODULES), "probe": ["measure"] + MODULES["measure"], "experiments": [PUBLIC]}

# Folders in which headers of CUDA and OpenCL may appear.
DEVICE_CODE = ("src/assay/device/", "src/assay/profile/", "probe/", "experiments/")
DEVICE_HEADER = re.compile(
    r"^(cuda|cupti|nvml|nvrtc|nvperf|nvtx|nvToolsExt|cublas|cudnn|cufft|curand|cusparse|cusolver|cub/|cute/|cutlass|thrust/"
    r"|cooperative_groups|device_launch_parameters|mma\.h|CL/|OpenCL/)")

CPP_SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".cc", ".h"}
LICENCE_LINE = "// SPDX-License-Identifier: MIT"
LICENSED = ["src", "cli", "probe", "experiments", "bench", "tests"]

# C++17: what a public header may include.
STANDARD_HEADERS = set("""
algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath codecvt
complex condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque
exception execution filesystem forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream
iterator limits list locale map memory memory_resource mutex new numeric optional ostream queue random ratio regex
scoped_allocator set shared_mutex sstream stack stdexcept streambuf string string_view strstream system_error thread tuple
type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector
""".split())

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
RAW_STRING = re.compile(r'R"([^()\\\s]{0,16})\(.*?\)\1"', re.S)
MODULE_CALL = re.compile(r"\bassay_module\s*\(([^)]*)\)", re.S)
LINK_CALL = re.compile(r"\btarget_link_libraries\s*\(([^)]*)\)", re.S)
KEYWORDS = {"SOURCES", "HEADERS", "DEPENDS", "LIBRARIES"}


def listed(modules):
    return ", ".join(modules) if modules else "nothing"


class Tree:
    """One checkout: its public headers and the violations found in it."""

    def __init__(self, root):
        self.root = root
        self.violations = []
        self.public = set()  # as they are included: assay/base/error.hpp

    def report(self, path, line, what, why, allowed):
        name = path.relative_to(self.root).as_posix()
        self.violations.append((name, line, f"{name}:{line}: {what}: {why}; allowed: {allowed}"))

    def cpp_files(self, folder):
        return sorted(p for p in (self.root / folder).rglob("*") if p.suffix in CPP_SUFFIXES and p.is_file())

    def check(self):
        self.check_cmake()
        umbrella = self.root / "src/assay/assay.hpp"
        if umbrella.exists():
            self.public.add("assay/assay.hpp")
        checked = 0
        for folder in ["src", *FOLDERS]:
            for path in self.cpp_files(folder):
                self.check_includes(path)
                checked += 1
        for folder in LICENSED:
            for path in self.cpp_files(folder):
                self.check_licence(path)
        return checked

    # CMake: DEPENDS, HEADERS, and links made by hand.

    def check_cmake(self):
        for path in sorted((self.root / "src/assay").glob("*/CMakeLists.txt")):
            text = re.sub(r"#[^\n]*", "", path.read_text(encoding="utf-8"))
            for call in MODULE_CALL.finditer(text):
                self.check_module_call(path, text, call)
            for call in LINK_CALL.finditer(text):
                words = call.group(1).split()
                module = words[0].removeprefix("assay_")
                if module not in MODULES:
                    continue
                for word in words[1:]:
                    found = re.search(r"\bassay_(\w+)", word)
                    if found and found.group(1) in MODULES:
                        line = text.count("\n", 0, call.start(1) + call.group(1).find(word)) + 1
                        self.check_edge(path, line, module, found.group(1), "links")

    def check_module_call(self, path, text, call):
        words = [(m.group(0), text.count("\n", 0, call.start(1) + m.start()) + 1) for m in re.finditer(r"\S+", call.group(1))]
        if not words:
            return
        module, line = words[0]
        if module != path.parent.name:
            self.report(path, line, f"assay_module({module})", "a module is named like its folder", path.parent.name)
        keyword = None
        for word, line in words[1:]:
            if word in KEYWORDS:
                keyword = word
            elif keyword == "HEADERS":
                self.public.add(f"assay/{path.parent.name}/{word}")
            elif keyword == "DEPENDS":
                self.check_edge(path, line, module, word, "DEPENDS on")
            elif keyword == "LIBRARIES" and word.startswith("assay_"):
                self.check_edge(path, line, module, word.removeprefix("assay_"), "links")

    def check_edge(self, path, line, module, target, verb):
        allowed = MODULES.get(module)
        if allowed is None or target == module or target == "base" or target in allowed:
            return
        self.report(path, line, f"{module} {verb} {target}", "not in the table of tools/check_layers.py",
                    listed(["base", *[m for m in allowed if m != "base"]]))

    # C++: includes and the licence.

    def check_includes(self, path):
        relative = path.relative_to(self.root).as_posix()
        home = self.home_of(path)
        if home is None:
            return
        as_included = relative.removeprefix("src/")
        # A raw string may hold a program that Assay writes for a user; its lines are not ours.
        source = RAW_STRING.sub(lambda raw: "\n" * raw.group(0).count("\n"), path.read_text(encoding="utf-8", errors="replace"))
        for number, text in enumerate(source.splitlines(), 1):
            found = INCLUDE.match(text)
            if not found:
                continue
            quoted, angled = found.groups()
            name = quoted or angled
            if DEVICE_HEADER.match(name) and not relative.startswith(DEVICE_CODE):
                self.report(path, number, f"includes {name}", "a CUDA or OpenCL header", "below " + ", ".join(DEVICE_CODE))
            if name.startswith("assay/"):
                self.check_assay_include(path, number, home, name)
            elif quoted and relative.startswith("src/"):
                self.report(path, number, f'includes "{name}"', "our headers are included by their full name",
                            '"assay/MODULE/FILE", and <FILE> for libraries')
            if as_included in self.public:
                standard = angled is not None and name in STANDARD_HEADERS
                if not standard and name not in self.public:
                    self.report(path, number, f"includes {name}", "in a public header, which users compile as C++17",
                                "the standard library and public headers")

    def home_of(self, path):
        parts = path.relative_to(self.root).parts
        if parts[0] in FOLDERS:
            return parts[0]
        if parts[:2] == ("src", "assay") and len(parts) == 3:
            if parts[2] == "assay.hpp":
                return "assay.hpp"
        elif parts[:2] == ("src", "assay") and parts[2] in MODULES:
            return parts[2]
        self.report(path, 1, "a file outside the modules", "each file under src/ belongs to a module of the table",
                    "src/assay/assay.hpp and src/assay/{" + ",".join(MODULES) + "}/")
        return None

    def check_assay_include(self, path, number, home, name):
        parts = name.split("/")
        target = parts[1] if len(parts) > 2 else None
        if home == "assay.hpp" or FOLDERS.get(home) == [PUBLIC]:
            if name not in self.public:
                self.report(path, number, f"{home} includes {name}", "not a public header", PUBLIC)
            return
        if target is None:
            if home in MODULES:
                self.report(path, number, f"{home} includes {name}", "the umbrella header is for users",
                            "the headers that are needed, by name")
            return
        allowed = FOLDERS.get(home, MODULES.get(home, []))
        if target in (home, "base") or target in allowed:
            return
        why = "not in the table of tools/check_layers.py" if target in MODULES else "no such module"
        self.report(path, number, f"{home} includes {name}", why, listed(["base", *[m for m in allowed if m != "base"]]))

    def check_licence(self, path):
        with path.open(encoding="utf-8", errors="replace") as stream:
            if stream.readline().rstrip("\n") != LICENCE_LINE:
                self.report(path, 1, "no licence line", "each C++ file says its licence first", LICENCE_LINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    tree = Tree(arguments.root.resolve())
    checked = tree.check()
    if checked == 0:
        print(f"check_layers: no C++ files under {arguments.root}", file=sys.stderr)
        return 2
    for _, _, text in sorted(set(tree.violations)):
        print(text)
    found = len(set(tree.violations))
    print(f"check_layers: {checked} files, {found} violation{'' if found == 1 else 's'}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
