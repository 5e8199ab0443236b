// A module, its launch and its question as a test.
#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "litmus/lexer.h"
#include "prog/cuda_cpp.h"
#include "prog/not_reached.h"
#include "prog/plain_objects.h"
#include "prog/syntax.h"
#include "ptxmod/cuda_kernel.h"
#include "ptxmod/lower.h"
#include "ptxmod/ptxmod.h"
#include "ptxmod/question.h"

namespace fencepost::ptxmod {
namespace {

// ---- names of the header -------------------------------------------------------------------------------------

constexpr const char* k_suffixes[] = {"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64"};

// The last name in a mangled one: "counter" of _ZN4lock7counterE, "tile" of _ZZ4scanPiE4tile.
std::string short_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  if (status != 0 || !text) return "";
  const std::string s = text.get();
  size_t at = s.size();
  while (at > 0 && (std::isalnum(static_cast<unsigned char>(s[at - 1])) != 0 || s[at - 1] == '_')) --at;
  return s.substr(at);
}

// The '@' of comments in which LLVM notes the name of a function, which are no headers: "// @kernel" and nothing else,
// behind the ')' of its parameters, or on a line of its own behind "-- Begin function kernel". A word that is not on
// the list of headers stays an error anywhere else; a function of the module may be noted anywhere, unless it is
// called as a header.
std::vector<size_t> notes_of_llvm(const std::string& text, const Module& m) {
  constexpr const char* k_blank = " \t\r";
  std::vector<size_t> out;
  std::string before;  // the line before
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, end - from);
    const size_t slashes = line.rfind("//"), at = slashes == std::string::npos ? slashes : line.find('@', slashes);
    if (at != std::string::npos && line.find_first_not_of(k_blank, slashes + 2) == at) {
      std::string name = line.substr(at + 1), code = line.substr(0, slashes);
      name.erase(name.find_last_not_of(k_blank) + 1);
      code.erase(code.find_last_not_of(k_blank) + 1);
      const bool is_name = !name.empty() && std::ranges::all_of(name, [](const unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '$' || c == '.';
      });
      const bool noted = code.ends_with(')') || (code.empty() && before.ends_with("-- Begin function " + name));
      const bool ours = name != "Config" && name != "Input" && name != "Output" && name != "Filter" &&
                        std::ranges::any_of(m.functions, [&](const Function& f) { return f.name == name; });
      if (is_name && (noted || ours)) out.push_back(from + at);
    }
    before = line;
    before.erase(before.find_last_not_of(k_blank) + 1);
    from = end + 1;
  }
  return out;
}

spirv::Compiled names_of(const SourcePtr& source, const Module& m, const Function& entry, const Flat& flat) {
  spirv::Compiled out;
  std::string text = source->text;
  for (const size_t at : notes_of_llvm(text, m)) text[at] = ' ';
  out.source = make_source(source->name, std::move(text));
  std::map<std::string, int> often;
  const auto add = [&](const std::string& name, uint32_t variable, int64_t at, bool weak) {
    if (name.empty()) return;
    const auto put = [&](const std::string& n, const std::string& type) {
      if (weak)
        out.variables.try_emplace(n, spirv::Compiled::Variable{encoded(variable, at, type), {}});
      else
        out.variables[n] = {encoded(variable, at, type), {}};
    };
    put(name, "");
    for (const char* t : k_suffixes) put(fmt::format("{}.{}", name, t), t);
  };
  for (uint32_t k = 0; k < flat.variables.size(); ++k)
    if (flat.variables[k].space != "param" && flat.variables[k].space != "local")
      ++often[short_name(flat.variables[k].name)];
  for (uint32_t k = 0; k < flat.variables.size(); ++k) {
    const Variable& v = flat.variables[k];
    if (v.space == "local" || v.space == "param") continue;
    const std::string brief = short_name(v.name);
    if (often[brief] == 1) add(brief, k, k_itself, true);
    add(v.name, k, k_itself, false);
  }
  for (uint32_t n = 0; n < flat.parameters.size(); ++n) {
    const uint32_t k = flat.parameters[n];
    const Variable& v = flat.variables[k];
    for (const std::string& name : {fmt::format("param_{}", n), v.name}) {
      add(name, k, is_structure(v) ? k_itself : 0, name != v.name);
      if (!v.array) continue;
      for (uint64_t at = 0; at < std::min<uint64_t>(v.bytes, 4096); ++at)
        add(fmt::format("{}.{}", name, at), k, static_cast<int64_t>(at), true);
    }
  }
  (void)entry;
  return out;
}

