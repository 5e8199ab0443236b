#include "litmus/asm_litmus.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "litmus/condition.h"
#include "litmus/ptx_async.h"
#include "prog/mbarrier.h"
#include "prog/ptx_objects.h"

namespace fencepost::litmus {
namespace {

// An initial register value; it waits for the code, because registers are numbered by their occurrence there.
struct PendingRegister {
  uint32_t thread = 0;
  Token thread_token, reg;
  uint64_t value = 0;
  bool is_address = false;
  Token location;
};

class Frame {
 public:
  Frame(const SourcePtr& source, const AsmDialect& d)
      : d_(d), header_(parse_header(source)), c_(source, {}, header_.body), b_(d.syntax, d.dialect) {}

  prog::Test parse() {
    b_.test.title = std::move(header_.title);
    b_.test.remarks = std::move(header_.remarks);
    initial_state();
    const bool pairs = d_.ssw && c_.at("{");
    if (pairs) ssw_pairs();
    thread_row();
    // Before the instructions, which ask where these threads are.
    for (const auto& [thread, at] : homes_) check_thread(thread, c_.span(at));
    for (const auto& [a, b, span] : ssw_) {
      check_thread(a, span);
      check_thread(b, span);
      b_.test.ssw.emplace_back(a, b);
    }
    while (!c_.at_end() && !at_question(c_)) instruction_row();
    finish_registers();
    parse_question(c_, b_.test, resolver_of(b_.test));
    b_.test.span = Span{c_.source(), 0, static_cast<uint32_t>(c_.source()->text.size())};
    return std::move(b_.test);
  }

 private:
  // ---- initial state ----
  void initial_state() {
    c_.expect("{");
    while (!c_.accept("}")) {
      if (c_.accept(";")) continue;
      if (at_thread_id(c_) && c_.peek(1).is(":"))
        initial_register();
      else
        initial_location();
      if (!c_.at(";") && !c_.at("}")) c_.fail_expected(c_.peek(), "';' or '}'", "separate initial values with ';'");
    }
    c_.accept(";");
  }

  void initial_register() {
    PendingRegister p;
    p.thread_token = c_.peek();
    p.thread = parse_thread_id(c_);
    c_.expect(":");
    if (!at_register(c_)) c_.fail_expected(c_.peek(), "a register", "registers are written r0, r1, ...");
    p.reg = c_.next();
    c_.expect("=");
    if (at_constant(c_)) {
      p.value = parse_constant(c_);
    } else {
      c_.accept("&");
      p.is_address = true;
      p.location = location_name();
    }
    pending_.push_back(p);
  }

  Token location_name() {
    if (at_register(c_))
      c_.fail(c_.peek(), fmt::format("register {} needs its thread here", litmus::quoted(c_.peek().text)),
              fmt::format("write P0:{}", c_.peek().text));
    return c_.expect_word("a location", "initial values are 'x = 1' or 'P0:r1 = 1'");
  }

  void initial_location() {
    const Token name = location_name();
    if (c_.accept("@")) {
      if (!d_.proxied_aliases)
        c_.fail(name, "aliases have no proxy in this dialect", fmt::format("write '{} aliases x'", name.text));
      if (d_.clusters && (c_.at("shared") || c_.at("mbarrier"))) return shared_location(name);
      if (d_.clusters && (c_.at("multimem") || c_.at("tensormap"))) return several_locations(name);
      const Token proxy = c_.expect_word("a proxy", "generic, constant, texture or surface");
      static const std::vector<std::string> proxies = {"generic", "constant", "texture", "surface"};
      if (std::find(proxies.begin(), proxies.end(), proxy.text) == proxies.end())
        c_.fail(proxy, fmt::format("there is no proxy {}", litmus::quoted(proxy.text)),
                suggest(proxy.text, proxies, "proxies are generic, constant, texture and surface"));
      c_.expect("aliases");
      alias(name, std::string(proxy.text));
      return;
    }
    if (c_.at("aliases")) {
      if (d_.proxied_aliases)
        c_.fail(c_.peek(), "an alias needs its proxy here", fmt::format("write '{} @ generic aliases x'", name.text));
      c_.next();
      alias(name, "");
      return;
    }
    if (!c_.at("=")) c_.fail_expected(c_.peek(), "'='", "give the location a value, as in 'x = 0', or an alias");
    c_.next();
    if (at_constant(c_)) {
      const uint64_t v = parse_constant(c_);
      init_of(b_.declare(name.text, c_.span(name))).init = {v};
    } else if (c_.accept("&")) {
      const Token target = location_name();
      const prog::SymbolId t = b_.require(target.text, c_.span(target));
      init_of(b_.declare(name.text, c_.span(name))).init_address = {t};
    } else {  // a copy of another location's initial value
      const Token from = location_name();
      const prog::Object copy = init_of(b_.require(from.text, c_.span(from)));
      prog::Object& o = init_of(b_.declare(name.text, c_.span(name)));
      o.init = copy.init;
      o.init_address = copy.init_address;
    }
  }

