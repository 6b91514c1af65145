# SPDX-License-Identifier: MIT
"""The command line on a GPU: subjects that break there, what is seen of others, source at run time, boundaries and timers."""

import json
import os
import pathlib
import shutil
import sys
import unittest

os.environ.setdefault("ASSAY_E2E_PROGRAM", os.environ["ASSAY_GPU_PROGRAM"])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from harness import EndToEnd, Record  # noqa: E402


class OnGpu(EndToEnd):
    program = os.environ["ASSAY_GPU_PROGRAM"]

    def run_problems(self, *problems, protocol="", looks=(8,), blocks=4, expect=None):
        file = self.experiment("", program=self.program, protocol=f'sample = "100us"\n{protocol}', looks=looks,
                               blocks=blocks)
        pattern = "^(" + "|".join(problems) + ")/"
        run = self.assay("run", file, "--device", "cuda", "--filter", pattern, timeout=300)
        if expect is not None:
            self.assertIn(run.status, expect, run)
        self.assay("verify", self.record().path, expect=0)
        return run

    def verdicts(self, candidate, problem):
        return [
            each["verdict"]
            for each in self.record().json("result.json")["comparisons"]
            if each["candidate"] == candidate and each["cell"].startswith(problem + "/")
        ]

    def flags(self, subject):
        return {
            flag
            for row in self.record().rows()
            if row["subject"] == subject and row["phase"] == "measure"
            for flag in row["flags"].split()
        }


class Faults(OnGpu):
    """Whoever breaks is named with the device's error, and nobody else loses anything."""

    def check_fault(self, problem, kind, *words):
        run = self.run_problems("checked", problem)
        failures = self.record().failures()
        blamed = [each for each in failures if each["subject"] == "breaks"]
        self.assertTrue(blamed, f"{failures}\n{run}")
        self.assertEqual({each["subject"] for each in failures}, {"breaks"}, failures)
        for failure in blamed:
            self.assertEqual(failure["kind"], kind, failure)
            for word in words:
                self.assertIn(word, failure["message"])
        for cells in ("checked", problem):
            verdicts = self.verdicts("also-well", cells)
            self.assertEqual(len(verdicts), 2)
            self.assertNotIn("invalid", verdicts, run)
        self.assertEqual(set(self.verdicts("breaks", problem)), {"invalid"})

    def test_illegal_address(self):
        self.check_fault("illegal-address", "device-lost", "CUDA_ERROR_ILLEGAL_ADDRESS")

    def test_misaligned_access(self):
        self.check_fault("misaligned", "device-lost", "CUDA_ERROR_MISALIGNED_ADDRESS")

    def test_failed_assertion(self):
        self.check_fault("assertion", "device-lost", "CUDA_ERROR_ASSERT")

    def test_too_much_shared_memory(self):
        self.check_fault("too-much-shared", "subject-error", "launches failed")

    def test_endless_kernel(self):
        self.check_fault("endless", "timed-out")

    def test_no_work(self):
        self.check_fault("nothing", "subject-error", "did nothing on the device")


class Seen(OnGpu):
    """What is not as it should be in an interval is told with the sample."""

    def test_work_that_left_the_queue(self):
        self.run_problems("other-queue")
        self.assertIn("left-queue", self.flags("breaks"))
        self.assertNotIn("left-queue", self.flags("well"))

    def test_a_subject_that_waits(self):
        self.run_problems("waits")
        self.assertTrue({"synchronises", "ungated"} <= self.flags("breaks"), self.flags("breaks"))
        self.assertFalse({"synchronises", "ungated"} & self.flags("well"))

    def test_a_subject_that_allocates(self):
        self.run_problems("allocates")
        self.assertIn("allocates", self.flags("breaks"))
        self.assertNotIn("allocates", self.flags("well"))

    def test_a_subject_whose_work_changes(self):
        self.run_problems("changing")
        self.assertIn("uneven-work", self.flags("breaks"))
        self.assertNotIn("uneven-work", self.flags("well"))

    def test_timers_agree_about_what_is_well(self):
        self.run_problems("checked")
        self.assertNotIn("timers-disagree", self.flags("well"))

    def test_the_device_says_what_it_did(self):
        self.run_problems("checked")
        self.assertTrue((self.record().data / "telemetry.csv").exists())
        kernels = self.record().rows("kernels.csv")
        self.assertTrue(kernels)
        self.assertTrue(all("doubled" in row["kernel"] for row in kernels), kernels[:3])