// ---- launch ------------------------------------------------------------------------------------------------

spirv::Launch launch_of(const Function& entry, const spirv::Header& header, bool cuda) {
  spirv::Launch out;
  const auto directive = [&](const char* name) -> std::optional<spirv::Triple> {
    const auto it = entry.directives.find(name);
    if (it == entry.directives.end() || it->second.empty()) return std::nullopt;
    spirv::Triple t = {1, 1, 1};
    for (size_t k = 0; k < 3 && k < it->second.size(); ++k)
      t[k] = static_cast<uint32_t>(std::min<uint64_t>(it->second[k], 1u << 20));
    return t;
  };
  const auto product = [](const spirv::Triple& t) { return uint64_t{t[0]} * t[1] * t[2]; };
  const auto fixed = directive("reqntid"), most = directive("maxntid");
  if (header.grid) {
    out.grid = *header.grid;
  } else if (fixed) {
    if (product(*fixed) > spirv::k_most_threads)
      litmus::unsupported(entry.span, fmt::format("a CTA of {} threads", product(*fixed)),
                          fmt::format("a launch has at most {}", spirv::k_most_threads));
    const auto n = static_cast<uint32_t>(std::max<uint64_t>(product(*fixed), 1));
    out.grid.subgroup = n % 32 == 0 ? 32 : n <= 32 ? n : 1;
    out.grid.subgroups = n / out.grid.subgroup;
  }
  const Span where = header.grid_span.source ? header.grid_span : entry.span;
  if (out.grid.queue_families != 1)
    litmus::fail_at(where, "CUDA and PTX have no queue families",
                    "a launch is threads per warp, warps per CTA, CTAs; a fourth number is 1, a fifth is devices");
  if (header.grid && out.grid.subgroup > 32)
    litmus::fail_at(where, fmt::format("a warp of {} threads", out.grid.subgroup), "a warp has at most 32 threads");
  const uint32_t size = out.grid.workgroup_size();
  out.local = {size, 1, 1};
  if (fixed && product(*fixed) != size)
    litmus::fail_at(where,
                    fmt::format("the launch has CTAs of {} threads, and the module fixes them at {} (.reqntid)", size,
                                product(*fixed)),
                    "the product of the first two numbers of a launch is the size of a CTA");
  if (fixed) out.local = *fixed;
  if (most && product(*most) < size)
    litmus::fail_at(where, fmt::format("the launch has blocks of {} threads, and the kernel allows {} ({})", size,
                                       product(*most), cuda ? "__launch_bounds__" : ".maxntid"));
  return out;
}

// ---- the test ----------------------------------------------------------------------------------------------

struct Whole {
  const Module& module;
  const Function& entry;
  const Flat& flat;
  const spirv::Header& header;
  const spirv::Launch& launch;
  const std::map<RootKey, Given>& given;
  const Blocks& blocks;
};

void clusters(const Whole& w, prog::Test& test) {
  const auto it = w.entry.directives.find("reqnctapercluster");
  if (it == w.entry.directives.end() || it->second.empty()) return;
  uint64_t size = 1;
  for (const uint64_t n : it->second) size *= std::max<uint64_t>(n, 1);
  if (w.launch.grid.workgroup_count() % size != 0 || w.launch.grid.workgroups[1] * w.launch.grid.workgroups[2] != 1)
    litmus::unsupported(w.entry.span, fmt::format("clusters of {} CTAs in this launch", size),
                        "choose a launch whose number of CTAs is a multiple");
  for (prog::Thread& t : test.threads) t.cluster = w.launch.place(t.id).workgroup / static_cast<uint32_t>(size);
}

}  // namespace

