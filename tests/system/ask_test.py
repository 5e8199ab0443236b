#!/usr/bin/env python3
"""ask_test.py ASK PROGRAM ROOT: fencepost_ask, the program of the playground built for this machine, gives the answers of
`fencepost serve`: to 60 questions drawn by seed, to broken ones, and with the files that a command writes."""
import json
import random
import subprocess
import sys
from pathlib import Path

ASK, PROGRAM, ROOT = (Path(a).resolve() for a in sys.argv[1:4])
BROKEN = ["[]", "nonsense", '{"id":7}', '{"id":8,"arguments":"check"}', '{"id":9,"arguments":["run","x.litmus"]}', '{"id":10,"arguments":["check","-"]}',
          '{"id":11,"arguments":["check","x"],"files":{"../x":"PTX"}}', '{"id":13,"arguments":["check","x"],"colour":1}',
          '{"id":[1,{"a":2}],"arguments":["check","absent.litmus"],"files":{"y.litmus":"PTX"}}']


def draw(rng, number):
    progress = rng.random() < 0.2
    path = rng.choice(sorted((ROOT / "examples/progress").glob("*.axb")) if progress else sorted((ROOT / "examples/ptx").glob("*.litmus")))
    words = rng.choice([["progress", "check", "--model", "hsa", "--fairness", "weak"]] if progress else
                       [["check"], ["check", "--property", "races"], ["explain"], ["outcomes"], ["relax"], ["diff-models", "ptx-6.0", "ptx-7.5"], ["print"]])
    form = [] if words == ["print"] else rng.choice([[], ["--json"]])
    drawn = ["--witness", "picture.svg"] if words[0] in ("explain", "progress") and rng.random() < 0.7 else []
    return {"id": number, "arguments": [*words, *form, *drawn, path.name], "files": {path.name: path.read_text()}}


def steady(value):
    if isinstance(value, dict):
        return {k: steady(v) for k, v in value.items() if k not in ("seconds", "phases")}
    if isinstance(value, str):
        return "\n".join(line for line in value.split("\n") if not line.startswith("Time "))
    return [steady(v) for v in value] if isinstance(value, list) else value


def main():
    rng = random.Random(1)
    lines = [json.dumps(draw(rng, k)) for k in range(60)] + BROKEN
    ran = subprocess.run([PROGRAM, "serve", "--stdio"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    served = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(served) == len(lines), (len(served), len(lines))
    bad = pictures = 0
    for line, there in zip(lines, served):
        own = subprocess.run([ASK], input=line, capture_output=True, text=True)
        assert own.returncode == 0 and not own.stderr, (line[:200], own.returncode, own.stderr)
        here = json.loads(own.stdout)
        pictures += "</svg>" in here.get("files", {}).get("picture.svg", "")
        if steady(here) != steady(there):
            bad += 1
            print(f"{line[:300]}\n  ask:   {json.dumps(here)[:600]}\n  serve: {json.dumps(there)[:600]}")
    assert pictures >= 3, f"only {pictures} answers brought a picture"
    print(f"{len(lines)} questions, {bad} answered otherwise, {pictures} pictures")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
