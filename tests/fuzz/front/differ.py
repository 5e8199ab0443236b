#!/usr/bin/env python3
"""Random programs: the memory that real implementations leave, against what `check` says, and what the interpreter of `prove` does.

For each program, `forall` of all final values must hold; for every third one, with one value changed, it must fail, and for every
sixth no execution may raise a flag. Programs are run in batches: by the host compiler, by every OpenCL and Vulkan device that
is there (PoCL, Intel's runtime, lavapipe), and then by `check`, many in one process. Where implementations differ from each other,
at most in one program of a hundred, `check` is held to the host's compiler; differences that are a known defect of a device
(`excuse`) are counted apart.

  differ.py --driver build/release/tests/fuzz/front_driver --language opencl|glsl|spirv|cuda --count 1000
            [--seed 1] [--keep DIR] [--jobs N] [--histogram] [--against check|interpreter] [--opencl DIR] [--save DIR]
            [--patience SECONDS] [--state FILE]
  differ.py --driver build/release/tests/fuzz/front_driver --replay FILE...

Most questions take some hundredths of a second, a few take a minute: a question that takes more than --patience
seconds of processor time is undecided, and the program is not counted among those that agree. With --state a run that was ended
goes on where it was.

`--opencl DIR` is where a further OpenCL implementation was installed (the folder that holds lib/libintelocl.so, as pip puts the
packages intel-opencl-rt and intel-cmplr-lib-rt there). What is not installed is said in a line that begins with SKIPPED.

Exit status 1 when something disagrees, the programs are then in DIR; 1 too when a feature is in too few programs (--histogram);
77 when a compiler is missing."""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cuda_cpp  # noqa: E402
import kernels  # noqa: E402
import typed  # noqa: E402

SHARE = 0.05  # of programs, that each feature is to be in
TOGETHER = 8  # kernels of one OpenCL C text: compiling costs a text, reading costs all its kernels for each of them
HOST_FLAGS = ["-w", "-Wno-psabi", "-fwrapv", "-fno-strict-aliasing"]
DEVICES = {"opencl": "opencl", "glsl": "vulkan", "spirv": "vulkan", "cuda": None}
ENDING = {"opencl": "cl", "glsl": "comp", "spirv": "spvasm", "cuda": "cu"}


def make(language, seed):
    if language == "cuda":
        return cuda_cpp.Kernel(seed, f"k{seed}")
    return kernels.Kernel(seed, f"k{seed}") if language == "opencl" else typed.Program(language, seed, f"k{seed}")


def ask_driver(driver, mode, job, environment=None, limit=1500):
    command = [os.path.join(os.path.dirname(driver), "front_interpreter")] if mode == "interpret" else [driver, mode]
    done = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, timeout=limit, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"front_driver {mode}: status {done.returncode}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout.strip().split("\n")[-1])


def by_host(language, programs, folder):
    """What the host compiler's program prints: for each program a list of (place, value)."""
    as_c = language in ("opencl", "cuda")
    head = kernels.C_HEAD if as_c else typed.CPP_HEAD
    text = head + "".join(p.host_text() for p in programs) + "int main(void) {\n"
    for n, p in enumerate(programs):
        text += f'  printf("# {n}\\n"); run_{p.name}();\n'
    path = os.path.join(folder, "all.c" if as_c else "all.cpp")
    with open(path, "w") as f:
        f.write(text + "  return 0;\n}\n")
    command = ["gcc", "-O0", "-std=gnu11"] if as_c else ["g++", "-O0", "-std=c++17"]
    subprocess.run([*command, *HOST_FLAGS, path, "-o", path + ".out"], check=True, timeout=3000)
    out = subprocess.run([path + ".out"], check=True, capture_output=True, text=True, timeout=600).stdout
    values = []
    for line in out.splitlines():
        if line.startswith("#"):
            values.append([])
        else:
            values[-1].append(tuple(line.rsplit(" ", 1)))
    return values


def launched(language, programs):
    """The modules of a batch, as the driver runs them."""
    def kernel(p):
        return {"name": p.name, "lanes": p.lanes, "groups": p.groups, "buffers": [bytes(b).hex() for b in p.memory()[0]]}
    if language == "opencl":
        text = "// options: -cl-std=CL3.0\n" + kernels.OPENCL_HEAD + "".join(p.text() for p in programs)
        return [{"language": language, "text": text, "kernels": [kernel(p) for p in programs]}]
    return [{"language": language, "text": p.text(), "kernels": [kernel(p)]} for p in programs]


def read_back(program, buffers):
    """(place, value) of each scalar in the buffers that a device left."""
    out = []
    for place, b, at, size, sign in program.memory()[1]:
        raw = bytes.fromhex(buffers[b])[at:at + size]
        out.append((place, str(int.from_bytes(raw, "little", signed=sign))))
    return out


