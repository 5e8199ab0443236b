"""Random kernels as trees that print as OpenCL C, as CUDA C++ and as a Python generator (oracle.py runs that).

A kernel has the arrays A, B (global), F (global: flags, locks, counters), S (of the group), a number n that is given,
and variables v0..v5. Indices and conditions are texts that C and Python read alike: values are small and not negative.
Each feature is an idiom of the trade that is drawn right or, in one of several places, wrong.
"""
import random

SCOPES = {"cl": ("memory_scope_work_group", "memory_scope_device"), "cu": ("_block", "")}
ORDERS = {"rlx": "memory_order_relaxed", "acq": "memory_order_acquire", "rel": "memory_order_release",
          "acq_rel": "memory_order_acq_rel", "sc": "memory_order_seq_cst"}


def ref(kind, place, scope):
    return f"cuda::atomic_ref<{kind}, cuda::thread_scope_{('block', 'device')[scope]}>({place})"


def python(text):
    return text.replace("&&", " and ").replace("||", " or ")


class Node:
    """One statement. `text`: lang -> lines; `body`: lists of statements inside, for the reducer."""

    def __init__(self, make, *bodies):
        self.make, self.bodies = make, list(bodies)

    def lines(self, lang):
        inner = [[("  " if lang != "py" else "    ") + x for s in b for x in s.lines(lang)] for b in self.bodies]
        return self.make(lang, *inner)


def simple(cl, cu, py):
    return Node(lambda lang: [{"cl": cl, "cu": cu, "py": py}[lang]])


