#!/usr/bin/env python3
"""Built-in functions and conversions of OpenCL C on integers of every type, held against what an OpenCL implementation computes.

  builtins.py --driver build/release/tests/fuzz/front_driver [--seed 1] [--count 1] [--opencl DIR]

For each type and round: three numbers, often at the edge of the type, and a kernel for each expression over them. `check` must say
`holds` of the device's value and, of every third, `fails` of another one. Expressions that `check` refuses by name are counted.
Exit status 1 on a difference, 77 without clang-15 or a device."""

import argparse
import collections
import os
import random
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import differ  # noqa: E402

TYPES = {"char": (8, True), "uchar": (8, False), "short": (16, True), "ushort": (16, False),
         "int": (32, True), "uint": (32, False), "long": (64, True), "ulong": (64, False)}
# T is the type, U and S those of its width without and with a sign.
EXPRESSIONS = """abs(a); abs_diff(a, b); add_sat(a, b); sub_sat(a, b); hadd(a, b); rhadd(a, b); clamp(a, min(b, c), max(b, c)); clz(a); ctz(a)
popcount(a); mad_hi(a, b, c); mad_sat(a, b, c); mul_hi(a, b); max(a, b); min(a, b); rotate(a, b); bitselect(a, b, c); select(a, b, (U)c)
select((T2)(a, b), (T2)(b, c), (U2)(c, a)).y; any((S2)((S)a, (S)b)); all((S2)((S)a, (S)b)); a < b ? a : b; ((T2)(a, b) < (T2)(b, c)).x
shuffle((T4)(a, b, c, 0), (U4)(3, 2, 1, 0)).y; shuffle2((T2)(a, b), (T2)(c, a), (U2)(3, 1)).x; a << b; a >> b; ~a; !a; (T)(-(ulong)a); (a && b) || c
b != 0 && b != (T)-1 ? a / b : 0; b != 0 && b != (T)-1 ? a % b : 0; (T)((ulong)a * (ulong)b - (ulong)c); a == b; a != c; a & b; a | b ^ c; upsample(a, (U)b)
mul24((int)a & 0x7fff, (int)b & 0x7fff); mad24((int)a & 0x7fff, (int)b & 0x7fff, (int)c & 0xffff); as_U(a); as_S(a); convert_T2((U2)(b, c)).y"""
CONVERSIONS = [f"convert_{t}{sat}(a)" for t in TYPES for sat in ("", "_sat")]


def expressions(t):
    u, s = (t, t[1:]) if t[0] == "u" else ("u" + t, t)
    for e in EXPRESSIONS.replace("\n", "; ").split("; ") + CONVERSIONS:
        if "upsample" in e and t.endswith("long"):
            continue
        for word, of in (("T", t), ("U", u), ("S", s)):
            for end in ("2", "4", ")", "("):
                e = e.replace(f"({word}{end}", f"({of}{end}").replace(f"_{word}{end}", f"_{of}{end}")
        yield e


def number(r, t):
    width, signed = TYPES[t]
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    return r.choice([low, high, 0, 1, high - 1, low + 1, high // 2, r.randint(low, high), r.randint(low, high), -1 if signed else 3])


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--driver", required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=1)
    p.add_argument("--opencl", default=os.environ.get("FENCEPOST_OPENCL", ""))
    a = p.parse_args()
    a.language = "opencl"
    if not (os.environ.get("FENCEPOST_CLANG") or shutil.which("clang-15")):
        print("SKIPPED: clang-15 is missing")
        return 77
    devices = differ.find_devices(a)[0]
    if not devices:
        print("SKIPPED: no OpenCL implementation is here")
        return 77
    bad, seen, refused = [], 0, collections.Counter()
    for t in TYPES:
        for n in range(a.count):
            r = random.Random(f"built-in {a.seed} {t} {n}")
            numbers = [number(r, t) for _ in range(3)]
            every = list(expressions(t))
            text = "".join(f"__kernel void k{k}(__global {t}* x, __global long* o) {{ {t} a = x[0], b = x[1], c = x[2]; o[0] = (long)({e}); }}\n"
                           for k, e in enumerate(every))
            width = TYPES[t][0] // 8
            given = b"".join((v & ((1 << 8 * width) - 1)).to_bytes(width, "little") for v in numbers).hex()
            kernels = [{"name": f"k{k}", "lanes": 1, "groups": 1, "buffers": [given, "00" * 8]} for k in range(len(every))]
            truths = []
            for device, name, environment in devices:
                ran = differ.ask_driver(a.driver, "run", {"device": device, "modules": [
                    {"language": "opencl", "text": "// options: -cl-std=CL3.0\n" + text, "kernels": kernels}]}, environment)
                truths.append([x if isinstance(x, str) else int.from_bytes(bytes.fromhex(x[1]), "little", signed=True) for x in ran])
            job = {"texts": [text], "programs": [], "patience": 5}
            due = []
            for k in range(len(every)):
                values = [truth[k] for truth in truths]
                same = len(set(values)) == 1 and not isinstance(values[0], str)
                asks = [(f"forall (o[0] == {values[0]})", "holds")] if same else []
                if same and k % 3 == 0:
                    asks.append((f"forall (o[0] == {values[0] ^ 1})", "fails"))
                if not same:
                    refused[f"implementations: {str(values)[:60]}"] += 1
                due.append([answer for _, answer in asks])
                job["programs"].append({"text": 0, "file": "k.cl", "entry": f"k{k}", "grid": "1.1.1", "bound": 2,
                                        "inputs": [f"x = {{{', '.join(map(str, numbers))}}}"], "asks": [q for q, _ in asks]})
            for e, wanted, got in zip(every, due, differ.ask_driver(a.driver, "check", job)):
                if wanted == got:
                    seen += len(wanted)
                elif got and got[0].split(":")[0] == "unsupported" or got and "unsupported" in got[0]:
                    refused[f"{t}: {e}"] += 1
                else:
                    bad.append(f"{t} {numbers}: {e}: should be {wanted}, is {got}"[:400])
    print("\n".join(bad))
    print(f"{seen} answers as {' and '.join(d[1] for d in devices)} compute, {len(bad)} not; {sum(refused.values())} refused by name")
    return 1 if bad or seen < 1000 * a.count // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
