#!/usr/bin/env python3
"""Random PTX tests of one thread: what a GPU leaves in registers and memory, against what `check` says.

  ptx.py emit --count 2000 [--seed 1] DIR     writes DIR/programs.ptx and DIR/run.cu, for a machine with nvcc and a GPU:
                                              nvcc -O1 -o run run.cu -lcuda && ./run programs.ptx > values
  ptx.py check --driver front_driver --count 2000 [--seed 1] [--keep DIR] VALUES...
                                              `forall` of the values must hold; for every third program, with one value changed, fail
  ptx.py run --driver front_driver --count 2000 [--seed 1] DIR
                                              both, where nvcc and a GPU are here; else a line that begins with SKIPPED, and status 77

Two kinds, by turns: GPU_PTX (docs/litmus-gpu_ptx.md) has arithmetic of 8 to 64 bits, predicates, conversions, jumps, loops, chosen
addresses, shared memory, cache operators and the atomic operations of its time; PTX (docs/litmus.md) has orders and scopes. PTX that
is in neither dialect (vectors, offsets) is not made. Every instruction is printed twice, as the dialect writes it and as ptxas wants
it. Starting values come out of memory, so that ptxas computes nothing; the module is run as ptxas -O0 and as -O3 make it.

What PTX leaves open is not made: division by zero and of the least number by -1, registers without a value."""

import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from differ import ask_driver  # noqa: E402

SHARE = 0.05
TYPES = [s + str(w) for w in (16, 32, 64) for s in "sub"]
FEATURES = ["bits-8", "bits-16", "bits-32", "bits-64", "arithmetic", "division", "logic", "shift", "comparison", "predicate", "predicated",
            "conversion", "jump", "loop", "load", "store", "atom", "red", "cas", "inc-dec", "min-max", "fence", "volatile", "cache-operator",
            "shared", "chosen-address", "scoped", "ordered"]


def bits(t):
    return int(t[1:])


def number(r, width):
    """As bits."""
    n = r.choice([0, 1, 2, 3, 7, 31, 32, 127, 128, 255, 32767, 32768, 65535, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 63), (1 << 64) - 1,
                  r.getrandbits(64), r.getrandbits(64)])
    return n & ((1 << width) - 1)


def shown(n, t):
    n &= (1 << bits(t)) - 1
    return n - (1 << bits(t)) if t[0] == "s" and n >> (bits(t) - 1) else n