void say_notes(const Notes& notes, prog::Test& test) {
  const auto say = [&](std::string s) { test.assumptions.push_back(std::move(s)); };
  if (notes.opaque) say("what floating point arithmetic decides may come out either way");
  if (notes.addresses) say("where addresses are used as numbers, objects lie apart at multiples of 256 bytes");
  if (notes.clocks) say("clocks and numbers of the machine may have any value");
  if (notes.textures) say("what is read through textures may be any value, and nobody writes it");
  if (notes.traps) say("a thread that comes to a trap or a failed assertion ends there");
  if (notes.exits) say("no thread ends, or leaves a loop, while others of its block wait at a barrier of all threads");
  if (notes.prints) say("printf prints nothing");
  if (notes.sizes) say("accesses of different sizes do not race; where they do, the axioms promise nothing (8.7.2)");
  if (notes.lanes) say("each warp has one thread, and what lanes that are not there give may be any value");
}

void observe(const Memory& memory, prog::Test& test) {
  if (test.quantifier != prog::Quantifier::none || test.filter.kind != prog::Cond::Kind::always) return;
  if (memory.hidden().empty()) return;
  for (prog::SymbolId s = 0; s < test.symbols.size(); ++s) {
    if (memory.hidden().contains(s)) continue;
    for (uint64_t cell = 0; cell < test.objects[test.symbols[s].object].init.size(); ++cell) {
      prog::CondValue v;
      v.kind = prog::CondValue::Kind::location;
      v.symbol = s;
      v.cell = cell;
      test.locations.push_back(v);
    }
  }
}

