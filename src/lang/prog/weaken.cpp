#include "prog/weaken.h"

#include <algorithm>
#include <map>

#include "base/diagnostic.h"
#include "prog/cuda_cpp.h"
#include "prog/lanes.h"
#include "prog/operations.h"
#include "prog/syntax.h"

namespace fencepost::prog {
namespace {

constexpr size_t k_max_forms = 4096;

// What lanes of a warp exchange is no access of memory, and nothing to change: the values come by the instruction.
bool is_access(const Instr& i) {
  return !is_lane(i.tags) && (i.kind == Kind::load || i.kind == Kind::store || i.kind == Kind::rmw);
}

// The fences of CUDA litmus tests have one order, and their atomic functions none to choose: there are no steps.
bool has_steps(const Test& test) { return test.syntax != Syntax::cuda; }

// A PTX module has the steps of PTX, and a kernel of CUDA C++ those of its language.
Syntax steps_of(const Test& test) {
  if (is_cuda_cpp(test)) return Syntax::cuda;
  return test.syntax == Syntax::spirv && test.dialect == Dialect::ptx ? Syntax::ptx : test.syntax;
}

std::string text_of(const Test& test, const Place& at, const Shape& shape) {
  if (shape.absent) return "nothing";
  Instr i = test.instrs(at.thread)[at.instr];
  if (shape.kind == Kind::fence && i.kind != Kind::fence) {
    i = Instr{};
    i.kind = Kind::fence;
  }
  set_shape(test, i, shape);
  if (i.dst != k_none && test.code(at.thread).registers[i.dst].temporary)
    i.dst = k_none;  // an operand of its statement
  return to_string(test, at.thread, i);
}

// The forms that `next` reaches from `start`, breadth first. `down`: next gives weaker ones.
template <class Next>
std::vector<SiteForm> reach(const Shape& start, bool down, Next&& next) {
  std::vector<SiteForm> forms(1);
  forms[0].shape = start;
  for (uint32_t at = 0; at < forms.size() && forms.size() < k_max_forms; ++at)
    for (Step& s : next(Shape(forms[at].shape))) {
      const auto found = std::find_if(forms.begin(), forms.end(), [&](const SiteForm& f) { return f.shape == s.to; });
      const auto to = static_cast<uint32_t>(found - forms.begin());
      if (found == forms.end()) {
        SiteForm f;
        f.shape = std::move(s.to);
        f.distance = forms[at].distance + 1;
        forms.push_back(std::move(f));
      }
      (down ? forms[at] : forms[to]).weaker.push_back(down ? to : at);
    }
  for (uint32_t i = 0; i < forms.size(); ++i) {
    std::vector<bool> seen(forms.size(), false);
    std::vector<uint32_t> open = forms[i].weaker;
    while (!open.empty()) {
      const uint32_t k = open.back();
      open.pop_back();
      if (seen[k]) continue;
      seen[k] = true;
      open.insert(open.end(), forms[k].weaker.begin(), forms[k].weaker.end());
    }
    for (uint32_t k = 0; k < forms.size(); ++k)
      if (seen[k]) forms[i].below.push_back(k);
  }
  return forms;
}

// Same instructions up to operands, and the same object for every access (else a site of one is another's).
bool same_code(const Test& test, uint32_t a, uint32_t b) {
  const auto &x = test.instrs(a), &y = test.instrs(b);
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i].kind != y[i].kind || !(shape_of(test, x[i]) == shape_of(test, y[i]))) return false;
    if (is_access(x[i]) && x[i].addr.symbol != y[i].addr.symbol) return false;
  }
  return true;
}

// Threads by code; each thread alone when they do not change together.
std::vector<std::vector<uint32_t>> groups(const Test& test, bool together) {
  std::vector<std::vector<uint32_t>> out;
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    auto g = out.end();
    if (together)
      g = std::find_if(out.begin(), out.end(), [&](const auto& o) { return same_code(test, o.front(), t); });
    if (g == out.end())
      out.push_back({t});
    else
      g->push_back(t);
  }
  return out;
}

