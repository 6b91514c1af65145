# SPDX-License-Identifier: MIT
"""`assay doctor`: whether the machine is fit to measure, and what a record says of it."""

import json
import signal
import time
import unittest

from harness import EndToEnd
from test_ceilings import ceilings


def utc_now():
    return time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())


class Doctor(EndToEnd):
    def examine(self, *arguments, **script):
        run = self.assay("doctor", "--json", "--device", self.script(**script), *arguments)
        said = json.loads(run.out)
        self.assertEqual(run.status, {"fit": 0, "reservation": 20, "unfit": 21}[said["fitness"]], run)
        return said, {check["slug"]: check for check in said["checks"]}

    def test_every_check_says_what_was_found_why_and_what_to_do(self):
        said, checks = self.examine()
        self.assertEqual(said["format"], "assay-doctor/1")
        self.assertTrue(said["timers"])
        for slug in ("clock.governor", "cores.smt", "load.others", "machine.virtual", "device.opens", "timer.step",
                     "cache.cold", "counters.cycles", "disk.space", "noise.floor", "ceilings"):
            self.assertIn(slug, checks)
        for check in said["checks"]:
            self.assertTrue(check["found"], check)
            self.assertTrue(check["why"], check)
            if check["fitness"] in ("reservation", "unfit"):
                self.assertTrue(check["advice"], check)
        self.assertEqual(checks["device.opens"]["fitness"], "fit")
        # It leaves nothing behind.
        self.assertEqual(self.records(), [])
        self.assertFalse(self.state.exists())

    def test_what_was_measured_before_is_found(self):
        _, checks = self.examine()
        self.assertEqual(checks["noise.floor"]["fitness"], "reservation")
        self.assertIn("assay doctor --noise", checks["noise.floor"]["advice"])
        self.assay("doctor", "--noise", "--trials", "8", "--seed", "1", "--device", self.script(), expect=0)
        _, checks = self.examine()
        self.assertEqual(checks["noise.floor"]["fitness"], "fit", checks["noise.floor"])

    def test_without_a_place_for_its_state_the_machine_is_examined_and_nothing_is_measured_for_it(self):
        nowhere = {"ASSAY_STATE_DIR": None, "XDG_STATE_HOME": None, "HOME": None}
        run = self.assay("doctor", "--json", "--device", self.script(), env=nowhere)
        self.assertIn(run.status, (20, 21), run)
        checks = {check["slug"]: check for check in json.loads(run.out)["checks"]}
        for slug in ("noise.floor", "ceilings"):
            self.assertEqual(checks[slug]["fitness"], "reservation")
            self.assertIn("not known: neither ASSAY_STATE_DIR nor", checks[slug]["found"])
        for what in ("--noise", "--ceilings"):
            run = self.assay("doctor", what, "--device", self.script(), env=nowhere, expect=2)
            self.assertIn("set ASSAY_STATE_DIR", run.err)

    def test_what_cannot_be_stored_is_not_measured(self):
        nowhere = {"ASSAY_STATE_DIR": "/proc/none"}
        run = self.assay("doctor", "--noise", "--trials", "8", "--records", "here", "--device", self.script(), env=nowhere,
                         expect=5)
        self.assertIn("cannot write /proc/none", run.err)
        self.assertFalse((self.directory / "here").exists())
        # A worker that is asked for ceilings dies: it is not asked.
        script = self.script(ceilings=ceilings(), faults=[{"kind": "crash", "stage": "ceilings"}])
        run = self.assay("doctor", "--ceilings", "--device", script, env=nowhere, expect=5)
        self.assertIn("cannot write /proc/none", run.err)

    def test_ceilings_of_other_cores_are_none(self):
        environment = json.loads(self.assay("env", "--json", expect=0).out)
        entry = {"machine_fingerprint": environment["machine_fingerprint"], "hostname": "here", "device": "cpu",
                 "measured_utc": utc_now(), "assay_version": "0", "environment": {}, "ceilings": ceilings(cores=2)}
        entry["ceilings"]["cores_allowed"] = 5000  # more than this machine has
        self.state.mkdir()
        (self.state / "ceilings.json").write_text(json.dumps({"format": "assay-ceilings/1", "machines": [entry]}))
        said = json.loads(self.assay("doctor", "--json").out)
        check = {check["slug"]: check for check in said["checks"]}["ceilings"]
        self.assertEqual(check["fitness"], "reservation", check)
        self.assertIn("other-cores", check["found"])

    def test_a_device_that_is_not_there_makes_it_unfit(self):
        run = self.assay("doctor", "--device", "cuda:63")
        self.assertEqual(run.status, 21, run)
        self.assertIn("device.opens", run.out)
        self.assertIn("UNFIT", run.out)
        self.assertIn("unfit: ", run.out)

    def test_a_directory_that_cannot_be_written_makes_it_unfit(self):
        said, checks = self.examine("--records", "/proc/none")
        self.assertEqual(checks["disk.space"]["fitness"], "unfit", checks["disk.space"])
        self.assertIn("disk.space", said["summary"])

    def test_options_of_the_noise_floor_alone_are_refused(self):
        for arguments in (["--trials", "8"], ["--budget", "5s"], ["--seed", "3"], ["--device", ""]):
            self.assay("doctor", *arguments, expect=2)

    def test_a_damaged_file_is_said_before_anything_is_measured(self):
        self.state.mkdir()
        for name in ("noise-floor.json", "ceilings.json"):
            (self.state / name).write_text("{")
            run = self.assay("doctor", "--device", self.script(), expect=4)
            self.assertIn(name, run.err)
            self.assertNotIn("calibration", run.err)
            (self.state / name).unlink()

    def test_an_examination_that_was_interrupted_says_nothing_of_the_machine(self):
        slow = {"kind": "slow-answer", "stage": "block", "trial": 1, "block": 1, "seconds": 5}
        process = self.start("doctor", "--device", self.script(faults=[slow]))
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, out)
        self.assertNotIn("fit", out)

    def test_a_second_signal_leaves_nothing_behind(self):
        temporary = self.directory / "tmp"
        temporary.mkdir()
        self.environment["TMPDIR"] = str(temporary)
        slow = {"kind": "slow-answer", "stage": "block", "trial": 1, "block": 1, "seconds": 60}
        process = self.start("doctor", "--device", self.script(faults=[slow]))
        while not any(temporary.glob("*/*/data/trials.csv")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.001)
        self.assertIn(process.returncode, (-signal.SIGINT, 130))
        self.assertEqual(list(temporary.iterdir()), [])

    def test_without_a_place_for_what_is_temporary_it_is_unfit(self):
        run = self.assay("doctor", "--json", "--device", self.script(), env={"TMPDIR": "/nonexistent"}, expect=21)
        said = {check["slug"]: check for check in json.loads(run.out)["checks"]}
        self.assertIn("TMPDIR", said["device.opens"]["found"])
        self.assay("run", self.experiment(), "--device", self.script(), env={"TMPDIR": "/nonexistent"}, expect=5)

    def test_every_record_has_the_line_that_sums_it_up(self):
        run = self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        result = self.record().json("result.json")
        self.assertRegex(result["machine"], "^(fit|unfit)")
        self.assertIn("Machine", run.out)
        self.assay("verify", self.record().path, expect=0)
        # It follows from environment.json, so that neither can be changed alone.
        environment = self.record().json("environment.json")
        environment["process"]["tracer_process"] = {"value": 7, "source": "/proc/self/status: TracerPid"}
        (self.record().path / "data/environment.json").write_text(json.dumps(environment))
        self.rebag(self.record())
        verify = self.assay("verify", self.record().path, expect=4)
        self.assertIn("result.json", verify.out)
        self.assertIn("machine", verify.out)


if __name__ == "__main__":
    unittest.main()
