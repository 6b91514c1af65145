# SPDX-License-Identifier: MIT
"""Counters beside the timing: companion records, by the tools that are here, and by stand-ins for those that are not."""

import json
import os
import pathlib
import shutil
import signal
import stat
import sys
import time
import unittest

from harness import PROGRAM, EndToEnd, Record


class Profiled(EndToEnd):
    def timed(self, pattern="^square/", program=PROGRAM, protocol="", device=None, looks=(8,)):
        """A sealed record; of the fake device, so that it is there at once."""
        file = self.experiment(program=program, protocol=protocol, looks=looks)
        run = self.assay("run", file, "--device", device or self.script(), "--filter", pattern)
        self.assertIn(run.status, (0, 5, 10, 11, 12, 13), run)
        return self.record()

    def profile(self, record, *arguments, expect=0, env=None):
        run = self.assay("profile", record.path, *arguments, expect=expect, env=env)
        found = [path for path in self.records() if path != record.path]
        return run, [Record(path) for path in found]

    def wait_for(self, path):
        for _ in range(6000):
            if path.exists():
                return
            time.sleep(0.01)
        self.fail(f"{path} did not come")

    def digest(self, record):
        return (record.path / "tagmanifest-sha256.txt").read_bytes()

    def stand_in(self, name, text):
        """A program of that name in a folder of its own, to be put on PATH."""
        folder = self.directory / "tools"
        folder.mkdir(exist_ok=True)
        path = folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path


