#!/usr/bin/env python3
"""racecheck_test.py FENCEPOST: what tools/racecheck/racecheck says of hazards in kernels that are verified, refuted and given
templates. 77, skipped: the program reads no kernels here."""
import csv
import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/racecheck/racecheck"
RIGHT = "//--blockDim=64 --gridDim=4\n__global__ void k(int *o) { o[64 * blockIdx.x + threadIdx.x] = 1; }\n"
WRONG = "//--blockDim=64 --gridDim=4\n__global__ void k(int *o) { o[0] = threadIdx.x; }\n"


def compare(fencepost, folder, text, hazard):
    file = folder / "k.cu"
    file.write_text(text)
    table = folder / "result.csv"
    with open(table, "w", newline="") as f:
        rows = csv.writer(f)
        rows.writerow(["file", "kernel", "symbol", "sizes", "variant", "hazard"])
        rows.writerow([file, "k", "_Z1kPi", "64,1,1,4,1,1", 0, hazard])
    return subprocess.run([TOOL, "--fencepost", fencepost, "compare", table], capture_output=True, text=True)


def main():
    fencepost = sys.argv[1]
    probe = subprocess.run([fencepost, "prove", "--help"], capture_output=True, text=True)
    if probe.returncode != 0:
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for text, hazard, code, says in [(RIGHT, "none", 0, "kernels with hazards: 0"), (RIGHT, "hazard", 1, "is verified"),
                                         (WRONG, "hazard", 0, "'fails': 1")]:
            done = compare(fencepost, folder, text, hazard)
            if "cannot read kernels" in done.stdout + done.stderr:
                return 77
            if done.returncode != code or says not in done.stdout:
                print(text, hazard, done.returncode, done.stdout, done.stderr)
                return 1
    loader = importlib.machinery.SourceFileLoader("racecheck", str(TOOL))
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("racecheck", loader))
    loader.exec_module(tool)
    letters = {"_Z1kPiPKfi": "pp4", "_Z5scaleIfLi128EEvPT_S0_m": "pf8", "_Z1kv": "-", "_Z1kN3foo3barE": None, "_Z1khPFvPiE": None}
    for symbol, wanted in letters.items():
        if tool.parameters(symbol) != wanted:
            print(symbol, tool.parameters(symbol), "and not", wanted)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
