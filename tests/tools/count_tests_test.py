# SPDX-License-Identifier: MIT
"""tools/count_tests.py on what CTest itself writes for tests of every outcome."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "count_tests.py"

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(counted LANGUAGES NONE)
enable_testing()
add_test(NAME good COMMAND ${CMAKE_COMMAND} -E true)
add_test(NAME bad COMMAND ${CMAKE_COMMAND} -E false)
add_test(NAME skips COMMAND sh -c "exit 77")
add_test(NAME says-skipped COMMAND ${CMAKE_COMMAND} -E echo "[  SKIPPED ]")
add_test(NAME disabled COMMAND ${CMAKE_COMMAND} -E true)
add_test(NAME absent COMMAND ${CMAKE_CURRENT_BINARY_DIR}/no-such-program)
add_test(NAME lacks-file COMMAND ${CMAKE_COMMAND} -E true)
add_test(NAME set-up COMMAND ${CMAKE_COMMAND} -E false)
add_test(NAME needs-set-up COMMAND ${CMAKE_COMMAND} -E true)
add_test(NAME slow COMMAND sh -c "sleep 30")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(says-skipped PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
set_tests_properties(disabled PROPERTIES DISABLED ON)
set_tests_properties(lacks-file PROPERTIES REQUIRED_FILES no-such-file)
set_tests_properties(set-up PROPERTIES FIXTURES_SETUP ground)
set_tests_properties(needs-set-up PROPERTIES FIXTURES_REQUIRED ground)
set_tests_properties(slow PROPERTIES TIMEOUT 0.2)
"""


def count(*arguments):
    return subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True, check=False)


class CountTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="assay count ")
        source = pathlib.Path(cls.folder.name)
        (source / "CMakeLists.txt").write_text(PROJECT)
        subprocess.run(["cmake", "-S", source, "-B", source / "build"], check=True, capture_output=True)
        cls.all = source / "all.xml"
        cls.good = source / "good.xml"
        for file, options in [(cls.all, []), (cls.good, ["-R", "good|skips"])]:
            subprocess.run(["ctest", "--output-junit", file, *options], cwd=source / "build", check=False, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_what_could_not_start_has_failed(self):
        result = count(self.all)
        self.assertEqual(result.stdout.splitlines()[-1], "1 passed, 6 failed, 3 skipped", result.stdout)
        self.assertEqual(result.returncode, 1)
        for name in ["bad", "absent", "lacks-file", "set-up", "needs-set-up", "slow"]:
            self.assertRegex(result.stdout, rf"(?m)^failed: {name}\b")
        for name in ["skips", "says-skipped", "disabled"]:
            self.assertRegex(result.stdout, rf"(?m)^skipped: {name}$")

    def test_skipped_tests_do_not_fail_a_run(self):
        result = count(self.good)
        self.assertEqual(result.stdout.splitlines()[-1], "1 passed, 0 failed, 1 skipped")
        self.assertEqual(result.returncode, 0)

    def test_files_and_what_is_added_add_up(self):
        result = count("--failed", "1", "--skipped", "5", self.good, self.all)
        self.assertEqual(result.stdout.splitlines()[-1], "2 passed, 7 failed, 9 skipped")
        self.assertEqual(result.returncode, 1)

    def test_nothing_passed_is_a_failure(self):
        result = count()
        self.assertEqual(result.stdout.splitlines()[-1], "0 passed, 0 failed, 0 skipped")
        self.assertEqual(result.returncode, 1)

    def test_a_broken_build_is_a_failure(self):
        self.assertEqual(count("--failed", "1", self.good).returncode, 1)

    def test_a_file_that_cannot_be_read_is_an_error(self):
        self.assertEqual(count(str(self.all) + ".absent").returncode, 2)


if __name__ == "__main__":
    unittest.main()