// Barriers of one group of waiting threads: by instance, how-manieth of it in the thread, and the group.
std::vector<std::vector<Place>> barriers(const Test& test, bool together) {
  using Key = std::tuple<std::string, uint32_t, ScopePath>;
  std::vector<std::pair<Key, std::vector<Place>>> out;
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    std::map<std::string, uint32_t> ordinal;
    for (uint32_t i = 0; i < test.instrs(t).size(); ++i) {
      const Instr& in = test.instrs(t)[i];
      if (in.kind != Kind::barrier || is_lane(in.tags)) continue;
      ScopePath group = test.threads[t].scope;
      group.resize(together ? 0 : std::min<size_t>(group.size(), in.barrier.level + 1));
      // What is named by a value may meet any other that is: all of them change together.
      const uint32_t nth = in.barrier.by_value() ? 0 : ordinal[in.barrier.instance]++;
      const Key key{in.barrier.instance, nth, group};
      auto at = std::find_if(out.begin(), out.end(), [&](const auto& o) { return o.first == key; });
      if (at == out.end()) at = out.insert(at, {key, {}});
      at->second.push_back({t, i});
    }
  }
  std::vector<std::vector<Place>> places;
  for (auto& [k, p] : out) places.push_back(std::move(p));
  return places;
}

Site make_site(const Test& test, std::vector<Place> places, bool gap, std::vector<SiteForm> forms) {
  Site s;
  s.places = std::move(places);
  s.gap = gap;
  s.forms = std::move(forms);
  s.span = test.instrs(s.at().thread)[s.at().instr].span;
  for (SiteForm& f : s.forms) f.text = text_of(test, s.at(), f.shape);
  return s;
}

// The threads of one kernel whose code differs in constants: an instruction that stands at one place of the source is
// one site, since nobody changes it for one thread alone. Several at one place (an inlined function) stay apart, by
// their order in the thread.
void join_by_source(const Test& test, std::vector<Site>& sites) {
  using Key = std::tuple<const void*, uint32_t, uint32_t, bool, uint32_t, SymbolId, std::string>;
  std::map<std::pair<uint32_t, Key>, uint32_t> seen;  // how many of a thread
  std::map<std::pair<Key, uint32_t>, size_t> first;
  std::vector<Site> out;
  for (Site& s : sites) {
    const Instr& in = test.instrs(s.at().thread)[s.at().instr];
    if (!s.span.source || in.kind == Kind::barrier) {
      out.push_back(std::move(s));
      continue;
    }
    const Key key{s.span.source.get(),
                  static_cast<uint32_t>(s.span.begin),
                  static_cast<uint32_t>(s.span.end),
                  s.gap,
                  static_cast<uint32_t>(in.kind),
                  is_access(in) ? in.addr.symbol : SymbolId{},
                  s.forms[0].text};
    const uint32_t nth = seen[{s.at().thread, key}]++;
    const auto [at, added] = first.emplace(std::pair(key, nth), out.size());
    const auto same = [&](const Site& other) {
      return std::ranges::equal(other.forms, s.forms,
                                [](const SiteForm& a, const SiteForm& b) { return a.shape == b.shape; });
    };
    if (added || !same(out[at->second]))
      out.push_back(std::move(s));
    else
      std::ranges::move(s.places, std::back_inserter(out[at->second].places));
  }
  sites = std::move(out);
}

void by_place(std::vector<Site>& sites) {
  std::stable_sort(sites.begin(), sites.end(), [](const Site& a, const Site& b) {
    return std::pair(a.at().thread, a.at().instr) < std::pair(b.at().thread, b.at().instr);
  });
}

