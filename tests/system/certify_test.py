#!/usr/bin/env python3
"""certify_test FENCEPOST: `certify` from nothing to its answer on the devices that need no GPU.

What a processor shows is not certain, so the grade is not asked for; that the answer keeps its laws is:
  - the exit status is the grade's; nothing on these devices is FAIL;
  - an answer that stopped early is INCOMPLETE, the same command goes on, and no run is made twice;
  - the second answer of a finished suite has the same counts; the three forms say the same grade;
  - a store is judged unfinished as long as the suite is.
Devices that are not there are said to be skipped.
"""
import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

EXIT = {"PASS": 0, "FAIL": 1, "INCOMPLETE": 3}


def main():
    program = str(Path(sys.argv[1]).resolve())

    def run(*words, cwd):
        return subprocess.run([program, *map(str, words)], cwd=cwd, capture_output=True, text=True)

    def answer(*words, cwd):
        ran = run("certify", *words, "--json", cwd=cwd)
        assert ran.stdout, (words, ran.returncode, ran.stderr)
        said = json.loads(ran.stdout)
        assert ran.returncode == EXIT[said["grade"]], (words, ran.returncode, said["grade"])
        assert said["grade"] != "FAIL", said
        return said

    there = run("devices", cwd=".").stdout
    with tempfile.TemporaryDirectory() as folder:
        small = ["--families", "SB", "--most-mutants", "1"]

        # A budget that ends at once, then enough.
        words = ["--device", "reference", *small, "--budget", "6s"]
        cut = run("certify", *words, "--json", "--store", "cut.db", cwd=folder)
        first = json.loads(cut.stdout)
        assert first["grade"] == "INCOMPLETE", first["grade"]  # this device runs one instruction after the other
        again = answer(*words, "--store", "cut.db", cwd=folder)
        assert again["provenance"]["instances"] >= first["provenance"]["instances"]
        if not first["missing"]:
            assert again["provenance"]["instances"] == first["provenance"]["instances"], "a finished suite ran again"
        assert again["provenance"]["plan_hash"] == first["provenance"]["plan_hash"]

        hasty = run("certify", "--device", "reference", "--families", "SB,MP", "--budget", "1ms", "--json", "--store",
                    "hasty.db", cwd=folder)
        said = json.loads(hasty.stdout)
        assert said["grade"] == "INCOMPLETE" and hasty.returncode == 3, said["why"]
        if said["tests"]:
            judged = run("judge", "hasty.db", cwd=folder)
            assert judged.returncode == 3 and "not finished" in judged.stdout, judged.stdout

        # The forms.
        words = ["--device", "cpu", *small, "--budget", "4s", "--store", "cpu.db"]
        said = answer(*words, cwd=folder)
        if not said["missing"]:
            for name in ("c.html", "c.xml", "c.txt"):
                ran = run("certify", *words, "-o", name, cwd=folder)
                assert ran.returncode == EXIT[said["grade"]], (name, ran.returncode, ran.stderr)
                assert said["grade"] in ran.stderr, ran.stderr
            assert said["grade"] in (Path(folder) / "c.html").read_text()
            suite = xml.parse(Path(folder) / "c.xml").getroot()[0]
            passed = said["grade"] == "PASS"
            assert passed == (suite.get("errors") == "0" and suite.get("failures") == "0"), suite.attrib

        # A device and its host: beside the tests of the device those with threads of the host, under the model of both.
        words = ["--device", "cpu+host", "--families", "SB", "--most-mutants", "1", "--budget", "4s", "--store", "host.db"]
        said = answer(*words, cwd=folder)
        assert said["provenance"]["model"] == "ptx-8-x86", said["provenance"]
        placed = {t["test"][t["test"].rfind("@"):] for t in said["tests"] if "@" in t["test"]}
        assert placed == {"@01", "@H0_1"}, placed  # not @0_1, which asks for two devices

        for device in ("vulkan:0", "opencl:0"):
            if f"\n{device} " not in "\n" + there:
                print(f"{device}: not there, skipped")
                continue
            said = answer("--device", device, "--families", "MP", "--most-mutants", "0", "--budget", "2s", "--store",
                          device.replace(":", "") + ".db", cwd=folder)
            assert said["provenance"]["tests"] > 0
            assert said["grade"] == "INCOMPLETE", "without mutants nothing passes"

        # Mistakes.
        for words, code in ((["--device", "cudax"], 2), (["--device", 'a"b'], 2), (["--families", "XX"], 2),
                            (["--dialect", "GPU_PTX"], 3), (["--model", "no-such"], 2), (["--seed", str(2**63)], 2), (["--device", "reference+host"], 2),
                            (["--device", "reference+cpu"], 2), (["--device", "reference+"], 2),
                            (["--device", "cpu+host", "--model", "ptx-8", "--families", "CoRR"], 2)):
            ran = run("certify", *words, cwd=folder)
            assert ran.returncode == code and "error" in ran.stderr, (words, ran.returncode, ran.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
