# SPDX-License-Identifier: MIT
"""Each way in which a subject, a worker or a disk fails is named in the record; the other cases go on; no sample is lost."""

import hashlib
import json
import os
import resource
import signal
import stat
import time
import unittest

from harness import PROGRAM, EndToEnd, Record


class SubjectsThatFail(EndToEnd):
    """Real misdeeds on the real device."""

    def run_problem(self, problem, expect):
        file = self.experiment(protocol='sample = "50us"\nbudget = "60s"\nmargin = 0.5')
        run = self.assay("run", file, "--filter", f"^({problem}|square)/n=64/", expect=expect)
        record = self.record()
        self.assertTrue(record.is_sealed(), run)
        # The culprit has no verdict and no time; who stands beside it, and the other problem, have theirs.
        self.assertEqual(record.comparison("culprit")["verdict"], "invalid")
        self.assertIn(record.comparison("bystander")["verdict"], ("equivalent", "inconclusive"))
        self.assertIn(record.comparison("other")["verdict"], ("equivalent", "inconclusive"))
        measured = {row["subject"] for row in record.rows() if row["problem"] == problem and row["phase"] == "measure"}
        self.assertEqual(measured, {"honest", "bystander", "control"})
        self.assay("verify", record.path, expect=0)
        return record

    def assert_failure(self, record, kind, text):
        failures = [f for f in record.failures() if f["subject"] == "culprit"]
        self.assertTrue(failures, record.failures())
        self.assertEqual(failures[0]["kind"], kind)
        self.assertIn(text, failures[0]["message"])

    def assert_check(self, record, text):
        checks = [c for c in record.json("checks.json")["results"]
                  if c["subject"] == "culprit" and c["kind"] == "before" and not c["passed"]]
        self.assertTrue(checks)
        self.assertIn(text, checks[0]["reason"])

    def test_a_crash(self):
        self.assert_failure(self.run_problem("crashes", 5), "crashed", "Segmentation fault")

    def test_an_abort(self):
        self.assert_failure(self.run_problem("aborts", 5), "crashed", "Abort")

    def test_an_exit(self):
        self.assert_failure(self.run_problem("exits", 5), "exited", "status 7")

    def test_a_hang(self):
        self.assert_failure(self.run_problem("hangs", 5), "timed-out", "killed")

    def test_an_exception(self):
        self.assert_check(self.run_problem("throws", 12), "no such plan")

    def test_a_wrong_output(self):
        self.assert_check(self.run_problem("wrong", 12), "y")

    def test_a_write_out_of_bounds(self):
        self.assert_check(self.run_problem("out-of-bounds", 12), "written outside 'y'")

    def test_a_changed_input(self):
        self.assert_check(self.run_problem("input-changed", 12), "x")

    def test_a_nan(self):
        self.assert_check(self.run_problem("nan", 12), "y")


class ChecksThatAreNotLivedThrough(EndToEnd):
    def test_who_crashes_in_a_check_is_timed_in_no_state_of_the_case(self):
        file = self.experiment(protocol='state = ["warm", "cold"]\nsample = "50us"\nmargin = 0.5')
        self.assay("run", file, "--filter", "^crashes/n=64/", expect=5)
        record = self.record()
        for state in ("warm", "cold"):
            self.assertEqual(record.comparison("culprit", f"n=64/{state}")["verdict"], "invalid")
        self.assertNotIn("culprit", {row["subject"] for row in record.rows()})

    def test_who_crashes_on_adversarial_inputs_is_timed_in_no_case_of_the_problem(self):
        # The first check of n=64 is passed; the crash comes with the sizes that only adversarial checks use.
        fault = {"kind": "crash", "stage": "check", "subject": "other", "case": "n=3"}
        self.assay("run", self.experiment(), "--device", self.script(faults=[fault]), "--filter", "^square/", expect=5)
        record = self.record()
        for case in ("n=64", "n=256"):
            self.assertEqual(record.comparison("other", case)["verdict"], "invalid")
        self.assertEqual(record.comparison("only-256", "n=256")["verdict"], "equivalent")


