"""Random programs with types, printed as GLSL, as SPIR-V assembly of their own, and as C++ for the host compiler.

A program is a tree of statements and expressions. Everything that it computes is defined in all three: arithmetic wraps, indices
are in range, divisors are not zero, remainders are of numbers without sign (SPIR-V: of any), amounts of shifts are below the width.
Programs of several invocations are phases between barriers: in a phase every array of the workgroup is either read by all, or
each invocation has one element of it for itself; what is in a buffer is written by one invocation alone.

An expression is a tuple (kind, type, ...), a statement too; the three printers are in glsl.py, assembly.py and host.py.
"""

import random

import assembly
import glsl
import host
from types_of import Array, SCALARS, Struct, Vec, bits, leaves, signed, size_of

CPP_HEAD = host.HEAD
FEATURES = {
    "glsl": ["struct", "nested-struct", "nested-array", "vector", "vector-arithmetic", "component", "component-store", "shuffle",
             "bits-8", "bits-16", "bits-32", "bits-64", "signed", "unsigned", "switch", "fall-through", "loop", "break", "if", "call",
             "inout", "barrier", "barrier-in-loop", "shared", "groups", "several", "shift", "division", "comparison", "choice",
             "conversion", "computed-index", "computed-component", "whole-copy", "bool", "input", "std140", "std430", "scalar"]}
FEATURES["spirv"] = [f for f in FEATURES["glsl"] if f != "inout"] + [
    "pointer", "pointer-arithmetic", "pointer-choice", "pointer-argument", "phi", "copy-memory", "gaps", "other-sign"]


class Variable:
    """`space`: buffer, shared, function, argument (a pointer or inout), value (a loop's counter, an id)."""

    def __init__(self, name, t, space):
        self.name, self.t, self.space = name, t, space


class Place:
    """A variable and steps into it: ("index", expression), ("member", k), ("component", k)."""

    def __init__(self, var, steps=(), t=None, fixed=0):
        self.var, self.steps, self.t = var, tuple(steps), t or var.t
        self.fixed = fixed  # steps that must stay, since another element is another invocation's

    def step(self, kind, what, t):
        return Place(self.var, self.steps + ((kind, what),), t, self.fixed)


