// PTX litmus tests whose columns are written in the ISA's own text, as `.ptx` files are:
//
//   PTX MP
//   { x = 0; y = 0; }
//    P0@cta 0, gpu 0              | P1@cta 1, gpu 0                   ;
//    st.weak.global.u32 [x], 1    | ld.acquire.gpu.global.u32 %r1, [y] ;
//    st.release.gpu.u32 [y], 1    | ld.weak.u32 %r2, [x]               ;
//   exists (P1:%r1 = 1 /\ P1:%r2 = 0)
//
// A column is a function of its own, lowered as the kernel of a module is (lower.h); locations are global variables,
// or shared ones of a CTA ("s @ shared P0"). Their sizes are those of the accesses that name them. A register is
// declared by .reg in its column or has a name that compilers give: %r1 32 bits, %rd1 64, %rs1 16, %f1 and %fd1
// floating point numbers, %p1 a predicate. All start at 0, as in the other PTX tests. What a question asks of registers
// is stored at the end of the thread, into memory that nobody else sees.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "litmus/condition.h"
#include "litmus/lexer.h"
#include "prog/syntax.h"
#include "ptxmod/ptxmod.h"
#include "ptxmod/question.h"

namespace fencepost::ptxmod {
namespace {

using litmus::Cursor;
using litmus::Token;

constexpr litmus::LexOptions k_words = {.percent_words = true};

struct Location {
  std::string name;
  uint64_t value = 0;
  uint32_t home = k_nothing;  // a thread, of shared memory
  uint64_t bytes = 0;         // that accesses reach
  uint32_t element = 0;       // the largest of them; 0: none names it
  Span span;
};

struct Start {  // of a register
  std::string reg;
  Operand value;  // a number, or a location's name
};

struct Column {
  std::string name;  // "P0"
  uint32_t gpu = 0, cta = 0, cluster = prog::k_none;
  uint32_t in_cta = 0, cta_size = 0;  // place in the CTA
  std::vector<Statement> code;
  std::vector<Start> starts;
  std::map<std::string, std::string> registers;  // by name: the type
  Span span;
};

struct Asked {  // a register that the question names
  uint32_t thread = 0;
  std::string reg;
  prog::Register shape;
};

// ---- text --------------------------------------------------------------------------------------------------

class Reader {
 public:
  explicit Reader(const SourcePtr& source)
      : header_(litmus::parse_header(source)), source_(source), c_(source, k_words, header_.body) {}

  void read() {
    initial_state();
    thread_row();
    while (!c_.at_end() && !litmus::at_question(c_)) row();
    for (Column& c : columns) finish(c);
    for (const auto& [thread, start] : starts_) {
      if (thread >= columns.size()) litmus::fail_at(start.value.span, fmt::format("there is no thread P{}", thread));
      columns[thread].starts.push_back(start);
      use(columns[thread], start.reg, start.value.span);
    }
    extents();
  }
  Cursor& question() { return c_; }
  std::string title() const { return header_.title; }
  std::vector<std::string> remarks() const { return header_.remarks; }

  std::vector<Location> locations;
  std::vector<Column> columns;

  uint32_t location(std::string_view name) const {
    for (uint32_t k = 0; k < locations.size(); ++k)
      if (locations[k].name == name) return k;
    return k_nothing;
  }
  // A register of the column; makes those that have a usual name.
  const std::string* use(Column& c, const std::string& name, const Span& span) const {
    if (const auto it = c.registers.find(name); it != c.registers.end()) return &it->second;
    static const std::pair<const char*, const char*> usual[] = {{"%rd", "b64"}, {"%rs", "b16"}, {"%fd", "f64"},
                                                                {"%r", "b32"},  {"%f", "f32"},  {"%p", "pred"}};
    for (const auto& [prefix, type] : usual)
      if (litmus::is_number_after(name, prefix)) return &c.registers.emplace(name, type).first->second;
    if (!span.source) return nullptr;
    litmus::fail_at(span, fmt::format("thread {} has no register {}", c.name, litmus::quoted(name)),
                    "declare it by .reg, or name it %r1 (32 bits), %rd1 (64), %p1 (a predicate)");
  }