@unittest.skipUnless(shutil.which("valgrind"), "there is no valgrind here")
class Callgrind(Profiled):
    def counters(self, companion, metric="Ir"):
        return {
            (row["case"], row["subject"]): float(row["value"]) / int(row["calls"])
            for row in companion.rows("counters.csv")
            if row["metric"] == metric and row["value"]
        }

    def test_counts_instructions_beside_a_record_that_stays_as_it_is(self):
        record = self.timed()
        before = self.digest(record)
        run, companions = self.profile(record, "--tool", "callgrind")
        self.assertEqual(len(companions), 1)
        companion = companions[0]
        self.assertTrue(companion.path.name.startswith(record.path.name + "-profile-callgrind-"))
        self.assertEqual(self.digest(record), before)
        self.assay("verify", record.path, expect=0)

        counts = self.counters(companion)
        self.assertEqual(counts["n=64", "plain"], counts["n=64", "other"])
        self.assertEqual(counts["n=256", "plain"], counts["n=256", "only-256"])
        self.assertNotIn(("n=64", "only-256"), counts)
        # One multiplication an element at least, and nothing like the thousands of filling the inputs.
        self.assertGreater(counts["n=256", "plain"], 256)
        self.assertLess(counts["n=64", "plain"], counts["n=256", "plain"])
        self.assertLess(counts["n=256", "plain"], 256 * 100)

        verified = self.assay("verify", companion.path, expect=0)
        self.assertIn("every counter", verified.out)
        shown = self.assay("show", companion.path, expect=0)
        self.assertIn("callgrind (valgrind-", shown.out)
        self.assertRegex(shown.out, r"other +[0-9.]+ +1\.000")
        self.assertIn("timed record", shown.out)
        self.assertTrue(run.out.startswith(shown.out), run)

        told = companion.json("companion.json")
        self.assertEqual(told["of"]["name"], record.path.name)
        self.assertEqual(told["runs"][0]["end"], {"value": {"by_signal": False, "code": 0}})
        self.assertIn("--toggle-collect=assay_counted_calls", told["runs"][0]["command"])
        for raw in told["runs"][0]["raw"]:
            self.assertTrue((companion.data / raw).is_file())

    def test_counts_the_same_again(self):
        record = self.timed()
        counts = []
        for _ in range(2):
            before = set(self.records())
            self.assay("profile", record.path, "--tool", "callgrind", "--case", "n=64", "--subject", "plain", expect=0)
            (made,) = set(self.records()) - before
            counts.append(self.counters(Record(made)))
        self.assertEqual(counts[0], counts[1])
        self.assertEqual(list(counts[0]), [("n=64", "plain")])

    def test_simulated_caches_are_those_of_the_state_warm(self):
        record = self.timed(protocol='state = ["warm", "cold"]')
        _, (companion,) = self.profile(record, "--tool", "callgrind", "--case", "n=64", "--subject", "plain")
        rows = {(row["state"], row["metric"]): row for row in companion.rows("counters.csv")}
        self.assertNotEqual(rows["warm", "DLmr"]["value"], "")
        self.assertEqual(rows["cold", "DLmr"]["missing"], "not-simulated")
        self.assertNotEqual(rows["cold", "Ir"]["value"], "")

    def test_a_subject_that_fails_has_no_counters_and_its_neighbours_have(self):
        record = self.timed("^throws/n=64/")
        run, (companion,) = self.profile(record, "--tool", "callgrind")
        rows = {row["subject"]: row for row in companion.rows("counters.csv") if row["metric"] == "Ir"}
        self.assertEqual(rows["culprit"]["missing"], "program-failed")
        self.assertNotEqual(rows["honest"]["value"], "")
        self.assertNotEqual(rows["bystander"]["value"], "")
        self.assertIn("no such plan", " ".join(run.out.split()))
        self.assay("verify", companion.path, expect=0)

    def test_nothing_counted_is_a_status_of_its_own(self):
        record = self.timed("^throws/n=64/")
        run, (companion,) = self.profile(record, "--tool", "callgrind", "--subject", "culprit", expect=3)
        self.assay("verify", companion.path, expect=0)

    def test_a_run_has_a_limit(self):
        record = self.timed("^hangs/n=64/")
        _, (companion,) = self.profile(record, "--tool", "callgrind", "--subject", "culprit", "--timeout", "3s", expect=3)
        self.assertEqual({row["missing"] for row in companion.rows("counters.csv")}, {"timed-out"})

    def test_another_binary_is_refused_or_marked(self):
        program = self.directory / "program"
        shutil.copy(PROGRAM, program)
        record = self.timed(program=program)
        with open(program, "ab") as file:
            file.write(b"\0")
        run, companions = self.profile(record, "--tool", "callgrind", expect=4)
        self.assertIn("--other-program", run.err)
        self.assertEqual(companions, [])
        arguments = ("--tool", "callgrind", "--case", "n=64", "--subject", "plain")
        run, (companion,) = self.profile(record, *arguments, "--other-program")
        self.assertIn("another binary than was timed", " ".join(run.out.split()))
        told = companion.json("companion.json")["programs"][0]
        self.assertNotEqual(told["sha256"], told["timed_sha256"])
        os.remove(program)
        run, _ = self.profile(record, *arguments, expect=4)
        self.assertIn("--program", run.err)
        self.profile(record, *arguments, "--program", PROGRAM)

    def test_verify_finds_a_counter_that_the_raw_files_do_not_say(self):
        record = self.timed()
        _, (companion,) = self.profile(record, "--tool", "callgrind", "--case", "n=64", "--subject", "plain")
        table = companion.data / "counters.csv"
        rows = table.read_text().splitlines(keepends=True)
        rows[1] = rows[1].replace(",1,\n", "0,1,\n")
        table.write_text("".join(rows))
        run = self.assay("verify", companion.path, expect=4)
        self.assertIn("counters.csv was changed", run.out)
        self.rebag(companion)
        run = self.assay("verify", companion.path, expect=4)
        self.assertIn("not those that its raw files say", run.out)

    def test_verify_finds_another_timed_record(self):
        record = self.timed()
        _, (companion,) = self.profile(record, "--tool", "callgrind", "--case", "n=64", "--subject", "plain")
        with open(record.path / "tagmanifest-sha256.txt", "a") as file:
            file.write("\n")
        run = self.assay("verify", companion.path, expect=4)
        self.assertIn("is not the record that it is about", run.out)
        shutil.rmtree(record.path)
        run = self.assay("verify", companion.path, expect=0)
        self.assertIn("does not lie beside it", run.out)
        self.assertNotIn("timed record", self.assay("show", companion.path, expect=0).out)

    def test_goes_where_it_is_told_and_prints_json(self):
        record = self.timed()
        arguments = ("--tool", "callgrind", "--case", "n=64", "--json")
        run, companions = self.profile(record, *arguments, "-o", self.directory / "elsewhere")
        self.assertEqual(companions, [])
        printed = json.loads(run.out)
        self.assertEqual(pathlib.Path(printed["record"]).parent.resolve(), (self.directory / "elsewhere").resolve())
        ratios = [each["ratio_to_baseline"] for each in printed["counters"] if each["metric"] == "Ir"]
        self.assertEqual(ratios[1], {"value": 1.0})
        run, _ = self.profile(record, *arguments, "-o", record.path, expect=2)
        self.assertIn("inside the record", run.err)

    def test_a_companion_is_no_record_of_times(self):
        record = self.timed()
        _, (companion,) = self.profile(record, "--tool", "callgrind", "--case", "n=64", "--subject", "plain")
        for command in (("report",), ("new", "fresh", "--from"), ("profile", "--tool", "callgrind")):
            run = self.assay(*command, companion.path, expect=4)
            self.assertIn("companion", run.err)