class WorkersThatFail(EndToEnd):
    """Scripted faults in the middle of the measurement."""

    def run_fault(self, expect, **fault):
        device = self.script(faults=[fault])
        run = self.assay("run", self.experiment(), "--device", device,
                         "--filter", "^square/", expect=expect)
        record = self.record()
        self.assertTrue(record.is_sealed(), run)
        self.assay("verify", record.path, expect=0)
        return record

    def in_trial_3(self, kind, **more):
        return {"kind": kind, "stage": "block", "trial": 3, "subject": "other", "case": "n=64", "block": 2, **more}

    def at_an_answer(self, kind):
        return {"kind": kind, "stage": "block", "trial": 3, "case": "n=64", "block": 2}

    def assert_others_went_on(self, record):
        self.assertEqual(record.comparison("other", "n=64")["verdict"], "invalid")
        self.assertEqual(record.comparison("other", "n=256")["verdict"], "equivalent")
        self.assertEqual(record.comparison("only-256", "n=256")["verdict"], "equivalent")
        # What was measured before the fault is still there.
        before = [row for row in record.rows() if row["trial"] == "3" and row["case"] == "n=64" and row["block"] == "1"
                  and row["phase"] == "measure"]
        self.assertTrue(before)

    def canary_phases(self, record, trial):
        return {row["block"] for row in record.rows() if row["phase"] == "canary" and row["trial"] == str(trial)}

    def test_a_worker_without_canaries_is_measured_without_them(self):
        record = self.run_fault(0, kind="throw", stage="canary")
        self.assertEqual(record.comparison("other", "n=64")["verdict"], "equivalent")
        self.assertEqual(record.json("result.json")["canaries"]["kernels"], [])
        self.assertEqual(record.json("result.json")["canaries"]["missing"][0]["reason"], "refused")
        self.assertEqual(record.failures(), [])

    def test_a_crash_in_a_canary_costs_no_verdict(self):
        record = self.run_fault(0, kind="crash", stage="canary", trial=3, block=0)
        self.assertEqual(record.comparison("other", "n=64")["verdict"], "equivalent")
        self.assertEqual([f["kind"] for f in record.failures()], ["crashed"])
        self.assertEqual(self.canary_phases(record, 2), {"0", "1"})
        self.assertEqual(self.canary_phases(record, 4), set(), "none is asked again")
        finding = next(f for f in record.json("result.json")["findings"] if f["slug"] == "failure.crashed")
        self.assertIn("the measurement went on", finding["text"])

    def test_a_crash_in_the_last_canary_keeps_the_trial(self):
        record = self.run_fault(0, kind="crash", stage="canary", trial=3, block=1)
        self.assertEqual(self.canary_phases(record, 3), {"0"})
        rows = [row for row in record.rows() if row["phase"] == "measure" and row["trial"] == "3"]
        self.assertEqual({row["case"] for row in rows}, {"n=64", "n=256"})
        self.assertEqual(record.comparison("other", "n=64")["trials"], 8)

    def test_a_crash_in_a_block_names_the_subject(self):
        record = self.run_fault(5, **self.in_trial_3("crash", signal="SIGSEGV"))
        self.assert_others_went_on(record)
        failure = record.failures()[0]
        self.assertEqual((failure["kind"], failure["subject"], failure["trial"]), ("crashed", "other", 3))

    def test_a_garbage_line(self):
        record = self.run_fault(None, **self.at_an_answer("garbage-line"))
        self.assertEqual(record.failures()[0]["kind"], "protocol")
        self.assertEqual(record.comparison("other", "n=256")["verdict"], "equivalent")

    def test_a_truncated_line(self):
        record = self.run_fault(None, **self.at_an_answer("truncated-line"))
        self.assertEqual(record.failures()[0]["kind"], "protocol")
        self.assertIn("middle of a line", record.failures()[0]["message"])

    def test_a_hang_is_killed(self):
        record = self.run_fault(5, **self.in_trial_3("hang"))
        self.assertEqual(record.failures()[0]["kind"], "timed-out")
        self.assert_others_went_on(record)

    def test_a_timed_output_that_is_wrong(self):
        fault = {"kind": "wrong-output", "stage": "block", "subject": "other", "case": "n=64"}
        record = self.run_fault(12, **fault)
        timed = [c for c in record.json("checks.json")["results"] if c["kind"] == "timed" and not c["passed"]]
        self.assertEqual([c["subject"] for c in timed], ["other"])
        self.assertEqual(record.comparison("other", "n=64")["verdict"], "invalid")

    def test_a_timed_check_whose_trial_is_lost_is_drawn_again(self):
        # One of the first eight trials is drawn, and each is lost in turn.
        for trial in range(1, 9):
            fault = {"kind": "crash", "stage": "block", "trial": trial, "subject": "only-256", "block": 0}
            self.assay("run", self.experiment(), "--device", self.script(faults=[fault]), "--filter", "^square/n=256/",
                       "--records", self.directory / f"records-{trial}", expect=5)
            record = Record(next((self.directory / f"records-{trial}").iterdir()))
            timed = [c["subject"] for c in record.json("checks.json")["results"] if c["kind"] == "timed" and c["passed"]]
            self.assertEqual([name for name in timed if name != "only-256"], ["plain", "other"], trial)

    def test_a_worker_that_does_not_start_once_is_started_again(self):
        program = self.directory / "program"
        program.write_text(f"#!/bin/sh\necho x >> starts\n[ \"$(wc -l < starts)\" -ne 6 ] || exit 3\nexec '{PROGRAM}'\n")
        program.chmod(0o755)
        self.assay("run", self.experiment(program=program), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        self.assertEqual([f["kind"] for f in record.failures()], ["not-an-assay-program"])
        self.assertEqual(record.comparison("other")["verdict"], "equivalent")

    def test_a_timer_that_does_not_move(self):
        record = self.run_fault(None, **self.in_trial_3("zero-interval"))
        self.assertEqual(record.failures()[0]["kind"], "implausible-time")


class ProgramsThatAreNone(EndToEnd):
    def run_program(self, program, kind):
        run = self.assay("run", self.experiment(program=program), expect=5)
        record = self.record()
        self.assertEqual(record.failures()[0]["kind"], kind)
        self.assertTrue(record.is_sealed())
        return run

    def make(self, text):
        path = self.directory / "not a program"
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def test_a_missing_program(self):
        run = self.run_program(self.directory / "nowhere", "missing-program")
        self.assertIn("nowhere", run.out + run.err)

    def test_a_program_that_ends_at_once(self):
        self.run_program(self.make("#!/bin/sh\nexit 0\n"), "not-an-assay-program")

    def test_a_program_that_hangs(self):
        self.run_program(self.make("#!/bin/sh\nexec sleep 1000\n"), "not-an-assay-program")

    def test_a_program_that_speaks_bytes_that_are_no_text(self):
        run = self.run_program(
            self.make('#!/bin/sh\nexec python3 -c "import os; os.write(int(os.environ[\'ASSAY_FD\']), bytes([255, 254, 10]))"\n'),
            "protocol")
        self.assertNotIn("bug", run.err)

    def test_a_program_that_speaks_garbage(self):
        self.run_program(self.make('#!/bin/sh\nexec python3 -c "import os; os.write(int(os.environ[\'ASSAY_FD\']), b\'hello\\n\')"\n'),
                         "protocol")


def small_files():
    """Files may grow to 300 kB in the command that is run: what the samples need is more."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (300000, 300000))


class Disks(EndToEnd):
    def run_out_of_space(self, **experiment):
        file = self.experiment(looks=(8, 16, 32), blocks=20, **experiment)
        run = self.assay("run", file, "--device", self.script(between_trials_subject_sd=0.05), "--filter", "^square/",
                         expect=5, preexec_fn=small_files)
        self.assertIn("samples.csv", run.err)
        record = self.record()
        self.assertFalse(record.is_sealed())
        return record

    def test_a_directory_that_cannot_be_written_is_an_error_before_anything_is_measured(self):
        (self.directory / "records").write_text("a file stands where the directory would be made")
        run = self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/", expect=5)
        self.assertIn("records", run.err)

    def test_a_full_disk_loses_nothing_that_was_written(self):
        record = self.run_out_of_space()
        rows = record.rows()
        self.assertGreater(len(rows), 50)
        # With room again it goes on, from what there is.
        self.assay("run", "--resume", record.path)
        self.assertTrue(record.is_sealed())
        self.assertEqual(record.rows()[: len(rows)], rows)
        self.assay("verify", record.path, expect=0)

    def test_a_record_is_never_overwritten(self):
        for _ in range(2):
            self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        self.assertEqual(len(self.records()), 2)

    def test_resume_refuses_another_binary(self):
        copy = self.directory / "program"
        copy.write_bytes(open(PROGRAM, "rb").read())
        copy.chmod(0o755)
        record = self.run_out_of_space(program=copy)
        with open(copy, "ab") as file:
            file.write(b"\0")
        run = self.assay("run", "--resume", record.path, expect=4)
        self.assertIn("program", run.err)


class Interruptions(EndToEnd):
    def interrupted(self, by):
        # A worker that answers late gives the signal its time.
        device = self.script(faults=[{"kind": "slow-answer", "stage": "block", "trial": 2, "seconds": 3}])
        process = self.start("run", self.experiment(), "--device", device, "--filter", "^square/n=64/")
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            records = self.records()
            if records and (records[0] / "data/trials.csv").exists() and \
                    len((records[0] / "data/trials.csv").read_text().splitlines()) >= 3:
                break
            time.sleep(0.02)
        process.send_signal(by)
        out, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertIn("--resume", out)
        record = self.record()
        self.assertFalse(record.is_sealed())
        return record

    def assert_goes_on(self, record):
        before = (record.data / "samples.csv").read_text()
        self.assay("run", "--resume", record.path, "--device", self.script(), expect=0)
        self.assertTrue((record.data / "samples.csv").read_text().startswith(before))
        self.assertTrue(record.is_sealed())
        self.assay("verify", record.path, expect=0)
        # The order is that of a run that nobody interrupted.
        whole = self.directory / "whole"
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", "--records", whole, expect=0)
        resumed = self.orders(record.rows())
        for trial, order in self.orders(type(record)(next(whole.glob("*"))).rows()).items():
            if trial in resumed:
                self.assertEqual(resumed[trial], order)

    @staticmethod
    def orders(rows):
        """Per trial the subjects in the order in which its last process measured them."""
        by_trial = {}
        for row in rows:
            if row["phase"] == "measure":
                by_trial.setdefault(row["trial"], {}).setdefault(row["process"], []).append(row["subject"])
        return {trial: list(processes.values())[-1] for trial, processes in by_trial.items()}

    def test_ctrl_c_closes_the_record_and_resume_goes_on_in_the_same_order(self):
        self.assert_goes_on(self.interrupted(signal.SIGINT))

    def test_sigterm_does_the_same(self):
        self.assert_goes_on(self.interrupted(signal.SIGTERM))

    def test_the_check_of_another_states_timed_outputs_is_not_this_ones(self):
        record = self.interrupted(signal.SIGINT)
        checks = record.json("checks.json")
        others = [c for c in checks["results"] if c["kind"] != "timed"]
        # As if the run had checked the same case in another state, and been stopped before this one.
        foreign = [c | {"kind": "timed", "detail": {"cell": "square/n=64/elsewhere/call"}} for c in others if c["kind"] == "before"]
        self.assertTrue(foreign)
        (record.data / "checks.json").write_text(json.dumps(checks | {"results": others + foreign}))
        self.assert_goes_on(record)
        cells = {c["detail"]["cell"] for c in record.json("checks.json")["results"] if c["kind"] == "timed"}
        self.assertIn("square/n=64/warm/call", cells)

    def test_a_process_whose_parent_was_killed_before_its_row_gets_one(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        whole = (record.data / "trials.csv").read_text()
        for change in (lambda: self.cut(record.data / "trials.csv", 1),
                       lambda: (record.data / "trials.csv").write_text(whole[:-20])):
            self.unseal(record)
            change()
            self.assay("run", "--resume", record.path, expect=0)
            self.assay("verify", record.path, expect=0)
            row = record.rows("trials.csv")[-1]
            self.assertEqual((row["trial"], row["process"], row["outcome"]), ("8", "8", "parent-lost"))
            self.assertEqual((row["core"], row["core_missing"], row["cores_allowed"], row["started_utc"]),
                             ("", "parent-lost", "", ""))
            self.assertEqual(row["canary_missing"], "", "the samples tell that both runs of them are there")
            self.assertIn("added the row of process 8", (record.data / "logs/resumed.log").read_text())

    def test_a_trial_that_lost_its_end_is_measured_again(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        self.unseal(record)
        last = [row for row in record.rows() if row["trial"] == "8" and row["phase"] == "canary" and row["block"] == "1"]
        self.cut(record.data / "samples.csv", len(last) + 3)
        self.assay("run", "--resume", record.path, expect=0)
        self.assay("verify", record.path, expect=0)
        rows = [row for row in record.rows("trials.csv") if row["trial"] == "8"]
        self.assertEqual([row["outcome"] for row in rows], ["parent-lost", "completed"])

    def test_without_the_machine_that_it_began_on_a_record_is_not_gone_on_with(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        self.unseal(record)
        (record.data / "environment.json").unlink()
        self.assertIn("Run it anew", self.assay("run", "--resume", record.path, expect=4).err)

    def test_resume_refuses_a_sealed_record(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        run = self.assay("run", "--resume", self.record().path, expect=4)
        self.assertIn("sealed", run.err)


class Records(EndToEnd):
    def test_verify_finds_any_changed_byte(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        self.assay("verify", record.path, expect=0)
        for name in sorted(os.listdir(record.data)):
            path = record.data / name
            if not path.is_file() or path.stat().st_size == 0:
                continue
            kept = path.read_bytes()
            middle = len(kept) // 2
            path.write_bytes(kept[:middle] + bytes([kept[middle] ^ 1]) + kept[middle + 1:])
            run = self.assay("verify", record.path, expect=4)
            self.assertIn(name, run.out)
            path.write_bytes(kept)
        self.assay("verify", record.path, expect=0)

    def test_a_result_that_does_not_follow_from_the_samples_is_found_though_the_bag_is_whole(self):
        self.assay("run", self.experiment(), "--device", self.script(subjects={"other": 1050}), "--filter",
                   "^square/n=64/", expect=10)
        record = self.record()
        result = record.data / "result.json"
        result.write_text(result.read_text().replace('"slower"', '"faster"'))
        # Whoever edits can bag again; recomputation still tells.
        self.rebag(record)
        run = self.assay("verify", record.path, expect=4)
        self.assertIn("verdict", run.out)

    def test_files_that_do_not_agree_are_found_though_the_bag_is_whole(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        for name, old, new in (("trials.csv", "\n3,3,", "\n3,2,"), ("experiment.toml", "seed = 7", "seed = 8")):
            path = record.data / name
            kept = path.read_text()
            self.assertIn(old, kept)
            path.write_text(kept.replace(old, new))
            self.rebag(record)
            run = self.assay("verify", record.path, expect=4)
            self.assertIn(name, run.out)
            path.write_text(kept)
            self.rebag(record)
        self.assay("verify", record.path, expect=0)

    def test_checks_that_a_measured_subject_must_have_passed_are_missed(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        path = record.data / "checks.json"
        kept = path.read_text()
        checks = json.loads(kept)
        results = checks["results"]
        self.assertEqual({each["kind"] for each in results}, {"before", "adversarial", "gate-power", "timed"})
        for kind, said in (("before", "no result of the check before timing of plain in square/n=64/warm/call"),
                           ("gate-power", "no result of whether the check can fail in square/n=64"),
                           ("timed", "no result of the check of a timed output of plain in")):
            path.write_text(json.dumps(checks | {"results": [each for each in results if each["kind"] != kind]}))
            self.rebag(record)
            self.assertIn("checks.json: " + said, self.assay("verify", record.path, expect=4).out)
        failed = [each | {"passed": False} if each["kind"] == "before" else each for each in results]
        path.write_text(json.dumps(checks | {"results": failed}))
        self.rebag(record)
        self.assertIn("did not pass its check 'before', and samples.csv has measured it",
                      self.assay("verify", record.path, expect=4).out)

    def test_a_page_that_the_record_does_not_make_is_found_though_the_bag_is_whole(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        # The page has the name that the record was given, whatever its directory is called now.
        moved = record.path.parent / "moved"
        record.path.rename(moved)
        record = type(record)(moved)
        self.assay("verify", f"{moved}/", expect=0)
        page = record.data / "report.html"
        page.write_text(page.read_text().replace("equivalent", "faster"))
        self.rebag(record)
        run = self.assay("verify", record.path, expect=4)
        self.assertIn("does not agree: report.html: not the page that this version makes from the record", run.out)

    def test_of_a_page_that_another_version_made_only_the_checksum_speaks(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        plan = record.data / "plan.json"
        seals = record.data / "plan.sha256"
        before = hashlib.sha256(plan.read_bytes()).hexdigest()
        version = record.json("plan.json")["assay_version"]
        plan.write_text(plan.read_text().replace(f'"assay_version": "{version}"', '"assay_version": "0.0.9"'))
        seals.write_text(seals.read_text().replace(before, hashlib.sha256(plan.read_bytes()).hexdigest()))
        page = record.data / "report.html"
        page.write_text(page.read_text() + "\n")
        self.rebag(record)
        run = self.assay("verify", record.path, "--json", "verified.json")
        note = "report.html was made by Assay 0.0.9 and this is"
        self.assertIn("note: " + note, run.out)
        self.assertIn(note, json.loads((self.directory / "verified.json").read_text())["notes"][0])
        self.assertNotIn("does not agree: report.html", run.out)

    def test_times_that_cannot_be_are_refused_or_left_out_with_the_reason(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        samples = record.data / "samples.csv"
        lines = samples.read_text().splitlines()
        columns = lines[0].split(",")
        at = next(i for i, line in enumerate(lines) if line.split(",")[:1] == ["5"] and ",measure," in line)
        for time in ("nan", "inf", "-1", "", "1e999", "0", "1e-300", "1e300"):
            fields = lines[at].split(",")
            fields[columns.index("interval_ns")] = time
            samples.write_text("\n".join([*lines[:at], ",".join(fields), *lines[at + 1:]]) + "\n")
            self.rebag(record)
            run = self.assay("verify", record.path, expect=4)
            if time in ("0", "1e-300", "1e300"):
                self.assertIn("trial 5", run.out)
                self.assertIn("cannot be", run.out)
            else:
                for command in (run, self.assay("show", record.path, expect=4)):
                    self.assertIn(f"samples.csv:{at + 1}: 'interval_ns'", command.out + command.err)

    def test_nothing_is_written_into_a_sealed_record(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        self.assay("report", record.path, "-o", record.path / "page.html", expect=2)
        self.assay("show", record.path, "--json", record.path / "result.json", expect=2)
        self.assay("verify", record.path, expect=0)

    def test_show_and_report_work_from_the_files(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        self.assertIn("equivalent", self.assay("show", record.path, expect=0).out)
        self.assay("report", record.path, "-o", self.directory / "page.html", expect=0)
        page = (self.directory / "page.html").read_text()
        self.assertIn("</html>", page)
        self.assertNotIn("src=\"http", page)

    def test_what_is_no_record_is_refused(self):
        run = self.assay("show", self.directory, expect=4)
        self.assertIn("record", run.err)
        self.assay("verify", self.directory / "nowhere", expect=4)


class Usage(EndToEnd):
    def test_the_experiment_of_the_current_directory_is_run_without_an_argument(self):
        self.experiment()
        self.assay("run", "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        self.assertTrue((self.record().data / "source/experiment.toml").exists())

    def test_a_build_command_runs_first_and_its_failure_is_told(self):
        path = self.directory / "experiment.toml"
        for command, status in ((f"cp '{PROGRAM}' built", 0), ("echo no compiler here; exit 3", 5)):
            path.write_text('name = "b"\n[protocol]\nlooks = [8, 16]\nblocks = 5\n'
                            f'[build.program]\ncommand = "{command}"\nprogram = "built"\n')
            run = self.assay("run", path, "--device", self.script(), "--filter", "^square/n=64/", expect=status)
        self.assertIn("no compiler here", run.err)

    def test_unknown_options_and_commands_are_usage_errors(self):
        self.assay("run", "--no-such-option", expect=2)
        self.assay("no-such-command", expect=2)
        self.assay(expect=2)

    def test_a_bad_experiment_file_is_named_with_its_line(self):
        path = self.directory / "experiment.toml"
        path.write_text('name = "x"\nprogramm = "y"\n')
        run = self.assay("run", path, expect=4)
        self.assertIn("experiment.toml:2", run.err)

    def test_what_the_command_line_gets_wrong_is_a_usage_error(self):
        self.assay("run", self.experiment(), "--budget", "5", expect=2)
        self.assay("run", self.experiment(), "--axis", "n", expect=2)
        self.assertIn("given twice", self.assay("run", self.experiment(), "--axis", "n=64", "--axis", "n=256", expect=2).err)
        self.assertIn("no such device", self.assay("run", self.experiment(), "--device", "abacus", expect=2).err)
        self.assertIn("no such device", self.assay("doctor", "--noise", "--device", "abacus", expect=2).err)
        for expression in ("(", "[z-a]", "(?=n)", "\\1", "+" * 10000):
            run = self.assay("run", self.experiment(), "--filter", expression, expect=2)
            self.assertIn("--filter", run.err)
            self.assertLess(len(run.err), 1000)

    def test_a_filter_ends_however_it_is_written(self):
        # An engine that goes back tries about 2^20 ways for each id in the first one, and calls itself 60000 deep in the second.
        for expression in ("^(([^/]|[^/])+)+$", "(" * 60000 + "%" + ")" * 60000):
            run = self.assay("run", self.experiment(), "--filter", expression, "--list", expect=3)
            self.assertIn("filter", run.err)

    def test_a_missing_experiment_is_said(self):
        self.assertIn("nowhere", self.assay("run", "nowhere.toml", expect=4).err)

    def test_a_filter_that_leaves_nothing_is_said(self):
        self.assay("run", self.experiment(), "--filter", "no-such-cell", expect=3)


if __name__ == "__main__":
    unittest.main()
