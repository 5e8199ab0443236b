// Random OPENCL litmus tests: orders and scopes of atomics, non-atomic accesses, local memory, arrays (for
// address dependencies), work-group barriers, structured control flow.
#include "draft.h"
#include "prog/syntax.h"

namespace fencepost::fuzz {

namespace {

struct Location {
  std::string name;
  bool atomic = true;
  bool local = false;
  bool array = false;  // two cells
  std::string type = "int";
};

// Of 8 to 64 bits, with a sign and without; OpenCL C has atomic types of 32 and 64 bits.
const std::vector<std::string> k_types = {"uchar", "char", "ushort", "short", "uint", "long", "ulong"};
const std::vector<std::string> k_atomic_types = {"uint", "long", "ulong"};

struct OpenCl {
  Rng& rng;
  Program p;
  std::vector<Location> locations;
  double fences = 1;
  bool sc = false;     // sequentially consistent operations are frequent
  bool typed = false;  // locations and registers of several types, with values that do not fit all of them

  std::string type(bool atomic) {
    if (!typed || rng.chance(0.3)) return "int";
    p.classes.insert("types differ");
    return one_of(rng, atomic ? k_atomic_types : k_types);
  }
  // Beside small numbers those at which a width or a sign shows.
  std::string number() {
    static const std::vector<std::string> k_edges = {"127", "128", "200", "255", "256", "32768", "65535", "-1", "-2"};
    return typed && rng.chance(0.35) ? one_of(rng, k_edges) : constant(rng);
  }
  std::string stored(ThreadDraft& t) {
    const std::string v = value(rng, t, p);
    return v[0] == 'r' ? v : number();
  }

  std::string scope() {
    return "memory_scope_" + std::vector<std::string>{"work_item", "work_group", "device",
                                                      "all_svm_devices"}[weighted(rng, {0.4, 4, 5, 1})];
  }
  std::string flags() {
    return std::vector<std::string>{"CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE",
                                    "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE"}[weighted(rng, {6, 1, 2})];
  }

  // "x", or "&A[r0]" for a cell of an array; with an address dependency when something has been read.
  std::string place(ThreadDraft& t, const Location& l) {
    if (!l.array) return l.name;
    if (!t.read.empty() && rng.chance(0.6)) {
      p.classes.insert("address dependency");
      return fmt::format("&{}[{} & 1]", l.name, rng.pick(t.read));
    }
    return fmt::format("&{}[{}]", l.name, rng.below(2));
  }
  // A location of the kind, or the planned one, whatever its kind.
  const Location* pick(const ThreadDraft& t, bool atomic) {
    if (t.location >= 0) return &locations[static_cast<size_t>(t.location)];
    std::vector<const Location*> fitting;
    for (const Location& l : locations)
      if (l.atomic == atomic) fitting.push_back(&l);
    return fitting.empty() ? nullptr : rng.pick(fitting);
  }
  std::string element(ThreadDraft& t, const Location& l) {
    const std::string at = place(t, l);
    return l.array ? at.substr(1) : "*" + at;
  }

  std::string load(ThreadDraft& t, bool declare = true) {
    const Location* l = pick(t, rng.chance(0.72));
    if (l == nullptr) l = &locations[0];
    const std::string at = place(t, *l);
    std::string text;
    if (!l->atomic) {
      text = l->array ? at.substr(1) : "*" + at;
      p.classes.insert("plain load");
    } else {
      const size_t kind = weighted(rng, {3, 3, sc ? 4.0 : 1.0});
      text = fmt::format("atomic_load_explicit({}, memory_order_{}, {})", at,
                         kind == 0   ? "relaxed"
                         : kind == 1 ? "acquire"
                                     : "seq_cst",
                         scope());
      p.classes.insert(kind == 0 ? "relaxed load" : kind == 1 ? "acquire load" : "seq_cst access");
    }
    const std::string r = t.fresh();
    t.read.push_back(r);
    return fmt::format("{}{} = {};", declare ? type(false) + " " : "", r, text);
  }

  std::string store(ThreadDraft& t) {
    const Location* l = pick(t, rng.chance(0.72));
    if (l == nullptr) l = &locations[0];
    std::string v = stored(t);
    if (v[0] == 'r' && rng.chance(0.3)) v += " + 1";
    if (!l->atomic) {
      p.classes.insert("plain store");
      return fmt::format("{} = {};", element(t, *l), v);
    }
    const size_t kind = weighted(rng, {3, 3, sc ? 4.0 : 1.0});
    p.classes.insert(kind == 0 ? "relaxed store" : kind == 1 ? "release store" : "seq_cst access");
    return fmt::format("atomic_store_explicit({}, {}, memory_order_{}, {});", place(t, *l), v,
                       kind == 0   ? "relaxed"
                       : kind == 1 ? "release"
                                   : "seq_cst",
                       scope());
  }

