#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Adds up CTest's JUnit files: names what failed and what was skipped, and ends with `N passed, N failed, N skipped`.

A test that CTest could not start (its executable was not built, a file or a fixture that it needs is missing) stands in the
file as skipped; here it has failed. Exit status 1 if anything failed or nothing passed, 2 if a file cannot be read.
"""

import argparse
import sys
import xml.etree.ElementTree

# What CTest writes for a test that decided itself to skip, or that was disabled in CMake.
CHOSEN = ("SKIP_RETURN_CODE", "SKIP_REGULAR_EXPRESSION", "Disabled")


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed", ""
    skipped = case.find("skipped")
    if skipped is None and case.get("status") == "run":
        return "passed", ""
    message = "" if skipped is None else skipped.get("message", "")
    if case.get("status") == "disabled" or message.startswith(CHOSEN):
        return "skipped", ""
    return "failed", f" (could not be started: {message or case.get('status')})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--failed", type=int, default=0, help="failures outside CTest to add, such as a broken build")
    parser.add_argument("--skipped", type=int, default=0, help="tests that were left out to add")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    counts = {"passed": 0, "failed": arguments.failed, "skipped": arguments.skipped}
    for file in arguments.files:
        try:
            cases = xml.etree.ElementTree.parse(file).getroot().iter("testcase")
        except (OSError, xml.etree.ElementTree.ParseError) as error:
            print(f"count_tests: cannot read {file}: {error}", file=sys.stderr)
            return 2
        for case in cases:
            result, why = outcome(case)
            counts[result] += 1
            if result != "passed":
                print(f"{result}: {case.get('name')}{why}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