namespace {

void assumptions(const Whole& w, const Notes& notes, prog::Test& test, const Memory& memory, bool rounds) {
  const auto say = [&](std::string s) { test.assumptions.push_back(std::move(s)); };
  if (rounds)
    say(fmt::format("an undefined value in a loop is another in each of {} rounds, and then one of those again",
                    k_rounds));
  if (memory.took_zero()) say("memory without an input starts at 0");
  Notes said = notes;
  if (w.flat.cuda) said.aligned = said.lanes = said.sizes = false;  // words of PTX; in CUDA a race is undefined anyway
  say_notes(said, test);
  const Memory::Reached reached = memory.reached();
  if (reached.buffers > 0 && reached.buffers + reached.variables > 1)
    say("what the parameters of the kernel point at are different objects, which do not overlap");
  const std::string& target = w.module.target;
  if (!w.flat.cuda && target.starts_with("sm_") && std::atoi(target.c_str() + 3) < 70)
    say(fmt::format("the memory model is that of sm_70 and later, though the module is for {}", target));
}

// "If the exiting threads are holding up the barrier, the barrier is released" (PTX ISA, exit); CUDA's __syncthreads is
// "reached by all non-exited threads". Where the number of the thread decides who comes, the code of the threads shows
// it; where memory decides, that is refused. In a loop with barriers it is said as an assumption, since most loops are
// left by all threads together.
void check_exits(const Whole& w, const std::vector<prog::Template>& code,
                 const std::vector<std::vector<EarlyEnd>>& early, Notes& notes) {
  const char* hint = "a thread that ends releases the barrier at which others wait, and that is not modelled";
  std::map<uint32_t, std::pair<uint32_t, std::multiset<std::string>>> first;  // by CTA: a thread, and its barriers
  for (uint32_t t = 0; t < code.size(); ++t) {
    for (const EarlyEnd& e : early[t]) {
      if (w.launch.grid.workgroup_size() == 1) break;  // there is nobody else to wait
      if (!e.in_loop)
        litmus::unsupported(e.span, "memory decides whether this thread ends before a barrier of its block",
                            fmt::format("{}; where a parameter decides it, --input gives its value", hint));
      notes.exits = true;
    }
    if (w.flat.cuda) continue;
    std::multiset<std::string> own;  // a number that is computed is "?"
    for (const prog::Instr& i : code[t].code) {
      if (!is_of_all(i, false)) continue;
      const prog::Barrier& b = i.barrier;
      own.insert(!b.by_value() ? b.instance : b.id.is_const() ? std::to_string(b.id.value()) : "?");
    }
    const uint32_t cta = w.launch.global_workgroup(w.launch.place(t));
    const auto [it, fresh] = first.try_emplace(cta, t, own);
    if (fresh || it->second.second == own) continue;
    const uint32_t with = own.size() > it->second.second.size() ? t : it->second.first;
    for (const prog::Instr& i : code[with].code)
      if (is_of_all(i, false))
        litmus::unsupported(i.span, "a barrier that some thread of the CTA does not come to", hint);
  }
}

prog::Test build(const Whole& w, Decisions& decisions) {
  prog::Test test;
  test.title = w.entry.name;
  test.syntax = prog::Syntax::spirv;
  if (w.flat.cuda) test.remarks = {prog::k_cuda_cpp};
  test.dialect = w.flat.cuda ? vocab::Dialect::opencl : vocab::Dialect::ptx;
  test.span = w.entry.span;
  Memory memory(w.flat, w.launch, w.given, w.header.zero, decisions, test);
  Notes notes;
  std::vector<std::vector<Taken>> taken;
  const auto threads = static_cast<uint32_t>(w.launch.grid.threads());
  std::vector<prog::Template> code;
  std::vector<std::vector<EarlyEnd>> early;
  for (uint32_t t = 0; t < threads; ++t) {
    Lowering lowering(memory, w.flat, w.blocks, w.launch, {t, t}, notes);
    code.push_back(lowering.run());
    early.push_back(lowering.early_ends());
    taken.push_back(lowering.taken());
  }
  if (w.launch.grid.subgroup > 1) {
    check_exchanges(w.flat, w.blocks, w.launch, taken, notes.alike);
    settle_exchanges(test, code, w.launch, decisions);
  }
  if (notes.aligned && !w.flat.cuda) check_aligned(w.flat, w.blocks, w.launch, taken);
  check_exits(w, code, early, notes);
  if (w.flat.cuda) settle_barriers(code, w.launch);
  for (uint32_t t = 0; t < threads; ++t) {
    prog::Thread thread;
    thread.id = t;
    thread.templ = prog::intern_template(test, std::move(code[t]));
    const spirv::Place p = w.launch.place(t);
    const uint32_t cta = w.launch.global_workgroup(p);
    thread.scope = {0, p.device, cta, cta * w.launch.grid.subgroups + p.subgroup};
    test.threads.push_back(std::move(thread));
  }
  memory.check_read_only();
  clusters(w, test);
  const bool rounds = memory.drop_unread();
  if (w.flat.cuda) prog::mark_plain_objects(test);
  Asker asker(memory, w.flat, w.launch);
  test.quantifier = w.header.question.quantifier;
  if (test.quantifier != prog::Quantifier::none) test.condition = asker.cond(w.header.question.condition);
  test.filter = asker.cond(w.header.question.filter);
  memory.name_cells();
  if (!w.flat.cuda) observe(memory, test);
  assumptions(w, notes, test, memory, rounds);
  if (const std::set<uint32_t> lines = lines_not_reached(w.flat, w.blocks, taken); !lines.empty())
    test.assumptions.push_back(fmt::format("{}{} {}, where the kernel orders or waits", prog::k_not_reached,
                                           lines.size() == 1 ? "" : "s", fmt::join(lines, ", ")));
  return test;
}

void check_fits(const spirv::InputValue& x, uint64_t bytes, const Span& span) {
  if (bytes >= 8 || bytes == 0) return;
  const auto w = static_cast<uint8_t>(8 * bytes);
  const auto s = static_cast<int64_t>(x.number);
  if (x.number > term::mask(w) && (s >= 0 || s < -(int64_t{1} << (w - 1))))
    litmus::fail_at(span, fmt::format("this number does not fit into {} bits", w));
}

std::map<RootKey, Given> inputs_of(const spirv::Header& header, const Flat& flat) {
  std::map<RootKey, Given> out;
  for (const spirv::Input& in : header.inputs) {
    Named n = decoded(in.id, in.span);
    const Variable& v = flat.variables[n.key.variable];
    Given g{in.value, n.type.empty() ? 0 : bytes_of(n.type)};
    if (v.space == "param" && in.value.is_list && v.bytes < 8)
      litmus::fail_at(in.span, fmt::format("{} is one number", v.name));
    if (is_structure(v) && n.key.at == k_itself) {
      if (!in.value.is_list)
        litmus::fail_at(in.span, fmt::format("{} has {} bytes", v.name, v.bytes),
                        fmt::format("say where: {}.0 = ..., {}.8 = ...", v.name, v.name));
      n.key.at = 0;
    }
    if (v.space == "param" && !in.value.is_list) {
      const uint64_t at = static_cast<uint64_t>(std::max<int64_t>(n.key.at, 0));
      const uint64_t room = v.bytes > at ? v.bytes - at : 0;
      if (g.element > room) litmus::fail_at(in.span, fmt::format("{} ends before this place", v.name));
      check_fits(in.value, std::min<uint64_t>(g.element != 0 ? g.element : room, 8), in.span);
    }
    if (!v.init.empty())
      litmus::fail_at(in.span, fmt::format("{} already has an initial value", v.name),
                      "remove the @Input, or the initialiser");
    if (v.space == "const" || v.space == "global") {
      const uint64_t each = g.element != 0 ? g.element : v.element;
      if (in.value.is_list && !(v.array && v.element == 1 && g.element == 0) && in.value.items.size() * each > v.bytes)
        litmus::fail_at(in.span, fmt::format("{} has {} bytes", v.name, v.bytes));
    }
    if (!out.emplace(n.key, std::move(g)).second)
      litmus::fail_at(in.span, fmt::format("{} has two inputs", v.name), "write one @Input for it");
  }
  return out;
}

}  // namespace

