#!/usr/bin/env python3
"""papers finds what is wrong with a document: each planted fault is named."""

import pathlib
import stat
import subprocess
import sys
import tempfile

PAPERS = pathlib.Path(__file__).resolve().parent / "papers"
HEAD = "1 items: {} by a command, {} by a unit test, {} by a page of results, {} not.\n\n| item | shown by | says |\n|---|---|---|\n"
CASES = [  # counts, row, part of the answer ("": right)
    ((1, 0, 0, 0), "| a | `fencepost x` | `one` |", ""),
    ((1, 0, 0, 0), "| a | `fencepost x` | `two` |", "does not print 'two'"),
    ((1, 0, 0, 0), "| a | `fencepost x` | nothing |", "nothing is said"),
    ((1, 0, 0, 0), "| a | `fencepost one` | `one` |", "whatever the command finds"),
    ((1, 0, 0, 0), "| a | `fencepost one` | `one`, `10 failed` |", ""),
    ((1, 0, 0, 0), "| a | `fencepost x` | `differ` |", "whatever the command finds"),
    ((1, 0, 0, 0), "| a | `fencepost x` | `0 failed` |", "does not print '0 failed'"),
    ((1, 0, 0, 0), "| a | `fencepost crash` | `one` |", "ends with 4"),
    ((0, 1, 0, 0), "| a | `test_cli ModelList.CommasOutsideOfBrackets` | b |", ""),
    ((0, 1, 0, 0), "| a | `test_cli ModelList.Commas` | b |", "there is no test"),
    ((0, 0, 1, 0), "| a | [page](results/page.md) | `rate 3` |", ""),
    ((0, 0, 1, 0), "| a | [page](results/page.md) | `rate 4` |", "does not say 'rate 4'"),
    ((0, 0, 1, 0), "| a | [page](results/none.md) | `rate 3` |", "missing"),
    ((0, 0, 0, 1), "| a | none | the device is not made any more |", ""),
    ((0, 0, 0, 1), "| a | none | |", "no reason"),
    ((0, 0, 0, 1), "| a | soon | later, perhaps |", "is not a command, test or page"),
    ((0, 1, 0, 0), "| a | `fencepost x` | `one` |", "the head should say"),
]

def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = folder / "program"
        program.write_text("#!/bin/sh\necho one\necho 10 failed\n[ \"$1\" != crash ] || exit 4\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        (folder / "results").mkdir()
        (folder / "results" / "page.md").write_text("rate 3\n")
        wrong = 0
        for counts, row, part in CASES:
            document = folder / "papers.md"
            document.write_text(HEAD.format(*counts) + row + "\n")
            done = subprocess.run([sys.executable, PAPERS, program, document], capture_output=True, text=True)
            if (done.returncode != 0) != bool(part) or part not in done.stdout:
                wrong += 1
                print(f"{row}\n  gives {done.returncode}: {done.stdout}{done.stderr}")
    print(f"{len(CASES)} documents, {wrong} wrong")
    return 1 if wrong else 0

sys.exit(main())
