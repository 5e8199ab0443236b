// VULKAN: mnemonics in the order of docs/litmus.md, head[.atom][.order][.av|.vis|.nonpriv][.scope][.class][.semscN...]
// [.semav][.semvis][.operation].
#include <algorithm>
#include <array>

#include "prog/shape.h"

namespace fencepost::prog {
namespace {

constexpr std::array<const char*, 4> k_scopes = {"sg", "wg", "qf", "dv"};
constexpr std::array<Tag, 4> k_scope_tags = {Tag::SG, Tag::WG, Tag::QF, Tag::DV};
constexpr std::array<Tag, 4> k_class_tags = {Tag::SC0, Tag::SC1, Tag::SC2, Tag::SC3};
constexpr std::array<Tag, 4> k_sem_tags = {Tag::SEMSC0, Tag::SEMSC1, Tag::SEMSC2, Tag::SEMSC3};

enum class Privacy : uint8_t { none, nonpriv, domain };  // domain: av of a store, vis of a load

struct Words {
  std::string head;
  bool atom = false, acq = false, rel = false, semav = false, semvis = false;
  Privacy privacy = Privacy::none;
  int scope = -1, storage = -1;
  std::array<bool, 4> sem{};
  std::string operation;
};

Words read(const std::string& mnemonic) {
  Words w;
  const auto words = words_of(mnemonic);
  w.head = words[0];
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& x = words[i];
    bool known = true;
    if (x == "atom")
      w.atom = true;
    else if (x == "acq")
      w.acq = true;
    else if (x == "rel")
      w.rel = true;
    else if (x == "acq_rel")
      w.acq = w.rel = true;
    else if (x == "semav")
      w.semav = true;
    else if (x == "semvis")
      w.semvis = true;
    else if (x == "nonpriv")
      w.privacy = Privacy::nonpriv;
    else if (x == "av" || x == "vis")
      w.privacy = Privacy::domain;
    else
      known = false;
    for (size_t k = 0; k < 4 && !known; ++k) {
      known = true;
      if (x == k_scopes[k])
        w.scope = static_cast<int>(k);
      else if (x == "sc" + std::to_string(k))
        w.storage = static_cast<int>(k);
      else if (x == "semsc" + std::to_string(k))
        w.sem[k] = true;
      else
        known = false;
    }
    if (!known) w.operation = x;
  }
  return w;
}

std::string text(const Words& w) {
  std::string out = w.head;
  const auto add = [&](bool yes, const std::string& word) {
    if (yes) out += "." + word;
  };
  add(w.atom, "atom");
  add(w.acq || w.rel, w.acq && w.rel ? "acq_rel" : w.acq ? "acq" : "rel");
  add(w.privacy == Privacy::domain, w.head == "st" ? "av" : "vis");
  add(w.privacy == Privacy::nonpriv, "nonpriv");
  add(w.scope >= 0, w.scope >= 0 ? k_scopes[static_cast<size_t>(w.scope)] : "");
  add(w.storage >= 0, "sc" + std::to_string(w.storage));
  for (size_t k = 0; k < 4; ++k) add(w.sem[k], "semsc" + std::to_string(k));
  add(w.semav, "semav");
  add(w.semvis, "semvis");
  add(!w.operation.empty(), w.operation);
  return out;
}

Shape shaped(const Shape& from, const Words& w) {
  Shape s;
  s.kind = from.kind;
  s.mnemonic = text(w);
  const auto order = [&](TagSet& tags, bool acq, bool rel) {
    if (!acq && !rel) return;
    for (size_t k = 0; k < 4; ++k)
      if (w.sem[k]) tags.add(k_sem_tags[k]);
    if (acq) tags.add(Tag::ACQ);
    if (rel) tags.add(Tag::REL);
    if (acq && w.semvis) tags.add(Tag::SEMVIS);
    if (rel && w.semav) tags.add(Tag::SEMAV);
  };
  TagSet common;
  if (w.scope >= 0) common.add(k_scope_tags[static_cast<size_t>(w.scope)]);
  if (s.kind == Kind::fence || s.kind == Kind::barrier) {
    s.tags = common;
    if (s.kind == Kind::barrier) s.tags.add(Tag::CBAR).add(Tag::B);
    if (w.acq || w.rel) s.tags.add(Tag::F);
    order(s.tags, w.acq, w.rel);
    return s;
  }
  common.add(k_class_tags[static_cast<size_t>(w.storage)]);
  if (w.atom) common.add(Tag::ATOM);
  if (w.atom || w.privacy != Privacy::none) common.add(Tag::NONPRIV);
  if (s.kind == Kind::rmw) common.add(Tag::RMW);
  const bool domain = w.atom || w.privacy == Privacy::domain;
  TagSet reads = common, writes = common;
  reads.add(Tag::R);
  writes.add(Tag::W);
  if (domain) reads.add(Tag::VIS), writes.add(Tag::AV);
  order(reads, w.acq, false);
  order(writes, false, w.rel);
  s.tags = s.kind == Kind::store ? writes : reads;
  if (s.kind == Kind::rmw) s.store_tags = writes;
  return s;
}

}  // namespace