class Sources(OnGpu):
    def test_source_is_compiled_kept_and_measured(self):
        cache = self.directory / "cache"
        self.environment["ASSAY_CACHE_DIR"] = str(cache)
        run = self.run_problems("source")
        self.assertNotIn("invalid", self.verdicts("from-source", "source"), run)
        generated = self.record().json("generated/kernels.json")
        self.assertIn("twice", str(generated))
        self.assertTrue(list((self.record().data / "generated").glob("*.cubin")))
        self.assertTrue(list(cache.iterdir()))


@unittest.skipUnless("ASSAY_GPU_CUBLAS_PROGRAM" in os.environ, "there was no cuBLAS to link with when this was built")
class Libraries(OnGpu):
    """A call of cuBLAS as a subject, checked against the product in double."""

    program = os.environ.get("ASSAY_GPU_CUBLAS_PROGRAM")

    def check_product(self, dtype, candidate, boundary="device"):
        problem = f"gemm-{dtype}"
        run = self.run_problems(problem, protocol=f'boundary = ["{boundary}"]')
        record = self.record()
        self.assertEqual(record.failures(), [], run)
        checks = [check for check in record.json("checks.json")["results"] if check["kind"] != "gate-power"]
        self.assertTrue(checks, run)
        self.assertEqual([check for check in checks if check["applicable"] and not check["passed"]], [], run)
        self.assertEqual(len(self.verdicts(candidate, problem)), 3, run)
        self.assertNotIn("invalid", self.verdicts(candidate, problem), run)
        return run

    def test_f32_on_the_queue_and_without_memory_of_its_own(self):
        self.check_product("f32", "gemm-ex")
        for subject in ("sgemm", "gemm-ex"):
            self.assertFalse(self.flags(subject) & {"left-queue", "allocates", "launch-failed"}, self.flags(subject))
        self.assertTrue(self.record().rows("kernels.csv"))

    def test_bf16(self):
        self.check_product("bf16", "gemm-ex-again")

    def test_at_the_boundary_call(self):
        self.check_product("f32", "gemm-ex", "call")


class ColdStarts(OnGpu):
    """First calls, each in a process of its own, with what came before them apart."""

    def phases(self):
        found = {}
        for row in self.record().rows("startup.csv"):
            found.setdefault(row["process"], {})[row["phase"]] = row
        subjects = {row["process"]: row["subject"] for row in self.record().rows()}
        return [(subjects[process], rows) for process, rows in found.items()]

    def test_phases_of_linked_code_and_of_source(self):
        run = self.run_problems("source", protocol='boundary = ["cold-start"]\nmargin = 0.9')
        self.assertNotIn("invalid", self.verdicts("from-source", "source"), run)
        measured = [row for row in self.record().rows() if row["phase"] == "measure"]
        self.assertEqual(len({row["process"] for row in measured}), len(measured))
        self.assertEqual({(row["timer"], row["state"]) for row in measured}, {("host", "fresh")})
        for subject, rows in self.phases():
            for name in ("start", "driver", "context", "allocate", "call"):
                self.assertEqual(rows[name]["missing"], "", (subject, name))
                self.assertGreater(float(rows[name]["interval_ns"]), 0, (subject, name))
            wanted = "" if subject == "from-source" else "no-source"
            self.assertEqual({rows["compile"]["missing"], rows["load"]["missing"]}, {wanted}, subject)
        self.assertTrue(self.record().json("generated/kernels.json")["kernels"], "told by the process of the checks")

    def test_beside_calls(self):
        self.run_problems("checked", protocol='boundary = ["call", "cold-start"]')
        timers = {(row["boundary"], row["timer"]) for row in self.record().rows() if row["phase"] == "measure"}
        self.assertEqual(timers, {("call", "host"), ("cold-start", "host")})

    def test_a_subject_that_breaks_loses_its_cells_alone(self):
        run = self.run_problems("illegal-address", protocol='boundary = ["cold-start"]')
        self.assertEqual({each["subject"] for each in self.record().failures()}, {"breaks"}, run)
        self.assertEqual({each["kind"] for each in self.record().failures()}, {"device-lost"}, run)
        self.assertNotIn("invalid", self.verdicts("also-well", "illegal-address"), run)


