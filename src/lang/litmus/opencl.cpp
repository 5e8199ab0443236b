// OPENCL litmus tests: C threads with scoped atomics (docs/litmus-opencl.md). The grammar makes trees
// (opencl_grammar.cpp); this file makes the memory of the test, has the threads lowered, and reads the question.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "litmus/condition.h"
#include "litmus/opencl_ast.h"
#include "litmus/opencl_lower.h"
#include "litmus/parse.h"
#include "prog/places.h"
#include "prog/syntax.h"

namespace fencepost::litmus {
namespace {

using namespace opencl;
using vocab::Tag;

constexpr size_t k_max_objects = 4096;
constexpr uint32_t k_work_group = 2;  // level of prog::Thread::scope: all, dev, wg

class Builder {
 public:
  Builder(prog::Test& test, const File& file) : test_(test), file_(file) {}

  void memory() {
    places();
    for (const InitEntry& e : file_.init)
      if (!e.is_register) location(e);
    for (const Thread& t : file_.threads)
      for (const Parameter& p : t.parameters) argument(t, p);
    initial_values();
  }

  void threads(std::deque<Lowering>& lowered) {
    for (const Thread& t : file_.threads) lowered.emplace_back(test_, memory_, t);
    for (const InitEntry& e : file_.init)
      if (e.is_register) register_value(e, lowered);
    for (Lowering& l : lowered) l.run();
  }

 private:
  void places() {
    for (const Thread& t : file_.threads) {
      prog::Thread thread;
      thread.id = t.id;
      if (!t.scope.empty()) {
        const auto id = [&](std::string_view level) -> std::optional<uint32_t> {
          for (const auto& [name, n] : t.scope)
            if (name == level) return n;
          return std::nullopt;
        };
        thread.scope = {0, *id("dev"), *id("wg")};
        if (const auto sg = id("sg")) thread.scope.push_back(*sg);
        if (const auto cluster = id("cluster")) thread.cluster = *cluster;
      }
      check_cluster(t, thread);
      test_.threads.push_back(std::move(thread));
    }
  }

  // As in PTX tests (asm_litmus.h): all threads of a CUDA test name a cluster, or none does; a block is in one.
  void check_cluster(const Thread& t, const prog::Thread& thread) const {
    for (const prog::Thread& o : test_.threads) {
      if ((o.cluster == prog::k_none) != (thread.cluster == prog::k_none)) {
        const bool lacks = thread.cluster == prog::k_none;
        fail_at(t.span,
                fmt::format("thread P{} names {} cluster, and P{} names {}", t.id, lacks ? "no" : "a", o.id,
                            lacks ? "one" : "none"),
                "write P0@block 0, cluster 0, device 0 for every thread, or name no clusters");
      }
      if (o.scope == thread.scope && !o.scope.empty() && o.cluster != thread.cluster)
        fail_at(t.span,
                fmt::format("block {} of device {} is in cluster {} and, by P{}, in cluster {}", thread.scope[2],
                            thread.scope[1], thread.cluster, o.id, o.cluster),
                "blocks are numbered on their device, not in their cluster: give one of the two another number");
    }
  }

  // CUDA has no types for that: a location is atomic if some thread sees it as volatile, or names it in an atomic
  // function.
  bool atomic_in_cuda(const std::string& name) const {
    if (test_.syntax != prog::Syntax::cuda) return false;
    const auto named = [&](auto&& self, const Expr& e) -> bool {
      if (e.kind == Expr::Kind::call && e.op.starts_with("atomic") && !e.kids.empty() && mentions(*e.kids[0], name))
        return true;
      return std::any_of(e.kids.begin(), e.kids.end(), [&](const ExprPtr& k) { return self(self, *k); }) ||
             std::any_of(e.body.begin(), e.body.end(), [&](const Stmt& s) { return in_statement(self, s); });
    };
    for (const Thread& t : file_.threads) {
      for (const Parameter& p : t.parameters)
        if (p.name == name && p.type.is_volatile) return true;
      for (const Stmt& s : t.body)
        if (in_statement(named, s)) return true;
    }
    return false;
  }
  static bool mentions(const Expr& e, const std::string& name) {
    return (e.kind == Expr::Kind::name && e.op == name) ||
           std::any_of(e.kids.begin(), e.kids.end(), [&](const ExprPtr& k) { return mentions(*k, name); });
  }
  template <class Named>
  static bool in_statement(Named&& named, const Stmt& s) {
    if ((s.value && named(named, *s.value)) || (s.step && named(named, *s.step))) return true;
    for (const std::vector<Stmt>* list : {&s.init, &s.body, &s.otherwise})
      for (const Stmt& inner : *list)
        if (in_statement(named, inner)) return true;
    return false;
  }

