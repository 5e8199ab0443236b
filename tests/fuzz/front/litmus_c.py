#!/usr/bin/env python3
"""Random OPENCL and CUDA litmus tests of one thread, held against what a C compiler makes of the same statements.

  litmus_c.py --driver build/release/tests/fuzz/front_driver [--seed 1] [--count 200] [--keep DIR]

`forall` of the values that the compiled program leaves in variables and locations must hold; for every third program, with one value
changed, it must fail. The statements are printed twice, word for word but for shifts (OpenCL C takes the low bits of the amount, which
is written out for C). What C leaves open is not made: two effects without an order between them, division by what may be 0.
Exit status 1 on a difference or where a feature is in fewer than 5 % of the programs, 77 without a C compiler."""

import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from differ import ask_driver  # noqa: E402

SHARE = 0.05
BATCH = 100
TYPES = {"bool": (1, False), "char": (8, True), "uchar": (8, False), "short": (16, True), "ushort": (16, False), "int": (32, True),
         "uint": (32, False), "long": (64, True), "ulong": (64, False)}
CUDA_NAMES = {"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long"}
FEATURES = ["bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "if", "else", "while", "do", "for", "break", "continue", "goto",
            "conditional", "conditional-effect", "logical", "logical-effect", "comma", "cast", "compound", "prefix", "postfix", "prefix-memory",
            "postfix-memory", "compound-memory", "assigned-value", "shift", "division", "comparison", "unary", "array", "min-max", "rmw", "cas",
            "literal-suffix", "statement-expression"]

PRELUDE = r"""
#include <stdio.h>
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong; typedef _Bool bool;
#define SHL(a, b) ({ __auto_type x_ = +(a); x_ << ((b) & (sizeof(x_) * 8 - 1)); })
#define SHR(a, b) ({ __auto_type y_ = +(a); y_ >> ((b) & (sizeof(y_) * 8 - 1)); })
#define RMW(p, v, e) ({ __auto_type p_ = (p); __auto_type old = *p_; __typeof__(old) arg = (v); *p_ = (e); old; })
#define min(a, b) ({ __typeof__((a) + (b)) l_ = (a), m_ = (b); l_ < m_ ? l_ : m_; })
#define max(a, b) ({ __typeof__((a) + (b)) l_ = (a), m_ = (b); l_ > m_ ? l_ : m_; })
#define atomic_load_explicit(p, o, s) (*(p))
#define atomic_load(p) (*(p))
#define atomic_store_explicit(p, v, o, s) ((void)(*(p) = (v)))
#define atomic_exchange_explicit(p, v, o, s) RMW(p, v, arg)
#define atomic_fetch_add_explicit(p, v, o, s) RMW(p, v, old + arg)
#define atomic_fetch_sub(p, v) RMW(p, v, old - arg)
#define atomic_fetch_and_explicit(p, v, o) RMW(p, v, old & arg)
#define atomic_fetch_or(p, v) RMW(p, v, old | arg)
#define atomic_fetch_xor(p, v) RMW(p, v, old ^ arg)
#define atomic_fetch_min_explicit(p, v, o, s) RMW(p, v, old < arg ? old : arg)
#define atomic_fetch_max(p, v) RMW(p, v, old > arg ? old : arg)
#define atomic_compare_exchange_strong_explicit(p, e, d, o, f, s) \
  ({ __auto_type p_ = (p); __auto_type e_ = (e); __typeof__(*p_ + 0) d_ = (d); bool b_ = *p_ == *e_; if (b_) *p_ = d_; else *e_ = *p_; b_; })
#define atomicAdd(p, v) RMW(p, v, old + arg)
#define atomicSub(p, v) RMW(p, v, old - arg)
#define atomicExch_block(p, v) RMW(p, v, arg)
#define atomicMin(p, v) RMW(p, v, old < arg ? old : arg)
#define atomicMax_system(p, v) RMW(p, v, old > arg ? old : arg)
#define atomicAnd(p, v) RMW(p, v, old & arg)
#define atomicOr(p, v) RMW(p, v, old | arg)
#define atomicXor(p, v) RMW(p, v, old ^ arg)
#define atomicCAS(p, c, v) ({ __auto_type p_ = (p); __auto_type old = *p_; __typeof__(old) c_ = (c), v_ = (v); if (old == c_) *p_ = v_; old; })
"""


