#pragma once
// All of a test that equality compares, and the places besides, as text: what a reader makes, to the last tag.
#include <algorithm>
#include <sstream>
#include <string>

#include "prog/test.h"

namespace spirv_test {

inline std::string place_of(const fencepost::Span& s) {
  if (s.source == nullptr) return "nowhere";
  return s.location() + "+" + std::to_string(s.end - s.begin);
}

inline void list_condition(std::string& out, const fencepost::prog::Test& t, const fencepost::prog::Cond& c,
                           const std::string& indent) {
  using fencepost::prog::CondValue;
  const auto side = [&](const CondValue& v) {
    return (v.is_unsigned ? "unsigned " : "") + fencepost::prog::to_string(t, v) + " at " + place_of(v.span);
  };
  out += indent + std::to_string(static_cast<int>(c.kind)) + " " + place_of(c.span);
  if (c.kind == fencepost::prog::Cond::Kind::atom)
    out += " " + std::to_string(static_cast<int>(c.cmp)) + " " + side(c.lhs) + ", " + side(c.rhs);
  out += "\n";
  for (const auto& k : c.kids) list_condition(out, t, k, indent + "  ");
}

inline std::string listing(const fencepost::prog::Test& t) {
  using namespace fencepost;
  std::string out = t.title + " " + vocab::name(t.dialect) + " " + place_of(t.span) + "\n";
  const auto numbers = [](const auto& list) {
    std::string s;
    for (const auto n : list) s += " " + std::to_string(n);
    return s;
  };
  for (const prog::Object& o : t.objects) {
    out += "object " + o.name + ":" + std::to_string(o.width) + " {" + to_string(o.tags) + "} " + place_of(o.span) +
           " =" + numbers(o.init);
    out += o.undefined.empty() ? "" : " undefined" + numbers(o.undefined);
    for (const prog::Cell& c : o.cells) out += " " + (c.name.empty() ? "-" : c.name) + (c.is_unsigned ? ":u" : "");
    out += o.is_unsigned ? " unsigned\n" : "\n";
  }
  for (const prog::Symbol& s : t.symbols)
    out += "symbol " + s.name + " " + std::to_string(s.object) + " " + std::to_string(s.generic) + " " +
           place_of(s.span) + "\n";
  for (const prog::Thread& th : t.threads)
    out +=
        "thread " + std::to_string(th.id) + " template " + std::to_string(th.templ) + " in" + numbers(th.scope) + "\n";
  for (uint32_t k = 0; k < t.templates.size(); ++k) {
    const prog::Template& c = t.templates[k];
    out += "template " + std::to_string(k) + "\n";
    for (const prog::Register& r : c.registers)
      out += "  register " + r.name + ":" + std::to_string(r.width) + (r.temporary ? " temporary\n" : "\n");
    const auto of = std::find_if(t.threads.begin(), t.threads.end(), [&](const auto& th) { return th.templ == k; });
    const auto name = [&](uint64_t v) { return v == prog::k_old_value ? std::string("old") : "r" + std::to_string(v); };
    const auto term = [&](const char* what, const term::Expr& e) {
      return e ? std::string(" ") + what + " " + term::to_string(e, name) + ":" + std::to_string(e.width()) : "";
    };
    const auto number = [](const char* what, uint32_t n) {
      return n == prog::k_none ? "" : std::string(" ") + what + " " + std::to_string(n);
    };
    for (const prog::Instr& i : c.code) {
      out +=
          std::string("  ") + prog::name(i.kind) + " " + prog::to_string(t, of->id, i) + " {" + to_string(i.tags) + "}";
      if (!i.store_tags.empty()) out += " store {" + to_string(i.store_tags) + "}";
      if (i.failed_tags) out += " failed {" + to_string(*i.failed_tags) + "}";
      out += number("dst", i.dst) + number("symbol", i.addr.symbol) + number("label", i.label) +
             number("predicate", i.predicate) + number("spurious", i.spurious);
      out += term("index", i.addr.index) + term("value", i.value) + term("guard", i.guard) + term("result", i.result);
      if (i.kind == prog::Kind::barrier)
        out += " instance " + i.barrier.instance + " level " + std::to_string(i.barrier.level);
      out += " at " + place_of(i.span) + "\n";
    }
  }
  out += std::string(prog::name(t.quantifier)) + "\n";
  list_condition(out, t, t.condition, "  ");
  out += "filter\n";
  list_condition(out, t, t.filter, "  ");
  for (const std::string& a : t.assumptions) out += "assumes " + a + "\n";
  return out;
}

inline std::string digest(const std::string& text) {  // FNV-1a
  uint64_t n = 14695981039346656037u;
  for (const char c : text) n = (n ^ static_cast<unsigned char>(c)) * 1099511628211u;
  std::ostringstream out;
  out << std::hex << n;
  return out.str();
}

// Counts, and a digest of the listing.
inline std::string summary(const fencepost::prog::Test& t) {
  size_t code = 0, registers = 0;
  for (const auto& c : t.templates) code += c.code.size(), registers += c.registers.size();
  std::ostringstream line;
  line << t.objects.size() << " objects, " << t.templates.size() << " templates, " << code << " instructions, "
       << registers << " registers, " << event_count(t) << " events: " << digest(listing(t));
  return line.str();
}

}  // namespace spirv_test
