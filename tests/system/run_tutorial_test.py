"""The runner of documents must fail on a document that says something else than the program."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = Path(__file__).resolve().parent / "run_tutorial"


class RunTutorial(unittest.TestCase):
    def run_on(self, document, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "doc.md"
            path.write_text(document)
            done = subprocess.run([RUNNER, "/bin/sh", path, *options], capture_output=True, text=True)
            return done.returncode, done.stdout, path.read_text()

    def test_equal_output_passes(self):
        self.assertEqual(self.run_on("```console\n$ echo a; echo b\na\nb\n$ echo c\nc\n```\n")[0], 0)

    def test_other_output_fails_and_names_the_line(self):
        status, text, _ = self.run_on("words\n```console\n$ echo a\nb\n```\n")
        self.assertEqual(status, 1)
        self.assertIn("doc.md:3: $ echo a", text)

    def test_missing_and_surplus_lines_fail(self):
        self.assertEqual(self.run_on("```console\n$ echo a\n```\n")[0], 1)
        self.assertEqual(self.run_on("```console\n$ true\na\n```\n")[0], 1)

    def test_times_are_ignored(self):
        self.assertEqual(self.run_on("```console\n$ echo took 0.52 s and 17 ms\ntook 3 s and 1.5 ms\n```\n")[0], 0)
        self.assertEqual(self.run_on("```console\n$ echo 17 tests\n18 tests\n```\n")[0], 1)

    def test_dots_stand_for_any_lines(self):
        self.assertEqual(self.run_on("```console\n$ seq 9\n1\n...\n8\n9\n```\n")[0], 0)
        self.assertEqual(self.run_on("```console\n$ seq 9\n1\n...\n7\n9\n```\n")[0], 1)

    def test_exit_status(self):
        self.assertEqual(self.run_on("```console\n$ exit 2\n[exit 2]\n```\n")[0], 0)
        self.assertEqual(self.run_on("```console\n$ exit 3\n[exit 2]\n```\n")[0], 1)
        self.assertEqual(self.run_on("```console\n$ exit 2\n```\n")[0], 1)
        self.assertEqual(self.run_on("```console\n$ exit 1\n```\n")[0], 0)

    def test_files_of_the_document(self):
        self.assertEqual(self.run_on("```file sub/a.txt\nhello\n```\n```console\n$ cat sub/a.txt\nhello\n```\n")[0], 0)

    def test_a_document_without_commands_fails(self):
        self.assertEqual(self.run_on("nothing\n")[0], 1)

    def test_promote_writes_what_is_printed(self):
        _, _, text = self.run_on("```console\n$ echo a\nb\n$ seq 3\n1\n...\n```\nafter\n", "--promote")
        self.assertEqual(text, "```console\n$ echo a\na\n$ seq 3\n1\n...\n```\nafter\n")


if __name__ == "__main__":
    sys.exit(unittest.main())