Shape vulkan_fence(bool acquire, Tag storage_class) {
  Words w;
  w.head = "membar";
  (acquire ? w.acq : w.rel) = true;
  w.scope = 0;
  for (size_t k = 0; k < 4; ++k) w.sem[k] = k_class_tags[k] == storage_class;
  Shape s;
  return shaped(s, w);
}

std::vector<Step> vulkan_steps(const Shape& s, bool up, const std::vector<Tag>& classes) {
  std::vector<Step> out;
  const bool access = s.kind == Kind::load || s.kind == Kind::store || s.kind == Kind::rmw;
  if (!access && s.kind != Kind::fence && s.kind != Kind::barrier) return out;
  const auto absent = [&] {
    Shape n;
    n.kind = s.kind;
    n.absent = true;
    out.push_back({Aspect::presence, n});
  };
  const Words w = read(s.mnemonic);
  if (w.head == "avdevice" || w.head == "visdevice") {
    if (!up) absent();
    return out;
  }
  const auto step = [&](Aspect aspect, auto&& change) {
    Words n = w;
    change(n);
    out.push_back({aspect, shaped(s, n)});
  };
  const auto sems = static_cast<size_t>(std::count(w.sem.begin(), w.sem.end(), true));
  const bool ordered = w.acq || w.rel;
  const bool reads = s.kind != Kind::store, writes = s.kind != Kind::load;
  if (up) {
    if (access && !w.atom) {
      if (w.privacy == Privacy::none) step(Aspect::access, [](Words& n) { n.privacy = Privacy::nonpriv; });
      if (w.privacy == Privacy::nonpriv)
        step(Aspect::access, [](Words& n) { n.privacy = Privacy::domain, n.scope = 0; });
    } else if (!ordered) {
      for (Tag c : classes)
        for (bool acquire : {true, false})
          if (acquire ? reads : writes)
            step(Aspect::order, [&](Words& n) {
              (acquire ? n.acq : n.rel) = true;
              for (size_t k = 0; k < 4; ++k) n.sem[k] = k_class_tags[k] == c;
            });
    } else {
      if (!w.acq && reads) step(Aspect::order, [](Words& n) { n.acq = true; });
      if (!w.rel && writes) step(Aspect::order, [](Words& n) { n.rel = true; });
      for (size_t k = 0; k < 4; ++k)
        if (!w.sem[k] && std::find(classes.begin(), classes.end(), k_class_tags[k]) != classes.end())
          step(Aspect::semantics, [&](Words& n) { n.sem[k] = true; });
      if (w.rel && !w.semav) step(Aspect::semantics, [](Words& n) { n.semav = true; });
      if (w.acq && !w.semvis) step(Aspect::semantics, [](Words& n) { n.semvis = true; });
    }
    if (w.scope >= 0 && w.scope < 3) step(Aspect::scope, [](Words& n) { ++n.scope; });
    return out;
  }
  if (ordered) {
    if (w.acq && w.rel) {
      if (!w.semvis) step(Aspect::order, [](Words& n) { n.acq = false; });
      if (!w.semav) step(Aspect::order, [](Words& n) { n.rel = false; });
    } else if (sems == 1 && !w.semav && !w.semvis) {
      if (s.kind != Kind::fence)
        step(Aspect::order, [](Words& n) { n.acq = n.rel = false, n.sem = {}; });
      else if (w.scope == 0)
        absent();
    }
    if (w.semav) step(Aspect::semantics, [](Words& n) { n.semav = false; });
    if (w.semvis) step(Aspect::semantics, [](Words& n) { n.semvis = false; });
    for (size_t k = 0; k < 4 && sems > 1; ++k)
      if (w.sem[k]) step(Aspect::semantics, [&](Words& n) { n.sem[k] = false; });
  }
  if (w.scope > 0) step(Aspect::scope, [](Words& n) { --n.scope; });
  if (w.privacy == Privacy::domain && w.scope == 0)
    step(Aspect::access, [](Words& n) { n.privacy = Privacy::nonpriv, n.scope = -1; });
  if (w.privacy == Privacy::nonpriv) step(Aspect::access, [](Words& n) { n.privacy = Privacy::none; });
  if (s.kind == Kind::barrier && !ordered && w.scope == 0) absent();
  return out;
}