 private:
  // ---- initial state ----
  void initial_state() {
    c_.expect("{");
    while (!c_.accept("}")) {
      if (c_.accept(";")) continue;
      if (litmus::at_thread_id(c_) && c_.peek(1).is(":"))
        initial_register();
      else
        initial_location();
      if (!c_.at(";") && !c_.at("}")) c_.fail_expected(c_.peek(), "';' or '}'", "separate initial values with ';'");
    }
    c_.accept(";");
  }
  void initial_register() {
    const Token from = c_.peek();
    const uint32_t thread = litmus::parse_thread_id(c_);
    c_.expect(":");
    Start s;
    s.reg = std::string(c_.expect_word("a register").text);
    c_.expect("=");
    if (litmus::at_constant(c_)) {
      s.value.kind = Operand::Kind::number;
      s.value.number = litmus::parse_constant(c_);
    } else {
      c_.accept("&");
      const Token name = c_.expect_word("a number or a location");
      if (location(name.text) == k_nothing)
        c_.fail(name, fmt::format("there is no location {}", litmus::quoted(name.text)), "locations stand first");
      s.value.name = std::string(name.text);
    }
    s.value.span = c_.since(from.begin);
    starts_.emplace_back(thread, std::move(s));
  }
  void initial_location() {
    const Token name = c_.expect_word("a location", "initial values are 'x = 1' or 'P0:%r1 = 1'");
    if (location(name.text) != k_nothing) c_.fail(name, fmt::format("{} stands twice", litmus::quoted(name.text)));
    Location l;
    l.name = std::string(name.text);
    l.span = c_.span(name);
    if (c_.accept("@")) {
      if (!c_.at("shared"))
        litmus::unsupported(c_.span(c_.peek()), "only shared memory is read beside instructions of modules",
                            "mbarriers and proxies have the notation of docs/ptx9.md and docs/litmus.md");
      c_.next();
      l.home = litmus::parse_thread_id(c_);
      if (c_.accept("=")) l.value = litmus::parse_constant(c_);
    } else {
      if (!c_.at("="))
        litmus::unsupported(c_.span(c_.peek()), "this initial value is not read beside instructions of modules");
      c_.next();
      if (!litmus::at_constant(c_))
        litmus::unsupported(c_.span(c_.peek()), "memory that holds addresses is not read",
                            "addresses may stand in registers");
      l.value = litmus::parse_constant(c_);
    }
    locations.push_back(std::move(l));
  }

  // ---- threads ----
  void thread_row() {
    do {
      const Token t = c_.peek();
      const uint32_t id = litmus::parse_thread_id(c_);
      if (id != columns.size())
        c_.fail(t, fmt::format("column {} is thread P{}, not P{}", columns.size() + 1, columns.size(), id));
      Column& c = columns.emplace_back();
      c.name = fmt::format("P{}", id);
      c.span = c_.span(t);
      place(c);
    } while (c_.accept("|"));
    c_.expect(";", "end the row of threads with ';', separate threads with '|'");
    for (Column& c : columns) {
      for (const Column& o : columns) {
        if (o.gpu != c.gpu || o.cta != c.cta) continue;
        if (&o < &c) ++c.in_cta;
        ++c.cta_size;
        if (o.cluster != c.cluster)
          litmus::fail_at(c.span, fmt::format("{} and {} are of one CTA", c.name, o.name), "a CTA is in one cluster");
      }
    }
  }
  void place(Column& c) {
    c_.expect("@", fmt::format("write {}@cta 0, gpu 0", c.name));
    bool has_gpu = false, has_cta = false;
    do {
      const Token level = c_.expect_word("a scope level");
      if (level.is("warp"))
        litmus::unsupported(c_.span(level), "places with a warp are not read beside instructions of modules",
                            "each thread is a warp of its own");
      const auto n =
          static_cast<uint32_t>(litmus::number_value(c_, c_.expect_number("the number of the group"), 0xfffffffe));
      bool* seen = level.is("gpu") ? &has_gpu : level.is("cta") ? &has_cta : nullptr;
      if (level.is("cluster") ? c.cluster != prog::k_none : seen != nullptr && *seen)
        c_.fail(level, fmt::format("{} is given twice", litmus::quoted(level.text)));
      if (level.is("cluster"))
        c.cluster = n;
      else if (seen == nullptr)
        c_.fail(level, fmt::format("there is no scope level {}", litmus::quoted(level.text)),
                "places are cta, cluster and gpu");
      else
        (level.is("gpu") ? c.gpu : c.cta) = n, *seen = true;
    } while (c_.accept(","));
    if (!has_gpu || !has_cta)
      litmus::fail_at(c.span, fmt::format("thread {} lacks its place", c.name),
                      fmt::format("write {}@cta 0, gpu 0", c.name));
  }

