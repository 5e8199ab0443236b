#!/usr/bin/env python3
"""playground_contract_test.py ASK ROOT: what the page of the playground (playground/page.js) asks is answered in the form that it
reads, by the program that it is built from; without a browser and without WebAssembly.

  - each question of the page about each bundled example has an answer with the fields that the page reads;
  - pictures have the edges with names that the page shows, and explanations the places that it looks up;
  - models that the page lists are models of the program, and their files are in the bundle;
  - the reader of imports refuses a program that wants a function of ours."""
import importlib.machinery
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

ASK, ROOT = (Path(a).resolve() for a in sys.argv[1:3])


def tool():
    loader = importlib.machinery.SourceFileLoader("make_playground", str(ROOT / "tools/make_playground"))
    made = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_playground", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(made)
    return made


def ask(words, example):
    name = example["name"].split("/")[-1]
    question = {"id": 1, "arguments": [*words, name], "files": {name: example["text"]}}
    return json.loads(subprocess.run([ASK], input=json.dumps(question), capture_output=True, text=True, check=True).stdout)


def edges(edge):
    yield edge
    for below in edge.get("because", []):
        yield from edges(below)


def main():
    made = tool()
    brought = made.bundle()
    assert len(brought["examples"]) >= 80, len(brought["examples"])
    first = brought["examples"][0]
    assert first["name"] == "ptx/MP.litmus"

    listed = json.loads(subprocess.run([ASK], input='{"id":1,"arguments":["models"]}', capture_output=True, text=True, check=True).stdout)["output"]
    for model in brought["axiomatic"]:
        assert re.search(rf"(?m)^{re.escape(model['name'])} .*{re.escape(model['summary'][:40])}", listed), model
        assert f"/models/{model['name']}.cat" in brought["models"], model
    for model in brought["progress"]:
        assert ask(["progress", "check", "--model", model["name"], "--fairness", "weak"],
                   next(e for e in brought["examples"] if e["name"].endswith(".axb")))["status"] in (0, 1), model

    pictures = clauses = 0
    for example in brought["examples"][::4]:
        if example["name"].endswith(".axb"):
            answer = ask(["progress", "check", "--model", "hsa", "--fairness", "weak", "--witness", "picture.svg"], example)
            assert answer["status"] in (0, 1) and answer["output"], (example["name"], answer)
            pictures += "data-from=" in answer.get("files", {}).get("picture.svg", "")
            continue
        for words in (["check", "--budget", "60s"], ["explain", "--budget", "60s", "--witness", "picture.svg"]):
            answer = ask(words, example)
            assert answer["status"] in (0, 1, 3) and answer["output"] and "messages" in answer, (example["name"], words, answer)
            pictures += "data-from=" in answer.get("files", {}).get("picture.svg", "")
        for document in ask(["explain", "--budget", "60s", "--json"], example)["answers"]:
            for candidate in document.get("candidates", {}).get("list", []):
                for rejected in candidate["rejected_by"]:
                    for edge in (e for top in rejected["edges"] for e in edges(top)):
                        if "defined" in edge:
                            file, line = edge["defined"].rsplit(":", 1)
                            clauses += int(line) <= brought["models"][f"/models/{file}"].count("\n") + 1
    assert pictures >= 8 and clauses >= 50, (pictures, clauses)

    for verb in ("outcomes", "diff-models", "relax"):
        words = [verb, "ptx-6.0", "sc"] if verb == "diff-models" else [verb, "--budget", "60s"]
        answer = ask(words, first)
        assert answer["status"] in (0, 1) and answer["output"], (verb, answer)

    strange = bytes([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 17, 1, 3]) + b"env" + bytes([9]) + b"run_check" + bytes([0, 0])
    assert made.imports_of(strange) == [("env", "run_check", 0)], made.imports_of(strange)
    print(f"{len(brought['examples'])} examples, {pictures} pictures, {clauses} clauses")
    return 0


if __name__ == "__main__":
    sys.exit(main())