// Whether a fence may be put before this instruction and printed: not inside a call of several instructions.
bool splittable(const Test& test, const std::vector<Instr>& code, uint32_t i) {
  if (test.syntax != Syntax::opencl) return true;
  if (code[i].mnemonic.starts_with("cas.") && code[i].mnemonic != "cas.expected") return false;
  return i == 0 || code[i - 1].mnemonic != "cas.expected";
}

}  // namespace

namespace {

// As the front end names the barriers of a test in which no name is computed any more: by their numbers.
void name_by_number(Test& test) {
  const auto computed = [](const Instr& i) {
    return i.kind == Kind::barrier && i.barrier.by_value() && !i.barrier.id.is_const();
  };
  for (const Template& t : test.templates)
    if (std::any_of(t.code.begin(), t.code.end(), computed)) return;
  for (Template& t : test.templates)
    for (Instr& i : t.code)
      if (i.kind == Kind::barrier && i.barrier.by_value()) {
        i.barrier.instance = std::to_string(i.barrier.id.value());
        i.barrier.id = {};
      }
}

}  // namespace

std::vector<Site> weakening_sites(const Test& test, const SiteOptions& options) {
  if (!has_steps(test)) return {};
  std::vector<Site> out;
  const auto next = [&](const Shape& s) { return weaker(steps_of(test), s, has_clusters(test)); };
  for (const auto& group : groups(test, options.together)) {
    const auto& code = test.instrs(group.front());
    for (uint32_t i = 0; i < code.size(); ++i) {
      if (code[i].kind == Kind::barrier || !(is_access(code[i]) || code[i].kind == Kind::fence)) continue;
      std::vector<SiteForm> forms = reach(shape_of(test, code[i]), true, next);
      if (forms.size() < 2) continue;
      std::vector<Place> places;
      for (uint32_t t : group) places.push_back({t, i});
      out.push_back(make_site(test, std::move(places), false, std::move(forms)));
    }
  }
  for (auto& places : barriers(test, options.together)) {
    const Shape first = shape_of(test, test.instrs(places[0].thread)[places[0].instr]);
    const bool equal = std::all_of(places.begin(), places.end(), [&](const Place& p) {
      return shape_of(test, test.instrs(p.thread)[p.instr]) == first;
    });
    const auto only_absent = [&](const Shape& s) {
      std::vector<Step> steps;
      if (!s.absent && !weaker(steps_of(test), s).empty()) {
        Shape n;
        n.kind = Kind::barrier;
        n.absent = true;
        steps.push_back({Aspect::presence, n});
      }
      return steps;
    };
    std::vector<SiteForm> forms = equal ? reach(first, true, next) : reach(first, true, only_absent);
    if (forms.size() > 1) out.push_back(make_site(test, std::move(places), false, std::move(forms)));
  }
  if (options.together) join_by_source(test, out);
  by_place(out);
  return out;
}

std::vector<Site> strengthening_sites(const Test& test, const SiteOptions& options) {
  if (!has_steps(test)) return {};
  std::vector<Site> out;
  Surroundings around = surroundings_of(test);
  const bool asynchronous = std::ranges::find(around.proxies, Tag::ASYNC) != around.proxies.end();
  const auto next = [&](const Shape& s) { return stronger(steps_of(test), s, around); };
  for (const auto& group : groups(test, options.together)) {
    const auto& code = test.instrs(group.front());
    around.host = test.threads[group.front()].host;
    bool earlier = false;
    for (uint32_t i = 0; i < code.size(); ++i) {
      std::vector<Place> places;
      for (uint32_t t : group) places.push_back({t, i});
      // Threads that meet at a barrier are ordered by it, but for accesses of the async proxy only beside a fence.
      if (is_access(code[i]) || (asynchronous && code[i].kind == Kind::barrier)) {
        // Nothing stands between the events of one instruction.
        // A run of hidden ones that no instruction begins belongs to the access behind it.
        const bool guarded = i > 0 && code[i - 1].hidden && std::find_if(code.begin(), code.end(), [&](const Instr& o) {
                                                              return o.operation == code[i - 1].operation;
                                                            })->hidden;
        const bool locked = code[i].tags.has(Tag::HOST) && code[i].kind == Kind::rmw;  // its fences go with it
        const bool within = code[i].hidden || guarded || locked ||
                            (i > 0 && code[i].operation != k_none && code[i - 1].operation == code[i].operation);
        if (earlier && !within && splittable(test, code, i)) {
          Shape nothing;
          nothing.absent = true;
          std::vector<SiteForm> forms = reach(nothing, false, next);
          if (forms.size() > 1) out.push_back(make_site(test, places, true, std::move(forms)));
        }
        earlier = true;
      }
      if (!(is_access(code[i]) || code[i].kind == Kind::fence)) continue;
      std::vector<SiteForm> forms = reach(shape_of(test, code[i]), false, next);
      if (forms.size() > 1) out.push_back(make_site(test, std::move(places), false, std::move(forms)));
    }
  }
  if (options.together) join_by_source(test, out);
  by_place(out);
  return out;
}

