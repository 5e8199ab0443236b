#include "cycle/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cycle/writer.h"
#include "read/read.h"

namespace fencepost::gen {
namespace {

enum class Space : uint8_t { any, global, shared };

struct AccessWord {
  const char* word;
  Space space;
  bool writes;
  bool first_only;
  const char* completions;  // words, with blanks between; the empty completion is always there
};
constexpr AccessWord k_accesses[] = {
    {"st", Space::any, true, false, ""},
    {"ld", Space::any, false, false, ""},
    {"bulk.load", Space::shared, true, false, "mbar mbar.relaxed"},
    {"bulk.load.source", Space::global, false, false, "mbar mbar.relaxed"},
    {"bulk.store", Space::global, true, false, "group group.read"},
    {"bulk.store.source", Space::shared, false, false, "group group.read"},
    {"bulk.reduce", Space::global, true, true, "group group.read"},
    {"cp.async", Space::shared, true, false, "wait mbar mbar.relaxed"},
    {"st.async", Space::shared, true, true, "mbar mbar.relaxed"},
    {"red.async", Space::shared, true, true, "mbar mbar.relaxed"},
};

enum class Does : uint8_t { completes, goes, fences };
struct EdgeWord {
  const char* word;
  Does does;
  const char* text;  // of a fence; {}: the scope
};
constexpr EdgeWord k_edges[] = {
    {"group", Does::completes, ""},
    {"group.read", Does::completes, ""},
    {"wait", Does::completes, ""},
    {"mbar", Does::goes, ""},
    {"mbar.relaxed", Does::goes, ""},
    {"mbar.unwaited", Does::goes, ""},
    {"arrive", Does::goes, ""},
    {"arrive.relaxed", Does::goes, ""},
    {"arrive.unwaited", Does::goes, ""},
    {"bar", Does::goes, ""},
    {"cluster", Does::goes, ""},
    {"cluster.relaxed", Does::goes, ""},
    {"flag", Does::goes, ""},
    {"flag.relaxed", Does::goes, ""},
    {"proxy", Does::fences, "fence.proxy.async"},
    {"proxy.global", Does::fences, "fence.proxy.async.global"},
    {"proxy.shared", Does::fences, "fence.proxy.async.shared::cta"},
    {"proxy.release", Does::fences, "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster"},
    {"proxy.release.read", Does::fences,
     "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster"},
    {"proxy.acquire", Does::fences, "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster"},
    {"fence.release", Does::fences, "fence.release"},
    {"fence.acquire", Does::fences, "fence.acquire"},
    {"fence.acq_rel", Does::fences, "fence.acq_rel"},
};

template <class Row, size_t N>
const Row* find(const Row (&rows)[N], std::string_view word) {
  for (const Row& r : rows)
    if (word == r.word) return &r;
  return nullptr;
}
template <class Row, size_t N>
std::vector<std::string> words(const Row (&rows)[N]) {
  std::vector<std::string> out;
  for (const Row& r : rows) out.emplace_back(r.word);
  return out;
}
bool lists(const char* list, const std::string& word) {
  return fmt::format(" {} ", list).find(" " + word + " ") != std::string::npos;
}
bool is_mbar(const std::string& e) { return e.starts_with("mbar"); }
bool waits_for_nothing(const std::string& e) { return e.ends_with(".unwaited"); }
// "mbar" of "mbar.relaxed".
std::string kind_of(const std::string& e) { return e.substr(0, e.find('.')); }
bool is_cluster(const std::string& e) { return e.starts_with("cluster"); }

std::unexpected<Diagnostics> wrong(const std::string& what, const std::string& hint) {
  return error_at({}, what, hint);
}

Expected<void> check(const Path& p) {
  const AccessWord &a = *find(k_accesses, p.first), &b = *find(k_accesses, p.last);
  if (b.first_only) return wrong(fmt::format("'{}' does not end a path", p.last), "begin with it");
  if (!a.writes && !b.writes) return wrong("neither access of the path writes", "paths order two that conflict");
  if (a.space != Space::any && b.space != Space::any && a.space != b.space)
    return wrong(fmt::format("'{}' and '{}' have no location in common", p.first, p.last),
                 "one is of global, the other of shared memory");
  size_t threads = 1;
  bool bars = false, apart = p.first == "st.async" || p.first == "red.async";
  for (size_t k = 0; k < p.edges.size(); ++k) {
    const EdgeWord& e = *find(k_edges, p.edges[k]);
    const bool completion = e.does == Does::completes || is_mbar(p.edges[k]);
    if (completion && (!lists(a.completions, is_mbar(p.edges[k]) ? kind_of(p.edges[k]) : p.edges[k]) || threads > 1))
      return wrong(fmt::format("'{}' tells nothing of '{}' here", p.edges[k], p.first),
                   *a.completions == 0 ? "it is complete by itself" : fmt::format("use {}", a.completions));
    if (is_mbar(p.edges[k]) && k != 0)
      return wrong("an access completes on its mbarrier behind other edges", "put 'mbar' first");
    threads += e.does == Does::goes ? 1 : 0;
    bars = bars || p.edges[k] == "bar";
    apart = apart || is_cluster(p.edges[k]);
  }
  if (threads > 4) return wrong("a path of more than four threads", "use fewer edges to the next thread");
  if (apart && bars) return wrong("a barrier of the CTA between threads of different CTAs", "use 'cluster'");
  if (apart && threads == 1)
    return wrong(fmt::format("'{}' writes memory of another thread's CTA, and there is one thread", p.first),
                 "add 'mbar' or 'cluster'");
  const auto own = [](const std::string& w) { return w.starts_with("bulk") || w == "cp.async"; };
  const bool shared = a.space == Space::shared || b.space == Space::shared;
  if (apart && shared && own(p.first) && own(p.last))
    return wrong("two copies of different CTAs use one location of shared memory", "use 'bar', 'arrive' or 'flag'");
  if ((p.first == "st.async" || p.first == "red.async") &&
      (p.edges.empty() || find(k_edges, p.edges[0])->does != Does::goes))
    return wrong(fmt::format("'{}' is followed by an edge in its own thread", p.first),
                 "put 'mbar' or 'cluster' first");
  return {};
}

class Writer {
 public:
  Writer(const Path& p, const TestOptions& o) : p_(p), o_(o) {}

