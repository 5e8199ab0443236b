#!/usr/bin/env python3
"""Random kernels: `fencepost prove` against an oracle of its own (oracle.py) and against `fencepost check`.

    hold.py FENCEPOST [--prover KERNEL_PROVER] [--seed N] [--count N] [--seconds S] [--jobs N] [--save DIR] [--check] [--json FILE]
            [--rows FILE]

With `--prover` (prover.cpp) a worker asks about all of its kernels in one process, which takes about half of the time.

Wrong is
  - `verified` where the oracle runs into a race or a divergent barrier,
  - `verified` where `check --property races` finds a race of the same text (flags, fences or scopes, under `opencl` and
    `cuda`, at most four threads; with --no-benign-tolerance, since the memory model knows no harmless race),
  - an internal error, or a text that is refused as bad input.
To be looked at, and counted apart, is `confirmed by a run` where the oracle sees nothing, since the oracle reads the
languages generously, and `verified` under a printed assumption that the oracle's run does not meet. A race that is `not
confirmed` is counted as `equal values` where the oracle sees one if writes of equal values are races; the seeds of the
others, of which the oracle sees nothing, are `alarms` in the file of --json.
`--check` asks about CUDA, and about OpenCL C where clang 15 and llvm-spirv-15 are there; how many were asked is printed.
A kernel that goes wrong is reduced and saved with its launch. Exit 1 when something is wrong, when a feature is in fewer
than 5 % of 400 kernels or more, or when fewer than a fifth of 40 kernels or more are verified or refuted.
"""
import argparse
import atexit
import concurrent.futures
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import draw  # noqa: E402
import oracle  # noqa: E402

PLACE = re.compile(r"/\S*/(?=k\.c[lu])")  # the folder of a kernel
RUNS = 16  # of the oracle for one kernel
ORDERING = {"flags", "locks", "last_groups", "mixed_atomics", "resets"}
UNREAD = {"copies", "pipelines", "named_barriers", "warps", "vectors", "casts", "mixed_atomics", "rows"}  # not read by `check`
OPENCL_IS_READ = all(shutil.which(x) for x in ("clang-15", "llvm-spirv-15"))  # by `check`
RIGHT, WRONG, LOOK = "right", "wrong", "look"


def call(words, seconds):
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=seconds, errors="replace")
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout + done.stderr


PROVER, SERVER = "", None  # the driver's path, and the driver of this worker