  // "x @ shared P0 = 1": in shared memory of P0's CTA. "m @ mbarrier P0 = 2": an mbarrier object there, which has been
  // initialised for 2 arrivals, and all threads know it; without a number: one that is not initialised.
  void shared_location(const Token& name) {
    const bool mbarrier = c_.next().is("mbarrier");
    const Token thread = c_.peek();
    const uint32_t home = parse_thread_id(c_);
    homes_.emplace_back(home, thread);
    uint64_t value = 0;
    const bool second = mbarrier && c_.accept("layout");
    if (second)
      for (const char* part : {":", ":", "v1"}) c_.expect(part, "the other layout is written layout::v1");
    const uint64_t most = second ? prog::k_second_layout_most : prog::k_mbarrier_most;
    if (c_.accept("=")) {
      const Token number = c_.peek();
      value = parse_constant(c_);
      if (mbarrier && (value == 0 || value > most))
        c_.fail(number, fmt::format("an mbarrier of this layout expects 1 to {} arrivals", most),
                "leave the number away for one without a value");
    }
    prog::Object& o = init_of(b_.declare(name.text, c_.span(name)));
    o.home = home;
    o.mbarrier = mbarrier;
    if (second) o.declared = prog::k_second_layout;
    o.init = {mbarrier && value != 0 ? prog::mbarrier_initial(value) : value};
    o.tags.add(prog::Tag::SHARED);
  }

  // "mm @ multimem x, y": an address that stands for both (8.2.3). "t @ tensormap x, y = 1": a tensor map whose boxes
  // are x and y; its value is the number of the box that its global address is that of.
  void several_locations(const Token& name) {
    const bool map = c_.next().is("tensormap");
    std::vector<prog::SymbolId> all;
    do {
      const Token t = location_name();
      const prog::SymbolId s = b_.require(t.text, c_.span(t));
      const prog::Object& o = init_of(s);
      if (o.home != prog::k_none || prog::is_tensor_map(o) || b_.test.symbols[s].aliased != prog::k_none)
        c_.fail(t, fmt::format("{} is not a location of global memory", litmus::quoted(t.text)),
                fmt::format("declare it as '{} = 0'", t.text));
      if (std::find(all.begin(), all.end(), s) != all.end())
        c_.fail(t, fmt::format("{} stands twice here", litmus::quoted(t.text)), "name different locations");
      all.push_back(s);
    } while (c_.accept(","));
    if (!map) {
      if (all.size() < 2)
        c_.fail(name, fmt::format("{} stands for one location", litmus::quoted(name.text)),
                "a multimem address is one of several distinct locations (PTX ISA 9.4, 8.2.3)");
      return b_.bind_multimem(name.text, all, c_.span(name));
    }
    prog::Object& o = init_of(b_.declare(name.text, c_.span(name)));
    o.declared = prog::tensor_map_of(b_.test, all);
    if (!c_.accept("=")) return;
    const Token number = c_.peek();
    o.init = {parse_constant(c_)};
    if (o.init.front() >= all.size())
      c_.fail(number, fmt::format("the map has {} boxes", all.size()), "its value is the number of one, from 0");
  }

  void alias(const Token& name, std::string proxy) {
    const Token target = location_name();
    b_.alias(name.text, b_.require(target.text, c_.span(target)), std::move(proxy), c_.span(name));
  }

  prog::Object& init_of(prog::SymbolId s) { return b_.test.objects[b_.test.symbols[s].object]; }

  // ---- ssw ----
  void ssw_pairs() {
    c_.expect("{");
    while (!c_.accept("}")) {
      if (c_.accept(";")) continue;
      const Token t = c_.expect("ssw", "this block holds pairs such as 'ssw 0 1'");
      const uint32_t a = parse_thread_id(c_);
      const uint32_t b = parse_thread_id(c_);
      ssw_.push_back({a, b, c_.since(t.begin)});
      if (!c_.at(";") && !c_.at("}")) c_.fail_expected(c_.peek(), "';' or '}'", "separate pairs with ';'");
    }
    c_.accept(";");
  }