class Draw:
    def __init__(self, seed, language, features, launch):
        self.rng = random.Random(seed)
        self.language, self.features = language, set()
        self.local, self.groups = launch
        self.uses_rows = False
        self.care = self.rng.choice([0, 0.6, 0.85, 0.95])
        self.refs = language == "cu" and self.rng.random() < 0.5  # cuda::atomic_ref, with orders, in place of atomicAdd
        self.ordered = language == "cl" or self.refs
        self.n = self.rng.randrange(1, 7)
        self.places = self.loops = self.names = 0
        self.body = []
        for f in features:
            self.features.add(f)
            if self.rng.random() < 0.4 - 0.4 * self.care:
                self.body += self.plain(1)
            self.body += getattr(self, f)()
        if self.rng.random() < 0.5 - 0.5 * self.care:
            self.body += self.plain(self.rng.randrange(1, 3))

    # ---- small parts ----------------------------------------------------------------------------------------------
    def chance(self, p):
        return self.rng.random() < p

    def any(self, *of):
        return self.rng.choice(of)

    def pick(self, *of):
        """The first is right, the others may not be."""
        return of[0] if self.chance(self.care) else self.rng.choice(of)

    def var(self):
        return f"v{self.rng.randrange(6)}"

    def own(self):
        """An index that is mostly the thread's own in the launch."""
        return self.pick("gl", "gl", "gl", "gl + L * G", "2 * gl", "gl + 1", "gid * L + (tid + 1) % L",
                         "gid * L + L - 1 - tid", "2 * gl + 1", "gl + n", "n * gl", "gl ^ 1", "tid + L * gid")

    def local_own(self):
        return self.pick("tid", "tid", "tid", "tid + L", "(tid + 1) % L", "L - 1 - tid", "tid ^ 1", "2 * tid", "tid + n")

    def index(self, array):
        if self.chance(0.15):
            return self.pick("0", "n", "gid", f"({self.var()} & 7)", "3", "tid")
        return self.local_own() if array == "S" else self.own()

    def value(self):
        return self.pick("1", "tid", "gl", "n", self.var(), f"{self.var()} + 1", "7", "gid")

    def condition(self):
        return self.pick("tid == 0", "tid < n", "gl == 0", "gid == 0", "n > 2", "tid % 2 == 0", f"({self.var()} & 1) == 0",
                         "tid != 0", "tid < L - 1", "gl < n", "gid == 0 && tid < 2")

    def pointer(self, lang, array, kind):
        space = "" if lang == "cu" else "__local " if array == "S" else "__global "
        return f"(({space}{kind}*){array})"

    def wide(self, lang):
        return "long" if lang == "cl" else "long long"

    def store(self, array, index, value, size=4):
        """`index` counts elements of the size."""
        def make(lang):
            if lang == "py":
                return [f"yield ('w', '{array}', {size} * ({python(index)}), {size}, {value})"]
            kind = {1: "char", 2: "short", 4: "int", 8: self.wide(lang)}[size]
            base = array if size == 4 else self.pointer(lang, array, kind)
            return [f"{base}[{index}] = {value};"]
        return Node(make)

    def load(self, array, index, size=4, var=None):
        var = var or self.var()

        def make(lang):
            if lang == "py":
                return [f"{var} = (yield ('r', '{array}', {size} * ({python(index)}), {size})) & 15"]
            kind = {1: "char", 2: "short", 4: "int", 8: self.wide(lang)}[size]
            base = array if size == 4 else self.pointer(lang, array, kind)
            return [f"{var} = {base}[{index}] & 15;"]
        return Node(make)

    def atomic(self, op, array, index, operands, var=None, order="rlx", scope=1, size=4):
        looks = not self.refs and op == "load" and self.chance(0.6)
        if self.refs and op == "inc":
            op = "add"

        def make(lang):
            if lang == "py":
                left = f"{var} = " if var else ""
                tail = ") & 15" if var else ")"
                rest = "".join(x + ", " for x in operands)
                return [f"{left}(yield ('a', '{array}', {size} * ({python(index)}), {size}, '{op}', ({rest}), '{order}', {scope}){tail}"]
            left, tail = (f"{var} = ", " & 15") if var else ("", "")
            if lang == "cl":
                space = "__local" if array == "S" else "__global"
                kind = "atomic_int" if size == 4 else "atomic_long"
                at = f"(volatile {space} {kind}*)&{array}[{'2 * (' + index + ')' if size == 8 else index}]"
                name = {"load": "atomic_load", "store": "atomic_store", "exch": "atomic_exchange", "add": "atomic_fetch_add",
                        "max": "atomic_fetch_max"}[op]
                rest = "".join(", " + x for x in operands)
                return [f"{left}{name}_explicit({at}{rest}, {ORDERS[order]}, {SCOPES['cl'][scope]}){tail};"]
            s = SCOPES["cu"][scope]
            if self.refs:
                kind, at = ("int", f"{array}[{index}]") if size == 4 else ("long long", f"*(long long*)&{array}[2 * ({index})]")
                name = {"load": "load", "store": "store", "exch": "exchange", "add": "fetch_add", "max": "fetch_max"}[op]
                rest = "".join(x + ", " for x in operands)
                return [f"{left}{'(int)' if var and size == 8 else ''}{ref(kind, at, scope)}.{name}({rest}cuda::{ORDERS[order]}){tail};"]
            if op == "load":
                if looks:  # an addition of nothing is atomic to the guide, a volatile access is not
                    return [f"{left}atomicAdd{s}(&{array}[{index}], 0){tail};"]
                return [f"{left}*(volatile int*)&{array}[{index}]{tail};"]
            if op == "store":
                return [f"*(volatile int*)&{array}[{index}] = {operands[0]};"]
            kind = "unsigned long long" if size == 8 else "unsigned" if op == "inc" else "int"
            at = f"({kind}*)&{array}[{'2 * (' + index + ')' if size == 8 else index}]"
            name = {"exch": "atomicExch", "add": "atomicAdd", "max": "atomicMax", "inc": "atomicInc", "cas": "atomicCAS"}[op]
            rest = "".join(f", ({kind})({x})" for x in operands)
            return [f"{left}{'(int)' if var else ''}{name}{s}({at}{rest}){tail};"]
        return Node(make)

    def fence(self, order="acq_rel", scope=1):
        space = self.pick("3", "3", "3", "1", "2") if self.language == "cl" else "3"
        flags = {"1": "CLK_LOCAL_MEM_FENCE", "2": "CLK_GLOBAL_MEM_FENCE",
                 "3": "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"}[space]
        return simple(f"atomic_work_item_fence({flags}, {ORDERS[order]}, {SCOPES['cl'][scope]});",
                      f"cuda::atomic_thread_fence(cuda::{ORDERS[order]}, cuda::thread_scope_{('block', 'device')[scope]});"
                      if self.refs else f"__threadfence{SCOPES['cu'][scope]}();", f"yield ('f', {scope}, {space in '13'}, {space in '23'})")

    def barrier(self, flags=None):
        self.places += 1
        f = flags or self.pick("3", "3", "3", "1", "2")
        if self.language == "cu":
            f = "3"
        text = {"1": "CLK_LOCAL_MEM_FENCE", "2": "CLK_GLOBAL_MEM_FENCE",
                "3": "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"}[f]
        return simple(f"barrier({text});", "__syncthreads();", f"yield ('b', {self.places}, {f in '13'}, {f in '23'})")

    def branch(self, condition, body, other=None):
        def make(lang, inner, outer=()):
            if lang == "py":
                return [f"if {python(condition)}:", *inner, "    pass"] + (["else:", *outer, "    pass"] if other else [])
            return [f"if ({condition}) {{", *inner, "}"] + (["else {", *outer, "}"] if other else [])
        return Node(make, body, *([other] if other else []))

    def loop(self, start, bound, step, body):
        i = f"i{self.loops}"
        self.loops += 1

        def make(lang, inner):
            if lang == "py":
                return [f"{i} = {start}", f"while {i} < {bound}:", *inner, f"    {i} += {step}"]
            return [f"for (int {i} = {start}; {i} < {bound}; {i} += {step}) {{", *inner, "}"]
        return i, Node(make, body)

    def sometimes(self, p, *nodes):
        if p > 0.5:
            p = 1 - (1 - p) * (1 - self.care)
        elif p < 0.3:
            p *= 1 - self.care
        return list(nodes) if self.chance(p) else []

    # ---- plain accesses -------------------------------------------------------------------------------------------
    def access(self):
        array = self.any("A", "A", "B", "S", "S")
        if self.chance(0.5):
            return self.load(array, self.index(array))
        return self.store(array, self.index(array), self.value())

    def plain(self, count):
        out = []
        for _ in range(count):
            out.append(self.access())
            if self.chance(0.35):
                out.append(self.barrier())
            elif self.chance(0.25):
                out.append(self.branch(self.condition(), [self.access()],
                                       [self.access()] if self.chance(0.3) else None))
        return out

    # ---- features -------------------------------------------------------------------------------------------------
    def barriers(self):
        a = self.any("S", "S", "A")
        own = self.local_own() if a == "S" else "gl"
        other = self.local_own() if a == "S" else self.own()
        out = [self.store(a, own, self.value())]
        out += self.sometimes(0.85, self.barrier())
        out.append(self.load(a, other, var="v0"))
        out += self.sometimes(0.4, self.barrier(), self.store(a, self.local_own() if a == "S" else self.own(), "v0"))
        out.append(self.store("B", "gl" if self.chance(0.8) else self.own(), "v0"))
        return out

    def loops_with_barriers(self):
        bound = self.any("n", "2", "3", "tid + 1" if self.chance(0.2) else "n", "gid + 1")
        a = self.any("S", "S", "B")
        own = "tid" if a == "S" else "gl"
        body = [self.store(a, own, self.value())] + self.sometimes(0.9, self.barrier())
        body += [self.load(a, self.local_own() if a == "S" else self.own(), var="v1")] + self.sometimes(0.8, self.barrier())
        body += self.sometimes(0.3, self.branch("n > 2" if self.chance(0.7) else "tid > 0", [self.access(), self.barrier()]))
        _, node = self.loop("0", bound, self.pick("1", "1", "2"), body)
        return [node]

    def reduction(self):
        out = [self.load("A", self.own(), var="v0"), self.store("S", "tid", "v0")] + self.sometimes(0.9, self.barrier("3"))
        half = self.local // 2
        for k in range(2):
            if half == 0:
                break
            body = [self.load("S", f"tid + {half}", var="v2"), self.load("S", "tid", var="v3"), self.store("S", "tid", "v2 + v3")]
            guard = f"tid < {half}" if self.chance(0.9) else f"tid <= {half}"
            out.append(self.branch(guard, body))
            out += self.sometimes(0.85, self.barrier())
            half //= 2
        out.append(self.branch("tid == 0" if self.chance(0.9) else "tid < 2", [self.load("S", "0", var="v4"), self.store("B", "gid", "v4")]))
        return out

    def branches_with_barriers(self):
        condition = self.any("n > 2", "gid == 0", "n == 3", "tid < L", "tid == 0", "gid < n", "(v0 & 1) == 0")
        inner = [self.store("S", self.local_own(), self.value()), self.barrier(), self.load("S", self.local_own(), var="v1")]
        other = [self.barrier(), self.access()] if self.chance(0.4) else None
        return [self.load("A", self.pick("0", "n", "gid"), var="v0")] * (condition[0] == "(") + \
            [self.branch(condition, inner, other)] + self.sometimes(0.5, self.barrier()) + [self.access()]

    def early_exits(self):
        out = [simple(f"if ({c}) return;", f"if ({c}) return;", f"if {python(c)}: return")
               for c in [self.pick("gl >= n", "tid >= n", "n == 2", "gid > 0", "tid == 0", "gl > 3")]]
        return out + [self.access()] + self.sometimes(0.3, self.barrier()) + [self.store("B", self.own(), self.value())]

    def grid_strides(self):
        start, step = self.any(("gl", "L * G"), ("gl", "L * G"), ("gl", "L"), ("tid", "L"), ("gl", "G"),
                                ("gid", "G"), ("2 * gl", "2 * L * G"), ("gl * n", "L * G * n"))
        body = []
        i, node = self.loop(start, self.pick("n * L * G", "12", "10", "2 * L * G", "L * n"), step, body)
        where = self.pick(i, i, i, f"{i} + 1", f"{i} ^ 1", f"{i} * 2")
        body.append(self.load("A", self.pick(i, where), var="v2"))
        body.append(self.store(self.pick("B", "B", "A"), where, self.pick("v2", "v2 + 1", i)))
        return [node]

    def rows(self):
        self.uses_rows = True
        width = self.any("n", "4", "W", "2", "(W + 1)", "(n + 2)")
        guard = self.any(f"x < {width}", f"x < {width} && y < 3", "x < 3", None, f"y < n && x < {width}")
        at = self.pick(f"y * {width} + x", f"y * {width} + x", f"x * {width} + y", f"(y * {width} + x) * 2",
                       f"y * {width} + x + 1", f"(y + 1) * {width} + x")
        body = [self.load("A", at, var="v0"), self.store(self.pick("B", "B", "A"), at, self.pick("v0 + 1", "x", "y"))]
        return [self.branch(guard, body)] if guard else body

    def vectors(self):
        array = self.any("A", "B", "S")
        index = self.index(array)
        n = self.any(2, 4)
        size, value = 4 * n, self.value()

        def store(lang):
            if lang == "py":
                return [f"for q in range({n}): yield ('w', '{array}', {size} * ({python(index)}) + 4 * q, 4, {value})"]
            p = self.pointer(lang, array, f"int{n}")
            v = f"(int{n})({value})" if lang == "cl" else f"make_int{n}({', '.join([value] * n)})"
            return [f"{p}[{index}] = {v};"]
        out = [Node(store)] + self.sometimes(0.4, self.barrier())
        at, part = self.index(array), self.pick(0, 1)

        def field(lang):  # a member of a structure
            if lang == "py":
                return [f"yield ('w', '{array}', 8 * ({python(at)}) + {4 * part}, 4, {value})"]
            return [f"{self.pointer(lang, array, 'struct P')}[{at}].{'xy'[part]} = {value};"]
        return out + [Node(field)] + self.sometimes(0.3, self.access())

    def casts(self):
        array = self.any("A", "B", "S")
        size = self.any(1, 2, 8, 1)
        index = self.index(array)
        if self.chance(0.5):
            k = self.pick("0", "1", "3")
            index = f"4 * ({index}) + {k}" if size == 1 else f"2 * ({index})" if size == 2 else index
        out = [self.store(array, index, self.value(), size)]
        out += self.sometimes(0.3, self.barrier())
        return out + [self.pick(self.load(array, self.index(array), self.any(1, 2, 4, 8)), self.store(array, self.index(array), self.value()))]

    def mixed_atomics(self):
        array = self.any("F", "A")
        narrow = self.atomic("add", array, self.pick("0", "tid", "2 * tid", "gl", "1", "2 * gl + 1"), ["1"],
                             scope=self.pick(1, 1, 0), var=self.pick(None, "v0"))
        wide = self.atomic("add", array, self.pick("0", "gl", "tid", "L + gl"), ["1"], size=8)
        out = [narrow, *self.sometimes(0.4, self.barrier("3")), wide]
        self.rng.shuffle(out)
        if self.chance(0.5):
            out.append(self.pick(self.load(array, "0"), self.load(array, "gl"), self.atomic("max", array, "gl", ["3"])))
        return out

    def resets(self):
        """A counter hands out places, and is set back."""
        at = self.pick("0", "0", "gid")
        reset = self.store("F", at, "0")
        if self.chance(0.25):
            reset = self.atomic("exch", "F", at, ["0"])
        if self.chance(0.8):
            reset = self.branch(self.pick("tid == 0", "gl == 0"), [reset])
        take = self.atomic("add", "F", at, [self.pick("1", "1", "1", "2")], var="v0")
        use = self.store("B", self.pick("v0", "v0", "gid * 16 + v0", "(v0 & 3)"), self.value())
        out = self.any([reset, self.barrier("3"), take, use], [take, use, self.barrier("3"), reset],
                        [reset, take, use], [take, use], [take, use, self.barrier("3"), reset, self.barrier("3"), take, use])
        if self.chance(0.2):
            _, node = self.loop("0", "2", "1", out)
            return [node]
        return out

    def locks(self):
        at = self.pick("0", "0", "0", "gid", "tid")
        order = self.ordered and self.chance(0.6)
        acquire, release = ("acq", "rel") if order and self.chance(0.85) else ("rlx", "rlx")
        scope = self.pick(1, 1, 1, 0)

        def take(lang):
            if lang == "py":
                return [f"while (yield ('a', 'F', 4 * ({at}), 4, 'cas', (0, 1), '{acquire}', {scope})) != 0: pass"]
            if self.refs:
                return [f"while (1) {{ int e = 0; if ({ref('int', f'F[{at}]', scope)}.compare_exchange_strong(e, 1, "
                        f"cuda::{ORDERS[acquire]}, cuda::memory_order_relaxed)) break; }}"]
            if lang == "cu":
                return [f"while (atomicCAS{SCOPES['cu'][scope]}(&F[{at}], 0, 1) != 0) {{}}"]
            return [f"while (1) {{ int e = 0; if (atomic_compare_exchange_strong_explicit((volatile __global atomic_int*)&F[{at}], &e, 1, "
                    f"{ORDERS[acquire]}, memory_order_relaxed, {SCOPES['cl'][scope]})) break; }}"]
        fences = [self.fence(scope=self.pick(scope, 1))] if not order else []
        place = self.pick("0", "0", "n", "gid", "tid")
        inside = [self.load("A", place, var="v0"), self.store("A", place, "v0 + 1")]
        out = [Node(take)] + self.sometimes(0.9, *fences) + inside + self.sometimes(0.9, *fences)
        free = self.atomic("store" if self.ordered else "exch", "F", at, ["0"], order=release, scope=scope)
        out.append(free if self.chance(0.92) else self.store("F", at, "0"))
        out += self.sometimes(0.15, self.store("A", place, "3"))
        if self.chance(0.6):
            return [self.branch(self.pick("tid == 0", "tid < 2", "gid == 0"), out)]
        return out

    def flags(self):
        """A message behind a flag."""
        order = self.ordered and self.chance(0.6)
        scope = self.pick(1, 1, 1, 0)
        give = [self.store("A", self.pick("0", "0", "n"), "7")]
        give += self.sometimes(0.9, self.fence(scope=scope)) if not order else []
        raise_ = self.atomic(self.pick("store", "store", "exch"), "F", "1", ["1"],
                             order="rel" if order and self.chance(0.9) else "rlx", scope=scope)
        give.append(raise_)
        give += self.sometimes(0.1, self.store("A", "0", "9"))
        look = self.atomic("load", "F", "1", [], var="v0", order="acq" if order and self.chance(0.9) else "rlx", scope=scope)
        take = (self.sometimes(0.9, self.fence(scope=scope)) if not order else []) + [self.load("A", self.pick("0", "0", "n"), var="v1"), self.store("B", "gl", "v1")]
        first, second = self.pick(("gl == 0", "gl == 1"), ("gl == 0", "gl == L * G - 1"), ("gl == 0", "gl > 0"),
                                  ("tid == 0", "tid == 1"), ("gid == 0", "gid == 1"))
        if self.chance(0.35):
            def spin(lang, inner):
                if lang == "py":
                    return ["v0 = 0", "while v0 != 1:", *inner]
                return ["v0 = 0;", "while (v0 != 1) {", *inner, "}"]
            take = [Node(spin, [look])] + take
        else:
            take = [look, self.branch("v0 == 1", take)]
        return [self.branch(first, give), self.branch(second, take)]

    def last_groups(self):
        order = self.ordered
        out = [self.store("A", self.pick("gl", "gl", "gid"), self.value())]
        fence = [self.fence()] if not order or self.chance(0.5) else []
        out += self.sometimes(0.85, *fence) + self.sometimes(0.7, self.barrier("3"))
        inc = not order and self.chance(0.5)
        ticket = self.atomic("inc" if inc else "add", "F", "2", ["G - 1" if inc else "1"], var="v0",
                             order=self.pick("acq_rel", "sc", "acq_rel", "rlx") if order else "rlx")
        share = [self.branch("tid == 0", [ticket, self.store("S", "200", "v0")]), self.barrier("3"), self.load("S", "200", var="v5")]
        out += share + self.sometimes(0.6, *fence)
        out.append(self.branch("v5 == G - 1" if self.chance(0.85) else "v5 == 1", [self.load("A", self.pick("(gl + 1) % (L * G)", "L * G - 1 - tid", "tid"), var="v1"),
                                                                                  self.store("B", self.pick("tid", "gl"), "v1")]))
        if self.chance(0.2):
            out.append(self.branch("gl == 0", [self.store("F", "2", "0")]))
        return out

    def copies(self):
        self.names += 1
        e = f"e{self.names}"
        to, source = self.any(("S", "A"), ("S", "A"), ("B", "S"), ("A", "S"), ("S", "B"))
        at = self.pick("0", "0", "gid * 8", "8")
        if to != "S":
            at = self.pick("gid * 8", "gid * L", "0")
        origin = self.pick("0", "8", "gid * 8", "n")
        count = self.pick("8", "L", "n", "4")
        local, other = ("__local", "__global const") if to == "S" else ("__global", "__local const")
        self.places += 1
        start = simple(f"event_t {e} = async_work_group_copy(({local} int*){to} + {at}, ({other} int*){source} + {origin}, {count}, 0);", "",
                       f"{e} = yield ('cp', {self.places}, '{to}', 4 * ({at}), '{source}', 4 * ({origin}), {count})")
        wait = simple(f"wait_group_events(1, &{e});", "", f"yield ('wait', {e})")
        out = []
        if self.chance(0.4):
            out += [self.store(source, self.local_own() if source == "S" else "gl", self.value())] + self.sometimes(0.7, self.barrier("3"))
        out.append(start)
        out += self.sometimes(0.3, self.access())
        out += self.sometimes(0.4, self.barrier("3"))
        rest = [self.load(to, self.local_own() if to == "S" else self.own(), var="v0"), self.store("B", "gl + 64", "v0")]
        out += [wait] + rest if self.chance(0.85) else rest + [wait]
        out += self.sometimes(0.25, self.store("S", "tid", self.value()))
        return out

    def pipelines(self):
        """Asynchronous copies of single threads, in groups that are waited for by number."""
        def copy(at, to, source):
            return simple("", f"__pipeline_memcpy_async(&S[{to}], &A[{source}], 4);",
                          f"yield ('own', 'S', 4 * ({to}), 'A', 4 * ({source}))")
        commit = simple("", "__pipeline_commit();", "yield ('commit',)")

        def prior(n):
            return simple("", f"__pipeline_wait_prior({n});", f"yield ('prior', {n})")
        to, source = self.pick("tid", "tid", "tid", "tid + L", "(tid + 1) % L", "0"), self.pick("gl", "gl", "tid", "gl + n", "0")
        read = self.pick("tid", "(tid ^ 1)", "(tid + 1) % L", "L - 1 - tid")
        out = [copy(0, to, source)] + self.sometimes(0.95, commit)
        if self.chance(0.4):  # two stages
            out += [copy(1, f"128 + {to}", source), commit, prior(self.pick(1, 1, 0)), *self.sometimes(0.85, self.barrier("3")),
                    self.load("S", read, var="v0"), prior(self.pick(0, 0, 1)), *self.sometimes(0.85, self.barrier("3")),
                    self.load("S", f"128 + {read}", var="v1"), self.store("B", "gl", "v1")]
        else:
            out += self.sometimes(0.2, self.access())
            out += self.sometimes(0.92, prior(0)) + self.sometimes(0.85, self.barrier("3")) + [self.load("S", read, var="v0")]
        out.append(self.store("B", "gl + 64", "v0"))
        return out + self.sometimes(0.3, self.barrier("3")) + self.sometimes(0.25, self.store("S", "tid", self.value()))

    def named_barriers(self):
        half = self.local // 2
        count = self.local if self.chance(0.9) else half

        def bar(arrive):
            return simple("", f'asm volatile("bar.{"arrive" if arrive else "sync"} 1, {count};" ::: "memory");', f"yield ('nb', 1, {count}, {arrive})")
        one = [self.store("S", "tid", self.value()), bar(self.chance(0.6))] + self.sometimes(0.2, self.store("S", "tid", "5"))
        other = self.sometimes(0.92, bar(False)) + [self.load("S", self.pick(f"tid - {half}", "tid"), var="v0"), self.store("B", "gl", "v0")]
        return [self.branch(f"tid < {half}", one, other)]

    def warps(self):
        out = []
        if self.chance(0.6):
            out += [self.store("S", "tid", self.value())] + self.sometimes(0.8, simple("", "__syncwarp();", "yield ('wb',)"))
            out += [self.load("S", self.pick("(tid ^ 1)", "(tid ^ 1)", "(tid ^ 32)", "(tid + 1) % L"), var="v0")]
            out += self.sometimes(0.4, simple("", "__syncwarp();", "yield ('wb',)"), self.store("S", "(tid ^ 2)", "v0"))
        if not out or self.chance(0.5):
            v, m = self.var(), self.any(1, 2, 16)
            out.append(simple("", f"{v} = __shfl_xor_sync(0xffffffffu, {v}, {m});", f"{v} = yield ('sh', {v}, {m})"))
            out.append(self.branch(self.pick("(tid & 31) == 0", "tid == 0", "(tid & 31) < 2"), [self.store("B", self.pick("(tid >> 5)", "gid"), v)]))
        return out + [self.store("B", "gl + 64", "v0")]

    # ---- the whole ------------------------------------------------------------------------------------------------
    def kernel_text(self, lang):
        cl = lang == "cl"
        g, k = ("__global ", "__kernel") if cl else ("", "__global__")
        lid = "get_local_id(0)" if cl else "threadIdx.x"
        gid = "get_group_id(0)" if cl else "blockIdx.x"
        body = [x for s in self.body for x in s.lines(lang)]
        includes = [f"#include <{header}>" for header, word in (("cuda/atomic", "cuda::"), ("cuda_pipeline.h", "__pipeline_"))
                    if any(word in x for x in body)]
        out = includes + ["struct P { int x, y; };", f"{k} void k({g}int *A, {g}int *B, {g}int *F, int n) {{",
               f"  {'__local' if cl else '__shared__'} int S[256];", f"  int gid = {gid}, G = {self.groups};"]
        if self.uses_rows:
            ly = "get_local_id(1)" if cl else "threadIdx.y"
            out.append(f"  int L = {self.local}, W = {2 * self.groups}, y = {ly}, x = gid * 2 + {lid}, tid = y * 2 + {lid};")
        else:
            out.append(f"  int L = {'get_local_size(0)' if cl else 'blockDim.x'}, tid = {lid};")
        out.append("  int gl = gid * L + tid, v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0;")
        return "\n".join(out + ["  " + x for x in body if x.strip()] + ["}", ""])

    def python_text(self):
        out = ["def k(tid, gid, n, L, G):", "    gl = gid * L + tid", "    v0 = v1 = v2 = v3 = v4 = v5 = 0",
               "    W, y, x = 2 * G, tid // 2, gid * 2 + tid % 2", "    if False: yield"]
        return "\n".join(out + ["    " + x for s in self.body for x in s.lines("py")] + [""])

    def code(self, local, group):
        if not hasattr(self, "compiled") or self.compiled[0] is not self.body:
            names = {}
            exec(compile(self.python_text(), "kernel", "exec"), names)
            self.compiled = (self.body, names["k"])
        return self.compiled[1](local, group, self.n, self.local, self.groups)


COMMON = ["barriers", "loops_with_barriers", "reduction", "branches_with_barriers", "early_exits", "grid_strides", "rows",
          "vectors", "casts", "mixed_atomics", "resets", "locks", "flags", "last_groups"]
ONLY = {"cl": ["copies", "copies"], "cu": ["named_barriers", "warps", "pipelines"]}


def draw(seed):
    rng = random.Random(seed)
    language = rng.choice(["cl", "cu"])
    features = rng.sample(COMMON + ONLY[language] * 2, rng.choice([1, 1, 1, 2, 2, 3]))
    features = list(dict.fromkeys(features))
    launch = rng.choice([(2, 2), (2, 2), (4, 2), (4, 1), (3, 2), (2, 3)])
    if {"flags", "locks", "last_groups", "resets"} & set(features) and rng.random() < 0.8:
        launch = rng.choice([(2, 2), (2, 2), (4, 1)])  # small enough for `check`
    if "named_barriers" in features or "warps" in features:
        launch = (64, 1)
    if "rows" in features:
        features = [f for f in features if f not in ("named_barriers", "warps")]
        launch = rng.choice([(4, 2), (4, 1), (4, 3)])
    return Draw(seed, language, features, launch)
