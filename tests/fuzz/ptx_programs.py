#!/usr/bin/env python3
"""Random C functions on integers, as PTX and on the processor.

    tests/fuzz/ptx_programs.py --fencepost BIN [--clang clang++-19] [--host c++] [--nvcc NVCC] [--count 50] [--seed 1]

Each function is compiled for the processor, which says what it returns, and to PTX by clang (and nvcc, where it is given),
of which `fencepost check` must say the same: `forall (out[0] == that)`, and of the value above it that it does not hold.
The compilers are the judges: no code of this repository says what an operation does. Without optimisation a computed place in one
array puts all variables of the function into memory, byte by byte, which takes too long to decide: programs with an array are optimised. Exit status 77 without clang.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

TYPES = {"int": 32, "unsigned": 32, "long long": 64, "unsigned long long": 64, "short": 16, "unsigned short": 16,
         "signed char": 8, "unsigned char": 8}


class Program:
    def __init__(self, r):
        self.r = r
        self.names = {}
        self.lines = []
        self.n = 0

    def literal(self, t):
        r = self.r
        v = r.choice([0, 1, 2, 3, 5, 7, 31, 63, 255, r.getrandbits(8), r.getrandbits(32), r.getrandbits(62)])
        return f"({t}){v}ull"

    def expr(self, depth):
        r = self.r
        if depth == 0 or r.random() < 0.15:
            if self.names and r.random() < 0.8:
                return r.choice(sorted(self.names))
            return self.literal(r.choice(sorted(TYPES)))
        a, b = self.expr(depth - 1), self.expr(depth - 1)
        kind = r.randrange(16)
        t = r.choice(sorted(TYPES))
        u = "unsigned long long" if TYPES[t] == 64 else "unsigned"
        if kind < 6:
            op = r.choice(["+", "-", "*", "&", "|", "^"])
            return f"({t})(({u}){a} {op} ({u}){b})"
        if kind < 8:
            op = r.choice(["<<", ">>"])
            width = max(TYPES[t], 32)
            value = f"({u}){a}" if op == "<<" else f"({t}){a}"
            return f"({t})({value} {op} (({u}){b} & {width - 1}))"
        if kind == 8:
            return f"({t})(({u}){a} / ((({u}){b}) | 1))"
        if kind == 9:
            return f"({t})(({u}){a} % ((({u}){b}) | 1))"
        if kind == 10:
            # of signed numbers, without the one quotient that has no representation
            return f"({t})((long long)(int){a} / (long long)(((int){b} | 1)))"
        if kind == 11:
            return f"({t})((({t}){a} {r.choice(['<', '<=', '==', '!=', '>', '>='])} ({t}){b}) ? {a} : {b})"
        if kind == 12:
            return f"({t})__builtin_popcount((unsigned){a})" if r.random() < .5 else f"({t})__builtin_popcountll((unsigned long long){a})"
        if kind == 13:
            return f"({t})__builtin_clz((unsigned){a} | 1)" if r.random() < .5 else f"({t})__builtin_ctzll((unsigned long long){a} | 4096)"
        if kind == 14:
            return f"({t})(-({u}){a})" if r.random() < .5 else f"({t})(~{a})"
        return f"({t})(({u}){a} << {r.randrange(1, 31)} | ({u}){b} >> {r.randrange(1, 31)})"

    def statement(self, depth=0):
        r = self.r
        t = r.choice(sorted(TYPES))
        kind = r.randrange(9)
        pad = "  " * (depth + 1)
        if kind < 4 or depth > 1:
            name = f"v{self.n}"
            self.n += 1
            self.lines.append(f"{pad}{t} {name} = {self.expr(3)};")
            if depth == 0:
                self.names[name] = t
            return
        if not self.names:
            return
        target = r.choice(sorted(self.names))
        if kind == 4:
            self.lines.append(f"{pad}{target} = ({self.names[target]})({self.expr(3)});")
        elif kind < 7:
            self.lines.append(f"{pad}if ({self.expr(2)} {r.choice(['<', '==', '!=', '>='])} {self.expr(1)}) {{")
            self.lines.append(f"{pad}  {target} = ({self.names[target]})({self.expr(2)});")
            if r.random() < .5:
                other = r.choice(sorted(self.names))
                self.lines.append(f"{pad}}} else {{")
                self.lines.append(f"{pad}  {other} = ({self.names[other]})({self.expr(2)});")
            self.lines.append(f"{pad}}}")
        elif kind == 7:
            i = f"i{self.n}"
            self.n += 1
            self.lines.append(f"{pad}for (int {i} = 0; {i} < {r.randrange(2, 5)}; ++{i}) {{")
            self.lines.append(f"{pad}  {target} = ({self.names[target]})({target} + ({self.expr(2)}) * {i});")
            self.lines.append(f"{pad}}}")
        else:
            self.lines.append(f"{pad}switch ({self.expr(1)} & 3) {{")
            for k in range(4):
                self.lines.append(f"{pad}  case {k}: {target} = ({self.names[target]})({self.expr(2)}); break;")
            self.lines.append(f"{pad}}}")

    def make(self, inputs):
        r = self.r
        for k, t in enumerate(inputs):
            self.names[f"a{k}"] = t
        for _ in range(r.randrange(4, 10)):
            self.statement()
        if r.random() < .5:  # an array of the function's own, read at a computed place
            values = ", ".join(f"(int){self.expr(1)}" for _ in range(4))
            self.lines.append(f"  int array[4] = {{{values}}};")
            self.lines.append(f"  array[(unsigned)({self.expr(1)}) & 3] += 5;")
            self.names["array_value"] = "int"
            self.lines.append(f"  int array_value = array[(unsigned)({self.expr(1)}) & 3];")
        out = " ^ ".join(f"(unsigned long long){n} * {2 * k + 1}" for k, n in enumerate(sorted(self.names)))
        arguments = ", ".join(f"{t} a{k}" for k, t in enumerate(inputs))
        return f"QUALIFIERS unsigned long long f({arguments}) {{\n" + "\n".join(self.lines) + f"\n  return {out};\n}}\n"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--fencepost", default="build/release/fencepost")
    p.add_argument("--clang", default="clang++-19")
    p.add_argument("--host", default="c++")
    p.add_argument("--nvcc")
    p.add_argument("--count", type=int, default=50)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    if shutil.which(args.clang) is None or shutil.which(args.host) is None:
        print(f"ptx_programs: SKIPPED: there is no {args.clang} or no {args.host}")
        return 77
    bad = undecided = asked = 0
    with tempfile.TemporaryDirectory() as d:
        for n in range(args.seed, args.seed + args.count):
            r = random.Random(n)
            inputs = [r.choice(sorted(TYPES)) for _ in range(3)]
            text = Program(r).make(inputs)
            values = [r.choice([0, 1, 7, (1 << TYPES[t]) - 1, r.getrandbits(TYPES[t])]) for t in inputs]
            call = ", ".join(f"({t}){v}ull" for t, v in zip(inputs, values))
            host = os.path.join(d, "host.cpp")
            open(host, "w").write("#include <cstdio>\n#define QUALIFIERS static\n" + text + f'int main() {{ std::printf("%llu", f({call})); }}\n')
            subprocess.run([args.host, "-w", "-O0", "-fwrapv", host, "-o", os.path.join(d, "host")], check=True)
            result = int(subprocess.run([os.path.join(d, "host")], capture_output=True, text=True, check=True).stdout)
            signature = ", ".join(f"{t} a{k}" for k, t in enumerate(inputs))
            arguments = ", ".join(f"a{k}" for k in range(len(inputs)))
            device = os.path.join(d, "device.cu")
            body = "__global__ void k(unsigned long long *out, " + signature + f") {{ *out = f({arguments}); }}\n"
            builds = [("clang -O" + level,
                       [args.clang, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib", "-S", "-w",
                        "-O" + level, device], "#define __global__ __attribute__((global))\n#define __device__ __attribute__((device))\n")
                      for level in (r.choice("1" if "array" in text else "01"), r.choice("23"))]
            if args.nvcc:
                builds.append(("nvcc", [args.nvcc, "-ptx", "-arch=sm_90", "-w", device], ""))
            for name, command, head in builds:
                quiet = "__attribute__((noinline)) " if r.random() < .3 else ""
                if name == "nvcc":  # which has no such builtins
                    head = ("#define __builtin_popcountll(x) __popcll(x)\n#define __builtin_popcount(x) __popc(x)\n"
                            "#define __builtin_clz(x) __clz(x)\n#define __builtin_ctzll(x) (__ffsll((long long)(x)) - 1)\n")
                with open(device, "w") as f:
                    f.write(head + f"#define QUALIFIERS static __device__ {quiet}\n" + text + body)
                module = os.path.join(d, "device.ptx")
                made = subprocess.run(command + ["-o", module], capture_output=True, text=True)
                if made.returncode != 0:
                    print(f"{n} {name}: does not compile: {made.stderr[:300]}")
                    continue
                given = ";".join(f"param_{k + 1} = {v}" for k, v in enumerate(values))
                for offset, want in ((0, 0), (1, 1)):
                    number = (result + offset) & (2**64 - 1)
                    asked += 1
                    try:
                        done = subprocess.run([args.fencepost, "check", module, "--grid", "1.1.1", "--input", given, "--bound", "8",
                                               "--engine", "enumerate", "--condition", f"forall (param_0.u64[0] == {number})"],
                                              capture_output=True, text=True, timeout=60)
                    except subprocess.TimeoutExpired:
                        undecided += 1
                        print(f"{n} {name}: no answer in time")
                        continue
                    if done.returncode == want:
                        continue
                    if done.returncode == 3:
                        undecided += 1
                        print(f"{n} {name}: not decided: {(done.stdout + done.stderr).strip()[:300]}")
                        continue
                    bad += 1
                    kept = f"ptx_programs-{n}-{name.replace(' ', '')}"
                    shutil.copy(module, kept + ".ptx")
                    shutil.copy(device, kept + ".cu")
                    print(f"{n} {name}: says {done.returncode} of {number} ({'the' if offset == 0 else 'not the'} result of the processor): {kept}.ptx\n{done.stdout}{done.stderr}")
    print(f"{args.count} programs, {asked} questions: {bad} differ, {undecided} not decided")
    return 1 if bad or undecided else 0


sys.exit(main())