namespace {

// The words that a VULKAN test would have for the tags of a SPIR-V instruction; none where it has no such form.
std::optional<Words> words_of_tags(const Shape& s) {
  Words w;
  switch (s.kind) {
    case Kind::load:
      w.head = "ld";
      break;
    case Kind::store:
      w.head = "st";
      break;
    case Kind::rmw:
      w.head = "rmw";
      break;
    case Kind::fence:
      w.head = "membar";
      break;
    case Kind::barrier:
      w.head = "cbar";
      break;
    default:
      return std::nullopt;
  }
  TagSet all = s.tags;
  all |= s.store_tags;
  w.atom = all.has(Tag::ATOM);
  w.acq = all.has(Tag::ACQ);
  w.rel = all.has(Tag::REL);
  w.semav = all.has(Tag::SEMAV);
  w.semvis = all.has(Tag::SEMVIS);
  for (size_t k = 0; k < 4; ++k) {
    w.sem[k] = all.has(k_sem_tags[k]);
    if (all.has(k_scope_tags[k])) w.scope = static_cast<int>(k);
    if (all.has(k_class_tags[k])) w.storage = static_cast<int>(k);
  }
  const bool access = s.kind == Kind::load || s.kind == Kind::store || s.kind == Kind::rmw;
  if (access && w.storage < 0) return std::nullopt;  // memory of one invocation
  if (access && !w.atom)
    w.privacy = all.has(s.kind == Kind::store ? Tag::AV : Tag::VIS) ? Privacy::domain
                : all.has(Tag::NONPRIV)                             ? Privacy::nonpriv
                                                                    : Privacy::none;
  return w;
}

// What instructions are, whatever their order: the front ends of litmus tests and of SPIR-V add these or leave them to
// the engines.
TagSet without_kinds(TagSet tags) {
  for (Tag t : {Tag::R, Tag::W, Tag::RMW, Tag::CBAR, Tag::B}) tags.remove(t);
  return tags;
}

}  // namespace

std::vector<Step> spirv_steps(const Shape& s, bool up, const std::vector<Tag>& classes) {
  const auto w = words_of_tags(s);
  if (!w) return {};
  Shape same;
  same.kind = s.kind;
  same = shaped(same, *w);
  if (!(without_kinds(same.tags) == without_kinds(s.tags)) ||
      !(without_kinds(same.store_tags) == without_kinds(s.store_tags)))
    return {};
  const std::string operation = s.mnemonic.substr(0, s.mnemonic.find(':'));
  std::vector<Step> out = vulkan_steps(same, up, classes);
  for (Step& step : out) {
    if (step.to.absent) continue;
    step.to.mnemonic = operation + ": " + step.to.mnemonic;
    const auto keep_kinds = [](TagSet& now, const TagSet& then) {
      for (Tag t : {Tag::R, Tag::W, Tag::RMW, Tag::CBAR, Tag::B}) {
        if (then.has(t))
          now.add(t);
        else
          now.remove(t);
      }
    };
    keep_kinds(step.to.tags, s.tags);
    keep_kinds(step.to.store_tags, s.store_tags);
  }
  return out;
}

}  // namespace fencepost::prog
