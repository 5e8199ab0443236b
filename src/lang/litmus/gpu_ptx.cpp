// GPU_PTX litmus files, the format of "GPU Concurrency: Weak Behaviours and Programming Assumptions" (ASPLOS 2015,
// figure 12) and of the thesis before it:
//
//   GPU_PTX name  { initial state }  T0 | T1 ;  instruction rows  ScopeTree (...)  x: shared, y: global  question
//
// A location in shared memory belongs to one CTA. A test whose threads of two CTAs name the same shared location
// would speak of two objects by one name, so it is refused.
#include "litmus/gpu_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "litmus/condition.h"
#include "litmus/parse.h"
#include "prog/places.h"
#include "prog/syntax.h"
#include "vocab/vocab.h"

namespace fencepost::litmus {
namespace {

using namespace gpu_ptx;
using prog::k_none;
using vocab::Tag;

constexpr uint32_t k_max_threads = 1024;
constexpr int k_max_depth = 64;

class Reader {
 public:
  explicit Reader(const SourcePtr& source) : source_(source), c_(source, LexOptions{true, true, false}) {}

  prog::Test test() {
    const Header header = parse_header(source_);
    std::string language = header.language;
    std::transform(language.begin(), language.end(), language.begin(),
                   [](unsigned char ch) { return static_cast<char>(std::toupper(ch)); });
    if (language != "GPU_PTX")
      fail_at(header.language_span, fmt::format("{} is not GPU_PTX", litmus::quoted(header.language)),
              "start the file with GPU_PTX and a name");
    prog::Test& t = b_.test;
    t.title = header.title;
    t.remarks = header.remarks;
    t.syntax = prog::Syntax::gpu_ptx;
    t.dialect = vocab::Dialect::ptx;
    c_ = Cursor(source_, LexOptions{true, true, false}, header.body);
    initial_state();
    thread_row();
    declare_registers();
    while (!at_end_of_code()) row();
    bool has_map = false;
    while (!c_.at_end() && !at_the_question()) {
      if (at_scope_tree())
        scope_tree();
      else if (at_memory_map()) {
        if (has_map) c_.fail(c_.peek(), "a second memory map", "join the two");
        has_map = true;
        memory_map();
      } else {
        c_.fail_expected(c_.peek(), "a scope tree, a memory map or the question",
                         "as in ScopeTree (device (cta (warp T0)) (cta (warp T1)))");
      }
    }
    finish();
    parse_question(c_, t, resolver_of(t));
    t.span = Span{source_, 0, static_cast<uint32_t>(source_->text.size())};
    return std::move(t);
  }

 private:
  struct InitialRegister {
    uint32_t thread = 0;
    std::string name;
    Type type;
    bool has_value = false;
    uint64_t constant = 0;
    std::string location;
    Span span;
    Span value_span;
  };

  // ---- initial state ---------------------------------------------------------------------------------

  void initial_state() {
    c_.expect("{", "the initial state stands in braces");
    while (!c_.accept("}")) {
      if (c_.accept(";")) continue;
      const bool region = c_.at("global") || c_.at("shared");
      if (!region && at_thread_id(c_) && c_.peek(1).is(":"))
        initial_register();
      else
        initial_location();
      if (!c_.at(";") && !c_.at("}")) c_.fail_expected(c_.peek(), "';' or '}'", "separate entries with ';'");
    }
    c_.accept(";");
  }

  Type parse_type() {
    c_.expect(".", "types start with a dot: .s32");
    const Token t = c_.expect_word("a type", "types are .s32 .u32 .b32 .s64 .u64 .b64 .pred");
    const auto type = find_type(t.text);
    if (!type)
      c_.fail(t, fmt::format("{} is not a type", litmus::quoted(t.text)),
              suggest(t.text, type_names(), "types are .s32 .u32 .b32 .s64 .u64 .b64 .pred"));
    return *type;
  }

  void initial_register() {
    InitialRegister r;
    const uint32_t begin = c_.position();
    r.thread = parse_thread_id(c_);
    c_.expect(":");
    c_.expect(".", "a register is declared as 0:.reg .s32 r0");
    c_.expect("reg", "a register is declared as 0:.reg .s32 r0");
    r.type = parse_type();
    r.name = std::string(c_.expect_word("the name of the register").text);
    r.span = c_.since(begin);
    if (c_.accept("=")) {
      const Token t = c_.peek();
      r.has_value = true;
      c_.accept("&");
      if (at_constant(c_)) {
        r.constant = parse_constant(c_, r.type.width);
      } else {
        const Token name = c_.expect_word("a constant or a location", "write = 1 or = x");
        r.location = std::string(name.text);
        if (r.type.width != 64)
          c_.fail(t, fmt::format("an address needs 64 bits, and {} has {}", litmus::quoted(r.name), r.type.width),
                  fmt::format("declare it .b64: {}:.reg .b64 {} = {}", r.thread, r.name, r.location));
        b_.location(name.text, c_.span(name), true);
      }
      r.value_span = c_.since(t.begin);
    }
    registers_.push_back(std::move(r));
  }

