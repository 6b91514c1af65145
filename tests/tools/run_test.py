# SPDX-License-Identifier: MIT
"""./run on machines made of stubs: what it installs, what it says, and how it counts."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# All that the script may take from a machine without a package manager.
TOOLS = ["bash", "env", "awk", "cat", "dirname", "mkdir", "nproc", "readlink", "rm", "sed", "tail"]

PASSED = '<testsuite><testcase name="sum" status="run"/></testsuite>'


class Machine:
    """A checkout in a folder with a blank in its name, and a PATH of stubs that log how they were called."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="assay run ")
        self.root = pathlib.Path(self.folder.name) / "check out"
        self.path = pathlib.Path(self.folder.name) / "path"
        self.log = pathlib.Path(self.folder.name) / "log"
        (self.root / "tools").mkdir(parents=True)
        self.path.mkdir()
        shutil.copy(ROOT / "run", self.root / "run")
        shutil.copy(ROOT / "tools/count_tests.py", self.root / "tools/count_tests.py")
        for tool in TOOLS:
            (self.path / tool).symlink_to(shutil.which(tool))
        self.stub("id", "echo 0")
        self.stub("cmake")
        self.stub("ctest", f"""
            case "$*" in *" -N "*) echo "Total Tests: 0"; exit 0 ;; esac
            while [ $# -gt 0 ]; do if [ "$1" = --output-junit ]; then echo '{PASSED}' >"$2"; fi; shift; done""")
        self.stub("python3", f"""
            case "$*" in
              "-m venv"*) exit 1 ;;
              *) exec "{sys.executable}" "$@" ;;
            esac""")

    def stub(self, name, body=""):
        file = self.path / name
        file.unlink(missing_ok=True)
        file.write_text(f'#!/bin/bash\necho "{name} $*" >>"{self.log}"\n{body}\n')
        file.chmod(0o755)

    def debian(self, installed=""):
        self.stub("dpkg-query", f'case " {installed} " in *" ${{@: -1}} "*) echo -n "install ok installed" ;; *) exit 1 ;; esac')
        self.stub("apt-cache", 'case "$*" in *clang-format-14) exit 100 ;; *) echo "Package: it" ;; esac')
        self.stub("apt-get")

    def run(self, *arguments):
        result = subprocess.run([self.root / "run", *arguments], env={"PATH": str(self.path), "HOME": os.environ.get("HOME", "/")},
                                cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                check=False)
        return result.returncode, result.stdout

    def calls(self, name):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line for line in lines if line.startswith(name + " ")]