def asked(program, values, seed):
    """The questions about one program, and the answers that they must get."""
    condition = "forall ({})"
    asks = [(condition.format(" and ".join(f"{p} == {v}" for p, v in values)), "holds")]
    if seed % 3 == 0:
        r = random.Random(seed)
        n = r.randrange(len(values))
        changed = list(values)
        changed[n] = (values[n][0], str(int(values[n][1]) ^ 1))
        asks.append((condition.format(" and ".join(f"{p} == {v}" for p, v in changed)), "fails"))
    if seed % 6 == 1:
        asks.append(("races", "holds"))
    return asks


def by_check(a, programs, values):
    """For each program the questions, the answers due, and the answers."""
    together = TOGETHER if a.language == "opencl" else 1
    head = {"opencl": kernels.OPENCL_HEAD, "cuda": cuda_cpp.HEAD}.get(a.language, "")
    texts = [head + "".join(p.text() for p in programs[n:n + together]) for n in range(0, len(programs), together)]
    job = {"texts": texts, "programs": [], "patience": a.patience}
    ending = ENDING[a.language]
    questions = []
    for n, (p, v) in enumerate(zip(programs, values)):
        asks = asked(p, v, int(p.name[1:]))
        questions.append(asks)
        job["programs"].append({"text": n // together, "file": f"{p.name}.{ending}",
                                "entry": p.name if a.language == "opencl" else "", "grid": f"1.{p.lanes}.{p.groups}",
                                "inputs": p.inputs(), "asks": [q for q, _ in asks], "bound": 20})
    try:
        answers = ask_driver(a.driver, "check", job)
    except (RuntimeError, subprocess.TimeoutExpired) as e:
        if len(programs) == 1:
            return [[(q, due, f"ended: {e}") for q, due in questions[0]]]
        return [by_check(a, [p], [v])[0] for p, v in zip(programs, values)]  # which one ends it?
    if a.save:
        save(a, programs[0].name[1:], job, [[due for _, due in asks] for asks in questions], answers)
    return [[(q, due, got) for (q, due), got in zip(asks, said)] for asks, said in zip(questions, answers)]


def save(a, first, job, due, answers):
    """Keeps the programs of a batch that were decided as they should be, for --replay."""
    kept = [n for n, (wanted, got) in enumerate(zip(due, answers)) if wanted == got]
    small = {**job, "programs": [job["programs"][n] for n in kept],
             "patience": 20 * a.patience}  # who asks again may run a program that was not optimised
    os.makedirs(a.save, exist_ok=True)
    with open(os.path.join(a.save, f"{a.language}-{first}.json"), "w") as f:
        json.dump({"job": small, "due": [due[n] for n in kept]}, f)


def replay(a):
    """Asks the questions of saved jobs again; programs whose answer is another one."""
    wrong = 0
    for path in a.replay:
        with open(path) as f:
            saved = json.load(f)
        for program, due, got in zip(saved["job"]["programs"], saved["due"], ask_driver(a.driver, "check", saved["job"])):
            if due != got:
                wrong += 1
                print(f"{program['file']}: should be {due}, is {got}"[:400])
    return 1 if wrong else 0


def by_interpreter(a, programs, values):
    job, due = {"programs": []}, []
    for p, v in zip(programs, values):
        seed = int(p.name[1:])
        r = random.Random(seed)
        wrong = r.randrange(len(v)) if seed % 3 == 0 else -1
        held = [(place, value if n != wrong else str(int(value) ^ 1)) for n, (place, value) in enumerate(v)]
        job["programs"].append({"text": kernels.OPENCL_HEAD + p.text(asserted=held), "lanes": p.lanes, "groups": p.groups,
                                "buffers": [bytes(b).hex() for b in p.memory()[0]]})
        due.append("ended" if wrong < 0 else "defect")
    answers = ask_driver(a.driver, "interpret", job)
    return [[(job["programs"][n]["text"], d, got.split(":")[0] if d == "defect" and "assert" in got else got)]
            for n, (d, got) in enumerate(zip(due, answers))]


def excuse(a, program, values, devices, name):
    """Is that this device differs a defect of it that is known (BUGS-FOUND.md), so that it agrees with the program in other words?
    Mesa 22.3's lavapipe inverts int64(int32) < constant; the constant and the conversion meet only after its optimiser's passes."""
    if "llvmpipe" not in name or a.language == "opencl":
        return False
    other = program.reworded()
    device, _, environment = next(d for d in devices if d[1] == name)
    ran = ask_driver(a.driver, "run", {"device": device, "modules": launched(a.language, [other])}, environment)
    return not isinstance(ran[0], str) and read_back(other, ran[0]) == values


ABORTED = "aborts: "