class Perf(Profiled):
    """Hardware counters are missing on most virtual machines, with a reason; what the kernel counts is there on all."""

    ARGUMENTS = ("--tool", "perf", "--case", "n=64")

    def rows(self, companion):
        return {(row["subject"], row["metric"]): row for row in companion.rows("counters.csv")}

    def test_each_event_has_a_value_or_a_reason(self):
        record = self.timed()
        run, (companion,) = self.profile(record, *self.ARGUMENTS)
        rows = self.rows(companion)
        if rows["plain", "page-faults"]["missing"] == "not-permitted":
            self.skipTest("no event may be counted here")
        self.assertNotEqual(rows["plain", "page-faults"]["value"], "")
        for metric in ("cycles", "instructions", "LLC-load-misses"):
            row = rows["other", metric]
            self.assertTrue((row["value"] == "") != (row["missing"] == ""), row)
        for raw in companion.json("companion.json")["runs"][0]["raw"]:
            self.assertTrue((companion.data / raw).is_file())
        self.assay("verify", companion.path, expect=0)
        self.assertIn("page-faults", self.assay("show", companion.path, expect=0).out)

    def test_events_are_named_as_libpfm_does(self):
        record = self.timed()
        arguments = (*self.ARGUMENTS, "--subject", "plain", "--calls", "5")
        run, companions = self.profile(record, *arguments, "--event", "task-clock", "--event", "PAGE-FAULTS:u", expect=None)
        if "built without libpfm4" in run.err:
            self.skipTest("this Assay was built without libpfm4")
        self.assertIn(run.status, (0, 3), run)
        told = companions[0].json("companion.json")
        self.assertEqual([metric["name"] for metric in told["metrics"]], ["task-clock", "PAGE-FAULTS:u"])
        self.assertEqual(told["runs"][0]["command"][-1], "1:2:0:0:u")
        self.assertEqual(self.rows(companions[0])["plain", "task-clock"]["calls"], "5")
        run, _ = self.profile(record, *arguments, "--event", "no-such-event", expect=2)
        self.assertIn("no-such-event", run.err)

    def test_events_are_for_perf_alone(self):
        record = self.timed()
        self.profile(record, "--tool", "callgrind", "--event", "task-clock", expect=2)
        self.profile(record, "--tool", "perf", "--tool-path", "/usr/bin/perf", expect=2)

    def test_verify_reads_the_programs_own_file_again(self):
        record = self.timed()
        _, (companion,) = self.profile(record, *self.ARGUMENTS, "--subject", "plain", expect=None)
        (counts,) = (companion.data / "raw").glob("*/counts.json")
        counts.write_text(counts.read_text().replace('"format"', '"forms"'))
        self.rebag(companion)
        self.assertIn("not those that its raw files say", self.assay("verify", companion.path, expect=4).out)


