#!/usr/bin/env python3
"""Random variants of Dartagnan's tests, asked of Dartagnan and of us: peer.py FENCEPOST DIR [options].

DIR is a checkout of github.com/hernanponcedeleon/Dat3M in which `mvn -DskipTests -pl dartagnan -am package` has been run.
A variant is a litmus test or SPIR-V module of theirs with 1 to 4 changes: scope, order, storage class, a fence away or
doubled, place, constant, two neighbours turned round. Properties: the condition, races, and termination under every
scheduler; models: the *-tables, which stand for their files.

Where both answer and the answers differ, a rule must say why (RULES: differences of intent, by what the test has and
what we say of it). What no rule explains is kept and fails. Nothing is explained by the name of a file.

Exit code 0: nothing unexplained; 1: something; 77: DIR is not there or not built.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys

SCHEDULERS = {"FAIR": "fair", "HSA": "hsa", "OBE": "obe", "HSA_OBE": "hsa_obe", "LOBE": "lobe", "UNFAIR": "unfair"}
LITMUS = {"PTX": (["ptx-v6.0", "ptx-v7.5"], "ptx"), "VULKAN": (["vulkan", "vulkan-nochains"], "vulkan"),
          "OPENCL": (["opencl"], "opencl")}
RESOURCES = "dartagnan/src/test/resources/spirv"


def ours_of(model):
    return re.sub(r"^ptx-v", "ptx-", model) + "-tables"


# ---- variants -----------------------------------------------------------------------------------------------------
def pick_match(rng, text, pattern, start=0):
    found = [m for m in re.finditer(pattern, text, re.M) if m.start() >= start]
    return rng.choice(found) if found else None


def put(text, match, new):
    return text[:match.start()] + new + text[match.end():]


WORDS = {
    "PTX": [(r"(?<=\.)(cta|gpu|sys)\b", ["cta", "gpu", "sys"]),
            (r"\b(ld|cold|tld|suld)\.(weak|relaxed\.\w+|acquire\.\w+)",
             ["{0}.weak", "{0}.relaxed.gpu", "{0}.acquire.gpu", "{0}.relaxed.cta", "{0}.acquire.sys"]),
            (r"\b(st|sust)\.(weak|relaxed\.\w+|release\.\w+)",
             ["{0}.weak", "{0}.relaxed.gpu", "{0}.release.gpu", "{0}.relaxed.cta", "{0}.release.sys"]),
            (r"\batom\.(relaxed|acquire|release|acq_rel)", ["atom.relaxed", "atom.acquire", "atom.release", "atom.acq_rel"]),
            (r"\bfence\.(acq_rel|sc)\b", ["fence.acq_rel", "fence.sc"])],
    "VULKAN": [(r"(?<=\.)(sg|wg|qf|dv)\b", ["wg", "qf", "dv", "sg"]),
               (r"(?<=\.)sc[01]\b", ["sc0", "sc1"]), (r"(?<=\.)semsc[01]\b", ["semsc0", "semsc1"]),
               (r"\.(semav|semvis)\b", [""]),
               (r"\bst\.atom\.rel\.(\w+)\.(sc\d)[.\w]*", ["st.atom.{0}.{1}", "st.av.{0}.{1}", "st.nonpriv.{1}"]),
               (r"\bst\.atom\.(wg|qf|dv)\.(sc\d)\b", ["st.atom.rel.{0}.{1}.semsc0", "st.atom.rel.{0}.{1}.semsc0.semav",
                                                       "st.av.{0}.{1}"]),
               (r"\bld\.atom\.acq\.(\w+)\.(sc\d)[.\w]*", ["ld.atom.{0}.{1}", "ld.vis.{0}.{1}", "ld.nonpriv.{1}"]),
               (r"\bld\.atom\.(wg|qf|dv)\.(sc\d)\b", ["ld.atom.acq.{0}.{1}.semsc0", "ld.atom.acq.{0}.{1}.semsc0.semvis",
                                                       "ld.vis.{0}.{1}"]),
               (r"\bmembar\.(acq_rel|acq|rel)\b", ["membar.acq", "membar.rel", "membar.acq_rel"])],
    "OPENCL": [(r"memory_scope_(work_group|device|all_svm_devices)",
                ["memory_scope_work_group", "memory_scope_device", "memory_scope_all_svm_devices"]),
               (r"(?<=atomic_load_explicit\()([^,]*), *memory_order_\w+",
                ["{0}, memory_order_relaxed", "{0}, memory_order_acquire", "{0}, memory_order_seq_cst"]),
               (r"(?<=atomic_store_explicit\()([^,]*, [^,]*), *memory_order_\w+",
                ["{0}, memory_order_relaxed", "{0}, memory_order_release", "{0}, memory_order_seq_cst"]),
               (r"(?<=atomic_work_item_fence\()([^,]*), *memory_order_\w+",
                ["{0}, memory_order_acquire", "{0}, memory_order_release", "{0}, memory_order_acq_rel",
                 "{0}, memory_order_seq_cst"])],
}
PLACES = {"PTX": r"(?<=cta )\d", "VULKAN": r"(?<=wg )\d", "OPENCL": r"(?<=wg )\d"}


def change_litmus(rng, kind, text):
    """One change, or the text itself where the draw does not fit."""
    body = text.index("}")
    end = max(text.rfind(q) for q in ("exists", "forall", "filter"))
    what = rng.choice(["word"] * 6 + ["place", "constant", "fence away", "fence twice", "turn"])
    if what == "word":
        pattern, words = rng.choice(WORDS[kind])
        m = pick_match(rng, text, pattern, body)
        return put(text, m, rng.choice(words).format(*m.groups())) if m else text
    if what == "place":
        m = pick_match(rng, text, PLACES[kind], body)
        return put(text, m, rng.choice("01")) if m else text
    if what == "constant":
        m = pick_match(rng, text, r"(?<=, )[12](?= *[|;,)])", body)
        return put(text, m, rng.choice("12")) if m and (end < 0 or m.start() < end) else text
    if kind == "OPENCL":
        m = pick_match(rng, text, r"^ *atomic_work_item_fence\([^;]*;\n", body)
        return put(text, m, "" if what != "fence twice" else m.group() * 2) if m else text
    rows = text.split("\n")
    code = [i for i, row in enumerate(rows) if "|" in row and row.rstrip().endswith(";") and "@" not in row]
    if not code:
        return text
    if what == "turn":
        i = rng.choice(code)
        j = rng.choice([k for k in code if abs(k - i) == 1] or [i])
        a, b = rows[i].rstrip().rstrip(";").split("|"), rows[j].rstrip().rstrip(";").split("|")
        column = rng.randrange(len(a))
        if len(a) != len(b) or re.search(r"LC|goto|\bb[a-z]{2}\b", a[column] + b[column]):
            return text
        a[column], b[column] = b[column], a[column]
        rows[i], rows[j] = "|".join(a) + ";", "|".join(b) + ";"
        return "\n".join(rows)
    m = pick_match(rng, text, r"(?<=[|;\n]) *(fence|membar|avdevice|visdevice)[^|;\n]*(?=[|;])", body)
    return put(text, m, " ") if m and what == "fence away" else text


VULKAN_SEMANTICS = {"load": [0, 66, 0x4042], "store": [0, 68, 0x2044], "rmw": [0, 66, 68, 72, 0x6048],
                    "fence": [66, 68, 72, 0x6048, 0x6148]}
OPENCL_SEMANTICS = {"load": [0, 514, 528], "store": [0, 516, 528], "rmw": [0, 514, 516, 520, 528],
                    "fence": [514, 516, 520, 528]}


def change_spirv(rng, kind, text):
    """Another scope or other semantics of an atomic operation or barrier, or another constant that is stored."""
    integer = re.search(r"^ *(%\S+) = OpTypeInt 32 [01]", text, re.M)
    m = pick_match(rng, text, r"^( *(?:%\S+ = )?Op(Atomic\w+|MemoryBarrier|ControlBarrier)) ([^\n]*)$")
    if not integer or not m or "CompareExchange" in m.group(2) or "Flag" in m.group(2):
        return text
    operands = m.group(3).split()
    op = {"AtomicLoad": "load", "AtomicStore": "store"}.get(m.group(2), "rmw" if "Atomic" in m.group(2) else "fence")
    scope = {"load": 2, "store": 1, "rmw": 2, "fence": 0 if m.group(2) == "MemoryBarrier" else 1}[op]
    if rng.random() < 0.4:
        at, value = scope, rng.choice([1, 2])
    else:
        at, value = scope + 1, rng.choice((VULKAN_SEMANTICS if kind == "vulkan" else OPENCL_SEMANTICS)[op])
    if len(operands) <= at:
        return text
    name = f"%drawn_{value}"
    operands[at] = name
    text = text[:m.start()] + m.group(1) + " " + " ".join(operands) + text[m.end():]
    if f"{name} = " not in text:
        line = text.index("\n", integer.start()) + 1
        text = text[:line] + f"{name} = OpConstant {integer.group(1)} {value}\n" + text[line:]
    return text


# ---- the two programs ---------------------------------------------------------------------------------------------
def theirs(peer, model, target, prop, scheduler, bound, files, work):
    """Answers by file: PASS, FAIL, UNKNOWN; nothing where there is none."""
    jar = os.path.join(peer, "dartagnan/target/dartagnan.jar")
    environment = dict(os.environ, DAT3M_HOME=peer, DAT3M_OUTPUT=os.path.join(work, "output"),
                       LD_LIBRARY_PATH=os.path.join(peer, "dartagnan/target/libs"))
    command = ["java", "-Xmx4g", "-jar", jar, os.path.join(peer, "cat", model + ".cat"), f"--target={target}",
               f"--property={prop}", "--method=eager", f"--bound={bound}", "--encoding.initializeRegisters=true",
               "--solver.z3.usePhantomReferences=true"]
    if prop == "termination":
        command.append(f"--modeling.progress={SCHEDULERS[scheduler]}")
    try:
        done = subprocess.run(command + files, capture_output=True, text=True, env=environment, timeout=20 * len(files) + 60)
        text = done.stdout
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode(errors="replace")
    return dict(re.findall(r"^Test: (\S+)\nResult: (\w+)", text, re.M))


def ours(program, model, prop, scheduler, bound, path, text):
    command = [program, "check", "--json", "--model", ours_of(model), "--bound", str(bound), "--budget", "10s",
               "--property", {"program_spec": "condition", "cat_spec": "races"}.get(prop, prop)]
    if prop == "termination":
        command += ["--progress", scheduler]
    if "_weak" in text and path.endswith(".litmus"):
        command.append("--no-spurious-failures")
    done = subprocess.run(command + [path], capture_output=True, text=True, timeout=120)
    if done.returncode == 4:
        return {"verdict": "internal error", "detail": done.stderr}
    try:
        answer = json.loads(done.stdout)
        return answer if "verdict" in answer else {"verdict": "refused", "detail": str(answer)}
    except ValueError:
        return {"verdict": "refused", "detail": done.stderr.strip().split("\n")[0]}


# ---- differences of intent ----------------------------------------------------------------------------------------
def at_barrier(case, mine):
    """An execution that waits at a barrier for ever is final for them, and none for us."""
    return case["property"] == "program_spec" and (mine.get("vacuous") or mine.get("beside", {}).get("blocks") == "yes")


def narrow_barrier(case, mine):
    """The scope of `cbar` is who waits for them; for us it is that of the memory, and the workgroup waits."""
    return case["kind"] == "VULKAN" and re.search(r"cbar\.[\w.]*\b(?:sg|qf|dv)\b", case["text"]) is not None


def lowest_thread(case, mine):
    """HSA's lowest thread is the lowest number for them, the lowest place for us."""
    if case["property"] != "termination" or case["scheduler"] not in ("HSA", "HSA_OBE", "LOBE"):
        return False
    places = [tuple(int(n) for n in reversed(re.findall(r"\d+", p)))
              for p in re.findall(r"P\d+ *@([^|;({\n]*)", case["text"])]
    return places != sorted(places)


