#include "litmus/asm_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fencepost::litmus {
namespace {

using prog::Tag;
using prog::TagSet;

struct Head {
  std::string_view name;
  PtxOp::Kind kind;
  Tag proxy;
};
constexpr Head k_heads[] = {
    {"ld", PtxOp::Kind::load, Tag::GEN},      {"tld", PtxOp::Kind::load, Tag::TEX},
    {"suld", PtxOp::Kind::load, Tag::SUR},    {"cold", PtxOp::Kind::load, Tag::CON},
    {"ldc", PtxOp::Kind::load, Tag::CON},     {"st", PtxOp::Kind::store, Tag::GEN},
    {"sust", PtxOp::Kind::store, Tag::SUR},   {"atom", PtxOp::Kind::atom, Tag::GEN},
    {"suatom", PtxOp::Kind::atom, Tag::SUR},  {"red", PtxOp::Kind::red, Tag::GEN},
    {"sured", PtxOp::Kind::red, Tag::SUR},    {"fence", PtxOp::Kind::fence, Tag::GEN},
    {"bar", PtxOp::Kind::barrier, Tag::F},    {"barrier", PtxOp::Kind::barrier, Tag::F},
    {"membar", PtxOp::Kind::fence, Tag::GEN},
};

enum class Order : uint8_t { weak, relaxed, acquire, release, acq_rel, sc, volatile_ };
struct OrderName {
  std::string_view name;        // long form, as PTX writes it
  std::string_view short_name;  // as papers write it
  Order order;
};
constexpr OrderName k_orders[] = {
    {"weak", "weak", Order::weak},
    {"relaxed", "rlx", Order::relaxed},
    {"acquire", "acq", Order::acquire},
    {"release", "rel", Order::release},
    {"acq_rel", "acqrel", Order::acq_rel},
    {"sc", "sc", Order::sc},
    {"volatile", "volatile", Order::volatile_},
};

struct ScopeName {
  std::string_view name;
  Tag tag;
};
constexpr ScopeName k_scopes[] = {{"cta", Tag::CTA}, {"cluster", Tag::CLUSTER}, {"gpu", Tag::GPU}, {"sys", Tag::SYS}};

struct ProxyName {
  std::string_view name;
  Tag tag;
};
constexpr ProxyName k_proxies[] = {
    {"generic", Tag::GEN}, {"constant", Tag::CON}, {"texture", Tag::TEX}, {"surface", Tag::SUR}, {"alias", Tag::ALIAS}};

template <class Table>
const auto* find(const Table& table, std::string_view name) {
  const auto* at = std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.name == name; });
  return at == std::end(table) ? nullptr : at;
}

const char* kind_word(PtxOp::Kind k) {
  switch (k) {
    case PtxOp::Kind::load:
      return "a load";
    case PtxOp::Kind::store:
      return "a store";
    case PtxOp::Kind::fence:
      return "a fence";
    default:
      return "an atomic operation";
  }
}

// Which orders an instruction takes, as a sentence for hints; the first word list is also the check.
std::vector<Order> orders_of(PtxOp::Kind k) {
  switch (k) {
    case PtxOp::Kind::load:
      return {Order::weak, Order::relaxed, Order::acquire, Order::volatile_};
    case PtxOp::Kind::store:
      return {Order::weak, Order::relaxed, Order::release, Order::volatile_};
    case PtxOp::Kind::fence:
      return {Order::acq_rel, Order::sc};
    default:
      return {Order::relaxed, Order::acquire, Order::release, Order::acq_rel};
  }
}

std::string order_list(PtxOp::Kind k) {
  std::string out;
  const auto orders = orders_of(k);
  for (size_t i = 0; i < orders.size(); ++i) {
    if (i > 0) out += i + 1 == orders.size() ? " or " : ", ";
    for (const OrderName& n : k_orders)
      if (n.order == orders[i]) out += fmt::format(".{}", n.name);
  }
  return out;
}

// The modifiers of one mnemonic, each at most once.
struct Modifiers {
  std::optional<Order> order;
  std::optional<Tag> scope;
  std::string_view order_text, scope_text, op_text;
  Token order_token, scope_token;
  PtxOp::Rmw rmw = PtxOp::Rmw::none;
  term::Op op = term::Op::add;
};