  // Of each work-group whose threads declare the location local, the first such thread; empty unless there are several.
  // A location that some thread declares otherwise lies in two spaces, which is for the model to judge (check::fits).
  std::vector<uint32_t> groups_of(const std::string& name) const {
    std::vector<uint32_t> firsts;
    const Parameter* second = nullptr;
    const Thread* nowhere = nullptr;
    uint32_t declared = 0;
    for (const Thread& t : file_.threads)
      for (const Parameter& p : t.parameters) {
        if (p.name != name) continue;
        if (p.space != "local") return {};
        if (++declared == 2) second = &p;
        if (t.scope.empty()) nowhere = &t;
        const bool known = std::any_of(firsts.begin(), firsts.end(), [&](uint32_t f) { return same_group(f, t.id); });
        if (!known) firsts.push_back(t.id);
      }
    if (second != nullptr && nowhere != nullptr)
      fail_at(
          second->span,
          fmt::format("{} is memory of a {}, and P{} belongs to none", litmus::quoted(name), group_word(), nowhere->id),
          fmt::format("write P{}@{}", nowhere->id, cuda() ? "block 0, device 0" : "wg 0, dev 0"));
    if (firsts.size() < 2) firsts.clear();
    return firsts;
  }
  bool cuda() const { return test_.syntax == prog::Syntax::cuda; }
  const char* group_word() const { return cuda() ? "block" : "work-group"; }
  bool same_group(uint32_t a, uint32_t b) const {
    return a == b || prog::same_scope(test_.threads[a].scope, test_.threads[b].scope, k_work_group);
  }

  // The location, or the first of its instances.
  prog::SymbolId find(std::string_view name) const {
    for (prog::SymbolId s = 0; s < test_.symbols.size(); ++s)
      if (prog::declared_name(test_.symbols[s]) == name) return s;
    return prog::k_none;
  }
  // It and its other instances.
  std::vector<prog::ObjectId> objects_of(prog::SymbolId first) const {
    std::vector<prog::ObjectId> out;
    for (prog::SymbolId s = first; s < test_.symbols.size(); ++s)
      if (s == first || (test_.symbols[s].instances == first)) out.push_back(test_.symbols[s].object);
    return out;
  }

  prog::SymbolId symbol(const std::string& name, const Span& span) {
    const prog::SymbolId s = find(name);
    if (s != prog::k_none) return s;
    std::vector<std::string> names;
    for (const prog::Symbol& x : test_.symbols) names.push_back(prog::declared_name(x));
    fail_at(span, fmt::format("there is no location {}", litmus::quoted(name)),
            suggest(name, names, fmt::format("initialise it: [{}] = 0;", name)));
  }

  // The location whose address is meant: of a thread's own group, or one of those that only exist once.
  prog::SymbolId addressed(const InitValue& v, std::optional<uint32_t> thread) {
    const prog::SymbolId s = symbol(v.name, v.span);
    if (test_.symbols[s].instances == prog::k_none) return s;
    const prog::SymbolId own = thread ? symbol_in(test_, *thread, v.name) : prog::k_none;
    if (own == prog::k_none)
      fail_at(v.span, fmt::format("each {} has a {} of its own", group_word(), litmus::quoted(v.name)),
              "its address is known to threads of a group that declares it: 0:r = &" + v.name);
    return own;
  }

  void create(const std::string& name, const CType& type, const Span& span) {
    const std::vector<uint32_t> groups = groups_of(name);
    const auto first = static_cast<prog::SymbolId>(test_.symbols.size());
    if (groups.empty()) create_one(name, type, span);
    for (uint32_t t : groups) {
      create_one(fmt::format("{}@P{}", name, t), type, span);
      test_.symbols.back().instances = first;
      test_.symbols.back().group_of = t;
    }
  }

  void create_one(const std::string& name, const CType& type, const Span& span) {
    if (test_.objects.size() >= k_max_objects)
      fail_at(span, "too many locations", fmt::format("at most {}", k_max_objects));
    if (is_temporary_name(name))
      fail_at(span, fmt::format("{} is the name of a temporary", litmus::quoted(name)), "rename the location");
    prog::Object o;
    o.name = name;
    o.width = type.value_width();
    o.is_unsigned = !type.pointer() && !type.is_signed;
    o.span = span;
    prog::Symbol s;
    s.name = name;
    s.object = static_cast<prog::ObjectId>(test_.objects.size());
    s.generic = static_cast<prog::SymbolId>(test_.symbols.size());
    s.span = span;
    test_.objects.push_back(std::move(o));
    test_.symbols.push_back(std::move(s));
    memory_.types.push_back(type);
    typed_.push_back(false);
  }