  std::string text() {
    apart_ = p_.first == "st.async" || p_.first == "red.async";
    size_t threads = 1;
    for (const std::string& e : p_.edges) {
      apart_ = apart_ || is_cluster(e);
      threads += find(k_edges, e)->does == Does::goes ? 1 : 0;
    }
    columns_.resize(threads);
    registers_.resize(threads, 0);
    const AccessWord &a = *find(k_accesses, p_.first), &b = *find(k_accesses, p_.last);
    shared_ = a.space == Space::shared || b.space == Space::shared;
    const auto last = static_cast<uint32_t>(threads - 1);
    const bool own_first = p_.first.starts_with("bulk") || p_.first == "cp.async";
    owner_ = own_first ? 0 : last;
    init_ = shared_ ? fmt::format("x @ shared P{} = 0;", owner_) : "x = 0;";
    access(0, a, true);
    for (size_t k = 0; k < p_.edges.size(); ++k) edge(p_.edges[k], k);
    access(last, b, false);
    question(a, b, last);
    Draft d;
    d.title = o_.title.empty() ? name(p_) : o_.title;
    d.remarks = o_.remarks;
    std::vector<std::string> heads;
    // Nobody may wait for an mbarrier of another CTA, and a copy's own is in that of its thread.
    const size_t together = own_first && !p_.edges.empty() && is_mbar(p_.edges[0]) ? 1 : 0;
    for (size_t t = 0; t < threads; ++t)
      heads.push_back(fmt::format("P{}@cta {}, cluster 0, gpu 0", t, apart_ ? t - std::min(t, together) : 0));
    const std::string condition = fmt::format("{}", fmt::join(atoms_, " /\\ "));
    const std::string asked = o_.quantifier == prog::Quantifier::not_exists ? fmt::format("~exists ({})", condition)
                              : o_.quantifier == prog::Quantifier::forall   ? fmt::format("forall ~({})", condition)
                                                                            : fmt::format("exists ({})", condition);
    return header(d, "PTX") + fmt::format("{{ {} }}\n", init_) + rows(heads, columns_) + asked + "\n";
  }

