#include "reference/lasso.h"

#include <algorithm>
#include <map>

#include "prog/test.h"
#include "reference/eventual.h"
#include "reference/loops.h"
#include "reference/relations.h"
#include "reference/strong.h"
#include "vocab/vocab.h"

namespace fencepost::reference {
namespace {

using vocab::Base;
using vocab::Tag;

std::unexpected<Diagnostics> no(std::string message) { return error_at({}, std::move(message)); }

RunOptions options_for(const Lasso& lasso, const std::vector<uint64_t>& rounds) {
  RunOptions o;
  o.trace = true;
  for (size_t t = 0; t < lasso.threads.size(); ++t) {
    const ThreadLasso& l = lasso.threads[t];
    switch (l.fate) {
      case Fate::ended:
      case Fate::blocked:
        o.halt_after.push_back(std::nullopt);
        break;
      case Fate::halted:
        o.halt_after.push_back(l.prefix);
        break;
      case Fate::running:
        o.halt_after.push_back(l.prefix + rounds[t] * l.cycle);
        break;
    }
  }
  return o;
}

std::vector<int32_t> rounds_of(const Lasso& lasso, const RunResult& run) {
  std::vector<int32_t> round(run.execution.events.size(), -1);
  for (size_t e = 0; e < round.size(); ++e) {
    const EventKey& k = run.execution.events[e].key;
    if (k.thread == k_init) continue;
    const ThreadLasso& l = lasso.threads[k.thread];
    if (l.fate == Fate::running && run.step[e] >= l.prefix)
      round[e] = static_cast<int32_t>((run.step[e] - l.prefix) / l.cycle);
  }
  return round;
}

// Makes the choices for more rounds out of those that are given.
class Extension {
 public:
  Extension(const prog::Test& test, const Lasso& lasso, const LassoRun& base, uint32_t rounds)
      : lasso_(lasso), x_(base.run.execution), round_(base.round), rounds_(rounds) {
    for (uint32_t e = 0; e < x_.events.size(); ++e) {
      index_.emplace(x_.events[e].key, e);
      if (round_[e] == 0 && x_.events[e].key.part == 0) ++per_round_[{x_.events[e].key.thread, x_.events[e].key.instr}];
    }
    total_co_ = co_is_total(test.dialect);
    has_order_ = has_fence_order(test.dialect);
  }

  Choices make() {
    Choices out;
    out.init_value = lasso_.choices.init_value;
    for (uint32_t e = 0; e < x_.events.size(); ++e)
      for (uint32_t i : copies(e)) {
        const EventKey me = copy(e, i);
        if (x_.events[e].tags.has(Tag::R)) {
          const uint32_t w = *find(lasso_.choices.rf.at(x_.events[e].key));
          const int32_t back = round_[w] < 0 || round_[e] < 0 ? 0 : static_cast<int32_t>(i) - round_[e];
          out.rf[me] = round_[w] < 0 ? x_.events[w].key : copy(w, static_cast<uint32_t>(round_[w] + back));
          out.read_value[me] = x_.events[e].value;
          if (x_.events[e].spurious) out.spurious.insert(me);
        }
        if (is_member(e)) out.quorum_members.push_back(me);
        for (uint32_t f = 0; f < x_.events.size(); ++f)
          for (uint32_t j : copies(f)) order(out, e, i, f, j);
      }
    // Arrivals that did not pass have no event and no copies.
    for (const EventKey& k : lasso_.choices.quorum_members)
      if (!find(k)) out.quorum_members.push_back(k);
    return out;
  }

