// What OPENCL threads become: tags, widths, control flow, compare-exchange, memory.
#include "asm_support.h"
#include "prog/places.h"

using namespace asm_test;
using prog::Form;
using prog::Instr;
using prog::Kind;
using term::Op;

namespace {

prog::Test opencl(const std::string& body, const std::string& question = "",
                  const std::string& init = "[x] = 0; [y] = 0;") {
  return parse("OPENCL t\n{ " + init + " }\nP0@wg 1, dev 2 (global atomic_int* x, global int* y) {\n" + body + "\n}\n" +
               question);
}

std::vector<Kind> kinds(const prog::Test& t) {
  std::vector<Kind> out;
  for (const Instr& i : t.instrs(0)) out.push_back(i.kind);
  return out;
}

const Instr& only(const prog::Test& t, Kind k) {
  for (const Instr& i : t.instrs(0))
    if (i.kind == k) return i;
  ADD_FAILURE() << "no such instruction";
  return t.instrs(0).front();
}

// Value of an expression over the thread's registers, all of which hold `value`.
uint64_t evaluate(const term::Expr& e, uint64_t value = 0) {
  return term::eval(e, [&](uint64_t) { return std::optional(value); }).value();
}

std::string error(const std::string& text) {
  const auto t = read::parse(make_source("t.litmus", text));
  EXPECT_FALSE(t.has_value()) << text;
  return t ? "" : render(t.error().list.front());
}

TEST(OpenclTags, OrdersAndScopes) {
  const auto load = [](const char* order) {
    return only(opencl(std::string("int r = atomic_load_explicit(x, memory_order_") + order +
                       ", memory_scope_work_group);"),
                Kind::load)
        .tags;
  };
  EXPECT_EQ(load("relaxed"), (TagSet{Tag::A, Tag::RLX, Tag::WG}));
  EXPECT_EQ(load("consume"), (TagSet{Tag::A, Tag::RLX, Tag::WG}));
  EXPECT_EQ(load("acquire"), (TagSet{Tag::A, Tag::ACQ, Tag::WG}));
  EXPECT_EQ(load("seq_cst"), (TagSet{Tag::A, Tag::SC, Tag::WG}));
  const auto store = [](const char* order, const char* scope) {
    return only(opencl(std::string("atomic_store_explicit(x, 1, memory_order_") + order + ", memory_scope_" + scope +
                       ");"),
                Kind::store)
        .tags;
  };
  EXPECT_EQ(store("relaxed", "work_item"), (TagSet{Tag::A, Tag::RLX, Tag::WI}));
  EXPECT_EQ(store("release", "device"), (TagSet{Tag::A, Tag::REL, Tag::DV}));
  EXPECT_EQ(store("seq_cst", "all_svm_devices"), (TagSet{Tag::A, Tag::SC, Tag::ALL}));
}

TEST(OpenclTags, Defaults) {
  EXPECT_EQ(only(opencl("atomic_store(x, 1);"), Kind::store).tags, (TagSet{Tag::A, Tag::SC, Tag::DV}));
  EXPECT_EQ(only(opencl("atomic_store_explicit(x, 1, memory_order_release);"), Kind::store).tags,
            (TagSet{Tag::A, Tag::REL, Tag::DV}));
  EXPECT_EQ(only(opencl("int r = atomic_load(x);"), Kind::load).tags, (TagSet{Tag::A, Tag::SC, Tag::DV}));
  EXPECT_EQ(only(opencl("*y = 1;"), Kind::store).tags, (TagSet{Tag::NA, Tag::WI}));
  EXPECT_EQ(only(opencl("int r = *y;"), Kind::load).tags, (TagSet{Tag::NA}));
}

TEST(OpenclTags, ReadModifyWrite) {
  const auto tags = [](const char* order) {
    const Instr i =
        only(opencl(std::string("int r = atomic_fetch_add_explicit(x, 1, memory_order_") + order + ");"), Kind::rmw);
    return std::pair(i.tags, i.store_tags);
  };
  EXPECT_EQ(tags("relaxed"), std::pair(TagSet{Tag::A, Tag::RLX, Tag::DV}, TagSet{Tag::A, Tag::RLX, Tag::DV}));
  EXPECT_EQ(tags("acquire"), std::pair(TagSet{Tag::A, Tag::ACQ, Tag::DV}, TagSet{Tag::A, Tag::RLX, Tag::DV}));
  EXPECT_EQ(tags("release"), std::pair(TagSet{Tag::A, Tag::RLX, Tag::DV}, TagSet{Tag::A, Tag::REL, Tag::DV}));
  EXPECT_EQ(tags("acq_rel"), std::pair(TagSet{Tag::A, Tag::ACQ, Tag::DV}, TagSet{Tag::A, Tag::REL, Tag::DV}));
  EXPECT_EQ(tags("seq_cst"), std::pair(TagSet{Tag::A, Tag::SC, Tag::DV}, TagSet{Tag::A, Tag::SC, Tag::DV}));
}

TEST(OpenclTags, FencesAndBarriers) {
  EXPECT_EQ(only(opencl("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);"),
                 Kind::fence)
                .tags,
            (TagSet{Tag::F, Tag::ACQ_REL, Tag::WG, Tag::GLOBAL}));
  EXPECT_EQ(only(opencl("atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_relaxed, "
                        "memory_scope_device);"),
                 Kind::fence)
                .tags,
            (TagSet{Tag::F, Tag::RLX, Tag::DV, Tag::GLOBAL, Tag::LOCAL}));
  EXPECT_EQ(only(opencl("mem_fence(CLK_LOCAL_MEM_FENCE);"), Kind::fence).tags,
            (TagSet{Tag::F, Tag::ACQ_REL, Tag::WG, Tag::LOCAL}));
  EXPECT_EQ(only(opencl("read_mem_fence(CLK_LOCAL_MEM_FENCE);"), Kind::fence).tags,
            (TagSet{Tag::F, Tag::ACQ, Tag::WG, Tag::LOCAL}));
  EXPECT_EQ(only(opencl("write_mem_fence(0);"), Kind::fence).tags, (TagSet{Tag::F, Tag::REL, Tag::WG}));
  EXPECT_EQ(only(opencl("atomic_thread_fence(memory_order_seq_cst);"), Kind::fence).tags,
            (TagSet{Tag::F, Tag::SC, Tag::DV, Tag::GLOBAL, Tag::LOCAL}));
  const prog::Test t = opencl(
      "B7: barrier(CLK_GLOBAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE); work_group_barrier(0, "
      "memory_scope_work_group);");
  const auto& code = t.instrs(0);
  ASSERT_EQ(code.size(), 3u);
  EXPECT_EQ(code[0].tags, (TagSet{Tag::F, Tag::B, Tag::ACQ_REL, Tag::WG, Tag::GLOBAL}));
  EXPECT_EQ(code[0].barrier.instance, "B7");
  EXPECT_EQ(code[0].barrier.level, 2u);  // all, device, work-group
  EXPECT_EQ(code[1].barrier.instance, "#0");
  EXPECT_EQ(code[2].barrier.instance, "#1");
  EXPECT_NE(error("OPENCL t\n{}\nP0@wg 0, dev 0 (int* x) { barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device); }")
                .find("another memory scope"),
            std::string::npos);
}

TEST(OpenclMemory, ObjectsAndTheirTags) {
  const prog::Test t = parse(
      "OPENCL t\n{ [x] = 1; atomic_int y = 2; long w; int A[2] = {3, -4}; p = &x; q = *x; char c = -1; }\n"
      "P0 (global atomic_int* x, local int* y, volatile int* z, global long* w, char* c) { }\n"
      "P1 (atomic_int* x, int* A) { }\nexists (x = 1)");
  const auto object = [&](const char* name) {
    for (const auto& o : t.objects)
      if (o.name == name) return o;
    ADD_FAILURE() << name;
    return t.objects[0];
  };
  EXPECT_EQ(object("x").tags, (TagSet{Tag::GLOBAL, Tag::GENERIC}));  // as declared by one thread or another
  EXPECT_EQ(object("y").tags, (TagSet{Tag::LOCAL, Tag::NAL}));       // the parameter's type decides
  EXPECT_EQ(object("z").tags, (TagSet{Tag::GENERIC, Tag::NAL}));
  EXPECT_EQ(object("y").declared, "atomic_int");
  EXPECT_EQ(object("x").init, std::vector<uint64_t>{1});
  EXPECT_EQ(object("A").init, (std::vector<uint64_t>{3, 0xfffffffc}));
  EXPECT_EQ(object("w").width, 64);
  EXPECT_EQ(object("c").init, std::vector<uint64_t>{0xff});
  EXPECT_EQ(object("c").width, 8);
  EXPECT_EQ(object("p").init_address, std::vector<prog::SymbolId>{0});
  EXPECT_EQ(object("q").init, std::vector<uint64_t>{1});
  EXPECT_EQ(t.threads[0].scope, prog::ScopePath{});
}

TEST(OpenclMemory, ScopePathAndTemplates) {
  const prog::Test t = parse(
      "OPENCL t\n{ [x] = 0; int 0:r = 5; int 1:r = 6; 2:r = &x; }\n"
      "P0@wg 1, dev 2 (int* x) { *x = r; }\nP1@dev 0, wg 3 (int* x) { *x = r; }\nP2@wg 0, dev 0 (int* x) { *x = 1; "
      "}\n");
  EXPECT_EQ(t.threads[0].scope, (prog::ScopePath{0, 2, 1}));
  EXPECT_EQ(t.threads[1].scope, (prog::ScopePath{0, 0, 3}));
  EXPECT_EQ(t.threads[0].templ, t.threads[1].templ);  // equal code is shared; the constants differ
  EXPECT_NE(t.threads[0].templ, t.threads[2].templ);
  EXPECT_EQ(t.threads[0].init, (std::vector<prog::InitValue>{{0, 5, prog::k_none}}));
  EXPECT_EQ(t.threads[1].init, (std::vector<prog::InitValue>{{0, 6, prog::k_none}}));
  EXPECT_EQ(t.threads[2].init, (std::vector<prog::InitValue>{{0, 0, 0}}));
  EXPECT_EQ(t.code(2).registers[0].width, 64);
}

TEST(OpenclMemory, ParametersInConditionsAreAddresses) {
  const prog::Test t = opencl("int r = *y;", "exists (0:x = 0 /\\ 0:r = 1)");
  ASSERT_EQ(t.threads[0].init.size(), 1u);
  EXPECT_EQ(t.code(0).registers[t.threads[0].init[0].reg].name, "x");
  EXPECT_EQ(t.threads[0].init[0].address, 0u);
}

TEST(OpenclMemory, Pointers) {
  const prog::Test checked = parse(
      "OPENCL t\n{ int A[3]; p = &A; }\nP0 (int* A, int** p) { int* q = *p; *q = 1; A[2] = 2; *(A + 1) = 3; int r = "
      "A[*q]; q[1] = 4; }");
  EXPECT_TRUE(prog::has_place_checks(checked));
  const prog::Test t = prog::without_place_checks(checked);
  const auto& code = t.instrs(0);
  EXPECT_TRUE(code[0].addr.direct());
  EXPECT_EQ(t.code(0).registers[code[0].dst].width, 64);
  EXPECT_EQ(code[1].addr.symbol, prog::k_none);
  EXPECT_TRUE(code[1].addr.index.is_var());
  EXPECT_TRUE(code[2].addr.index.is_const(2));
  EXPECT_TRUE(code[3].addr.index.is_const(1));
  EXPECT_EQ(code[5].addr.symbol, 0u);  // A[*q]: a load, then an indexed load
  EXPECT_EQ(code[5].addr.index.op(), Op::sext);
  EXPECT_EQ(evaluate(code[6].addr.index, 0x1000), 0x1001u);  // cells follow one another
}

// C's precedence, where the published tool has another.
TEST(OpenclExpressions, Precedence) {
  const auto value = [](const std::string& e, uint64_t v = 0) {
    const prog::Test t = opencl("int r = 0; r = " + e + ";");
    return static_cast<int32_t>(evaluate(t.instrs(0).back().value, v));
  };
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("2 == 2 && 3 == 3"), 1);
  EXPECT_EQ(value("1 | 2 == 2"), 1);
  EXPECT_EQ(value("1 << 2 + 1"), 8);
  EXPECT_EQ(value("7 - 2 - 1"), 4);
  EXPECT_EQ(value("0 || 1 && 0"), 0);
  EXPECT_EQ(value("6 & 3 ^ 1 | 8"), 11);
  EXPECT_EQ(value("1 ? 2 : 0 ? 3 : 4"), 2);
  EXPECT_EQ(value("-7 / 2"), -3);
  EXPECT_EQ(value("-7 % 2"), -1);
  EXPECT_EQ(value("-7 >> 1"), -4);
  EXPECT_EQ(value("!0 + ~0"), 0);
  EXPECT_EQ(value("r == 5 && r != 6", 5), 1);
  EXPECT_EQ(value("(char)300"), 44);
  EXPECT_EQ(value("(uint)-1 > 0"), 1);
  EXPECT_EQ(value("-1 < 1u"), 0);
  EXPECT_EQ(value("4294967295 > 0"), 1);
  EXPECT_EQ(value("min(-1, 2) + max(3, 4)"), 3);
}