class Test:
    """`lines`: (label or "", instruction of the dialect or "", instruction of PTX)."""

    def __init__(self, seed):
        self.r = random.Random(f"ptx {seed}")
        self.name = f"k{seed}"
        self.features = set()
        self.lines, self.guard = [], ""
        self.labels = self.loops = 0
        self.modern = seed % 4 == 3
        (self.make_modern if self.modern else self.make)()

    def note(self, *features):
        self.features.update(features)

    def out(self, test, ptx=None):
        self.lines.append(("", self.guard + test, self.guard + (ptx or test)))

    def label(self, name):
        self.lines.append((name, "", ""))

    # ---- the dialect of 2014 ----
    def make(self):
        r = self.r
        self.registers = {}  # name: (type, first value)
        for t in r.sample(TYPES, r.randint(3, 5)) + r.choices(["s32", "u32", "b32", "u64"], k=2):
            for _ in range(r.randint(1, 2)):
                self.registers[f"r{len(self.registers)}"] = (t, number(r, bits(t)))
        if r.random() < 0.5:
            t = r.choice(["s8", "u8", "b8"])
            self.registers[f"r{len(self.registers)}"] = (t, number(r, 8))
            self.note("bits-8")
        self.registers["n0"] = ("u32", r.choice([0, 1, 5, 31, 32, 33, 63, 64, 65, 255]))  # an amount for shifts
        for t, _ in self.registers.values():
            self.note(f"bits-{bits(t)}")
        self.locations = {}  # name: (type, first value, space)
        for k in range(r.randint(2, 3)):
            t = r.choice([t for t, _ in self.registers.values()])
            self.locations["xyz"[k]] = (t, number(r, bits(t)), r.choice(["global", "global", "shared"]))
        self.predicates = ["p0", "p1"]
        for p in self.predicates:
            self.compare(p)
        for _ in range(r.randint(6, 14)):
            self.statement(2)

    def of(self, *types, width=None):
        """A register of one of these types, or of this width."""
        found = [n for n, (t, _) in self.registers.items() if (t in types or width and bits(t) == width) and n != "n0"]
        return self.r.choice(found) if found else None

    def operand(self, width):
        found = self.of(width=width)
        return found if found and self.r.random() < 0.75 else str(shown(number(self.r, width), f"s{width}"))

    def statement(self, depth):
        kinds = [(self.arithmetic, 6), (self.logic, 3), (self.shift, 3), (self.move, 2), (self.convert, 3), (self.predicate, 2), (self.access, 8),
                 (self.fence, 1)]
        if depth > 0 and not self.guard:
            kinds += [(self.jump, 2), (self.loop, 1.2), (self.guarded, 4)]
        self.depth = depth
        self.r.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()

    def arithmetic(self):
        t = self.r.choice([t for t in TYPES if t[0] != "b"])
        d = self.of(width=bits(t))
        if not d:
            return self.logic()
        op = self.r.choice(["add", "sub", "mul", "div", "rem", "min", "max", "neg"])
        if op == "neg":
            t = "s" + t[1:]
            return self.out(f"neg.{t} {d}, {self.operand(bits(t))}")
        a, b = self.operand(bits(t)), self.operand(bits(t))
        if op in ("div", "rem"):
            b = str(self.r.choice([1, 2, 3, 7, 10, 100]))
            divisor = self.of(width=bits(t))
            if divisor != d and self.r.random() < 0.6 and not (a == divisor):
                self.out(f"and.b{bits(t)} {divisor}, {divisor}, 14")
                self.out(f"or.b{bits(t)} {divisor}, {divisor}, 1")
                b = divisor
            self.note("division")
        self.note("min-max" if op in ("min", "max") else "arithmetic")
        self.out(f"{op}.{t} {d}, {a}, {b}", f"{'mul.lo' if op == 'mul' else op}.{t} {d}, {a}, {b}")

    def logic(self):
        w = self.r.choice([16, 32, 64])
        d = self.of(width=w)
        if not d:
            return self.access()
        self.note("logic")
        op = self.r.choice(["and", "or", "xor", "not"])
        self.out(f"{op}.b{w} {d}, {self.operand(w)}" + ("" if op == "not" else f", {self.operand(w)}"))

    def shift(self):
        t = self.r.choice([x for x in TYPES if bits(x) >= 32])
        d = self.of(width=bits(t))
        if not d:
            return self.access()
        self.note("shift")
        by = self.r.choice(["n0", str(self.r.choice([0, 1, 4, 31, 32, 33, 64, 200]))])
        left = self.r.random() < 0.4
        self.out(f"shl.b{bits(t)} {d}, {self.operand(bits(t))}, {by}" if left else f"shr.{t} {d}, {self.operand(bits(t))}, {by}")

    def move(self):
        d = self.of(*TYPES)
        w = bits(self.registers[d][0])
        self.out(f"mov.b{w} {d}, {self.operand(w)}")

    def convert(self):
        d, s = self.r.sample(list(self.registers), 2)
        if d == "n0":
            return
        word = lambda t: ("u" if t[0] == "b" else t[0]) + t[1:]  # noqa: E731
        to, of = word(self.registers[d][0]), word(self.registers[s][0])
        if self.r.random() < 0.4:
            of = ("s" if of[0] == "u" else "u") + of[1:]
        self.note("conversion")
        self.out(f"cvt.{to}.{of} {d}, {s}")

    def compare(self, p):
        t = self.r.choice([t for t, _ in self.registers.values() if bits(t) > 8])
        words = {"b": ["eq", "ne"], "s": ["eq", "ne", "lt", "le", "gt", "ge"],
                 "u": ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"]}[t[0]]
        self.note("comparison")
        self.out(f"setp.{self.r.choice(words)}.{t} {p}, {self.of(t) or 'n0'}, {self.operand(bits(t))}")

    def predicate(self):
        if self.r.random() < 0.6:
            return self.compare(self.r.choice(self.predicates))
        self.note("predicate")
        op = self.r.choice(["and", "or", "xor", "not", "mov"])
        p, a, b = (self.r.choice(self.predicates) for _ in range(3))
        self.out(f"{op}.pred {p}, {a}" + ("" if op in ("not", "mov") else f", {b}"))

    def fence(self):
        self.note("fence")
        self.out(f"membar.{self.r.choice(['cta', 'gl', 'sys'])}")

    def guarded(self):
        self.note("predicated")
        self.guard = self.r.choice(["@", "@!"]) + self.r.choice(self.predicates) + " "
        self.statement(0)
        self.guard = ""

    def jump(self):
        self.note("jump")
        name, p = f"L{self.labels}", self.r.choice(self.predicates)
        self.labels += 1
        depth = self.depth
        self.out(f"@{p} bra {name}", f"@{p} bra {self.name}_{name}")
        for _ in range(self.r.randint(1, 3)):
            self.statement(depth - 1)
        self.label(name)

    def loop(self):
        if self.loops == 2:
            return self.jump()
        self.note("loop")
        name, c, p, depth = f"L{self.labels}", f"c{self.loops}", f"q{self.loops}", self.depth
        self.labels += 1
        self.loops += 1
        self.out(f"mov.u32 {c}, 0")
        self.label(name)
        for _ in range(self.r.randint(1, 3)):
            self.statement(depth - 1)
        self.out(f"add.u32 {c}, {c}, 1")
        self.out(f"setp.lt.u32 {p}, {c}, {self.r.randint(2, 3)}")
        self.out(f"@{p} bra {name}", f"@{p} bra {self.name}_{name}")

    def place(self, width):
        """A location of this width: how the dialect and how PTX write it, and the state space that the instruction says."""
        found = [x for x, (t, _, _) in self.locations.items() if bits(t) == width]
        if not found:
            return None
        x = self.r.choice(found)
        same = [y for y in found if y != x]
        if same and not self.guard and self.r.random() < 0.6:  # a register that is written: a computed address
            self.note("chosen-address")
            y, p = self.r.choice(same), self.r.choice(self.predicates)
            self.out(f"mov.u64 a, {x}", f"mov.u64 a, g{x}")
            self.out(f"@{p} mov.u64 a, {y}", f"@{p} mov.u64 a, g{y}")
            return "[a]", "[a]", ""
        space = self.locations[x][2]
        if space == "shared":
            self.note("shared")
        if self.r.random() < 0.5:
            return self.r.choice([f"[{x}]", f"[a{x}]"]), f"[g{x}]", ""
        return self.r.choice([f"[{x}]", f"[a{x}]"]), f"[s{x}]", "." + space

    def access(self):
        t = self.r.choice(list(self.locations.values()))[0]
        w = bits(t)
        at = self.place(w)
        d = self.of(width=w) or "n0"
        if w == 32 and d == "n0":
            return
        test, ptx, space = at
        x = self.r.random()
        if w < 32 or x < 0.5:
            load = self.r.random() < 0.5
            self.note("load" if load else "store")
            how = self.r.choice(["", "", ".volatile", ".ca" if load else ".wb", ".cg"])
            if how == ".volatile":
                self.note("volatile")
            elif how:
                self.note("cache-operator")
            head, after = (f".volatile{space}", "") if how == ".volatile" else (space, how)
            value = d if load or self.r.random() < 0.7 or w == 8 else self.operand(w)
            name = f"{'ld' if load else 'st'}{head}{after}.{t}"
            self.out(f"{name} {d}, {test}" if load else f"{name} {test}, {value}", f"{name} {d}, {ptx}" if load else f"{name} {ptx}, {value}")
            return
        red = self.r.random() < 0.25
        op = self.r.choice(["add", "and", "or", "xor", "min", "max"] + (["inc", "dec"] * 2 if w == 32 else []) + ([] if red else ["exch", "cas", "cas"]))
        t = {"add": f"u{w}", "inc": "u32", "dec": "u32", "min": f"{self.r.choice('su')}{w}", "max": f"{self.r.choice('su')}{w}"}.get(op, f"b{w}")
        self.note("red" if red else "atom", *(["cas"] if op == "cas" else ["inc-dec"] if op in ("inc", "dec") else ["min-max"] if op in ("min", "max") else []))
        values = self.operand(w) + (f", {self.operand(w)}" if op == "cas" else "")
        name = f"{'red' if red else 'atom'}{space}.{op}.{t} "
        first = "" if red else f"{d}, "
        self.out(f"{name}{first}{test}, {values}", f"{name}{first}{ptx}, {values}")

    # ---- the dialect with orders and scopes ----
    def make_modern(self):  # everything is 64 bits wide there
        r = self.r
        self.registers = {f"r{k}": ("u64", number(r, 64)) for k in range(r.randint(2, 4))}
        self.locations = {"xyz"[k]: ("u64", number(r, 64), "global") for k in range(r.randint(2, 3))}
        self.predicates = []
        self.note("bits-64", "scoped", "ordered")
        for _ in range(r.randint(5, 12)):
            d, x, s = r.choice(list(self.registers)), r.choice(list(self.locations)), r.choice(["cta", "gpu", "sys"])
            value = r.choice(list(self.registers)) if r.random() < 0.7 else str(number(r, 63))
            kind = r.choice(["ld", "st", "atom", "atom", "red", "fence"])
            if kind == "ld":
                self.note("load")
                o = r.choice(["weak", f"relaxed.{s}", f"acquire.{s}", "volatile"])
                self.out(f"ld.{o} {d}, {x}", f"ld.{o}.global.u64 {d}, [s{x}]")
            elif kind == "st":
                self.note("store")
                o = r.choice(["weak", f"relaxed.{s}", f"release.{s}", "volatile"])
                self.out(f"st.{o} {x}, {value}", f"st.{o}.global.u64 [s{x}], {value}")
            elif kind == "fence":
                self.note("fence")
                self.out(f"fence.{r.choice(['sc', 'acq_rel'])}.{s}")
            else:
                self.note(kind)
                o = r.choice(["relaxed", "release"] + (["acquire", "acq_rel"] if kind == "atom" else []))
                op = r.choice(["add", "and", "or", "xor"] + (["exch", "cas"] if kind == "atom" else []))
                values = value + (f", {r.choice(list(self.registers))}" if op == "cas" else "")
                if op == "cas":
                    self.note("cas")
                t = "u64" if op == "add" else "b64"
                first = f"{d}, " if kind == "atom" else ""
                self.out(f"{kind}.{o}.{s}.{op} {first}{x}, {values}", f"{kind}.{o}.{s}.global.{op}.{t} {first}[s{x}], {values}")

    # ---- texts ----
    def places(self):
        """(as a condition says it, type) of each value that a run prints."""
        head = "P0:" if self.modern else "0:"
        return [(head + n, t) for n, (t, _) in self.registers.items()] + [(x, t) for x, (t, _, _) in self.locations.items()]

    def litmus(self, values):
        condition = " /\\ ".join(f"{p}{'==' if self.modern else '='}{v}" for (p, _), v in zip(self.places(), values))
        rows = [f"{name}: {text}" if name and text else f"{name}:" if name else text for name, text, _ in self.lines]
        if self.modern:
            start = " ".join([f"{x} = {v};" for x, (_, v, _) in self.locations.items()] + [f"P0:{n} = {v};" for n, (_, v) in self.registers.items()])
            return f"PTX {self.name}\n{{ {start} }}\n P0@cta 0,gpu 0 ;\n" + "".join(f" {row} ;\n" for row in rows) + f"forall ({condition})\n"
        start = [f".{t} {x} = {shown(v, t)};" for x, (t, v, _) in self.locations.items()]
        start += [f"0:.reg .{t} {n} = {shown(v, t)};" for n, (t, v) in self.registers.items()]
        start += [f"0:.reg .pred {p};" for p in self.predicates + [f"q{k}" for k in range(self.loops)]]
        start += [f"0:.reg .u32 c{k} = 0;" for k in range(self.loops)]
        start += [f"0:.reg .b64 a{x} = {x};" for x in self.locations] + [f"0:.reg .b64 a = {next(iter(self.locations))};"]
        spaces = ", ".join(f"{x}: {s}" for x, (_, _, s) in self.locations.items())
        return (f"GPU_PTX {self.name}\n{{\n  " + "\n  ".join(start) + "\n}\n T0 ;\n" + "".join(f" {row} ;\n" for row in rows)
                + f"ScopeTree (device (cta (warp T0)))\n{spaces}\nforall ({condition})\n")

    def ptx(self):
        """An entry; its parameter points to 8 bytes for each place, with the first values in them and the last ones afterwards."""
        held = lambda t: "b16" if bits(t) == 8 else "b" + t[1:]  # noqa: E731
        unsigned = lambda t: "u" + t[1:]  # noqa: E731
        out = "".join(f".global .align 8 .b{bits(t)} {self.name}_{x};\n" for x, (t, _, s) in self.locations.items() if s == "global")
        out += f".visible .entry {self.name}(.param .u64 io) {{\n"
        out += "".join(f".shared .align 8 .b{bits(t)} {self.name}_{x};\n" for x, (t, _, s) in self.locations.items() if s == "shared")
        out += ".reg .b64 io_, wide_, a;\n.reg .pred p0, p1, q0, q1;\n.reg .b32 c0, c1;\n.reg .b16 byte_;\n"
        out += "".join(f".reg .{held(t)} {n};\n" for n, (t, _) in self.registers.items())
        out += "".join(f".reg .b64 s{x}, g{x};\n.reg .{held(t)} v{x};\n" for x, (t, _, _) in self.locations.items())
        out += "ld.param.u64 io_, [io];\ncvta.to.global.u64 io_, io_;\n"
        places = list(self.registers.items()) + list(self.locations.items())
        for k, (n, (t, *_)) in enumerate(places):
            out += f"ld.volatile.global.{unsigned(t)} {n if n in self.registers else 'v' + n}, [io_+{8 * k}];\n"
        for x, (t, _, s) in self.locations.items():
            out += f"mov.u64 s{x}, {self.name}_{x};\ncvta.{s}.u64 g{x}, s{x};\nst.volatile.{s}.{unsigned(t)} [s{x}], v{x};\n"
        for name, _, text in self.lines:
            out += f"{self.name}_{name}:\n" if name else f"{text};\n"
        for x, (t, _, s) in self.locations.items():
            out += f"ld.volatile.{s}.{unsigned(t)} v{x}, [s{x}];\n"
        for k, (n, (t, *_)) in enumerate(places):
            name = n if n in self.registers else "v" + n
            out += f"cvt.u64.{unsigned(t)} wide_, {name};\n" if bits(t) < 64 else f"mov.b64 wide_, {name};\n"
            out += f"st.volatile.global.u64 [io_+{8 * k}], wide_;\n"
        return out + "ret;\n}\n"

    def first(self):
        return [v for _, v in self.registers.values()] + [v for _, v, _ in self.locations.values()]


RUN = r"""// Runs each entry of a module once, as one thread, and prints its name and the values that it leaves.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
static void must(CUresult r, const char* what) {
  if (r == CUDA_SUCCESS) return;
  const char* said = "";
  cuGetErrorString(r, &said);
  fprintf(stderr, "%s: %s\n", what, said);
  exit(1);
}
struct Program { const char* name; std::vector<unsigned long long> first; };
static const Program programs[] = {
#include "programs.inc"
};
int main(int argc, char** argv) {
  std::ifstream file(argv[1]);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  must(cuInit(0), "cuInit");
  CUdevice device;
  CUcontext context;
  must(cuDeviceGet(&device, 0), "cuDeviceGet");
  must(cuDevicePrimaryCtxRetain(&context, device), "context");
  must(cuCtxSetCurrent(context), "context");
  CUdeviceptr memory;
  must(cuMemAlloc(&memory, 4096), "cuMemAlloc");
  for (unsigned long long level : {0ull, 3ull}) {
    CUjit_option options[] = {CU_JIT_OPTIMIZATION_LEVEL};
    void* values[] = {reinterpret_cast<void*>(level)};
    CUmodule module;
    must(cuModuleLoadDataEx(&module, text.c_str(), 1, options, values), "cuModuleLoadDataEx");
    for (const Program& p : programs) {
      CUfunction kernel;
      must(cuModuleGetFunction(&kernel, module, p.name), p.name);
      std::vector<unsigned long long> v = p.first;
      must(cuMemcpyHtoD(memory, v.data(), 8 * v.size()), p.name);
      void* arguments[] = {&memory};
      must(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), p.name);
      must(cuCtxSynchronize(), p.name);
      must(cuMemcpyDtoH(v.data(), memory, 8 * v.size()), p.name);
      printf("O%llu %s", level, p.name);
      for (unsigned long long x : v) printf(" %llu", x);
      printf("\n");
    }
    must(cuModuleUnload(module), "cuModuleUnload");
  }
  return 0;
}
"""


def emit(tests, folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "programs.ptx"), "w") as f:
        f.write(".version 7.8\n.target sm_80\n.address_size 64\n" + "".join(t.ptx() for t in tests))
    with open(os.path.join(folder, "programs.inc"), "w") as f:
        f.write("".join(f'{{"{t.name}", {{{", ".join(f"{v}ull" for v in t.first())}}}}},\n' for t in tests))
    with open(os.path.join(folder, "run.cu"), "w") as f:
        f.write(RUN)


