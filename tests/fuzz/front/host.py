"""Programs of typed.py as C++ for the host compiler. Invocations of a workgroup are coroutines that take turns at barriers."""

from types_of import Array, Struct, Vec, bits, leaves, signed

HEAD = """#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ucontext.h>
typedef int8_t i8; typedef uint8_t u8; typedef int16_t i16; typedef uint16_t u16;
typedef int32_t i32; typedef uint32_t u32; typedef int64_t i64; typedef uint64_t u64;
template <class T, int N> struct Arr { T v[N]; T& operator[](u32 k) { return v[k]; } };
template <class T, int N> struct Vec { T v[N]; T& operator[](u32 k) { return v[k]; } };
#define VECTOR_OP(op) template <class T, int N> Vec<T, N> operator op(Vec<T, N> a, Vec<T, N> b) { Vec<T, N> r; \\
  for (int k = 0; k < N; k++) r.v[k] = (T)(a.v[k] op b.v[k]); return r; }
VECTOR_OP(+) VECTOR_OP(-) VECTOR_OP(*) VECTOR_OP(&) VECTOR_OP(|) VECTOR_OP(^)
// Calls, since gcc 12 makes a / -b of -(a / b) and of -1 * (a / b), under -fwrapv too, which traps for the least a and b = 1.
template <class T> T divided_(T a, T b) { return (T)(a / b); }
template <class T> T minus_(T a, T b) { return (T)(a - b); }
static u32 lane_, group_, lanes_;
static int ended_;
static ucontext_t host_, lane_context_[8];
static char stacks_[8][1 << 16] __attribute__((aligned(64)));
static void barrier_() { swapcontext(&lane_context_[lane_], &host_); }
static void run_group(void (*entry)(), u32 lanes, u32 group) {
  lanes_ = lanes;
  group_ = group;
  ended_ = 0;
  for (u32 k = 0; k < lanes; k++) {
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


def spell(t):
    if isinstance(t, Array):
        return f"Arr<{spell(t.of)}, {t.n}>"
    if isinstance(t, Vec):
        return f"Vec<{spell(t.of)}, {t.n}>"
    return t.name if isinstance(t, Struct) else t


def place(p, prefix):
    v = p.var
    out = prefix + v.name if v.space == "buffer" else v.name
    t = v.t
    for kind, what in p.steps:
        if kind == "member":
            out += f".{t.members[what][0]}"
            t = t.members[what][1]
        else:
            out += f"[{what if kind == 'component' else expression(what, prefix)}]"
            t = t.of
    return out


def expression(e, prefix):
    kind, t = e[0], e[1]
    sub = lambda x: expression(x, prefix)  # noqa: E731
    if kind == "const":
        return f"(({t}){e[2]}{'ull' if bits(t) == 64 else 'u'})"
    if kind == "load":
        return place(e[2], prefix)
    if kind == "bin":
        if e[2] in "-/" and not isinstance(t, Vec):
            return f"{'minus_' if e[2] == '-' else 'divided_'}<{t}>({sub(e[3])}, {sub(e[4])})"
        text = f"({sub(e[3])} {e[2]} {sub(e[4])})"
        return text if isinstance(t, Vec) else f"(({t}){text})"
    if kind in ("not", "neg"):
        return f"(({t})(~{sub(e[2])}))" if kind == "not" else f"minus_<{t}>(0, {sub(e[2])})"
    if kind == "convert":
        return f"(({t}){sub(e[2])})"
    if kind in ("select", "phi"):
        return f"({sub(e[2])} ? {sub(e[3])} : {sub(e[4])})"
    if kind in ("compare", "logic"):
        return f"({sub(e[3])} {e[2]} {sub(e[4])})"
    if kind == "logic-not":
        return f"(!{sub(e[2])})"
    if kind == "call":
        return f"{e[2]['name']}({', '.join(sub(a) for a in e[3])})"
    if kind == "extract":
        return f"({sub(e[2])}).v[{e[3]}]"
    if kind == "shuffle":
        return f"([&] {{ auto s_ = {sub(e[2])}; return {spell(t)}{{{', '.join(f's_.v[{k}]' for k in e[3])}}}; }}())"
    if kind == "vector":
        return f"({spell(t)}{{{', '.join(sub(x) for x in e[2])}}})"
    raise ValueError(kind)


def block(statements, prefix, loop=""):
    out = ""
    sub = lambda x: expression(x, prefix)  # noqa: E731
    for s in statements:
        kind = s[0]
        if kind == "store":
            out += f"{place(s[1], prefix)} = {sub(s[2])};\n"
        elif kind == "copy":
            out += f"{place(s[1], prefix)} = {place(s[2], prefix)};\n"
        elif kind == "declare":
            out += f"{spell(s[1].t)} {s[1].name};\n"
        elif kind == "if":
            out += f"if ({sub(s[1])}) {{\n{block(s[2], prefix, loop)}}}" + (f" else {{\n{block(s[3], prefix, loop)}}}\n" if s[3] else "\n")
        elif kind == "for":
            v = s[1]
            out += f"for ({v.t} {v.name} = 0; {v.name} < {s[2]}; {v.name}++) {{\n{block(s[3], prefix)}}}\n"
        elif kind in ("break-if", "continue-if"):
            out += f"if ({sub(s[1])}) {kind[:-3]};\n"
        elif kind == "switch":
            out += f"switch ({sub(s[1])}) {{\n"
            for k, body, falls in s[2]:
                out += ("default" if k is None else f"case {k}") + f": {{\n{block(body, prefix)}}}\n" + ("" if falls else "break;\n")
            out += "}\n"
        elif kind == "take":
            out += f"{s[1]['name']}({', '.join([place(s[2], prefix), *map(sub, s[3])])});\n"
        elif kind == "block":
            out += f"{{\n{block(s[1], prefix)}}}\n"
        elif kind == "barrier":
            out += "barrier_();\n"
        elif kind == "pointer":
            out += f"{spell(s[1].t)}& {s[1].name} = {place(s[2], prefix)};\n"
        elif kind == "pointer-choice":
            out += f"{spell(s[1].t)}& {s[1].name} = {sub(s[2])} ? {place(s[3], prefix)} : {place(s[4], prefix)};\n"
        elif kind == "pointer-on":
            out += f"{spell(s[1].t)}& {s[1].name} = *(&{place(s[2], prefix)} + {sub(s[3])});\n"
        else:
            raise ValueError(kind)
    return out


def text(p):
    prefix = p.name + "_"
    out = ""
    for s in p.structs:
        out += f"struct {s.name} {{ " + " ".join(f"{spell(t)} {n};" for n, t in s.members) + " };\n"
    for f in p.functions + p.takers:
        params = ", ".join(f"{spell(a.t)}{'&' if a.space in ('argument', 'pointer') else ''} {a.name}" for a in f["params"])
        out += f"static {f['result'] or 'void'} {f['name']}({params}) {{\n{block(f['body'], prefix)}"
        out += (f"return {expression(f['value'], prefix)};\n" if f["result"] else "") + "}\n"
    for v in p.buffers:
        out += f"static {spell(v.t)} {prefix}{v.name};\n"
    for v in p.shared:
        out += f"static {spell(v.t)} {v.name};\n"
    out += f"static void entry_{p.name}() {{\nu32 lid = lane_, gid = group_ * lanes_ + lane_, base = group_ * lanes_;\n"
    out += block(p.statements, prefix) + "ended_ = 1;\n}\n"
    out += f"static void run_{p.name}() {{\n"
    for v, values in zip(p.buffers, p.values):
        for (steps, t), x in zip(leaves(v.t), values):
            if x:
                out += f"{place_of(v, steps, prefix)} = ({t}){x}ull;\n"
    out += f"for (u32 g = 0; g < {p.groups}; g++) run_group(entry_{p.name}, {p.lanes}, g);\n"
    for v in p.buffers:
        for steps, t in leaves(v.t):
            form, cast = ("%ld", "long") if signed(t) else ("%lu", "unsigned long")
            out += f'printf("%s {form}\\n", "{p.path(v, steps)}", ({cast}){place_of(v, steps, prefix)});\n'
    return out + "}\n"


def place_of(v, steps, prefix):
    class At:
        pass
    at = At()
    at.var, at.steps = v, steps
    return place(at, prefix)
