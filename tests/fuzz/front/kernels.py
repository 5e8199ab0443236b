"""Random kernels of one work-item in OpenCL C that are C as well, but for a few macros.

Everything that they compute is defined in both languages: indices are in range, divisors are not zero, amounts of shifts are
masked (in C by a macro, since OpenCL C masks them itself). The C text is compiled with wrapping arithmetic and without assumptions
on aliases. Features are counted by name as they are drawn, so that a histogram shows what the programs exercise.

To add a feature: a method `stmt_NAME` or a branch of `expression`, and `self.note("NAME")` where it is drawn.
"""

import random

SCALARS = {
    "char": (8, True), "uchar": (8, False), "short": (16, True), "ushort": (16, False),
    "int": (32, True), "uint": (32, False), "long": (64, True), "ulong": (64, False),
}
VECTORS = {f"{t}{n}": (t, n) for t in ("uchar", "short", "int", "uint", "ulong") for n in (2, 4)}

OPENCL_HEAD = """#define SH(n, mask) (n)
#define AT(v, k) ((v).s##k)
#define MAKE2(T, a, b) ((T)((a), (b)))
#define MAKE4(T, a, b, c, d) ((T)((a), (b), (c), (d)))
"""

C_HEAD = """#include <stdio.h>
#include <string.h>
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong;
#define kernel static
#define global
#define SH(n, mask) ((n) & (mask))
#define AT(v, k) ((v)[k])
#define MAKE2(T, a, b) ((T){(a), (b)})
#define MAKE4(T, a, b, c, d) ((T){(a), (b), (c), (d)})
""" + "".join(
    f"typedef {t} {t}{n} __attribute__((vector_size({n} * sizeof({t}))));\n" for t, n in VECTORS.values())


class Struct:
    def __init__(self, name, members):
        self.name, self.members = name, members  # members: (name, type)


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
        members = [(f"m{k}", self.type_()) for k in range(self.r.randint(2, 4))]
        self.note("struct")
        self.structs.append(Struct(name, members))

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
            t = self.r.choice(["int", "uint", "long", "ulong"])
            return f"((({t}){a}) {self.r.choice(['/', '%'])} (({t})({b} & 15) + 1))"
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

    def stmt_variable(self):
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
        p = self.descend(self.r.choice(self.places(True)), 1)
        if p.text.startswith("AT("):
            return
        bits = SCALARS[p.type][0]
        if bits == 8:
            return
        view = self.r.choice([t for t, (b, _) in SCALARS.items() if b < bits])
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
            kinds = [(self.stmt_assign, 10), (self.stmt_variable, 2), (self.stmt_pointer, 4), (self.stmt_bytes, 0.6)]
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

    def make(self):
        for _ in range(self.r.randint(1, 3)):
            self.make_struct()
        self.function_text = "".join(self.make_function() for _ in range(self.r.choice([0, 0, 1, 2])))
        self.buffers = []
        for k in range(self.r.randint(2, 3)):
            t = self.r.choice(self.structs) if k == 0 else self.r.choice([self.scalar(), self.scalar(), self.r.choice(self.structs),
                                                                         self.r.choice(list(VECTORS))])
            if isinstance(t, str) and t in VECTORS:
                self.note("vector")
            n = self.r.randint(1, 4)
            values = None
            if self.chance(0.6):
                values = [[self.r.choice([0, 1, 2, 3, self.r.getrandbits(SCALARS[s][0])]) for _, _, s in leaves(t)] for _ in range(n)]
                self.note("input")
            self.buffers.append((f"g{k}", t, n, values))
            self.pointers[0][f"g{k}"] = (t, "global", n)
        self.block(self.r.randint(4, 9))

    def text(self):
        out = ""
        for s in self.structs:
            out += "typedef struct { " + " ".join(declare(t, n) + ";" for n, t in s.members) + f" }} {s.name};\n"
        out += self.function_text
        parameters = ", ".join(f"global {spell(t)}* {name}" for name, t, _, _ in self.buffers)
        return out + f"kernel void {self.name}({parameters}) {{\n" + "\n".join(self.lines) + "\n}\n"

    def nested(self, t, values):
        """A value of this type as @Input writes it; takes from the list."""
        if isinstance(t, Array):
            return "{" + ", ".join(self.nested(t.of, values) for _ in range(t.n)) + "}"
        if isinstance(t, Struct):
            return "{" + ", ".join(self.nested(m, values) for _, m in t.members) + "}"
        if t in VECTORS:
            return "{" + ", ".join(str(values.pop(0)) for _ in range(VECTORS[t][1])) + "}"
        return str(values.pop(0))

    def headers(self):
        out = "// @Config: 1, 1, 1\n"
        for name, t, n, values in self.buffers:
            if values is None:
                zero = [[0 for _ in leaves(t)] for _ in range(n)]
            flat = [list(v) for v in (values or zero)]
            out += f"// @Input: {name} = {{{', '.join(self.nested(t, v) for v in flat)}}}\n"
        return out

    def c_main(self):
        """A function that runs the kernel and prints each scalar, "g0[1][0] = 7"."""
        out = f"static void run_{self.name}(void) {{\n"
        for name, t, n, values in self.buffers:
            out += f"  static {declare(Array(t, n), name)};\n  memset({name}, 0, sizeof {name});\n"
            for k, v in enumerate(values or []):
                for x, (_, text, s) in zip(v, leaves(t)):
                    out += f"  {name}[{k}]{text} = ({s}){x}ul;\n"
        out += f"  {self.name}({', '.join(b[0] for b in self.buffers)});\n"
        for name, t, n, _ in self.buffers:
            for k in range(n):
                for path, text, s in leaves(t):
                    where = f"{name}[{k}]" + "".join(f"[{x}]" for x in path)
                    form, cast = ("%ld", "long") if SCALARS[s][1] else ("%lu", "ulong")
                    out += f'  printf("{where} {form}\\n", ({cast}){name}[{k}]{text});\n'
        return out + "}\n"