// C11 6.4.4.1: a number has its type before a sign is applied to it.
TEST(OpenclExpressions, NumbersHaveTheTypesOfC) {
  const auto value = [](const std::string& e) {
    const prog::Test t = opencl("uint u = 0; long r = 0; r = " + e + ";");
    return static_cast<int64_t>(evaluate(t.instrs(0).back().value));
  };
  EXPECT_EQ(value("-2147483648 < u"), 1);  // a long: as an int it would be 2147483648 beside a uint
  EXPECT_EQ(value("-2147483647 < u"), 0);
  EXPECT_EQ(value("-2147483648 - 1"), -2147483649);
  EXPECT_EQ(value("-2147483648u"), 2147483648);
  EXPECT_EQ(value("-0x80000000 > 0"), 1);  // a uint
  EXPECT_EQ(value("-0x80000000l < 0"), 1);
  EXPECT_EQ(value("0x7fffffff + u - 1 < u"), 0);
  EXPECT_EQ(value("0xffffffff + 1"), 0);
  EXPECT_EQ(value("4294967295 + 1"), 4294967296);
  EXPECT_EQ(value("0x8000000000000000 > 0"), 1);  // a ulong, also with l
  EXPECT_EQ(value("0x8000000000000000L / 2 > 0"), 1);
  EXPECT_EQ(value("0x7fffffffffffffff > -1"), 1);  // a long
  EXPECT_EQ(value("9223372036854775807 > -1"), 1);
  EXPECT_EQ(value("9223372036854775808u > -1"), 0);
  EXPECT_NE(error("OPENCL t\n{ [x] = 0; }\nP0@wg 0, dev 0 (global long* x) {\n  long r = 9223372036854775808;\n}\n")
                .find("t.litmus:4:12"),
            std::string::npos);
  EXPECT_NE(error("OPENCL t\n{ [x] = 0; }\nP0@wg 0, dev 0 (global long* x) {\n  long r = -9223372036854775808L;\n}\n")
                .find("-9223372036854775807 - 1"),
            std::string::npos);
}