  std::string rmw(ThreadDraft& t) {
    static const std::vector<std::string> k_orders = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    const Location* l = pick(t, true);
    if (l == nullptr || !l->atomic) return store(t);
    const size_t kind = weighted(rng, {2, 2, 7});
    // Where it may fail more often with an order that its failure can have too.
    const std::string order =
        "memory_order_" +
        k_orders[kind == 2 ? weighted(rng, {1, 5, 1, 5, sc ? 4.0 : 2.0}) : weighted(rng, {2, 2, 2, 2, sc ? 4.0 : 1.0})];
    if (order.ends_with("seq_cst")) p.classes.insert("seq_cst access");
    const std::string at = place(t, *l);
    const std::string v = stored(t);
    const std::string r = t.fresh();
    std::string text;
    if (kind == 0) {
      text = fmt::format("int {} = atomic_fetch_{}_explicit({}, {}, {}, {});", r,
                         std::vector<std::string>{"add", "sub", "or", "xor", "and"}[weighted(rng, {4, 1, 1, 1, 1})], at,
                         v, order, scope());
      p.classes.insert("rmw operation");
    } else if (kind == 1) {
      text = fmt::format("int {} = atomic_exchange_explicit({}, {}, {}, {});", r, at, v, order, scope());
      p.classes.insert("rmw exchange");
    } else {
      const Location* expected = nullptr;
      for (const Location& other : locations)
        if (!other.atomic && !other.array && other.type == l->type) expected = &other;
      std::string from;
      if (expected != nullptr && rng.chance(0.5)) {
        from = expected->name;
      } else {
        const std::string e = t.fresh();
        t.items.push_back(fmt::format("{} {} = {};", l->type, e, rng.below(2)));
        from = "&" + e;
        t.read.push_back(e);
      }
      // The order of a failure has no release and is no stronger than that of success.
      std::string failure = "relaxed";
      if (order.ends_with("acquire") || order.ends_with("acq_rel")) failure = rng.chance(0.9) ? "acquire" : "relaxed";
      if (order.ends_with("seq_cst")) failure = one_of(rng, {"relaxed", "acquire", "seq_cst"});
      if (failure != "relaxed") p.classes.insert("failure order");
      text = fmt::format("int {} = atomic_compare_exchange_strong_explicit({}, {}, {}, {}, memory_order_{}, {});", r,
                         at, from, v, order, failure, scope());
      p.classes.insert("rmw compare-exchange");
    }
    t.read.push_back(r);
    return text;
  }

  std::string fence(ThreadDraft&) {
    const size_t kind = weighted(rng, {2, 2, 2, sc ? 4.0 : 1.5});
    p.classes.insert(kind == 3 ? "fence sc" : kind == 2 ? "fence acq_rel" : "fence one-sided");
    return fmt::format("atomic_work_item_fence({}, memory_order_{}, {});", flags(),
                       std::vector<std::string>{"acquire", "release", "acq_rel", "seq_cst"}[kind], scope());
  }

  std::string arithmetic(ThreadDraft& t) {
    const bool from_read = !t.read.empty() && rng.chance(0.8);
    const std::string a = from_read ? rng.pick(t.read) : constant(rng);
    const std::string r = t.fresh();
    if (from_read) t.read.push_back(r);
    p.classes.insert("local arithmetic");
    return fmt::format("int {} = {} {} {};", r, a, std::vector<std::string>{"+", "-", "*", "&", "|", "^"}[rng.below(6)],
                       rng.below(3));
  }

  // Registers that are declared inside a branch stay inside.
  std::string conditional(ThreadDraft& t) {
    p.classes.insert("branch");
    if (!t.read.empty()) p.classes.insert("control dependency");
    const std::string head = fmt::format("if ({} {} {})", t.read.empty() ? constant(rng) : rng.pick(t.read),
                                         rng.chance(0.6) ? "==" : "!=", rng.below(2));
    const auto arm = [&] {
      const std::vector<std::string> before = t.read;
      const size_t items = t.items.size();
      std::string body = rng.chance(0.75) ? store(t) : rng.chance(0.5) ? fence(t) : load(t);
      for (size_t i = items; i < t.items.size(); ++i) body = t.items[i] + " " + body;
      t.items.resize(items);
      t.read = before;
      return "{ " + body + " }";
    };
    std::string text = head + " " + arm();
    if (rng.chance(0.3)) text += " else " + arm();
    return text;
  }

