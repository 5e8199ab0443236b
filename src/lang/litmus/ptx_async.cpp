// What each of the newer instructions means, as events. Sections are those of PTX ISA 9.4.
//
// Asynchronous operations as threads of their own were thought through first: a branch around the issue, a loop, and
// registers would have had to be carried over. Here they stand in the thread that issues them, and the model leaves
// them out of program order, so that control flow and values need nothing new.
#include "litmus/ptx_async.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "litmus/ptx_forms.h"
#include "prog/mbarrier.h"
#include "vocab/vocab.h"

namespace fencepost::litmus {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using prog::MbarrierOp;
using prog::Tag;
using prog::TagSet;
using term::Expr;

constexpr uint64_t k_element = 8;  // bytes of a location

Expr number(uint64_t v) { return term::constant(v, 64); }

Tag scope_tag(std::string_view word, std::string_view otherwise) {
  const std::string_view w = word.empty() ? otherwise : word;
  return w == "cta" ? Tag::CTA : w == "cluster" ? Tag::CLUSTER : w == "gpu" ? Tag::GPU : Tag::SYS;
}

Tag order_tag(std::string_view word, std::string_view otherwise) {
  const std::string_view w = word.empty() ? otherwise : word;
  return w == "weak" ? Tag::WEAK : w == "acquire" ? Tag::ACQ : w == "release" ? Tag::REL : Tag::RLX;
}

uint64_t bytes_of(const Written& w) {
  for (const char* t : {"b32", "u32", "s32"})
    if (w.has(t)) return 4;
  return k_element;
}

bool same_cta(const AsmBuilder& b, uint32_t s, uint32_t t) { return prog::same_scope(b.places[s], b.places[t], 2); }
bool same_cluster(const AsmBuilder& b, uint32_t s, uint32_t t) {
  if (same_cta(b, s, t)) return true;
  return prog::same_scope(b.places[s], b.places[t], 1) && b.clusters[s] != k_none && b.clusters[s] == b.clusters[t];
}

class Lowering {
 public:
  Lowering(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m, Written w)
      : c_(c), b_(b), t_(t), m_(m), w_(std::move(w)), thread_(static_cast<uint32_t>(&t - b.threads.data())) {
    span_ = c_.since(m_.head().begin);
    operation_ = t_.new_operation();
  }