  // ---- instructions ----
  // The cells of a row, each up to its '|' or the row's ';'. A '|' between the names of two results ("%p1|%p2") has no
  // blanks around it and is no separator.
  void row() {
    const std::string& text = source_->text;
    uint32_t at = c_.position();
    for (size_t k = 0; k < columns.size(); ++k) {
      const uint32_t begin = at;
      const uint32_t end = cell_end(begin);
      const bool last = k + 1 == columns.size();
      if (end >= text.size())
        litmus::fail_at({source_, begin, begin + 1}, "the last row is not finished", "end every row with ';'");
      if ((text[end] == ';') != last)
        litmus::fail_at({source_, end, end + 1},
                        last ? "this row has more cells than the test has threads"
                             : fmt::format("this row has {} cells for {} threads", k + 1, columns.size()),
                        "every row has one cell per thread, separated by '|'; a cell may be empty");
      std::string cell = text.substr(0, end) + ";";
      comments_out(cell, begin);
      for (Statement& s : parse_statements(source_, cell, begin)) columns[k].code.push_back(std::move(s));
      at = end + 1;
    }
    c_ = Cursor(source_, k_words, at);
  }
  uint32_t cell_end(uint32_t at) const {
    const std::string& t = source_->text;
    const auto word = [&](size_t k) {
      return k < t.size() && (std::isalnum(static_cast<unsigned char>(t[k])) != 0 || t[k] == '%' || t[k] == '_');
    };
    for (; at < t.size(); ++at) {
      if (t.compare(at, 2, "(*") == 0) {
        at = static_cast<uint32_t>(std::min(t.find("*)", at + 2), t.size() - 2) + 1);
      } else if (t[at] == ';' || (t[at] == '|' && !(at > 0 && word(at - 1) && word(at + 1)))) {
        return at;
      }
    }
    return at;
  }
  static void comments_out(std::string& cell, size_t from) {
    for (size_t at; (at = cell.find("(*", from)) != std::string::npos;) {
      const size_t end = std::min(cell.find("*)", at), cell.size() - 3) + 2;
      std::fill(cell.begin() + static_cast<std::ptrdiff_t>(at), cell.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    }
  }

  void finish(Column& c) {
    for (const Statement& s : c.code)
      for (const Declaration& d : s.declared)
        for (uint32_t k = 0; k < std::max<uint32_t>(d.range, 1); ++k)
          if (!c.registers.emplace(d.range == 0 ? d.name : fmt::format("{}{}", d.name, k), d.type).second)
            litmus::fail_at(d.span, fmt::format("{} is declared twice", d.name));
    std::erase_if(c.code, [](const Statement& s) { return s.kind == Statement::Kind::declaration; });
    for (const Statement& s : c.code) {
      if (!s.predicate.empty()) use(c, s.predicate, {});
      for (const Operand& o : s.operands) names(c, o);
    }
  }
  void names(Column& c, const Operand& o) {
    if (o.kind == Operand::Kind::name) use(c, o.name, {});
    for (const Operand& p : o.parts) names(c, p);
  }

  // How far the accesses that name a location reach into it.
  void extents() {
    for (const Column& c : columns)
      for (const Statement& s : c.code)
        for (const Operand& o : s.operands) {
          if (o.kind != Operand::Kind::address || o.parts.empty() || o.parts[0].kind != Operand::Kind::name) continue;
          const uint32_t k = location(o.parts[0].name);
          const uint32_t bytes = s.words.empty() ? 0 : bytes_of(s.words.back());
          if (k == k_nothing || bytes == 0 || bytes > 8 || o.parts[0].offset < 0 || o.parts[0].offset > 4096) continue;
          uint32_t lanes = 1;
          for (const std::string& w : s.words)
            if (w == "v2" || w == "v4") lanes = w == "v2" ? 2 : 4;
          Location& l = locations[k];
          l.element = std::max(l.element, bytes);
          l.bytes = std::max<uint64_t>(l.bytes, static_cast<uint64_t>(o.parts[0].offset) + uint64_t{lanes} * bytes);
        }
    for (Location& l : locations) {
      if (l.element == 0) l.element = 8;
      l.bytes = (std::max<uint64_t>(l.bytes, 1) + l.element - 1) / l.element * l.element;
      const auto w = static_cast<uint8_t>(8 * l.element);
      const auto s = static_cast<int64_t>(l.value);
      if (w < 64 && l.value > term::mask(w) && (s >= 0 || s < -(int64_t{1} << (w - 1))))
        litmus::fail_at(l.span,
                        fmt::format("the value of {} does not fit into the {} bits that are accessed", l.name, w));
    }
  }

  litmus::Header header_;
  SourcePtr source_;
  Cursor c_;
  std::vector<std::pair<uint32_t, Start>> starts_;
};

// ---- code ---------------------------------------------------------------------------------------------------

Operand named(std::string name, const Span& span) {
  Operand o;
  o.name = std::move(name);
  o.span = span;
  return o;
}
Operand at_name(std::string name, const Span& span) {
  Operand o;
  o.kind = Operand::Kind::address;
  o.parts.push_back(named(std::move(name), span));
  o.span = span;
  return o;
}
Statement instruction(std::vector<std::string> words, std::vector<Operand> operands, const Span& span) {
  Statement s;
  s.words = std::move(words);
  s.operands = std::move(operands);
  s.span = span;
  return s;
}
std::string bits_of(const std::string& type) {
  return type == "pred" ? "pred" : fmt::format("b{}", 8 * bytes_of(type));
}
std::string result_name(const Reader& r, const Asked& a) { return r.columns[a.thread].name + ":" + a.reg; }

// Locations, then what is asked of registers: the same variables in each column's module.
std::vector<Declaration> variables_of(const Reader& r, const std::vector<Asked>& asked) {
  std::vector<Declaration> out;
  for (const Location& l : r.locations) {
    Declaration d;
    d.space = l.home == k_nothing ? "global" : "shared";
    d.type = fmt::format("b{}", 8 * l.element);
    d.name = l.name;
    d.count = l.bytes / l.element;
    d.array = d.count > 1;
    d.span = l.span;
    out.push_back(std::move(d));
  }
  for (const Asked& a : asked) {
    Declaration d;
    d.space = "global";
    d.type = fmt::format("b{}", a.shape.width);
    d.name = result_name(r, a);
    d.span = r.columns[a.thread].span;
    out.push_back(std::move(d));
  }
  return out;
}

Module module_of(const Reader& r, uint32_t thread, const std::vector<Asked>& asked) {
  const Column& c = r.columns[thread];
  Module m;
  m.variables = variables_of(r, asked);
  Function f;
  f.name = c.name;
  f.is_entry = f.has_body = true;
  f.span = c.span;
  Statement declared;
  declared.kind = Statement::Kind::declaration;
  declared.span = c.span;
  for (const auto& [name, type] : c.registers) {
    Declaration d;
    d.space = "reg";
    d.type = type;
    d.name = name;
    d.span = c.span;
    declared.declared.push_back(std::move(d));
  }
  f.body.push_back(std::move(declared));
  Operand zero;
  zero.kind = Operand::Kind::number;
  for (const auto& [name, type] : c.registers)
    f.body.push_back(instruction({"mov", bits_of(type)}, {named(name, c.span), zero}, c.span));
  for (const Start& s : c.starts) {
    const std::string type = bits_of(c.registers.at(s.reg));
    f.body.push_back(instruction({"mov", type}, {named(s.reg, s.value.span), s.value}, s.value.span));
  }
  for (Statement s : c.code) {
    if (s.kind == Statement::Kind::instruction && (s.words[0] == "ret" || s.words[0] == "exit"))
      s.words = {"bra"}, s.operands = {named("%end of the column", s.span)};
    f.body.push_back(std::move(s));
  }
  Statement end;
  end.kind = Statement::Kind::label;
  end.words = {"%end of the column"};
  end.span = c.span;
  f.body.push_back(std::move(end));
  for (const Asked& a : asked)
    if (a.thread == thread)
      f.body.push_back(instruction({"st", "weak", "global", fmt::format("b{}", a.shape.width)},
                                   {at_name(result_name(r, a), c.span), named(a.reg, c.span)}, c.span));
  m.functions.push_back(std::move(f));
  return m;
}

// A litmus test has no launch, and shared memory is of one CTA.
void check_names(const Reader& r, uint32_t thread, const Flat& flat) {
  const Column& c = r.columns[thread];
  const auto look = [&](const Argument& a, auto&& self) -> void {
    static constexpr const char* free[] = {"WARP_SZ", "clock", "clock64", "globaltimer"};
    if (a.kind == Argument::Kind::special &&
        std::none_of(std::begin(free), std::end(free), [&](const char* s) { return a.name == s; }))
      litmus::unsupported(a.span, fmt::format("%{} in a litmus test, which has no launch", a.name), "write its value");
    if (a.kind == Argument::Kind::variable && a.index < r.locations.size()) {
      const Location& l = r.locations[a.index];
      if (l.home != k_nothing && (r.columns[l.home].cta != c.cta || r.columns[l.home].gpu != c.gpu))
        litmus::unsupported(a.span, fmt::format("{} is shared memory of another CTA than that of {}", l.name, c.name),
                            "the notation of docs/ptx9.md reaches it");
    }
    for (const Argument& p : a.parts) self(p, self);
  };
  for (const Node& n : flat.nodes)
    for (const Argument& a : n.args) look(a, look);
}

// ---- question ------------------------------------------------------------------------------------------------

class Question {
 public:
  explicit Question(Reader& r) : r_(r) {
    for (const Location& l : r.locations) {
      prog::Object o;
      o.name = l.name;
      o.width = static_cast<uint8_t>(8 * l.element);
      o.init.assign(l.bytes / l.element, 0);
      const auto k = static_cast<uint32_t>(draft.objects.size());
      draft.objects.push_back(std::move(o));
      draft.symbols.push_back({l.name, k, k, prog::k_none, "", l.span});
    }
    draft.syntax = prog::Syntax::ptx;
    draft.dialect = vocab::Dialect::ptx;
    litmus::Resolver names;
    names.threads = static_cast<uint32_t>(r.columns.size());
    names.reg = [this](uint32_t thread, std::string_view name, const Span& span) { return reg(thread, name, span); };
    names.registers = [this](uint32_t, prog::RegId k) -> const prog::Register& { return asked[k].shape; };
    names.symbol = [this](std::string_view name, const Span& span) -> prog::SymbolId {
      const uint32_t k = r_.location(name);
      if (k == k_nothing) litmus::fail_at(span, fmt::format("there is no location {}", litmus::quoted(name)));
      return k;
    };
    asked.reserve(64);
    litmus::parse_question(r.question(), draft, names);
  }

