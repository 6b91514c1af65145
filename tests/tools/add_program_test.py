# SPDX-License-Identifier: MIT
"""assay_add_program of cmake/AssayProgram.cmake: what it refuses, and in which words. What it builds is checked in tests/package."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(refused LANGUAGES CXX)
add_library(assay::assay INTERFACE IMPORTED)
include("{program}")
{extra}
assay_add_program(sum {arguments})
"""


class AddProgram(unittest.TestCase):
    def configure(self, arguments, *options, extra=""):
        with tempfile.TemporaryDirectory(prefix="assay program ") as folder:
            source = pathlib.Path(folder)
            (source / "sum.cpp").write_text("int main() { return 0; }\n")
            program = ROOT / "cmake" / "AssayProgram.cmake"
            (source / "CMakeLists.txt").write_text(PROJECT.format(program=program, arguments=arguments, extra=extra))
            command = ["cmake", "-S", source, "-B", source / "build", f"-DCMAKE_CXX_COMPILER={os.environ.get('CXX', 'c++')}", *options]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            listed = source / "build" / "compile_commands.json"
            self.compile_commands = json.loads(listed.read_text()) if listed.is_file() else []
            return result.returncode, " ".join((result.stdout + result.stderr).split())

    def assert_refused(self, arguments, expected, **more):
        status, text = self.configure(arguments, **more)
        self.assertNotEqual(status, 0, text)
        self.assertIn(expected, text)

    def test_sources_and_layouts_are_enough(self):
        status, text = self.configure("SOURCES sum.cpp LAYOUTS 2")
        self.assertEqual(status, 0, text)

    def test_the_default_optimisation_is_said(self):
        self.assertIn("no CMAKE_BUILD_TYPE given, compiling sum with -O3 -DNDEBUG", self.configure("SOURCES sum.cpp")[1])
        self.assertNotIn("compiling sum with", self.configure("SOURCES sum.cpp", "-DCMAKE_BUILD_TYPE=Debug")[1])

    def test_a_program_without_sources_is_refused(self):
        self.assert_refused("", "expected SOURCES")
        self.assert_refused("sum.cpp", "expected SOURCES")

    def test_an_unknown_word_is_refused(self):
        self.assert_refused("LAYOUT 3 SOURCES sum.cpp", "expected SOURCES")

    def test_layouts_that_are_no_number_are_refused(self):
        for count in ["many", "-1", "2.5"]:
            self.assert_refused(f"SOURCES sum.cpp LAYOUTS {count}", f"LAYOUTS must be a number, found '{count}'")

    def test_layouts_without_lld_are_refused_with_what_to_do(self):
        hide = "set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)\nset(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)\n"
        self.assert_refused("SOURCES sum.cpp LAYOUTS 2", "LAYOUTS needs the linker lld", extra=hide)
        self.assert_refused("SOURCES sum.cpp LAYOUTS 2", "apt-get install lld", extra=hide)
        status, text = self.configure("SOURCES sum.cpp", extra=hide)
        self.assertEqual(status, 0, text)

    def test_a_source_in_cuda_gets_its_own_flags(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        if not os.access(nvcc, os.X_OK):
            self.skipTest("there is no nvcc here")
        extra = (f'set(CMAKE_CUDA_ARCHITECTURES 90)\nset(CMAKE_CUDA_COMPILER "{nvcc}")\nenable_language(CUDA)\n'
                 'file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/k.cu" "__global__ void k() {}\\n")\n')
        arguments = 'SOURCES sum.cpp "${CMAKE_CURRENT_BINARY_DIR}/k.cu"'
        status, text = self.configure(arguments, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", extra=extra)
        self.assertEqual(status, 0, text)
        commands = {pathlib.Path(entry["file"]).name: entry["command"] for entry in self.compile_commands}
        # Kernels see the optimisation themselves; the host's compiler sees it and the alignment.
        self.assertRegex(commands["k.cu"], r" -O3 -DNDEBUG -lineinfo -Xcompiler=\S*-falign-functions=64")
        self.assertIn("(architectures 90)", commands["k.cu"])
        self.assertIn("-falign-functions=64", commands["sum.cpp"])
        for word in ["-lineinfo", "architectures", "-Xcompiler"]:
            self.assertNotIn(word, commands["sum.cpp"])


if __name__ == "__main__":
    unittest.main()
