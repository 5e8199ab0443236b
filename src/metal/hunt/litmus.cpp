#include "hunt/litmus.h"

#include <fmt/format.h>

#include <algorithm>

#include "hunt/ptx_test.h"

namespace fencepost::hunt {
namespace {

using Lines = std::vector<std::string>;

const char* word(Order o) {
  return o == Order::acquire   ? "acquire"
         : o == Order::release ? "release"
         : o == Order::acq_rel ? "acq_rel"
                               : "relaxed";
}
const char* word(Scope s) {
  return s == Scope::cta ? "cta" : s == Scope::cluster ? "cluster" : s == Scope::sys ? "sys" : "gpu";
}

// In the notation of litmus tests: no space and no type, a location for the address.
std::string spelt(const Instruction& i, Order order, const std::string& operation, const char* result, bool looks) {
  const std::string head = fmt::format("{}.{}", word(order), word(i.scope == Scope::none ? Scope::gpu : i.scope));
  switch (i.kind) {
    case Kind::load:
      return fmt::format("ld.{} {}, y", head, result);
    case Kind::store:
      return fmt::format("st.{} y, 1", head);
    case Kind::reduction:
      if (operation != "exch" && operation != "cas") return fmt::format("red.{}.{} y, 1", head, operation);
      [[fallthrough]];
    default:
      // An acquiring operation only looks; a releasing one writes 1 over 0.
      if (operation == "cas") return fmt::format("atom.{}.cas {}, y, 0, {}", head, result, looks ? 0 : 1);
      return fmt::format("atom.{}.{} {}, y, {}", head, operation, result, looks ? 0 : 1);
  }
}

std::string table(const Lines& one, const Lines& other) {
  size_t width = 0;
  for (const std::string& l : one) width = std::max(width, l.size());
  std::string out;
  for (size_t n = 0; n < std::max(one.size(), other.size()); ++n)
    out += fmt::format(" {:<{}} | {} ;\n", n < one.size() ? one[n] : "", width, n < other.size() ? other[n] : "");
  return out;
}

std::unexpected<Diagnostics> refuse(const std::string& why) { return error_at({}, why, "docs/hunt.md, On a device"); }

// Where the place of the instruction lies, and how wide it is.
struct Where {
  bool shared = false, wide = false;
  bool clusters = false;  // the scope is .cluster, so that the threads are in one
  uint32_t thread = 1;    // that the instruction belongs to
  std::string place(uint32_t t) const {
    return shared || wide || clusters ? fmt::format("P{0}@cta {0}, cluster 0, gpu 0", t)
                                      : fmt::format("P{0}@cta {0}, gpu 0", t);
  }
  // The initial values: `own` is the instruction's place, `other` a second one, or none.
  std::string values(const std::string& own, const std::string& other) const {
    std::string out = "{ " + (other.empty() ? "" : other + " = 0; ");
    out += shared ? fmt::format("{} @ shared P{} = 0; ", own, thread) : own + " = 0; ";
    if (wide && !shared) out += fmt::format("w @ shared P{} = 0; ", thread);
    return out + "}\n";
  }
};

// What `run` lacks for this instruction.
Expected<Where> where_of(const Instruction& i, uint32_t thread) {
  Where out{i.in_shared(), i.bits() == 64, i.scope == Scope::cluster, thread};
  if (!out.shared && i.words.find(".global") == std::string::npos)
    return refuse("'run' has neither generic addresses nor atomic operations on memory of other CTAs");
  if (i.vector != 1) return refuse("'run' has no vectors with an order");
  const bool whole = i.kind <= Kind::store || !(i.type.starts_with("f") || i.type.starts_with("bf"));
  if (!whole || (i.bits() != 64 && (out.shared || i.bits() != 32)))
    return refuse(fmt::format("'run' has no '{}' in {} memory", i.type, out.shared ? "shared" : "global"));
  return out;
}

DeviceTest made(DeviceTest::Role role, const std::string& name, const std::string& values, const std::string& threads,
                const std::string& condition) {
  return {role, name, fmt::format("PTX {}\n{}{}exists ({})\n", name, values, threads, condition)};
}

bool is_operation(const std::string& operation) {
  static const std::vector<std::string> operations = {"add", "and", "or", "xor", "exch", "cas"};
  return std::ranges::find(operations, operation) != operations.end();
}

std::string label(const Instruction& i, Order o, const std::string& operation, bool shared) {
  const bool atom =
      i.kind == Kind::atomic || (i.kind == Kind::reduction && (operation == "exch" || operation == "cas"));
  const char* head = i.kind == Kind::load ? "ld" : i.kind == Kind::store ? "st" : atom ? "atom" : "red";
  return fmt::format("{}.{}.{}.{}{}.{}{}", head, word(o), word(i.scope), shared ? "shared" : "global",
                     operation.empty() ? "" : "." + operation, operation == "add" ? "u" : "b", i.bits());
}

// ---- a lost acquire or release ----

struct Shape {
  bool acquires = false;  // the instruction is P1's acquire, else P0's release
  Where where;
  Scope scope = Scope::gpu;
};

DeviceTest message_passing(const Shape& s, DeviceTest::Role role, const std::string& label, const Lines& culprit) {
  const char* scope = word(s.scope);
  Lines p0{s.where.place(0), "st.weak x, 1"};
  Lines p1{s.where.place(1)};
  if (s.acquires) {
    p0.push_back(fmt::format("st.release.{} y, 1", scope));
    p1.insert(p1.end(), culprit.begin(), culprit.end());
  } else {
    p0.insert(p0.end(), culprit.begin(), culprit.end());
    p1.push_back(fmt::format("ld.acquire.{} r0, y", scope));
  }
  p1.emplace_back("ld.weak r1, x");
  return made(role, fmt::format("MP+{}+{}", s.acquires ? "acquire" : "release", label), s.where.values("y", "x"),
              table(p0, p1), "P1:r0 = 1 /\\ P1:r1 = 0");
}

Expected<std::vector<DeviceTest>> lost_order(const Instruction& i, bool acquires) {
  const auto where = where_of(i, acquires ? 1 : 0);
  if (!where) return std::unexpected(where.error());
  if (i.scope == Scope::cta)
    return refuse("a scope of one CTA needs both threads in it, whose accesses meet in one cache");
  if (i.kind >= Kind::atomic && !is_operation(i.operation))
    return refuse(fmt::format("'run' has no '{}'", i.operation));
  const Shape shape{acquires, *where, i.scope};
  const Order order = acquires ? Order::acquire : Order::release;
  const std::string fence = fmt::format("fence.acq_rel.{}", word(i.scope));
  // An and over 0 would not release a value that can be seen.
  const std::string operation = i.operation == "and" && !acquires ? "or" : i.operation;
  const char* result = acquires ? "r0" : "r2";
  std::vector<DeviceTest> out;
  const auto add = [&](DeviceTest::Role role, const std::string& name, const Lines& lines) {
    out.push_back(message_passing(shape, role, name, lines));
  };
  add(DeviceTest::Role::fault, label(i, order, operation, where->shared),
      {spelt(i, order, operation, result, acquires)});
  const std::string right = acquires ? "cas" : "exch";  // compiled to one instruction, not to a loop
  const std::string relaxed = spelt(i, Order::relaxed, operation, result, acquires);
  add(DeviceTest::Role::sibling, label(i, Order::relaxed, operation, where->shared) + "+fence",
      acquires ? Lines{relaxed, fence} : Lines{fence, relaxed});
  if (i.kind >= Kind::atomic && operation != right)
    add(DeviceTest::Role::sibling, label(i, order, right, where->shared), {spelt(i, order, right, result, acquires)});
  add(DeviceTest::Role::control, label(i, Order::relaxed, operation, where->shared), {relaxed});
  return out;
}

// ---- fences ----

Expected<std::vector<DeviceTest>> fence_tests(const Instruction& i) {
  if (i.kind != Kind::fence) return refuse("the instruction is a barrier or a fence of a proxy");
  if (i.scope == Scope::cta)
    return refuse("a scope of one CTA needs both threads in it, whose accesses meet in one cache");
  const bool sequential = i.order == Order::sc, releases = i.releases(), acquires = i.acquires();
  const std::string scope = word(i.scope), own = i.words.starts_with("membar") ? "fence.sc." + scope : i.words;
  const std::string wider = sequential ? "fence.sc.sys" : "fence.acq_rel.sys";
  const Where where{.clusters = i.scope == Scope::cluster};
  std::vector<DeviceTest> out;
  const auto add = [&](DeviceTest::Role role, const std::string& name, const std::string& fence) {
    Lines p0{where.place(0), sequential ? "st.relaxed." + scope + " x, 1" : "st.weak x, 1"}, p1{where.place(1)};
    const std::string other = "fence.acq_rel.sys";  // where the instruction orders nothing
    if (sequential) {
      p1.push_back("st.relaxed." + scope + " y, 1");
      if (!fence.empty()) p0.push_back(fence), p1.push_back(fence);
      p0.push_back("ld.relaxed." + scope + " r0, y");
      p1.push_back("ld.relaxed." + scope + " r0, x");
    } else {
      if (!releases || !fence.empty()) p0.push_back(releases ? fence : other);
      p0.push_back("st.relaxed." + scope + " y, 1");
      p1.push_back("ld.relaxed." + scope + " r0, y");
      if (!acquires || !fence.empty()) p1.push_back(acquires ? fence : other);
      p1.emplace_back("ld.weak r1, x");
    }
    out.push_back(made(role, (sequential ? "SB+" : "MP+") + name, "{ x = 0; y = 0; }\n", table(p0, p1),
                       sequential ? "P0:r0 = 0 /\\ P1:r0 = 0" : "P1:r0 = 1 /\\ P1:r1 = 0"));
  };
  add(DeviceTest::Role::fault, own, own);
  if (own != wider) add(DeviceTest::Role::sibling, wider, wider);
  add(DeviceTest::Role::control, "none", "");
  return out;
}

// ---- accesses of one place that change places ----

std::string load_of(const Instruction& i, const char* result) {
  if (i.is_volatile) return fmt::format("ld.volatile {}, x", result);
  if (i.order == Order::weak) return fmt::format("ld.weak {}, x", result);
  return fmt::format("ld.{}.{} {}, x", word(i.order), word(i.scope), result);
}

// What is allowed: nothing orders reads of two places.
DeviceTest two_places(const Where& where, const Instruction& first, const std::string& name) {
  const Lines p0{where.place(0), "st.relaxed.sys z, 1", "fence.acq_rel.sys", "st.relaxed.sys x, 1"};
  // In clusters a strong second read is seen to be older too seldom for the rounds of a run: a weak one shows that the
  // test would see an old value.
  const Lines p1{where.place(1), load_of(first, "r0"), where.wide ? "ld.weak r1, z" : "ld.relaxed.gpu r1, z"};
  return made(DeviceTest::Role::control, "MP+fence+" + name, where.values("x", "z"), table(p0, p1),
              "P1:r0 = 1 /\\ P1:r1 = 0");
}

Expected<std::vector<DeviceTest>> two_loads(const Instruction& first, const Instruction& second) {
  if (first.mmio || second.mmio) return refuse("'run' has no .mmio");
  const auto where = where_of(second, 1);
  if (!where) return std::unexpected(where.error());
  if (first.bits() != second.bits() || first.in_shared() != second.in_shared())
    return refuse("the two accesses have not one place in 'run'");
  std::vector<DeviceTest> out;
  // A scheduler moves a read to where its value is needed: the store of a product waits for the second.
  const auto add = [&](DeviceTest::Role role, const std::string& name, const Lines& loads) {
    Lines p0{where->place(0), "st.relaxed.sys x, 1"}, p1{where->place(1)};
    p1.insert(p1.end(), loads.begin(), loads.end());
    for (const char* l : {"add r2, r1, 5", "mul r3, r2, r1", "st.relaxed.gpu z, r3"}) p1.emplace_back(l);
    out.push_back(made(role, "CoRR+late+" + name, where->values("x", "z"), table(p0, p1), "P1:r0 = 1 /\\ P1:r1 = 0"));
  };
  const auto name = [](const Instruction& i) {
    return i.is_volatile ? std::string("volatile") : fmt::format("{}.{}", word(i.order), word(i.scope));
  };
  add(DeviceTest::Role::fault, name(first) + "+" + name(second), {load_of(first, "r0"), load_of(second, "r1")});
  Instruction both = second;
  both.is_volatile = false, both.order = Order::relaxed, both.scope = Scope::gpu;
  add(DeviceTest::Role::sibling, "relaxed.gpu+relaxed.gpu", {load_of(both, "r0"), load_of(both, "r1")});
  add(DeviceTest::Role::sibling, name(first) + "+fence+" + name(second),
      {load_of(first, "r0"), "fence.acq_rel.gpu", load_of(second, "r1")});
  out.push_back(two_places(*where, first, name(first)));
  return out;
}

Expected<std::vector<DeviceTest>> reordered(const PtxTest& t, size_t culprit) {
  const Instruction& i = t.body[culprit];
  for (size_t k = culprit; k-- > 0;) {
    const Instruction& before = t.body[k];
    if (!before.is_access()) continue;
    const bool may_be_one = before.place != i.place || before.number == i.number;
    if (i.kind == Kind::load && before.kind == Kind::load && before.is_strong() && i.is_strong() && may_be_one)
      return two_loads(before, i);
    if (i.releases()) return lost_order(i, false);
    if (before.acquires()) return lost_order(before, true);
  }
  return refuse(
      "'run' gives each access a pointer of its own, so the compiler does not know that two are equal, and this fault "
      "needs that");
}

// ---- an access that is lost, elsewhere, done twice, of another scope or in pieces ----

std::string write_of(const Instruction& i, const std::string& value) {
  const bool orders = i.kind >= Kind::atomic || (i.is_strong() && !i.is_volatile);
  const Order o = i.order == Order::acquire && i.kind == Kind::store ? Order::relaxed : i.order;
  const std::string how = i.is_volatile ? "volatile" : !orders ? "weak" : fmt::format("{}.{}", word(o), word(i.scope));
  if (i.kind == Kind::store) return fmt::format("st.{} x, {}", how, value);
  if (i.operation == "cas") return fmt::format("atom.{}.cas r0, x, 0, {}", how, value);
  if (i.kind == Kind::atomic || i.operation == "exch")
    return fmt::format("atom.{}.{} r0, x, {}", how, i.operation, value);
  return fmt::format("red.{}.{} x, {}", how, i.operation, value);
}

Expected<std::vector<DeviceTest>> one_write(const Instruction& i, const char* name, const char* condition,
                                            const char* twice) {
  const auto where = where_of(i, 0);
  if (!where) return std::unexpected(where.error());
  if (i.mmio) return refuse("'run' has no .mmio");
  if (!i.writes())
    return refuse(
        "'run' gives each access a pointer of its own, so the compiler does not know that two are equal, and a load is "
        "lost only beside one of the same address");
  if (i.kind >= Kind::atomic && (!is_operation(i.operation) || i.operation == "and"))
    return refuse(fmt::format("'run' has no '{}' of 0 that changes it", i.operation));
  if (*twice != 0 && i.operation != "add") return refuse("what was done twice shows in a sum alone");
  std::vector<DeviceTest> out;
  const auto add = [&](DeviceTest::Role role, const std::string& what, const Lines& lines) {
    Lines p0{where->place(0)};
    p0.insert(p0.end(), lines.begin(), lines.end());
    out.push_back(made(role, fmt::format("{}+{}", name, what), where->values("x", ""),
                       table(p0, {where->place(1), "ld.relaxed.gpu r1, x"}), condition));
  };
  const std::string own = write_of(i, "1");
  add(DeviceTest::Role::fault, own.substr(0, own.find(' ')), {own});
  Instruction other = i;
  other.is_volatile = false, other.order = Order::relaxed, other.scope = Scope::sys;
  const std::string right = write_of(other, "1");
  if (right != own) add(DeviceTest::Role::sibling, right.substr(0, right.find(' ')), {right});
  add(DeviceTest::Role::control, *twice != 0 ? "twice" : "none",
      *twice != 0 ? Lines{own, own} : Lines{"ld.weak r0, x"});
  return out;
}

Expected<std::vector<DeviceTest>> narrower(const Instruction& i) {
  if (i.kind != Kind::load)
    return refuse("no count of final states tells a write of a narrower scope from one of the scope that was written");
  Instruction strong = i;
  strong.is_volatile = false, strong.order = Order::relaxed, strong.scope = Scope::sys;
  const auto where = where_of(i, 1);
  if (!where) return std::unexpected(where.error());
  if (i.mmio) return refuse("'run' has no .mmio");
  std::vector<DeviceTest> out;
  const auto add = [&](DeviceTest::Role role, const std::string& name, const Instruction& second) {
    out.push_back(made(role, "CoRR+" + name, where->values("x", ""),
                       table({where->place(0), "st.relaxed.sys x, 1"},
                             {where->place(1), load_of(strong, "r0"), load_of(second, "r1")}),
                       "P1:r0 = 1 /\\ P1:r1 = 0"));
  };
  add(DeviceTest::Role::fault, "strong+" + load_of(i, "r1").substr(3, load_of(i, "r1").find(' ') - 3), i);
  add(DeviceTest::Role::sibling, "strong+relaxed.sys", strong);
  out.push_back(two_places(*where, strong, "relaxed.sys"));
  return out;
}

Expected<std::vector<DeviceTest>> torn(const Instruction& i) {
  const auto where = where_of(i, i.kind == Kind::load ? 1 : 0);
  if (!where) return std::unexpected(where.error());
  if (i.kind > Kind::store || i.mmio)
    return refuse("this report has a device test for the two halves of a load or store only");
  // Both halves are 1.
  const bool wide = i.bits() == 64;
  const std::string value = wide ? "4294967297" : "65537", high = wide ? "4294967296" : "65536";
  Instruction strong = i;
  strong.is_volatile = false, strong.order = Order::relaxed, strong.scope = Scope::sys;
  Instruction store = strong, load = strong;
  store.kind = Kind::store, load.kind = Kind::load;
  std::vector<DeviceTest> out;
  const auto add = [&](DeviceTest::Role role, const std::string& name, const Instruction& one) {
    const bool loads = one.kind == Kind::load;
    out.push_back(made(role, "halves+" + name, where->values("x", ""),
                       table({where->place(0), write_of(loads ? store : one, value)},
                             {where->place(1), load_of(loads ? one : load, "r0")}),
                       fmt::format("P1:r0 = 1 \\/ P1:r0 = {}", high)));
  };
  add(DeviceTest::Role::fault, i.words, i);
  add(DeviceTest::Role::sibling, "relaxed.sys", strong);
  return out;
}

}  // namespace

namespace {
const char* where_word(const Instruction& i) { return i.in_shared() ? "shared" : "global"; }
}  // namespace

Expected<std::vector<DeviceTest>> device_tests(const Fault& f) {
  const auto parsed = parse_test(f.culprit);
  if (!parsed) return std::unexpected(parsed.error());
  const Instruction& i = parsed->body.front();
  auto whole = f.reduced.empty() ? parsed : parse_test(f.reduced);
  if (!whole) return std::unexpected(whole.error());
  const auto at = std::find(whole->body.rbegin(), whole->body.rend(), i);
  if (at == whole->body.rend()) return refuse("the instruction is not in its test");
  const auto culprit = static_cast<size_t>(whole->body.rend() - at) - 1;
  const std::string& e = f.effect;
  const bool acquires = e == "no-invalidate" || e == "no-wait";
  if (e == "no-wait" && !i.is_access() && std::ranges::any_of(whole->body, &Instruction::unused))
    return refuse("'run' stores every result, and the fence waits for an operation whose result is used");
  if (acquires && i.kind == Kind::load && i.unused)
    return refuse("'run' stores every result, and this load has the fault where nobody uses its result");
  if (acquires || e == "no-membar" || e == "weak-membar")
    return i.is_access() ? lost_order(i, acquires) : fence_tests(i);
  if (e == "reordered") return reordered(*whole, culprit);
  if (e == "overtaken")
    return refuse(
        "'run' gives each lane of a warp an address of its own, so that no addition of a warp is merged into one, and "
        "accesses move before a merged one alone");
  if (!i.is_access() && e != "illegal") return refuse("the instruction is a fence or a barrier");
  if (e == "skipped" && i.kind == Kind::load) return refuse("no other thread sees whether a read was done");
  if (e == "absent" || e == "skipped" || e == "elsewhere") return one_write(i, "lost", "x = 0", "");
  if (e == "repeated") return one_write(i, "twice", "x = 2", "twice");
  if (e == "weaker") return narrower(i);
  if (e == "split" || e == "width") return torn(i);
  if (e == "unguarded") return refuse("'run' writes a condition as a branch, which is another form");
  if (e == "operation") return refuse(fmt::format("'run' has no '{}' in {} memory", i.type, where_word(i)));
  if (e == "illegal" && i.words.starts_with("fence."))
    return refuse("the program should be refused, so there is no outcome to ask for");
  if (e == "illegal") return refuse("a device ends the whole launch at an instruction that it does not have");
  return refuse(fmt::format("'{}' has no outcome of its own", e));
}

}  // namespace fencepost::hunt
