"""Programs of typed.py as GLSL."""

from types_of import Array, Struct, Vec, bits, signed

HEAD = """#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
#define MEET controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, \\
  gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible)
"""


def spell(t):
    if isinstance(t, Vec):
        return ("i" if signed(t.of) else "u") + f"{bits(t.of)}vec{t.n}"
    if isinstance(t, Struct):
        return t.name
    if t == "bool":
        return t
    return ("int" if signed(t) else "uint") + f"{bits(t)}_t"


def declare(t, name):
    dims = ""
    while isinstance(t, Array):
        dims += f"[{t.n}]"
        t = t.of
    return f"{spell(t)} {name}{dims}"


def place(p):
    out, t = p.var.name, p.var.t
    for kind, what in p.steps:
        if kind == "member":
            out += f".{t.members[what][0]}"
            t = t.members[what][1]
        else:
            out += f".{'xyzw'[what]}" if kind == "component" else f"[{expression(what)}]"
            t = t.of
    return out


def expression(e):
    kind, t = e[0], e[1]
    sub = expression
    if kind == "const":
        n = e[2]
        if t == "u32":
            return f"{n}u"
        return f"{spell(t)}({n}{'ul' if bits(t) == 64 else 'u'})"
    if kind == "load":
        return place(e[2])
    if kind in ("bin", "compare", "logic"):
        return f"({sub(e[3])} {e[2]} {sub(e[4])})"
    if kind in ("not", "neg"):
        return f"({'~' if kind == 'not' else '-'}{sub(e[2])})"
    if kind == "convert":
        return f"{spell(t)}({sub(e[2])})"
    if kind == "select":
        return f"({sub(e[2])} ? {sub(e[3])} : {sub(e[4])})"
    if kind == "logic-not":
        return f"(!{sub(e[2])})"
    if kind == "call":
        return f"{e[2]['name']}({', '.join(sub(a) for a in e[3])})"
    if kind == "extract":
        return f"({sub(e[2])})[{e[3]}]"
    if kind == "shuffle":
        return f"({sub(e[2])}).{''.join('xyzw'[k] for k in e[3])}"
    if kind == "vector":
        return f"{spell(t)}({', '.join(sub(x) for x in e[2])})"
    raise ValueError(kind)


def block(statements):
    out = ""
    for s in statements:
        kind = s[0]
        if kind == "store":
            out += f"  {place(s[1])} = {expression(s[2])};\n"
        elif kind == "declare":
            out += f"  {declare(s[1].t, s[1].name)};\n"
        elif kind == "if":
            out += f"  if ({expression(s[1])}) {{\n{block(s[2])}  }}" + (f" else {{\n{block(s[3])}  }}\n" if s[3] else "\n")
        elif kind == "for":
            v = s[1]
            out += f"  for ({'int' if v.t == 'i32' else 'uint'} {v.name} = 0; {v.name} < {s[2]}; {v.name}++) {{\n{block(s[3])}  }}\n"
        elif kind in ("break-if", "continue-if"):
            out += f"  if ({expression(s[1])}) {kind[:-3]};\n"
        elif kind == "switch":
            out += f"  switch ({expression(s[1])}) {{\n"
            for k, body, falls in s[2]:
                suffix = "u" if s[1][1] == "u32" else ""
                out += ("  default" if k is None else f"  case {k}{suffix}") + f": {{\n{block(body)}  }}\n" + ("" if falls else "  break;\n")
            out += "  }\n"
        elif kind == "take":
            out += f"  {s[1]['name']}({', '.join([place(s[2]), *map(expression, s[3])])});\n"
        elif kind == "block":
            out += f"  {{\n{block(s[1])}  }}\n"
        elif kind == "barrier":
            out += "  MEET;\n"
        else:
            raise ValueError(kind)
    return out


def text(p):
    out = "#version 450\n" + HEAD + f"layout(local_size_x = {p.lanes}) in;\n"
    for s in p.structs:
        out += f"struct {s.name} {{ " + " ".join(declare(t, n) + ";" for n, t in s.members) + " };\n"
    for k, v in enumerate(p.buffers):
        qualifier = "" if p.lanes == 1 else "workgroupcoherent " if p.coherent else "nonprivate "
        out += f"layout({p.rules}, binding = {k}) {qualifier}buffer B{k} {{ {declare(v.t, v.name)}; }};\n"
    for v in p.shared:
        out += f"shared {declare(v.t, v.name)};\n"
    for f in p.functions + p.takers:
        params = ", ".join(f"{'inout ' if a.space == 'argument' else ''}{declare(a.t, a.name)}" for a in f["params"])
        out += f"{spell(f['result']) if f['result'] else 'void'} {f['name']}({params}) {{\n{block(f['body'])}"
        out += (f"  return {expression(f['value'])};\n" if f["result"] else "") + "}\n"
    out += "void main() {\n"
    if p.lanes > 1:
        out += f"  uint lid = gl_LocalInvocationID.x, gid = gl_GlobalInvocationID.x, base = gl_WorkGroupID.x * {p.lanes}u;\n"
    return out + block(p.statements) + "}\n"