  void region(prog::SymbolId s, const Token& t) {
    prog::Object& o = b_.test.objects[b_.test.symbols[s].object];
    if (regions_.size() < b_.test.objects.size()) regions_.resize(b_.test.objects.size());
    std::string& have = regions_[b_.test.symbols[s].object];
    if (!have.empty() && have != t.text)
      c_.fail(t, fmt::format("{} is {} elsewhere", litmus::quoted(o.name), have), "a location lies in one region");
    have = std::string(t.text);
    if (t.is("shared")) o.tags.add(Tag::SHARED);
  }

  void initial_location() {
    Token where;
    if (c_.at("global") || c_.at("shared")) where = c_.next();
    std::optional<Type> type;
    if (c_.at(".")) type = parse_type();
    const bool bracket = c_.accept("[");
    const Token name = c_.expect_word("a location", "write x = 0; or 0:.reg .s32 r0;");
    if (bracket) c_.expect("]");
    if (std::find(initialised_.begin(), initialised_.end(), name.text) != initialised_.end())
      c_.fail(name, fmt::format("a second initial value of {}", litmus::quoted(name.text)), "remove one of the two");
    initialised_.emplace_back(name.text);
    const prog::SymbolId s = b_.location(name.text, c_.span(name), true);
    if (where.kind == Tok::word) region(s, where);
    prog::Object& o = b_.test.objects[b_.test.symbols[s].object];
    if (type) {
      if (type->width == 1) c_.fail(name, "a location cannot be a predicate", "use .s32");
      o.declared = type->name;
      o.width = type->width;
    }
    if (c_.accept("=")) {
      const Token t = c_.peek();
      if (!at_constant(c_)) c_.fail_expected(t, "a constant", "locations start at a constant: x = 0");
      values_.push_back({b_.test.symbols[s].object, parse_constant(c_, 64), c_.since(t.begin)});
    }
  }

  // ---- code ------------------------------------------------------------------------------------------

  void thread_row() {
    do {
      const Token t = c_.peek();
      const uint32_t id = parse_thread_id(c_);
      if (id != threads_.size())
        c_.fail(t, fmt::format("thread T{} stands where T{} belongs", id, threads_.size()),
                "threads are numbered T0, T1, ... in order");
      if (threads_.size() >= k_max_threads) c_.fail(t, "too many threads", fmt::format("at most {}", k_max_threads));
      threads_.emplace_back(b_, id);
    } while (c_.accept("|"));
    c_.expect(";", "the row of threads ends in ';'");
  }

  void declare_registers() {
    for (const InitialRegister& r : registers_) {
      if (r.thread >= threads_.size())
        fail_at(
            r.span, fmt::format("there is no thread T{}", r.thread),
            threads_.size() == 1 ? "the only thread is T0" : fmt::format("threads are T0 to T{}", threads_.size() - 1));
      ThreadCode& t = threads_[r.thread];
      const prog::RegId reg = t.declare(r.name, r.type, r.span);
      if (b_.has_location(r.name))
        fail_at(r.span, fmt::format("{} is a location and a register", litmus::quoted(r.name)),
                "rename one of the two");
      if (!r.has_value) continue;
      prog::InitValue v{reg, r.constant, k_none};
      if (!r.location.empty()) {
        v.address = b_.location(r.location, r.value_span, true);
        t.reaches(v.address, r.value_span);
      }
      t.init.push_back(v);
    }
  }

  bool at_scope_tree() { return c_.at("ScopeTree") || c_.at("scopeTree") || c_.at("scopetree") || c_.at("scopes"); }
  bool at_memory_map() {
    return c_.peek().kind == Tok::word && c_.peek(1).is(":") && (c_.peek(2).is("global") || c_.peek(2).is("shared"));
  }
  // `not r1, r0` is an instruction.
  bool at_the_question() { return at_question(c_) && !(c_.at("not") && !c_.peek(1).is("exists")); }
  bool at_end_of_code() { return c_.at_end() || at_the_question() || at_scope_tree() || at_memory_map(); }