class Boundaries(OnGpu):
    def test_each_boundary_has_processes_and_a_timer_of_its_own(self):
        self.run_problems("checked", protocol='boundary = ["device", "call"]')
        timers = {(row["boundary"], row["timer"]) for row in self.record().rows() if row["phase"] == "measure"}
        self.assertEqual(timers, {("device", "cupti"), ("call", "host")})
        rows = [row for row in self.record().rows("trials.csv") if row["trial"] == "1"]
        self.assertEqual({row["boundary"] for row in rows}, {"device", "call"})

    def test_events_without_the_profiler(self):
        self.run_problems("checked", protocol='timer = "events"')
        self.assertEqual({row["timer"] for row in self.record().rows() if row["phase"] == "measure"}, {"events"})
        self.assertFalse((self.record().data / "kernels.csv").exists())

    def test_states(self):
        self.run_problems("checked", protocol='state = ["warm", "cold", "write-flush"]')
        self.assertEqual({row["state"] for row in self.record().rows() if row["phase"] == "measure"},
                         {"warm", "cold", "write-flush"})


class Graphs(OnGpu):
    """The timer `graph`: the slope over copies of the call in a graph."""

    def by_graph(self, *problems, **more):
        return self.run_problems(*problems, protocol='timer = "graph"', **more)

    def test_equal_subjects_are_told_by_the_slope(self):
        run = self.by_graph("checked")
        rows = [row for row in self.record().rows() if row["phase"] == "measure"]
        self.assertEqual({row["timer"] for row in rows}, {"graph"})
        self.assertEqual(self.record().failures(), [], run)
        for subject in ("well", "also-well", "control"):
            self.assertFalse(self.flags(subject) & {"no-slope", "uneven-work", "gate-timeout"}, self.flags(subject))
        self.assertNotIn("invalid", self.verdicts("also-well", "checked"), run)
        self.assertFalse((self.record().data / "kernels.csv").exists())
        timers = {each["name"]: each for each in self.record().json("plan.json")["descriptions"][0]["timers"]}
        self.assertTrue(timers["graph"]["is_slope"])
        # A step from node to node costs something, and less than a pair of events.
        self.assertGreater(timers["graph"]["floor_ns"]["value"], 0, timers)
        self.assertIn("value", timers["graph"]["resolution_ns"], timers)

    def check_refused(self, problem, *words):
        run = self.by_graph("checked", problem)
        failures = self.record().failures()
        self.assertEqual({(each["subject"], each["kind"]) for each in failures}, {("breaks", "subject-error")}, f"{failures}\n{run}")
        for word in words:
            self.assertIn(word, failures[0]["message"])
        # Its queue serves the others, in this cell and the next ones.
        for cells in ("checked", problem):
            self.assertNotIn("invalid", self.verdicts("also-well", cells), run)
        self.assertEqual(set(self.verdicts("breaks", problem)), {"invalid"})

    def test_a_subject_that_waits_cannot_be_captured(self):
        self.check_refused("waits", "CUDA_ERROR_STREAM_CAPTURE", 'timer = "cupti" or "events"')

    def test_a_subject_that_allocates_cannot_be_captured(self):
        self.check_refused("allocates", "the subject said: cudaMalloc", 'timer = "cupti" or "events"')

    def test_work_on_another_queue_is_not_in_the_graph(self):
        self.check_refused("other-queue", 'timer = "cupti"')

    def test_no_work(self):
        self.check_refused("nothing", "did nothing on the device")

    def test_work_that_changes_from_call_to_call(self):
        self.by_graph("changing")
        self.assertIn("uneven-work", self.flags("breaks"))
        self.assertNotIn("uneven-work", self.flags("well"))

    def test_a_fault_in_a_graph_loses_the_device(self):
        self.by_graph("illegal-address")
        self.assertIn("device-lost", {each["kind"] for each in self.record().failures()})

    def test_source_is_captured_too(self):
        run = self.by_graph("source")
        self.assertNotIn("invalid", self.verdicts("from-source", "source"), run)

    def test_a_cold_slope_is_refused(self):
        file = self.experiment("", protocol='timer = "graph"\nstate = ["cold"]')
        run = self.assay("run", file, "--device", "cuda", "--filter", "^checked/", expect=4)
        self.assertIn("in the state 'cold' a sample is one call", run.err)