  void location(const InitEntry& e) {
    if (find(e.name) != prog::k_none)
      fail_at(e.span, fmt::format("a second initial value of {}", litmus::quoted(e.name)), "remove one");
    const auto first = static_cast<prog::SymbolId>(test_.symbols.size());
    create(e.name, e.type.value_or(int_type()), e.span);
    for (prog::ObjectId id : objects_of(first)) {
      prog::Object& o = test_.objects[id];
      if (e.type) {
        o.declared = e.type->text();
        typed_[id] = true;
      }
      o.init.assign(e.cells.value_or(1), 0);
    }
  }

  // Parameters give a location its width where the initial state does not, and the tags of its Init writes.
  void argument(const Thread& t, const Parameter& p) {
    prog::SymbolId s = find(p.name);
    if (s == prog::k_none) {
      s = static_cast<prog::SymbolId>(test_.symbols.size());
      create(p.name, p.type, p.span);
    }
    for (prog::ObjectId id : objects_of(s)) {
      prog::Object& o = test_.objects[id];
      if (!typed_[id]) {
        o.width = p.type.value_width();
        o.is_unsigned = !p.type.pointer() && !p.type.is_signed;
        memory_.types[id] = p.type;
        typed_[id] = true;
      }
      if (memory_.types[id].flag != p.type.flag)
        fail_at(p.span, fmt::format("{} is an atomic_flag in one place and none in another", litmus::quoted(p.name)),
                "declare it as atomic_flag in each thread and in the initial state");
      if (o.width != p.type.value_width())
        unsupported(p.span,
                    fmt::format("{} is declared with {} bits here and with {} elsewhere", litmus::quoted(p.name),
                                p.type.value_width(), o.width),
                    "declare it with one type");
      if (!p.type.atomic && !atomic_in_cuda(p.name)) o.tags.add(Tag::NAL);
      o.tags.add(p.space == "global" ? Tag::GLOBAL : p.space == "local" ? Tag::LOCAL : Tag::GENERIC);
      if (p.space == "global") o.global_in = std::min(o.global_in, t.id);
      if (p.space == "local") o.local_in = std::min(o.local_in, t.id);
    }
  }

  void initial_values() {
    // Constants and addresses first, then copies, which may follow one another.
    std::vector<const InitEntry*> copies;
    for (const InitEntry& e : file_.init) {
      if (e.is_register) continue;
      bool copy = false;
      for (prog::ObjectId id : objects_of(find(e.name))) copy = initial_values(e, test_.objects[id]);
      if (copy) copies.push_back(&e);
    }
    for (const InitEntry* e : copies)
      for (prog::ObjectId id : objects_of(find(e->name))) copied_values(*e, test_.objects[id]);
    for (const InitEntry& e : file_.init) {
      if (e.is_register) continue;
      for (prog::ObjectId id : objects_of(find(e.name)))
        if (memory_.types[id].flag &&
            std::any_of(test_.objects[id].init.begin(), test_.objects[id].init.end(), [](uint64_t v) { return v > 1; }))
          fail_at(e.span, fmt::format("the atomic_flag {} is neither clear nor set", litmus::quoted(e.name)),
                  "write 0 or ATOMIC_FLAG_INIT (clear), or 1 (set)");
    }
  }

  // Constants and addresses; true if others are copies.
  bool initial_values(const InitEntry& e, prog::Object& o) {
    if (o.tags.empty() && e.type && !e.type->atomic && !atomic_in_cuda(e.name))
      o.tags.add(Tag::NAL);  // reached through pointers only
    bool copy = false;
    for (size_t k = 0; k < e.values.size(); ++k) {
      const InitValue& v = e.values[k];
      if (v.kind == InitValue::Kind::constant) o.init[k] = checked(v, o.width, o.is_unsigned);
      if (v.kind == InitValue::Kind::address) {
        o.init_address.resize(o.init.size(), prog::k_none);
        o.init_address[k] = addressed(v, std::nullopt);
      }
      copy = copy || v.kind == InitValue::Kind::copy;
    }
    return copy;
  }

  void copied_values(const InitEntry& e, prog::Object& o) {
    for (size_t k = 0; k < e.values.size(); ++k) {
      const InitValue& v = e.values[k];
      if (v.kind != InitValue::Kind::copy) continue;
      const prog::Object& from = test_.objects[test_.symbols[symbol(v.name, v.span)].object];
      if (!from.init_address.empty() && from.init_address[0] != prog::k_none) {
        o.init_address.resize(o.init.size(), prog::k_none);
        o.init_address[k] = from.init_address[0];
      } else {
        o.init[k] = widened(from) & term::mask(o.width);
      }
    }
  }

  static uint64_t widened(const prog::Object& from) {
    return from.is_unsigned ? from.init[0] : static_cast<uint64_t>(term::to_signed(from.init[0], from.width));
  }