// What is printed of the least numbers is read again as they are.
TEST(OpenclExpressions, TheLeastNumbersArePrintedInTheirTypes) {
  const prog::Test t =
      opencl("uint u = 0; int i = (int)0x80000000; long l = -9223372036854775807 - 1; bool r = i + u > 0 && l < i;");
  expect_round_trip(t);
}

TEST(OpenclExpressions, LoadsAreEvaluatedLeftToRight) {
  const prog::Test t = opencl("int r = *y + atomic_load(x) * *y;");
  ASSERT_EQ(kinds(t), (std::vector<Kind>{Kind::load, Kind::load, Kind::load, Kind::local}));
  EXPECT_EQ(t.instrs(0)[0].mnemonic, "load");
  EXPECT_EQ(t.instrs(0)[1].mnemonic, "atomic_load");
  EXPECT_TRUE(t.code(0).registers[0].temporary);
  EXPECT_FALSE(t.code(0).registers[t.instrs(0)[3].dst].temporary);
}

TEST(OpenclExpressions, AndOrRunTheirRightSideAsCDoes) {
  const prog::Test t = opencl("int r = atomic_load(x) == 1 && *y == 2;");
  // load x; t = ..; if (t) { load y; t = ..; }; r = t
  ASSERT_EQ(kinds(t), (std::vector<Kind>{Kind::load, Kind::local, Kind::branch, Kind::load, Kind::local, Kind::label,
                                         Kind::local}));
  EXPECT_EQ(kinds(opencl("int a = 1; int r = a == 1 || a == 2;")), (std::vector<Kind>{Kind::local, Kind::local}));
}