Variant apply(const Test& test, const std::vector<Site>& sites, const Choice& choice) {
  FENCEPOST_INVARIANT(sites.size() == choice.size(), "a variant has a form for each site");
  struct Change {
    const Shape* replace = nullptr;
    const Shape* before = nullptr;
  };
  std::vector<std::map<uint32_t, Change>> changes(test.threads.size());
  for (size_t k = 0; k < sites.size(); ++k) {
    if (choice[k] == 0) continue;
    const Shape& shape = sites[k].forms[choice[k]].shape;
    for (const Place& p : sites[k].places)
      (sites[k].gap ? changes[p.thread][p.instr].before : changes[p.thread][p.instr].replace) = &shape;
  }
  Variant v;
  v.test = test;
  v.test.templates.clear();
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    Template code = test.code(t);
    std::vector<Instr> old = std::move(code.code);
    code.code.clear();
    std::vector<uint32_t> position(old.size(), k_none);
    uint32_t unnamed = 0;
    for (uint32_t i = 0; i < old.size(); ++i) {
      const auto change = changes[t].find(i);
      if (change != changes[t].end() && change->second.before) {
        Instr fence;
        fence.kind = Kind::fence;
        fence.span = old[i].span;
        set_shape(test, fence, *change->second.before);
        code.code.push_back(std::move(fence));
      }
      if (change != changes[t].end() && change->second.replace) {
        if (change->second.replace->absent) continue;
        set_shape(test, old[i], *change->second.replace);
      }
      // Unnamed OPENCL barriers are numbered in the order in which they stand.
      if (old[i].kind == Kind::barrier && old[i].barrier.instance.starts_with("#"))
        old[i].barrier.instance = "#" + std::to_string(unnamed++);
      position[i] = static_cast<uint32_t>(code.code.size());
      if (old[i].kind == Kind::label) code.labels[old[i].label].at = position[i];
      code.code.push_back(std::move(old[i]));
    }
    v.position.push_back(std::move(position));
    number_operations(code);
    v.test.threads[t].templ = intern_template(v.test, std::move(code));
  }
  name_by_number(v.test);
  return v;
}

std::string describe(const Test& test, const Site& site) {
  std::string out;
  for (size_t k = 0; k < site.places.size(); ++k)
    if (k == 0 || site.places[k].thread != site.places[k - 1].thread)
      out += (out.empty() ? "P" : ", P") + std::to_string(site.places[k].thread);
  const auto& code = test.instrs(site.at().thread);
  if (!site.gap) return out + ": " + site.forms[0].text;
  Instr next = code[site.at().instr];
  if (next.dst != k_none && test.code(site.at().thread).registers[next.dst].temporary) next.dst = k_none;
  return out + ": before " + to_string(test, site.at().thread, next);
}

}  // namespace fencepost::prog
