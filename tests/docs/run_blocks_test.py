#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The runner of the documentation's blocks must see a page that is wrong."""
import importlib.util
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
FILE = Path(__file__).resolve().parents[2] / "docs" / "tutorial" / "run_blocks.py"
SPEC = importlib.util.spec_from_file_location("run_blocks", FILE)
run_blocks = importlib.util.module_from_spec(SPEC)
sys.modules["run_blocks"] = run_blocks
SPEC.loader.exec_module(run_blocks)


class RunBlocks(unittest.TestCase):
    def trouble(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text(text, encoding="utf-8")
            return run_blocks.run_page(page, Path(folder), dict(os.environ))

    def test_writes_files_and_runs_commands(self):
        self.assertIsNone(self.trouble("```txt file=a/b.txt\nhello\n```\n```sh test\ncat a/b.txt\n```\n"
                                       "```console output\nhello\n```\n"))

    def test_sees_a_failing_command(self):
        self.assertIn("exit status 3", self.trouble("```sh test\nexit 3\n```\n"))

    def test_takes_the_exit_status_that_the_page_states(self):
        self.assertIsNone(self.trouble("```sh test exit=3\nexit 3\n```\n"))
        self.assertIn("the page says 3", self.trouble("```sh test exit=3\ntrue\n```\n"))

    def test_sees_output_that_is_not_there(self):
        self.assertIn("goodbye", self.trouble("```sh test\necho hello\n```\n```console output\ngoodbye\n```\n"))

    def test_lines_follow_one_another_unless_an_ellipsis_stands_between(self):
        command = "```sh test\nprintf 'a\\nb\\nc\\n'\n```\n"
        self.assertIsNone(self.trouble(command + "```console output\na\nb\n```\n"))
        self.assertIn("c", self.trouble(command + "```console output\na\nc\n```\n"))
        self.assertIsNone(self.trouble(command + "```console output\na\n…\nc\n```\n"))

    def test_an_ellipsis_within_a_line_stands_for_anything(self):
        command = "```sh test\necho 'took 1.25 s in all'\n```\n"
        self.assertIsNone(self.trouble(command + "```console output\ntook … s in all\n```\n"))
        self.assertIsNotNone(self.trouble(command + "```console output\ntook … s at all\n```\n"))

    def test_a_page_that_runs_nothing_is_wrong(self):
        self.assertIn("no block", self.trouble("# Title\n```sh\necho for readers\n```\n"))

    def test_a_block_without_an_end_is_wrong(self):
        with self.assertRaises(SystemExit):
            self.trouble("```sh test\necho hello\n")


if __name__ == "__main__":
    unittest.main()
