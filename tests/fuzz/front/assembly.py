"""Programs of typed.py as SPIR-V assembly, written here and not by a compiler: pointers that are moved and chosen, phis, copies of
memory, layouts with gaps, vectors that are stored whole or by component."""

import random

from types_of import Array, Struct, Vec, bits, signed

BINARY = {"+": "IAdd", "-": "ISub", "*": "IMul", "&": "BitwiseAnd", "|": "BitwiseOr", "^": "BitwiseXor", "<<": "ShiftLeftLogical"}
COMPARE = {"<": "LessThan", "<=": "LessThanEqual", ">": "GreaterThan", ">=": "GreaterThanEqual"}
STORAGE = {"buffer": "StorageBuffer", "pointer": "StorageBuffer", "shared": "Workgroup", "function": "Function", "argument": "Function",
           "counter": "Function"}


class Module:
    def __init__(self, program):
        self.p = program
        self.r = random.Random(program.name)
        self.names, self.decorations, self.types, self.globals, self.functions = [], [], [], [], []
        self.known = {}
        self.count = 0
        self.lines, self.variables, self.ids, self.block = [], [], {}, ""

    # ---- ids, types, constants ----
    def fresh(self, stem=""):
        self.count += 1
        return f"%{stem}{self.count}"

    def once(self, key, make):
        if key not in self.known:
            self.known[key] = None
            self.known[key] = make()
        return self.known[key]

    def declare(self, name, text):
        self.types.append(f"{name} = {text}")
        return name

    def type_(self, t, laid=False):
        if t == "void":
            return self.once("void", lambda: self.declare("%void", "OpTypeVoid"))
        if t == "bool":
            return self.once("bool", lambda: self.declare("%bool", "OpTypeBool"))
        if isinstance(t, str):
            return self.once(t, lambda: self.declare(f"%{t}", f"OpTypeInt {bits(t)} {int(signed(t))}"))
        if isinstance(t, Vec):
            of = self.type_(t.of)
            return self.once(t, lambda: self.declare(f"%v{t.n}{t.of}", f"OpTypeVector {of} {t.n}"))
        if isinstance(t, Array):
            of, n = self.type_(t.of, laid), self.const("u32", t.n)
            # without a layout, arrays that differ in gaps alone are still two types
            return self.once(("array", t, laid), lambda: self.array(t, of, n, laid))
        members = [self.type_(m, laid) for _, m in t.members]
        return self.once(("struct", t.name, laid), lambda: self.struct(t, members, laid))

    def array(self, t, of, n, laid):
        name = self.declare(self.fresh("array"), f"OpTypeArray {of} {n}")
        if laid:
            self.decorations.append(f"OpDecorate {name} ArrayStride {t.stride}")
        return name

    def struct(self, t, members, laid):
        name = self.declare(f"%{t.name}{'_laid' if laid else ''}", "OpTypeStruct " + " ".join(members))
        if laid:
            self.decorations += [f"OpMemberDecorate {name} {k} Offset {at}" for k, at in enumerate(t.offsets)]
        return name

    def pointer(self, storage, t, laid, stride=0):
        of = self.type_(t, laid)

        def make():
            name = self.declare(self.fresh("ptr"), f"OpTypePointer {storage} {of}")
            if stride:
                self.decorations.append(f"OpDecorate {name} ArrayStride {stride}")
            return name
        return self.once(("pointer", storage, of, stride), make)

    def const(self, t, n):
        of = self.type_(t)
        n &= (1 << bits(t)) - 1
        if signed(t) and n >> (bits(t) - 1):
            n -= 1 << bits(t)
        return self.once(("const", t, n), lambda: self.declare(f"%{t}_{n}".replace("-", "m"), f"OpConstant {of} {n}"))

    # ---- code ----
    def emit(self, text):
        self.lines.append(text)

    def value(self, text):
        name = self.fresh()
        self.emit(f"{name} = {text}")
        return name

    def label(self, name):
        self.emit(f"{name} = OpLabel")
        self.block = name

    def laid(self, v):
        return v.space in ("buffer", "pointer")

    def address(self, p, stride=0):
        v = p.var
        indices = [self.const("u32", 0)] if v.space == "buffer" else []
        for kind, what in p.steps:
            indices.append(self.expression(what) if kind == "index" else self.const("u32", what))
        if not indices:
            return self.ids[v]
        chain = self.r.choice(["OpAccessChain", "OpInBoundsAccessChain"])
        of = self.pointer(STORAGE[v.space], p.t, self.laid(v), stride)
        return self.value(f"{chain} {of} {self.ids[v]} {' '.join(indices)}")

    def operands(self, v, way):
        if self.p.lanes == 1 or v.space not in ("buffer", "pointer", "shared"):
            return ""
        if not self.p.coherent:
            return " NonPrivatePointer"
        return f" MakePointer{way}|NonPrivatePointer {self.const('u32', 2)}"

    def by_vector(self, p):
        """The vector that holds a component with a constant number, if it is to be accessed as a whole."""
        if p.steps and p.steps[-1][0] == "component" and self.r.random() < 0.4:
            t = p.var.t
            for kind, what in p.steps[:-1]:
                t = t.members[what][1] if kind == "member" else t.of
            whole = type(p)(p.var, p.steps[:-1], t)
            return whole, p.steps[-1][1]
        return None, 0

    def load(self, p):
        if p.var.space == "value":
            return self.ids[p.var]
        whole, k = self.by_vector(p)
        if whole:
            return self.value(f"OpCompositeExtract {self.type_(p.t)} {self.load(whole)} {k}")
        at = self.address(p)
        return self.value(f"OpLoad {self.type_(p.t, self.laid(p.var))} {at}{self.operands(p.var, 'Visible')}")

    def store(self, p, value):
        whole, k = self.by_vector(p)
        if whole:
            value = self.value(f"OpCompositeInsert {self.type_(whole.t)} {value} {self.load(whole)} {k}")
            p = whole
        at = self.address(p)
        self.emit(f"OpStore {at} {value}{self.operands(p.var, 'Available')}")

    def convert(self, e, t):
        s, x = e[1], self.expression(e)
        if s == "bool":
            return self.value(f"OpSelect {self.type_(t)} {x} {self.const(t, 1)} {self.const(t, 0)}")
        if bits(s) == bits(t):
            return x if s == t else self.value(f"OpBitcast {self.type_(t)} {x}")
        if signed(s):
            return self.value(f"OpSConvert {self.type_(t)} {x}")
        plain = f"u{bits(t)}"
        x = self.value(f"OpUConvert {self.type_(plain)} {x}")
        return x if plain == t else self.value(f"OpBitcast {self.type_(t)} {x}")

    def other_sign(self, x, t):
        """Now and then as a number of the other type of this width: the instruction says what the sign is, not the type."""
        if self.r.random() > 0.1:
            return x
        self.p.note("other-sign")
        return self.value(f"OpBitcast {self.type_(('u' if signed(t) else 'i') + t[1:])} {x}")

    def expression(self, e):
        kind, t = e[0], e[1]
        if kind == "const":
            return self.const(t, e[2])
        if kind == "load":
            return self.load(e[2])
        if kind == "convert":
            return self.convert(e[2], t)
        if kind == "phi":
            return self.phi(e)
        of = self.type_(t)
        if kind == "bin":
            a, b = self.expression(e[3]), self.expression(e[4])
            s = not isinstance(t, Vec) and signed(t)
            if not isinstance(t, Vec) and (s or e[2] not in "/%"):  # OpUDiv and OpUMod want numbers without sign
                a, b = self.other_sign(a, t), self.other_sign(b, t)
            op = BINARY.get(e[2]) or {"/": "SDiv" if s else "UDiv", "%": "SRem" if s else "UMod",
                                      ">>": "ShiftRightArithmetic" if s else "ShiftRightLogical"}[e[2]]
            return self.value(f"Op{op} {of} {a} {b}")
        if kind in ("not", "neg"):
            return self.value(f"Op{'Not' if kind == 'not' else 'SNegate'} {of} {self.expression(e[2])}")
        if kind == "select":
            c, a, b = (self.expression(x) for x in e[2:5])
            return self.value(f"OpSelect {of} {c} {a} {b}")
        if kind == "compare":
            a, b = (self.other_sign(self.expression(x), x[1]) for x in e[3:5])
            op = {"==": "IEqual", "!=": "INotEqual"}.get(e[2]) or ("S" if signed(e[3][1]) else "U") + COMPARE[e[2]]
            return self.value(f"Op{op} {of} {a} {b}")
        if kind == "logic":
            a, b = self.expression(e[3]), self.expression(e[4])
            return self.value(f"OpLogical{'And' if e[2] == '&&' else 'Or'} {of} {a} {b}")
        if kind == "logic-not":
            return self.value(f"OpLogicalNot {of} {self.expression(e[2])}")
        if kind == "call":
            args = " ".join(self.expression(a) for a in e[3])
            return self.value(f"OpFunctionCall {of} %{e[2]['name']} {args}")
        if kind == "extract":
            return self.value(f"OpCompositeExtract {of} {self.expression(e[2])} {e[3]}")
        if kind == "shuffle":
            v = self.expression(e[2])
            return self.value(f"OpVectorShuffle {of} {v} {v} {' '.join(map(str, e[3]))}")
        if kind == "vector":
            return self.value(f"OpCompositeConstruct {of} {' '.join([self.expression(x) for x in e[2]])}")
        raise ValueError(kind)

    def phi(self, e):
        c = self.expression(e[2])
        a, b, end = self.fresh("a"), self.fresh("b"), self.fresh("end")
        self.emit(f"OpSelectionMerge {end} None")
        self.emit(f"OpBranchConditional {c} {a} {b}")
        parents = []
        for name, x in ((a, e[3]), (b, e[4])):
            self.label(name)
            v = self.expression(x)
            parents.append(f"{v} {self.block}")
            self.emit(f"OpBranch {end}")
        self.label(end)
        return self.value(f"OpPhi {self.type_(e[1])} {' '.join(parents)}")

    def variable(self, v):
        name = self.fresh(v.name + "_")
        self.variables.append(f"{name} = OpVariable {self.pointer('Function', v.t, False)} Function")
        self.ids[v] = name
        return name

    def statements(self, statements, loop=None):
        for s in statements:
            self.statement(s, loop)

    def statement(self, s, loop):
        kind = s[0]
        if kind == "store":
            self.store(s[1], self.expression(s[2]))
        elif kind == "copy":
            a, b = self.address(s[1]), self.address(s[2])
            first, second = self.operands(s[1].var, "Available"), self.operands(s[2].var, "Visible")
            if bool(first) == bool(second):
                self.emit(f"OpCopyMemory {a} {b}{first}{second}")
            else:  # spirv-val 2022.4 holds each mask against the storage classes of both
                value = self.value(f"OpLoad {self.type_(s[2].t, self.laid(s[2].var))} {b}{second}")
                self.emit(f"OpStore {a} {value}{first}")
        elif kind == "declare":
            self.variable(s[1])
        elif kind == "if":
            then, other, end = self.fresh("then"), self.fresh("else"), self.fresh("end")
            c = self.expression(s[1])
            self.emit(f"OpSelectionMerge {end} None")
            self.emit(f"OpBranchConditional {c} {then} {other if s[3] else end}")
            for name, body in ((then, s[2]), (other, s[3])):
                if body:
                    self.label(name)
                    self.statements(body)
                    self.emit(f"OpBranch {end}")
            self.label(end)
        elif kind == "for":
            self.loop(s)
        elif kind in ("break-if", "continue-if"):
            after = self.fresh("next")
            c = self.expression(s[1])
            self.emit(f"OpSelectionMerge {after} None")
            self.emit(f"OpBranchConditional {c} {loop[0] if kind == 'break-if' else loop[1]} {after}")
            self.label(after)
        elif kind == "switch":
            self.switch(s)
        elif kind == "take":
            args = [self.address(s[2]), *map(self.expression, s[3])]
            self.value(f"OpFunctionCall {self.type_('void')} %{s[1]['name']} {' '.join(args)}")
        elif kind == "block":
            self.statements(s[1])
        elif kind == "barrier":
            scope = self.const("u32", 2)
            self.emit(f"OpControlBarrier {scope} {scope} {self.const('u32', 0x8 | 0x40 | 0x100 | 0x2000 | 0x4000)}")
        elif kind == "pointer":
            self.ids[s[1]] = self.address(s[2])
        elif kind == "pointer-choice":
            c, a, b = self.expression(s[2]), self.address(s[3]), self.address(s[4])
            self.ids[s[1]] = self.value(f"OpSelect {self.pointer('StorageBuffer', s[1].t, True)} {c} {a} {b}")
        elif kind == "pointer-on":
            stride = s[4].stride
            base, k = self.address(s[2], stride), self.expression(s[3])
            self.ids[s[1]] = self.value(f"OpPtrAccessChain {self.pointer('StorageBuffer', s[1].t, True, stride)} {base} {k}")
        else:
            raise ValueError(kind)

    def loop(self, s):
        v, times, body = s[1], s[2], s[3]
        at = self.variable(v)
        head, test, inside, after, end = (self.fresh(x) for x in ("head", "test", "body", "continue", "end"))
        of = self.type_(v.t)
        self.emit(f"OpStore {at} {self.const(v.t, 0)}")
        self.emit(f"OpBranch {head}")
        self.label(head)
        self.emit(f"OpLoopMerge {end} {after} None")
        self.emit(f"OpBranch {test}")
        self.label(test)
        sign, now = "S" if signed(v.t) else "U", self.value(f"OpLoad {of} {at}")
        less = self.value(f"Op{sign}LessThan {self.type_('bool')} {now} {self.const(v.t, times)}")
        self.emit(f"OpBranchConditional {less} {inside} {end}")
        self.label(inside)
        self.statements(body, (end, after))
        self.emit(f"OpBranch {after}")
        self.label(after)
        now = self.value(f"OpLoad {of} {at}")
        self.emit(f"OpStore {at} {self.value(f'OpIAdd {of} {now} {self.const(v.t, 1)}')}")
        self.emit(f"OpBranch {head}")
        self.label(end)

    def switch(self, s):
        x, end = self.expression(s[1]), self.fresh("end")
        labels = [self.fresh("case") for _ in s[2]]
        self.emit(f"OpSelectionMerge {end} None")
        self.emit(f"OpSwitch {x} {labels[-1]} " + " ".join(f"{c[0]} {name}" for c, name in zip(s[2][:-1], labels)))
        for k, (_, body, falls) in enumerate(s[2]):
            self.label(labels[k])
            self.statements(body)
            self.emit(f"OpBranch {labels[k + 1] if falls else end}")
        self.label(end)

    # ---- functions ----
    def function(self, name, result, params, body):
        """`params`: (variable, type id). `body` emits what stands between."""
        self.lines, self.variables = [], []
        types = " ".join(t for _, t in params)
        of = self.once(("function", result, types), lambda: self.declare(self.fresh("function"), f"OpTypeFunction {result} {types}"))
        self.block = self.fresh("entry")
        entry, head = self.block, [f"%{name} = OpFunction {result} None {of}"]
        copies = []
        for v, t in params:
            at = self.fresh("param")
            head.append(f"{at} = OpFunctionParameter {t}")
            if v.space == "function":
                copies.append((v, at))
            else:
                self.ids[v] = at
        for v, at in copies:
            self.emit(f"OpStore {self.variable(v)} {at}")
        body()
        self.functions += head + [f"{entry} = OpLabel"] + self.variables + self.lines + ["OpFunctionEnd"]

    def parameter(self, v):
        if v.space == "function":
            return self.type_(v.t)
        return self.pointer(STORAGE[v.space], v.t, v.space == "pointer")


