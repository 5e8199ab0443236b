#include "left_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "check/enumerate_search.h"

namespace fencepost::fuzz {
namespace {

using reference::Choices;
using reference::Event;
using reference::EventKey;
using reference::RunResult;
using reference::StopReason;
using vocab::Base;
using vocab::Tag;

struct Steps {
  uint32_t thread = 0;
  uint64_t from = 0, to = 0;  // instructions [from, to) of its run
};

class Whole {
 public:
  Whole(const prog::Test& test, const Choices& choices, const RunResult& run,
        const std::vector<std::vector<bool>>& silent)
      : test_(test), choices_(choices), run_(run), silent_(silent) {
    for (uint32_t t = 0; t < run.threads.size(); ++t) find(t);
  }

  // What may go, by itself or together as long as no two overlap.
  const std::vector<Steps>& iterations() const { return iterations_; }

  std::optional<Rest> without(const std::vector<Steps>& gone) const {
    const auto& x = run_.execution;
    const uint32_t n = static_cast<uint32_t>(x.events.size());
    std::vector<bool> goes(n, false);
    for (uint32_t e = 0; e < n; ++e)
      for (const Steps& s : gone) goes[e] = goes[e] || in(s, e);
    // New keys.
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> count;
    std::map<EventKey, EventKey> key;
    std::vector<uint32_t> stays;
    Rest out;
    for (uint32_t e = 0; e < n; ++e) {
      const EventKey& k = x.events[e].key;
      if (goes[e]) {
        out.silent = out.silent || x.events[e].tags.has(Tag::W);
        continue;
      }
      stays.push_back(e);
      key[k] = k;
      if (k.thread != reference::k_init) key[k].occurrence = count[{k.thread, k.instr, k.part}]++;
    }
    const auto source = [&](uint32_t w) {  // that stays
      while (goes[w]) w = only(x.rel(Base::rf), only(x.rel(Base::amo), w));
      return w;
    };
    Choices c;
    for (const uint32_t e : stays) {
      if (!x.events[e].tags.has(Tag::R)) continue;
      c.rf[key[x.events[e].key]] = key[x.events[source(only(x.rel(Base::rf), e))].key];
      c.read_value[key[x.events[e].key]] = x.events[e].value;
      if (x.events[e].spurious) c.spurious.insert(key[x.events[e].key]);
    }
    for (const auto& [k, v] : choices_.init_value) c.init_value[k] = v;
    x.rel(Base::co).for_each([&](uint32_t a, uint32_t b) {
      if (!goes[a] && !goes[b] && x.events[a].key.thread != reference::k_init)
        c.co.push_back({key[x.events[a].key], key[x.events[b].key]});
    });
    const auto kept = [&](const std::vector<std::pair<EventKey, EventKey>>& from, auto& to) {
      for (const auto& [a, b] : from)
        if (key.contains(a) && key.contains(b)) to.push_back({key[a], key[b]});
    };
    kept(choices_.fence_order, c.fence_order);
    kept(choices_.sync_fence_free, c.sync_fence_free);
    for (const auto& [cell, w] : choices_.final_write) c.final_write[cell] = key[x.events[source(*x.find(w))].key];
    reference::RunOptions options;
    options.halt_after.resize(run_.threads.size());
    for (uint32_t t = 0; t < run_.threads.size(); ++t) {
      if (run_.threads[t].stop == StopReason::end) continue;
      uint64_t steps = run_.threads[t].steps;
      for (const Steps& s : gone)
        if (s.thread == t) steps -= s.to - s.from;
      options.halt_after[t] = steps;
    }
    auto rest = reference::run(test_, c, options);
    if (!rest) return std::nullopt;
    const auto& y = rest->execution;
    if (y.events.size() != stays.size()) return std::nullopt;
    for (uint32_t k = 0; k < stays.size(); ++k) {
      const Event &a = x.events[stays[k]], &b = y.events[k];
      if (b.key != key[a.key] || !(a.tags == b.tags) || a.address != b.address || a.value != b.value ||
          a.object != b.object)
        return std::nullopt;
    }
    for (uint32_t t = 0; t < run_.threads.size(); ++t)
      if ((run_.threads[t].stop == StopReason::end) != (rest->threads[t].stop == StopReason::end)) return std::nullopt;
    for (size_t b = 0; b < x.base.size(); ++b) {
      const Base base = static_cast<Base>(b);
      if (base == Base::rf || base == Base::data || base == Base::addr || base == Base::ctrl) continue;
      if (x.base[b].universe() == 0 || y.base[b].universe() == 0) continue;
      for (uint32_t i = 0; i < stays.size(); ++i)
        for (uint32_t j = 0; j < stays.size(); ++j)
          if (x.base[b].test(stays[i], stays[j]) != y.base[b].test(i, j))
            out.wrong = fmt::format("base relation {} has another pair", vocab::name(base));
    }
    if (x.complete() && y.complete() && out.wrong.empty())
      for (uint32_t o = 0; o < test_.objects.size(); ++o)
        if (x.final.memory != y.final.memory) out.wrong = "a final value of memory is another";
    out.whole = run_;
    out.rest = std::move(*rest);
    return out;
  }