 private:
  void line(size_t thread, std::string s) { columns_[thread].push_back(std::move(s)); }
  void declare(const std::string& s) { init_ += " " + s; }
  std::string reg(size_t thread) { return fmt::format("r{}", registers_[thread]++); }
  void expect(size_t thread, const std::string& r, int value) {
    atoms_.push_back(fmt::format("P{}:{} = {}", thread, r, value));
  }
  const char* scope() const { return apart_ ? ".cluster" : ".cta"; }
  // The value that an access writes: 1 of the first, 2 of the last.
  static int value(bool first) { return first ? 1 : 2; }

  void access(size_t t, const AccessWord& a, bool first) {
    const std::string w = a.word;
    const int v = value(first);
    const std::string n = first ? "0" : "1";  // of helpers
    std::string& seen = first ? first_seen_ : last_seen_;
    if (w == "st") return line(t, fmt::format("st.weak x, {}", v));
    if (w == "ld") {
      const std::string r = reg(t);
      seen = fmt::format("P{}:{}", t, r);
      return line(t, fmt::format("ld.weak {}, x", r));
    }
    if (w == "bulk.load" || w == "bulk.load.source") {
      const bool reads = w == "bulk.load.source";
      declare(reads ? fmt::format("d{} @ shared P{} = 7;", n, t) : fmt::format("g{} = {};", n, v));
      declare(fmt::format("m{} @ mbarrier P{} = 1;", n, t));
      if (reads) seen = fmt::format("d{}", n);
      line(t, fmt::format("mbarrier.arrive.expect_tx.shared::cta.b64 _, [m{}], 16", n));
      return line(t, fmt::format("cp.async.bulk.shared::{}.global.mbarrier::complete_tx::bytes [{}], [{}], 16, [m{}]",
                                 apart_ ? "cluster" : "cta", reads ? "d" + n : "x", reads ? "x" : "g" + n, n));
    }
    if (w == "bulk.store" || w == "bulk.store.source" || w == "bulk.reduce") {
      const bool reads = w == "bulk.store.source";
      declare(reads ? fmt::format("g{} = 7;", n) : fmt::format("d{} @ shared P{} = {};", n, t, v));
      if (reads) seen = fmt::format("g{}", n);
      return line(t, fmt::format("{}.global.shared::cta.bulk_group{} [{}], [{}], 16",
                                 w == "bulk.reduce" ? "cp.reduce.async.bulk" : "cp.async.bulk",
                                 w == "bulk.reduce" ? ".add.u64" : "", reads ? "g" + n : "x", reads ? "x" : "d" + n));
    }
    if (w == "cp.async") {
      declare(fmt::format("g{} = {};", n, v));
      return line(t, fmt::format("cp.async.ca.shared::cta.global [x], [g{}], 8", n));
    }
    // st.async, red.async: to the last thread's CTA; whether somebody waits there is the edge's matter.
    declare(fmt::format("m0 @ mbarrier P{} = 1;", columns_.size() - 1));
    line(t, w == "st.async"
                ? "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [x], 1, [m0]"
                : "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [x], 1, [m0]");
  }