class Rotation(OnGpu):
    """The state `rotate`: inputs and outputs go around over copies."""

    def test_copies_go_around_and_are_checked(self):
        # 100 000 floats and as many again are 0.8 MB: too small for a large cache. The source problem compiles for each copy.
        cases = "[cases]\nn = [1000, 4000000]\n"
        file = self.experiment(cases, protocol='state = ["cold", "rotate"]', looks=(8,), blocks=4)
        run = self.assay("run", file, "--device", "cuda", "--filter", "^(checked|source)/", timeout=500)
        record = self.record()
        self.assertEqual(record.failures(), [], run)
        plan = record.json("plan.json")
        cache = plan["descriptions"][0]["device"]["last_level_cache_bytes"]["value"]
        self.assertIn("checked/n=1000/rotate/device", {left["what"] for left in plan["left_out"]})
        cells = {cell["cell"]: cell for cell in record.json("calibration.json")["cells"]}
        for problem in ("checked", "source"):
            rotation = cells[f"{problem}/n=4000000/rotate/device"]["rotation"]
            self.assertGreaterEqual((rotation["copies"] - 1) * 32_000_000, 3 * cache)
            self.assertEqual(rotation["bytes"], rotation["copies"] * 32_000_000)
        timed = [check for check in record.json("checks.json")["results"] if check["kind"] == "timed"]
        self.assertTrue(any("/rotate/" in check["detail"]["cell"] for check in timed), timed)
        self.assertTrue(all(check["passed"] for check in timed), timed)
        rows = [row for row in record.rows() if row["state"] == "rotate" and row["phase"] == "measure"]
        self.assertEqual({row["iterations"] for row in rows}, {"1"})


@unittest.skipUnless(shutil.which("ncu"), "there is no Nsight Compute (ncu) here")
class Counters(OnGpu):
    """Nsight Compute beside a timed record: what the kernels of a call count, in each state of the caches."""

    def test_bytes_and_hits_follow_the_state(self):
        self.run_problems("checked", protocol='state = ["warm", "cold"]')
        record = self.record()
        run = self.assay("profile", record.path, "--tool", "ncu", "--case", "n=100000", timeout=400)
        (path,) = [each for each in self.records() if each != record.path]
        companion = Record(path)
        rows = {
            (row["state"], row["subject"], row["metric"]): row
            for row in companion.rows("counters.csv")
            if row["launch"] == "0"
        }
        reasons = {row["missing"] for row in rows.values()}
        if "not-permitted" in reasons:
            self.skipTest("counters may not be read here")
        self.assertEqual(run.status, 0, run)
        self.assertEqual(reasons, {""}, run)
        value = {place: float(row["value"]) for place, row in rows.items()}
        input_bytes = 4 * 100000
        # Evicted: the input comes from memory. Warm: it is still in the cache, which is a hundred times as large.
        for subject in ("well", "also-well"):
            self.assertGreater(value["cold", subject, "dram__bytes_read.sum"], 0.9 * input_bytes, run)
            self.assertLess(value["warm", subject, "dram__bytes_read.sum"], 0.5 * input_bytes, run)
            self.assertGreater(value["warm", subject, "lts__t_sector_hit_rate.pct"],
                               value["cold", subject, "lts__t_sector_hit_rate.pct"], run)
        kernels = {row["kernel"] for row in companion.rows("counters.csv") if row["launch"] != "0"}
        self.assertTrue(all("doubled" in kernel for kernel in kernels), kernels)
        # Each metric once for the call, once for its one kernel: nothing of the warm-up or the eviction was counted.
        self.assertEqual({row["launch"] for row in companion.rows("counters.csv")}, {"0", "1"})
        self.assay("verify", path, expect=0)
        self.assay("verify", record.path, expect=0)