 private:
  uint32_t given(uint32_t e) const { return lasso_.threads[x_.events[e].key.thread].given; }
  std::optional<uint32_t> find(const EventKey& k) const {
    const auto it = index_.find(k);
    return it == index_.end() ? std::nullopt : std::optional(it->second);
  }
  // The rounds in which the event is copied: its own, and for the last given round all further ones.
  std::vector<uint32_t> copies(uint32_t e) const {
    if (round_[e] < 0) return {0};
    std::vector<uint32_t> out{static_cast<uint32_t>(round_[e])};
    if (out[0] + 1 == given(e))
      for (uint32_t i = out[0] + 1; i < rounds_; ++i) out.push_back(i);
    return out;
  }
  EventKey copy(uint32_t e, uint32_t i) const {
    EventKey k = x_.events[e].key;
    if (round_[e] >= 0) {
      const auto it = per_round_.find({k.thread, k.instr});
      const int64_t shift =
          (static_cast<int64_t>(i) - round_[e]) * static_cast<int64_t>(it == per_round_.end() ? 0 : it->second);
      k.occurrence = static_cast<uint32_t>(k.occurrence + shift);
    }
    return k;
  }
  bool is_member(uint32_t e) const {
    const auto& m = lasso_.choices.quorum_members;
    return std::find(m.begin(), m.end(), x_.events[e].key) != m.end();
  }
  // The event of the same place in another given round.
  std::optional<uint32_t> at_round(uint32_t e, uint32_t i) const { return find(copy(e, i)); }

  // Whether `rel` orders copy i of e before copy j of f, by the rule in the header.
  bool ordered(const Relation& rel, bool total, uint32_t e, uint32_t i, uint32_t f, uint32_t j) const {
    const bool e_loops = round_[e] >= 0;
    const bool f_loops = round_[f] >= 0;
    const auto test = [&](uint32_t a, uint32_t ra, uint32_t b, uint32_t rb) {
      const auto x = e_loops ? at_round(a, ra) : std::optional(a);
      const auto y = f_loops ? at_round(b, rb) : std::optional(b);
      return x && y && rel.test(*x, *y);
    };
    if (!e_loops || !f_loops) {
      const bool later = (e_loops && i >= given(e)) || (f_loops && j >= given(f));
      // A later round comes after the prefix, whatever the first one did.
      if (later && e_loops) return false;
      if (later && total) return true;
      return test(e, e_loops ? std::min(i, given(e) - 1) : 0, f, f_loops ? std::min(j, given(f) - 1) : 0);
    }
    if (i < given(e) && j < given(f)) return test(e, i, f, j);
    const uint32_t common = std::min(given(e), given(f)) - 1;
    if (i == j) return test(e, common, f, common);
    if (i > j) return false;
    return total || common == 0 || test(e, 0, f, 1);
  }

  void order(Choices& out, uint32_t e, uint32_t i, uint32_t f, uint32_t j) const {
    if (e == f && i == j) return;
    const Event& a = x_.events[e];
    const Event& b = x_.events[f];
    if (a.tags.has(Tag::W) && b.tags.has(Tag::W) && a.address == b.address && !a.tags.has(Tag::IW) &&
        !b.tags.has(Tag::IW) && ordered(x_.rel(Base::co), total_co_, e, i, f, j))
      out.co.push_back({copy(e, i), copy(f, j)});
    if (!has_order_ || !is_sc_fence(a) || !is_sc_fence(b)) return;
    if (x_.rel(Base::sr).test(e, f)) {
      if (ordered(x_.rel(Base::fsc), true, e, i, f, j)) out.fence_order.push_back({copy(e, i), copy(f, j)});
    } else if (ordered(x_.rel(Base::sync_fence), false, e, i, f, j)) {
      out.sync_fence_free.push_back({copy(e, i), copy(f, j)});
    }
  }