  prog::Test draft;
  std::vector<Asked> asked;

  spirv::QuestionCond cond(const prog::Cond& c) const {
    spirv::QuestionCond out;
    out.kind = c.kind;
    out.cmp = c.cmp;
    out.span = c.span;
    if (c.kind == prog::Cond::Kind::atom) out.lhs = value(c.lhs), out.rhs = value(c.rhs);
    for (const prog::Cond& k : c.kids) out.kids.push_back(cond(k));
    return out;
  }
  spirv::QuestionValue value(const prog::CondValue& v) const {
    spirv::QuestionValue out;
    out.span = v.span;
    switch (v.kind) {
      case prog::CondValue::Kind::constant:
        out.is_constant = true;
        out.constant = v.constant;
        break;
      case prog::CondValue::Kind::reg:
        out.id = encoded(static_cast<uint32_t>(r_.locations.size() + v.reg), k_itself, "");
        break;
      case prog::CondValue::Kind::location:
        out.id = encoded(v.symbol, k_itself, "");
        if (r_.locations[v.symbol].bytes > r_.locations[v.symbol].element) out.path = {v.cell};
        break;
      case prog::CondValue::Kind::address:
        litmus::unsupported(v.span, "addresses are not compared in tests with instructions of modules");
    }
    return out;
  }