def lone_filter(case, mine):
    """A filter without a condition loses executions for them."""
    return "filter" in case["text"] and not re.search(r"^ *(~? *exists|forall)", case["text"], re.M)


RULES = {"blocked at a barrier": at_barrier, "scope of cbar": narrow_barrier, "lowest thread": lowest_thread,
         "filter without condition": lone_filter}


# ---- a run --------------------------------------------------------------------------------------------------------
def sources(peer):
    out = collections.defaultdict(list)
    for kind in LITMUS:
        for folder, _, names in sorted(os.walk(os.path.join(peer, "litmus", kind))):
            out[kind] += [os.path.join(folder, n) for n in sorted(names) if n.endswith(".litmus")]
    for kind in ("vulkan", "opencl"):
        for folder, _, names in sorted(os.walk(os.path.join(peer, RESOURCES, kind))):
            out[kind] += [os.path.join(folder, n) for n in sorted(names) if n.endswith(".spvasm")]
    return out


def draw(rng, pool, kind):
    """A variant that differs from its source, or None."""
    with open(rng.choice(pool[kind]), encoding="utf-8", errors="replace") as file:
        source = file.read()
    if kind in LITMUS and "}" not in source:
        return None
    text = source
    for _ in range(rng.randint(1, 4)):
        text = change_litmus(rng, kind, text) if kind in LITMUS else change_spirv(rng, kind, text)
    return text if text != source else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fencepost")
    parser.add_argument("peer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--bound", type=int, default=2)
    parser.add_argument("--keep", default="disagreements")
    parser.add_argument("--work", default="/tmp")
    given = parser.parse_args()
    program, peer = os.path.abspath(given.fencepost), os.path.abspath(given.peer)
    if not given.peer or not os.path.exists(os.path.join(peer, "dartagnan/target/dartagnan.jar")):
        print(f"SKIPPED: no Dartagnan at '{given.peer}' (a checkout of Dat3M with dartagnan/target/dartagnan.jar; "
              "give PEER=DIR). Nothing was compared.")
        return 77
    pool = sources(peer)
    rng = random.Random(given.seed)
    work = os.path.join(os.path.abspath(given.work), f"fencepost-peer-{os.getpid()}")
    os.makedirs(work, exist_ok=True)
    count, agree, open_, refused, wrong = collections.Counter(), collections.Counter(), collections.Counter(), collections.Counter(), 0
    explained = collections.Counter()
    while sum(count.values()) < given.count:
        kind = rng.choice(["PTX", "PTX", "VULKAN", "VULKAN", "OPENCL", "OPENCL", "vulkan", "opencl"])
        models, target = LITMUS.get(kind, ([kind], kind))
        model = rng.choice(models)
        prop = rng.choice(["program_spec", "program_spec", "cat_spec", "termination"])
        if prop == "cat_spec" and target == "ptx":
            prop = "program_spec"
        scheduler = rng.choice(list(SCHEDULERS)) if prop == "termination" else ""
        batch = {}
        for i in range(4 * given.batch):
            text = draw(rng, pool, kind)
            if text is None or len(batch) == given.batch:
                continue
            path = os.path.join(work, f"v{i}" + (".litmus" if kind in LITMUS else ".spvasm"))
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            batch[path] = text
        answers = theirs(peer, model, target, prop, scheduler, given.bound, list(batch), work)
        for path, text in batch.items():
            what = f"{kind} {prop}"
            count[what] += 1
            mine = ours(program, model, prop, scheduler, given.bound, path, text)
            verdict = {"holds": "PASS", "fails": "FAIL"}.get(mine["verdict"])
            other = answers.get(path)
            if mine["verdict"] == "internal error":
                pass
            elif mine["verdict"] == "refused" or other in (None, "ERROR"):
                refused[what] += 1
                continue
            elif verdict is None or other not in ("PASS", "FAIL"):
                open_[what] += 1
                continue
            elif verdict == other:
                agree[what] += 1
                continue
            case = {"kind": kind, "property": prop, "scheduler": scheduler, "text": text}
            rule = next((name for name, holds in RULES.items() if holds(case, mine)), None)
            if rule is not None:
                explained[rule] += 1
                continue
            wrong += 1
            os.makedirs(given.keep, exist_ok=True)
            kept = os.path.join(given.keep, f"peer-{given.seed}-{wrong}" + os.path.splitext(path)[1])
            with open(kept, "w", encoding="utf-8") as file:
                file.write(text)
            print(f"{kept}: {model} {prop} {scheduler}: {mine['verdict']} {mine.get('detail', '')}, Dartagnan says {other}",
                  flush=True)
    for what in sorted(count):
        print(f"{what}: {count[what]} variants, {agree[what]} agree, {open_[what]} not decided by both, {refused[what]} not read by both")
    print(f"seed {given.seed}: {sum(count.values())} variants, {sum(agree.values())} agree, "
          f"{sum(explained.values())} explained ({', '.join(f'{r}: {n}' for r, n in sorted(explained.items())) or 'none'}), {wrong} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