def one_alone(a, program, device, environment):
    """What the implementation says of one program; when it aborts, that is not an answer, and the program is held against the others."""
    try:
        return ask_driver(a.driver, "run", {"device": device, "modules": launched(a.language, [program])}, environment)[0]
    except (RuntimeError, subprocess.TimeoutExpired) as e:
        lines = [line for line in str(e).splitlines() if "ssert" in line or "rror" in line] or [str(e)]
        return ABORTED + lines[0][:200]


def batch(args):
    a, first, count, devices = args
    bad, features, undecided, apart, open_, excused = [], collections.Counter(), collections.Counter(), [], set(), 0
    aborts = collections.Counter()
    folder = tempfile.mkdtemp(prefix="front")
    try:
        programs = [make(a.language, s) for s in range(first, first + count)]
        values = by_host(a.language, programs, folder)
        truths = {}
        for d, name, environment in devices:
            try:
                ran = ask_driver(a.driver, "run", {"device": d, "modules": launched(a.language, programs)}, environment)
                if a.language == "opencl" and all(isinstance(x, str) for x in ran):  # which one does not compile?
                    alone = [m for p in programs for m in launched(a.language, [p])]
                    ran = ask_driver(a.driver, "run", {"device": d, "modules": alone}, environment)
                # a driver that gave up takes the rest of the batch with it
                again = [n for n, x in enumerate(ran) if isinstance(x, str) and x.startswith(("lost", "error: unsupported")) and len(ran) > 1]
                for n in again:
                    job = {"device": d, "modules": launched(a.language, [programs[n]])}
                    ran[n] = ask_driver(a.driver, "run", job, environment)[0]
                truths[name] = ran
            except (RuntimeError, subprocess.TimeoutExpired):  # an implementation that aborts takes the whole batch with it
                truths[name] = [one_alone(a, p, d, environment) for p in programs]
        for n, p in enumerate(programs):
            for name, ran in truths.items():
                if p.host_only:
                    continue
                if isinstance(ran[n], str) and ran[n].startswith(ABORTED):
                    aborts[f"{name} {ran[n]}"] += 1
                    continue
                if isinstance(ran[n], str):
                    bad.append((p.name, f"{name}: {ran[n][:600]}"))
                    continue
                theirs = read_back(p, ran[n])
                if theirs != values[n] and excuse(a, p, values[n], devices, name):
                    excused += 1
                elif theirs != values[n]:
                    at = [f"{x[0]}: {x[1]}, {name} has {y[1]}" for x, y in zip(values[n], theirs) if x != y]
                    apart.append((p.name, f"implementations differ: host has {'; '.join(at[:3])}"))
        asked_all = (by_check if a.against == "check" else by_interpreter)(a, programs, values)
        for n, p in enumerate(programs):
            for question, due, got in asked_all[n]:
                if got == due:
                    continue
                if got.split(":")[0] in ("unknown", "gave up", "unsupported", "gave_up"):
                    undecided[got.split("error: ")[-1][:100]] += 1
                    open_.add(n)
                else:
                    bad.append((p.name, f"should be '{due}', is '{got[:500]}': {question[:100]}"))
            if n not in open_:
                features.update(p.features)
        if a.keep and bad + apart:
            os.makedirs(a.keep, exist_ok=True)
            for p, v in zip(programs, values):
                if any(p.name == b[0] for b in bad + apart):
                    path = os.path.join(a.keep, p.name + "." + ENDING[a.language])
                    with open(path, "w") as f:
                        f.write(p.whole(v))
    finally:
        shutil.rmtree(folder)
    return Part(first + count, count - len(open_), bad, apart, features, undecided, excused, aborts)


class Part:
    """What came of some programs: up to which seed they went, and how many of them were decided."""

    def __init__(self, seed, done=0, bad=(), apart=(), features=(), undecided=(), excused=0, aborts=()):
        self.seed, self.done, self.bad, self.apart = seed, done, list(bad), list(apart)
        self.features, self.undecided = collections.Counter(features), collections.Counter(undecided)
        self.aborts = collections.Counter(aborts)  # how often an implementation itself aborted, by its message
        self.excused = excused  # differences that are a known defect of the device

    def add(self, more):
        self.seed = more.seed
        self.done += more.done
        self.bad += more.bad
        self.apart += more.apart
        self.features.update(more.features)
        self.undecided.update(more.undecided)
        self.aborts += more.aborts
        self.excused += more.excused

    def keep(self, path):
        with open(path + ".new", "w") as f:
            json.dump(vars(self), f)
        os.replace(path + ".new", path)


