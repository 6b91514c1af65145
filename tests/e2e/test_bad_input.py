# SPDX-License-Identifier: MIT
"""What a person may hand to the command by mistake: refused with a clear message and the documented exit status, and nothing that
is not Assay's is touched."""

import unittest

from harness import EndToEnd


class NewFromARecord(EndToEnd):
    def new_is_refused(self, record):
        run = self.assay("new", "again", "--from", record.path, expect=4)
        self.assertIn(str(record.path), run.err)
        self.assertIn("no cells", run.err)
        self.assertFalse((self.directory / "again").exists())

    def test_without_cells_is_refused(self):
        path = self.directory / "experiment.toml"
        path.write_text('name = "e2e"\n[[subject]]\nname = "a"\ncommand = ["./nowhere"]\noutput = "-"\n')
        self.assay("run", path, expect=5)
        self.new_is_refused(self.record())

    def test_of_a_file_that_is_no_program_is_refused(self):
        self.assay("run", self.experiment(program="/bin/true"), expect=5)
        self.new_is_refused(self.record())

    def test_measures_the_cells_that_the_filter_left(self):
        path = self.directory / "experiment.toml"
        path.write_text('name = "e2e"\n[[subject]]\nname = "a"\ncommand = ["echo", "{n}", "{m}"]\noutput = "-"\n'
                        '[[subject]]\nname = "b"\ncommand = ["echo", "{n}", "{m}"]\noutput = "-"\n'
                        '[cases]\nn = [3, 4]\nm = [5, 6]\n[protocol]\nlooks = [8]\nblocks = 3\nmargin = 0.9\n')
        run = self.assay("run", path, "--filter", "n=4 m=5|n=3 m=6")
        self.assertIn(run.status, (0, 10, 11, 13), run)
        self.assay("new", "again", "--from", self.record().path, expect=0)
        listed = self.assay("run", "again", "--list", expect=0).out
        self.assertEqual([line for line in listed.splitlines() if line.startswith("commands/")],
                         ["commands/n=3 m=6/warm/command", "commands/n=4 m=5/warm/command"])

    def test_says_which_filter_no_file_can_hold(self):
        # The program has several problems, and a file cannot choose among them.
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        self.assay("new", "again", "--from", self.record().path, expect=0)
        self.assertIn('LEFT OUT: the run had --filter "^square/n=64/"', (self.directory / "again/experiment.toml").read_text())

    def test_keeps_braces_in_the_path_of_a_command(self):
        folder = self.directory / "{n} } {"
        folder.mkdir()
        for name in ("tool", "{tool}"):
            (folder / name).write_text("#!/bin/sh\necho $1\n")
            (folder / name).chmod(0o755)
        path = folder / "experiment.toml"
        path.write_text('name = "e2e"\n[[subject]]\nname = "a"\ncommand = ["./tool", "{n}"]\noutput = "-"\n'
                        '[[subject]]\nname = "b"\ncommand = ["./{{tool}}", "{n}"]\noutput = "-"\n'
                        '[cases]\nn = [3]\n[protocol]\nlooks = [8]\nblocks = 3\nmargin = 0.9\n')
        run = self.assay("run", path)
        self.assertIn(run.status, (0, 10, 11, 13), run)
        self.assay("new", "again", "--from", self.record().path, expect=0)
        again = self.assay("run", "again", "--dry-run", expect=0)
        self.assertIn("1 cells, 1 comparisons", again.out)


class ThingsThatAreNoExperiment(EndToEnd):
    def test_a_device_is_no_experiment_file(self):
        for path in ("/dev/zero", "/dev/null"):
            self.assertIn(f"cannot read the experiment file {path}", self.assay("run", path, expect=4, timeout=20).err)

    def test_a_program_that_prints_without_end_is_stopped(self):
        run = self.assay("run", "/usr/bin/yes", expect=5, timeout=50)
        self.assertIn("printed more than 16 MiB and gave no answer", run.out + run.err)
        self.assertLess(sum(file.stat().st_size for file in self.record().path.rglob("*") if file.is_file()), 1 << 20)

    def test_layouts_without_number_are_refused(self):
        file = self.experiment(text="[layout]\nreplicates = 1000000000000")
        self.assertIn("at most 1024", self.assay("run", file, expect=4).err)


class Outputs(EndToEnd):
    def run_with(self, output):
        path = self.directory / "experiment.toml"
        path.write_text('name = "e2e"\n[[subject]]\nname = "a"\ncommand = ["true"]\n' f'output = "{output}"\n'
                        "[protocol]\nprecision = 0.9\nlooks = [8]\nblocks = 3\n")
        run = self.assay("run", path, expect=4)
        self.assertIn("removed before every run", run.err)
        self.assertTrue(path.exists())
        self.assertEqual(self.records(), [])
        return run.err

    def test_are_files_of_their_own_below_the_folder(self):
        for output in ("experiment.toml", "./experiment.toml", "/nowhere/x", "../x", "sub/../../x", "sub/", "."):
            self.run_with(output)

    def test_do_not_follow_a_link_out_of_the_folder(self):
        outside = self.directory.parent / (self.directory.name + " outside")
        outside.mkdir()
        self.addCleanup(lambda: [each.unlink() for each in outside.iterdir()] and outside.rmdir())
        (outside / "precious").write_text("kept")
        (self.directory / "sub").symlink_to(outside)
        (self.directory / "precious").symlink_to(outside / "precious")
        (self.directory / "dangling").symlink_to(outside / "nothing yet")
        for output in ("sub/precious", "precious", "dangling"):
            self.assertIn("symbolic link", self.run_with(output))
        self.assertEqual((outside / "precious").read_text(), "kept")


class DevicesAndNumbers(EndToEnd):
    def test_a_fault_at_describing_is_a_failure_of_the_device_or_the_program(self):
        for kind, words in (("lost", "loses it here"), ("throw", "throws here")):
            run = self.assay("run", self.experiment(), "--device", self.script(faults=[{"kind": kind, "stage": "describe"}]),
                             expect=5)
            self.assertIn(words, run.err)

    def test_a_device_that_cannot_be_is_a_usage_error(self):
        for device in ("cuda:999999999999", "cuda:", "cuda:-1", ""):
            for command in (["run", self.experiment()], ["doctor", "--noise"]):
                self.assertIn("device", self.assay(*command, "--device", device, expect=2).err)

    def test_a_number_of_trials_that_no_integer_holds_is_told_as_it_was_given(self):
        run = self.assay("doctor", "--noise", "--trials", "99999999999999999999", expect=2)
        self.assertIn("99999999999999999999", run.err)

    def test_a_script_that_makes_no_device_is_a_bad_file(self):
        for script in ({"timers": []}, {"telemetry": {"values": {"energy_mj": 1}, "missing": {"energy_mj": "none"}}}):
            self.assertIn("fake.json", self.assay("run", self.experiment(), "--device", self.script(**script), expect=4).err)
        self.assertIn("/dev/zero", self.assay("run", self.experiment(), "--device", "fake:/dev/zero", expect=4, timeout=20).err)


if __name__ == "__main__":
    unittest.main()