bool is_ptx_module(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (;;) {
    while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
    if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      const size_t close = text.find("*/", 2);
      if (close == std::string_view::npos) return false;
      text.remove_prefix(close + 2);
    } else {
      return text.starts_with(".version") && text.size() > 8 && static_cast<unsigned char>(text[8]) <= ' ';
    }
  }
}

namespace {

prog::Test lowered(const Module& module, const Function& entry, const Flat& flat, const spirv::Header& header,
                   const spirv::Launch& launch, const std::map<RootKey, Given>& given) {
  const Blocks blocks = blocks_of(flat);
  Decisions decisions;
  for (;;) {
    try {
      return build({module, entry, flat, header, launch, given, blocks}, decisions);
    } catch (const Restart&) {  // each one adds a decision, and there are finitely many
    }
  }
}

// ---- CUDA C++ --------------------------------------------------------------------------------------------------

Span span_in(const SourcePtr& source, uint32_t line, uint32_t column) {
  const std::string& text = source->text;
  size_t begin = 0;
  for (uint32_t k = 1; k < line; ++k) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return {source, 0, 0};
    ++begin;
  }
  const size_t eol = std::min(text.find('\n', begin), text.size());
  const size_t first = std::min<size_t>(begin + (column > 0 ? column - 1 : 0), eol);
  size_t end = first;
  while (end < eol && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
  end = std::max(end, std::min(first + 1, eol));
  return {source, static_cast<uint32_t>(first), static_cast<uint32_t>(end)};
}

// Places and names of the source take the place of those of the compiled text.
void put_source(const CudaKernel& kernel, Module& module) {
  for (Function& f : module.functions) {
    f.span = span_in(kernel.source, kernel.line, 1);
    for (Statement& s : f.body) {
      s.span = s.line.line == 0 ? f.span : span_in(kernel.source, s.line.line, s.line.column);
      s.line = {};
      for (Operand& o : s.operands) o.span = s.span;
      for (Declaration& d : s.declared) d.span = f.span;
    }
    for (Declaration& d : f.parameters) d.span = f.span;
  }
  for (Declaration& d : module.variables) d.span = {kernel.source, 0, 0};
}

void put_source(const CudaKernel& kernel, Flat& flat) {
  flat.cuda = true;
  for (Register& r : flat.registers)
    if (r.name.starts_with("%")) r.name.erase(0, 1);
  std::map<std::string, int> often;
  for (const auto& [name, v] : kernel.variables) ++often[v.shown];
  for (Variable& v : flat.variables) {
    const auto it = kernel.variables.find(v.name);
    if (it == kernel.variables.end()) {  // of a thread: "x.local3"
      v.name = v.name.substr(0, v.name.find(".local"));
      continue;
    }
    v.type = it->second.type;
    if (it->second.line != 0) v.span = span_in(kernel.source, it->second.line, 1);
    if (v.space == "param" || often[it->second.shown] == 1) v.name = it->second.shown;
  }
}

class CudaNames {
 public:
  CudaNames(const CudaKernel& kernel, const Flat& flat) : flat_(flat) {
    out_.source = kernel.source;
    out_.own = kernel.own;
    out_.headers = {"Define"};
    for (uint32_t k = 0; k < flat.variables.size(); ++k) {
      const Variable& v = flat.variables[k];
      if (v.space == "local") continue;
      using Kind = DataType::Kind;
      if (v.space != "param")
        expand(v.name, {k, k_itself}, v.type, {}, 0);
      else if (v.type.is(Kind::pointer))
        expand(v.name, {k, 0}, v.type.parts.front(), {}, 0);
      else
        expand(v.name, {k, k_itself}, v.type, {}, 0);
    }
  }
  spirv::Compiled names() && { return std::move(out_); }