 private:
  prog::RegId reg(uint32_t thread, std::string_view name, const Span& span) {
    for (uint32_t k = 0; k < asked.size(); ++k)
      if (asked[k].thread == thread && asked[k].reg == name) return k;
    const std::string& type = *r_.use(r_.columns[thread], std::string(name), span);
    if (type == "pred") litmus::unsupported(span, "a predicate is not asked for", "move it to a register by selp");
    if (type[0] == 'f') litmus::unsupported(span, "floating point numbers are not asked for");
    asked.push_back(
        {thread, std::string(name), {std::string(name), static_cast<uint8_t>(8 * bytes_of(type)), "", false}});
    return static_cast<prog::RegId>(asked.size() - 1);
  }

  Reader& r_;
};

// ---- the test ------------------------------------------------------------------------------------------------

struct Threads {
  std::vector<Flat> flats;
  std::vector<Blocks> blocks;
  std::vector<spirv::Launch> launches;  // of the thread's CTA
};

Threads threads_of(const Reader& r, const std::vector<Asked>& asked) {
  Threads out;
  for (uint32_t t = 0; t < r.columns.size(); ++t) {
    const Module m = module_of(r, t, asked);
    out.flats.push_back(flatten(m, m.functions[0]));
    check_names(r, t, out.flats.back());
    check_operands(out.flats.back());
    spirv::Launch l;
    l.grid.subgroups = r.columns[t].cta_size;
    l.local = {r.columns[t].cta_size, 1, 1};
    out.launches.push_back(l);
  }
  for (const Flat& f : out.flats) out.blocks.push_back(blocks_of(f));
  return out;
}

std::map<RootKey, Given> values_of(const Reader& r, size_t asked) {
  std::map<RootKey, Given> out;
  for (uint32_t k = 0; k < r.locations.size() + asked; ++k) {
    Given g;
    if (k < r.locations.size()) {
      g.value.number = r.locations[k].value;
      g.value.span = r.locations[k].span;
      g.element = r.locations[k].element;
    }
    out.emplace(RootKey{k, k_itself}, std::move(g));
  }
  return out;
}

prog::Test build(const Reader& r, const Question& q, const Threads& threads, Decisions& decisions) {
  prog::Test test;
  test.title = r.title();
  test.remarks = r.remarks();
  test.syntax = prog::Syntax::spirv;
  test.dialect = vocab::Dialect::ptx;
  const std::map<RootKey, Given> given = values_of(r, q.asked.size());
  Memory memory(threads.flats[0], threads.launches[0], given, true, decisions, test);
  Notes notes;
  for (uint32_t t = 0; t < r.columns.size(); ++t) {
    const Column& c = r.columns[t];
    Lowering lowering(memory, threads.flats[t], threads.blocks[t], threads.launches[t], {t, c.in_cta}, notes);
    prog::Thread thread;
    thread.id = t;
    thread.templ = prog::intern_template(test, lowering.run());
    thread.scope = {0, c.gpu, c.cta, t};
    thread.cluster = c.cluster;
    test.threads.push_back(std::move(thread));
  }
  memory.check_read_only();
  memory.drop_unread();
  Asker asker(memory, threads.flats[0], threads.launches[0]);
  test.quantifier = q.draft.quantifier;
  test.condition = asker.cond(q.cond(q.draft.condition));
  test.filter = asker.cond(q.cond(q.draft.filter));
  for (const prog::CondValue& v : q.draft.locations)
    for (prog::CondValue& cell : asker.cells(q.value(v))) test.locations.push_back(std::move(cell));
  if (test.locations.empty()) observe(memory, test);
  say_notes(notes, test);
  return test;
}

}  // namespace

bool is_ptx_litmus(std::string_view text) {
  const size_t body = text.find('{');
  if (body == std::string_view::npos) return false;
  std::string t(text.substr(body));
  for (size_t at; (at = t.find("(*")) != std::string::npos;)
    t.erase(at, std::min(t.find("*)", at), t.size() - 2) + 2 - at);
  const auto letter = [&](size_t k) { return k < t.size() && std::isalpha(static_cast<unsigned char>(t[k])) != 0; };
  for (size_t at = 0; at < t.size(); ++at) {
    if (t[at] == '%' && letter(at + 1)) return true;
    // "ld.weak.u32 r, [x]": a type, and the location in brackets.
    const bool begins = at > 0 && std::isspace(static_cast<unsigned char>(t[at - 1])) != 0 && letter(at);
    if (!begins) continue;
    const size_t end = std::min(t.find_first_of(" \t\n", at), t.size());
    const std::string word = t.substr(at, end - at), head = word.substr(0, word.find('.'));
    const bool newer =
        word.starts_with("st.async") || word.starts_with("red.async") || word.find(".v2") != std::string::npos;
    const uint32_t bytes = bytes_of(word.substr(word.rfind('.') + 1));
    if ((head == "ld" || head == "st" || head == "atom" || head == "red") && word.size() > head.size() && !newer &&
        bytes != 0)
      return true;
  }
  return false;
}

Expected<prog::Test> parse_ptx_litmus(const SourcePtr& source) {
  return litmus::guarded([&] {
    Reader r(source);
    r.read();
    for (const Location& l : r.locations)
      if (l.home != k_nothing && l.home >= r.columns.size())
        litmus::fail_at(l.span, fmt::format("there is no thread P{}", l.home));
    const Question q(r);
    const Threads threads = threads_of(r, q.asked);
    Decisions decisions;
    for (;;) {
      try {
        prog::Test t = build(r, q, threads, decisions);
        t.span = {source, 0, static_cast<uint32_t>(source->text.size())};
        return t;
      } catch (const Restart&) {  // each one adds a decision, and there are finitely many
      }
    }
  });
}

}  // namespace fencepost::ptxmod
