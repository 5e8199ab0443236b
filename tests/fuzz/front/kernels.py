"""Random kernels in OpenCL C that are C as well, but for a few macros: of one work-item, or of several with barriers and no race.

Everything that they compute is defined in both languages: indices are in range, divisors are not zero, amounts of shifts are
masked (in C by a macro, since OpenCL C masks them itself). The C text is compiled with wrapping arithmetic and without assumptions
on aliases. Features are counted by name as they are drawn, so that a histogram shows what the programs exercise.

Kernels of several work-items are phases between barriers. In a phase every array of the work-group is either read by all, or
each work-item has one element of it for itself. In C the work-items of a group are coroutines that take turns at barriers.

To add a feature: a method `stmt_NAME` or a branch of `expression`, and `self.note("NAME")` where it is drawn.
"""

import random

SCALARS = {
    "char": (8, True), "uchar": (8, False), "short": (16, True), "ushort": (16, False),
    "int": (32, True), "uint": (32, False), "long": (64, True), "ulong": (64, False),
}
VECTORS = {f"{t}{n}": (t, n) for t in ("uchar", "short", "int", "uint", "ulong") for n in (2, 4)}

OPENCL_HEAD = """#define LOCAL_ARRAY local
#define SH(n, mask) (n)
#define QUO(T, a, op, b) ((T)(a) op (T)(b))
#define AT(v, k) ((v).s##k)
#define MAKE2(T, a, b) ((T)((a), (b)))
#define MAKE4(T, a, b, c, d) ((T)((a), (b), (c), (d)))
#define SHUFFLE(T, x, a, b, y, c, d) (x).s##a##b = (y).s##c##d
#define LOAD(T, n, at, p) vload##n(at, p)
#define STORE(T, n, v, at, p) vstore##n(v, at, p)
"""

C_HEAD = """#include <stdio.h>
#include <string.h>
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong;
#define kernel static
#define global
#define local
#define LOCAL_ARRAY static
#define barrier(flags) yield_()
static uint lane_, group_, lanes_;
static void yield_(void);
#define get_local_id(d) ((ulong)lane_)
#define get_group_id(d) ((ulong)group_)
#define get_global_id(d) ((ulong)(group_ * lanes_ + lane_))
#define get_local_size(d) ((ulong)lanes_)
#define SH(n, mask) ((n) & (mask))
// A call, since gcc 12 makes a / -b of -(a / b) and of -1 * (a / b), under -fwrapv too, which traps for the least a and b = 1.
#define QUO(T, a, op, b) ((T)(a) op itself_##T(b))
static int itself_int(int n) { return n; }
static uint itself_uint(uint n) { return n; }
static long itself_long(long n) { return n; }
static ulong itself_ulong(ulong n) { return n; }
#define AT(v, k) ((v)[k])
#define MAKE2(T, a, b) ((T){(a), (b)})
#define MAKE4(T, a, b, c, d) ((T){(a), (b), (c), (d)})
#define SHUFFLE(T, x, a, b, y, c, d) do { T t_ = (y); T u_ = (x); u_[a] = t_[c]; u_[b] = t_[d]; (x) = u_; } while (0)
#define LOAD(T, n, at, p) ({ T##n t_; memcpy(&t_, (p) + n * (at), sizeof t_); t_; })
#define STORE(T, n, v, at, p) do { T##n t_ = (v); memcpy((p) + n * (at), &t_, sizeof t_); } while (0)
""" + "".join(
    f"typedef {t} {t}{n} __attribute__((vector_size({n} * sizeof({t}))));\n" for t, n in VECTORS.values()) + """
#include <ucontext.h>
static ucontext_t host_, lane_context_[8];
static char stacks_[8][1 << 16] __attribute__((aligned(64)));
static int ended_;
static void yield_(void) { swapcontext(&lane_context_[lane_], &host_); }
static void run_group(void (*entry)(void), uint lanes, uint group) {
  lanes_ = lanes;
  group_ = group;
  ended_ = 0;
  for (uint k = 0; k < lanes; k++) {
    getcontext(&lane_context_[k]);
    lane_context_[k].uc_stack.ss_sp = stacks_[k];
    lane_context_[k].uc_stack.ss_size = sizeof stacks_[k];
    lane_context_[k].uc_link = &host_;
    makecontext(&lane_context_[k], entry, 0);
  }
  while (!ended_)
    for (lane_ = 0; lane_ < lanes; lane_++) swapcontext(&host_, &lane_context_[lane_]);
}
"""


FEATURES = [
    "struct", "nested-struct", "nested-array", "vector", "vector-arithmetic", "component", "shuffle", "vload", "pointer",
    "pointer-arithmetic", "pointer-choice", "pointer-loop", "pointer-argument", "other-type", "dereference", "bits-8", "bits-16",
    "bits-32", "bits-64", "signed", "unsigned", "switch", "loop", "break", "if", "call", "barrier", "barrier-in-loop", "shared",
    "groups", "several", "arithmetic", "comparison", "shift", "division", "choice", "conversion", "member", "computed-index",
    "private-aggregate", "whole-copy", "input", "aligned-member", "by-value", "struct-result"]