 private:
  void expand(const std::string& name, const RootKey& key, const DataType& t, const std::vector<uint64_t>& path,
              int depth, uint64_t at = 0) {
    using Kind = DataType::Kind;
    constexpr int k_deepest = 5;
    const bool own = flat_.variables[key.variable].space == "param";
    spirv::Compiled::Variable v{encoded(key.variable, key.at, ""), path};
    if (own)  // parameters hide variables of the file
      out_.variables[name] = v;
    else
      out_.variables.try_emplace(name, v);
    if (depth > k_deepest) return;
    if (t.is(Kind::list) && t.count == 0 && t.parts.front().is(Kind::members)) {  // p.next is p[0].next
      std::vector<uint64_t> first = path;
      first.push_back(0);
      members(name, key, t.parts.front(), first, depth, at);
    }
    if (t.is(Kind::members)) members(name, key, t, path, depth, at);
  }
  void members(const std::string& name, const RootKey& key, const DataType& t, const std::vector<uint64_t>& path,
               int depth, uint64_t at) {
    for (size_t k = 0; k < t.parts.size(); ++k) {
      const DataType& m = t.parts[k];
      const std::string whole = name + "." + t.names[k];
      std::vector<uint64_t> further = path;
      further.push_back(k);
      const bool value = key.at == k_itself && flat_.variables[key.variable].space == "param";
      if (m.is(DataType::Kind::pointer) && value)
        expand(whole, {key.variable, static_cast<int64_t>(at + t.offsets[k])}, m.parts.front(), {}, depth + 1);
      else
        expand(whole, key, m, further, depth + 1, at + t.offsets[k]);
    }
  }