TEST(OpenclControl, IfElse) {
  const prog::Test t = opencl("int r = *y; if (r == 1) { *y = 2; } else { *y = 3; } *y = 4;");
  const auto& code = t.instrs(0);
  ASSERT_EQ(kinds(t), (std::vector<Kind>{Kind::load, Kind::branch, Kind::store, Kind::jump, Kind::label, Kind::store,
                                         Kind::label, Kind::store}));
  EXPECT_EQ(code[1].form, Form::c_if);
  EXPECT_EQ(code[1].reach, prog::CtrlReach::to_label);
  EXPECT_EQ(t.code(0).labels[code[1].label].at, 4u);  // jumps to the else branch if r != 1
  EXPECT_EQ(t.code(0).labels[code[1].ctrl_end].at, 6u);
  EXPECT_EQ(evaluate(code[1].value, 1), 0u);
  EXPECT_EQ(evaluate(code[1].value, 0), 1u);
  EXPECT_EQ(t.code(0).labels[code[3].label].at, 6u);
}

TEST(OpenclControl, Loops) {
  const prog::Test w = opencl("while (atomic_load(x) == 0) { *y = 1; }");
  ASSERT_EQ(kinds(w), (std::vector<Kind>{Kind::label, Kind::load, Kind::branch, Kind::store, Kind::jump, Kind::label}));
  EXPECT_EQ(w.code(0).labels[w.instrs(0)[4].label].at, 0u);
  EXPECT_EQ(w.code(0).labels[w.instrs(0)[2].label].at, 5u);
  const prog::Test d = opencl("do { *y = 1; } while (atomic_load(x) == 0);");
  ASSERT_EQ(kinds(d), (std::vector<Kind>{Kind::label, Kind::store, Kind::load, Kind::branch, Kind::label}));
  EXPECT_EQ(d.code(0).labels[d.instrs(0)[3].label].at, 0u);
  const prog::Test f = opencl("for (int i = 0; i < 2; i++) { if (i == 1) break; *y = i; }");
  ASSERT_EQ(kinds(f), (std::vector<Kind>{Kind::local, Kind::label, Kind::branch, Kind::branch, Kind::jump, Kind::label,
                                         Kind::store, Kind::local, Kind::jump, Kind::label}));
  EXPECT_EQ(f.code(0).labels[f.instrs(0)[4].label].at, 9u);
  EXPECT_EQ(f.code(0).labels[f.instrs(0)[3].ctrl_end].at, 9u);  // the store depends on not having left
  EXPECT_NE(error("OPENCL t\n{}\nP0 (int* x) { for (;; *x = 1) { continue; } }").find("unsupported"),
            std::string::npos);
}

