# SPDX-License-Identifier: MIT
"""Experiments whose subjects are whole commands: no program is linked with Assay, and nothing here knows how long anything takes."""

import os
import stat
import unittest

from harness import PROGRAM, EndToEnd


def subject(name, command, output="-", more=""):
    words = ", ".join(f'"{word}"' for word in command)
    checked = "unchecked = true" if output is None else f'output = "{output}"'
    return f'[[subject]]\nname = "{name}"\ncommand = [{words}]\n{checked}\n{more}\n'


class Commands(EndToEnd):
    def commands(self, *subjects, text="", protocol="", looks=(8,), margin=0.9):
        path = self.directory / "experiment.toml"
        path.write_text('name = "e2e"\n' + "".join(subjects) + text +
                        f"\n[protocol]\nlooks = {list(looks)}\nblocks = 3\nseed = 7\nmargin = {margin}\n"
                        f'timeout = "5s"\n{protocol}\n')
        return path

    def tool(self, name, script):
        path = self.directory / name
        path.write_text("#!/bin/sh\n" + script + "\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return f"./{name}"

    def test_a_whole_experiment_of_two_commands(self):
        self.tool("new", 'seq "$1" > "out $1.txt"')
        file = self.commands(subject("old", ["seq", "{n}"]),
                             subject("new", ["./new", "{n}"], "out {n}.txt", "threads = 1"),
                             text="[cases]\nn = [3, 4]\n")
        dry = self.assay("run", file, "--dry-run", expect=0)
        self.assertIn("2 cells, 2 comparisons", dry.out)
        self.assertIn("at least", dry.out)
        self.assertEqual(self.records(), [])
        run = self.assay("run", file)
        self.assertIn(run.status, (0, 10, 11, 13), run)
        record = self.record()
        self.assertTrue(record.is_sealed(), run)
        plan = record.json("plan.json")
        self.assertEqual([each["name"] for each in plan["commands"]], ["old", "new"])
        self.assertEqual(len(plan["program_digests"]), 2)
        self.assertIn("value", plan["descriptions"][0]["timers"][0]["floor_ns"])
        rows = record.rows()
        measured = [row for row in rows if row["phase"] == "measure"]
        # Every subject and the control once a block, in an order of its own.
        self.assertEqual(len(measured), 2 * 8 * 3 * 3)
        self.assertEqual({row["boundary"] for row in rows}, {"command"})
        self.assertEqual({row["iterations"] for row in rows}, {"1"})
        orders = {tuple(row["subject"] for row in measured[i:i + 3]) for i in range(0, len(measured), 3)}
        self.assertEqual({tuple(sorted(order)) for order in orders}, {("control", "new", "old")})
        self.assertGreater(len(orders), 1)
        # One discarded run of each a trial.
        self.assertEqual(len([row for row in rows if row["phase"] == "warm-up"]), 2 * 8 * 3)
        key = ("trial", "process", "case", "phase", "block", "position", "subject")
        runs = record.rows("command-runs.csv")
        self.assertEqual([[row[k] for k in key] for row in runs], [[row[k] for k in key] for row in rows])
        self.assertTrue(all((row["max_rss_bytes"] == "") != (row["max_rss_missing"] == "") for row in runs))
        missing = record.json("result.json")["canaries"]["missing"]
        self.assertEqual([(each["reason"], each["trials"]) for each in missing], [("commands", 8)])
        self.assertIn("No fixed kernels in 8 trials: the subjects are commands", (record.data / "report.html").read_text())
        checks = record.json("checks.json")["results"]
        self.assertEqual(sorted({(c["kind"], c["subject"]) for c in checks}),
                         [("before", "new"), ("before", "old"), ("timed", "new"), ("timed", "old")])
        self.assertTrue(all(c["passed"] for c in checks))
        claims = record.json("result.json")["claims"]
        self.assertTrue(all("output equal to the baseline's byte for byte" in c["scope"] for c in claims), claims)
        self.assay("verify", record.path, expect=0)
        self.assertIn("new", self.assay("show", record.path, expect=run.status).out)
        self.assay("report", record.path, "-o", self.directory / "page.html", expect=0)
        self.assay("new", "again", "--from", record.path, expect=0)
        again = (self.directory / "again/experiment.toml").read_text()
        self.assertIn('command = ["seq", "{n}"]', again)
        self.assertIn(f'command = ["{self.directory / "new"}", "{{n}}"]', again)
        self.assertIn("2 cells, 2 comparisons", self.assay("run", "again", "--dry-run", expect=0).out)

    def test_to_compile_anew_is_told_to_what_is_started(self):
        file = self.commands(subject("old", ["printenv", "ASSAY_FORCE_COMPILE"]), subject("new", ["echo", "1"]))
        run = self.assay("run", file, "--force-compile")
        self.assertIn(run.status, (0, 10, 11, 13), run)
        results = self.record().json("checks.json")["results"]
        self.assertTrue(results and all(c["passed"] for c in results), results)

    def test_filter_and_axis_narrow_the_cases(self):
        file = self.commands(subject("old", ["seq", "{n}"]), subject("new", ["seq", "1", "{n}"]),
                             text="[cases]\nn = [3, 4]\n")
        run = self.assay("run", file, "--axis", "n=[5, 6]", "--filter", "n=6", "--list", expect=0)
        self.assertIn("commands/n=6/warm/command", run.out)
        self.assertNotIn("n=5/", run.out)
        self.assay("run", file, "--axis", "n=5", "--axis", "n=6", "--list", expect=2)

    def test_another_output_is_a_wrong_one(self):
        run = self.assay("run", self.commands(subject("old", ["echo", "a"]), subject("new", ["echo", "b"])), expect=12)
        self.assertIn("differs from the baseline", run.out)
        record = self.record()
        self.assertEqual(record.comparison("new")["verdict"], "invalid")
        self.assertNotIn("new", {row["subject"] for row in record.rows()})

    def test_what_is_unchecked_is_said_to_be(self):
        run = self.assay("run", self.commands(subject("old", ["true"], None), subject("new", ["echo", "b"], None)))
        self.assertIn(run.status, (0, 10, 11, 13), run)
        record = self.record()
        self.assertEqual(record.json("checks.json")["results"], [])
        self.assertIn("outputs unchecked", record.json("result.json")["claims"][0]["scope"])
        self.assertIn("unchecked", [f["slug"] for f in record.json("result.json")["findings"]])

    def test_an_exit_status_is_a_failure_of_the_subject(self):
        self.tool("new", "echo out of paper >&2; exit 3")
        run = self.assay("run", self.commands(subject("old", ["true"], None), subject("new", ["./new"], None),
                                              subject("other", ["true"], None)), expect=5)
        record = self.record()
        self.assertIn("exited with status 3; its last words: 'out of paper'", record.failures()[0]["message"])
        self.assertEqual(record.comparison("new")["verdict"], "invalid")
        self.assertIn(record.comparison("other")["verdict"], ("equivalent", "inconclusive"), run)
        self.assay("verify", record.path, expect=0)

    def test_a_hang_is_bounded_by_the_timeout(self):
        file = self.commands(subject("old", ["true"], None), subject("new", ["tail", "-f", "/dev/null"], None))
        file.write_text(file.read_text().replace('"5s"', '"2s"'))
        self.assay("run", file, expect=5)
        failure = self.record().failures()[0]
        self.assertEqual((failure["kind"], failure["subject"]), ("timed-out", "new"))

    def test_a_missing_program_is_named(self):
        self.assay("run", self.commands(subject("old", ["true"]), subject("new", ["./nowhere"])), expect=5)
        failure = self.record().failures()[0]
        self.assertEqual(failure["kind"], "missing-program")
        self.assertIn("'new' cannot be found: ./nowhere", failure["message"])

    def test_an_unknown_placeholder_is_a_bad_file(self):
        run = self.assay("run", self.commands(subject("old", ["true"]), subject("new", ["true", "{m}"])), expect=4)
        self.assertIn("experiment.toml:7: subject: there is no axis 'm'", run.err)

    def test_one_command_alone_is_measured_to_a_precision(self):
        # Long beside what a busy machine adds to the start of a process.
        run = self.assay("run", self.commands(subject("old", ["sleep", "0.1"]), protocol="precision = 0.9"), expect=0)
        self.assertIn("compared with nothing", self.record().json("result.json")["claims"][0]["text"], run)

    def test_resume_goes_on_and_refuses_a_changed_command(self):
        # The fifteenth run stops Assay, as Ctrl-C would.
        self.tool("new", 'echo x >> runs; [ "$(wc -l < runs)" -ne 15 ] || kill -INT $PPID')
        file = self.commands(subject("old", ["true"], None), subject("new", ["./new"], None))
        self.assay("run", file, expect=130)
        record = self.record()
        self.assertFalse(record.is_sealed())
        before = (record.data / "command-runs.csv").read_text()
        tool = self.directory / "new"
        kept = tool.read_text()
        tool.write_text(kept + "# changed\n")
        self.assertIn("SHA-256 differs", self.assay("run", "--resume", record.path, expect=4).err)
        tool.write_text(kept)
        run = self.assay("run", "--resume", record.path)
        self.assertIn(run.status, (0, 10, 11, 13), run)
        self.assertTrue(record.is_sealed())
        self.assertTrue((record.data / "command-runs.csv").read_text().startswith(before))
        self.assay("verify", record.path, expect=0)

    def test_what_does_not_fit_commands_is_a_usage_error(self):
        file = self.commands(subject("old", ["true"]), subject("new", ["true"]))
        self.assertIn("commands", self.assay("run", file, "--program", PROGRAM, expect=2).err)
        self.assertIn("commands", self.assay("run", file, "--device", self.script(), expect=2).err)
        self.assertIn("no such device", self.assay("run", file, "--device", "abacus", expect=2).err)


if __name__ == "__main__":
    unittest.main()
