// A progress test as a memory program, so that `check`, the printers and devices can have it. An atomic exchange-branch
// instruction (test.h) is one access and a branch on what it read: a store where it cannot jump, a compare-and-swap, an
// exchange, or a load, which --loads may make a read-modify-write that adds 0. The branch goes by a register of its
// own, named after the position, so that every read of a path can be asked about. Names that a notation takes for words
// of its own get an underscore.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "axb/scan.h"
#include "axb/translate.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "term/term.h"

namespace fencepost::axb {
namespace {

using prog::Kind;
using prog::Tag;
using prog::TagSet;
using vocab::Dialect;

// Location names that a litmus notation reads as something else get an underscore, which ends every one of these
// clashes.
bool is_taken(std::string_view name) {
  constexpr std::array<std::string_view, 60> k_words = {
      "auto",   "break",    "case",   "char",      "const",     "continue",  "default",  "do",     "double",   "else",
      "enum",   "extern",   "float",  "for",       "int",       "long",      "register", "return", "short",    "signed",
      "sizeof", "static",   "struct", "switch",    "typedef",   "union",     "unsigned", "void",   "volatile", "while",
      "inline", "restrict", "global", "local",     "constant",  "private",   "kernel",   "bool",   "uchar",    "ushort",
      "uint",   "ulong",    "size_t", "ptrdiff_t", "intptr_t",  "uintptr_t", "barrier",  "min",    "max",      "true",
      "false",  "exists",   "forall", "filter",    "locations", "not",       "aliases",  "final",  "with",     "ssw"};
  if (std::ranges::find(k_words, name) != k_words.end()) return true;
  for (const std::string_view prefix : {"r", "P", "T", "LC", "_t"}) {  // registers, threads, labels, temporaries
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    if (std::ranges::all_of(name.substr(prefix.size()), [](char c) { return c >= '0' && c <= '9'; })) return true;
  }
  if (name.starts_with("atomic_")) return is_taken(name.substr(7));  // atomic_int
  return name == "SCAS" || name == "WCAS" || name.ends_with("_t");
}

std::vector<std::string> litmus_names(const Test& test) {
  std::vector<std::string> out;
  for (const Location& l : test.locations) {
    std::string name = l.name;
    const auto clashes = [&] {
      if (is_taken(name) || std::ranges::find(out, name) != out.end()) return true;
      return name != l.name && std::ranges::any_of(test.locations, [&](const Location& o) { return o.name == name; });
    };
    while (clashes()) name += '_';
    out.push_back(std::move(name));
  }
  return out;
}

// One line, with nothing that ends a title or opens a comment.
std::string litmus_title(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("_-+./:,=").find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else if (c == ' ' && !out.empty() && out.back() != ' ')
      out += c;
    else if (c != ' ')
      out += '_';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

class Translation {
 public:
  Translation(const Test& test, Dialect d, const TranslateOptions& o) : in_(test), d_(d), o_(o) {}

  prog::Test run() {
    out_.title = litmus_title(in_.name);
    out_.dialect = d_;
    out_.syntax = d_ == Dialect::ptx      ? prog::Syntax::ptx
                  : d_ == Dialect::vulkan ? prog::Syntax::vulkan
                                          : prog::Syntax::opencl;
    memory();
    for (uint32_t n = 0; n < in_.threads.size(); ++n) {
      prog::Thread t;
      t.id = n;
      t.templ = prog::intern_template(out_, code(in_.threads[n]));
      t.scope = place(n);
      out_.threads.push_back(std::move(t));
    }
    question();
    return std::move(out_);
  }

 private:
  uint8_t width() const { return d_ == Dialect::opencl ? 32 : 64; }
  term::Expr constant(Value v) const { return term::constant(v, width()); }

  void memory() {
    for (const std::string& name : litmus_names(in_)) {
      const auto k = static_cast<uint32_t>(out_.objects.size());
      prog::Object o;
      o.name = name;
      o.width = width();
      o.init = {in_.locations[k].init};
      if (d_ == Dialect::opencl) {
        o.tags = {Tag::GLOBAL};
        o.global_in = 0;  // every thread declares every location
      }
      prog::Symbol s;
      s.name = name;
      s.object = s.generic = k;
      out_.objects.push_back(std::move(o));
      out_.symbols.push_back(std::move(s));
    }
  }

  prog::ScopePath place(uint32_t n) const {
    const bool own = o_.placement == Placement::own_workgroup;
    const bool subgroup = o_.placement == Placement::same_subgroup;
    switch (d_) {
      case Dialect::vulkan:
        return {0, 0, own ? n : 0, own || subgroup ? 0 : n};
      case Dialect::opencl:
        return subgroup ? prog::ScopePath{0, 0, 0, 0} : prog::ScopePath{0, 0, own ? n : 0};
      default:
        return {0, 0, own ? n : 0};
    }
  }

  // ---- code ----
  prog::Template code(const Thread& t) const {
    prog::Template out;
    if (d_ == Dialect::opencl)
      for (const prog::Symbol& s : out_.symbols) out.parameters.push_back("global atomic_int* " + s.name);
    std::vector<bool> targeted(t.code.size() + 1);
    for (uint32_t pc = 0; pc < t.code.size(); ++pc)
      if (!is_store(t.code[pc], pc)) targeted[t.code[pc].jump] = true;
    for (uint32_t pc = 0; pc <= t.code.size(); ++pc) {
      if (targeted[pc]) {
        prog::Instr label;
        label.kind = Kind::label;
        label.label = label_at(out, pc);
        out.labels[label.label].at = static_cast<uint32_t>(out.code.size());
        out.code.push_back(std::move(label));
      }
      if (pc < t.code.size()) instruction(out, t.code[pc], pc);
    }
    return out;
  }

  // Labels are numbered by their first mention, as the readers do.
  static prog::LabelId label_at(prog::Template& out, uint32_t pc) {
    const std::string name = fmt::format("LC{:02}", pc);
    for (prog::LabelId l = 0; l < out.labels.size(); ++l)
      if (out.labels[l].name == name) return l;
    out.labels.push_back({name, 0});
    return static_cast<prog::LabelId>(out.labels.size() - 1);
  }

  void instruction(prog::Template& out, const Instr& i, uint32_t pc) const {
    if (o_.order == Order::sc && d_ == Dialect::ptx) {
      prog::Instr fence;
      fence.kind = Kind::fence;
      fence.mnemonic = "fence.sc.gpu";
      fence.tags = {Tag::F, Tag::SC, Tag::GPU, Tag::GEN};
      out.code.push_back(std::move(fence));
    }
    prog::Instr a;
    a.addr.symbol = i.location;
    if (is_store(i, pc)) {
      a.kind = Kind::store;
      a.value = constant(i.value);
      a.args = {a.value};
    } else if (i.compares) {  // PTX: always writes, the old value where the comparison fails
      a.kind = Kind::rmw;
      const term::Expr old = term::variable(prog::k_old_value, width());
      a.args = {constant(i.check), constant(i.value)};
      a.value = term::ite(term::binary(term::Op::eq, old, a.args[0]), a.args[1], old);
    } else if (i.exchanges) {
      a.kind = Kind::rmw;
      a.value = constant(i.value);
      a.args = {a.value};
    } else if (o_.loads_as_rmw) {
      a.kind = Kind::rmw;
      a.args = {constant(0)};
      a.value = term::binary(term::Op::add, term::variable(prog::k_old_value, width()), a.args[0]);
    } else {
      a.kind = Kind::load;
    }
    spell(a, i.exchanges, i.compares);
    if (a.kind == Kind::store) {
      out.code.push_back(std::move(a));
      return;
    }
    prog::Register r;
    r.name = fmt::format("r{}", pc);
    r.width = width();
    if (d_ == Dialect::opencl) r.type = "int";
    a.dst = static_cast<prog::RegId>(out.registers.size());
    out.registers.push_back(std::move(r));
    const term::Expr read = term::variable(a.dst, width());
    out.code.push_back(std::move(a));
    prog::Instr branch;
    branch.kind = Kind::branch;
    branch.value = term::binary(i.unless ? term::Op::ne : term::Op::eq, read, constant(i.check));
    if (d_ == Dialect::opencl) {
      branch.args = {branch.value};
    } else {
      branch.mnemonic = i.unless ? "bne" : "beq";
      branch.args = {read, constant(i.check)};
    }
    branch.label = label_at(out, i.jump);
    out.code.push_back(std::move(branch));
  }

  // Mnemonic and tags, as docs/litmus.md has them.
  void spell(prog::Instr& a, bool exchanges, bool compares) const {
    const bool ordered = o_.order != Order::relaxed;
    const bool reads = a.kind != Kind::store, writes = a.kind != Kind::load;
    if (d_ == Dialect::opencl) {
      const bool sc = o_.order == Order::sc;
      const char* order = sc                ? "seq_cst"
                          : !ordered        ? "relaxed"
                          : reads && writes ? "acq_rel"
                          : reads           ? "acquire"
                                            : "release";
      const char* call = a.kind == Kind::load    ? "load"
                         : a.kind == Kind::store ? "store"
                         : exchanges             ? "exchange"
                                                 : "fetch_add";
      a.mnemonic = fmt::format("atomic_{}_explicit", call);
      a.spelling = {fmt::format("memory_order_{}", order), "memory_scope_device"};
      const TagSet read = {Tag::A, Tag::DV, sc ? Tag::SC : ordered ? Tag::ACQ : Tag::RLX};
      const TagSet write = {Tag::A, Tag::DV, sc ? Tag::SC : ordered ? Tag::REL : Tag::RLX};
      a.tags = reads ? read : write;
      if (reads && writes) a.store_tags = write;
      return;
    }
    TagSet common, read, write;
    if (d_ == Dialect::ptx) {
      const char* order = !ordered ? "relaxed" : reads && writes ? "acq_rel" : reads ? "acquire" : "release";
      const char* head = a.kind == Kind::load ? "ld" : a.kind == Kind::store ? "st" : "atom";
      a.mnemonic = fmt::format("{}.{}.gpu{}", head, order,
                               a.kind != Kind::rmw ? ""
                               : compares          ? ".cas"
                               : exchanges         ? ".exch"
                                                   : ".add");
      common = {Tag::GEN, Tag::GPU};
      read = {Tag::R, ordered ? Tag::ACQ : Tag::RLX};
      write = {Tag::W, ordered ? Tag::REL : Tag::RLX};
    } else {
      const char* order = !ordered ? "" : reads && writes ? ".acq_rel" : reads ? ".acq" : ".rel";
      const char* head = a.kind == Kind::load ? "ld" : a.kind == Kind::store ? "st" : "rmw";
      a.mnemonic = fmt::format("{}.atom{}.dv.sc0{}{}", head, order, ordered ? ".semsc0" : "",
                               a.kind == Kind::rmw && !exchanges ? ".add" : "");
      common = {Tag::SC0, Tag::ATOM, Tag::NONPRIV, Tag::DV};
      if (ordered) common.add(Tag::SEMSC0);
      read = {Tag::R, Tag::VIS};
      write = {Tag::W, Tag::AV};
      if (ordered) read.add(Tag::ACQ), write.add(Tag::REL);
    }
    if (reads && writes) common.add(Tag::RMW);
    a.tags = common | (reads ? read : write);
    if (reads && writes) a.store_tags = common | write;
  }

  // ---- question ----
  static prog::CondValue location(uint32_t l) {
    prog::CondValue v;
    v.kind = prog::CondValue::Kind::location;
    v.symbol = l;
    return v;
  }

  void question() {
    for (uint32_t l = 0; l < in_.locations.size(); ++l) out_.locations.push_back(location(l));
    out_.quantifier = o_.quantifier;
    if (o_.quantifier == prog::Quantifier::none) return;
    std::vector<prog::Cond> atoms;
    for (const FinalValue& f : o_.final_values) {
      prog::Cond c;
      c.kind = prog::Cond::Kind::atom;
      c.lhs = location(f.location);
      // Final values are compared sign-extended.
      c.rhs.constant = static_cast<uint64_t>(term::to_signed(f.value, width()));
      atoms.push_back(std::move(c));
    }
    if (atoms.size() == 1) {
      out_.condition = std::move(atoms.front());
    } else if (!atoms.empty()) {
      out_.condition.kind = prog::Cond::Kind::and_;
      out_.condition.kids = std::move(atoms);
    }
  }

  const Test& in_;
  Dialect d_;
  const TranslateOptions& o_;
  prog::Test out_;
};

}  // namespace

Expected<prog::Test> to_prog(const Test& test, Dialect dialect, const TranslateOptions& options) {
  if (auto good = validate(test); !good) return std::unexpected(std::move(good.error()));
  if (dialect == Dialect::vulkan && options.order == Order::sc)
    return unsupported_at(test.span, "Vulkan's memory model has no sequentially consistent accesses",
                          "choose relaxed or acq_rel, or another dialect");
  if (has_compare_and_swap(test) && dialect != Dialect::ptx)
    return unsupported_at(test.span, "a compare-and-swap is translated to PTX alone",
                          "--target litmus-ptx, or a litmus test of your own");
  for (const FinalValue& f : options.final_values)
    if (f.location >= test.locations.size())
      return error_at(test.span, fmt::format("a final value of location {} of {}", f.location, test.locations.size()),
                      "locations are counted from 0");
  return Translation(test, dialect, options).run();
}

}  // namespace fencepost::axb