  const Flat& flat_;
  spirv::Compiled out_;
};

// The bytes that an input gives.
void lay_out(const DataType& t, const spirv::InputValue& v, uint64_t at, std::vector<int16_t>& bytes) {
  using Kind = DataType::Kind;
  constexpr uint64_t k_most_bytes = 1u << 20;
  if (v.absent) return;
  if (t.is(Kind::pointer)) litmus::fail_at(v.span, "this is an address, and inputs are numbers");
  if (t.is(Kind::unknown)) litmus::unsupported(v.span, "an input of this type is not read");
  if (t.is(Kind::number)) {
    if (v.is_list) litmus::fail_at(v.span, "this is one number, and no list");
    if (t.is_float) litmus::unsupported(v.span, "an input of a floating point number is not read");
    if (t.bytes <= 8) spirv::need_number_of(v, type_name(t), t.is_unsigned, static_cast<uint8_t>(8 * t.bytes));
    if (at + t.bytes > k_most_bytes) litmus::unsupported(v.span, "inputs of more than a mebibyte are not read");
    if (bytes.size() < at + t.bytes) bytes.resize(at + t.bytes, -1);
    for (uint64_t k = 0; k < t.bytes; ++k) bytes[at + k] = static_cast<int16_t>(v.number >> (8 * k) & 0xff);
    return;
  }
  if (!v.is_list)
    litmus::fail_at(v.span, "this has several elements, and the input is one number", "a list is {value, value, ...}");
  const bool list = t.is(Kind::list);
  const uint64_t most = list ? t.count : t.parts.size();
  if (!(list && t.count == 0) && v.items.size() > most)
    litmus::fail_at(v.span, fmt::format("this has {} elements, and the input {}", most, v.items.size()));
  for (size_t k = 0; k < v.items.size(); ++k)
    lay_out(list ? t.parts.front() : t.parts[k], v.items[k], at + (list ? k * t.parts.front().bytes : t.offsets[k]),
            bytes);
  if (list && bytes.size() < at + v.items.size() * t.parts.front().bytes)
    bytes.resize(at + v.items.size() * t.parts.front().bytes, -1);
}

std::map<RootKey, Given> typed_inputs(const spirv::Header& header, const Flat& flat) {
  std::map<RootKey, Given> out;
  for (const spirv::Input& in : header.inputs) {
    RootKey key = decoded(in.id, in.span).key;
    const Variable& v = flat.variables[key.variable];
    if (!v.init.empty())
      litmus::fail_at(in.span, fmt::format("{} already has an initial value", v.name),
                      "remove the @Input, or the initialiser");
    Given g{.value = in.value};
    const DataType* t = &v.type;
    if (key.at != k_itself) t = &leaf_at(v.type, static_cast<uint64_t>(key.at)).first->parts.front();
    if (v.space == "param" && key.at == k_itself && !v.array) {
      if (t->is_float) litmus::unsupported(in.span, "an input of a floating point number is not read");
      key.at = 0;
      std::vector<int16_t> bytes;
      lay_out(*t, in.value, 0, bytes);
    } else {
      g.typed = true;
      lay_out(*t, in.value, 0, g.bytes);
    }
    if (!out.emplace(key, std::move(g)).second)
      litmus::fail_at(in.span, fmt::format("{} has two inputs", v.name), "write one @Input for it");
  }
  return out;
}

}  // namespace

Expected<prog::Test> parse_ptx_module(const SourcePtr& source, const spirv::LaunchOptions& options) {
  return litmus::guarded([&] {
    const Module module = parse_module(source);
    const Function& entry = entry_of(module, options.entry);
    const Flat flat = flatten(module, entry);
    check_operands(flat);
    const spirv::Header header = spirv::read_header(names_of(source, module, entry, flat), options);
    return lowered(module, entry, flat, header, launch_of(entry, header, false), inputs_of(header, flat));
  });
}

Expected<prog::Test> parse_cuda_kernel(const CudaKernel& kernel, const spirv::LaunchOptions& options) {
  return litmus::guarded([&] {
    Module module = parse_module(make_source("compiled kernel", kernel.module));
    put_source(kernel, module);
    const Function& entry = entry_of(module, "");
    Flat flat = flatten(module, entry);
    put_source(kernel, flat);
    const spirv::Header header = spirv::read_header(CudaNames(kernel, flat).names(), options);
    prog::Test test = lowered(module, entry, flat, header, launch_of(entry, header, true), typed_inputs(header, flat));
    test.title = kernel.title;
    if (!kernel.absent.empty())
      test.assumptions.push_back(
          fmt::format("what the kernel uses is defined in none of the files that were not found ({})",
                      fmt::join(kernel.absent, ", ")));
    for (const std::string& a : kernel.arch) test.assumptions.push_back(a);
    return test;
  });
}

}  // namespace fencepost::ptxmod