  void run() {
    check_qualifiers();
    switch (w_.form->meaning) {
      case Meaning::thread_fence:
      case Meaning::proxy_fence:
      case Meaning::mbarrier_fence:
        return fence();
      case Meaning::mbarrier_init:
        return initialise(MbarrierOp::init, w_.values[0]);
      case Meaning::mbarrier_inval:
        return initialise(MbarrierOp::inval, number(0));
      case Meaning::mbarrier_count:
        at_mbarrier(false);
        return on_mbarrier(w_.has("expect_tx") ? MbarrierOp::expect_tx : MbarrierOp::complete_tx, w_.values[0],
                           {Tag::RLX, scope_tag(w_.scope, "cta")}, {Tag::RLX, scope_tag(w_.scope, "cta")});
      case Meaning::mbarrier_arrive:
        return arrive();
      case Meaning::mbarrier_wait:
        return wait();
      case Meaning::copy:
        check_size(m_.parts[2].is("cg") ? std::vector<uint64_t>{16} : std::vector<uint64_t>{4, 8, 16});
        in_space(w_.locations[0], true, true);
        in_space(w_.locations[1], false, false);
        transfer({Tag::GEN, Tag::WEAK}, {Tag::GEN, Tag::WEAK});
        return track(0);
      case Meaning::copy_arrive:
        return copy_arrive();
      case Meaning::commit:
        return commit();
      case Meaning::wait_group:
        return wait_group();
      case Meaning::bulk_to_shared:
      case Meaning::bulk_peer:
      case Meaning::tensor_copy:
        return bulk_with_mbarrier();
      case Meaning::bulk_to_global:
        check_size({});
        in_space(w_.locations[0], false, false);
        in_space(w_.locations[1], true, true);
        transfer(bulk_tags(), bulk_tags());
        return track(1);
      case Meaning::reduce_to_global:
        check_size({});
        in_space(w_.locations[0], false, false);
        in_space(w_.locations[1], true, true);
        reduce({Tag::ASYNC, Tag::RLX, scope_tag(w_.scope, "sys")}, load({Tag::ASYNC, Tag::WEAK}, w_.locations[1]));
        return track(1);
      case Meaning::reduce_to_shared:
        check_size({});
        in_space(w_.locations[0], true, false);
        in_space(w_.locations[1], true, true);
        signal_with(w_.locations[0]);
        reduce({Tag::ASYNC, Tag::RLX, scope_tag(w_.scope, "sys")}, load({Tag::ASYNC, Tag::WEAK}, w_.locations[1]));
        return complete(w_.numbers[0]);
      case Meaning::store_async:
      case Meaning::store_async_release:
      case Meaning::red_async:
      case Meaning::red_async_release:
        return store_or_reduce();
      case Meaning::cluster_arrive:
      case Meaning::cluster_wait:
        return cluster_barrier();
      case Meaning::warp_sync:
        return warp_barrier();
      case Meaning::vector_load:
      case Meaning::vector_store:
        return vector();
      case Meaning::refused:
        break;
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& hint) const {
    fail_at(c_.span(m_.head().begin, m_.end), message, hint);
  }

  // "Qualifiers .sem and .scope must be specified together"; a weak access has no scope.
  void check_qualifiers() const {
    const bool strong = !w_.sem.empty() && w_.sem != "weak";
    const Meaning meaning = w_.form->meaning;
    if (meaning == Meaning::cluster_arrive || meaning == Meaning::cluster_wait || meaning == Meaning::proxy_fence)
      return;
    if (strong && w_.scope.empty())
      fail(fmt::format("{} needs a scope beside .{}", quoted(m_.text()), w_.sem), "order and scope are given together");
    if (!strong && !w_.scope.empty())
      fail(fmt::format("{} needs an order beside .{}", quoted(m_.text()), w_.scope),
           "order and scope are given together");
    const bool bulk =
        meaning == Meaning::bulk_to_shared || meaning == Meaning::bulk_to_global || meaning == Meaning::bulk_peer;
    if (bulk && strong != w_.has("b128"))
      fail(fmt::format("{} has .relaxed and .b128 together, or neither", quoted(m_.text())), "a weak copy has no type");
  }

  // ---- events ----
  Instr& emit(Instr i) {
    i.span = span_;
    i.operation = operation_;
    i.hidden = !first_;
    if (first_) {
      i.mnemonic = m_.text();
      if (i.mnemonic.starts_with("membar.")) i.mnemonic.replace(0, 6, "fence");  // the name of PTX ISA 6.0 on
      i.operands = w_.operands;
    }
    first_ = false;
    t_.emit(std::move(i));
    return t_.instructions().back();
  }
  Instr& event(Kind kind, TagSet tags) {
    Instr i;
    i.kind = kind;
    i.tags = tags;
    return emit(std::move(i));
  }
  Expr set(const Expr& value) {
    Instr i;
    i.kind = Kind::local;
    i.dst = t_.temporary();
    i.value = term::resize(value, 64, false);
    const Expr out = t_.value_of(i.dst);
    emit(std::move(i));
    return out;
  }
  void undefined_if(const Expr& when) {
    if (when.is_const(0)) return;
    const prog::RegId p = when.is_const() ? k_none : static_cast<prog::RegId>(set(when).value());
    event(Kind::fence, {Tag::UB}).predicate = p;
  }

  Expr load(TagSet tags, prog::SymbolId from) {
    Instr& i = event(Kind::load, tags | TagSet{Tag::R, Tag::ASY});
    i.dst = t_.temporary();
    i.addr.symbol = from;
    return t_.value_of(i.dst);
  }
  void store(TagSet tags, prog::SymbolId to, const Expr& value) {
    Instr& i = event(Kind::store, tags | TagSet{Tag::W, Tag::ASY});
    i.addr.symbol = to;
    i.value = value;
  }
  void transfer(TagSet read, TagSet write) {
    const Expr value = load(read, w_.locations[1]);
    store(write, w_.locations[0], value);
  }
  void reduce(TagSet tags, const Expr& by, Tag write_order = Tag::RLX) {
    Instr& i = event(Kind::rmw, tags | TagSet{Tag::R, Tag::RMW, Tag::RED, Tag::ASY});
    i.store_tags = tags | TagSet{Tag::W, Tag::RMW, Tag::ASY};
    i.store_tags.remove(Tag::RLX).add(write_order);
    i.addr.symbol = w_.locations[0];
    i.value = term::binary(*find_arithmetic(w_.operation), term::variable(prog::k_old_value, 64), by);
  }

  // ---- checks ----
  // Sizes are those of one location, which a bulk copy takes for its first element.
  void check_size(std::vector<uint64_t> of) const {
    const uint64_t n = w_.numbers[0];
    const bool bulk = of.empty();
    if (bulk ? n == 16 : std::find(of.begin(), of.end(), n) != of.end()) return;
    if (bulk && n != 0 && n % 16 == 0)
      unsupported(span_, fmt::format("a copy of {} bytes", n),
                  "a location of a litmus test stands for 16 bytes of a copy");
    fail(fmt::format("{} is no number of bytes that {} copies", n, m_.text()),
         bulk             ? "the size of a bulk copy is a multiple of 16"
         : of.size() == 1 ? "cp.async.cg copies 16 bytes"
                          : "cp.async copies 4, 8 or 16 bytes");
  }
  const prog::Object& object(prog::SymbolId s) const { return b_.test.objects[b_.test.symbols[s].object]; }
  void in_space(prog::SymbolId s, bool shared, bool own) {
    const prog::Object& o = object(s);
    const std::string& name = b_.test.symbols[s].name;
    if (o.mbarrier) fail(fmt::format("{} is an mbarrier object", name), "name a location that holds data");
    if (!shared && o.home != k_none)
      fail(fmt::format("{} lies in shared memory, and {} asks for global memory here", name, m_.text()),
           fmt::format("declare it as '{} = 0'", name));
    if (shared && o.home == k_none)
      fail(fmt::format("{} lies in global memory, and {} asks for shared memory here", name, m_.text()),
           fmt::format("declare it as '{} @ shared P{} = 0'", name, thread_));
    if (own && !same_cta(b_, thread_, o.home)) undefined_if(number(1));
  }
  // The mbarrier operand. local: the instruction has no form for a peer's, which is undefined (9.7.15.16.11).
  void at_mbarrier(bool local) {
    const prog::Object& o = object(w_.mbarrier);
    if (!o.mbarrier)
      fail(fmt::format("{} is no mbarrier object", b_.test.symbols[w_.mbarrier].name),
           fmt::format("declare it as '{} @ mbarrier P{}'", b_.test.symbols[w_.mbarrier].name, thread_));
    const bool own_window = local || ((w_.has("shared") || w_.has("shared::cta")) && !w_.has("shared::cluster"));
    if (own_window && !same_cta(b_, thread_, o.home)) undefined_if(number(1));
  }
  // A copy signals an mbarrier in the CTA of its destination.
  void signal_with(prog::SymbolId destination) {
    at_mbarrier(false);
    if (!same_cta(b_, object(destination).home, object(w_.mbarrier).home)) undefined_if(number(1));
  }

  // ---- fences ----
  void fence() {
    TagSet tags = {Tag::F};
    const std::string text = m_.text();
    const auto says = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    if (says(".acquire")) tags.add(Tag::ACQ);
    if (says(".release")) tags.add(Tag::REL);
    if (says(".proxy.async"))
      tags.add(Tag::ASYNC);
    else if (says(".proxy.tensormap"))
      tags.add(Tag::TMAP);
    else if (says(".proxy.alias"))
      tags.add(Tag::ALIAS);
    else
      tags.add(Tag::GEN);
    if (says("mbarrier_init")) tags.add(Tag::MINIT);
    if (says("shared::cta")) tags.add(Tag::SHARED).add(Tag::OWN);
    if (says("shared::cluster")) tags.add(Tag::SHARED);
    if (says("::read")) tags.add(Tag::READS);
    if (w_.has("global")) tags.add(Tag::GLOBAL);
    if (tags.has(Tag::ACQ) || tags.has(Tag::REL)) tags.add(scope_tag(w_.scope, "cluster"));
    Instr& i = event(Kind::fence, tags);
    i.operation = k_none;
    if (i.operands && i.operands->empty()) i.operands.reset();  // as one that `weaken` inserts
  }

  // ---- mbarriers (9.7.15.16) ----
  // Reads and writes the object in one step. `token`: receives the phase before.
  void on_mbarrier(MbarrierOp op, const Expr& n, TagSet read, TagSet write, prog::RegId token = k_none,
                   TagSet more = {}) {
    const TagSet common = more | TagSet{Tag::MBAR, Tag::GEN, Tag::RMW};
    const Expr old = term::variable(prog::k_old_value, 64);
    const prog::MbarrierStep step = mbarrier_step(op, old, n);
    Instr i;
    i.kind = Kind::rmw;
    i.tags = common | read | TagSet{Tag::R, Tag::RED};
    i.store_tags = common | write | TagSet{Tag::W};
    i.addr.symbol = w_.mbarrier;
    i.value = step.state;
    i.dst = t_.temporary();
    const Expr seen = t_.value_of(i.dst);
    if (token == k_none) i.result = term::resize(step.undefined, 64, false);
    emit(std::move(i));
    if (token == k_none) {
      event(Kind::fence, {Tag::UB}).predicate = static_cast<prog::RegId>(seen.value());
      return;
    }
    undefined_if(mbarrier_step(op, seen, n).undefined);
    Instr result;
    result.kind = Kind::local;
    result.dst = token;
    result.value = prog::mbarrier_token(seen);
    emit(std::move(result));
  }

  void initialise(MbarrierOp op, const Expr& n) {
    at_mbarrier(true);
    on_mbarrier(op, n, {Tag::WEAK}, {Tag::WEAK});
  }

  void arrive() {
    const bool returns = w_.registers[0] != k_none;
    if (returns && w_.has("shared::cluster"))
      fail(fmt::format("{} returns no state", quoted(m_.text())), "write _, [m]");
    at_mbarrier(returns);
    const bool drops = w_.has("arrive_drop");
    const Expr n = w_.values.empty() ? number(1) : w_.values[0];
    if (w_.has("expect_tx") && w_.values.empty()) fail(".expect_tx needs the number of bytes", "write [m], 16");
    const MbarrierOp op =
        w_.has("expect_tx")    ? (drops ? MbarrierOp::arrive_drop_expect_tx : MbarrierOp::arrive_expect_tx)
        : w_.has("noComplete") ? (drops ? MbarrierOp::arrive_drop_no_complete : MbarrierOp::arrive_no_complete)
        : drops                ? MbarrierOp::arrive_drop
                               : MbarrierOp::arrive;
    const Tag scope = scope_tag(w_.scope, "cta");
    on_mbarrier(op, n, {Tag::RLX, scope}, {order_tag(w_.sem, "release"), scope}, w_.registers[0]);
  }

  void wait() {
    if (w_.registers[0] == k_none) fail("a wait needs a register for its answer", "write r0, [m], 0");
    if (w_.has("phase_type::conditional") && !w_.has("parity"))
      fail(".phase_type::conditional asks for .parity", "write .parity.phase_type::conditional");
    if (w_.has("parity") && w_.values[0].is_const() && w_.values[0].value() > 1)
      fail(fmt::format("{} is no parity", w_.values[0].value()), "the parity of a phase is 0 or 1");
    at_mbarrier(true);
    const Tag scope = scope_tag(w_.scope, "cta");
    Instr i;
    i.kind = Kind::load;
    i.tags = {Tag::R, Tag::RLX, Tag::MBAR, Tag::GEN, scope};
    i.addr.symbol = w_.mbarrier;
    i.dst = t_.temporary();
    const Expr state = t_.value_of(i.dst);
    emit(std::move(i));
    const prog::MbarrierWait rule =
        w_.has("parity") ? prog::mbarrier_wait_parity(state, w_.values[0]) : prog::mbarrier_wait(state, w_.values[0]);
    undefined_if(rule.undefined);
    Instr answer;
    answer.kind = Kind::local;
    answer.dst = w_.registers[0];
    answer.value = term::resize(rule.complete, 64, false);
    emit(std::move(answer));
    // An acquire operation only where it returns True.
    event(Kind::fence, {Tag::DONE, Tag::MBAR, Tag::GEN, order_tag(w_.sem, "acquire"), scope}).predicate =
        w_.registers[0];
  }

  // ---- asynchronous copies (9.7.10.28) ----
  TagSet bulk_tags() const {
    if (w_.sem != "relaxed") return {Tag::ASYNC, Tag::WEAK};
    return {Tag::ASYNC, Tag::RLX, scope_tag(w_.scope, "sys")};
  }

  // complete-tx: after the accesses of its own operation alone, a release at .cluster, through the generic proxy.
  void complete(uint64_t bytes) {
    on_mbarrier(MbarrierOp::complete_tx, number(bytes), {Tag::RLX, Tag::CLUSTER}, {Tag::REL, Tag::CLUSTER}, k_none,
                {Tag::ASY});
  }

  void bulk_with_mbarrier() {
    const Meaning meaning = w_.form->meaning;
    const bool tensor = meaning == Meaning::tensor_copy;
    if (!tensor) check_size({});
    in_space(w_.locations[0], true, meaning != Meaning::bulk_peer && w_.has("shared::cta"));
    in_space(w_.locations[1], meaning == Meaning::bulk_peer, meaning == Meaning::bulk_peer);
    if (meaning == Meaning::bulk_peer && same_cta(b_, thread_, object(w_.locations[0]).home)) undefined_if(number(1));
    signal_with(w_.locations[0]);
    // What a copy through a tensor map brings stands for which map it has read.
    transfer(tensor ? TagSet{Tag::TMAP, Tag::WEAK} : bulk_tags(), bulk_tags());
    complete(tensor ? 16 : w_.numbers[0]);
  }

  void store_or_reduce() {
    const Meaning meaning = w_.form->meaning;
    const bool released = meaning == Meaning::store_async_release || meaning == Meaning::red_async_release;
    const bool reduces = meaning == Meaning::red_async || meaning == Meaning::red_async_release;
    in_space(w_.locations[0], !released, false);
    TagSet tags = {Tag::GEN};
    if (released || reduces)
      tags |= {released ? Tag::REL : Tag::RLX, scope_tag(w_.scope, "cluster")};
    else
      tags.add(Tag::WEAK);
    if (!released) signal_with(w_.locations[0]);
    // 9.7.15.7: "The CTA to which they belong is different from the CTA of the executing thread".
    if (reduces && !released && same_cta(b_, thread_, object(w_.locations[0]).home)) undefined_if(number(1));
    if (reduces) {
      tags.remove(Tag::REL).add(Tag::RLX);
      reduce(tags, w_.values[0], released ? Tag::REL : Tag::RLX);
    } else {
      store(tags, w_.locations[0], w_.values[0]);
    }
    if (!released) complete(bytes_of(w_));
  }

  // ---- groups (9.7.10.28.1.1) ----
  void track(size_t kind) {
    t_.groups[kind].open.push_back(operation_);
    t_.groups[kind].all.push_back(operation_);
  }
  void close(size_t kind) { t_.groups[kind].committed.push_back(std::exchange(t_.groups[kind].open, {})); }
  size_t group_kind() const { return m_.parts[2].is("bulk") ? 1 : 0; }

  void commit() {
    close(group_kind());
    event(Kind::fence, {Tag::DONE, Tag::GEN});  // an event that waits for nothing
  }

  void wait_group() {
    const size_t kind = group_kind();
    const bool all = w_.numbers.empty();  // wait_all
    if (all) close(kind);
    const auto& groups = t_.groups[kind].committed;
    const uint64_t pending = all ? 0 : w_.numbers[0];
    TagSet tags = {Tag::DONE, Tag::GEN};
    if (w_.has("read")) tags.add(Tag::READS);
    Instr& i = event(Kind::fence, tags);
    for (size_t g = 0; g + pending < groups.size(); ++g)
      i.awaits.insert(i.awaits.end(), groups[g].begin(), groups[g].end());
  }

  // An arrive-on operation that follows all earlier cp.async of the thread (9.7.15.16.18).
  void copy_arrive() {
    at_mbarrier(true);
    if (!w_.has("noinc")) {
      on_mbarrier(MbarrierOp::add_pending, number(1), {Tag::RLX, Tag::CTA}, {Tag::RLX, Tag::CTA});
      operation_ = t_.new_operation();
    }
    const size_t from = t_.instructions().size();
    on_mbarrier(MbarrierOp::arrive, number(1), {Tag::RLX, Tag::CTA}, {Tag::REL, Tag::CTA}, k_none, {Tag::ASY});
    t_.instructions()[from].awaits = t_.groups[0].all;
  }

  // ---- barriers ----
  void cluster_barrier() {
    Instr i;
    i.kind = Kind::barrier;
    const bool arrives = w_.form->meaning == Meaning::cluster_arrive;
    i.tags = {Tag::F, Tag::B, Tag::CLUSTER, arrives ? order_tag(w_.sem, "release") : Tag::ACQ};
    i.barrier.instance = "cluster";  // until finish_ptx
    i.barrier.arrive = arrives;
    i.barrier.level = 0;
    emit(std::move(i));
  }

  void warp_barrier() {
    if (w_.numbers[0] != 0xffffffff)
      unsupported(span_, "a barrier of some threads of a warp", "write the mask 0xffffffff");
    Instr i;
    i.kind = Kind::barrier;
    i.tags = {Tag::F, Tag::B, Tag::WARP};
    i.barrier.instance = "warp";
    i.barrier.everyone = true;
    i.barrier.level = *vocab::level_of(prog::Dialect::ptx, "warp");
    emit(std::move(i));
    t_.instructions().back().operands = "0xffffffff";
    t_.instructions().back().operation = k_none;
  }

  // ---- vectors (8.2.4): scalar accesses in no order ----
  void vector() {
    TagSet tags = {Tag::GEN, Tag::VEC, order_tag(w_.sem, "weak")};
    if (w_.sem != "weak") tags.add(scope_tag(w_.scope, "sys"));
    const bool loads = w_.form->meaning == Meaning::vector_load;
    for (size_t k = 0; k < 2; ++k) {
      Instr& i = event(loads ? Kind::load : Kind::store, tags | TagSet{loads ? Tag::R : Tag::W});
      i.addr.symbol = w_.locations[k];
      if (loads)
        i.dst = w_.registers[k];
      else
        i.value = w_.values[k];
    }
  }

  Cursor& c_;
  AsmBuilder& b_;
  ThreadBuilder& t_;
  const Mnemonic& m_;
  Written w_;
  uint32_t thread_;
  uint32_t operation_ = 0;
  bool first_ = true;
  Span span_;
};

// ---- what all threads together say ---------------------------------------------------------------------------

bool uses_groups(const Instr& i) {
  return !i.hidden && (i.mnemonic.ends_with("commit_group") || i.mnemonic.find("wait_group") != std::string::npos ||
                       i.mnemonic.ends_with("wait_all") || i.mnemonic.find("bulk_group") != std::string::npos ||
                       i.mnemonic.starts_with("cp.async.ca") || i.mnemonic.starts_with("cp.async.cg") ||
                       i.mnemonic.starts_with("cp.async.mbarrier"));
}

// Groups are counted in the text, and barriers of a cluster numbered: neither may stand in a loop or behind a branch.
void check_straight(ThreadBuilder& t) {
  const std::vector<Instr>& code = t.instructions();
  for (uint32_t j = 0; j < code.size(); ++j) {
    if (code[j].kind != Kind::jump && code[j].kind != Kind::branch) continue;
    const uint32_t target = t.code().labels[code[j].label].at;
    for (uint32_t i = std::min(j, target); i < std::max(j, target); ++i)
      if (uses_groups(code[i]) || (code[i].kind == Kind::barrier && code[i].tags.has(Tag::CLUSTER)))
        unsupported(code[i].span, fmt::format("'{}' in a loop or behind a branch", code[i].mnemonic),
                    "write the iterations out");
  }
}

// The memory that an instruction accesses: SHARED, and within reach.
void place_accesses(AsmBuilder& b, uint32_t thread) {
  for (Instr& i : b.threads[thread].instructions()) {
    if (i.addr.symbol == k_none) continue;
    const prog::Object& o = b.test.objects[b.test.symbols[i.addr.symbol].object];
    if (o.home == k_none) continue;
    if (!same_cluster(b, thread, o.home))
      fail_at(i.span, fmt::format("P{} cannot reach shared memory of the cta of P{}", thread, o.home),
              "shared memory is reached from its cta, and from the others of its cluster");
    i.tags.add(Tag::SHARED);
    if (i.kind == Kind::rmw) i.store_tags.add(Tag::SHARED);
  }
}

// barrier.cluster.wait number k of a thread waits for arrival number k of each other thread of the cluster that has
// one, and not for their waits: an arrival is an event at an instance of each thread that may wait for it. "All
// non-exited threads" are those whose code has the arrival, since none can leave before it.
void place_cluster_barriers(AsmBuilder& b) {
  const auto barriers = [&](uint32_t t, bool arrive) {
    std::vector<uint32_t> out;
    const auto& code = b.threads[t].instructions();
    for (uint32_t i = 0; i < code.size(); ++i)
      if (code[i].kind == Kind::barrier && code[i].tags.has(Tag::CLUSTER) && code[i].barrier.arrive == arrive)
        out.push_back(i);
    return out;
  };
  const auto instance = [](size_t k, uint32_t waiter) { return fmt::format("cluster {} P{}", k, waiter); };
  for (uint32_t t = 0; t < b.threads.size(); ++t) {
    const std::vector<uint32_t> arrivals = barriers(t, true), waits = barriers(t, false);
    for (size_t k = 0; k < waits.size(); ++k) {
      Instr& wait = b.threads[t].instructions()[waits[k]];
      if (k >= arrivals.size() || arrivals[k] > waits[k])
        fail_at(wait.span, "this thread has not arrived at the barrier of its cluster",
                "write barrier.cluster.arrive before it");
      wait.barrier.instance = instance(k, t);
    }
    for (size_t k = arrivals.size(); k-- > 0;) {
      if (k + 1 < arrivals.size() && (k >= waits.size() || waits[k] > arrivals[k + 1]))
        fail_at(b.threads[t].instructions()[arrivals[k + 1]].span, "a second arrival without a wait",
                "write barrier.cluster.wait before it");
      std::vector<Instr> events;
      for (uint32_t w = 0; w < b.threads.size(); ++w) {
        if (w == t || !same_cluster(b, t, w)) continue;
        Instr i = b.threads[t].instructions()[arrivals[k]];
        i.barrier.instance = instance(k, w);
        if (!events.empty()) {
          i.hidden = true;
          i.mnemonic.clear();
        }
        events.push_back(std::move(i));
      }
      if (events.empty())
        b.threads[t].instructions()[arrivals[k]].barrier.instance = fmt::format("cluster {} alone P{}", k, t);
      else
        b.threads[t].replace(arrivals[k], std::move(events));
    }
  }
}

// A fence acquires the 128 bytes that it names; tests with two maps would need to say which.
void check_tensor_maps(const AsmBuilder& b) {
  const Instr* first = nullptr;
  for (const ThreadBuilder& t : b.threads)
    for (const Instr& i : t.code().code) {
      if (!i.tags.has(Tag::TMAP) || i.kind != Kind::load) continue;
      if (first != nullptr && first->addr.symbol != i.addr.symbol)
        unsupported(i.span, "two tensor maps in one test", "use one");
      first = &i;
    }
  for (const ThreadBuilder& t : b.threads)
    for (const Instr& i : t.code().code)
      if (first != nullptr && i.tags.has(Tag::TMAP) && i.tags.has(Tag::ACQ) && i.operands &&
          !i.operands->starts_with("[" + b.test.symbols[first->addr.symbol].name + "]"))
        unsupported(i.span, "a fence of another tensor map than that of the copies", "name the same");
}

}  // namespace

bool parse_ptx_async(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m) {
  Written w = read_form(c, b, t, m);
  if (w.form == nullptr) return false;
  Lowering(c, b, t, m, std::move(w)).run();
  return true;
}

void guard_mbarrier(AsmBuilder& b, ThreadBuilder& t, const Instr& access) {
  if (access.addr.symbol == k_none || !b.test.objects[b.test.symbols[access.addr.symbol].object].mbarrier) return;
  const uint32_t operation = t.new_operation();
  const auto hidden = [&](Kind kind) {
    Instr i;
    i.kind = kind;
    i.hidden = true;
    i.operation = operation;
    i.span = access.span;
    return i;
  };
  Instr look = hidden(Kind::load);
  look.tags = {Tag::R, Tag::WEAK, Tag::GEN, Tag::MBAR, Tag::RED};
  look.addr = access.addr;
  look.dst = t.temporary();
  Instr valid = hidden(Kind::local);
  valid.dst = t.temporary();
  valid.value = term::resize(prog::mbarrier_valid(t.value_of(look.dst)), 64, false);
  Instr undefined = hidden(Kind::fence);
  undefined.tags = {Tag::UB};
  undefined.predicate = valid.dst;
  for (Instr* i : {&look, &valid, &undefined}) t.emit(std::move(*i));
}

void finish_ptx(AsmBuilder& b) {
  if (b.test.dialect != prog::Dialect::ptx) return;
  for (uint32_t t = 0; t < b.threads.size(); ++t) {
    check_straight(b.threads[t]);
    place_accesses(b, t);
  }
  place_cluster_barriers(b);
  check_tensor_maps(b);
}

const std::vector<std::string>& ptx_async_mnemonics() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Form& f : ptx_forms()) {
      const std::string_view syntax = f.syntax;
      out.emplace_back(syntax.substr(0, syntax.find_first_of(" .")));
    }
    return out;
  }();
  return names;
}

}  // namespace fencepost::litmus
