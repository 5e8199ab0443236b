"""Bombs by seed, for `bombs`: small inputs of every kind of file that ask a verb for more time or memory than there is.

A family is a function of a random generator and a folder: it writes files and gives back the words of one command, and
whether status 0 can be right. All that a family draws is how large the bomb is and which verb meets it.
`FAMILIES` has them in order; those in `NEED_CLANG` are read by clang, or by compilers of OpenCL C."""
import sqlite3
import struct
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
SB = str(EXAMPLES / "thesis/SB.litmus")
LAUNCH = ["--blockDim=64", "--gridDim=64"]
DECIDE = (["check"], ["check", "-e", "enumerate"], ["check", "-e", "both"], ["check", "-p", "races"],
          ["check", "-p", "termination", "--bound", "auto"], ["outcomes"], ["outcomes", "-e", "enumerate"], ["explain"],
          ["relax"], ["diff-models", "ptx-6.0", "ptx-7.5"])
SHADE = (["check", "--grid", "1.1.2", "-p", "races"], ["check", "-p", "races", "-e", "enumerate"], ["check", "-p", "races"], ["outcomes"], ["explain"], ["print"],
         ["check", "-p", "termination", "--bound", "auto"])
READ = DECIDE + (["print"], ["emit"], ["expect"], ["lower", "opencl-ptx"])


def put(home, name, text):
    path = home / name
    path.write_bytes(text) if isinstance(text, bytes) else path.write_text(text)
    return str(path)


def ptx(columns, question, init="x = 0;"):
    """A litmus test whose thread k has the lines columns[k]."""
    rows = max(map(len, columns))
    filled = [c + [""] * (rows - len(c)) for c in columns]
    heads = " | ".join(f"P{i}@cta {i},gpu 0" for i in range(len(columns)))
    body = "".join(" " + " | ".join(c[r] for c in filled) + " ;\n" for r in range(rows))
    return f"PTX T\n{{ {init} }}\n {heads} ;\n{body}{question}\n"


def litmus(rng, home, text, verbs=READ):
    return [*rng.choice(verbs), put(home, "t.litmus", text)], True


def doubled(words, n, how="#define {0} {1} {1}"):
    return how.format("A0", words).replace(f"{words} {words}", words) + "\n" + "".join(
        how.format(f"A{i}", f"A{i - 1}") + "\n" for i in range(1, n + 1))


def nested(rng, opening, inner, closing, least=1000, most=200000):
    n = rng.randint(least, most)
    return opening * n + inner + closing * n


# Litmus tests.

def many_threads(rng, home):
    n = rng.randint(100, 600)
    writes = rng.randint(1, n)
    columns = [[f"st.relaxed.gpu x, {i + 1}" if i < writes else "ld.weak r1, x", "ld.relaxed.gpu r0, x"] for i in range(n)]
    return litmus(rng, home, ptx(columns, "exists (0:r0 = 3)"))


def many_executions(rng, home):
    n, rows = rng.randint(4, 9), rng.randint(4, 9)
    columns = [[rng.choice((f"st.relaxed.gpu x, {k + 1}", f"ld.relaxed.gpu r{k}, x", f"atom.relaxed.gpu.add r{k}, x, {k + 1}"))
                for k in range(rows)] for _ in range(n)]
    return litmus(rng, home, ptx(columns, "exists (x = 77777)"), DECIDE)


