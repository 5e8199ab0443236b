#!/usr/bin/env python3
"""What is read of random programs, to the last register, tag and place, against tests/golden/lowered/random-LANGUAGE.txt.

`differ.py` holds verdicts against implementations; this sees what leaves the verdict as it was: a longer term, an instruction that
nobody needs, another place in a message. Each program is read as it is and with questions drawn from its places (comparisons of
places with numbers and with each other, joined by words, some of which are refused), and each of its lines changes in one word.

  listed.py --driver build/release/tests/fuzz/front_driver --language opencl|glsl|spirv [--count 48] [--promote] [--listings DIR]

A line of the record is a program and, for each question, a digest. --promote writes the record, after you have read what is
new: --listings writes what is behind each digest into a folder, so that two builds can be compared. Exit status 1 on a difference,
77 where clang-15 is missing."""

import argparse
import hashlib
import os
import random
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import differ  # noqa: E402
import kernels  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
FIRST = 770000  # no other test has these seeds
QUESTIONS = 8
CHANGED = {"opencl": 3, "glsl": 12, "spirv": 12}  # texts with a word changed, of each program or, in OpenCL C, of all that are compiled together
WORDS = ["0", "1", "2", "3", "7", "31", "32", "64", "255", "256", "65536", "4294967295", "+", "-", "<", "<=", "==", "!=", ">>", "&"]


def atom(r, places):
    left = r.choice(places) + r.choice([""] * 12 + [" + 1", " + 2", "[0]"])
    right = r.choice(places) if r.random() < 0.5 else str(r.choice([0, 1, -1, 5, 127, 128, 255, 256, -128, -129, 65535, 32768, 2**31, 2**32 - 1, 2**32, -2**31, 2**63, 2**64 - 1, -2**63]))
    sides = [left, right]
    r.shuffle(sides)
    return f"{sides[0]} {r.choice(['==', '!=', '<', '<=', '>', '>='])} {sides[1]}"


def question(r, places):
    text = atom(r, places)
    for _ in range(r.choice([0, 0, 1, 2])):
        text = f"{r.choice(['', '', 'not '])}({text}) {r.choice(['and', 'or'])} {atom(r, places)}"
    return f"{r.choice(['exists', 'forall', 'not exists'])} ({text})"


def kind(word):
    """Words of one kind stand in each other's place: names of one letter, instructions, numbers, signs."""
    if word[0].isdigit():
        return "number"
    return word[:2] if word[0] == "%" or word.startswith("Op") else word[0] if word[0].isalpha() else word if word in "(){}[];,." else "sign"


def changed(r, text):
    """The text with a word replaced by one of its kind, or, one time in five, doubled or gone; the first lines stay."""
    words = re.findall(r"%?\w+|\s+|[^\w\s]+", text)
    at = [n for n in range(20, len(words)) if not words[n].isspace()]
    n = r.choice(at)
    if r.random() < 0.2:
        words[n:n + 1] = r.choice([[], [words[n], " ", words[n]]])
    else:
        alike = sorted({words[k] for k in at if kind(words[k]) == kind(words[n])} | {w for w in WORDS if kind(w) == kind(words[n])})
        words[n] = r.choice([w for w in alike if w != words[n]] or ["x"])
    return "".join(words)


def batch(language, seeds):
    """Programs with their questions: what the driver is asked, and a name for each of its answers."""
    ending, together = differ.ENDING[language], differ.TOGETHER if language == "opencl" else 1
    head = kernels.OPENCL_HEAD if language == "opencl" else ""
    job, names = {"texts": [], "programs": []}, []
    for n in range(0, len(seeds), together):
        programs = [differ.make(language, s) for s in seeds[n:n + together]]
        whole = head + "".join(p.text() for p in programs)
        r = random.Random(f"listed {language} {seeds[n]}")
        for k in range(1 + CHANGED[language]):
            job["texts"].append(whole if k == 0 else head + changed(r, whole[len(head):]))
            for p in programs:
                places = [place for place, *_ in p.memory()[1]]
                asks = ["as written"] + [question(r, places) for _ in range(QUESTIONS)] if k == 0 else ["as written"]
                job["programs"].append({"text": len(job["texts"]) - 1, "file": f"k.{ending}", "entry": p.name if language == "opencl" else "",
                                        "grid": f"1.{p.lanes}.{p.groups}", "inputs": p.inputs(), "asks": asks})
                names.append(p.name + (f" changed {k}" if k else ""))
    return job, names


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--driver", required=True)
    p.add_argument("--language", choices=["opencl", "glsl", "spirv"], required=True)
    p.add_argument("--count", type=int, default=48)
    p.add_argument("--promote", action="store_true")
    p.add_argument("--listings", default="")
    a = p.parse_args()
    if a.language == "opencl" and not (os.environ.get("FENCEPOST_CLANG") or shutil.which("clang-15")):
        print("SKIPPED: clang-15 is missing")
        return 77
    job, names = batch(a.language, list(range(FIRST, FIRST + a.count)))
    found = []
    for name, said in zip(names, differ.ask_driver(a.driver, "list", job)):
        found.append(name + ": " + " ".join(hashlib.sha256(s.encode()).hexdigest()[:12] for s in said))
        if a.listings:
            Path(a.listings).mkdir(parents=True, exist_ok=True)
            (Path(a.listings) / (name.replace(" ", "-") + ".txt")).write_text("\n----\n".join(said))
    record = ROOT / "tests/golden/lowered" / f"random-{a.language}.txt"
    if a.promote:
        record.write_text("\n".join(found) + "\n")
    wanted = record.read_text().splitlines()
    wrong = [f"  {w.split(':')[0]}" for w, f in zip(wanted, found) if w != f]
    if len(wanted) != len(found):
        wrong.append(f"  {len(wanted)} in the record, {len(found)} read")
    if wrong:
        print(f"{record.relative_to(ROOT)}: read in another way:\n" + "\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
