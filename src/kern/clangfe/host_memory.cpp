#include "clangfe/host_memory.h"

#include <clang/AST/DeclCXX.h>

#include <algorithm>
#include <iterator>

namespace fencepost::clangfe {
namespace {

bool derived(const clang::RecordDecl* a, const clang::RecordDecl* b) {
  const auto *x = clang::dyn_cast<clang::CXXRecordDecl>(a), *y = clang::dyn_cast<clang::CXXRecordDecl>(b);
  return x != nullptr && y != nullptr && x->hasDefinition() && y->hasDefinition() &&
         (x->isDerivedFrom(y) || y->isDerivedFrom(x));
}

// Two steps from one place may come to one place.
bool may_meet(const void* a, const void* b) {
  if (a == b) return true;
  if (is_element(a) && is_element(b)) return a == k_any_element || b == k_any_element;
  if (is_element(a) || is_element(b)) return true;  // of different types
  const clang::RecordDecl *x = static_cast<const clang::FieldDecl*>(a)->getParent(),
                          *y = static_cast<const clang::FieldDecl*>(b)->getParent();
  return x->getCanonicalDecl() != y->getCanonicalDecl() && !derived(x, y);
}

// As far as both go, they may be one.
bool matches(const std::vector<const void*>& a, const std::vector<const void*>& b) {
  for (size_t n = 0; n < std::min(a.size(), b.size()); ++n)
    if (!may_meet(a[n], b[n])) return false;
  return true;
}

alignas(8) const char any_element = 0;

}  // namespace

const void* const k_any_element = &any_element;

const void* element(uint64_t n) { return reinterpret_cast<const void*>(2 * n + 1); }

bool is_element(const void* step) { return step == k_any_element || (reinterpret_cast<uintptr_t>(step) & 1) != 0; }

uint32_t HostMemory::object(ObjectKind kind, const void* what, uint32_t frame, const Place* of) {
  uint32_t place = 0;
  if (of != nullptr) place = places_.try_emplace(*of, static_cast<uint32_t>(places_.size() + 1)).first->second;
  Object o{kind, what, frame, place};
  o.several = of != nullptr && (objects_[of->object].several ||
                                std::find(of->path.begin(), of->path.end(), k_any_element) != of->path.end());
  const auto [it, fresh] = numbers_.try_emplace(o, static_cast<uint32_t>(objects_.size()));
  if (fresh) {
    objects_.push_back(o);
    changed = true;
  }
  return it->second;
}

std::optional<Place> HostMemory::made_for(uint32_t object) const {
  const uint32_t of = objects_[object].of;
  for (const auto& [place, number] : places_)
    if (number == of) return place;
  return std::nullopt;
}

void HostMemory::store(const Place& at, const Values& v) {
  if (!v.atoms.empty() || v.unknown) assigned_.insert(at);
  put(at, v);
}

void HostMemory::store_new(const Place& at, const Values& v) { put(at, v); }

bool HostMemory::not_assigned(const Place& at) const {
  if (objects_[at.object].escaped || in_doubt(at)) return false;
  for (auto it = assigned_.lower_bound({at.object, {}}); it != assigned_.end() && it->object == at.object; ++it)
    if (matches(it->path, at.path)) return false;
  return true;
}

// An exchange with a place that was given a copy brings the copy.
bool HostMemory::only_new(const Place& at) const {
  if (!not_assigned(at)) return false;
  for (const std::set<Place>& all : exchanges_) {
    const bool takes_part = std::any_of(
        all.begin(), all.end(), [&](const Place& p) { return p.object == at.object && matches(p.path, at.path); });
    if (takes_part && !std::all_of(all.begin(), all.end(), [&](const Place& p) { return not_assigned(p); }))
      return false;
  }
  return true;
}

void HostMemory::put(const Place& at, const Values& v) {
  Values& there = held_[at.object][at.path];
  const size_t before = there.atoms.size();
  const bool knew = !there.unknown;
  there.add(v);
  if (there.atoms.size() != before || (knew && there.unknown)) changed = true;
  if (objects_[at.object].escaped)
    escape(v);
  else if (in_doubt(at))  // text that is not in the tree has it
    escape({.atoms = {{Atom::address, at, nullptr}}});
}

bool HostMemory::in_doubt(const Place& at) const {
  const Object& o = objects_[at.object];
  if (o.kind == ObjectKind::variable &&
      doubtful.contains(static_cast<const clang::ValueDecl*>(o.what)->getIdentifier()))
    return true;
  return std::any_of(at.path.begin(), at.path.end(), [&](const void* step) {
    return !is_element(step) && doubtful.contains(static_cast<const clang::FieldDecl*>(step)->getIdentifier());
  });
}

// What was put there, in a part of it, or in what it is a part of.
void HostMemory::held(const Place& at, std::set<Place>& seen, Values& out) {
  const auto object = held_.find(at.object);
  if (object == held_.end()) return;
  std::vector<Place> whole;
  Values taken_apart;
  for (const auto& [path, values] : object->second) {
    if (!matches(path, at.path)) continue;
    out.unknown = out.unknown || values.unknown;
    for (const Atom& a : values.atoms) {
      if (a.kind == Atom::copy && path.size() <= at.path.size() &&
          objects_[a.place.object].kind != ObjectKind::closure) {
        Place from = a.place;
        from.path.insert(from.path.end(), at.path.begin() + static_cast<ptrdiff_t>(path.size()), at.path.end());
        whole.push_back(std::move(from));
      } else if (path.size() == at.path.size()) {
        out.atoms.insert(a);
      } else {
        taken_apart.atoms.insert(a);  // bytes of one type as another
      }
    }
  }
  if (!taken_apart.atoms.empty()) {
    out.unknown = true;
    escape(taken_apart);
  }
  for (const Place& p : whole) read(p, true, seen, out);
}

void HostMemory::read(const Place& at, bool exchanges, std::set<Place>& seen, Values& out) {
  constexpr size_t k_most = 4000, k_deep = 12;
  if (at.path.size() > k_deep || seen.size() > k_most) {
    out.unknown = true;
    return;
  }
  if (!seen.insert(at).second) return;
  const Object o = objects_[at.object];
  if (o.escaped || o.kind == ObjectKind::device_memory || o.kind == ObjectKind::external || in_doubt(at))
    out.unknown = true;
  bool open = o.kind == ObjectKind::unseen;
  if (o.kind == ObjectKind::variable)
    if (const auto* v = static_cast<const clang::ValueDecl*>(o.what); v != nullptr && clang::isa<clang::VarDecl>(v))
      open = clang::cast<clang::VarDecl>(v)->hasExternalStorage();
  if (open) out.atoms.insert({Atom::address, {object(ObjectKind::unseen, nullptr, 0, &at), {element(0)}}, nullptr});
  held(at, seen, out);
  if (!exchanges) return;
  for (size_t n = 0; n <= at.path.size(); ++n) {
    const Place part{at.object, {at.path.begin(), at.path.begin() + static_cast<ptrdiff_t>(n)}};
    for (const std::set<Place>& all : exchanges_) {
      if (!all.contains(part)) continue;
      for (Place other : all) {
        other.path.insert(other.path.end(), at.path.begin() + static_cast<ptrdiff_t>(n), at.path.end());
        read(other, false, seen, out);
      }
    }
  }
}

Values HostMemory::read(const Place& at) {
  std::set<Place> seen;
  Values out;
  read(at, true, seen, out);
  return out;
}

std::set<uint32_t> HostMemory::reachable(uint32_t object) const {
  std::set<uint32_t> out;
  std::vector<uint32_t> todo{object};
  while (!todo.empty()) {
    const auto held = held_.find(todo.back());
    todo.pop_back();
    if (held == held_.end()) continue;
    for (const auto& [path, values] : held->second)
      for (const Atom& a : values.atoms)
        if ((a.kind == Atom::address || a.kind == Atom::copy) && out.insert(a.place.object).second)
          todo.push_back(a.place.object);
  }
  return out;
}

Values HostMemory::own(const Place& at) {
  std::set<Place> seen;
  Values out;
  read(at, false, seen, out);
  return out;
}

void HostMemory::escape(const Values& v) {
  std::vector<Atom> todo(v.atoms.begin(), v.atoms.end());
  std::set<Atom> seen;
  while (!todo.empty()) {
    const Atom a = todo.back();
    todo.pop_back();
    if (!seen.insert(a).second || a.kind == Atom::distance) continue;
    if (a.kind == Atom::function) {
      changed = loose_functions.insert(a.code).second || changed;
      continue;
    }
    Object& o = objects_[a.place.object];
    if (a.kind == Atom::copy && o.kind == ObjectKind::closure) {
      changed = loose_closures.insert(a.place.object).second || changed;
      continue;
    }
    if (a.kind == Atom::address) {
      if (o.escaped) continue;
      o.escaped = true;
      changed = true;
    }
    const auto it = held_.find(a.place.object);
    if (it == held_.end()) continue;
    for (const auto& [path, values] : it->second) todo.insert(todo.end(), values.atoms.begin(), values.atoms.end());
  }
}

void HostMemory::exchange(const Place& a, const Place& b) {
  std::set<Place> all{a, b};
  const auto meets = [&](const std::set<Place>& s) { return s.contains(a) || s.contains(b); };
  for (const std::set<Place>& s : exchanges_)
    if (meets(s)) {
      if (s.contains(a) && s.contains(b)) return;
      all.insert(s.begin(), s.end());
    }
  std::erase_if(exchanges_, meets);
  exchanges_.push_back(std::move(all));
  changed = true;
}

std::vector<Place> HostMemory::exchanged(const Place& at) const {
  for (const std::set<Place>& s : exchanges_)
    if (s.contains(at)) return {s.begin(), s.end()};
  return {};
}

}  // namespace fencepost::clangfe
