# SPDX-License-Identifier: MIT
"""tools/check_layers.py against small trees with one planted violation each."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "check_layers.py"
LICENCE = "// SPDX-License-Identifier: MIT\n"

# A tree that breaks nothing.
SOUND = {
    "src/assay/base/CMakeLists.txt": "assay_module(base\n  HEADERS error.hpp\n  SOURCES json.cpp\n  LIBRARIES OpenSSL::Crypto)\n",
    "src/assay/base/error.hpp": LICENCE + "#include <string>\n",
    "src/assay/base/json.hpp": LICENCE + "#include <nlohmann/json.hpp>\n",
    "src/assay/base/json.cpp": LICENCE + '#include "assay/base/json.hpp"\n',
    "src/assay/device/CMakeLists.txt": "assay_module(device SOURCES cuda/device.cpp DEPENDS base)\n",
    "src/assay/device/cuda/device.cpp": LICENCE + "#include <cuda_runtime.h>\n",
    "src/assay/judge/CMakeLists.txt": "assay_module(judge SOURCES judge.cpp DEPENDS base stats record)\n",
    "src/assay/judge/judge.cpp": LICENCE + '#include "assay/stats/summary.hpp"\n#include "assay/base/json.hpp"\n',
    "src/assay/assay.hpp": LICENCE + '#include "assay/base/error.hpp"\n',
    "cli/main.cpp": LICENCE + '#include "assay/judge/judge.hpp"\n#include "cli/options.hpp"\n',
    "experiments/sum/sum.cpp": LICENCE + '#include <assay/assay.hpp>\n#include "sum.hpp"\n',
}


class CheckLayers(unittest.TestCase):
    def run_on(self, changes):
        with tempfile.TemporaryDirectory(prefix="assay layers ") as folder:
            for name, text in {**SOUND, **changes}.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True, check=False)

    def assert_refused(self, changes, *expected):
        result = self.run_on(changes)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for text in expected:
            self.assertIn(text, result.stdout)
        self.assertEqual(len(result.stdout.splitlines()), 1, result.stdout)

    def test_a_sound_tree_passes(self):
        result = self.run_on({})
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(result.stdout, "")

    def test_an_include_beyond_the_table_is_refused_with_what_is_allowed(self):
        self.assert_refused(
            {"src/assay/stats/summary.cpp": LICENCE + '\n#include "assay/record/reader.hpp"\n'},
            "src/assay/stats/summary.cpp:3:", "stats includes assay/record/reader.hpp", "allowed: base")

    def test_dependencies_are_direct_only(self):
        # run may see judge, and judge may see stats; run may not see stats.
        self.assert_refused({"src/assay/run/run.cpp": LICENCE + '#include "assay/stats/summary.hpp"\n'},
                            "src/assay/run/run.cpp:2:", "allowed: base, wire, experiment, record, env, judge")

    def test_base_sees_no_module(self):
        self.assert_refused({"src/assay/base/json.cpp": LICENCE + '#include "assay/stats/summary.hpp"\n'}, "allowed: base\n")

    def test_angle_brackets_are_includes_too(self):
        self.assert_refused({"src/assay/stats/a.cpp": LICENCE + "#  include <assay/env/cpu.hpp>\n"}, "src/assay/stats/a.cpp:2:")

    def test_text_in_a_raw_string_is_no_include(self):
        raw = 'const char* program = R"text(\n#include <assay/assay.hpp>\n)text";\n'
        self.assertEqual(self.run_on({"src/assay/run/run.cpp": LICENCE + raw}).returncode, 0)
        self.assert_refused({"src/assay/run/run.cpp": LICENCE + raw + '#include "assay/stats/summary.hpp"\n'},
                            "src/assay/run/run.cpp:5:")

    def test_modules_do_not_use_the_umbrella(self):
        self.assert_refused({"src/assay/run/run.cpp": LICENCE + '#include "assay/assay.hpp"\n'}, "umbrella")

    def test_an_unknown_module_is_refused(self):
        self.assert_refused({"src/assay/run/run.cpp": LICENCE + '#include "assay/util/x.hpp"\n'}, "no such module")

    def test_a_file_outside_the_modules_is_refused(self):
        self.assert_refused({"src/assay/util/x.cpp": LICENCE}, "src/assay/util/x.cpp:1:", "outside the modules")
        self.assert_refused({"src/assay/x.cpp": LICENCE}, "outside the modules")

    def test_our_headers_are_included_by_their_full_name(self):
        self.assert_refused({"src/assay/base/json.cpp": LICENCE + '#include "json.hpp"\n'}, "full name")

    def test_depends_beyond_the_table_is_refused(self):
        self.assert_refused(
            {"src/assay/judge/CMakeLists.txt": "assay_module(judge\n  SOURCES judge.cpp\n  DEPENDS base stats\n    run)\n"},
            "src/assay/judge/CMakeLists.txt:4:", "judge DEPENDS on run")

    def test_linking_a_module_by_hand_is_refused(self):
        module = "assay_module(judge SOURCES judge.cpp)\n"
        self.assert_refused({"src/assay/judge/CMakeLists.txt": module + "target_link_libraries(assay_judge PRIVATE assay_run)\n"},
                            "src/assay/judge/CMakeLists.txt:2:", "judge links run")
        self.assert_refused({"src/assay/judge/CMakeLists.txt": "assay_module(judge SOURCES judge.cpp LIBRARIES assay_run)\n"},
                            "judge links run")

    def test_comments_in_cmake_are_not_calls(self):
        self.assertEqual(self.run_on({"src/assay/judge/CMakeLists.txt": "# assay_module(judge DEPENDS run)\n"}).returncode, 0)

    def test_a_module_is_named_like_its_folder(self):
        self.assert_refused({"src/assay/judge/CMakeLists.txt": "assay_module(run SOURCES judge.cpp)\n"}, "named like its folder")

    def test_a_public_header_includes_no_library(self):
        self.assert_refused({"src/assay/base/error.hpp": LICENCE + "#include <fmt/format.h>\n"},
                            "src/assay/base/error.hpp:2:", "in a public header")

    def test_a_public_header_includes_no_internal_header(self):
        self.assert_refused({"src/assay/base/error.hpp": LICENCE + '#include "assay/base/json.hpp"\n'}, "in a public header")

    def test_a_public_header_includes_nothing_newer_than_cpp17(self):
        self.assert_refused({"src/assay/base/error.hpp": LICENCE + "#include <span>\n"}, "includes span")

    def test_the_umbrella_includes_public_headers_only(self):
        result = self.run_on({"src/assay/assay.hpp": LICENCE + '#include "assay/base/json.hpp"\n'})
        self.assertEqual(result.returncode, 1)
        self.assertIn("src/assay/assay.hpp:2:", result.stdout)

    def test_an_experiment_sees_what_a_user_sees(self):
        self.assert_refused({"experiments/sum/sum.cpp": LICENCE + "#include <assay/base/json.hpp>\n"}, "not a public header")

    def test_the_probe_sees_the_worker_alone(self):
        self.assert_refused({"probe/main.cpp": LICENCE + '#include "assay/record/writer.hpp"\n'}, "probe includes")

    def test_device_headers_stay_below_the_device_folders(self):
        for header in ["cuda_runtime.h", "cupti.h", "nvml.h", "CL/cl.h", "cooperative_groups.h"]:
            self.assert_refused({"src/assay/stats/a.cpp": LICENCE + f"#include <{header}>\n"}, "CUDA or OpenCL")
        self.assertEqual(self.run_on({"experiments/sum/sum.cu": LICENCE + "#include <cuda_bf16.h>\n"}).returncode, 0)

    def test_each_cpp_file_says_its_licence_first(self):
        for name in ["src/assay/base/json.cpp", "tests/base/json_test.cpp", "bench/loop.cpp"]:
            self.assert_refused({name: "\n" + LICENCE}, f"{name}:1:", "licence")

    def test_nothing_to_check_is_not_a_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(subprocess.run([sys.executable, TOOL, folder], capture_output=True, check=False).returncode, 2)


class Table(unittest.TestCase):
    def setUp(self):
        spec = importlib.util.spec_from_file_location("check_layers", TOOL)
        self.tool = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.tool)

    def test_a_module_depends_only_on_earlier_ones(self):
        seen = set()
        for module, allowed in self.tool.MODULES.items():
            self.assertEqual([m for m in allowed if m not in seen], [], module)
            seen.add(module)

    def test_what_works_from_files_reaches_no_device(self):
        def reach(module):
            found = {module}
            for other in self.tool.MODULES[module]:
                found |= reach(other)
            return found

        for module in ["stats", "record", "judge", "audit", "report", "exchange", "history"]:
            self.assertEqual(reach(module) & {"device", "measure", "run", "wire"}, set(), module)


if __name__ == "__main__":
    unittest.main()
