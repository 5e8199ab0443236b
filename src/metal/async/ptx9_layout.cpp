#include "async/ptx9_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "prog/ptx_objects.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::async::ptx9 {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using vocab::Tag;

constexpr uint32_t k_shared_limit = 48 * 1024;

class Maker {
 public:
  explicit Maker(const prog::Test& test) : t_(test) {}

  Layout run() {
    check_objects();
    auto tree = plan::tree_of(t_, true);
    if (!tree) throw Refused{tree.error()};
    out_.tree = std::move(*tree);
    while (out_.ranks < out_.tree.ranks) out_.ranks *= 2;
    if (out_.ranks > 8)
      refuse(t_.span, fmt::format("the test needs clusters of {} CTAs", out_.tree.ranks),
             "8 are what every device with clusters has");
    check_widths();
    check_sizes();
    find_maps();
    find_pairs();
    place();
    find_tokens();
    observe();
    return std::move(out_);
  }

 private:
  void check_objects() const {
    for (const prog::Object& o : t_.objects) {
      if (o.init.size() != 1) refuse(o.span, fmt::format("'{}' is an array", o.name), "declare its elements apart");
      if (o.width != 64) refuse(o.span, fmt::format("'{}' has {} bits, and a place has 64", o.name, o.width));
      if (!o.init_address.empty() && o.init_address.front() != k_none)
        refuse(o.span, fmt::format("'{}' holds an address", o.name), "name the location in the instruction");
      if (!o.undefined.empty() && o.undefined.front())
        refuse(o.span, fmt::format("'{}' has no initial value", o.name), "give it one");
    }
    for (const prog::Symbol& s : t_.symbols)
      if (s.aliased != k_none && s.proxy != "generic" && s.proxy != "multimem")
        refuse(s.span, fmt::format("'{}' is reached through the proxy {}, and kernels have neither textures nor "
                                   "surfaces nor constant banks",
                                   s.name, s.proxy));
      else if (s.aliased != k_none && t_.objects[s.object].home != k_none)
        refuse(s.span, fmt::format("'{}' is another address of shared memory", s.name),
               "only global memory can be mapped twice");
    for (const prog::Thread& th : t_.threads)
      for (const prog::InitValue& v : th.init)
        if (v.address != k_none)
          refuse(t_.span, fmt::format("a register of P{} starts as an address", th.id),
                 "name the location in the instruction");
  }

  void for_each(const auto& f) const {
    for (const prog::Thread& th : t_.threads)
      for (const Instr& i : t_.instrs(th.id)) f(th.id, i);
  }

  // An operation of 4 bytes leaves the others of a place as they are, which is the test's meaning for small values.
  void check_widths() const {
    const auto large = [](uint64_t v) { return v > 0xffffffffu; };
    bool wide = false;
    for (const prog::Object& o : t_.objects) wide = wide || (!o.mbarrier && large(o.init.front()));
    const Instr* narrow = nullptr;
    for_each([&](uint32_t, const Instr& i) {
      if (i.hidden) return;
      if (i.value && i.value.is_const()) wide = wide || large(i.value.value());
      const auto written = operands_of(i);
      const std::string& m = i.mnemonic;
      const bool data = m.starts_with("st.async") || m.starts_with("red.async");
      for (const std::string& w : written) wide = wide || (w.starts_with("-") && data);
      if ((m.starts_with("cp.async.c") && !written.empty() && written.back() == "4") ||
          ((data || m.starts_with("cp.reduce")) && m.ends_with("32")))
        narrow = &i;
    });
    if (narrow != nullptr && wide)
      refuse(narrow->span, fmt::format("'{}' moves 4 of the 8 bytes of a location", narrow->mnemonic),
             "use values below 2^32, or 8 bytes");
  }

  // A copy moves at most what a place has.
  void check_sizes() const {
    for_each([&](uint32_t, const Instr& i) {
      if (i.hidden || (!begins_copy(i.mnemonic) || i.mnemonic.find(".tensor") != std::string::npos)) return;
      for (const std::string& w : operands_of(i))
        if (w.find_first_not_of("0123456789") == std::string::npos && w.size() > 2 &&
            std::stoul(w.substr(0, 9)) > k_place_bytes && i.mnemonic.find("cp_mask") == std::string::npos)
          refuse(i.span, fmt::format("a copy of {} bytes", w), fmt::format("a place has {}", k_place_bytes));
    });
  }
  static bool begins_copy(const std::string& mnemonic) {
    return mnemonic.starts_with("cp.async.bulk") || mnemonic.starts_with("cp.reduce.async.bulk") ||
           mnemonic.starts_with("multimem.cp");
  }