  // A constant as bits of the width: a number of the type, or, as C converts it to int and wider types, its bits.
  static uint64_t checked(const InitValue& v, uint8_t width, bool is_unsigned) {
    const auto s = static_cast<int64_t>(v.constant);
    if (width < 64 && (s < -(int64_t{1} << (width - 1)) || s > static_cast<int64_t>(term::mask(width))))
      fail_at(v.span, fmt::format("{} does not fit {} bits", s, width), "use a wider type, such as long");
    const int64_t most = static_cast<int64_t>(is_unsigned ? term::mask(width) : term::mask(width) >> 1);
    if (width < 32 && (is_unsigned ? s < 0 : s > most))
      fail_at(v.span, fmt::format("{} is not a value of {} bits {} a sign", s, width, is_unsigned ? "without" : "with"),
              fmt::format("values are {} to {}", is_unsigned ? 0 : -most - 1, most));
    return v.constant & term::mask(width);
  }

  void register_value(const InitEntry& e, std::deque<Lowering>& lowered) {
    if (e.thread >= lowered.size())
      fail_at(e.span, fmt::format("there is no thread P{}", e.thread),
              fmt::format("threads are P0 to P{}", lowered.size() - 1));
    const InitValue v = e.values.empty() ? InitValue{} : e.values.front();
    CType type = int_type();
    prog::InitValue init;
    if (v.kind == InitValue::Kind::address) {
      init.address = addressed(v, e.thread);
      type = memory_.types[test_.symbols[init.address].object];
      ++type.stars;
    } else if (v.kind == InitValue::Kind::copy) {
      const prog::Object& from = test_.objects[test_.symbols[symbol(v.name, v.span)].object];
      if (!from.init_address.empty() && from.init_address[0] != prog::k_none) {
        init.address = from.init_address[0];
        type = memory_.types[test_.symbols[init.address].object];
        ++type.stars;
      } else {
        init.value = widened(from);
      }
    }
    if (e.type) type = *e.type;
    if (v.kind == InitValue::Kind::constant) init.value = checked(v, type.value_width(), !type.is_signed);
    init.value &= term::mask(type.value_width());
    if (init.address != prog::k_none && type.value_width() < 32)
      fail_at(e.span, fmt::format("an address does not fit {}", type.text()), "use a pointer type or intptr_t");
    init.reg = lowered[e.thread].initial_register(e, type);
    lowered[e.thread].init().push_back(init);
  }

  prog::Test& test_;
  const File& file_;
  Memory memory_;
  std::vector<bool> typed_;  // by object: its type is settled
};

}  // namespace

prog::SymbolId opencl::symbol_in(const prog::Test& test, uint32_t thread, std::string_view name) {
  for (prog::SymbolId s = 0; s < test.symbols.size(); ++s) {
    const prog::Symbol& x = test.symbols[s];
    if (prog::declared_name(x) != name) continue;
    if (x.instances == prog::k_none || x.group_of == thread ||
        prog::same_scope(test.threads[x.group_of].scope, test.threads[thread].scope, k_work_group))
      return s;
  }
  return prog::k_none;
}

namespace {

prog::Test parse_text(const SourcePtr& source) {
  const Header header = parse_header(source);
  std::string language = header.language;
  std::transform(language.begin(), language.end(), language.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const bool cuda = language == "CUDA";
  if (language != "OPENCL" && !cuda)
    fail_at(header.language_span, fmt::format("{} is neither OPENCL nor CUDA", litmus::quoted(header.language)),
            "start the file with OPENCL and a name");
  prog::Test test;
  test.title = header.title;
  test.remarks = header.remarks;
  test.syntax = cuda ? prog::Syntax::cuda : prog::Syntax::opencl;
  test.dialect = vocab::Dialect::opencl;

  Cursor c(source, {}, header.body);
  const File file = opencl::parse_file(c, cuda);
  Builder builder(test, file);
  builder.memory();
  std::deque<Lowering> threads;
  builder.threads(threads);

  Resolver names = resolver_of(test);
  names.reg = [&](uint32_t thread, std::string_view name, const Span& span) {
    return threads[thread].observed(name, span);
  };
  names.registers = [&](uint32_t thread, prog::RegId reg) -> const prog::Register& {
    return threads[thread].code().registers[reg];
  };
  parse_question(c, test, names);
  test.span = Span{source, 0, static_cast<uint32_t>(source->text.size())};
  for (size_t k = 0; k < threads.size(); ++k) {
    test.threads[k].init = threads[k].init();
    prog::check_places(threads[k].code(), test.objects, test.symbols);
    test.threads[k].templ = prog::intern_template(test, std::move(threads[k].code()));
  }
  return test;
}

}  // namespace

Expected<prog::Test> parse_opencl(SourcePtr source) {
  return guarded([&] { return parse_text(source); });
}

}  // namespace fencepost::litmus