def written(n):
    """As C writes it: a decimal number without u has a signed type."""
    return f"{n}{'u' if n >= 1 << 63 else ''}"


class Test:
    """`text` as the notation has it and `c` as a C compiler wants it."""

    def __init__(self, seed):
        self.r = r = random.Random(f"litmus c {seed}")
        self.cuda = seed % 3 == 2
        self.name = f"k{seed}"
        self.features = set()
        self.text, self.c = [], []
        self.counters = self.labels = 0
        self.variables = {f"r{k}": t for k, t in enumerate(["long"] + r.choices(list(TYPES), k=r.randint(3, 5)))}
        kinds = [t for t in TYPES if t != "bool"]
        self.locations = {"xyzw"[k]: (t, 1) for k, t in enumerate(r.choices(kinds, k=r.randint(2, 3)))}
        self.locations["a"] = (r.choice(kinds), 3)
        self.atomic = {"n": (r.choice(["int", "uint", "long", "ulong"]), 1), "m": (r.choice(["int", "uint", "long", "ulong"]), 1)}
        self.fixed = {"f0": r.choice(list(TYPES)), "f1": r.choice(list(TYPES))}  # never changed: may stand beside an effect
        self.first = {x: [self.number(t) for _ in range(n)] for x, (t, n) in {**self.locations, **self.atomic}.items()}
        for v, t in {**self.fixed, **self.variables}.items():
            self.note(t)
            n = self.number(t)
            self.out(f"{self.type(t)} {v} = {written(n)};")
        for _ in range(r.randint(4, 9)):
            self.statement(2)

    def note(self, *features):
        self.features.update(features)

    def out(self, text, c=None):
        self.text.append(text)
        self.c.append(c or text)

    def both(self, e):
        self.out(e[0], e[1])

    def type(self, t):
        return CUDA_NAMES.get(t, t) if self.cuda else t

    def number(self, t):
        w, signed = TYPES[t]
        low, high = (-(1 << (w - 1)), (1 << (w - 1)) - 1) if signed else (0, (1 << w) - 1)
        n = self.r.choice([low, high, 0, 1, high - 1, low + 1, self.r.randint(low, high), self.r.randint(max(low, -9), min(high, 9))])
        return max(n, -(1 << 63) + 1) if w == 64 else n

    def literal(self):
        r = self.r
        n = r.choice([0, 1, 2, 3, 5, 31, 63, 127, 128, 255, 256, 65535, 32768, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, r.getrandbits(31), r.randint(0, 20)])
        s = r.choice(["", "", "", "u", "l", "ul", "L", "U"])
        if s:
            self.note("literal-suffix")
        text = (hex(n) if r.random() < 0.3 else str(n)) + s
        if r.random() < 0.2:
            text = "-" + text
        return text

    # An expression is (text, c).
    def pure(self, depth, loads=True):
        """Without effects."""
        r = self.r
        if depth == 0 or r.random() < 0.15:
            k = r.random()
            if k < 0.35:
                v = r.choice(list(self.variables) + list(self.fixed))
                return v, v
            if k < 0.6 or not loads:
                n = self.literal()
                return n, n
            return self.load()
        kind = r.choice(["arithmetic", "arithmetic", "logic", "comparison", "shift", "division", "unary", "cast", "conditional", "logical", "min-max"])
        a = lambda: self.pure(depth - 1, loads)  # noqa: E731
        if kind in ("arithmetic", "logic", "comparison"):
            ops = {"arithmetic": "+ - *", "logic": "& | ^", "comparison": "== != < <= > >="}[kind].split()
            if kind == "comparison":
                self.note(kind)
            return self.join(r.choice(ops), a(), a())
        if kind == "shift":
            self.note("shift")
            x, left = a(), r.random() < 0.5
            by = (str(r.choice([0, 1, 3, 7, 15])),) * 2 if self.cuda else r.choice([a, lambda: (str(r.choice([0, 1, 4, 31, 32, 33, 63, 64])),) * 2])()
            return f"({x[0]} {'<<' if left else '>>'} {by[0]})", f"SH{'L' if left else 'R'}({x[1]}, {by[1]})"
        if kind == "division":
            self.note("division")
            by = r.choice(["2", "3", "7", "10", "-3", "5u", "100l"])
            return self.join(r.choice("/%"), a(), (by, by))
        if kind == "unary":
            self.note("unary")
            op, x = r.choice(["!", "~", "-", "+"]), a()
            return f"{op}({x[0]})", f"{op}({x[1]})"
        if kind == "cast":
            self.note("cast")
            t, x = self.type(r.choice(list(TYPES))), a()
            return f"(({t})({x[0]}))", f"(({t})({x[1]}))"
        if kind == "conditional":
            self.note("conditional")
            return self.choose(a(), *self.arms(a(), a()))
        if kind == "logical":
            self.note("logical")
            return self.join(r.choice(["&&", "||"]), a(), a())
        self.note("min-max")
        f, x, y = r.choice(["min", "max"]), self.pure(min(depth - 1, 1), False), self.pure(min(depth - 1, 1), False)
        return f"{f}({x[0]}, {y[0]})", f"{f}({x[1]}, {y[1]})"

    @staticmethod
    def join(op, a, b):
        return f"({a[0]} {op} {b[0]})", f"({a[1]} {op} {b[1]})"

    def arms(self, a, b):
        """Two arms, of which the first is to be as wide as the second."""
        if self.r.random() < 0.3:
            return (f"(long){a[0]}", f"(long){a[1]}"), b
        t = self.type(self.r.choice(["int", "uint", "uint", "short", "uchar"]))
        return a, (f"({t}){b[0]}", f"({t}){b[1]}")

    @staticmethod
    def choose(c, a, b):
        return f"({c[0]} ? {a[0]} : {b[0]})", f"({c[1]} ? {a[1]} : {b[1]})"

    def place(self):
        x = self.r.choice(list(self.locations))
        if x == "a":
            self.note("array")
            k = self.r.choice(["0", "1", "2", "(f0 & 1)", "(f1 != 0)"])
            return self.r.choice([f"a[{k}]", f"*(a + {k})"])
        return f"*{x}"

    def load(self):
        p = self.place()
        return f"({p})", f"({p})"

    def effect(self, depth):
        """With one effect, or several in an order."""
        r = self.r
        kind = r.choice(["memory", "memory", "variable", "rmw", "rmw", "cas", "logical", "conditional", "comma", "beside", "block"] if depth > 0
                        else ["memory", "variable", "rmw"])
        if kind in ("memory", "variable"):
            x = self.place() if kind == "memory" else r.choice(list(self.variables))
            of = "-memory" if kind == "memory" else ""
            how = r.choice(["prefix", "postfix", "compound", "assigned-value"])
            self.note(how if how == "assigned-value" else how + of)
            if how in ("prefix", "postfix"):
                # The type bool has no --.
                is_bool = kind == "variable" and self.variables[x] == "bool"
                op = "++" if is_bool else r.choice(["++", "--"])
                e = f"({op}{x})" if how == "prefix" else f"(({x}){op})" if kind == "memory" else f"({x}{op})"
                return e, e
            op, v = r.choice(["+=", "-=", "*=", "&=", "|=", "^="]) if how == "compound" else "=", self.pure(1)
            return f"({x} {op} {v[0]})", f"({x} {op} {v[1]})"
        if kind == "rmw":
            self.note("rmw")
            x, v = r.choice(list(self.atomic)), self.pure(1)
            if self.cuda:
                f = r.choice(["atomicAdd", "atomicSub", "atomicExch_block", "atomicMin", "atomicMax_system", "atomicAnd", "atomicOr", "atomicXor"])
                return f"{f}({x}, {v[0]})", f"{f}({x}, {v[1]})"
            o = "memory_order_" + r.choice(["relaxed", "acquire", "release", "acq_rel", "seq_cst"])
            f, tail = r.choice([("exchange_explicit", f", {o}, memory_scope_device"), ("fetch_add_explicit", f", {o}, memory_scope_work_group"),
                                ("fetch_sub", ""), ("fetch_and_explicit", f", {o}"), ("fetch_or", ""), ("fetch_xor", ""),
                                ("fetch_min_explicit", f", {o}, memory_scope_all_svm_devices"), ("fetch_max", "")])
            return f"atomic_{f}({x}, {v[0]}{tail})", f"atomic_{f}({x}, {v[1]}{tail})"
        if kind == "cas":
            x = r.choice(list(self.atomic))
            if self.cuda:
                self.note("cas")
                c, v = r.choice([self.pure(0), (written(self.first[x][0]),) * 2]), self.pure(1)
                return f"atomicCAS({x}, {c[0]}, {v[0]})", f"atomicCAS({x}, {c[1]}, {v[1]})"
            # Expected is a variable of the object's type.
            of = [v for v, t in self.variables.items() if t == self.atomic[x][0]]
            if not of:
                return self.effect(depth - 1)
            self.note("cas")
            e, d = r.choice(of), self.pure(1)
            tail = ", memory_order_acq_rel, memory_order_relaxed, memory_scope_device"
            return tuple(f"atomic_compare_exchange_strong_explicit({x}, &{e}, {d[k]}{tail})" for k in (0, 1))
        inner = lambda: self.effect(depth - 1) if r.random() < 0.7 else self.pure(1)  # noqa: E731
        if kind == "logical":
            self.note("logical-effect")
            return self.join(r.choice(["&&", "||"]), inner(), self.effect(depth - 1))
        if kind == "conditional":
            self.note("conditional-effect")
            return self.choose(inner(), *self.arms(inner(), self.effect(depth - 1)))
        if kind == "comma":
            self.note("comma")
            a, b = self.effect(depth - 1), inner()
            return f"({a[0]}, {b[0]})", f"({a[1]}, {b[1]})"
        if kind == "block":
            self.note("statement-expression")
            a, b = self.effect(depth - 1), inner()
            return f"({{ {a[0]}; {b[0]}; }})", f"({{ {a[1]}; {b[1]}; }})"
        beside, e = r.choice(list(self.fixed) + [self.literal()]), self.effect(depth - 1)
        pair = [(beside, beside), e]
        r.shuffle(pair)
        return self.join(r.choice(["+", "-", "*", "&", "|", "^", "==", "<", ">"]), *pair)

    def any(self, depth=2):
        return self.effect(depth) if self.r.random() < 0.5 else self.pure(depth)

    def block(self, depth, more=()):
        self.out("{")
        for _ in range(self.r.randint(1, 3)):
            self.statement(depth - 1)
        for m in more:
            self.both(m)
        self.out("}")

    def statement(self, depth):
        r = self.r
        kind = r.choice(["set", "set", "set", "store", "store", "effect", "if", "if", "while", "do", "for", "goto"] if depth > 0 else ["set", "store", "effect"])
        if kind == "set":
            e = self.any()
            v = r.choice(list(self.variables) + [v for v, t in self.variables.items() if t == "long"])
            self.both((f"{v} = {e[0]};", f"{v} = {e[1]};"))
        elif kind == "store":
            if r.random() < 0.3 and not self.cuda:
                x, e = r.choice(list(self.atomic)), self.pure(2)
                return self.both(tuple(f"atomic_store_explicit({x}, {e[k]}, memory_order_release, memory_scope_device);" for k in (0, 1)))
            p, e = self.place(), self.pure(2)
            self.both((f"{p} = {e[0]};", f"{p} = {e[1]};"))
        elif kind == "effect":
            e = self.effect(1)
            self.both((f"{e[0]};", f"{e[1]};"))
        elif kind == "if":
            self.note("if")
            c = self.any(1)
            self.both((f"if ({c[0]})", f"if ({c[1]})"))
            self.block(depth)
            if r.random() < 0.5:
                self.note("else")
                self.out("else")
                self.block(depth)
        elif kind == "goto":
            self.note("goto")
            name, c = f"l{self.labels}", self.pure(1)
            self.labels += 1
            self.both((f"if ({c[0]}) goto {name};", f"if ({c[1]}) goto {name};"))
            for _ in range(r.randint(1, 2)):
                self.statement(0)
            self.out(f"{name}: ;")
        else:
            self.note(kind)
            i, n = f"i{self.counters}", r.randint(1, 3)
            self.counters += 1
            if kind == "for":
                self.out(f"for (int {i} = 0; {i} < {n}; {r.choice([f'{i}++', f'++{i}', f'{i} += 1', f'{i} = {i} + 1'])})")
                self.leaving(depth, "break")
            elif kind == "while":
                self.out(f"int {i} = 0;")
                c = self.pure(1)
                self.both(r.choice([(f"while ({i}++ < {n})",) * 2, (f"while ({i}++ < {n} && ({c[0]}))", f"while ({i}++ < {n} && ({c[1]}))")]))
                self.leaving(depth, r.choice(["break", "continue"]))
            else:
                self.out(f"int {i} = 0;")
                self.out("do")
                self.leaving(depth, "break")
                self.out(f"while (++{i} < {n});")

    def leaving(self, depth, how):
        """A loop's body, left early perhaps."""
        if self.r.random() < 0.5:
            self.note(how)
            c = self.pure(1)
            self.out("{")
            self.statement(depth - 1)
            self.both((f"if ({c[0]}) {{ {how}; }}", f"if ({c[1]}) {{ {how}; }}"))
            self.statement(depth - 1)
            self.out("}")
        else:
            self.block(depth)

    # ---- texts ----
    def places(self):
        """(as a condition says it, as C says it)"""
        out = [(f"0:{v}", v) for v in {**self.fixed, **self.variables}]
        for x, (_, n) in {**self.locations, **self.atomic}.items():
            out += [(f"{x}[{k}]" if n > 1 else x, f"{x}[{k}]") for k in range(n)]
        return out

    def litmus(self, values):
        every = {**self.locations, **self.atomic}
        start = []
        for x, (t, n) in every.items():
            word = ("atomic_" if x in self.atomic and not self.cuda else "") + self.type(t)
            start.append(f"{word} {x}[{n}] = {{{', '.join(map(str, self.first[x]))}}};" if n > 1 else f"{word} {x} = {self.first[x][0]};")
        space = "" if self.cuda else "global "
        parameters = ", ".join(f"{space}{'atomic_' if x in self.atomic and not self.cuda else ''}{self.type(t)}* {x}" for x, (t, _) in every.items())
        condition = " /\\ ".join(f"{p} = {v}" for (p, _), v in zip(self.places(), values))
        place = "@block 0, device 0" if self.cuda else "@wg 0, dev 0"
        return (f"{'CUDA' if self.cuda else 'OPENCL'} {self.name}\n{{ {' '.join(start)} }}\n\nP0{place} ({parameters}) {{\n"
                + "".join(f"  {x}\n" for x in self.text) + f"}}\n\nforall ({condition})\n")

    def function(self):
        every = {**self.locations, **self.atomic}
        out = f"static void {self.name}(void) {{\n"
        for x, (t, n) in every.items():
            out += f"  {t} {x}_[{n}] = {{{', '.join(map(str, self.first[x]))}}}; {t}* const {x} = {x}_;\n"
        out += "".join(f"  {x}\n" for x in self.c)
        return out + f'  printf("{self.name}");\n' + "".join(
            f'  ({p}) < 0 ? printf(" %ld", (long)({p})) : printf(" %lu", (unsigned long)({p}));\n' for _, p in self.places()) + '  printf("\\n");\n}\n'