  void row() {
    for (size_t k = 0;; ++k) {
      if (k >= threads_.size())
        c_.fail(c_.peek(), fmt::format("this row has more cells than the {} threads", threads_.size()),
                "end it with ';', or name another thread in the first row");
      threads_[k].cell(c_);
      if (c_.accept("|")) continue;
      if (!c_.at(";")) c_.fail_expected(c_.peek(), "'|' or ';'", "cells are separated by '|' and a row ends in ';'");
      if (k + 1 != threads_.size())
        c_.fail(c_.peek(),
                fmt::format("this row has {} cell{} for {} threads", k + 1, k == 0 ? "" : "s", threads_.size()),
                "write '|' for the empty cells");
      c_.next();
      return;
    }
  }

  // ---- scope tree and memory map ---------------------------------------------------------------------

  void scope_tree() {
    const Token word = c_.next();
    if (has_tree_) c_.fail(word, "a second scope tree", "a test has one");
    has_tree_ = true;
    c_.accept(":");
    scopes_.assign(threads_.size(), {});
    node({0}, 0);
    c_.accept(";");
    for (size_t k = 0; k < scopes_.size(); ++k)
      if (scopes_[k].empty())
        c_.fail(word, fmt::format("T{} has no place in the scope tree", k), fmt::format("add (warp T{}) to a cta", k));
  }

  // '(' level item* ')'. `path`: ids from sys down to the enclosing node. An id is the position among the nodes of
  // its level in the enclosing one. A grid or kernel inside a device is no level of its own; at the root it
  // stands for the device. Only the root may leave out the levels above it.
  void node(prog::ScopePath path, int depth) {
    if (depth > k_max_depth)
      c_.fail(c_.peek(), "the scope tree is nested too deeply", "levels are device, cta and warp");
    c_.expect("(", "a scope tree is (device (cta (warp T0)) (cta (warp T1)))");
    const Token level = c_.expect_word("a level", "levels are device, grid, cta and warp");
    size_t length = 0;
    if (level.is("system") || level.is("sys"))
      length = 1;
    else if (level.is("device") || level.is("gpu") || level.is("grid") || level.is("kernel"))
      length = 2;
    else if (level.is("cta") || level.is("block"))
      length = 3;
    else if (level.is("warp"))
      length = 4;
    else
      c_.fail(level, fmt::format("{} is not a level", litmus::quoted(level.text)),
              suggest(level.text, {"device", "grid", "kernel", "cta", "warp", "system"},
                      "levels are device, grid, cta and warp"));
    const bool grouping = (level.is("grid") || level.is("kernel")) && path.size() == 2;
    if (!grouping && path.size() > length - (length == 1 ? 0 : 1))
      c_.fail(level, fmt::format("{} inside a narrower or equal level", litmus::quoted(level.text)),
              "levels nest as device, cta, warp");
    if (depth > 0 && path.size() + 1 < length)
      c_.fail(level, fmt::format("this {} stands outside every {}", level.text, length == 4 ? "cta" : "device"),
              length == 4 ? "write (cta (warp T0))" : "write (device (cta (warp T0)))");
    while (path.size() + 1 < length) path.push_back(0);
    if (path.size() < length) path.push_back(counts_[path]++);
    size_t items = 0;
    while (!c_.accept(")")) {
      if (c_.accept(",")) continue;
      ++items;
      if (c_.at("("))
        node(path, depth + 1);
      else
        leaf(path);
    }
    if (items == 0) c_.fail(level, fmt::format("this {} is empty", level.text), "name a thread, as in (warp T0)");
  }

  void leaf(const prog::ScopePath& path) {
    const Token t = c_.peek();
    const uint32_t id = parse_thread_id(c_);
    if (id >= threads_.size())
      c_.fail(
          t, fmt::format("there is no thread T{}", id),
          threads_.size() == 1 ? "the only thread is T0" : fmt::format("threads are T0 to T{}", threads_.size() - 1));
    if (path.size() < 3)
      c_.fail(t, fmt::format("T{} stands outside every cta", id), fmt::format("write (cta (warp T{}))", id));
    if (!scopes_[id].empty())
      c_.fail(t, fmt::format("T{} stands in the scope tree twice", id), "remove one of the two");
    scopes_[id] = path;
  }

  void memory_map() {
    while (at_memory_map()) {
      const Token name = c_.next();
      c_.next();
      const Token where = c_.next();
      region(b_.location(name.text, c_.span(name), true), where);
      if (!c_.accept(",")) c_.accept(";");
    }
  }