  void find_maps() {
    out_.maps.assign(t_.objects.size(), false);
    for_each([&](uint32_t, const Instr& i) {
      if (i.tags.has(Tag::TMAP) && i.kind == Kind::load) out_.maps[t_.symbols[i.addr.symbol].object] = true;
    });
    for_each([&](uint32_t, const Instr& i) {
      if (i.addr.symbol == k_none || !out_.maps[t_.symbols[i.addr.symbol].object]) return;
      if (i.tags.has(Tag::TMAP) || i.operands || i.hidden) return;
      if (i.kind != Kind::store || !i.tags.has(Tag::WEAK) || i.tags.has(Tag::ASY) || !i.value.is_const())
        refuse(i.span, fmt::format("'{}' accesses a tensor map", i.mnemonic),
               "a map is changed by st.weak of a constant, which becomes tensormap.replace");
      check_map_value(i.span, i.value.value());
    });
    for (size_t o = 0; o < t_.objects.size(); ++o)
      if (prog::is_tensor_map(t_.objects[o])) out_.maps[o] = true;
    for (size_t o = 0; o < t_.objects.size(); ++o)
      if (out_.maps[o]) check_map_value(t_.objects[o].span, t_.objects[o].init.front());
  }
  static void check_map_value(const Span& span, uint64_t v) {
    if (v >= k_most_map_values)
      refuse(span, fmt::format("a tensor map of the value {}", v),
             fmt::format("maps have values from 0 to {}", k_most_map_values - 1));
  }

  void find_pairs() {
    const Instr* first = nullptr;
    for (const prog::Thread& th : t_.threads) {
      const auto& code = t_.instrs(th.id);
      for (size_t k = 0; k < code.size(); ++k) {
        if (!code[k].tags.has(Tag::VEC) || code[k].tags.has(Tag::ALIAS)) continue;
        if (!code[k].hidden) {
          first = &code[k];
          continue;
        }
        pair(code[k].span, t_.symbols[first->addr.symbol], t_.symbols[code[k].addr.symbol]);
      }
    }
    for_each([&](uint32_t, const Instr& i) {
      if (i.addr.symbol == k_none || !i.tags.has(Tag::ASYNC)) return;
      if (partner_.contains(t_.symbols[i.addr.symbol].object))
        refuse(i.span,
               fmt::format("'{}' is copied in 16 bytes and is a part of a vector", t_.symbols[i.addr.symbol].name),
               "use two locations");
    });
  }

  void pair(const Span& span, const prog::Symbol& a, const prog::Symbol& b) {
    const prog::ObjectId x = std::min(a.object, b.object), y = std::max(a.object, b.object);
    if (x == y) refuse(span, fmt::format("'{}' stands twice in one vector", a.name), "use two locations");
    if (t_.objects[x].home != t_.objects[y].home || t_.objects[x].mbarrier || t_.objects[y].mbarrier ||
        a.aliased != k_none || b.aliased != k_none)
      refuse(span, fmt::format("'{}' and '{}' cannot be neighbours", a.name, b.name), "put both in one memory");
    for (const auto& [one, other] : {std::pair{x, y}, std::pair{y, x}})
      if (!partner_.emplace(one, other).second && partner_.at(one) != other)
        refuse(span, fmt::format("'{}' is a part of two vectors", t_.objects[one].name),
               "use vectors of the same locations");
  }

  // What a multicast reaches stands at one place of each CTA.
  void find_same_places() {
    for_each([&](uint32_t, const Instr& i) {
      if (i.hidden || i.mnemonic.find(".multicast::") == std::string::npos) return;
      for (const std::string& word : operands_of(i)) {
        const auto all = symbols_of(t_, word);
        for (size_t k = 1; k < all.size(); ++k) {
          const prog::ObjectId a = t_.symbols[all.front()].object, b = t_.symbols[all[k]].object;
          if (a != b && !same_place_.emplace(std::max(a, b), std::min(a, b)).second &&
              same_place_.at(std::max(a, b)) != std::min(a, b))
            refuse(i.span, fmt::format("'{}' is reached by two multicasts", t_.objects[std::max(a, b)].name),
                   "use locations of their own");
        }
      }
    });
  }

  // What a program cannot launch: see Layout::no_program.
  void find_formal() {
    for (const prog::Symbol& s : t_.symbols)
      if (s.proxy == "multimem") out_.no_program = fmt::format("'{}' is a multimem address of several GPUs", s.name);
    for (const prog::Object& o : t_.objects)
      if (prog::is_tensor_map(o))
        out_.no_program = fmt::format("'{}' is a tensor map of locations of the test", o.name);
    for_each([&](uint32_t, const Instr& i) {
      if (i.mnemonic.starts_with("clusterlaunchcontrol")) out_.no_program = "a cluster launch is cancelled";
      if (i.mnemonic.starts_with("tensormap.cp_fenceproxy")) out_.no_program = "a tensor map is copied";
      if (i.mnemonic.starts_with("fence.proxy.") && i.mnemonic.find("fabric") != std::string::npos)
        out_.no_program = "the fabric proxy is that of several GPUs";
    });
  }