class Beside(Profiled):
    """What verify and show make of a companion whose timed record is not, or not any more, the one that it names."""

    def setUp(self):
        super().setUp()
        self.timed_record = self.timed()
        _, (self.companion,) = self.profile(self.timed_record, "--tool", "perf", "--case", "n=64", expect=None)

    def refused(self, *words):
        run = self.assay("verify", self.companion.path, expect=4)
        for word in words:
            self.assertIn(word, run.out)
        return run

    def edit(self, change):
        """Changes companion.json and seals it again."""
        told = self.companion.json("companion.json")
        change(told)
        (self.companion.data / "companion.json").write_text(json.dumps(told))
        self.rebag(self.companion)

    def test_a_changed_table_beside_it(self):
        self.assertIn("those of the timed record too", self.assay("verify", self.companion.path, expect=0).out)
        self.assertIn("timed record", self.assay("show", self.companion.path, expect=0).out)
        with open(self.timed_record.data / "samples.csv", "a") as file:
            file.write("\n")
        self.refused(self.timed_record.path.name, "data/samples.csv was changed")
        shown = self.assay("show", self.companion.path, expect=0).out
        self.assertIn("Its times are left out", shown)
        self.assertIn("data/samples.csv was changed", shown)
        self.assertNotRegex(shown, r"(?m)^.*time, .*timed record$")

    def test_swapped_subjects(self):
        def swap(told):
            first, second = told["runs"]
            first["subject"], second["subject"] = second["subject"], first["subject"]
        self.edit(swap)
        self.refused("the command of run 1", "the baseline")

    def test_another_number_of_calls(self):
        self.edit(lambda told: told["runs"][1].update(calls=told["runs"][1]["calls"] + 1))
        self.refused("the command of run 2")

    def test_another_record_in_the_bag(self):
        info = self.companion.path / "bag-info.txt"
        info.write_text(info.read_text().replace("Companion-Of: sha256:", "Companion-Of: sha256:0"))
        self.rebag(self.companion)
        self.refused("Companion-Of")

    def test_a_subject_that_was_not_timed(self):
        def rename(told):
            run = told["runs"][1]
            run["command"] = [word.replace("/" + run["subject"], "/nobody") for word in run["command"]]
            run["subject"] = "nobody"
        self.edit(rename)
        self.refused("nobody, which the timed record does not have")


# Stands in for Nsight Compute where there is no GPU: runs what it is given, as ncu does, and leaves a report. What it
# prints of a report is written by hand, by what is documented of `ncu --page raw --csv`; no GPU has counted it.
NCU = """#!{python}
import pathlib, subprocess, sys
words = sys.argv[1:]
if words == ["--version"]:
    print("NVIDIA (R) Nsight Compute Command Line Profiler\\nVersion 2025.3.1.0 (build 1) (public-release)")
elif "--import" in words:
    report = pathlib.Path(words[words.index("--import") + 1]).read_text()
    print("==PROF== of a stand-in")
    print('"ID","Process ID","Kernel Name","dram__bytes_read.sum","dram__bytes_write.sum","lts__t_sector_hit_rate.pct"')
    print('"","","","byte","Mbyte","%"')
    for i, line in enumerate(report.splitlines()):
        print('"{{}}","42",{{}}'.format(i, line))
else:
    at = words.index("--export")
    program = words[at + 2:]
    ended = subprocess.run(program)
    if ended.returncode:
        print("==ERROR== The application returned an error code")
        sys.exit(ended.returncode)
    rows = {rows}
    subject = program[program.index("--once") + 1]
    pathlib.Path(words[at + 1] + ".ncu-rep").write_text(rows.get(subject, ""))
"""

ROWS = {
    "square/plain": '"void square<float, 4>(float const*, float*)","64,000","1.5","12.5"\n',
    "square/other": '"first(float*)","16000","0","50"\n"second(float*)","16000","0","n/a"\n',
}


