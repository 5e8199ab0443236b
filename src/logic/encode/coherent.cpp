#include "encode/coherent.h"

#include <algorithm>

#include "encode/reduction.h"
#include "vocab/vocab.h"

namespace fencepost::encode {
namespace {

using vocab::Tag;
using vocab::TagSet;

struct Accesses {
  uint32_t thread;
  uint32_t level;  // of the narrowest scope that an access of the thread names
};

// The level of the narrowest scope; nothing if the access names none, or is not atomic.
std::optional<uint32_t> level_of(const prog::Test& test, const TagSet& tags) {
  if (!tags.has(Tag::ATOM)) return std::nullopt;
  for (const Tag t : {Tag::SG, Tag::WG, Tag::QF, Tag::DV})
    if (tags.has(t)) return vocab::level_of(test.dialect, t);
  return std::nullopt;
}

}  // namespace

bool coherent_by_proof(const prog::Test& test, const cat::Model& model) {
  if (test.dialect != vocab::Dialect::vulkan) return false;
  // By thread: the accesses of a thread are in its own scopes, whichever they are.
  std::vector<Accesses> all;
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    std::vector<uint32_t> levels;
    for (const prog::Instr& in : test.instrs(t)) {
      std::vector<const TagSet*> events;
      if (in.kind == prog::Kind::load || in.kind == prog::Kind::store) events = {&in.tags};
      if (in.kind == prog::Kind::store && !(in.store_tags == TagSet{})) events.push_back(&in.store_tags);
      if (in.kind == prog::Kind::rmw) {
        events = {&in.tags, &in.store_tags};
        if (in.failed_tags) events.push_back(&*in.failed_tags);
      }
      for (const TagSet* tags : events) {
        const auto level = level_of(test, *tags);
        if (!level) return false;
        if (std::find(levels.begin(), levels.end(), *level) == levels.end()) levels.push_back(*level);
      }
    }
    for (uint32_t level : levels) all.push_back({t, level});
  }
  for (const Accesses& a : all)
    for (const Accesses& b : all)
      if (a.thread != b.thread && !prog::same_scope(test.threads[a.thread], test.threads[b.thread], a.level))
        return false;
  return is_proven(proven_silent(), fingerprint(model));
}

}  // namespace fencepost::encode
