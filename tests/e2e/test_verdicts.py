# SPDX-License-Identifier: MIT
"""From a question to a verdict in a sealed record, on scripted times with a known truth; and the exit statuses."""

import json
import unittest

from harness import PROGRAM, EndToEnd


class Verdicts(EndToEnd):
    def run_square(self, expect, protocol="", text="", arguments=(), **script):
        device = self.script(**script)
        file = self.experiment(text=text, protocol=protocol)
        return self.assay("run", file, "--device", device, "--filter", "^square/n=64/", *arguments, expect=expect)

    def test_equal_subjects_are_equivalent_and_the_exit_status_is_0(self):
        run = self.run_square(0)
        record = self.record()
        self.assertEqual(record.comparison("other")["verdict"], "equivalent", run)
        self.assertTrue(record.is_sealed())
        self.assertIn("equivalent", run.out)
        self.assertIn(str(record.path.name), run.out)
        self.assertIn("report.html", run.out)

    def test_a_slower_subject_is_slower_and_the_exit_status_is_10(self):
        self.run_square(10, subjects={"other": 1050})
        comparison = self.record().comparison("other")
        self.assertEqual(comparison["verdict"], "slower")
        self.assertAlmostEqual(comparison["ratio"]["value"], 1.05, delta=0.01)

    def test_a_faster_subject_is_faster_and_the_exit_status_is_0(self):
        self.run_square(0, subjects={"other": 900})
        self.assertEqual(self.record().comparison("other")["verdict"], "faster")

    def test_noise_that_hides_the_difference_is_inconclusive_and_the_exit_status_is_11(self):
        self.run_square(11, between_trials_subject_sd=0.2)
        comparison = self.record().comparison("other")
        self.assertEqual(comparison["verdict"], "inconclusive")
        self.assertTrue(comparison["reason"])
        self.assertGreater(comparison["trials_needed"]["value"], 16)

    def test_a_control_that_differs_from_its_baseline_voids_the_cell_and_the_exit_status_is_13(self):
        self.run_square(13, control_bias=1.05, subjects={"other": 1000})
        self.assertEqual(self.record().comparison("other")["verdict"], "void")

    def test_a_budget_that_ends_leaves_what_is_undecided_undecided(self):
        slow = {"kind": "slow-answer", "stage": "block", "trial": 10, "block": 1, "seconds": 4}
        run = self.run_square(11, arguments=("--budget", "3s"), between_trials_subject_sd=0.2, faults=[slow])
        self.assertEqual(self.record().json("result.json")["status"], "budget-spent", run)

    def test_what_makes_a_case_what_it_is_stands_in_the_plan_the_result_the_details_and_the_page(self):
        self.run_square(0)
        record = self.record()
        dimensions = record.json("result.json")["cells"][0]["dimensions"]
        self.assertEqual(dimensions["declared"], {"elements": 64, "epilogue": "bias + relu"})
        self.assertEqual(dimensions["parameters"], {"other": {"stages": "2", "tile": "8"}})
        self.assertEqual(dimensions["operands"][0], {"name": "x", "role": "input", "dtype": "f32", "shape": [64], "strides": [1],
                                                     "layout": "contiguous", "alignment_bytes": 64})
        described = record.json("plan.json")["descriptions"][0]["problems"][0]["cases"][0]["dimensions"]
        self.assertEqual(described["parameters"], {"other": {"tile": "8"}})
        details = self.assay("show", record.path, "--details", expect=0).out
        self.assertIn("Dimensions: elements 64, epilogue bias + relu.", details)
        self.assertIn("Parameters of other: stages 2, tile 8.", details)
        self.assertRegex(details, r"x +input +f32 +64 +contiguous +64 bytes")
        self.assertIn("epilogue bias + relu", (record.path / "data" / "report.html").read_text())
        self.assay("verify", record.path, expect=0)

    def test_one_subject_stops_at_its_precision_without_a_verdict(self):
        file = self.experiment(protocol="precision = 0.01")
        self.assay("run", file, "--device", self.script(), "--filter", "^single/n=64/", expect=0)
        result = self.record().json("result.json")
        self.assertEqual(result["comparisons"], [])
        self.assertEqual(result["status"], "complete")
        precision = result["cells"][0]["precision"]
        self.assertTrue(precision["is_reached"])
        self.assertLessEqual(precision["relative_half_width"]["value"], 0.01)
        self.assertNotIn("suites", result)
        path = self.record().path
        self.assertIn("compared with nothing", self.assay("show", path, expect=0).out)
        details = self.assay("show", path, "--details", expect=0).out
        self.assertIn("effective", details)
        self.assertIn("Blocks a trial", details)
        self.assay("verify", path, expect=0)

    def test_a_prediction_stands_beside_what_was_observed(self):
        prediction = (
            '[question]\nquestion = "Is it?"\nhypothesis = "Because."\n'
            '[[prediction]]\ncandidate = "other"\nwhere = "n = 64"\nratio = [0.85, 0.95]\nbecause = "a guess"\n'
        )
        self.run_square(0, text=prediction, subjects={"other": 900})
        comparison = self.record().comparison("other")
        self.assertTrue(comparison["primary"])
        self.assertEqual(comparison["prediction"], "supported")

    def test_every_subject_meets_adversarial_inputs_once(self):
        self.run_square(0)
        adversarial = [c for c in self.record().json("checks.json")["results"] if c["kind"] == "adversarial"]
        self.assertIn("n=3", {c["case"] for c in adversarial})
        self.assertGreater(len({c["content"] for c in adversarial}), 5)
        self.assertEqual({c["subject"] for c in adversarial}, {"plain", "other"})
        self.assertTrue(all(c["passed"] or not c["applicable"] for c in adversarial))

    def test_a_case_that_a_subject_does_not_support_is_measured_without_it(self):
        self.run_square(0)
        cells = self.record().json("result.json")["cells"]
        self.assertNotIn("only-256", [subject["subject"] for subject in cells[0]["subjects"]])

    def test_json_goes_to_standard_output_alone(self):
        run = self.run_square(0, arguments=("--json",))
        self.assertEqual(json.loads(run.out)["result"]["comparisons"][0]["verdict"], "equivalent")

    def test_a_light_run_of_a_program_says_that_nothing_was_registered(self):
        run = self.assay("run", PROGRAM, "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        self.assertIn("no question", run.out.lower())

    def test_a_quick_look_is_a_scratch_record_without_a_verdict(self):
        run = self.assay("run", PROGRAM, "--quick", "--device", self.script(), "--filter", "^square/n=64/",
                         env={"TMPDIR": str(self.directory)}, expect=0)
        self.assertEqual(self.records(), [])
        self.assertEqual(len(list(self.directory.glob("assay-quick-*/*"))), 1)
        self.assertIn("no verdict", run.out.lower())

    def test_the_plan_is_listed_and_nothing_is_run(self):
        run = self.assay("run", PROGRAM, "--list", expect=0)
        self.assertIn("square/n=256/warm/call", run.out)
        run = self.assay("run", PROGRAM, "--dry-run", "--axis", "n=[64]", expect=0)
        self.assertIn("cells", run.out)
        self.assertEqual(self.records(), [])

    def test_the_same_seed_gives_the_same_order(self):
        orders = []
        for file in ("one.toml", "two.toml"):
            self.assay("run", self.experiment(file=file, name=file[:3]), "--device", self.script(), "--filter",
                       "^square/n=64/", expect=0)
        for record in self.records():
            rows = (record / "data/samples.csv").read_text().splitlines()
            orders.append([tuple(row.split(",")[i] for i in (0, 9, 10, 11, 12)) for row in rows])
        self.assertEqual(orders[0], orders[1])

    def test_two_builds_are_compared_block_by_block(self):
        text = (f'[build.baseline]\nprogram = "{PROGRAM}"\n[build.candidate]\nprogram = "{PROGRAM}"\n')
        path = self.directory / "experiment.toml"
        path.write_text(f'name = "two"\nbaseline = "plain"\n[protocol]\nlooks = [8, 16]\nblocks = 5\nseed = 5\n{text}')
        self.assay("run", path, "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        builds = {row["build"] for row in record.rows() if row["phase"] == "measure"}
        self.assertEqual(builds, {"baseline", "candidate"})
        self.assertEqual(record.json("result.json")["comparisons"][0]["verdict"], "equivalent")
        # Wherever in the block the other build's turn lies, the outputs of both are checked.
        timed = [c for c in record.json("checks.json")["results"] if c["kind"] == "timed"]
        self.assertEqual({(c["subject"], c["passed"]) for c in timed},
                         {("plain@baseline", True), ("plain@candidate", True)})
        # Within a block the two builds take turns: neither always comes first.
        first = {row["build"] for row in record.rows() if row["phase"] == "measure" and row["position"] == "0"}
        self.assertEqual(first, {"baseline", "candidate"})

    def test_canaries_stand_at_the_start_and_the_end_of_every_trial_and_change_nothing(self):
        self.run_square(0)
        record = self.record()
        rows = [row for row in record.rows() if row["phase"] == "canary"]
        self.assertEqual({(row["subject"], row["problem"], row["iterations"]) for row in rows},
                         {("canary-compute", "", "1"), ("canary-memory", "", "1")})
        trials = {row["trial"] for row in record.rows("trials.csv")} - {"0"}
        self.assertEqual({(row["trial"], row["block"]) for row in rows},
                         {(trial, moment) for trial in trials for moment in "01"})
        self.assertEqual({row["canary_missing"] for row in record.rows("trials.csv")}, {"", "not-asked"})
        canaries = record.json("result.json")["canaries"]
        self.assertEqual([each["kernel"] for each in canaries["kernels"]], ["canary-compute", "canary-memory"])
        self.assertEqual(canaries["missing"], [])
        self.assertNotIn("canary", " ".join(record.json("result.json")["left_out"]))
        self.assertIn("canary-memory", (record.data / "report.html").read_text())
        self.assay("verify", record.path, expect=0)

    def test_a_machine_that_slows_down_is_a_finding_and_no_other_verdict(self):
        canary = {"between_trials_sd": 0.01, "changes": [{"kernel": "memory", "moment": "end", "factor": 1.3}]}
        run = self.run_square(0, canary=canary)
        self.assertIn("machine.unsteady", run.out)
        self.assertIn("canary-memory", run.out)
        self.assertEqual(self.record().comparison("other")["verdict"], "equivalent")

    def layouts(self, command, expect, subjects=None):
        """Eight layouts of a program that the command makes at ./program."""
        file = self.experiment(program="program", text=f"[layout]\nreplicates = 8\n[build.program]\ncommand = '''{command}'''\n",
                               looks=(8,))
        return self.assay("run", file, "--device", self.script(subjects=subjects or {}), "--filter", "^square/n=64/",
                          expect=expect)

    def test_a_build_command_makes_each_layout_by_its_seed(self):
        # Bytes after the end of an ELF file are nobody's: they stand for another order of its sections.
        run = self.layouts(f'cp "{PROGRAM}" program && printf "%s" "$ASSAY_LAYOUT_SEED" >> program', 10,
                           subjects={"other": 1050})
        record = self.record()
        result = record.json("result.json")
        rows = [row for row in record.rows() if row["phase"] == "measure"]
        self.assertEqual({row["layout"] for row in rows}, {str(layout) for layout in range(1, 9)})
        self.assertEqual(result["comparisons"][0]["verdict"], "slower")
        self.assertEqual(result["comparisons"][0]["look"], 8)
        self.assertIn("over 8 layouts", result["claims"][0]["scope"])
        self.assertNotIn("layout.single", {finding["slug"] for finding in result["findings"]})
        self.assertIn("8 layouts", run.out)
        self.assertEqual((self.directory / "program.layout-3").read_bytes()[-1:], b"3")
        self.assertTrue((self.directory / "program").exists())
        self.assay("verify", record.path, expect=0)

    def test_a_build_command_that_ignores_the_seed_is_refused(self):
        run = self.layouts(f'cp "{PROGRAM}" program', 4)
        self.assertIn("the same program with ASSAY_LAYOUT_SEED=2 as with seed 1", run.err)

    def test_a_build_command_that_makes_nothing_leaves_what_was_there(self):
        (self.directory / "program").write_text("precious")
        run = self.layouts("true", 4)
        self.assertIn("made no", run.err)
        self.assertEqual((self.directory / "program").read_text(), "precious")

    def test_a_build_command_may_link_all_layouts_at_once(self):
        some = "for i in 1 2 3 4 5 6 7{}; do cp '{}' program.layout-$i; printf $i >> program.layout-$i; done"
        run = self.layouts("touch program;" + some.format("", PROGRAM).replace("'", '"'), 4)
        self.assertIn("left out program.layout-8", run.err)
        self.layouts("touch program;" + some.format(" 8", PROGRAM).replace("'", '"'), 0)
        self.assertEqual(self.record().comparison("other")["look"], 8)

    def test_layouts_that_are_copies_of_each_other_are_refused(self):
        run = self.layouts(f'for i in 1 2 3 4 5 6 7 8; do cp "{PROGRAM}" program.layout-$i; done; touch program', 4)
        self.assertIn("byte for byte", run.err)


if __name__ == "__main__":
    unittest.main()