class Ncu(Profiled):
    def counted(self, *arguments, expect=0):
        record = self.timed("^square/n=64/")
        tool = self.stand_in("ncu", NCU.format(python=sys.executable, rows=repr(ROWS)))
        path = f"{tool.parent}:{os.environ['PATH']}"
        return self.profile(record, "--tool", "ncu", *arguments, expect=expect, env={"PATH": path})

    def test_counts_kernels_and_adds_them_up_where_they_are_counts(self):
        run, (companion,) = self.counted()
        rows = {(row["subject"], row["metric"], row["launch"]): row for row in companion.rows("counters.csv")}
        self.assertEqual(rows["plain", "dram__bytes_read.sum", "0"]["value"], "64000")
        self.assertEqual(rows["plain", "dram__bytes_write.sum", "0"]["value"], "1500000")
        self.assertEqual(rows["other", "dram__bytes_read.sum", "0"]["value"], "32000")
        self.assertEqual(rows["other", "dram__bytes_read.sum", "2"]["kernel"], "second(float*)")
        self.assertEqual(rows["other", "lts__t_sector_hit_rate.pct", "0"]["missing"], "not-reported")
        self.assertEqual(rows["plain", "lts__t_bytes.sum", "0"]["missing"], "not-reported")
        self.assertRegex(run.out, r"other +32000 +0\.500")
        self.assay("verify", companion.path, expect=0)
        shown = self.assay("show", companion.path, expect=0).out
        self.assertNotIn("second(float*)", shown)
        self.assertIn("2 second(float*)", self.assay("show", "--details", companion.path, expect=0).out)
        told = companion.json("companion.json")
        self.assertEqual(told["tool"]["version"], "Version 2025.3.1.0 (build 1) (public-release)")
        self.assertIn("--import", told["runs"][0]["afterwards"])
        self.assertTrue(any(name.endswith("report.ncu-rep") for name in told["runs"][0]["raw"]))

    def test_metrics_are_those_that_are_asked_for(self):
        _, (companion,) = self.counted("--metric", "dram__bytes_read.sum", "--subject", "plain")
        self.assertEqual({row["metric"] for row in companion.rows("counters.csv")}, {"dram__bytes_read.sum"})

    def test_metrics_that_the_experiment_declares_are_counted_too(self):
        file = self.experiment('[question]\nquestion = "Why?"\nhypothesis = "Fewer bytes."\n'
                               '[[question.alternative]]\nexplanation = "Writes."\ntold_apart_by = "Their number."\n'
                               'metrics = ["lts__t_sectors_op_write.sum"]\n', looks=(8,))
        self.assay("run", file, "--device", self.script(), "--filter", "^square/n=64/")
        tool = self.stand_in("ncu", NCU.format(python=sys.executable, rows=repr(ROWS)))
        _, (companion,) = self.profile(self.record(), "--tool", "ncu", "--tool-path", tool)
        self.assertIn("lts__t_sectors_op_write.sum", {row["metric"] for row in companion.rows("counters.csv")})

    def test_no_kernel_is_not_a_count_of_none(self):
        record = self.timed("^single/n=64/", protocol="precision = 0.5")
        tool = self.stand_in("ncu", NCU.format(python=sys.executable, rows=repr(ROWS)))
        _, (companion,) = self.profile(record, "--tool", "ncu", "--tool-path", tool, expect=3)
        self.assertEqual({row["missing"] for row in companion.rows("counters.csv")}, {"nothing-counted"})

    def test_options_are_for_ncu_alone(self):
        record = self.timed("^square/n=64/")
        self.profile(record, "--tool", "perf", "--metric", "dram__bytes_read.sum", expect=2)
        self.profile(record, "--tool", "callgrind", "--replay", "kernel", expect=2)
        self.profile(record, "--tool", "ncu", "--replay", "range", expect=2)
        run, _ = self.profile(record, "--tool", "ncu", "--tool-path", "/no/such/ncu", expect=5)
        self.assertIn("/no/such/ncu", run.err)


# In front of the stand-in: leaves a process behind that is in no group of ours and writes wherever it still can.
ESCAPES = """#!{python}
import os, subprocess, sys
if "--export" in sys.argv:
    subprocess.Popen([sys.executable, {left_behind!r}, sys.argv[sys.argv.index("--export") + 1] + ".ncu-rep"],
                     start_new_session=True)
os.execv({tool!r}, [{tool!r}, *sys.argv[1:]])
"""
LEFT_BEHIND = """import pathlib, sys, time
go, done = pathlib.Path({go!r}), pathlib.Path({done!r})
for _ in range(6000):
    if go.exists():
        break
    time.sleep(0.01)
print("written by nobody", flush=True)
try:
    with open(sys.argv[1], "a") as file:
        file.write("1")
except OSError:
    pass
done.touch()
"""


class Escapes(Profiled):
    def test_what_lives_on_cannot_write_into_the_companion(self):
        record = self.timed("^square/n=64/")
        tool = self.stand_in("ncu-itself", NCU.format(python=sys.executable, rows=repr(ROWS)))
        go, done = self.directory / "go", self.directory / "done"
        left_behind = self.stand_in("left_behind.py", LEFT_BEHIND.format(go=str(go), done=str(done)))
        escapes = self.stand_in("ncu", ESCAPES.format(python=sys.executable, tool=str(tool), left_behind=str(left_behind)))
        _, (companion,) = self.profile(record, "--tool", "ncu", "--tool-path", escapes, "--subject", "plain")
        go.touch()
        self.wait_for(done)
        self.assertIn("verified", self.assay("verify", companion.path, expect=0).out)