 private:
  static uint32_t only(const Relation& r, uint32_t to) {
    for (uint32_t i = 0; i < r.universe(); ++i)
      if (r.test(i, to)) return i;
    return to;
  }
  bool in(const Steps& s, uint32_t e) const {
    return run_.execution.events[e].key.thread == s.thread && run_.step[e] >= s.from && run_.step[e] < s.to;
  }
  void find(uint32_t t) {
    const reference::ThreadRun& r = run_.threads[t];
    const auto visit = [&](uint64_t end, uint32_t target) {  // the label was left for the last time before `end` at..
      for (uint64_t k = end; k-- > 0;)
        if (r.trace[k].position == target) {
          const Steps s{t, k, end};
          if (may_go(s)) iterations_.push_back(s);
          return;
        }
    };
    for (uint64_t s = 0; s + 1 < r.trace.size(); ++s)
      if (r.trace[s + 1].position < r.trace[s].position) visit(s + 1, r.trace[s + 1].position);
    if (r.stop == StopReason::cut || r.stop == StopReason::spin) {
      const prog::Instr& in = test_.instrs(t)[r.stop_instr];
      if (in.label != prog::k_none) visit(r.steps, test_.code(t).labels[in.label].at);
    }
  }
  bool may_go(const Steps& s) const {
    const auto& x = run_.execution;
    bool some = false;
    for (uint32_t e = 0; e < x.events.size(); ++e) {
      if (!in(s, e)) continue;
      some = true;
      const Event& v = x.events[e];
      if (v.tags.has(Tag::W)) {
        const uint32_t r = only(x.rel(Base::amo), e);
        if (r == e || !silent_[s.thread][v.key.instr] || x.events[r].value != v.value) return false;
      } else if (!v.tags.has(Tag::R) && !v.tags.has(Tag::F)) {
        return false;
      }
    }
    return some;
  }