class Reader {
 public:
  Reader(const Cursor& c, const Mnemonic& m, const Head& head, PtxOptions options)
      : c_(c), m_(m), head_(head), o_(options) {}

  PtxOp read() {
    PtxOp out;
    out.kind = head_.kind;
    if (head_.kind == PtxOp::Kind::barrier) return barrier(out);
    if (head_.name == "membar") return membar(out);
    if (head_.kind == PtxOp::Kind::fence && m_.parts.size() > 1 && (m_.parts[1].is("proxy") || m_.parts[1].is("alias")))
      return proxy_fence(out);
    collect();
    defaults();
    check();
    assemble(out);
    return out;
  }

 private:
  Span after_mnemonic() const { return c_.span(m_.end, m_.end + 1); }
  bool atomic() const { return head_.kind == PtxOp::Kind::atom || head_.kind == PtxOp::Kind::red; }

  PtxOp barrier(PtxOp out) const {
    // bar.cta.sync, bar.sync, barrier.cta.sync: one instruction.
    size_t next = 1;
    if (next < m_.parts.size() && m_.parts[next].is("cta")) ++next;
    if (next >= m_.parts.size())
      fail_at(after_mnemonic(), fmt::format("{} lacks its mode", litmus::quoted(m_.text())),
              "write bar.cta.sync or bar.cta.arrive");
    const Token& mode = m_.parts[next];
    if (!mode.is("sync") && !mode.is("arrive")) fail_modifier(c_, m_, mode, {"cta", "sync", "arrive"});
    if (next + 1 < m_.parts.size())
      c_.fail(m_.parts[next + 1], fmt::format("unexpected modifier {}", litmus::quoted(m_.parts[next + 1].text)),
              "a barrier is bar.cta.sync or bar.cta.arrive");
    out.arrive = mode.is("arrive");
    out.mnemonic = out.arrive ? "bar.cta.arrive" : "bar.cta.sync";
    out.tags = {Tag::F, Tag::B};
    return out;
  }

  // PTX ISA 9.4, 9.7.15.4: "membar.{cta,gl,sys} are synonyms to fence.sc.{cta,gpu,sys}" from sm_70 on.
  PtxOp membar(PtxOp out) const {
    if (m_.parts.size() < 2) fail_at(after_mnemonic(), "'membar' needs a level here", "add .cta, .gl or .sys");
    const Token& level = m_.parts[1];
    if (level.is("proxy")) return proxy_fence(out);
    if (!level.is("cta") && !level.is("gl") && !level.is("sys"))
      fail_modifier(c_, m_, level, {"cta", "gl", "sys", "proxy"});
    if (m_.parts.size() > 2)
      c_.fail(m_.parts[2], fmt::format("unexpected modifier {}", litmus::quoted(m_.parts[2].text)),
              "write membar.cta, membar.gl or membar.sys");
    const auto* scope = find(k_scopes, level.is("gl") ? "gpu" : level.text);
    out.mnemonic = fmt::format("fence.sc.{}", scope->name);
    out.tags = {Tag::F, Tag::SC, Tag::GEN, scope->tag};
    return out;
  }

  PtxOp proxy_fence(PtxOp out) const {
    const size_t at = m_.parts[1].is("alias") ? 1 : 2;  // fence.alias is fence.proxy.alias
    static const std::vector<std::string> known = {"generic", "constant", "texture", "surface", "alias"};
    if (at >= m_.parts.size())
      fail_at(after_mnemonic(), "'fence.proxy' lacks its proxy",
              "write fence.proxy.alias, .generic, .constant, .texture or .surface");
    const auto* proxy = find(k_proxies, m_.parts[at].text);
    if (proxy == nullptr) fail_modifier(c_, m_, m_.parts[at], known);
    if (at + 1 < m_.parts.size())
      c_.fail(m_.parts[at + 1], "a proxy fence has neither order nor scope",
              fmt::format("write fence.proxy.{}", proxy->name));
    out.mnemonic = fmt::format("fence.proxy.{}", proxy->name);
    out.tags = {Tag::F, proxy->tag};
    return out;
  }

