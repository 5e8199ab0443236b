"""Every planted fault of tests/mutation/faults.txt still finds its line, so that `make mutate` tests what it says; and each
excuse of tools/plant is of one place that is there."""
import importlib.machinery
import importlib.util
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load_tool(name="mutate"):
    loader = importlib.machinery.SourceFileLoader(Path(name).name, str(ROOT / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Faults(unittest.TestCase):
    def test_every_fault_can_be_planted(self):
        tool = load_tool()
        faults = list(tool.mutations())
        self.assertGreaterEqual(len(faults), 40)
        for fault in faults:
            with self.subTest(fault=fault):
                text = tool.planted(*fault)
                self.assertIsNotNone(text)
                self.assertNotEqual(text, (ROOT / fault[0]).read_text())

    def test_every_excuse_is_of_a_place(self):
        excused = load_tool("plant/plant").excuses()
        self.assertGreaterEqual(len(excused), 10)
        for (file, function, text, fault), why in excused.items():
            with self.subTest(file=file, text=text):
                source = " ".join((ROOT / "src" / file).read_text().split())
                name, _, number = function.partition("#")
                self.assertIn(name.split("::")[-1] + "(", source)
                self.assertGreaterEqual(source.count(text), int(number or 1))
                self.assertNotEqual(text, fault)
                self.assertTrue(why)

    def test_an_excuse_is_of_one_fault(self):
        tool = load_tool("plant/plant")
        sites = {
            0: ["0", "a.cpp", "1", "less", "f", "x < y", "x <= y"],
            1: ["1", "a.cpp", "2", "less", "f", "x < y", "x <= y"],
            2: ["2", "a.cpp", "3", "branch", "f", "x < y", "false"],
            3: ["3", "a.cpp", "9", "less", "g", "x < y", "x <= y"],
        }
        keys = tool.keys(sites)
        self.assertEqual(len(set(keys.values())), 4)
        self.assertEqual(keys[1], ("a.cpp", "f#2", "x < y", "x <= y"))
        tool.check_excuses({keys[1]: "", ("b.cpp", "f", "x", "y"): ""}, set(keys.values()))
        with self.assertRaises(SystemExit):
            tool.check_excuses({("a.cpp", "f#3", "x < y", "x <= y"): ""}, set(keys.values()))


if __name__ == "__main__":
    import sys
    sys.dont_write_bytecode = True
    unittest.main()