  const prog::Test& test_;
  const Choices& choices_;
  const RunResult& run_;
  const std::vector<std::vector<bool>>& silent_;
  std::vector<Steps> iterations_;
};

}  // namespace

void for_each_rest(const prog::Test& test, const cat::Model& model, const prog::LoopBounds& bound,
                   const std::vector<std::vector<bool>>& silent, Rng& rng, const Job& job,
                   const std::function<bool(const Rest&)>& visit) {
  check::Search search(test, model, job, bound);
  check::Goal goal;
  goal.stops = check::Goal::Stops::any;
  goal.filter = false;
  search.run(goal, [&](const check::Candidate& candidate) {
    reference::RunOptions options{bound, {}, true};
    const auto run = reference::run(test, candidate.choices, options);
    if (!run) return false;
    const Whole whole(test, candidate.choices, *run, silent);
    if (whole.iterations().empty()) return !job.out_of_time();
    for (int round = 0; round < 3; ++round) {
      std::vector<Steps> gone;
      for (const Steps& s : whole.iterations()) {
        const bool apart = std::all_of(gone.begin(), gone.end(), [&](const Steps& o) {
          return o.thread != s.thread || o.to <= s.from || s.to <= o.from;
        });
        if (apart && (round == 0 || rng.below(2) == 0)) gone.push_back(s);
      }
      if (gone.empty() || (round > 0 && gone.size() == whole.iterations().size())) continue;
      if (const auto rest = whole.without(gone); rest && !visit(*rest)) return false;
    }
    return !job.out_of_time();
  });
}

std::string random_takers(Rng& rng, bool ptx) {
  const uint64_t threads = 2 + (rng.below(3) == 0 ? 1 : 0), group = 1 + rng.below(2);
  const bool locked = rng.below(2) == 0;
  const auto wide = [&] { return rng.below(5) != 0; };
  std::vector<std::vector<std::string>> code;
  uint64_t takers = 0;
  for (uint64_t t = 0; t < threads; ++t) {
    auto& c = code.emplace_back();
    const bool takes = t == 0 || rng.below(2) == 0;
    takers += takes;
    const auto order = [&](bool read) -> std::string {
      const uint64_t k = rng.below(3);
      return ptx ? (k == 0 ? "relaxed"
                    : read ? "acquire"
                           : "release")
                 : std::string("memory_order_") + (k == 0   ? "relaxed"
                                                   : k == 1 ? (read ? "acquire" : "release")
                                                            : "seq_cst");
    };
    const auto scope = [&]() -> std::string {
      return ptx ? (wide() ? "gpu" : "cta") : wide() ? "memory_scope_device" : "memory_scope_work_group";
    };
    const auto read = [&](const char* r, const char* at, bool plain) {
      if (ptx)
        return plain ? fmt::format("ld.weak {}, {}", r, at)
                     : fmt::format("ld.{}.{} {}, {}", order(true), scope(), r, at);
      return plain ? fmt::format("{} = *{};", r, at)
                   : fmt::format("{} = atomic_load_explicit({}, {}, {});", r, at, order(true), scope());
    };
    const auto write = [&](const char* at, uint64_t v, bool plain) {
      if (ptx)
        return plain ? fmt::format("st.weak {}, {}", at, v)
                     : fmt::format("st.{}.{} {}, {}", order(false), scope(), at, v);
      return plain ? fmt::format("*{} = {};", at, v)
                   : fmt::format("atomic_store_explicit({}, {}, {}, {});", at, v, order(false), scope());
    };
    const auto fence = [&]() -> std::string {
      if (ptx) return rng.below(2) == 0 ? "fence.acq_rel.gpu" : "fence.sc.gpu";
      return fmt::format("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_{}, memory_scope_device);",
                         rng.below(2) == 0 ? "acq_rel" : "seq_cst");
    };
    // y is plain, z atomic.
    if (takes) {
      const uint64_t how = rng.below(ptx ? 4 : 2);
      const std::string look = rng.below(3) != 0 ? "" : read("r2", rng.below(3) == 0 ? "x" : "z", false);
      const std::string middle = rng.below(4) == 0 ? fence() : "";
      std::string take;
      if (ptx)
        take = how == 3 ? read("r0", "x", false)
                        : fmt::format("atom.{}.{}.{}", rng.below(3) == 0 ? "acq_rel" : order(true), scope(),
                                      how == 0 ? "cas r0, x, 0, 1" : "exch r0, x, 1");
      else
        take = how == 1 && rng.below(2) == 0
                   ? read("r0", "x", false)
                   : fmt::format("r0 = atomic_exchange_explicit(x, 1, {}, {});",
                                 rng.below(3) == 0 ? "memory_order_acq_rel" : order(true), scope());
      if (ptx) {
        c.push_back(fmt::format("LC{}0:", t));
        for (const std::string& s : {look, middle, take})
          if (!s.empty()) c.push_back(s);
        c.push_back(fmt::format("bne r0, 0, LC{}0", t));
      } else {
        if (!look.empty()) c.push_back("int r2 = 0;");
        c.push_back("int " + take);
        c.push_back(fmt::format("while (r0 == 1) {{ {} {} {} }}", look, middle, take));
      }
      if (rng.below(5) == 0) c.push_back(fence());
      if (rng.below(3) != 0) c.push_back((ptx ? "" : "int ") + read("r1", "y", true));
      if (rng.below(4) == 0) c.push_back((ptx ? "" : "int ") + read("r4", "z", false));
      if (rng.below(2) == 0) c.push_back(write("y", 1, true));
      if (rng.below(3) != 0) c.push_back(write("x", 0, ptx && rng.below(12) == 0));
    } else {
      const uint64_t n = 1 + rng.below(3);
      for (uint64_t k = 0; k < n; ++k) switch (rng.below(5)) {
          case 0:
            c.push_back(write("y", 1, true));
            break;
          case 1:
            c.push_back(write("z", 1, false));
            break;
          case 2:
            c.push_back(fence());
            break;
          default:
            c.push_back(write("x", rng.below(2), ptx && rng.below(12) == 0));
        }
    }
  }
  std::string out = fmt::format("{} takers\n{{ x = {}; y = 0; z = 0; }}\n", ptx ? "PTX" : "OPENCL", locked ? 1 : 0);
  if (ptx) {
    size_t rows = 0;
    for (const auto& c : code) rows = std::max(rows, c.size());
    for (size_t t = 0; t < code.size(); ++t)
      out += fmt::format("{}P{}@cta {},gpu 0", t == 0 ? " " : " | ", t, t / group);
    out += " ;\n";
    for (size_t k = 0; k < rows; ++k) {
      for (size_t t = 0; t < code.size(); ++t)
        out += (t == 0 ? " " : " | ") + (k < code[t].size() ? code[t][k] : std::string());
      out += " ;\n";
    }
  } else {
    for (size_t t = 0; t < code.size(); ++t) {
      out += fmt::format("P{}@wg {}, dev 0 (global atomic_int* x, global int* y, global atomic_int* z) {{\n", t,
                         t / group);
      for (const std::string& s : code[t]) out += "  " + s + "\n";
      out += "}\n";
    }
  }
  return out + fmt::format("{} (x == {} {} y == {})\n", rng.below(2) == 0 ? "exists" : "forall", rng.below(2),
                           rng.below(2) == 0 ? "/\\" : "\\/", rng.below(2));
}

}  // namespace fencepost::fuzz
