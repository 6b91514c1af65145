# SPDX-License-Identifier: MIT
"""The machine's noise floor: measured by `assay doctor --noise`, stored, and in force in the next run."""

import json
import unittest

from harness import EndToEnd, Record


class NoiseFloors(EndToEnd):
    def doctor(self, *arguments, expect=0, **script):
        # A seed, since identical code is called different by chance in a few of a hundred runs.
        return self.assay("doctor", "--noise", "--trials", "8", "--seed", "1", "--device", self.script(**script), *arguments, expect=expect)

    def run_square(self, *arguments, protocol="", expect=None, **script):
        file = self.experiment(protocol=protocol)
        device = self.script(**script)
        return self.assay("run", file, "--device", device, "--filter", "^square/n=64/", *arguments, expect=expect)

    def stored(self):
        return json.loads((self.state / "noise-floor.json").read_text())

    def test_the_floor_is_measured_stored_and_in_force_in_the_next_run(self):
        # 3 % between trials: no comparison of 8 trials could tell the 1 % that the experiment declares.
        run = self.doctor(between_trials_subject_sd=0.03)
        entry = self.stored()["machines"][0]
        self.assertEqual([entry["device"], entry["trials"]], ["fake", 8])
        self.assertEqual(len(entry["kernels"]), 4)
        self.assertEqual(entry["floor_frac"], max(kernel["floor_frac"] for kernel in entry["kernels"]))
        self.assertGreater(entry["floor_frac"], 0.01)
        self.assertIn("This machine can tell", run.out)
        self.assertIn(str(self.state / "noise-floor.json"), run.out)
        record = Record(self.directory / entry["record"])
        self.assertTrue(record.is_sealed())
        self.assertEqual(record.path.parent, self.state / "records")
        self.assay("verify", record.path, expect=0)

        dry = self.run_square("--dry-run", expect=0)
        self.assertIn("A against A over 8 trials", dry.out)

        # A true difference of half the floor was slower than 1 %, and is equivalent within the floor.
        half = 1000 * (1 + entry["floor_frac"] / 2)
        run = self.run_square(expect=0, subjects={"other": half}, between_trials_subject_sd=0.001)
        plan = self.record().json("plan.json")
        self.assertEqual(plan["noise_floor"], {"value": entry["floor_frac"]})
        for key in ("measured_utc", "record", "record_digest", "trials", "assay_version"):
            self.assertEqual(plan["noise_floor_source"][key], entry[key])
        self.assertEqual(self.record().comparison("other")["verdict"], "equivalent")
        self.assertIn("noise floor of this machine", run.out)
        self.assertIn("margin.below-noise-floor", [each["slug"] for each in self.record().json("result.json")["findings"]])
        self.assay("verify", self.record().path, expect=0)

    def test_ignoring_the_floor_is_recorded_and_narrows_the_claim(self):
        self.doctor(between_trials_subject_sd=0.03)
        self.run_square(protocol='noise_floor = "ignore"', expect=10, subjects={"other": 1020}, between_trials_subject_sd=0.001)
        plan = self.record().json("plan.json")
        self.assertEqual(plan["noise_floor"]["missing"], "ignored")
        self.assertTrue(plan["protocol"]["ignores_noise_floor"])
        result = self.record().json("result.json")
        self.assertIn("noise.floor-ignored", [each["slug"] for each in result["findings"]])
        for claim in result["claims"]:
            self.assertIn("noise floor ignored", claim["scope"])

    def test_without_a_floor_the_result_says_so_once(self):
        run = self.run_square(expect=0)
        self.assertEqual(run.out.count("assay doctor --noise"), 1, run)
        self.assertEqual(self.record().json("plan.json")["noise_floor"]["missing"], "not-measured")

    def test_the_floor_of_another_machine_is_not_used(self):
        self.doctor(between_trials_subject_sd=0.03)
        file = self.state / "noise-floor.json"
        stored = self.stored()
        stored["machines"][0].update(machine_fingerprint="0" * 64, hostname="elsewhere")
        file.write_text(json.dumps(stored))
        run = self.run_square(expect=0)
        self.assertIn("elsewhere", run.out)
        self.assertEqual(self.record().json("plan.json")["noise_floor"]["missing"], "other-machine")
        self.doctor(between_trials_subject_sd=0.001)
        self.assertEqual(len(self.stored()["machines"]), 2)

    def test_a_damaged_file_stops_both_before_anything_is_measured(self):
        self.state.mkdir()
        (self.state / "noise-floor.json").write_text("{")
        for run in (self.run_square(expect=4), self.doctor(expect=4)):
            self.assertIn("Delete the file", run.err)
        self.assertEqual(self.records(), [])
        self.assertFalse((self.state / "records").exists())

    def test_identical_code_that_is_called_different_is_a_reservation(self):
        run = self.doctor("--json", expect=20, subjects={"A": 1000, "A2": 1050}, between_trials_subject_sd=0.001)
        said = json.loads(run.out)
        self.assertFalse(said["fit"])
        self.assertEqual(len(said["reservations"]), 4)
        self.assertGreater(said["noise_floor"]["floor_frac"], 0.05)

    def test_a_kernel_that_cannot_be_measured_is_a_reservation(self):
        fault = {"kind": "crash", "stage": "block", "problem": "noise-recurrence", "subject": "A2", "signal": "SIGSEGV"}
        run = self.doctor(expect=20, faults=[fault])
        self.assertIn("not measured: noise-recurrence/", run.out)
        self.assertEqual(len(self.stored()["machines"][0]["kernels"]), 3)

    def test_a_run_that_measured_less_replaces_nothing(self):
        self.doctor(expect=0)
        before = self.stored()
        fault = {"kind": "crash", "stage": "block", "problem": "noise-recurrence", "subject": "A2", "signal": "SIGSEGV"}
        run = self.doctor(expect=20, faults=[fault])
        self.assertIn("over 4 kernels, stays in force", " ".join(run.out.split()))
        self.assertEqual(self.stored(), before)

    def test_a_budget_that_is_too_short_stores_nothing(self):
        slow = {"kind": "slow-answer", "stage": "block", "trial": 2, "block": 1, "seconds": 6}
        run = self.doctor("--budget", "5s", expect=5, faults=[slow])
        self.assertIn("it takes 8", run.err)
        self.assertFalse((self.state / "noise-floor.json").exists())

    def test_on_the_real_clock_it_gives_numbers_of_every_kernel(self):
        self.assertIn(self.assay("doctor", "--noise", "--trials", "8", "--budget", "100s").status, (0, 20))
        entry = self.stored()["machines"][0]
        self.assertEqual(entry["device"], "cpu")
        for kernel in entry["kernels"]:
            self.assertGreater(kernel["call_ns"], 0)
            self.assertGreater(kernel["floor_frac"], 0)

    def test_numbers_that_make_no_sense_are_usage_errors(self):
        self.assay("doctor", "--noise", "--trials", "7", expect=2)
        self.assay("doctor", "--noise", "--budget", "soon", expect=2)


if __name__ == "__main__":
    unittest.main()