class Struct:
    def __init__(self, name, members, aligned=None):
        self.name, self.members = name, members  # members: (name, type)
        self.aligned = aligned or {}             # member's name: bytes that its offset is a multiple of

    def text(self):
        said = {m: f" __attribute__((aligned({n})))" for m, n in self.aligned.items()}
        return "typedef struct { " + " ".join(declare(t, n) + said.get(n, "") + ";" for n, t in self.members) + f" }} {self.name};\n"

    def align(self, member):
        name, t = member
        return max(align_of(t), self.aligned.get(name, 1))


class Array:
    def __init__(self, of, n):
        self.of, self.n = of, n


def declare(t, name):
    dims = ""
    while isinstance(t, Array):
        dims += f"[{t.n}]"
        t = t.of
    return f"{spell(t)} {name}{dims}"


def spell(t):
    return t.name if isinstance(t, Struct) else t


def leaves(t, path=(), text=""):
    """Scalars of a type: (path of numbers, C text behind the variable, scalar type)."""
    if isinstance(t, Array):
        for k in range(t.n):
            yield from leaves(t.of, path + (k,), f"{text}[{k}]")
    elif isinstance(t, Struct):
        for k, (name, m) in enumerate(t.members):
            yield from leaves(m, path + (k,), f"{text}.{name}")
    elif t in VECTORS:
        for k in range(VECTORS[t][1]):
            yield path + (k,), f"{text}[{k}]", VECTORS[t][0]
    else:
        yield path, text, t


def align_of(t):
    if isinstance(t, Array):
        return align_of(t.of)
    if isinstance(t, Struct):
        return max(t.align(m) for m in t.members)
    return size_of(t)


