#include "reference/eventual.h"

namespace fencepost::reference {

using vocab::Tag;

bool on_mbarrier(const vocab::TagSet& read, const vocab::TagSet& write) {
  return read.has(Tag::MBAR) && write.has(Tag::MBAR);
}

bool plain(const vocab::TagSet& read, const vocab::TagSet& write) { return read.has(Tag::NA) || write.has(Tag::NA); }

bool promised_across_proxies(const vocab::TagSet& read, const vocab::TagSet& write) {
  if (on_mbarrier(read, write)) return true;
  const auto proxy = [](const vocab::TagSet& t) { return t.has(Tag::ASYNC) ? 1 : t.has(Tag::TMAP) ? 2 : 0; };
  if (proxy(read) == proxy(write)) return true;
  if (read.has(Tag::WEAK) || write.has(Tag::WEAK)) return false;
  if (read.has(Tag::SYS) && write.has(Tag::SYS)) return true;
  const auto wide = [](const vocab::TagSet& t) { return t.has(Tag::SYS) || t.has(Tag::GPU); };
  return wide(read) && wide(write) && !read.has(Tag::TMAP) && !write.has(Tag::TMAP);
}

}  // namespace fencepost::reference