class Program:
    def __init__(self, language, seed, name):
        self.language, self.name = language, name
        self.r = random.Random(f"{language} {seed}")
        self.features = set()
        self.host_only = False
        self.count, self.depth, self.loops = 0, 0, 0
        self.structs, self.functions, self.takers = [], [], []
        self.scopes = [[]]  # (place, writable)
        self.out = []       # statements being made
        self.made = None
        self.make()

    def note(self, feature):
        self.features.add(feature)

    def chance(self, p):
        return self.r.random() < p

    def fresh(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    # ---- types ----
    def scalar(self):
        t = self.r.choice(SCALARS)
        self.note(f"bits-{bits(t)}")
        self.note("signed" if signed(t) else "unsigned")
        return t

    def vector(self):
        self.note("vector")
        return Vec(self.scalar(), self.r.randint(2, 4), self.rules)

    def type_(self, depth=0):
        x = self.r.random()
        if depth < 2 and x < 0.3:
            if depth > 0:
                self.note("nested-array")
            of = self.type_(depth + 1)
            return Array(of, self.r.randint(2, 3), self.gap(of), self.rules)
        if x < 0.45 and self.structs:
            self.note("nested-struct")
            return self.r.choice(self.structs)
        return self.vector() if x < 0.62 else self.scalar()

    def gap(self, of):
        """Bytes more than are needed between elements or members; SPIR-V says itself where things lie."""
        if self.language == "spirv" and self.chance(0.15):
            self.note("gaps")
            return self.r.choice([32, 64])
        return 0

    def make_struct(self):
        while True:
            members = [(f"m{k}", self.type_()) for k in range(self.r.randint(2, 4))]
            s = Struct(f"{self.name}_S{len(self.structs)}", members, [self.gap(t) for _, t in members], self.rules)
            if sum(1 for _ in leaves(s)) <= (6 if self.lanes > 1 else 12):
                break
        self.note("struct")
        self.structs.append(s)

    # ---- places ----
    def roots(self, writable):
        return [p for scope in self.scopes for p, w in scope if w or not writable]

    def add(self, place, writable=True):
        place.fixed = len(place.steps)
        self.scopes[-1].append((place, writable))

    def index(self, n, level):
        if self.chance(0.5):
            return ("const", "u32", self.r.randrange(n))
        self.note("computed-index")
        return ("bin", "u32", "%", self.expression("u32", level + 2), ("const", "u32", n))

    def descend(self, p, level, stop=lambda p: False):
        """From a place to a scalar in it, or to what `stop` wants."""
        while not stop(p):
            if isinstance(p.t, Array):
                p = p.step("index", self.index(p.t.n, level), p.t.of)
            elif isinstance(p.t, Struct):
                k = self.r.randrange(len(p.t.members))
                p = p.step("member", k, p.t.members[k][1])
            elif isinstance(p.t, Vec):
                self.note("component")
                if p.t.n != 3 and self.chance(0.3):
                    self.note("computed-component")
                    return p.step("index", self.index(p.t.n, level), p.t.of)
                return p.step("component", self.r.randrange(p.t.n), p.t.of)
            else:
                return p
        return p

    def find(self, wanted, writable, level=1, tries=12):
        """A place for which `wanted` is true, or none."""
        roots = self.roots(writable)
        for _ in range(tries if roots else 0):
            p = self.descend(self.r.choice(roots), level, wanted)
            if wanted(p):
                return p
        return None

    # ---- expressions ----
    def const(self, t):
        n = self.r.choice([0, 1, 2, 3, 5, 7, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                           self.r.getrandbits(bits(t))])
        return ("const", t, n & ((1 << bits(t)) - 1))

    def small(self, t, most):
        return ("bin", t, "&", self.expression(t, 3), ("const", t, most))

    def expression(self, t, level=0):
        x = self.r.random()
        if level > 3 or x < 0.15:
            return self.const(t)
        if x < 0.5:
            roots = self.roots(False)
            if not roots:
                return self.const(t)
            p = self.descend(self.r.choice(roots), level + 1)
            return self.converted(("load", p.t, p), t)
        if x < 0.68:
            return ("bin", t, self.r.choice("+-*&|^"), self.expression(t, level + 1), self.expression(t, level + 1))
        if x < 0.73:
            self.note("shift")
            return ("bin", t, self.r.choice(["<<", ">>"]), self.expression(t, level + 1), self.small(t, bits(t) - 1))
        if x < 0.78 and (bits(t) < 64 or self.chance(0.3)):  # dividing 64 bits is a large share of a solver's time
            self.note("division")
            divisor = ("bin", t, "+", self.small(t, 15), ("const", t, 1))
            rest = not signed(t) or self.language == "spirv"
            return ("bin", t, self.r.choice(["/", "%"]) if rest else "/", self.expression(t, level + 1), divisor)
        if x < 0.82:
            return (self.r.choice(["not", "neg"]), t, self.expression(t, level + 1))
        if x < 0.86:
            return self.converted(self.expression(self.scalar(), level + 1), t)
        if x < 0.90:
            self.note("choice")
            kind = "select"
            if self.language == "spirv" and self.chance(0.5):
                self.note("phi")
                kind = "phi"
            return (kind, t, self.condition(level + 1), self.expression(t, level + 1), self.expression(t, level + 1))
        if x < 0.93:
            return self.converted(self.condition(level + 1), t)
        if x < 0.97 and self.functions:
            self.note("call")
            f = self.r.choice(self.functions)
            return self.converted(("call", f["result"], f, [self.expression(a.t, level + 1) for a in f["params"]]), t)
        v = Vec(t, self.r.randint(2, 4))
        return ("extract", t, self.vector_value(v, level + 1), self.r.randrange(v.n))

    def converted(self, e, t):
        if e[1] == t:
            return e
        self.note("conversion")
        return ("convert", t, e)

    def condition(self, level=1):
        x = self.r.random()
        if level > 3 or x < 0.7:
            self.note("comparison")
            t = self.scalar()
            return ("compare", "bool", self.r.choice(["<", "<=", ">", ">=", "==", "!="]), self.expression(t, level + 1), self.expression(t, level + 1))
        if x < 0.8:
            return ("logic-not", "bool", self.condition(level + 1))
        return ("logic", "bool", self.r.choice(["&&", "||"]), self.condition(level + 1), self.condition(level + 1))

    def vector_value(self, t, level=0):
        x = self.r.random()
        if x < 0.45:
            p = self.find(lambda q: q.t == t, False)
            if p:
                return ("load", t, p)
        if level < 2 and x < 0.7:
            self.note("vector-arithmetic")
            return ("bin", t, self.r.choice("+-*&|^"), self.vector_value(t, level + 1), self.vector_value(t, level + 1))
        if level < 2 and x < 0.85:
            self.note("shuffle")
            source = Vec(t.of, self.r.randint(2, 4))
            return ("shuffle", t, self.vector_value(source, level + 1), [self.r.randrange(source.n) for _ in range(t.n)])
        return ("vector", t, [self.expression(t.of, 2) for _ in range(t.n)])

    # ---- statements ----
    def stmt_assign(self):
        roots = self.roots(True)
        if not roots:
            return self.stmt_variable()
        p = self.descend(self.r.choice(roots), 1)
        if p.steps and p.steps[-1][0] == "component":
            self.note("component-store")
        value = self.expression(p.t)
        if self.chance(0.3):
            value = ("bin", p.t, self.r.choice("+-^"), ("load", p.t, p), value)
        self.out.append(("store", p, value))

    def stmt_vector(self):
        p = self.find(lambda q: isinstance(q.t, Vec), True)
        if not p:
            return self.stmt_assign()
        self.out.append(("store", p, self.vector_value(p.t)))

    def stmt_copy(self):
        p = self.find(lambda q: isinstance(q.t, (Struct, Array)) and q.steps != (), True)
        q = self.find(lambda q: p and q.t == p.t, False) if p else None
        if not q or str(p.steps) == str(q.steps) and p.var is q.var:
            return self.stmt_vector()
        if self.language == "spirv":
            if (p.var.space in ("buffer", "pointer")) != (q.var.space in ("buffer", "pointer")):
                return self.stmt_vector()  # types with and without a layout are different ones
            if self.chance(0.5):
                self.note("copy-memory")
                self.note("whole-copy")
                return self.out.append(("copy", p, q))
        self.note("whole-copy")
        self.out.append(("store", p, ("load", q.t, q)))

    def stmt_variable(self):
        if self.chance(0.1):
            self.note("bool")
            v = Variable(self.fresh("v"), "bool", "function")
            self.out.append(("declare", v))
            self.out.append(("store", Place(v), self.condition()))
            self.out.append(("store", self.target(), self.converted(("load", "bool", Place(v)), self.last)))
            return
        t = self.type_()
        while sum(1 for _ in leaves(t)) > (6 if self.lanes > 1 else 12):  # a computed element of the whole touches all of it
            t = self.type_()
        v = Variable(self.fresh("v"), t, "function")
        self.out.append(("declare", v))
        for steps, t in leaves(v.t):
            self.out.append(("store", Place(v, steps, t), self.expression(t) if v.t == t else self.const(t)))
        self.add(Place(v))

    def target(self):
        """A scalar to write; its type is in `last`."""
        roots = self.roots(True)
        if roots:
            p = self.descend(self.r.choice(roots), 1)
        else:
            v = Variable(self.fresh("v"), self.scalar(), "function")
            self.out.append(("declare", v))
            self.add(Place(v))
            p = Place(v)
        self.last = p.t
        return p

    def stmt_if(self):
        self.note("if")
        c = self.condition()
        then = self.body()
        self.out.append(("if", c, then, self.body() if self.chance(0.5) else []))

    def stmt_for(self):
        self.note("loop")
        v = Variable(self.fresh("c"), self.r.choice(["i32", "u32"]), "counter")
        self.loops += 1
        self.scopes.append([(Place(v), False)])
        saved, self.out = self.out, []
        self.block(self.r.randint(1, 3))
        if self.chance(0.3):
            self.note("break")
            self.out.append((self.r.choice(["break-if", "continue-if"]), self.condition()))
            self.block(1)
        body, self.out = self.out, saved
        self.scopes.pop()
        self.loops -= 1
        self.out.append(("for", v, self.r.randint(1, 3), body))

    def stmt_switch(self):
        self.note("switch")
        t = self.r.choice(["i32", "u32"])
        cases = []
        for k in self.r.sample(range(4), self.r.randint(1, 3)):
            falls = self.chance(0.3)
            cases.append([k, self.body(1), falls])
        cases.append([None, self.body(1) if self.chance(0.8) else [], False])
        if any(c[2] for c in cases):
            self.note("fall-through")
        self.out.append(("switch", self.small(t, 3), cases))

    def stmt_taker(self):
        if not self.takers:
            return self.stmt_assign()
        f = self.r.choice(self.takers)
        a = f["params"][0]
        if self.language == "glsl":
            p = self.find(lambda q: q.t == a.t and (not q.steps or q.steps[-1][0] != "component"), True)
            self.note("inout")
        elif a.space == "pointer":
            p = self.find(lambda q: q.t == a.t and q.var.space in ("buffer", "pointer") and q.steps != (), True)
        else:
            p = self.find(lambda q: q.t == a.t and q.var.space == "function" and not q.steps, True)
        if not p:
            return self.stmt_assign()
        if self.language == "spirv":
            self.note("pointer-argument")
        self.out.append(("take", f, p, [self.expression(x.t, 2) for x in f["params"][1:]]))

    def stmt_pointer(self):
        """SPIR-V: a pointer into a buffer, which then is a place; moved on, or one of two."""
        if self.language != "spirv":
            return self.stmt_assign()
        def element(q):
            return (q.var.space in ("buffer", "pointer") and len(q.steps) > q.fixed and q.steps[-1][0] == "index"
                    and not self.of_vector(q))
        p = self.find(element, True)
        if not p:
            return self.stmt_assign()
        v = Variable(self.fresh("p"), p.t, "pointer")
        array = self.array_of(p)
        x = self.r.random()
        if x < 0.35:
            self.note("pointer-choice")
            q = Place(p.var, p.steps[:-1] + (("index", self.index(array.n, 1)),), p.t)
            self.out.append(("pointer-choice", v, self.condition(), p, q))
        elif x < 0.7:
            self.note("pointer-arithmetic")
            first = Place(p.var, p.steps[:-1] + (("index", ("const", "u32", 0)),), p.t)
            self.out.append(("pointer-on", v, first, self.index(array.n, 1), array))
        else:
            self.out.append(("pointer", v, p))
        self.note("pointer")
        self.add(Place(v))

    def array_of(self, p):
        t = p.var.t
        for kind, what in p.steps[:-1]:
            t = t.members[what][1] if kind == "member" else t.of
        return t

    def of_vector(self, p):
        return isinstance(self.array_of(p), Vec)

    def body(self, most=2):
        self.scopes.append([])
        saved, self.out = self.out, []
        self.block(self.r.randint(1, most))
        made, self.out = self.out, saved
        self.scopes.pop()
        return made

    def block(self, n):
        self.depth += 1
        for _ in range(n):
            kinds = [(self.stmt_assign, 8), (self.stmt_variable, 2), (self.stmt_vector, 2), (self.stmt_copy, 1.5), (self.stmt_taker, 1.5),
                     (self.stmt_pointer, 2)]
            if self.depth < 3:
                kinds += [(self.stmt_if, 2), (self.stmt_for, 2), (self.stmt_switch, 1.5)]
            self.r.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()
        self.depth -= 1

    # ---- the whole ----
    def make_function(self, takes):
        saved = self.scopes, self.out
        self.scopes, self.out = [[]], []
        params = []
        if takes:
            t = self.r.choice([self.r.choice(self.structs), self.scalar(), self.vector()])
            space = "pointer" if self.language == "spirv" and self.chance(0.6) else "argument"
            params.append(Variable("a0", t, space))
            self.add(Place(params[0]))
        for k in range(len(params), self.r.randint(1, 3)):
            params.append(Variable(f"a{k}", self.scalar(), "function"))
            self.add(Place(params[-1]))
        self.depth = 2
        self.block(self.r.randint(1, 2))
        self.depth = 0
        f = {"name": f"{self.name}_{'t' if takes else 'f'}{self.count}", "params": params, "result": None}
        self.count += 1
        if not takes:
            f["result"] = self.scalar()
            f["value"] = self.expression(f["result"], 1)
        f["body"] = self.out
        self.scopes, self.out = saved
        (self.takers if takes else self.functions).append(f)

    def make(self):
        several = self.chance(0.4)
        self.lanes = self.r.choice([2, 2, 2, 3]) if several else 1
        self.groups = self.r.choice([1, 1, 1, 2]) if several else 1
        self.coherent = self.chance(0.5)
        self.rules = self.r.choice(["std430", "std430", "std140", "scalar"])
        self.note(self.rules)
        for _ in range(self.r.randint(1, 2)):
            self.make_struct()
        for _ in range(self.r.choice([0, 1, 1])):
            self.make_function(False)
        for _ in range(self.r.choice([0, 1, 1])):
            self.make_function(True)
        self.buffers, self.values = [], []
        for k in range(self.r.randint(2, 3)):
            t = self.r.choice(self.structs) if k == 0 else self.r.choice([self.scalar(), self.scalar(), self.r.choice(self.structs), self.vector()])
            n = self.lanes * self.groups if several else self.r.randint(2, 3)
            v = Variable(f"g{k}", Array(t, n, self.gap(t), self.rules), "buffer")
            self.buffers.append(v)
            given = self.chance(0.6)
            if given:
                self.note("input")
            self.values.append([self.r.choice([0, 1, 2, 3, self.r.getrandbits(bits(s))]) & ((1 << bits(s)) - 1) if given else 0
                                for _, s in leaves(v.t)])
            if not several:
                self.add(Place(v))
        self.shared = []
        if several:
            self.make_phases()
        else:
            if self.chance(0.3):
                self.make_shared(1)
            self.block(self.r.randint(3, 6))
        self.statements = self.out

    def make_shared(self, lanes):
        self.note("shared")
        t = self.r.choice([self.r.choice(self.structs), self.scalar(), self.vector()])
        n = max(lanes, 2)
        v = Variable(f"{self.name}_l{len(self.shared)}", Array(t, n, 0), "shared")
        self.shared.append(v)
        for k in range(n) if lanes == 1 else [None]:
            at = ("const", "u32", k) if k is not None else self.lid
            for steps, s in leaves(t):
                self.out.append(("store", Place(v, (("index", at),) + tuple(steps), s), self.const(s)))
        if lanes == 1:
            self.add(Place(v))
        return v

    def make_phases(self):
        self.note("several")
        if self.groups > 1:
            self.note("groups")
        ids = [Variable(n, "u32", "value") for n in ("lid", "gid", "base")]
        self.lid, self.gid, self.base = (("load", "u32", Place(v)) for v in ids)
        self.add(Place(ids[0]), False)
        self.add(Place(ids[1]), False)
        for _ in range(self.r.randint(0, 2)):
            self.make_shared(self.lanes)
        self.barrier()
        for _ in range(self.r.randint(1, 2)):
            self.stmt_variable()
        self.phases(self.r.randint(1, 2))
        if self.chance(0.35):
            self.note("barrier-in-loop")
            v = Variable(self.fresh("c"), "i32", "counter")
            self.scopes.append([(Place(v), False)])
            saved, self.out = self.out, []
            self.phases(self.r.randint(1, 2))
            body, self.out = self.out, saved
            self.scopes.pop()
            self.out.append(("for", v, self.r.randint(1, 2), body))

    def barrier(self):
        self.note("barrier")
        self.out.append(("barrier",))

    def phases(self, count):
        for _ in range(count):
            self.scopes.append([])
            saved, self.out = self.out, []
            for v in self.buffers:
                if self.chance(0.7):
                    self.add(Place(v, (("index", self.gid),), v.t.of))
                else:
                    k = ("bin", "u32", "+", self.base, ("bin", "u32", "%", self.expression("u32", 3), ("const", "u32", self.lanes)))
                    self.add(Place(v, (("index", k),), v.t.of), False)
            for v in self.shared:
                if self.chance(0.6):
                    k = ("bin", "u32", "%", ("bin", "u32", "+", self.lid, ("const", "u32", self.r.randrange(self.lanes))), ("const", "u32", self.lanes))
                    self.add(Place(v, (("index", k),), v.t.of))
                else:
                    self.add(Place(v), False)
            self.block(self.r.randint(1, 2))
            made, self.out = self.out, saved
            self.scopes.pop()
            self.out.append(("block", made))
            self.barrier()

    # ---- in other words ----
    def reworded(self):
        """The same program, in which no ordered comparison is one of signed 64 bits: both sides are moved up and compared without
        sign. lavapipe of Mesa 22.3 inverts int64(int32) < constant, and its kind (BUGS-FOUND.md)."""
        p = Program(self.language, int(self.name[1:]), self.name)
        p.statements = p.reword(p.statements)
        for f in p.functions + p.takers:
            f["body"] = p.reword(f["body"])
            if f["result"]:
                f["value"] = p.reword(f["value"])
        return p

    def reword(self, x):
        if isinstance(x, Place):
            return Place(x.var, self.reword(x.steps), x.t, x.fixed)
        if isinstance(x, list):
            return [self.reword(y) for y in x]
        if not isinstance(x, tuple):
            return x
        x = tuple(self.reword(y) for y in x)
        if x[:2] == ("compare", "bool") and x[2] not in ("==", "!=") and x[3][1] == "i64":
            x = x[:3] + tuple(("convert", "u64", ("bin", "i64", "^", side, ("const", "i64", 1 << 63))) for side in x[3:])
        return x

    # ---- texts ----
    def text(self):
        if self.made is None:
            self.made = glsl.text(self) if self.language == "glsl" else assembly.text(self)
        return self.made

    def host_text(self):
        return host.text(self)

    def path(self, v, steps):
        block = "[0]" if self.language == "spirv" else ""
        name = "%" + v.name if self.language == "spirv" else v.name
        return name + block + "".join(f"[{s[1][2] if s[0] == 'index' else s[1]}]" for s in steps)

    def nested(self, t, values):
        if isinstance(t, (Array, Vec)):
            return "{" + ", ".join(self.nested(t.of, values) for _ in range(t.n)) + "}"
        if isinstance(t, Struct):
            return "{" + ", ".join(self.nested(m, values) for _, m in t.members) + "}"
        return str(values.pop(0))

    def inputs(self):
        out = []
        for v, values in zip(self.buffers, self.values):
            text = self.nested(v.t, list(values))
            out.append(f"%{v.name} = {{{text}}}" if self.language == "spirv" else f"{v.name} = {text}")
        return out

    def whole(self, values):
        mark = ";" if self.language == "spirv" else "//"
        condition = " and ".join(f"{place} == {value}" for place, value in values)
        head = f"{mark} @Config: 1, {self.lanes}, {self.groups}\n" + "".join(f"{mark} @Input: {i}\n" for i in self.inputs())
        head += f"{mark} @Output: forall ({condition})\n"
        text = self.text()
        if self.language == "spirv":
            return head + text
        first, rest = text.split("\n", 1)
        return first + "\n" + head + rest

    def memory(self):
        contents, places = [], []
        for b, (v, values) in enumerate(zip(self.buffers, self.values)):
            data = bytearray(-(-size_of(v.t) // 4) * 4)
            for (steps, s), x in zip(leaves(v.t), values):
                at = v.t.offset_of(steps)
                places.append((self.path(v, steps), b, at, bits(s) // 8, signed(s)))
                data[at:at + bits(s) // 8] = x.to_bytes(8, "little")[:bits(s) // 8]
            contents.append(data)
        return contents, places