def size_of(t):
    if isinstance(t, Array):
        return size_of(t.of) * t.n
    if isinstance(t, Struct):
        at = 0
        for m in t.members:
            at = -(-at // t.align(m)) * t.align(m) + size_of(m[1])
        return -(-at // align_of(t)) * align_of(t)
    if t in VECTORS:
        return SCALARS[VECTORS[t][0]][0] // 8 * VECTORS[t][1]
    return SCALARS[t][0] // 8


def offsets(t, path=(), base=0):
    """Scalars of a type as C lays it out: (path of numbers, offset, scalar type)."""
    if isinstance(t, Array):
        for k in range(t.n):
            yield from offsets(t.of, path + (k,), base + k * size_of(t.of))
    elif isinstance(t, Struct):
        at = 0
        for k, m in enumerate(t.members):
            at = -(-at // t.align(m)) * t.align(m)
            yield from offsets(m[1], path + (k,), base + at)
            at += size_of(m[1])
    elif t in VECTORS:
        of, n = VECTORS[t]
        for k in range(n):
            yield path + (k,), base + k * (SCALARS[of][0] // 8), of
    else:
        yield path, base, t


class Place:
    """Something that can be read and written: its text, its type, and where it lives."""

    def __init__(self, text, type_, space):
        self.text, self.type, self.space = text, type_, space


class Kernel:
    def __init__(self, seed, name="k"):
        self.r = random.Random(seed)
        self.name = name
        self.features = set()
        self.count = 0
        self.depth = 0
        self.structs = []
        self.functions = []
        self.host_only = False      # devices may do with it what they like
        self.takers = []            # functions that take pointers: name, parameters as (type, space; None: by value)
        self.changers = []          # functions that change a structure of theirs: name, its type, scalars, has a result
        self.locals = [{}]          # scopes: name -> (type, space, writable)
        self.pointers = [{}]        # name -> (pointee type, space, readable elements)
        self.lines = []
        self.make()

    # ---- helpers ----
    def note(self, feature):
        self.features.add(feature)

    def fresh(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def line(self, text):
        self.lines.append("  " * (len(self.locals)) + text)

    def chance(self, p):
        return self.r.random() < p

    # ---- types ----
    def scalar(self):
        t = self.r.choice(list(SCALARS))
        bits, sign = SCALARS[t]
        self.note(f"bits-{bits}")
        self.note("signed" if sign else "unsigned")
        return t

    def type_(self, depth=0):
        x = self.r.random()
        if depth < 2 and x < 0.3:
            if depth > 0:
                self.note("nested-array")
            return Array(self.type_(depth + 1), self.r.randint(2, 3))
        if x < 0.45 and self.structs:
            self.note("nested-struct")
            return self.r.choice(self.structs)
        if x < 0.58:
            self.note("vector")
            return self.r.choice(list(VECTORS))
        return self.scalar()

    def make_struct(self):
        name = f"{self.name}_S{len(self.structs)}"
        while True:  # every scalar is an event for each access of the whole
            members = [(f"m{k}", self.type_()) for k in range(self.r.randint(2, 4))]
            s = Struct(name, members)
            if self.chance(0.2):
                s.aligned[self.r.choice(members)[0]] = self.r.choice([8, 16, 32])
            if sum(1 for _ in leaves(s)) <= (6 if self.lanes > 1 else 12):
                break
        self.note("struct")
        if s.aligned:
            self.note("aligned-member")
        self.structs.append(s)

    # ---- expressions: text, type ----
    def literal(self, t=None):
        t = t or self.scalar()
        bits, sign = SCALARS[t]
        n = self.r.choice([0, 1, 2, 3, 5, 7, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                           self.r.getrandbits(bits)])
        n &= (1 << bits) - 1
        suffix = "ul" if bits == 64 else "u"
        return f"(({t}){n}{suffix})"

    def all_of(self, stack):
        return [(n, v) for scope in stack for n, v in scope.items()]

    def places(self, writable):
        out = []
        for name, (t, space, w) in self.all_of(self.locals):
            if w or not writable:
                out.append(Place(name, t, space))
        for name, (t, space, n) in self.all_of(self.pointers):
            if n == 1:
                self.note("dereference")
                out.append(Place(f"(*{name})", t, space))
            else:
                out.append(Place(name, Array(t, n), space))
        return out

    def descend(self, p, level):
        """From a place to a scalar in it."""
        while True:
            if isinstance(p.type, Array):
                if self.chance(0.5):
                    i = str(self.r.randrange(p.type.n))
                else:
                    i = self.index(p.type.n, level)
                    self.note("computed-index")
                p = Place(f"{p.text}[{i}]", p.type.of, p.space)
            elif isinstance(p.type, Struct):
                name, t = self.r.choice(p.type.members)
                self.note("member")
                p = Place(f"{p.text}.{name}", t, p.space)
            elif p.type in VECTORS:
                t, n = VECTORS[p.type]
                self.note("component")
                return Place(f"AT({p.text}, {self.r.randrange(n)})", t, p.space)
            else:
                return p

    def index(self, n, level=0):
        return f"(uint)({self.expression(level + 2)}) % {n}"

    def expression(self, level=0):
        x = self.r.random()
        if level > 3 or x < 0.15:
            return self.literal()
        if x < 0.5:
            places = self.places(False)
            if places:
                return self.descend(self.r.choice(places), level + 1).text
            return self.literal()
        a = self.expression(level + 1)
        b = self.expression(level + 1)
        if x < 0.75:
            op = self.r.choice(["+", "-", "*", "&", "|", "^"])
            self.note("arithmetic")
            return f"({a} {op} {b})"
        if x < 0.82:
            self.note("comparison")
            return f"({a} {self.r.choice(['<', '<=', '>', '>=', '==', '!='])} {b})"
        if x < 0.86:
            t = self.r.choice(["int", "uint", "long", "ulong", "short", "uchar"])
            self.note("shift")
            mask = 63 if SCALARS[t][0] == 64 else 31
            return f"((({t}){a}) {self.r.choice(['<<', '>>'])} SH((uint){b}, {mask}))"
        if x < 0.90:
            self.note("division")
            t = self.r.choice(["int", "uint", "int", "uint", "int", "uint", "long", "ulong"])  # 64 bits cost a solver most
            return f"QUO({t}, {a}, {self.r.choice(['/', '%'])}, ({b} & 15) + 1)"
        if x < 0.94:
            self.note("choice")
            return f"({a} ? {b} : {self.expression(level + 1)})"
        if x < 0.97:
            self.note("conversion")
            return f"(({self.scalar()}){a})"
        if self.functions:
            self.note("call")
            name, n = self.r.choice(self.functions)
            return f"{name}({', '.join(self.expression(level + 1) for _ in range(n))})"
        return f"(~{a})"

    # ---- statements ----
    def stmt_assign(self):
        places = self.places(True)
        if not places:
            return self.stmt_variable()
        p = self.r.choice(places)
        if self.chance(0.35):  # a structure or a vector as a whole
            others = [q for q in self.places(False) if q.type == p.type and q.text != p.text and not isinstance(p.type, Array)]
            if others and not (p.type in SCALARS if isinstance(p.type, str) else False):
                self.note("whole-copy")
                self.line(f"{p.text} = {self.r.choice(others).text};")
                return
        p = self.descend(p, 1)
        op = self.r.choice(["=", "=", "=", "+=", "^=", "-="])
        self.line(f"{p.text} {op} {self.expression()};")

    def vectors(self, writable):
        """Places of vectors in reach."""
        out = []
        for p in self.places(writable):
            for _ in range(4):
                if isinstance(p.type, Array):
                    p = Place(f"{p.text}[{self.r.randrange(p.type.n)}]", p.type.of, p.space)
                elif isinstance(p.type, Struct):
                    name, t = self.r.choice(p.type.members)
                    p = Place(f"{p.text}.{name}", t, p.space)
                else:
                    break
            if isinstance(p.type, str) and p.type in VECTORS:
                out.append(p)
        return out

    def vector_value(self, t, level=0):
        """An expression of this vector type."""
        of, n = VECTORS[t]
        same = [q for q in self.vectors(False) if q.type == t]
        x = self.r.random()
        if same and x < 0.5:
            return self.r.choice(same).text
        if level < 2 and x < 0.8:
            return f"({self.vector_value(t, level + 1)} {self.r.choice(['+', '-', '*', '&', '|', '^'])} {self.vector_value(t, level + 1)})"
        return f"MAKE{n}({t}, {', '.join(f'({of})({self.expression(2)})' for _ in range(n))})"

    def stmt_vector(self):
        """A vector as a whole: arithmetic, or a shuffle of two components."""
        targets = self.vectors(True)
        if not targets:
            return self.stmt_assign()
        p = self.r.choice(targets)
        of, n = VECTORS[p.type]
        others = [q for q in self.vectors(False) if q.type == p.type]
        if others and self.chance(0.4):
            self.note("shuffle")
            a, b = self.r.sample(range(n), 2)
            self.line(f"SHUFFLE({p.type}, {p.text}, {a}, {b}, {self.r.choice(others).text}, {self.r.randrange(n)}, {self.r.randrange(n)});")
        else:
            self.note("vector-arithmetic")
            self.line(f"{p.text} = {self.vector_value(p.type)};")

    def stmt_vload(self):
        """A vector out of an array of scalars, or into one. (PoCL has no vload of generic pointers.)"""
        arrays = [a for a in self.arrays() if a[3] and a[1] in SCALARS and a[2] >= 2 and f"{a[1]}2" in VECTORS]
        if not arrays:
            return self.stmt_vector()
        text, t, n, space = self.r.choice(arrays)
        size = 4 if n >= 4 and self.chance(0.5) else 2
        at = f"{self.index(n // size)}" if n // size > 1 else "0"
        self.note("vload")
        text = f"({self.pointer_text(t, space, '').strip()}){text}"
        if self.chance(0.5):
            name = self.fresh("v")
            self.line(f"{t}{size} {name} = LOAD({t}, {size}, {at}, {text});")
            self.locals[-1][name] = (f"{t}{size}", "", True)
        else:
            self.line(f"STORE({t}, {size}, {self.vector_value(f'{t}{size}')}, {at}, {text});")

    def stmt_call(self):
        """A call with pointers as arguments."""
        for f, params in self.r.sample(self.takers, len(self.takers)):
            args = []
            for t, space in params:
                if space is None:
                    args.append(self.expression(2))
                    continue
                found = []
                for p in self.places(True):
                    for _ in range(4):
                        if p.type == t and p.space == space:
                            found.append(p)
                        if isinstance(p.type, Array):
                            p = Place(f"{p.text}[{self.index(p.type.n, 1) if self.chance(0.4) else self.r.randrange(p.type.n)}]", p.type.of, p.space)
                        elif isinstance(p.type, Struct):
                            name, m = self.r.choice(p.type.members)
                            p = Place(f"{p.text}.{name}", m, p.space)
                        else:
                            break
                if not found:
                    break
                args.append("&" + self.r.choice(found).text)
            if len(args) == len(params):
                self.note("pointer-argument")
                self.line(f"{f}({', '.join(args)});")
                return
        self.stmt_assign()

    def stmt_variable(self):
        t = self.type_()
        while sum(1 for _ in leaves(t)) > (6 if self.lanes > 1 else 12):  # a computed element of the whole touches all of it
            t = self.type_()
        name = self.fresh("v")
        if isinstance(t, str) and t in SCALARS:
            self.line(f"{t} {name} = {self.expression()};")
        else:
            self.line(f"{declare(t, name)};")
            for _, text, s in leaves(t):
                if s is not None:
                    target = name + text
                    self.line(f"{self.c_path(name, t, text)} = {self.literal(s)};")
            self.note("private-aggregate")
        self.locals[-1][name] = (t, "", True)

    def c_path(self, name, t, text):
        """As `leaves` spells it, with components through AT."""
        at, out, rest = t, name, text
        while rest:
            if isinstance(at, str) and at in VECTORS:
                return f"AT({out}, {rest[1:-1]})"
            if rest[0] == "[":
                end = rest.index("]") + 1
                out, rest, at = out + rest[:end], rest[end:], at.of
            else:
                end = 1
                while end < len(rest) and rest[end] not in "[.":
                    end += 1
                at = dict(at.members)[rest[1:end]]
                out, rest = out + rest[:end], rest[end:]
        return out

    def arrays(self, space=None):
        """Arrays in reach as (text of the first element, element type, elements, space)."""
        out = []
        for p in self.places(True):
            for _ in range(3):
                if isinstance(p.type, Array):
                    if not isinstance(p.type.of, Array):
                        out.append((p.text, p.type.of, p.type.n, p.space))
                    p = Place(f"{p.text}[{self.index(p.type.n, 1) if self.chance(0.5) else self.r.randrange(p.type.n)}]", p.type.of, p.space)
                elif isinstance(p.type, Struct):
                    name, t = self.r.choice(p.type.members)
                    p = Place(f"{p.text}.{name}", t, p.space)
                else:
                    break
        return [a for a in out if space is None or a[3] == space]

    def pointer_text(self, t, space, name):
        return f"{space + ' ' if space else ''}{spell(t)}* {name}"

    def stmt_pointer(self):
        arrays = self.arrays()
        if not arrays:
            return
        text, t, n, space = self.r.choice(arrays)
        name = self.fresh("p")
        self.note("pointer")
        x = self.r.random()
        if x < 0.35:
            self.line(f"{self.pointer_text(t, space, name)} = {text};")
            self.pointers[-1][name] = (t, space, n)
        elif x < 0.6:
            self.note("pointer-arithmetic")
            self.line(f"{self.pointer_text(t, space, name)} = {text} + {self.index(n)};")
            self.pointers[-1][name] = (t, space, 1)
        elif x < 0.8:
            same = [a for a in self.arrays(space) if a[1] == t] + [(text, t, n, space)]
            other = self.r.choice(same)
            self.note("pointer-choice")
            self.line(f"{self.pointer_text(t, space, name)} = ({self.expression(1)}) & 1 ? &{text}[{self.index(n)}] : &{other[0]}[{self.index(other[2])}];")
            self.pointers[-1][name] = (t, space, 1)
        else:
            self.note("pointer-loop")
            i = self.fresh("i")
            times = self.r.randint(0, n - 1)
            self.line(f"{self.pointer_text(t, space, name)} = {text};")
            self.line(f"for (int {i} = 0; {i} < {times}; {i}++) {self.r.choice([name + '++', name + ' += 1', name + ' = &' + name + '[1]'])};")
            if n - times > 1 and self.chance(0.5):
                self.pointers[-1][name] = (t, space, n - times)
            else:
                self.pointers[-1][name] = (t, space, 1)
                if times > 0 and self.chance(0.4):
                    self.note("pointer-arithmetic")
                    self.line(f"{name} -= {self.r.randint(1, times)};")

    def stmt_bytes(self):
        """The bytes of a scalar through a pointer of another type."""
        places = self.places(True)
        if not places:
            return
        p = self.descend(self.r.choice(places), 1)
        if p.text.startswith("AT("):
            return
        bits = SCALARS[p.type][0]
        if bits == 8:
            return
        view = self.r.choice([t for t, (b, _) in SCALARS.items() if b < bits])
        if SCALARS[view][0] > 8:
            self.host_only = True  # undefined by the rules on aliases, which the host compiler is told to leave alone
        n = bits // SCALARS[view][0]
        name = self.fresh("b")
        self.note("other-type")
        self.line(f"{self.pointer_text(view, p.space, name)} = ({self.pointer_text(view, p.space, '').strip()})&{p.text};")
        self.pointers[-1][name] = (view, p.space, n)

    def stmt_walk(self):
        arrays = self.arrays()
        if not arrays:
            return
        text, t, n, space = self.r.choice(arrays)
        name, i = self.fresh("w"), self.fresh("i")
        self.note("pointer-loop")
        self.line(f"{self.pointer_text(t, space, name)} = {text};")
        self.line(f"for (int {i} = 0; {i} < {n}; {i}++) {{")
        self.push()
        self.locals[-1][i] = ("int", "", False)
        self.pointers[-1][name] = (t, space, 1)
        self.block(self.r.randint(1, 2))
        self.line(f"{name}++;")
        self.pop()
        self.line("}")

    def stmt_if(self):
        self.note("if")
        self.line(f"if ({self.expression()}) {{")
        self.body()
        if self.chance(0.5):
            self.line("} else {")
            self.body()
        self.line("}")

    def stmt_for(self):
        self.note("loop")
        i = self.fresh("i")
        kind = self.r.randrange(3)
        n = self.r.randint(1, 3)
        if kind == 0:
            self.line(f"for (int {i} = 0; {i} < {n}; {i}++) {{")
        elif kind == 1:
            self.line(f"uint {i} = {n};")
            self.line(f"while ({i}-- > 0u) {{")
        else:
            self.line(f"int {i} = 0;")
            self.line("do {")
        self.push()
        self.locals[-1][i] = ("uint" if kind == 1 else "int", "", False)
        self.block(self.r.randint(1, 3))
        if self.chance(0.2):
            self.note("break")
            self.line(f"if ({self.expression(1)}) {'break' if kind == 2 else self.r.choice(['break', 'continue'])};")
            self.block(1)
        self.pop()
        self.line(f"}} while (++{i} < {n});" if kind == 2 else "}")

    def stmt_switch(self):
        self.note("switch")
        self.line(f"switch ((int)({self.expression()}) & 3) {{")
        for k in self.r.sample(range(4), self.r.randint(1, 3)):
            self.line(f"case {k}: {{")
            self.body(1)
            self.line("}" if self.chance(0.3) else "} break;")
        if self.chance(0.7):
            self.line("default: {")
            self.body(1)
            self.line("}")
        self.line("}")

    def push(self):
        self.locals.append({})
        self.pointers.append({})

    def pop(self):
        self.locals.pop()
        self.pointers.pop()

    def body(self, most=2):
        self.push()
        self.block(self.r.randint(1, most))
        self.pop()

    def block(self, n):
        self.depth += 1
        for _ in range(n):
            kinds = [(self.stmt_assign, 10), (self.stmt_variable, 2), (self.stmt_pointer, 4), (self.stmt_bytes, 0.6),
                     (self.stmt_vector, 1), (self.stmt_vload, 1.6), (self.stmt_call, 8 if self.takers else 0),
                     (self.stmt_changer, 1.5 if self.changers else 0)]
            if self.depth < 3:
                kinds += [(self.stmt_if, 2), (self.stmt_for, 2), (self.stmt_switch, 1.5), (self.stmt_walk, 1.2)]
            f = self.r.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
            f()
        self.depth -= 1

    # ---- the whole ----
    def make_function(self):
        name = f"{self.name}_f{len(self.functions)}"
        n = self.r.randint(1, 3)
        saved, self.locals, self.pointers = (self.locals, self.pointers), [{}], [{}]
        types = [self.scalar() for _ in range(n)]
        for k, t in enumerate(types):
            self.locals[-1][f"a{k}"] = (t, "", True)
        start = len(self.lines)
        self.depth = 2
        self.block(self.r.randint(1, 2))
        self.depth = 0
        body, self.lines = self.lines[start:], self.lines[:start]
        result = self.scalar()
        text = f"{result} {name}({', '.join(f'{t} a{k}' for k, t in enumerate(types))}) {{\n" + "\n".join(body)
        text += f"\n  return {self.expression(1)};\n}}\n"
        self.locals, self.pointers = saved
        self.functions.append((name, n))
        return text

    def make_taker(self):
        """A function of a pointer or two."""
        name = f"{self.name}_p{len(self.takers)}"
        saved, self.locals, self.pointers = (self.locals, self.pointers), [{}], [{}]
        params, texts = [], []
        for k in range(self.r.randint(1, 3)):
            if k > 0 and self.chance(0.4):
                t, space = self.scalar(), None
                self.locals[-1][f"a{k}"] = (t, "", True)
                texts.append(f"{t} a{k}")
            else:
                t = self.r.choice([self.r.choice(self.structs), self.scalar(), self.r.choice(list(VECTORS))])
                space = self.r.choice(["global", "global", "", "local"] if self.lanes > 1 else ["global", "global", ""])
                self.pointers[-1][f"a{k}"] = (t, space, 1)
                texts.append(self.pointer_text(t, space, f"a{k}"))
            params.append((t, space))
        start = len(self.lines)
        self.depth = 2
        self.block(self.r.randint(1, 3))
        self.depth = 0
        body, self.lines = self.lines[start:], self.lines[:start]
        self.locals, self.pointers = saved
        self.takers.append((name, params))
        return f"void {name}({', '.join(texts)}) {{\n" + "\n".join(body) + "\n}\n"

    def make_changer(self):
        """A function of a structure by value, which it changes: the caller's stays as it is. Some return it."""
        name = f"{self.name}_s{len(self.changers)}"
        s, scalars, result = self.r.choice(self.structs), self.r.randint(0, 2), self.chance(0.5)
        saved, self.locals, self.pointers = (self.locals, self.pointers), [{}], [{}]
        self.locals[-1]["a"] = (s, "", True)
        types = [self.scalar() for _ in range(scalars)]
        for k, t in enumerate(types):
            self.locals[-1][f"a{k}"] = (t, "", True)
        start = len(self.lines)
        self.depth = 2
        self.change("a", s)
        self.block(self.r.randint(0, 2))
        self.depth = 0
        body, self.lines = self.lines[start:], self.lines[:start]
        if result:
            body.append("  return a;")
        self.locals, self.pointers = saved
        self.changers.append((name, s, scalars, result))
        parameters = [f"{s.name} a"] + [f"{t} a{k}" for k, t in enumerate(types)]
        return f"{s.name if result else 'void'} {name}({', '.join(parameters)}) {{\n" + "\n".join(body) + "\n}\n"

    def change(self, name, s):
        """A scalar of this structure becomes another one."""
        self.line(f"{self.descend(Place(name, s, ''), 2).text} {self.r.choice(['=', '+=', '^='])} {self.expression(2)};")

    def stmt_changer(self):
        """A call with a structure as argument, and a look at the structure and at the result behind it."""
        name, s, scalars, result = self.r.choice(self.changers)
        same = [p.text for p in self.places(False) if p.type is s]
        own = [n for n, (t, space, _) in self.all_of(self.locals) if t is s and space == ""]
        if own and self.chance(0.7):
            same = own
        if not same:
            same = [self.fresh("v")]
            self.line(f"{s.name} {same[0]};")
            for _, text, scalar in leaves(s):
                self.line(f"{self.c_path(same[0], s, text)} = {self.literal(scalar)};")
            self.locals[-1][same[0]] = (s, "", True)
        of = self.r.choice(same)
        self.note("by-value")
        call = f"{name}({', '.join([of] + [self.expression(2) for _ in range(scalars)])})"
        looked = [of]
        if result:
            self.note("struct-result")
            into = [p.text for p in self.places(True) if p.type is s]
            looked.append(self.r.choice(into) if into and self.chance(0.6) else self.fresh("v"))
            self.line(f"{'' if looked[1] in into else s.name + ' '}{looked[1]} = {call};")
            if looked[1] not in into:
                self.locals[-1][looked[1]] = (s, "", True)
        else:
            self.line(f"{call};")
        targets = self.places(True)
        for x in looked:
            if targets:
                self.line(f"{self.descend(self.r.choice(targets), 2).text} ^= {self.descend(Place(x, s, ''), 2).text};")

    def make(self):
        several = self.chance(0.4)
        self.lanes = self.r.choice([2, 2, 2, 3]) if several else 1
        self.groups = self.r.choice([1, 1, 1, 2]) if several else 1
        for _ in range(self.r.randint(1, 3)):
            self.make_struct()
        self.function_text = "".join(self.make_function() for _ in range(self.r.choice([0, 0, 1, 2])))
        self.function_text += "".join(self.make_taker() for _ in range(self.r.choice([1, 1, 2])))
        self.function_text += "".join(self.make_changer() for _ in range(self.r.choice([0, 1, 1, 2])))
        self.buffers = []
        for k in range(self.r.randint(2, 3)):
            t = self.r.choice(self.structs) if k == 0 else self.r.choice([self.scalar(), self.scalar(), self.r.choice(self.structs),
                                                                         self.r.choice(list(VECTORS))])
            if isinstance(t, str) and t in VECTORS:
                self.note("vector")
            n = self.lanes * self.groups if several else self.r.randint(1, 3)
            values = None
            if self.chance(0.6):
                values = [[self.r.choice([0, 1, 2, 3, self.r.getrandbits(SCALARS[s][0])]) for _, _, s in leaves(t)] for _ in range(n)]
                self.note("input")
            self.buffers.append((f"g{k}", t, n, values))
            if not several:
                self.pointers[0][f"g{k}"] = (t, "global", n)
        if several:
            self.make_phases()
        else:
            self.block(self.r.randint(3, 6))

    def make_phases(self):
        self.note("several")
        if self.groups > 1:
            self.note("groups")
        self.line("uint lid = (uint)get_local_id(0), gid = (uint)get_global_id(0), base = (uint)get_group_id(0) * (uint)get_local_size(0);")
        self.locals[0].update({"lid": ("uint", "", False), "gid": ("uint", "", False)})
        shared = []
        for k in range(self.r.randint(0, 2)):
            t = self.r.choice([self.r.choice(self.structs), self.scalar(), self.scalar(), self.r.choice(list(VECTORS))])
            shared.append((f"l{k}", t))
            self.line(f"LOCAL_ARRAY {declare(Array(t, self.lanes), f'l{k}')};")
            self.note("shared")
        for name, t in shared:
            for _, text, s in leaves(t):
                self.line(f"{self.c_path(f'{name}[lid]', t, text)} = {self.literal(s)};")
        if shared and self.chance(0.8) or self.chance(0.3):
            self.barrier()
        else:
            self.note("barrier-less")
            shared = []  # nobody reads what others wrote
        self.push()
        for _ in range(self.r.randint(1, 2)):  # live through all phases
            self.stmt_variable()
        self.phases(shared, self.r.randint(1, 2))
        if self.chance(0.35):
            self.note("barrier-in-loop")
            i = self.fresh("i")
            self.line(f"for (int {i} = 0; {i} < {self.r.randint(1, 2)}; {i}++) {{")
            self.push()
            self.locals[-1][i] = ("int", "", False)
            self.phases(shared, self.r.randint(1, 2))
            self.pop()
            self.line("}")
        self.pop()

    def barrier(self):
        self.note("barrier")
        self.line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")

    def phases(self, shared, count):
        for _ in range(count):
            self.push()
            self.line("{")
            for name, t, _, _ in self.buffers:
                if self.chance(0.7):
                    self.locals[-1][f"{name}[gid]"] = (t, "global", True)
                else:
                    self.locals[-1][f"({name} + base)"] = (Array(t, self.lanes), "global", False)
            for name, t in shared:
                if self.chance(0.6):
                    self.locals[-1][f"{name}[(lid + {self.r.randrange(self.lanes)}) % {self.lanes}]"] = (t, "local", True)
                else:
                    self.locals[-1][name] = (Array(t, self.lanes), "local", False)
            self.block(self.r.randint(1, 2))
            self.line("}")
            self.pop()
            self.barrier()

    def text(self, asserted=()):
        """The text; with assertions of final values behind it, as the interpreter reads them."""
        out = ""
        for s in self.structs:
            out += s.text()
        out += self.function_text
        parameters = ", ".join(f"global {spell(t)}* {name}" for name, t, _, _ in self.buffers)
        end = ""
        if asserted:
            if self.lanes > 1:
                end += "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
            types = {f"{name}[{k}]" + "".join(f"[{x}]" for x in path): (self.c_path(f"{name}[{k}]", t, text), s)
                     for name, t, n, _ in self.buffers for k in range(n) for path, text, s in leaves(t)}
            for place, value in asserted:
                text, s = types[place]
                bits, sign = SCALARS[s]
                number = f"(({s}){int(value) % (1 << bits)}ul)"
                own = self.groups == 1 or int(place[place.index("[") + 1:place.index("]")]) // self.lanes
                check = f"__assert({text} == {number});\n"
                end += f"if (get_local_id(0) == 0 && get_group_id(0) == {own if self.groups > 1 else 0}) {check}" if self.lanes > 1 else check
        return out + f"kernel void {self.name}({parameters}) {{\n" + "\n".join(self.lines) + "\n" + end + "}\n"

    def host_text(self):
        return self.text() + self.c_main()

    def whole(self, values):
        """A file that `check` reads by itself."""
        condition = " and ".join(f"{place} == {value}" for place, value in values)
        return self.headers() + f"// @Output: forall ({condition})\n" + OPENCL_HEAD + self.text()

    @staticmethod
    def number(t, bits_):
        """What the lowest bits are as a number of the scalar type: @Input takes no other."""
        bits, sign = SCALARS[t]
        n = bits_ % 2**bits
        return str(n - 2**bits if sign and n >= 2**(bits - 1) else n)

    def nested(self, t, values):
        """A value of this type as @Input writes it; takes from the list."""
        if isinstance(t, Array):
            return "{" + ", ".join(self.nested(t.of, values) for _ in range(t.n)) + "}"
        if isinstance(t, Struct):
            return "{" + ", ".join(self.nested(m, values) for _, m in t.members) + "}"
        if t in VECTORS:
            return "{" + ", ".join(self.number(VECTORS[t][0], values.pop(0)) for _ in range(VECTORS[t][1])) + "}"
        return self.number(t, values.pop(0))

    def inputs(self):
        out = []
        for name, t, n, values in self.buffers:
            flat = [list(v) for v in values or [[0 for _ in leaves(t)] for _ in range(n)]]
            out.append(f"{name} = {{{', '.join(self.nested(t, v) for v in flat)}}}")
        return out

    def headers(self):
        return f"// @Config: 1, {self.lanes}, {self.groups}\n" + "".join(f"// @Input: {i}\n" for i in self.inputs())

    def c_main(self):
        """A function that runs the kernel and prints each scalar, "g0[1][0] = 7"."""
        out = ""
        for name, t, n, values in self.buffers:
            out += f"static {declare(Array(t, n), f'{self.name}_{name}')};\n"
        arguments = ", ".join(f"{self.name}_{b[0]}" for b in self.buffers)
        out += f"static void entry_{self.name}(void) {{ {self.name}({arguments}); ended_ = 1; }}\n"
        out += f"static void run_{self.name}(void) {{\n"
        for name, t, n, values in self.buffers:
            for k, v in enumerate(values or []):
                for x, (_, text, s) in zip(v, leaves(t)):
                    out += f"  {self.name}_{name}[{k}]{text} = ({s}){x}ul;\n"
        out += f"  for (uint g = 0; g < {self.groups}; g++) run_group(entry_{self.name}, {self.lanes}, g);\n"
        for name, t, n, _ in self.buffers:
            for k in range(n):
                for path, text, s in leaves(t):
                    where = f"{name}[{k}]" + "".join(f"[{x}]" for x in path)
                    form, cast = ("%ld", "long") if SCALARS[s][1] else ("%lu", "ulong")
                    out += f'  printf("{where} {form}\\n", ({cast}){self.name}_{name}[{k}]{text});\n'
        return out + "}\n"

    # ---- the bytes of the buffers, as C lays them out ----
    def memory(self):
        """The first contents of each buffer, and where each scalar lies: (place, buffer, offset, bytes, signed)."""
        contents, places = [], []
        for b, (name, t, n, values) in enumerate(self.buffers):
            size = size_of(t)
            data = bytearray(size * n)
            for k in range(n):
                for m, (path, offset, s) in enumerate(offsets(t)):
                    bits, sign = SCALARS[s]
                    at = k * size + offset
                    places.append((f"{name}[{k}]" + "".join(f"[{x}]" for x in path), b, at, bits // 8, sign))
                    if values:
                        data[at:at + bits // 8] = values[k][m].to_bytes(8, "little")[:bits // 8]
            contents.append(data)
        return contents, places