  void edge(const std::string& e, size_t number) {
    const EdgeWord& word = *find(k_edges, e);
    if (word.does == Does::fences)
      return line(at_, e.starts_with("fence") ? word.text + std::string(scope()) : std::string(word.text));
    if (e == "wait") return line(at_, "cp.async.wait_all");
    if (word.does == Does::completes) {
      line(at_, "cp.async.bulk.commit_group");
      return line(at_, e == "group" ? "cp.async.bulk.wait_group 0" : "cp.async.bulk.wait_group.read 0");
    }
    const size_t from = at_, to = ++at_;
    const bool relaxed = e.ends_with(".relaxed");
    if (e == "bar") {
      for (size_t t = 0; t < columns_.size(); ++t) line(t, "bar.sync 0");  // the barrier counts every thread of the CTA
      return;
    }
    if (is_cluster(e)) {
      for (size_t t = 0; t < columns_.size(); ++t) {  // the barrier counts every thread of the cluster
        line(t, relaxed ? "barrier.cluster.arrive.relaxed" : "barrier.cluster.arrive");
        line(t, "barrier.cluster.wait");
      }
      return;
    }
    if (e.starts_with("flag")) {
      const std::string f = fmt::format("f{}", number), r = reg(to);
      declare(f + " = 0;");
      line(from, fmt::format("st.{}{} {}, 1", relaxed ? "relaxed" : "release", scope(), f));
      line(to, fmt::format("ld.{}{} {}, {}", relaxed ? "relaxed" : "acquire", scope(), r, f));
      return expect(to, r, 1);
    }
    if (e.starts_with("arrive")) {
      const std::string m = fmt::format("e{}", number);
      declare(fmt::format("{} @ mbarrier P{} = 1;", m, to));
      line(from, fmt::format("mbarrier.arrive{}.shared::{}.b64 _, [{}]",
                             relaxed  ? fmt::format(".relaxed{}", scope())
                             : apart_ ? ".release.cluster"
                                      : "",
                             apart_ ? "cluster" : "cta", m));
      return waits_for_nothing(e) ? void() : wait(to, m, relaxed);
    }
    // The completion of the first access, on the mbarrier that it names.
    if (p_.first == "cp.async") {
      declare(fmt::format("m0 @ mbarrier P{} = 1;", from));
      line(from, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m0]");
    } else if (p_.first == "st.async" || p_.first == "red.async") {
      line(to, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [m0], 8");
    }
    if (!waits_for_nothing(e)) wait(to, "m0", relaxed);
  }
  void wait(size_t t, const std::string& m, bool relaxed) {
    const std::string r = reg(t);
    line(t, fmt::format("mbarrier.test_wait.parity{}.shared::cta.b64 {}, [{}], 0",
                        relaxed  ? fmt::format(".relaxed{}", scope())
                        : apart_ ? ".acquire.cluster"
                                 : "",
                        r, m));
    expect(t, r, 1);
  }

  // The last access came first: what it reads is old, what the first one reads is new, or the first write is the last.
  void question(const AccessWord& a, const AccessWord& b, size_t) {
    const std::string first = a.word;
    if (a.writes && b.writes)  // an addition of 1 behind a write of 2 makes 3
      atoms_.push_back(first == "bulk.reduce" || first == "red.async" ? "([x] = 1 \\/ [x] = 3)" : "[x] = 1");
    else
      atoms_.push_back(b.writes ? fmt::format("{} = 2", place(first_seen_)) : fmt::format("{} = 0", place(last_seen_)));
  }
  static std::string place(const std::string& seen) { return seen.starts_with("P") ? seen : fmt::format("[{}]", seen); }

  const Path& p_;
  const TestOptions& o_;
  bool apart_ = false, shared_ = false;
  size_t owner_ = 0, at_ = 0;
  std::string init_, first_seen_, last_seen_;
  std::vector<std::vector<std::string>> columns_;
  std::vector<int> registers_;
  std::vector<std::string> atoms_;
};

}  // namespace

const std::vector<std::string>& path_edges() {
  static const std::vector<std::string> k_words = words(k_edges);
  return k_words;
}
const std::vector<std::string>& path_accesses() {
  static const std::vector<std::string> k_words = words(k_accesses);
  return k_words;
}

std::vector<WeakerPath> weaker_paths(const Path& p) {
  std::vector<WeakerPath> out;
  for (size_t k = 0; k < p.edges.size(); ++k) {
    const std::string& e = p.edges[k];
    const EdgeWord& word = *find(k_edges, e);
    const std::string relaxed = e == "group" ? "group.read" : e + ".relaxed";
    if (find(k_edges, relaxed) != nullptr) {
      Path next = p;
      next.edges[k] = relaxed;
      if (check(next)) out.push_back({std::move(next), fmt::format("{} -> {}", e, relaxed)});
    }
    const std::string unwaited = kind_of(e) + ".unwaited";
    if (find(k_edges, unwaited) != nullptr && !waits_for_nothing(e)) {
      Path next = p;
      next.edges[k] = unwaited;
      if (check(next))
        out.push_back({std::move(next), fmt::format("{}{} -> nothing", is_mbar(e) ? "" : "wait of ", e)});
    }
    if (word.does == Does::goes) continue;
    Path next = p;
    next.edges.erase(next.edges.begin() + static_cast<std::ptrdiff_t>(k));
    if (check(next)) out.push_back({std::move(next), e + " -> nothing"});
  }
  return out;
}

bool is_path(const std::string& name) {
  const size_t plus = name.find('+');
  return plus != std::string::npos && find(k_accesses, std::string_view(name).substr(0, plus)) != nullptr;
}

Expected<Path> parse_path(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == '+')
      parts.emplace_back();
    else
      parts.back() += c;
  if (parts.size() < 2)
    return wrong(fmt::format("'{}' is not a path", text), "for example st+proxy+bar+bulk.store.source");
  Path p{parts.front(), parts.back(), {parts.begin() + 1, parts.end() - 1}};
  for (const std::string& w : {p.first, p.last})
    if (find(k_accesses, w) == nullptr) {
      const std::string near = nearest(w, path_accesses());
      return wrong(fmt::format("'{}' is not an access of a path", w),
                   near.empty() ? fmt::format("these are {}", fmt::join(path_accesses(), ", "))
                                : fmt::format("did you mean {}?", near));
    }
  for (const std::string& w : p.edges)
    if (find(k_edges, w) == nullptr) {
      const std::string near = nearest(w, path_edges());
      return wrong(fmt::format("'{}' is not an edge of a path", w),
                   near.empty() ? fmt::format("these are {}", fmt::join(path_edges(), ", "))
                                : fmt::format("did you mean {}?", near));
    }
  if (auto ok = check(p); !ok) return std::unexpected(ok.error());
  return p;
}

std::string name(const Path& p) {
  std::string out = p.first;
  for (const std::string& e : p.edges) out += "+" + e;
  return out + "+" + p.last;
}

Expected<std::string> path_text(const Path& p, const TestOptions& o) {
  if (o.syntax != prog::Syntax::ptx)
    return unsupported_at({}, fmt::format("'{}' is not in {}", name(p), prog::name(o.syntax)), "use --dialect PTX");
  if (auto ok = check(p); !ok) return std::unexpected(ok.error());
  return Writer(p, o).text();
}

Expected<prog::Test> make_test(const Path& p, const TestOptions& o) {
  auto text = path_text(p, o);
  if (!text) return std::unexpected(text.error());
  return read::parse_one(make_source(name(p) + ".litmus", *text));
}

void enumerate_paths(const std::function<bool(const Path&)>& visit) {
  struct Fences {
    const char *before, *after;
  };
  static constexpr Fences k_fences[] = {{"", ""},
                                        {"proxy", ""},
                                        {"proxy.global", ""},
                                        {"proxy.shared", ""},
                                        {"", "proxy"},
                                        {"", "proxy.global"},
                                        {"", "proxy.shared"},
                                        {"proxy.release", ""},
                                        {"proxy.release.read", ""},
                                        {"", "proxy.acquire"},
                                        {"proxy.release", "proxy.acquire"},
                                        {"proxy.release.read", "proxy.acquire"}};
  static constexpr const char* k_ways[] = {"",        "arrive",          "arrive.relaxed", "bar",
                                           "cluster", "cluster.relaxed", "flag",           "flag.relaxed"};
  for (const AccessWord& a : k_accesses)
    for (const AccessWord& b : k_accesses) {
      std::vector<std::string> completions = {""};
      for (const std::string& e : path_edges())
        if (lists(a.completions, e)) completions.push_back(e);
      for (const std::string& completion : completions)
        for (const char* way : k_ways)
          for (const Fences& f : k_fences) {
            if (*way == 0 && *f.after != 0 && !is_mbar(completion)) continue;
            if (*way == 0 && *f.before != 0 && is_mbar(completion) && *f.after == 0) continue;  // as behind
            // Of ways that order nothing by themselves, and of third threads, fences are not multiplied out.
            const bool fenced = *f.before != 0 || *f.after != 0;
            if (fenced && std::string_view(way).ends_with(".relaxed")) continue;
            if (is_mbar(completion) && *way != 0 && (fenced || completion != "mbar")) continue;
            Path p{a.word, b.word, {}};
            for (const std::string& e : {completion, std::string(f.before), std::string(way), std::string(f.after)})
              if (!e.empty()) p.edges.push_back(e);
            if (check(p) && !visit(p)) return;
          }
    }
}

}  // namespace fencepost::gen
