#!/usr/bin/env python3
"""Random OpenCL C kernels of one work-item: the final memory that gcc's program has against what `check` says.

For each kernel, `forall` of all final values must hold; for every third one, with one value changed, it must fail, and no execution may
raise a flag. Batches of kernels are compiled by gcc together.

  differ.py --program build/release/fencepost --count 1000 [--seed 1] [--keep DIR] [--jobs N]

Exit status 1 when something disagrees; the kernels are kept in DIR. 77 when gcc or clang-15 is missing."""

import argparse
import collections
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kernels import C_HEAD, OPENCL_HEAD, Kernel  # noqa: E402

SHARE = 0.05  # of programs, that each feature is to be in
PATIENCE = 100  # seconds for one answer
FLAGS = ["-O1", "-w", "-fwrapv", "-fno-strict-aliasing", "-std=gnu11"]


def expected(kernels, folder):
    """What gcc's program prints, by kernel: lists of (place, value)."""
    text = C_HEAD + "".join(k.text() + k.c_main() for k in kernels) + "int main(void) {\n"
    for n, k in enumerate(kernels):
        text += f'  printf("# {n}\\n"); run_{k.name}();\n'
    path = os.path.join(folder, "all.c")
    with open(path, "w") as f:
        f.write(text + "  return 0;\n}\n")
    subprocess.run(["gcc", *FLAGS, path, "-o", path + ".out"], check=True, timeout=300)
    out = subprocess.run([path + ".out"], check=True, capture_output=True, text=True, timeout=60).stdout
    values = []
    for line in out.splitlines():
        if line.startswith("#"):
            values.append([])
        else:
            values[-1].append(tuple(line.rsplit(" ", 1)))
    return values


def write(path, kernel, values):
    condition = " and ".join(f"{place} == {value}" for place, value in values)
    with open(path, "w") as f:
        f.write(kernel.headers() + f"// @Output: forall ({condition})\n" + OPENCL_HEAD + kernel.text())


def verdict(program, path, *options):
    try:
        r = subprocess.run([*program, *options, path], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return 3, f"{path}: no answer in {PATIENCE} s"
    return r.returncode, (r.stdout + r.stderr).strip()


def batch(args):
    first, count, program, keep = args
    bad, features, undecided = [], collections.Counter(), collections.Counter()
    folder = tempfile.mkdtemp(prefix="front")
    try:
        kernels = [Kernel(s, f"k{s}") for s in range(first, first + count)]
        values = expected(kernels, folder)
        for k, v in zip(kernels, values):
            features.update(k.features)
            seed = int(k.name[1:])
            path = os.path.join(folder, f"{k.name}.cl")
            write(path, k, v)
            code, said = verdict(program, path, "--bound", "20")
            wrong = ""
            if code == 3:
                undecided[said.split("\n")[0].split(": ", 1)[-1][:100]] += 1
            elif code != 0:
                wrong = "should hold: " + said
            elif seed % 3 == 0:
                r = random.Random(seed)
                n = r.randrange(len(v))
                changed = list(v)
                changed[n] = (v[n][0], str(int(v[n][1]) ^ 1))
                write(path, k, changed)
                code, said = verdict(program, path, "--bound", "20")
                if code not in (1, 3):
                    wrong = f"should fail, {v[n][0]} is {v[n][1]}: {said}"
                else:
                    code, said = verdict(program, path, "--bound", "20", "--races" if program[0].endswith("mini") else "--property=races")
                    if code not in (0, 3):
                        wrong = "should raise no flag: " + said
            if wrong:
                bad.append((k.name, wrong))
                if keep:
                    os.makedirs(keep, exist_ok=True)
                    shutil.copy(path, os.path.join(keep, f"{k.name}.cl"))
    finally:
        shutil.rmtree(folder)
    return bad, features, undecided, count


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--program", required=True)
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--keep", default="")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--batch", type=int, default=20)
    p.add_argument("--histogram", action="store_true")
    a = p.parse_args()
    if not shutil.which("gcc") or not (shutil.which("clang-15") or shutil.which("clang-14")):
        print("gcc or clang is missing")
        return 77
    program = a.program.split()
    if len(program) == 1 and not program[0].endswith("mini"):
        program.append("check")
    work = [(s, min(a.batch, a.seed + a.count - s), program, a.keep) for s in range(a.seed, a.seed + a.count, a.batch)]
    features, undecided, wrong, done = collections.Counter(), collections.Counter(), 0, 0
    with concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
        for bad, f, u, n in pool.map(batch, work):
            features.update(f)
            undecided.update(u)
            done += n
            wrong += len(bad)
            for name, why in bad:
                print(f"{name}: {why[:400]}", flush=True)
    print(f"{done} programs, {wrong} disagree, {sum(undecided.values())} undecided")
    for said, n in undecided.most_common(10):
        print(f"  undecided, {n}: {said}")
    if a.histogram:
        for name, n in sorted(features.items(), key=lambda x: -x[1]):
            print(f"  {name:20} {100 * n / done:5.1f} %{'' if n >= SHARE * done else '  too few'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
