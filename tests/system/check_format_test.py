"""tools/check_format must catch each fault that it promises to catch, and must pass a clean tree."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLEAN = "int f() { return 1; }\n"


class CheckFormat(unittest.TestCase):
    def run_on(self, text, path=None):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "src").mkdir()
            (Path(folder) / "src/a.cpp").write_text(text)
            shutil.copy(ROOT / ".clang-format", folder)
            env = dict(os.environ) if path is None else dict(os.environ, PATH=path)
            done = subprocess.run([sys.executable, ROOT / "tools" / "check_format", folder], capture_output=True, text=True, env=env)
            return done.returncode, done.stdout

    def test_wide_line(self):
        status, text = self.run_on("int f();\n// " + "word " * 30 + "\n")
        self.assertEqual(status, 1)
        self.assertIn("src/a.cpp:2: over 120 columns", text)

    def test_raw_strings_are_texts(self):
        status, text = self.run_on('const char* k = R"(\n' + "x" * 200 + '\n)";\n')
        self.assertIn(status, (0, 77), text)

    def test_layout(self):
        if not shutil.which("clang-format-19"):
            self.skipTest("clang-format-19 is not installed")
        self.assertEqual(self.run_on(CLEAN), (0, ""))
        status, text = self.run_on("int g();\nint   f( ) {return 1;}\n")
        self.assertEqual(status, 1)
        self.assertIn("src/a.cpp:2: clang-format lays this out otherwise", text)

    def test_without_the_tool_it_says_so(self):
        status, text = self.run_on(CLEAN, path="/nonexistent")
        self.assertEqual(status, 77)
        self.assertIn("SKIPPED", text)


if __name__ == "__main__":
    sys.exit(unittest.main())
