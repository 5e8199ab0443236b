#pragma once
// What the analyses of flow/ and the symbolic run of prove/ make of a kernel, as text: one line for each thing that a
// proof rests on. Terms are written to a small depth, and as a number that depends on all of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "flow/effects.h"
#include "flow/endings.h"
#include "flow/essential.h"
#include "flow/intervals.h"
#include "flow/recurrence.h"
#include "flow/steering.h"
#include "flow/uniform.h"
#include "flow/writers.h"
#include "ir/print.h"
#include "prove/execute.h"
#include "prove/prove.h"

namespace fencepost::verifier {

// ---- terms ---------------------------------------------------------------------------------------------------------
class TermText {
 public:
  explicit TermText(const formula::Pool& pool) : pool_(pool) {}
  std::string operator()(formula::Term t) { return t ? shape(t, 1) + number_of(t) : "-"; }
  std::string number_of(formula::Term t) { return fmt::format("#{:04x}", number(t) & 0xffff); }
  std::string operator()(const prove::Pair& p) {
    return p[0] == p[1] ? (*this)(p[0]) : (*this)(p[0]) + " | " + (*this)(p[1]);
  }

 private:
  static uint64_t mix(uint64_t a, uint64_t b) {
    a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
    a *= 0xbf58476d1ce4e5b9u;
    return a ^ (a >> 29);
  }
  static uint64_t text(const std::string& s) {
    uint64_t h = 1469598103934665603u;
    for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return h;
  }
  // A name without the number that tells it from others.
  static std::string plain(const std::string& s) { return s.substr(0, s.find_last_not_of("0123456789") + 1); }
  std::string leaf(const formula::Node& n) const {
    if (n.op == formula::Op::constant) return std::to_string(formula::as_signed(n.value, n.width));
    return plain(n.op == formula::Op::variable ? pool_.variable_name(n.value) : pool_.symbol_name(n.value));
  }
  static bool ordered(formula::Op o) {
    using enum formula::Op;
    return o != all && o != sum && o != mul && o != eq && o != and_ && o != or_ && o != xor_;
  }
  // Of what is added or multiplied the order is that in which it was built, which compilers choose.
  uint64_t number(formula::Term t) {
    if (const auto it = numbers_.find(t.id); it != numbers_.end()) return it->second;
    const formula::Node n = pool_[t];
    uint64_t h = mix(static_cast<uint64_t>(n.op), n.width);
    if (n.op == formula::Op::variable || n.op == formula::Op::apply)
      h = mix(h, text(leaf(n)));
    else
      h = mix(h, n.value);
    uint64_t together = 0;
    for (size_t i = 0; i < n.kids.size(); ++i) {
      uint64_t k = number(n.kids[i]);
      if (i < n.coefficients.size()) k = mix(k, n.coefficients[i]);
      if (ordered(n.op))
        h = mix(h, k);
      else
        together += mix(17, k);
    }
    h = mix(h, together);
    numbers_.emplace(t.id, h);
    return h;
  }
  std::string shape(formula::Term t, int depth) {
    const formula::Node n = pool_[t];
    constexpr const char* k_names[] = {"",     "",     "",     "all",  "not",  "ite",     "sum",   "mul",  "udiv",
                                       "urem", "sdiv", "srem", "and",  "or",   "xor",     "shl",   "lshr", "ashr",
                                       "eq",   "ult",  "slt",  "zext", "sext", "extract", "concat"};
    if (n.op == formula::Op::constant || n.op == formula::Op::variable) return leaf(n);
    const std::string name = n.op == formula::Op::apply ? leaf(n) : k_names[static_cast<size_t>(n.op)];
    if (depth == 0) return name;
    std::vector<std::string> kids;
    for (const formula::Term k : n.kids) kids.push_back(shape(k, depth - 1));
    if (!ordered(n.op)) std::sort(kids.begin(), kids.end());
    if (kids.size() > 3) {
      kids.resize(3);
      kids.emplace_back("..");
    }
    return fmt::format("{}({})", name, fmt::join(kids, " "));
  }
  const formula::Pool& pool_;
  std::unordered_map<uint32_t, uint64_t> numbers_;
};

// ---- flow ----------------------------------------------------------------------------------------------------------
inline std::string bits(const std::vector<uint8_t>& v) {
  std::string s;
  for (const uint8_t x : v) s += x != 0 ? '1' : '0';
  return s;
}

template <class E>
std::string effects_text(const E& e) {
  const auto fences = [](const flow::Fences& f) { return fmt::format("{:d}{:d}", f.local, f.global); };
  return fmt::format("reads {} writes {} atomics {} meets {:d}{:d}{:d} always {} {} {}", bits(e.reads), bits(e.writes),
                     bits(e.atomics), e.warp_barrier, e.group_barrier, e.device_barrier, fences(e.always_warp),
                     fences(e.always_group), fences(e.always_device));
}

inline std::string flow_record(const ir::Module& m, ir::FunctionId entry, const flow::Launch& launch) {
  std::string out;
  const flow::Effects effects(m);
  const flow::FunctionEffects& own = effects.function(entry);
  out += fmt::format("ends {:d}, steering {}\n", flow::ends_by_itself(m, effects, entry),
                     bits(flow::steering(m, own.reached)));
  const flow::Writers writers(m, effects, entry);
  for (uint32_t r = 0; r < m.regions.size(); ++r) {
    std::string kinds;
    for (const flow::Writer& w : writers.of({r}))
      kinds += fmt::format(" {:d}{}", static_cast<int>(w.kind), w.result_used ? "used" : "");
    if (!kinds.empty())
      out += fmt::format("writers of {}:{}{}\n", m.regions[r].name, kinds, writers.atomics_alone({r}) ? " alone" : "");
  }
  for (uint32_t i = 0; i < m.functions.size(); ++i) {
    const ir::Function& f = m.functions[i];
    if (own.reached[i] == 0) continue;
    const flow::FunctionEffects& e = effects.function({i});
    const ir::Cfg& cfg = effects.cfg({i});
    out += fmt::format("function {}: {} reached {}{}{}\n", f.name, effects_text(e), bits(e.reached),
                       e.recursive ? " recursive" : "", effects.called({i}) ? " called" : "");
    if (!f.body) continue;
    out += fmt::format("  intervals {}\n", flow::barrier_intervals(f, cfg));
    const auto all = [](ir::RegionId) { return true; };
    const auto global = [&](ir::RegionId r) { return m.regions[r.index].space == ir::Space::global; };
    out += fmt::format("  essential {}\n  essential for global {}\n", bits(flow::essential(m, cfg, {i}, all)),
                       bits(flow::essential(m, cfg, {i}, global)));
    for (const auto threads : {flow::Threads::of_group, flow::Threads::of_grid}) {
      const std::vector<uint8_t> parameters(f.parameters.size(), 1);
      const flow::Uniformity u = flow::uniformity(m, effects, {i}, entry, parameters, threads, launch);
      out += fmt::format("  uniform {} branches {} loops {}{}\n", bits(u.values), bits(u.branches), bits(u.loops),
                         u.results ? " results" : "");
    }
    const flow::Recurrences rec(f, cfg);
    for (uint32_t l = 0; l < cfg.loops().size(); ++l) {
      out += fmt::format("  loop {}: {}\n", l, effects_text(effects.loop({i}, l)));
      for (const ir::Instruction& in : f.blocks[cfg.loops()[l].header.index].instructions)
        if (std::holds_alternative<ir::Phi>(in.action)) {
          const auto r = rec.find(l, in.results[0]);
          out += fmt::format("    {}:", ir::print_value(f, in.results[0]));
          if (!r) {
            out += " none\n";
            continue;
          }
          out += fmt::format(" kind {} by {}{}{}{}", static_cast<int>(r->kind), r->by, r->no_signed_wrap ? " nsw" : "",
                             r->needs_positive ? " positive" : "", r->arithmetic ? " arithmetic" : "");
          for (const auto& s : r->steps)
            out += fmt::format(" {}{}", s.negative ? "-" : "+", ir::print_value(f, s.value));
          out += "\n";
        }
      std::string fixed;
      for (uint32_t v = 0; v < f.values.size(); ++v) fixed += rec.invariant(l, {v}) ? '1' : '0';
      out += fmt::format("    fixed {}\n", fixed);
    }
  }
  return out;
}

// ---- what may order threads, but for barriers of all ----------------------------------------------------------------
template <class Region>
std::string order_record(const order::Trace& x, TermText& text, const Region& region) {
  std::string out;
  const auto scope = [](ir::Scope s) { return static_cast<int>(s); };
  for (const auto& q : x.locks)
    out += fmt::format("lock {}+{} if {}, taken {}, at {} in {}, scope {}{}{}{}{}{}\n", region(q.region),
                       text(q.offset), text(q.guard), text(q.taken), q.position, q.loops.size(), scope(q.scope),
                       q.release ? " release" : "", q.acquires ? " acquires" : "", q.releases ? " releases" : "",
                       q.aligned ? " aligned" : "", q.again ? " again" : "");
  for (const auto& k : x.last_tickets)
    out += fmt::format("last ticket of {} if {}, {}, of the first {}, {}, of {} up to {}, at {}{}{}{}\n",
                       region(k.region), text(k.guard), text(k.value), text(k.master_guard), text(k.master_value),
                       text(k.groups), text(k.limit), k.position, k.first_thread ? " first" : "",
                       k.acquires ? " acquires" : "", k.releases ? " releases" : "");
  for (const auto* list : {&x.observations, &x.updates})
    for (const auto& o : *list)
      out += fmt::format("{} {}+{} of {} bytes if {}, {}, at {} in {}, scope {}{}{}\n",
                         list == &x.updates ? "update" : "observation", region(o.region), text(o.offset), o.bytes,
                         text(o.guard), text(o.value), o.position, o.loops.size(), scope(o.scope),
                         o.acquires ? " acquires" : "", o.aligned ? " aligned" : "");
  // Where nothing looks at a fence, none is shown.
  if (!x.locks.empty() || !x.last_tickets.empty() || !x.observations.empty() || !x.updates.empty())
    for (const auto& f : x.fences)
      out += fmt::format("fence at {} if {}, scope {}, order {}{}{}{}\n", f.position, text(f.guard), scope(f.scope),
                         static_cast<int>(f.order), f.local ? " local" : "", f.global ? " global" : "",
                         f.in_loop ? " in a loop" : "");
  for (const auto& w : x.waits)
    out += fmt::format("wait for {} if {}, at {} in {}\n", text(w.event), text(w.guard), w.position, w.loops.size());
  for (const auto& r : x.named.roles) {
    out += fmt::format("barriers of warps {} if {}, in {}:", fmt::join(r.warps, " "), text(r.member), r.loop);
    for (const auto& part : r.at) out += fmt::format(" [{}]", fmt::join(part, " "));
    out += '\n';
  }
  for (const auto& [of, k] : x.named.counts) out += fmt::format("rounds of {}.{}: {}\n", of.first, of.second, text(k));
  for (const auto& m : x.meetings) out += fmt::format("meeting at {} in {}\n", m.position, m.loops.size());
  for (const auto& c : x.commons) out += fmt::format("common at {} if {}\n", c.position, text(c.guard));
  return out;
}

// ---- the run of two threads ----------------------------------------------------------------------------------------
inline std::string trace_record(const ir::Module& m, const flow::Effects& effects, ir::FunctionId entry,
                                const prove::Options& options, order::Pairing pairing, order::Lanes lanes,
                                bool orders = false) {
  formula::Pool pool;
  const prove::Refuted refuted;
  const Job job;
  prove::Execution x(pool, m, effects, entry, options, pairing, refuted, lanes, job);
  x.run();
  TermText text(pool);
  std::string out;
  const auto place = [&](ir::PlaceId p) { return p ? std::to_string(m.places[p.index].line) : std::string("-"); };
  const auto region = [&](ir::RegionId r) { return r ? m.regions[r.index].name : std::string("-"); };
  for (const std::string& u : x.unsupported) out += fmt::format("unsupported: {}\n", u);
  for (const auto& a : x.assumptions)
    out += fmt::format("assumption {} {}: {}\n", static_cast<int>(a.kind), region(a.region), a.text);
  if (!x.perhaps.empty()) out += fmt::format("perhaps {}\n", x.perhaps);
  out += fmt::format("required {}, of both {}\n", text(x.required), text(x.required_of_both));
  for (const auto& [name, t] : x.null_parameters) out += fmt::format("null {}: {}\n", name, text(t));
  // Facts are many: by number, with the positions from and until which they hold.
  for (size_t i = 0; i < x.trace.facts.size(); ++i) {
    const auto& f = x.trace.facts[i];
    out += (i % 8 == 0 ? (i == 0 ? "facts" : "\n  ") : "") + fmt::format(" {}", text.number_of(f.term));
    if (f.threads != 0) out += fmt::format(":{}:{},{}", f.threads, f.from[0], f.from[1]);
    if (f.until[0] != ~0u || f.until[1] != ~0u) out += fmt::format(":{},{}", f.until[0], f.until[1]);
  }
  out += "\n";
  for (const auto& a : x.trace.accesses)
    out += fmt::format("{} {}+{} of {}, {} bytes, if {}, value {}, at {} ({}), in {} {}, {}{}{}{}{}{}\n",
                       a.kind == ir::AccessKind::read    ? "read"
                       : a.kind == ir::AccessKind::write ? "write"
                                                         : "atomic",
                       region(a.region), text(a.offset), place(a.place), a.bytes, text(a.guard), text(a.value),
                       a.position, a.instant, a.local_segment, a.global_segment, a.second, a.async() ? " async" : "",
                       a.own ? " own" : "", a.spec ? " spec" : "", a.by_contract ? " by contract" : "",
                       a.leaves ? " leaves" : "");
  for (const auto& a : x.trace.accesses)
    if (orders && (a.async() || a.arrival != 0))
      out +=
          fmt::format("access at {}: event {}, arrival {} {}\n", a.position, text(a.event), a.arrival, text(a.arrived));
  for (const auto& b : x.trace.barriers)
    out += fmt::format("barrier {} at {} if {}, local {}, global {}{}, meets {}\n", static_cast<int>(b.by), b.position,
                       text(b.guard), text(b.local), text(b.global), b.device ? ", device" : "", text(b.meets));
  for (const auto& b : x.trace.group_barriers) out += fmt::format("barrier of the group at {}\n", b.position);
  for (const auto& s : x.trace.steps)
    out += fmt::format("step {} to {} of {}{}, last {}, on {}, entry {}, at once {}\n", s.begin, s.end, s.loop,
                       s.exact ? ", exact" : "", s.last_end, text(s.goes_on), text(s.entry), text(s.at_once));
  for (const uint32_t l : x.trace.uniform_loops) out += fmt::format("uniform loop {}\n", l);
  for (const auto& a : x.trace.apart)
    out += fmt::format("apart {} if {}, step {} {} {}, {} {} to {} {}\n", text(a.value), text(a.guard), a.step[0],
                       a.step[1], a.up, a.from[0], a.from[1], static_cast<int32_t>(a.until[0]),
                       static_cast<int32_t>(a.until[1]));
  for (const auto& t : x.tickets)
    out += fmt::format("ticket of {} if {}, {}, step {}, at {} until {}{}\n", region(t.region), text(t.guard),
                       text(t.value), t.step, t.position, static_cast<int32_t>(t.until), t.summary ? ", summary" : "");
  if (orders) out += order_record(x.trace, text, region);
  for (const auto& o : x.obligations)
    out += fmt::format("must not: {} at {}, {} {}, {}{}{}\n", text(o.failing), o.position, prove::name(o.kind),
                       place(o.place), place(o.other_place), o.both ? ", both" : "",
                       o.candidate.empty() ? "" : ", " + o.candidate);
  for (const auto& [f, c] : x.contracts) {
    out += fmt::format("calls of {}: {}\n", m.functions[f].name, c.calls);
    for (const auto& p : c.parameters)
      out += fmt::format("  {} {}{} {}..{} zeros {} same {:d}{:d} ids {:d}{:d}{:d}\n", p.pointer ? "pointer" : "number",
                         fmt::join(p.bases, ","), p.anywhere ? " anywhere" : "", p.low, p.high, p.trailing_zeros,
                         p.same[0], p.same[1], p.local_id[0], p.local_id[1], p.local_id[2]);
  }
  return out;
}

// ---- the answer ----------------------------------------------------------------------------------------------------
inline std::string answer_record(const ir::Module& m, ir::FunctionId entry, const prove::Options& options) {
  const prove::Result r = prove::prove(m, entry, options, Job{});
  std::string out =
      fmt::format("status {}{}{}{}\n", static_cast<int>(r.verdict.status), r.verdict.vacuous ? " vacuous" : "",
                  r.gave_up ? " gave up" : "", r.small_offsets ? " small offsets" : "");
  const auto place = [&](ir::PlaceId p) { return p ? std::to_string(m.places[p.index].line) : std::string("-"); };
  std::vector<std::string> findings;
  for (const prove::Finding& f : r.findings) {
    std::string sides;
    for (const prove::Side& s : f.threads) sides += fmt::format(" {}", static_cast<int>(s.access));
    findings.push_back(fmt::format("finding: {} {} {}{}{}{}\n", prove::name(f.kind), place(f.place),
                                   place(f.other_place), sides, f.perhaps.empty() ? "" : ", perhaps " + f.perhaps,
                                   f.apart.empty() ? "" : ", apart " + f.apart));
  }
  for (const std::string& f : findings) out += f;
  for (const std::string& u : r.unsupported) out += fmt::format("unsupported: {}\n", u);
  for (const auto& a : r.assumptions) out += fmt::format("assumption {}: {}\n", static_cast<int>(a.kind), a.text);
  for (const auto& b : r.put_back) out += fmt::format("put back {}\n", m.regions[b.index].name);
  for (const auto& n : r.nullable) out += fmt::format("nullable {}\n", n);
  for (const auto& w : r.warps) out += fmt::format("warps {}\n", w);
  for (const auto& [c, kept] : r.candidates)
    if (kept) out += fmt::format("kept {}\n", c);
  out += fmt::format("intervals {}, pairs {}, candidates {}, kept {}, rounds {}, passes {}\n", r.barrier_intervals,
                     r.effort.pairs, r.effort.candidates, r.effort.kept, r.effort.rounds, r.effort.passes);
  return out;
}

}  // namespace fencepost::verifier
