// OPENCL: calls; spelling holds [flags,] [order, [failure order,]] [scope] as written. What was left to its default is
// written out once it is no longer the default.
#include <algorithm>
#include <array>

#include "prog/shape.h"

namespace fencepost::prog {
namespace {

constexpr std::array<Tag, 5> k_order_tags = {Tag::RLX, Tag::ACQ, Tag::REL, Tag::ACQ_REL, Tag::SC};
constexpr std::array<const char*, 3> k_scopes = {"memory_scope_work_group", "memory_scope_device",
                                                 "memory_scope_all_svm_devices"};
constexpr std::array<Tag, 3> k_scope_tags = {Tag::WG, Tag::DV, Tag::ALL};
const std::string k_global = "CLK_GLOBAL_MEM_FENCE", k_local = "CLK_LOCAL_MEM_FENCE";

// A call with its parts apart. `order` without "memory_order_".
struct Call {
  std::string name, order = "seq_cst", failure;
  int scope = 1;  // into k_scopes; -1: another one, which has no steps
  bool scope_written = false, order_written = false;
  bool global = false, local = false, has_flags = false;
};

std::string bare(const std::string& order) { return order.starts_with("memory_order_") ? order.substr(13) : order; }

std::optional<Call> read(const Shape& s) {
  Call c;
  c.name = s.mnemonic;
  size_t at = 0;
  if (s.mnemonic == "atomic_work_item_fence" || s.mnemonic.ends_with("mem_fence") || s.mnemonic.ends_with("barrier")) {
    if (s.spelling.empty()) return std::nullopt;
    c.has_flags = true;
    c.global = s.spelling[0].find(k_global) != std::string::npos;
    c.local = s.spelling[0].find(k_local) != std::string::npos;
    at = 1;
  }
  if (s.kind == Kind::barrier) return c;
  if (s.mnemonic == "mem_fence" || s.mnemonic == "read_mem_fence" || s.mnemonic == "write_mem_fence") {
    c.order = s.mnemonic == "mem_fence" ? "acq_rel" : s.mnemonic == "read_mem_fence" ? "acquire" : "release";
    c.scope = 0;
    return c;
  }
  if (!s.mnemonic.starts_with("atomic_")) return std::nullopt;  // plain accesses, parts of a compare-exchange
  if (at < s.spelling.size() && s.spelling[at].starts_with("memory_order_")) {
    c.order = bare(s.spelling[at++]);
    c.order_written = true;
  }
  if (at < s.spelling.size() && s.spelling[at].starts_with("memory_order_")) c.failure = bare(s.spelling[at++]);
  if (at < s.spelling.size()) {
    c.scope = -1;
    c.scope_written = true;
    for (int k = 0; k < 3; ++k)
      if (s.spelling[at] == k_scopes[static_cast<size_t>(k)]) c.scope = k;
    if (s.spelling[at] == "memory_scope_all_devices") c.scope = 2;
  }
  if (c.order == "consume") c.order = "relaxed";
  return c;
}

bool acquires(const std::string& o) { return o == "acquire" || o == "acq_rel" || o == "seq_cst"; }
bool releases(const std::string& o) { return o == "release" || o == "acq_rel" || o == "seq_cst"; }

Shape shaped(const Shape& from, Call c, bool scope_changed) {
  Shape s = from;
  s.spelling.clear();
  const auto scope_tag = c.scope >= 0 ? std::optional(k_scope_tags[static_cast<size_t>(c.scope)]) : std::nullopt;
  if (c.has_flags) {
    s.tags.remove(Tag::GLOBAL).remove(Tag::LOCAL);
    if (c.global) s.tags.add(Tag::GLOBAL);
    if (c.local) s.tags.add(Tag::LOCAL);
    s.spelling.push_back(c.global && c.local ? k_global + " | " + k_local
                         : c.global          ? k_global
                         : c.local           ? k_local
                                             : "0");
  }
  if (s.kind == Kind::barrier) {
    if (from.spelling.size() > 1) s.spelling.push_back(from.spelling[1]);
    return s;
  }
  const auto set = [&](TagSet& tags, Tag order) {
    for (Tag t : k_order_tags) tags.remove(t);
    tags.add(order);
    if (!scope_tag) return;
    for (Tag t : k_scope_tags) tags.remove(t);
    tags.add(*scope_tag);
  };
  const Tag load = c.order == "seq_cst" ? Tag::SC : acquires(c.order) ? Tag::ACQ : Tag::RLX;
  const Tag store = c.order == "seq_cst" ? Tag::SC : releases(c.order) ? Tag::REL : Tag::RLX;
  if (s.kind == Kind::fence) {
    set(s.tags, c.order == "seq_cst"   ? Tag::SC
                : c.order == "acq_rel" ? Tag::ACQ_REL
                : c.order == "acquire" ? Tag::ACQ
                                       : Tag::REL);
    if (from.mnemonic.ends_with("mem_fence")) {
      s.mnemonic = c.order == "acq_rel" ? "mem_fence" : c.order == "acquire" ? "read_mem_fence" : "write_mem_fence";
      return s;
    }
    s.spelling.push_back("memory_order_" + c.order);
    if (s.mnemonic == "atomic_work_item_fence")
      s.spelling.push_back(c.scope >= 0 ? k_scopes[static_cast<size_t>(c.scope)] : from.spelling.back());
    return s;
  }
  if (!s.mnemonic.ends_with("_explicit")) s.mnemonic += "_explicit";
  set(s.tags, s.kind == Kind::store ? store : load);
  if (s.kind == Kind::rmw) set(s.store_tags, store);
  s.spelling.push_back("memory_order_" + c.order);
  if (s.mnemonic.find("compare_exchange") != std::string::npos) {
    // C: the order of failure is no release and no stronger than that of success. One that was stronger from the start
    // stays as the test writes it until the order of success changes.
    if (c.failure.empty()) c.failure = "seq_cst";
    const auto before = read(from);
    if (!before || before->order != c.order) {
      if (c.failure == "seq_cst" && c.order != "seq_cst") c.failure = "acquire";
      if (acquires(c.failure) && !acquires(c.order)) c.failure = "relaxed";
    }
    s.spelling.push_back("memory_order_" + c.failure);
  }
  if (c.scope_written || scope_changed)
    s.spelling.push_back(c.scope >= 0 ? k_scopes[static_cast<size_t>(c.scope)] : from.spelling.back());
  return s;
}

struct Cover {
  const char *upper, *lower;
};
constexpr std::array<Cover, 2> k_load = {{{"seq_cst", "acquire"}, {"acquire", "relaxed"}}};
constexpr std::array<Cover, 2> k_store = {{{"seq_cst", "release"}, {"release", "relaxed"}}};
constexpr std::array<Cover, 5> k_rmw = {{{"seq_cst", "acq_rel"},
                                         {"acq_rel", "acquire"},
                                         {"acq_rel", "release"},
                                         {"acquire", "relaxed"},
                                         {"release", "relaxed"}}};
constexpr std::array<Cover, 3> k_fence = {{{"seq_cst", "acq_rel"}, {"acq_rel", "acquire"}, {"acq_rel", "release"}}};

std::span<const Cover> covers(Kind k) {
  switch (k) {
    case Kind::load:
      return k_load;
    case Kind::store:
      return k_store;
    case Kind::rmw:
      return k_rmw;
    default:
      return k_fence;
  }
}

}  // namespace

std::optional<TagSet> opencl_failed_tags(const TagSet& success, const std::vector<std::string>& spelling) {
  if (spelling.size() < 2 || !spelling[1].starts_with("memory_order_")) return std::nullopt;
  const std::string failure = bare(spelling[1]);
  TagSet out = success;
  for (Tag t : k_order_tags) out.remove(t);
  out.add(failure == "seq_cst" ? Tag::SC : acquires(failure) ? Tag::ACQ : Tag::RLX);
  if (out == success) return std::nullopt;
  return out;
}

Shape opencl_fence(bool acquire, bool local) {
  Shape s;
  s.mnemonic = "atomic_work_item_fence";
  s.spelling = {local ? k_local : k_global, acquire ? "memory_order_acquire" : "memory_order_release", k_scopes[0]};
  s.tags = {Tag::F, local ? Tag::LOCAL : Tag::GLOBAL, acquire ? Tag::ACQ : Tag::REL, Tag::WG};
  return s;
}

std::vector<Step> opencl_steps(const Shape& s, bool up, const Surroundings& around) {
  std::vector<Step> out;
  if (s.kind != Kind::load && s.kind != Kind::store && s.kind != Kind::rmw && s.kind != Kind::fence &&
      s.kind != Kind::barrier)
    return out;
  const auto c = read(s);
  if (!c) return out;
  const auto absent = [&] {
    Shape n;
    n.kind = s.kind;
    n.absent = true;
    out.push_back({Aspect::presence, n});
  };
  const auto step = [&](Aspect aspect, auto&& change, bool scope_changed = false) {
    Call n = *c;
    change(n);
    out.push_back({aspect, shaped(s, n, scope_changed)});
  };
  // A fence for no memory, or without an order, orders nothing.
  if (s.kind == Kind::fence && (c->order == "relaxed" || (c->has_flags && !c->global && !c->local))) {
    if (!up) absent();
    return out;
  }
  if (s.kind != Kind::barrier) {
    for (const Cover& v : covers(s.kind))
      if (c->order == (up ? v.lower : v.upper) &&
          !(up && s.mnemonic.ends_with("mem_fence") && v.upper == std::string("seq_cst") &&
            s.mnemonic != "atomic_work_item_fence"))
        step(Aspect::order, [&](Call& n) { n.order = up ? v.upper : v.lower; });
    const bool scoped = s.kind != Kind::fence || s.mnemonic == "atomic_work_item_fence";
    if (scoped && c->scope >= 0 && (up ? c->scope < 2 : c->scope > 0))
      step(Aspect::scope, [&](Call& n) { n.scope += up ? 1 : -1; }, true);
    const bool bottom = !scoped || c->scope <= 0;
    if (!up && s.kind == Kind::fence && bottom && (c->order == "acquire" || c->order == "release") &&
        !(c->global && c->local))
      absent();
  }
  if (c->has_flags) {
    if (!up && c->global && c->local) {
      step(Aspect::semantics, [](Call& n) { n.local = false; });
      step(Aspect::semantics, [](Call& n) { n.global = false; });
    }
    if (up && !c->global && around.global) step(Aspect::semantics, [](Call& n) { n.global = true; });
    if (up && !c->local && around.local) step(Aspect::semantics, [](Call& n) { n.local = true; });
    if (!up && s.kind == Kind::barrier && c->global != c->local)
      step(Aspect::semantics, [](Call& n) { n.global = n.local = false; });
    if (!up && s.kind == Kind::barrier && !c->global && !c->local) absent();
  }
  return out;
}

}  // namespace fencepost::prog