# In front of the stand-in: says that it came to a place, and stays there.
STAYS = """#!{python}
import os, pathlib, sys, time
if {where!r} in sys.argv:
    pathlib.Path({came!r}).touch()
    time.sleep(600)
os.execv({tool!r}, [{tool!r}, *sys.argv[1:]])
"""


class Stopped(Profiled):
    """What is left of `assay profile` when it is stopped or killed at a place."""

    def start_and_wait(self, record, where):
        tool = self.stand_in("ncu-itself", NCU.format(python=sys.executable, rows=repr(ROWS)))
        came = self.directory / "came"
        stays = self.stand_in("ncu", STAYS.format(python=sys.executable, where=where, came=str(came), tool=str(tool)))
        process = self.start("profile", record.path, "--tool", "ncu", "--tool-path", stays)
        self.wait_for(came)
        return process

    def others(self, record):
        return [Record(path) for path in self.records() if path != record.path]

    def test_a_kill_leaves_what_was_counted(self):
        record = self.timed("^square/n=64/")
        process = self.start_and_wait(record, "square/other")
        process.kill()
        process.communicate()
        (companion,) = self.others(record)
        self.assertFalse(companion.is_sealed())
        self.assertEqual({row["subject"] for row in companion.rows("counters.csv")}, {"plain"})
        shown = self.assay("show", companion.path, expect=0).out
        self.assertIn("plain", shown)
        for text in (shown, self.assay("verify", companion.path, expect=4).out):
            self.assertIn("`assay profile`", text)
            self.assertNotIn("--resume", text)

    def test_a_stop_while_the_tool_is_asked_for_its_version(self):
        record = self.timed("^square/n=64/")
        process = self.start_and_wait(record, "--version")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(self.others(record), [])


class Refusals(Profiled):
    def test_numbers_of_calls_that_nobody_can_wait_for(self):
        record = self.timed("^square/n=64/")
        for calls in ("0", "-1", "1.5", "1000000001", "9223372036854775807", "9223372036854775808", "1e300"):
            run, companions = self.profile(record, "--tool", "perf", "--calls", calls, expect=2)
            self.assertIn("--calls", run.err)
            self.assertEqual(companions, [])

    def test_a_tool_that_is_not_there(self):
        record = self.timed()
        empty = self.directory / "empty"
        empty.mkdir()
        run, companions = self.profile(record, "--tool", "callgrind", expect=5, env={"PATH": str(empty)})
        self.assertIn("install valgrind", run.err)
        self.assertEqual(companions, [])
        run, _ = self.profile(record, "--tool", "callgrind", "--tool-path", "/no/such/valgrind", expect=5)
        self.assertIn("/no/such/valgrind", run.err)

    def test_a_tool_that_is_none(self):
        record = self.timed()
        run, _ = self.profile(record, "--tool", "stopwatch", expect=2)
        self.assertIn("stopwatch", run.err)
        self.assay("profile", record.path, expect=2)

    def test_a_program_without_a_path(self):
        run, _ = self.profile(self.timed(), "--tool", "perf", "--program", "", expect=2)
        self.assertIn("--program names no file", run.err)

    def test_names_that_the_record_does_not_have(self):
        record = self.timed()
        for option, name, known in (("--subject", "nobody", "plain"), ("--case", "n=65", "n=256"),
                                    ("--state", "tepid", "warm")):
            run, _ = self.profile(record, "--tool", "callgrind", option, name, expect=2)
            self.assertIn(known, run.err)

    def test_records_that_cannot_be_named_by_a_digest(self):
        record = self.timed()
        self.unseal(record)
        run, _ = self.profile(record, "--tool", "callgrind", expect=4)
        self.assertIn("not sealed", run.err)

    def test_records_that_were_changed(self):
        record = self.timed()
        with open(record.data / "report.html", "a") as file:
            file.write("\n")
        run, _ = self.profile(record, "--tool", "callgrind", expect=4)
        self.assertIn("not as it was sealed", run.err)


if __name__ == "__main__":
    unittest.main()