  [[noreturn]] void twice(const Token& t, std::string_view what, std::string_view first) const {
    c_.fail(t, fmt::format("a second {} after '.{}'", what, first),
            fmt::format("keep one of .{} and .{}", first, t.text));
  }

  void collect() {
    for (size_t i = 1; i < m_.parts.size(); ++i) {
      const Token& t = m_.parts[i];
      const auto* order = std::find_if(std::begin(k_orders), std::end(k_orders),
                                       [&](const OrderName& n) { return n.name == t.text || n.short_name == t.text; });
      if (order != std::end(k_orders)) {
        if (mods_.order) twice(t, "order", mods_.order_text);
        mods_.order = order->order;
        mods_.order_text = order->name;
        mods_.order_token = t;
      } else if (const auto* scope = find(k_scopes, t.text)) {
        if (mods_.scope) twice(t, "scope", mods_.scope_text);
        mods_.scope = scope->tag;
        mods_.scope_text = scope->name;
        mods_.scope_token = t;
      } else if (atomic() && operation(t)) {
      } else {
        std::vector<std::string> known;
        for (const Order o : orders_of(head_.kind))
          for (const OrderName& n : k_orders)
            if (n.order == o) known.emplace_back(n.name);
        for (const ScopeName& s : k_scopes) known.emplace_back(s.name);
        if (atomic())
          for (const char* op : {"add", "sub", "mul", "div", "and", "or", "xor", "exch", "cas"}) known.emplace_back(op);
        if (head_.kind == PtxOp::Kind::fence) known.emplace_back("proxy");
        fail_modifier(c_, m_, t, known);
      }
    }
  }

  bool operation(const Token& t) {
    PtxOp::Rmw kind = PtxOp::Rmw::arithmetic;
    if (const term::Op* op = find_arithmetic(t.text))
      mods_.op = *op;
    else if (t.is("cas"))
      kind = PtxOp::Rmw::cas;
    else if (t.is("exch"))
      kind = PtxOp::Rmw::exch;
    else
      return false;
    if (mods_.rmw != PtxOp::Rmw::none) twice(t, "operation", mods_.op_text);
    if (head_.kind == PtxOp::Kind::red && kind != PtxOp::Rmw::arithmetic)
      c_.fail(t, fmt::format("'red' has no .{}", t.text),
              fmt::format("write atom with a result register for .{}", t.text));
    mods_.rmw = kind;
    mods_.op_text = t.text;
    return true;
  }

  void defaults() {
    if (mods_.order) return;
    if (head_.kind == PtxOp::Kind::fence && mods_.scope && !o_.default_orders) {  // 9.7.15.4: .acq_rel is the default
      mods_.order = Order::acq_rel;
      mods_.order_text = "acq_rel";
      mods_.order_token = m_.head();
      return;
    }
    if (!o_.default_orders || head_.kind == PtxOp::Kind::fence) {
      const char* example =
          head_.kind == PtxOp::Kind::load || head_.kind == PtxOp::Kind::store ? "; plain accesses are .weak" : "";
      fail_at(after_mnemonic(), fmt::format("{} needs an order here", litmus::quoted(m_.text())),
              fmt::format("add {}{}", order_list(head_.kind), example));
    }
    mods_.order = atomic() ? Order::relaxed : Order::weak;
    mods_.order_text = atomic() ? "relaxed" : "weak";
    mods_.order_token = m_.head();
    if (atomic() && !mods_.scope) {  // PTX ISA 7.5, 9.7.12.4: without a scope atom works at .gpu
      mods_.scope = Tag::GPU;
      mods_.scope_text = "gpu";
    }
  }

  void check() const {
    const auto orders = orders_of(head_.kind);
    if (std::find(orders.begin(), orders.end(), *mods_.order) == orders.end())
      c_.fail(mods_.order_token,
              fmt::format("'.{}' is not an order of {}", mods_.order_token.text, kind_word(head_.kind)),
              fmt::format("{} takes {}", litmus::quoted(m_.head().text), order_list(head_.kind)));
    const bool unscoped = *mods_.order == Order::weak || *mods_.order == Order::volatile_;
    if (unscoped && mods_.scope)
      c_.fail(mods_.scope_token, fmt::format("a {} access has no scope", mods_.order_text),
              fmt::format("remove .{0}, or write .relaxed.{0}", mods_.scope_text));
    if (!unscoped && !mods_.scope)
      fail_at(after_mnemonic(), fmt::format("{} needs a scope here", litmus::quoted(m_.text())),
              "add .cta, .cluster, .gpu or .sys");
    if (atomic() && mods_.rmw == PtxOp::Rmw::none)
      fail_at(after_mnemonic(), fmt::format("{} needs an operation here", litmus::quoted(m_.text())),
              head_.kind == PtxOp::Kind::red ? "add .add, .sub, .mul, .div, .and, .or or .xor"
                                             : "add .exch, .cas, .add, .sub, .mul, .div, .and, .or or .xor");
  }

