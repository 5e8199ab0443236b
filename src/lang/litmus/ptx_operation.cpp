#include "litmus/ptx_operation.h"

#include <fmt/format.h>

#include <algorithm>

namespace fencepost::litmus {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using prog::MbarrierOp;
using prog::Tag;
using prog::TagSet;
using term::Expr;

Tag scope_tag(std::string_view word, std::string_view otherwise) {
  const std::string_view w = word.empty() ? otherwise : word;
  return w == "cta" ? Tag::CTA : w == "cluster" ? Tag::CLUSTER : w == "gpu" ? Tag::GPU : Tag::SYS;
}

Tag order_tag(std::string_view word, std::string_view otherwise) {
  const std::string_view w = word.empty() ? otherwise : word;
  return w == "weak" ? Tag::WEAK : w == "acquire" ? Tag::ACQ : w == "release" ? Tag::REL : Tag::RLX;
}

bool same_cta(const AsmBuilder& b, uint32_t s, uint32_t t) { return prog::same_scope(b.places[s], b.places[t], 2); }
bool same_cluster(const AsmBuilder& b, uint32_t s, uint32_t t) {
  if (same_cta(b, s, t)) return true;
  return prog::same_scope(b.places[s], b.places[t], 1) && b.clusters[s] != k_none && b.clusters[s] == b.clusters[t];
}

namespace {
// The first thread of each CTA of the cluster.
std::vector<uint32_t> first_threads(const AsmBuilder& b, uint32_t thread) {
  std::vector<uint32_t> out;
  for (uint32_t t = 0; t < b.threads.size(); ++t)
    if (same_cluster(b, thread, t) &&
        std::none_of(out.begin(), out.end(), [&](uint32_t o) { return same_cta(b, o, t); }))
      out.push_back(t);
  return out;
}
}  // namespace

uint32_t cta_rank(const AsmBuilder& b, uint32_t thread) {
  const auto firsts = first_threads(b, thread);
  const auto at = std::find_if(firsts.begin(), firsts.end(), [&](uint32_t t) { return same_cta(b, t, thread); });
  return static_cast<uint32_t>(at - firsts.begin());
}
uint32_t cta_count(const AsmBuilder& b, uint32_t thread) {
  return static_cast<uint32_t>(first_threads(b, thread).size());
}

Operation::Operation(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m, Written w)
    : c_(c), b_(b), t_(t), m_(m), w_(std::move(w)), thread_(static_cast<uint32_t>(&t - b.threads.data())) {
  span_ = c_.since(m_.head().begin);
  operation_ = t_.new_operation();
}

void Operation::fail(const std::string& message, const std::string& hint) const {
  fail_at(c_.span(m_.head().begin, m_.end), message, hint);
}

void Operation::refuse(const std::string& message, const std::string& hint) const { unsupported(span_, message, hint); }

void Operation::check_order_and_scope() const {
  const bool strong = !w_.sem.empty() && w_.sem != "weak";
  if (strong && w_.scope.empty())
    fail(fmt::format("{} needs a scope beside .{}", litmus::quoted(m_.text()), w_.sem),
         "order and scope are given together");
  if (!strong && !w_.scope.empty())
    fail(fmt::format("{} needs an order beside .{}", litmus::quoted(m_.text()), w_.scope),
         "order and scope are given together");
}

// ---- events ----------------------------------------------------------------------------------------------------

Instr& Operation::emit(Instr i) {
  i.span = span_;
  i.operation = operation_;
  i.hidden = !first_;
  if (first_) {
    i.mnemonic = w_.mnemonic;
    i.operands = w_.operands;
  }
  first_ = false;
  t_.emit(std::move(i));
  return t_.instructions().back();
}

Instr& Operation::event(Kind kind, TagSet tags) {
  Instr i;
  i.kind = kind;
  i.tags = tags;
  return emit(std::move(i));
}

Expr Operation::set(const Expr& value) {
  Instr i;
  i.kind = Kind::local;
  i.dst = t_.temporary();
  i.value = term::resize(value, 64, false);
  const Expr out = t_.value_of(i.dst);
  emit(std::move(i));
  return out;
}

prog::RegId Operation::predicate(const Expr& when) { return static_cast<prog::RegId>(set(when).value()); }

void Operation::undefined_if(const Expr& when) {
  if (when.is_const(0)) return;
  const prog::RegId p = when.is_const() ? k_none : predicate(when);
  event(Kind::fence, {Tag::UB}).predicate = p;
}

Expr Operation::load(TagSet tags, prog::SymbolId from) {
  Instr& i = event(Kind::load, tags | TagSet{Tag::R, Tag::ASY});
  i.dst = t_.temporary();
  i.addr.symbol = from;
  return t_.value_of(i.dst);
}

void Operation::store(TagSet tags, prog::SymbolId to, const Expr& value) {
  Instr& i = event(Kind::store, tags | TagSet{Tag::W, Tag::ASY});
  i.addr.symbol = to;
  i.value = value;
}

void Operation::transfer(TagSet read, TagSet write) {
  const Expr value = load(read, w_.locations[1]);
  store(write, w_.locations[0], value);
}

void Operation::reduce(TagSet tags, prog::SymbolId at, const Expr& by, Tag write_order) {
  Instr& i = event(Kind::rmw, tags | TagSet{Tag::R, Tag::RMW, Tag::RED, Tag::ASY});
  i.store_tags = tags | TagSet{Tag::W, Tag::RMW, Tag::ASY};
  i.store_tags.remove(Tag::RLX).add(write_order);
  i.addr.symbol = at;
  i.value = reduced(term::variable(prog::k_old_value, 64), by);
}

// 9.7.10.28.4.2: .inc and .dec "return a result in the range [0..x] where x is the value at the source".
Expr Operation::reduced(const Expr& old, const Expr& by) const {
  using term::Op;
  const std::string_view op = w_.operation;
  if (const Op* plain = find_arithmetic(op)) return term::binary(*plain, old, by);
  if (op == "inc") return term::ite(term::binary(Op::uge, old, by), number(0), term::binary(Op::add, old, number(1)));
  if (op == "dec") {
    const Expr over = term::binary(Op::or_, term::binary(Op::eq, old, number(0)), term::binary(Op::ugt, old, by));
    return term::ite(over, by, term::binary(Op::sub, old, number(1)));
  }
  const bool is_signed = w_.has("s32") || w_.has("s64");
  const Expr less = term::binary(is_signed ? Op::slt : Op::ult, old, by);
  return op == "min" ? term::ite(less, old, by) : term::ite(less, by, old);
}

// ---- checks ----------------------------------------------------------------------------------------------------

void Operation::check_size(const std::vector<uint64_t>& of) const {
  const uint64_t n = w_.numbers[0];
  const bool bulk = of.empty();
  if (bulk ? n != 0 && n % k_box == 0 : std::find(of.begin(), of.end(), n) != of.end()) return;
  fail(fmt::format("{} is not a number of bytes that {} copies", n, m_.text()),
       bulk             ? "the size of a bulk copy is a multiple of 16"
       : of.size() == 1 ? "cp.async.cg copies 16 bytes"
                        : "cp.async copies 4, 8 or 16 bytes");
}

void Operation::in_space(prog::SymbolId s, bool shared, bool own) {
  const prog::Object& o = object(s);
  const std::string& name = name_of(s);
  if (o.mbarrier) fail(fmt::format("{} is an mbarrier object", name), "name a location that holds data");
  if (!shared && o.home != k_none)
    fail(fmt::format("{} lies in shared memory, and {} asks for global memory here", name, m_.text()),
         fmt::format("declare it as '{} = 0'", name));
  if (shared && o.home == k_none)
    fail(fmt::format("{} lies in global memory, and {} asks for shared memory here", name, m_.text()),
         fmt::format("declare it as '{} @ shared P{} = 0'", name, thread_));
  if (own && !same_cta(b_, thread_, o.home)) undefined_if(number(1));
}

void Operation::at_mbarrier(prog::SymbolId m, bool local) {
  const prog::Object& o = object(m);
  if (!o.mbarrier)
    fail(fmt::format("{} is not an mbarrier object", name_of(m)),
         fmt::format("declare it as '{} @ mbarrier P{}'", name_of(m), thread_));
  // .multicast::cluster::all signals the object of each CTA, whatever the space that is written.
  const bool everywhere = w_.has("multicast::cluster::all");
  const bool own_window =
      local || (!everywhere && (w_.has("shared") || w_.has("shared::cta")) && !w_.has("shared::cluster"));
  if (own_window && !same_cta(b_, thread_, o.home)) undefined_if(number(1));
}

void Operation::signal_with(prog::SymbolId destination, prog::SymbolId m) {
  at_mbarrier(m, false);
  if (!same_cta(b_, object(destination).home, object(m).home)) undefined_if(number(1));
}

void Operation::check_mask(const std::vector<prog::SymbolId>& at) const {
  if (!w_.mask) fail("several destinations without .multicast::cluster", "name one location and one mbarrier");
  if (!w_.mask->is_const()) refuse("a mask of CTAs in a register", "write the mask as a number");
  uint64_t named = 0;
  for (const prog::SymbolId s : at) {
    if (object(s).home == k_none)
      fail(fmt::format("{} lies in global memory", name_of(s)),
           fmt::format("declare it as '{} @ shared P0'", name_of(s)));
    const uint64_t bit = uint64_t{1} << cta_rank(b_, object(s).home);
    if ((named & bit) != 0) fail(fmt::format("{} is the second in its CTA", name_of(s)), "name one in each CTA");
    named |= bit;
  }
  if (named != w_.mask->value())
    fail(fmt::format("the mask {} is not that of the CTAs of the list, {}", w_.mask->value(), named),
         "write one location for each CTA of the mask, as in [{s, t}], and the mask of their numbers in the cluster");
}

// ---- mbarriers, completion -------------------------------------------------------------------------------------

void Operation::on_mbarrier(MbarrierOp op, prog::SymbolId m, const Expr& n, TagSet read, TagSet write,
                            prog::RegId token, TagSet more) {
  const TagSet common = more | TagSet{Tag::MBAR, Tag::GEN, Tag::RMW};
  const Expr old = term::variable(prog::k_old_value, 64);
  const prog::MbarrierStep step = mbarrier_step(op, old, n);
  Instr i;
  i.kind = Kind::rmw;
  i.tags = common | read | TagSet{Tag::R, Tag::RED};
  i.store_tags = common | write | TagSet{Tag::W};
  i.addr.symbol = m;
  i.value = step.state;
  i.dst = t_.temporary();
  const Expr seen = t_.value_of(i.dst);
  const bool arrives = op >= MbarrierOp::arrive && op <= MbarrierOp::arrive_drop_no_complete;
  const bool ends = arrives || op == MbarrierOp::complete_tx;
  if (arrives) {
    i.store_tags.add(Tag::B);
    i.args = {op == MbarrierOp::arrive_expect_tx || op == MbarrierOp::arrive_drop_expect_tx ? number(1) : n};
  }
  if (op == MbarrierOp::init) i.args = {n};
  // The end of a phase is an event of the object that neither reads nor writes.
  const TagSet flip = (more.has(Tag::ASY) ? TagSet{Tag::ASY} : TagSet{}) | TagSet{Tag::MBAR};
  if (token == k_none) {
    // 1: undefined, 2: the phase is over.
    i.result = term::resize(step.undefined, 64, false);
    if (ends) i.result = term::ite(step.undefined, number(1), term::ite(step.over, number(2), number(0)));
    emit(std::move(i));
    const auto is = [&](uint64_t v) { return predicate(term::binary(term::Op::eq, seen, number(v))); };
    const prog::RegId undefined = ends ? is(1) : static_cast<prog::RegId>(seen.value());
    event(Kind::fence, {Tag::UB}).predicate = undefined;
    if (ends) event(Kind::fence, flip).predicate = is(2);
    return;
  }
  emit(std::move(i));
  const prog::MbarrierStep done = mbarrier_step(op, seen, n);
  undefined_if(done.undefined);
  if (ends)
    event(Kind::fence, flip).predicate = predicate(
        term::binary(term::Op::and_, done.over, term::binary(term::Op::eq, done.undefined, term::constant(0, 1))));
  Instr result;
  result.kind = Kind::local;
  result.dst = token;
  const bool counted = op == MbarrierOp::arrive_no_complete || op == MbarrierOp::arrive_drop_no_complete;
  result.value = counted ? prog::mbarrier_counted_token(seen) : prog::mbarrier_token(seen);
  emit(std::move(result));
}

void Operation::complete(prog::SymbolId m, uint64_t bytes) {
  on_mbarrier(MbarrierOp::complete_tx, m, number(bytes), {Tag::RLX, Tag::CLUSTER}, {Tag::REL, Tag::CLUSTER}, k_none,
              {Tag::ASY});
}

void Operation::track(size_t kind) {
  t_.groups[kind].open.push_back(operation_);
  t_.groups[kind].all.push_back(operation_);
}

TagSet Operation::bulk_tags() const {
  if (w_.sem != "relaxed") return {Tag::ASYNC, Tag::WEAK};
  return {Tag::ASYNC, Tag::RLX, scope_tag(w_.scope, "sys")};
}

// ---- floating point ---------------------------------------------------------------------------------------------

namespace {

// Whole numbers up to this are exact, and so is their sum; 0: no type of floating point.
uint64_t exact_below(const std::string& mnemonic) {
  const std::string type = mnemonic.substr(mnemonic.rfind('.') + 1);
  const auto is = [&](std::string_view t) { return type == t || type.starts_with(std::string(t) + "x"); };
  return is("f64")    ? uint64_t{1} << 53
         : is("f32")  ? uint64_t{1} << 24
         : is("f16")  ? uint64_t{1} << 11
         : is("bf16") ? uint64_t{1} << 8
         : is("e4m3") ? uint64_t{1} << 4
         : is("e5m2") ? uint64_t{1} << 3
                      : 0;
}

uint64_t largest_constant(const Expr& e) {
  uint64_t out = e.is_const() ? e.value() : 0;
  for (const Expr& kid : e.kids()) out = std::max(out, largest_constant(kid));
  return out;
}

bool in_a_loop(const prog::Template& code, uint32_t at) {
  for (uint32_t j = at; j < code.code.size(); ++j)
    if ((code.code[j].kind == Kind::jump || code.code[j].kind == Kind::branch) &&
        code.labels[code.code[j].label].at <= at)
      return true;
  return false;
}

}  // namespace

// Every value is at most the largest number of the test, doubled by each addition of the text.
void check_float_reductions(AsmBuilder& b) {
  uint64_t least = 0, largest = 1;
  const Instr* with_type = nullptr;
  const Instr* other = nullptr;
  uint32_t doublings = 0, sums = 0;
  bool kept = false;  // a register is written to memory, which may hold such a sum
  for (const prog::Object& o : b.test.objects)
    if (!o.mbarrier) largest = std::max(largest, o.init.front());
  for (const ThreadBuilder& t : b.threads) {
    const auto& code = t.code().code;
    for (uint32_t k = 0; k < code.size(); ++k) {
      const Instr& i = code[k];
      const bool object = i.addr.symbol != k_none && b.test.objects[b.test.symbols[i.addr.symbol].object].mbarrier;
      const bool data = i.kind != Kind::local || i.operation == k_none;
      if (!object && data && i.value) largest = std::max(largest, largest_constant(i.value));
      if (i.kind == Kind::rmw && !object && !i.hidden && i.operation == k_none) {  // red and atom
        ++doublings;
        if (in_a_loop(t.code(), k)) other = &i;
      }
      if (i.hidden || i.mnemonic.empty()) continue;
      const bool adds = i.mnemonic.find(".add") != std::string::npos || i.mnemonic.find(".inc") != std::string::npos;
      const bool copies = i.mnemonic.find("async") != std::string::npos || i.mnemonic.starts_with("multimem.");
      if (copies && adds) {
        ++(i.mnemonic.starts_with("multimem.ld_reduce") ? sums : doublings);
        if (in_a_loop(t.code(), k)) other = &i;
      }
      kept = kept || ((i.kind == Kind::store || i.kind == Kind::rmw) && !object && !i.value.is_const());
      if (i.kind == Kind::local && i.mnemonic != "ld" && i.operation == k_none) other = &i;
      const uint64_t bound = copies ? exact_below(i.mnemonic) : 0;
      const bool reduces =
          adds || i.mnemonic.find(".min") != std::string::npos || i.mnemonic.find(".max") != std::string::npos;
      if (bound == 0 || !reduces || (with_type != nullptr && least <= bound)) continue;
      with_type = &i;
      least = bound;
    }
  }
  if (with_type == nullptr) return;
  if (other != nullptr)
    unsupported(with_type->span, fmt::format("'{}' beside arithmetic or additions in loops", with_type->mnemonic),
                "reductions of floating point count in whole numbers that are exact, in a test of fixed sums");
  // One such sum, of all locations of an address.
  uint32_t locations = 0;
  while ((size_t{1} << locations) < b.most_of_a_multimem()) ++locations;
  doublings += kept ? sums * locations : sums > 0 ? locations : 0;
  if (doublings >= 53 || largest > least >> doublings)
    unsupported(with_type->span, fmt::format("values that '{}' may not have exactly", with_type->mnemonic),
                "reductions of floating point count in whole numbers: use smaller ones");
}

}  // namespace fencepost::litmus
