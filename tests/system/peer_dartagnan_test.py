#!/usr/bin/env python3
"""peer_dartagnan_test.py PROGRAM ROOT: bench/peer-dartagnan on a small checkout with a played peer: rows, times and answers are
read as they are printed, answers that differ are told, a peer that gives up counts with its limit, and without a checkout
nothing is measured, which is said."""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
RESOURCES = "dartagnan/src/test/resources"
TABLES = ["PTXv6_0", "PTXv7_5", "VULKAN", "VULKAN-NOCHAINS", "OPENCL", "VULKAN-DR", "VULKAN-DR-NOCHAINS", "OPENCL-DR",
          "PTXv6_0-Liveness", "PTXv7_5-Liveness", "VULKAN-Liveness-OBE"]
JAVA = """#!/usr/bin/env python3
import sys
for path in sys.argv:
    if path.endswith((".litmus", ".spvasm")):
        print(f"Test: {path}\\nResult: ANSWER\\nReason: x\\nDetails:\\n\\tE1 Time: none\\nTIME\\n")
"""
CLASS = """  programPath = getTestResourcePath("spirv/vulkan/basic/" + file);
    return Arrays.asList(new Object[][]{
                {"one.spvasm", 2, PASS},
                // {"away.spvasm", 2, PASS},
                {"absent.spvasm", 1, PASS},
                {"four.spvasm", 1, fair, PASS},
    });
    return builder.build(program, mcm, EnumSet.of(CAT_SPEC));
"""


def measured(peer, bin_folder, *options):
    env = dict(os.environ, PATH=f"{bin_folder}:{os.environ['PATH']}")
    done = subprocess.run([sys.executable, ROOT / "bench/peer-dartagnan", peer, "--build", PROGRAM.parent, "--json", *options],
                          capture_output=True, text=True, env=env)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout, done.stderr


def check(holds, *what):
    if not holds:
        sys.exit(f"peer_dartagnan_test: {what}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        peer, tools = Path(folder) / "peer", Path(folder) / "bin"
        (peer / RESOURCES / "spirv/vulkan/basic").mkdir(parents=True)
        (peer / "dartagnan/target").mkdir()
        (peer / "dartagnan/target/dartagnan.jar").touch()
        (peer / "litmus").mkdir()
        tools.mkdir()
        for table in TABLES:
            (peer / RESOURCES / f"{table}-expected.csv").write_text("// a comment, 1\n\n")
        for name in ("MP", "SB", "LB"):
            shutil.copy(ROOT / f"examples/ptx/{name}.litmus", peer / "litmus")
        (peer / RESOURCES / "PTXv7_5-expected.csv").write_text("litmus/MP.litmus,1\nlitmus/SB.litmus,1\n// litmus/LB.litmus,1\nlitmus/away.litmus,1\n")

        def plays(answer, time):
            java = tools / "java"
            java.write_text(JAVA.replace("ANSWER", answer).replace("TIME", time))
            java.chmod(java.stat().st_mode | stat.S_IXUSR)

        plays("PASS", "Time: 1:02 mins")
        code, out, err = measured(peer, tools, "--groups", "litmus", "--all")
        check(code == 0, code, out, err)
        group = out["results"][0]
        check(group["rows"] == group["both"] == 2 and group["different"] == [], group)
        check(group["theirs"] == 124 and group["least"][0][2] == 62, group)
        check(abs(group["least"][0][0] - 62 / group["least"][0][3]) < 1, group)

        plays("FAIL", "Time: 0.001 secs")
        code, out, err = measured(peer, tools, "--groups", "litmus", "--sample", "1")
        check(code == 1 and out["results"][0]["rows"] == 1 and len(out["results"][0]["different"]) == 1, code, out)
        check(out["results"][0]["under_20"] == 1, out)

        # Out of time: no Time line is printed.
        plays("INTERRUPTED", "")
        code, out, err = measured(peer, tools, "--groups", "litmus", "--timeout", "7")
        check(code == 0 and out["results"][0]["both"] == 2 and out["results"][0]["theirs"] == 14, code, out)

        plays("ERROR", "")
        code, out, err = measured(peer, tools, "--groups", "litmus")
        check(code == 0 and out["results"][0]["both"] == 0 and out["results"][0]["unanswered_by_theirs"] == 2, code, out)

        # Its own tables: answers otherwise than the table says are told, with what the test uses.
        for answer, wrong, silent in (("PASS", 0, 0), ("FAIL", 2, 0), ("ERROR", 2, 2)):
            plays(answer, "Time: 0.001 secs")
            code, out, err = measured(peer, tools, "--own-tables", "PTXv7_5", "--method", "lazy")
            check(code == (1 if wrong else 0) and f"answers {wrong} of 2 rows otherwise than its table ({silent} of them by no verdict)" in out
                  and "method lazy" in out and "ours 0 otherwise, 0 by no verdict" in out, code, out, err)
            check(out.count("[neither proxy fence nor alias]") == wrong, out)
        code, out, err = measured(peer, tools, "--own-tables", "PTX")
        check(code == 1 and "there is no table 'PTX'" in err, code, out, err)

        (peer / RESOURCES / "spirv/vulkan/basic/one.spvasm").write_text("; no module\n")
        java_class = peer / "dartagnan/src/test/java/com/dat3m/dartagnan/spirv/vulkan/basic/SpirvRacesTest.java"
        java_class.parent.mkdir(parents=True)
        java_class.write_text(CLASS)
        code, out, err = measured(peer, tools, "--groups", "spirv")
        check(code == 0 and out["results"][0]["rows"] == 1 and out["results"][0]["unanswered_by_ours"] == 1, code, out, err)

        code, out, err = measured(Path(folder) / "away", tools)
        check(code == 77 and out.startswith("SKIPPED:") and "Nothing was measured" in out, code, out)
        code, out, err = measured(peer, tools, "--groups", "litmos")
        check(code == 1 and "there is no group 'litmos'" in err, code, out, err)


if __name__ == "__main__":
    main()
