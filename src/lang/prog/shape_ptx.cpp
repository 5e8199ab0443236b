// PTX: mnemonics are head.order[.scope][.operation], as the front end keeps them.
#include <algorithm>
#include <array>

#include "prog/shape.h"

namespace fencepost::prog {
namespace {

struct ScopeWord {
  const char* name;
  Tag tag;
};
constexpr std::array<ScopeWord, 4> k_scopes = {
    {{"cta", Tag::CTA}, {"cluster", Tag::CLUSTER}, {"gpu", Tag::GPU}, {"sys", Tag::SYS}}};
constexpr int k_cta = 0, k_cluster = 1, k_gpu = 2, k_sys = 3;
constexpr std::array<const char*, 7> k_orders = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile"};
constexpr std::array<Tag, 6> k_order_tags = {Tag::WEAK, Tag::RLX, Tag::ACQ, Tag::REL, Tag::ACQ_REL, Tag::SC};

struct Access {
  std::string head, order;
  int scope = -1;    // into k_scopes
  std::string rest;  // ".add"
};

std::optional<Access> read(const std::string& mnemonic) {
  const auto words = words_of(mnemonic);
  if (words.size() < 2 || std::find(k_orders.begin(), k_orders.end(), words[1]) == k_orders.end()) return std::nullopt;
  Access a{words[0], words[1], -1, ""};
  for (size_t i = 2; i < words.size(); ++i) {
    int scope = -1;
    for (int k = 0; k <= k_sys; ++k)
      if (words[i] == k_scopes[k].name) scope = k;
    if (scope >= 0)
      a.scope = scope;
    else
      a.rest += "." + words[i];
  }
  return a;
}

Shape shaped(const Shape& from, const Access& a) {
  Shape s = from;
  s.mnemonic = a.head + "." + a.order;
  if (a.scope >= 0) s.mnemonic += std::string(".") + k_scopes[static_cast<size_t>(a.scope)].name;
  s.mnemonic += a.rest;
  const auto set = [&](TagSet& tags, Tag order) {
    for (Tag t : k_order_tags) tags.remove(t);
    for (const ScopeWord& w : k_scopes) tags.remove(w.tag);
    tags.add(order);
    if (a.scope >= 0) tags.add(k_scopes[static_cast<size_t>(a.scope)].tag);
    if (a.order == "volatile") tags.add(Tag::SYS);
  };
  if (s.kind == Kind::rmw) {
    set(s.tags, a.order == "acquire" || a.order == "acq_rel" ? Tag::ACQ : Tag::RLX);
    set(s.store_tags, a.order == "release" || a.order == "acq_rel" ? Tag::REL : Tag::RLX);
    return s;
  }
  set(s.tags, a.order == "weak"      ? Tag::WEAK
              : a.order == "acquire" ? Tag::ACQ
              : a.order == "release" ? Tag::REL
              : a.order == "acq_rel" ? Tag::ACQ_REL
              : a.order == "sc"      ? Tag::SC
                                     : Tag::RLX);
  return s;
}

// Orders one step below or above, at an unchanged scope.
std::vector<std::string> next_orders(Kind kind, const std::string& order, bool up) {
  struct Cover {
    Kind kind;
    const char *upper, *lower;
  };
  static constexpr std::array<Cover, 7> k_covers = {{{Kind::load, "acquire", "relaxed"},
                                                     {Kind::store, "release", "relaxed"},
                                                     {Kind::rmw, "acq_rel", "acquire"},
                                                     {Kind::rmw, "acq_rel", "release"},
                                                     {Kind::rmw, "acquire", "relaxed"},
                                                     {Kind::rmw, "release", "relaxed"},
                                                     {Kind::fence, "sc", "acq_rel"}}};
  std::vector<std::string> out;
  for (const Cover& c : k_covers)
    if (c.kind == kind && order == (up ? c.lower : c.upper)) out.emplace_back(up ? c.upper : c.lower);
  return out;
}

Shape nothing(const Shape& s) {
  Shape out;
  out.kind = s.kind;
  out.absent = true;
  return out;
}

}  // namespace

Shape ptx_fence(const std::string& mnemonic, TagSet tags) {
  Shape s;
  s.mnemonic = mnemonic;
  s.tags = tags;
  return s;
}

std::vector<Step> ptx_steps(const Shape& s, bool up, bool clusters) {
  std::vector<Step> out;
  // Parts of an instruction of several events, and what has no form without its partner.
  if (s.mnemonic.empty() || s.mnemonic.starts_with("barrier.cluster") || s.mnemonic.starts_with("multimem.") ||
      s.mnemonic.starts_with("tensormap.") || s.mnemonic.find(".v2") != std::string::npos)
    return out;
  // Threads of the host: their accesses have one form, and their fence is there or not.
  if (s.tags.has(Tag::HOST)) {
    if (!up && s.kind == Kind::fence) out.push_back({Aspect::presence, nothing(s)});
    return out;
  }
  const bool only_there_or_not = s.mnemonic.starts_with("fence.proxy") || s.mnemonic.starts_with("fence.mbarrier") ||
                                 s.mnemonic.find("sync_restrict") != std::string::npos;
  if (s.kind == Kind::barrier || (s.kind == Kind::fence && only_there_or_not)) {
    if (!up) out.push_back({Aspect::presence, nothing(s)});
    return out;
  }
  if (s.kind != Kind::load && s.kind != Kind::store && s.kind != Kind::rmw && s.kind != Kind::fence) return out;
  const auto a = read(s.mnemonic);
  if (!a) return out;
  const bool plain = s.kind == Kind::load || s.kind == Kind::store;
  const auto step = [&](Aspect aspect, const std::string& order, int scope) {
    Access to = *a;
    to.order = order;
    to.scope = scope;
    out.push_back({aspect, shaped(s, to)});
  };
  if (a->order == "weak") {
    if (up && plain) step(Aspect::access, "relaxed", k_cta);
    return out;
  }
  if (a->order == "volatile") {
    if (up)
      step(Aspect::order, s.kind == Kind::load ? "acquire" : "release", k_sys);
    else
      step(Aspect::scope, "relaxed", k_gpu);
    return out;
  }
  for (const std::string& o : next_orders(s.kind, a->order, up)) step(Aspect::order, o, a->scope);
  int next = a->scope + (up ? 1 : -1);
  if (next == k_cluster && !clusters) next += up ? 1 : -1;
  if (next >= k_cta && next <= k_sys) step(Aspect::scope, a->order, next);
  if (!up && a->scope == k_cta && plain && a->order == "relaxed") step(Aspect::access, "weak", -1);
  if (!up && a->scope == k_cta && s.kind == Kind::fence && a->order != "sc")
    out.push_back({Aspect::presence, nothing(s)});
  return out;
}

std::vector<Step> gpu_ptx_steps(const Shape& s, bool up) {
  std::vector<Step> out;
  if (s.kind == Kind::fence && s.mnemonic.starts_with("membar.")) {
    static constexpr std::array<const char*, 3> k_levels = {"cta", "gl", "sys"};
    static constexpr std::array<Tag, 3> k_tags = {Tag::CTA, Tag::GPU, Tag::SYS};
    const std::string level = s.mnemonic.substr(7);
    const auto at = std::find(k_levels.begin(), k_levels.end(), level) - k_levels.begin();
    if (!up && at == 0) {
      out.push_back({Aspect::presence, nothing(s)});
    } else if (up ? at < 2 : at < 3) {
      const auto to = static_cast<size_t>(at + (up ? 1 : -1));
      Shape n = s;
      n.mnemonic = std::string("membar.") + k_levels[to];
      n.tags.remove(Tag::CTA).remove(Tag::GPU).remove(Tag::SYS).add(k_tags[to]);
      out.push_back({Aspect::scope, n});
    }
    return out;
  }
  if (s.kind != Kind::load && s.kind != Kind::store) return out;
  const Tag cache = s.kind == Kind::load ? Tag::CA : Tag::WB;
  auto words = words_of(s.mnemonic);
  const auto at = std::find(words.begin(), words.end(), "volatile");
  Shape n = s;
  if (!up && at != words.end()) {
    words.erase(at);
    n.tags.remove(Tag::RLX).remove(Tag::SYS).remove(Tag::VOLATILE).add(Tag::WEAK).add(cache);
  } else if (up && at == words.end() && s.tags.has(cache) &&
             s.mnemonic.find(s.kind == Kind::load ? ".ca" : ".wb") == std::string::npos) {
    words.insert(words.begin() + 1, "volatile");
    n.tags.remove(Tag::WEAK).remove(cache).add(Tag::RLX).add(Tag::SYS).add(Tag::VOLATILE);
  } else {
    return out;
  }
  n.mnemonic.clear();
  for (const std::string& w : words) n.mnemonic += (n.mnemonic.empty() ? "" : ".") + w;
  out.push_back({Aspect::access, n});
  return out;
}

}  // namespace fencepost::prog
