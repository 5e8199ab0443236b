"""Every planted fault of tests/mutation/faults.txt still finds its line, so that `make mutate` tests what it says."""
import importlib.machinery
import importlib.util
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load_tool():
    loader = importlib.machinery.SourceFileLoader("mutate", str(ROOT / "tools" / "mutate"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
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


if __name__ == "__main__":
    import sys
    sys.dont_write_bytecode = True
    unittest.main()
