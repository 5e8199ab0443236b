#!/usr/bin/env python3
"""Whole programs under mutated files: `make fuzz-program`.

  whole_program.py PROGRAM [--runs 2000] [--seconds N] [--seed 1] [--jobs 1] [--save DIR] [--only KIND,...]
                   [--untrusted]

Every run draws a kind of file, one of the bundled files of that kind, one to six changes of it, a verb that reads such
files and options of that verb, and starts the program under a budget of one second. Whatever the file says, the program

  - ends by itself, with a status from 0 to 3: no signal, no internal error, no abort;
  - ends within 1.2 times its budget and a second (and what this machine is late: --slack);
  - says something where the status is not 0, and nothing that is not UTF-8 or an escape sequence;
  - with --json prints JSON, or nothing but errors;
  - writes nothing beside its outputs.

Changes: bytes, lines and words are dropped, doubled, exchanged, or taken from another file of the kind; numbers become
others that are near, large, negative or no numbers; the end is cut; brackets are left open. A run is a function of
seed and number: what fails is kept in --save and named by both.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
BUDGET = 1.0
WORD = re.compile(rb"[A-Za-z_%$.][\w.%$]*|\d+|\s+|.", re.S)
NUMBERS = [b"0", b"1", b"2", b"-1", b"255", b"65536", b"2147483647", b"2147483648", b"4294967295", b"18446744073709551615",
           b"18446744073709551616", b"99999999999999999999999", b"1e9", b"0x", b"0x7fffffffffffffff", b"nan", b""]
EITHER = ["--json"]

LITMUS = [["check"], ["check", "--property", "races"], ["check", "-p", "termination", "--bound", "auto"],
          ["check", "-e", "enumerate"], ["check", "-e", "both"], ["outcomes"], ["explain"], ["relax"], ["print"],
          ["check", "--bound", "3"], ["check", "-p", "termination", "--progress", "OBE"], ["emit"], ["expect"],
          ["outcomes", "-e", "enumerate"], ["diff-models", "ptx-6.0", "ptx-7.5"], ["lower", "scoped-c11-ptx"],
          ["run", "--device", "reference", "--iterations", "50"], ["refine", "FILE", "examples/thesis/SB.litmus"],
          ["refine", "examples/ptx/MP.litmus", "FILE"]]
SHADER = [["check"], ["check", "--property", "races"], ["check", "-p", "termination", "--bound", "auto"], ["outcomes"],
          ["explain"], ["print"], ["check", "--grid", "1.1.2"], ["relax"]]
PROVE = [["prove"], ["prove", "--profile=gpuverify"], ["prove", "--strict"], ["prove", "--blockDim=32", "--gridDim=2"],
         ["prove", "--local_size=32", "--num_groups=2"], ["prove", "--no-attack"]]
PROGRESS = [["progress", "check"], ["progress", "lts"], ["progress", "classify"], ["progress", "print"], ["progress", "account"],
            ["progress", "export"], ["progress", "run", "--device", "reference", "--iterations", "20"]]
CERTIFIED = [["check", "--certificate", "CERTIFICATE"], ["check", "--property", "races", "--certificate", "CERTIFICATE"]]
MODULE = SHADER + [["check", "--grid", "2.1.1"], ["outcomes", "--grid", "2.1.1"], ["audit", "--grid", "1.1.2", "--total-budget", "1s"],
                   ["audit", "--grid", "2.1.1", "--total-budget", "1s", "--format", "html"]]
KINDS = {  # kind: where its files are, their ending, commands; FILE stands for the changed file
    "litmus": ("examples", ".litmus", LITMUS + CERTIFIED),
    "host": ("tests/corpus/ptx-x86", ".litmus", LITMUS + CERTIFIED + [["run", "--device", "cpu+host", "--iterations", "5"]]),
    "module": ("examples/ptx-modules", ".ptx", MODULE),
    "lanes": ("tests/corpus/cuda-cpp", ".cu", MODULE + PROVE),
    "glsl": ("examples", ".comp", SHADER),
    "opencl-c": ("examples/opencl-c", ".cl", SHADER),
    "kernel-cl": ("examples/kernels", ".cl", PROVE),
    "kernel-cu": ("examples/kernels", ".cu", PROVE),
    "axb": ("examples", ".axb", PROGRESS),
    "progress": ("examples", ".progress", [["progress", "models"], ["progress", "check", "--models", "FILE",
                                                                   "examples/progress/ticket.axb"]]),
    "cat": ("models", ".cat", [["lint-model"], ["check", "-m", "FILE", "examples/thesis/SB.litmus"],
                               ["outcomes", "-m", "FILE", "examples/ptx/MP.litmus"],
                               ["diff-models", "FILE", "ptx-7.5", "examples/thesis/SB.litmus"]]),
    "map": ("examples", ".map", [["lower", "FILE", "examples/lowering/sb-seq-cst.litmus"]]),
    "plan": ("examples/campaigns", ".toml", [["campaign", "FILE", "--store", "STORE"]]),
    "csv": ("examples", ".csv", [["expect", "FILE", "--root", "."], ["stats"], ["report", "-o", "PAGE"]]),
    "log": ("examples", ".log", [["stats"], ["report", "-o", "PAGE"]]),
    "record": ("examples", ".rec", [["hunt"]]),
    "store": (None, ".db", [["judge"], ["stats"], ["stats", "--csv"], ["report", "-o", "PAGE"], ["merge", "STORE"], ["hunt", "report", "-o", "PAGE"]]),
}
MADE = [["campaign", "PLAN", "--store"], ["tune", "examples/thesis/SB.litmus", "--device", "reference", "--configurations", "2", "--budget", "200ms", "--store"],
        ["progress", "run", "examples/progress/ticket.axb", "--device", "reference", "--runs", "2", "--store"]]
CLOCKED = {"progress", "check", "refine", "outcomes", "explain", "relax", "diff-models", "lower", "emit", "expect", "campaign", "run", "lint-model"}

CONFINED = CLOCKED - {"campaign", "run"} | {"prove", "print", "stats", "report"}


def changed(rng, files, text):
    """One to six changes of a file."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3, 6))):
        how = rng.choice((3, 3, 3, 4, 4, 4, 2, 9, 10, 11, rng.randrange(12)))  # mostly such as leave a file that can be read
        words = WORD.findall(text) or [b" "]
        at = rng.randrange(len(words))
        if how == 0:
            del words[at]
        elif how == 1:
            words.insert(at, words[at] * rng.choice((1, 2, 40)))
        elif how == 2:
            other = rng.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        elif how == 3:
            other = WORD.findall(rng.choice(files).read_bytes()) or [b"x"]
            kept = [w for w in other if w[:1].isalpha() == words[at][:1].isalpha() and w.isdigit() == words[at].isdigit()]
            words[at] = rng.choice(kept or other)
        elif how == 4:
            places = [k for k, w in enumerate(words) if w.isdigit()] or [at]
            words[rng.choice(places)] = rng.choice(NUMBERS)
        elif how == 5:
            words = words[:at]
        elif how == 6:
            words.insert(at, rng.choice((b"(", b")", b"{", b"}", b"[", b"]", b'"', b"/*", b"\\", b"#", b"\0", b"\xff", b"\x1b[31m")))
        elif how == 7:
            raw = bytearray(text or b" ")
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
            words = [bytes(raw)]
        else:
            lines = text.split(b"\n")
            line, other = rng.randrange(len(lines)), rng.randrange(len(lines))
            if how == 8:
                del lines[line]
            elif how == 9:
                lines.insert(line, lines[other])
            elif how == 10:
                lines[line], lines[other] = lines[other], lines[line]
            else:
                theirs = rng.choice(files).read_bytes().split(b"\n")
                lines.insert(line, rng.choice(theirs))
            words = [b"\n".join(lines)]
        text = b"".join(words)
    return text