  void place() {
    out_.objects.resize(t_.objects.size());
    find_same_places();
    find_formal();
    for (prog::ObjectId o = 0; o < t_.objects.size(); ++o) {
      const auto with = partner_.find(o);
      Place& p = out_.objects[o];
      p.shared = t_.objects[o].home != k_none;
      if (p.shared) p.block = out_.tree.seats[t_.objects[o].home].block;
      if (with != partner_.end() && with->second < o) {
        p.at = out_.objects[with->second].at + 8;
        continue;
      }
      if (const auto same = same_place_.find(o); same != same_place_.end()) {
        p.at = out_.objects[same->second].at;
        continue;
      }
      uint32_t& bytes = p.shared ? out_.shared_bytes : out_.memory_bytes;
      p.at = bytes;
      bytes += k_place_bytes;
    }
    if (out_.shared_bytes > k_shared_limit)
      refuse(t_.span, fmt::format("the test needs {} bytes of shared memory", out_.shared_bytes),
             "48 KiB are what a CTA has");
    out_.memory_bytes = std::max(out_.memory_bytes, k_place_bytes);
  }

  // What an arrival returns is opaque: it may be handed to a wait, and to nothing else.
  void find_tokens() {
    out_.tokens.resize(t_.threads.size());
    for (const prog::Thread& th : t_.threads) {
      auto& tokens = out_.tokens[th.id];
      const auto& names = t_.code(th.id).registers;
      for (const Instr& i : t_.instrs(th.id)) {
        if (i.hidden || !i.mnemonic.starts_with("mbarrier.arrive")) continue;
        const auto words = operands_of(i);
        for (prog::RegId r = 0; r < names.size(); ++r)
          if (!words.empty() && names[r].name == words.front()) tokens.insert(r);
      }
      for (const Instr& i : t_.instrs(th.id)) {
        if (i.hidden || i.mnemonic.starts_with("mbarrier.")) continue;
        const auto opaque = [&](const term::Expr& e) {
          bool out = false;
          if (e)
            term::for_each_variable(e, [&](uint64_t v) { out = out || tokens.contains(static_cast<prog::RegId>(v)); });
          return out;
        };
        if (opaque(i.value) || opaque(i.guard) || opaque(i.result) || tokens.contains(i.predicate))
          refuse(i.span, "what mbarrier.arrive returns is opaque on a device", "hand it to mbarrier.test_wait alone");
      }
    }
  }

  void observe() {
    for (const prog::Observable& o : prog::observables(t_))
      if (const char* what = opaque(o))
        out_.untold.push_back(fmt::format("{} {}", o.text, what));
      else
        out_.observables.push_back(o);
  }
  const char* opaque(const prog::Observable& o) const {
    if (o.is_register) return out_.tokens[o.thread].contains(o.reg) ? "holds what mbarrier.arrive returns" : nullptr;
    const prog::ObjectId object = t_.symbols[o.symbol].object;
    return t_.objects[object].mbarrier ? "is an mbarrier object" : out_.maps[object] ? "is a tensor map" : nullptr;
  }

  const prog::Test& t_;
  Layout out_;
  std::map<prog::ObjectId, prog::ObjectId> partner_;
  std::map<prog::ObjectId, prog::ObjectId> same_place_;  // to a lower one
};

}  // namespace

void refuse(const Span& span, std::string what, std::string hint) {
  throw Refused{unsupported_at(span, std::move(what), std::move(hint)).error()};
}

std::vector<std::string> operands_of(const Instr& i) {
  std::vector<std::string> out;
  if (!i.operands) return out;
  std::string word;
  int depth = 0;
  for (const char c : *i.operands) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      out.push_back(std::move(word));
      word.clear();
    } else if (c != ' ' || depth > 0) {
      word += c;
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

std::vector<prog::SymbolId> symbols_of(const prog::Test& test, const std::string& bracket) {
  std::vector<prog::SymbolId> out;
  if (bracket.size() < 3 || bracket.front() != '[') return out;
  for (size_t at = bracket[1] == '{' ? 2 : 1; at < bracket.size();) {
    const size_t end = bracket.find_first_of(",]}", at);
    const std::string name = bracket.substr(at, end - at);
    const auto s = std::find_if(test.symbols.begin(), test.symbols.end(), [&](const prog::Symbol& x) {
      return x.name == name || (x.proxy == "multimem" && x.name.starts_with(name + "("));
    });
    if (s == test.symbols.end()) break;
    out.push_back(static_cast<prog::SymbolId>(s - test.symbols.begin()));
    if (bracket[1] != '{' || bracket[end] != ',') break;
    at = end + 1;
  }
  return out;
}

prog::SymbolId symbol_of(const prog::Test& test, const std::string& bracket) {
  const auto all = symbols_of(test, bracket);
  return all.empty() ? k_none : all.front();
}

Layout layout_of(const prog::Test& test) { return Maker(test).run(); }

}  // namespace fencepost::async::ptx9