def text(p):
    m = Module(p)
    interface = []
    for k, v in enumerate(p.buffers):
        block = m.declare(f"%B{k}", f"OpTypeStruct {m.type_(v.t, True)}")
        m.decorations += [f"OpDecorate {block} Block", f"OpMemberDecorate {block} 0 Offset 0",
                          f"OpDecorate %{v.name} DescriptorSet 0", f"OpDecorate %{v.name} Binding {k}"]
        pointer = m.declare(m.fresh("ptr"), f"OpTypePointer StorageBuffer {block}")
        m.globals.append(f"%{v.name} = OpVariable {pointer} StorageBuffer")
        m.ids[v] = f"%{v.name}"
        interface.append(f"%{v.name}")
    for v in p.shared:
        m.globals.append(f"%{v.name} = OpVariable {m.pointer('Workgroup', v.t, False)} Workgroup")
        m.ids[v] = f"%{v.name}"
        interface.append(f"%{v.name}")
    for f in p.functions:
        def body(f=f):
            m.statements(f["body"])
            m.emit(f"OpReturnValue {m.expression(f['value'])}")
        m.function(f["name"], m.type_(f["result"]), [(v, m.parameter(v)) for v in f["params"]], body)
    for f in p.takers:
        def body(f=f):
            m.statements(f["body"])
            m.emit("OpReturn")
        m.function(f["name"], m.type_("void"), [(v, m.parameter(v)) for v in f["params"]], body)
    ids = {"lid": "LocalInvocationId", "gid": "GlobalInvocationId", "base": "WorkgroupId"}
    three = m.type_(Vec("u32", 3))
    if p.lanes > 1:
        pointer = m.declare(m.fresh("ptr"), f"OpTypePointer Input {three}")
        for name, built_in in ids.items():
            m.globals.append(f"%in_{name} = OpVariable {pointer} Input")
            m.decorations.append(f"OpDecorate %in_{name} BuiltIn {built_in}")
            interface.append(f"%in_{name}")

    def main():
        if p.lanes > 1:
            for e in (p.lid, p.gid, p.base):
                v = e[2].var
                x = m.value(f"OpCompositeExtract {m.type_('u32')} {m.value(f'OpLoad {three} %in_{v.name}')} 0")
                m.ids[v] = x if v.name != "base" else m.value(f"OpIMul {m.type_('u32')} {x} {m.const('u32', p.lanes)}")
        m.statements(p.statements)
        m.emit("OpReturn")
    m.function("main", m.type_("void"), [], main)
    head = [f"OpCapability {c}" for c in ("Shader", "VulkanMemoryModel", "Int8", "Int16", "Int64", "StorageBuffer8BitAccess",
                                          "StorageBuffer16BitAccess", "VariablePointersStorageBuffer")]
    head += ["OpMemoryModel Logical Vulkan", f'OpEntryPoint GLCompute %main "main" {" ".join(interface)}',
             f"OpExecutionMode %main LocalSize {p.lanes} 1 1"]
    return "\n".join(head + m.decorations + m.types + m.globals + m.functions) + "\n"