def change_store(rng, path):
    """One to three cells of a store become others, whatever its checksums say."""
    store = sqlite3.connect(path)
    tables = [name for (name,) in store.execute("select name from sqlite_master where type = 'table'")]
    for _ in range(rng.choice((1, 1, 2, 3))):
        table = rng.choice(tables)
        columns = [row[1] for row in store.execute(f"pragma table_info({table})")]
        column, row = rng.choice(columns), rng.choice(store.execute(f"select * from {table}").fetchall() or [None])
        if row is None:
            continue
        old = row[columns.index(column)]
        new = rng.choice((None, -1, 0, 1 << 62, 0.5, "", b"\xff", "\x1b[31m", "x" * 100000))
        if isinstance(old, str) and old and rng.random() < 0.7:
            at = rng.randrange(len(old))
            new = old[:at] + rng.choice(("", "0", "9" * 30, "{", '"', "\x1b", "<b>", "../", "\n")) + old[at + rng.randrange(3):]
        try:
            store.execute(f"update {table} set {column} = ? where " + " and ".join(f"{c} is ?" for c in columns), (new, *row))
        except sqlite3.Error:  # what the table does not take
            pass
    store.commit()
    store.close()


def limits():
    os.setsid()


class Fuzz:
    def __init__(self, args):
        self.args = args
        self.program = str(Path(args.program).resolve())
        self.home = tempfile.TemporaryDirectory(prefix="whole")
        self.kinds = {}
        for kind, (folder, ending, commands) in KINDS.items():
            if args.only and kind not in args.only.split(","):
                continue
            files = sorted(f for f in (TOP / folder).rglob("*" + ending) if f.stat().st_size < 64 << 10) if folder else self.stores()
            if files:
                self.kinds[kind] = (files, ending, commands)

    def stores(self):
        """Stores of a campaign, of tuning and of progress tests, made by the program."""
        made = []
        plan = Path(self.home.name) / "plan.toml"
        plan.write_text('name = "small"\ntests = ["%s/examples/thesis/SB.litmus"]\ndevices = ["reference"]\niterations = 1000\n' % TOP)
        for number, words in enumerate(MADE):
            path = Path(self.home.name) / f"{number}.db"
            subprocess.run([self.program] + [str(plan) if w == "PLAN" else w for w in words] + [str(path)], cwd=TOP, check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            made.append(path)
        return made

    def command(self, rng, kind, path, folder):
        files, _, commands = self.kinds[kind]
        words = list(rng.choice(commands))
        named = "FILE" in words
        words = [str(path) if w == "FILE" else os.path.join(folder, "s.db") if w == "STORE" else
                 os.path.join(folder, "p.html") if w == "PAGE" else os.path.join(folder, "cert") if w == "CERTIFICATE" else w for w in words]
        if words[0] in CLOCKED:
            words += ["--budget", f"{BUDGET:g}s"]
        elif words[0] == "prove":
            words += [f"--timeout={BUDGET:g}"]
        if self.args.untrusted and words[0] in CONFINED and words[1:2] != ["run"]:
            words.append("--untrusted")
        if rng.random() < 0.3 and words[0] not in ("emit", "report"):
            words += ["--format=json"] if words[0] == "prove" else EITHER
        return words if named else words + [str(path)]

    def run(self, number):
        """What is wrong with one run; None: nothing."""
        rng = random.Random(f"{self.args.seed} {number}")
        kind = rng.choice(sorted(self.kinds))
        files, ending, _ = self.kinds[kind]
        with tempfile.TemporaryDirectory(prefix="whole") as folder:
            home = Path(folder) / "in"
            home.mkdir()
            path = home / ("t" + ending)
            if kind == "store" and rng.random() < 0.8:
                path.write_bytes(rng.choice(files).read_bytes())
                change_store(rng, path)
            else:
                path.write_bytes(changed(rng, files, rng.choice(files).read_bytes()))
            words = self.command(rng, kind, path, folder)
            env = dict(os.environ, TMPDIR=folder, HOME=folder)
            begin = time.time()
            out = os.path.join(folder, "out")
            with open(out, "wb") as o, open(out + ".err", "wb") as e:
                child = subprocess.Popen([self.program] + words, stdin=subprocess.DEVNULL, stdout=o, stderr=e, cwd=TOP,
                                         env=env, preexec_fn=limits)
                try:
                    status = child.wait(60)
                except subprocess.TimeoutExpired:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
                    status = None
            spent = time.time() - begin
            said, errors = Path(out).read_bytes(), Path(out + ".err").read_bytes()
            wrong = self.judge(kind, words, status, spent, said, errors, sorted(os.listdir(folder)))
            if wrong is not None and self.args.save:
                to = Path(self.args.save)
                to.mkdir(parents=True, exist_ok=True)
                (to / f"{self.args.seed}-{number}{ending}").write_bytes(path.read_bytes())
            shown = " ".join(w if w != str(path) else f"{self.args.save or '.'}/{self.args.seed}-{number}{ending}" for w in words)
            return kind, status, None if wrong is None else f"run {number}: {wrong}\n  fencepost {shown}\n  {errors[-300:]!r}"

    def judge(self, kind, words, status, spent, said, errors, left):
        if status is None:
            return "did not end in 60 s"
        if status < 0:
            return f"ended by {signal.Signals(-status).name}"
        if status not in (0, 1, 2, 3):
            return f"status {status}"
        if words[0] in CLOCKED | {"prove", "audit"} and words[0] not in ("campaign", "expect") and spent > 1.2 * BUDGET + 1 + self.args.slack:
            return f"took {spent:.1f} s with a budget of {BUDGET:g} s"
        if status == 2 and not errors and not said:
            return "status 2 without a word"
        for stream in (said, errors):
            try:
                stream.decode()
            except UnicodeDecodeError:
                return "the output is not UTF-8"
            if b"\x1b" in stream:
                return "an escape sequence is printed"
        if ("--json" in words or "--format=json" in words) and said.strip():
            try:
                json.loads(said)
            except ValueError as e:
                return f"what was to be JSON is none: {e}"
        if kind not in ("plan", "csv", "log", "axb", "store") and [name for name in left if name != "cert"] != ["in", "out", "out.err"]:
            return f"something was left behind: {left}"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.0, help="no run begins later; the last line has how many began")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--slack", type=float, default=0.0, help="seconds that a busy machine may be late")
    parser.add_argument("--untrusted", action="store_true", help="ask with --untrusted where that can be")
    parser.add_argument("--save", default="")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    fuzz = Fuzz(args)
    counts, bad, done = {}, 0, 0
    end = time.time() + args.seconds if args.seconds > 0 else None

    def one(number):
        return None if end is not None and time.time() > end else fuzz.run(number)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for ran in pool.map(one, range(args.first, args.first + args.runs)):
            if ran is None:
                continue
            kind, status, wrong = ran
            done += 1
            counts[kind, status] = counts.get((kind, status), 0) + 1
            if wrong:
                bad += 1
                print(wrong, flush=True)
    for kind in sorted(fuzz.kinds):
        row = ", ".join(f"{s}: {n}" for (k, s), n in sorted(counts.items(), key=str) if k == kind)
        print(f"{kind:10} by status {row}")
    print(f"{done} runs, {bad} at fault")
    sys.exit(1 if bad else 0)


main()
