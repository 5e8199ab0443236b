// What each of the newer instructions means, as events. Sections are those of PTX ISA 9.4.
//
// Asynchronous operations as threads of their own were thought through first: a branch around the issue, a loop, and
// registers would have had to be carried over. Here they stand in the thread that issues them, and the model leaves
// them out of program order, so that control flow and values need nothing new.
#include "litmus/ptx_async.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "litmus/ptx_operation.h"
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

uint64_t bytes_of(const Written& w) {
  for (const char* t : {"b32", "u32", "s32"})
    if (w.has(t)) return 4;
  return w.has("b128") ? k_box : k_element;
}

class Lowering : public Operation {
 public:
  using Operation::Operation;

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
        return for_each_mbarrier([&](prog::SymbolId m) {
          at_mbarrier(m, false);
          on_mbarrier(w_.has("expect_tx") ? MbarrierOp::expect_tx : MbarrierOp::complete_tx, m, w_.values[0],
                      {Tag::RLX, scope_tag(w_.scope, "cta")}, {Tag::RLX, scope_tag(w_.scope, "cta")});
        });
      case Meaning::mbarrier_arrive:
        return arrive();
      case Meaning::mbarrier_wait:
        return wait();
      case Meaning::mbarrier_layout:
        return layout();
      case Meaning::mbarrier_pending:
        return pending();
      case Meaning::copy:
        return copy();
      case Meaning::copy_arrive:
        return copy_arrive();
      case Meaning::commit:
        return commit();
      case Meaning::wait_group:
        return wait_group();
      case Meaning::bulk_to_shared:
      case Meaning::bulk_peer:
        return bulk_with_mbarrier();
      case Meaning::bulk_to_global:
        check_size({});
        in_space(w_.locations[0], false, false);
        in_space(w_.locations[1], true, true);
        if (copies_bytes()) transfer(bulk_tags(), bulk_tags());
        return track(1);
      case Meaning::reduce_to_global:
        check_size({});
        in_space(w_.locations[0], false, false);
        in_space(w_.locations[1], true, true);
        reduce({Tag::ASYNC, Tag::RLX, scope_tag(w_.scope, "sys")}, w_.locations[0],
               load({Tag::ASYNC, Tag::WEAK}, w_.locations[1]));
        return track(1);
      case Meaning::reduce_to_shared:
        check_size({});
        in_space(w_.locations[0], true, false);
        in_space(w_.locations[1], true, true);
        signal_with(w_.locations[0], w_.mbarrier);
        reduce({Tag::ASYNC, Tag::RLX, scope_tag(w_.scope, "sys")}, w_.locations[0],
               load({Tag::ASYNC, Tag::WEAK}, w_.locations[1]));
        return complete(w_.mbarrier, w_.numbers[0]);
      case Meaning::prefetch:  // "is treated as a weak memory operation" (9.7.10.28.4.3)
        check_size({});
        in_space(w_.locations[0], false, false);
        load({Tag::ASYNC, Tag::WEAK}, w_.locations[0]);
        return;
      case Meaning::try_cancel:
        return try_cancel();
      case Meaning::bulk_zero:
        return zero();
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
      default:
        break;
    }
  }

 private:
  void check_qualifiers() const {
    const Meaning meaning = w_.form->meaning;
    if (meaning == Meaning::cluster_arrive || meaning == Meaning::cluster_wait || meaning == Meaning::proxy_fence)
      return;
    check_order_and_scope();
    const bool strong = !w_.sem.empty() && w_.sem != "weak";
    const bool bulk =
        meaning == Meaning::bulk_to_shared || meaning == Meaning::bulk_to_global || meaning == Meaning::bulk_peer;
    if (bulk && strong != w_.has("b128"))
      fail(fmt::format("{} has .relaxed and .b128 together, or neither", litmus::quoted(m_.text())),
           "a weak copy has no type");
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
    else if (!says("fabric"))  // no operation of a test uses the fabric proxy
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
  // What is done once, or to one object of each CTA that the mask names.
  template <class F>
  void for_each_mbarrier(const F& f) {
    if (w_.mask || w_.mbarriers.size() > 1) check_mask(w_.mbarriers);
    for (size_t k = 0; k < w_.mbarriers.size(); ++k) {
      if (k > 0) next_operation();
      f(w_.mbarriers[k]);
    }
  }

  // An object has the layout that its declaration says.
  void initialise(MbarrierOp op, const Expr& n) {
    at_mbarrier(w_.mbarrier, true);
    if (op == MbarrierOp::init) {
      const bool second = prog::is_second_layout(object(w_.mbarrier));
      if (second != w_.has("layout::v1"))
        fail(fmt::format("{} is declared with the layout {}", name_of(w_.mbarrier), second ? "v1" : "v0"),
             fmt::format("'{} @ mbarrier P{} layout::v1' declares the other one", name_of(w_.mbarrier), thread_));
      if (second) undefined_if(term::binary(term::Op::ugt, n, number(prog::k_second_layout_most)));
    }
    on_mbarrier(op, w_.mbarrier, n, {Tag::WEAK}, {Tag::WEAK});
  }

  // mbarrier.check_layout: an operation on a valid object, whose answer the declaration has.
  void layout() {
    if (w_.registers[0] == k_none) fail("check_layout needs a register for its answer", "write r0, [m]");
    at_mbarrier(w_.mbarrier, true);
    Instr i;
    i.kind = Kind::load;
    i.tags = {Tag::R, Tag::RLX, Tag::MBAR, Tag::GEN, Tag::CTA};
    i.addr.symbol = w_.mbarrier;
    i.dst = t_.temporary();
    const Expr state = t_.value_of(i.dst);
    emit(std::move(i));
    undefined_if(term::binary(term::Op::eq, prog::mbarrier_valid(state), term::constant(0, 1)));
    Instr answer;
    answer.kind = Kind::local;
    answer.dst = w_.registers[0];
    answer.value = number(prog::is_second_layout(object(w_.mbarrier)) == w_.has("layout::v1") ? 1 : 0);
    emit(std::move(answer));
  }

  // mbarrier.pending_count: of what a noComplete form returned; no access.
  void pending() {
    if (w_.registers[0] == k_none) fail("pending_count needs a register for its answer", "write r0, r1");
    const auto& objects = b_.test.objects;
    if (std::any_of(objects.begin(), objects.end(), [](const auto& o) { return prog::is_second_layout(o); }))
      refuse("pending_count beside an mbarrier of layout::v1", "it has the layout v0 alone: use that");
    const prog::MbarrierPending rule = prog::mbarrier_pending(w_.values[0]);
    undefined_if(rule.undefined);
    Instr answer;
    answer.kind = Kind::local;
    answer.dst = w_.registers[0];
    answer.value = rule.count;
    emit(std::move(answer));
  }

  void arrive() {
    const bool returns = w_.registers[0] != k_none;
    if (returns && w_.has("shared::cluster"))
      fail(fmt::format("{} returns no state", litmus::quoted(m_.text())), "write _, [m]");
    const bool drops = w_.has("arrive_drop");
    const Expr n = w_.values.empty() ? number(1) : w_.values[0];
    if (w_.has("expect_tx") && w_.values.empty()) fail(".expect_tx needs the number of bytes", "write [m], 16");
    const MbarrierOp op =
        w_.has("expect_tx")    ? (drops ? MbarrierOp::arrive_drop_expect_tx : MbarrierOp::arrive_expect_tx)
        : w_.has("noComplete") ? (drops ? MbarrierOp::arrive_drop_no_complete : MbarrierOp::arrive_no_complete)
        : drops                ? MbarrierOp::arrive_drop
                               : MbarrierOp::arrive;
    const Tag scope = scope_tag(w_.scope, "cta");
    for_each_mbarrier([&](prog::SymbolId m) {
      at_mbarrier(m, returns);
      on_mbarrier(op, m, n, {Tag::RLX, scope}, {order_tag(w_.sem, "release"), scope}, w_.registers[0]);
    });
  }

  void wait() {
    if (w_.registers[0] == k_none) fail("a wait needs a register for its answer", "write r0, [m], 0");
    if (w_.has("phase_type::conditional") && !w_.has("parity"))
      fail(".phase_type::conditional asks for .parity", "write .parity.phase_type::conditional");
    if (w_.has("parity") && w_.values[0].is_const() && w_.values[0].value() > 1)
      fail(fmt::format("{} is not a parity", w_.values[0].value()), "the parity of a phase is 0 or 1");
    if (w_.has("phase_type::conditional") && prog::is_second_layout(object(w_.mbarrier)))
      refuse("the conditional phase of an mbarrier of layout::v1", "the payload report is not modelled");
    at_mbarrier(w_.mbarrier, true);
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
  // cp.async, of which a part of the source may be left out: "remaining bytes in destination are filled with zeros".
  void copy() {
    const uint64_t size = w_.numbers[0];
    check_size(w_.has("cg") ? std::vector<uint64_t>{16} : std::vector<uint64_t>{4, 8, 16});
    in_space(w_.locations[0], true, true);
    in_space(w_.locations[1], false, false);
    const TagSet tags = {Tag::GEN, Tag::WEAK};
    if (w_.source_bytes && *w_.source_bytes > size) undefined_if(number(1));
    if (w_.ignored) {
      const prog::RegId ignored = predicate(*w_.ignored);
      const Expr value = load(tags, w_.locations[1]);
      t_.instructions().back().predicate = ignored;
      t_.instructions().back().predicate_negated = true;
      store(tags, w_.locations[0],
            term::ite(term::binary(term::Op::ne, t_.value_of(ignored), number(0)), number(0), value));
    } else if (w_.source_bytes && *w_.source_bytes == 0) {
      store(tags, w_.locations[0], number(0));
    } else if (w_.source_bytes && *w_.source_bytes < k_element && *w_.source_bytes < size) {
      const uint64_t mask = (uint64_t{1} << (8 * *w_.source_bytes)) - 1;
      store(tags, w_.locations[0], term::binary(term::Op::and_, load(tags, w_.locations[1]), number(mask)));
    } else {
      transfer(tags, tags);
    }
    track(0);
  }

  // Whether the bytes of the location are among those that the masks leave in. Of some of its bytes alone: refused.
  bool copies_bytes() {
    if (w_.has("ignore_oob")) {
      const auto whole = [](const Expr& v, uint64_t most) { return v.is_const() && v.value() <= most; };
      if (!whole(w_.values[0], 0) || !whole(w_.values[1], k_box - k_element))
        refuse("bytes of a location that are out of bounds", "a location is the first 8 of the 16 bytes: write 0, 0");
    }
    if (!w_.byte_mask) return true;
    const uint64_t first = w_.byte_mask->is_const() ? w_.byte_mask->value() & 0xff : 1;
    if (first != 0 && first != 0xff)
      refuse("a byte mask that has a part of a location", "write a number whose low 8 bits are all 1 or all 0");
    return first != 0;
  }

  // One of each CTA that the mask of a multicast names; of these each is a copy of its own.
  void bulk_with_mbarrier() {
    const bool peer = w_.form->meaning == Meaning::bulk_peer;
    check_size({});
    const auto& to = w_.lists[0];
    if (to.size() != w_.mbarriers.size())
      fail("the lists of destinations and of mbarriers differ in length", "write one mbarrier for each destination");
    if (w_.mask || to.size() > 1) check_mask(to);
    copies_bytes();
    for (size_t k = 0; k < to.size(); ++k) {
      if (k > 0) next_operation();
      in_space(to[k], true, !peer && w_.has("shared::cta"));
      in_space(w_.locations[1], peer, peer);
      if (peer && same_cta(b_, thread_, object(to[k]).home)) undefined_if(number(1));
      signal_with(to[k], w_.mbarriers[k]);
      store(bulk_tags(), to[k], load(bulk_tags(), w_.locations[1]));
      complete(w_.mbarriers[k], w_.numbers[0]);
      track(1);  // a group may tell that its source was read
    }
  }

  // 9.7.15.18.1: the response is written by a weak access through the async proxy. Here it is 1. All CTAs of the
  // cluster get one with .multicast::cluster::all.
  void try_cancel() {
    const auto& to = w_.lists[0];
    if (to.size() != w_.mbarriers.size())
      fail("the lists of destinations and of mbarriers differ in length", "write one mbarrier for each destination");
    if (w_.has("multicast::cluster::all")) {
      w_.mask = number((uint64_t{1} << cta_count(b_, thread_)) - 1);
      check_mask(to);
    } else if (to.size() > 1) {
      fail("several destinations without .multicast::cluster::all", "name one location and one mbarrier");
    }
    for (size_t k = 0; k < to.size(); ++k) {
      if (k > 0) next_operation();
      in_space(to[k], true, !w_.has("multicast::cluster::all"));
      signal_with(to[k], w_.mbarriers[k]);
      store({Tag::ASYNC, Tag::WEAK}, to[k], number(1));
      complete(w_.mbarriers[k], k_box);
    }
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
    if (!released) signal_with(w_.locations[0], w_.mbarrier);
    // 9.7.15.7: "The CTA to which they belong is different from the CTA of the executing thread".
    if (reduces && !released && same_cta(b_, thread_, object(w_.locations[0]).home)) undefined_if(number(1));
    if (reduces) {
      tags.remove(Tag::REL).add(Tag::RLX);
      reduce(tags, w_.locations[0], w_.values[0], released ? Tag::REL : Tag::RLX);
    } else {
      store(tags, w_.locations[0], w_.values[0]);
    }
    if (!released) complete(w_.mbarrier, bytes_of(w_));
  }

  // ---- groups (9.7.10.28.1.1) ----
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
    at_mbarrier(w_.mbarrier, true);
    if (!w_.has("noinc")) {
      if (prog::is_second_layout(object(w_.mbarrier)))
        refuse("cp.async.mbarrier.arrive of an mbarrier of layout::v1", "write .noinc, or use the layout v0");
      on_mbarrier(MbarrierOp::add_pending, w_.mbarrier, number(1), {Tag::RLX, Tag::CTA}, {Tag::RLX, Tag::CTA});
      next_operation();
    }
    const size_t from = t_.instructions().size();
    on_mbarrier(MbarrierOp::arrive, w_.mbarrier, number(1), {Tag::RLX, Tag::CTA}, {Tag::REL, Tag::CTA}, k_none,
                {Tag::ASY});
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
  // st.bulk: "initializes a region of shared memory" with zeros. A weak write of its thread, through the generic proxy:
  // the text names no proxy and no completion. "size must be a multiple of 8", and at most 16777216.
  void zero() {
    const uint64_t n = w_.numbers[0];
    if (n == 0 || n % k_element != 0 || n > (uint64_t{1} << 24))
      fail(fmt::format("{} is not a number of bytes that {} sets to zero", n, m_.text()),
           "the size is a multiple of 8, at most 16777216");
    if (n != k_element)
      refuse(fmt::format("'{}' of {} bytes", m_.text(), n), "a location has 8 bytes: write one st.bulk for each");
    in_space(w_.locations[0], true, true);
    Instr& i = event(Kind::store, {Tag::GEN, Tag::WEAK, Tag::W});
    i.addr.symbol = w_.locations[0];
    i.value = number(0);
  }

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

// How many arrivals the first phase of an object waits for; none: it is not known.
std::optional<uint64_t> first_expected(const AsmBuilder& b, prog::ObjectId object) {
  std::optional<uint64_t> out;
  if (const uint64_t declared = prog::mbarrier_expected(b.test.objects[object].init.front())) out = declared;
  for (const ThreadBuilder& t : b.threads)
    for (const Instr& i : t.code().code) {
      const bool there = i.kind == Kind::rmw && b.test.symbols[i.addr.symbol].object == object;
      if (!there || !i.store_tags.has(Tag::WEAK)) continue;
      if (out || i.args.empty() || !i.args[0].is_const()) return std::nullopt;  // another object, or an end
      out = i.args[0].value();
    }
  return out;
}

// Whether some arrival may come in a phase that is not the first: more arrive in all than the first waits for.
bool may_have_two_phases(AsmBuilder& b, prog::ObjectId object) {
  const auto expected = first_expected(b, object);
  if (!expected) return true;
  uint64_t arrivals = 0;
  for (ThreadBuilder& t : b.threads) {
    const std::vector<Instr>& code = t.instructions();
    for (uint32_t k = 0; k < code.size(); ++k) {
      const Instr& i = code[k];
      if (i.kind != Kind::rmw || !i.store_tags.has(Tag::B) || b.test.symbols[i.addr.symbol].object != object) continue;
      for (uint32_t j = k; j < code.size(); ++j)
        if ((code[j].kind == Kind::jump || code[j].kind == Kind::branch) && t.code().labels[code[j].label].at <= k)
          return true;
      if (!i.args[0].is_const() || i.args[0].value() > prog::k_mbarrier_most) return true;
      arrivals += i.args[0].value();
    }
  }
  return arrivals > *expected;
}

// The ends of phases are told of objects that may have a second one; of others nobody asks for them.
void leave_out_ends(AsmBuilder& b) {
  std::vector<bool> keep;
  for (prog::ObjectId o = 0; o < b.test.objects.size(); ++o)
    keep.push_back(b.test.objects[o].mbarrier && may_have_two_phases(b, o));
  for (ThreadBuilder& t : b.threads) {
    prog::ObjectId last = 0;
    for (uint32_t k = 0; k < t.instructions().size(); ++k) {
      const Instr& i = t.instructions()[k];
      if (i.kind == Kind::rmw && i.tags.has(Tag::MBAR)) last = b.test.symbols[i.addr.symbol].object;
      if (i.kind == Kind::fence && i.tags.has(Tag::MBAR) && !i.tags.has(Tag::DONE) && !keep[last]) t.replace(k--, {});
    }
  }
}

// A fence acquires the 128 bytes that it names; a test with several maps would need to say which.
void check_tensor_maps(const AsmBuilder& b) {
  const Instr* first = nullptr;
  const Instr* other = nullptr;
  for (const ThreadBuilder& t : b.threads)
    for (const Instr& i : t.code().code) {
      if (!i.tags.has(Tag::TMAP) || i.kind != Kind::load) continue;
      if (first != nullptr && first->addr.symbol != i.addr.symbol) other = &i;
      if (first == nullptr) first = &i;
    }
  for (const ThreadBuilder& t : b.threads)
    for (const Instr& i : t.code().code) {
      if (first == nullptr || !i.tags.has(Tag::TMAP) || !i.tags.has(Tag::ACQ) || !i.operands) continue;
      if (other != nullptr) unsupported(other->span, "two tensor maps in a test with a fence of one", "use one");
      if (!i.operands->starts_with("[" + b.test.symbols[first->addr.symbol].name + "]"))
        unsupported(i.span, "a fence of another tensor map than that of the copies", "name the same");
    }
}

}  // namespace

bool parse_ptx_async(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m) {
  Written w = read_form(c, b, t, m);
  if (w.form == nullptr) return false;
  const Meaning meaning = w.form->meaning;
  if (meaning >= Meaning::tensor_load && meaning <= Meaning::tensor_copy_and_fence)
    lower_tensor(c, b, t, m, std::move(w));
  else if (meaning >= Meaning::multimem_load && meaning <= Meaning::multimem_reduce)
    lower_multimem(c, b, t, m, std::move(w));
  else
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
  leave_out_ends(b);
  place_cluster_barriers(b);
  check_tensor_maps(b);
  check_float_reductions(b);
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
