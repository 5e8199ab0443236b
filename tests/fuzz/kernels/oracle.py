"""Races of a small kernel by running it: an oracle that shares nothing with the program that is tested.

A kernel comes as a Python generator function (draw.py prints it): one generator for each thread, which yields what the
thread does to shared memory and gets back what it reads. Threads are interleaved at random after every access. What
happened before what is kept in vector clocks, for local and global memory apart, as the fences of OpenCL name them.

Where the languages differ from each other or say little, the oracle orders too much rather than too little (a fence
hands on all that its thread knew, barriers hand on what was fenced, atomics of one location tell of themselves): a race
that it sees is one under every reading, and `verified` beside it is wrong. The other way round, a race that only a
stricter reading has is not seen here, so `confirmed` without a race here is to be looked at, not wrong by itself.

Events: ('r', array, byte, size), ('w', array, byte, size, value), ('a', array, byte, size, op, operands, order, scope),
('f', scope, local, global), ('b', place, local, global), ('nb', name, count, arrive), ('wb',), ('sh', value, mask),
('cp', place, to, byte, from, byte, count), ('wait', event), of one thread ('own', to, byte, from, byte), ('commit',) and
('prior', number). Bytes of an array are at multiples; values are integers.
"""
import random
import zlib

GROUP, DEVICE = 0, 1
STEPS = 20000  # of a run: who waits for what never comes ends here


class Stop(Exception):
    """The run ends: a defect, or nothing to be said."""

    def __init__(self, what, detail=""):
        super().__init__(what)
        self.what, self.detail = what, detail


def join(to, other):
    for k, v in other.items():
        if to.get(k, 0) < v:
            to[k] = v


class View:
    """What is known to have happened: by space, thread -> clock; and the atomics of a location that are known of."""

    __slots__ = ("known", "seen")

    def __init__(self, other=None):
        self.known = [dict(other.known[0]), dict(other.known[1])] if other else [{}, {}]
        self.seen = {k: dict(v) for k, v in other.seen.items()} if other else {}

    def join(self, other, local=True, everywhere=True):
        if local:
            join(self.known[0], other.known[0])
        if everywhere:
            join(self.known[1], other.known[1])
        for k, v in other.seen.items():
            join(self.seen.setdefault(k, {}), v)


class Thread:
    def __init__(self, number, group, lane, code):
        self.number, self.group, self.lane, self.code = number, group, lane, code
        self.clock = 1
        self.now = View()
        self.fenced = [View(), View()]  # by scope
        self.heard = [View(), View()]
        self.state, self.event, self.reply = "ready", None, None
        self.copies, self.waited = 0, set()
        self.batches = [[]]  # copies of its own: the groups that it has committed, and the open one
        self.stamp()

    def stamp(self):
        for k in (0, 1):
            self.now.known[k][self.number] = self.clock

    def tick(self):
        self.clock += 1
        self.stamp()


class Byte:
    """Accesses of one byte that may still race: (thread, clock, copy) and the values of writes."""

    __slots__ = ("reads", "writes", "atomics")

    def __init__(self):
        self.reads, self.writes, self.atomics = {}, {}, {}


