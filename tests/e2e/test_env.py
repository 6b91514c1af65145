# SPDX-License-Identifier: MIT
"""`assay env`: what this machine is, and what differs between two environments."""

import json
import unittest

from harness import EndToEnd


class Environments(EndToEnd):
    def now(self):
        return json.loads(self.assay("env", "--json", expect=0).out)

    def test_every_fact_has_a_value_or_a_reason_and_a_source(self):
        text = self.assay("env", expect=0).out
        facts = 0
        for section, content in self.now().items():
            if not isinstance(content, dict):
                continue
            for fact, reading in content.items():
                facts += 1
                self.assertIn(fact, text)
                self.assertEqual(("value" in reading) + ("missing" in reading), 1, f"{section}.{fact}")
                self.assertTrue(reading["source"], f"{section}.{fact}")
        self.assertGreater(facts, 60)

    def test_a_record_holds_the_same_and_what_the_program_had_loaded(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        held = record.json("environment.json")
        now = self.now()
        self.assertEqual(held["machine_fingerprint"], now["machine_fingerprint"])
        for section, content in now.items():
            if isinstance(content, dict):
                self.assertEqual(list(held[section]), list(content))
        build = held["builds"][0]
        self.assertIn("libc.so.6", build["needed"]["value"])
        self.assertTrue(build["tools"]["value"])
        self.assertTrue(any("libc.so" in each["file"] for each in build["libraries"]["value"]), build["libraries"])

        diff = self.assay("env", "diff", record.path, expect=0)
        self.assertIn("builds.", diff.out)  # now there is no build
        said = json.loads(self.assay("env", "diff", record.path, record.path, "--json", expect=0).out)
        self.assertEqual(said["differences"], [])

    def test_what_changed_comes_in_the_order_of_how_much_it_matters(self):
        old = self.now()
        new = json.loads(json.dumps(old))
        new["load"]["load_1min"] = {"value": 77.0, "source": "a test"}
        new["cpu"]["model"] = {"value": "another", "source": "a test"}
        new["cpu"]["governor"] = {"value": "powersave", "source": "a test"}
        for name, content in (("old.json", old), ("new.json", new)):
            (self.directory / name).write_text(json.dumps(content))
        run = self.assay("env", "diff", self.directory / "old.json", self.directory / "new.json", "--json", expect=0)
        differences = json.loads(run.out)["differences"]
        self.assertEqual([each["fact"] for each in differences], ["cpu.model", "cpu.governor", "load.load_1min"])
        self.assertEqual([each["weight"] for each in differences], ["machine", "clocks", "moment"])
        text = self.assay("env", "diff", self.directory / "old.json", self.directory / "new.json", expect=0).out
        self.assertLess(text.index("cpu.model"), text.index("load.load_1min"))

    def test_what_is_no_environment_is_refused(self):
        for content in ("", "{", "[]", '{"format": "something/1"}', '{"format": 7}'):
            (self.directory / "bad.json").write_text(content)
            run = self.assay("env", "diff", self.directory / "bad.json", "now", expect=4)
            self.assertIn("bad.json", run.err)
        self.assertIn("expected a record", self.assay("env", "diff", self.directory / "none", expect=4).err)
        self.assay("env", "diff", expect=2)
        self.assay("env", "diff", "/dev/zero", expect=4)

    def test_verify_holds_it_against_its_fingerprint_and_the_plan(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        self.assay("verify", record.path, expect=0)
        file = record.data / "environment.json"
        honest = file.read_text()

        def said_after(change):
            environment = json.loads(honest)
            change(environment)
            file.write_text(json.dumps(environment))
            self.rebag(record)
            return self.assay("verify", record.path, expect=4).out

        self.assertIn("machine_fingerprint is", said_after(lambda e: e["cpu"].update(model={"value": "Another", "source": "x"})))
        self.assertIn("no machine_fingerprint", said_after(lambda e: e.pop("machine_fingerprint")))
        self.assertIn("has the SHA-256", said_after(lambda e: e["builds"][0]["sha256"].update(value="0" * 64)))
        self.assertIn("no builds", said_after(lambda e: e.pop("builds")))


if __name__ == "__main__":
    unittest.main()