def find_devices(a):
    """[(id, name, environment)] of the language's devices. Two OpenCL implementations bring two copies of LLVM, which do not
    bear each other in one process: each gets an environment in which it is alone."""
    if a.language == "cuda":
        return [], []  # a kernel of one thread is C++: the host compiler is the judge
    folders, places = [], [dict(os.environ)]
    if a.language == "opencl":
        libraries = glob.glob(os.path.join(a.opencl, "**", "libintelocl.so"), recursive=True) if a.opencl else []
        named = [(open(icd).read(), {}) for icd in sorted(glob.glob("/etc/OpenCL/vendors/*.icd"))]
        named += [(os.path.abspath(x) + "\n", {"LD_LIBRARY_PATH": os.path.dirname(os.path.abspath(x))}) for x in libraries[:1]]
        places = []
        for library, more in named:
            folders.append(tempfile.mkdtemp(prefix="fronticd"))
            with open(os.path.join(folders[-1], "one.icd"), "w") as f:
                f.write(library)
            places.append(dict(os.environ, OCL_ICD_VENDORS=folders[-1], **more))
    found = []
    for environment in places:
        out = subprocess.run([a.driver, "devices"], capture_output=True, text=True, timeout=100, env=environment).stdout
        for line in out.splitlines():
            d, name, platform = line.split("\t")
            if d.startswith(DEVICES[a.language]) and (a.language == "opencl" or "llvmpipe" in name):
                found.append((d, platform or name, environment))
    wanted = ["Portable Computing Language", "Intel"] if a.language == "opencl" else ["llvmpipe"]
    for w in wanted:
        if not any(w in name for _, name, _ in found):
            print(f"SKIPPED: there is no {w} here")
    return found, folders


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--driver", required=True)
    p.add_argument("--language", choices=list(DEVICES), default="opencl")
    p.add_argument("--against", choices=["check", "interpreter"], default="check")
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--keep", default="")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--batch", type=int, default=160)
    p.add_argument("--patience", type=float, default=0.5, help="seconds of processor time for a question")
    p.add_argument("--state", default="", help="a file that says how far a run came")
    p.add_argument("--opencl", default=os.environ.get("FENCEPOST_OPENCL", ""))
    p.add_argument("--histogram", action="store_true")
    p.add_argument("--save", default="", help="a folder for what check was asked and answered as it should: LANGUAGE-SEED.json, the first seed of a batch")
    p.add_argument("--replay", nargs="*", default=[], help="files of --save: ask again, without making or running programs")
    a = p.parse_args()
    if a.replay:
        return replay(a)
    if not shutil.which("gcc") or not shutil.which("g++"):
        print("SKIPPED: gcc is missing")
        return 77
    if a.language == "opencl" and a.against == "check" and not (shutil.which("clang-15") or shutil.which("clang-14")):
        print("SKIPPED: clang-15 is missing")
        return 77
    devices, folders = find_devices(a)  # the host compiler is enough of a truth where there is none
    total = Part(a.seed)
    if a.state and os.path.exists(a.state):
        with open(a.state) as f:
            total = Part(**json.load(f))
    end = a.seed + a.count
    work = [(a, s, min(a.batch, end - s), devices) for s in range(total.seed, end, a.batch)]
    try:
        with concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
            for part in pool.map(batch, work):
                total.add(part)
                if a.state:
                    total.keep(a.state)
                for name, why in part.bad + part.apart:
                    print(f"{name}: {why[:700]}", flush=True)
                if (total.seed - a.seed) % 1000 < a.batch:
                    print(f"  {total.done} programs so far, {len(total.bad)} disagree", flush=True)
    finally:
        for folder in folders:
            shutil.rmtree(folder)
    return report(a, total, devices)


def report(a, total, devices):
    """The last words, and the exit status."""
    made, ran_on = total.seed - a.seed, ", ".join(["the host compiler", *(name for _, name, _ in devices)])
    print(f"{a.language}: {total.done} programs on {ran_on}; {len(total.bad)} disagree, {made - total.done} more undecided, "
          f"{len(total.apart)} on which implementations differ, {total.excused} more by lavapipe's comparisons of 64 bits")
    for said, n in total.undecided.most_common(10):
        print(f"  undecided, {n}: {said}")
    for said, n in total.aborts.most_common(10):
        print(f"  an implementation aborts, {n}: {said}")
    few = 0
    if a.histogram:
        named = kernels.FEATURES if a.language in ("opencl", "cuda") else typed.FEATURES[a.language]
        for name in sorted(set(total.features) | set(named), key=lambda x: -total.features[x]):
            enough = total.features[name] >= SHARE * total.done or total.done < 500
            few += not enough
            print(f"  {name:20} {100 * total.features[name] / max(total.done, 1):5.1f} %{'' if enough else '  too few'}")
    return 1 if total.bad or few or len(total.apart) + total.aborts.total() > made // 100 + 1 or made - total.done > made // 20 + 1 else 0


if __name__ == "__main__":
    sys.exit(main())
