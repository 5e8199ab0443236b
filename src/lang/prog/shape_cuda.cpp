// CUDA C++: mnemonics are NAME.ORDER[.FAILURE].SCOPE as ptxmod/cuda.cpp writes them, and the names of CUDA's functions.
#include "prog/shape_cuda.h"

#include <algorithm>
#include <array>
#include <optional>

namespace fencepost::prog {
namespace {

constexpr std::array<const char*, 3> k_scopes = {"block", "device", "system"};
constexpr std::array<Tag, 3> k_scope_tags = {Tag::WG, Tag::DV, Tag::ALL};
constexpr std::array<const char*, 3> k_endings = {"_block", "", "_system"};

struct Call {
  std::string name, order, failure;
  size_t scope = 1;    // into k_scopes
  bool plain = false;  // atomicAdd, __threadfence: the name says the scope, and nothing the order
};

std::optional<Call> read(const std::string& mnemonic) {
  Call c;
  const auto words = words_of(mnemonic);
  if (words.size() == 1) {
    c.name = mnemonic;
    c.plain = true;
    for (const size_t k : {size_t{0}, size_t{2}})
      if (c.name.ends_with(k_endings[k])) {
        c.scope = k;
        c.name.resize(c.name.size() - std::string(k_endings[k]).size());
      }
    if (c.name == "__threadfence")
      c.order = "seq_cst";
    else if (c.name.starts_with("atomic"))
      c.order = "relaxed";
    else
      return std::nullopt;
    return c;
  }
  if (words.size() < 3) return std::nullopt;
  const auto scope = std::find(k_scopes.begin(), k_scopes.end(), words.back());
  if (scope == k_scopes.end()) return std::nullopt;
  c.scope = static_cast<size_t>(scope - k_scopes.begin());
  c.name = words[0];
  c.order = words[1];
  if (words.size() == 4) c.failure = words[2];
  return c;
}

bool acquires(const std::string& o) { return o == "acquire" || o == "acq_rel" || o == "seq_cst"; }
bool releases(const std::string& o) { return o == "release" || o == "acq_rel" || o == "seq_cst"; }

Shape shaped(const Shape& from, Call c) {
  Shape s = from;
  if (c.plain) {
    s.mnemonic = c.name + k_endings[c.scope];
  } else {
    // What fails is ordered no more than what succeeds.
    if (c.failure == "seq_cst" && c.order != "seq_cst") c.failure = acquires(c.order) ? "acquire" : "relaxed";
    if (acquires(c.failure) && !acquires(c.order)) c.failure = "relaxed";
    s.mnemonic = c.name + "." + c.order + (c.failure.empty() ? "" : "." + c.failure) + "." + k_scopes[c.scope];
  }
  const auto set = [&](TagSet& tags, Tag order) {
    for (const Tag t : {Tag::RLX, Tag::ACQ, Tag::REL, Tag::ACQ_REL, Tag::SC}) tags.remove(t);
    for (const Tag t : k_scope_tags) tags.remove(t);
    tags.add(order).add(k_scope_tags[c.scope]);
  };
  const Tag load = c.order == "seq_cst" ? Tag::SC : acquires(c.order) ? Tag::ACQ : Tag::RLX;
  const Tag store = c.order == "seq_cst" ? Tag::SC : releases(c.order) ? Tag::REL : Tag::RLX;
  if (s.kind == Kind::fence) {
    set(s.tags, c.order == "seq_cst"   ? Tag::SC
                : c.order == "acq_rel" ? Tag::ACQ_REL
                : c.order == "acquire" ? Tag::ACQ
                                       : Tag::REL);
    return s;
  }
  set(s.tags, s.kind == Kind::store ? store : load);
  if (s.kind == Kind::rmw) set(s.store_tags, store);
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

std::vector<Cover> covers(Kind k) {
  if (k == Kind::load) return {k_load.begin(), k_load.end()};
  if (k == Kind::store) return {k_store.begin(), k_store.end()};
  if (k == Kind::rmw) return {k_rmw.begin(), k_rmw.end()};
  return {k_fence.begin(), k_fence.end()};
}

}  // namespace

Shape cuda_fence(bool acquire) {
  Shape s;
  s.mnemonic = acquire ? "atomic_thread_fence.acquire.block" : "atomic_thread_fence.release.block";
  s.tags = {Tag::F, acquire ? Tag::ACQ : Tag::REL, Tag::GLOBAL, Tag::LOCAL, Tag::WG};
  return s;
}

std::vector<Step> cuda_steps(const Shape& s, bool up) {
  std::vector<Step> out;
  if (s.kind != Kind::load && s.kind != Kind::store && s.kind != Kind::rmw && s.kind != Kind::fence) return out;
  if (s.kind != Kind::fence && !s.tags.has(Tag::A)) return out;
  const auto c = read(s.mnemonic);
  if (!c) return out;
  for (const Cover& v : covers(s.kind)) {
    if (c->order != (up ? v.lower : v.upper)) continue;
    if (c->plain && s.kind != Kind::fence) continue;  // has no order to choose
    Call n = *c;
    n.order = up ? v.upper : v.lower;
    if (n.plain) {
      n.plain = false;
      n.name = "atomic_thread_fence";
    }
    out.push_back({Aspect::order, shaped(s, n)});
  }
  if (up ? c->scope < 2 : c->scope > 0) {
    Call n = *c;
    n.scope = up ? n.scope + 1 : n.scope - 1;
    out.push_back({Aspect::scope, shaped(s, n)});
  }
  if (!up && s.kind == Kind::fence && c->scope == 0 && (c->order == "acquire" || c->order == "release")) {
    Shape n;
    n.kind = s.kind;
    n.absent = true;
    out.push_back({Aspect::presence, n});
  }
  return out;
}

}  // namespace fencepost::prog
