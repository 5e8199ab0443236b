"""tools/measure_house --check must fail for each thing that it is to notice, and must pass a clean tree."""
import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
CLEAN = {
    "src/ROOMS": "ground/base : \nlang/prog : \nlang/read : prog\nlogic/check : prog\n",
    "src/ground/base/text.h": "#pragma once\n" + "int t;\n" * 30,
    "src/lang/prog/test.h": '#pragma once\n#include "base/text.h"\n' + "int t;\n" * 30,
    "src/lang/read/read.h": '#pragma once\n#include "prog/test.h"\n' + "int t;\n" * 30,
    "src/logic/check/check.h": '#pragma once\n#include "prog/test.h"\n' + "int t;\n" * 30,
    "src/logic/check/check.cpp": '#include "check/check.h"\nvoid check() {}\n',
    "src/cli/main.cpp": "",
    "tests/a.cpp": "",
    "bench/a.cpp": "",
    "tools/walks": "walk litmus: fencepost check\nlang/read/read.h t text\nlogic/check/check.cpp check answer\n",
}
ROOMS = CLEAN["src/ROOMS"]


class MeasureHouse(unittest.TestCase):
    def run_on(self, changes, *more):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (CLEAN | changes).items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            tool = ROOT / "tools/measure_house"
            done = subprocess.run([tool, "--root", folder, *more], capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

    def refused(self, changes, sentence):
        status, text = self.run_on(changes, "--check")
        self.assertEqual(status, 1, text)
        self.assertIn(sentence, text)

    def test_clean_tree(self):
        # Four rooms of equal size: none could be below a fifth, so the smallest clean tree has six.
        rooms = ROOMS + "lang/more : \nlang/even : \n"
        extra = {"src/ROOMS": rooms, "src/lang/more/a.h": "int t;\n" * 32, "src/lang/even/a.h": "int t;\n" * 32}
        self.assertEqual(self.run_on(extra, "--check"), (0, ""))

    def test_arrow_that_runs_back_up(self):
        self.refused({"src/ROOMS": "lang/prog : base\nground/base : \nlang/read : prog\nlogic/check : prog\n"},
                     "floors: arrows that run back up: 1")

    def test_circles(self):
        self.refused({"src/lang/prog/more.h": '#include "read/read.h"\n'}, "circles of rooms: 1")
        self.refused({"src/ground/base/more.h": '#include "read/read.h"\n'}, "circles of floors: 1")
        self.refused({"src/lang/prog/a.h": '#include "prog/b.h"\n', "src/lang/prog/b.h": '#include "prog/a.h"\n'},
                     "circles of headers: 1")

    def test_grant_that_nothing_uses(self):
        self.refused({"src/ROOMS": ROOMS.replace("check : prog", "check : prog read")}, "grants that nothing uses: 1")

    def test_large_room(self):
        self.refused({"src/lang/prog/large.cpp": "int t;\n" * 700}, "share of the largest room, %")

    def test_long_line_and_long_file(self):
        self.refused({"src/lang/prog/a.cpp": "int " + "x" * 120 + ";\n"}, "lines over 120 columns: 1")
        self.refused({"src/lang/prog/a.cpp": "int t;\n" * 801}, "files over 800 lines of code that do not say why: 1")

    def test_second_loader(self):
        self.refused({"src/lang/prog/a.cpp": "auto t = kernel_ptx(k);\n", "src/lang/read/b.cpp": "auto t = kernel_ptx(k);\n"},
                     "places that print kernels for a device: 2")

    def test_copies_of_the_reader(self):
        copy = 'prog::Test parse(const std::string& text) {\n  auto t = read::parse_one(make_source("t", text));\n}\n'
        self.refused({f"tests/{n}.cpp": copy for n in range(20)}, "copies of the tests' reader of a text: 20")

    def test_stale_walk(self):
        walks = CLEAN["tools/walks"]
        self.refused({"tools/walks": walks + "logic/check/check.cpp gone answer\n"},
                     "walk litmus: src/logic/check/check.cpp has no gone")
        self.refused({"tools/walks": walks + "logic/none.cpp check answer\n"}, "there is no file src/logic/none.cpp")
        self.refused({"tools/walks": walks + "only two\n"}, "tools/walks:4: expected 'FILE FUNCTION FORM'")

    def test_stations_of_before(self):
        loader = importlib.machinery.SourceFileLoader("measure_house", str(ROOT / "tools/measure_house"))
        tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure_house", loader))
        loader.exec_module(tool)
        text = "walk w: c\na/x.cpp f text\n| b/y.cpp f text\n+ c/z.cpp g frame\nd/v.cpp h answer\n| -\n"
        self.assertEqual([row[0] for row in tool.read_walks(text, False)["w"]], ["a/x.cpp", "d/v.cpp"])
        self.assertEqual([row[0] for row in tool.read_walks(text, True)["w"]], ["b/y.cpp", "c/z.cpp"])

    def test_hops_and_conversions(self):
        status, text = self.run_on({})
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"walk litmus: hops +1\b")
        self.assertRegex(text, r"walk litmus: conversions +1\b")


if __name__ == "__main__":
    unittest.main()