class Run(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.folder.cleanup)

    def test_help_names_both_commands(self):
        for arguments in [(), ("help",), ("--help",)]:
            status, text = self.machine.run(*arguments)
            self.assertEqual(status, 0)
            self.assertIn("demo ", text)
            self.assertIn("test ", text)

    def test_an_unknown_command_is_a_usage_error(self):
        status, text = self.machine.run("tset")
        self.assertEqual(status, 2)
        self.assertIn("'tset'", text)

    def test_each_missing_package_is_named_with_its_purpose_before_it_is_installed(self):
        self.machine.debian(installed="cmake g++")
        self.machine.stub("apt-get", 'case "$*" in *install*) exit 1 ;; esac')
        status, text = self.machine.run("test")
        self.assertLess(text.index("libssl-dev: SHA-256"), text.index("apt-get install failed"))
        installs = [call for call in self.machine.calls("apt-get") if " install " in call]
        self.assertIn(" libssl-dev", installs[0])
        self.assertIn(" -y ", installs[0])
        self.assertNotIn(" cmake", installs[0])
        self.assertNotIn("  cmake:", text)
        self.assertEqual(status, 0, "the build goes on with what is there: " + text)

    def test_optional_packages_that_the_release_lacks_are_passed_over(self):
        self.machine.debian()
        _, text = self.machine.run("test")
        self.assertIn("This release has no clang-format-14", text)
        self.assertTrue(any("valgrind" in call for call in self.machine.calls("apt-get")))
        self.assertFalse(any("clang-format-14" in call for call in self.machine.calls("apt-get")))

    def test_nothing_is_installed_where_nothing_is_missing(self):
        self.machine.debian()
        self.machine.stub("dpkg-query", 'echo -n "install ok installed"')
        status, text = self.machine.run("test")
        self.assertEqual(status, 0, text)
        self.assertEqual(self.machine.calls("apt-get"), [])

    def test_without_root_it_uses_sudo(self):
        self.machine.debian()
        self.machine.stub("id", "echo 1000")
        self.machine.stub("sudo", '"$@"')
        self.machine.run("test")
        self.assertTrue(any("DEBIAN_FRONTEND=noninteractive apt-get" in call for call in self.machine.calls("sudo")))

    def test_with_neither_root_nor_sudo_it_says_what_is_needed_and_goes_on(self):
        self.machine.debian()
        self.machine.stub("id", "echo 1000")
        status, text = self.machine.run("test")
        self.assertIn("neither root nor sudo", text)
        self.assertIn("  libssl-dev: ", text)
        self.assertEqual(status, 0, text)

    def test_without_apt_it_says_what_is_needed_and_goes_on(self):
        status, text = self.machine.run("test")
        self.assertIn("There is no apt-get here", text)
        self.assertIn("  nlohmann-json3-dev: ", text)
        self.assertEqual(status, 0, text)

    def test_the_last_line_counts_both_builds(self):
        status, text = self.machine.run("test")
        self.assertEqual(status, 0, text)
        self.assertEqual(text.splitlines()[-1], "2 passed, 0 failed, 0 skipped")
        builds = [call for call in self.machine.calls("cmake") if "--build" in call]
        self.assertTrue(builds[0].endswith("--target assay_unit_tests"), builds)
        self.assertTrue(builds[1].endswith("--target all"), builds)

    def test_a_broken_build_fails_and_is_counted(self):
        self.machine.stub("cmake", 'case "$*" in *"--build --preset release"*) exit 1 ;; esac')
        status, text = self.machine.run("test")
        self.assertEqual(status, 1)
        self.assertIn("FAILED: the preset release does not build", text)
        self.assertEqual(text.splitlines()[-1], "1 passed, 1 failed, 0 skipped")

    def test_a_test_run_that_leaves_no_account_is_a_failure(self):
        self.machine.stub("ctest", 'case "$*" in *" -N "*) echo "Total Tests: 0" ;; esac')
        status, text = self.machine.run("test")
        self.assertEqual(status, 1)
        self.assertEqual(text.splitlines()[-1], "0 passed, 2 failed, 0 skipped")

    def test_tests_that_need_a_gpu_are_counted_as_skipped(self):
        self.machine.stub("ctest", f"""
            case "$*" in *"release -N -L ^gpu"*) echo "Total Tests: 3"; exit 0 ;; *" -N "*) echo "Total Tests: 0"; exit 0 ;; esac
            while [ $# -gt 0 ]; do if [ "$1" = --output-junit ]; then echo '{PASSED}' >"$2"; fi; shift; done""")
        status, text = self.machine.run("test")
        self.assertEqual(status, 0, text)
        self.assertIn("SKIPPED: there is no GPU here, so the 3 tests of release", text)
        self.assertEqual(text.splitlines()[-1], "2 passed, 0 failed, 3 skipped")
        self.assertTrue(all("gpu)" in call for call in self.machine.calls("ctest") if "-LE" in call))

    def test_with_a_gpu_its_tests_run(self):
        self.machine.stub("nvidia-smi")
        self.machine.run("test")
        self.assertFalse(any("gpu" in call for call in self.machine.calls("ctest")))

    def test_demo_builds_and_runs_the_reduction_experiment(self):
        program = self.machine.root / "build/release/bin/assay"
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/bash\necho "assay $*, in $PWD"\nexit 11\n')
        program.chmod(0o755)
        status, text = self.machine.run("demo")
        self.assertIn(f"assay run experiments/reduction --program {self.machine.root}/build/release/", text)
        self.assertTrue(text.endswith(f", in {self.machine.root}\n"), text)
        self.assertEqual(status, 0, "inconclusive is a result")

    def test_demo_fails_where_the_experiment_does(self):
        program = self.machine.root / "build/release/bin/assay"
        program.parent.mkdir(parents=True)
        for wanted in [2, 3, 4, 5, 12, 70, 130]:
            program.write_text(f"#!/bin/bash\nexit {wanted}\n")
            program.chmod(0o755)
            self.assertEqual(self.machine.run("demo")[0], wanted)

    def test_demo_stops_where_the_build_does(self):
        self.machine.stub("cmake", 'case "$*" in *--build*) exit 1 ;; esac')
        status, text = self.machine.run("demo")
        self.assertEqual(status, 1)
        self.assertNotIn("Running the experiment", text)


if __name__ == "__main__":
    unittest.main()
