// OPENCL litmus tests: C threads with scoped atomics (docs/litmus-opencl.md). The grammar makes trees
// (opencl_grammar.cpp); this file makes the memory of the test, has the threads lowered, and reads the question.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "litmus/condition.h"
#include "litmus/opencl_ast.h"
#include "litmus/opencl_lower.h"
#include "litmus/parse.h"

namespace fencepost::litmus {
namespace {

using namespace opencl;
using vocab::Tag;

constexpr size_t k_max_objects = 4096;

class Builder {
 public:
  Builder(prog::Test& test, const File& file) : test_(test), file_(file) {}

  void memory() {
    for (const InitEntry& e : file_.init)
      if (!e.is_register) location(e);
    for (const Thread& t : file_.threads)
      for (const Parameter& p : t.parameters) argument(p);
    initial_values();
  }

  void threads(std::deque<Lowering>& lowered) {
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
      lowered.emplace_back(test_, memory_, t);
    }
    for (const InitEntry& e : file_.init)
      if (e.is_register) register_value(e, lowered);
    for (Lowering& l : lowered) l.run();
  }

 private:
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

  prog::SymbolId find(std::string_view name) const {
    for (prog::SymbolId s = 0; s < test_.symbols.size(); ++s)
      if (test_.symbols[s].name == name) return s;
    return prog::k_none;
  }

  prog::SymbolId symbol(const std::string& name, const Span& span) {
    const prog::SymbolId s = find(name);
    if (s != prog::k_none) return s;
    std::vector<std::string> names;
    for (const prog::Symbol& x : test_.symbols) names.push_back(x.name);
    fail_at(span, fmt::format("there is no location {}", quoted(name)),
            suggest(name, names, fmt::format("initialise it: [{}] = 0;", name)));
  }

  void create(const std::string& name, const CType& type, const Span& span) {
    if (test_.objects.size() >= k_max_objects)
      fail_at(span, "too many locations", fmt::format("at most {}", k_max_objects));
    if (is_temporary_name(name))
      fail_at(span, fmt::format("{} is the name of a temporary", quoted(name)), "rename the location");
    prog::Object o;
    o.name = name;
    o.width = type.value_width();
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
      fail_at(e.span, fmt::format("a second initial value of {}", quoted(e.name)), "remove one");
    create(e.name, e.type.value_or(int_type()), e.span);
    prog::Object& o = test_.objects.back();
    if (e.type) {
      o.declared = e.type->text();
      typed_.back() = true;
    }
    o.init.assign(e.cells.value_or(1), 0);
  }

  // Parameters give a location its width where the initial state does not, and the tags of its Init writes.
  void argument(const Parameter& p) {
    prog::SymbolId s = find(p.name);
    if (s == prog::k_none) {
      s = static_cast<prog::SymbolId>(test_.symbols.size());
      create(p.name, p.type, p.span);
    }
    const prog::ObjectId id = test_.symbols[s].object;
    prog::Object& o = test_.objects[id];
    if (!typed_[id]) {
      o.width = p.type.value_width();
      memory_.types[id] = p.type;
      typed_[id] = true;
    }
    if (o.width != p.type.value_width())
      unsupported(p.span,
                  fmt::format("{} is declared with {} bits here and with {} elsewhere", quoted(p.name),
                              p.type.value_width(), o.width),
                  "declare it with one type");
    if (!p.type.atomic && !atomic_in_cuda(p.name)) o.tags.add(Tag::NAL);
    o.tags.add(p.space == "global" ? Tag::GLOBAL : p.space == "local" ? Tag::LOCAL : Tag::GENERIC);
  }

  void initial_values() {
    // Constants and addresses first, then copies, which may follow one another.
    std::vector<const InitEntry*> copies;
    for (const InitEntry& e : file_.init) {
      if (e.is_register) continue;
      prog::Object& o = test_.objects[test_.symbols[find(e.name)].object];
      if (o.tags.empty() && e.type && !e.type->atomic && !atomic_in_cuda(e.name))
        o.tags.add(Tag::NAL);  // reached through pointers only
      bool copy = false;
      for (size_t k = 0; k < e.values.size(); ++k) {
        const InitValue& v = e.values[k];
        if (v.kind == InitValue::Kind::constant) o.init[k] = checked(v, o.width);
        if (v.kind == InitValue::Kind::address) {
          o.init_address.resize(o.init.size(), prog::k_none);
          o.init_address[k] = symbol(v.name, v.span);
        }
        copy = copy || v.kind == InitValue::Kind::copy;
      }
      if (copy) copies.push_back(&e);
    }
    for (const InitEntry* e : copies) {
      prog::Object& o = test_.objects[test_.symbols[find(e->name)].object];
      for (size_t k = 0; k < e->values.size(); ++k) {
        const InitValue& v = e->values[k];
        if (v.kind != InitValue::Kind::copy) continue;
        const prog::Object& from = test_.objects[test_.symbols[symbol(v.name, v.span)].object];
        if (!from.init_address.empty() && from.init_address[0] != prog::k_none) {
          o.init_address.resize(o.init.size(), prog::k_none);
          o.init_address[k] = from.init_address[0];
        } else {
          o.init[k] = static_cast<uint64_t>(term::to_signed(from.init[0], from.width)) & term::mask(o.width);
        }
      }
    }
  }

  // A constant as bits of the width, or an error where it does not fit.
  static uint64_t checked(const InitValue& v, uint8_t width) {
    const auto s = static_cast<int64_t>(v.constant);
    if (width < 64 && (s < -(int64_t{1} << (width - 1)) || s > static_cast<int64_t>(term::mask(width))))
      fail_at(v.span, fmt::format("{} does not fit {} bits", s, width), "use a wider type, such as long");
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
      init.address = symbol(v.name, v.span);
      type = memory_.types[test_.symbols[init.address].object];
      ++type.stars;
    } else if (v.kind == InitValue::Kind::copy) {
      const prog::Object& from = test_.objects[test_.symbols[symbol(v.name, v.span)].object];
      if (!from.init_address.empty() && from.init_address[0] != prog::k_none) {
        init.address = from.init_address[0];
        type = memory_.types[test_.symbols[init.address].object];
        ++type.stars;
      } else {
        init.value = static_cast<uint64_t>(term::to_signed(from.init[0], from.width));
      }
    }
    if (e.type) type = *e.type;
    if (v.kind == InitValue::Kind::constant) init.value = checked(v, type.value_width());
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

prog::Test parse_text(const SourcePtr& source) {
  const Header header = parse_header(source);
  std::string language = header.language;
  std::transform(language.begin(), language.end(), language.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const bool cuda = language == "CUDA";
  if (language != "OPENCL" && !cuda)
    fail_at(header.language_span, fmt::format("{} is neither OPENCL nor CUDA", quoted(header.language)),
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
  parse_question(c, test, names);
  test.span = Span{source, 0, static_cast<uint32_t>(source->text.size())};
  for (size_t k = 0; k < threads.size(); ++k) {
    test.threads[k].init = threads[k].init();
    test.threads[k].templ = prog::intern_template(test, std::move(threads[k].code()));
  }
  return test;
}

}  // namespace

Expected<prog::Test> parse_opencl(SourcePtr source) {
  return guarded([&] { return parse_text(source); });
}

}  // namespace fencepost::litmus