  // ---- after the code --------------------------------------------------------------------------------

  void finish() {
    prog::Test& t = b_.test;
    if (!has_tree_)
      c_.fail(c_.peek(), "the scope tree is missing",
              "add ScopeTree (device (cta (warp T0)) (cta (warp T1))) before the question");
    for (const auto& [name, l] : b_.locations()) {
      if (l.mentioned) continue;
      std::vector<std::string> names;
      for (const auto& [other, o] : b_.locations())
        if (o.mentioned) names.push_back(other);
      fail_at(l.first_use, fmt::format("{} is neither a register of the thread nor a location", litmus::quoted(name)),
              suggest(name, names, fmt::format("declare it in the initial state: {} = 0;", name)));
    }
    std::vector<prog::Template> codes;
    for (uint32_t k = 0; k < threads_.size(); ++k) {
      prog::Thread thread;
      thread.id = k;
      thread.scope = scopes_[k];
      prog::Template code = threads_[k].finish();
      thread.init = threads_[k].init;
      widths(code);
      codes.push_back(std::move(code));
      t.threads.push_back(std::move(thread));
    }
    for (uint32_t k = 0; k < codes.size(); ++k) {  // now that all locations have their widths
      prog::check_places(codes[k], t.objects, t.symbols);
      t.threads[k].templ = prog::intern_template(t, std::move(codes[k]));
    }
    for (const auto& [object, value, span] : values_) {
      prog::Object& o = t.objects[object];
      const auto s = static_cast<int64_t>(value);
      if (o.width < 64 && (s < -(int64_t{1} << (o.width - 1)) || s > static_cast<int64_t>(term::mask(o.width))))
        fail_at(span, fmt::format("{} does not fit the {} bits of {}", s, o.width, litmus::quoted(o.name)),
                "use a smaller value, or .s64 accesses");
      o.init = {value & term::mask(o.width)};
    }
    one_cta_per_shared();
  }

  // A location is as wide as its accesses, all of which must agree.
  void widths(const prog::Template& code) {
    prog::Test& t = b_.test;
    sized_.resize(t.objects.size(), false);
    for (const prog::Instr& i : code.code) {
      if ((i.kind != prog::Kind::load && i.kind != prog::Kind::store && i.kind != prog::Kind::rmw) ||
          i.addr.symbol == k_none)
        continue;
      const prog::ObjectId id = t.symbols[i.addr.symbol].object;
      prog::Object& o = t.objects[id];
      const uint8_t width = i.value ? i.value.width() : code.registers[i.dst].width;
      if (o.declared.empty() && !sized_[id]) o.width = width;
      sized_[id] = true;
      if (o.width != width)
        unsupported(i.span,
                    fmt::format("an access of {} bits to {}, which has {}", width, litmus::quoted(o.name), o.width),
                    "all accesses to a location must have one width");
    }
  }

  void one_cta_per_shared() {
    const prog::Test& t = b_.test;
    std::vector<uint32_t> owner(t.objects.size(), k_none);
    for (uint32_t k = 0; k < threads_.size(); ++k)
      for (const auto& [symbol, span] : threads_[k].reached()) {
        const prog::ObjectId id = t.symbols[symbol].object;
        const prog::Object& o = t.objects[id];
        if (!o.tags.has(Tag::SHARED)) continue;
        if (owner[id] == k_none) owner[id] = k;
        if (!prog::same_scope(t.threads[owner[id]].scope, t.threads[k].scope, 2))
          fail_at(span,
                  fmt::format("T{} and T{} are in different CTAs, and each has its own shared {}", owner[id], k,
                              litmus::quoted(o.name)),
                  fmt::format("write '{}: global', or put the threads into one cta, or use two locations", o.name));
      }
  }

  struct Value {
    prog::ObjectId object;
    uint64_t value;
    Span span;
  };

  SourcePtr source_;
  Cursor c_;
  Builder b_;
  std::vector<InitialRegister> registers_;
  std::vector<std::string_view> initialised_;
  std::vector<Value> values_;
  std::vector<std::string> regions_;  // by object: global, shared or ""
  std::vector<bool> sized_;
  std::deque<ThreadCode> threads_;
  std::vector<prog::ScopePath> scopes_;
  std::map<prog::ScopePath, uint32_t> counts_;  // nodes so far inside a path
  bool has_tree_ = false;
};

}  // namespace

Expected<prog::Test> parse_gpu_ptx(SourcePtr source) {
  return guarded([&] { return Reader(source).test(); });
}

}  // namespace fencepost::litmus