def held(a, tests, lines):
    """The values of a device against `check`: the number of disagreements."""
    by_name, seen = {t.name: t for t in tests}, collections.defaultdict(dict)
    for line in lines:
        level, name, *values = line.split()
        t = by_name[name]
        seen[name][level] = [shown(int(v), kind) for (_, kind), v in zip(t.places(), values)]
    wrong, undecided, features, done = 0, 0, collections.Counter(), 0
    names = list(seen)
    for start in range(0, len(names), 200):
        texts, programs, due = [], [], []
        for name in names[start:start + 200]:
            t, values = by_name[name], seen[name]
            asked = {tuple(v): "holds" for v in values.values()}
            if int(name[1:]) % 3 == 0:
                changed = list(values["O3"])
                k = t.r.randrange(len(changed))
                changed[k] = shown(changed[k] ^ 1, t.places()[k][1])
                asked[tuple(changed)] = "fails"
            for v, answer in asked.items():
                programs.append({"text": len(texts), "file": name + ".litmus", "entry": "", "grid": "", "inputs": [], "asks": ["as written"], "bound": 4})
                texts.append(t.litmus(v))
                due.append((t, answer, len(values) and texts[-1]))
        answers = ask_driver(a.driver, "check", {"texts": texts, "programs": programs, "patience": a.patience})
        bad = {}
        for (t, answer, text), got in zip(due, answers):
            if got[0] != answer:
                bad.setdefault(t.name, []).append((answer, got[0], text))
        for name in names[start:start + 200]:
            if name not in bad:
                done += 1
                features.update(by_name[name].features)
            elif all(got.startswith(("gave_up", "unknown")) for _, got, _ in bad[name]):
                undecided += 1
            else:
                wrong += 1
                answer, got, text = bad[name][0]
                print(f"{name}: should be '{answer}', is '{got[:300]}'")
                if a.keep:
                    os.makedirs(a.keep, exist_ok=True)
                    with open(os.path.join(a.keep, name + ".litmus"), "w") as f:
                        f.write(text)
    print(f"ptx: {done} programs agree, {wrong} disagree, {undecided} undecided")
    few = 0
    for f in sorted(FEATURES, key=lambda f: -features[f]):
        few += features[f] < SHARE * done
        print(f"  {f:20} {100 * features[f] / max(done, 1):5.1f} %{'  too few' if features[f] < SHARE * done else ''}")
    return 1 if wrong or few and done >= 500 or not done or undecided > len(names) // 50 else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mode", choices=["emit", "check", "run"])
    p.add_argument("paths", nargs="+")
    p.add_argument("--driver", default="build/release/tests/fuzz/front_driver")
    p.add_argument("--count", type=int, default=2000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--patience", type=float, default=2)
    p.add_argument("--keep", default="")
    a = p.parse_args()
    tests = [Test(s) for s in range(a.seed, a.seed + a.count)]
    if a.mode == "check":
        return held(a, tests, [line for path in a.paths for line in open(path)])
    emit(tests, a.paths[0])
    if a.mode == "emit":
        return 0
    if not shutil.which("nvcc") or subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode if shutil.which("nvidia-smi") else True:
        print("SKIPPED: there is no nvcc or no GPU here")
        return 77
    subprocess.run(["nvcc", "-O1", "-o", "run", "run.cu", "-lcuda"], cwd=a.paths[0], check=True)
    done = subprocess.run(["./run", "programs.ptx"], cwd=a.paths[0], check=True, capture_output=True, text=True)
    return held(a, tests, done.stdout.splitlines())


if __name__ == "__main__":
    sys.exit(main())