def values_of(tests):
    """By name, as C computes them."""
    with tempfile.TemporaryDirectory() as d:
        source = os.path.join(d, "a.c")
        text = PRELUDE + "".join(t.function() for t in tests) + "int main(void) {\n" + "".join(f"  {t.name}();\n" for t in tests) + "  return 0;\n}\n"
        text = text.replace("unsigned unsigned", "unsigned")
        with open(source, "w") as f:
            f.write(text)
        compiler = os.environ.get("CC") or "gcc"
        made = subprocess.run([compiler, "-std=gnu11", "-O0", "-w", "-fwrapv", "-fsigned-char", "-o", os.path.join(d, "a"), source], capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit(f"the C compiler refuses what was made:\n{made.stderr[:3000]}")
        ran = subprocess.run([os.path.join(d, "a")], capture_output=True, text=True, timeout=60)
    return {line.split()[0]: [int(v) for v in line.split()[1:]] for line in ran.stdout.splitlines()}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--driver", required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=200)
    p.add_argument("--keep", default="")
    a = p.parse_args()
    if not shutil.which(os.environ.get("CC") or "gcc"):
        print("SKIPPED: there is no C compiler")
        return 77
    bad, answers, refused, features, read = [], 0, collections.Counter(), collections.Counter(), 0
    for begin in range(0, a.count, BATCH):
        tests = [Test(a.seed * 1000000 + k) for k in range(begin, min(begin + BATCH, a.count))]
        truth = values_of(tests)
        job = {"texts": [], "programs": [], "patience": 5}
        due = []
        for k, t in enumerate(tests):
            values = truth[t.name]
            job["texts"].append(t.litmus(values))
            job["programs"].append({"text": len(job["texts"]) - 1, "file": t.name + ".litmus", "entry": "", "grid": "", "bound": 5, "inputs": [], "asks": ["as written"]})
            due.append((t, "holds", values))
            if k % 3 == 0:
                wrong = list(values)
                at = t.r.randrange(len(wrong))
                name = t.places()[at][1].split("[")[0]
                of = {**t.variables, **t.fixed, **{x: y for x, (y, _) in {**t.locations, **t.atomic}.items()}}[name]
                wrong[at] = wrong[at] - 1 if wrong[at] > 0 else wrong[at] + 1
                if of == "bool":
                    wrong[at] = 1 - values[at]
                job["texts"].append(t.litmus(wrong))
                job["programs"].append({"text": len(job["texts"]) - 1, "file": t.name + ".litmus", "entry": "", "grid": "", "bound": 5, "inputs": [], "asks": ["as written"]})
                due.append((t, "fails", wrong))
        for (t, wanted, values), got in zip(due, ask_driver(a.driver, "check", job)):
            said = got[0] if got else "nothing"
            if said == wanted:
                answers += 1
                if wanted == "holds":
                    read += 1
                    features.update(t.features)
            elif "unsupported" in said:
                refused[said.split("error: ")[-1][:90]] += 1
            else:
                bad.append(f"{t.name}: should be {wanted}, is {said[:300]}")
                if a.keep:
                    os.makedirs(a.keep, exist_ok=True)
                    with open(os.path.join(a.keep, f"{t.name}-{wanted}.litmus"), "w") as f:
                        f.write(t.litmus(values))
    rare = [f for f in FEATURES if features[f] < SHARE * read] if read >= 100 else []
    print("\n".join(bad))
    for why, n in refused.most_common(8):
        print(f"  refused {n}: {why}")
    print(f"{answers} answers as the C compiler's, {len(bad)} not, of {read} programs; {sum(refused.values())} refused by name; rarest "
          + ", ".join(f"{f} {100 * features[f] // max(read, 1)} %" for f in sorted(FEATURES, key=lambda f: features[f])[:3]))
    if rare:
        print(f"in fewer than {100 * SHARE:.0f} % of the programs: {', '.join(rare)}")
    return 1 if bad or rare or read < a.count // 3 else 0


if __name__ == "__main__":
    sys.exit(main())