TEST(OpenclControl, Goto) {
  const prog::Test t = opencl("int r = *y; if (r) goto out; *y = 1; out: *y = 2;");
  const auto& code = t.instrs(0);
  ASSERT_EQ(kinds(t), (std::vector<Kind>{Kind::load, Kind::branch, Kind::store, Kind::label, Kind::store}));
  EXPECT_EQ(code[1].form, Form::plain);
  EXPECT_EQ(code[1].reach, prog::CtrlReach::rest_of_thread);
}

TEST(OpenclCompareExchange, ExpectedInMemory) {
  const prog::Test t = opencl(
      "int r = atomic_compare_exchange_strong_explicit(x, y, 7, memory_order_acq_rel, memory_order_relaxed, "
      "memory_scope_work_group);");
  const auto& code = t.instrs(0);
  ASSERT_EQ(kinds(t), (std::vector<Kind>{Kind::load, Kind::rmw, Kind::branch, Kind::store, Kind::label, Kind::local}));
  EXPECT_EQ(code[0].tags, (TagSet{Tag::NA}));
  EXPECT_EQ(code[1].tags, (TagSet{Tag::A, Tag::ACQ, Tag::WG}));
  EXPECT_EQ(code[1].store_tags, (TagSet{Tag::A, Tag::REL, Tag::WG}));
  EXPECT_EQ(code[3].tags, (TagSet{Tag::NA, Tag::WI}));
  EXPECT_TRUE(code[1].value.is_const(7));
  const auto registers = [&](uint64_t expected, uint64_t old) {
    return [=, &code](uint64_t v) -> std::optional<uint64_t> { return v == code[0].dst ? expected : old; };
  };
  // Writes only if equal; writes the old value back only if not; the result says which.
  for (uint64_t old : {3u, 4u}) {
    const bool equal = old == 3;
    EXPECT_EQ(*term::eval(code[1].guard, registers(3, old)), equal ? 1u : 0u);
    EXPECT_EQ(*term::eval(code[2].value, registers(3, old)), equal ? 1u : 0u);
    EXPECT_EQ(*term::eval(code[3].value, registers(3, old)), old);
    EXPECT_EQ(*term::eval(code[5].value, registers(3, old)), equal ? 1u : 0u);
  }
  EXPECT_EQ(kinds(opencl("atomic_compare_exchange_weak(x, y, 1);")),
            (std::vector<Kind>{Kind::load, Kind::rmw, Kind::branch, Kind::store, Kind::label}));
}

