"""Types of the programs of typed.py, and where their scalars lie in a buffer: by the rules of std140, std430 or scalar (Vulkan, Shader
Interfaces, Offset and Stride Assignment), and with further gaps."""

SCALARS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "i32", "u32"]


def bits(t):
    return int(t[1:])


def signed(t):
    return t[0] == "i"


class Vec:
    def __init__(self, of, n, rules="std430"):
        self.of, self.n, self.rules = of, n, rules

    def __eq__(self, other):
        return isinstance(other, Vec) and (self.of, self.n) == (other.of, other.n)

    def __hash__(self):
        return hash((self.of, self.n))

    def step(self, kind, what):
        return what * bits(self.of) // 8, self.of


class Array:
    def __init__(self, of, n, gap=0, rules="std430"):
        self.of, self.n, self.gap, self.rules = of, n, gap, rules
        self.stride = up(size_of(of), align_of(self)) + gap

    def __eq__(self, other):
        return isinstance(other, Array) and (self.of, self.n, self.gap) == (other.of, other.n, other.gap)

    def __hash__(self):
        return hash((self.of, self.n, self.gap))

    def step(self, kind, what):
        return what * self.stride, self.of

    def offset_of(self, steps):
        """Bytes to a scalar at steps with constant indices."""
        at, t = 0, self
        for kind, what in steps:
            here, t = t.step(kind, what[2] if kind == "index" else what)
            at += here
        return at


class Struct:
    def __init__(self, name, members, gaps, rules="std430"):
        self.name, self.members, self.rules, self.offsets = name, members, rules, []
        at = 0
        for (_, t), gap in zip(members, gaps):
            at = up(at, align_of(t)) + gap
            self.offsets.append(at)
            at += size_of(t)
        self.size = up(at, align_of(self))

    def step(self, kind, what):
        return self.offsets[what], self.members[what][1]


def up(n, to):
    return -(-n // to) * to


def align_of(t):
    if isinstance(t, Array):
        return up(align_of(t.of), 16 if t.rules == "std140" else 1)
    if isinstance(t, Struct):
        return up(max(align_of(m) for _, m in t.members), 16 if t.rules == "std140" else 1)
    if isinstance(t, Vec):
        return bits(t.of) // 8 * (1 if t.rules == "scalar" else 2 if t.n == 2 else 4)
    return bits(t) // 8


def size_of(t):
    if isinstance(t, Array):
        return t.stride * t.n
    if isinstance(t, Struct):
        return t.size
    if isinstance(t, Vec):
        return bits(t.of) // 8 * t.n
    return bits(t) // 8


def leaves(t, steps=()):
    """Scalars of a type: (steps with constant indices, scalar type)."""
    if isinstance(t, Array):
        for k in range(t.n):
            yield from leaves(t.of, steps + (("index", ("const", "u32", k)),))
    elif isinstance(t, Vec):
        for k in range(t.n):
            yield steps + (("component", k),), t.of
    elif isinstance(t, Struct):
        for k, (_, m) in enumerate(t.members):
            yield from leaves(m, steps + (("member", k),))
    else:
        yield steps, t
