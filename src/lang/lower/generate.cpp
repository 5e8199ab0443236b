// All small tests over the left sides of a table (lower.h says within which limits), and, behind them, tests for what
// so few accesses cannot show.
//
// All combinations of two and three accesses were not enough. A table that made an acquire-release read-modify-write
// relaxed passed 46,678 of them: nothing was handed over by it. So each ordered read-modify-write hands a message over,
// each pair of fences, each barrier and each rule for one operation alone stands in message passing and store
// buffering, whatever the number of accesses is; 60 of those tests gain an outcome under that table. A rule that orders
// and that no test meets is named and makes the answer undecided.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/diagnostic.h"
#include "lower/lower.h"
#include "prog/syntax.h"
#include "read/read.h"

namespace fencepost::lower {
namespace {

using prog::Syntax;

struct Form {
  enum class Kind : uint8_t { load, store, rmw, fence, barrier, domain } kind;  // domain: makes available or visible
  std::string dotted;    // SCOPE stands for the scope of the test
  bool ordered = false;  // a fence beside it would say nothing new
};

// The instructions of a dialect, as tables name them.
std::vector<Form> vocabulary(Syntax s) {
  using K = Form::Kind;
  switch (s) {
    case Syntax::ptx:
      return {{K::load, "ld.weak"},
              {K::load, "ld.relaxed.SCOPE"},
              {K::load, "ld.acquire.SCOPE", true},
              {K::store, "st.weak"},
              {K::store, "st.relaxed.SCOPE"},
              {K::store, "st.release.SCOPE", true},
              {K::rmw, "atom.relaxed.SCOPE.exch"},
              {K::rmw, "atom.acquire.SCOPE.exch", true},
              {K::rmw, "atom.release.SCOPE.exch", true},
              {K::rmw, "atom.acq_rel.SCOPE.exch", true},
              {K::fence, "fence.acq_rel.SCOPE"},
              {K::fence, "fence.sc.SCOPE"},
              {K::barrier, "bar.cta.sync"}};
    case Syntax::vulkan:
      return {{K::load, "ld.nonpriv.sc0"},
              {K::load, "ld.atom.SCOPE.sc0"},
              {K::load, "ld.atom.acq.SCOPE.sc0.semsc0.semvis", true},
              {K::store, "st.nonpriv.sc0"},
              {K::store, "st.atom.SCOPE.sc0"},
              {K::store, "st.atom.rel.SCOPE.sc0.semsc0.semav", true},
              {K::rmw, "rmw.atom.SCOPE.sc0.exch"},
              {K::rmw, "rmw.atom.acq.SCOPE.sc0.semsc0.semvis.exch", true},
              {K::rmw, "rmw.atom.rel.SCOPE.sc0.semsc0.semav.exch", true},
              {K::rmw, "rmw.atom.acq_rel.SCOPE.sc0.semsc0.semav.semvis.exch", true},
              {K::fence, "membar.acq.SCOPE.semsc0.semvis"},
              {K::fence, "membar.rel.SCOPE.semsc0.semav"},
              {K::fence, "membar.acq_rel.SCOPE.semsc0.semav.semvis"},
              {K::domain, "avdevice"},
              {K::domain, "visdevice"},
              {K::barrier, "cbar.acq_rel.SCOPE.semsc0.semav.semvis"}};
    case Syntax::cuda:
      return {{K::load, "load.plain"},           {K::load, "load.volatile"},  {K::store, "store.plain"},
              {K::store, "store.volatile"},      {K::rmw, "atomicExch"},      {K::rmw, "atomicCAS"},
              {K::fence, "__threadfence_block"}, {K::fence, "__threadfence"}, {K::fence, "__threadfence_system"},
              {K::barrier, "__syncthreads"}};
    default: {
      std::vector<Form> out = {{K::load, "load.plain"}, {K::store, "store.plain"}};
      for (const char* o : {"relaxed", "acquire", "seq_cst"})
        out.push_back({K::load, fmt::format("load.{}.SCOPE", o), o[0] != 'r'});
      for (const char* o : {"relaxed", "release", "seq_cst"})
        out.push_back({K::store, fmt::format("store.{}.SCOPE", o), std::string(o) != "relaxed"});
      for (const char* o : {"relaxed", "acquire", "release", "acq_rel", "seq_cst"})
        out.push_back({K::rmw, fmt::format("rmw.{}.SCOPE.exch", o), std::string(o) != "relaxed"});
      for (const char* o : {"acquire", "release", "acq_rel", "seq_cst"})
        out.push_back({K::fence, fmt::format("fence.{}.SCOPE", o)});
      out.push_back({K::barrier, "barrier"});
      return out;
    }
  }
}

Words split(const std::string& dotted) {
  Words out;
  for (size_t at = 0; at <= dotted.size();) {
    const size_t end = std::min(dotted.find('.', at), dotted.size());
    out.push_back(dotted.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Whether some rule may fit the form, whatever the scope.
bool mapped(const Table& table, const std::string& dotted) {
  const Words form = split(dotted);
  return std::any_of(table.rules.begin(), table.rules.end(), [&](const Rule& r) {
    for (size_t k = 0; k < r.from.size(); ++k) {
      if (r.from[k] == "*") return true;
      if (k >= form.size()) return false;
      if (r.from[k] != form[k] && r.from[k] != "OP") return false;
    }
    return r.from.size() == form.size();
  });
}

std::string with_scope(const std::string& dotted, const std::string& scope) {
  const size_t at = dotted.find("SCOPE");
  return at == std::string::npos ? dotted : dotted.substr(0, at) + scope + dotted.substr(at + 5);
}

struct Access {
  uint32_t form = 0, location = 0;
  auto operator<=>(const Access&) const = default;
};
struct Code {
  std::vector<Access> accesses;
  int fence = -1;  // between the first two
  auto operator<=>(const Code&) const = default;
};

constexpr const char* k_names[] = {"x", "y"};

class Generator {
 public:
  Generator(const Table& table, const std::function<bool(Generated)>* visit) : table_(table), visit_(visit) {
    for (Form& f : vocabulary(table.from))
      if (mapped(table, f.dotted)) (f.kind >= Form::Kind::fence ? fences_ : forms_).push_back(std::move(f));
    combined_ = static_cast<uint32_t>(forms_.size());
    combined_fences_ =
        static_cast<int>(std::ranges::count_if(fences_, [](const Form& f) { return f.kind == Form::Kind::fence; }));
    add_operations();
    // The narrowest scope but that of threads alone, and the widest two.
    settings_ = table.from == Syntax::ptx      ? std::vector<Setting>{{"cta", true}, {"gpu", false}, {"cta", false}}
                : table.from == Syntax::vulkan ? std::vector<Setting>{{"wg", true}, {"dv", false}, {"wg", false}}
                : table.from == Syntax::cuda
                    ? std::vector<Setting>{{"", true}, {"", false}, {"", false}}
                    : std::vector<Setting>{{"work_group", true}, {"device", false}, {"work_group", false}};
  }

  void run(uint32_t accesses) {
    for (uint32_t n = 2; n <= accesses && !stopped_; ++n)
      for (uint32_t threads : {2u, 3u})
        for (const auto& sizes : splits(n, threads)) {
          rmws_ = n <= 3;
          codes_.clear();
          for (uint32_t s : sizes) codes_.push_back(codes_of(s, sizes.size()));
          std::vector<const Code*> chosen;
          choose(sizes, chosen);
          if (stopped_) return;
        }
    if (!data(Form::Kind::store) || !data(Form::Kind::load)) return;
    for (uint32_t f = 0; f < forms_.size() && !stopped_; ++f)
      if (ordered_update(f)) handed_over(f);
    for (int a = 0; a < static_cast<int>(fences_.size()); ++a)
      for (int b = 0; b < static_cast<int>(fences_.size()); ++b)
        if (accesses < 4 || a >= combined_fences_ || b >= combined_fences_) fenced(a, b);
  }
  // The ordered read-modify-writes that no test hands anything over by: the table has nothing without order beside
  // them.
  std::vector<std::string> unjudged() const {
    std::vector<std::string> out;
    if (!data(Form::Kind::store) || !data(Form::Kind::load))
      for (uint32_t f = 0; f < forms_.size(); ++f)
        if (ordered_update(f)) out.push_back(forms_[f].dotted);
    return out;
  }
  uint64_t number() const { return number_; }

 private:
  struct Setting {
    std::string scope;
    bool together;
  };

  bool ordered_update(uint32_t f) const { return forms_[f].kind == Form::Kind::rmw && forms_[f].ordered; }

  // Rules for one operation alone, which the combinations, of exchanges, do not meet.
  void add_operations() {
    if (table_.from != Syntax::opencl && table_.from != Syntax::ptx) return;
    constexpr std::array k_operations = {"add", "sub", "and", "or", "xor"};
    for (const Rule& r : table_.rules) {
      const bool rmw = r.from.front() == "rmw" || r.from.front() == "atom";
      if (!rmw || !orders(r) || std::ranges::find(k_operations, r.from.back()) == k_operations.end()) continue;
      if (table_.from == Syntax::ptx && r.from.back() == "sub") continue;  // PTX has no such operation
      std::string dotted = fmt::format("{}", fmt::join(r.from, "."));
      if (std::ranges::none_of(forms_, [&](const Form& f) { return f.dotted == dotted; }))
        forms_.push_back({Form::Kind::rmw, std::move(dotted), true});
    }
  }

  // What writes or reads the data of a message: the strongest access without order, which races with none. In CUDA of
  // 2014 only atomic functions race with none.
  std::optional<uint32_t> data(Form::Kind kind) const {
    std::optional<uint32_t> found;
    const bool cuda = table_.from == Syntax::cuda;
    for (const Form::Kind k : {cuda ? kind : Form::Kind::rmw, cuda ? Form::Kind::rmw : kind})
      for (uint32_t f = 0; f < forms_.size(); ++f)
        if (forms_[f].kind == k && !forms_[f].ordered && !forms_[f].dotted.starts_with("atomicCAS")) found = f;
    return found;
  }
  // The last access with order of this kind.
  std::optional<uint32_t> ordered(Form::Kind kind) const {
    std::optional<uint32_t> found;
    for (uint32_t f = 0; f < combined_; ++f)
      if (forms_[f].kind == kind && forms_[f].ordered) found = f;
    return found;
  }

  // Message passing and store buffering over two fences, or over one barrier; over what makes available or visible,
  // beside accesses with order.
  void fenced(int a, int b) {
    using K = Form::Kind;
    constexpr uint32_t x = 0, y = 1;
    const K one = fences_[static_cast<size_t>(a)].kind, other = fences_[static_cast<size_t>(b)].kind;
    const uint32_t store = *data(K::store), load = *data(K::load);
    const auto pair = [&](const Code& p, const Code& q) {
      if (!stopped_) finish({&p, &q});
    };
    if (one == K::barrier || other == K::barrier) {
      if (a == b) pair({{{store, x}, {load, y}}, a}, {{{store, y}, {load, x}}, b});
      return;
    }
    const bool domains = one == K::domain || other == K::domain;
    const uint32_t set = domains ? ordered(K::store).value_or(store) : store;
    const uint32_t get = domains ? ordered(K::load).value_or(load) : load;
    pair({{{store, x}, {set, y}}, a}, {{{get, y}, {load, x}}, b});
    if (store != load || domains)  // else the test before it
      pair({{{store, x}, {load, y}}, a}, {{{store, y}, {load, x}}, b});
  }

  // Four accesses, which the tests of all combinations have without read-modify-writes: message passing and store
  // buffering in which this one is on one side, and every ordered access on the other.
  void handed_over(uint32_t update) {
    using K = Form::Kind;
    constexpr uint32_t x = 0, y = 1;
    const auto pair = [&](const Code& a, const Code& b) {
      if (!stopped_) finish({&a, &b});
    };
    const Access write{*data(K::store), x}, read{*data(K::load), x};
    for (uint32_t other = 0; other < forms_.size(); ++other) {
      const Form& o = forms_[other];
      if (!o.ordered) continue;
      if (o.kind != K::store) pair({{write, {update, y}}}, {{{other, y}, read}});
      if (o.kind == K::store) pair({{write, {other, y}}}, {{{update, y}, read}});
      if (o.kind == K::store) continue;
      pair({{{update, x}, {other, y}}}, {{{update, y}, {other, x}}});
    }
  }

  static std::vector<std::vector<uint32_t>> splits(uint32_t n, uint32_t threads) {
    std::vector<std::vector<uint32_t>> out;
    for (uint32_t a = n; a >= 1; --a)
      for (uint32_t b = std::min(a, n - a); b >= 1 && a < n; --b) {
        if (threads == 2 && a + b == n) out.push_back({a, b});
        if (threads == 3 && n > a + b && n - a - b <= b) out.push_back({a, b, n - a - b});
      }
    return out;
  }

  std::vector<Code> codes_of(uint32_t size, size_t) const {
    std::vector<Code> out(1);
    for (uint32_t k = 0; k < size; ++k) {
      std::vector<Code> next;
      for (const Code& c : out)
        for (uint32_t f = 0; f < combined_; ++f)
          for (uint32_t l = 0; l < 2; ++l) {
            if (forms_[f].kind == Form::Kind::rmw && !rmws_) continue;
            Code n = c;
            n.accesses.push_back({f, l});
            next.push_back(std::move(n));
          }
      out = std::move(next);
    }
    if (size < 2) return out;
    const size_t plain = out.size();
    for (size_t k = 0; k < plain; ++k)
      for (int f = 0; f < combined_fences_; ++f) {
        if (forms_[out[k].accesses[0].form].ordered || forms_[out[k].accesses[1].form].ordered) continue;
        Code c = out[k];
        c.fence = f;
        out.push_back(std::move(c));
      }
    return out;
  }

  void choose(const std::vector<uint32_t>& sizes, std::vector<const Code*>& chosen) {
    const size_t t = chosen.size();
    if (t == sizes.size()) return finish(chosen);
    for (const Code& c : codes_[t]) {
      if (stopped_) return;
      if (t > 0 && sizes[t] == sizes[t - 1] && c < *chosen.back()) continue;  // threads in order
      chosen.push_back(&c);
      choose(sizes, chosen);
      chosen.pop_back();
    }
  }

  // A pointer is volatile or it is not: a thread that sees a location both ways cannot be written.
  bool mixes(const Code& c) const {
    for (const Access& a : c.accesses)
      for (const Access& b : c.accesses)
        if (a.location == b.location && forms_[a.form].dotted.ends_with("volatile") &&
            forms_[b.form].dotted.ends_with("plain"))
          return true;
    return false;
  }

  // Locations in order of first use; every thread shares one with another, and somebody writes it.
  bool wanted(const std::vector<const Code*>& code) const {
    if (code[0]->accesses[0].location != 0) return false;
    if (table_.from == Syntax::cuda && std::any_of(code.begin(), code.end(), [&](const Code* c) { return mixes(*c); }))
      return false;
    std::array<uint32_t, 2> users{}, writers{};
    for (uint32_t t = 0; t < code.size(); ++t)
      for (const Access& a : code[t]->accesses) {
        users[a.location] |= 1u << t;
        if (forms_[a.form].kind != Form::Kind::load) writers[a.location] |= 1u << t;
      }
    uint32_t sharing = 0;
    for (int l = 0; l < 2; ++l)
      if ((users[l] & (users[l] - 1)) != 0 && writers[l] != 0) sharing |= users[l];
    return sharing == (1u << code.size()) - 1;
  }

  void finish(const std::vector<const Code*>& code) {
    if (!wanted(code)) return;
    const auto scoped = [&](const Code* c) {
      return (c->fence >= 0 && fences_[static_cast<size_t>(c->fence)].dotted.find("SCOPE") != std::string::npos) ||
             std::any_of(c->accesses.begin(), c->accesses.end(),
                         [&](const Access& a) { return forms_[a.form].dotted.find("SCOPE") != std::string::npos; });
    };
    const bool scopes_matter = std::any_of(code.begin(), code.end(), scoped);
    for (const Setting& s : settings_) {
      if (&s == &settings_.back() && !scopes_matter) continue;  // as the one before it
      ++number_;
      if (visit_ == nullptr) continue;
      auto test = read::parse_one(make_source("generated.litmus", text(code, s)));
      if (!test)
        invariant_failed(__FILE__, __LINE__, ("a generated test is not a test: " + render(test.error())).c_str());
      if (!(*visit_)({number_, std::move(*test)})) stopped_ = true;
      if (stopped_) return;
    }
  }

  std::string instruction(const Form& f, const Setting& s, const char* location, uint32_t reg, uint32_t value) const {
    const std::string form = with_scope(f.dotted, s.scope);
    if (table_.from != Syntax::opencl && table_.from != Syntax::cuda) {
      const std::string mn =
          table_.from == Syntax::vulkan && f.kind == Form::Kind::rmw ? form.substr(0, form.size() - 5) : form;
      if (f.kind == Form::Kind::barrier) return mn + " 0";
      switch (f.kind) {
        case Form::Kind::load:
          return fmt::format("{} r{}, {}", mn, reg, location);
        case Form::Kind::store:
          return fmt::format("{} {}, {}", mn, location, value);
        case Form::Kind::rmw:
          return fmt::format("{} r{}, {}, {}", mn, reg, location, value);
        default:
          return mn;
      }
    }
    if (table_.from == Syntax::cuda) {
      switch (f.kind) {
        case Form::Kind::load:
          return fmt::format("int r{} = *{};", reg, location);
        case Form::Kind::store:
          return fmt::format("*{} = {};", location, value);
        case Form::Kind::rmw:
          return fmt::format("int r{} = {}({}, {}{});", reg, form, location, form == "atomicCAS" ? "0, " : "", value);
        default:
          return form + "();";
      }
    }
    const Words w = split(form);
    const std::string tail = w.size() > 2 ? fmt::format("memory_order_{}, memory_scope_{}", w[1], w[2]) : "";
    switch (f.kind) {
      case Form::Kind::load:
        return tail.empty() ? fmt::format("int r{} = *{};", reg, location)
                            : fmt::format("int r{} = atomic_load_explicit({}, {});", reg, location, tail);
      case Form::Kind::store:
        return tail.empty() ? fmt::format("*{} = {};", location, value)
                            : fmt::format("atomic_store_explicit({}, {}, {});", location, value, tail);
      case Form::Kind::rmw:
        return fmt::format("int r{} = atomic_{}_explicit({}, {}, {});", reg,
                           w.back() == "exch" ? "exchange" : "fetch_" + w.back(), location, value, tail);
      case Form::Kind::fence:
        return fmt::format("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, {});", tail);
      case Form::Kind::barrier:
      case Form::Kind::domain:
        return "barrier(CLK_GLOBAL_MEM_FENCE);";
    }
    return "";
  }

  std::string text(const std::vector<const Code*>& code, const Setting& s) const {
    std::vector<std::vector<std::string>> rows;
    std::array<uint32_t, 2> value{};
    std::array<bool, 2> used{}, atomic{};
    for (const Code* c : code) {
      std::vector<std::string> column;
      for (uint32_t k = 0; k < c->accesses.size(); ++k) {
        const Access& a = c->accesses[k];
        if (k == 1 && c->fence >= 0) column.push_back(instruction(fences_[static_cast<size_t>(c->fence)], s, "", 0, 0));
        if (forms_[a.form].kind != Form::Kind::load) ++value[a.location];
        used[a.location] = true;
        atomic[a.location] = atomic[a.location] || !forms_[a.form].dotted.ends_with("plain");
        column.push_back(instruction(forms_[a.form], s, k_names[a.location], k, value[a.location]));
      }
      rows.push_back(std::move(column));
    }
    std::string out = fmt::format("{} gen-{}\n{{ ",
                                  table_.from == Syntax::ptx      ? "PTX"
                                  : table_.from == Syntax::vulkan ? "VULKAN"
                                  : table_.from == Syntax::cuda   ? "CUDA"
                                                                  : "OPENCL",
                                  number_);
    for (int l = 0; l < 2; ++l)
      if (used[l]) out += fmt::format("{} = 0; ", k_names[l]);
    out += "}\n";
    if (table_.from == Syntax::cuda) {
      for (uint32_t t = 0; t < rows.size(); ++t) {
        std::string params;
        for (uint32_t l = 0; l < 2; ++l) {
          if (!used[l]) continue;
          const bool is_volatile = std::any_of(
              code[t]->accesses.begin(), code[t]->accesses.end(),
              [&](const Access& a) { return a.location == l && forms_[a.form].dotted.ends_with("volatile"); });
          params += fmt::format("{}{}int* {}", params.empty() ? "" : ", ", is_volatile ? "volatile " : "", k_names[l]);
        }
        out += fmt::format("P{}@block {}, device 0 ({}) {{\n", t, s.together ? 0 : t, params);
        for (const std::string& i : rows[t]) out += "  " + i + "\n";
        out += "}\n";
      }
      return out;
    }
    if (table_.from == Syntax::opencl) {
      for (uint32_t t = 0; t < rows.size(); ++t) {
        std::string params;
        for (int l = 0; l < 2; ++l)
          if (used[l])
            params += fmt::format("{}global {} {}", params.empty() ? "" : ", ", atomic[l] ? "atomic_int*" : "int*",
                                  k_names[l]);
        out += fmt::format("P{}@wg {}, dev 0 ({}) {{\n", t, s.together ? 0 : t, params);
        for (const std::string& i : rows[t]) out += "  " + i + "\n";
        out += "}\n";
      }
      return out;
    }
    size_t most = 0;
    for (const auto& r : rows) most = std::max(most, r.size());
    for (size_t r = 0; r <= most; ++r)
      for (uint32_t t = 0; t < rows.size(); ++t) {
        const uint32_t group = s.together ? 0 : t;
        const std::string place = table_.from == Syntax::ptx ? fmt::format("P{}@cta {}, gpu 0", t, group)
                                                             : fmt::format("P{}@sg {}, wg {}, qf 0", t, t, group);
        out += fmt::format(" {} {}",
                           r == 0                   ? place
                           : r - 1 < rows[t].size() ? rows[t][r - 1]
                                                    : "",
                           t + 1 == rows.size() ? ";\n" : "|");
      }
    return out;
  }

  const Table& table_;
  const std::function<bool(Generated)>* visit_;
  std::vector<Form> forms_, fences_;  // behind the first `combined_`: what the tests behind the combinations have alone
  uint32_t combined_ = 0;
  int combined_fences_ = 0;
  std::vector<Setting> settings_;
  std::vector<std::vector<Code>> codes_;
  bool rmws_ = true, stopped_ = false;
  uint64_t number_ = 0;
};

}  // namespace

void generate(const Table& table, uint32_t accesses, const std::function<bool(Generated)>& visit) {
  Generator(table, &visit).run(accesses);
}

std::vector<std::string> unjudged_updates(const Table& table) { return Generator(table, nullptr).unjudged(); }

bool orders(const Rule& r) {
  constexpr std::array k_orders = {"acquire", "release", "acq_rel", "seq_cst", "sc", "acq", "rel"};
  constexpr std::array k_instructions = {"fence", "membar", "cbar", "bar", "barrier", "avdevice", "visdevice"};
  const std::string& first = r.from.front();
  if (r.from.size() > 1 && r.from[1] == "relaxed") return false;
  return std::ranges::find(k_instructions, first) != k_instructions.end() || first.starts_with("__threadfence") ||
         first.starts_with("__sync") || std::ranges::any_of(r.from, [&](const std::string& w) {
           return std::ranges::find(k_orders, w) != k_orders.end();
         });
}

uint64_t count_generated(const Table& table, uint32_t accesses) {
  Generator g(table, nullptr);
  g.run(accesses);
  return g.number();
}

}  // namespace fencepost::lower