// Only a weak one may fail spuriously, and then its result is 0 whatever has been read.
TEST(OpenclCompareExchange, WeakOnesMayFailSpuriously) {
  EXPECT_EQ(opencl("int e = 3; int r = atomic_compare_exchange_strong(x, &e, 7);").instrs(0)[1].spurious, prog::k_none);
  const prog::Test t = opencl("int e = 3; int r = atomic_compare_exchange_weak(x, &e, 7);");
  const auto& code = t.instrs(0);
  ASSERT_NE(code[1].spurious, prog::k_none);
  EXPECT_TRUE(t.code(0).registers[code[1].spurious].temporary);
  for (const uint64_t fails : {0, 1}) {
    const auto equal = [&](uint64_t v) -> std::optional<uint64_t> { return v == code[1].spurious ? fails : 3; };
    EXPECT_EQ(*term::eval(code[2].value, equal), 1 - fails);
  }
}

// A compare-exchange that fails is a load with the order of failure.
TEST(OpenclCompareExchange, FailureHasItsOwnOrder) {
  const auto failed = [](const std::string& orders) {
    const prog::Test t = opencl("int e = 3; atomic_compare_exchange_strong_explicit(x, &e, 7, " + orders + ");");
    return t.instrs(0)[1].failed_tags;
  };
  EXPECT_EQ(failed("memory_order_acq_rel, memory_order_relaxed"), (TagSet{Tag::A, Tag::RLX, Tag::DV}));
  EXPECT_EQ(failed("memory_order_seq_cst, memory_order_acquire, memory_scope_work_group"),
            (TagSet{Tag::A, Tag::ACQ, Tag::WG}));
  EXPECT_EQ(failed("memory_order_relaxed, memory_order_acquire"), (TagSet{Tag::A, Tag::ACQ, Tag::DV}));
  EXPECT_EQ(failed("memory_order_relaxed, memory_order_seq_cst"), (TagSet{Tag::A, Tag::SC, Tag::DV}));
  EXPECT_EQ(failed("memory_order_acq_rel, memory_order_release"), (TagSet{Tag::A, Tag::RLX, Tag::DV}));
  EXPECT_EQ(failed("memory_order_acq_rel, memory_order_acquire"), std::nullopt);  // as success
  EXPECT_EQ(failed("memory_order_release, memory_order_relaxed"), std::nullopt);
  EXPECT_EQ(failed("memory_order_seq_cst, memory_order_seq_cst"), std::nullopt);
}

TEST(OpenclCompareExchange, ExpectedInAVariable) {
  const prog::Test t = opencl("int e = 3; int r = atomic_compare_exchange_strong(x, &e, 7);");
  ASSERT_EQ(kinds(t), (std::vector<Kind>{Kind::local, Kind::rmw, Kind::local, Kind::local}));
  const auto& code = t.instrs(0);
  EXPECT_EQ(t.code(0).registers[code[2].dst].name, "r");
  EXPECT_EQ(t.code(0).registers[code[3].dst].name, "e");
  EXPECT_TRUE(code[3].value.is_var());
  EXPECT_EQ(kinds(opencl("int e = 3; atomic_compare_exchange_strong(x, e, 7);")),
            (std::vector<Kind>{Kind::local, Kind::rmw, Kind::local}));
}

TEST(OpenclUnsupported, IsNamedAndPlaced) {
  const auto unsupported = [](const std::string& body) {
    const auto t = read::parse(
        make_source("t.litmus", "OPENCL t\n{ long w; }\nP0@wg 0, dev 0 (int* x, long* w) {\n" + body + "\n}\n"));
    ASSERT_FALSE(t.has_value()) << body;
    const Diagnostic& d = t.error().list.front();
    EXPECT_EQ(d.fault, Fault::unsupported) << render(d);
    EXPECT_EQ(d.span.position().line, 4u) << render(d);
    EXPECT_FALSE(d.hint.empty());
  };
  unsupported("struct s v;");
  unsupported("float f = 1;");
  unsupported("int a[3];");
  unsupported("return;");
  unsupported("switch (1) {}");
  unsupported("*(char*)x = 1;");
  unsupported("int r = atomic_load_explicit(x, memory_order_relaxed, memory_scope_sub_group);");
  unsupported("sub_group_barrier(CLK_LOCAL_MEM_FENCE);");
  unsupported("int r = x->next;");
  EXPECT_NE(error("OPENCL t\n{}\nP0 (int* x) {}\nP1 (long* x) {}").find("unsupported"), std::string::npos);
}

}  // namespace