class Run:
    def __init__(self, kernel, seed, zero_flags, benign):
        self.k, self.rng, self.zero, self.benign = kernel, random.Random(seed), zero_flags, benign
        self.memory, self.log, self.carried, self.copies, self.meetings = {}, {}, {}, {}, {}
        self.salt = self.rng.getrandbits(32)
        self.steps = 0
        self.threads = []
        for g in range(kernel.groups):
            for l in range(kernel.local):
                t = Thread(len(self.threads), g, l, None)
                t.code = kernel.code(l, g)
                self.threads.append(t)

    # ---- memory -------------------------------------------------------------------------------------------------
    def place(self, t, array):
        return (array, t.group if array == "S" else 0)

    def read_byte(self, where, byte):
        if (where, byte) in self.memory:
            return self.memory[where, byte]
        if where[0] == "F" and self.zero:
            return 0
        if byte % 4:
            return 0
        x = zlib.crc32(f"{self.salt} {where} {byte}".encode()) >> 5
        return x % 2 if where[0] == "F" else x % 12

    def read(self, where, byte, size):
        return sum(self.read_byte(where, byte + k) << (8 * k) for k in range(size))

    def write(self, where, byte, size, value):
        for k in range(size):
            self.memory[where, byte + k] = value >> (8 * k) & 255

    # ---- what happened before what --------------------------------------------------------------------------------
    def ordered(self, u, clock, copy, t, where):
        space = 0 if where[0] == "S" else 1
        if copy is not None:
            c = self.copies[copy]
            if copy in t.waited:
                return True
            return c["end"] is not None and t.number != u and t.now.known[space].get(u, 0) >= c["end"]
        return u == t.number or t.now.known[space].get(u, 0) >= clock

    def access(self, t, array, byte, size, kind, value=None, copy=None, scope=DEVICE):
        where = self.place(t, array)
        for k in range(size):
            at = self.log.setdefault((where, byte + k), Byte())
            new = None if value is None else value >> (8 * k) & 255
            old = self.read_byte(where, byte + k)
            who = (t.number, copy)
            # A thread that wrote this value here itself reads it with or without the others' writes.
            own = at.writes.get(who)
            for (u, c), (clock, v, changed) in at.writes.items():
                if (u, c) == who or self.ordered(u, clock, c, t, where):
                    continue
                if self.benign and kind == "w" and v == new:
                    continue
                if self.benign and kind == "r" and (not changed or (own is not None and own[1] == v)):
                    continue
                raise Stop("race", f"{where} byte {byte + k}: write by {u}, then {kind} by {t.number}")
            for (u, c), clocks in at.atomics.items():
                for (bytes_, narrow), (clock, writes) in clocks.items():
                    if u == t.number or self.ordered(u, clock, None, t, where):
                        continue
                    if kind == "a":
                        same = bytes_ == (byte, size)
                        wide = u // self.k.local == t.group or (not narrow and scope == DEVICE)
                        if same and wide:
                            continue
                        if not writes and value is None:
                            continue
                    elif kind == "r" and not writes:
                        continue
                    elif t.now.seen.get((where, bytes_[0]), {}).get(u, 0) >= clock:
                        continue
                    raise Stop("race", f"{where} byte {byte + k}: atomic by {u}, then {kind} by {t.number}")
            if kind != "r" and not (kind == "a" and value is None):
                for (u, c), clock in at.reads.items():
                    if (u, c) == who or self.ordered(u, clock, c, t, where):
                        continue
                    if self.benign and kind == "w" and new == old:
                        continue
                    raise Stop("race", f"{where} byte {byte + k}: read by {u}, then {kind} by {t.number}")
            if kind == "r":
                at.reads[who] = t.clock
            elif kind == "w":
                at.writes[who] = (t.clock, new, new != old or (own is not None and own[2] and own[0] == t.clock))
            else:
                at.atomics.setdefault(who, {})[(byte, size), scope == GROUP] = (t.clock, value is not None)

    # ---- events ---------------------------------------------------------------------------------------------------
    def atomic(self, t, e):
        _, array, byte, size, op, operands, order, scope = e
        where = self.place(t, array)
        old = self.read(where, byte, size)
        top = (1 << (8 * size)) - 1
        made = {"load": lambda: old, "store": lambda: operands[0], "exch": lambda: operands[0],
                "add": lambda: old + operands[0],
                "max": lambda: max(old, operands[0]),
                "inc": lambda: 0 if old >= operands[0] else old + 1,
                "cas": lambda: operands[1] if old == operands[0] else old}[op]() & top
        writes = op != "load" and (op != "cas" or old == operands[0])
        place = (where, byte)
        said = self.carried.get(place)
        if op != "store" and said:
            if scope == DEVICE:
                t.heard[DEVICE].join(said["device"])
            for g, v in said["group"].items():
                if g == t.group:
                    t.heard[GROUP].join(v)
            join(t.now.seen.setdefault((where, byte), {}), said["seen"])
            if order in ("acq", "acq_rel", "sc"):
                if scope == DEVICE:
                    t.now.join(t.heard[DEVICE])
                t.now.join(t.heard[GROUP])
        if writes:
            if op == "store" or not said:
                said = self.carried[place] = {"device": View(), "group": {}, "seen": {}}
            if order in ("rel", "acq_rel", "sc"):
                t.fenced[GROUP].join(t.now)
                if scope == DEVICE:
                    t.fenced[DEVICE].join(t.now)
            if scope == DEVICE:
                said["device"].join(t.fenced[DEVICE])
            said["group"].setdefault(t.group, View()).join(t.fenced[GROUP])
            said["group"][t.group].join(t.fenced[DEVICE])
        self.access(t, array, byte, size, "a", made if writes else None, scope=scope)
        if writes:
            self.write(where, byte, size, made)
            join(said["seen"], {t.number: t.clock})
        join(t.now.seen.setdefault((where, byte), {}), {t.number: t.clock})
        t.tick()
        return old

    def fence(self, t, scope, local, everywhere):
        for s in range(scope + 1):
            t.now.join(t.heard[s], local, everywhere)
        t.now.join(t.heard[GROUP], local, everywhere)
        for s in range(scope + 1):
            t.fenced[s].join(t.now, local, everywhere)
        t.tick()

    def meet(self, members, local, everywhere):
        all_ = [View(), View(), View(), View(), View()]
        for t in members:
            for v, w in zip(all_, (t.now, t.fenced[0], t.fenced[1], t.heard[0], t.heard[1])):
                v.join(w)
        for t in members:
            t.now.join(all_[0], local, everywhere)
            for v, w in zip((t.fenced[0], t.fenced[1], t.heard[0], t.heard[1]), all_[1:]):
                v.join(w, local, everywhere)
            self.fence(t, GROUP, local, everywhere)
            t.state = "ready"

    def copy(self, t, e):
        _, place, to, to_byte, source, source_byte, count = e
        key = (t.group, t.copies)
        t.copies += 1
        if key in self.copies:
            if self.copies[key]["operands"] != e[1:]:
                raise Stop("divergence", "a copy on which threads disagree")
            return key
        self.copies[key] = {"operands": e[1:], "thread": t.number, "end": None}
        self.move(t, key, to, to_byte, source, source_byte, count)
        return key

    def move(self, t, key, to, to_byte, source, source_byte, count):
        for k in range(count):
            self.access(t, source, source_byte + 4 * k, 4, "r", copy=key)
            v = self.read(self.place(t, source), source_byte + 4 * k, 4)
            self.access(t, to, to_byte + 4 * k, 4, "w", v, copy=key)
            self.write(self.place(t, to), to_byte + 4 * k, 4, v)

    def own_copy(self, t, e):
        key = ("own", t.number, len(self.copies))
        self.copies[key] = {"thread": t.number, "end": None}
        t.batches[-1].append(key)
        self.move(t, key, *e[1:], 1)

    def prior(self, t, number):
        t.tick()
        for key in [k for batch in t.batches[:len(t.batches) - 1 - number] for k in batch]:
            t.waited.add(key)
            if self.copies[key]["end"] is None:
                self.copies[key]["end"] = t.clock

    def named(self, t, name, count, arrive):
        m = self.meetings.setdefault((t.group, name), {"come": 0, "count": count, "waiting": [], "brought": View()})
        if m["count"] != count:
            raise Stop("stuck", "a barrier with two counts")
        m["come"] += 1
        if arrive:
            m["brought"].join(t.now)
            t.tick()
        else:
            t.state = "named"
            m["waiting"].append(t)
        if m["come"] == count:
            for u in m["waiting"]:
                u.now.join(m["brought"])
                u.state, u.reply = "ready", None
            self.meet(m["waiting"], True, True)
            del self.meetings[t.group, name]

    def step(self, t):
        try:
            e = t.code.send(t.reply)
        except StopIteration:
            t.state = "done"
            return
        t.reply, kind = None, e[0]
        if kind == "r":
            self.access(t, e[1], e[2], e[3], "r")
            t.reply = self.read(self.place(t, e[1]), e[2], e[3])
        elif kind == "w":
            value = e[4] & ((1 << (8 * e[3])) - 1)
            self.access(t, e[1], e[2], e[3], "w", value)
            self.write(self.place(t, e[1]), e[2], e[3], value)
            for k in range(-7, e[3]):
                self.carried.pop((self.place(t, e[1]), e[2] + k), None)
        elif kind == "a":
            t.reply = self.atomic(t, e)
        elif kind == "f":
            self.fence(t, e[1], e[2], e[3])
        elif kind == "cp":
            t.reply = self.copy(t, e)
        elif kind == "wait":
            for key in [e[1]] if e[1] else []:
                t.waited.add(key)
                if self.copies[key]["thread"] == t.number and self.copies[key]["end"] is None:
                    t.tick()
                    self.copies[key]["end"] = t.clock
        elif kind == "own":
            self.own_copy(t, e)
        elif kind == "commit":
            t.batches.append([])
        elif kind == "prior":
            self.prior(t, e[1])
        elif kind == "nb":
            self.named(t, e[1], e[2], e[3])
        else:
            t.state, t.event = {"b": "barrier", "wb": "warp", "sh": "exchange"}[kind], e

    def warps(self):
        """Warp barriers and exchanges of whole warps. Did one take place?"""
        opened = False
        for g in range(self.k.groups):
            for first in range(0, self.k.local, 32):
                # Lanes that have ended need not come: a mask asks the non-exited threads that it names.
                lanes = [t for t in self.threads if t.group == g and first <= t.lane < first + 32 and t.state != "done"]
                if not lanes:
                    continue
                if all(t.state == "warp" for t in lanes):
                    self.meet(lanes, True, True)
                    opened = True
                elif all(t.state == "exchange" for t in lanes) and len({t.event[2:] for t in lanes}) == 1:
                    values = {t.lane - first: t.event[1] for t in lanes}
                    for t in lanes:
                        t.reply, t.state = values.get((t.lane - first) ^ t.event[2], 0), "ready"
                    opened = True
                elif any(t.state in ("warp", "exchange") for t in lanes):
                    raise Stop("divergence", "a warp whose lanes part")
        return opened

    def groups_meet(self):
        opened = False
        for g in range(self.k.groups):
            members = [t for t in self.threads if t.group == g]
            waiting = [t for t in members if t.state == "barrier"]
            if any(t.state == "named" for t in members):
                raise Stop("stuck", "a barrier with a number that does not come")
            if not waiting:
                if len({t.copies for t in members}) > 1:
                    raise Stop("divergence", "a copy that some threads do not reach")
                continue
            if len(waiting) < len(members) or len({t.event[1] for t in waiting}) > 1:
                raise Stop("divergence", "a barrier that some threads do not reach")
            self.meet(members, waiting[0].event[2], waiting[0].event[3])
            opened = True
        return opened

    def go(self):
        turn = self.rng.choice([1, 1, 3, 30])
        while True:
            ready = [t for t in self.threads if t.state == "ready"]
            if not ready:
                if self.warps() or self.groups_meet():
                    continue
                return
            t = self.rng.choice(ready)
            for _ in range(1 + self.rng.randrange(turn)):
                if t.state != "ready":
                    break
                self.steps += 1
                if self.steps > STEPS:
                    raise Stop("endless")
                self.step(t)


def truth(kernel, seed, runs, benign, always_zero=False):
    """('race'|'divergence'|'none', detail, whether flags were 0 in that run, runs that ended)."""
    ended = 0
    for n in range(runs):
        zero = always_zero or n % 4 != 3
        try:
            Run(kernel, seed * 1000 + n, zero, benign).go()
            ended += 1
        except Stop as s:
            if s.what in ("race", "divergence"):
                return s.what, s.detail, zero, ended
    return "none", "", True, ended