def long_threads(rng, home):
    n = rng.randint(5000, 60000)
    column = [rng.choice(("st.weak x, 1", "ld.weak r0, x", "fence.sc.gpu", "add r1, r0, 1")) for _ in range(50)]
    return litmus(rng, home, ptx([(column * (n // 50 + 1))[:n], ["ld.weak r0, x"]], "exists (0:r0 = 3)"))


def deep_condition(rng, home):
    opening, closing = rng.choice((("(", ")"), ("~(", ")"), ("(1:r0 = 1 /\\ ", ")"), ("(1:r0 = 1 \\/ ", ")")))
    text = nested(rng, opening, "0:r0 = 3", closing, *rng.choice(((50, 200), (1000, 200000))))
    return litmus(rng, home, ptx([["ld.weak r0, x"], ["ld.weak r0, x"]], f"exists ({text})"))


def long_condition(rng, home):
    glue = rng.choice((" /\\ ", " \\/ ", " /\\ ~"))
    parts = [f"{i % 2}:r0 = {i}" for i in range(rng.randint(10000, 100000))]
    return litmus(rng, home, ptx([["ld.weak r0, x"], ["ld.weak r0, x"]], f"exists ({glue.join(parts)})"))


def many_places(rng, home):
    n = rng.randint(2000, 100000)
    return litmus(rng, home, ptx([["ld.weak r0, x0"], ["st.weak x1, 1"]], "exists (0:r0 = 3)",
                                 " ".join(f"x{i} = {i};" for i in range(n))))


def long_names(rng, home):
    name = "x" * rng.randint(100000, 4000000)
    return litmus(rng, home, ptx([[f"ld.weak r0, {name}"], [f"st.weak {name}, 1"]], f"exists ({name} = 3)", f"{name} = 0;"))


def loops(rng, home):
    depth = rng.randint(1, 5)
    column = [f"L{i}:" for i in range(depth)] + ["ld.relaxed.gpu r0, x", "st.relaxed.gpu x, 1"] + ["bne r0, 77, L%d" % i for i in reversed(range(depth))]
    verbs = [[*v, "--bound", str(rng.choice((8, 30, 100, 1000)))] for v in DECIDE if "--bound" not in v]
    return litmus(rng, home, ptx([column] * rng.randint(2, 5), "exists (x = 3)"), verbs)


def vulkan(rng, home):
    n, rows = rng.randint(3, 200), rng.randint(2, 8)
    heads = " | ".join(f"P{i}@sg {i}, wg {i}, qf 0" for i in range(n))
    lines = [" | ".join("ld.atom.acq.dv.sc0.semsc0 r0, x" if k == 0 else rng.choice(
        ("st.atom.rel.dv.sc0.semsc0 x, 1", "ld.atom.acq.dv.sc0.semsc0 r0, x", "membar.acq_rel.dv.semsc0.semsc1", "rmw.atom.dv.sc0.add r0, x, 1"))
        for _ in range(n)) for k in range(rows)]
    return litmus(rng, home, f"Vulkan T\n{{ x = 0; }}\n {heads} ;\n" + "".join(f" {line} ;\n" for line in lines) + "exists (P0:r0 == 3)\n", DECIDE[:9])


def c_litmus(rng, home):
    kind = rng.randrange(4)
    if kind == 0:
        body = "int r0 = " + nested(rng, "(", "1", ")", *rng.choice(((20, 60), (1000, 100000)))) + ";"
    elif kind == 1:
        body = nested(rng, "if (1) { ", "*x = 1;", " }")
    elif kind == 2:
        body = "int r0 = " + " + ".join(["1"] * rng.randint(10000, 300000)) + ";"
    else:
        body = "int r0 = 0; " + "".join(f"while (r0 != {i}) {{ r0 = r0 + *x; " for i in range(8)) + "}" * 8
    return litmus(rng, home, f"OPENCL T\n{{ x = 0; }}\nP0@wg 0,dev 0 (global int* x) {{\n {body}\n}}\nP1@wg 1,dev 0 (global int* x) {{\n *x = 1;\n}}\nexists (x = 3)\n",
                  DECIDE[:9])


# Models.

def model(rng, home, lines, last, verbs=None):
    path = put(home, "m.cat", '"a bomb"\n' + "\n".join(lines) + f"\n{last}\n")
    verb = rng.choice(verbs or ("check", "lint", "outcomes", "diff", "explain", "enumerate", "refine", "relax"))
    return {"check": ["check", "-m", path, SB], "enumerate": ["check", "-e", "enumerate", "-m", path, SB], "lint": ["lint-model", path],
            "outcomes": ["outcomes", "-m", path, SB], "explain": ["explain", "-m", path, SB], "diff": ["diff-models", path, "ptx-7.5", SB],
            "refine": ["refine", "-m", path, SB, SB], "relax": ["relax", "-m", path, str(EXAMPLES / "thesis/SB+membar.gls.litmus")]}[verb], True


def swapped_functions(rng, home):
    n = rng.randint(5, 40)
    lines = ["let f0(x, y) = x ; y"] + [f"let f{i}(x, y) = f{i - 1}((x ; y), y) | f{i - 1}(y, (x ; x))" for i in range(1, n)]
    return model(rng, home, lines, f"irreflexive f{n - 1}(po, rf) as a")


def deep_model(rng, home):
    opening, closing = rng.choice((("(", ")"), ("~(", ")"), ("(po | ", ")"), ("(rf ; ", ")"), ("domain(", ")")))
    return model(rng, home, ["let a = " + nested(rng, opening, "po", closing, *rng.choice(((20, 100), (1000, 200000))))], "irreflexive a as a")


def long_model(rng, home):
    n = rng.randint(5000, 50000)
    op = rng.choice((" | ", " ; ", " & ", " \\ "))
    return model(rng, home, ["let a0 = po | rf"] + [f"let a{i} = a{i - 1}{op}{rng.choice(('rf', 'co', 'po'))}" for i in range(1, n)],
                 f"acyclic a{n - 1} as a")


def closures(rng, home):
    n = rng.randint(10, 2000)
    return model(rng, home, ["let a0 = po | rf | co"] + [f"let a{i} = (a{i - 1}+ ; (rf | co)*)+ | a{i - 1}^-1" for i in range(1, n)], f"acyclic a{n - 1} as a")


def recursion(rng, home):
    n = rng.randint(2, 300)
    lines = ["let rec a0 = po | a1 ; a0"] + [f"and a{i} = a{i - 1} | (a{(i * 7 + 1) % n} ; a{(i * 3 + 2) % n})" for i in range(1, n)]
    return model(rng, home, lines, "acyclic a0 as a")


def many_axioms(rng, home):
    n = rng.randint(3000, 40000)
    return model(rng, home, [rng.choice(("acyclic po | rf | co as a{0}", "irreflexive po ; rf ; co as a{0}", "flag ~empty (rf ; co) as f{0}"))
                             .format(i) for i in range(n)], "empty 0 as last")


def own_include(rng, home):
    return model(rng, home, ['include "m.cat"'] * rng.randint(1, 1000), "acyclic po as a")


# Shaders and modules.

def glsl(rng, home):
    head, kind = "#version 450\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer B { uint x[8]; };\n", rng.randrange(9)
    n = rng.randint(20, 40)
    if kind == 0:
        text = head + doubled("x[0] = 1;", n) + f"void main() {{ A{n} }}\n"
    elif kind == 1:
        text = head + "void main() { x[0] = " + nested(rng, "(", "1u", ")") + "; }\n"
    elif kind == 2:
        text = head + "void main() { " + "".join(f"for (uint i{k} = 0; i{k} < 1000000; ++i{k}) {{ " for k in range(8)) + "x[0] = x[0] + 1;" + "}" * 8 + " }\n"
    elif kind == 3:
        text = head + "uint f0(uint a) { return a + x[a]; }\n" + "".join(
            f"uint f{i}(uint a) {{ return f{i - 1}(a) + f{i - 1}(a + 1); }}\n" for i in range(1, n)) + f"void main() {{ x[0] = f{n - 1}(0); }}\n"
    elif kind == 4:
        text = head + "struct T0 { uint a[2]; };\n" + "".join(f"struct T{i} {{ T{i - 1} a[4]; T{i - 1} b[4]; }};\n" for i in range(1, 12)) + \
            "void main() { T11 t; x[0] = t.a[0].b[1].a[2].b[0].a[0].b[0].a[0].b[0].a[0].b[0].a[0].a[1]; }\n"
    elif kind == 5:
        text = head.replace("local_size_x = 1", f"local_size_x = {rng.choice((1024, 65536, 2147483647))}") + "shared uint s[1000]; void main() { s[gl_LocalInvocationID.x] = 1; barrier(); x[0] = s[0]; }\n"
    elif kind == 6:
        text = head + "void main() { " + "".join(f"if (x[{i}] == {i}) x[{i + 1}] = {i}; " for i in range(rng.randint(500, 5000))) + "}\n"
    elif kind == 7:
        text = head + f"shared uint t[{rng.choice((1 << 16, 1 << 24, 1 << 30))}];\nvoid main() {{ uint l[1 << 28]; x[0] = l[x[1]]; }}\n"
    else:
        text = head + "#define F(a) F(a) F(a)\n" + nested(rng, "#if 1\n", "", "", 10, 50000) + "void main() { F(F(F(1))) }\n"
    return [*rng.choice(SHADE), put(home, "t.comp", text)], True


def module(types, body, bound=100):
    return ("OpCapability Shader\nOpCapability VulkanMemoryModel\nOpMemoryModel Logical Vulkan\nOpEntryPoint GLCompute %main \"main\"\n"
            "OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n"
            f"%c1 = OpConstant %uint 1\n{types}\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{body}\nOpReturn\nOpFunctionEnd\n")


def spirv(rng, home):
    kind, n = rng.randrange(8), rng.randint(10, 4000)
    if kind == 0:
        text = module("%t0 = OpTypeArray %uint %c1\n" + "\n".join(f"%t{i} = OpTypeStruct %t{i - 1} %t{i - 1}" for i in range(1, n)) +
                      f"\n%p = OpTypePointer Function %t{n - 1}", f"%v = OpVariable %p Function")
    elif kind == 1:
        text = module("%t0 = OpTypeStruct %uint %uint\n%k0 = OpConstantComposite %t0 %c1 %c1\n" + "\n".join(
            f"%t{i} = OpTypeStruct %t{i - 1} %t{i - 1}\n%k{i} = OpConstantComposite %t{i} %k{i - 1} %k{i - 1}" for i in range(1, min(n, 60))), "")
    elif kind == 2:
        text = f"OpMemberName %{rng.choice((4294967295, 1 << 40, 7))} {rng.choice((4294967295, 1 << 31))} \"a\"\n" + module("", "")
    elif kind == 3:
        text = module("%big = OpConstant %uint 4294967295\n%a = OpTypeArray %uint %big\n%b = OpTypeArray %a %big\n%p = OpTypePointer Workgroup %b\n%v = OpVariable %p Workgroup", "")
    elif kind == 4:
        text = module("", "\n".join(f"%s{i} = OpIAdd %uint {f'%s{i - 1} %s{i - 1}' if i else '%c1 %c1'}" for i in range(n * 10)))
    elif kind == 5:
        text = module("", f"OpSelectionMerge %m None\nOpSwitch %c1 %m " + " ".join(f"{i} %b{i}" for i in range(n)) + "\n" +
                      "\n".join(f"%b{i} = OpLabel\nOpBranch %{f'b{i + 1}' if i + 1 < n else 'm'}" for i in range(n)) + "\n%m = OpLabel")
    elif kind == 6:
        words = [0x07230203, 0x00010500, 0, rng.choice((0xFFFFFFFF, 0x7FFFFFFF, 4194304)), 0]
        for _ in range(n):
            words += rng.choice(([0x00020011, 1], [0x00040015, rng.randrange(1 << 32), 32, 0], [0xFFFF0000 | rng.randrange(400)], [0x0003000E, 0, 3],
                                 [0x0004001C, rng.randrange(1 << 32), 1, 1]))
        return [*rng.choice(SHADE), put(home, "t.spv", struct.pack(f"<{len(words)}I", *words))], True
    else:
        body = "".join(f"OpBranch %h{i}\n%h{i} = OpLabel\nOpLoopMerge %m{i} %k{i} None\nOpBranchConditional %true %x{i} %m{i}\n%x{i} = OpLabel\n" for i in range(n % 300 + 1))
        body += "".join(f"OpBranch %k{i}\n%k{i} = OpLabel\nOpBranch %h{i}\n%m{i} = OpLabel\n" for i in reversed(range(n % 300 + 1)))
        text = module("%bool = OpTypeBool\n%true = OpConstantTrue %bool", body)
    return [*rng.choice(SHADE), put(home, "t.spvasm", text)], True


def ptx_module(rng, home):
    kind, n = rng.randrange(7), rng.randint(200, 20000)
    head = "// @Config: 1, 1, {0}\n// @Input: d = {{0}}\n// @Output: forall (d[0] == 7)\n.version 8.0\n.target sm_80\n.address_size 64\n"
    body, regs, grid, extra = "", "", 2, ""
    if kind == 0:
        body, regs = "st.global.u32 [%rd2], 1;\n", f".reg .b32 %q<{rng.choice((4294967295, 2147483647, 1 << 24, 1 << 40))}>;\n"
    elif kind == 1:
        body = "".join(f"add.u32 %r1, %r1, %r{i % 4};\n" for i in range(n)) + "st.global.u32 [%rd2], %r1;\n"
    elif kind == 2:
        body = "".join(f"ld.relaxed.gpu.global.u32 %r1, [%rd2];\nsetp.eq.s32 %p1, %r1, {i};\n@%p1 bra $L{i};\nst.relaxed.gpu.global.u32 [%rd2], {i};\n$L{i}:\n"
                       for i in range(n % 200 + 5))
    elif kind == 3:
        body = "$A:\n" + "".join(f"$L{i}:\n" for i in range(n % 9 + 1)) + "ld.relaxed.gpu.global.u32 %r1, [%rd2];\nst.relaxed.gpu.global.u32 [%rd2], %r1;\n" + \
            "".join(f"setp.ne.s32 %p1, %r1, {i + 5};\n@%p1 bra $L{i};\n" for i in range(n % 9 + 1))
    elif kind == 4:
        extra = f".global .align 4 .b8 huge[{rng.choice((1 << 30, 4294967295, (1 << 62)))}];\n"
        body = "st.global.u32 [huge], 1;\n"
    elif kind == 5:
        grid = rng.choice((64, 1024, 100000, 2147483647))
        body = "atom.global.add.u32 %r1, [%rd2], 1;\nst.global.u32 [%rd2], %r1;\n"
    else:
        body = "{\n" * n + "}\n" * n + "st.global.u32 [%rd2], 1;\n"
    text = head.format(grid) + extra + ".visible .entry k(.param .u64 d)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<5>;\n.reg .b64 %rd<5>;\n" + regs + \
        "ld.param.u64 %rd1, [d];\ncvta.to.global.u64 %rd2, %rd1;\n" + body + "ret;\n}\n"
    verbs = (["check"], ["check", "-p", "races"], ["check", "-e", "enumerate"], ["outcomes"], ["explain"], ["audit", "--grid", "1.1.2"],
             ["check", "-p", "termination", "--bound", "auto"], ["check", "--bound", "50"])
    return [*rng.choice(verbs), put(home, "t.ptx", text)], True


# Progress tests and models.

def progress(rng, home):
    kind, threads = rng.randrange(4), rng.randint(4, 40)
    if kind == 0:
        thread = "".join(f"  l{i}: if (x{i % 3} == {i % 2}) goto l{i};\n  x{(i + 1) % 3} = {i % 2};\n" for i in range(rng.randint(3, 30)))
    elif kind == 1:
        thread = "".join(f"  x{i % 9} = {i};\n" for i in range(rng.randint(20, 3000)))
    elif kind == 2:
        thread = "".join(f"  if (x{i % 20} == {i}) goto l{i};\n  x{i % 19} = {i + 1};\n  l{i}: x{i % 7} = {i};\n" for i in range(rng.randint(5, 100)))
    else:
        thread = f"  x{'0' * rng.randint(1000, 200000)} = 1;\n"
    places = "".join(f"x{i} = 0;\n" for i in range(20))
    text = 'progress "bomb"\n' + places + "".join(f"thread {t} {{\n{thread}}}\n" for t in range(threads))
    verb = rng.choice((["check"], ["lts"], ["lts", "--json"], ["lts", "--abstract", "--model", "hsa"], ["classify"], ["print"], ["export", "-o", str(home / "out")], ["account"],
                       ["check", "--model", "hsa", "--fairness", "weak"]))
    return ["progress", *verb, put(home, "t.axb", text)], True


def progress_lines(rng, home):
    """JSON lines of progress tests, as published."""
    text = rng.choice(("[" * 200000, '{"a":' * 100000 + "1" + "}" * 100000, '{"name": "t", "threads": ' + "[[" * 50000 + "]]" * 50000 + "}",
                       "".join('{"name": "t%d", "threads": [[{"op": "axb"}]]}\n' % i for i in range(20000))))
    return ["progress", rng.choice(("check", "classify", "account", "print")), put(home, "t.jsonl", text)], True


def progress_compare(rng, home):
    return ["progress", "compare", *rng.sample(("hsa", "obe", "lobe", "fair"), 2), "--instructions", str(rng.randint(5, 8))], True


def progress_model(rng, home):
    text = 'model "m"\n\nfair = ' + rng.choice((nested(rng, "(", "live", ")"), " | ".join(["{min live}"] * rng.randint(1000, 100000)), nested(rng, "(live & ", "started", ")", 20, 60)))
    return ["progress", "check", "--model", put(home, "m.progress", text), str(EXAMPLES / "progress/ticket.axb")], True


# Texts and stores.

def results(rng, home):
    kind = rng.randrange(6)
    name, text = "t.json", "[" * rng.randint(1000, 400000)
    if kind == 1:
        text = '{"a":' * 100000 + "1" + "}" * 100000
    elif kind == 2:
        text = "{" + ",".join(f'"{i}": {{"MP": {{"seq": 5, "interleaved": 2, "weak": 1, "durationSeconds": 0.5}}, "params": {{"stress": {i}}}}}' for i in range(rng.randint(500, 6000))) + "}"
    elif kind == 3:
        name, text = "t.log", "".join(f"Test T{i} Allowed\nHistogram (2 states)\n{i}:>0:r0={i};\n1*>0:r0=1;\nOk\n\nWitnesses\nPositive: 1, Negative: {i}\n"
                                      f"Condition exists (0:r0=1) is validated\nObservation T{i} Sometimes 1 {i}\n\n" for i in range(rng.randint(500, 5000)))
    elif kind == 4:
        name, text = "t.log", "Test T Allowed\nHistogram (99999999 states)\n" + "".join(f"1:>0:r{i}={i};\n" for i in range(rng.randint(2000, 20000))) + "Ok\n"
    elif kind == 5:
        name, text = "t.csv", "model,property,path,expected\n" + "x" * rng.randint(100000, 2000000) + ",condition,t.litmus,PASS\n" * 50
    return [*rng.choice((["stats"], ["stats", "--json"], ["report", "-o", str(home / "p.html")], ["stats", "--reproducibility", "95"])), put(home, name, text)], True


def store(rng, home):
    """A file that says to be a store, whose tables are views without an end, or rows that are too many or too large."""
    path = home / "t.db"
    db = sqlite3.connect(path)
    kind = rng.randrange(5)
    for line in ("pragma application_id = 1179669332", f"pragma user_version = {rng.randint(1, 4)}"):
        db.execute(line)
    columns = ("campaign", "test", "test_hash", "device", "configuration", "round_group", "driver", "binary_hash", "plan_hash", "what_ran", "evidence", "parameters",
               "seed", "launches", "rounds", "instances", "corrupt", "incomplete", "filtered", "waits", "time_outs", "seconds", "device_seconds", "finished_ms",
               "series", "series_lost", "frame_missing", "checksum")
    endless = "with recursive r(n) as (select 1 union all select n + 1 from r) select n as id, " + ", ".join(f"n as {c}" for c in columns) + " from r"
    if kind == 0:
        db.execute("create view groups as " + endless)
    elif kind == 1:
        db.execute("create table groups(id integer primary key, " + ", ".join(f"{c} text" for c in columns) + ")")
        db.executemany(f"insert into groups({', '.join(columns)}) values({', '.join('?' * len(columns))})", ([f"{i}"] * len(columns) for i in range(rng.randint(1000, 20000))))
    elif kind == 2:
        db.execute("create table groups(id integer primary key, campaign text)")
        db.execute("insert into groups values(1, zeroblob(?))", (rng.randint(1, 60) << 20,))
    elif kind == 3:
        db.execute("create table plans(campaign text primary key, text text)")
        db.execute("create trigger t after insert on plans begin insert into plans select campaign || 'x', text from plans; end")
        db.execute("create view tests as with recursive r(n) as (select 1 union all select n + 1 from r) select n as hash, n as text from r")
    else:
        db.execute("create table tallies(name text primary key, rows integer, sum integer)")
        db.execute("create index i on tallies(" + "+".join(["rows"] * 300) + ")")
    db.commit()
    db.close()
    if rng.random() < 0.3:
        raw = bytearray(path.read_bytes())
        for _ in range(40):
            raw[rng.randrange(100, len(raw))] = rng.randrange(256)
        path.write_bytes(raw)
    other = home / "u.db"
    plan = put(home, "plan.toml", f'name = "n"\ntests = ["{SB}"]\ndevices = ["reference"]\niterations = 100\n')
    return rng.choice((["judge", str(path)], ["stats", str(path)], ["report", str(path), "-o", str(home / "p.html")], ["merge", str(other), str(path)],
                       ["merge", str(path), str(path)], ["campaign", plan, "--store", str(path)], ["stats", str(path), "--json"],
                       ["judge", str(path), "--json"], ["tune", SB, "--device", "reference", "--store", str(path), "--configurations", "2"])), False


def tables(rng, home):
    kind = rng.randrange(4)
    if kind == 0:
        text = "lowering m\nfrom OPENCL opencl\nto PTX ptx-7.5\n" + "load.relaxed.SCOPE -> ld.relaxed.gpu ; fence.sc.gpu\n" * rng.randint(1000, 50000)
        return ["lower", put(home, "t.map", text), str(EXAMPLES / "lowering/sb-seq-cst.litmus")], True
    if kind == 1:
        text = "lowering m\nfrom OPENCL opencl\nto PTX ptx-7.5\nload.plain -> " + " ; ".join(["ld.weak"] * rng.randint(1000, 100000)) + "\n"
        return ["lower", put(home, "t.map", text), str(EXAMPLES / "lowering/sb-seq-cst.litmus")], True
    if kind == 2:
        text = 'name = "n"\ntests = ' + nested(rng, "[", '"x"', "]", 1000, 100000) + "\n"
        return ["campaign", put(home, "t.toml", text), "--store", str(home / "s.db")], False
    text = "atom.acquire.gpu.add.u64@u1; ld.weak.global.u32@p2\nsm_90\n" + "".join(f"{i:04x} 9000 - 00 | @P0 BRA `(.L_x_{i % 77})\n" for i in range(rng.randint(1000, 20000)))
    return ["hunt", put(home, "t.rec", text)], True


def made(rng, home):
    """One test that is made of a long cycle, and decided."""
    n = rng.randint(4, 60)
    cycle = " ".join(rng.choice(("PodWR Fre", "PodWW Rfe PodRR Fre", "PodRW Rfe", "Coe PodWW")) for _ in range(n))
    return ["gen", "--dialect", rng.choice(("PTX", "VULKAN", "OPENCL")), "--decide", "--cycle", cycle, "-o", str(home / "out")], True


# Commands of many questions: the bound is of the command. TOTAL stands for its --total-budget.

def many_questions(rng, home):
    families = ["--dialect", rng.choice(("PTX", "VULKAN", "OPENCL")), "--families", "all", "--threads", rng.choice("34")]
    return [*rng.choice((["suite", *families, "-o", str(home / "suite")], ["suite", *families, "--mutants", "-o", str(home / "suite")], ["gen", *families, "--decide", "-o", str(home / "gen")],
                         ["lower", rng.choice(("opencl-ptx", "vulkan-ptx", "ptx-vulkan")), "--generate", "3"], ["check", str(EXAMPLES)], ["check", "-p", "termination", "--bound", "auto", str(EXAMPLES)],
                         ["diff-models", "ptx-6.0", "ptx-7.5", str(EXAMPLES)], ["expect", str(EXAMPLES / "ptx9")], ["progress", "check", str(EXAMPLES)], ["audit", str(EXAMPLES / "ptx-modules")],
                         ["certify", "--device", "reference", "--families", "SB,MP,LB,S,R,2+2W", "--store", str(home / "c.db")],
                         ["certify", "--device", "reference", "--threads", "3", "--store", str(home / "c.db")])), "--total-budget", "TOTAL"], True


# Kernels; what reads them is not ours.

def many_kernels(rng, home):
    return ["audit", *rng.choice(([], ["--format", rng.choice(("json", "sarif", "html"))], ["--cache", str(home / "kept")])), str(EXAMPLES / "kernels"), "--total-budget", "TOTAL"], True


def kernel(rng, home):
    kind, n = rng.randrange(12), rng.randint(20, 40)
    cuda = rng.random() < 0.6
    head = "" if cuda else ""
    mark, pointer = ("__global__ void", "int* x") if cuda else ("__kernel void", "__global int* x")
    if kind == 0:
        text = doubled("x[0] = 1;", n) + f"{mark} k({pointer}) {{ A{n} }}\n"
    elif kind == 1:
        text = "typedef struct { int a[2]; } T0;\n" + "".join(f"typedef struct {{ T{i - 1} a[4], b[4]; }} T{i};\n" for i in range(1, n)) + f"{mark} k({pointer}) {{ T{n - 1} t; x[0] = sizeof(t); t.a[0] = t.b[1]; }}\n"
    elif kind == 2:
        text = f"{mark} k({pointer}) {{ x[0] = " + nested(rng, "(", "1", ")") + "; }\n"
    elif kind == 3:
        text = f"{mark} k({pointer}) {{ " + nested(rng, "if (x[0]) { ", "x[1] = 1;", " }", 100, 3000) + " }\n"
    elif kind == 4:
        text = f'#include "{home}/k.c"\n' * 3 + f"{mark} k({pointer}) {{ x[0] = 1; }}\n"
        put(home, "k.c", f'#include "{home}/k.c"\n' * 2)
    elif kind == 5 and cuda:
        text = "template <int N> struct F { static constexpr long v = F<N - 1>::v + F<N - 2>::v + F<N - 1>::w; static constexpr long w = N; };\n" \
            "template <int N, class T> struct G { typedef typename G<N - 1, G<N, T>>::t t; };\n" + f"{mark} k({pointer}) {{ x[0] = F<900>::v; typename G<800, int>::t y; }}\n"
    elif kind == 6 and cuda:
        text = "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }\n" + f"{mark} k({pointer}) {{ constexpr long v = f(1000000000); x[0] = v; }}\n"
    elif kind == 7:
        text = f"{mark} k({pointer}) {{ " + "".join(f"for (int i{j} = 0; i{j} < 100000; ++i{j}) " for j in range(8)) + "x[x[0] * 7 + x[1]] += 1; }\n"
    elif kind == 8:
        text = f"{mark} k({pointer}) {{ " + "".join(f"if (x[{i}] > {i}) x[x[{i}] % 77] = x[{i + 1}] * x[{i}]; " for i in range(rng.randint(100, 1500))) + "}\n"
    elif kind == 9:
        text = f"{mark} k({pointer}) {{ int y[{rng.choice((1 << 20, 1 << 28))}]; for (int i = 0; i < (1 << 20); ++i) y[i] = x[i] * y[x[i] & 1023]; x[0] = y[x[1] & 1023]; }}\n"
    elif kind == 10:
        text = f"{mark} k({pointer}) {{ long v = x[0]; " + "v = v * v * v + (v % (v + 3)) / (v | 5); " * rng.randint(20, 300) + "x[v] = 1; }\n"
    else:
        text = f"{mark} k({pointer}) {{ x[0] = " + " + ".join(["x[1]"] * rng.randint(3000, 60000)) + "; }\n"
    path = put(home, "t.cu" if cuda else "t.cl", head + text)
    launch = LAUNCH if cuda else ["--local_size=64", "--num_groups=64"]
    return rng.choice((["prove", *launch, path], ["prove", "--strict", *launch, path], ["audit", "--grid", "1.1.2", path], ["check", "--grid", "1.1.2", path],
                       ["check", "-p", "races", "--grid", "1.1.2", path], ["check", "-p", "termination", "--bound", "auto", "--grid", "1.1.2", path])), True


NEED_CLANG = [kernel, many_kernels]
PLAIN = [many_threads, many_executions, long_threads, deep_condition, long_condition, many_places, long_names, loops, vulkan, c_litmus, swapped_functions,
         deep_model, long_model, closures, recursion, many_axioms, own_include, glsl, glsl, spirv, spirv, ptx_module, ptx_module, progress, progress,
         progress_lines, progress_compare, progress_model, results, results, store, store, tables, made, many_questions]