  void spin_loop(ThreadDraft& t) {
    const Location* l = pick(t, true);
    if (l == nullptr || l->array) return;
    const std::string r = t.fresh();
    t.items.push_back(fmt::format("int {} = 0;", r));
    t.items.push_back(fmt::format("while ({} == 0) {{ {} = atomic_load_explicit({}, memory_order_{}, {}); }}", r, r,
                                  l->name, rng.chance(0.6) ? "acquire" : "relaxed", scope()));
    t.read.push_back(r);
    p.classes.insert("spin loop");
    p.classes.insert("control dependency");
  }

  void planned(ThreadDraft& t, const std::vector<PlannedAccess>& plan) {
    const auto add = [&](std::string s) { t.items.push_back(std::move(s)); };
    follow(
        rng, t, plan, [&](bool write) { add(rng.chance(0.12) ? rmw(t)
                                            : write          ? store(t)
                                                             : load(t)); },
        [&] { add(fence(t)); });
  }

  void thread(ThreadDraft& t, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      switch (weighted(rng, {5, 5, 2.6, 1.8 * fences, 0.6, 0.9, 0.45})) {
        case 0:
          t.items.push_back(load(t));
          break;
        case 1:
          t.items.push_back(store(t));
          break;
        case 2: {
          std::string s = rmw(t);
          t.items.push_back(std::move(s));
          break;
        }
        case 3:
          t.items.push_back(fence(t));
          break;
        case 4:
          t.items.push_back(arithmetic(t));
          break;
        case 5: {
          std::string s = conditional(t);
          t.items.push_back(std::move(s));
          break;
        }
        default:
          spin_loop(t);
      }
    }
  }

  void memory(size_t n) {
    for (size_t i = 0; i < n; ++i) {
      Location l{k_locations[i], i == 0 || rng.chance(0.55), rng.chance(0.12), false};
      l.type = type(l.atomic);
      const std::string declared = l.atomic ? "atomic_" + l.type : l.type;
      if (i > 0 && rng.chance(0.3)) {
        l.array = true;
        l.name = std::string(1, static_cast<char>('A' + i));
        p.init.push_back(fmt::format("{} {}[2] = {{0, 0}}", declared, l.name));
      } else {
        p.init.push_back(fmt::format("[{}] = {}", l.name, rng.chance(0.85) ? 0 : rng.below(3)));
      }
      p.parameters +=
          fmt::format("{}{} {}* {}", p.parameters.empty() ? "" : ", ", l.local ? "local" : "global", declared, l.name);
      locations.push_back(l);
    }
  }

  void barriers(std::vector<ThreadDraft>& threads) {
    const std::string name = "B1";
    for (ThreadDraft& t : threads) {
      if (!rng.chance(0.9)) continue;
      insert_anywhere(rng, t, fmt::format("{}: barrier({});", rng.chance(0.94) ? name : "B2", flags()));
      p.classes.insert("barrier plain");
    }
  }

  void places(size_t n) {
    const size_t kind = weighted(rng, {4, 3, 3});
    std::set<std::string> seen;
    for (size_t t = 0; t < n; ++t) {
      const uint64_t wg = kind == 0 ? 0 : kind == 1 ? t : rng.below(2);
      const uint64_t dev = kind == 2 ? rng.below(2) : 0;
      p.threads[t].place = fmt::format("@wg {}, dev {}", wg, dev);
      seen.insert(p.threads[t].place);
    }
    if (seen.size() > 1) p.classes.insert("scopes differ");
  }
};

}  // namespace

Program generate_opencl(Rng& rng) {
  OpenCl g{rng, {}, {}, rng.chance(0.4) ? 2.0 : 0.8, rng.chance(0.35), rng.chance(0.35)};
  g.p.syntax = prog::Syntax::opencl;
  g.p.title = "fuzz";
  const Shape s = shape(rng);
  g.memory(s.locations);
  std::vector<ThreadDraft> threads(s.sizes.size());
  for (size_t t = 0; t < threads.size(); ++t)
    s.plan.empty() ? g.thread(threads[t], s.sizes[t]) : g.planned(threads[t], s.plan[t]);
  if (rng.chance(threads.size() > 1 ? 0.2 : 0.05)) g.barriers(threads);
  for (ThreadDraft& t : threads) g.p.threads.push_back({"", std::move(t.items)});
  g.places(threads.size());
  return std::move(g.p);
}

}  // namespace fencepost::fuzz