class Ceilings(OnGpu):
    """What the device reaches at most: each number is there and possible; no two times are held against each other."""

    def best(self, rows, key, rate):
        for row in rows:
            self.assertIn("best", row[rate], row)
            self.assertGreater(row[rate]["median"], 0, row)
            self.assertGreaterEqual(row[rate]["best"], row[rate]["median"], row)
        return {row[key]: row[rate]["best"] for row in rows}

    def test_doctor_measures_all_of_them_and_stores_nothing(self):
        run = self.assay("doctor", "--ceilings", "--device", "cuda", "--json", "ceilings.json", timeout=300)
        report = json.loads((self.directory / "ceilings.json").read_text())
        ceilings = report["machine"]["ceilings"]
        self.assertEqual(ceilings["cores"], [], ceilings)
        self.assertRegex(ceilings["instructions"], r"^sm_\d+$")
        self.assertEqual([level["name"] for level in ceilings["levels"]], ["L2", "memory"])
        rates = self.best(ceilings["bandwidths"], "kernel", "bytes_per_s")
        self.assertEqual(set(rates), {"read", "write", "copy", "triad"})
        self.assertTrue(all(row["way"] for row in ceilings["bandwidths"]), ceilings["bandwidths"])
        self.assertTrue(all(1e10 < rate < 1e14 for rate in rates.values()), rates)
        self.assertEqual([row["name"] for row in ceilings["calls"]], ["empty-kernel"])
        self.assertGreater(ceilings["calls"][0]["ns"]["best"], 0)
        arithmetic = {row["dtype"]: row for row in ceilings["compute"]}
        self.assertEqual(set(arithmetic), {"f32", "f64", "bf16"})
        peaks = self.best([arithmetic["f32"], arithmetic["f64"]], "dtype", "flop_per_s")
        self.assertTrue(all(1e10 < peak < 1e16 for peak in peaks.values()), peaks)
        self.assertIn("Stored:  nothing", run.out)
        self.assertEqual(report["file"], "")
        missing = arithmetic["bf16"]["flop_per_s"].get("missing")
        if missing in ("no-library", "not-supported"):
            self.assertEqual(run.status, 20, run)
            self.skipTest(f"bf16: {arithmetic['bf16']['flop_per_s']['detail']}")
        self.assertEqual(run.status, 0, run)
        self.assertGreater(self.best([arithmetic["bf16"]], "dtype", "flop_per_s")["bf16"], peaks["f32"])
        self.assertRegex(arithmetic["bf16"]["library"], r"^cuBLAS \d+\.\d+\.\d+$")

    def test_a_plan_has_them_and_each_subject_its_limits(self):
        self.run_problems("source")
        ceilings = self.record().json("plan.json")["ceilings"]["value"]
        self.best(ceilings["bandwidths"], "kernel", "bytes_per_s")
        compute = {row["dtype"]: row["flop_per_s"] for row in ceilings["compute"]}
        self.assertIn("best", compute["f32"])
        self.assertEqual(compute["f64"]["missing"], "not-asked")
        self.assertEqual(compute["bf16"]["missing"], "not-asked")
        for cell in self.record().json("result.json")["cells"]:
            for subject in cell["subjects"]:
                if not cell["cell"].startswith("source/") or not subject["valid"]:
                    continue
                limits = subject["limits"]
                self.assertEqual(limits["compute"]["value"]["at"], "f32", subject)
                self.assertGreater(limits["launch_ns"]["value"], 0, subject)


class Launches(OnGpu):
    """How blocks fill the device: 256 threads to a block, 4 and 391 blocks."""

    def launches(self, name):
        return {
            cell["cell"].split("/")[1]: subject["launches"]
            for cell in self.record().json("result.json")["cells"]
            for subject in cell["subjects"]
            if subject["subject"] == name and subject.get("launches")
        }

    def test_of_source_they_are_exact_and_of_others_at_least(self):
        run = self.run_problems("source")
        for name, is_exact in (("from-source", True), ("well", False)):
            launches = self.launches(name)
            self.assertEqual({case: launch[0]["grid"] for case, launch in launches.items()}, {"n=1000": 4, "n=100000": 391})
            for (launch,) in launches.values():
                self.assertEqual(launch["threads"], 256, launch)
                self.assertEqual(launch["is_exact"], is_exact, launch)
                self.assertGreater(launch["waves"]["value"], 0, launch)
                self.assertGreater(launch["resident_blocks"]["value"], 0, launch)
            self.assertEqual(launches["n=1000"][0]["filling"], {"value": "too-few-blocks"})
        self.assertIn("too few blocks to fill the device", run.out)

    def test_with_a_timer_that_sees_none_of_source_they_are_known(self):
        self.run_problems("source", protocol='boundary = ["call"]')
        self.assertTrue(self.launches("from-source"))
        self.assertEqual(self.launches("well"), {})


if __name__ == "__main__":
    unittest.main()