  void check_thread(uint32_t id, const Span& at) const {
    if (id < b_.threads.size()) return;
    fail_at(at, fmt::format("there is no thread P{}", id), fmt::format("threads are P0 to P{}", b_.threads.size() - 1));
  }

  // ---- threads ----
  void thread_row() {
    do {
      const Token t = c_.peek();
      const uint32_t id = parse_thread_id(c_);
      const auto expected = static_cast<uint32_t>(b_.threads.size());
      if (id != expected)
        c_.fail(t, fmt::format("column {} is thread P{}, not P{}", expected + 1, expected, id),
                "number the threads P0, P1, ... from left to right");
      places_.push_back(t);
      b_.threads.emplace_back();
      b_.places.push_back(scope(t));
    } while (c_.accept("|"));
    c_.expect(";", "end the row of threads with ';', separate threads with '|'");
    check_clusters();
  }

  // All threads name their cluster, or none does; a CTA is in one.
  void check_clusters() {
    const auto named =
        std::find_if(b_.clusters.begin(), b_.clusters.end(), [](uint32_t c) { return c != prog::k_none; });
    if (named == b_.clusters.end()) return;
    for (size_t t = 0; t < b_.clusters.size(); ++t) {
      if (b_.threads[t].host) continue;
      if (b_.clusters[t] == prog::k_none)
        c_.fail(
            places_[t],
            fmt::format("thread {} lacks its cluster, and P{} names one", places_[t].text, named - b_.clusters.begin()),
            fmt::format("write {}@cta {}, cluster {}, gpu {}, or name no clusters", places_[t].text, b_.places[t][2],
                        *named, b_.places[t][1]));
      for (size_t o = 0; o < t; ++o)
        if (prog::same_scope(b_.places[o], b_.places[t], 2) && b_.clusters[o] != b_.clusters[t])
          c_.fail(places_[t],
                  fmt::format("cta {} of gpu {} is in cluster {} and, by P{}, in cluster {}", b_.places[t][2],
                              b_.places[t][1], b_.clusters[t], o, b_.clusters[o]),
                  "CTAs are numbered on their gpu, not in their cluster: give one of the two another number");
    }
  }

  std::string scope_example() const {
    std::string out;
    for (size_t i = d_.levels.size(); i-- > 0;) out += fmt::format("{}{} 0", out.empty() ? "" : ", ", d_.levels[i]);
    return out;
  }

  prog::ScopePath scope(const Token& thread) {
    if (!c_.at("@"))
      c_.fail_expected(c_.peek(), "'@' and the place of the thread",
                       fmt::format("write {}@{}", thread.text, scope_example()));
    c_.next();
    if (d_.hosts && c_.at("host")) {
      c_.next();
      b_.clusters.push_back(prog::k_none);
      b_.threads.back().host = true;
      return {0};
    }
    prog::ScopePath path(d_.levels.size() + 1, 0);  // level 0 holds every thread of the test
    std::vector<bool> seen(d_.levels.size(), false);
    uint32_t& cluster = b_.clusters.emplace_back(prog::k_none);
    std::optional<uint32_t> warp;
    do {
      const Token level = c_.expect_word("a scope level", fmt::format("write {}@{}", thread.text, scope_example()));
      if (d_.clusters && level.is("warp")) {
        if (warp) c_.fail(level, "'warp' is given twice", "give every level once");
        warp = static_cast<uint32_t>(number_value(c_, c_.expect_number("the number of the warp"), 0xffffffff));
        continue;
      }
      if (d_.clusters && level.is("cluster")) {
        if (cluster != prog::k_none) c_.fail(level, "'cluster' is given twice", "give every level once");
        cluster = static_cast<uint32_t>(number_value(c_, c_.expect_number("the number of the cluster"), 0xfffffffe));
        continue;
      }
      const auto at = std::find(d_.levels.begin(), d_.levels.end(), level.text);
      if (at == d_.levels.end()) {
        std::vector<std::string> known(d_.levels.begin(), d_.levels.end());
        if (d_.clusters) known.insert(known.end(), {"cluster", "warp"});
        if (d_.hosts) known.emplace_back("host");
        c_.fail(level, fmt::format("there is no scope level {}", litmus::quoted(level.text)),
                suggest(level.text, known, "write the place as " + scope_example()));
      }
      const auto k = static_cast<size_t>(at - d_.levels.begin());
      if (seen[k])
        c_.fail(level, fmt::format("{} is given twice", litmus::quoted(level.text)), "give every level once");
      seen[k] = true;
      path[k + 1] = static_cast<uint32_t>(number_value(c_, c_.expect_number("the number of the group"), 0xffffffff));
    } while (c_.accept(","));
    for (size_t k = 0; k < seen.size(); ++k)
      if (!seen[k])
        c_.fail(thread, fmt::format("thread {} lacks its {}", thread.text, d_.levels[k]),
                fmt::format("write {}@{}", thread.text, scope_example()));
    if (warp) path.push_back(*warp);
    return path;
  }