  const Lasso& lasso_;
  const Execution& x_;
  const std::vector<int32_t>& round_;
  uint32_t rounds_;
  bool total_co_ = true;
  bool has_order_ = false;  // of fences: only some dialects have one
  std::map<EventKey, uint32_t> index_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> per_round_;  // (thread, instruction) -> events in a round
};

std::string thread_name(size_t t) { return "thread " + std::to_string(t); }

Expected<void> check_threads(const prog::Test& test, const Lasso& lasso, const RunResult& run,
                             const std::vector<uint32_t>& rounds) {
  for (size_t t = 0; t < lasso.threads.size(); ++t) {
    const ThreadLasso& l = lasso.threads[t];
    const ThreadRun& r = run.threads[t];
    switch (l.fate) {
      case Fate::ended:
        if (r.stop != StopReason::end) return no(thread_name(t) + " does not end");
        break;
      case Fate::blocked:
        if (r.stop != StopReason::blocked) return no(thread_name(t) + " does not stay blocked");
        break;
      case Fate::halted:
        if (r.stop != StopReason::halted || r.steps != l.prefix)
          return no(thread_name(t) + " does not come as far as it should");
        break;
      case Fate::running: {
        if (r.stop != StopReason::halted) return no(thread_name(t) + " does not go on for ever");
        const auto& code = test.code(static_cast<uint32_t>(t));
        const auto live = live_registers(code, std::vector<bool>(code.registers.size(), false));
        const Moment& first = r.trace.at(l.prefix);
        for (uint32_t i = 1; i <= rounds[t]; ++i) {
          const Moment& now = r.trace.at(l.prefix + i * l.cycle);
          if (now.position != first.position) return no(thread_name(t) + " is elsewhere after a round");
          for (size_t k = 0; k < now.registers.size(); ++k)
            if (live[now.position][k] && now.registers[k] != first.registers[k])
              return no(thread_name(t) + " has other values in its registers after a round");
        }
        break;
      }
    }
  }
  return {};
}

// `rounds`: how many of each thread's loop are shown.
Expected<void> check_reads(const prog::Test& test, const LassoRun& l, Fairness fairness,
                           const std::vector<uint32_t>& rounds) {
  const Execution& x = l.run.execution;
  const uint32_t n = static_cast<uint32_t>(x.events.size());
  const Relation& co = x.rel(Base::co);
  for (uint32_t r = 0; r < n; ++r)
    if (x.events[r].spurious && l.round[r] >= 0)
      return no(to_string(test, x.events[r].key) + " fails spuriously for ever");
  for (uint32_t w = 0; w < n; ++w)
    for (uint32_t r = 0; r < n; ++r) {
      const uint32_t reader = x.events[r].key.thread;
      const int32_t last = reader == k_init ? -1 : static_cast<int32_t>(rounds[reader]) - 1;
      if (l.round[r] >= 0 && l.round[r] == last && x.rel(Base::rf).test(w, r)) {
        if (l.round[w] >= 0) {
          if (l.round[w] + 1 < last || l.round[w] > last)
            return no(to_string(test, x.events[r].key) + " reads from a round long past or still to come");
        } else {
          for (uint32_t v = 0; v < n; ++v)
            if (co.test(w, v) && !may_miss(x, r, v, fairness))
              return no(to_string(test, x.events[r].key) + " misses " + to_string(test, x.events[v].key) + " for ever");
        }
      }
      if (l.round[w] >= 0 && l.round[r] < l.round[w] && co.test(w, r))
        return no("a write has infinitely many before it in co: " + to_string(test, x.events[r].key));
    }
  return {};
}

}  // namespace

const char* name(Fairness f) { return f == Fairness::co ? "co" : "scoped"; }

const char* name(Fate f) {
  switch (f) {
    case Fate::ended:
      return "ended";
    case Fate::blocked:
      return "blocked";
    case Fate::halted:
      return "halted";
    case Fate::running:
      return "running";
  }
  return "ended";
}

bool may_miss(const Execution& x, uint32_t r, uint32_t w, Fairness fairness) {
  const vocab::TagSet &read = x.events[r].tags, &write = x.events[w].tags;
  if (plain(read, write) || !promised_across_proxies(read, write)) return true;
  if (on_mbarrier(read, write)) return false;
  return fairness == Fairness::scoped && x.events[r].key.thread != x.events[w].key.thread &&
         !x.rel(Base::sr).test(r, w);
}

Expected<LassoRun> play(const prog::Test& test, const Lasso& lasso, uint32_t rounds) {
  std::vector<uint64_t> given;
  bool more = false;
  for (const ThreadLasso& l : lasso.threads) {
    FENCEPOST_INVARIANT(l.fate != Fate::running || (l.cycle > 0 && l.given >= 1), "a loop of a lasso is empty");
    given.push_back(l.given);
    more = more || (l.fate == Fate::running && l.given < rounds);
  }
  auto run = reference::run(test, lasso.choices, options_for(lasso, given));
  if (!run) return std::unexpected(run.error());
  LassoRun out{std::move(*run), {}};
  out.round = rounds_of(lasso, out.run);
  if (!more) return out;
  const Choices extended = Extension(test, lasso, out, rounds).make();
  run = reference::run(test, extended, options_for(lasso, std::vector<uint64_t>(given.size(), rounds)));
  if (!run) return std::unexpected(run.error());
  out.run = std::move(*run);
  out.round = rounds_of(lasso, out.run);
  return out;
}

Judgement judge(const prog::Test& test, const cat::Model& model, const Lasso& lasso, const Progress& progress,
                Fairness fairness) {
  std::vector<bool> schedulable, started, running;
  std::vector<uint32_t> given;
  bool somebody = false;
  for (size_t t = 0; t < lasso.threads.size(); ++t) {
    const Fate f = lasso.threads[t].fate;
    schedulable.push_back(f == Fate::halted || f == Fate::running);
    started.push_back(f == Fate::halted ? lasso.threads[t].prefix > 0 : !test.instrs(static_cast<uint32_t>(t)).empty());
    running.push_back(f == Fate::running);
    given.push_back(lasso.threads[t].given);
    somebody = somebody || f == Fate::running || f == Fate::blocked;
  }
  using enum Judgement::Kind;
  if (!somebody) return {no_lasso, "every thread ends or is left behind"};
  if (!keeps_promise(scope_tree(test), progress, schedulable, started, running))
    return {no_lasso, "the scheduler breaks its promise"};
  const auto fault = [](const Diagnostics& ds) { return ds.list[0].message; };
  const auto consider = [&](uint32_t shown, const std::vector<uint32_t>& rounds) -> std::string {
    const auto played = play(test, lasso, shown);
    if (!played) return fault(played.error());
    if (auto ok = check_threads(test, lasso, played->run, rounds); !ok) return fault(ok.error());
    if (auto ok = check_reads(test, *played, fairness, rounds); !ok) return fault(ok.error());
    const Evaluation ev = evaluate(model, played->run.execution);
    if (ev.consistent()) return "";
    return "the model forbids " + std::to_string(shown) + " rounds: " + model.axioms[ev.violated[0]].name;
  };
  if (std::string why = consider(1, given); !why.empty()) return {no_lasso, std::move(why)};
  for (uint32_t rounds = 2; rounds <= 4; ++rounds) {
    if (std::string why = consider(rounds, std::vector<uint32_t>(given.size(), rounds)); !why.empty())
      return {not_repeated, std::move(why)};
    if (std::none_of(running.begin(), running.end(), [](bool b) { return b; })) break;
  }
  if (is_strong(progress) && !surely_strong(test, lasso, progress, schedulable, started))
    return {not_repeated, "its rounds write, and whether strong fairness ends them is known for one location alone"};
  return {confirmed, ""};
}

Expected<void> verify(const prog::Test& test, const cat::Model& model, const Lasso& lasso, const Progress& progress,
                      Fairness fairness) {
  Judgement j = judge(test, model, lasso, progress, fairness);
  if (j.kind != Judgement::Kind::confirmed) return no(std::move(j.why));
  return {};
}

}  // namespace fencepost::reference