  void assemble(PtxOp& out) const {
    const std::string_view head = head_.name;
    const std::string scope = mods_.scope ? fmt::format(".{}", mods_.scope_text) : std::string();
    if (atomic())
      out.mnemonic = o_.operation_first ? fmt::format("{}.{}.{}{}", head, mods_.op_text, mods_.order_text, scope)
                                        : fmt::format("{}.{}{}.{}", head, mods_.order_text, scope, mods_.op_text);
    else
      out.mnemonic = fmt::format("{}.{}{}", head, mods_.order_text, scope);
    TagSet common = {head_.proxy};
    if (mods_.scope) common.add(*mods_.scope);
    const Order o = *mods_.order;
    if (atomic()) {
      out.rmw = mods_.rmw;
      out.op = mods_.op;
      common.add(Tag::RMW);
      out.tags = common | TagSet{Tag::R, o == Order::acquire || o == Order::acq_rel ? Tag::ACQ : Tag::RLX};
      if (head_.kind == PtxOp::Kind::red) out.tags.add(Tag::RED);
      out.store_tags = common | TagSet{Tag::W, o == Order::release || o == Order::acq_rel ? Tag::REL : Tag::RLX};
      return;
    }
    switch (head_.kind) {
      case PtxOp::Kind::load:
        common.add(Tag::R);
        break;
      case PtxOp::Kind::store:
        common.add(Tag::W);
        break;
      default:
        common.add(Tag::F);
        break;
    }
    switch (o) {
      case Order::weak:
        common.add(Tag::WEAK);
        break;
      case Order::relaxed:
        common.add(Tag::RLX);
        break;
      case Order::acquire:
        common.add(Tag::ACQ);
        break;
      case Order::release:
        common.add(Tag::REL);
        break;
      case Order::acq_rel:
        common.add(Tag::ACQ_REL);
        break;
      case Order::sc:
        common.add(Tag::SC);
        break;
      case Order::volatile_:
        common.add(Tag::RLX).add(Tag::SYS);
        break;
    }
    out.tags = common;
  }

  const Cursor& c_;
  const Mnemonic& m_;
  const Head& head_;
  PtxOptions o_;
  Modifiers mods_;
};

}  // namespace

const std::vector<std::string>& ptx_mnemonics() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Head& h : k_heads) out.emplace_back(h.name);
    return out;
  }();
  return names;
}

PtxOp parse_ptx_op(const Cursor& c, const Mnemonic& m, PtxOptions options) {
  const Head* head = find(k_heads, m.head().text);
  if (head == nullptr) return {};
  return Reader(c, m, *head, options).read();
}

prog::Instr make_ptx_rmw(const PtxOp& op, prog::RegId dst, prog::SymbolId location, std::vector<term::Expr> args) {
  prog::Instr i;
  i.kind = prog::Kind::rmw;
  i.mnemonic = op.mnemonic;
  i.dst = dst;
  i.addr.symbol = location;
  i.tags = op.tags;
  i.store_tags = op.store_tags;
  const term::Expr old = term::variable(prog::k_old_value, 64);
  switch (op.rmw) {
    case PtxOp::Rmw::arithmetic:
      i.value = term::binary(op.op, old, args[0]);
      break;
    // A compare-and-swap of PTX always writes: the old value when the comparison fails.
    case PtxOp::Rmw::cas:
      i.value = term::ite(term::binary(term::Op::eq, old, args[0]), args[1], old);
      break;
    default:
      i.value = args[0];
      break;
  }
  i.args = std::move(args);
  return i;
}

}  // namespace fencepost::litmus