def prove(fencepost, words, path):
    if not PROVER:
        return call([fencepost, "prove", *words, path], 120)
    global SERVER
    if SERVER is None or SERVER.poll() is not None:
        SERVER = subprocess.Popen([PROVER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(SERVER.kill)
    try:
        print(json.dumps([*words, path]), file=SERVER.stdin, flush=True)
        code, text = json.loads(SERVER.stdout.readline())
    except (OSError, ValueError):
        SERVER.kill()
        return -1, "the driver ended"
    return code, text


def worker(prover):
    global PROVER
    PROVER = prover


def launch_words(kernel, any_size):
    cuda = kernel.language == "cu"
    local, groups = ("2,2" if kernel.uses_rows else str(kernel.local)), (f"{kernel.groups},1" if kernel.uses_rows else str(kernel.groups))
    if any_size:
        local, groups = ",".join("*" for _ in local.split(",")), ",".join("*" for _ in groups.split(","))
    bracket = (lambda x: f"[{x}]") if kernel.uses_rows else (lambda x: x)
    return [f"--{'blockDim' if cuda else 'local_size'}={bracket(local)}", f"--{'gridDim' if cuda else 'num_groups'}={bracket(groups)}",
            f"--kernel-args=k,{'*' if any_size else kernel.n}"]


def ask(fencepost, kernel, path, options):
    with open(path, "w") as f:
        f.write(kernel.kernel_text(kernel.language))
    return prove(fencepost, options, path)


class Answer:
    def __init__(self, code, text):
        self.code, self.text = code, text
        self.confirmed = "race (confirmed" in text or "defect (confirmed" in text
        self.assumes = "assumes that" in text
        # `check` begins with zeros.
        self.assumes_more = any("assumes that" in x and not x.endswith("is 0 when the kernel starts") for x in text.splitlines())
        self.kind = {0: "verified", 1: "refuted", 2: "rejected", 3: "not decided", None: "no answer"}.get(code, "internal error")
        if self.kind == "refuted":
            self.kind = "confirmed" if self.confirmed else "not confirmed"


def judge(answer, truth, zero):
    what = truth[0]
    if answer.kind in ("internal error", "rejected", "no answer") or (answer.kind not in ("verified", "confirmed", "not confirmed", "not decided")):
        return WRONG, answer.kind
    if answer.kind == "verified" and what != "none":
        return (LOOK, f"verified under an assumption, and {what}") if answer.assumes else (WRONG, f"verified, and {what}")
    if answer.kind == "confirmed" and what == "none":
        return LOOK, "confirmed, and nothing seen"
    return RIGHT, ""


def one(job):
    fencepost, seed, save, with_check = job
    kernel = draw.draw(seed)
    rng = draw.random.Random(seed ^ 0x5EED)
    benign = rng.random() < 0.7
    any_size = rng.random() < 0.15 and not kernel.uses_rows and kernel.local < 32
    options = launch_words(kernel, any_size) + ([] if benign else ["--no-benign-tolerance"]) + ["--timeout=5", f"--seed={seed % 1000 + 1}"]
    if rng.random() < 0.2:
        options.append("--no-attack")
    truth = oracle.truth(kernel, seed, RUNS, benign)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k." + kernel.language)
        answer = Answer(*ask(fencepost, kernel, path, options))
        if answer.kind == "confirmed" and truth[0] == "none" and not any_size:
            truth = oracle.truth(kernel, seed + 1, 3 * RUNS, benign)
        if answer.kind == "verified" and answer.assumes and truth[0] != "none" and not truth[2]:
            truth = oracle.truth(kernel, seed, RUNS, benign, True)
        how, why = judge(answer, truth, truth[2])
        if answer.kind == "not confirmed" and truth[0] == "none" and benign and oracle.truth(kernel, seed, RUNS, False)[0] != "none":
            truth = ("equal values", *truth[1:])  # a race but for values that happen to be equal
        if how == LOOK and "(volatile int*)" in kernel.kernel_text(kernel.language) and kernel.language == "cu":
            how = RIGHT  # volatile is not atomic to the guide, and is to the oracle
        if any_size and how == LOOK and answer.kind == "confirmed":
            how = RIGHT  # at another launch
        asked = None
        if with_check and (kernel.language == "cu" or OPENCL_IS_READ) and answer.kind == "verified" and kernel.features & ORDERING \
                and not kernel.features & UNREAD and kernel.local * kernel.groups <= 4 and not kernel.uses_rows:
            proof = answer
            if benign:
                proof = Answer(*ask(fencepost, kernel, path, options + ["--no-benign-tolerance"]))
            if proof.kind == "verified":
                code, text = call([fencepost, "check", "--property", "races", "--grid", f"1.{kernel.local}.{kernel.groups}",
                                   "--bound", "4", "--budget", "5s", "--input", f"n = {kernel.n}", path], 60)
                asked = "agrees" if code == 0 else "finds a race" if code == 1 else "does not decide"
                # `check` gives an array a length, and takes an index beyond it for undefined behaviour.
                if code == 1 and "beyond its array" in text:
                    asked, code = "index beyond its array", 0
                if code == 1 and "data-race" in text and not proof.assumes_more:
                    how, why = WRONG, "verified, and check finds a race"
                if code == 2:
                    how, why = LOOK, "check refuses the text: " + text.strip()[:200]
        if how != RIGHT and save:
            reduced = reduce(fencepost, kernel, seed, options, benign, why, path) if how == WRONG and "check" not in why else kernel
            store(save, reduced, seed, options, how, why, truth, answer)
    return kernel.language, sorted(kernel.features), answer.kind, truth[0], how, why, seed, asked, answer.text


def store(save, kernel, seed, options, how, why, truth, answer):
    os.makedirs(save, exist_ok=True)
    with open(os.path.join(save, f"{how}-{seed}.{kernel.language}"), "w") as f:
        f.write(f"// {why}; oracle: {truth[0]} {truth[1]}\n// {' '.join(options)}\n{kernel.kernel_text(kernel.language)}\n/*\n{answer.text}\n*/\n")


def smaller(body):
    """Bodies with one statement less, or one replaced by what it holds."""
    for i, node in enumerate(body):
        yield body[:i] + body[i + 1:]
        for inner in node.bodies:
            yield body[:i] + inner + body[i + 1:]
        for k, inner in enumerate(node.bodies):
            for less in smaller(inner):
                copy = draw.Node(node.make, *node.bodies)
                copy.bodies[k] = less
                yield body[:i] + [copy] + body[i + 1:]


def reduce(fencepost, kernel, seed, options, benign, why, path):
    progress, tries = True, 0
    while progress and tries < 150:
        progress = False
        for body in smaller(kernel.body):
            tries += 1
            if tries > 150:
                break
            before, kernel.body = kernel.body, body
            try:
                truth = oracle.truth(kernel, seed, RUNS, benign)
                same = (truth[0] != "none") or "verified" not in why
                if same:
                    same = judge(Answer(*ask(fencepost, kernel, path, options)), truth, truth[2])[1] == why
            except Exception:
                same = False  # a loop's variable is gone
            if same:
                progress = True
                break
            kernel.body = before
    return kernel


def some(jobs):
    return [one(job) for job in jobs]


def answers_of(pool, jobs, workers, end):
    """The answers in order; no new kernels after `end`. Enough are asked ahead that nobody waits for a slow one."""
    asked, at = deque(), 0
    while at < len(jobs) or asked:
        while at < len(jobs) and len(asked) < 16 * workers and (end is None or time.monotonic() < end):
            asked.append(pool.submit(some, jobs[at:at + 4]))
            at += 4
        if not asked:
            return
        yield from asked.popleft().result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fencepost")
    parser.add_argument("--prover", default="", help="build/release/tests/fuzz/kernel_prover")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first kernel of this seed")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0, help="no new kernels after so many seconds")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--save", default="")
    parser.add_argument("--json", default="", help="counts and seeds, written every 1,000 kernels and at the end")
    parser.add_argument("--rows", default="", help="a line for each kernel, written as it is answered")
    parser.add_argument("--check", action="store_true", help="ask `check` too")
    a = parser.parse_args()
    features, table, wrong, look, alarms, reasons, held = Counter(), Counter(), [], [], [], Counter(), Counter()
    jobs = [(a.fencepost, a.seed * 1000000 + a.first + n, a.save, a.check) for n in range(a.count)]
    begin, count, told = time.monotonic(), 0, 0

    def counts(ended):
        return {"seed": a.seed, "first": a.first, "kernels": count, "seconds": round(time.monotonic() - begin, 1), "ended": ended,
                "answers": {f"{k} and {t}": n for (k, t), n in sorted(table.items())}, "features": dict(features.most_common()),
                "against_check": {f"{l} {k}": n for (l, k), n in sorted(held.items())}, "not_decided": dict(reasons.most_common(20)),
                "wrong": wrong, "to_be_looked_at": look, "alarms": alarms}

    def write(ended):
        if a.json:
            with open(a.json + ".new", "w") as f:
                json.dump(counts(ended), f, indent=1)
            os.replace(a.json + ".new", a.json)

    rows = open(a.rows, "w", newline="", buffering=1) if a.rows else None
    lines = csv.writer(rows) if rows else None
    if lines:
        lines.writerow(["seed", "language", "features", "answer", "oracle", "judged", "why", "check"])
    with concurrent.futures.ProcessPoolExecutor(a.jobs, initializer=worker, initargs=(a.prover,)) as pool:
        for language, has, kind, truth, how, why, seed, asked, text in answers_of(pool, jobs, a.jobs, begin + a.seconds if a.seconds else None):
            count += 1
            if lines:
                lines.writerow([seed, language, " ".join(has), kind, truth, how, why, asked or ""])
            features.update(has)
            table[kind, truth] += 1
            held.update([(language, asked)] if asked else [])
            if kind == "not confirmed" and truth == "none":
                alarms.append((seed, sorted(has)))
            if how == WRONG:
                wrong.append((seed, why))
                print(f"wrong: seed {seed}: {why}", flush=True)
            if how == LOOK:
                look.append((seed, why))
                print(f"to be looked at: seed {seed}: {why}", flush=True)
            if kind == "not decided":
                reasons.update(PLACE.sub("", line.split("not decided: ", 1)[1].split(": ", 1)[-1]) for line in text.splitlines() if ": not decided: " in line)
            if count - told >= 1000:
                told = count
                print(f"{count} kernels in {time.monotonic() - begin:.0f} s, {sum(held.values())} of them asked of check: {len(wrong)} wrong, "
                      f"{len(look)} to be looked at", flush=True)
                write(False)
    write(True)
    print(f"{count} kernels: " + ", ".join(f"{k} and {t} {n}" for (k, t), n in sorted(table.items())))
    print("features: " + ", ".join(f"{f} {100 * n / count:.1f} %" for f, n in features.most_common()))
    print("not decided: " + "; ".join(f"{n} {r}" for r, n in reasons.most_common(8)))
    if held:
        print("against check: " + ", ".join(f"{l} {k} {n}" for (l, k), n in sorted(held.items())))
    decided = sum(n for (k, _), n in table.items() if k in ("verified", "confirmed", "not confirmed"))
    if count >= 40 and 5 * decided < count:
        print(f"only {decided} decided: is the library beside the program?")
        wrong.append((0, "nothing is decided"))
    rare = [f for f in set(draw.COMMON + draw.ONLY["cl"] + draw.ONLY["cu"]) if features[f] < 0.05 * count]
    if count >= 400 and rare:
        print("too rare: " + ", ".join(rare))
    print(f"{len(wrong)} wrong, {len(look)} to be looked at")
    sys.exit(1 if wrong or (count >= 400 and rare) else 0)


if __name__ == "__main__":
    main()