  // ---- instructions ----
  void instruction_row() {
    const size_t n = b_.threads.size();
    for (size_t i = 0; i < n; ++i) {
      cell(b_.threads[i]);
      const Token t = c_.peek();
      const bool last = i + 1 == n;
      if (t.is(last ? ";" : "|")) {
        c_.next();
        continue;
      }
      if (t.is(";"))
        c_.fail(t, fmt::format("this row has {} cell{} for {} threads", i + 1, i == 0 ? "" : "s", n),
                "every row has one cell per thread, separated by '|'; a cell may be empty");
      if (t.is("|"))
        c_.fail(t, fmt::format("this row has more cells than the {} thread{} of the test", n, n == 1 ? "" : "s"),
                "end the row with ';' here, or add a thread to the first row");
      if (t.kind == Tok::end) c_.fail(t, "the last row is not finished", "end every row with ';'");
      c_.fail(
          t,
          fmt::format("unexpected {} after the instruction", t.kind == Tok::string ? "string" : litmus::quoted(t.text)),
          "end the cell with '|' or the row with ';'");
    }
  }

  void cell(ThreadBuilder& t) {
    while (parse_label(c_, t)) {
    }
    if (c_.at("|") || c_.at(";") || c_.at_end()) return;
    const Mnemonic m = parse_mnemonic(c_);
    if (!parse_common(c_, t, m)) d_.instruction(c_, b_, t, m);
  }

  // ---- registers ----
  // A value of 0 is the default and not kept, unless nothing else mentions the register.
  void finish_registers() {
    struct Start {
      uint32_t thread;
      prog::InitValue init;
    };
    std::vector<Start> starts;
    for (const PendingRegister& p : pending_) {
      check_thread(p.thread, c_.span(p.thread_token));
      ThreadBuilder& t = b_.threads[p.thread];
      const bool used = t.has_reg(p.reg.text);
      Start s{p.thread, {t.reg(p.reg.text), p.value, prog::k_none}};
      for (const Start& other : starts)
        if (other.thread == s.thread && other.init.reg == s.init.reg)
          c_.fail(p.reg, fmt::format("register {} of P{} is initialised twice", litmus::quoted(p.reg.text), p.thread),
                  "remove one of the two");
      if (p.is_address) s.init.address = b_.symbol(p.location.text, c_.span(p.location));
      keep_.push_back(!used || p.is_address || p.value != 0);
      starts.push_back(s);
    }
    std::vector<RegisterValues> values(b_.threads.size());
    for (const Start& s : starts)
      values[s.thread][s.init.reg] = s.init.address == prog::k_none ? std::optional(s.init.value) : std::nullopt;
    finish_ptx(b_);
    name_barriers(b_.threads, b_.places, values);
    b_.finish_threads(std::move(b_.places));
    for (size_t t = 0; t < b_.clusters.size(); ++t) b_.test.threads[t].cluster = b_.clusters[t];
    for (size_t i = 0; i < starts.size(); ++i)
      if (keep_[i]) b_.test.threads[starts[i].thread].init.push_back(starts[i].init);
    for (prog::Thread& t : b_.test.threads)
      std::sort(t.init.begin(), t.init.end(), [](const auto& x, const auto& y) { return x.reg < y.reg; });
  }

  struct Pair {
    uint32_t a, b;
    Span span;
  };

  const AsmDialect& d_;
  Header header_;
  Cursor c_;
  AsmBuilder b_;
  std::vector<std::pair<uint32_t, Token>> homes_;  // threads whose shared memory the initial state names
  std::vector<Token> places_;                      // by thread: its name in the first row
  std::vector<PendingRegister> pending_;
  std::vector<bool> keep_;
  std::vector<Pair> ssw_;
};

}  // namespace

prog::Test parse_asm(const SourcePtr& source, const AsmDialect& dialect) { return Frame(source, dialect).parse(); }

}  // namespace fencepost::litmus
